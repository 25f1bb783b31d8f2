//! Routes that are added inside a closure: `m.Group("/x", func() { m.Get("/y", f) })`.
//!
//! Which method takes the closure is not known by name: chi has `Route`, others `Group`
//! or what a project calls it. It is one that takes a prefix and a function in which
//! routes are added to the same router, or to the one that the function is given. A
//! closure with a name of its own (`add := func() { … }`) may be called below several
//! prefixes.

use crate::facts::{Builder, Call, DefId, DefKind, Expr, ExprId, Name};
use crate::routes::text::{Places, is_path};
use crate::routes::{METHODS, Route, joined};
use model::code::MOUNT;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

type OuterPrefixes = BTreeMap<(DefId, u32), Rc<[String]>>;

/// Closures in which routes are added.
#[derive(Default)]
pub(super) struct Nests {
    /// By the closure: below what.
    prefixes: BTreeMap<DefId, String>,
    /// Where the closures that have a name are called, each definition once.
    uses: BTreeMap<DefId, Vec<DefId>>,
    /// Names of what routes are added to.
    routers: BTreeSet<String>,
    /// Calls that say a verb and a path, whatever they are called.
    shaped: BTreeSet<usize>,
    /// The call that an expression is.
    calls: FxHashMap<ExprId, usize>,
    /// By the closure and the steps to it, what it is called below.
    outer: RefCell<OuterPrefixes>,
}

/// Closures that call each other are followed so far, to so many prefixes.
const MOST_STEPS: u32 = 6;
const MOST_PREFIXES: usize = 32;
/// Names of one definition that routes may be added to.
const MOST_ROUTERS: usize = 64;

/// By the definition, the names that routes are added to in it and in what it holds.
#[derive(Default)]
struct Added(BTreeMap<DefId, BTreeSet<Name>>);

impl Added {
    fn insert(&mut self, b: &Builder<'_>, mut at: DefId, name: Name) {
        loop {
            let names = self.0.entry(at).or_default();
            // Whoever is around it knows the name then.
            if names.contains(&name) || names.len() >= MOST_ROUTERS {
                return;
            }
            names.insert(name);
            if at == DefId::FILE {
                return;
            }
            at = b.facts.def(at).parent;
        }
    }

    fn has(&self, at: DefId, name: Name) -> bool {
        self.0.get(&at).is_some_and(|names| names.contains(&name))
    }

    /// Who calls a closure that adds routes adds them.
    fn follow(&mut self, b: &Builder<'_>, used: &[(DefId, DefId)]) {
        for (closure, within) in used {
            for name in self.0.get(closure).cloned().unwrap_or_default() {
                self.insert(b, *within, name);
            }
        }
    }
}

/// A call with a prefix and a closure.
struct Nest {
    closure: DefId,
    within: DefId,
    prefix: String,
    own: Name,
    /// What routes are added to in the closure, if it adds any.
    routers: Vec<Name>,
}

impl Nests {
    pub fn of(b: &Builder<'_>, places: &Places) -> Self {
        let mut nests = Nests::default();
        let mut added = Added::default();
        let mut open: Vec<Nest> = Vec::new();
        let mut shaped = Vec::new();
        for (index, call) in b.facts.calls.iter().enumerate() {
            nests.calls.entry(call.expr).or_insert(index);
            let name = b.facts.text(call.name);
            let Some(own) = receiver(b, call) else { continue };
            if is_verb(name) || adds_routes(name) {
                added.insert(b, call.within, own);
            } else if says_route(b, places, call) {
                added.insert(b, call.within, own);
                shaped.push((index, own));
            }
            if !is_verb(name)
                && let Some(closure) = closure_of(b, call)
                && let Some(prefix) = places.argument(b, call, 0).filter(|text| is_path(text))
            {
                let given = b.facts.def(closure).params.iter().map(|param| param.name);
                let routers = given.chain([own]).collect();
                // What matches the rest of a path is said by those below it.
                let prefix = prefix.trim_end_matches('*').to_owned();
                open.push(Nest { closure, within: call.within, prefix, own, routers });
            }
        }
        let used = uses(b);
        added.follow(b, &used);
        // A closure inside is filled first; those with a name are followed once more.
        open.sort_by_key(|nest| std::cmp::Reverse(nest.closure));
        for _ in 0..2 {
            let n_open = open.len();
            open.retain(|nest| {
                let is_filled = nest.routers.iter().any(|name| added.has(nest.closure, *name));
                if is_filled {
                    nests.prefixes.insert(nest.closure, nest.prefix.clone());
                    nests.routers.extend(nest.routers.iter().map(|it| b.text(*it).to_owned()));
                    added.insert(b, nest.within, nest.own);
                }
                !is_filled
            });
            if open.len() == n_open {
                break;
            }
            added.follow(b, &used);
        }
        let is_known = |(_, own): &&(usize, Name)| nests.routers.contains(b.text(*own));
        nests.shaped = shaped.iter().filter(is_known).map(|(index, _)| *index).collect();
        for (closure, within) in used {
            nests.uses.entry(closure).or_default().push(within);
        }
        nests
    }

    /// Whether a call adds a route, as far as its name or its first arguments say.
    pub fn adds_route(&self, name: &str, call: usize) -> bool {
        is_verb(name) || self.shaped.contains(&call)
    }

