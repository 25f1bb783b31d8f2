//! `lore map`: a repository, a folder or a type at a glance, for who sees it for
//! the first time.

use super::files::files_like;
use super::neighbours::is_zero;
use super::resolve;
use super::scope::{Scope, SnapshotContext};
use super::view::{SymbolRef, View};
use crate::context::is_aside;
use crate::memory::RecordLine;
use model::Result;
use model::code::{EdgeKind, NodeKind, SymbolKind, header_language, is_test_path, language_name};
use model::ids::{FileId, NodeId};
use model::memory::RecordKind;
use model::text::one_line;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use store::code::outline::Symbol;
use store::code::{files, nodes, snapshots};
use store::memory::RootId;
use store::memory::records::{self, RecordFilter};
use store::{Reader, paths};

/// What there is, and where to begin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RepoMap {
    pub standing: SnapshotContext,
    /// The folder, where one was asked for; empty for the whole repository.
    pub folder: String,
    pub files: u64,
    pub symbols: u64,
    pub languages: Vec<LanguageShare>,
    /// The largest ones.
    pub folders: Vec<FolderSummary>,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_folders: u64,
    /// Functions a program begins with.
    pub entry_points: Vec<SymbolRef>,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub routes: u64,
    pub first_routes: Vec<SymbolRef>,
    pub most_called: Vec<SymbolCount>,
    pub most_extended: Vec<SymbolCount>,
    /// Files that the newest commits changed most.
    pub most_changed: Vec<PathCount>,
    /// The newest decisions of its memory.
    pub decisions: Vec<RecordLine>,
    /// A type that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<TypeSummary>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageShare {
    pub language: String,
    pub files: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderSummary {
    pub path: String,
    pub files: u64,
    pub symbols: u64,
    /// The symbols in it that are used most.
    pub holds: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolCount {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathCount {
    pub path: String,
    pub count: u64,
}

/// A type: what is above and below it, and its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeSummary {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub end_line: u32,
    pub signature: String,
    pub doc: String,
    pub bases: Vec<SymbolRef>,
    pub subtypes: u64,
    pub first_subtypes: Vec<SymbolRef>,
    /// Who names or builds it.
    pub users: u64,
    /// Its members by how often they are called.
    pub members: Vec<SymbolCount>,
    pub more_members: u64,
}

const MOST_FOLDERS: usize = 12;
/// Folders are taken apart until there are so many, and not into more than these; one
/// that holds more than this share of the code in any case: it is where the work is.
const ENOUGH_FOLDERS: usize = 8;
const MOST_SPLIT: usize = 40;
const LARGEST_SHARE: u64 = 3;
const MOST_HELD: usize = 3;
const MOST_CALLED: usize = 8;
const MOST_OTHERS: usize = 5;
/// Changed files that are looked at for each that is shown.
const CHANGED_PER_CODE: usize = 20;
const MOST_DECISIONS: usize = 3;
const MOST_MEMBERS: usize = 20;

/// The whole repository, or the folder or type that was typed.
pub fn map(
    reader: &Reader,
    scope: &Scope,
    typed: Option<&str>,
    memory: &[RootId],
) -> Result<RepoMap> {
    let view = View::new(reader, scope);
    let all = members(&view)?;
    let typed = typed.map(|typed| typed.trim().trim_start_matches("./").trim_end_matches('/'));
    let typed = typed.filter(|typed| !typed.is_empty() && *typed != ".");
    let folder = typed.and_then(|typed| folder_named(&all, typed));
    if let (Some(typed), None) = (typed, &folder) {
        let symbol = type_summary(&view, typed)?;
        return Ok(RepoMap { symbol: Some(symbol), ..empty(scope) });
    }
    let folder = folder.unwrap_or_default();
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let own: Vec<&IndexedFile> = all.iter().filter(|it| it.path.starts_with(&below)).collect();
    let of_tests: HashSet<FileId> =
        all.iter().filter(|it| is_test_path(&it.path)).map(|it| it.id).collect();
    let uses = usage(&view, &own, &of_tests)?;
    let mut map = empty(scope);
    map.files = own.len() as u64;
    // A symbol that is written in several places is one.
    let mut symbols: BTreeSet<NodeId> = BTreeSet::new();
    for file in &own {
        symbols.extend(view.nodes_of(file.id)?.iter());
    }
    map.symbols = symbols.len() as u64;
    map.languages = languages(&own);
    (map.folders, map.more_folders) = folders(&view, &own, &uses, &below)?;
    map.entry_points = entry_points(&view, &own, &below)?;
    let routes = routes(&view, &below)?;
    map.routes = routes.len() as u64;
    map.first_routes = routes.into_iter().take(MOST_OTHERS).collect();
    map.most_called = top(&view, &uses, |use_| use_.called, |_| true, MOST_CALLED)?;
    // A prototype in C is implemented by its function, which extends nothing.
    let can_extend = |kind| !matches!(kind, SymbolKind::Function | SymbolKind::Method);
    map.most_extended = top(&view, &uses, |use_| use_.extended, can_extend, MOST_OTHERS)?;
    map.most_changed = most_changed(&view, &own, &below)?;
    if !memory.is_empty() {
        let filter = RecordFilter {
            kinds: vec![RecordKind::Decision],
            roots: memory.to_vec(),
            ..RecordFilter::default()
        };
        let newest = records::list(reader, &filter, MOST_DECISIONS)?;
        map.decisions = newest.iter().map(RecordLine::of).collect();
    }
    map.folder = folder;
    Ok(map)
}

/// Code that the newest commits changed most: manifests and lock files change with every
/// release and say nothing of where the work is.
fn most_changed(view: &View<'_>, own: &[&IndexedFile], below: &str) -> Result<Vec<PathCount>> {
    let (reader, repo) = (view.reader, view.scope.repo.id);
    let changed = paths::most_changed(reader, repo, below, MOST_OTHERS * CHANGED_PER_CODE)?;
    let mut found = Vec::new();
    for (path, count) in changed {
        // Tests change with what they test.
        if is_test_path(&path) {
            continue;
        }
        let Ok(at) = own.binary_search_by(|file| file.path.as_str().cmp(&path)) else { continue };
        let outline = view.outline(own[at].id)?;
        let is_code = |it: &Symbol| {
            matches!(it.kind, NodeKind::Function | NodeKind::Method | NodeKind::Class)
        };
        if outline.iter().any(is_code) {
            found.push(PathCount { path, count });
        }
        if found.len() == MOST_OTHERS {
            break;
        }
    }
    Ok(found)
}

fn empty(scope: &Scope) -> RepoMap {
    RepoMap {
        standing: scope.standing(),
        folder: String::new(),
        files: 0,
        symbols: 0,
        languages: Vec::new(),
        folders: Vec::new(),
        more_folders: 0,
        entry_points: Vec::new(),
        routes: 0,
        first_routes: Vec::new(),
        most_called: Vec::new(),
        most_extended: Vec::new(),
        most_changed: Vec::new(),
        decisions: Vec::new(),
        symbol: None,
    }
}

/// A file of the snapshot.
struct IndexedFile {
    id: FileId,
    path: String,
    language: String,
    n_symbols: u32,
}

/// Every file of the snapshot, by path.
fn members(view: &View<'_>) -> Result<Vec<IndexedFile>> {
    let mut ids = Vec::new();
    for package in snapshots::packages(view.reader, view.scope.snapshot.seq)?.into_keys() {
        if let Some(version) = view.version(package)? {
            ids.extend(version.members.iter().map(|member| member.file));
        }
    }
    let mut found = Vec::with_capacity(ids.len());
    for row in files::rows(view.reader, ids)? {
        let package = view.package_path(row.package)?;
        let joint = if package.is_empty() { "" } else { "/" };
        found.push(IndexedFile {
            id: row.id,
            path: format!("{package}{joint}{}", row.name),
            language: language_name(&row.language, &row.name).to_owned(),
            n_symbols: view.nodes_of(row.id)?.len() as u32,
        });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The folder that was typed: its path, or the only one that ends so.
fn folder_named(all: &[IndexedFile], typed: &str) -> Option<String> {
    let inside = format!("{typed}/");
    if all.iter().any(|file| file.path.starts_with(&inside)) {
        return Some(typed.to_owned());
    }
    let ending = format!("/{typed}/");
    let mut found: Vec<&str> = all
        .iter()
        .filter_map(|file| file.path.find(&ending).map(|at| &file.path[..=at + typed.len()]))
        .collect();
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [only] => Some((*only).to_owned()),
        _ => None,
    }
}

/// How a symbol is used.
struct Usage {
    node: NodeId,
    file: FileId,
    called: u64,
    extended: u64,
    all: u64,
}

/// Symbols that something uses, in files that were asked about. What only tests call is no
/// centre of a program.
fn usage(view: &View<'_>, own: &[&IndexedFile], of_tests: &HashSet<FileId>) -> Result<Vec<Usage>> {
    let mut found = Vec::new();
    for file in own {
        for node in view.nodes_of(file.id)?.iter() {
            let mut usage = Usage { node: *node, file: file.id, called: 0, extended: 0, all: 0 };
            for step in view.own_incoming(*node)? {
                if of_tests.contains(&step.file) {
                    continue;
                }
                usage.all += 1;
                match step.kind {
                    EdgeKind::Calls => usage.called += 1,
                    EdgeKind::Inherits | EdgeKind::Implements => usage.extended += 1,
                    EdgeKind::Contains | EdgeKind::Imports | EdgeKind::Tests => usage.all -= 1,
                    _ => {}
                }
            }
            if usage.all > 0 {
                found.push(usage);
            }
        }
    }
    Ok(found)
}

fn languages(own: &[&IndexedFile]) -> Vec<LanguageShare> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut n_headers = 0;
    for file in own {
        if file.path.rsplit_once('.').is_some_and(|(_, ending)| ending == "h") {
            n_headers += 1;
        } else {
            *counts.entry(&file.language).or_default() += 1;
        }
    }
    // A header is of the language that most sources beside it are of.
    if n_headers > 0 {
        let language = header_language(|it| counts.get(it).copied().unwrap_or_default());
        *counts.entry(language).or_default() += n_headers;
    }
    let mut shares: Vec<LanguageShare> = counts
        .into_iter()
        .map(|(language, files)| LanguageShare { language: language.to_owned(), files })
        .collect();
    shares.sort_by_key(|share| Reverse(share.files));
    shares
}

/// The folders just below, the largest of them taken apart while there is room.
fn folders(
    view: &View<'_>,
    own: &[&IndexedFile],
    uses: &[Usage],
    below: &str,
) -> Result<(Vec<FolderSummary>, u64)> {
    let mut parts: Vec<Part> = vec![Part::new(below.to_owned(), own.to_vec())];
    let n_code: u64 =
        own.iter().filter(|it| !is_beside(&it.path)).map(|it| u64::from(it.n_symbols)).sum();
    loop {
        let is_enough = parts.len() >= ENOUGH_FOLDERS;
        let n_parts = parts.len();
        let can_split = |part: &Part<'_>| {
            let n_new = part.children.keys().filter(|child| child.ends_with('/')).count();
            let is_large = part.n_symbols * LARGEST_SHARE > n_code;
            let is_wanted = n_parts == 1 || !part.is_beside && (!is_enough || is_large);
            n_new > 0 && is_wanted && (n_parts == 1 || n_parts + n_new <= MOST_SPLIT)
        };
        let largest = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| can_split(part))
            .max_by_key(|(at, part)| (part.n_symbols, Reverse(*at)))
            .map(|(at, _)| at);
        let Some(at) = largest else { break };
        let part = parts.remove(at);
        let mut loose = Vec::new();
        for (child, files) in part.children {
            if child.ends_with('/') {
                parts.push(Part::new(child, files));
            } else {
                loose.extend(files);
            }
        }
        if !loose.is_empty() {
            let mut rest = Part::new(part.path, loose);
            rest.children.clear();
            parts.push(rest);
        }
    }
    let order = |part: &Part<'_>| (part.is_beside, Reverse(part.n_symbols));
    parts.sort_by(|a, b| (order(a), &a.path).cmp(&(order(b), &b.path)));
    let n_more = parts.len().saturating_sub(MOST_FOLDERS) as u64;
    parts.truncate(MOST_FOLDERS);
    let by_file: HashMap<FileId, Vec<&Usage>> = uses.iter().fold(HashMap::new(), |mut all, one| {
        all.entry(one.file).or_insert_with(Vec::new).push(one);
        all
    });
    let mut shown = Vec::new();
    for part in parts {
        let mut held: Vec<&Usage> = part
            .files
            .iter()
            .flat_map(|file| by_file.get(&file.id).into_iter().flatten().copied())
            .collect();
        held.sort_by_key(|one| (Reverse(one.all), one.node));
        let mut holds: Vec<String> = Vec::new();
        for one in held {
            let Some(symbol) = view.symbol(one.node)? else { continue };
            let is_thing =
                !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Field | SymbolKind::Var);
            let name = symbol.symbol.rsplit('.').next().unwrap_or_default().to_owned();
            if is_thing && !holds.contains(&name) {
                holds.push(name);
            }
            if holds.len() == MOST_HELD {
                break;
            }
        }
        let path = if part.path.is_empty() { "./".to_owned() } else { part.path };
        let (files, symbols) = (part.files.len() as u64, part.n_symbols);
        shown.push(FolderSummary { path, files, symbols, holds });
    }
    Ok((shown, n_more))
}

