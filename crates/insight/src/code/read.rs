//! `lore read`: exactly a symbol or some lines, as they are now.

use super::files::{files_like, symbol_at};
use super::resolve;
use super::scope::{Scope, SnapshotContext};
use super::view::{SymbolRef, View};
use crate::ancestry::Ancestry;
use git::{ObjectId, Repo, RepoPath};
use model::text::{clean, one_line};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::commits::CommitRow;
use store::{Reader, paths};

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SourceSlice {
    pub standing: SnapshotContext,
    pub path: String,
    pub first_line: u32,
    pub last_line: u32,
    /// The symbol that was asked for, or the innermost one around the lines.
    pub symbol: Option<SymbolRef>,
    pub text: String,
    /// Lines of the symbol or the request that were cut.
    pub cut_lines: u32,
    /// The last commit that changed the file, where commits were read.
    pub last_change: Option<CommitRow>,
    /// That it is not what the work tree has now, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
    /// Other symbols or files that may be meant, likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub candidates: Vec<SymbolRef>,
    #[serde(skip_serializing_if = "super::neighbours::is_zero", default)]
    pub more_candidates: u64,
}

/// Files larger than this are not source.
const LARGEST: u64 = 4 << 20;
const MOST_CANDIDATES: usize = 5;

/// A path with lines (`a.py:10-40`, `a.py:10`, `a.py`), or a symbol. At most
/// `most_lines` of it.
pub fn read(reader: &Reader, scope: &Scope, typed: &str, most_lines: u32) -> Result<SourceSlice> {
    let view = View::new(reader, scope);
    let (path, lines) = parse_lines(typed);
    let files = files_like(&view, path)?;
    let (member, symbol, wanted, others) = match files.split_first() {
        Some((member, _)) => {
            let (first, last) = lines.unwrap_or((1, u32::MAX));
            let symbol = match lines {
                Some((first, _)) => symbol_at(&view, *member, first)?,
                None => None,
            };
            (*member, symbol, (first, last), Vec::new())
        }
        None => {
            if let Some(slice) = of_new_symbol(&view, typed, most_lines)? {
                return Ok(slice);
            }
            let mut nodes = resolve::some(&view, typed)?.list.into_iter().flat_map(|one| one.nodes);
            let node = nodes.next().ok_or_else(super::vanished)?;
            let place =
                view.places(node)?.first().copied().ok_or_else(|| defined_elsewhere(typed))?;
            let outline = view.outline(place.file)?;
            let entry = outline.get(place.def as usize).ok_or_else(super::vanished)?;
            let member = store::code::snapshots::Member { file: place.file, link: place.link };
            (member, Some(node), (entry.start_line, entry.end_line), nodes.collect())
        }
    };
    let path = view.path(member.file)?;
    let source = Source::open(&view, member.file, &path)?;
    let is_symbol = files.is_empty();
    // Of an edited file the lines are those of now already.
    let is_of_now = !is_symbol || view.edited(&path).is_some();
    let slice = if is_of_now { source.now(wanted) } else { source.symbol(wanted) };
    if let Some((first, _)) = lines.filter(|_| slice.lines.is_empty()) {
        let shown = one_line(&path, 80);
        return Err(Error::not_found(format!("`{shown}` has no line {first}"))
            .suggest(format!("see what it holds: lore outline {shown}")));
    }
    let n_lines = slice.lines.len() as u32;
    let text: Vec<&str> = slice.lines.into_iter().take(most_lines as usize).collect();
    let shown = text.len() as u32;
    let mut candidates = Vec::new();
    let n_others = others.len();
    for node in others.into_iter().take(MOST_CANDIDATES) {
        candidates.extend(view.symbol(node)?);
    }
    let last_change = last_change(reader, scope, &path)?;
    Ok(SourceSlice {
        standing: scope.standing(),
        first_line: slice.first,
        last_line: (slice.first + shown).saturating_sub(1),
        symbol: symbol.map(|node| view.symbol(node)).transpose()?.flatten(),
        text: clean(&text.join("\n")),
        cut_lines: n_lines - shown,
        last_change,
        stale: slice.stale.map(str::to_owned),
        more_candidates: n_others.saturating_sub(candidates.len()) as u64,
        candidates,
        path,
    })
}

/// A symbol that is only in the work tree.
fn of_new_symbol(view: &View<'_>, typed: &str, most_lines: u32) -> Result<Option<SourceSlice>> {
    let Some(overlay) = &view.scope.overlay else { return Ok(None) };
    if !resolve::find(view, typed)?.1.is_empty() {
        return Ok(None);
    }
    let Some((path, symbol)) = overlay.defining(typed).next() else { return Ok(None) };
    let text = overlay.file(path).and_then(|file| file.text.as_deref()).unwrap_or_default();
    let all = lines(text, (symbol.start_line, symbol.end_line));
    let shown: Vec<&str> = all.iter().copied().take(most_lines as usize).collect();
    let (n_all, n_shown) = (all.len() as u32, shown.len() as u32);
    Ok(Some(SourceSlice {
        standing: view.scope.standing(),
        path: path.to_owned(),
        first_line: symbol.start_line,
        last_line: (symbol.start_line + n_shown).saturating_sub(1),
        symbol: Some(super::symbol::of_text(view, path, symbol)),
        text: clean(&shown.join("\n")),
        cut_lines: n_all - n_shown,
        last_change: None,
        stale: None,
        candidates: Vec::new(),
        more_candidates: 0,
    }))
}

