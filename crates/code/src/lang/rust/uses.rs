//! `use` declarations, one import per leaf.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Binding, DefId, DefKind, Import, ImportedName, Name, Space};
use crate::lang::grammar::named_children;
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        let is_public =
            named_children(node).into_iter().any(|p| kind(p) == Kind::VisibilityModifier);
        if let Some(argument) = node.child_by_field_id(fields().argument) {
            self.use_tree(argument, &[], is_public, 0);
        }
    }

    /// `extern crate name as other;`
    pub(super) fn extern_crate(&mut self, node: Node<'_>) {
        let f = fields();
        let Some(name) = node.child_by_field_id(f.name) else { return };
        let alias = node.child_by_field_id(f.alias).map(|alias| self.name(alias));
        let name = self.name(name);
        self.add_use(Vec::new(), ImportedName::Name(name), Some(alias.unwrap_or(name)), true, node);
    }

    fn use_tree(&mut self, node: Node<'_>, prefix: &[Name], is_public: bool, depth: usize) {
        let f = fields();
        if depth > 16 {
            return;
        }
        match kind(node) {
            Kind::ScopedUseList => {
                let mut path = prefix.to_vec();
                if let Some(inner) = node.child_by_field_id(f.path) {
                    path.extend(self.path_names(inner));
                }
                if let Some(list) = node.child_by_field_id(f.list) {
                    self.use_tree(list, &path, is_public, depth + 1);
                }
            }
            Kind::UseList => {
                for part in named_children(node) {
                    self.use_tree(part, prefix, is_public, depth + 1);
                }
            }
            Kind::UseWildcard => {
                let mut path = prefix.to_vec();
                if let Some(inner) = node.named_child(0) {
                    path.extend(self.path_names(inner));
                }
                self.add_use(path, ImportedName::Wildcard, None, is_public, node);
            }
            Kind::UseAsClause => {
                let (Some(inner), Some(alias)) =
                    (node.child_by_field_id(f.path), node.child_by_field_id(f.alias))
                else {
                    return;
                };
                let mut path = prefix.to_vec();
                path.extend(self.path_names(inner));
                let alias = self.name(alias);
                self.add_leaf(path, Some(alias), is_public, node);
            }
            _ => {
                let mut path = prefix.to_vec();
                path.extend(self.path_names(node));
                self.add_leaf(path, None, is_public, node);
            }
        }
    }

    /// `a::b::c` as its names.
    pub(super) fn path_names(&mut self, node: Node<'_>) -> Vec<Name> {
        let f = fields();
        let mut names = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            let (name, next) = match kind(node) {
                Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                    (node.child_by_field_id(f.name), node.child_by_field_id(f.path))
                }
                _ => (Some(node), None),
            };
            if let Some(name) = name {
                names.push(self.name(name));
            }
            at = next;
        }
        names.reverse();
        names
    }

    /// The last name is what is imported; `self` means the module before it.
    fn add_leaf(
        &mut self,
        mut path: Vec<Name>,
        alias: Option<Name>,
        is_public: bool,
        node: Node<'_>,
    ) {
        let Some(mut last) = path.pop() else { return };
        if self.b.text(last) == "self" {
            match path.pop() {
                Some(module) => last = module,
                None => return,
            }
        }
        let bound = alias.unwrap_or(last);
        self.add_use(path, ImportedName::Name(last), Some(bound), is_public, node);
    }

    fn add_use(
        &mut self,
        path: Vec<Name>,
        what: ImportedName,
        bound: Option<Name>,
        is_reexport: bool,
        node: Node<'_>,
    ) {
        let (line, _) = self.b.position(node.start_byte());
        let home = self
            .b
            .around()
            .find(|def| self.b.facts.def(*def).kind == DefKind::Module)
            .unwrap_or(DefId::FILE);
        let import = Import {
            path: path.into(),
            what,
            level: 0,
            is_reexport,
            is_type_only: false,
            home,
            line,
        };
        let id = self.b.import(import);
        if let Some(bound) = bound
            && self.b.text(bound) != "_"
        {
            self.b.bind(bound, Space::Both, Binding::Import(id), 0);
        }
    }
}
