//! Routes said by calls: a router is given a pattern and a function.

use super::text::{Written, calls};
use super::{Route, joined};
use crate::facts::{Builder, DefId, Expr, ExprId};

const METHODS: [&str; 9] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE"];

/// The n-th argument of a call as the facts have it.
fn argument(b: &Builder<'_>, call: &Written<'_>, nth: usize) -> Option<ExprId> {
    let expr = b.facts.calls.get(call.index)?.expr;
    match &b.facts.exprs[expr.ix()] {
        Expr::Call(_, args) | Expr::New(_, args) => args.get(nth).copied(),
        _ => None,
    }
}

/// The function behind an argument: through a wrapper's last argument, and
/// through `View.as_view()` to the class.
fn answering(b: &Builder<'_>, id: Option<ExprId>) -> Option<ExprId> {
    let mut id = id.filter(|id| *id != Builder::OPAQUE)?;
    for _ in 0..4 {
        match &b.facts.exprs[id.ix()] {
            Expr::Call(callee, args) => match (args.last(), &b.facts.exprs[callee.ix()]) {
                (Some(last), _) => id = *last,
                (None, Expr::Member(base, _)) => id = *base,
                _ => return None,
            },
            _ => return Some(id),
        }
    }
    None
}

fn imports(b: &Builder<'_>, words: &[&str]) -> bool {
    b.facts.imports.iter().any(|import| {
        import.path.iter().any(|name| {
            let text = b.facts.text(*name);
            words.iter().any(|word| text.contains(word))
        })
    })
}

/// The text before a call on its line: the variable it is assigned to.
fn assigned<'s>(b: &Builder<'s>, call: &Written<'_>) -> &'s str {
    let source: &'s [u8] = b.source;
    let line = source[..call.span.start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    let name = line.split(['=', ':']).next().unwrap_or_default().trim();
    name.rsplit(' ').next().unwrap_or(name)
}

/// The patterns of the calls a call stands in, and of its receiver.
fn prefix(call: &Written<'_>, nests: &[Written<'_>], groups: &[(String, String)]) -> String {
    let mut prefix = groups
        .iter()
        .rev()
        .find(|(name, _)| *name == call.receiver)
        .map_or(String::new(), |(_, prefix)| prefix.clone());
    for nest in nests {
        let is_inside = nest.span.start < call.span.start && call.span.end <= nest.span.end;
        if is_inside && let Some(pattern) = nest.literal(0) {
            prefix = joined(&prefix, pattern);
        }
    }
    prefix
}

/// net/http, chi, gin, echo, gorilla/mux.
pub(super) fn go(b: &mut Builder<'_>) -> Vec<Route> {
    let is_plain = imports(b, &["net/http", "gorilla/mux", "chi", "fiber"]);
    let is_chi = imports(b, &["chi"]);
    let is_gin = imports(b, &["gin", "echo", "fiber"]);
    let is_echo = imports(b, &["labstack/echo"]);
    if !is_plain && !is_gin {
        return Vec::new();
    }
    let nests = calls(b, |name| name == "Route");
    let mut groups: Vec<(String, String)> = Vec::new();
    for group in calls(b, |name| matches!(name, "Group" | "PathPrefix")) {
        if let Some(pattern) = group.literal(0) {
            let name = assigned(b, &group).to_owned();
            let before = prefix(&group, &nests, &groups);
            groups.push((name, joined(&before, pattern)));
        }
    }
    let chained = calls(b, |name| name == "Methods");
    let wanted = calls(b, |name| {
        let upper = name.to_ascii_uppercase();
        matches!(name, "HandleFunc" | "Handle" | "Method" | "MethodFunc" | "Any")
            || METHODS.contains(&upper.as_str())
    });
    let mut found = Vec::new();
    for call in &wanted {
        let upper = call.name.to_ascii_uppercase();
        let (mut method, nth) = match call.name.as_str() {
            "HandleFunc" | "Handle" if is_plain => ("ANY".to_owned(), 0),
            "Method" | "MethodFunc" if is_chi => {
                (call.literal(0).unwrap_or("ANY").to_ascii_uppercase(), 1)
            }
            "Any" if is_gin => ("ANY".to_owned(), 0),
            name if is_gin && name == upper && METHODS.contains(&upper.as_str()) => (upper, 0),
            _ if is_chi && METHODS.contains(&upper.as_str()) => (upper, 0),
            _ => continue,
        };
        let Some(mut pattern) = call.literal(nth) else { continue };
        if call.args.len() < nth + 2 {
            continue;
        }
        // `mux.HandleFunc("GET /x", f)`.
        if let Some((verb, rest)) = pattern.split_once(' ')
            && METHODS.contains(&verb)
        {
            verb.clone_into(&mut method);
            pattern = rest.trim();
        }
        let is_path = pattern.starts_with('/') || pattern.is_empty() || pattern.contains('/');
        if !is_path {
            continue;
        }
        // `HandleFunc(…).Methods("GET")`.
        let follows = |other: &&Written<'_>| {
            other.span.start >= call.span.end && other.span.start - call.span.end < 8
        };
        if let Some(verb) = chained.iter().find(follows).and_then(|call| call.literal(0)) {
            method = verb.to_ascii_uppercase();
        }
        let pattern = joined(&prefix(call, &nests, &groups), pattern);
        // Echo takes what wraps a function after it, the others before.
        let last = if is_echo { nth + 1 } else { call.args.len() - 1 };
        let given = argument(b, call, last).or_else(|| argument(b, call, nth + 1));
        found.push(Route { method, pattern, handler: answering(b, given), at: call.span.start });
    }
    found
}

