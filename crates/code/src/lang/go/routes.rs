//! Routes of net/http, chi, gin, echo, fiber and gorilla/mux.

use crate::facts::Builder;
use crate::routes::text::{CallText, calls};
use crate::routes::{Groups, METHODS, Route, answering, argument, assigned, imports, joined};

pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    let is_plain = imports(b, &["net/http", "gorilla/mux", "chi", "fiber"]);
    let is_chi = imports(b, &["chi"]);
    let is_gin = imports(b, &["gin", "echo", "fiber"]);
    let is_echo = imports(b, &["labstack/echo"]);
    if !is_plain && !is_gin {
        return Vec::new();
    }
    let nests = calls(b, |name| name == "Route");
    let mut groups = Groups::default();
    for group in calls(b, |name| matches!(name, "Group" | "PathPrefix")) {
        if let Some(pattern) = group.pattern(0) {
            let before = groups.prefix(b, &group, &nests);
            groups.add(b, &group, assigned(b, &group), joined(&before, &pattern));
        }
    }
    let mut found = Vec::new();
    if is_chi {
        mounts(b, &nests, &mut groups, &mut found);
    }
    let chained = calls(b, |name| name == "Methods");
    let wanted = calls(b, |name| {
        let upper = name.to_ascii_uppercase();
        matches!(name, "HandleFunc" | "Handle" | "Method" | "MethodFunc" | "Any")
            || METHODS.contains(&upper.as_str())
    });
    for call in &wanted {
        let upper = call.name.to_ascii_uppercase();
        let (mut methods, nth) = match call.name.as_str() {
            "HandleFunc" | "Handle" if is_plain => (vec!["ANY".to_owned()], 0),
            "Method" | "MethodFunc" if is_chi => {
                (vec![method(call.args.first()).unwrap_or_else(|| "ANY".to_owned())], 1)
            }
            "Any" if is_gin => (vec!["ANY".to_owned()], 0),
            name if is_gin && name == upper && METHODS.contains(&upper.as_str()) => {
                (vec![upper], 0)
            }
            _ if is_chi && METHODS.contains(&upper.as_str()) => (vec![upper], 0),
            _ => continue,
        };
        let Some(mut pattern) = call.pattern(nth) else { continue };
        if call.args.len() < nth + 2 {
            continue;
        }
        // `mux.HandleFunc("GET /x", f)`.
        if let Some((verb, rest)) = pattern.clone().split_once(' ')
            && METHODS.contains(&verb)
        {
            methods = vec![verb.to_owned()];
            rest.trim().clone_into(&mut pattern);
        }
        let is_path = pattern.starts_with('/') || pattern.is_empty() || pattern.contains('/');
        if !is_path {
            continue;
        }
        // `HandleFunc(…).Methods("GET", http.MethodHead)`.
        let follows = |other: &&CallText<'_>| {
            other.span.start >= call.span.end && other.span.start - call.span.end < 8
        };
        if let Some(chain) = chained.iter().find(follows) {
            let named: Vec<String> =
                chain.args.iter().filter_map(|arg| method(Some(arg))).collect();
            if !named.is_empty() {
                methods = named;
            }
        }
        let pattern = joined(&groups.prefix(b, call, &nests), &pattern);
        // Echo takes what wraps a function after it, the others before.
        let last = if is_echo { nth + 1 } else { call.args.len() - 1 };
        let given = argument(b, call, last).or_else(|| argument(b, call, nth + 1));
        let handler = answering(b, given);
        for method in methods {
            let pattern = pattern.clone();
            found.push(Route { method, pattern, handler, ..Route::of(call) });
        }
    }
    found
}

/// A verb as written: `"GET"` or `http.MethodGet`.
fn method(arg: Option<&&str>) -> Option<String> {
    let arg = *arg?;
    let word = crate::routes::text::literal(arg)
        .or_else(|| arg.rsplit('.').next()?.strip_prefix("Method"))?;
    Some(word.to_ascii_uppercase()).filter(|word| METHODS.contains(&word.as_str()))
}

/// `r.Mount("/x", sub)`: a variable of this function, or what a function returns.
fn mounts(b: &Builder<'_>, nests: &[CallText<'_>], groups: &mut Groups, found: &mut Vec<Route>) {
    // What is mounted first may be mounted into by those that follow.
    for mount in calls(b, |name| name == "Mount").into_iter().rev() {
        let Some(pattern) = mount.pattern(0) else { continue };
        let pattern = joined(&groups.prefix(b, &mount, nests), &pattern);
        let Some(mounted) = mount.args.get(1) else { continue };
        let is_name = mounted.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name {
            groups.add(b, &mount, mounted, pattern);
        } else if let Some(mounted) = argument(b, &mount, 1) {
            found.push(Route::mount(&mount, &pattern, mounted));
        }
    }
}
