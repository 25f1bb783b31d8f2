//! A version parsed without what it shares with a version that was parsed before.
//!
//! From one version of a file to the next most definitions stay as they are. Where one
//! symbol is followed, those that cannot be it are left out when the next version is
//! parsed, and what is found is put where it stands in the whole. Symbols called like
//! the one that is followed or like what is around it are never left out, nor are those
//! beside it; a file that does not parse cleanly is parsed whole.

use super::versions::Version;
use crate::facts::{DefId, FileFacts};
use crate::lang;
use crate::matching::{Entry, Sort};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::rc::Rc;

/// A smaller file is parsed as quickly as it is compared.
const LEAST_BYTES: usize = 8 << 10;
/// A smaller definition is not worth looking for.
const LEAST_LEFT_OUT: usize = 40;
/// Definitions beside the symbol are put back; more than so often, and the file is
/// parsed whole.
const MOST_TRIES: usize = 3;

/// A version in which the symbol can be looked for: parsed in part where that is possible.
pub fn near(known: &Version, entry: &Entry, other: &Rc<Version>) -> Rc<Version> {
    let is_worth_it = !other.is_parsed() && other.bytes.len() >= LEAST_BYTES;
    if !is_worth_it || known.path != other.path || !known.facts().trouble.is_empty() {
        return Rc::clone(other);
    }
    partial(known, entry, other).map_or_else(|| Rc::clone(other), Rc::new)
}

fn partial(known: &Version, entry: &Entry, other: &Version) -> Option<Version> {
    let (before, after) = (known.text()?, other.text()?);
    let mut left_out = shared(before, &removable(known, entry), after);
    for _ in 0..MOST_TRIES {
        if left_out.is_empty() {
            return None;
        }
        let facts = read_without(&other.path, &other.bytes, &left_out);
        if !facts.trouble.is_empty() {
            return None;
        }
        let read = other.in_part(facts, left_out);
        let mut left: Vec<Range<usize>> = read.left_out().to_vec();
        for found in read.entries().iter().filter(|it| it.path == entry.path) {
            let span = read.facts().def(found.def).span;
            let (start, end) = (span.start_byte as usize, span.end_byte as usize);
            let around = |at: Option<usize>| {
                at.and_then(|at| read.left_out().iter().position(|it| it.contains(&at)))
            };
            let before = around(last_before(after, start));
            let first = around(first_behind(after, end));
            // Of several in a row the last one decides where a class ends.
            let mut last = first;
            while let Some(nth) = last
                && let Some(next) = around(first_behind(after, read.left_out()[nth].end))
            {
                last = Some(next);
            }
            let beside: Vec<&Range<usize>> =
                [before, first, last].iter().flatten().map(|nth| &read.left_out()[*nth]).collect();
            left.retain(|range| !beside.contains(&range));
        }
        if left.len() == read.left_out().len() {
            return Some(read);
        }
        left_out = left;
    }
    None
}

/// What the rest of a file says, at the places it has in the whole.
fn read_without(path: &str, bytes: &[u8], left_out: &[Range<usize>]) -> FileFacts {
    let mut rest = Vec::with_capacity(bytes.len());
    // Where something was cut out: the place in the rest, and the bytes and lines until there.
    let mut cuts: Vec<(u32, u32, u32)> = Vec::new();
    let (mut at, mut n_bytes, mut n_lines) = (0, 0, 0);
    for range in left_out {
        // With the end of its last line.
        let end = (range.end + 1).min(bytes.len());
        rest.extend_from_slice(&bytes[at..range.start]);
        n_bytes += (end - range.start) as u32;
        n_lines += bytes[range.start..end].split(|byte| *byte == b'\n').count() as u32 - 1;
        cuts.push((rest.len() as u32, n_bytes, n_lines));
        at = end;
    }
    rest.extend_from_slice(&bytes[at..]);
    let mut facts = lang::extract(path, &rest);
    // Of the last cut at or before a place.
    let moved = |place: u32| {
        let n_before = cuts.partition_point(|(at, ..)| *at <= place);
        n_before.checked_sub(1).map_or((0, 0), |nth| (cuts[nth].1, cuts[nth].2))
    };
    for def in facts.defs.iter_mut().skip(1) {
        let span = &mut def.span;
        let (start, end) = (moved(span.start_byte), moved(span.end_byte.saturating_sub(1)));
        // A name stands before anything that may be cut out of what it names.
        def.name_line += start.1;
        span.start_byte += start.0;
        span.start_line += start.1;
        span.end_byte += end.0;
        span.end_line += end.1;
    }
    facts
}

