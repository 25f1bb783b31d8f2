//! What the nodes of the PHP grammar are.

use super::declare;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, ExprId, Literal};
use crate::lang::grammar::named_children;
use crate::lang::shapes::parts::{child_where, inside};
use crate::lang::shapes::{Callee, Shape, Source, Syntax, TypeShape, Walk, WrittenType};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn assigning_binds(&self) -> bool {
        true
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        match kind(node) {
            Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::TraitDeclaration
            | Kind::EnumDeclaration => Shape::Type(Box::new(declare::type_decl(source, node))),
            Kind::MethodDeclaration
            | Kind::FunctionDefinition
            | Kind::AnonymousFunction
            | Kind::ArrowFunction => Shape::Callable(Box::new(declare::callable(source, node))),
            Kind::PropertyDeclaration | Kind::ConstDeclaration => {
                Shape::Vars(Box::new(declare::variables(source, node)))
            }
            Kind::EnumCase => match node.child_by_field_id(fields().name) {
                Some(name) => Shape::Variant { name, args: Vec::new(), body: None },
                None => Shape::Nothing,
            },
            Kind::NamespaceDefinition => {
                let name = node.child_by_field_id(fields().name);
                let name = name.map_or(String::new(), |name| source.text(name).replace('\\', "."));
                match node.child_by_field_id(fields().body) {
                    Some(body) if !name.is_empty() => Shape::Space(name, body),
                    Some(body) => Shape::Same(body),
                    None => Shape::Package(name),
                }
            }
            Kind::NamespaceUseDeclaration
            | Kind::UseDeclaration
            | Kind::QualifiedName
            | Kind::RelativeScope
            | Kind::VariableName => own_or_this(source, node),
            Kind::Comment | Kind::PhpTag | Kind::Text | Kind::AttributeList => Shape::Nothing,
            Kind::CompoundStatement | Kind::ColonBlock | Kind::CatchClause => catch(node),
            _ => expression(node),
        }
    }

    fn type_shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        match kind(node) {
            Kind::NamedType | Kind::OptionalType => {
                node.named_child(0).map_or(TypeShape::Opaque, TypeShape::Same)
            }
            Kind::Name => match source.text(node) {
                "self" | "static" => TypeShape::Itself,
                _ => TypeShape::Path(vec![node], Vec::new()),
            },
            Kind::QualifiedName => TypeShape::Path(path(node), Vec::new()),
            Kind::UnionType | Kind::TypeList => TypeShape::Union(named_children(node)),
            Kind::PrimitiveType => match source.text(node) {
                "string" => TypeShape::Literal(Literal::Text),
                "int" | "float" => TypeShape::Literal(Literal::Number),
                "bool" => TypeShape::Literal(Literal::Bool),
                "static" | "self" => TypeShape::Itself,
                _ => TypeShape::Opaque,
            },
            Kind::RelativeScope => TypeShape::Itself,
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::NamespaceUseDeclaration => declare::uses(walk, node),
            Kind::UseDeclaration => declare::traits(walk, node),
            _ => {
                let names = path(node);
                return walk.value_path(&names);
            }
        }
        Builder::OPAQUE
    }
}

fn own_or_this<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    match kind(node) {
        Kind::VariableName if source.text(node) == "$this" => Shape::This,
        Kind::VariableName => Shape::Name,
        Kind::RelativeScope if source.text(node) == "parent" => Shape::Super,
        Kind::RelativeScope => Shape::This,
        _ => Shape::Own,
    }
}

/// The names of a qualified name, first to last.
pub(super) fn path(node: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    for part in named_children(node) {
        match kind(part) {
            Kind::NamespaceName => names.extend(named_children(part)),
            _ => names.push(part),
        }
    }
    if names.is_empty() {
        names.push(node);
    }
    names
}