/// Express, Fastify, Hono.
pub(super) fn javascript(b: &mut Builder<'_>) -> Vec<Route> {
    let text = b.source;
    let words: [&[u8]; 6] = [b"express", b"fastify", b"hono", b"koa", b"Router(", b"Hono"];
    if !words.iter().any(|word| text.windows(word.len()).any(|part| part == *word)) {
        return Vec::new();
    }
    let mut mounts: Vec<(String, String)> = Vec::new();
    for mount in calls(b, |name| matches!(name, "use" | "route" | "basePath")) {
        match (mount.literal(0), mount.args.get(1)) {
            (Some(pattern), Some(router)) => {
                mounts.push(((*router).to_owned(), pattern.to_owned()));
            }
            (Some(pattern), None) if mount.name == "basePath" => {
                mounts.push((assigned(b, &mount).to_owned(), pattern.to_owned()));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    let wanted = calls(b, |name| {
        matches!(
            name,
            "get" | "post" | "put" | "patch" | "delete" | "head" | "options" | "all" | "del"
        )
    });
    for call in &wanted {
        let Some(pattern) = call.literal(0) else { continue };
        let is_route = (pattern.starts_with('/') || pattern == "*") && call.args.len() >= 2;
        if !is_route || call.receiver.is_empty() {
            continue;
        }
        let method = match call.name.as_str() {
            "all" => "ANY".to_owned(),
            "del" => "DELETE".to_owned(),
            name => name.to_ascii_uppercase(),
        };
        let pattern = joined(&prefix(call, &[], &mounts), pattern);
        let given = answering(b, argument(b, call, call.args.len() - 1));
        found.push(Route { method, pattern, handler: given, at: call.span.start });
    }
    for call in calls(b, |name| name == "route") {
        found.extend(described(b, &call));
    }
    found
}

/// Fastify: `route({ method: 'GET', url: '/x', handler: f })`.
fn described(b: &mut Builder<'_>, call: &Written<'_>) -> Option<Route> {
    let object = call.args.first().filter(|text| text.starts_with('{'))?;
    let method = entry(object, "method")?.to_ascii_uppercase();
    let pattern = entry(object, "url").or_else(|| entry(object, "path"))?.to_owned();
    if !METHODS.contains(&method.as_str()) || !pattern.starts_with('/') {
        return None;
    }
    let record = match b.facts.exprs[argument(b, call, 0)?.ix()] {
        Expr::Nameless(record) => Some(record),
        _ => None,
    };
    let field = b.facts.defs.iter().enumerate().find_map(|(at, def)| {
        let is_handler = Some(def.parent) == record && b.facts.text(def.name) == "handler";
        is_handler.then_some((DefId(at as u32), def.kind))
    });
    let handler = match field {
        Some((method, kind)) if kind.is_callable() => Some(super::handler(b, method)),
        Some((field, _)) => answering(b, b.value_of(field)),
        None => None,
    };
    Some(Route { method, pattern, handler, at: call.span.start })
}

/// The literal text an object gives a name.
fn entry<'t>(object: &'t str, name: &str) -> Option<&'t str> {
    object.match_indices(name).find_map(|(at, _)| {
        let before = object[..at].trim_end().chars().next_back();
        let rest = object[at + name.len()..].trim_start().strip_prefix(':')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
        let text = rest[1..].split(quote).next()?;
        matches!(before, Some('{' | ',')).then_some(text)
    })
}

/// Django: `path("x/", views.index)` in the list of a `urls` module.
pub(super) fn django(b: &mut Builder<'_>) -> Vec<Route> {
    if !imports(b, &["django"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for call in calls(b, |name| matches!(name, "path" | "re_path" | "url")) {
        let Some(pattern) = call.literal(0) else { continue };
        let is_include = call.args.get(1).is_none_or(|arg| arg.starts_with("include("));
        if is_include {
            continue;
        }
        let pattern = joined("", pattern.trim_start_matches('^').trim_end_matches('$'));
        let given = answering(b, argument(b, &call, 1));
        found.push(Route {
            method: "ANY".to_owned(),
            pattern,
            handler: given,
            at: call.span.start,
        });
    }
    found
}

/// Axum and Actix: `.route("/x", get(f).post(g))`, `.route("/x", web::get().to(f))`.
pub(super) fn rust(b: &mut Builder<'_>) -> Vec<Route> {
    let outer = calls(b, |name| matches!(name, "route" | "resource"));
    if outer.is_empty() {
        return Vec::new();
    }
    let verbs = calls(b, |name| METHODS.contains(&name.to_ascii_uppercase().as_str()));
    let answers = calls(b, |name| name == "to");
    let mut found = Vec::new();
    for call in &outer {
        let Some(pattern) = call.literal(0).filter(|pattern| pattern.starts_with('/')) else {
            continue;
        };
        // What follows `web::resource("/x")` in its chain is of that resource.
        let end = if call.name == "resource" { call.span.end + 400 } else { call.span.end };
        let inside =
            |other: &&Written<'_>| other.span.start > call.span.start && other.span.start < end;
        for verb in verbs.iter().filter(inside) {
            let method = verb.name.to_ascii_uppercase();
            let mut given = answering(b, argument(b, verb, 0));
            if given.is_none() {
                let to = answers.iter().find(|to| to.span.start >= verb.span.end);
                given = to.and_then(|to| answering(b, argument(b, to, 0)));
            }
            let pattern = pattern.to_owned();
            found.push(Route { method, pattern, handler: given, at: verb.span.start });
        }
    }
    found
}

/// ASP.NET Core: `app.MapGet("/x", Handler)`.
pub(super) fn csharp(b: &mut Builder<'_>) -> Vec<Route> {
    let wanted =
        calls(b, |name| matches!(name, "MapGet" | "MapPost" | "MapPut" | "MapPatch" | "MapDelete"));
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut groups: Vec<(String, String)> = Vec::new();
    for group in calls(b, |name| name == "MapGroup") {
        if let Some(pattern) = group.literal(0) {
            let before = prefix(&group, &[], &groups);
            groups.push((assigned(b, &group).to_owned(), joined(&before, pattern)));
        }
    }
    let mut found = Vec::new();
    for call in &wanted {
        let Some(pattern) = call.literal(0) else { continue };
        let method = call.name.trim_start_matches("Map").to_ascii_uppercase();
        let pattern = joined(&prefix(call, &[], &groups), pattern);
        let given = answering(b, argument(b, call, 1));
        found.push(Route { method, pattern, handler: given, at: call.span.start });
    }
    found
}
