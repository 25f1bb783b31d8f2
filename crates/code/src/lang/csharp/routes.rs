//! Routes of ASP.NET Core.

use crate::facts::Builder;
use crate::routes::text::{attributes, calls, literal};
use crate::routes::{
    Groups, Route, answering, argument, assigned, contains, handler, heads, joined,
};

pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    let mut found = mapped(b);
    found.extend(controllers(b));
    found
}

/// ASP.NET Core: `app.MapGet("/x", Handler)`.
fn mapped(b: &mut Builder<'_>) -> Vec<Route> {
    let wanted =
        calls(b, |name| matches!(name, "MapGet" | "MapPost" | "MapPut" | "MapPatch" | "MapDelete"));
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut groups = Groups::default();
    for group in calls(b, |name| name == "MapGroup") {
        if let Some(pattern) = group.pattern(0) {
            let before = groups.prefix(b, &group, &[]);
            groups.add(b, &group, assigned(b, &group), joined(&before, &pattern));
        }
    }
    let mut found = Vec::new();
    for call in &wanted {
        let Some(pattern) = call.pattern(0) else { continue };
        let method = call.name.trim_start_matches("Map").to_ascii_uppercase();
        let pattern = joined(&groups.prefix(b, call, &[]), &pattern);
        let given = answering(b, argument(b, call, 1));
        found.push(Route { method, pattern, handler: given, ..Route::of(call) });
    }
    found
}

/// ASP.NET Core controllers.
fn controllers(b: &mut Builder<'_>) -> Vec<Route> {
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
            let pattern = match (prefix, pattern) {
                // Without any template the names say the path.
                (None, None) => {
                    let action = Some(b.facts.def_name(head.def)).filter(|name| *name != "Index");
                    joined(&controller, action.unwrap_or_default())
                }
                _ => joined(prefix.unwrap_or_default(), pattern.unwrap_or_default()),
            };
            let pattern = pattern.replace("[controller]", &controller);
            let method = method.to_ascii_uppercase();
            let answers = Some(handler(b, head.def));
            let at = head.start + attribute.start;
            found.push(Route { method, pattern, handler: answers, at, ..Route::default() });
        }
    }
    found
}
