//! Import statements.

use super::kinds::{Kind, fields, kind};
use super::{Lower, named_children};
use crate::facts::{Binding, DefId, Import, ImportedName, Name, Space};
use tree_sitter::Node;

impl Lower<'_, '_> {
    /// `import a.b`, `import a.b as c`.
    pub(super) fn import_statement(&mut self, node: Node<'_>) {
        let f = fields();
        for item in named_children(node) {
            let (dotted, alias) = match kind(item) {
                Kind::AliasedImport => {
                    (item.child_by_field_id(f.name), item.child_by_field_id(f.alias))
                }
                _ => (Some(item), None),
            };
            let Some(dotted) = dotted else { continue };
            let path = self.dotted(dotted);
            let Some(first) = path.first().copied() else { continue };
            // `import a.b` binds `a`; its members are found through it.
            let (bound, bound_path) = match alias {
                Some(alias) => (self.name(alias), path.clone()),
                None => (first, vec![first]),
            };
            if bound_path.len() < path.len() {
                self.add_import(path, 0, ImportedName::Effects, None, node);
            }
            self.add_import(bound_path, 0, ImportedName::Module, Some(bound), node);
        }
    }

    /// `from a.b import c as d`, `from . import e`, `from f import *`.
    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let f = fields();
        let Some(module) = node.child_by_field_id(f.module_name) else { return };
        let (path, level) = self.module_path(module);
        for item in named_children(node) {
            if item == module {
                continue;
            }
            match kind(item) {
                Kind::WildcardImport => {
                    self.add_import(path.clone(), level, ImportedName::Wildcard, None, node);
                }
                Kind::AliasedImport => {
                    let names = (item.child_by_field_id(f.name), item.child_by_field_id(f.alias));
                    if let (Some(name), Some(alias)) = names {
                        let (name, alias) = (self.name(name), self.name(alias));
                        self.add_import(
                            path.clone(),
                            level,
                            ImportedName::Name(name),
                            Some(alias),
                            node,
                        );
                    }
                }
                Kind::DottedName => {
                    let name = self.name(item);
                    self.add_import(
                        path.clone(),
                        level,
                        ImportedName::Name(name),
                        Some(name),
                        node,
                    );
                }
                _ => {}
            }
        }
    }

    fn module_path(&mut self, module: Node<'_>) -> (Vec<Name>, u8) {
        if kind(module) != Kind::RelativeImport {
            return (self.dotted(module), 0);
        }
        let mut path = Vec::new();
        let mut level = 0;
        for part in named_children(module) {
            match kind(part) {
                Kind::ImportPrefix => {
                    let n_dots = self.text(part).bytes().filter(|byte| *byte == b'.').count();
                    level = u8::try_from(n_dots).unwrap_or(u8::MAX);
                }
                _ => path = self.dotted(part),
            }
        }
        (path, level)
    }

    fn dotted(&mut self, node: Node<'_>) -> Vec<Name> {
        let text = self.text(node);
        text.split('.').map(|part| self.b.name(part.trim())).collect()
    }

    fn add_import(
        &mut self,
        path: Vec<Name>,
        level: u8,
        what: ImportedName,
        bound: Option<Name>,
        node: Node<'_>,
    ) {
        let (line, _) = self.b.position(node.start_byte());
        let import = Import {
            path: path.into(),
            what,
            level,
            is_reexport: true,
            is_type_only: false,
            home: DefId::FILE,
            line,
        };
        let id = self.b.import(import);
        if let Some(name) = bound {
            self.b.bind(name, Space::Both, Binding::Import(id), node.end_byte());
        }
    }
}
