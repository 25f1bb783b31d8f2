//! Declarations at the top of a file, and the parts of types.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, Flags, Import, ImportedName, Param, ParamKind,
    ScopeKind, Space, TypeId, TypeRef, Visibility,
};
use crate::lang::grammar::{children_of_field, each_child, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn file(&mut self, root: Node<'_>) {
        let mut doc: Option<std::ops::Range<usize>> = None;
        let mut nodes = Vec::new();
        each_child(root, |node| nodes.push(node));
        for node in nodes {
            if kind(node) == Kind::Comment {
                // Lines of comment that follow each other are one text.
                let is_next = doc.as_ref().is_some_and(|doc| {
                    self.b.position(doc.end).0 + 1 >= self.b.position(node.start_byte()).0
                });
                let start = if is_next {
                    doc.as_ref().map_or(0, |doc| doc.start)
                } else {
                    node.start_byte()
                };
                doc = Some(start..node.end_byte());
                continue;
            }
            let before = doc.take().filter(|doc| {
                self.b.position(doc.end).0 + 1 >= self.b.position(node.start_byte()).0
            });
            self.declaration(node, before);
        }
    }

    fn declaration(&mut self, node: Node<'_>, doc: Option<std::ops::Range<usize>>) {
        let first = self.b.facts.defs.len();
        match kind(node) {
            Kind::FunctionDeclaration => self.function(node),
            Kind::MethodDeclaration => self.method(node),
            Kind::ImportDeclaration => self.imports(node),
            Kind::PackageClause => {
                if let Some(name) = node.named_child(0) {
                    let name = self.name(name);
                    self.b.def_mut(DefId::FILE).name = name;
                }
            }
            _ => self.statement(node),
        }
        if let Some(doc) = doc
            && let Some(bytes) = self.b.source.get(doc)
        {
            let text = comment_text(&String::from_utf8_lossy(bytes));
            let doc = self.b.doc(&text);
            // The block around a method is no symbol and takes no text.
            let made =
                (first..self.b.facts.defs.len()).find(|at| self.b.facts.defs[*at].kind.is_symbol());
            if let Some(made) = made {
                self.b.facts.defs[made].doc = doc;
            }
        }
    }

    fn imports(&mut self, node: Node<'_>) {
        for part in named_children(node) {
            match kind(part) {
                Kind::ImportSpec => self.import(part),
                Kind::ImportSpecList => self.imports(part),
                _ => {}
            }
        }
    }

    fn import(&mut self, node: Node<'_>) {
        let f = fields();
        let Some(path_node) = node.child_by_field_id(f.path) else { return };
        let path = self.text(path_node).trim_matches(['"', '`']);
        let name = node.child_by_field_id(f.name);
        let (what, bound) = match name {
            Some(name) if kind(name) == Kind::Dot => (ImportedName::Wildcard, None),
            Some(name) if self.text(name) == "_" => (ImportedName::Effects, None),
            Some(name) => (ImportedName::Module, Some(self.text(name))),
            None => (ImportedName::Module, Some(package_name(path))),
        };
        let path = self.b.name(path);
        let (line, _) = self.b.position(node.start_byte());
        let import = Import {
            path: [path].into(),
            what,
            level: 0,
            is_reexport: false,
            is_type_only: false,
            home: DefId::FILE,
            line,
        };
        let id = self.b.import(import);
        if let Some(bound) = bound {
            let bound = self.b.name(bound);
            self.b.bind_private(bound, Space::Both, Binding::Import(id));
        }
    }

    fn function(&mut self, node: Node<'_>) {
        let Some(name_node) = node.child_by_field_id(fields().name) else { return };
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Function, name, node.byte_range(), name_node.start_byte());
        let text = self.text(name_node);
        if text != "init" && text != "_" {
            self.b.bind(name, Space::Both, Binding::Def(def), 0);
        }
        self.callable(def, node);
    }

    /// Methods are written beside their type; a block stands for the type.
    fn method(&mut self, node: Node<'_>) {
        let f = fields();
        let (Some(name_node), Some(receiver)) =
            (node.child_by_field_id(f.name), node.child_by_field_id(f.receiver))
        else {
            return;
        };
        let Some(ty) = named_children(receiver).first().and_then(|p| p.child_by_field_id(f.type_))
        else {
            return;
        };
        let (base, params) = receiver_type(ty);
        let type_name = self.name(base);
        let is_generic = !params.is_empty();
        let known = self.impls.get(&type_name).copied().filter(|_| !is_generic);
        let block = known.unwrap_or_else(|| {
            let block = self.b.def(DefKind::Impl, type_name, node.byte_range(), base.start_byte());
            self.impls.insert(type_name, block);
            block
        });
        self.b.enter(block, ScopeKind::Block);
        if known.is_none() {
            let mut ids = Vec::new();
            let mut args = Vec::new();
            for param in params {
                let name = self.name(param);
                let at = param.start_byte();
                let id = self.b.def(DefKind::TypeParam, name, param.byte_range(), at);
                let path = self.b.lookup(name, Space::Type, at);
                self.b.bind(name, Space::Type, Binding::Def(id), 0);
                args.push(self.b.type_ref(TypeRef::Named(path, Box::default())));
                ids.push(id);
            }
            let path = self.b.lookup(type_name, Space::Type, base.start_byte());
            let ty = self.b.type_ref(TypeRef::Named(path, args.into()));
            let def = self.b.def_mut(block);
            def.ty = Some(ty);
            def.type_params = ids.into();
        }
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Method, name, node.byte_range(), name_node.start_byte());
        self.b.bind_member(block, name, Space::Both, Binding::Def(def));
        self.callable(def, node);
        self.b.leave();
    }

    /// Signature and body of a function, method or function literal.
    pub(super) fn callable(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        let body = node.child_by_field_id(f.body);
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let is_named = self.b.facts.def(def).kind != DefKind::Lambda;
        let signature = if is_named { self.b.signature(node.start_byte()..end) } else { None };
        self.b.enter(def, ScopeKind::Function);
        self.type_params(def, node);
        let mut params = Vec::new();
        if let Some(receiver) = node.child_by_field_id(f.receiver) {
            self.parameters(def, receiver, ParamKind::Receiver, &mut params);
        }
        if let Some(list) = node.child_by_field_id(f.parameters) {
            self.parameters(def, list, ParamKind::Plain, &mut params);
        }
        let result = node.child_by_field_id(f.result).map(|result| self.results(result));
        let visibility = visibility(self.b.facts.def_name(def));
        let definition = self.b.def_mut(def);
        definition.signature = signature;
        definition.visibility = visibility;
        definition.params = params.into();
        definition.ty = result;
        if let Some(body) = body {
            self.statement(body);
        }
        self.b.leave();
    }

    pub(super) fn type_params(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        let Some(list) = node.child_by_field_id(f.type_parameters) else { return };
        let mut ids = Vec::new();
        let mut bounds = Vec::new();
        for part in named_children(list) {
            for name_node in children_of_field(part, f.name) {
                let name = self.name(name_node);
                let at = name_node.start_byte();
                let id = self.b.def_in(def, DefKind::TypeParam, name, part.byte_range(), at);
                self.b.bind(name, Space::Type, Binding::Def(id), 0);
                ids.push(id);
                bounds.push((id, part.child_by_field_id(f.type_)));
            }
        }
        for (id, bound) in bounds {
            let Some(bound) = bound else { continue };
            let types: Vec<TypeId> = match kind(bound) {
                _ if bound.kind() == "type_constraint" => {
                    named_children(bound).into_iter().map(|ty| self.ty(ty)).collect()
                }
                _ => vec![self.ty(bound)],
            };
            self.b.def_mut(id).bases = types.into();
        }
        self.b.def_mut(def).type_params = ids.into();
    }

    pub(super) fn parameters(
        &mut self,
        def: DefId,
        list: Node<'_>,
        param_kind: ParamKind,
        params: &mut Vec<Param>,
    ) {
        let f = fields();
        for part in named_children(list) {
            let mut ty = part.child_by_field_id(f.type_).map(|ty| self.ty(ty));
            let mut param_kind = param_kind;
            if kind(part) == Kind::VariadicParameter {
                param_kind = ParamKind::Variadic;
                ty = ty.map(|ty| self.b.type_ref(TypeRef::List(ty)));
            }
            let names = children_of_field(part, f.name);
            if names.is_empty() {
                let name = self.b.name("_");
                params.push(Param { name, ty, default: None, kind: param_kind });
            }
            for name_node in names {
                let name = self.name(name_node);
                let index = params.len() as u16;
                params.push(Param { name, ty, default: None, kind: param_kind });
                self.b.bind(
                    name,
                    Space::Both,
                    Binding::Param { of: def, index },
                    part.start_byte(),
                );
            }
        }
    }

    /// One result, or several; named ones are variables of the body.
    pub(super) fn results(&mut self, node: Node<'_>) -> TypeId {
        let f = fields();
        if kind(node) != Kind::ParameterList {
            return self.ty(node);
        }
        let mut types = Vec::new();
        for part in named_children(node) {
            let Some(ty) = part.child_by_field_id(f.type_) else { continue };
            let ty = self.ty(ty);
            let names = children_of_field(part, f.name);
            for _ in 0..names.len().max(1) {
                types.push(ty);
            }
            for name_node in names {
                let name = self.name(name_node);
                let to = Binding::Var { ty: Some(ty), value: None };
                self.b.bind(name, Space::Both, to, part.start_byte());
            }
        }
        match types[..] {
            [one] => one,
            _ => self.b.type_ref(TypeRef::Tuple(types.into())),
        }
    }

    pub(super) fn type_spec(&mut self, node: Node<'_>) {
        let f = fields();
        let (Some(name_node), Some(ty)) =
            (node.child_by_field_id(f.name), node.child_by_field_id(f.type_))
        else {
            return;
        };
        let name = self.name(name_node);
        let def_kind = match kind(ty) {
            _ if kind(node) == Kind::TypeAlias => DefKind::Alias,
            Kind::InterfaceType => DefKind::Interface,
            _ => DefKind::Struct,
        };
        let def = self.b.def(def_kind, name, node.byte_range(), name_node.start_byte());
        let at = if self.b.is_member_scope() { 0 } else { name_node.start_byte() };
        self.b.bind(name, Space::Both, Binding::Def(def), at);
        let visibility = visibility(self.text(name_node));
        let body = named_children(ty).first().map_or(ty.end_byte(), Node::start_byte);
        let signature = self.b.signature(node.start_byte()..body);
        let definition = self.b.def_mut(def);
        definition.visibility = visibility;
        definition.signature = signature;
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        self.type_body(def, ty);
        self.b.leave();
    }

    /// The members of a struct or interface; for other types what they are made of.
    pub(super) fn type_body(&mut self, def: DefId, ty: Node<'_>) {
        match kind(ty) {
            Kind::StructType => {
                for list in named_children(ty) {
                    for field in named_children(list) {
                        if kind(field) == Kind::FieldDeclaration {
                            self.field(def, field);
                        }
                    }
                }
            }
            Kind::InterfaceType => {
                for part in named_children(ty) {
                    self.interface_part(def, part);
                }
            }
            _ => {
                let ty = self.ty(ty);
                self.b.def_mut(def).ty = Some(ty);
            }
        }
    }

    fn field(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        let Some(ty_node) = node.child_by_field_id(f.type_) else { return };
        let ty = self.ty(ty_node);
        let names = children_of_field(node, f.name);
        let is_embedded = names.is_empty();
        let named = if is_embedded { vec![receiver_type(ty_node).0] } else { names };
        for name_node in named {
            let text = self.text(name_node);
            let text = text.rsplit('.').next().unwrap_or(text);
            let name = self.b.name(text);
            let field =
                self.b.def_in(def, DefKind::Field, name, node.byte_range(), name_node.start_byte());
            let visibility = visibility(text);
            let definition = self.b.def_mut(field);
            definition.ty = Some(ty);
            definition.visibility = visibility;
            if is_embedded {
                definition.flags.add(Flags::EMBEDDED);
            }
            self.b.bind_member(def, name, Space::Both, Binding::Def(field));
        }
        if is_embedded {
            self.add_base(def, ty);
        }
    }

    fn add_base(&mut self, def: DefId, ty: TypeId) {
        let mut bases = self.b.facts.def(def).bases.to_vec();
        bases.push(ty);
        self.b.def_mut(def).bases = bases.into();
    }

    fn interface_part(&mut self, def: DefId, node: Node<'_>) {
        let f = fields();
        match kind(node) {
            Kind::MethodElem => {
                let Some(name_node) = node.child_by_field_id(f.name) else { return };
                let name = self.name(name_node);
                let method =
                    self.b.def(DefKind::Method, name, node.byte_range(), name_node.start_byte());
                self.b.def_mut(method).flags.add(Flags::ABSTRACT);
                self.b.bind_member(def, name, Space::Both, Binding::Def(method));
                self.callable(method, node);
            }
            Kind::TypeElem => {
                if let [one] = named_children(node)[..] {
                    let ty = self.ty(one);
                    self.add_base(def, ty);
                }
            }
            _ => {}
        }
    }

    /// `var a, b T = x, y` and `const …`, at the top or in a function.
    pub(super) fn variables(&mut self, node: Node<'_>, def_kind: DefKind) {
        let f = fields();
        let ty = node.child_by_field_id(f.type_).map(|ty| self.ty(ty));
        let names: Vec<Node<'_>> = children_of_field(node, f.name)
            .into_iter()
            .filter(|n| kind(*n) == Kind::Identifier)
            .collect();
        let values = node.child_by_field_id(f.value).map(|value| self.expression_list(value));
        let values = values.unwrap_or_default();
        for (index, name_node) in names.iter().enumerate() {
            let name = self.name(*name_node);
            let value = self.nth_value(&values, names.len(), index);
            if self.text(*name_node) == "_" {
                continue;
            }
            if !self.b.is_member_scope() {
                let known = (value != Builder::OPAQUE).then_some(value);
                let to = Binding::Var { ty, value: known };
                self.b.bind(name, Space::Both, to, node.end_byte());
                continue;
            }
            let def = self.b.def(def_kind, name, node.byte_range(), name_node.start_byte());
            let visibility = visibility(self.text(*name_node));
            let definition = self.b.def_mut(def);
            definition.ty = ty;
            definition.visibility = visibility;
            if value != Builder::OPAQUE {
                self.b.add_value(def, value);
            }
            self.b.bind(name, Space::Both, Binding::Def(def), 0);
        }
    }

    /// The value for one of several names.
    pub(super) fn nth_value(
        &mut self,
        values: &[crate::facts::ExprId],
        n_names: usize,
        index: usize,
    ) -> crate::facts::ExprId {
        match values {
            [one] if n_names > 1 => match &self.b.facts.exprs[one.ix()] {
                Expr::Call(..) => self.b.expr(Expr::Part(*one, index as u32)),
                // `v, ok := m[k]` and its like.
                _ if index == 0 => *one,
                _ => Builder::OPAQUE,
            },
            several => several.get(index).copied().unwrap_or(Builder::OPAQUE),
        }
    }
}

