use super::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use code::index::IndexReport;

impl Show for IndexReport {
    fn text(&self, out: &mut Painter) {
        let short: String = self.commit.chars().take(10).collect();
        out.label(Label::Path, &self.repo).text(" at ").label(Label::Id, &short);
        if let Some(dir) = &self.work_tree {
            out.text(" with the changes in ").label(Label::Path, dir);
        }
        out.end();
        out.text(&format!(
            "{}, {}, {}",
            counted(self.files, "file", "files"),
            counted(self.symbols, "symbol", "symbols"),
            counted(self.edges, "edge", "edges"),
        ));
        let unresolved = counted(self.unresolved, "call", "calls");
        out.label(Label::Faint, &format!("; {unresolved} not resolved")).end();
        if self.is_new {
            out.label(
                Label::Faint,
                &format!(
                    "{} read, {} added, {} removed",
                    counted(self.files_read, "file", "files"),
                    counted(self.edges_added, "edge", "edges"),
                    grouped(self.edges_removed),
                ),
            );
        } else {
            out.label(Label::Faint, "nothing to do: indexed before");
        }
        out.end();
        if !self.skipped.is_empty() {
            let parts: Vec<String> = self
                .skipped
                .iter()
                .map(|(reason, n)| format!("{} {reason}", grouped(*n)))
                .collect();
            out.label(Label::Faint, &format!("left out: {}", parts.join(", "))).end();
        }
        for file in &self.troubled {
            out.label(Label::Warning, "! ").label(Label::Path, &file.path);
            out.text(&format!(": {}", file.trouble)).end();
        }
        let n_more = self.n_troubled.saturating_sub(self.troubled.len() as u64);
        if n_more > 0 && self.is_new {
            out.footer(&format!("{} with trouble", counted(n_more, "more file", "more files")));
        }
    }
}
