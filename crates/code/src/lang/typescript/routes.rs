//! Routes of Express, Fastify, Hono, Koa, NestJS and both routers of Next.js; services of
//! gRPC that are put together by hand.

use crate::facts::{Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, ImportedName};
use crate::routes::text::{CallText, attributes, calls};
use crate::routes::{
    Groups, LOWER_METHODS, METHODS, Route, answering, argument, assigned, contains, handler, joined,
};
use model::code::GRPC;

pub(super) fn find(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let mut found = routers(b);
    found.extend(nest(b));
    found.extend(next(b, path));
    found.extend(next_pages(b, path));
    found.extend(grpc(b));
    found
}

/// Express, Fastify, Hono.
fn routers(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["express", "fastify", "hono", "koa", "Router(", "Hono"]) {
        return Vec::new();
    }
    let mut groups = Groups::default();
    let mut found = Vec::new();
    for mount in calls(b, |name| matches!(name, "use" | "route" | "basePath" | "register")) {
        let pattern = if mount.name == "register" {
            mount.args.get(1).and_then(|options| entry(options, "prefix")).map(str::to_owned)
        } else {
            mount.pattern(0)
        };
        let Some(pattern) = pattern.filter(|pattern| pattern.contains('/')) else { continue };
        if mount.name == "basePath" {
            groups.add(b, &mount, assigned(b, &mount), pattern);
            continue;
        }
        let nth = if mount.name == "register" { 0 } else { mount.args.len() - 1 };
        let Some(router) = mount.args.get(nth).filter(|_| mount.args.len() > 1) else { continue };
        let is_name = router.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let prefix = joined(&groups.prefix(b, &mount, &[]), &pattern);
        if is_name && mount.name != "register" && !is_imported(b, router) {
            groups.add(b, &mount, router, prefix);
        } else if let Some(mounted) = mounted(b, argument(b, &mount, nth)) {
            found.push(Route::mount(&mount, &prefix, mounted));
        }
    }
    let wanted = calls(b, |name| {
        matches!(
            name,
            "get" | "post" | "put" | "patch" | "delete" | "head" | "options" | "all" | "del"
        )
    });
    for call in &wanted {
        let Some(pattern) = call.pattern(0) else { continue };
        let is_path = pattern.starts_with('/') || pattern == "*" || pattern.contains("}/");
        if !is_path || call.args.len() < 2 || call.receiver.is_empty() {
            continue;
        }
        let method = match call.name.as_str() {
            "all" => "ANY".to_owned(),
            "del" => "DELETE".to_owned(),
            name => name.to_ascii_uppercase(),
        };
        let pattern = joined(&groups.prefix(b, call, &[]), &pattern);
        let handler = answering(b, argument(b, call, call.args.len() - 1));
        found.push(Route { method, pattern, handler, ..Route::of(call) });
    }
    for call in calls(b, |name| name == "route") {
        found.extend(described(b, &call));
    }
    found
}

fn is_imported(b: &Builder<'_>, name: &str) -> bool {
    let binds = b.facts.binds.iter();
    let mut named = binds.filter(|bind| b.facts.text(bind.name) == name);
    named.any(|bind| matches!(bind.to, Binding::Import(_)))
}

/// What is mounted: a name, or a function that returns it.
fn mounted(b: &Builder<'_>, id: Option<ExprId>) -> Option<ExprId> {
    let id = id.filter(|id| *id != Builder::OPAQUE)?;
    match &b.facts.exprs[id.ix()] {
        Expr::Local(..) | Expr::Free(..) | Expr::Member(..) | Expr::Call(..) => Some(id),
        _ => None,
    }
}

/// Fastify: `route({ method: 'GET', url: '/x', handler: f })`.
fn described(b: &mut Builder<'_>, call: &CallText<'_>) -> Option<Route> {
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
        Some((method, kind)) if kind.is_callable() => Some(handler(b, method)),
        Some((field, _)) => answering(b, b.value_of(field)),
        None => None,
    };
    Some(Route { method, pattern, handler, ..Route::of(call) })
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

