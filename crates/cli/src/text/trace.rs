use super::file_history::{missing, renames, short};
use super::{counted, grouped, state_label};
use crate::ui::{Label, Painter, Show};
use insight::evidence::{EvidenceNote, Explained};
use insight::reasons::CommitReason;
use insight::trace::{CommitOrigin, Generation, LineOrigin, Tier, Trace};
use model::EntityKind;
use model::relation::Certainty;
use model::text::one_line;

/// Longer texts of lines and notes are cut.
const SNIPPET: usize = 200;
/// Of a long run of lines, this many are shown.
const SHOWN_LINES: usize = 4;

impl Show for Trace {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::trace(self))
    }

    fn text(&self, out: &mut Painter) {
        told(self, &self.origins.iter().collect::<Vec<_>>(), out);
    }
}

/// The trace with some of its lines.
pub(super) fn told(trace: &Trace, shown: &[&LineOrigin], out: &mut Painter) {
    let project = trace.project.as_deref();
    if let Some(origin) = &trace.commit {
        let place = trace.project.as_ref().or(trace.repo.as_ref());
        asked_commit(origin, place.map(String::as_str), out);
    } else {
        head(trace, out);
    }
    renames(&trace.rename_chain, out);
    for origin in shown {
        line_origin(origin, project, out);
    }
    let left_out = trace.origins.len().saturating_sub(shown.len());
    if left_out > 0 {
        let more = counted(left_out as u64, "run of lines", "runs of lines");
        out.gap().label(Label::Faint, &format!("{more} more: lore trace tells them all")).end();
    }
    let has_changes = !trace.merge_requests.is_empty() || !trace.commits.is_empty();
    if trace.tier == Tier::File && !has_changes && trace.missing.is_empty() {
        out.label(Label::Faint, "no merge request and no commit changed this file").end();
    }
    for explained in &trace.merge_requests {
        out.gap();
        merge_request(explained, project, out);
    }
    let shown = trace.merge_requests.len() as u64;
    if shown < trace.total {
        out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(trace.total)));
    }
    file_commits(trace, out);
    missing(&trace.missing, out);
}

/// A commit that was asked about, and how its merge request is known.
pub(super) fn asked_commit(origin: &CommitOrigin, place: Option<&str>, out: &mut Painter) {
    if let Some(place) = place {
        out.label(Label::Faint, &format!("in {place}")).end();
    }
    commit(&origin.commit, out);
    if origin.merge_request.is_none() {
        merged_by(&origin.commit, out);
    }
    if let (Some(method), Some(confidence)) = (origin.method, origin.confidence) {
        let words = method.words();
        let known = format!("  brought by the merge request below, known by {words}");
        out.label(Label::Faint, &format!("{known} ({confidence:.2})")).end();
    }
}

/// Commits of a file that no merge request explains.
fn file_commits(trace: &Trace, out: &mut Painter) {
    if trace.commits.is_empty() {
        return;
    }
    let shown = trace.commits.len() as u64;
    if trace.total > 0 {
        let what = counted(trace.total_commits, "commit", "commits");
        out.gap().heading(&format!("{what} without a merge request"));
    }
    for commit in &trace.commits {
        out.gap();
        self::commit(commit, out);
        merged_by(commit, out);
    }
    if shown < trace.total_commits {
        let all = grouped(trace.total_commits);
        out.footer(&format!("{} of {all} commits; -n shows more", grouped(shown)));
    }
}

/// What the merge says that brought a commit: where no forge knows of a merge request.
pub(super) fn merged_by(commit: &CommitReason, out: &mut Painter) {
    let Some(merge) = commit.telling_merge() else { return };
    let reference = merge.reference.as_deref().map(|it| format!("{it}  ")).unwrap_or_default();
    out.label(Label::Faint, "          merged by ").label(Label::Id, &short(&merge.sha)).text("  ");
    out.text(&one_line(&format!("{reference}{}", merge.title), SNIPPET)).end();
    if let Some(reason) = &merge.reason {
        out.paragraph(10, &reason.text);
    }
}

