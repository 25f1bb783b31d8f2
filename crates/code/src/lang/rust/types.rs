//! Types as written, without references: a reference has the members of what
//! it refers to.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, Expr, ExprId, Literal, Space, TypeId, TypeRef};
use crate::lang::grammar::named_children;
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn ty(&mut self, node: Node<'_>) -> TypeId {
        if !self.b.dive() {
            return Builder::OPAQUE_TYPE;
        }
        let ty = self.ty_inner(node);
        self.b.rise();
        ty
    }

    fn ty_inner(&mut self, node: Node<'_>) -> TypeId {
        let f = fields();
        let built = match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier | Kind::PrimitiveType => {
                if self.text(node) == "Self" {
                    TypeRef::Itself
                } else {
                    let name = self.name(node);
                    let path = self.b.lookup(name, Space::Type, node.start_byte());
                    TypeRef::Named(path, Box::default())
                }
            }
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => return self.scoped(node),
            Kind::GenericType | Kind::GenericTypeTurbofish => {
                let Some(base) = node.child_by_field_id(f.type_) else {
                    return Builder::OPAQUE_TYPE;
                };
                let args = self.type_args(node);
                let base = self.ty(base);
                match &self.b.facts.types[base.ix()] {
                    TypeRef::Named(path, _) => TypeRef::Named(*path, args.into()),
                    _ => return base,
                }
            }
            Kind::ReferenceType | Kind::PointerType => {
                let inner = node.child_by_field_id(f.type_);
                return inner.map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner));
            }
            Kind::BracketedType => {
                return node.named_child(0).map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner));
            }
            // `<T as Trait>::Name` is looked for on `T`.
            Kind::QualifiedType | Kind::HigherRanked => {
                let inner = node.child_by_field_id(f.type_);
                return inner.map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner));
            }
            Kind::ArrayType => {
                let Some(element) = node.child_by_field_id(f.element) else {
                    return Builder::OPAQUE_TYPE;
                };
                TypeRef::List(self.ty(element))
            }
            Kind::TupleType => {
                let parts = named_children(node).into_iter().map(|part| self.ty(part)).collect();
                TypeRef::Tuple(parts)
            }
            Kind::UnitType => TypeRef::Literal(Literal::Nothing),
            Kind::FunctionType => {
                let params = node.child_by_field_id(f.parameters).map(named_children);
                let params = params.unwrap_or_default().into_iter().map(|part| {
                    let ty =
                        part.child_by_field_id(f.type_).filter(|_| kind(part) == Kind::Parameter);
                    self.ty(ty.unwrap_or(part))
                });
                let params = params.collect();
                let result = node.child_by_field_id(f.return_type).map(|ty| self.ty(ty));
                TypeRef::Function(params, result)
            }
            Kind::AbstractType | Kind::DynamicType => {
                let Some(inner) = node.child_by_field_id(f.trait_) else {
                    return Builder::OPAQUE_TYPE;
                };
                return self.ty(inner);
            }
            Kind::BoundedType => {
                let parts: Vec<TypeId> = named_children(node)
                    .into_iter()
                    .filter(|part| kind(*part) != Kind::Lifetime)
                    .map(|part| self.ty(part))
                    .collect();
                match parts[..] {
                    [one] => return one,
                    _ => TypeRef::Meet(parts.into()),
                }
            }
            _ => TypeRef::Opaque,
        };
        self.b.type_ref(built)
    }

    pub(super) fn type_args(&mut self, node: Node<'_>) -> Vec<TypeId> {
        let f = fields();
        let Some(list) = node.child_by_field_id(f.type_arguments) else { return Vec::new() };
        let mut args = Vec::new();
        for part in named_children(list) {
            match kind(part) {
                Kind::Lifetime => {}
                Kind::TypeBinding => {
                    let (Some(name), Some(ty)) =
                        (part.child_by_field_id(f.name), part.child_by_field_id(f.type_))
                    else {
                        continue;
                    };
                    let name = self.name(name);
                    let ty = self.ty(ty);
                    args.push(self.b.type_ref(TypeRef::AssocIs(name, ty)));
                }
                _ => args.push(self.ty(part)),
            }
        }
        args
    }

    /// `a::B`, `T::Item`, `<T as Trait>::Item`.
    fn scoped(&mut self, node: Node<'_>) -> TypeId {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return Builder::OPAQUE_TYPE };
        let name = self.name(name_node);
        let Some(path) = node.child_by_field_id(f.path) else {
            let path = self.b.lookup(name, Space::Type, node.start_byte());
            return self.b.type_ref(TypeRef::Named(path, Box::default()));
        };
        let is_type = match kind(path) {
            Kind::BracketedType | Kind::GenericType => true,
            // One capital letter or a known parameter; modules are lower case.
            Kind::Identifier | Kind::TypeIdentifier => {
                self.text(path).chars().next().is_some_and(char::is_uppercase)
            }
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => path
                .child_by_field_id(f.name)
                .is_some_and(|last| self.text(last).chars().next().is_some_and(char::is_uppercase)),
            _ => false,
        };
        if is_type {
            let base = self.ty(path);
            return self.b.type_ref(TypeRef::Assoc(base, name));
        }
        let base = self.path_prefix(path);
        let path = self.b.expr(Expr::Member(base, name));
        self.b.type_ref(TypeRef::Named(path, Box::default()))
    }

    /// What stands before `::`: a module or a type.
    pub(super) fn path_prefix(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::ScopedIdentifier | Kind::ScopedTypeIdentifier => {
                let Some(name_node) = node.child_by_field_id(f.name) else {
                    return Builder::OPAQUE;
                };
                let name = self.name(name_node);
                match node.child_by_field_id(f.path) {
                    Some(path) => {
                        if !self.b.dive() {
                            return Builder::OPAQUE;
                        }
                        let base = self.path_prefix(path);
                        self.b.rise();
                        self.b.expr(Expr::Member(base, name))
                    }
                    None => self.b.lookup(name, Space::Type, node.start_byte()),
                }
            }
            Kind::BracketedType => {
                let ty = self.ty(node);
                self.b.expr(Expr::Typed(ty))
            }
            Kind::GenericType => {
                let args = self.type_args(node);
                let Some(base) = node.child_by_field_id(f.type_) else { return Builder::OPAQUE };
                let base = self.path_prefix(base);
                self.b.expr(Expr::Generic(base, args.into()))
            }
            _ => {
                if self.text(node) == "Self" {
                    return self.b.receiver(node.start_byte());
                }
                let name = self.name(node);
                self.b.lookup(name, Space::Type, node.start_byte())
            }
        }
    }
}
