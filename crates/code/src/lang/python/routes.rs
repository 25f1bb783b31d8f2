//! Routes of Flask, FastAPI, Django and Starlette.

use crate::facts::{Binding, Builder, DefId, Expr, ExprId, Import, ImportedName, Space};
use crate::routes::text::{Attribute, CallText, attributes, calls, literal, named, pattern, split};
use crate::routes::{
    LOWER_METHODS, Route, answering, argument, contains, handler, heads, imports, joined,
};

pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = django(b);
    found.extend(starlette(b));
    found.extend(decorated(b));
    found
}

/// Flask and FastAPI: `@app.route("/x", methods=["POST"])`, `@router.get("/x")`.
fn decorated(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["flask", "fastapi", "Blueprint", "APIRouter", "quart", "sanic"]) {
        return Vec::new();
    }
    let prefixes = prefixes(b);
    let mut found = mounts(b);
    for head in heads(b, "@") {
        for attribute in attributes(head.text, "@") {
            let Some(pattern) = attribute.args.first().and_then(|arg| pattern(arg)) else {
                continue;
            };
            if !pattern.starts_with(['/', '{']) && !pattern.is_empty() {
                continue;
            }
            let prefix = prefixes.iter().find(|(name, _)| name == attribute.owner);
            let pattern = joined(prefix.map_or("", |(_, prefix)| prefix), &pattern);
            let methods = match attribute.name {
                "route" | "api_route" => methods_of(&attribute),
                name if LOWER_METHODS.contains(&name) && !attribute.owner.is_empty() => {
                    vec![name.to_ascii_uppercase()]
                }
                "websocket" => vec!["WS".to_owned()],
                _ => continue,
            };
            let router = router(b, head.def, &attribute);
            for method in methods {
                let handler = Some(handler(b, head.def));
                let (at, pattern) = (head.start + attribute.start, pattern.clone());
                found.push(Route { method, pattern, handler, at, router, ..Route::default() });
            }
        }
    }
    found
}

/// What stands before the dot of a decorator.
fn router(b: &Builder<'_>, def: DefId, attribute: &Attribute<'_>) -> Option<ExprId> {
    let exprs = &b.facts.exprs;
    b.facts.def(def).decorators.iter().find_map(|decorator| {
        let Expr::Call(callee, _) = &exprs[decorator.ix()] else { return None };
        let Expr::Member(base, name) = &exprs[callee.ix()] else { return None };
        let (Expr::Local(owner, _) | Expr::Free(owner, _)) = &exprs[base.ix()] else { return None };
        let text = |name| b.facts.text(name);
        (text(*name) == attribute.name && text(*owner) == attribute.owner).then_some(*base)
    })
}

fn methods_of(attribute: &Attribute<'_>) -> Vec<String> {
    let Some(list) = named(&attribute.args, "methods") else { return vec!["GET".to_owned()] };
    let list = list.trim_matches(['[', ']', '(', ')', '{', '}']);
    let methods = split(list).into_iter();
    methods.filter_map(literal).map(str::to_ascii_uppercase).collect()
}

/// `bp = Blueprint("x", __name__, url_prefix="/x")` and `APIRouter(prefix="/x")`.
fn prefixes(b: &Builder<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for call in calls(b, |name| matches!(name, "Blueprint" | "APIRouter")) {
        let prefix = named(&call.args, "url_prefix").or_else(|| named(&call.args, "prefix"));
        let Some(prefix) = prefix.and_then(pattern) else { continue };
        found.push((crate::routes::assigned(b, &call).to_owned(), prefix));
    }
    found
}

/// `app.register_blueprint(bp, url_prefix="/x")`, `include_router(r, prefix="/x")`.
fn mounts(b: &Builder<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for call in calls(b, |name| matches!(name, "register_blueprint" | "include_router")) {
        let prefix = named(&call.args, "url_prefix").or_else(|| named(&call.args, "prefix"));
        let prefix = prefix.and_then(pattern).filter(|prefix| !prefix.is_empty());
        if let (Some(prefix), Some(mounted)) = (prefix, argument(b, &call, 0)) {
            found.push(Route::mount(&call, &prefix, mounted));
        }
    }
    found
}

