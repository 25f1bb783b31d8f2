//! Definitions: types, functions, variables.

use super::{Callable, Marks, Parameter, TypeDecl, Vars, Walk, WrittenType};
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, Name, Param, ScopeKind, Space, TypeId,
    TypeRef, Visibility,
};
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// The name under which a type holds its constructors.
pub(crate) const INITIALIZER: &str = "<init>";

/// Where the head of a function ends: comments between it and the first statement stand
/// outside of the body in Ruby and Python, and are no part of the signature.
fn end_of_head(function: Node<'_>, body: Node<'_>) -> usize {
    let mut cursor = function.walk();
    let mut end = None;
    for child in function.children(&mut cursor) {
        if child.start_byte() >= body.start_byte() {
            break;
        }
        end = if child.is_extra() { end.or(Some(child.start_byte())) } else { None };
    }
    end.unwrap_or(body.start_byte())
}

impl Walk<'_, '_> {
    pub fn space(&mut self, node: Node<'_>, name: &str, body: Node<'_>) -> ExprId {
        let name = self.b.name(name);
        let def = self.b.def(DefKind::Module, name, node.byte_range(), node.start_byte());
        self.b.bind(name, Space::Both, Binding::Def(def), 0);
        self.b.enter(def, ScopeKind::Module);
        self.parts(body);
        self.b.leave();
        Builder::OPAQUE
    }

    fn mark(&mut self, def: DefId, marks: Marks) {
        let definition = self.b.def_mut(def);
        definition.visibility = marks.visibility;
        definition.flags.add(marks.flags);
    }

    pub fn type_decl(&mut self, node: Node<'_>, decl: &TypeDecl<'_>) -> DefId {
        let text = match (&decl.rename, decl.name) {
            (Some(text), _) => text.clone(),
            (None, name) => name.map_or(String::new(), |name| self.text(name).to_owned()),
        };
        let name = self.b.name(&text);
        let name_at = decl.name.map_or(node.start_byte(), |name| name.start_byte());
        let def = self.b.def(decl.kind, name, node.byte_range(), name_at);
        if decl.name.is_some() && !decl.is_unbound {
            self.b.bind(name, Space::Both, Binding::Def(def), 0);
        }
        self.mark(def, decl.marks);
        if decl.kind.is_symbol() {
            let start = decl.marks.start.unwrap_or(node.start_byte());
            let body = decl.body.or(decl.body_node);
            let end = body.map_or(node.end_byte(), |body| body.start_byte());
            let signature = self.b.signature(start..end.max(start));
            self.b.def_mut(def).signature = signature;
        }
        self.b.enter(def, ScopeKind::Class);
        self.type_params(def, &decl.type_params);
        let bases: Vec<TypeId> = decl.bases.iter().map(|base| self.ty(*base)).collect();
        self.b.def_mut(def).bases = bases.into();
        if let Some(is) = decl.is {
            let ty = self.typed(is);
            self.b.def_mut(def).ty = ty;
        }
        for param in decl.params.iter().flatten() {
            self.param_field(param);
        }
        self.nodes(&decl.also);
        if let Some(body) = decl.body {
            self.parts(body);
        }
        if let Some(body) = decl.body_node {
            self.node(body);
        }
        self.b.leave();
        def
    }

    /// A parameter of a type's own constructor, seen by all its members.
    fn param_field(&mut self, param: &Parameter<'_>) {
        let Some(name_node) = param.name else { return };
        let ty = param.ty.and_then(|ty| self.typed(ty));
        let name = self.name(name_node);
        let range = param.ty.map_or(name_node.byte_range(), |ty| {
            ty.node.start_byte().min(name_node.start_byte())
                ..ty.node.end_byte().max(name_node.end_byte())
        });
        let field = self.b.def(DefKind::Field, name, range, name_node.start_byte());
        let definition = self.b.def_mut(field);
        definition.ty = ty;
        if !param.is_field {
            definition.visibility = Visibility::Private;
        }
        self.b.bind(name, Space::Value, Binding::Def(field), 0);
        if let Some(default) = param.default {
            self.node(default);
        }
    }

    pub(super) fn variant(
        &mut self,
        node: Node<'_>,
        name_node: Node<'_>,
        args: &[Node<'_>],
        body: Option<Node<'_>>,
    ) {
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Variant, name, node.byte_range(), name_node.start_byte());
        self.b.bind(name, Space::Value, Binding::Def(def), 0);
        self.nodes(args);
        if let Some(body) = body {
            self.b.enter(def, ScopeKind::Class);
            self.parts(body);
            self.b.leave();
        }
    }

