//! One issue or merge request as a page: head, text, relations, threads.

use super::folding::folded;
use super::{counted, state_label};
use crate::entity_args::EntityAnswer;
use crate::ui::{Label, Painter, Show};
use model::EntityState;
use model::record::{ChangeKind, EventAction};
use model::relation::{Certainty, RelationType, SystemAction};
use model::text::one_line;
use store::details::{Note, NoteLocation, Thread};
use store::events::Event;

impl Show for EntityAnswer {
    fn text(&self, out: &mut Painter) {
        self.head(out);
        if let Some(description) = self.entity.body.description.as_deref()
            && !description.trim().is_empty()
        {
            out.gap().paragraph(2, &self.shown(description));
        }
        self.relations(out);
        self.files(out);
        if self.with_events {
            self.events(out);
        }
        self.threads(out);
    }
}

impl EntityAnswer {
    /// A text, with long blocks folded unless all was asked for.
    fn shown(&self, text: &str) -> String {
        if self.is_unfolded { text.trim_end().to_owned() } else { folded(text) }
    }

    /// What of the threads is not shown, and how to see it.
    fn left_out(&self, n_shown: u64, out: &mut Painter) {
        let n_left = self.entity.n_threads.saturating_sub(n_shown);
        if let Some(word) = self.grep.as_ref().filter(|_| n_shown == 0) {
            out.gap()
                .label(Label::Faint, &format!("no note contains `{}`", one_line(word, 60)))
                .end();
        } else if n_left > 0 {
            let more = counted(n_left, "thread", "threads");
            let how = "--notes all shows everything, --grep WORD those with a word";
            out.gap().label(Label::Faint, &format!("{more} more: {how}")).end();
        }
    }

    fn head(&self, out: &mut Painter) {
        let (summary, body) = (&self.entity.summary, &self.entity.body);
        out.link(Label::Id, &summary.reference(), &summary.web_url)
            .text(" ")
            .label(Label::Heading, &model::text::one_line(&summary.title, 500))
            .end();
        out.label(state_label(summary.state), summary.state.as_str());
        for (is_set, word) in [
            (summary.is_draft, "draft"),
            (summary.is_confidential, "confidential"),
            (summary.is_gone, "gone from the forge"),
        ] {
            if is_set {
                out.text(", ").label(Label::Warning, word);
            }
        }
        out.text(" · ").label(Label::Path, &summary.project);
        if let Some(author) = &summary.author {
            out.text(" · by ").label(Label::Person, &format!("@{author}"));
        }
        out.text(" · ").date(summary.created_at).end();
        let ended = [
            ("merged", summary.merged_at, &body.merged_by),
            ("closed", summary.closed_at, &body.closed_by),
        ];
        for (word, at, by) in ended {
            if let Some(at) = at {
                let who = by.as_ref().map(|by| format!(" by @{by}")).unwrap_or_default();
                let date = out.look().date(at);
                out.field(word, &format!("{date}{who}"));
            }
        }
        if let (Some(source), Some(target)) = (&body.source_branch, &body.target_branch) {
            out.field("branch", &format!("{source} → {target}"));
        }
        for (name, sha) in [("merge", &body.merge_commit_sha), ("squash", &body.squash_commit_sha)]
        {
            if let Some(sha) = sha {
                out.field(name, sha);
            }
        }
        for (name, values) in [
            ("labels", summary.labels.join(", ")),
            ("milestone", summary.milestone.clone().unwrap_or_default()),
            ("due", body.due_date.clone().unwrap_or_default()),
            ("assigned", people(&summary.assignees)),
            ("reviewers", people(&summary.reviewers)),
        ] {
            if !values.is_empty() {
                out.field(name, &values);
            }
        }
        out.field("url", &summary.web_url);
    }

    fn relations(&self, out: &mut Painter) {
        if self.entity.relations.is_empty() {
            return;
        }
        out.gap();
        for relation in self.entity.relations_to_show() {
            // An issue that is open was closed at most for a while.
            let is_open = self.entity.summary.state == EntityState::Opened;
            let was_closed = relation.reference_type == RelationType::Closes
                && !relation.is_outgoing
                && relation.certainty != Certainty::Declared;
            let words = if is_open && was_closed {
                "was closed by"
            } else if relation.is_given_up() {
                "was to be closed by"
            } else {
                let (is_outgoing, certainty) = (relation.is_outgoing, relation.certainty);
                relation.reference_type.phrase(is_outgoing, certainty, relation.kind)
            };
            out.label(Label::Faint, &format!("{words:<12} "));
            let is_near = relation.project == self.entity.summary.project;
            let project = if is_near { "" } else { relation.project.as_str() };
            let name = format!("{project}{}{}", relation.kind.sigil(), relation.iid);
            out.label(Label::Id, &name);
            match &relation.title {
                Some(title) => out.text(&format!("  {}", model::text::one_line(title, 80))),
                None => out.label(Label::Faint, "  (not synced)"),
            };
            if relation.certainty != Certainty::Stated {
                out.label(Label::Faint, &format!("  [{}]", relation.certainty));
            }
            if is_open && was_closed {
                out.label(Label::Faint, "  reopened since");
            }
            if relation.is_given_up() {
                out.label(Label::Faint, "  closed without being merged");
            }
            out.end();
        }
    }