/// NestJS: `@Controller('users')` above a class, `@Get(':id')` above a method.
fn nest(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["@nestjs/"]) {
        return Vec::new();
    }
    let source = b.source;
    let Ok(text) = std::str::from_utf8(source) else { return Vec::new() };
    // Decorators stand before what they are for, outside of its span.
    let next = |b: &Builder<'_>, at: usize, is_wanted: fn(DefKind) -> bool| {
        let defs = b.facts.defs.iter().enumerate().skip(1);
        let after = defs.filter(|(_, def)| {
            is_wanted(def.kind)
                && def.span.end_byte as usize > at
                && !def.flags.has(Flags::OVERLOAD)
        });
        let place = |def: &crate::facts::Def| (def.name_line, def.name_col);
        let line = b.position(at);
        let after = after.filter(|(_, def)| place(def) > line);
        after.min_by_key(|(_, def)| place(def)).map(|(at, _)| DefId(at as u32))
    };
    let all = attributes(text, "@");
    let controllers: Vec<(DefId, &str)> = all
        .iter()
        .filter(|attribute| attribute.name == "Controller")
        .filter_map(|attribute| {
            let class = next(b, attribute.start, DefKind::is_type)?;
            Some((class, attribute.pattern(&["path"]).unwrap_or_default()))
        })
        .collect();
    let mut found = Vec::new();
    for attribute in &all {
        let method = match attribute.name {
            "Get" | "Post" | "Put" | "Patch" | "Delete" | "Head" | "Options" => {
                attribute.name.to_ascii_uppercase()
            }
            "All" => "ANY".to_owned(),
            _ => continue,
        };
        let is_method = |kind: DefKind| kind == DefKind::Method;
        let Some(answers) = next(b, attribute.start, is_method) else { continue };
        let class = b.facts.def(answers).parent;
        let Some((_, prefix)) = controllers.iter().find(|(known, _)| *known == class) else {
            continue;
        };
        let pattern = joined(prefix, attribute.pattern(&[]).unwrap_or_default());
        let answers = Some(handler(b, answers));
        found.push(Route {
            method,
            pattern,
            handler: answers,
            at: attribute.start,
            ..Route::default()
        });
    }
    found
}

/// The app router of Next.js: the path of a `route` file is the pattern, and
/// the functions it exports are named by method.
fn next(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    if !matches!(file, "route.ts" | "route.js" | "route.tsx" | "route.mjs") {
        return Vec::new();
    }
    let mut parts = folders.split('/').skip_while(|part| *part != "app");
    if parts.next().is_none() {
        return Vec::new();
    }
    let pattern = next_pattern(parts);
    let mut found = Vec::new();
    for at in 1..b.facts.defs.len() {
        let def = &b.facts.defs[at];
        let name = b.facts.text(def.name).to_owned();
        let is_method = LOWER_METHODS.iter().any(|method| method.to_ascii_uppercase() == name);
        if is_method && def.parent == DefId::FILE && !def.flags.has(Flags::OVERLOAD) {
            let start = def.span.start_byte as usize;
            let answers = Some(handler(b, DefId(at as u32)));
            let pattern = pattern.clone();
            found.push(Route {
                method: name,
                pattern,
                handler: answers,
                at: start,
                ..Route::default()
            });
        }
    }
    found
}

/// Folders of Next.js as a pattern: `products/[id]` is `/products/{id}`.
fn next_pattern<'p>(parts: impl Iterator<Item = &'p str>) -> String {
    let mut pattern = String::new();
    for part in parts.filter(|part| !part.starts_with('(') && !part.starts_with('@')) {
        let name = part.trim_start_matches('[').trim_end_matches(']');
        pattern.push('/');
        if name == part {
            pattern.push_str(part);
        } else if let Some(rest) = name.strip_prefix("...") {
            pattern.push_str(&format!("{{*{rest}}}"));
        } else {
            pattern.push_str(&format!("{{{name}}}"));
        }
    }
    if pattern.is_empty() {
        pattern.push('/');
    }
    pattern
}