/// Tests, examples, documentation: not what a reader begins with.
fn is_beside(path: &str) -> bool {
    is_test_path(path) || is_aside(path)
}

/// Files of a folder, by what stands directly in it.
struct Part<'f> {
    path: String,
    n_symbols: u64,
    /// Most of it is tests or examples.
    is_beside: bool,
    children: BTreeMap<String, Vec<&'f IndexedFile>>,
    files: Vec<&'f IndexedFile>,
}

impl<'f> Part<'f> {
    fn new(path: String, files: Vec<&'f IndexedFile>) -> Self {
        let mut children: BTreeMap<String, Vec<&IndexedFile>> = BTreeMap::new();
        for file in &files {
            let rest = &file.path[path.len()..];
            let child = match rest.find('/') {
                Some(end) => format!("{path}{}", &rest[..=end]),
                None => file.path.clone(),
            };
            children.entry(child).or_default().push(file);
        }
        let count = |is_counted: &dyn Fn(&str) -> bool| -> u64 {
            let counted = files.iter().filter(|file| is_counted(&file.path));
            counted.map(|file| u64::from(file.n_symbols)).sum()
        };
        let n_symbols = count(&|_| true);
        let is_beside = is_beside(&path) || count(&is_beside) * 2 > n_symbols;
        Part { path, n_symbols, is_beside, children, files }
    }
}

