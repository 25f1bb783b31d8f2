//! Types as written.

use super::Lower;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, Expr, ExprId, Literal, ScopeKind, Space, TypeId, TypeRef};
use crate::lang::grammar::named_children;
use tree_sitter::Node;

/// The parts of `A | B | C` in their order. The grammar nests them to the left, as deep
/// as there are parts.
fn parts_of(node: Node<'_>, of: Kind) -> Vec<Node<'_>> {
    let mut parts = Vec::new();
    let mut open: Vec<Node<'_>> = named_children(node).into_iter().rev().collect();
    while let Some(part) = open.pop() {
        if kind(part) == of {
            open.extend(named_children(part).into_iter().rev());
        } else {
            parts.push(part);
        }
    }
    parts
}

impl Lower<'_, '_> {
    /// `: T` after a name or a list of parameters.
    pub(super) fn annotation(&mut self, node: Node<'_>) -> TypeId {
        match kind(node) {
            Kind::TypeAnnotation => {
                node.named_child(0).map_or(Builder::OPAQUE_TYPE, |inner| self.ty(inner))
            }
            Kind::TypePredicateAnnotation => {
                // `x is T`, with the name left out.
                let predicate = node.named_child(0);
                if let Some(ty) = predicate.and_then(|p| p.child_by_field_id(fields().type_)) {
                    self.ty(ty);
                }
                self.b.type_ref(TypeRef::Literal(Literal::Bool))
            }
            Kind::AssertsAnnotation => self.b.type_ref(TypeRef::Literal(Literal::Nothing)),
            _ => self.ty(node),
        }
    }

    pub(super) fn ty(&mut self, node: Node<'_>) -> TypeId {
        if !self.b.dive() {
            return Builder::OPAQUE_TYPE;
        }
        let built = self.ty_inner(node);
        self.b.rise();
        self.b.type_ref(built)
    }

    fn ty_inner(&mut self, node: Node<'_>) -> TypeRef {
        let f = fields();
        match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier | Kind::NestedTypeIdentifier => {
                let path = self.type_path(node);
                TypeRef::Named(path, Box::default())
            }
            Kind::GenericType => self.generic(node),
            Kind::PredefinedType => self.predefined(node),
            Kind::UnionType => {
                let parts = parts_of(node, Kind::UnionType);
                TypeRef::Union(parts.into_iter().map(|part| self.ty(part)).collect())
            }
            Kind::IntersectionType => {
                let parts = parts_of(node, Kind::IntersectionType);
                TypeRef::Meet(parts.into_iter().map(|part| self.ty(part)).collect())
            }
            Kind::ArrayType => match node.named_child(0) {
                Some(element) => TypeRef::List(self.ty(element)),
                None => TypeRef::Opaque,
            },
            Kind::TupleType => {
                let parts = named_children(node).into_iter().map(|part| {
                    let ty = part.child_by_field_id(f.type_);
                    match ty {
                        Some(ty) => self.annotation(ty),
                        None => self.ty(part),
                    }
                });
                TypeRef::Tuple(parts.collect())
            }
            Kind::ParenthesizedType | Kind::ReadonlyType | Kind::OptionalType | Kind::RestType => {
                match node.named_child(0) {
                    Some(inner) => {
                        let inner = self.ty(inner);
                        self.b.facts.types[inner.ix()].clone()
                    }
                    None => TypeRef::Opaque,
                }
            }
            Kind::FunctionType => self.function_type(node),
            Kind::ObjectType => {
                let name = self.b.name("");
                let def = self.b.def(DefKind::Record, name, node.byte_range(), node.start_byte());
                self.b.enter(def, ScopeKind::Block);
                self.type_members(def, node);
                self.b.leave();
                TypeRef::Record(def)
            }
            Kind::LiteralType => {
                let inner = node.named_child(0).map_or("", |inner| inner.kind());
                TypeRef::Literal(match inner {
                    "null" | "undefined" => Literal::Nothing,
                    "number" => Literal::Number,
                    "true" | "false" => Literal::Bool,
                    _ => Literal::Text,
                })
            }
            Kind::ThisType => TypeRef::Itself,
            Kind::TypeQuery => match node.named_child(0) {
                Some(inner) => TypeRef::Of(self.expression(inner)),
                None => TypeRef::Opaque,
            },
            Kind::LookupType => self.lookup_type(node),
            _ => {
                // Nothing follows from these, but they name types.
                if matches!(node.kind(), "conditional_type" | "index_type_query") {
                    for part in named_children(node) {
                        self.ty(part);
                    }
                }
                TypeRef::Opaque
            }
        }
    }

    fn predefined(&mut self, node: Node<'_>) -> TypeRef {
        TypeRef::Literal(match self.text(node) {
            "string" => Literal::Text,
            "number" | "bigint" => Literal::Number,
            "boolean" => Literal::Bool,
            "void" | "undefined" | "never" => Literal::Nothing,
            _ => return TypeRef::Opaque,
        })
    }

    pub(super) fn type_path(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        match kind(node) {
            Kind::NestedTypeIdentifier => {
                let (Some(module), Some(name)) =
                    (node.child_by_field_id(f.module), node.child_by_field_id(f.name))
                else {
                    return Builder::OPAQUE;
                };
                let module = self.type_path(module);
                let name = self.name(name);
                self.b.expr(Expr::Member(module, name))
            }
            Kind::NestedIdentifier | Kind::MemberExpression => {
                let (Some(object), Some(name)) =
                    (node.child_by_field_id(f.object), node.child_by_field_id(f.property))
                else {
                    return Builder::OPAQUE;
                };
                let object = self.type_path(object);
                let name = self.name(name);
                self.b.expr(Expr::Member(object, name))
            }
            _ => {
                let name = self.name(node);
                self.b.lookup(name, Space::Type, node.start_byte())
            }
        }
    }

    fn generic(&mut self, node: Node<'_>) -> TypeRef {
        let f = fields();
        let Some(name) = node.child_by_field_id(f.name) else { return TypeRef::Opaque };
        let args = node.child_by_field_id(f.type_arguments).map(named_children).unwrap_or_default();
        let args: Vec<TypeId> = args.into_iter().map(|arg| self.ty(arg)).collect();
        let first = args.first().copied().unwrap_or(Builder::OPAQUE_TYPE);
        match self.text(name) {
            "Array"
            | "ReadonlyArray"
            | "Iterable"
            | "IterableIterator"
            | "AsyncIterable"
            | "Iterator"
            | "AsyncIterableIterator"
            | "Generator"
            | "AsyncGenerator" => TypeRef::List(first),
            "Record" if args.len() == 2 => TypeRef::Map(args[0], args[1]),
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Omit" | "Pick"
            | "PromiseLike" | "NoInfer" => self.b.facts.types[first.ix()].clone(),
            "ReturnType" => self.derived(first, |value| Expr::Call(value, Box::default())),
            "InstanceType" => self.derived(first, |value| Expr::New(value, Box::default())),
            "Awaited" => self.derived(first, Expr::Await),
            _ => {
                let path = self.type_path(name);
                TypeRef::Named(path, args.into())
            }
        }
    }

    /// `ReturnType<typeof f>` is what calling `f` gives.
    fn derived(&mut self, of: TypeId, make: impl FnOnce(ExprId) -> Expr) -> TypeRef {
        match self.b.facts.types[of.ix()] {
            TypeRef::Of(value) => TypeRef::Of(self.b.expr(make(value))),
            _ => TypeRef::Opaque,
        }
    }

    fn function_type(&mut self, node: Node<'_>) -> TypeRef {
        let f = fields();
        self.b.open(ScopeKind::Block);
        let list = node.child_by_field_id(f.parameters).map(named_children).unwrap_or_default();
        let mut params = Vec::new();
        for part in list {
            let ty = part.child_by_field_id(f.type_);
            params.push(ty.map_or(Builder::OPAQUE_TYPE, |ty| self.annotation(ty)));
        }
        let result = node.child_by_field_id(f.return_type).map(|ty| self.annotation(ty));
        self.b.close();
        TypeRef::Function(params.into(), result)
    }

    /// `T["name"]`.
    fn lookup_type(&mut self, node: Node<'_>) -> TypeRef {
        let parts = named_children(node);
        let [of, key] = parts[..] else { return TypeRef::Opaque };
        let text = self.text(key);
        if !text.starts_with(['"', '\'']) {
            self.ty(of);
            self.ty(key);
            return TypeRef::Opaque;
        }
        let of = self.ty(of);
        let name = self.b.name(text.trim_matches(['"', '\'']));
        TypeRef::Lookup(of, name)
    }
}