/// The newest commit of a file that is part of what is answered about.
fn last_change(reader: &Reader, scope: &Scope, path: &str) -> Result<Option<CommitRow>> {
    const LOOKED_AT: usize = 50;
    let mut ancestry = Ancestry::new(reader, scope)?;
    for commit in paths::newest_commits(reader, scope.repo.id, path, LOOKED_AT)? {
        if ancestry.holds(&commit)? {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

fn defined_elsewhere(typed: &str) -> Error {
    let shown = one_line(typed, 80);
    Error::not_found(format!("`{shown}` is defined outside of this repository"))
        .suggest(format!("see who uses it: lore callers '{shown}'"))
}

/// `a.py:10-40` as the path and the lines; without lines where there are none.
fn parse_lines(typed: &str) -> (&str, Option<(u32, u32)>) {
    let Some((path, range)) = typed.rsplit_once(':') else { return (typed, None) };
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n > 0);
    match range.split_once('-') {
        None => match number(range) {
            Some(line) => (path, Some((line, line))),
            None => (typed, None),
        },
        Some((first, last)) => match (number(first), number(last)) {
            (Some(first), Some(last)) => (path, Some((first.min(last), first.max(last)))),
            (Some(first), None) if last.is_empty() => (path, Some((first, u32::MAX))),
            _ => (typed, None),
        },
    }
}

/// A file as it was indexed and as it is.
struct Source {
    indexed: Option<String>,
    /// None where it is as it was indexed, or gone.
    edited: Option<String>,
    is_gone: bool,
}

struct Slice<'s> {
    first: u32,
    lines: Vec<&'s str>,
    stale: Option<&'static str>,
}

impl Source {
    fn open(view: &View<'_>, file: model::ids::FileId, path: &str) -> Result<Source> {
        let nowhere = || {
            Error::not_found("the clone is not on this machine any more")
                .suggest("clone it and run there: lore index")
        };
        let dir = view.scope.dir.as_deref().ok_or_else(nowhere)?;
        let repo = Repo::known(Path::new(dir));
        let row = view.file(file)?;
        let hex: String = row.blob.iter().map(|byte| format!("{byte:02x}")).collect();
        let id = ObjectId::parse(&hex).ok_or_else(nowhere)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let now = repo.work_tree_file(&RepoPath::new(path.as_bytes()), LARGEST);
        if let Some(bytes) = &now
            && id.of_blob_like(bytes) == id
        {
            return Ok(Source { indexed: now.map(text), edited: None, is_gone: false });
        }
        let indexed = repo.blobs()?.read(id, LARGEST)?.into_content().map(text);
        Ok(Source { indexed, is_gone: now.is_none(), edited: now.map(text) })
    }

    /// Lines of the file as it is now.
    fn now(&self, wanted: (u32, u32)) -> Slice<'_> {
        let text = self.edited.as_deref().or(self.indexed.as_deref()).unwrap_or_default();
        let stale = self.is_gone.then_some("the file is not in the work tree any more");
        Slice { first: wanted.0, lines: lines(text, wanted), stale }
    }

    /// A symbol that was indexed at these lines: where it stands now, if it is the
    /// same; as it was indexed otherwise.
    fn symbol(&self, wanted: (u32, u32)) -> Slice<'_> {
        let Some(indexed) = self.indexed.as_deref() else {
            let stale = Some("the file changed since it was indexed: the lines may have moved");
            return Slice { stale, ..self.now(wanted) };
        };
        let body = lines(indexed, wanted);
        let Some(edited) = &self.edited else {
            let stale = self.is_gone.then_some("the file is not in the work tree any more");
            return Slice { first: wanted.0, lines: body, stale };
        };
        let all: Vec<&str> = edited.lines().collect();
        let found = (!body.is_empty()).then(|| all.windows(body.len()).position(|it| it == body));
        match found.flatten() {
            Some(at) => Slice { first: at as u32 + 1, lines: body, stale: None },
            None => Slice {
                first: wanted.0,
                lines: body,
                stale: Some("it was edited since: this is the indexed state"),
            },
        }
    }
}

fn lines(text: &str, (first, last): (u32, u32)) -> Vec<&str> {
    let n_lines = last.saturating_sub(first).saturating_add(1) as usize;
    text.lines().skip(first.saturating_sub(1) as usize).take(n_lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_behind_a_path() {
        assert_eq!(parse_lines("a.py:10-40"), ("a.py", Some((10, 40))));
        assert_eq!(parse_lines("a.py:40-10"), ("a.py", Some((10, 40))));
        assert_eq!(parse_lines("a.py:7"), ("a.py", Some((7, 7))));
        assert_eq!(parse_lines("a.py:7-"), ("a.py", Some((7, u32::MAX))));
        assert_eq!(parse_lines("a::b"), ("a::b", None));
        assert_eq!(parse_lines("a.py"), ("a.py", None));
    }

    #[test]
    fn a_symbol_that_moved_is_found_where_it_stands_now() {
        let source = |edited: &str| Source {
            indexed: Some("a\nfn x() {\n}\n".to_owned()),
            edited: Some(edited.to_owned()),
            is_gone: false,
        };
        let moved = source("a\nb\nc\nfn x() {\n}\n");
        let slice = moved.symbol((2, 3));
        assert_eq!((slice.first, slice.lines, slice.stale), (4, vec!["fn x() {", "}"], None));
        let edited = source("a\nfn x() {\n  1\n}\n");
        assert!(edited.symbol((2, 3)).stale.is_some());
    }
}
