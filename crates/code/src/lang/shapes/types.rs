//! Types as written.

use super::{TypeParam, TypeShape, Walk, WrittenType};
use crate::facts::{Binding, Builder, DefId, DefKind, Expr, ExprId, Space, TypeId, TypeRef};
use tree_sitter::Node;

impl Walk<'_, '_> {
    /// A type, or none where nothing is said.
    pub fn typed(&mut self, typed: WrittenType<'_>) -> Option<TypeId> {
        let mut ty = self.ty(typed.node);
        if ty == Builder::OPAQUE_TYPE && typed.lists == 0 {
            return None;
        }
        for _ in 0..typed.lists {
            ty = self.b.type_ref(TypeRef::List(ty));
        }
        Some(ty)
    }

    pub fn ty(&mut self, node: Node<'_>) -> TypeId {
        if !self.b.dive() {
            return Builder::OPAQUE_TYPE;
        }
        let ty = self.shaped_type(node);
        self.b.rise();
        ty
    }

    fn types(&mut self, nodes: &[Node<'_>]) -> Box<[TypeId]> {
        nodes.iter().map(|node| self.ty(*node)).collect()
    }

    fn shaped_type(&mut self, node: Node<'_>) -> TypeId {
        let built = match self.syntax.type_shape(self.source(), node) {
            TypeShape::Opaque => return Builder::OPAQUE_TYPE,
            TypeShape::Same(inner) => return self.ty(inner),
            TypeShape::Path(names, args) => {
                let args = self.types(&args);
                match self.type_path(&names) {
                    Some(path) => TypeRef::Named(path, args),
                    None => return Builder::OPAQUE_TYPE,
                }
            }
            TypeShape::List(inner) => TypeRef::List(self.ty(inner)),
            TypeShape::Tuple(parts) => TypeRef::Tuple(self.types(&parts)),
            TypeShape::Union(parts) => TypeRef::Union(self.types(&parts)),
            TypeShape::Function(params, result) => {
                let params = self.types(&params);
                let result = result.map(|result| self.ty(result));
                TypeRef::Function(params, result)
            }
            TypeShape::Literal(literal) => TypeRef::Literal(literal),
            TypeShape::Itself => TypeRef::Itself,
            TypeShape::Nameless(decl) => TypeRef::Record(self.type_decl(node, &decl)),
            TypeShape::Declared(decl) => {
                let name = decl.name.map(|name| (self.name(name), name.start_byte()));
                self.type_decl(node, &decl);
                let Some((name, at)) = name else { return Builder::OPAQUE_TYPE };
                let path = self.b.lookup(name, Space::Type, at);
                TypeRef::Named(path, Box::default())
            }
        };
        self.b.type_ref(built)
    }

    /// A dotted name in the space of types.
    pub fn type_path(&mut self, names: &[Node<'_>]) -> Option<ExprId> {
        let (first, rest) = names.split_first()?;
        let name = self.name(*first);
        let mut path = self.b.lookup(name, Space::Type, first.start_byte());
        for part in rest {
            let name = self.name(*part);
            path = self.b.expr(Expr::Member(path, name));
        }
        Some(path)
    }

    /// A dotted name in the space of values.
    pub fn value_path(&mut self, names: &[Node<'_>]) -> ExprId {
        let Some((first, rest)) = names.split_first() else { return Builder::OPAQUE };
        let mut path = self.lookup(*first);
        for part in rest {
            let name = self.name(*part);
            path = self.b.expr(Expr::Member(path, name));
        }
        path
    }

    /// The names of a type as a path to what it names, and its arguments.
    pub(super) fn type_value(&mut self, node: Node<'_>) -> (ExprId, Option<(usize, String)>) {
        let mut at = node;
        for _ in 0..16 {
            match self.syntax.type_shape(self.source(), at) {
                TypeShape::Same(inner) => at = inner,
                TypeShape::Path(names, args) => {
                    let args = self.types(&args);
                    let Some(mut path) = self.type_path(&names) else { break };
                    if !args.is_empty() {
                        path = self.b.expr(Expr::Generic(path, args));
                    }
                    let last = names.last().map(|n| (n.start_byte(), self.text(*n).to_owned()));
                    return (path, last);
                }
                _ => break,
            }
        }
        (Builder::OPAQUE, None)
    }

    pub(super) fn type_params(&mut self, def: DefId, params: &[TypeParam<'_>]) {
        let mut ids = Vec::with_capacity(params.len());
        for param in params {
            let name = self.name(param.name);
            let at = param.name.start_byte();
            let range = param.name.byte_range();
            let id = self.b.def_in(def, DefKind::TypeParam, name, range, at);
            self.b.bind(name, Space::Type, Binding::Def(id), 0);
            ids.push(id);
        }
        for (param, id) in params.iter().zip(&ids) {
            let bounds = self.types(&param.bounds);
            self.b.def_mut(*id).bases = bounds;
        }
        self.b.def_mut(def).type_params = ids.into();
    }
}