/// The symbols most used in one way; tests and what they use among themselves apart.
fn top(
    view: &View<'_>,
    uses: &[Usage],
    count: impl Fn(&Usage) -> u64,
    is_wanted: impl Fn(SymbolKind) -> bool,
    most: usize,
) -> Result<Vec<SymbolCount>> {
    let mut ranked: Vec<(u64, NodeId)> =
        uses.iter().map(|one| (count(one), one.node)).filter(|(n, _)| *n > 0).collect();
    ranked.sort_by_key(|(n, node)| (Reverse(*n), *node));
    let mut found = Vec::new();
    for (count, node) in ranked {
        let symbol = view.symbol(node)?;
        let is_shown = |at: &SymbolRef| is_wanted(at.kind) && !at.is_test && !is_beside(&at.path);
        if let Some(at) = symbol.filter(is_shown) {
            // Declared in a header and defined beside it.
            if found.iter().all(|known: &SymbolCount| known.at.symbol != at.symbol) {
                found.push(SymbolCount { at, count });
            }
        }
        if found.len() == most {
            break;
        }
    }
    Ok(found)
}

/// Functions called `main`, and files that are run by themselves; those of examples only
/// where there are no others.
fn entry_points(view: &View<'_>, own: &[&IndexedFile], below: &str) -> Result<Vec<SymbolRef>> {
    let mut found = Vec::new();
    for node in nodes::named(view.reader, "main")? {
        let is_function = matches!(node.kind, NodeKind::Function | NodeKind::Method);
        if !is_function || view.places(node.id)?.is_empty() {
            continue;
        }
        let is_own =
            |it: &SymbolRef| !it.is_test && !is_test_path(&it.path) && it.path.starts_with(below);
        found.extend(view.symbol(node.id)?.filter(is_own));
    }
    for file in own.iter().filter(|file| is_run(&file.path) && !is_beside(&file.path)) {
        let is_known = found.iter().any(|it| it.path == file.path);
        if let Some(module) = view.nodes_of(file.id)?.first().filter(|_| !is_known) {
            let module = view.symbol(*module)?;
            // A module of several files stands in one of them.
            found.extend(module.map(|it| SymbolRef { path: file.path.clone(), line: 1, ..it }));
        }
    }
    if found.iter().any(|it| !is_aside(&it.path)) {
        found.retain(|it| !is_aside(&it.path));
    }
    found.sort_by(|a, b| {
        let depth = |it: &SymbolRef| it.path.matches('/').count();
        (depth(a), &a.path, a.line).cmp(&(depth(b), &b.path, b.line))
    });
    found.truncate(MOST_OTHERS);
    Ok(found)
}

