//! HTTP routes: `METHOD /pattern`, and the function that answers.
//!
//! Looked for after a file's facts are known, because a route is said by an
//! ordinary call, a decorator or an attribute: the facts tell which function
//! is meant, the text of the arguments tells the pattern. A pattern that is
//! no literal text is not known here and gives no route.

mod attributes;
mod calls;
mod rails;
mod text;

use crate::facts::{Builder, DefId, DefKind, Expr, ExprId};

/// A route that was found.
pub(crate) struct Route {
    pub method: String,
    pub pattern: String,
    /// What answers, if the text says so.
    pub handler: Option<ExprId>,
    pub at: usize,
}

/// More than this in one file is a table, not a router.
const MAX_ROUTES: usize = 1_000;

/// Adds the routes of a file to its facts.
pub(crate) fn find(b: &mut Builder<'_>, path: &str) {
    let language = b.facts.language.clone();
    let found = match language.as_str() {
        "go" => calls::go(b),
        "typescript" => {
            let mut found = calls::javascript(b);
            found.extend(attributes::nest(b));
            found.extend(attributes::next(b, path));
            found
        }
        "python" => {
            let mut found = calls::django(b);
            found.extend(attributes::python(b));
            found
        }
        "rust" => {
            let mut found = calls::rust(b);
            found.extend(attributes::rust(b));
            found
        }
        "java" => attributes::java(b),
        "csharp" => {
            let mut found = calls::csharp(b);
            found.extend(attributes::csharp(b));
            found
        }
        "ruby" => rails::routes(b, path),
        _ => Vec::new(),
    };
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
    let end = line_end.map_or(b.source.len(), |length| at + length);
    let def = b.def_in(DefId::FILE, DefKind::Route, name, at..end, at);
    let signature = b.signature(at..end);
    b.def_mut(def).signature = signature;
    if let Some(handler) = route.handler {
        b.add_value(def, handler);
    }
}

/// A definition of the file as what answers.
fn handler(b: &mut Builder<'_>, def: DefId) -> ExprId {
    b.expr(Expr::Nameless(def))
}

/// Two patterns, one after the other, with one slash between them.
fn joined(prefix: &str, pattern: &str) -> String {
    let prefix = prefix.trim_end_matches('/');
    let rest = pattern.trim_start_matches('/');
    let prefix = if prefix.is_empty() || prefix.starts_with('/') {
        prefix.to_owned()
    } else {
        format!("/{prefix}")
    };
    if rest.is_empty() && !prefix.is_empty() { prefix } else { format!("{prefix}/{rest}") }
}
