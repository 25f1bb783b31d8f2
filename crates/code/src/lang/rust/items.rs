//! Items: modules, types, traits, impls and functions.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{
    Binding, DefId, DefKind, Flags, Param, ParamKind, ScopeKind, Space, TypeId, TypeRef, Visibility,
};
use crate::lang::grammar::{each_child, named_children};
use tree_sitter::Node;

/// What stands above an item: documentation and attributes.
#[derive(Default, Clone)]
pub(super) struct ItemPreamble {
    doc: String,
    start: Option<usize>,
    is_test: bool,
    path: Option<String>,
    /// Written for a system other than the common one.
    is_elsewhere: bool,
}

impl Lower<'_, '_> {
    /// The items or statements of a file, module, trait or impl.
    pub(super) fn items(&mut self, list: Node<'_>) {
        let mut nodes = Vec::new();
        each_child(list, |node| nodes.push(node));
        let mut above = ItemPreamble::default();
        for node in nodes.into_iter().filter(Node::is_named) {
            if !self.note_above(node, &mut above) {
                let above = std::mem::take(&mut above);
                if !self.item_macro(node) {
                    self.item(node, &above);
                }
            }
        }
    }

    /// Comments and attributes belong to what comes next.
    pub(super) fn note_above(&mut self, node: Node<'_>, above: &mut ItemPreamble) -> bool {
        match kind(node) {
            Kind::LineComment | Kind::BlockComment => {
                let text = self.text(node);
                if let Some(line) = text.strip_prefix("///") {
                    above.doc.push_str(line.strip_prefix(' ').unwrap_or(line).trim_end());
                    above.doc.push('\n');
                }
                true
            }
            Kind::AttributeItem => {
                let text = self.text(node);
                let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                above.is_test |= compact.contains("cfg(test)")
                    || compact == "#[test]"
                    || compact.contains("::test]")
                    || compact.contains("::test(");
                above.is_elsewhere |= is_for_other_systems(&compact);
                if let Some(path) = compact.strip_prefix("#[path=\"") {
                    above.path = path.split('"').next().map(str::to_owned);
                }
                above.start.get_or_insert(node.start_byte());
                true
            }
            _ => false,
        }
    }

    pub(super) fn item(&mut self, node: Node<'_>, above: &ItemPreamble) {
        if !self.b.dive() {
            return;
        }
        match kind(node) {
            Kind::FunctionItem | Kind::FunctionSignature => self.function(node, above),
            Kind::StructItem | Kind::UnionItem => self.structure(node, above),
            Kind::EnumItem => self.enumeration(node, above),
            Kind::TraitItem => self.trait_item(node, above),
            Kind::ImplItem => self.impl_item(node, above),
            Kind::ModItem => self.module(node, above),
            Kind::TypeItem | Kind::AssociatedType => self.alias(node, above),
            Kind::ConstItem | Kind::StaticItem => self.constant(node, above),
            Kind::UseDeclaration => self.use_declaration(node),
            Kind::ExternCrate => self.extern_crate(node),
            Kind::ForeignMod => {
                if let Some(body) = node.child_by_field_id(fields().body) {
                    self.items(body);
                }
            }
            Kind::MacroDefinition => {}
            _ => {
                self.statement(node);
            }
        }
        self.b.rise();
    }

    fn define(
        &mut self,
        def_kind: DefKind,
        node: Node<'_>,
        above: &ItemPreamble,
        space: Space,
    ) -> Option<DefId> {
        let f = fields();
        let name_node = node.child_by_field_id(f.name)?;
        let name = self.name(name_node);
        let start = above.start.unwrap_or(node.start_byte());
        let def = self.b.def(def_kind, name, start..node.end_byte(), name_node.start_byte());
        let end = node.child_by_field_id(f.body).map_or(node.end_byte(), |body| body.start_byte());
        let signature = self.b.signature(node.start_byte()..end);
        let doc = self.b.doc(&above.doc);
        let visibility = self.visibility(node);
        let definition = self.b.def_mut(def);
        definition.signature = signature;
        definition.doc = doc;
        definition.visibility = visibility;
        if above.is_test {
            definition.flags.add(Flags::TEST);
        }
        if above.is_elsewhere {
            definition.flags.add(Flags::OVERLOAD);
        }
        let holder = self.b.within();
        match self.b.facts.def(holder).kind {
            DefKind::Impl | DefKind::Trait => {
                self.b.bind_member(holder, name, space, Binding::Def(def));
            }
            _ => {
                self.b.bind(name, space, Binding::Def(def), 0);
            }
        }
        Some(def)
    }

