//! From what people type to symbols of a snapshot.
//!
//! A name is read from its end: `run`, `Flask.run`, `app.Flask.run` and
//! `src/flask/app.Flask.run` all mean the same method. Where several symbols have
//! that ending they are candidates, the likeliest first: code before tests, what
//! can be called before what holds others, what is used most before the rest.
//! Overloads of one name are one candidate, and so are a declaration and the definitions
//! that follow it.

use super::address::{Address, JOINTS, parameters_of};
use super::files::{files_like, symbol_at};
use super::relatives;
use super::scope::Scope;
use super::value_members::names_through_value;
use super::view::{SymbolRef, View};
use model::code::{EdgeKind, NodeKind};
use model::code::{is_test_path, is_vendored_path};
use model::ids::{FileId, NodeId};
use model::resolver::Fit;
use model::suggest::{is_slip_of, nearest};
use model::text::one_line;
use model::{Error, Result};
use search::query::Query;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::collections::{BTreeMap, HashMap, HashSet};
use store::Reader;
use store::code::nodes::{self, NodeRow};
use store::code::symbols::{self, SymbolScope};

/// How a name was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The whole symbol path, or the whole qualified name.
    Exact,
    /// The end of the qualified name.
    Suffix,
    /// The same but for upper and lower case.
    IgnoringCase,
    /// The beginning of its last part.
    Prefix,
    /// By its words: parts of names, documentation, signature, path.
    Words,
    /// By a file and a line of it.
    Place,
    None,
}

/// One symbol that may be meant: all of its overloads; its definitions before what
/// declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// In the order in which they are written.
    pub nodes: Vec<NodeId>,
}

/// What a name may mean, likeliest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidates {
    pub how: Match,
    pub list: Vec<Candidate>,
}

impl Candidates {
    /// Every overload a candidate of its own.
    pub fn split(self) -> Self {
        let nodes = self.list.into_iter().flat_map(|candidate| candidate.nodes);
        let list = nodes.map(|node| Candidate { nodes: vec![node] }).collect();
        Candidates { how: self.how, list }
    }
}

/// Names of more parts are none.
const MOST_SEGMENTS: usize = 10;

/// What can be done with a symbol, what is meant most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// It can be called, built, implemented or asked.
    Called,
    /// It is read or written.
    Read,
    /// It only holds others.
    Around,
    /// It is defined elsewhere.
    Outside,
}

const fn use_of(kind: NodeKind) -> Use {
    match kind {
        NodeKind::Module | NodeKind::Package => Use::Around,
        NodeKind::Const | NodeKind::Var | NodeKind::Field | NodeKind::Column => Use::Read,
        NodeKind::External => Use::Outside,
        _ => Use::Called,
    }
}

/// A symbol that fits, with what it is ranked by.
struct RankedSymbol {
    fit: Fit,
    node: NodeId,
    kind: NodeKind,
    /// Package and symbol path.
    whole: String,
    place: (String, u32),
    is_test: bool,
    n_incoming: usize,
    /// Uses of the type it is a member of, where nothing uses it itself.
    n_owner_uses: usize,
    n_outgoing: usize,
}

/// How hard a name is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LookupEffort {
    /// How often something may still be taken off the name and the rest be looked up: what
    /// is typed has any number of joints.
    n_parts: usize,
    /// Only for symbols that have the name themselves.
    is_exact: bool,
}

impl LookupEffort {
    const ALL: Self = LookupEffort { n_parts: MOST_SEGMENTS, is_exact: false };
    const EXACT: Self = LookupEffort { n_parts: MOST_SEGMENTS, is_exact: true };

    /// For what is left of a name; none where too much was taken off it already.
    pub fn of_rest(self) -> Option<Self> {
        Some(LookupEffort { n_parts: self.n_parts.checked_sub(1)?, ..self })
    }

    /// For a name that was made of another: its type may have a member from another type.
    fn of_made_name(self) -> Option<Self> {
        Some(LookupEffort { n_parts: self.n_parts.checked_sub(1)?.min(1), ..self })
    }
}

/// Everything a name may mean; empty when nothing in the snapshot has it.
pub(super) fn candidates(view: &View<'_>, typed: &str) -> Result<Candidates> {
    candidates_within(view, typed, LookupEffort::ALL)
}

