//! `#if` in the middle of a declaration: of a list of bases, of parameters, of a
//! method's head. The grammar knows directives between whole declarations and
//! statements only; elsewhere one branch is read, and the others and the directives
//! become blanks, so that every line stays where it is.

use std::borrow::Cow;
use std::ops::Range;

/// Conditions in conditions; a text with more is made to be costly, and left as it is.
const DEEPEST: usize = 16;
/// Lines without code that are passed over for the last one before a place.
const MOST_LINES: usize = 200;

pub(super) fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    let conditionals = conditionals(bytes);
    if conditionals.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for conditional in &conditionals {
        if !conditional.is_between_declarations(bytes) {
            conditional.keep_first(&mut text);
        }
    }
    Cow::Owned(text)
}

/// One `#if` to its `#endif`: the lines of its directives, and what is between them.
struct Conditional {
    directives: Vec<Range<usize>>,
}

impl Conditional {
    fn branches(&self) -> impl Iterator<Item = Range<usize>> {
        self.directives.windows(2).map(|pair| pair[0].end..pair[1].start)
    }

    /// Whether everything around and in it is whole.
    fn is_between_declarations(&self, bytes: &[u8]) -> bool {
        let Some(first) = self.directives.first() else { return true };
        let is_end = |last: Option<u8>| matches!(last, None | Some(b';' | b'}' | b']'));
        let before = last_significant(&bytes[..first.start]);
        (is_end(before) || before == Some(b'{'))
            && self.branches().all(|branch| is_end(last_significant(&bytes[branch])))
    }

    /// Blanks all but the first branch that says something.
    fn keep_first(&self, text: &mut [u8]) {
        let kept = self.branches().find(|branch| last_significant(&text[branch.clone()]).is_some());
        let Some(whole) = self.directives.first().zip(self.directives.last()) else { return };
        let whole = whole.0.start..whole.1.end;
        for (byte, at) in text[whole.clone()].iter_mut().zip(whole) {
            let is_kept = kept.as_ref().is_some_and(|kept| kept.contains(&at));
            if !is_kept && !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
}

/// Outer ones before those inside them: what an outer one blanked stays blank.
fn conditionals(bytes: &[u8]) -> Vec<Conditional> {
    let mut open: Vec<(usize, Conditional)> = Vec::new();
    let mut done: Vec<(usize, Conditional)> = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end;
        let Some(word) = directive(line) else { continue };
        match word {
            b"if" => {
                open.push((range.start, Conditional { directives: vec![range] }));
                if open.len() > DEEPEST {
                    return Vec::new();
                }
            }
            b"else" | b"elif" => {
                if let Some((_, conditional)) = open.last_mut() {
                    conditional.directives.push(range);
                }
            }
            b"endif" => {
                if let Some((at, mut conditional)) = open.pop() {
                    conditional.directives.push(range);
                    done.push((at, conditional));
                }
            }
            _ => {}
        }
    }
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, conditional)| conditional).collect()
}

/// The word after `#`, where a line begins with one.
fn directive(line: &[u8]) -> Option<&[u8]> {
    let after = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let end = after.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(after.len());
    Some(&after[..end])
}

/// The last byte of code: no blank, comment or directive. Comments are told by the
/// beginning of a line or by ` //`, which a string seldom holds.
fn last_significant(bytes: &[u8]) -> Option<u8> {
    for line in bytes.rsplit(|byte| *byte == b'\n').take(MOST_LINES) {
        let code = line.trim_ascii();
        if code.starts_with(b"//") || code.starts_with(b"#") || code.starts_with(b"*") {
            continue;
        }
        let comment = code.windows(3).position(|part| part == b" //");
        if let Some(last) = code[..comment.unwrap_or(code.len())].trim_ascii_end().last() {
            return Some(*last);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let read = readable(text.as_bytes()).into_owned();
        assert_eq!(read.len(), text.len());
        String::from_utf8(read)
            .unwrap()
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect()
    }

    #[test]
    fn in_the_middle_of_a_declaration_the_first_branch_is_read() {
        let bases = "class A : B\n#if ASYNC\n    , C\n#endif\n{\n}\n";
        assert_eq!(read(bases), "class A : B\n\n    , C\n\n{\n}\n");
        let heads = "class A {\n#if SPAN\n    void F(Span s)\n#else\n    void F(string s)\n#endif\n    { }\n}\n";
        assert_eq!(read(heads), "class A {\n\n    void F(Span s)\n\n\n\n    { }\n}\n");
    }

    #[test]
    fn between_whole_declarations_all_branches_are_read() {
        let whole = "using A;\n#if X\nusing B; // or not\n#else\nusing C;\n#endif\nclass D { }\n";
        assert_eq!(read(whole), whole);
        let deep =
            format!("{}class A : B\n{}", "#if X\n".repeat(60_000), "#endif\n".repeat(60_000));
        assert_eq!(read(&deep), deep);
        let broken = "#endif\n#else\nclass A { }\n#if X\n";
        assert_eq!(read(broken), broken);
    }
}