    fn visibility(&self, node: Node<'_>) -> Visibility {
        let modifier =
            named_children(node).into_iter().find(|p| kind(*p) == Kind::VisibilityModifier);
        match modifier {
            Some(modifier) if self.text(modifier) == "pub" => Visibility::Public,
            Some(_) => Visibility::Internal,
            // What a trait asks for is as visible as the trait.
            None if self.b.facts.def(self.b.within()).kind == DefKind::Trait => Visibility::Public,
            None => Visibility::Private,
        }
    }

    fn function(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let holder = self.b.facts.def(self.b.within()).kind;
        let is_member = matches!(holder, DefKind::Impl | DefKind::Trait);
        let def_kind = if is_member { DefKind::Method } else { DefKind::Function };
        let Some(def) = self.define(def_kind, node, above, Space::Value) else { return };
        self.b.enter(def, ScopeKind::Function);
        self.type_params(def, node);
        let params = node.child_by_field_id(f.parameters);
        let params = params.map(|list| self.parameters(def, list)).unwrap_or_default();
        let has_receiver = params.first().is_some_and(|p| p.kind == ParamKind::Receiver);
        let ty = node.child_by_field_id(f.return_type).map(|ty| self.ty(ty));
        let body = node.child_by_field_id(f.body);
        let definition = self.b.def_mut(def);
        definition.params = params.into();
        definition.ty = ty;
        if is_member && !has_receiver {
            definition.flags.add(Flags::STATIC);
        }
        if body.is_none() {
            definition.flags.add(Flags::ABSTRACT);
        }
        if let Some(body) = body {
            self.expression(body);
        }
        self.b.leave();
    }

    fn parameters(&mut self, def: DefId, list: Node<'_>) -> Vec<Param> {
        let f = fields();
        let mut params = Vec::new();
        for part in named_children(list) {
            let index = params.len() as u16;
            match kind(part) {
                Kind::SelfParameter => {
                    let name = self.b.name("self");
                    params.push(Param { name, ty: None, default: None, kind: ParamKind::Receiver });
                    let to = Binding::Param { of: def, index };
                    self.b.bind(name, Space::Value, to, part.start_byte());
                }
                Kind::Parameter => {
                    let ty = part.child_by_field_id(f.type_).map(|ty| self.ty(ty));
                    let Some(pattern) = part.child_by_field_id(f.pattern) else { continue };
                    let is_self = kind(pattern) == Kind::SelfValue;
                    let name = self.name(pattern);
                    let param_kind = if is_self { ParamKind::Receiver } else { ParamKind::Plain };
                    params.push(Param { name, ty, default: None, kind: param_kind });
                    if is_self || kind(pattern) == Kind::Identifier {
                        let to = Binding::Param { of: def, index };
                        self.b.bind(name, Space::Value, to, part.start_byte());
                    } else {
                        let value = self.typed(ty);
                        self.bind_pattern(pattern, value, part.start_byte());
                    }
                }
                _ => {}
            }
        }
        params
    }

