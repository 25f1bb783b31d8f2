//! What is known of a symbol or a file that its text does not say: who uses it from
//! elsewhere, what it answers for, which tests reach it, why it is so.

use super::located::{LineRange, LocatedSymbol, has_word};
use super::quote::{data, name};
use super::{LineKind, PushContext, PushLine};
use crate::agent_text::short;
use crate::code::walk::walk;
use crate::code::{Direction, TraversalOptions, View, files_of_step};
use crate::context::is_aside;
use crate::why::linked_records;
use model::Result;
use model::code::{EdgeKind, NodeKind, SymbolKind, is_test_file, is_test_path};
use model::ids::NodeId;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use store::paths;

/// Places named of many.
const NAMED: usize = 3;
/// Files of tests that are named.
const FILES_OF_TESTS: usize = 2;
/// Columns of a quoted text.
const QUOTED: usize = 150;
/// Notes on lines of a file that are looked through.
const NOTES: usize = 100;

/// Records that people linked to a file, its lines or its symbols.
pub(super) fn decisions(
    context: &PushContext<'_>,
    path: &str,
    symbols: &[&LocatedSymbol],
    shown: &str,
) -> Result<Vec<PushLine>> {
    linked(context, Some(path), symbols, shown)
}

/// Records that people linked to symbols by name: what is linked to their files is for
/// those who open them.
pub(super) fn decisions_of(
    context: &PushContext<'_>,
    view: &View<'_>,
    nodes: &[NodeId],
    shown: &str,
) -> Result<Vec<PushLine>> {
    let mut lines = Vec::new();
    for node in nodes {
        let (Some(at), Some(row)) = (view.symbol(*node)?, view.node(*node)?) else { continue };
        if row.kind == NodeKind::Module {
            continue;
        }
        let symbol = LocatedSymbol {
            node: *node,
            name: row.name.clone(),
            symbol: row.symbol(),
            head: row.name.clone(),
            is_test: at.is_test,
            lines: LineRange { first: at.line, last: at.line },
        };
        lines.extend(linked(context, None, &[&symbol], shown)?);
    }
    Ok(lines)
}

fn linked(
    context: &PushContext<'_>,
    path: Option<&str>,
    symbols: &[&LocatedSymbol],
    shown: &str,
) -> Result<Vec<PushLine>> {
    let mut ends: Vec<String> = path.into_iter().map(|path| format!("path:{path}")).collect();
    for symbol in symbols {
        ends.push(format!("symbol:{}", symbol.name));
        ends.extend(own_names(&symbol.symbol).map(|it| format!("symbol:{it}")));
    }
    let is_near = |linked_to: &str| match linked_to.rsplit_once(':') {
        Some((file, line)) if Some(file) == path => line.parse().is_ok_and(|line: u32| {
            symbols.is_empty() || symbols.iter().any(|symbol| symbol.lines.holds(line))
        }),
        _ => true,
    };
    let mut lines = Vec::new();
    for found in linked_records(context.reader, &ends)? {
        let record = &found.record;
        let is_own = context.memory.dirs.iter().any(|dir| record.file.starts_with(dir));
        if found.is_superseded || record.foreign || !is_own || !is_near(&found.linked_to) {
            continue;
        }
        let id = record.id.to_string();
        if shown.contains(&id) || shown.contains(&record.title) {
            continue;
        }
        let text = format!(
            "{} {id} ({}): {}",
            record.kind,
            record.created_at.to_date(),
            data(&record.title, QUOTED)
        );
        lines.push(PushLine::new(LineKind::Decision, id, "", text));
    }
    Ok(lines)
}

/// `cart.Cart.total` by every end that people may have written.
fn own_names(symbol: &str) -> impl Iterator<Item = &str> {
    let ends = symbol.match_indices('.').map(|(at, _)| &symbol[at + 1..]);
    std::iter::once(symbol).chain(ends).filter(|it| it.contains('.'))
}

