//! Routes of Spring MVC and JAX-RS.

use crate::facts::Builder;
use crate::routes::text::{attributes, named};
use crate::routes::{Route, contains, handler, heads, joined};

/// Spring MVC and JAX-RS.
pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
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
            found.push(Route { method, pattern, handler: answers, at, ..Route::default() });
        }
    }
    found
}
