use super::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use search::documents::DocumentReport;

impl Show for DocumentReport {
    fn text(&self, out: &mut Painter) {
        let words = changes(self).unwrap_or_else(|| "up to date".to_owned());
        out.text(&format!("search index  {words}")).end();
        if self.failed > 0 {
            let failed = counted(self.failed, "text", "texts");
            out.label(Label::Warning, &format!("{failed} failed and will be tried again")).end();
        }
    }
}

/// "12 new, 3 changed texts"; none when nothing happened.
pub(super) fn changes(report: &DocumentReport) -> Option<String> {
    let words: Vec<String> = [
        (report.new, "new"),
        (report.changed, "changed"),
        (report.removed, "removed"),
        (report.failed, "failed"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{} {word}", grouped(n)))
    .collect();
    let total = report.new + report.changed + report.removed + report.failed;
    (!words.is_empty())
        .then(|| format!("{} {}", words.join(", "), if total == 1 { "text" } else { "texts" }))
}