/// Threads on these symbols in merge requests: open ones, and those that argue.
pub(super) fn threads(
    context: &PushContext<'_>,
    path: &str,
    symbols: &[&LocatedSymbol],
    shown: &str,
) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let Some(project) = scope.repo.project else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for note in paths::line_notes(context.reader, project, path, NOTES)? {
        let about = symbols.iter().find(|symbol| {
            has_word(&note.body, &symbol.name)
                || note.line.is_some_and(|line| symbol.lines.holds(line))
        });
        let Some(symbol) = about else { continue };
        let cues = search::decision::cues(&note.body);
        let points = search::decision::points(&cues);
        let is_named = has_word(&note.body, &symbol.name);
        if !note.is_open && (points < ARGUES || !is_named) {
            continue;
        }
        found.push((note.is_open, points, note));
    }
    found.sort_by_key(|it| Reverse((it.0, it.1, it.2.created_at)));
    let mut lines: Vec<PushLine> = Vec::new();
    for (is_open, _, note) in found {
        let source = format!("!{}", note.iid);
        let text = one_sentence(&note.body);
        if shown.contains(text.trim()) {
            continue;
        }
        let author = note.author.as_deref().map(name).unwrap_or_default();
        let state = if is_open { "open thread" } else { "thread" };
        let text = format!(
            "{state} in {source} ({author} {}): {}",
            note.created_at.to_date(),
            data(text, QUOTED)
        );
        lines.push(PushLine::new(LineKind::Thread, source, &note.discussion.to_string(), text));
    }
    Ok(lines)
}

/// Points of a note from which on it argues for a choice.
const ARGUES: i32 = 40;

/// The beginning of a note, without what it quotes.
fn one_sentence(body: &str) -> &str {
    let own = body.lines().map(str::trim).find(|line| {
        !line.is_empty() && !line.starts_with(['>', '#', '!', '|']) && !line.starts_with("```")
    });
    own.unwrap_or(body)
}

/// Who uses a symbol from outside its file.
pub(super) fn users(
    view: &View<'_>,
    path: &str,
    symbol: &LocatedSymbol,
) -> Result<Option<PushLine>> {
    let mut users: BTreeMap<NodeId, (String, u32, String)> = BTreeMap::new();
    for step in view.own_incoming(symbol.node)? {
        if !is_use(step.kind) {
            continue;
        }
        let Some(user) = view.symbol(step.node)? else { continue };
        let site = view.path(step.file)?;
        if site == path || user.is_test || is_test_path(&site) {
            continue;
        }
        users.entry(step.node).or_insert((site, step.line, user.symbol));
    }
    if users.is_empty() {
        return Ok(None);
    }
    let mut places: Vec<(String, u32, String)> = users.into_values().collect();
    // Benchmarks and examples break too, but nobody waits for them.
    places.sort_by(|a, b| (is_aside(&a.0), a).cmp(&(is_aside(&b.0), b)));
    let n_users = places.len();
    // One of each file first: they say more than three of one.
    let mut files = std::collections::BTreeSet::new();
    let (first, rest): (Vec<_>, Vec<_>) =
        places.into_iter().partition(|(path, _, _)| files.insert(path.clone()));
    let shown: Vec<String> = first
        .iter()
        .chain(&rest)
        .take(NAMED)
        .map(|(path, line, user)| format!("{} {}:{line}", name(last(user)), name(path)))
        .collect();
    let rest = if n_users > NAMED { format!(" +{}", n_users - NAMED) } else { String::new() };
    let own = name(short(&symbol.symbol));
    let plural = if n_users == 1 { "" } else { "s" };
    let text =
        format!("{own}: {n_users} user{plural} outside this file: {}{rest}", shown.join(", "));
    Ok(Some(PushLine::new(LineKind::Callers, "index", &symbol.symbol, text)))
}

const fn is_use(kind: EdgeKind) -> bool {
    matches!(
        kind,
        EdgeKind::Calls
            | EdgeKind::References
            | EdgeKind::Inherits
            | EdgeKind::Implements
            | EdgeKind::RpcCalls
            | EdgeKind::ReadsField
            | EdgeKind::WritesField
    )
}

/// What a symbol must go on to fit: routes, what it overrides, who overrides it.
pub(super) fn contract(view: &View<'_>, symbol: &LocatedSymbol) -> Result<Option<PushLine>> {
    let mut parts = Vec::new();
    let (outgoing, incoming) = (view.own_outgoing(symbol.node)?, view.own_incoming(symbol.node)?);
    for step in incoming.iter().chain(&outgoing) {
        if step.kind == EdgeKind::HandlesRoute
            && let Some(route) = view.node(step.node)?
        {
            let said = format!("serves {}", data(&route.name, 60));
            if !parts.contains(&said) {
                parts.push(said);
            }
        }
    }
    for step in outgoing.iter().filter(|step| step.kind == EdgeKind::Overrides).take(1) {
        if let Some(base) = view.symbol(step.node)? {
            let place = match base.path.as_str() {
                "" => String::new(),
                path => format!(" {}:{}", name(path), base.line),
            };
            parts.push(format!("overrides {}{place}", name(short(&base.symbol))));
        }
    }
    let overriding: Vec<NodeId> = incoming
        .iter()
        .filter(|step| step.kind == EdgeKind::Overrides)
        .map(|step| step.node)
        .collect();
    if let Some(first) = overriding.first()
        && let Some(other) = view.symbol(*first)?
    {
        let n = overriding.len();
        parts.push(format!("overridden {n}×, e.g. {}:{}", name(&other.path), other.line));
    }
    if parts.is_empty() {
        return Ok(None);
    }
    parts.truncate(NAMED);
    let text = format!("{} {}", name(short(&symbol.symbol)), parts.join("; "));
    Ok(Some(PushLine::new(LineKind::Contract, "index", &symbol.symbol, text)))
}