/// `bin/tool.js`, `exe/tool`, `pkg/__main__.py`.
fn is_run(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folders.rsplit('/').next().unwrap_or_default();
    name == "__main__.py" || matches!(folder, "bin" | "exe")
}

fn routes(view: &View<'_>, below: &str) -> Result<Vec<SymbolRef>> {
    let mut found = Vec::new();
    for node in nodes::of_kind(view.reader, view.scope.repo.id, NodeKind::RouteHandler)? {
        let is_own =
            |it: &SymbolRef| !it.is_test && it.path.starts_with(below) && !is_test_path(&it.path);
        let symbol = view.symbol(node.id)?.filter(is_own);
        found.extend(symbol.map(|symbol| SymbolRef { symbol: node.name.clone(), ..symbol }));
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.symbol).cmp(&(&b.path, b.line, &b.symbol)));
    Ok(found)
}

/// The module that a file is, or the first type of a file that is part of a package.
fn main_symbol(view: &View<'_>, file: FileId) -> Result<Option<NodeId>> {
    let (outline, ids) = (view.outline(file)?, view.nodes_of(file)?);
    let Some(first) = ids.first().copied() else { return Ok(None) };
    if view.places(first)?.first().is_some_and(|place| place.file == file) {
        return Ok(Some(first));
    }
    let rank = |kind: NodeKind| match kind {
        NodeKind::Type | NodeKind::Class | NodeKind::Interface | NodeKind::Trait => 0,
        NodeKind::Module | NodeKind::Package => 2,
        _ => 1,
    };
    let pairs = outline.iter().zip(ids.iter());
    Ok(pairs.min_by_key(|(symbol, _)| rank(symbol.kind)).map(|(_, id)| *id))
}

