//! Imports and exports.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use super::objects::{MemberOwner, Object};
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Import, ImportedName, Name, Space,
};
use crate::lang::grammar::{each_child, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn import_statement(&mut self, node: Node<'_>) {
        let f = fields();
        let is_type = has_token(node, "type");
        for clause in named_children(node) {
            match kind(clause) {
                Kind::ImportClause => {
                    let Some(source) = node.child_by_field_id(f.source) else { continue };
                    for part in named_children(clause) {
                        self.import_part(part, source, is_type);
                    }
                }
                // `import x = require("y")`
                Kind::ImportRequire => {
                    let Some(source) = clause.child_by_field_id(f.source) else { continue };
                    if let Some(name) = clause.named_child(0) {
                        let name = self.name(name);
                        self.add_import(source, ImportedName::Module, Some(name), false, is_type);
                    }
                }
                _ => {}
            }
        }
    }

    fn import_part(&mut self, part: Node<'_>, source: Node<'_>, is_type: bool) {
        let f = fields();
        match kind(part) {
            Kind::Identifier => {
                let name = self.name(part);
                self.add_import(source, ImportedName::Default, Some(name), false, is_type);
            }
            Kind::NamespaceImport => {
                if let Some(name) = part.named_child(0) {
                    let name = self.name(name);
                    self.add_import(source, ImportedName::Module, Some(name), false, is_type);
                }
            }
            Kind::NamedImports => {
                for specifier in named_children(part) {
                    let Some(name_node) = specifier.child_by_field_id(f.name) else { continue };
                    let bound = specifier.child_by_field_id(f.alias).unwrap_or(name_node);
                    let (name, bound) = (self.name(name_node), self.name(bound));
                    let what = self.imported(name);
                    self.add_import(source, what, Some(bound), false, is_type);
                }
            }
            _ => {}
        }
    }

    pub(super) fn imported(&self, name: Name) -> ImportedName {
        if self.b.text(name) == "default" {
            ImportedName::Default
        } else {
            ImportedName::Name(name)
        }
    }

    fn add_import(
        &mut self,
        source: Node<'_>,
        what: ImportedName,
        bound: Option<Name>,
        is_reexport: bool,
        is_type_only: bool,
    ) {
        let path = self.name(source);
        let (line, _) = self.b.position(source.start_byte());
        let import = Import {
            path: [path].into(),
            what,
            level: 0,
            is_reexport,
            is_type_only,
            home: self.module_around(),
            line,
        };
        let id = self.b.import(import);
        let Some(bound) = bound else { return };
        if is_reexport {
            let home = self.module_around();
            self.b.bind_member(home, bound, Space::Both, Binding::Import(id));
        } else {
            self.b.bind(bound, Space::Both, Binding::Import(id), 0);
        }
    }

    fn module_around(&self) -> DefId {
        let found = self.b.around().find(|def| self.b.facts.def(*def).kind == DefKind::Module);
        found.unwrap_or(DefId::FILE)
    }

    pub(super) fn export_statement(&mut self, node: Node<'_>) {
        let f = fields();
        let is_default = has_token(node, "default");
        if let Some(declaration) = node.child_by_field_id(f.declaration) {
            let first = self.b.facts.defs.len();
            self.statement_inner(declaration, node);
            if is_default && first < self.b.facts.defs.len() {
                self.bind_default(DefId(first as u32));
            }
            return;
        }
        if let Some(value) = node.child_by_field_id(f.value) {
            self.default_value(value, node, false);
            return;
        }
        let is_whole = has_token(node, "=");
        let source = node.child_by_field_id(f.source);
        for part in named_children(node) {
            match kind(part) {
                Kind::ExportClause => {
                    for specifier in named_children(part) {
                        self.export_specifier(specifier, source);
                    }
                }
                Kind::NamespaceExport => {
                    if let (Some(name), Some(source)) = (part.named_child(0), source) {
                        let name = self.name(name);
                        self.add_import(source, ImportedName::Module, Some(name), true, false);
                    }
                }
                Kind::String => {}
                _ if super::expressions::is_expression(kind(part)) => {
                    self.default_value(part, node, is_whole);
                }
                _ => self.statement(part),
            }
        }
        if let Some(source) = source
            && has_token(node, "*")
        {
            let is_namespace =
                named_children(node).iter().any(|p| kind(*p) == Kind::NamespaceExport);
            if !is_namespace {
                self.add_import(source, ImportedName::Wildcard, None, true, false);
            }
        }
    }

    /// `export { a as b }`, of this file or from another.
    fn export_specifier(&mut self, specifier: Node<'_>, source: Option<Node<'_>>) {
        let f = fields();
        let Some(name_node) = specifier.child_by_field_id(f.name) else { return };
        let bound = specifier.child_by_field_id(f.alias).unwrap_or(name_node);
        let (name, bound) = (self.name(name_node), self.name(bound));
        if let Some(source) = source {
            let what = self.imported(name);
            self.add_import(source, what, Some(bound), true, false);
            return;
        }
        if name == bound {
            // Known under its own name already.
            return;
        }
        let (line, _) = self.b.position(specifier.start_byte());
        let import = Import {
            path: Box::default(),
            what: ImportedName::Name(name),
            level: 0,
            is_reexport: true,
            is_type_only: false,
            home: DefId::FILE,
            line,
        };
        let id = self.b.import(import);
        self.b.bind_member(DefId::FILE, bound, Space::Both, Binding::Import(id));
    }

    /// `export default x` and `export = x`.
    fn default_value(&mut self, value: Node<'_>, node: Node<'_>, is_whole: bool) {
        let name = self.b.name("default");
        let to = if super::functions::is_function(value) {
            let def = self.b.def(DefKind::Function, name, node.byte_range(), value.start_byte());
            self.callable(def, value, None);
            self.bind_default(def);
            Binding::Def(def)
        } else if kind(value) == Kind::Class {
            let def = self.class(value, node);
            self.bind_default(def);
            Binding::Def(def)
        } else if kind(value) == Kind::Identifier {
            let inner = self.name(value);
            let (line, _) = self.b.position(value.start_byte());
            let import = Import {
                path: Box::default(),
                what: ImportedName::Name(inner),
                level: 0,
                is_reexport: true,
                is_type_only: false,
                home: DefId::FILE,
                line,
            };
            let id = self.b.import(import);
            self.b.bind_member(DefId::FILE, name, Space::Both, Binding::Import(id));
            Binding::Import(id)
        } else {
            let def = self.b.def(DefKind::Const, name, node.byte_range(), value.start_byte());
            let value = self.expression(value);
            if value != Builder::OPAQUE {
                self.b.add_value(def, value);
            }
            self.bind_default(def);
            Binding::Def(def)
        };
        if is_whole {
            self.bind_whole(to);
        }
    }

    /// `const x = require("y")`, `const x = require("y").z`,
    /// `const { a } = require("y")`.
    pub(super) fn required(
        &mut self,
        target: Node<'_>,
        value: Option<Node<'_>>,
        node: Node<'_>,
    ) -> bool {
        let Some((source, what)) = value.and_then(|value| self.required_module(value)) else {
            return false;
        };
        if kind(target) == Kind::Identifier {
            let name = self.name(target);
            self.add_import(source, what, Some(name), false, false);
            if self.level.is_file {
                self.objects.add(self.text(target), Object::Foreign);
            }
            return true;
        }
        if what == ImportedName::Module && kind(target) == Kind::ObjectPattern {
            self.required_names(target, source, node);
            return true;
        }
        let mut module = self.module_value(source);
        if let ImportedName::Name(name) = what {
            module = self.b.expr(Expr::Member(module, name));
        }
        self.bind_pattern(target, module, node.end_byte(), false);
        true
    }

    /// `{ a, b: c }` of a module: imports of these names.
    fn required_names(&mut self, pattern: Node<'_>, source: Node<'_>, node: Node<'_>) {
        let f = fields();
        for part in named_children(pattern) {
            let names = match kind(part) {
                Kind::ShorthandPattern => Some((part, part)),
                Kind::PairPattern => {
                    let key = part.child_by_field_id(f.key);
                    let value = part.child_by_field_id(f.value);
                    key.zip(value.filter(|value| kind(*value) == Kind::Identifier))
                }
                _ => None,
            };
            if let Some((name, bound)) = names {
                let (name, bound) = (self.name(name), self.name(bound));
                let what = self.imported(name);
                self.add_import(source, what, Some(bound), false, false);
            } else {
                let module = self.module_value(source);
                self.bind_property(part, module, node.end_byte(), false);
            }
        }
    }

    /// Makes a module, or a name of it, a member.
    pub(super) fn bind_import(
        &mut self,
        home: MemberOwner,
        name: Name,
        source: Node<'_>,
        what: ImportedName,
    ) {
        let path = self.name(source);
        let (line, _) = self.b.position(source.start_byte());
        let import = Import {
            path: [path].into(),
            what,
            level: 0,
            is_reexport: true,
            is_type_only: false,
            home: DefId::FILE,
            line,
        };
        let id = self.b.import(import);
        self.b.bind_member(home.def, name, Space::Both, Binding::Import(id));
    }

    /// A module as a value: `import("y")`.
    pub(super) fn module_value(&mut self, source: Node<'_>) -> ExprId {
        let path = self.name(source);
        let (line, _) = self.b.position(source.start_byte());
        let import = Import {
            path: [path].into(),
            what: ImportedName::Module,
            level: 0,
            is_reexport: false,
            is_type_only: false,
            home: DefId::FILE,
            line,
        };
        let id = self.b.import(import);
        self.n_imports += 1;
        let name = self.b.name(&format!("import {}", self.n_imports));
        let bind = self.b.bind_private(name, Space::Both, Binding::Import(id));
        self.b.expr(Expr::Local(name, [bind].into()))
    }
}

fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut found = false;
    each_child(node, |child| found |= child.kind() == token);
    found
}
