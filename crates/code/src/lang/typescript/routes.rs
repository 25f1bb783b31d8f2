//! Routes of Express, Fastify, Hono, Koa, NestJS and the app router of Next.js.

use crate::facts::{Binding, Builder, DefId, DefKind, Expr, ExprId, Flags};
use crate::routes::text::{CallText, attributes, calls};
use crate::routes::{
    Groups, LOWER_METHODS, METHODS, Route, answering, argument, assigned, contains, handler, joined,
};

pub(super) fn find(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
    let mut found = routers(b);
    found.extend(nest(b));
    found.extend(next(b, path));
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
    let mut pattern = String::new();
    for part in parts.filter(|part| !part.starts_with('(') && !part.starts_with('@')) {
        let name = part.trim_start_matches('[').trim_end_matches(']');
        pattern.push('/');
        if name == part {
            pattern.push_str(part);
        } else {
            pattern.push('{');
            pattern.push_str(name.trim_start_matches("..."));
            pattern.push('}');
        }
    }
    if pattern.is_empty() {
        pattern.push('/');
    }
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
