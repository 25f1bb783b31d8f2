//! Annotations.
//!
//! The names of `typing` are known by their last part, wherever they were
//! imported from: a project that calls its own class `Optional` pays for it.

use super::kinds::{Kind, fields, kind};
use super::{Lower, named_children};
use crate::facts::{Builder, Expr, Literal, Space, TypeId, TypeRef};
use tree_sitter::{Node, Parser};

impl Lower<'_, '_> {
    pub(super) fn annotation(&mut self, node: Node<'_>) -> TypeId {
        if !self.b.dive() {
            return Builder::OPAQUE_TYPE;
        }
        let ty = self.annotation_inner(node);
        self.b.rise();
        ty
    }

    fn annotation_inner(&mut self, node: Node<'_>) -> TypeId {
        let f = fields();
        match kind(node) {
            Kind::Type | Kind::ParenthesizedExpression => match node.named_child(0) {
                Some(inner) => self.annotation(inner),
                None => Builder::OPAQUE_TYPE,
            },
            Kind::Identifier | Kind::Attribute | Kind::MemberType => self.named_type(node),
            Kind::None => self.b.type_ref(TypeRef::Literal(Literal::Nothing)),
            Kind::String => self.quoted_type(node),
            Kind::BinaryOperator | Kind::UnionType => {
                let sides: Vec<TypeId> =
                    named_children(node).into_iter().map(|side| self.annotation(side)).collect();
                self.b.type_ref(TypeRef::Union(sides.into()))
            }
            Kind::Subscript => {
                let Some(base) = node.child_by_field_id(f.value) else {
                    return Builder::OPAQUE_TYPE;
                };
                let args: Vec<Node<'_>> = named_children(node).into_iter().skip(1).collect();
                self.generic_type(base, &args)
            }
            Kind::GenericType => {
                let parts = named_children(node);
                let [base, list] = parts[..] else { return Builder::OPAQUE_TYPE };
                let args = named_children(list);
                self.generic_type(base, &args)
            }
            _ => Builder::OPAQUE_TYPE,
        }
    }

    fn named_type(&mut self, node: Node<'_>) -> TypeId {
        if let Some(known) = self.bare_special(node) {
            return known;
        }
        let path = self.type_path(node);
        self.b.type_ref(TypeRef::Named(path, Box::default()))
    }

    fn bare_special(&mut self, node: Node<'_>) -> Option<TypeId> {
        let text = self.text(node);
        let last = text.rsplit('.').next().unwrap_or(text);
        match last {
            "Self" => Some(self.b.type_ref(TypeRef::Itself)),
            "Any" | "Callable" => Some(Builder::OPAQUE_TYPE),
            _ => None,
        }
    }

    fn type_path(&mut self, node: Node<'_>) -> crate::facts::ExprId {
        let f = fields();
        match kind(node) {
            Kind::Identifier => {
                let name = self.name(node);
                self.b.lookup(name, Space::Type, node.start_byte())
            }
            Kind::Attribute => {
                let (Some(object), Some(attribute)) =
                    (node.child_by_field_id(f.object), node.child_by_field_id(f.attribute))
                else {
                    return Builder::OPAQUE;
                };
                let object = self.type_path(object);
                let name = self.name(attribute);
                self.b.expr(Expr::Member(object, name))
            }
            _ => Builder::OPAQUE,
        }
    }

    fn generic_type(&mut self, base: Node<'_>, args: &[Node<'_>]) -> TypeId {
        let text = self.text(base);
        let last = text.rsplit('.').next().unwrap_or(text);
        let ellipsis = args.last().is_some_and(|arg| self.text(*arg) == "...");
        if last == "Literal" {
            return self.b.type_ref(TypeRef::Literal(Literal::Text));
        }
        if last == "Callable" {
            let result = args.get(1).map(|result| self.annotation(*result));
            return self.b.type_ref(TypeRef::Function(Box::default(), result));
        }
        let ids: Vec<TypeId> = args.iter().map(|arg| self.annotation(*arg)).collect();
        let first = ids.first().copied().unwrap_or(Builder::OPAQUE_TYPE);
        let built = match last {
            "Optional" => {
                let nothing = self.b.type_ref(TypeRef::Literal(Literal::Nothing));
                TypeRef::Union([first, nothing].into())
            }
            "Union" => TypeRef::Union(ids.into()),
            "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired" | "Awaitable"
            | "InitVar" | "TypeGuard" => return first,
            "Coroutine" => return ids.get(2).copied().unwrap_or(Builder::OPAQUE_TYPE),
            "type" | "Type" => TypeRef::ClassOf(first),
            "list"
            | "List"
            | "set"
            | "Set"
            | "frozenset"
            | "FrozenSet"
            | "Sequence"
            | "MutableSequence"
            | "Iterable"
            | "Iterator"
            | "Collection"
            | "Generator"
            | "AsyncIterator"
            | "AsyncIterable"
            | "AsyncGenerator"
            | "AbstractSet"
            | "MutableSet"
            | "deque"
            | "Deque"
            | "ContextManager"
            | "AbstractContextManager"
            | "KeysView"
            | "ValuesView" => TypeRef::List(first),
            "tuple" | "Tuple" if ellipsis => TypeRef::List(first),
            "tuple" | "Tuple" => TypeRef::Tuple(ids.into()),
            "dict" | "Dict" | "Mapping" | "MutableMapping" | "defaultdict" | "DefaultDict"
            | "OrderedDict"
                if ids.len() == 2 =>
            {
                TypeRef::Map(ids[0], ids[1])
            }
            _ => {
                let path = self.type_path(base);
                TypeRef::Named(path, ids.into())
            }
        };
        self.b.type_ref(built)
    }

    /// A type in quotes: read as the expression it is, at the same place.
    fn quoted_type(&mut self, node: Node<'_>) -> TypeId {
        let Some(content) =
            named_children(node).into_iter().find(|p| kind(*p) == Kind::StringContent)
        else {
            return Builder::OPAQUE_TYPE;
        };
        let text = self.text(content);
        if text.len() > 500 {
            return Builder::OPAQUE_TYPE;
        }
        if text.chars().all(|c| c.is_alphanumeric() || c == '_') && text != "None" {
            if text == "Self" {
                return self.b.type_ref(TypeRef::Itself);
            }
            let name = self.b.name(text);
            let path = self.b.lookup(name, Space::Type, node.end_byte());
            return self.b.type_ref(TypeRef::Named(path, Box::default()));
        }
        let mut parser = Parser::new();
        if parser.set_language(&grammars::python()).is_err() {
            return Builder::OPAQUE_TYPE;
        }
        // Reading the file again, but only this range of it, keeps every byte
        // where it stands.
        if parser.set_included_ranges(&[content.range()]).is_err() {
            return Builder::OPAQUE_TYPE;
        }
        let Some(tree) = crate::lang::parse(&mut parser, self.b.source) else {
            return Builder::OPAQUE_TYPE;
        };
        let root = tree.root_node();
        let statement = named_children(root).into_iter().next();
        let Some(inner) = statement.and_then(|s| s.named_child(0)) else {
            return Builder::OPAQUE_TYPE;
        };
        self.annotation(inner)
    }

    /// The second argument of `isinstance`: a class or a tuple of classes.
    pub(super) fn class_test(&mut self, node: Node<'_>) -> TypeId {
        if kind(node) == Kind::Tuple {
            let classes: Vec<TypeId> =
                named_children(node).into_iter().map(|class| self.annotation(class)).collect();
            return self.b.type_ref(TypeRef::Union(classes.into()));
        }
        self.annotation(node)
    }
}
