//! Routes that are added inside a closure: `m.Group("/x", func() { m.Get("/y", f) })`.
//!
//! Which method takes the closure is not known by name: chi has `Route`, others `Group`
//! or what a project calls it. It is one that takes a prefix and a function in which
//! routes are added to the same router, or to the one that the function is given. A
//! closure with a name of its own (`add := func() { … }`) may be called below several
//! prefixes.

use crate::facts::{Builder, Call, DefId, DefKind, Expr, ExprId};
use crate::routes::text::{Places, is_path};
use crate::routes::{METHODS, Route, joined};
use model::code::MOUNT;
use std::collections::{BTreeMap, BTreeSet};

/// Closures in which routes are added.
#[derive(Default)]
pub(super) struct Nests {
    /// By the closure: below what.
    prefixes: BTreeMap<DefId, String>,
    /// Where the closures that have a name are called.
    uses: BTreeMap<DefId, Vec<DefId>>,
    /// Names of what routes are added to.
    routers: BTreeSet<String>,
}

/// Closures that call each other are followed so far, to so many prefixes.
const MOST_STEPS: u32 = 6;
const MOST_PREFIXES: usize = 32;

impl Nests {
    pub fn of(b: &Builder<'_>, places: &Places) -> Self {
        let mut nests = Nests::default();
        // By the definition around them, what routes are added to.
        let mut adding: BTreeSet<(DefId, String)> = BTreeSet::new();
        for call in &b.facts.calls {
            if adds_routes(b.facts.text(call.name)) {
                adding.extend(receiver(b, call).map(|name| (call.within, name)));
            }
        }
        let used = uses(b);
        // Who calls a closure that adds routes adds them.
        for (closure, within) in &used {
            let added = adding.iter().filter(|(at, _)| b.facts.is_within(*at, *closure));
            let added: Vec<(DefId, String)> =
                added.map(|(_, name)| (*within, name.clone())).collect();
            adding.extend(added);
        }
        for call in &b.facts.calls {
            let is_verb = is_verb(b.facts.text(call.name));
            let Some(own) = receiver(b, call).filter(|_| !is_verb) else { continue };
            let Some(closure) = closure_of(b, call) else { continue };
            let given = b.facts.def(closure).params.iter().map(|param| b.text(param.name));
            let routers: Vec<&str> = given.chain([own.as_str()]).collect();
            let is_filled = adding.iter().any(|(within, name)| {
                routers.contains(&name.as_str()) && b.facts.is_within(*within, closure)
            });
            let prefix = places.first_argument(b, call).filter(|text| is_path(text));
            if let Some(prefix) = prefix.filter(|_| is_filled) {
                // What matches the rest of a path is said by those below it.
                nests.prefixes.insert(closure, prefix.trim_end_matches('*').to_owned());
                nests.routers.extend(routers.into_iter().map(str::to_owned));
            }
        }
        for (closure, within) in used {
            nests.uses.entry(closure).or_default().push(within);
        }
        nests
    }

    pub fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Whether a call is one that takes a closure with routes.
    pub fn is_nest(&self, b: &Builder<'_>, call: usize) -> bool {
        let call = b.facts.calls.get(call);
        let closure = call.and_then(|call| closure_of(b, call));
        closure.is_some_and(|closure| self.prefixes.contains_key(&closure))
    }

    /// What the routes added in a definition are below; the empty prefix where nothing
    /// is known.
    pub fn around(&self, b: &Builder<'_>, within: DefId) -> Vec<String> {
        self.around_from(b, within, 0)
    }

    fn around_from(&self, b: &Builder<'_>, within: DefId, steps: u32) -> Vec<String> {
        let mut inner = String::new();
        let mut at = within;
        while at != DefId::FILE && steps < MOST_STEPS {
            if let Some(prefix) = self.prefixes.get(&at) {
                inner = below(prefix, &inner);
            }
            if let Some(uses) = self.uses.get(&at) {
                let mut all: Vec<String> = uses
                    .iter()
                    .filter(|from| !b.facts.is_within(**from, at))
                    .flat_map(|from| self.around_from(b, *from, steps + 1))
                    .map(|outer| below(&outer, &inner))
                    .collect();
                all.sort();
                all.dedup();
                all.truncate(MOST_PREFIXES);
                if !all.is_empty() {
                    return all;
                }
            }
            at = b.facts.def(at).parent;
        }
        vec![inner]
    }

    /// `addRoutes(m)` below a prefix: what the function adds to its router is below it.
    pub fn mounts(&self, b: &Builder<'_>, places: &Places, found: &mut Vec<Route>) {
        for (index, call) in b.facts.calls.iter().enumerate() {
            let Expr::Call(callee, args) = &b.facts.exprs[call.expr.ix()] else { continue };
            let is_router =
                |id: &ExprId| local_name(b, *id).is_some_and(|name| self.routers.contains(name));
            let is_given = args.iter().any(is_router);
            let is_method = matches!(&b.facts.exprs[callee.ix()],
                Expr::Member(base, _) if is_router(base));
            if !is_given || is_method {
                continue;
            }
            for prefix in self.around(b, call.within) {
                let Some(at) = places.of(call).filter(|_| !prefix.is_empty()) else { continue };
                found.push(Route {
                    method: MOUNT.to_owned(),
                    pattern: joined("", &prefix),
                    handler: Some(call.expr),
                    at,
                    call: Some(index),
                    router: None,
                });
            }
        }
    }
}

