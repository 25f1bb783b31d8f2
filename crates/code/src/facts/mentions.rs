//! What definitions name without calling it: types, constants, variables,
//! and functions used as values.
//!
//! Every name a walk looks up is a candidate, and every path that begins with
//! one. Kept is the first mention by each symbol of what another file or
//! definition may have: locals, parameters and what a symbol itself contains
//! are left out, and so is what it calls, for calls say more.

use super::{Binding, DefId, DefKind, Expr, ExprId, FileFacts, ImportedName, Lines, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// A definition names something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mention {
    /// A name, or a path that begins with one.
    pub expr: ExprId,
    pub way: MentionKind,
    /// A symbol, or an `impl` block whose head names it.
    pub within: DefId,
    pub line: u32,
}

/// How something is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MentionKind {
    Value,
    /// Where a type is expected.
    Type,
    /// As what is assigned to.
    Write,
}

/// The mentions of a file in the order of its expressions, each as its
/// difference to the one before: three bytes for most.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mentions(Vec<(u32, i32, i32)>);

impl Mentions {
    pub fn iter(&self) -> impl Iterator<Item = Mention> + '_ {
        let mut expr = 0_u32;
        let mut within = 0_i32;
        let mut line = 0_i32;
        self.0.iter().map(move |(step, to_within, to_line)| {
            // What was stored may be damaged; sums that wrap name nothing.
            expr = expr.wrapping_add(step >> 2);
            within = within.wrapping_add(*to_within);
            line = line.wrapping_add(*to_line);
            Mention {
                expr: ExprId(expr),
                way: match step & 3 {
                    0 => MentionKind::Value,
                    1 => MentionKind::Type,
                    _ => MentionKind::Write,
                },
                within: DefId(within.cast_unsigned()),
                line: line.cast_unsigned(),
            }
        })
    }

    fn of(mentions: &[Mention]) -> Self {
        let signed = |number: u32| number.cast_signed();
        let (mut expr, mut within, mut line) = (0, 0, 0);
        let steps = mentions.iter().map(|mention| {
            let step = (mention.expr.0 - expr) << 2 | mention.way as u32;
            let to_within = signed(mention.within.0) - within;
            let to_line = signed(mention.line) - line;
            expr = mention.expr.0;
            (within, line) = (signed(mention.within.0), signed(mention.line));
            (step, to_within, to_line)
        });
        Mentions(steps.collect())
    }
}

/// A place where the text names something, or the receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub expr: ExprId,
    pub at: u32,
    pub within: DefId,
    pub is_type: bool,
}

/// What is named, the same number for the same thing.
#[derive(PartialEq, Eq, Hash)]
enum MentionedName {
    /// By the first of its bindings.
    Bound(Name, u32),
    Free(Name, DefId),
    Receiver(DefId),
    Member(u32, Name),
}

/// What a walk found of a file.
pub(super) struct FileWalk<'f> {
    pub facts: &'f FileFacts,
    pub lines: &'f Lines,
    pub spots: &'f [Spot],
    pub written: &'f FxHashSet<ExprId>,
    /// A name that its module does not bind comes from a wildcard or is built in.
    pub is_closed: bool,
}

/// Picks the mentions out of the spots of a file.
pub(super) fn collect(found: &FileWalk<'_>) -> Mentions {
    let FileWalk { facts, lines, spots, written, is_closed } = *found;
    let paths = Paths::of(facts, spots);
    let called = called(facts);
    let owners = Owners::of(facts);
    let open: FxHashSet<DefId> = facts
        .imports
        .iter()
        .filter(|import| import.what == ImportedName::Wildcard)
        .map(|import| import.home)
        .collect();
    let mut seen: FxHashSet<(DefId, u32, MentionKind)> = FxHashSet::default();
    seen.reserve(facts.calls.len());
    for call in &facts.calls {
        if let Expr::Call(callee, _) | Expr::New(callee, _) = &facts.exprs[call.expr.ix()] {
            let thing = paths.thing[through(facts, *callee).ix()];
            seen.insert((facts.symbol_around(call.within), thing, MentionKind::Value));
        }
    }
    let mut mentions = Vec::new();
    for (at, expr) in facts.exprs.iter().enumerate() {
        let (thing, spot) = (paths.thing[at], paths.spot[at]);
        if thing == 0 || called[at] {
            continue;
        }
        let Spot { at: byte, within, is_type, .. } = spots[spot as usize];
        let within = owners.owner(facts, within, byte);
        let is_wanted = match expr {
            Expr::Local(_, binds) => binds.iter().any(|bind| match facts.binds[bind.ix()].to {
                Binding::Def(def) => def != DefId::FILE && is_other(facts, def, within),
                Binding::Import(_) => true,
                _ => false,
            }),
            Expr::Free(_, home) => !is_closed || open.contains(home),
            Expr::Member(..) => true,
            _ => false,
        };
        let expr = ExprId(at as u32);
        let way = match is_type {
            _ if written.contains(&expr) => MentionKind::Write,
            true => MentionKind::Type,
            false => MentionKind::Value,
        };
        if is_wanted && seen.insert((within, thing, way)) {
            let line = lines.at(byte).0;
            mentions.push(Mention { expr, way, within, line });
        }
    }
    Mentions::of(&mentions)
}

