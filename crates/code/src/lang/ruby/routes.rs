//! Routes of Rails (`config/routes.rb`) and Sinatra.

use crate::facts::{Builder, DefId, DefKind, Expr, ExprId, Space};
use crate::routes::text::{CallText, calls, literal, named};
use crate::routes::{METHODS, Route, contains, handler, joined};

/// What `resources` makes: method, what follows the name, the action.
const RESOURCES: [(&str, &str, &str); 7] = [
    ("GET", "", "index"),
    ("GET", "/new", "new"),
    ("POST", "", "create"),
    ("GET", "/:id", "show"),
    ("GET", "/:id/edit", "edit"),
    ("PATCH", "/:id", "update"),
    ("DELETE", "/:id", "destroy"),
];

pub(super) fn find(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let mut found = rails(b, path);
    found.extend(sinatra(b));
    found
}

/// Sinatra: `get '/x' do … end`, below what `namespace` blocks say.
fn sinatra(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["sinatra", "Sinatra"]) {
        return Vec::new();
    }
    let all = calls(b, |name| {
        name == "namespace" || METHODS.iter().any(|method| method.eq_ignore_ascii_case(name))
    });
    let mut found = Vec::new();
    for call in all.iter().filter(|call| call.name != "namespace") {
        // The same word without a block is a request, as tests make them.
        let Some(block) = block_of(b, call) else { continue };
        let Some(pattern) = call.pattern(0).filter(|it| it.starts_with(['/', '{', '*'])) else {
            continue;
        };
        let (prefix, _) = around(b, call, &all);
        let (method, pattern) = (call.name.to_ascii_uppercase(), joined(&prefix, &pattern));
        let handler = Some(handler(b, block));
        found.push(Route { method, pattern, handler, ..Route::of(call) });
    }
    found
}

/// The block given to a call: it begins on the line where the arguments end.
fn block_of(b: &Builder<'_>, call: &CallText<'_>) -> Option<DefId> {
    let rest = &b.source[call.span.start..];
    let line_end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let last = (call.span.start + line_end).max(call.span.end + 4);
    let defs = b.facts.defs.iter().enumerate();
    let blocks = defs.filter(|(_, def)| {
        let start = def.span.start_byte as usize;
        def.kind == DefKind::Lambda && start >= call.span.start && start <= last
    });
    let first = blocks.min_by_key(|(_, def)| def.span.start_byte)?;
    Some(DefId(first.0 as u32))
}

fn rails(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let is_routes = path.ends_with("config/routes.rb") || path.contains("config/routes/");
    if !is_routes {
        return Vec::new();
    }
    let all = calls(b, |name| {
        matches!(
            name,
            "get"
                | "post"
                | "put"
                | "patch"
                | "delete"
                | "root"
                | "resources"
                | "resource"
                | "namespace"
                | "scope"
        )
    });
    let mut found = Vec::new();
    for call in &all {
        let (prefix, module) = around(b, call, &all);
        match call.name.as_str() {
            "namespace" | "scope" => {}
            "resources" | "resource" => resources(b, call, &prefix, &module, &mut found),
            "root" => {
                let to = named(&call.args, "to").or(call.args.first().copied()).and_then(literal);
                let handler = to.and_then(|to| action(b, to, &module));
                let pattern = joined(&prefix, "/");
                let method = "GET".to_owned();
                found.push(Route { method, pattern, handler, ..Route::of(call) });
            }
            method => {
                let method = method.to_ascii_uppercase();
                // `get "/x", to: "a#b"` or `get "/x" => "a#b"`.
                let first = call.args.first().copied().unwrap_or_default();
                let (pattern, to) = match first.split_once("=>") {
                    Some((pattern, to)) => (literal(pattern), literal(to)),
                    None => (literal(first), named(&call.args, "to").and_then(literal)),
                };
                let pattern = pattern.or_else(|| first.strip_prefix(':'));
                let Some(pattern) = pattern else { continue };
                let to = to.map(str::to_owned).or_else(|| {
                    let path = pattern.trim_matches('/');
                    path.split_once('/').map(|(controller, name)| format!("{controller}#{name}"))
                });
                let handler = to.and_then(|to| action(b, &to, &module));
                let pattern = joined(&prefix, pattern);
                found.push(Route { method, pattern, handler, ..Route::of(call) });
            }
        }
    }
    found
}

