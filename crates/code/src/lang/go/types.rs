//! Types as written.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, Expr, ScopeKind, Space, TypeId, TypeRef};
use crate::lang::grammar::{children_of_field, named_children};
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
            Kind::TypeIdentifier | Kind::Identifier => {
                let name = self.name(node);
                let path = self.b.lookup(name, Space::Type, node.start_byte());
                TypeRef::Named(path, Box::default())
            }
            Kind::QualifiedType => {
                let (Some(package), Some(name)) =
                    (node.child_by_field_id(f.package), node.child_by_field_id(f.name))
                else {
                    return Builder::OPAQUE_TYPE;
                };
                self.qualified(package, name)
            }
            Kind::SelectorExpression => {
                let (Some(package), Some(name)) =
                    (node.child_by_field_id(f.operand), node.child_by_field_id(f.field))
                else {
                    return Builder::OPAQUE_TYPE;
                };
                self.qualified(package, name)
            }
            // A pointer has the members of what it points to.
            Kind::PointerType
            | Kind::ParenthesizedType
            | Kind::TypeElem
            | Kind::ParenthesizedExpression => {
                return node.named_child(0).map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner));
            }
            Kind::UnaryExpression => {
                return node
                    .child_by_field_id(f.operand)
                    .map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner));
            }
            Kind::SliceType | Kind::ArrayType => {
                let Some(element) = node.child_by_field_id(f.element) else {
                    return Builder::OPAQUE_TYPE;
                };
                TypeRef::List(self.ty(element))
            }
            Kind::MapType => {
                let (Some(key), Some(value)) =
                    (node.child_by_field_id(f.key), node.child_by_field_id(f.value))
                else {
                    return Builder::OPAQUE_TYPE;
                };
                TypeRef::Map(self.ty(key), self.ty(value))
            }
            // What is received and what a loop over it gives are the same.
            Kind::ChannelType => {
                let Some(value) = node.child_by_field_id(f.value) else {
                    return Builder::OPAQUE_TYPE;
                };
                let value = self.ty(value);
                TypeRef::Map(value, value)
            }
            Kind::FunctionType => return self.function_type(node),
            Kind::GenericType => {
                let (Some(base), Some(args)) =
                    (node.child_by_field_id(f.type_), node.child_by_field_id(f.type_arguments))
                else {
                    return Builder::OPAQUE_TYPE;
                };
                let args = named_children(args).into_iter().map(|arg| self.ty(arg)).collect();
                let base = self.ty(base);
                match &self.b.facts.types[base.ix()] {
                    TypeRef::Named(path, _) => TypeRef::Named(*path, args),
                    _ => TypeRef::Opaque,
                }
            }
            Kind::StructType | Kind::InterfaceType => {
                let name = self.b.name("");
                let def = self.b.def(DefKind::Record, name, node.byte_range(), node.start_byte());
                self.b.enter(def, ScopeKind::Block);
                self.type_body(def, node);
                self.b.leave();
                TypeRef::Record(def)
            }
            _ => TypeRef::Opaque,
        };
        self.b.type_ref(built)
    }

    fn qualified(&mut self, package: Node<'_>, name: Node<'_>) -> TypeRef {
        let package_name = self.name(package);
        let package = self.b.lookup(package_name, Space::Type, package.start_byte());
        let name = self.name(name);
        TypeRef::Named(self.b.expr(Expr::Member(package, name)), Box::default())
    }

    fn function_type(&mut self, node: Node<'_>) -> TypeId {
        let f = fields();
        let mut params = Vec::new();
        if let Some(list) = node.child_by_field_id(f.parameters) {
            for part in named_children(list) {
                let Some(ty) = part.child_by_field_id(f.type_) else { continue };
                let ty = self.ty(ty);
                let n_names = children_of_field(part, f.name).len().max(1);
                params.extend(std::iter::repeat_n(ty, n_names));
            }
        }
        self.b.open(ScopeKind::Block);
        let result = node.child_by_field_id(f.result).map(|result| self.results(result));
        self.b.close();
        self.b.type_ref(TypeRef::Function(params.into(), result))
    }
}
