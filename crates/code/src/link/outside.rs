//! What a name stands for that another repository defines: the package it is
//! imported from, and the path of the symbol in it, as written.
//!
//! Only what imports spell out counts. What a value of a type from outside
//! can do is not known here, and nothing is concluded from it.

use super::confidence::{self, Rule};
use super::edges::EdgeCollector;
use super::layout::{FileIx, Target};
use super::program::Program;
use super::symbols::Symbol;
use super::{EdgeKind, Node};
use crate::facts::{Binding, Call, Expr, ExprId, ImportId, ImportedName, Space, TypeRef};
use model::code::Provenance;

/// A relation to something outside the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExternalEdge {
    pub kind: EdgeKind,
    pub source: Node,
    pub target: External,
    pub line: u32,
    pub col: u32,
    pub confidence: u8,
    pub provenance: Provenance,
}

/// A symbol of a package that is not in the repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct External {
    /// Packages of two languages may share a name.
    pub language: String,
    /// As an import names it: `github.com/go-chi/chi/v5`, `requests.adapters`.
    pub package: String,
    /// Empty for the package itself.
    pub symbol: String,
}

/// How a module of this repository is imported by others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImportPath {
    pub path: String,
    /// All files of the folder are the module.
    pub is_folder: bool,
}

/// The same with the file, by its place in the list given to `link`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Importable {
    pub language: &'static str,
    pub file: u32,
    pub path: ImportPath,
}

#[derive(PartialEq, Eq)]
struct ExternalImport {
    package: String,
    names: Vec<String>,
}

/// Chains longer than this are no names.
const MOST_NAMES: u32 = 8;

impl Program<'_> {
    /// Package and names of an import that leads out of the repository.
    fn outside_import(&self, file: FileIx, id: ImportId) -> Option<ExternalImport> {
        let entry = self.file(file);
        let import = &entry.facts.imports[id.ix()];
        let mut names: Vec<&str> = import.path.iter().map(|name| entry.facts.text(*name)).collect();
        let n_path = names.len();
        match import.what {
            ImportedName::Name(name) => names.push(entry.facts.text(name)),
            ImportedName::Default => names.push("default"),
            ImportedName::Module
            | ImportedName::Effects
            | ImportedName::Documented
            | ImportedName::Wildcard => {}
        }
        if import.level != 0 || names.is_empty() {
            return None;
        }
        match self.import_target(file, id) {
            Target::Outside => {}
            Target::Scope => {
                let word = super::program::Word::of(names[0]);
                let here = import.home;
                let found = self.scope_symbol(file, here, word, Space::Type, 1, Some(id));
                if found != Symbol::Unknown {
                    return None;
                }
            }
            _ => return None,
        }
        let (package, n_taken) = self.layout(file).outside(&names[..n_path.max(1)])?;
        let names = names[n_taken..].iter().map(|name| (*name).to_owned()).collect();
        Some(ExternalImport { package, names })
    }
}

impl EdgeCollector<'_, '_, '_> {
    /// Notes a call of something outside; false when nothing says what it is.
    pub(super) fn calls_outside(&mut self, call: &Call, source: Node) -> bool {
        let callee = match &self.eval.file().facts.exprs[call.expr.ix()] {
            Expr::Call(callee, _) | Expr::New(callee, _) => *callee,
            _ => return false,
        };
        match self.outside_path(callee, 0) {
            Some(outside) if !outside.names.is_empty() => {
                self.note(EdgeKind::Calls, source, outside, (call.line, call.col));
                true
            }
            _ => false,
        }
    }

    pub(super) fn imports_outside(&mut self, id: ImportId) {
        let import = &self.eval.file().facts.imports[id.ix()];
        if let Some(outside) = self.eval.program().outside_import(self.eval.at, id) {
            let source = self.node(import.home);
            self.note(EdgeKind::Imports, source, outside, (import.line, 1));
        }
    }

    /// The bases of a type that are defined elsewhere.
    pub(super) fn inherits_outside(
        &mut self,
        source: Node,
        bases: &[crate::facts::TypeId],
        place: (u32, u32),
    ) {
        for base in bases {
            let TypeRef::Named(path, _) = &self.eval.file().facts.types[base.ix()] else {
                continue;
            };
            let outside = self.outside_path(*path, 0).filter(|outside| !outside.names.is_empty());
            if let Some(outside) = outside {
                self.note(EdgeKind::Inherits, source, outside, place);
            }
        }
    }

    fn note(
        &mut self,
        kind: EdgeKind,
        source: Node,
        outside: ExternalImport,
        (line, col): (u32, u32),
    ) {
        let language = self.eval.file().facts.language.clone();
        let symbol = outside.names.join(".");
        let target = External { language, package: outside.package, symbol };
        let (confidence, provenance) = (confidence::of(Rule::Import), Provenance::AstInferred);
        let edge = ExternalEdge { kind, source, target, line, col, confidence, provenance };
        self.external.push(edge);
    }

    fn outside_path(&self, id: ExprId, depth: u32) -> Option<ExternalImport> {
        if depth > MOST_NAMES {
            return None;
        }
        let eval = self.eval;
        let facts = eval.file().facts;
        match &facts.exprs[id.ix()] {
            Expr::Local(_, binds) => {
                // `import a` and `import a.b` both bind `a`, to the same package.
                let mut all = binds.iter().map(|bind| match facts.binds[bind.ix()].to {
                    Binding::Import(import) => eval.program().outside_import(eval.at, import),
                    _ => None,
                });
                let first = all.next()??;
                all.all(|other| other.as_ref() == Some(&first)).then_some(first)
            }
            Expr::Free(name, home) => {
                let program = eval.program();
                let word = program.word(eval.at, *name);
                let layout = program.layout(eval.at);
                if !layout.is_outside_root(word.text)
                    || program.scope_symbol(eval.at, *home, word, Space::Type, 0, None)
                        != Symbol::Unknown
                {
                    return None;
                }
                let (package, _) = layout.outside(&[word.text])?;
                Some(ExternalImport { package, names: Vec::new() })
            }
            Expr::Member(base, name) => {
                let mut outside = self.outside_path(*base, depth + 1)?;
                outside.names.push(facts.text(*name).to_owned());
                Some(outside)
            }
            Expr::Generic(inner, _) => self.outside_path(*inner, depth + 1),
            _ => None,
        }
    }
}