/// The name of the type a method belongs to, without pointer and brackets,
/// and the names of its type parameters.
pub(super) fn receiver_type(mut ty: Node<'_>) -> (Node<'_>, Vec<Node<'_>>) {
    let f = fields();
    let mut params = Vec::new();
    loop {
        let inner = match kind(ty) {
            Kind::PointerType | Kind::ParenthesizedType => ty.named_child(0),
            Kind::GenericType => {
                if let Some(list) = ty.child_by_field_id(f.type_arguments) {
                    params = named_children(list)
                        .into_iter()
                        .filter_map(|arg| {
                            let inner = if kind(arg) == Kind::TypeElem {
                                arg.named_child(0)
                            } else {
                                Some(arg)
                            };
                            inner.filter(|inner| kind(*inner) == Kind::TypeIdentifier)
                        })
                        .collect();
                }
                ty.child_by_field_id(f.type_)
            }
            _ => None,
        };
        match inner {
            Some(inner) => ty = inner,
            None => return (ty, params),
        }
    }
}

pub(super) fn visibility(name: &str) -> Visibility {
    if name.chars().next().is_some_and(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Internal
    }
}

/// What an import path is called when nothing else is said: its last part, without a
/// version and without what only says that it is Go (`go-json`, `nats.go`).
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = last.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
    let name = if is_version { parts.next().unwrap_or(last) } else { last };
    let name = name.split(".v").next().unwrap_or(name);
    let plain = name.strip_suffix(".go").or_else(|| name.strip_suffix("-go"));
    let plain = plain.or_else(|| name.strip_prefix("go-")).unwrap_or(name);
    if plain.is_empty() { name } else { plain }
}

fn comment_text(comment: &str) -> String {
    let lines = comment.lines().map(|line| {
        let line = line.trim();
        line.trim_start_matches('/').trim_start_matches('*').trim_end_matches("*/").trim()
    });
    lines.collect::<Vec<_>>().join("\n")
}