/// The place of the first code behind a place: what stands there may belong to what
/// ends here.
fn first_behind(text: &str, end: usize) -> Option<usize> {
    let mut at = end;
    for line in text.get(end..)?.split_inclusive('\n') {
        let code = line.trim_start();
        if !code.is_empty() && !is_comment(code) {
            return Some(at + (line.len() - code.len()));
        }
        at += line.len();
    }
    None
}

/// The place of the last code before a place.
fn last_before(text: &str, start: usize) -> Option<usize> {
    let mut end = start;
    for line in text.get(..start)?.split_inclusive('\n').rev() {
        end -= line.len();
        let code = line.trim();
        if !code.is_empty() && !is_comment(code) {
            return Some(end + (line.len() - line.trim_start().len()));
        }
    }
    None
}

/// Whether two versions say the same wherever they name a symbol or what is around it:
/// then there are as many of its name in one as in the other, and they mean the same.
pub fn is_alike(known: &Version, entry: &Entry, other: &Version) -> bool {
    let (Some(before), Some(after)) = (known.text(), other.text()) else { return false };
    let language = known.facts().language.as_str();
    let mut names: Vec<&str> =
        entry.path.split(|c: char| !is_in_name(c)).filter(|it| !it.is_empty()).collect();
    if names.is_empty() {
        return false;
    }
    if lang::notation(language).has_access_labels {
        names.extend(["private", "protected", "public"]);
    }
    names.sort_unstable();
    names.dedup();
    naming_lines(before, &names) == naming_lines(after, &names)
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The lines that have one of some names, in order.
fn naming_lines<'t>(text: &'t str, names: &[&str]) -> Vec<&'t str> {
    let mut places: Vec<usize> = Vec::new();
    for name in names {
        let mut from = 0;
        while let Some(at) = text[from..].find(name).map(|at| from + at) {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            places.push(start);
            from = end;
        }
    }
    places.sort_unstable();
    places.dedup();
    let line = |start: usize| text[start..].split('\n').next().unwrap_or_default();
    places.into_iter().map(line).collect()
}

fn is_comment(line: &str) -> bool {
    ["#", "//", "/*", "*"].iter().any(|mark| line.starts_with(mark))
}

/// What of a version need not be parsed again to find the symbol, in whole lines.
fn removable(known: &Version, entry: &Entry) -> Vec<Range<usize>> {
    let facts = known.facts();
    let names: FxHashSet<&str> = entry.path.split(|c: char| !is_in_name(c)).collect();
    let mut around = FxHashSet::default();
    let mut at = entry.def;
    while at != DefId::FILE {
        around.insert(at);
        at = facts.def(at).parent;
    }
    let lines = |def: DefId| {
        let span = facts.def(def).span;
        whole_lines(&known.bytes, span.start_byte as usize..span.end_byte as usize)
    };
    let own = facts.def(entry.def).span;
    let own = own.start_byte as usize..own.end_byte as usize;
    let others = known.entries().iter().filter(|other| {
        other.sort != Sort::Value
            && *other.name != *entry.name
            && !names.contains(&*other.name)
            && !around.contains(&other.def)
    });
    let mut all: Vec<Range<usize>> = others.filter_map(|other| lines(other.def)).collect();
    all.extend(known.left_out().iter().cloned());
    all.retain(|range| range.len() >= LEAST_LEFT_OUT);
    all.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut outermost: Vec<Range<usize>> = Vec::new();
    for range in all {
        if outermost.last().is_none_or(|last| last.end <= range.start) {
            outermost.push(range);
        }
    }
    // What stands beside the symbol, and its own first and last member, decide where it
    // begins and ends.
    let before = outermost.iter().rposition(|it| it.end <= own.start);
    let after = outermost.iter().position(|it| it.start >= own.end);
    let is_inside = |it: &Range<usize>| it.start >= own.start && it.end <= own.end;
    let first = outermost.iter().position(is_inside);
    let last = outermost.iter().rposition(is_inside);
    let kept = [before, after, first, last];
    let chosen = outermost.into_iter().enumerate().filter(|(nth, _)| !kept.contains(&Some(*nth)));
    chosen.map(|(_, range)| range).collect()
}

/// The lines of a definition that has them to itself.
fn whole_lines(bytes: &[u8], span: Range<usize>) -> Option<Range<usize>> {
    let start =
        bytes.get(..span.start)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let rest = bytes.get(span.end..)?;
    let end = span.end + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let is_alone = bytes[start..span.start].trim_ascii().is_empty()
        && bytes[span.end..end].trim_ascii().is_empty();
    is_alone.then_some(start..end)
}

