//! `lore outline`: what a file defines, without its bodies.

use super::files::files_like;
use super::members;
use super::overlay::TextSymbol;
use super::scope::{Scope, SnapshotContext};
use super::view::{SymbolRef, View};
use model::code::{NodeKind, SymbolKind, language_name};
use model::text::one_line;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// The symbols of a file, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileOutline {
    pub standing: SnapshotContext,
    pub path: String,
    /// The type whose members these are; none of a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<SymbolRef>,
    pub language: String,
    pub symbols: Vec<OutlineSymbol>,
    /// Fields, variables and what is written inside functions, which are left out
    /// unless asked for; but a few functions inside others are not.
    pub left_out: u64,
    /// Why the file could not be read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Other files whose path ends the same.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub others: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutlineSymbol {
    pub name: String,
    pub kind: SymbolKind,
    /// Of a member that is written in another file than its type.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    pub line: u32,
    pub end_line: u32,
    /// How many of the others it stands in.
    pub depth: u32,
    pub signature: String,
    pub is_test: bool,
}

/// What a file or a type defines; everything in it with `is_full`.
pub fn outline(reader: &Reader, scope: &Scope, typed: &str, is_full: bool) -> Result<FileOutline> {
    let view = View::new(reader, scope);
    let found = files_like(&view, typed)?;
    let Some((member, rest)) = found.split_first() else {
        if let Some(of_file) = new_file(scope, typed, is_full) {
            return Ok(of_file);
        }
        return members::of_type(&view, typed, is_full)?.ok_or_else(|| no_file(typed));
    };
    if let Some(symbols) =
        view.edited(&view.path(member.file)?).and_then(|edited| edited.symbols.as_ref())
    {
        let path = view.path(member.file)?;
        let file = view.file(member.file)?;
        let language = language_name(&file.language, &path).to_owned();
        return Ok(of_text(scope, path, language, symbols, is_full));
    }
    let file = view.file(member.file)?;
    let (entries, nodes) = (view.outline(member.file)?, view.nodes_of(member.file)?);
    let mut symbols: Vec<OutlineSymbol> = Vec::new();
    let mut around: Vec<u32> = Vec::new();
    let (mut end_of_function, mut left_out) = (0, 0);
    let mut is_inside: Vec<bool> = Vec::new();
    for (entry, node) in entries.iter().zip(nodes.iter()) {
        if entry.kind == NodeKind::Module {
            continue;
        }
        let is_inner = entry.start_line <= end_of_function && entry.end_line <= end_of_function;
        if !is_full && (is_detail(entry.kind) || is_inner && !is_callable(entry.kind)) {
            left_out += 1;
            continue;
        }
        is_inside.push(is_inner);
        if is_callable(entry.kind) && !is_inner {
            end_of_function = entry.end_line;
        }
        around.retain(|end| *end >= entry.start_line);
        let name = view.node(*node)?.map(|node| node.name.clone()).unwrap_or_default();
        symbols.push(OutlineSymbol {
            name,
            kind: entry.kind.into(),
            path: None,
            line: entry.name_line,
            end_line: entry.end_line,
            depth: around.len() as u32,
            signature: entry.signature.clone(),
            is_test: entry.is_test,
        });
        around.push(entry.end_line);
    }
    if !is_full {
        left_out += take_crowd(&mut symbols, &is_inside);
    }
    let mut others = Vec::new();
    for member in rest {
        others.push(view.path(member.file)?);
    }
    let path = view.path(member.file)?;
    Ok(FileOutline {
        standing: scope.standing(),
        language: language_name(&file.language, &path).to_owned(),
        path,
        of: None,
        symbols,
        left_out,
        trouble: file.trouble.clone(),
        others,
    })
}

/// A file that is in the work tree and not in the index.
fn new_file(scope: &Scope, typed: &str, is_full: bool) -> Option<FileOutline> {
    let typed = typed.trim_start_matches("./");
    let overlay = scope.overlay.as_ref()?;
    let ending = format!("/{typed}");
    let (path, file) =
        overlay.files().find(|(path, _)| *path == typed || path.ends_with(&ending))?;
    let symbols = file.symbols.as_ref()?;
    Some(of_text(scope, path.to_owned(), String::new(), symbols, is_full))
}

/// The same of what a text defines.
fn of_text(
    scope: &Scope,
    path: String,
    language: String,
    all: &[TextSymbol],
    is_full: bool,
) -> FileOutline {
    let mut symbols: Vec<OutlineSymbol> = Vec::new();
    let mut around: Vec<u32> = Vec::new();
    let (mut end_of_function, mut left_out) = (0, 0);
    let mut is_inside: Vec<bool> = Vec::new();
    for entry in all.iter().filter(|entry| entry.kind != NodeKind::Module) {
        let is_inner = entry.start_line <= end_of_function && entry.end_line <= end_of_function;
        if !is_full && (is_detail(entry.kind) || is_inner && !is_callable(entry.kind)) {
            left_out += 1;
            continue;
        }
        is_inside.push(is_inner);
        if is_callable(entry.kind) && !is_inner {
            end_of_function = entry.end_line;
        }
        around.retain(|end| *end >= entry.start_line);
        symbols.push(OutlineSymbol {
            name: entry.name.clone(),
            kind: entry.kind.into(),
            path: None,
            line: entry.name_line,
            end_line: entry.end_line,
            depth: around.len() as u32,
            signature: entry.signature.clone(),
            is_test: entry.is_test,
        });
        around.push(entry.end_line);
    }
    if !is_full {
        left_out += take_crowd(&mut symbols, &is_inside);
    }
    let others = Vec::new();
    FileOutline {
        standing: scope.standing(),
        path,
        of: None,
        language,
        symbols,
        left_out,
        trouble: None,
        others,
    }
}

const fn is_callable(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Function | NodeKind::Method)
}

/// Functions inside functions that are shown beside few others.
const FEW_INNER: usize = 4;

/// A few functions inside others say what those do; many, as of callbacks, hide the rest and
/// are taken out. Gives how many.
fn take_crowd(symbols: &mut Vec<OutlineSymbol>, is_inside: &[bool]) -> u64 {
    let n_inner = is_inside.iter().filter(|it| **it).count();
    if n_inner <= FEW_INNER.max((is_inside.len() - n_inner) / 4) {
        return 0;
    }
    let mut is_inside = is_inside.iter();
    symbols.retain(|_| !is_inside.next().copied().unwrap_or_default());
    n_inner as u64
}

pub(super) const fn is_detail(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Field | NodeKind::Var | NodeKind::Const | NodeKind::Column)
}

pub(super) fn no_file(typed: &str) -> Error {
    let shown = one_line(typed, 120);
    Error::not_found(format!("no indexed file `{shown}` in this snapshot"))
        .suggest("list the folders: lore map")
}
