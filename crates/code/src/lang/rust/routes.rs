//! Routes of Actix, Axum and Rocket.

use crate::facts::{Builder, Space};
use crate::routes::text::{CallText, attributes, calls, literal};
use crate::routes::{LOWER_METHODS, METHODS, Route, answering, argument, handler, heads, joined};

pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = chained(b);
    found.extend(attributed(b));
    found.extend(mounts(b));
    found
}

/// Axum and Actix: `.route("/x", get(f).post(g))`, `.route("/x", web::get().to(f))`.
fn chained(b: &mut Builder<'_>) -> Vec<Route> {
    let outer = calls(b, |name| matches!(name, "route" | "resource"));
    if outer.is_empty() {
        return Vec::new();
    }
    let verbs = calls(b, |name| METHODS.contains(&name.to_ascii_uppercase().as_str()));
    let answers = calls(b, |name| name == "to");
    let nests = nests(b);
    let mut found = Vec::new();
    for call in &outer {
        let pattern = call.pattern(0).filter(|pattern| pattern.starts_with(['/', '{']));
        let Some(pattern) = pattern else { continue };
        let pattern = joined(&prefix(b, call, &nests), &pattern);
        // What follows `web::resource("/x")` in its chain is of that resource.
        let end = if call.name == "resource" { call.span.end + 400 } else { call.span.end };
        let inside =
            |other: &&CallText<'_>| other.span.start > call.span.start && other.span.start < end;
        for verb in verbs.iter().filter(inside) {
            let method = verb.name.to_ascii_uppercase();
            let mut given = answering(b, argument(b, verb, 0));
            if given.is_none() {
                let to = answers.iter().find(|to| to.span.start >= verb.span.end);
                given = to.and_then(|to| answering(b, argument(b, to, 0)));
            }
            let pattern = pattern.clone();
            found.push(Route { method, pattern, handler: given, ..Route::of(verb) });
        }
    }
    found
}

/// `.nest("/x", …)` of Axum and `web::scope("/x")` of Actix, with the text they
/// are about.
fn nests<'s>(b: &Builder<'s>) -> Vec<(CallText<'s>, String)> {
    let all = calls(b, |name| matches!(name, "nest" | "scope"));
    all.into_iter()
        .filter_map(|call| {
            let pattern = call.pattern(0)?;
            Some((call, pattern))
        })
        .collect()
}

/// The prefixes a route is below: of the calls it stands in, of the chain it
/// continues, and of the variable that is nested somewhere else.
fn prefix(b: &Builder<'_>, call: &CallText<'_>, nests: &[(CallText<'_>, String)]) -> String {
    let mut prefix = String::new();
    let variable = variable(b, call.span.start);
    for (nest, pattern) in nests {
        let is_inside = nest.span.start < call.span.start && call.span.end <= nest.span.end;
        let is_chained = nest.name == "scope"
            && nest.span.end <= call.span.start
            && b.source[nest.span.end..call.span.start].iter().all(|byte| *byte != b';')
            && call.receiver.contains("scope");
        let is_named =
            !variable.is_empty() && nest.args.get(1).is_some_and(|router| *router == variable);
        if is_inside || is_chained || is_named {
            prefix = joined(&prefix, pattern);
        }
    }
    prefix
}

/// The variable whose value the statement around a place makes.
fn variable<'s>(b: &Builder<'s>, at: usize) -> &'s str {
    let source: &'s [u8] = b.source;
    let start = at.saturating_sub(4_000);
    let before = std::str::from_utf8(&source[start..at]).unwrap_or_default();
    let Some((_, statement)) = before.rsplit_once("let ") else { return "" };
    if statement.contains(";\n") {
        return "";
    }
    let name = statement.split(['=', ':']).next().unwrap_or_default().trim();
    name.trim_start_matches("mut ").trim()
}

/// Rocket and Actix: `#[get("/x")]`.
fn attributed(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for head in heads(b, "#[") {
        for attribute in attributes(head.text, "#[") {
            if !LOWER_METHODS.contains(&attribute.name) {
                continue;
            }
            let Some(pattern) = attribute.args.first().and_then(|arg| literal(arg)) else {
                continue;
            };
            if !pattern.starts_with('/') {
                continue;
            }
            let method = attribute.name.to_ascii_uppercase();
            let answers = Some(handler(b, head.def));
            let at = head.start + attribute.start;
            let pattern = pattern.to_owned();
            found.push(Route { method, pattern, handler: answers, at, ..Route::default() });
        }
    }
    found
}

/// What is mounted under a prefix: `.nest("/x", users::router())` of Axum,
/// `.mount("/x", routes![a, b])` of Rocket, `web::scope("/x").service(f)` of Actix.
fn mounts(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for call in calls(b, |name| matches!(name, "nest" | "mount")) {
        let (Some(pattern), Some(mounted)) = (call.pattern(0), call.args.get(1)) else { continue };
        if let Some(list) = mounted.strip_prefix("routes![").and_then(|rest| rest.strip_suffix(']'))
        {
            for path in crate::routes::text::split(list) {
                let name = b.name(path.rsplit("::").next().unwrap_or(path));
                let function = b.lookup_unwritten(name, Space::Value, call.span.start);
                found.push(Route::mount(&call, &pattern, function));
            }
        } else if mounted.ends_with(')')
            && !mounted.starts_with("Router::")
            && let Some(mounted) = argument(b, &call, 1)
        {
            found.push(Route::mount(&call, &pattern, mounted));
        }
    }
    let scopes = nests(b);
    for call in calls(b, |name| name == "service") {
        let prefix = prefix(b, &call, &scopes);
        let Some(function) = call.args.first().filter(|_| !prefix.is_empty()) else { continue };
        let is_name = function.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
        if is_name && let Some(function) = argument(b, &call, 0) {
            found.push(Route::mount(&call, &prefix, function));
        }
    }
    found
}
