//! Who names what without calling it: types, constants, variables, and
//! functions used as values; and who reads and writes the fields of values.
//!
//! Names are looked up as calls are, with the same doubts. A name that is not
//! bound makes no edge and is not kept. Where another edge already leads from
//! one symbol to the other, nothing is added.

use super::confidence;
use super::edges::EdgeCollector;
use super::eval::{Hit, doubt, value_first};
use super::symbols::Symbol;
use super::ty::{Gid, Ty};
use super::{EdgeKind, Node};
use crate::facts::{BindId, Binding, DefId, DefKind, Expr, ExprId, Flags, Mention, MentionKind};
use rustc_hash::FxHashSet;

/// What a mention turned out to be.
#[derive(Clone, Copy)]
enum MentionTarget {
    Named,
    FieldOfValue,
}

impl EdgeCollector<'_, '_, '_> {
    pub(super) fn references(&mut self) {
        let mut known: FxHashSet<(Node, Node)> =
            self.edges.iter().map(|edge| (edge.source, edge.target)).collect();
        let facts = self.eval.file().facts;
        for mention in facts.mentions.iter() {
            if mention.expr.ix() >= facts.exprs.len() || mention.within.ix() >= facts.defs.len() {
                continue;
            }
            let (found, level) = self.eval.alone(|| self.mentioned(&mention));
            let Some((gid, what)) = found.filter(|(gid, _)| self.is_referable(*gid)) else {
                continue;
            };
            let source = self.source(mention.within);
            let variants = self.variants_of(gid);
            let level = if variants.is_empty() { level } else { level.max(doubt::PARTIAL) };
            let targets = if variants.is_empty() { vec![self.eval.body_of(gid)] } else { variants };
            let kind = match (what, mention.way) {
                (MentionTarget::Named, _) => EdgeKind::References,
                (MentionTarget::FieldOfValue, MentionKind::Write) => EdgeKind::WritesField,
                (MentionTarget::FieldOfValue, _) => EdgeKind::ReadsField,
            };
            for target in targets {
                let target = self.target(target);
                let is_inside =
                    source.file == target.file && facts.is_within(target.def, source.def);
                // Reading and writing one field are two relations.
                let is_known = kind == EdgeKind::References && !known.insert((source, target));
                if is_inside || is_known {
                    continue;
                }
                let (line, confidence) = (mention.line, confidence::of_doubt(level));
                self.inferred(kind, (source, target), (line, 1), confidence);
            }
        }
    }

    /// What the head of a block for a type names, the type names.
    fn source(&self, within: DefId) -> Node {
        if self.eval.file().facts.def(within).kind == DefKind::Impl
            && let Ty::Value(of, _) = self.eval.this(within)
            && self.eval.program().place(of).0 == self.eval.at
        {
            return self.target(of);
        }
        self.node(within)
    }

    fn is_referable(&self, gid: Gid) -> bool {
        let program = self.eval.program();
        let kind = program.def(gid).kind;
        !program.is_outside(gid) && kind.is_symbol() && kind != DefKind::Module
    }

    fn mentioned(&self, mention: &Mention) -> Option<(Gid, MentionTarget)> {
        if mention.way == MentionKind::Type
            && let Symbol::Def(gid) = self.eval.program().type_path(self.eval.at, mention.expr, 0)
        {
            return Some((gid, MentionTarget::Named));
        }
        // A path to a value may begin with a type.
        self.named_value(mention.expr)
    }

    /// The definition a name or path stands for where a value is expected.
    fn named_value(&self, id: ExprId) -> Option<(Gid, MentionTarget)> {
        let eval = self.eval;
        let program = eval.program();
        match &eval.file().facts.exprs[id.ix()] {
            Expr::Local(_, binds) => Some((self.bound_value(binds)?, MentionTarget::Named)),
            Expr::Free(name, home) => {
                let hit = eval.free_hit(*home, program.word(eval.at, *name));
                self.hit_value(&hit, true)
            }
            Expr::Member(base, name) => {
                let on = eval.expr(*base);
                let hit = eval.member(&on, program.word(eval.at, *name));
                self.hit_value(&hit, !matches!(on, Ty::Itself(..)))
            }
            _ => None,
        }
    }

    fn bound_value(&self, binds: &[BindId]) -> Option<Gid> {
        let eval = self.eval;
        let mut found = None;
        for bind in binds {
            let bound = &eval.file().facts.binds[bind.ix()].to;
            let symbol = match bound {
                Binding::Def(_) | Binding::Import(_) => {
                    value_first(|space| eval.program().bound_symbol(eval.at, bound, space, 0))
                }
                _ => Symbol::Unknown,
            };
            match (found, symbol) {
                (None, Symbol::Def(gid)) => found = Some(gid),
                (Some(before), Symbol::Def(gid)) if before == gid => {}
                // One of several, as with calls.
                _ => eval.doubt_at_least(doubt::PARTIAL),
            }
        }
        found
    }

    /// The fields of a value are read and written; those of a type itself are
    /// constants by another name.
    fn hit_value(&self, hit: &Hit, of_value: bool) -> Option<(Gid, MentionTarget)> {
        let Hit::Def(gid, _) = hit else { return None };
        let def = self.eval.program().def(*gid);
        let is_field = def.kind == DefKind::Field && !def.flags.has(Flags::STATIC);
        Some((
            *gid,
            if is_field && of_value { MentionTarget::FieldOfValue } else { MentionTarget::Named },
        ))
    }
}
