//! How affected tests read.

use super::counted;
use crate::ui::{Label, Painter};
use insight::tests_scope::TestScope;

pub fn text(scope: &TestScope, out: &mut Painter) {
    if !scope.run_everything.is_empty() {
        out.label(Label::Heading, "run everything").end();
        for reason in &scope.run_everything {
            out.text("  ").text(reason).end();
        }
        out.gap();
    }
    for file in &scope.files {
        out.label(Label::Path, &file.path).text("  ").text(&file.reason);
        if file.tests.len() > 1 {
            out.text(&format!(", {}", counted(file.tests.len() as u64, "test", "tests")));
        }
        out.end();
    }
    let total = counted(scope.total, "test file", "test files");
    let more = match scope.farther.len() {
        0 => String::new(),
        n => format!("; weaker ties to {n} more (--reach wide)"),
    };
    out.footer(&format!("{} of {total}{more}", scope.files.len()));
}
