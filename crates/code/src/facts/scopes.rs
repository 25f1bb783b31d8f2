//! The scopes of one file and how a name is looked up in them.
//!
//! Names are looked up when the whole file is known, because languages let a
//! name be used above the place that binds it. What differs between languages
//! is said in `Rules`; nothing here knows a language.

use super::{Bind, BindId, Binding, DefId, ExprId, Name, Space};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeKind {
    Module,
    Class,
    Function,
    /// A branch or a pair of braces.
    Block,
}

/// How a language binds names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// A name assigned in a block belongs to the whole function.
    pub hoists: bool,
    /// A variable is known only below the place that binds it.
    pub in_order: bool,
    /// A module inside a file does not see the names around it.
    pub modules_stand_alone: bool,
    /// Methods see the members of their class without a receiver.
    pub members_in_scope: bool,
    /// The same, inherited members included: they are looked up by type, so a
    /// scope gives only the types a class holds, and a free name keeps its class.
    pub members_by_type: bool,
    /// What is called by its name is a function, whatever variables bear the name.
    pub calls_name_functions: bool,
    /// A name that its module does not bind comes from a wildcard or is built in.
    pub closed: bool,
}

/// Declarations of one name in one scope that a use looks at.
const MAX_LOOKED_AT: usize = 4_096;

#[derive(Debug)]
struct Scope {
    parent: Option<u32>,
    kind: ScopeKind,
    owner: DefId,
}

/// Where a name was bound: the scope it belongs to, and the block it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Declaration {
    scope: u32,
    name: Name,
    at: u32,
    bind: BindId,
    block: u32,
}

/// A use of a name, to be looked up at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub expr: ExprId,
    pub name: Name,
    pub scope: u32,
    pub at: u32,
    pub space: Space,
    /// It is called.
    pub is_called: bool,
}

#[derive(Debug)]
pub(super) struct Scopes {
    rules: Rules,
    all: Vec<Scope>,
    pub current: u32,
    declared: Vec<Declaration>,
}

pub(super) enum NameLookup {
    Bound(Box<[BindId]>),
    Free(DefId),
}

impl Scopes {
    pub fn new(rules: Rules) -> Self {
        let file = Scope { parent: None, kind: ScopeKind::Module, owner: DefId::FILE };
        Scopes { rules, all: vec![file], current: 0, declared: Vec::new() }
    }

    pub fn open(&mut self, kind: ScopeKind, owner: DefId) {
        self.all.push(Scope { parent: Some(self.current), kind, owner });
        self.current = self.all.len() as u32 - 1;
    }

    pub fn close(&mut self) {
        self.current = self.all[self.current as usize].parent.unwrap_or(0);
    }

    /// The scope a new name belongs to, and whose member it is there.
    pub fn target(&self, hoisted: bool) -> (u32, Option<DefId>) {
        let mut at = self.current;
        while hoisted && self.all[at as usize].kind == ScopeKind::Block {
            at = self.all[at as usize].parent.unwrap_or(0);
        }
        self.home_of(at)
    }

    /// The module scope around, for names declared global.
    pub fn module(&self) -> (u32, Option<DefId>) {
        let mut at = self.current;
        while self.all[at as usize].kind != ScopeKind::Module {
            at = self.all[at as usize].parent.unwrap_or(0);
        }
        self.home_of(at)
    }

    fn home_of(&self, at: u32) -> (u32, Option<DefId>) {
        let scope = &self.all[at as usize];
        let is_home = matches!(scope.kind, ScopeKind::Module | ScopeKind::Class);
        (at, is_home.then_some(scope.owner))
    }

    pub fn hoists(&self) -> bool {
        self.rules.hoists
    }

    pub fn is_closed(&self) -> bool {
        self.rules.closed
    }

    pub fn declare(&mut self, scope: u32, name: Name, at: u32, bind: BindId) {
        self.declared.push(Declaration { scope, name, at, bind, block: self.current });
    }

    /// To be called before `find`, when all names are declared.
    pub fn settle(&mut self) {
        self.declared.sort_unstable();
    }

    /// What a use means: the bindings it may see, at most `most` of them.
    pub fn find(&self, wanted: &Use, binds: &[Bind], most: usize) -> NameLookup {
        let mut left_function = false;
        let mut at = Some(wanted.scope);
        while let Some(id) = at {
            let scope = &self.all[id as usize];
            let is_hidden = scope.kind == ScopeKind::Class
                && if self.rules.members_by_type {
                    wanted.space == Space::Value
                } else {
                    left_function && !self.rules.members_in_scope
                };
            if !is_hidden {
                let found = self.select(id, wanted, left_function, (binds, most));
                if !found.is_empty() {
                    return NameLookup::Bound(found.into());
                }
            }
            left_function |= scope.kind == ScopeKind::Function;
            if scope.kind == ScopeKind::Module && self.rules.modules_stand_alone {
                return NameLookup::Free(scope.owner);
            }
            at = scope.parent;
        }
        NameLookup::Free(self.module_around(wanted.scope))
    }

    fn module_around(&self, mut id: u32) -> DefId {
        loop {
            let scope = &self.all[id as usize];
            if self.rules.members_by_type && scope.kind == ScopeKind::Class {
                return scope.owner;
            }
            match scope.parent {
                Some(parent) if scope.kind != ScopeKind::Module => id = parent,
                _ => return scope.owner,
            }
        }
    }

    /// Which of the bindings of a scope a use may see. Going back from the
    /// use, the first one that always happens before it hides the older ones.
    fn select(
        &self,
        id: u32,
        wanted: &Use,
        left_function: bool,
        (binds, most): (&[Bind], usize),
    ) -> Vec<BindId> {
        let first = self.declared.partition_point(|d| (d.scope, d.name) < (id, wanted.name));
        let here = &self.declared[first..];
        let here = &here[..here.partition_point(|d| d.scope == id && d.name == wanted.name)];
        let is_function = wanted.is_called && self.rules.calls_name_functions;
        let sees = |d: &&Declaration| {
            let bind = &binds[d.bind.ix()];
            let is_named = matches!(bind.to, Binding::Def(_) | Binding::Import(_));
            bind.space.meets(wanted.space) && (is_named || !is_function)
        };
        let mut found = Vec::new();
        if self.rules.in_order || !left_function {
            let before = &here[..here.partition_point(|d| d.at <= wanted.at)];
            let mut end: Option<u32> = None;
            for declared in before.iter().rev().take(MAX_LOOKED_AT).filter(sees) {
                // Items of one name stand side by side, none hides the other.
                if found.len() >= most || end.is_some_and(|end| declared.at < end) {
                    break;
                }
                let always = self.is_around(declared.block, wanted.scope);
                if always || !is_narrowing(&binds[declared.bind.ix()]) {
                    found.push(declared.bind);
                }
                if always {
                    end = Some(declared.at);
                }
            }
        }
        if found.is_empty() && !self.rules.in_order {
            let all = here.iter().take(MAX_LOOKED_AT).filter(sees).map(|d| d.bind);
            found = all.filter(|b| !is_narrowing(&binds[b.ix()])).take(most).collect();
        }
        found
    }

    fn is_around(&self, outer: u32, mut inner: u32) -> bool {
        // Scopes are numbered in the order they open, so an outer one is lower.
        while inner > outer {
            inner = self.all[inner as usize].parent.unwrap_or(0);
        }
        inner == outer
    }
}

fn is_narrowing(bind: &Bind) -> bool {
    matches!(bind.to, Binding::Narrowed { .. })
}
