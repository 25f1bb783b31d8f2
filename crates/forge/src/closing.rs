//! "Closes #1, #2 and group/x#3": the words by which a merge request says
//! which issues it closes. The words themselves are of the forge's dialect.

use model::Reference;
use model::reference::FoundReference;

/// More references than this in one text are a list, not a discussion.
const MAX_REFERENCES: usize = 1000;

/// Every reference in a text outside code, and whether it is said to be closed.
pub(crate) fn references(text: &str, keywords: &[&str]) -> Vec<(Reference, bool)> {
    let prose = without_code(text);
    let mut found: Vec<(Reference, bool)> = Vec::new();
    let mut previous: Option<(usize, bool)> = None;
    for FoundReference { reference, start, end } in
        Reference::find_all(&prose).into_iter().take(MAX_REFERENCES)
    {
        let (gap_start, was_closing) = previous.unwrap_or((0, false));
        let gap = &prose[gap_start..start];
        let is_closing = (was_closing && is_conjunction(gap)) || ends_with_keyword(gap, keywords);
        previous = Some((end, is_closing));
        found.push((reference, is_closing));
    }
    found
}

fn is_conjunction(gap: &str) -> bool {
    let gap = gap.trim().trim_start_matches(',').trim();
    gap.is_empty() || gap.eq_ignore_ascii_case("and")
}

fn ends_with_keyword(gap: &str, keywords: &[&str]) -> bool {
    // Far more than any keyword with its trimmings.
    let tail: String = gap.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    let tail = tail.to_lowercase();
    let mut words = tail.trim_end().rsplit(|c: char| c.is_whitespace());
    let mut word = words.next().unwrap_or("");
    if word == "issue" || word == "issues" {
        word = words.next().unwrap_or("");
    }
    let word = word.trim_end_matches(':').trim_start_matches(|c: char| !c.is_alphanumeric());
    keywords.contains(&word)
}

/// The text with code spans and fenced blocks blanked: numbers in code name
/// nothing. Byte positions stay the same.
fn without_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<char> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ['`', '~']
            .into_iter()
            .find(|mark| trimmed.chars().take_while(|c| c == mark).count() >= 3);
        match (fence, mark) {
            (None, Some(mark)) => {
                fence = Some(mark);
                blank(line, &mut out);
            }
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                blank(line, &mut out);
            }
            (Some(_), _) => blank(line, &mut out),
            (None, None) => blank_spans(line, &mut out),
        }
    }
    out
}

fn blank_spans(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..].bytes().take_while(|byte| *byte == b'`').count();
        let after = &rest[open + ticks..];
        let Some(close) = after.find(&"`".repeat(ticks)) else { break };
        let end = open + ticks + close + ticks;
        out.push_str(&rest[..open]);
        blank(&rest[open..end], out);
        rest = &rest[end..];
    }
    out.push_str(rest);
}

fn blank(text: &str, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', text.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ForgeKind;
    use proptest::prelude::*;

    fn keywords() -> &'static [&'static str] {
        ForgeKind::GitLab.dialect().closing_keywords()
    }

    fn closed(text: &str) -> Vec<String> {
        references(text, keywords())
            .into_iter()
            .filter(|(_, is_closing)| *is_closing)
            .map(|(reference, _)| reference.to_string())
            .collect()
    }

    #[test]
    fn keywords_lists_and_full_names() {
        assert_eq!(closed("Closes #1, #2 and group/x#3. See #4"), ["#1", "#2", "group/x#3"]);
        assert_eq!(closed("fixes: https://gl.test/g/p/-/issues/9"), ["g/p#9"]);
        assert_eq!(closed("Resolves issues #1 and #2"), ["#1", "#2"]);
        assert_eq!(closed("implementing proj#3"), ["proj#3"]);
        assert_eq!(closed("(fixed #5)"), ["#5"]);
    }

    #[test]
    fn talk_about_closing_is_not_closing() {
        assert_eq!(closed("This prefixes #1, see #2"), Vec::<String>::new());
        assert_eq!(closed("not closing anything, #3"), Vec::<String>::new());
        assert_eq!(
            closed("`Closes #1`\n```\nFixes #2\n```\n~~~\nFixes #3\n~~~"),
            Vec::<String>::new()
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[#!`~a-zé \n0-9/]*") {
            let _ = references(&text, keywords());
            prop_assert_eq!(without_code(&text).len(), text.len());
        }
    }
}
