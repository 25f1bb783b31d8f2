//! Which function answers a route.
//!
//! The edge leads from the route to the function: it belongs to the file that
//! says so, and what a change of the function reaches includes the route.

use super::edges::{Callee, Found};
use super::{EdgeKind, Node};
use crate::facts::{DefId, DefKind, Expr};

impl Found<'_, '_, '_> {
    pub(super) fn routes(&mut self) {
        let facts = self.eval.file().facts;
        // A function is named here, not called.
        self.asked.set(None);
        for (at, def) in facts.defs.iter().enumerate() {
            if def.kind != DefKind::Route {
                continue;
            }
            let source = self.node(DefId(at as u32));
            for value in &def.values {
                let (target, level) = self.eval.alone(|| match &facts.exprs[value.ix()] {
                    Expr::Nameless(of) => Some(self.node(*of)),
                    _ => match self.definition(*value, 0) {
                        Callee::Def(gid) if !self.eval.program().is_outside(gid) => {
                            Some(self.target(gid))
                        }
                        _ => None,
                    },
                });
                let Some(target) = target else { continue };
                let (line, col) = (def.name_line, def.name_col);
                let confidence = super::edges::confidence(level);
                let kind = EdgeKind::HandlesRoute;
                // A function without a name belongs to the one around it; a
                // file as a whole answers nothing.
                let is_file = target == Node { file: target.file, def: DefId::FILE };
                if !is_file {
                    self.inferred(kind, (source, target), (line, col), confidence);
                }
            }
        }
    }
}