/// Django: `path("x/", views.index)` in the list of a `urls` module.
fn django(b: &mut Builder<'_>) -> Vec<Route> {
    if !imports(b, &["django"]) {
        return Vec::new();
    }
    let all = calls(b, |name| matches!(name, "path" | "re_path" | "url"));
    // What is written inside `include([…])` is below its pattern.
    let is_include =
        |call: &CallText<'_>| call.args.get(1).is_some_and(|arg| arg.starts_with("include("));
    let mut found = Vec::new();
    for call in &all {
        let Some(written) = call.pattern(0) else { continue };
        let mut prefix = String::new();
        for nest in all.iter().filter(|nest| is_include(nest)) {
            let is_inside = nest.span.start < call.span.start && call.span.end <= nest.span.end;
            if is_inside && let Some(outer) = nest.pattern(0) {
                prefix = joined(&prefix, plain(&outer));
            }
        }
        let pattern = joined(&prefix, plain(&written));
        if is_include(call) {
            let included = call.args[1].trim_start_matches("include(");
            let included = included.trim_start_matches(['(', '*']);
            let module = split(included).first().and_then(|arg| literal(arg.trim_end_matches(')')));
            if let Some(module) = module.map(str::to_owned) {
                let mounted = module_named(b, &module, call);
                found.push(Route::mount(call, &pattern, mounted));
            }
            continue;
        }
        if call.args.len() < 2 {
            continue;
        }
        let handler = answering(b, argument(b, call, 1));
        let method = "ANY".to_owned();
        found.push(Route { method, pattern, handler, ..Route::of(call) });
    }
    found
}

/// Starlette: `Route("/x", endpoint=index, methods=["POST"])`, in `Mount("/y", routes=[…])`.
fn starlette(b: &mut Builder<'_>) -> Vec<Route> {
    if !imports(b, &["starlette"]) {
        return Vec::new();
    }
    let all = calls(b, |name| matches!(name, "Route" | "WebSocketRoute"));
    let mounts = calls(b, |name| name == "Mount");
    let mut found = Vec::new();
    for call in &all {
        let Some(written) = call.pattern(0).filter(|it| it.starts_with('/')) else { continue };
        let mut prefix = String::new();
        for nest in &mounts {
            let is_inside = nest.span.start < call.span.start && call.span.end <= nest.span.end;
            if is_inside && let Some(outer) = nest.pattern(0) {
                prefix = joined(&prefix, &outer);
            }
        }
        let pattern = joined(&prefix, &written);
        let methods = match named(&call.args, "methods") {
            _ if call.name == "WebSocketRoute" => vec!["WS".to_owned()],
            Some(list) => {
                let list = split(list.trim_matches(['[', ']', '(', ')', '{', '}']));
                list.into_iter().filter_map(literal).map(str::to_ascii_uppercase).collect()
            }
            None => vec!["GET".to_owned()],
        };
        let handler = answering(b, argument(b, call, 1));
        for method in methods {
            let pattern = pattern.clone();
            found.push(Route { method, pattern, handler, ..Route::of(call) });
        }
    }
    found
}

/// A pattern without the marks of where a regular expression begins and ends.
fn plain(pattern: &str) -> &str {
    pattern.trim_start_matches('^').trim_end_matches('$')
}

/// A module named by a text: as if it were imported.
fn module_named(b: &mut Builder<'_>, module: &str, call: &CallText<'_>) -> ExprId {
    let path: Vec<_> = module.split('.').map(|part| b.name(part)).collect();
    let (line, _) = b.position(call.span.start);
    let import = b.import(Import {
        path: path.into(),
        what: ImportedName::Module,
        level: 0,
        is_reexport: false,
        is_type_only: false,
        home: DefId::FILE,
        line,
    });
    // No name of the language has this form, so it hides nothing.
    let name = b.name(&format!("include {module}"));
    let bind = b.bind_private(name, Space::Value, Binding::Import(import));
    b.expr(Expr::Local(name, Box::new([bind])))
}
