//! Functions that are declared in one place and written in another: a prototype and
//! the function are one symbol, and so are the signatures of an overloaded function and
//! its body. The one with the body speaks for all.

use super::SourceFile;
use crate::facts::{DefId, DefKind, FileFacts, Flags};
use crate::lang;
use rustc_hash::FxHashSet;

/// The functions of both versions that have a body.
pub struct Definitions<'a> {
    /// By the file, where that must be the same, and the names from the file down.
    names: FxHashSet<(Option<&'a str>, String)>,
}

impl<'a> Definitions<'a> {
    pub fn of(old: &[SourceFile<'a>], new: &[SourceFile<'a>]) -> Self {
        let mut names = FxHashSet::default();
        for file in old.iter().chain(new) {
            let has_any = file.facts.defs.iter().any(|def| def.flags.has(Flags::OVERLOAD));
            let home = home(file);
            if home.is_some() && !(has_any && has_signatures(file.facts)) {
                continue;
            }
            for (id, def) in file.facts.defs.iter().enumerate().skip(1) {
                if def.kind.is_callable() && !def.flags.has(Flags::OVERLOAD) {
                    names.insert((home, file.facts.symbol_path(DefId(id as u32))));
                }
            }
        }
        Definitions { names }
    }

    /// Whether a definition only announces a function, and another one is it: the function
    /// itself, or the first of several prototypes in the file.
    pub fn is_announced<'f>(
        &self,
        file: &SourceFile<'f>,
        id: DefId,
        seen: &mut FxHashSet<(DefId, &'f str)>,
    ) -> bool {
        let facts = file.facts;
        let def = facts.def(id);
        let is_known = declares_apart(facts) || has_signatures(facts);
        if !is_known || !def.kind.is_callable() || !def.flags.has(Flags::OVERLOAD) {
            return false;
        }
        // Where a class declares its members is what the class is.
        let declares_apart = declares_apart(facts);
        if declares_apart && def.kind != DefKind::Function {
            return false;
        }
        self.names.contains(&(home(file), facts.symbol_path(id)))
            || (declares_apart && !seen.insert((def.parent, facts.text(def.name))))
    }
}

/// The file that a function and its signatures must share.
fn home<'a>(file: &SourceFile<'a>) -> Option<&'a str> {
    (!declares_apart(file.facts)).then_some(file.path)
}

/// Whether a function may be announced apart from where it is written.
fn declares_apart(facts: &FileFacts) -> bool {
    lang::by_name(&facts.language).is_some_and(|it| it.semantics().declares_apart)
}

/// Whether functions of a file may have signatures in front of the one with the body.
pub fn has_signatures(facts: &FileFacts) -> bool {
    lang::notation(&facts.language).has_signatures
}
