//! Reads commits and the changes they make to files.

use super::ast::{At, Commit, FileChange, Hunk, Name};
use super::error::Diagnostic;
use super::outline::Statement;
use super::words::Words;
use model::Timestamp;
use std::time::Duration;

/// How a commit gets its time.
pub enum Dating {
    /// It was there before the merge request was opened and says no time;
    /// [`date_first_commits`] gives it one.
    Before,
    /// It says its time, or how long after this moment it was made.
    After(Option<Timestamp>),
}

/// `"Subject" by cem +5m` and the changes indented under it. `author` is who it
/// is when nobody is named.
pub fn read_commit(
    mut words: Words,
    line: &Statement,
    author: Option<&Name>,
    dating: Dating,
) -> Result<Commit, Diagnostic> {
    let subject = words.quoted("a subject")?;
    let author = match author {
        Some(author) if !words.next_is("by") => {
            Name { place: line.place, value: author.value.clone() }
        }
        _ => words.by()?,
    };
    let time = match dating {
        Dating::Before => Timestamp::EPOCH,
        Dating::After(base) => words.time(base)?,
    };
    words.end()?;
    let body = line.body()?;
    let mut changes = Vec::new();
    for child in &line.children {
        let mut words = Words::split(child.place, &child.source)?;
        let keyword = words.word("a change")?;
        // `in group/project` is read by whoever reads the block.
        if keyword == "in" {
            continue;
        }
        let value = read_change(&keyword, words, child)?;
        changes.push(At { place: child.place, value });
    }
    Ok(Commit { place: line.place, time, author, subject, body, changes })
}

/// Commits that were there when the merge request was opened: ten minutes
/// apart, the last one ten minutes before.
pub fn date_first_commits(commits: &mut [Commit], opened: Timestamp) {
    for (steps, commit) in (1..).zip(commits.iter_mut().rev()) {
        commit.time = opened.minus(Duration::from_secs(600 * steps));
    }
}

fn read_change(
    keyword: &str,
    mut words: Words,
    line: &Statement,
) -> Result<FileChange, Diagnostic> {
    line.refuse_children()?;
    let path = words.word("a path")?;
    check_path(&path, line)?;
    let change = match keyword {
        "write" => {
            let mut contents = line.body()?;
            if !contents.is_empty() {
                contents.push('\n');
            }
            FileChange::Write { path, contents }
        }
        "edit" => FileChange::Edit { path, hunks: read_hunks(line)? },
        "rename" => {
            line.refuse_text()?;
            words.expect("=>")?;
            let to = words.word("a path after `=>`")?;
            check_path(&to, line)?;
            FileChange::Rename { from: path, to }
        }
        "delete" => {
            line.refuse_text()?;
            FileChange::Delete { path }
        }
        other => {
            const KNOWN: [&str; 5] = ["write", "edit", "rename", "delete", "in"];
            return Diagnostic::unknown(line.place, "change", other, KNOWN);
        }
    };
    words.end()?;
    Ok(change)
}

/// A path must be one that git and every checkout can hold.
fn check_path(path: &str, line: &Statement) -> Result<(), Diagnostic> {
    let is_bad = path.split('/').any(|part| matches!(part, "" | "." | ".." | ".git"))
        || path.contains(['"', '\\'])
        || path.chars().any(char::is_control);
    if is_bad {
        return Diagnostic::new(
            line.place,
            format!("`{path}` is not a path inside the repository"),
        );
    }
    Ok(())
}

/// `- old` and `= kept` lines find the place, `+ new` lines say what comes
/// there. A `-` or `=` after a `+` begins the next hunk.
fn read_hunks(line: &Statement) -> Result<Vec<Hunk>, Diagnostic> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut before = '+';
    for text in &line.text {
        if text.mark == '|' {
            return Diagnostic::new(text.place, "`edit` takes `-`, `+` and `=` lines, not `|`");
        }
        if hunks.is_empty() || (before == '+' && text.mark != '+') {
            hunks.push(Hunk::default());
        }
        if let Some(hunk) = hunks.last_mut() {
            if text.mark != '+' {
                hunk.old.push(text.content.clone());
            }
            if text.mark != '-' {
                hunk.new.push(text.content.clone());
            }
        }
        before = text.mark;
    }
    if hunks.is_empty() {
        return Diagnostic::new(line.place, "`edit` needs lines that begin with `-`, `+` or `=`");
    }
    Ok(hunks)
}
