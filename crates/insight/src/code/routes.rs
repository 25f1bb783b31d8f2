//! `lore routes`: where requests arrive, and what answers them.

use super::scope::{Scope, Standing};
use super::view::{SymbolRef, View};
use model::Result;
use model::code::{EdgeKind, NodeKind};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::code::nodes;

/// The routes of a snapshot, by pattern and method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Routes {
    pub standing: Standing,
    pub routes: Vec<Route>,
    /// More than are shown.
    pub total: u64,
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
}

/// Routes that hold what was asked for in their method or pattern, in the file or
/// line where they are said, or in the name or place of a handler; all without.
pub fn routes(reader: &Reader, scope: &Scope, asked: &str, limit: usize) -> Result<Routes> {
    let view = View::new(reader, scope);
    let asked = asked.to_lowercase();
    let mut routes = Vec::new();
    for node in nodes::of_kind(reader, scope.repo.id, NodeKind::RouteHandler)? {
        let Some(symbol) = view.symbol(node.id)? else { continue };
        let (method, pattern) = node.name.split_once(' ').unwrap_or(("ANY", &node.name));
        let steps = [view.outgoing(node.id)?, view.incoming(node.id)?].concat();
        let mut handlers = Vec::new();
        for step in steps.iter().filter(|step| step.kind == EdgeKind::HandlesRoute) {
            handlers.extend(view.symbol(step.node)?);
        }
        let holds = |text: &str| text.to_lowercase().contains(&asked);
        let is_asked = holds(&node.name)
            || holds(&format!("{}:{}", symbol.path, symbol.line))
            || handlers.iter().any(|handler| {
                holds(&handler.qualified_name.replace('/', "."))
                    || holds(&handler.qualified_name)
                    || holds(&format!("{}:{}", handler.path, handler.line))
            });
        if !is_asked {
            continue;
        }
        routes.push(Route {
            method: method.to_owned(),
            pattern: pattern.to_owned(),
            path: symbol.path,
            line: symbol.line,
            handlers,
        });
    }
    routes.sort_by(|a, b| {
        (&a.pattern, &a.method, &a.path, a.line).cmp(&(&b.pattern, &b.method, &b.path, b.line))
    });
    let total = routes.len() as u64;
    routes.truncate(limit);
    Ok(Routes { standing: scope.standing(), routes, total })
}
