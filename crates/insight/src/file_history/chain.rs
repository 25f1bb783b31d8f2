//! The names a file went by, before and after.

use crate::file_target::FileTarget;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Reader, paths};

/// A file that got another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rename {
    pub from: String,
    pub to: String,
    pub at: Timestamp,
    /// `!12`, or the hash of a commit where no merge request says so.
    pub by: String,
}

/// All names of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The name asked for comes first.
    pub names: Vec<String>,
    /// When the file went by each of the names.
    pub spans: Vec<Span>,
    /// Oldest first.
    pub renames: Vec<Rename>,
}

/// When a file went by a name; before and after, another file may have had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

impl Span {
    pub fn contains(&self, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
    }
}

impl Chain {
    /// Only the name asked for.
    pub fn alone(name: &str) -> Self {
        Chain { names: vec![name.to_owned()], spans: vec![Span::default()], renames: Vec::new() }
    }
}

/// Renames followed in either direction.
const MAX_HOPS: usize = 10;

/// Follows renames both ways. A name is visited once, so circles end. Where a
/// file lives on under its old name, the new one is a copy or was split off: its
/// history is another.
pub fn chain(reader: &Reader, target: &FileTarget) -> Result<Chain> {
    let (project, repo) = (target.project_id(), target.repo_id());
    let mut chain = Chain::alone(&target.path);
    let mut open = vec![target.path.clone()];
    for _ in 0..MAX_HOPS {
        let mut next = Vec::new();
        for name in open {
            let span = chain.span_of(&name);
            let renames = paths::renames(reader, project, repo, &name)?;
            for rename in renames.iter().cloned() {
                let is_forward = rename.from == name;
                if !span.contains(rename.at)
                    || (is_forward
                        && paths::lives_after(reader, project, repo, &rename.from, rename.at)?)
                {
                    continue;
                }
                let other = if is_forward { &rename.to } else { &rename.from };
                if !chain.names.contains(other) {
                    // A merge request and its commit tell of one rename.
                    let same = renames
                        .iter()
                        .filter(|it| (&it.from, &it.to) == (&rename.from, &rename.to));
                    let moments: Vec<Timestamp> = same.map(|it| it.at).collect();
                    chain.names.push(other.clone());
                    chain.spans.push(if is_forward {
                        Span { since: moments.iter().min().copied(), until: None }
                    } else {
                        Span { since: None, until: moments.iter().max().copied() }
                    });
                    next.push(other.clone());
                }
                keep(&mut chain.renames, rename);
            }
        }
        if next.is_empty() {
            break;
        }
        open = next;
    }
    chain.renames.sort_by(|a, b| (a.at, &a.from, &a.to).cmp(&(b.at, &b.from, &b.to)));
    Ok(chain)
}

impl Chain {
    fn span_of(&self, name: &str) -> Span {
        let at = self.names.iter().position(|known| known == name);
        at.and_then(|at| self.spans.get(at)).copied().unwrap_or_default()
    }
}

/// One line for each rename: a merge request and its commit tell the same
/// story, and the merge request tells it better.
fn keep(renames: &mut Vec<Rename>, found: paths::Rename) {
    let found = Rename { from: found.from, to: found.to, at: found.at, by: found.by };
    let same = renames.iter_mut().find(|known| known.from == found.from && known.to == found.to);
    match same {
        Some(known) if !known.by.starts_with('!') && found.by.starts_with('!') => *known = found,
        Some(_) => {}
        None => renames.push(found),
    }
}
