//! `lore routes`: where requests arrive, and what answers them.

use super::scope::{Scope, SnapshotContext};
use super::view::{SymbolRef, View};
use crate::runtime::RouteTraffic;
use model::Result;
use model::code::{EdgeKind, MOUNT, NodeKind, SymbolKind, TOPIC, is_test_path};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::code::nodes;

/// The routes of a snapshot, by pattern and method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Routes {
    pub standing: SnapshotContext,
    pub routes: Vec<Route>,
    /// More than are shown.
    pub total: u64,
    /// Routes that were used and left out, where only dead ones were asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Route {
    /// `GET`, or `ANY` where the code does not say.
    pub method: String,
    pub pattern: String,
    /// Where it is said.
    pub path: String,
    pub line: u32,
    /// What answers it; empty where that could not be told.
    pub handlers: Vec<SymbolRef>,
    /// What production asked of it; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub traffic: Option<RouteTraffic>,
}

/// Routes that hold what was asked for in their method or pattern, in the file or
/// line where they are said, or in the name or place of a handler; all without.
pub fn routes(reader: &Reader, scope: &Scope, asked: &str, limit: usize) -> Result<Routes> {
    let view = View::new(reader, scope);
    let asked = asked.to_lowercase();
    let mut routes = all(&view)?;
    let is_asked = |route: &Route| {
        let holds = |text: &str| text.to_lowercase().contains(&asked);
        holds(&format!("{} {}", route.method, route.pattern))
            || holds(&format!("{}:{}", route.path, route.line))
            || route.handlers.iter().any(|handler| {
                holds(&handler.qualified_name.replace('/', "."))
                    || holds(&handler.qualified_name)
                    || holds(&format!("{}:{}", handler.path, handler.line))
            })
    };
    routes.retain(is_asked);
    // What only tests serve comes after what the program does.
    routes.sort_by(|a, b| {
        let order = |it: &Route| (is_test_path(&it.path), it.pattern.clone(), it.method.clone());
        (order(a), &a.path, a.line).cmp(&(order(b), &b.path, b.line))
    });
    let total = routes.len() as u64;
    routes.truncate(limit);
    Ok(Routes { standing: scope.standing(), routes, total, used: None })
}

/// Every route of the snapshot, with the prefixes it is mounted under.
pub(crate) fn all(view: &View<'_>) -> Result<Vec<Route>> {
    let mut routes = Vec::new();
    for node in nodes::of_kind(view.reader, view.scope.repo.id, NodeKind::RouteHandler)? {
        let (method, pattern) = node.name.split_once(' ').unwrap_or(("ANY", &node.name));
        if method == MOUNT {
            continue;
        }
        let Some(symbol) = view.symbol(node.id)? else { continue };
        let steps = [view.outgoing(node.id)?, view.incoming(node.id)?].concat();
        let mut handlers = Vec::new();
        for step in steps.iter().filter(|step| step.kind == EdgeKind::HandlesRoute) {
            handlers.extend(handler(view, &symbol, node.id, step.node)?);
        }
        if handlers.is_empty() && method == TOPIC {
            handlers.extend(taker(view, node.id)?);
        }
        handlers.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        handlers.dedup();
        for prefix in prefixes(view, node.id, 0)? {
            routes.push(Route {
                method: method.to_owned(),
                pattern: below(&prefix, pattern),
                path: symbol.path.clone(),
                line: symbol.line,
                handlers: handlers.clone(),
                traffic: None,
            });
        }
    }
    Ok(routes)
}

/// The one function a subscription names: `basic_consume(queue="q", on_message_callback=f)`.
fn taker(view: &View<'_>, subscription: NodeId) -> Result<Option<SymbolRef>> {
    let mut named = Vec::new();
    for step in view.outgoing(subscription)? {
        let is_function = view
            .node(step.node)?
            .is_some_and(|it| matches!(it.kind, NodeKind::Function | NodeKind::Method));
        if step.kind == EdgeKind::References && is_function && !named.contains(&step.node) {
            named.push(step.node);
        }
    }
    match named.as_slice() {
        [only] => view.symbol(*only),
        _ => Ok(None),
    }
}

/// What answers; a function written on the spot has no name of its own.
fn handler(
    view: &View<'_>,
    route: &SymbolRef,
    of: NodeId,
    answering: NodeId,
) -> Result<Option<SymbolRef>> {
    let is_route = view.node(answering)?.is_some_and(|it| it.kind == NodeKind::RouteHandler);
    if answering == of || is_route {
        let symbol = "(inline function)".to_owned();
        return Ok(Some(SymbolRef { symbol, kind: SymbolKind::Function, ..route.clone() }));
    }
    view.symbol(answering)
}

/// Mounts lead into mounts; more steps than this is a circle.
const MOST_MOUNTS: u32 = 6;

/// The prefixes under which the router of a route is mounted: itself, the
/// variable it is added to, the function or file that adds it, or the function
/// that answers. The empty one where it is mounted nowhere.
fn prefixes(view: &View<'_>, route: NodeId, depth: u32) -> Result<Vec<String>> {
    let none = vec![String::new()];
    if depth > MOST_MOUNTS {
        return Ok(none);
    }
    let mut levels: Vec<Vec<NodeId>> = vec![Vec::new()];
    // What a mount leads to is below it; who else mounts that is not around it.
    let is_mount = view.node(route)?.is_some_and(|node| node.name.starts_with(MOUNT));
    for step in view.outgoing(route)? {
        let is_router = step.kind == EdgeKind::References
            || step.kind == EdgeKind::HandlesRoute && step.node != route && !is_mount;
        if is_router {
            levels[0].push(step.node);
        }
    }
    let mut at = route;
    for _ in 0..MOST_MOUNTS {
        let around = view.incoming(at)?.into_iter().find(|step| step.kind == EdgeKind::Contains);
        let Some(around) = around else { break };
        levels.push(vec![around.node]);
        at = around.node;
    }
    for level in levels {
        let mut found = Vec::new();
        for router in level {
            for step in view.incoming(router)? {
                let Some(mount) = view.node(step.node)? else { continue };
                let prefix = mount.name.strip_prefix(MOUNT).map(str::trim_start);
                let is_mount = step.kind == EdgeKind::HandlesRoute && step.node != route;
                if let Some(prefix) = prefix.filter(|_| is_mount) {
                    let outer = prefixes(view, step.node, depth + 1)?;
                    found.extend(outer.iter().map(|outer| below(outer, prefix)));
                }
            }
        }
        if !found.is_empty() {
            found.sort();
            found.dedup();
            return Ok(found);
        }
    }
    Ok(none)
}

/// A pattern below a prefix.
fn below(prefix: &str, pattern: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    match (prefix, pattern.trim_start_matches('/')) {
        ("", _) => pattern.to_owned(),
        (prefix, "") => format!("{prefix}/"),
        (prefix, rest) => format!("{prefix}/{rest}"),
    }
}