/// A commit, the reason it gives, what it names and what it changed beside.
pub(super) fn commit(commit: &CommitReason, out: &mut Painter) {
    out.label(Label::Faint, "  commit  ").label(Label::Id, &short(&commit.sha)).text("  ");
    out.date(commit.authored_at).text("  ").text(&one_line(&commit.subject, SNIPPET));
    out.text("  ").label(Label::Person, &one_line(&commit.author, 40)).end();
    let later = commit.committed_at.filter(|at| at.to_date() != commit.authored_at.to_date());
    if let Some(at) = later {
        out.label(Label::Faint, "          committed ").date(at).end();
    }
    if let Some(body) = &commit.body {
        out.paragraph(10, &body.text);
    }
    for change in &commit.changes {
        let certainty = Certainty::Stated;
        let phrase =
            change.relation.phrase(change.is_outgoing, certainty, EntityKind::MergeRequest);
        out.label(Label::Faint, &format!("          {phrase} "));
        out.label(Label::Id, &short(&change.sha));
        if let Some(at) = change.authored_at {
            out.text("  ").date(at);
        }
        out.text("  ")
            .text(&one_line(change.subject.as_deref().unwrap_or("not known here"), 90))
            .end();
    }
    if !commit.tickets.is_empty() {
        out.label(Label::Faint, &format!("          names {}", commit.tickets.join(", "))).end();
    }
    if !commit.companions.is_empty() {
        let n_more = commit.n_files.unwrap_or(0).saturating_sub(commit.companions.len() as u64 + 1);
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        let files = commit.companions.join(", ");
        out.label(Label::Faint, &format!("          with {files}{more}")).end();
    }
}

fn head(trace: &Trace, out: &mut Painter) {
    out.label(Label::Path, &trace.path);
    if let Some(lines) = trace.lines {
        let range = if lines.first == lines.last {
            format!(":{}", lines.first)
        } else {
            format!(":{}-{}", lines.first, lines.last)
        };
        out.label(Label::Path, &range);
    }
    if let Some(symbol) = &trace.symbol {
        out.text(&format!("  {} {}", symbol.kind, one_line(&symbol.symbol, SNIPPET)));
    }
    if let Some(project) = trace.project.as_ref().or(trace.repo.as_ref()) {
        out.label(Label::Faint, &format!("  in {project}"));
    }
    out.end();
}

/// `!12` in the project asked about, `group/p!12` elsewhere.
pub(super) fn near<'a>(reference: &'a str, project: Option<&str>) -> &'a str {
    project.and_then(|project| reference.strip_prefix(project)).unwrap_or(reference)
}

pub(super) fn line_origin(origin: &LineOrigin, project: Option<&str>, out: &mut Painter) {
    out.gap();
    let width = out.look().width.saturating_sub(8).clamp(20, SNIPPET);
    for (index, text) in origin.text.iter().take(SHOWN_LINES).enumerate() {
        let number = origin.lines.first + index as u64;
        out.label(Label::Faint, &format!("{number:>5}  "));
        out.text(&one_line_of_code(text, width)).end();
    }
    if origin.text.len() > SHOWN_LINES {
        let more = counted((origin.text.len() - SHOWN_LINES) as u64, "more line", "more lines");
        out.label(Label::Faint, &format!("       … {more}")).end();
    }
    if let Some(commit) = &origin.commit {
        self::commit(commit, out);
        if origin.merge_request.is_none() {
            merged_by(commit, out);
        }
    }
    change(origin, width, out);
    brought_by(origin, project, out);
    if let Some(moved) = &origin.moved_by {
        out.label(Label::Faint, "  moved   ");
        match &moved.merge_request {
            Some(reference) => out.label(Label::Id, near(reference, project)),
            None => out.label(Label::Id, &short(&moved.sha)),
        };
        out.text("  ").text(&one_line(&moved.subject, width)).end();
    }
    for generation in &origin.generations {
        earlier(generation, project, width, out);
    }
}

/// What the commit changed there; nothing where it only wrote what is shown above.
pub(super) fn change(origin: &LineOrigin, width: usize, out: &mut Painter) {
    let Some(change) = &origin.change else { return };
    if change.n_removed == 0 && change.n_added <= origin.text.len() as u64 {
        return;
    }
    out.label(Label::Faint, "  change").end();
    let sides = [
        ("-", Label::Bad, &change.removed, change.n_removed),
        ("+", Label::Good, &change.added, change.n_added),
    ];
    for (sign, label, lines, n_all) in sides {
        for text in lines {
            let text = one_line_of_code(text, width.saturating_sub(6));
            out.text("    ").label(label, &format!("{sign} {text}")).end();
        }
        let n_more = n_all.saturating_sub(lines.len() as u64);
        if n_more > 0 {
            let more = counted(n_more, "more line", "more lines");
            out.label(Label::Faint, &format!("    {sign} … {more}")).end();
        }
    }
}

/// The merge request that brought lines; nothing without a forge.
pub(super) fn brought_by(origin: &LineOrigin, project: Option<&str>, out: &mut Painter) {
    if project.is_none() && origin.merge_request.is_none() && origin.commit.is_some() {
        return;
    }
    out.label(Label::Faint, "  merged  ");
    match (&origin.merge_request, origin.method, origin.confidence) {
        (Some(reference), Some(method), Some(confidence)) => {
            out.label(Label::Id, near(reference, project));
            out.label(Label::Faint, &format!("  known by {} ({confidence:.2})", method.words()));
            if !origin.also.is_empty() {
                let also: Vec<&str> = origin.also.iter().map(|also| near(also, project)).collect();
                out.label(Label::Faint, &format!("; also in {}", also.join(", ")));
            }
        }
        _ => {
            let why = origin.unknown_because.as_deref().unwrap_or("not known");
            out.label(Label::Warning, "unknown").label(Label::Faint, &format!(": {why}"));
        }
    }
    out.end();
}