    /// Type parameters with their bounds, those of a `where` included.
    pub(super) fn type_params(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        let mut ids = Vec::new();
        let mut bounds = Vec::new();
        if let Some(list) = node.child_by_field_id(f.type_parameters) {
            for part in named_children(list) {
                if kind(part) != Kind::TypeParameter {
                    continue;
                }
                let Some(name_node) = part.child_by_field_id(f.name) else { continue };
                let name = self.name(name_node);
                let at = name_node.start_byte();
                let id = self.b.def_in(def, DefKind::TypeParam, name, part.byte_range(), at);
                self.b.bind(name, Space::Type, Binding::Def(id), 0);
                ids.push((id, name));
                bounds.push((id, part.child_by_field_id(f.bounds)));
            }
        }
        for clause in named_children(node) {
            if kind(clause) != Kind::WhereClause {
                continue;
            }
            for predicate in named_children(clause) {
                let Some(left) = predicate.child_by_field_id(f.left) else { continue };
                let text = self.text(left);
                let found = ids.iter().find(|(_, name)| self.b.text(*name) == text);
                if let Some((id, _)) = found {
                    bounds.push((*id, predicate.child_by_field_id(f.bounds)));
                }
            }
        }
        for (id, list) in bounds {
            let Some(list) = list else { continue };
            let mut types = self.b.facts.def(id).bases.to_vec();
            types.extend(self.bounds(list));
            self.b.def_mut(id).bases = types.into();
        }
        self.b.def_mut(def).type_params = ids.iter().map(|(id, _)| *id).collect();
    }

    pub(super) fn bounds(&mut self, list: Node<'_>) -> Vec<TypeId> {
        let mut types = Vec::new();
        for bound in named_children(list) {
            if kind(bound) != Kind::Lifetime {
                types.push(self.ty(bound));
            }
        }
        types
    }

    fn structure(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let body = node.child_by_field_id(fields().body);
        let is_plain = body.is_some_and(|body| kind(body) == Kind::FieldDeclarationList);
        let space = if is_plain { Space::Type } else { Space::Both };
        let Some(def) = self.define(DefKind::Struct, node, above, space) else { return };
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        if let Some(body) = body {
            self.fields_of(def, body);
        }
        self.b.leave();
    }

    /// Named fields, and those with numbers for names.
    fn fields_of(&mut self, def: DefId, body: Node<'_>) {
        let f = fields();
        let mut params = Vec::new();
        for part in named_children(body) {
            match kind(part) {
                Kind::FieldDeclaration => {
                    let Some(name_node) = part.child_by_field_id(f.name) else { continue };
                    let name = self.name(name_node);
                    let ty = part.child_by_field_id(f.type_).map(|ty| self.ty(ty));
                    let visibility = self.visibility(part);
                    let at = name_node.start_byte();
                    let field = self.b.def_in(def, DefKind::Field, name, part.byte_range(), at);
                    let definition = self.b.def_mut(field);
                    definition.ty = ty;
                    definition.visibility = visibility;
                    self.b.bind_member(def, name, Space::Value, Binding::Def(field));
                }
                Kind::AttributeItem | Kind::VisibilityModifier => {}
                _ if kind(body) == Kind::OrderedFields => {
                    let ty = self.ty(part);
                    let number = params.len().to_string();
                    let name = self.b.name(&number);
                    let span = part.byte_range();
                    let field = self.b.def_in(def, DefKind::Field, name, span.clone(), span.start);
                    self.b.def_mut(field).ty = Some(ty);
                    self.b.bind_member(def, name, Space::Value, Binding::Def(field));
                    params.push(Param {
                        name,
                        ty: Some(ty),
                        default: None,
                        kind: ParamKind::Plain,
                    });
                }
                _ => {}
            }
        }
        self.b.def_mut(def).params = params.into();
    }

    fn enumeration(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let Some(def) = self.define(DefKind::Enum, node, above, Space::Type) else { return };
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        let variants = node.child_by_field_id(f.body).map(named_children).unwrap_or_default();
        for part in variants {
            if kind(part) != Kind::EnumVariant {
                continue;
            }
            let Some(name_node) = part.child_by_field_id(f.name) else { continue };
            let name = self.name(name_node);
            let at = name_node.start_byte();
            let variant = self.b.def_in(def, DefKind::Variant, name, part.byte_range(), at);
            self.b.bind_member(def, name, Space::Both, Binding::Def(variant));
            if let Some(body) = part.child_by_field_id(f.body) {
                self.fields_of(variant, body);
            }
            if let Some(value) = part.child_by_field_id(f.value) {
                self.expression(value);
            }
        }
        self.b.leave();
    }

    fn trait_item(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let Some(def) = self.define(DefKind::Trait, node, above, Space::Type) else { return };
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        if let Some(list) = node.child_by_field_id(f.bounds) {
            let bases = self.bounds(list);
            self.b.def_mut(def).bases = bases.into();
        }
        if let Some(body) = node.child_by_field_id(f.body) {
            self.items(body);
        }
        self.b.leave();
    }