pub(super) fn candidates_within(
    view: &View<'_>,
    typed: &str,
    effort: LookupEffort,
) -> Result<Candidates> {
    let address = Address::parse(typed);
    if let Some((path, line)) = &address.line {
        let found = at_line(view, path, *line)?;
        if !found.is_empty() {
            return Ok(Candidates { how: Match::Place, list: found });
        }
    }
    if let Some(found) = in_file(view, typed, effort)? {
        return Ok(found);
    }
    let mut found = fitting(view, &address, effort)?;
    if found.is_empty() {
        found = exported(view, &address, effort)?;
    }
    if found.is_empty() {
        return indirect(view, typed, effort);
    }
    let is_case_exact = found.iter().any(|it| it.fit.is_case_exact());
    found.retain(|it| it.fit.is_case_exact() == is_case_exact);
    let how = match found.iter().map(|it| it.fit).min() {
        Some(Fit::Exact) => Match::Exact,
        Some(Fit::Suffix) => Match::Suffix,
        _ => Match::IgnoringCase,
    };
    let found = with_parameters(view, &address, found)?;
    let mut list = grouped(view, found)?;
    if let Some(nth) = address.nth {
        let mut all = Candidates { how, list }.split().list;
        list = if nth <= all.len() { vec![all.swap_remove(nth - 1)] } else { all };
    }
    Ok(Candidates { how, list })
}

/// What a name leads to that no symbol has.
fn indirect(view: &View<'_>, typed: &str, effort: LookupEffort) -> Result<Candidates> {
    let mut list = Vec::new();
    if !effort.is_exact {
        list = modules_of_path(view, typed)?;
        if list.is_empty() {
            list = relatives::members(view, typed, effort)?;
        }
    }
    if list.is_empty()
        && let Some(effort) = effort.of_made_name()
    {
        for name in names_through_value(view, typed)? {
            let found = candidates_within(view, &name, effort)?;
            if !found.list.is_empty() {
                return Ok(found);
            }
        }
    }
    let how = if list.is_empty() { Match::None } else { Match::Place };
    Ok(Candidates { how, list })
}

