//! Which function answers a route.
//!
//! The edge leads from the route to the function: it belongs to the file that
//! says so, and what a change of the function reaches includes the route.

use super::edges::{Callee, EdgeCollector};
use super::eval::Hit;
use super::program::Word;
use super::symbols::Symbol;
use super::{EdgeKind, Node};
use crate::facts::{DefId, DefKind, Expr, ExprId, Space};
use model::code::MOUNT;

impl EdgeCollector<'_, '_, '_> {
    pub(super) fn routes(&mut self) {
        let facts = self.eval.file().facts;
        // A function is named here, not called.
        self.asked.set(None);
        for (at, def) in facts.defs.iter().enumerate() {
            if def.kind != DefKind::Route {
                continue;
            }
            let source = self.node(DefId(at as u32));
            let place = (def.name_line, def.name_col);
            let is_mount = facts.text(def.name).split(' ').next() == Some(MOUNT);
            for value in &def.values {
                let (target, level) = self
                    .eval
                    .alone(|| if is_mount { self.mounted(*value) } else { self.answering(*value) });
                let Some(target) = target else { continue };
                let confidence = super::confidence::of_doubt(level);
                // A file as a whole answers nothing, but may be mounted.
                let is_file = target == Node { file: target.file, def: DefId::FILE };
                if !is_file || is_mount {
                    self.inferred(EdgeKind::HandlesRoute, (source, target), place, confidence);
                }
            }
            for router in &def.decorators {
                let (target, level) = self.eval.alone(|| self.named(*router));
                if let Some(target) = target.filter(|target| *target != source) {
                    let confidence = super::confidence::of_doubt(level);
                    self.inferred(EdgeKind::References, (source, target), place, confidence);
                }
            }
        }
    }

    /// The function behind the value given for it; one without a name is part
    /// of the route itself.
    fn answering(&self, value: ExprId) -> Option<Node> {
        if let Expr::Nameless(of) = &self.eval.file().facts.exprs[value.ix()] {
            return Some(self.node(*of));
        }
        match self.definition(value, 0) {
            Callee::Def(gid) if !self.eval.program().is_outside(gid) => Some(self.target(gid)),
            _ => self.answering_method(value),
        }
    }

    /// The method of a value that answers requests, as `ServeHTTP` of what is given to
    /// `http.Handle`.
    fn answering_method(&self, value: ExprId) -> Option<Node> {
        let name = self.eval.file().semantics.handler;
        if name.is_empty() {
            return None;
        }
        match self.eval.member(&self.eval.expr(value), Word::of(name)) {
            Hit::Def(gid, _) if !self.eval.program().is_outside(gid) => Some(self.target(gid)),
            _ => None,
        }
    }

    /// A router: what a name stands for, or the function that makes it.
    fn mounted(&self, value: ExprId) -> Option<Node> {
        match &self.eval.file().facts.exprs[value.ix()] {
            Expr::Call(callee, _) => match self.definition(*callee, 0) {
                Callee::Def(gid) if !self.eval.program().is_outside(gid) => Some(self.target(gid)),
                _ => None,
            },
            _ => self.named(value),
        }
    }

    /// The definition or the module a name stands for, whatever it is.
    fn named(&self, value: ExprId) -> Option<Node> {
        let (eval, program) = (self.eval, self.eval.program());
        let symbol = match &eval.file().facts.exprs[value.ix()] {
            Expr::Local(_, binds) => {
                let bound = &eval.file().facts.binds[binds.first()?.ix()].to;
                program.bound_symbol(eval.at, bound, Space::Value, 0)
            }
            Expr::Member(base, name) => {
                let on = eval.expr(*base);
                match eval.member(&on, program.word(eval.at, *name)) {
                    Hit::Def(gid, _) => Symbol::Def(gid),
                    Hit::Module(module) => Symbol::Module(module),
                    _ => Symbol::Unknown,
                }
            }
            _ => Symbol::Unknown,
        };
        match symbol {
            Symbol::Def(gid) if !program.is_outside(gid) => Some(self.target(gid)),
            Symbol::Module(module) => Some(self.file_node(module)),
            _ => None,
        }
    }
}