/// Of a file: how many steps away its nearest test is, and all of them.
type FileTests = (u32, Vec<ReachingTest>);

struct ReachingTest {
    node: NodeId,
    /// Where it is written in the file.
    symbol: Option<String>,
}

/// Whether other functions call what stands among the tests: it helps them, and is no test.
fn is_helper(view: &View<'_>, test: &ReachingTest) -> Result<bool> {
    if test.symbol.is_none() {
        return Ok(false);
    }
    let callers = view.own_incoming(test.node)?;
    Ok(callers.iter().any(|step| step.kind == EdgeKind::Calls && step.node != test.node))
}

/// Tests that reach symbols, the nearest first.
pub(super) fn tests(view: &View<'_>, symbols: &[&LocatedSymbol]) -> Result<Option<PushLine>> {
    let nodes: Vec<NodeId> = symbols.iter().map(|symbol| symbol.node).collect();
    let options = TraversalOptions {
        max_depth: 3,
        max_results: 300,
        min_confidence: 50,
        kinds: vec![EdgeKind::Calls, EdgeKind::Tests, EdgeKind::Inherits],
        through_bases: true,
    };
    let mut files: BTreeMap<String, FileTests> = BTreeMap::new();
    for reached in walk(view, &nodes, Direction::Incoming, &options)?.reached {
        let Some(symbol) = view.symbol(reached.node)? else { continue };
        for path in files_of_step(view, &reached, &nodes)? {
            if !symbol.is_test && !is_test_file(&path) {
                continue;
            }
            let is_named = path == symbol.path && symbol.kind != SymbolKind::Module;
            let named = is_named.then(|| symbol.symbol.clone());
            let entry = files.entry(path).or_insert((reached.depth, Vec::new()));
            entry.0 = entry.0.min(reached.depth);
            entry.1.push(ReachingTest { node: reached.node, symbol: named });
        }
    }
    let mut files: Vec<(String, FileTests)> = files.into_iter().collect();
    files.sort_by(|a, b| (a.1.0, &a.0).cmp(&(b.1.0, &b.0)));
    let mut shown: Vec<String> = Vec::new();
    let mut n_files = 0;
    for (path, (_, mut tests)) in files {
        if shown.len() < FILES_OF_TESTS {
            let mut own = Vec::new();
            for test in tests {
                if !is_helper(view, &test)? {
                    own.push(test);
                }
            }
            tests = own;
            let text = match tests.as_slice() {
                [] => continue,
                [ReachingTest { symbol: Some(only), .. }] => {
                    format!("{} ({})", name(&path), name(last(only)))
                }
                [_] => name(&path),
                several => format!("{} ({} tests)", name(&path), several.len()),
            };
            shown.push(text);
        }
        n_files += 1;
    }
    if shown.is_empty() {
        return Ok(None);
    }
    let more = n_files - shown.len();
    let plural = if more == 1 { "" } else { "s" };
    let rest = if more > 0 { format!(" +{more} file{plural}") } else { String::new() };
    let about: Vec<&str> = symbols.iter().map(|symbol| symbol.symbol.as_str()).collect();
    let text = format!("tests that reach it: {}{rest}", shown.join(", "));
    Ok(Some(PushLine::new(LineKind::Tests, "index", &about.join(","), text)))
}

fn last(symbol: &str) -> &str {
    symbol.rsplit('.').next().unwrap_or(symbol)
}

#[cfg(test)]
mod tests_of_names {
    use super::*;

    #[test]
    fn symbols_are_named_as_people_do() {
        assert_eq!(own_names("a.b.c").collect::<Vec<_>>(), ["a.b.c", "b.c"]);
    }

    #[test]
    fn a_note_begins_where_its_writer_does() {
        assert_eq!(one_sentence("> you said\n\nNo, because x.\nMore"), "No, because x.");
    }
}