/// The path and the module of the blocks around a call, by indentation: the
/// nearest line above each with less of it, up to the left margin.
fn around(b: &Builder<'_>, call: &CallText<'_>, all: &[CallText<'_>]) -> (String, String) {
    let column = |at: usize| b.position(at).1;
    let mut limit = column(call.span.start);
    let mut path: Vec<String> = Vec::new();
    let mut module: Vec<String> = Vec::new();
    for other in all.iter().rev().filter(|other| other.span.start < call.span.start) {
        let at = column(other.span.start);
        if at >= limit {
            continue;
        }
        limit = at;
        let name = other.args.first().copied().unwrap_or_default();
        let name = literal(name).unwrap_or_else(|| name.trim_start_matches(':'));
        match other.name.as_str() {
            "namespace" => {
                path.push(name.to_owned());
                module.push(name.to_owned());
            }
            "scope" => path.push(name.trim_start_matches('/').to_owned()),
            "resources" => path.push(format!("{name}/:{}_id", singular(name))),
            _ => {}
        }
    }
    path.reverse();
    module.reverse();
    (path.iter().fold(String::new(), |all, part| joined(&all, part)), module.join("/"))
}

fn singular(name: &str) -> &str {
    name.strip_suffix('s').unwrap_or(name)
}

fn resources(
    b: &mut Builder<'_>,
    call: &CallText<'_>,
    prefix: &str,
    module: &str,
    found: &mut Vec<Route>,
) {
    let list = |name: &str| -> Option<Vec<String>> {
        let text = named(&call.args, name)?.trim_matches(['[', ']', '%', 'i', '(', ')']);
        let words = text.split([',', ' ']).map(|word| word.trim().trim_start_matches(':'));
        Some(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    };
    let (only, except) = (list("only"), list("except"));
    let is_one = call.name == "resource";
    for name in call.args.iter().filter_map(|arg| arg.strip_prefix(':')) {
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        for (method, rest, action_name) in RESOURCES {
            let is_in = |names: &Vec<String>| names.iter().any(|known| known == action_name);
            let is_left_out = only.as_ref().is_some_and(|only| !is_in(only))
                || except.as_ref().is_some_and(is_in)
                || is_one && action_name == "index";
            if is_left_out {
                continue;
            }
            let rest = if is_one { rest.replace("/:id", "") } else { rest.to_owned() };
            let pattern = joined(prefix, &format!("{name}{rest}"));
            let controller = if is_one { format!("{name}s") } else { name.to_owned() };
            let handler = action(b, &format!("{controller}#{action_name}"), module);
            let method = method.to_owned();
            found.push(Route { method, pattern, handler, ..Route::of(call) });
        }
    }
}

/// `admin/users#show` is `Admin::UsersController#show`.
fn action(b: &mut Builder<'_>, to: &str, module: &str) -> Option<ExprId> {
    let (controller, name) = to.split_once('#')?;
    let path =
        if module.is_empty() { controller.to_owned() } else { format!("{module}/{controller}") };
    let mut value: Option<ExprId> = None;
    let parts: Vec<&str> = path.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let mut class: String = part.split('_').map(capital).collect();
        if at + 1 == parts.len() {
            class.push_str("Controller");
        }
        let class = b.name(&class);
        value = Some(match value {
            None => b.lookup_unwritten(class, Space::Value, 0),
            Some(before) => b.expr(Expr::Member(before, class)),
        });
    }
    let name = b.name(name);
    value.map(|class| b.expr(Expr::Member(class, name)))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
