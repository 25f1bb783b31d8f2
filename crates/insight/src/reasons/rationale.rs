//! The sentences of a text that give reasons.
//!
//! A description or a commit's body tells what was done, how it was tested, whom to
//! thank, and somewhere in between why. Only what the writer says in prose
//! counts: no code, quotations, templates, tables or trailers.

use model::text::clean;
use schemars::JsonSchema;
use search::decision::{self, CueKind};
use serde::Serialize;

/// An excerpt of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rationale {
    /// On one line; `…` stands for what was left out between sentences.
    pub text: String,
    /// The sentences give reasons; otherwise they are how the text begins.
    pub gives_reasons: bool,
    /// There is more than is shown.
    pub is_excerpt: bool,
}

/// A text is read this far, in bytes.
const READ: usize = 24_000;
/// Sentences looked at.
const MOST_SENTENCES: usize = 400;
/// A longer sentence is cut.
const LONGEST: usize = 360;
/// From here on a sentence gives a reason; tenths, as decisions are scored.
const GIVES_REASON: i32 = 10;

/// Words for reasons that say nothing about decisions.
const MOTIVES: &[&str] = &[
    "reasons are",
    "reason for",
    "motivation",
    "motivated by",
    "purpose of",
    "use case",
    "goal is",
    "goal of",
    "would need",
    "problem with",
    "problem was",
    "the issue is",
    "turns out",
    "this avoids",
    "this prevents",
    "this allows",
    "this makes",
    "this fixes",
    "this ensures",
    "without this",
    "as a result",
    "used to",
    "no longer",
    "not needed",
    "unused",
    "was wrong",
    "incorrect",
    "broken",
    "would break",
    "fails",
    "failed",
    "crash",
    "crashes",
];

/// At most about `most` characters of the sentences that give reasons; of its
/// beginning where none does. None when it has no prose.
pub fn rationale(text: &str, most: usize) -> Option<Rationale> {
    let sentences = sentences(text);
    if sentences.is_empty() {
        return None;
    }
    let scores: Vec<i32> = sentences.iter().map(Sentence::score).collect();
    let mut ranked: Vec<usize> =
        (0..sentences.len()).filter(|index| scores[*index] >= GIVES_REASON).collect();
    ranked.sort_by_key(|index| (-scores[*index], *index));
    let gives_reasons = !ranked.is_empty();
    let mut room =
        ExcerptBudget { sentences: &sentences, chosen: vec![false; sentences.len()], left: most };
    // Items of a list alone are fragments: how the text begins says of what.
    if gives_reasons && ranked.iter().all(|index| sentences[*index].is_item) && ranked[0] > 0 {
        room.take(0);
    }
    for index in ranked {
        room.take_with_context(index);
    }
    if !gives_reasons {
        for index in 0..sentences.len() {
            if !room.take(index) {
                break;
            }
        }
    }
    let chosen = room.chosen;
    Some(Rationale {
        text: joined(&sentences, &chosen),
        gives_reasons,
        is_excerpt: chosen.iter().any(|is_chosen| !is_chosen),
    })
}

/// Of the sentences of a text that fit, the one that sounds most like a reason.
pub fn sentence_with(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let sentences = sentences(text);
    let fitting = sentences.iter().enumerate().filter(|(_, it)| fits(&it.text));
    let (_, best) = fitting.max_by_key(|(nth, it)| (it.score(), std::cmp::Reverse(*nth)))?;
    let mut said: String = best.text.chars().take(LONGEST).collect();
    if best.text.chars().count() > LONGEST {
        said.push('…');
    }
    Some(said)
}

/// How much a sentence sounds like a reason, in tenths.
pub(super) fn points(sentence: &str) -> i32 {
    let words = decision::own_words(sentence);
    let cues = decision::cues_in(&words);
    let kinds = [CueKind::Decision, CueKind::Reason, CueKind::Alternative, CueKind::Noise];
    let said: i32 = kinds.into_iter().map(|kind| decision::points_of(&cues, kind)).sum();
    let motives = MOTIVES.iter().filter(|phrase| words.contains(&format!(" {phrase} "))).count();
    said + 15 * motives.min(2) as i32
}

/// What still fits into an excerpt.
struct ExcerptBudget<'a> {
    sentences: &'a [Sentence],
    chosen: Vec<bool>,
    left: usize,
}

impl ExcerptBudget<'_> {
    /// False when it does not fit; the first always does.
    fn take(&mut self, index: usize) -> bool {
        if self.chosen[index] {
            return true;
        }
        let length = self.sentences[index].text.chars().count().min(LONGEST) + 1;
        let is_first = !self.chosen.contains(&true);
        if length > self.left && !is_first {
            return false;
        }
        self.chosen[index] = true;
        self.left = self.left.saturating_sub(length);
        true
    }

    /// A sentence that leans on the one before, or announces a list, says
    /// nothing alone.
    fn take_with_context(&mut self, index: usize) {
        let sentence = &self.sentences[index];
        if !self.take(index) {
            return;
        }
        if index > 0 && sentence.leans_back() && !sentence.begins_block {
            self.take(index - 1);
        }
        if sentence.text.ends_with(':') {
            let items = self.sentences.iter().enumerate().skip(index + 1);
            let items: Vec<usize> =
                items.take_while(|(_, it)| it.is_item).map(|(index, _)| index).collect();
            for item in items {
                if !self.take(item) {
                    break;
                }
            }
        }
    }
}

