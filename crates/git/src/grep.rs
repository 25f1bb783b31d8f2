//! Where a word stands in the files of a commit.

use crate::command::SHORT;
use crate::{ObjectId, Repo, RepoPath};
use model::Result;

/// Matches of one file that are looked at.
const MOST_OF_FILE: &str = "5";
/// Bytes of an answer: a word with more matches says nothing.
const MAX_OUTPUT: u64 = 4 << 20;

/// A line that has the word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordLine {
    pub path: RepoPath,
    /// From 1.
    pub line: u32,
    pub text: String,
}

impl Repo {
    /// The lines of a commit's text files that have a word as a whole, by path; a few of
    /// each file.
    pub fn lines_with(&self, word: &str, commit: ObjectId) -> Result<Vec<WordLine>> {
        self.lines(word, commit, &["-w"], &[])
    }

    /// The same, of files whose names end so (`scala` for `a.scala`) alone.
    pub fn lines_with_in(
        &self,
        word: &str,
        commit: ObjectId,
        endings: &[&str],
    ) -> Result<Vec<WordLine>> {
        self.lines(word, commit, &["-w"], endings)
    }

    /// The same, in whatever case the word is written.
    pub fn lines_with_in_any_case(&self, word: &str, commit: ObjectId) -> Result<Vec<WordLine>> {
        self.lines(word, commit, &["-w", "-i"], &[])
    }

    /// The lines that have one of several texts, wherever in a word they begin and end.
    pub fn lines_with_text(&self, texts: &[String], commit: ObjectId) -> Result<Vec<WordLine>> {
        self.lines_of(texts, commit, &[], &[])
    }

    /// The same with texts that are whole words.
    pub fn lines_with_words(&self, words: &[String], commit: ObjectId) -> Result<Vec<WordLine>> {
        self.lines_of(words, commit, &["-w"], &[])
    }

    /// The same as [`Repo::lines_with_text`], in whatever case it is written.
    pub fn lines_with_text_in_any_case(
        &self,
        texts: &[String],
        commit: ObjectId,
    ) -> Result<Vec<WordLine>> {
        self.lines_of(texts, commit, &["-i"], &[])
    }

    fn lines(
        &self,
        word: &str,
        commit: ObjectId,
        how: &[&str],
        endings: &[&str],
    ) -> Result<Vec<WordLine>> {
        self.lines_of(&[word.to_owned()], commit, how, endings)
    }

    fn lines_of(
        &self,
        texts: &[String],
        commit: ObjectId,
        how: &[&str],
        endings: &[&str],
    ) -> Result<Vec<WordLine>> {
        // An empty text, or a second line of one, would be another pattern.
        if texts.is_empty() || texts.iter().any(|it| it.is_empty() || it.contains('\n')) {
            return Ok(Vec::new());
        }
        let patterns = texts.iter().flat_map(|text| ["-e", text.as_str()]);
        let answer = self
            .git("grep")
            .limit(SHORT)
            .max_output(MAX_OUTPUT)
            .args(["-z", "-n", "-I", "-F", "--full-name", "--no-color", "--no-column"])
            .args(how)
            .args(["--no-recurse-submodules", "-m", MOST_OF_FILE])
            .args(patterns)
            .arg(commit.to_string())
            .arg("--")
            .with_patterns()
            .args(endings.iter().map(|ending| format!(":(top)*.{ending}")))
            .run();
        match answer {
            Ok(output) => Ok(parse(&output, &format!("{commit}:"))),
            Err(failed) if failed.is_no() => Ok(Vec::new()),
            Err(failed) => Err(failed.into()),
        }
    }
}

/// `COMMIT:PATH NUL LINE NUL TEXT LF`
fn parse(output: &[u8], prefix: &str) -> Vec<WordLine> {
    let line = |line: &[u8]| {
        let mut parts = line.strip_prefix(prefix.as_bytes())?.splitn(3, |byte| *byte == 0);
        let (path, number, text) = (parts.next()?, parts.next()?, parts.next()?);
        Some(WordLine {
            path: RepoPath::new(path),
            line: std::str::from_utf8(number).ok()?.parse().ok()?,
            text: String::from_utf8_lossy(text).into_owned(),
        })
    };
    output.split(|byte| *byte == b'\n').filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::process::Command;

    fn git(dir: &Path, arguments: &[&str]) {
        let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
        let mut command = Command::new("git");
        let status = command.arg("-C").arg(dir).args(who).args(arguments).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }

    /// What a clone's settings say of the form of an answer.
    #[test]
    fn settings_of_a_clone_do_not_change_what_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        git(&top, &["init", "-q"]);
        std::fs::create_dir(top.join("src")).unwrap();
        std::fs::write(top.join("src/a.py"), "x = 1\nworda = a.b\n").unwrap();
        std::fs::write(top.join("src/b.py"), "y = a.b\n").unwrap();
        git(&top, &["add", "."]);
        git(&top, &["commit", "-q", "-m", "one"]);
        for setting in [
            "grep.column=true",
            "grep.lineNumber=false",
            "grep.fullName=false",
            "grep.patternType=perl",
            "grep.extendedRegexp=true",
            "grep.fallbackToNoIndex=true",
            "color.grep=always",
            "color.ui=always",
        ] {
            let (key, value) = setting.split_once('=').unwrap();
            git(&top, &["config", key, value]);
        }
        let repo = Repo::known(&top);
        let head = repo.head_in_files().unwrap();
        let found: Vec<(String, u32, String)> = repo
            .lines_with("a.b", head)
            .unwrap()
            .into_iter()
            .map(|it| (it.path.to_string(), it.line, it.text))
            .collect();
        let of_text = repo.lines_with_in("a.b", head, &["txt", "md"]).unwrap();
        assert!(of_text.iter().all(|it| !it.path.to_string().starts_with("src/")), "{of_text:?}");
        let of_python = repo.lines_with_in("a.b", head, &["txt", "py"]).unwrap();
        assert_eq!(of_python.len(), 2, "{of_python:?}");
        let wanted = [("src/a.py", 2, "worda = a.b"), ("src/b.py", 1, "y = a.b")];
        assert_eq!(
            found,
            wanted.map(|(path, line, text)| (path.to_owned(), line, text.to_owned()))
        );
    }
}
