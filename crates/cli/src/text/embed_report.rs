use super::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use search::embedding::EmbedReport;

impl Show for EmbedReport {
    fn text(&self, out: &mut Painter) {
        let words = made(self).unwrap_or_else(|| "up to date".to_owned());
        out.text(&format!("embeddings    {words}")).end();
        remaining(self, out);
    }
}

/// "12 texts embedded"; none when nothing happened.
pub(super) fn made(report: &EmbedReport) -> Option<String> {
    (report.embedded + report.failed > 0).then(|| {
        let mut words = counted(report.embedded, "text", "texts");
        words.push_str(" embedded");
        if report.failed > 0 {
            words.push_str(&format!(", {} failed", grouped(report.failed)));
        }
        words
    })
}

/// What is left to do, if anything.
pub(super) fn remaining(report: &EmbedReport, out: &mut Painter) {
    if report.failed > 0 {
        out.label(Label::Warning, "`lore embed --retry-failed` tries again what failed").end();
    }
    if report.left > 0 {
        let left = counted(report.left, "text is", "texts are");
        let words = format!("{left} found by words only until `lore embed` has run");
        out.label(Label::Warning, &words).end();
    }
}