fn catch(node: Node<'_>) -> Shape<'_> {
    match kind(node) {
        Kind::CatchClause => {
            let f = fields();
            match node.child_by_field_id(f.name) {
                Some(name) => Shape::Foreach {
                    ty: node.child_by_field_id(f.type_).map(WrittenType::of),
                    name: Some(name),
                    over: node.child_by_field_id(f.type_).unwrap_or(name),
                    body: node.child_by_field_id(f.body).into_iter().collect(),
                },
                None => Shape::Parts,
            }
        }
        _ => Shape::Block,
    }
}

fn expression(node: Node<'_>) -> Shape<'_> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::Name => Shape::Name,
        Kind::String | Kind::Nowdoc => Shape::Literal(Literal::Text),
        Kind::EncapsedString | Kind::Heredoc => Shape::Text,
        Kind::Integer | Kind::Float => Shape::Literal(Literal::Number),
        Kind::Boolean => Shape::Literal(Literal::Bool),
        Kind::Null => Shape::Literal(Literal::Nothing),
        Kind::ReturnStatement => Shape::Return(node.named_child(0)),
        Kind::ParenthesizedExpression | Kind::Argument | Kind::CloneExpression => {
            let value = named_children(node).into_iter().next_back();
            value.map_or(Shape::Nothing, Shape::Same)
        }
        Kind::NamedType | Kind::TypeList | Kind::PrimitiveType => Shape::Nothing,
        Kind::FunctionCallExpression => function_call(node),
        Kind::MemberCallExpression | Kind::NullsafeMemberCallExpression => {
            match (field(f.object), field(f.name)) {
                (Some(object), Some(name)) if kind(name) == Kind::Name => Shape::Call {
                    callee: Callee::Member { object, name },
                    type_args: Vec::new(),
                    args: inside(field(f.arguments)),
                },
                _ => Shape::Parts,
            }
        }
        Kind::ScopedCallExpression => match (field(f.scope), field(f.name)) {
            (Some(object), Some(name)) if kind(name) == Kind::Name => Shape::Call {
                callee: Callee::Member { object, name },
                type_args: Vec::new(),
                args: inside(field(f.arguments)),
            },
            _ => Shape::Parts,
        },
        Kind::ObjectCreationExpression => creation(node),
        Kind::MemberAccessExpression | Kind::NullsafeMemberAccessExpression => {
            match (field(f.object), field(f.name)) {
                (Some(object), Some(name)) if kind(name) == Kind::Name => {
                    Shape::Member { object, name }
                }
                _ => Shape::Parts,
            }
        }
        Kind::ScopedPropertyAccessExpression => match (field(f.scope), field(f.name)) {
            (Some(object), Some(name)) => {
                Shape::Member { object, name: name.named_child(0).unwrap_or(name) }
            }
            _ => Shape::Parts,
        },
        Kind::ClassConstantAccessExpression => match named_children(node)[..] {
            [object, name] => Shape::Member { object, name },
            _ => Shape::Parts,
        },
        Kind::AssignmentExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => Shape::Assign { left, right },
            _ => Shape::Parts,
        },
        Kind::BinaryExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => match field(f.operator).map_or("", |op| op.kind()) {
                "??" => Shape::Either { before: Vec::new(), values: vec![left, right] },
                operator => {
                    let is_test = matches!(operator, "==" | "===" | "!=" | "!==" | "&&" | "||");
                    Shape::Binary { left, right, is_test }
                }
            },
            _ => Shape::Parts,
        },
        Kind::ConditionalExpression => Shape::Either {
            before: field(f.condition).into_iter().collect(),
            values: [field(f.body), field(f.alternative)].into_iter().flatten().collect(),
        },
        Kind::ForeachStatement => foreach(node),
        _ => Shape::Parts,
    }
}

fn function_call(node: Node<'_>) -> Shape<'_> {
    let f = fields();
    let Some(function) = node.child_by_field_id(f.function) else { return Shape::Parts };
    let args = inside(node.child_by_field_id(f.arguments));
    let callee = match kind(function) {
        Kind::Name => Callee::Name(function),
        Kind::QualifiedName => Callee::Bound(function, path(function).pop().unwrap_or(function)),
        _ => Callee::Value(function),
    };
    Shape::Call { callee, type_args: Vec::new(), args }
}

fn creation(node: Node<'_>) -> Shape<'_> {
    let args = inside(child_where(node, |n| kind(n) == Kind::Arguments));
    let class = child_where(node, |n| {
        matches!(kind(n), Kind::Name | Kind::QualifiedName | Kind::RelativeScope)
    });
    match class {
        Some(ty) => Shape::New { ty, args, body: None },
        None => Shape::Parts,
    }
}

fn foreach(node: Node<'_>) -> Shape<'_> {
    let body = node.child_by_field_id(fields().body);
    let mut parts = named_children(node);
    parts.retain(|part| Some(*part) != body);
    let [over, target] = parts[..] else { return Shape::Parts };
    let name = match kind(target) {
        Kind::Pair => named_children(target).into_iter().next_back(),
        _ => Some(target),
    };
    let name = name.filter(|name| kind(*name) == Kind::VariableName);
    Shape::Foreach { ty: None, name, over, body: body.into_iter().collect() }
}

/// The kinds of a type's declaration.
pub(super) fn def_kind(node: Node<'_>) -> DefKind {
    match kind(node) {
        Kind::InterfaceDeclaration => DefKind::Interface,
        Kind::TraitDeclaration => DefKind::Trait,
        Kind::EnumDeclaration => DefKind::Enum,
        _ => DefKind::Class,
    }
}
