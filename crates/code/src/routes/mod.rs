//! HTTP routes: `METHOD /pattern`, and the function that answers.
//!
//! Looked for after a file's facts are known, because a route is said by an
//! ordinary call, a decorator or an attribute: the facts tell which function
//! is meant, the text of the arguments tells the pattern. What of a pattern is
//! no literal text is shown as unknown, in braces. Each language reads the
//! frameworks written in it; here is what they share.
//!
//! A router that is mounted under a prefix may be filled in another function
//! or file. The mount is then a definition of its own, `MOUNT /prefix`, which
//! leads to what is mounted; who lists routes puts the two together.

mod attributes;
mod calls;
pub(crate) mod text;
mod topics;

pub(crate) use attributes::{METHODS as LOWER_METHODS, contains, heads};
pub(crate) use calls::{Groups, METHODS, answering, argument, assigned, imports};
pub(crate) use topics::find as topics;

use crate::facts::{Builder, DefId, DefKind, Expr, ExprId};
use model::code::MOUNT;
use text::CallText;

/// A route that was found.
#[derive(Default)]
pub struct Route {
    pub method: String,
    pub pattern: String,
    /// What answers, if the text says so.
    pub handler: Option<ExprId>,
    pub at: usize,
    /// The call that says so, among the calls of the facts.
    pub call: Option<usize>,
    /// What the route is added to.
    pub router: Option<ExprId>,
}

impl Route {
    /// A route said by a call; the rest is to be filled in.
    pub(crate) fn of(call: &CallText<'_>) -> Self {
        Route { at: call.span.start, call: Some(call.index), ..Route::default() }
    }

    /// Everything the mounted router answers is below a prefix.
    pub(crate) fn mount(call: &CallText<'_>, prefix: &str, mounted: ExprId) -> Self {
        Route {
            method: MOUNT.to_owned(),
            pattern: joined("", prefix),
            handler: Some(mounted),
            ..Route::of(call)
        }
    }
}

/// More than this in one file is a table, not a router.
const MAX_ROUTES: usize = 1_000;

/// Adds the routes of a file to its facts.
pub(crate) fn add_all(b: &mut Builder<'_>, found: Vec<Route>) {
    for route in found.into_iter().take(MAX_ROUTES) {
        add(b, route);
    }
}

fn add(b: &mut Builder<'_>, route: Route) {
    let pattern = route.pattern.trim();
    if pattern.len() > 300 || pattern.contains(['\n', '\0']) {
        return;
    }
    let name = format!("{} {pattern}", route.method);
    let name = b.name(&name);
    let at = route.at.min(b.source.len());
    let line_end = b.source[at..].iter().position(|byte| *byte == b'\n');
    let line_end = line_end.map_or(b.source.len(), |length| at + length);
    let call = route.call.and_then(|index| b.facts.calls.get(index)).cloned();
    // A function written on the spot is part of the route, and what it calls
    // the route calls.
    let inline = route.handler.and_then(|handler| match b.facts.exprs[handler.ix()] {
        Expr::Nameless(def) if b.facts.def(def).kind == DefKind::Lambda => Some(def),
        _ => None,
    });
    let end = inline.map_or(0, |def| b.facts.def(def).span.end_byte as usize).max(line_end);
    let within = call.as_ref().map_or(DefId::FILE, |call| b.facts.symbol_around(call.within));
    let def = b.def_in(within, DefKind::Route, name, at..end.min(b.source.len()), at);
    let signature = b.signature(at..line_end);
    b.def_mut(def).signature = signature;
    // The first of several methods holds it.
    if let Some(inline) = inline
        && b.facts.def(b.facts.def(inline).parent).kind != DefKind::Route
    {
        b.def_mut(inline).parent = def;
    }
    if let Some(handler) = route.handler {
        b.add_value(def, handler);
    }
    let router = route.router.or_else(|| call.and_then(|call| receiver(b, call.expr)));
    b.def_mut(def).decorators = router.into_iter().collect();
}

/// What a chain of calls begins with: `r` of `r.With(x).Get`.
fn receiver(b: &Builder<'_>, call: ExprId) -> Option<ExprId> {
    let mut at = call;
    for _ in 0..8 {
        at = match &b.facts.exprs[at.ix()] {
            Expr::Call(callee, _) => match &b.facts.exprs[callee.ix()] {
                Expr::Member(base, _) => *base,
                _ => return None,
            },
            Expr::Local(..) | Expr::Free(..) | Expr::Member(..) => return Some(at),
            _ => return None,
        };
    }
    None
}

/// A definition of the file as what answers.
pub(crate) fn handler(b: &mut Builder<'_>, def: DefId) -> ExprId {
    b.expr(Expr::Nameless(def))
}

/// Two patterns, one after the other, with one slash between them.
pub(crate) fn joined(prefix: &str, pattern: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    // A beginning that is not known may hold a host as well.
    if prefix.is_empty() && pattern.starts_with('{') {
        return pattern.to_owned();
    }
    let rest = pattern.trim_start_matches('/');
    let prefix = if prefix.is_empty() || prefix.starts_with(['/', '{']) {
        prefix.to_owned()
    } else {
        format!("/{prefix}")
    };
    if rest.is_empty() && !prefix.is_empty() { prefix } else { format!("{prefix}/{rest}") }
}
