//! What must hold of the parsers of `model` for any bytes. Run by the fuzzer
//! (`fuzz/fuzz_targets/model_texts.rs`) and, on fewer inputs, by an ordinary
//! test (`crates/model/tests/fuzz_smoke.rs`).

use model::Reference;
use model::glob::Glob;
use model::memory::LinkTarget;
use model::{Timestamp, codeowners, forge, time};

/// The first line is the question, the rest what it is asked of.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    references(&text, first);
    let _ = Glob::new(first).matches(rest);
    let _ = Glob::new(first).matches_itself(rest);
    let rules = codeowners::parse(rest);
    for rule in codeowners::RuleSet::new(rules.clone()).matching(first) {
        assert!(rules.contains(rule), "a rule of the file");
        assert!(!rule.owner.is_empty(), "who owns it has a name");
    }
    let _ = time::parse_when(first, Timestamp::EPOCH);
    let _ = Timestamp::parse_rfc3339(first);
}

fn references(text: &str, first: &str) {
    let mut end = 0;
    for found in Reference::find_all(text) {
        assert!(found.start >= end && found.end > found.start, "in order, and not empty");
        assert!(text.get(found.start..found.end).is_some(), "between characters");
        end = found.end;
    }
    if let Ok(reference) = Reference::parse(first) {
        let written = reference.to_string();
        let again = Reference::parse(&written).expect("what is written is read");
        assert_eq!(again.to_string(), written);
    }
    if let Ok(linked) = LinkTarget::parse(first) {
        let written = linked.to_string();
        let again = LinkTarget::parse(&written).expect("what is written is read");
        assert_eq!(again.to_string(), written);
    }
    let _ = forge::parse_path(first);
    let _ = forge::merge_trailer(first);
    let _ = forge::host_of(first);
    if let Some((on, _)) = forge::split_note(first) {
        assert!(first.starts_with(on), "a beginning of the text");
    }
}