/// `tokio::runtime::Runtime`: a name by the modules it is exported from, which are folders
/// and files above the one it is written in.
fn exported(view: &View<'_>, address: &Address, effort: LookupEffort) -> Result<Vec<RankedSymbol>> {
    let joint = if address.name.contains("::") { "::" } else { "." };
    let segments: Vec<&str> = address.name.split(joint).collect();
    if segments.iter().any(|segment| segment.is_empty()) || segments.len() > MOST_SEGMENTS {
        return Ok(Vec::new());
    }
    for n_modules in 1..segments.len() {
        let (modules, rest) = segments.split_at(n_modules);
        let rest = Address { name: rest.join(joint), ..address.clone() };
        let mut found = fitting(view, &rest, effort)?;
        found.retain(|it| is_below(&it.place.0, modules));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Whether the folders of a path, and its file, have these names in this order.
fn is_below(path: &str, modules: &[&str]) -> bool {
    let plain = |name: &str| name.replace('-', "_");
    let path = path.rsplit_once('.').map_or(path, |(path, _)| path);
    let mut folders = path.split('/').map(plain);
    modules.iter().all(|module| folders.any(|folder| folder == plain(module)))
}

/// `src/server.c:main`: what a name means in one file; none where nothing before a
/// colon is a file that has it.
fn in_file(view: &View<'_>, typed: &str, effort: LookupEffort) -> Result<Option<Candidates>> {
    let Some(effort) = effort.of_rest() else { return Ok(None) };
    let Some((path, name)) = typed.trim().split_once(':') else { return Ok(None) };
    let name = name.trim_start_matches(':');
    if name.is_empty() || !path.contains('.') || name.starts_with('/') {
        return Ok(None);
    }
    let files: Vec<FileId> = files_like(view, path)?.iter().map(|member| member.file).collect();
    if files.is_empty() {
        return Ok(None);
    }
    let mut found = candidates_within(view, name, effort)?;
    for candidate in &mut found.list {
        let mut here = Vec::new();
        for node in candidate.nodes.drain(..) {
            if view.places(node)?.iter().any(|place| files.contains(&place.file)) {
                here.push(node);
            }
        }
        candidate.nodes = here;
    }
    found.list.retain(|candidate| !candidate.nodes.is_empty());
    Ok((!found.list.is_empty()).then_some(found))
}

/// Symbols whose name ends as typed, unsorted.
fn fitting(view: &View<'_>, address: &Address, effort: LookupEffort) -> Result<Vec<RankedSymbol>> {
    let mut rows: Vec<(Fit, NodeRow, String)> = Vec::new();
    let mut seen = HashSet::new();
    let add = |rows: &mut Vec<_>, node: NodeRow| -> Result<()> {
        let package = view.package_path(node.package)?;
        let symbol = node.symbol();
        if let Some(fit) = address.fit(local(&package), &symbol) {
            // The whole path of a symbol is as good as its whole name.
            let fit = if address.name == symbol { Fit::Exact } else { fit };
            rows.push((fit, node, format!("{package}/{symbol}")));
        }
        Ok(())
    };
    for tail in address.tails() {
        for node in nodes::named(view.reader, tail)? {
            if seen.insert(node.id) {
                add(&mut rows, node)?;
            }
        }
    }
    if rows.iter().all(|(_, node, _)| use_of(node.kind) == Use::Around) {
        // Names of resources hold their kind: `Deployment/cart` for `cart`. Modules that
        // are all of a folder have no name of their own.
        let last = last_segment(&address.name);
        let resources = view.resources()?.get(&last);
        // Modules are not what has a name exactly.
        let unnamed = if effort.is_exact { None } else { view.unnamed()?.get(&last) };
        for node in resources.into_iter().chain(unnamed).flatten() {
            if seen.insert(node.id) {
                add(&mut rows, node.clone())?;
            }
        }
    }
    let is_alone = rows.len() == 1;
    let mut found = Vec::new();
    for (fit, node, whole) in rows {
        let Some(at) = present(view, &node, address)? else { continue };
        let n_incoming = if is_alone { 0 } else { n_uses(view, node.id)? };
        found.push(RankedSymbol {
            fit,
            node: node.id,
            kind: node.kind,
            whole,
            is_test: at.is_test || is_test_path(&at.path),
            place: (at.path, at.line),
            n_incoming,
            n_owner_uses: if is_alone || n_incoming > 0 { 0 } else { owner_uses(view, node.id)? },
            n_outgoing: if is_alone { 0 } else { view.own_outgoing(node.id)?.len() },
        });
    }
    Ok(found)
}

/// How many other symbols use one.
fn n_uses(view: &View<'_>, node: NodeId) -> Result<usize> {
    let incoming = view.own_incoming(node)?;
    Ok(incoming.iter().filter(|step| step.kind != EdgeKind::Contains).count())
}

/// How many use what a symbol is a member of: special methods, constructors and methods
/// that are called by a framework have no callers of their own.
fn owner_uses(view: &View<'_>, node: NodeId) -> Result<usize> {
    let incoming = view.own_incoming(node)?;
    let Some(owner) = incoming.iter().find(|step| step.kind == EdgeKind::Contains) else {
        return Ok(0);
    };
    let is_around = view.node(owner.node)?.is_none_or(|row| use_of(row.kind) == Use::Around);
    if is_around { Ok(0) } else { n_uses(view, owner.node) }
}

/// Symbols by the last segment of their whole names, in small letters.
pub(super) type BySegment = HashMap<String, Vec<NodeRow>>;

/// Symbols that are not found by their names alone, for [`fitting`].
pub(super) fn by_segment(view: &View<'_>, rows: Vec<NodeRow>) -> Result<BySegment> {
    let mut found = BySegment::new();
    for row in rows {
        let package = view.package_path(row.package)?;
        let last = last_segment(&format!("{}/{}", local(&package), row.symbol()));
        found.entry(last).or_default().push(row);
    }
    Ok(found)
}

fn last_segment(name: &str) -> String {
    let mut segments = name.rsplit(JOINTS).filter(|part| !part.is_empty());
    segments.next().unwrap_or_default().to_lowercase()
}

/// The package of an external symbol without its language.
fn local(package: &str) -> &str {
    store::code::externals::parse_package_path(package).map_or(package, |(_, package)| package)
}

/// The symbol, if it is of the snapshot or of the repository that was named.
fn present(view: &View<'_>, node: &NodeRow, address: &Address) -> Result<Option<SymbolRef>> {
    let is_here = match node.kind {
        NodeKind::External => !view.own_incoming(node.id)?.is_empty(),
        _ => !view.places(node.id)?.is_empty(),
    };
    if is_here {
        let symbol = view.symbol(node.id)?;
        return Ok(symbol.filter(|symbol| match &address.repo {
            Some(repo) => is_of_repo(&symbol.qualified_name, repo),
            None => true,
        }));
    }
    // Answers name symbols of other repositories by their whole name.
    let Some(repo) = &address.repo else { return Ok(None) };
    if *repo == view.scope.repo.canonical_url {
        return Ok(None);
    }
    let symbol = view.symbol(node.id)?;
    Ok(symbol.filter(|symbol| is_of_repo(&symbol.qualified_name, repo)))
}

/// Whether a repository was named as answers do: in full, by the end of its name, or
/// by the beginning of the hash that is its name.
fn is_of_repo(qualified_name: &str, typed: &str) -> bool {
    const SHORTEST_HASH: usize = 7;
    let Some((repo, _)) = qualified_name.split_once("://") else { return false };
    let hash = repo.strip_prefix("local/").unwrap_or_default();
    repo == typed
        || repo.ends_with(&format!("/{typed}"))
        || (typed.len() >= SHORTEST_HASH && hash.starts_with(typed))
}

/// Those with the parameters that were typed; an error that lists the overloads
/// where none has them.
fn with_parameters(
    view: &View<'_>,
    address: &Address,
    found: Vec<RankedSymbol>,
) -> Result<Vec<RankedSymbol>> {
    if address.parameters.is_none() {
        return Ok(found);
    }
    let mut known = Vec::new();
    let mut kept = Vec::new();
    for one in found {
        let row = view.node(one.node)?;
        let name = row.as_ref().map_or("", |row| row.name.as_str());
        let signature = signature(view, one.node)?;
        if address.fits_signature(name, &signature) {
            kept.push(one);
        } else if let Some(parameters) = parameters_of(name, &signature) {
            known.push(format!("{name}({})", one_line(parameters, 80)));
        }
    }
    if kept.is_empty() {
        known.sort();
        known.dedup();
        known.truncate(8);
        let shown = one_line(&address.name, 80);
        let error = Error::not_found(format!("no overload of `{shown}` has these parameters"));
        return Err(error.suggest(format!("there are: {}", known.join(", "))));
    }
    Ok(kept)
}

/// As it is written where the symbol is defined first; empty for what is not here.
pub(crate) fn signature(view: &View<'_>, node: NodeId) -> Result<String> {
    let Some(place) = view.places(node)?.first().copied() else { return Ok(String::new()) };
    let outline = view.outline(place.file)?;
    Ok(outline.get(place.def as usize).map(|it| it.signature.clone()).unwrap_or_default())
}

/// Overloads together, likeliest first.
fn grouped(view: &View<'_>, mut found: Vec<RankedSymbol>) -> Result<Vec<Candidate>> {
    found.sort_by(|a, b| (&a.place, a.node).cmp(&(&b.place, b.node)));
    // `context.ts` and `context.test.ts` may both define `context.Context`.
    let mut groups: BTreeMap<(String, Use, bool), Vec<RankedSymbol>> = BTreeMap::new();
    for one in found {
        let key = (one.whole.clone(), use_of(one.kind), one.is_test);
        groups.entry(key).or_default().push(one);
    }
    let mut groups: Vec<((String, Use, bool), Vec<RankedSymbol>)> = groups.into_iter().collect();
    groups.sort_by_cached_key(|((whole, usage, is_test), group)| {
        let n_incoming: usize = group.iter().map(|one| one.n_incoming).sum();
        // A copy of somebody else's code is meant last.
        let is_vendored = group.iter().all(|one| is_vendored_path(&one.place.0));
        let is_other = *usage == Use::Outside;
        // Nobody calls an entry point: the program's leads to more than a tool's.
        let n_outgoing: usize = group.iter().map(|one| one.n_outgoing).sum();
        let n_owner_uses: usize = group.iter().map(|one| one.n_owner_uses).sum();
        let used = (Reverse(n_incoming), Reverse(n_owner_uses), Reverse(n_outgoing));
        (is_other, *is_test, is_vendored, *usage, used, whole.clone())
    });
    joined(view, groups.into_iter().map(|(_, group)| group).collect())
}

/// Definitions with what declares them: a function of a header in one folder and its
/// sources in others is one symbol to those who ask.
fn joined(view: &View<'_>, groups: Vec<Vec<RankedSymbol>>) -> Result<Vec<Candidate>> {
    let mut place: HashMap<NodeId, usize> = HashMap::new();
    for (at, group) in groups.iter().enumerate() {
        place.extend(group.iter().map(|one| (one.node, at)));
    }
    // For each group the one it is shown with: the first of those with one declaration.
    let mut head: Vec<usize> = (0..groups.len()).collect();
    let mut declares = vec![false; groups.len()];
    let mut head_of: HashMap<usize, usize> = HashMap::new();
    for (at, group) in groups.iter().enumerate().filter(|_| groups.len() > 1) {
        for one in group {
            let Some(declaration) = declaration_of(view, one.node)? else { continue };
            let Some(of) = place.get(&declaration).copied().filter(|of| *of != at) else {
                continue;
            };
            if groups[of].iter().any(|it| it.is_test != one.is_test) {
                continue;
            }
            declares[of] = true;
            head[at] = *head_of.entry(of).or_insert(at);
        }
    }
    for (of, first) in head_of {
        head[of] = first;
    }
    let mut list: Vec<(usize, Vec<NodeId>, Vec<NodeId>)> = Vec::new();
    for (at, group) in groups.into_iter().enumerate() {
        let nodes = group.into_iter().map(|one| one.node);
        let known = list.iter().position(|(first, ..)| *first == head[at]);
        let entry = known.unwrap_or_else(|| {
            list.push((head[at], Vec::new(), Vec::new()));
            list.len() - 1
        });
        if declares[at] { list[entry].2.extend(nodes) } else { list[entry].1.extend(nodes) }
    }
    let whole = |(_, nodes, declarations): (usize, Vec<NodeId>, Vec<NodeId>)| Candidate {
        nodes: [nodes, declarations].concat(),
    };
    Ok(list.into_iter().map(whole).collect())
}

/// The declaration that a function or method written elsewhere implements.
pub(super) fn declaration_of(view: &View<'_>, node: NodeId) -> Result<Option<NodeId>> {
    let is_callable = |kind: NodeKind| matches!(kind, NodeKind::Function | NodeKind::Method);
    if view.node(node)?.is_none_or(|row| !is_callable(row.kind)) {
        return Ok(None);
    }
    for step in view.own_outgoing(node)? {
        let is_declared = step.kind == EdgeKind::Implements
            && view.node(step.node)?.is_some_and(|row| is_callable(row.kind));
        if is_declared {
            return Ok(Some(step.node));
        }
    }
    Ok(None)
}

fn at_line(view: &View<'_>, path: &str, line: u32) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for member in files_like(view, path)? {
        let node = symbol_at(view, member, line)?;
        found.extend(node.map(|node| Candidate { nodes: vec![node] }));
    }
    Ok(found)
}

/// The modules that files of this path are.
fn modules_of_path(view: &View<'_>, typed: &str) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for member in files_like(view, typed)? {
        let outline = view.outline(member.file)?;
        let module = outline.iter().position(|symbol| symbol.kind == NodeKind::Module);
        let nodes = view.nodes_of(member.file)?;
        let node = module.and_then(|at| nodes.get(at).copied());
        found.extend(node.map(|node| Candidate { nodes: vec![node] }));
    }
    Ok(found)
}