    pub fn callable(
        &mut self,
        node: Node<'_>,
        callable: &Callable<'_>,
        given_to: Option<(ExprId, u16)>,
    ) -> ExprId {
        let (Some(first), Some(last)) = (callable.owner.first(), callable.owner.last()) else {
            return self.callable_here(node, callable, given_to);
        };
        // A block that adds a member to a type written elsewhere.
        let text = callable.owner.iter().map(|name| self.text(*name)).collect::<Vec<_>>();
        let name = self.b.name(&text.join("."));
        let range = first.start_byte()..node.end_byte().max(last.end_byte());
        let block = self.b.def(DefKind::Impl, name, range, last.start_byte());
        self.b.enter(block, ScopeKind::Class);
        self.type_params(block, &callable.type_params);
        if let Some(path) = self.type_path(&callable.owner) {
            let ty = self.b.type_ref(TypeRef::Named(path, Box::default()));
            self.b.def_mut(block).ty = Some(ty);
        }
        let value = self.callable_here(node, callable, None);
        self.b.leave();
        value
    }

    fn callable_here(
        &mut self,
        node: Node<'_>,
        callable: &Callable<'_>,
        given_to: Option<(ExprId, u16)>,
    ) -> ExprId {
        let is_lambda = callable.kind == DefKind::Lambda;
        let around = self.b.facts.def(self.b.within()).kind;
        let is_member = around.is_type() || matches!(around, DefKind::Impl | DefKind::Variant);
        let kind = match callable.kind {
            DefKind::Function | DefKind::Method if is_member => DefKind::Method,
            DefKind::Method if around != DefKind::Module => DefKind::Function,
            kind => kind,
        };
        let text = callable.name.map_or("", |name| self.text(name));
        let name = self.b.name(text);
        let name_at = callable.name.map_or(node.start_byte(), |name| name.start_byte());
        let def = self.b.def(kind, name, node.byte_range(), name_at);
        self.mark(def, callable.marks);
        // A test that runs in a fixture is nothing that the fixture offers.
        let is_offered = callable.owner.is_empty() || !callable.marks.flags.has(Flags::TEST);
        if callable.marks.flags.has(Flags::CONSTRUCTOR) {
            let init = self.b.name(INITIALIZER);
            self.b.bind(init, Space::Value, Binding::Def(def), 0);
        } else if callable.name.is_some() && is_offered {
            self.bind_function(name, def);
        }
        if !is_lambda {
            let start = callable.marks.start.unwrap_or(node.start_byte());
            let end = callable.body.map_or(node.end_byte(), |body| end_of_head(node, body));
            let signature = self.b.signature(start..end.max(start));
            self.b.def_mut(def).signature = signature;
        }
        self.b.enter(def, ScopeKind::Function);
        self.locals.push(FxHashSet::default());
        if callable.owner.is_empty() {
            self.type_params(def, &callable.type_params);
        }
        let params = self.params(def, &callable.params, given_to);
        let result = callable.result.and_then(|result| self.typed(result));
        let definition = self.b.def_mut(def);
        definition.params = params.into();
        definition.ty = result;
        self.nodes(&callable.also);
        self.body(def, callable);
        self.locals.pop();
        self.b.leave();
        if let Some(extends) = callable.extends {
            self.extension(node, extends, name, def);
        }
        if is_lambda { self.b.expr(Expr::Nameless(def)) } else { Builder::OPAQUE }
    }

    fn bind_function(&mut self, name: Name, def: DefId) {
        self.b.bind(name, Space::Value, Binding::Def(def), 0);
    }

    /// A block that lends a method to a type.
    fn extension(&mut self, node: Node<'_>, extends: Node<'_>, name: Name, def: DefId) {
        let text = self.name(extends);
        let block = self.b.def(DefKind::Impl, text, node.byte_range(), extends.start_byte());
        let ty = self.ty(extends);
        self.b.def_mut(block).ty = Some(ty);
        self.b.bind_member(block, name, Space::Value, Binding::Def(def));
    }

    fn body(&mut self, def: DefId, callable: &Callable<'_>) {
        let Some(body) = callable.body else { return };
        let value = if callable.is_value {
            self.node(body)
        } else {
            let last = self.parts(body);
            if self.syntax.last_is_returned() { last } else { Builder::OPAQUE }
        };
        if value != Builder::OPAQUE && self.b.facts.def(def).ty.is_none() {
            self.b.add_value(def, value);
        }
    }