fn joined(sentences: &[Sentence], chosen: &[bool]) -> String {
    let mut out = String::new();
    let mut last = None;
    for index in (0..sentences.len()).filter(|index| chosen[*index]) {
        match last {
            None => {}
            Some(before) if before + 1 == index => out.push(' '),
            Some(_) => out.push_str(" … "),
        }
        if sentences[index].is_item {
            out.push_str("• ");
        }
        let text = &sentences[index].text;
        out.extend(text.chars().take(LONGEST));
        if text.chars().count() > LONGEST {
            out.push('…');
        }
        last = Some(index);
    }
    out
}

/// A sentence of prose, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sentence {
    text: String,
    /// First of its list item.
    is_item: bool,
    /// First of its paragraph or list item.
    begins_block: bool,
    /// Of a squashed commit after the first.
    is_follow_up: bool,
}

/// What a sentence of a later squashed commit counts less: it tells of the way, not of the change.
const FOLLOW_UP: i32 = 20;

impl Sentence {
    fn score(&self) -> i32 {
        points(&self.text) - if self.is_follow_up { FOLLOW_UP } else { 0 }
    }

    fn leans_back(&self) -> bool {
        const LEANING: &[&str] =
            &["this", "that", "it", "so", "therefore", "these", "they", "hence"];
        let first: String = self
            .text
            .chars()
            .take_while(|c| c.is_alphabetic())
            .flat_map(char::to_lowercase)
            .collect();
        LEANING.contains(&first.as_str())
    }
}

fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for block in blocks(text) {
        let mut begins_block = true;
        for sentence in split(&block.text) {
            if found.len() >= MOST_SENTENCES {
                return found;
            }
            let is_item = block.is_item && begins_block;
            let is_follow_up = block.is_follow_up;
            found.push(Sentence { text: sentence, is_item, begins_block, is_follow_up });
            begins_block = false;
        }
    }
    found
}

/// A paragraph or a list item.
#[derive(Debug, Default)]
struct Block {
    text: String,
    is_item: bool,
    is_follow_up: bool,
}

/// Fewer headings are a list with empty lines between its items.
const FEWEST_SQUASHED: usize = 3;

/// Where the second squashed commit begins, if a text is the messages of several commits
/// as forges join them: each begins with `* subject` on a line of its own, the first at once.
fn second_squashed(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let is_blank = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    let is_heading = |at: &usize| {
        lines[*at].starts_with("* ") && (*at == 0 || is_blank(at - 1)) && is_blank(at + 1)
    };
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let headings: Vec<usize> = (first..lines.len()).filter(is_heading).collect();
    let is_squash = headings.first() == Some(&first) && headings.len() >= FEWEST_SQUASHED;
    is_squash.then(|| headings[1])
}

fn blocks(text: &str) -> Vec<Block> {
    let text = without_comments(text);
    let follow_ups = second_squashed(&text).unwrap_or(usize::MAX);
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = Block::default();
    let mut fence: Option<&str> = None;
    let mut after_blank = true;
    for (at, line) in text.lines().enumerate() {
        let is_follow_up = at >= follow_ups;
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if let Some(mark) = mark {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            continue;
        }
        if fence.is_some() {
            continue;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let item = list_item(trimmed);
        if trimmed.is_empty()
            || !is_prose(trimmed)
            || (is_indented && after_blank && item.is_none())
        {
            blocks.push(std::mem::take(&mut open));
            // What follows code in the same block is code too.
            after_blank = trimmed.is_empty() || (is_indented && after_blank);
            continue;
        }
        if let Some(item) = item {
            blocks.push(std::mem::take(&mut open));
            open = Block { text: item.to_owned(), is_item: true, is_follow_up };
        } else {
            if !open.text.is_empty() {
                open.text.push(' ');
            }
            open.is_follow_up |= is_follow_up;
            open.text.push_str(trimmed);
        }
        after_blank = false;
    }
    blocks.push(open);
    blocks.retain(|block| block.text.chars().filter(|c| c.is_alphabetic()).count() >= 8);
    blocks
}

/// The first part of a text, without `<!-- … -->`, cleaned.
fn without_comments(text: &str) -> String {
    let end = (0..=text.len().min(READ)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut rest = &text[..end];
    let mut out = String::new();
    while let Some(open) = rest.find("<!--") {
        out.push_str(&rest[..open]);
        rest = rest[open..].find("-->").map_or("", |close| &rest[open + close + 3..]);
    }
    out.push_str(rest);
    clean(&out)
}

/// The text of `- item`, `* item`, `1. item`; none for a box that is not ticked.
fn list_item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•']),
        1..=3 => line[digits..].strip_prefix(['.', ')']),
        _ => None,
    }?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    Some(rest.strip_prefix("[x] ").or_else(|| rest.strip_prefix("[X] ")).unwrap_or(rest))
}