    /// Names of calls that may add routes without being verbs.
    pub fn shaped_names(&self, b: &Builder<'_>) -> BTreeSet<String> {
        let name = |call: &usize| b.facts.text(b.facts.calls[*call].name).to_owned();
        self.shaped.iter().map(name).collect()
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
            let outer = self.outer(b, at, steps);
            if !outer.is_empty() {
                return first_of(outer.iter().map(|outer| below(outer, &inner)).collect());
            }
            at = b.facts.def(at).parent;
        }
        vec![inner]
    }

    /// What the places are below at which a closure with a name is called.
    fn outer(&self, b: &Builder<'_>, closure: DefId, steps: u32) -> Rc<[String]> {
        let Some(uses) = self.uses.get(&closure) else { return Rc::default() };
        if let Some(known) = self.outer.borrow().get(&(closure, steps)) {
            return Rc::clone(known);
        }
        let mut all = Vec::new();
        for from in uses.iter().filter(|from| !b.facts.is_within(**from, closure)) {
            all.extend(self.around_from(b, *from, steps + 1));
            if all.len() > 4 * MOST_PREFIXES {
                all = first_of(all);
            }
        }
        let all: Rc<[String]> = first_of(all).into();
        self.outer.borrow_mut().insert((closure, steps), Rc::clone(&all));
        all
    }

    /// `addRoutes(m)` below a prefix: what the function adds to its router is below it.
    pub fn mounts(&self, b: &Builder<'_>, places: &Places, found: &mut Vec<Route>) {
        for (index, call) in b.facts.calls.iter().enumerate() {
            let Expr::Call(callee, args) = &b.facts.exprs[call.expr.ix()] else { continue };
            let is_router = |id: &ExprId| {
                local_name(b, *id).is_some_and(|it| self.routers.contains(b.text(it)))
            };
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

/// The first prefixes, each once.
fn first_of(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all.dedup();
    all.truncate(MOST_PREFIXES);
    all
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
        || matches!(name, "HandleFunc" | "Handle" | "Method" | "MethodFunc" | "Methods" | "Any")
}

/// Whether a call of this name may add routes.
fn adds_routes(name: &str) -> bool {
    matches!(name, "Group" | "Route" | "Mount")
}

/// `g.MatchPath("GET", "/x", f)`: on a router, a method with a verb and a path adds a route.
fn says_route(b: &Builder<'_>, places: &Places, call: &Call) -> bool {
    let Expr::Call(_, args) = &b.facts.exprs[call.expr.ix()] else { return false };
    let is_verb = |text: String| text.split(',').all(|word| METHODS.contains(&word.trim()));
    args.len() > 2
        && places.argument(b, call, 0).is_some_and(is_verb)
        && places.argument(b, call, 1).is_some_and(|it| it.starts_with('/'))
}

/// The variable that a chain of calls begins with.
fn receiver(b: &Builder<'_>, call: &Call) -> Option<Name> {
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
    local_name(b, at).filter(|_| is_member)
}

fn local_name(b: &Builder<'_>, id: ExprId) -> Option<Name> {
    match &b.facts.exprs[id.ix()] {
        Expr::Local(name, _) | Expr::Free(name, _) => Some(*name),
        _ => None,
    }
}

/// The closure among the arguments of a call, behind the prefix.
fn closure_of(b: &Builder<'_>, call: &Call) -> Option<DefId> {
    let Expr::Call(_, args) = &b.facts.exprs[call.expr.ix()] else { return None };
    args.iter().skip(1).find_map(|arg| nameless(b, *arg))
}

/// The closures of a file that are given to a variable: by its name and the definition
/// around, the last one.
fn named_closures<'s>(b: &Builder<'s>) -> FxHashMap<(&'s str, DefId), DefId> {
    const LONGEST: usize = 256;
    let source: &'s [u8] = b.source;
    let mut found = FxHashMap::default();
    for (at, def) in b.facts.defs.iter().enumerate() {
        if def.kind != DefKind::Lambda {
            continue;
        }
        let before = source.get(..def.span.start_byte as usize).unwrap_or_default();
        let window = &before[before.len().saturating_sub(LONGEST)..];
        let line = window.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        // No line that is this long gives a closure to a variable.
        if line.len() == LONGEST {
            continue;
        }
        let line = std::str::from_utf8(line).unwrap_or_default().trim();
        if let Some(name) = line.strip_suffix(":=").or_else(|| line.strip_suffix('=')) {
            let name = name.trim();
            let name = name.strip_prefix("var ").unwrap_or(name);
            found.insert((name, def.parent), DefId(at as u32));
        }
    }
    found
}

/// Closures with a name, each with the definitions in which it is called, each once.
fn uses(b: &Builder<'_>) -> Vec<(DefId, DefId)> {
    let named = named_closures(b);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for call in b.facts.calls.iter().filter(|_| !named.is_empty()) {
        let Expr::Call(callee, _) = &b.facts.exprs[call.expr.ix()] else { continue };
        let Some(name) = local_name(b, *callee).map(|it| b.text(it)) else { continue };
        let (mut at, mut closure) = (call.within, None);
        loop {
            closure = closure.max(named.get(&(name, at)).copied());
            if at == DefId::FILE {
                break;
            }
            at = b.facts.def(at).parent;
        }
        let used = closure.map(|closure| (closure, call.within));
        found.extend(used.filter(|it| seen.insert(*it)));
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
    (places, nests): (&Places, &Nests),
    call: usize,
) -> Option<(usize, String)> {
    let mut at = b.facts.calls.get(call)?.expr;
    for _ in 0..16 {
        let Expr::Call(callee, _) = &b.facts.exprs[at.ix()] else { return None };
        let Expr::Member(base, _) = &b.facts.exprs[callee.ix()] else { return None };
        at = *base;
        let index = *nests.calls.get(&at)?;
        let before = &b.facts.calls[index];
        if !is_verb(b.facts.text(before.name)) {
            let pattern = places.argument(b, before, 0)?;
            return is_path(&pattern).then_some((index, pattern));
        }
    }
    None
}
