use super::file_history::{missing, renames, short};
use super::{counted, grouped, state_label};
use crate::ui::{Label, Painter, Show};
use insight::evidence::{EvidenceNote, Explained};
use insight::trace::{Generation, LineOrigin, Tier, Trace};
use model::text::one_line;

/// Longer texts of lines and notes are cut.
const SNIPPET: usize = 200;
/// Of a long run of lines, this many are shown.
const SHOWN_LINES: usize = 4;

impl Show for Trace {
    fn text(&self, out: &mut Painter) {
        told(self, usize::MAX, out);
    }
}

/// The trace with the first `n_runs` of its lines.
pub(super) fn told(trace: &Trace, n_runs: usize, out: &mut Painter) {
    let project = trace.project.as_deref();
    head(trace, out);
    renames(&trace.rename_chain, out);
    for origin in trace.origins.iter().take(n_runs) {
        line_origin(origin, project, out);
    }
    let left_out = trace.origins.len().saturating_sub(n_runs);
    if left_out > 0 {
        let more = counted(left_out as u64, "run of lines", "runs of lines");
        out.gap().label(Label::Faint, &format!("{more} more: lore trace tells them all")).end();
    }
    if trace.tier == Tier::File && trace.merge_requests.is_empty() {
        out.label(Label::Faint, "no merge request changed this file").end();
    }
    for explained in &trace.merge_requests {
        out.gap();
        merge_request(explained, project, out);
    }
    let shown = trace.merge_requests.len() as u64;
    if shown < trace.total {
        out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(trace.total)));
    }
    missing(&trace.missing, out);
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
        out.label(Label::Faint, "  commit  ").label(Label::Id, &short(&commit.sha)).text("  ");
        out.date(commit.authored_at).text("  ").text(&one_line(&commit.subject, width));
        out.text("  ").label(Label::Person, &one_line(&commit.author, 40)).end();
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
    out.text("  ").label(state_label(explained.state), explained.state.as_str());
    out.text(" ").date(explained.merged_at.unwrap_or(explained.created_at));
    if let Some(author) = &explained.author {
        out.label(Label::Faint, " by ").label(Label::Person, &format!("@{author}"));
    }
    out.end();
    for issue in &explained.issues {
        out.text("  ").label(Label::Faint, issue.relation.as_str()).text(" ");
        out.label(Label::Id, near(&issue.reference, project)).text("  ");
        out.text(&one_line(issue.title.as_deref().unwrap_or("not synced"), 90)).end();
    }
    for note in &explained.notes {
        evidence(note, project, out);
    }
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
    out.end();
    out.paragraph(4, &one_line(&note.body, SNIPPET));
}
