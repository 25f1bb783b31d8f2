//! Routes of net/http, chi, gin, echo, fiber and gorilla/mux.

use super::route_nests::{Nests, below, chained_pattern, is_verb};
use crate::facts::{Builder, DefId};
use crate::routes::text::{CallText, Places, calls, is_path, literal};
use crate::routes::{Groups, METHODS, Route, answering, argument, assigned, imports, joined};

pub(super) fn find(b: &mut Builder<'_>) -> Vec<Route> {
    let places = Places::new(b.source);
    let nests = Nests::of(b, &places);
    let is_plain = imports(b, &["net/http", "gorilla/mux", "chi", "fiber"]);
    // Who adds routes in closures has a router like that of chi, whatever its name.
    let is_chi = imports(b, &["chi"]) || !nests.is_empty();
    let is_gin = imports(b, &["gin", "echo", "fiber"]);
    let is_echo = imports(b, &["labstack/echo"]);
    if !is_plain && !is_chi && !is_gin {
        return Vec::new();
    }
    let mut routers = Routers { places, nests, groups: Groups::default() };
    for group in calls(b, |name| matches!(name, "Group" | "PathPrefix")) {
        if let Some(pattern) = group.pattern(0).filter(|_| !routers.nests.is_nest(b, group.index)) {
            for before in routers.prefixes(b, &group) {
                let name = assigned(b, &group);
                routers.groups.add(b, &group, name, joined(&before, &pattern));
            }
        }
    }
    let mut found = Vec::new();
    if is_chi {
        mounts(b, &mut routers, &mut found);
        routers.nests.mounts(b, &routers.places, &mut found);
    }
    let chained = calls(b, |name| name == "Methods");
    let shaped = routers.nests.shaped_names(b);
    let mut adding = calls(b, |name| is_verb(name) || shaped.contains(name));
    adding.retain(|call| routers.nests.adds_route(&call.name, call.index));
    for call in &adding {
        let kinds = Kinds { is_plain, is_chi, is_gin };
        let Some(RouteCall { methods, pattern, nth, within }) =
            route_call(b, &routers, call, kinds)
        else {
            continue;
        };
        // `HandleFunc(…).Methods("GET", http.MethodHead)`.
        let follows = |other: &&CallText<'_>| {
            other.span.start >= call.span.end && other.span.start - call.span.end < 8
        };
        let named: Vec<String> = match chained.iter().find(follows) {
            Some(chain) => chain.args.iter().filter_map(|arg| method(Some(arg))).collect(),
            None => Vec::new(),
        };
        let methods = if named.is_empty() { methods } else { named };
        // Echo takes what wraps a function after it, the others before.
        let last = if is_echo { nth } else { call.args.len() - 1 };
        let given = argument(b, call, last).or_else(|| argument(b, call, nth));
        let handler = answering(b, given);
        let of_router = routers.groups.prefix(b, call, &[]);
        for around in routers.nests.around(b, within) {
            let pattern = joined(&below(&of_router, &around), &pattern);
            for method in &methods {
                let (method, pattern) = (method.clone(), pattern.clone());
                found.push(Route { method, pattern, handler, ..Route::of(call) });
            }
        }
    }
    found
}

/// What routes of a file are added to.
struct Routers {
    places: Places,
    nests: Nests,
    groups: Groups,
}

impl Routers {
    /// What a call on a router is below.
    fn prefixes(&self, b: &Builder<'_>, call: &CallText<'_>) -> Vec<String> {
        let of_router = self.groups.prefix(b, call, &[]);
        let within = b.facts.calls.get(call.index).map_or(DefId::FILE, |call| call.within);
        let around = self.nests.around(b, within).into_iter();
        around.map(|around| below(&of_router, &around)).collect()
    }
}

/// Which frameworks a file uses.
#[derive(Clone, Copy)]
struct Kinds {
    is_plain: bool,
    is_chi: bool,
    is_gin: bool,
}

/// What a call says of a route.
struct RouteCall {
    methods: Vec<String>,
    pattern: String,
    /// The first argument that may answer.
    nth: usize,
    /// The definition around the call that says the pattern.
    within: DefId,
}

