//! Uses in files of languages that lore does not read: all that can be told of them is that
//! they have the name. Without that, what only they call looks dead.

use super::scope::Scope;
use git::{ObjectId, Repo};
use model::text::{clean, one_line};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// A line that has the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadLine {
    pub path: String,
    pub line: u32,
    pub text: String,
}

/// Lines in files that are not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadUses {
    pub total: u64,
    /// The first of them.
    pub lines: Vec<UnreadLine>,
}

/// Shorter names stand everywhere.
const SHORTEST: usize = 5;
const MOST_SHOWN: usize = 5;
/// Columns of a line.
const WIDTH: usize = 120;

/// Endings of programs and templates that no parser here reads.
const ENDINGS: [&str; 52] = [
    "scala", "sc", "groovy", "gradle", "clj", "cljs", "cljc", "swift", "m", "mm", "dart", "lua",
    "ex", "exs", "erl", "hs", "ml", "mli", "fs", "vb", "pl", "pm", "r", "R", "jl", "zig", "nim",
    "cr", "d", "pas", "f90", "S", "s", "asm", "el", "tcl", "sol", "pyx", "pxd", "vue", "svelte",
    "astro", "sh", "bash", "ps1", "erb", "haml", "slim", "j2", "twig", "ejs", "hbs",
];

/// Where such files have the last part of a name; none where no clone is known.
pub(super) fn uses(scope: &Scope, name: &str) -> Option<UnreadUses> {
    let dir = scope.dir.as_deref()?;
    let commit = ObjectId::parse(&scope.snapshot.sha)?;
    if name.chars().count() < SHORTEST {
        return None;
    }
    // A name in too many lines is an error of git's, and says nothing.
    let mut lines = Repo::known(Path::new(dir)).lines_with_in(name, commit, &ENDINGS).ok()?;
    if lines.is_empty() {
        return None;
    }
    let total = lines.len() as u64;
    lines.sort_by_key(|it| {
        (model::code::is_test_path(&it.path.text()), it.path.text().into_owned(), it.line)
    });
    lines.truncate(MOST_SHOWN);
    let line = |it: git::WordLine| UnreadLine {
        path: it.path.text().into_owned(),
        line: it.line,
        text: one_line(&clean(it.text.trim()), WIDTH),
    };
    Some(UnreadUses { total, lines: lines.into_iter().map(line).collect() })
}