    fn files(&self, out: &mut Painter) {
        const SHOWN: usize = 20;
        let files = &self.entity.files;
        if files.is_empty() {
            return;
        }
        let commits = counted(self.entity.commits.len() as u64, "commit", "commits");
        out.gap().heading(&format!(
            "{} in {commits}",
            counted(files.len() as u64, "file changed", "files changed")
        ));
        for file in files.iter().take(SHOWN) {
            let mark = match file.kind {
                ChangeKind::Added => "A",
                ChangeKind::Deleted => "D",
                ChangeKind::Renamed => "R",
                ChangeKind::Modified => "M",
            };
            out.text(&format!("  {mark} "));
            if let Some(old) = &file.old_path {
                out.label(Label::Path, old).text(" → ");
            }
            out.label(Label::Path, &file.path).end();
        }
        if files.len() > SHOWN {
            out.label(Label::Faint, &format!("  … and {} more", files.len() - SHOWN)).end();
        }
    }

    fn events(&self, out: &mut Painter) {
        if self.entity.events.is_empty() {
            return;
        }
        out.gap().heading("Events");
        for event in &self.entity.events {
            out.text("  ").date(event.at).text(&format!("  {}", event_words(event)));
            if let Some(actor) = &event.actor {
                out.text("  ").label(Label::Person, &format!("@{actor}"));
            }
            out.end();
        }
    }

    fn threads(&self, out: &mut Painter) {
        let threads: Vec<(&Thread, Vec<&Note>)> = self
            .entity
            .threads
            .iter()
            .map(|thread| {
                let shown = |note: &&Note| self.with_system_notes || !note.is_system;
                (thread, thread.notes.iter().filter(shown).collect::<Vec<_>>())
            })
            .filter(|(_, notes)| !notes.is_empty())
            .collect();
        let n_shown = insight::threads::count_written(&self.entity.threads);
        if threads.is_empty() {
            self.left_out(n_shown, out);
            return;
        }
        out.gap().heading(&counted(threads.len() as u64, "thread", "threads"));
        for (thread, notes) in threads {
            out.gap();
            for (index, note) in notes.iter().enumerate() {
                let indent = if index == 0 { 2 } else { 6 };
                note_head(out, note, indent);
                if index == 0 && thread.is_resolved == Some(true) {
                    out.text("  ").label(Label::Good, "resolved");
                }
                out.end().paragraph(indent + 2, &self.shown(&note.body));
            }
        }
        self.left_out(n_shown, out);
    }
}

pub(super) fn note_head(out: &mut Painter, note: &Note, indent: usize) {
    out.text(&" ".repeat(indent));
    let author = note.author.as_deref().unwrap_or("someone");
    out.label(Label::Person, &format!("@{author}")).text("  ").date(note.created_at);
    if note.is_internal {
        out.text("  ").label(Label::Warning, "internal");
    }
    if let Some(location) = &note.location {
        out.text("  ").label(Label::Path, &location_words(location));
    }
}

fn location_words(location: &NoteLocation) -> String {
    let line = match (location.line, location.old_line) {
        (Some(line), _) => format!(":{line}"),
        (None, Some(old)) => format!(":{old} (removed)"),
        (None, None) => String::new(),
    };
    format!("{}{line}", location.path)
}

fn event_words(event: &Event) -> String {
    if let Some(text) = &event.text {
        return model::text::one_line(text, 120);
    }
    let name = event.name.as_deref().unwrap_or("(deleted since)");
    let sign = if event.action == Some(EventAction::Add) { '+' } else { '-' };
    match event.event {
        it @ (SystemAction::Label | SystemAction::Milestone) => format!("{sign} {it} {name}"),
        state => state.as_str().to_owned(),
    }
}

fn people(usernames: &[String]) -> String {
    usernames.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ")
}
