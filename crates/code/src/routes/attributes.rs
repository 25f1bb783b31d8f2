//! Routes said above the function that answers: decorators, annotations,
//! attributes.

use super::text::{Attribute, attributes, literal, named};
use super::{Route, handler, joined};
use crate::facts::{Builder, DefId, DefKind, Flags};

/// A definition with the text before its name.
struct Head<'s> {
    def: DefId,
    kind: DefKind,
    parent: DefId,
    start: usize,
    text: &'s str,
}

/// The definitions whose text before the name holds a mark.
fn heads<'s>(b: &Builder<'s>, mark: &str) -> Vec<Head<'s>> {
    let source: &'s [u8] = b.source;
    let mut starts = vec![0];
    starts.extend(source.iter().enumerate().filter(|(_, c)| **c == b'\n').map(|(at, _)| at + 1));
    let mut found = Vec::new();
    for (at, def) in b.facts.defs.iter().enumerate().skip(1) {
        let is_wanted = def.kind.is_type() || def.kind.is_callable();
        let line = def.name_line.saturating_sub(1) as usize;
        let Some(line_start) = starts.get(line).filter(|_| is_wanted) else { continue };
        let name_at = line_start + def.name_col.saturating_sub(1) as usize;
        let start = def.span.start_byte as usize;
        let Some(bytes) = source.get(start..name_at) else { continue };
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        if text.contains(mark) {
            let def_id = DefId(at as u32);
            found.push(Head { def: def_id, kind: def.kind, parent: def.parent, start, text });
        }
    }
    found
}

fn contains(b: &Builder<'_>, words: &[&str]) -> bool {
    let text = b.source;
    words.iter().any(|word| text.windows(word.len()).any(|part| part == word.as_bytes()))
}

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// Flask and FastAPI: `@app.route("/x", methods=["POST"])`, `@router.get("/x")`.
pub(super) fn python(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["flask", "fastapi", "Blueprint", "APIRouter", "quart", "sanic"]) {
        return Vec::new();
    }
    let prefixes = prefixes(b);
    let mut found = Vec::new();
    for head in heads(b, "@") {
        for attribute in attributes(head.text, "@") {
            let Some(pattern) = attribute.args.first().and_then(|arg| literal(arg)) else {
                continue;
            };
            if !pattern.starts_with('/') && !pattern.is_empty() {
                continue;
            }
            let prefix = prefixes.iter().find(|(name, _)| name == attribute.owner);
            let pattern = joined(prefix.map_or("", |(_, prefix)| prefix), pattern);
            let methods = match attribute.name {
                "route" | "api_route" => methods_of(&attribute),
                name if METHODS.contains(&name) && !attribute.owner.is_empty() => {
                    vec![name.to_ascii_uppercase()]
                }
                "websocket" => vec!["WS".to_owned()],
                _ => continue,
            };
            for method in methods {
                let answers = Some(handler(b, head.def));
                let at = head.start + attribute.start;
                found.push(Route { method, pattern: pattern.clone(), handler: answers, at });
            }
        }
    }
    found
}

fn methods_of(attribute: &Attribute<'_>) -> Vec<String> {
    let Some(list) = named(&attribute.args, "methods") else { return vec!["GET".to_owned()] };
    let list = list.trim_matches(['[', ']', '(', ')', '{', '}']);
    let methods = super::text::split(list).into_iter();
    methods.filter_map(literal).map(str::to_ascii_uppercase).collect()
}

/// `bp = Blueprint("x", __name__, url_prefix="/x")` and `APIRouter(prefix="/x")`.
fn prefixes(b: &Builder<'_>) -> Vec<(String, String)> {
    let calls = super::text::calls(b, |name| matches!(name, "Blueprint" | "APIRouter"));
    let source = b.source;
    let mut found = Vec::new();
    for call in calls {
        let prefix = named(&call.args, "url_prefix").or_else(|| named(&call.args, "prefix"));
        let Some(prefix) = prefix.and_then(literal) else { continue };
        let line = source[..call.span.start].rsplit(|byte| *byte == b'\n').next();
        let line = line.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
        let name = line.split(['=', ':']).next().unwrap_or_default().trim();
        found.push((name.to_owned(), prefix.to_owned()));
    }
    found
}

