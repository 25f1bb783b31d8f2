//! How an error reads on stderr: `error:`, `caused by:`, `hint:`.

use super::painter::{Label, TextStyle};
use model::Error;
use model::text::clean;

/// The texts of the chain below `error`, outermost first, without repeats:
/// many libraries say in their own message what their source says again.
pub fn causes(error: &Error) -> Vec<String> {
    let mut said = error.message().to_owned();
    let mut causes = Vec::new();
    let mut next = std::error::Error::source(error);
    while let Some(source) = next {
        let text = source.to_string();
        if !said.contains(&text) {
            said.push_str(&text);
            causes.push(text);
        }
        next = source.source();
    }
    causes
}

pub fn render(error: &Error, look: &TextStyle) -> String {
    let mut out = look.paint(Some(Label::Bad), "error:");
    out.push(' ');
    out.push_str(&indented(error.message()));
    out.push('\n');
    for cause in causes(error) {
        out.push_str("  caused by: ");
        out.push_str(&indented(&cause));
        out.push('\n');
    }
    if let Some(suggestion) = error.suggestion() {
        out.push_str(&look.paint(Some(Label::Id), "hint:"));
        out.push(' ');
        out.push_str(&indented(suggestion));
        out.push('\n');
    }
    out
}

/// Further lines stay visibly part of the first.
fn indented(text: &str) -> String {
    clean(text).trim_end().replace('\n', "\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use model::{ErrorCode, Timestamp};

    #[test]
    fn an_error_its_causes_and_the_way_out() {
        let error = Error::new(ErrorCode::DbError, "cannot open \u{1b}[1m/x/lore.db")
            .caused_by(std::io::Error::other("disk I/O error"))
            .suggest("lore doctor");
        expect![[r"
            error: cannot open [1m/x/lore.db
              caused by: disk I/O error
            hint: lore doctor
        "]]
        .assert_eq(&render(&error, &TextStyle::pipe(Timestamp::EPOCH)));
    }

    #[test]
    fn a_cause_that_was_said_is_not_said_again() {
        let error = Error::new(ErrorCode::DbError, "cannot open: disk full")
            .caused_by(std::io::Error::other("disk full"));
        assert_eq!(causes(&error), Vec::<String>::new());
    }
}