/// Leading blanks carry meaning in code, so they stay.
fn one_line_of_code(text: &str, width: usize) -> String {
    let indent: String = text.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let indent = indent.replace('\t', "    ");
    format!("{indent}{}", one_line(text, width.saturating_sub(indent.len()).max(8)))
}

fn earlier(generation: &Generation, project: Option<&str>, width: usize, out: &mut Painter) {
    out.label(Label::Faint, "  before  ").text(&one_line(&generation.text, width)).end();
    out.label(Label::Faint, "          ").label(Label::Id, &short(&generation.sha)).text("  ");
    out.date(generation.authored_at).text("  ").text(&one_line(&generation.subject, width));
    if let Some(reference) = &generation.merge_request {
        out.text("  ").label(Label::Id, near(reference, project));
    }
    out.end();
}

pub(super) fn merge_request(explained: &Explained, project: Option<&str>, out: &mut Painter) {
    let reference = near(&explained.reference, project);
    out.link(Label::Id, reference, &explained.url).text("  ");
    out.label(Label::Heading, &one_line(&explained.title, 100)).end();
    substance(explained, project, out);
}

/// How an entity ended, the reasons it gives, and what was said about it.
pub(super) fn substance(explained: &Explained, project: Option<&str>, out: &mut Painter) {
    ending(explained, out);
    if let Some(description) = &explained.description {
        out.paragraph(2, &description.text);
    }
    for issue in &explained.issues {
        out.text("  ").label(Label::Faint, issue.relation.as_str()).text(" ");
        out.label(Label::Id, near(&issue.reference, project)).text("  ");
        out.text(&one_line(issue.title.as_deref().unwrap_or("not synced"), 90)).end();
    }
    for change in &explained.changes {
        let phrase = change.relation.phrase(change.is_outgoing, change.certainty, change.kind);
        out.text("  ").label(Label::Faint, phrase).text(" ");
        out.label(Label::Id, near(&change.reference, project)).text("  ");
        out.text(&one_line(change.title.as_deref().unwrap_or("not synced"), 90));
        if change.certainty != Certainty::Stated {
            out.label(Label::Faint, &format!("  [{}]", change.certainty));
        }
        out.end();
    }
    for note in &explained.notes {
        evidence(note, project, out);
    }
}

/// Who merged or closed it and when, and who opened it.
fn ending(explained: &Explained, out: &mut Painter) {
    let by = |out: &mut Painter, who: &Option<String>| {
        if let Some(who) = who {
            out.label(Label::Faint, " by ").label(Label::Person, &format!("@{who}"));
        }
    };
    let ended = match explained.merged_at {
        Some(at) => Some((at, &explained.merged_by)),
        None => explained.closed_at.map(|at| (at, &explained.closed_by)),
    };
    out.text("  ");
    if let Some((at, who)) = ended {
        out.label(state_label(explained.state), explained.state.as_str()).text(" ").date(at);
        by(out, who);
        out.label(Label::Faint, ", opened ");
    } else {
        out.label(state_label(explained.state), explained.state.as_str()).text(" ");
    }
    out.date(explained.created_at);
    by(out, &explained.author);
    let mut facts = Vec::new();
    if let Some(sha) = &explained.merge_commit_sha {
        facts.push(format!("as {}", short(sha)));
    }
    if explained.comments > 0 {
        facts.push(counted(explained.comments, "comment", "comments"));
    }
    if explained.comments_on_file > 0 {
        facts.push(format!("{} on this file", grouped(explained.comments_on_file)));
    }
    if !facts.is_empty() {
        out.label(Label::Faint, &format!("; {}", facts.join(", ")));
    }
    out.end();
}

pub(super) fn evidence(note: &EvidenceNote, project: Option<&str>, out: &mut Painter) {
    out.text("  ").label(Label::Person, &format!("@{}", note.author.as_deref().unwrap_or("ghost")));
    out.label(Label::Faint, " on ").label(Label::Id, near(&note.on, project)).text("  ");
    out.date(note.created_at);
    if let Some(path) = note.path.as_ref().filter(|_| note.is_on_file) {
        let line = note.line.map(|line| format!(":{line}")).unwrap_or_default();
        out.label(Label::Faint, "  [").label(Label::Path, &format!("{path}{line}"));
        out.label(Label::Faint, "]");
    }
    if note.is_last_decision {
        out.label(Label::Faint, "  last decision");
    }
    if note.is_retracted {
        out.label(Label::Warning, "  taken back later");
    }
    out.end();
    out.paragraph(4, &note.excerpt);
}