fn is_prose(line: &str) -> bool {
    const NOT_PROSE: &[&str] =
        &[">", "|", "#", "<img", "![", "---", "===", "***", "- [ ]", "* [ ]", "diff --git"];
    if NOT_PROSE.iter().any(|start| line.starts_with(start)) {
        return false;
    }
    !is_trailer(line) && line.split_whitespace().any(|word| !word.contains("://"))
}

/// `Signed-off-by: …`, `Change-Id: …`, `(cherry picked from …)`.
fn is_trailer(line: &str) -> bool {
    if line.starts_with("(cherry picked from") || line.starts_with("git-svn-id:") {
        return true;
    }
    let Some((key, _)) = line.split_once(": ") else { return false };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let ends_in_people = key.to_ascii_lowercase().ends_with("-by");
    key.chars().all(is_word)
        && (ends_in_people || matches!(key, "Change-Id" | "Cc" | "CC" | "Tree-SHA512"))
}

/// Sentences of a paragraph.
fn split(block: &str) -> Vec<String> {
    let block = block.replace("**", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in block.match_indices(['.', '!', '?', ':']) {
        let end = at + mark.len();
        let rest = &block[end..];
        let Some(next) = rest.strip_prefix(' ') else { continue };
        let begins = next.chars().next().is_some_and(|c| !c.is_lowercase());
        if mark == ":" || !begins || is_abbreviation(&block[start..at]) {
            continue;
        }
        found.push(block[start..end].trim().to_owned());
        start = end;
    }
    found.push(block[start..].trim().to_owned());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// Whether the full stop after this belongs to the word: `e.g.`, `vs.`, `J.`
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default().to_lowercase();
    matches!(
        word.as_str(),
        "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx" | "resp" | "no" | "dr" | "mr"
    ) || word.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, most: usize) -> String {
        rationale(text, most).map(|it| it.text).unwrap_or_default()
    }

    #[test]
    fn the_sentences_that_give_reasons_are_kept() {
        let text = "Adds a flag for the colour.\n\nThe tests cover both. We keep the cookie because \
            Safari drops storage. Screenshots follow.\n\nSigned-off-by: Ada <a@example.com>";
        assert_eq!(shown(text, 60), "We keep the cookie because Safari drops storage.");
    }

    #[test]
    fn a_sentence_that_leans_on_the_one_before_brings_it() {
        let text =
            "Old clients send two headers. This makes the parser fail. Unrelated remark here.";
        assert_eq!(shown(text, 200), "Old clients send two headers. This makes the parser fail.");
    }

    #[test]
    fn a_list_of_reasons_comes_with_what_announces_it() {
        let text = "Cleanup.\n\nThe reasons are:\n- nobody maintains it\n- it is slow\n\nBye all.";
        assert_eq!(shown(text, 200), "The reasons are: • nobody maintains it • it is slow");
    }

    #[test]
    fn items_that_give_reasons_come_with_how_the_text_begins() {
        let text =
            "Adding `bufq`:\n- holds up to `n` chunks\n- use case: buffers that do not blow up";
        assert_eq!(shown(text, 60), "Adding `bufq`: … • use case: buffers that do not blow up");
    }

    #[test]
    fn of_squashed_commits_the_first_speaks() {
        let text = "* Introduce late samples\n\nThis commit accepts samples up to an allowance.\n\n\
            Signed-off-by: Ada <a@example.com>\n\n* Fix tests due to the new mapper\n\n\
            Signed-off-by: Ada <a@example.com>\n\n* Format\n\nSigned-off-by: Ada <a@example.com>";
        let first = "• Introduce late samples This commit accepts samples up to an allowance.";
        assert_eq!(shown(text, 80), first);
        // A list with empty lines between its items is no squash.
        let list = "Three things:\n\n* it answers faster than before\n\n* it takes less room\n\n\
            * kept because people ask for it\n";
        assert_eq!(shown(list, 60), "Three things: … • kept because people ask for it");
    }

    #[test]
    fn code_quotations_templates_and_trailers_are_no_prose() {
        let text = "<!-- explain why, because we ask -->\n# Summary\n> we decided otherwise\n\n\
            ```\nbecause\n```\n    because indented\n\n- [ ] tests because\nReviewed-by: Bo because";
        assert_eq!(rationale(text, 200), None);
    }

    #[test]
    fn without_reasons_the_beginning_is_shown_and_said_to_be_that() {
        let found = rationale("Bump the version. Update the docs.", 20).unwrap();
        assert_eq!(found.text, "Bump the version.");
        assert!(!found.gives_reasons && found.is_excerpt);
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in any::<String>(), most in 0_usize..500) {
            if let Some(found) = rationale(&text, most) {
                prop_assert!(found.text.chars().count() <= most + 2 * LONGEST + 40);
            }
        }
    }
}