/// A pattern below a prefix, either of which may say nothing.
pub(super) fn below(prefix: &str, pattern: &str) -> String {
    match (prefix.is_empty(), pattern.is_empty()) {
        (true, _) => pattern.to_owned(),
        (false, true) => prefix.to_owned(),
        (false, false) => joined(prefix, pattern),
    }
}

pub(super) fn is_verb(name: &str) -> bool {
    METHODS.contains(&name.to_ascii_uppercase().as_str())
        || matches!(
            name,
            "HandleFunc" | "Handle" | "Method" | "MethodFunc" | "Methods" | "Any" | "MatchPath"
        )
}

/// Whether a call of this name may add routes.
fn adds_routes(name: &str) -> bool {
    is_verb(name) || matches!(name, "Group" | "Route" | "Combo" | "Mount" | "PathGroup")
}

/// The variable that a chain of calls begins with.
fn receiver(b: &Builder<'_>, call: &Call) -> Option<String> {
    let Expr::Call(callee, _) = &b.facts.exprs[call.expr.ix()] else { return None };
    let mut at = *callee;
    let mut is_member = false;
    for _ in 0..16 {
        match &b.facts.exprs[at.ix()] {
            Expr::Member(base, _) => (at, is_member) = (*base, true),
            Expr::Call(callee, _) => at = *callee,
            _ => break,
        }
    }
    local_name(b, at).filter(|_| is_member).map(str::to_owned)
}

fn local_name<'b>(b: &'b Builder<'_>, id: ExprId) -> Option<&'b str> {
    match &b.facts.exprs[id.ix()] {
        Expr::Local(name, _) | Expr::Free(name, _) => Some(b.text(*name)),
        _ => None,
    }
}

/// The closure among the arguments of a call, behind the prefix.
fn closure_of(b: &Builder<'_>, call: &Call) -> Option<DefId> {
    let Expr::Call(_, args) = &b.facts.exprs[call.expr.ix()] else { return None };
    args.iter().skip(1).find_map(|arg| nameless(b, *arg))
}

/// The closures of a file that are given to a variable, by its name.
fn named_closures<'s>(b: &Builder<'s>) -> Vec<(&'s str, DefId)> {
    let source: &'s [u8] = b.source;
    let mut found = Vec::new();
    for (at, def) in b.facts.defs.iter().enumerate() {
        if def.kind != DefKind::Lambda {
            continue;
        }
        let before = source.get(..def.span.start_byte as usize).unwrap_or_default();
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = std::str::from_utf8(line).unwrap_or_default().trim();
        if let Some(name) = line.strip_suffix(":=").or_else(|| line.strip_suffix('=')) {
            let name = name.trim();
            found.push((name.strip_prefix("var ").unwrap_or(name), DefId(at as u32)));
        }
    }
    found
}

/// Closures with a name, each with a definition in which it is called.
fn uses(b: &Builder<'_>) -> Vec<(DefId, DefId)> {
    let named = named_closures(b);
    let mut found = Vec::new();
    for call in &b.facts.calls {
        let Expr::Call(callee, _) = &b.facts.exprs[call.expr.ix()] else { continue };
        let Some(name) = local_name(b, *callee) else { continue };
        let is_it = |(known, closure): &&(&str, DefId)| {
            *known == name && b.facts.is_within(call.within, b.facts.def(*closure).parent)
        };
        found.extend(named.iter().rfind(is_it).map(|(_, closure)| (*closure, call.within)));
    }
    found
}

fn nameless(b: &Builder<'_>, id: ExprId) -> Option<DefId> {
    match &b.facts.exprs[id.ix()] {
        Expr::Nameless(def) if b.facts.def(*def).kind == DefKind::Lambda => Some(*def),
        _ => None,
    }
}

/// `Combo("/x")` at the beginning of `m.Combo("/x").Get(f).Post(g)`: the index of the
/// call that says the pattern, and the pattern.
pub(super) fn chained_pattern(
    b: &Builder<'_>,
    places: &Places,
    call: usize,
) -> Option<(usize, String)> {
    let mut at = b.facts.calls.get(call)?.expr;
    for _ in 0..16 {
        let Expr::Call(callee, _) = &b.facts.exprs[at.ix()] else { return None };
        let Expr::Member(base, _) = &b.facts.exprs[callee.ix()] else { return None };
        at = *base;
        let index = b.facts.calls.iter().position(|call| call.expr == at)?;
        let before = &b.facts.calls[index];
        if !is_verb(b.facts.text(before.name)) {
            let pattern = places.first_argument(b, before)?;
            return is_path(&pattern).then_some((index, pattern));
        }
    }
    None
}