    fn params(
        &mut self,
        def: DefId,
        given: &[Parameter<'_>],
        given_to: Option<(ExprId, u16)>,
    ) -> Vec<Param> {
        let mut params: Vec<Param> = Vec::with_capacity(given.len());
        for param in given {
            let ty = param.ty.and_then(|ty| self.typed(ty));
            let mut default = param.default.map(|default| self.node(default));
            let index = params.len() as u16;
            if let (None, Some((call, argument))) = (ty, given_to) {
                default = Some(self.b.expr(Expr::CallbackParam { call, argument, param: index }));
            }
            let text = param.name.map_or(param.implied.unwrap_or("_"), |name| self.text(name));
            let name = self.b.name(text);
            params.push(Param { name, ty, default, kind: param.kind });
            if param.name.is_some() || param.implied.is_some() {
                let start = self.b.facts.def(def).span.start_byte as usize;
                let at = param.name.map_or(start, |name| name.start_byte());
                self.bind_local(name, Binding::Param { of: def, index }, at);
            }
            if param.is_field
                && let Some(name_node) = param.name
            {
                self.promoted(name, name_node, ty);
            }
        }
        params
    }

    /// A parameter of a constructor that is a field of the type too.
    fn promoted(&mut self, name: Name, node: Node<'_>, ty: Option<TypeId>) {
        let Some(owner) = self.b.type_around() else { return };
        let text = self.b.text(name).trim_start_matches('$').to_owned();
        let name = self.b.name(&text);
        let at = node.start_byte();
        let field = self.b.def_in(owner, DefKind::Field, name, node.byte_range(), at);
        self.b.def_mut(field).ty = ty;
        self.b.bind_member(owner, name, Space::Value, Binding::Def(field));
    }

    pub(super) fn vars(&mut self, node: Node<'_>, vars: &Vars<'_>) {
        for var in &vars.items {
            let ty = var.ty.and_then(|ty| self.typed(ty));
            let is_member = self.b.is_member_scope();
            if !is_member {
                let value = self.var_value(var, ty);
                let name = self.name(var.name);
                let value = value.filter(|value| *value != Builder::OPAQUE);
                self.bind_local(name, Binding::Var { ty, value }, var.name.end_byte());
                continue;
            }
            let name = self.name(var.name);
            let in_type = self.b.facts.def(self.b.within()).kind != DefKind::Module;
            let kind = if in_type { DefKind::Field } else { vars.kind };
            let def = self.b.def(kind, name, node.byte_range(), var.name.start_byte());
            self.mark(def, vars.marks);
            let start = vars.marks.start.unwrap_or(node.start_byte());
            let end = var.value.map_or(node.end_byte(), |value| value.start_byte());
            let signature = self.b.signature(start..end.max(start));
            let definition = self.b.def_mut(def);
            definition.ty = ty;
            definition.signature = signature;
            self.b.bind(name, Space::Value, Binding::Def(def), 0);
            if let Some(value) = self.var_value(var, ty)
                && value != Builder::OPAQUE
            {
                self.b.add_value(def, value);
            }
        }
    }

    /// What a variable is given: a value, or what its type's constructor makes.
    fn var_value(&mut self, var: &super::Var<'_>, ty: Option<TypeId>) -> Option<ExprId> {
        if let Some(args) = &var.made_with {
            let args = self.nodes(args);
            if let Some(ty) = ty
                && let TypeRef::Named(path, _) = self.b.facts.types[ty.ix()]
            {
                let n_args = args.len();
                let expr = self.b.expr(Expr::New(path, args.into()));
                let name = self.path_name(path);
                let at = var.ty.map_or(var.name.start_byte(), |ty| ty.node.start_byte());
                self.b.call(expr, name, at, n_args);
                return Some(expr);
            }
            return None;
        }
        var.value.map(|value| self.node(value))
    }

    fn path_name(&mut self, path: ExprId) -> Name {
        match self.b.facts.exprs[path.ix()] {
            Expr::Free(name, _) | Expr::Local(name, _) | Expr::Member(_, name) => name,
            _ => self.b.name(""),
        }
    }

    pub(super) fn bind_typed(
        &mut self,
        name: Node<'_>,
        ty: Option<WrittenType<'_>>,
        value: ExprId,
        at: usize,
    ) {
        let ty = ty.and_then(|ty| self.typed(ty));
        let name = self.name(name);
        let value = (value != Builder::OPAQUE).then_some(value);
        self.bind_local(name, Binding::Var { ty, value }, at);
    }
}
