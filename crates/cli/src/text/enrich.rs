//! What language servers and indexes of compilers brought.

use super::{counted, grouped};
use crate::commands::enrich::Answer;
use crate::commands::ingest_scip;
use crate::ui::{Label, Painter, Show};
use enrich::run::End;
use model::time::human_duration;
use model::{Error, ErrorCode};
use pipeline::enrich::{EnrichReport, ForgetReport, LanguageGap, ServerReport};
use std::time::Duration;

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::Enriched(report) => enriched(report, out),
            Answer::Forgotten(report) => forgotten(report, out),
        }
    }

    fn failure(&self) -> Option<Error> {
        let Answer::Enriched(report) = self else { return None };
        if report.is_interrupted {
            return Some(
                Error::new(ErrorCode::Interrupted, "interrupted")
                    .suggest("run `lore enrich` again; it goes on where this one stopped"),
            );
        }
        report.asked_nobody().then(|| {
            let languages: Vec<&str> =
                report.not_asked.iter().map(|gap| gap.language.as_str()).collect();
            Error::not_found(format!(
                "no language server could be asked of {}",
                languages.join(", ")
            ))
            .suggest("install one of those named above, then see: lore doctor")
        })
    }
}

impl Show for ingest_scip::Answer {
    fn text(&self, out: &mut Painter) {
        let report = match self {
            ingest_scip::Answer::Read(report) => report,
            ingest_scip::Answer::Forgotten(report) => return forgotten(report, out),
        };
        let counts = &report.counts;
        out.label(Label::Path, &report.tool).text(&format!(" {}  ", report.version));
        out.text(&format!(
            "{} confirmed, {} corrected, {} new, {} external, {} unanswered",
            grouped(counts.confirmed),
            grouped(counts.corrected),
            grouped(counts.new),
            grouped(counts.external),
            grouped(counts.unanswered),
        ))
        .end();
        let words = format!(
            "  {} of {} are files of the commit, {}, {}, {}",
            grouped(report.matched),
            counted(report.documents, "document", "documents"),
            counted(report.definitions, "definition", "definitions"),
            counted(report.relations, "relation", "relations"),
            counted(report.external_symbols, "external symbol", "external symbols"),
        );
        out.label(Label::Faint, &words).end();
        if report.changed > 0 {
            let files = counted(report.changed, "document was", "documents were");
            out.text("  ");
            out.label(Label::Warning, &format!("{files} left out: the commit has other text"))
                .end();
        }
    }
}

fn forgotten(report: &ForgetReport, out: &mut Painter) {
    let words = match report.edges {
        0 => "nothing to forget".to_owned(),
        edges => format!(
            "{} forgotten in {}",
            counted(edges, "edge", "edges"),
            counted(report.snapshots, "commit", "commits")
        ),
    };
    out.text(&words).end();
}

fn enriched(report: &EnrichReport, out: &mut Painter) {
    if report.carried_files > 0 {
        let files = counted(report.carried_files, "unchanged file", "unchanged files");
        out.text(&format!("evidence of {files} was taken over from an earlier commit")).end();
    }
    for server in &report.servers {
        one(server, report.is_dry_run, out);
    }
    for gap in &report.not_asked {
        not_asked(gap, out);
    }
    if report.servers.is_empty() && report.not_asked.is_empty() {
        out.text("no language of this repository has a server that lore knows").end();
    }
}

fn one(server: &ServerReport, is_dry: bool, out: &mut Painter) {
    out.label(Label::Path, &server.server).text(&format!(" {}  ", server.version));
    if is_dry {
        let (waiting, all) = (grouped(server.waiting), grouped(server.sites));
        out.text(&format!("would ask about {waiting} of {all} calls")).end();
        return;
    }
    let counts = &server.counts;
    if server.outcome == Some(End::Finished) && counts.total() == 0 && server.requests == 0 {
        out.text("up to date").end();
    } else {
        out.text(&format!(
            "{} confirmed, {} corrected, {} new, {} external, {} unanswered",
            grouped(counts.confirmed),
            grouped(counts.corrected),
            grouped(counts.new),
            grouped(counts.external),
            grouped(counts.unanswered),
        ))
        .end();
        let mut words = vec![counted(server.requests, "request", "requests")];
        words.push(human_duration(Duration::from_millis(server.elapsed_ms)));
        words.extend(server.peak_memory_mb.map(|megabytes| format!("{megabytes} MiB")));
        if server.relations > 0 {
            words.push(counted(server.relations, "implementation", "implementations"));
        }
        out.label(Label::Faint, &format!("  {}", words.join(", "))).end();
    }
    notes(server, out);
}

fn notes(server: &ServerReport, out: &mut Painter) {
    let mut warn = |words: String| {
        out.text("  ").label(Label::Warning, &words).end();
    };
    if let Some(reason) = &server.reason {
        let stored =
            if server.counts.total() == 0 { "nothing was stored" } else { "stopped early" };
        warn(format!("{stored}: {reason}"));
    }
    if server.waiting > 0 {
        let left = counted(server.waiting, "call is", "calls are");
        warn(format!("{left} not asked yet; `lore enrich` goes on, `--full` asks all"));
    }
    if server.changed_files > 0 {
        let files = counted(server.changed_files, "file differs", "files differ");
        warn(format!("{files} from the commit and were left out; commit, then `lore index`"));
    }
    if server.failed_files > 0 {
        let files = counted(server.failed_files, "file", "files");
        warn(format!("left out after the server failed: {files}"));
    }
}

fn not_asked(gap: &LanguageGap, out: &mut Painter) {
    let calls = counted(gap.sites, "call", "calls");
    out.label(Label::Path, &gap.language).text(&format!("  {calls} not asked: {}", gap.reason));
    if let Some(install) = &gap.install {
        out.text("; install: ").label(Label::Id, install);
    }
    out.end();
}