/// Whether a definition is a symbol that another one neither is nor contains.
fn is_other(facts: &FileFacts, def: DefId, than: DefId) -> bool {
    facts.def(def).kind.is_symbol() && !facts.is_within(def, than)
}

fn through(facts: &FileFacts, mut id: ExprId) -> ExprId {
    while let Expr::Generic(inner, _) | Expr::Unwrap(inner) = &facts.exprs[id.ix()] {
        id = *inner;
    }
    id
}

/// By expression: whether it is what a call calls.
fn called(facts: &FileFacts) -> Vec<bool> {
    let mut called = vec![false; facts.exprs.len()];
    for call in &facts.calls {
        if let Expr::Call(callee, _) | Expr::New(callee, _) = &facts.exprs[call.expr.ix()] {
            called[through(facts, *callee).ix()] = true;
        }
    }
    called
}

/// The expressions that are names or paths.
struct Paths {
    /// By expression: the number of what it names, or 0.
    thing: Vec<u32>,
    /// By expression: the place where its first name stands.
    spot: Vec<u32>,
}

impl Paths {
    fn of(facts: &FileFacts, spots: &[Spot]) -> Self {
        let n_exprs = facts.exprs.len();
        let mut paths = Paths { thing: vec![0; n_exprs], spot: vec![u32::MAX; n_exprs] };
        for (number, spot) in spots.iter().enumerate() {
            paths.spot[spot.expr.ix()] = number as u32;
        }
        let mut things: FxHashMap<MentionedName, u32> = FxHashMap::default();
        things.reserve(spots.len() / 2);
        for (at, expr) in facts.exprs.iter().enumerate() {
            let thing = match expr {
                Expr::Local(name, binds) if paths.spot[at] != u32::MAX => {
                    MentionedName::Bound(*name, binds.first().map_or(0, |bind| bind.0))
                }
                Expr::Free(name, home) if paths.spot[at] != u32::MAX => {
                    MentionedName::Free(*name, *home)
                }
                Expr::This(def) if paths.spot[at] != u32::MAX => MentionedName::Receiver(*def),
                Expr::Member(base, name) if paths.thing[base.ix()] != 0 => {
                    paths.spot[at] = paths.spot[base.ix()];
                    MentionedName::Member(paths.thing[base.ix()], *name)
                }
                Expr::Generic(inner, _) | Expr::Unwrap(inner) => {
                    (paths.spot[at], paths.thing[at]) =
                        (paths.spot[inner.ix()], paths.thing[inner.ix()]);
                    continue;
                }
                _ => continue,
            };
            let next = things.len() as u32 + 1;
            paths.thing[at] = *things.entry(thing).or_insert(next);
        }
        paths
    }
}

/// Which definition a place belongs to. A walk reads decorators, base classes
/// and the values of constants before it enters what they belong to, so the
/// spans of definitions have the last word. What a field says, its type says.
struct Owners {
    /// By parent, in order of the text.
    children: Vec<(DefId, u32, u32, DefId)>,
}

impl Owners {
    fn of(facts: &FileFacts) -> Self {
        let mut children: Vec<(DefId, u32, u32, DefId)> = facts
            .defs
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(_, def)| {
                let is_part = matches!(def.kind, DefKind::Field | DefKind::Variant);
                def.kind == DefKind::Impl || def.kind.is_symbol() && !is_part
            })
            .map(|(at, def)| (def.parent, def.span.start_byte, def.span.end_byte, DefId(at as u32)))
            .collect();
        children.sort_unstable();
        Owners { children }
    }

    fn owner(&self, facts: &FileFacts, within: DefId, at: u32) -> DefId {
        let mut owner = match facts.def(within).kind {
            DefKind::Impl => within,
            _ => facts.symbol_around(within),
        };
        loop {
            let end = self.children.partition_point(|child| (child.0, child.1) <= (owner, at));
            match end.checked_sub(1).and_then(|last| self.children.get(last)) {
                Some((parent, _, child_end, child)) if *parent == owner && at < *child_end => {
                    owner = *child;
                }
                _ => return owner,
            }
        }
    }
}
