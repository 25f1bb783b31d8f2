//! Which lines two texts share, and merging two edits of one text.
//!
//! Files here are small, so a plain table of longest common subsequences is
//! enough; above [`TABLE_LIMIT`] the middle counts as replaced whole.

use std::ops::Range;

const TABLE_LIMIT: usize = 4_000_000;

/// Lines with their line ends, so that a missing last one is a difference.
pub fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A run of lines that was replaced by another; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The places where `new` differs from `old`, in order.
pub fn regions(old: &[&str], new: &[&str]) -> Vec<Region> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let suffix = old[prefix..]
        .iter()
        .rev()
        .zip(new[prefix..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = &old[prefix..old.len() - suffix];
    let new_middle = &new[prefix..new.len() - suffix];
    let mut regions = Vec::new();
    let mut current: Option<Region> = None;
    let (mut i, mut j) = (0, 0);
    for (next_i, next_j) in
        common(old_middle, new_middle).into_iter().chain([(old_middle.len(), new_middle.len())])
    {
        if next_i > i || next_j > j {
            current =
                Some(Region { old: prefix + i..prefix + next_i, new: prefix + j..prefix + next_j });
        }
        regions.extend(current.take());
        (i, j) = (next_i + 1, next_j + 1);
    }
    regions
}

/// Pairs of indexes of equal lines, rising on both sides, as many as possible.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > TABLE_LIMIT {
        return Vec::new();
    }
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// How much of two texts is the same, from 0 to 1, by bytes of common lines.
pub fn similarity(a: &str, b: &str) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let (old, new) = (split(a), split(b));
    let changed: usize = regions(&old, &new)
        .iter()
        .map(|region| old[region.old.clone()].iter().map(|line| line.len()).sum::<usize>())
        .sum();
    (a.len() - changed) as f64 / a.len().max(b.len()) as f64
}

/// `base` with both edits, or `None` where they touch the same lines.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs || base == theirs {
        return Some(ours.to_owned());
    }
    if base == ours {
        return Some(theirs.to_owned());
    }
    let (base, ours, theirs) = (split(base), split(ours), split(theirs));
    let our_regions = regions(&base, &ours);
    let their_regions = regions(&base, &theirs);
    let mut edits: Vec<(Range<usize>, &[&str])> = Vec::new();
    edits.extend(our_regions.iter().map(|r| (r.old.clone(), &ours[r.new.clone()])));
    for region in &their_regions {
        let edit = (region.old.clone(), &theirs[region.new.clone()]);
        // The same change on both sides is made once.
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut merged = String::new();
    let mut at = 0;
    let mut before: Option<Range<usize>> = None;
    for (range, lines) in edits {
        let is_same_spot = before.as_ref().is_some_and(|before| before.start == range.start);
        if range.start < at || is_same_spot {
            return None;
        }
        merged.extend(base[at..range.start].iter().copied());
        merged.extend(lines.iter().copied());
        at = range.end;
        before = Some(range);
    }
    merged.extend(base[at..].iter().copied());
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edits_apart_merge_and_edits_together_do_not() {
        let base = "a\nb\nc\nd\n";
        assert_eq!(merge(base, "A\nb\nc\nd\n", "a\nb\nc\nD\n").unwrap(), "A\nb\nc\nD\n");
        assert_eq!(merge(base, "a\nb\nc\nd\ne\n", "a\nc\nd\n").unwrap(), "a\nc\nd\ne\n");
        assert_eq!(merge(base, "a\nX\nc\nd\n", "a\nX\nc\nd\n").unwrap(), "a\nX\nc\nd\n");
        assert_eq!(merge(base, "a\nX\nc\nd\n", "a\nY\nc\nd\n"), None);
        assert_eq!(merge(base, "a\nb\nc\nd\nx\n", "a\nb\nc\nd\ny\n"), None);
    }

    proptest! {
        #[test]
        fn regions_rebuild_the_new_text(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}") {
            let (old_lines, new_lines) = (split(&old), split(&new));
            let mut rebuilt = String::new();
            let mut at = 0;
            for region in regions(&old_lines, &new_lines) {
                rebuilt.extend(old_lines[at..region.old.start].iter().copied());
                rebuilt.extend(new_lines[region.new.clone()].iter().copied());
                at = region.old.end;
            }
            rebuilt.extend(old_lines[at..].iter().copied());
            prop_assert_eq!(rebuilt, new);
        }

        #[test]
        fn merging_with_no_change_keeps_the_other(base in "([abc]\n){0,8}", side in "([abc]\n){0,8}") {
            prop_assert_eq!(merge(&base, &side, &base).unwrap(), side.clone());
            prop_assert_eq!(merge(&base, &base, &side).unwrap(), side);
        }
    }
}
