use super::document_report::changes;
use super::sync_report::commit_words;
use super::{counted, grouped};
use crate::run_index::IndexAnswer;
use crate::ui::{Label, Painter, Show};
use code::index::IndexReport;
use model::time::human_duration;
use std::time::Duration;

/// Files that are not read whole, which are named; code full of macros has many.
const MOST_TROUBLED: usize = 5;

impl Show for IndexAnswer {
    fn text(&self, out: &mut Painter) {
        if let Some(chain) = &self.chain {
            out.text(&format!(
                "{} indexed, {} of them new; {} read, {} added, {} removed",
                counted(chain.commits, "commit", "commits"),
                grouped(chain.new),
                counted(chain.files_read, "file", "files"),
                counted(chain.edges_added, "edge", "edges"),
                grouped(chain.edges_removed),
            ));
            out.end();
        }
        code_lines(out, &self.code, &self.name);
        let commits = commit_words(&self.commits).unwrap_or_else(|| "up to date".to_owned());
        out.text(&format!("commits  {commits}")).end();
        if let Some(words) = changes(&self.documents) {
            out.text(&format!("search index  {words}")).end();
        }
        // A frozen clock, as in a test, has no time to tell.
        let elapsed = match self.total_ms {
            0 => "done".to_owned(),
            ms => format!("done in {}", human_duration(Duration::from_millis(ms))),
        };
        out.label(Label::Faint, &elapsed).end();
    }
}

fn code_lines(out: &mut Painter, code: &IndexReport, name: &str) {
    let short: String = code.commit.chars().take(10).collect();
    out.label(Label::Path, name).text(" at ").label(Label::Id, &short);
    if let Some(dir) = &code.work_tree {
        out.text(" with the changes in ").label(Label::Path, dir);
    }
    out.end();
    out.text(&format!(
        "{}, {}, {}",
        counted(code.files, "file", "files"),
        counted(code.symbols, "symbol", "symbols"),
        counted(code.edges, "edge", "edges"),
    ));
    let unresolved = counted(code.unresolved, "call", "calls");
    out.label(Label::Faint, &format!("; {unresolved} not resolved")).end();
    if code.is_new {
        out.label(
            Label::Faint,
            &format!(
                "{} read, {} added, {} removed",
                counted(code.files_read, "file", "files"),
                counted(code.edges_added, "edge", "edges"),
                grouped(code.edges_removed),
            ),
        );
    } else {
        out.label(Label::Faint, "nothing to do: indexed before");
    }
    out.end();
    if !code.skipped.is_empty() {
        let parts: Vec<String> =
            code.skipped.iter().map(|(reason, n)| format!("{} {reason}", grouped(*n))).collect();
        out.label(Label::Faint, &format!("left out: {}", parts.join(", "))).end();
    }
    for file in code.troubled.iter().take(MOST_TROUBLED) {
        out.label(Label::Warning, "! ").label(Label::Path, &file.path);
        out.text(&format!(": {}", file.trouble)).end();
    }
    let n_more = code.n_troubled.saturating_sub(code.troubled.len().min(MOST_TROUBLED) as u64);
    if n_more > 0 && code.is_new {
        let files = counted(n_more, "more file", "more files");
        out.label(Label::Warning, "! ");
        out.text(&format!("{files} read in part or skipped; --json names them")).end();
    }
}