fn route_call(
    b: &Builder<'_>,
    routers: &Routers,
    call: &CallText<'_>,
    Kinds { is_plain, is_chi, is_gin }: Kinds,
) -> Option<RouteCall> {
    let within = |index: usize| b.facts.calls.get(index).map_or(DefId::FILE, |call| call.within);
    let upper = call.name.to_ascii_uppercase();
    let is_method = METHODS.contains(&upper.as_str());
    // `Methods("GET, HEAD", "/x", f)`, `Handle("GET", "/x", f)`.
    if let Some(methods) = verbs(call.args.first()).filter(|_| call.args.len() > 2) {
        let is_known = is_chi || is_gin || call.name.starts_with("Method");
        let pattern = call.pattern(1).filter(|it| is_known && is_path(it))?;
        return Some(RouteCall { methods, pattern, nth: 2, within: within(call.index) });
    }
    let (mut methods, nth) = match call.name.as_str() {
        "HandleFunc" | "Handle" if is_plain => (vec!["ANY".to_owned()], 0),
        "Method" | "MethodFunc" if is_chi => {
            (vec![method(call.args.first()).unwrap_or_else(|| "ANY".to_owned())], 1)
        }
        "Any" if is_gin || is_chi => (vec!["ANY".to_owned()], 0),
        name if is_gin && name == upper && is_method => (vec![upper], 0),
        _ if is_chi && is_method => (vec![upper], 0),
        _ => return None,
    };
    let own = call.pattern(nth).filter(|_| call.args.len() > nth + 1);
    let Some(mut pattern) = own else {
        // `m.Combo("/x").Get(f).Post(g)`
        let (index, pattern) = chained_pattern(b, (&routers.places, &routers.nests), call.index)
            .filter(|_| is_chi && is_method && !call.args.is_empty())?;
        return Some(RouteCall { methods, pattern, nth: 0, within: within(index) });
    };
    // `mux.HandleFunc("GET /x", f)`.
    if let Some((verb, rest)) = pattern.clone().split_once(' ')
        && METHODS.contains(&verb)
    {
        methods = vec![verb.to_owned()];
        rest.trim().clone_into(&mut pattern);
    }
    let route = RouteCall { methods, pattern, nth: nth + 1, within: within(call.index) };
    is_path(&route.pattern).then_some(route)
}

/// A verb as written: `"GET"` or `http.MethodGet`.
fn method(arg: Option<&&str>) -> Option<String> {
    let arg = *arg?;
    let word = literal(arg).or_else(|| arg.rsplit('.').next()?.strip_prefix("Method"))?;
    Some(word.to_ascii_uppercase()).filter(|word| METHODS.contains(&word.as_str()))
}

/// Verbs in one text: `"GET, HEAD"`.
fn verbs(arg: Option<&&str>) -> Option<Vec<String>> {
    let words: Vec<&str> = literal(arg?)?.split(',').map(str::trim).collect();
    let is_verb = |word: &&str| METHODS.contains(word);
    words.iter().all(is_verb).then(|| words.into_iter().map(str::to_owned).collect())
}

/// `r.Mount("/x", sub)`: a variable of this function, or what a function returns.
fn mounts(b: &Builder<'_>, routers: &mut Routers, found: &mut Vec<Route>) {
    // What is mounted first may be mounted into by those that follow.
    for mount in calls(b, |name| name == "Mount").into_iter().rev() {
        let Some(pattern) = mount.pattern(0) else { continue };
        let Some(mounted) = mount.args.get(1) else { continue };
        let is_name = mounted.chars().all(|c| c.is_alphanumeric() || c == '_');
        for before in routers.prefixes(b, &mount) {
            let pattern = joined(&before, &pattern);
            if is_name {
                routers.groups.add(b, &mount, mounted, pattern);
            } else if let Some(mounted) = argument(b, &mount, 1) {
                found.push(Route::mount(&mount, &pattern, mounted));
            }
        }
    }
}