/// Rocket and Actix: `#[get("/x")]`.
pub(super) fn rust(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = Vec::new();
    for head in heads(b, "#[") {
        for attribute in attributes(head.text, "#[") {
            if !METHODS.contains(&attribute.name) {
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
            found.push(Route { method, pattern: pattern.to_owned(), handler: answers, at });
        }
    }
    found
}

/// Spring MVC and JAX-RS.
pub(super) fn java(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["Mapping", "ws.rs"]) {
        return Vec::new();
    }
    let heads = heads(b, "@");
    let mut found = Vec::new();
    for head in heads.iter().filter(|head| head.kind.is_callable()) {
        let class = heads.iter().find(|other| other.def == head.parent);
        let above = class.map(|class| attributes(class.text, "@")).unwrap_or_default();
        let prefix = above.iter().find(|a| matches!(a.name, "RequestMapping" | "Path"));
        let prefix = prefix.and_then(|a| a.pattern(&["value", "path"])).unwrap_or_default();
        let own = attributes(head.text, "@");
        for attribute in &own {
            let method = match attribute.name {
                "GetMapping" | "PostMapping" | "PutMapping" | "PatchMapping" | "DeleteMapping" => {
                    attribute.name.trim_end_matches("Mapping").to_ascii_uppercase()
                }
                "RequestMapping" => {
                    let method = named(&attribute.args, "method").unwrap_or("ANY");
                    method.rsplit('.').next().unwrap_or(method).trim_matches(['{', '}']).to_owned()
                }
                "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" => {
                    attribute.name.to_owned()
                }
                _ => continue,
            };
            let is_rs = attribute.name.chars().all(|c| c.is_ascii_uppercase());
            let pattern = if is_rs {
                own.iter().find(|a| a.name == "Path").and_then(|a| a.pattern(&["value"]))
            } else if attribute.args.is_empty() {
                None
            } else {
                attribute.pattern(&["value", "path"])
            };
            let pattern = joined(prefix, pattern.unwrap_or_default());
            let answers = Some(handler(b, head.def));
            let at = head.start + attribute.start;
            found.push(Route { method, pattern, handler: answers, at });
        }
    }
    found
}

/// ASP.NET Core controllers.
pub(super) fn csharp(b: &mut Builder<'_>) -> Vec<Route> {
    if !contains(b, &["[Http", "[Route"]) {
        return Vec::new();
    }
    let heads = heads(b, "[");
    let mut found = Vec::new();
    for head in heads.iter().filter(|head| head.kind.is_callable()) {
        let class = heads.iter().find(|other| other.def == head.parent);
        let above = class.map(|class| attributes(class.text, "[")).unwrap_or_default();
        let prefix = above.iter().find(|a| a.name == "Route").and_then(|a| a.pattern(&[]));
        let controller = b.facts.def_name(head.parent).trim_end_matches("Controller").to_owned();
        let own = attributes(head.text, "[");
        let routed = own.iter().find(|a| a.name == "Route").and_then(|a| a.pattern(&[]));
        for attribute in &own {
            let Some(method) = attribute.name.strip_prefix("Http").filter(|m| !m.is_empty()) else {
                continue;
            };
            let pattern = attribute.args.first().and_then(|arg| literal(arg)).or(routed);
            let pattern = joined(prefix.unwrap_or_default(), pattern.unwrap_or_default());
            let pattern = pattern.replace("[controller]", &controller);
            let method = method.to_ascii_uppercase();
            let answers = Some(handler(b, head.def));
            let at = head.start + attribute.start;
            found.push(Route { method, pattern, handler: answers, at });
        }
    }
    found
}

/// NestJS: `@Controller('users')` above a class, `@Get(':id')` above a method.
pub(super) fn nest(b: &mut Builder<'_>) -> Vec<Route> {
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
        found.push(Route { method, pattern, handler: answers, at: attribute.start });
    }
    found
}

/// The app router of Next.js: the path of a `route` file is the pattern, and
/// the functions it exports are named by method.
pub(super) fn next(b: &mut Builder<'_>, path: &str) -> Vec<Route> {
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
        let is_method = METHODS.iter().any(|method| method.to_ascii_uppercase() == name);
        if is_method && def.parent == DefId::FILE && !def.flags.has(Flags::OVERLOAD) {
            let start = def.span.start_byte as usize;
            let answers = Some(handler(b, DefId(at as u32)));
            let pattern = pattern.clone();
            found.push(Route { method: name, pattern, handler: answers, at: start });
        }
    }
    found
}