/// Symbols with a name, likeliest first.
pub(super) fn find(view: &View<'_>, typed: &str) -> Result<(Match, Vec<NodeId>)> {
    let Candidates { how, list } = candidates(view, typed)?;
    Ok((how, list.into_iter().flat_map(|candidate| candidate.nodes).collect()))
}

/// The symbols of a name exactly as it is written, likeliest first; tests and what is
/// only used here left out where there is anything else.
pub(crate) fn exact_symbols(view: &View<'_>, typed: &str) -> Result<Vec<NodeId>> {
    let Candidates { how, list } = candidates_within(view, typed, LookupEffort::EXACT)?;
    if !matches!(how, Match::Exact | Match::Suffix) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for node in list.into_iter().flat_map(|candidate| candidate.nodes) {
        let Some(symbol) = view.symbol(node)? else { continue };
        if !symbol.path.is_empty() && symbol.kind != NodeKind::Module {
            found.push((symbol.is_test || is_test_path(&symbol.path), node));
        }
    }
    let has_other = found.iter().any(|(is_test, _)| !is_test);
    found.retain(|(is_test, _)| !(has_other && *is_test));
    Ok(found.into_iter().map(|(_, node)| node).collect())
}

/// The symbol whose name is most likely meant by one that nothing has: a slip of it, or
/// a part.
pub(crate) fn slip(view: &View<'_>, typed: &str) -> Result<Option<NodeId>> {
    let address = Address::parse(typed);
    let Some(last) = address.tails().first().map(|last| (*last).to_owned()) else {
        return Ok(None);
    };
    let mut names = members_near(view, typed, &last)?;
    names.retain(|name| is_slip_of(&last, name.rsplit('.').next().unwrap_or(name)));
    let start: String = last.chars().take(1).collect();
    let mut anywhere = nodes::names_anywhere(view.reader, &start)?;
    anywhere.retain(|name| is_slip_of(&last, name));
    names.extend(
        nearest(&last, anywhere.iter().map(String::as_str), MOST_SLIPS)
            .into_iter()
            .map(str::to_owned),
    );
    for name in names {
        if let Some(node) = exact_symbols(view, &name)?.first() {
            return Ok(Some(*node));
        }
    }
    Ok(None)
}