/// Members that are not written within the type: methods of Go, parts of a C++ class.
fn members_elsewhere(view: &View<'_>, of: NodeId) -> Result<Vec<SymbolCount>> {
    let mut found = Vec::new();
    for step in view.outgoing(of)?.iter().filter(|step| step.kind == EdgeKind::Contains) {
        let Some(node) = view.node(step.node)? else { continue };
        if matches!(node.kind, NodeKind::Function | NodeKind::Method) {
            let calls = view.incoming(step.node)?;
            let count = calls.iter().filter(|step| step.kind == EdgeKind::Calls).count() as u64;
            found.extend(view.symbol(step.node)?.map(|at| SymbolCount { at, count }));
        }
    }
    Ok(found)
}

fn type_summary(view: &View<'_>, typed: &str) -> Result<TypeSummary> {
    let found = match files_like(view, typed)?.first() {
        // A file that is a module; its type is what was most likely meant.
        Some(member) => main_symbol(view, member.file)?,
        None => None,
    };
    let node = match found {
        Some(node) => node,
        None => resolve::some(view, typed)?.list[0].nodes[0],
    };
    let at = view.symbol(node)?.ok_or_else(super::vanished)?;
    let place = view.places(node)?.first().copied().ok_or_else(super::vanished)?;
    let (outline, ids) = (view.outline(place.file)?, view.nodes_of(place.file)?);
    let own = outline.get(place.def as usize).ok_or_else(super::vanished)?;
    let is_kind = |kind: EdgeKind| matches!(kind, EdgeKind::Inherits | EdgeKind::Implements);
    let mut bases = Vec::new();
    for step in view.outgoing(node)?.iter().filter(|step| is_kind(step.kind)) {
        bases.extend(view.symbol(step.node)?);
    }
    let incoming = view.incoming(node)?;
    let mut subtypes = Vec::new();
    for step in incoming.iter().filter(|step| is_kind(step.kind)) {
        subtypes.extend(view.symbol(step.node)?);
    }
    subtypes.sort_by(|a, b| (a.is_test, &a.qualified_name).cmp(&(b.is_test, &b.qualified_name)));
    let mut members = Vec::new();
    let mut end_of_function = 0;
    for (at, (symbol, id)) in outline.iter().zip(ids.iter()).enumerate() {
        let is_inside = at > place.def as usize
            && symbol.start_line >= own.start_line
            && symbol.end_line <= own.end_line;
        if !is_inside || symbol.start_line <= end_of_function {
            continue;
        }
        if !matches!(symbol.kind, NodeKind::Function | NodeKind::Method) {
            continue;
        }
        end_of_function = symbol.end_line;
        let calls = view.incoming(*id)?;
        let count = calls.iter().filter(|step| step.kind == EdgeKind::Calls).count() as u64;
        members.extend(view.symbol(*id)?.map(|at| SymbolCount { at, count }));
    }
    if members.is_empty() {
        members = members_elsewhere(view, node)?;
    }
    members.sort_by_key(|member| (Reverse(member.count), member.at.line));
    let more_members = members.len().saturating_sub(MOST_MEMBERS) as u64;
    members.truncate(MOST_MEMBERS);
    let is_use =
        |kind: EdgeKind| !is_kind(kind) && !matches!(kind, EdgeKind::Contains | EdgeKind::Imports);
    Ok(TypeSummary {
        at,
        end_line: own.end_line,
        signature: own.signature.clone(),
        doc: one_line(&own.doc, 200),
        bases,
        subtypes: subtypes.len() as u64,
        first_subtypes: subtypes.into_iter().take(MOST_OTHERS).collect(),
        users: incoming.iter().filter(|step| is_use(step.kind)).count() as u64,
        members,
        more_members,
    })
}
