//! Functions that are declared once and written several times, of which a build takes
//! one: in C, a header with one source for each system.
//!
//! A call through the declaration may mean any of them, so each of them gets an edge,
//! less sure than one to the only definition. That they follow one declaration which
//! the caller sees as well is asked for: functions of unrelated programs that share a
//! name are no variants of each other.

use super::confidence::{self, Rule};
use super::edges::EdgeCollector;
use super::layout::FileIx;
use super::overload::accepts;
use super::program::Program;
use super::ty::{Gid, Ty};
use super::{Edge, EdgeKind};
use crate::facts::{Binding, DefId, DefKind, Flags, Visibility};
use model::code::Provenance;

impl Program<'_> {
    /// The definitions of the function one of them is, as seen from a file; one or none
    /// where it is written once.
    pub(super) fn variants(&self, from: FileIx, gid: Gid) -> Vec<Gid> {
        let (file, id) = self.place(gid);
        let facts = self.file(file).facts;
        let def = facts.def(id);
        let layout = self.layout(file);
        let Some(space) = layout.space_of(file, def.parent) else { return Vec::new() };
        let found = layout.variants(from, space, facts.text(def.name));
        let is_function = |gid: &Gid| self.def(*gid).kind == DefKind::Function;
        let found = found.into_iter().map(|(file, def)| self.gid(file, def));
        found.filter(is_function).collect()
    }
}

impl EdgeCollector<'_, '_, '_> {
    /// What a call with so many arguments may mean of the variants of a function; empty
    /// where there are none.
    pub(super) fn variants_for(&self, gid: Gid, n_args: usize) -> Vec<Gid> {
        let (eval, program) = (self.eval, self.eval.program());
        if !eval.file().semantics.declares_apart {
            return Vec::new();
        }
        let mut found = program.variants(eval.at, gid);
        found.retain(|gid| accepts(program.def(*gid), n_args));
        if found.len() < 2 {
            return Vec::new();
        }
        found
    }

    /// The variants of a function that is named without being called.
    pub(super) fn variants_of(&self, gid: Gid) -> Vec<Gid> {
        let (eval, program) = (self.eval, self.eval.program());
        let def = program.def(gid);
        if def.kind != DefKind::Function || !eval.file().semantics.declares_apart {
            return Vec::new();
        }
        let found = program.variants(eval.at, gid);
        if found.len() < 2 || !found.contains(&gid) {
            return Vec::new();
        }
        found
    }

    /// Definitions implement what declares them, where that is a symbol of its own: in a
    /// header of another name.
    pub(super) fn declared_elsewhere(&mut self) {
        if !self.eval.file().semantics.declares_apart {
            return;
        }
        let facts = self.eval.file().facts;
        for (at, def) in facts.defs.iter().enumerate() {
            let is_body = matches!(def.kind, DefKind::Function | DefKind::Method)
                && !def.flags.has(Flags::OVERLOAD)
                && def.visibility != Visibility::Private;
            if !is_body || !super::budget::charge(1) {
                continue;
            }
            let id = DefId(at as u32);
            if let Some(declaration) = self.declaration(id) {
                let (source, target) = (self.node(id), self.target(declaration));
                let place = (def.name_line, def.name_col);
                let (line, col) = place;
                self.edges.push(Edge {
                    kind: EdgeKind::Implements,
                    source,
                    target,
                    line,
                    col,
                    confidence: confidence::of(Rule::Declaration),
                    provenance: Provenance::AstInferred,
                });
            }
        }
    }

    /// What declares a definition of this file in another module; the only one
    /// with as many parameters, or with the same ones.
    fn declaration(&self, id: DefId) -> Option<Gid> {
        let (eval, program) = (self.eval, self.eval.program());
        let facts = eval.file().facts;
        let def = facts.def(id);
        let gid = eval.gid(id);
        let candidates: Vec<Gid> = match facts.def(def.parent).kind {
            DefKind::Impl => {
                let Ty::Value(of, _) = eval.this(def.parent) else { return None };
                let (file, class) = program.place(of);
                if program.is_outside(of) {
                    return None;
                }
                let name = eval.file().names[def.name.ix()];
                let members = program.members(file, class, name);
                let defs = members.filter_map(|(_, bind)| match bind.to {
                    Binding::Def(def) => Some(program.gid(file, def)),
                    _ => None,
                });
                defs.collect()
            }
            _ => {
                let layout = program.layout(eval.at);
                let space = layout.space_of(eval.at, def.parent)?;
                let found = layout.declarations(eval.at, space, facts.text(def.name));
                found.into_iter().map(|(file, def)| program.gid(file, def)).collect()
            }
        };
        let fits = |other: &Gid| {
            let other = program.def(*other);
            other.kind.is_callable()
                && other.flags.has(Flags::OVERLOAD)
                && other.params.len() == def.params.len()
        };
        let fitting: Vec<Gid> = candidates.into_iter().filter(fits).collect();
        match fitting[..] {
            [only] => Some(only),
            _ => {
                let mut same = fitting.into_iter().filter(|it| eval.has_same_params(*it, gid));
                same.next().filter(|_| same.next().is_none())
            }
        }
    }
}