/// Where the same lines stand in another version, in the same order.
fn shared(known: &str, ranges: &[Range<usize>], other: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut known_end, mut end) = (0, 0);
    for range in ranges {
        let Some(text) = known.get(range.clone()) else { continue };
        let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == b'\n');
        let bytes = other.as_bytes();
        let is_at = |at: usize| {
            bytes.get(at..at + text.len()) == Some(text.as_bytes())
                && is_end(at.checked_sub(1).and_then(|at| bytes.get(at)))
                && is_end(bytes.get(at + text.len()))
        };
        // As far behind the last one as it was, or else anywhere behind it.
        let expected = end + (range.start - known_end);
        let place = if is_at(expected) {
            Some(expected)
        } else {
            other[end..].find(text).map(|at| end + at).filter(|at| is_at(*at))
        };
        if let Some(at) = place {
            found.push(at..at + text.len());
            (known_end, end) = (range.end, at + text.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::ObjectId;

    fn version(text: &str) -> Rc<Version> {
        let blob = ObjectId::parse("0123456789012345678901234567890123456789").unwrap();
        let text = format!("{text}\n{}", "# padding\n".repeat(LEAST_BYTES / 10 + 1));
        Rc::new(Version::new("m.py".to_owned(), blob, text.into_bytes()))
    }

    fn function(name: &str, body: &str) -> String {
        format!("def {name}(a, b):\n    first = a + b\n    second = a * b\n    return {body}\n\n\n")
    }

    fn entry(version: &Version, path: &str) -> Entry {
        version.entries().iter().find(|it| &*it.path == path).unwrap().clone()
    }

    #[test]
    fn a_symbol_is_found_as_in_the_whole_file() {
        let names = ["one", "two", "three", "wanted", "five", "six", "seven"];
        let text = |wanted: &str, six: &str| -> String {
            let of = |name: &&str| match *name {
                "wanted" => function(name, wanted),
                "six" => function(name, six),
                _ => function(name, "first"),
            };
            names.iter().map(of).collect()
        };
        let new = version(&text("second", "first"));
        let old = version(&format!("import os\n{}", text("first", "second")));
        let wanted = entry(&new, "wanted");
        let read = near(&new, &wanted, &old);
        let paths: Vec<&str> = read.entries().iter().map(|it| &*it.path).collect();
        assert_eq!(paths, ["three", "wanted", "five", "six"], "what differs or stands beside it");
        assert!(!old.is_parsed());
        let (part, whole) = (entry(&read, "wanted"), entry(&old, "wanted"));
        assert_eq!(read.facts().def(part.def).span, old.facts().def(whole.def).span);
        // From a version that was read in part to the one before it.
        let older = version(&text("first", "first"));
        let read = near(&read, &part, &older);
        assert!(read.entries().len() < 7 && !older.is_parsed());
        let (part, whole) = (entry(&read, "wanted"), entry(&older, "wanted"));
        assert_eq!(read.facts().def(part.def).name_line, older.facts().def(whole.def).name_line);
    }

    #[test]
    fn what_is_called_alike_is_never_left_out() {
        let class = |name: &str, inner: &str| {
            format!(
                "class {name}:\n    x = 1\n\n    def wanted(self):\n        return {inner}\n\n\n"
            )
        };
        let text = |inner: &str| {
            [class("A", "1"), class("B", "2"), class("C", inner), class("D", "4"), class("E", "5")]
                .concat()
        };
        let (new, old) = (version(&text("3")), version(&text("33")));
        let read = near(&new, &entry(&new, "C.wanted"), &old);
        let n_wanted = read.entries().iter().filter(|it| &*it.name == "wanted").count();
        assert!(n_wanted >= 3, "its own, and those of the classes beside");
        let broken = version(&text("((("));
        let read = near(&new, &entry(&new, "C.wanted"), &broken);
        assert!(Rc::ptr_eq(&read, &broken), "a file that does not parse is parsed whole");
    }

    #[test]
    fn a_class_ends_with_its_last_member() {
        let method =
            |name: &str| format!("    def {name}(self):\n        return self.value + 1\n\n");
        let class = |names: &[&str]| -> String {
            let methods: String = names.iter().map(|name| method(name)).collect();
            format!("class A:\n    value = 1\n\n{methods}\nclass B(A):\n    pass\n")
        };
        let new = version(&class(&["one", "two", "three", "four", "five"]));
        let old = version(&class(&["one", "two", "three", "four"]));
        let wanted = entry(&new, "A");
        let read = near(&new, &wanted, &old);
        assert!(!old.is_parsed() && read.entries().len() < old.entries().len());
        let span = |version: &Version| version.facts().def(entry(version, "A").def).span;
        assert_eq!(span(&read), span(&old));
    }
}