/// The pages router of Next.js: what a file below `pages/api` exports by default answers
/// every method of its path.
fn next_pages(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let Some((path, "ts" | "js" | "tsx" | "jsx" | "mjs")) = path.rsplit_once('.') else {
        return Vec::new();
    };
    let folders = format!("/{path}");
    let Some((_, below)) = folders.rsplit_once("/pages/api/") else { return Vec::new() };
    // `cart.test.ts`, `cart.spec.ts`, `cart.d.ts`
    let ending = below.rsplit_once('.').map(|(_, ending)| ending);
    let is_test = matches!(ending, Some("test" | "spec" | "d"));
    if is_test || !contains(b, &["export default", "module.exports"]) {
        return Vec::new();
    }
    let below = below.strip_suffix("/index").unwrap_or(below);
    let below = if below == "index" { "" } else { below };
    let parts = ["api"].into_iter().chain(below.split('/').filter(|part| !part.is_empty()));
    let pattern = next_pattern(parts);
    let Some((at, answers)) = exported(b) else { return Vec::new() };
    vec![Route {
        method: "ANY".to_owned(),
        pattern,
        handler: Some(answers),
        at,
        ..Route::default()
    }]
}

/// The function that a file exports by default, and where; of `wrap(handler)` the handler.
fn exported(b: &mut Builder<'_>) -> Option<(usize, ExprId)> {
    let defs = || (1..b.facts.defs.len()).map(|at| DefId(at as u32));
    let marked = defs().find(|id| b.facts.def(*id).flags.has(Flags::DEFAULT_EXPORT));
    let def = marked.or_else(|| {
        let bind = b.facts.binds.iter().find(|bind| b.facts.text(bind.name) == "default")?;
        let Binding::Import(import) = bind.to else { return None };
        let import = b.facts.imports.get(import.ix()).filter(|import| import.path.is_empty())?;
        let ImportedName::Name(name) = import.what else { return None };
        defs().find(|id| b.facts.def(*id).parent == DefId::FILE && b.facts.def(*id).name == name)
    })?;
    let (kind, at) = (b.facts.def(def).kind, b.facts.def(def).span.start_byte as usize);
    let answers = if kind.is_callable() { handler(b, def) } else { answering(b, b.value_of(def))? };
    Some((at, answers))
}

/// `server.addService(shop.Payment.service, { charge: handle })`: the contract says the
/// method, the object who answers.
fn grpc(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for call in calls(b, |name| name == "addService") {
        let Some(described) = call.args.first() else { continue };
        let parts: Vec<&str> = described.split('.').map(str::trim).collect();
        let service = match parts.as_slice() {
            [.., service, "service"] => *service,
            // As `protoc` names it in code that it makes.
            [.., last] => last.strip_suffix("Service").unwrap_or(last),
            [] => continue,
        };
        let is_name =
            !service.is_empty() && service.chars().all(|c| c.is_alphanumeric() || c == '_');
        let Some(given) = argument(b, &call, 1).filter(|id| is_name && *id != Builder::OPAQUE)
        else {
            continue;
        };
        let Expr::Nameless(record) = b.facts.exprs[given.ix()] else { continue };
        let methods: Vec<(DefId, DefKind, String)> = (1..b.facts.defs.len())
            .map(|at| (DefId(at as u32), &b.facts.defs[at]))
            .filter(|(_, def)| def.parent == record)
            .map(|(id, def)| (id, def.kind, b.facts.text(def.name).to_owned()))
            .collect();
        for (id, kind, name) in methods {
            let answers = if kind.is_callable() {
                Some(handler(b, id))
            } else {
                answering(b, b.value_of(id))
            };
            let mut letters = name.chars();
            let Some(first) = letters.next().filter(|_| answers.is_some()) else { continue };
            let method = format!("{}{}", first.to_uppercase(), letters.as_str());
            found.push(Route {
                method: GRPC.to_owned(),
                pattern: format!("/{service}/{method}"),
                handler: answers,
                ..Route::of(&call)
            });
        }
    }
    found
}