/// Names that are looked up; those of other repositories are among them.
const MOST_SLIPS: usize = 20;

/// Symbols whose last part begins as typed, shortest name first.
pub(super) fn beginning(view: &View<'_>, typed: &str, limit: usize) -> Result<Vec<NodeId>> {
    /// One letter is the beginning of too much, unless it is said what it is in.
    const SHORTEST: usize = 3;
    let typed = typed.trim_end_matches('*');
    let address = Address::parse(typed);
    let Some(last) = address.tails().first().map(|last| (*last).to_owned()) else {
        return Ok(Vec::new());
    };
    let is_within = address.name.len() > last.len();
    let shortest = if is_within { 1 } else { SHORTEST };
    if last.chars().count() < shortest || typed.contains(' ') {
        return Ok(Vec::new());
    }
    let mut names = nodes::names_like(view.reader, Some(view.scope.repo.id), &last)?;
    names.sort_by_key(|name| (!name.starts_with(&last), name.len(), name.clone()));
    let mut found = Vec::new();
    for name in names {
        let whole = format!("{}{name}", &address.name[..address.name.len() - last.len()]);
        let (_, nodes) = find(view, &whole)?;
        found.extend(nodes);
        if found.len() >= limit {
            break;
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// Symbols by words, best first.
pub(super) fn search(view: &View<'_>, typed: &str, limit: usize) -> Result<Vec<NodeId>> {
    let Ok(query) = Query::parse(typed) else { return Ok(Vec::new()) };
    let within = SymbolScope { repos: &[view.scope.repo.id], ..SymbolScope::default() };
    let words = query.name_words();
    for expression in &query.name_expressions() {
        let wanted = symbols::SymbolQuery { expression, words: &words, name: typed.trim() };
        let mut found = Vec::new();
        // Symbols of other snapshots are in the index too.
        for one in symbols::find(view.reader, &wanted, &within)? {
            if !view.places(one.node)?.is_empty() {
                found.push(one.node);
            }
            if found.len() == limit {
                break;
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Of `Type.nmae`, where there is such a type: what it has that is called most like it.
fn members_near(view: &View<'_>, typed: &str, last: &str) -> Result<Vec<String>> {
    let around = typed.trim().strip_suffix(last).unwrap_or_default();
    let around = around.trim_end_matches(['.', ':', '#']);
    if around.is_empty() {
        return Ok(Vec::new());
    }
    let Some(owner) = candidates(view, around)?.list.first().map(|first| first.nodes[0]) else {
        return Ok(Vec::new());
    };
    let Some(row) = view.node(owner)? else { return Ok(Vec::new()) };
    let scope = row.symbol();
    let mut names = BTreeSet::new();
    for place in view.places(owner)? {
        for node in view.nodes_of(place.file)?.iter() {
            let member = view.node(*node)?.filter(|it| it.scope == scope);
            let Some(member) = member else { continue };
            // What the work tree has not is near to nothing.
            if !view.places(*node)?.is_empty() {
                names.insert(member.name.clone());
            }
        }
    }
    let near = nearest(last, names.iter().map(String::as_str), 3);
    Ok(near.into_iter().map(|name| format!("{}.{name}", row.name)).collect())
}

const MOST_NEAR: usize = 60;

/// Names near to one that nothing has; each of them is of the snapshot.
pub(super) fn suggestions(view: &View<'_>, typed: &str) -> Result<Vec<String>> {
    let address = Address::parse(typed);
    let Some(last) = address.tails().first().map(|last| (*last).to_owned()) else {
        return Ok(Vec::new());
    };
    let of_type = members_near(view, typed, &last)?;
    if !of_type.is_empty() {
        return Ok(of_type);
    }
    let start: String = last.chars().take(1).collect();
    let names = nodes::names_anywhere(view.reader, &start)?;
    let mut near = Vec::new();
    // Other repositories have a say in the list, none in the answer.
    for name in nearest(&last, names.iter().map(String::as_str), MOST_NEAR) {
        if !candidates(view, name)?.list.is_empty() {
            near.push(name.to_owned());
        }
        if near.len() == 3 {
            break;
        }
    }
    Ok(near)
}

/// The likeliest symbol, for those who have no view.
pub fn symbol_named(reader: &Reader, scope: &Scope, typed: &str) -> Result<NodeId> {
    Ok(symbols_named(reader, scope, typed, 1)?[0])
}

/// What a name may mean, the likeliest first.
pub fn symbols_named(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    most: usize,
) -> Result<Vec<NodeId>> {
    let list = some(&View::new(reader, scope), typed)?.list;
    Ok(list.into_iter().flat_map(|candidate| candidate.nodes).take(most).collect())
}

/// The symbol of a name that no other one has.
pub fn only_symbol_named(reader: &Reader, scope: &Scope, typed: &str) -> Result<Option<NodeId>> {
    let list = candidates(&View::new(reader, scope), typed)?.list;
    Ok(match list.as_slice() {
        [only] => only.nodes.first().copied(),
        _ => None,
    })
}

/// The two ends of an edge that are meant: of all that both names may mean the
/// likeliest pair that has it, else the likeliest of each.
pub fn edge_named(
    reader: &Reader,
    scope: &Scope,
    (source, target): (&str, &str),
    kind: EdgeKind,
) -> Result<(NodeId, NodeId)> {
    let view = View::new(reader, scope);
    let nodes = |typed: &str| -> Result<Vec<NodeId>> {
        Ok(some(&view, typed)?.list.into_iter().flat_map(|candidate| candidate.nodes).collect())
    };
    let (sources, targets) = (nodes(source)?, nodes(target)?);
    for source in &sources {
        let steps = view.own_outgoing(*source)?;
        let is_there =
            |target: &&NodeId| steps.iter().any(|step| step.kind == kind && step.node == **target);
        if let Some(target) = targets.iter().find(is_there) {
            return Ok((*source, *target));
        }
    }
    Ok((sources[0], targets[0]))
}

/// The node of a symbol that an answer showed.
pub(crate) fn node_of(view: &View<'_>, symbol: &super::view::SymbolRef) -> Result<Option<NodeId>> {
    for member in super::files::files_like(view, &symbol.path)? {
        let (outline, nodes) = (view.outline(member.file)?, view.nodes_of(member.file)?);
        for (entry, node) in outline.iter().zip(nodes.iter()) {
            if entry.name_line == symbol.line && symbol.kind == entry.kind {
                return Ok(Some(*node));
            }
        }
    }
    Ok(None)
}

/// [`candidates`], of which there is at least one; an error with near names
/// otherwise.
pub(super) fn some(view: &View<'_>, typed: &str) -> Result<Candidates> {
    if typed.trim().is_empty() {
        return Err(Error::usage("no symbol was given").suggest("e.g. Cart.checkout"));
    }
    let found = candidates(view, typed)?;
    if !found.list.is_empty() {
        return Ok(found);
    }
    let shown = one_line(typed, 80);
    let overlay = view.scope.overlay.as_ref();
    if let Some((path, symbol)) = overlay.and_then(|it| it.defining(typed).next()) {
        let place = format!("{}:{}", one_line(path, 120), symbol.start_line);
        return Err(Error::not_found(format!(
            "`{shown}` is new in the work tree ({place}): who uses it is not indexed"
        ))
        .suggest("run: lore index --working-tree"));
    }
    let error = Error::not_found(format!("no symbol `{shown}` in this snapshot"));
    let near = suggestions(view, typed)?;
    Err(match near.as_slice() {
        [] => error.suggest(format!("search by words: lore symbol '{shown}'")),
        near => error.suggest(format!("did you mean {}?", near.join(", "))),
    })
}
