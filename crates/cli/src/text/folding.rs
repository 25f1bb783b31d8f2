//! Long notes made short for the eye: pasted code, logs and quotations keep
//! their beginning, and say how much there is more.

/// Lines of a code block or a quotation that are shown.
const HEAD: usize = 4;
/// A block that is not longer than this is shown whole.
const WHOLE: usize = 8;
/// Characters of one text.
const LONGEST: usize = 1_500;

/// The text with long blocks folded, and cut where it is still too long.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::new();
    let mut block: Vec<&str> = Vec::new();
    let mut kind = Kind::Prose;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let here = match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                Kind::Code
            }
            (Some(_), _) => Kind::Code,
            (None, Some(mark)) => {
                fence = Some(mark);
                Kind::Code
            }
            (None, None) if trimmed.starts_with('>') => Kind::Quote,
            (None, None) if line.starts_with("    ") || line.starts_with('\t') => Kind::Code,
            (None, None) => Kind::Prose,
        };
        if here != kind {
            flush(&mut block, kind, &mut out);
            kind = here;
        }
        block.push(line);
    }
    flush(&mut block, kind, &mut out);
    let text = out.trim_end();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(LONGEST).collect();
    let n_left = text.chars().count() - LONGEST;
    cut.push_str(&format!("… ({n_left} more characters)"));
    cut
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prose,
    Code,
    Quote,
}

fn flush(block: &mut Vec<&str>, kind: Kind, out: &mut String) {
    let shown = if kind == Kind::Prose || block.len() <= WHOLE { block.len() } else { HEAD };
    for line in block.iter().take(shown) {
        out.push_str(line);
        out.push('\n');
    }
    let n_more = block.len() - shown;
    if n_more > 0 {
        let what = if kind == Kind::Quote { "quoted lines" } else { "lines" };
        out.push_str(&format!("… {n_more} more {what}\n"));
    }
    block.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_blocks_keep_their_beginning() {
        let log = (1..=20).map(|n| format!("line {n}\n")).collect::<String>();
        let text = format!("See:\n```\n{log}```\nThat is all.");
        let shown = folded(&text);
        assert!(
            shown.starts_with("See:\n```\nline 1\nline 2\nline 3\n… 18 more lines\n"),
            "{shown}"
        );
        assert!(shown.ends_with("That is all."), "{shown}");
    }

    #[test]
    fn short_ones_stay_as_they_are() {
        let text = "> a\n> b\n\nYes:\n```\nx\n```";
        assert_eq!(folded(text), text);
    }

    #[test]
    fn a_text_without_an_end_is_cut() {
        let shown = folded(&"word ".repeat(1_000));
        assert!(shown.chars().count() < 1_600 && shown.ends_with("more characters)"), "{shown}");
    }
}