    fn impl_item(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let Some(ty_node) = node.child_by_field_id(f.type_) else { return };
        let name_node = type_name(ty_node);
        let name = self.name(name_node);
        let span = above.start.unwrap_or(node.start_byte())..node.end_byte();
        let def = self.b.def(DefKind::Impl, name, span, name_node.start_byte());
        if above.is_test {
            self.b.def_mut(def).flags.add(Flags::TEST);
        }
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        let ty = self.ty(ty_node);
        let base = node.child_by_field_id(f.trait_).map(|base| self.ty(base));
        let definition = self.b.def_mut(def);
        definition.ty = Some(ty);
        definition.bases = base.into_iter().collect();
        if let Some(body) = node.child_by_field_id(f.body) {
            self.items(body);
        }
        self.b.leave();
    }

    fn module(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let Some(def) = self.define(DefKind::Module, node, above, Space::Type) else { return };
        match node.child_by_field_id(fields().body) {
            Some(body) => {
                self.b.enter(def, ScopeKind::Module);
                self.items(body);
                self.b.leave();
            }
            None => {
                let path = above.path.as_deref().map(|path| self.b.name(path));
                let definition = self.b.def_mut(def);
                definition.flags.add(Flags::ELSEWHERE);
                definition.signature = path;
            }
        }
    }

    fn alias(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let Some(def) = self.define(DefKind::Alias, node, above, Space::Type) else { return };
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
        let bases = node.child_by_field_id(f.bounds).map(|list| self.bounds(list));
        let definition = self.b.def_mut(def);
        definition.ty = ty;
        definition.bases = bases.unwrap_or_default().into();
        self.b.leave();
    }

    fn constant(&mut self, node: Node<'_>, above: &ItemPreamble) {
        let f = fields();
        let Some(def) = self.define(DefKind::Const, node, above, Space::Value) else { return };
        let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
        self.b.def_mut(def).ty = ty;
        if let Some(value) = node.child_by_field_id(f.value) {
            self.b.enter(def, ScopeKind::Function);
            let value = self.expression(value);
            self.b.leave();
            if ty.is_none() {
                self.b.add_value(def, value);
            }
        }
    }

    /// A parameter that is not a plain name still has a type.
    pub(super) fn typed(&mut self, ty: Option<TypeId>) -> crate::facts::ExprId {
        match ty {
            Some(ty) if self.b.facts.types[ty.ix()] != TypeRef::Opaque => {
                self.b.expr(crate::facts::Expr::Typed(ty))
            }
            _ => crate::facts::Builder::OPAQUE,
        }
    }
}

pub(super) fn is_item(node: Node<'_>) -> bool {
    matches!(
        kind(node),
        Kind::FunctionItem
            | Kind::StructItem
            | Kind::EnumItem
            | Kind::UnionItem
            | Kind::TraitItem
            | Kind::ImplItem
            | Kind::ModItem
            | Kind::ConstItem
            | Kind::StaticItem
            | Kind::TypeItem
            | Kind::UseDeclaration
            | Kind::ExternCrate
            | Kind::MacroDefinition
    )
}

/// Of several definitions under `cfg`, the one for Unix stands for all.
fn is_for_other_systems(attribute: &str) -> bool {
    let Some(condition) = attribute.strip_prefix("#[cfg(") else { return false };
    ["windows", "not(unix)", "not(any(unix", "target_os=\"windows\"", "target_os=\"macos\""]
        .iter()
        .any(|other| condition.starts_with(other))
        || condition.contains("wasm")
}

/// The node that names a type, without references and arguments.
fn type_name(mut ty: Node<'_>) -> Node<'_> {
    let f = fields();
    loop {
        let inner = match kind(ty) {
            Kind::ReferenceType | Kind::PointerType | Kind::GenericType => {
                ty.child_by_field_id(f.type_)
            }
            Kind::ScopedTypeIdentifier => ty.child_by_field_id(f.name),
            _ => None,
        };
        match inner {
            Some(inner) => ty = inner,
            None => return ty,
        }
    }
}
