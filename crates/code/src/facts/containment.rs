//! What is written inside what.

use super::{DefId, DefKind, FileFacts};
use rustc_hash::FxHashMap;

impl FileFacts {
    /// Every symbol but the file, behind the one that contains it: the symbol
    /// it is written in, or the type its block adds members to where this file
    /// defines that type.
    pub fn containment(&self) -> Vec<(DefId, DefId)> {
        let symbols = || {
            let all = self.defs.iter().enumerate().skip(1);
            all.filter(|(_, def)| def.kind.is_symbol())
        };
        let types: FxHashMap<(DefId, &str), DefId> = symbols()
            .filter(|(_, def)| def.kind.is_type() || def.kind == DefKind::Alias)
            .map(|(at, def)| ((def.parent, self.text(def.name)), DefId(at as u32)))
            .collect();
        symbols()
            .map(|(at, def)| (self.container(def.parent, &types), DefId(at as u32)))
            .filter(|(outer, inner)| outer != inner)
            .collect()
    }

    fn container(&self, mut at: DefId, types: &FxHashMap<(DefId, &str), DefId>) -> DefId {
        while at != DefId::FILE && !self.def(at).kind.is_symbol() {
            let def = self.def(at);
            if def.kind == DefKind::Impl
                && let Some(of) = types.get(&(def.parent, self.text(def.name)))
            {
                return *of;
            }
            at = def.parent;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::extract;

    fn contained(path: &str, text: &str) -> Vec<String> {
        let facts = extract(path, text.as_bytes());
        facts
            .containment()
            .into_iter()
            .map(|(outer, inner)| {
                format!("{} > {}", facts.symbol_path(outer), facts.symbol_path(inner))
            })
            .collect()
    }

    #[test]
    fn members_of_a_block_belong_to_the_type_it_is_for() {
        let text = "struct Db { size: u32 }\nimpl Db { fn get(&self) {} }\n\
                    impl Elsewhere { fn set(&self) {} }\nmod inner { fn f() {} }\n";
        assert_eq!(
            contained("src/db.rs", text),
            [
                " > Db",
                "Db > Db.size",
                "Db > Db.get",
                " > Elsewhere.set",
                " > inner",
                "inner > inner.f"
            ]
        );
    }

    #[test]
    fn what_a_function_defines_is_inside_it() {
        let text = "class A:\n    def run(self):\n        def step(): pass\n";
        assert_eq!(contained("a.py", text), [" > A", "A > A.run", "A.run > A.run.step"]);
    }
}
