//! The difference of two trees as GitLab's API shows it.

use super::lines::{self, Region};
use super::tree::Tree;
use crate::world::{DiffLine, FileChange};
use std::collections::BTreeSet;

/// git calls a file renamed when at least half of it is the same.
const RENAME_SIMILARITY: f64 = 0.5;
const CONTEXT: usize = 3;

/// One entry a changed file, in order of the new path.
pub fn file_changes(old: &Tree, new: &Tree) -> Vec<FileChange> {
    let mut removed: BTreeSet<&str> = old.paths().filter(|path| new.get(path).is_none()).collect();
    let mut changes = Vec::new();
    for (path, contents) in new.iter() {
        match old.get(path) {
            Some(before) if before == contents => {}
            Some(before) => changes.push(changed(path, path, before, contents)),
            None => {
                let origin = most_similar(old, &removed, contents);
                changes.push(match origin {
                    Some(origin) => {
                        removed.remove(origin);
                        let before = old.get(origin).unwrap_or_default();
                        FileChange { renamed_file: true, ..changed(origin, path, before, contents) }
                    }
                    None => FileChange { new_file: true, ..changed(path, path, "", contents) },
                });
            }
        }
    }
    for path in removed {
        let before = old.get(path).unwrap_or_default();
        changes.push(FileChange { deleted_file: true, ..changed(path, path, before, "") });
    }
    changes.sort_by(|a, b| a.new_path.cmp(&b.new_path));
    changes
}

fn most_similar<'a>(old: &Tree, removed: &BTreeSet<&'a str>, contents: &str) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for path in removed {
        let score = lines::similarity(old.get(path).unwrap_or_default(), contents);
        if score >= RENAME_SIMILARITY && best.is_none_or(|(top, _)| score > top) {
            best = Some((score, path));
        }
    }
    best.map(|(_, path)| path)
}

fn changed(old_path: &str, new_path: &str, before: &str, after: &str) -> FileChange {
    FileChange {
        old_path: old_path.to_owned(),
        new_path: new_path.to_owned(),
        diff: unified(before, after),
        ..FileChange::default()
    }
}

/// Hunks with three lines of context, without the file header.
fn unified(before: &str, after: &str) -> String {
    let (old, new) = (lines::split(before), lines::split(after));
    let regions = lines::regions(&old, &new);
    let mut text = String::new();
    let mut rest = &regions[..];
    while let Some(first) = rest.first() {
        // Regions whose context would touch share a hunk.
        let n_joined = 1 + rest
            .windows(2)
            .take_while(|pair| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT)
            .count();
        let (hunk, later) = rest.split_at(n_joined);
        let last = &hunk[hunk.len() - 1];
        let lead = first.old.start.min(CONTEXT);
        let trail = (old.len() - last.old.end).min(CONTEXT);
        let old_range = first.old.start - lead..last.old.end + trail;
        let new_range = first.new.start - lead..last.new.end + trail;
        text.push_str(&format!(
            "@@ -{} +{} @@\n",
            range_words(&old_range),
            range_words(&new_range)
        ));
        let mut at = old_range.start;
        for region in hunk {
            push_lines(&mut text, ' ', &old[at..region.old.start]);
            push_lines(&mut text, '-', &old[region.old.clone()]);
            push_lines(&mut text, '+', &new[region.new.clone()]);
            at = region.old.end;
        }
        push_lines(&mut text, ' ', &old[at..old_range.end]);
        rest = later;
    }
    text
}

/// `start,count` counted from 1; an empty range names the line before it.
fn range_words(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn push_lines(text: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        text.push(mark);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// What a line of one side is in the diff: changed, or there on both sides.
/// `index` counts from 0.
pub fn line_in_diff(before: &str, after: &str, is_old_side: bool, index: usize) -> DiffLine {
    let (old, new) = (lines::split(before), lines::split(after));
    let mut shift: isize = 0;
    for Region { old, new } in lines::regions(&old, &new) {
        let side = if is_old_side { &old } else { &new };
        if side.contains(&index) {
            let number = index as u32 + 1;
            return if is_old_side { DiffLine::Old(number) } else { DiffLine::New(number) };
        }
        if index < side.start {
            break;
        }
        shift += new.len() as isize - old.len() as isize;
    }
    let other = index.saturating_add_signed(if is_old_side { shift } else { -shift });
    let (old, new) = if is_old_side { (index, other) } else { (other, index) };
    DiffLine::Both { old: old as u32 + 1, new: new as u32 + 1 }
}
