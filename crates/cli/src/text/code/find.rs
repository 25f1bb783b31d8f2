use super::{mark, note};
use crate::ui::{Label, Painter, Show};
use insight::agent_text;
use insight::code::find::{FoundLine, FoundText};

/// Files of tests that are named.
const MOST_TESTS: usize = 10;

impl Show for FoundText {
    fn agent(&self) -> Option<String> {
        Some(agent_text::found(self))
    }

    fn text(&self, out: &mut Painter) {
        let mark = mark(out);
        if let Some(part) = &self.part {
            out.label(Label::Faint, &format!("{mark}found by its part {part}")).end();
        }
        listed(&self.code, self.n_code, "code", out);
        listed(&self.data, self.n_data, "data", out);
        listed(&self.documents, self.n_documents, "documents", out);
        for file in self.tests.iter().take(MOST_TESTS) {
            let lines = if file.n_lines == 1 { "line" } else { "lines" };
            out.label(Label::Path, &file.path);
            out.label(Label::Faint, &format!("\t{} {lines}, test", file.n_lines)).end();
        }
        let more = self.tests.len().saturating_sub(MOST_TESTS);
        if more > 0 {
            note(&format!("{more} more files of tests"), out);
        }
    }
}

fn listed(lines: &[FoundLine], n: u64, what: &str, out: &mut Painter) {
    for line in lines {
        out.label(Label::Path, &format!("{}:{}", line.path, line.line)).text("\t");
        if let Some(symbol) = &line.symbol {
            out.label(Label::Heading, symbol).text("\t");
        }
        out.text(&line.text).end();
    }
    let more = n.saturating_sub(lines.len() as u64);
    if more > 0 {
        note(&format!("{more} more lines of {what}"), out);
    }
}
