//! Whatever a reference means, as a page.

use super::counted;
use crate::commands::show::ShowAnswer;
use crate::entity_args::EntityAnswer;
use crate::ui::{Label, Painter, Show};
use insight::entities::EntityDetail;
use insight::show::{CommitDetail, NoteDetail, Referent};

/// Files of a commit listed; the rest is counted.
const MOST_FILES: usize = 30;

impl Show for ShowAnswer {
    fn text(&self, out: &mut Painter) {
        match &self.shown {
            Referent::Issue(detail) | Referent::MergeRequest(detail) => {
                entity(detail, self).text(out);
            }
            Referent::Note(detail) => note(detail, out),
            Referent::Commit(detail) => commit(detail, out),
            Referent::Record(detail) => detail.text(out),
            Referent::Symbol(symbols) => symbols.text(out),
        }
    }
}

fn entity(detail: &EntityDetail, answer: &ShowAnswer) -> EntityAnswer {
    let with_events = answer.with_events;
    EntityAnswer {
        entity: detail.clone(),
        is_unfolded: answer.is_unfolded,
        grep: answer.grep.clone(),
        with_system_notes: with_events,
        with_events,
    }
}

fn note(detail: &NoteDetail, out: &mut Painter) {
    out.link(Label::Id, &detail.on, &detail.url).text("  ");
    out.label(Label::Heading, &model::text::one_line(&detail.title, 500)).end();
    for note in &detail.thread.notes {
        super::entity_detail::note_head(out, note, 2);
        out.end().paragraph(4, note.body.trim_end());
    }
}

fn commit(detail: &CommitDetail, out: &mut Painter) {
    let commit = &detail.commit;
    out.label(Label::Id, &commit.sha).text("  ").label(Label::Path, &detail.repo).end();
    out.label(Label::Person, &commit.author).text("  ").date(commit.committed_at);
    if commit.is_unreachable {
        out.text("  ").label(Label::Warning, "no branch has it any more");
    }
    out.end();
    out.gap().paragraph(2, detail.message.trim_end());
    if let Some(request) = &detail.merge_request {
        out.gap().label(Label::Faint, "merged by ");
        out.link(Label::Id, &request.reference, &request.url).text("  ").text(&request.title);
        if let Some(confidence) = detail.confidence {
            out.label(Label::Faint, &format!("  confidence {confidence:.2}"));
        }
        out.end();
        for issue in &request.issues {
            out.label(Label::Faint, &format!("{:<10}", issue.relation.as_str()));
            let title = issue.title.as_deref().unwrap_or_default();
            out.label(Label::Id, &issue.reference).text("  ").text(title).end();
        }
    }
    let files = counted(detail.files.len() as u64, "file", "files");
    out.gap().heading(&files);
    for file in detail.files.iter().take(MOST_FILES) {
        out.text("  ").label(Label::Faint, &format!("{:<9}", file.kind));
        out.label(Label::Path, &file.path).end();
    }
    let n_more = detail.files.len().saturating_sub(MOST_FILES);
    if n_more > 0 {
        out.label(Label::Faint, &format!("  and {n_more} more")).end();
    }
}
