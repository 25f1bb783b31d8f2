//! Files of others that lore is about to write: shown before, written together, put
//! back as they were.

use super::restore::Originals;
use super::settings_file::SettingsFile;
use crate::ui::{Label, Painter};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;

/// A file, as it is and as it would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// What is done to it, in a few words.
    pub what: String,
    pub file: SettingsFile,
    /// Empty where it is not there.
    pub before: String,
    /// Empty where it is taken away.
    pub after: String,
    /// What is lore's is taken out.
    pub is_removal: bool,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileStep {
    pub what: String,
    pub file: String,
    pub state: FileState,
    /// Lines added (`+`) and removed (`-`).
    pub change: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    Written,
    Removed,
    /// Only shown.
    Planned,
}

/// Lines of a change that are shown.
const MOST_LINES: usize = 60;

impl PlannedFile {
    /// Does it, or only says what would be done.
    pub fn step(&self, state: FileState) -> FileStep {
        FileStep {
            what: self.what.clone(),
            file: self.file.path.display().to_string(),
            state,
            change: changed_lines(&self.before, &self.after),
        }
    }

    pub fn carry_out(&self, originals: &Originals) -> Result<FileStep> {
        if self.is_removal {
            originals.put_back(&self.file, &self.before, &self.after)?;
            return Ok(self.step(FileState::Removed));
        }
        originals.write(&self.file, &self.before, &self.after)?;
        Ok(self.step(FileState::Written))
    }
}

/// What is done to files; planned changes line by line, the same text of several files once.
pub fn text(steps: &[FileStep], out: &mut Painter) {
    for (at, step) in steps.iter().enumerate() {
        let is_planned = step.state == FileState::Planned;
        let same = steps[..at].iter().find(|it| it.state == step.state && it.change == step.change);
        step.text(out, is_planned && same.is_none());
        if let Some(same) = same.filter(|_| is_planned) {
            out.text("    the same lines as ").label(Label::Path, &same.file).end();
        }
    }
}

impl FileStep {
    fn text(&self, out: &mut Painter, with_change: bool) {
        let word = match self.state {
            FileState::Written => "wrote ",
            FileState::Removed => "took lore out of ",
            FileState::Planned => "would change ",
        };
        out.text(word).label(Label::Path, &self.file).text(&format!(" ({})", self.what)).end();
        if with_change {
            for line in self.change.iter().take(MOST_LINES) {
                out.text("    ").text(line).end();
            }
            if self.change.len() > MOST_LINES {
                let more = self.change.len() - MOST_LINES;
                out.text(&format!("    … {more} more lines")).end();
            }
        }
    }
}

/// What is between the beginning and the end that both have.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - same;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let removed = old[same..old.len() - tail].iter().map(|line| format!("- {line}"));
    let added = new[same..new.len() - tail].iter().map(|line| format!("+ {line}"));
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_without_what_stays() {
        assert_eq!(changed_lines("a\nb\nc\n", "a\nx\ny\nc\n"), ["- b", "+ x", "+ y"]);
        assert_eq!(changed_lines("", "a\n"), ["+ a"]);
        assert!(changed_lines("a\n", "a\n").is_empty());
    }
}
