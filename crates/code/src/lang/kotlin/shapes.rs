//! What the nodes of the Kotlin grammar are.

use super::kinds::{Kind, fields, kind};
use super::{declare, flow, operators};
use crate::facts::{Builder, DefKind, Expr, ExprId, Literal};
use crate::lang::grammar::named_children;
use crate::lang::shapes::parts::{child_where, inside};
use crate::lang::shapes::{Callee, Shape, Source, Syntax, TypeShape, Walk};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        matches!(kind(node), Kind::LineComment | Kind::BlockComment)
    }

    /// So it is in a lambda; a function with a block says what it returns.
    fn last_is_returned(&self) -> bool {
        true
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        match kind(node) {
            Kind::PackageHeader => {
                let name = node.named_child(0).map_or("", |name| source.text(name));
                Shape::Package(name.split_whitespace().collect())
            }
            Kind::ClassDeclaration | Kind::ObjectDeclaration | Kind::TypeAlias => {
                Shape::Type(Box::new(declare::type_decl(source, node)))
            }
            Kind::FunctionDeclaration | Kind::AnonymousFunction | Kind::SecondaryConstructor => {
                Shape::Callable(Box::new(declare::function(source, node)))
            }
            Kind::LambdaLiteral => Shape::Callable(Box::new(declare::lambda(node))),
            Kind::PropertyDeclaration => declare::property(source, node),
            Kind::EnumEntry => match child_where(node, |n| kind(n) == Kind::Identifier) {
                Some(name) => {
                    let args = child_where(node, |n| kind(n) == Kind::ValueArguments);
                    let body = child_where(node, |n| kind(n) == Kind::ClassBody);
                    Shape::Variant { name, args: inside(args), body }
                }
                None => Shape::Parts,
            },
            Kind::Import
            | Kind::CompanionObject
            | Kind::ObjectLiteral
            | Kind::MultiVariable
            | Kind::CallableReference
            | Kind::ThisExpression
            | Kind::ForStatement
            | Kind::IfExpression
            | Kind::WhenExpression
            | Kind::IsExpression
            | Kind::IndexExpression
            | Kind::CatchBlock => Shape::Own,
            Kind::Assignment if operators::is_to_element(node) => Shape::Own,
            Kind::LineComment
            | Kind::BlockComment
            | Kind::Modifiers
            | Kind::Annotation
            | Kind::FileAnnotation
            | Kind::LambdaParameters => Shape::Nothing,
            Kind::Block | Kind::AnonymousInitializer => Shape::Block,
            _ => expression(node),
        }
    }

    fn type_shape<'t>(&self, _source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        let part = |is_wanted: fn(Kind) -> bool| child_where(node, |n| is_wanted(kind(n)));
        match kind(node) {
            Kind::UserType => {
                let names = type_names(node);
                let args = named_children(node)
                    .into_iter()
                    .rfind(|part| kind(*part) == Kind::TypeArguments);
                TypeShape::Path(names, inside(args))
            }
            Kind::NullableType
            | Kind::NonNullableType
            | Kind::ParenthesizedType
            | Kind::TypeProjection => part(is_type).map_or(TypeShape::Opaque, TypeShape::Same),
            // In the type of a function: with a name, or without.
            Kind::Parameter => {
                let ty = named_children(node).into_iter().next_back();
                ty.map_or(TypeShape::Opaque, TypeShape::Same)
            }
            Kind::FunctionType => {
                let params = inside(part(|k| k == Kind::FunctionTypeParameters));
                let result = named_children(node).into_iter().next_back();
                TypeShape::Function(params, result)
            }
            Kind::Identifier => TypeShape::Path(vec![node], Vec::new()),
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::Import => declare::import(walk, node),
            Kind::CompanionObject => declare::companion(walk, node),
            Kind::ObjectLiteral => return declare::object_literal(walk, node),
            Kind::MultiVariable => declare::destructured(walk, node),
            Kind::CallableReference => return callable_reference(walk, node),
            Kind::ThisExpression => return this(walk, node),
            Kind::ForStatement => flow::for_statement(walk, node),
            Kind::IfExpression => return flow::if_expression(walk, node),
            Kind::WhenExpression => return flow::when_expression(walk, node),
            Kind::IsExpression => return flow::is_expression(walk, node),
            Kind::IndexExpression => return operators::index(walk, node),
            Kind::Assignment => return operators::assign_element(walk, node),
            _ => flow::catch_block(walk, node),
        }
        Builder::OPAQUE
    }
}

pub(super) fn is_type(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::UserType
            | Kind::NullableType
            | Kind::NonNullableType
            | Kind::ParenthesizedType
            | Kind::FunctionType
    )
}

/// The names of `a.b.Type`, without arguments.
pub(super) fn type_names(node: Node<'_>) -> Vec<Node<'_>> {
    named_children(node).into_iter().filter(|part| kind(*part) == Kind::Identifier).collect()
}

fn expression(node: Node<'_>) -> Shape<'_> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    let last = || named_children(node).into_iter().next_back();
    match kind(node) {
        Kind::Identifier => Shape::Name,
        Kind::StringLiteral | Kind::MultilineString => Shape::Text,
        Kind::CharacterLiteral => Shape::Literal(Literal::Text),
        Kind::NumberLiteral => Shape::Literal(Literal::Number),
        Kind::FloatLiteral => Shape::Literal(Literal::Float),
        Kind::SuperExpression => Shape::Super,
        Kind::CollectionLiteral => Shape::List(named_children(node)),
        // What follows a name and `=`, or a star.
        Kind::ValueArgument
        | Kind::ParenthesizedExpression
        | Kind::LabeledExpression
        | Kind::AnnotatedExpression
        | Kind::AnnotatedLambda
        | Kind::SpreadExpression
        | Kind::PropertyDelegate => last().map_or(Shape::Nothing, Shape::Same),
        Kind::ReturnExpression => {
            let value = last().filter(|value| Some(*value) != field(f.label));
            Shape::Return(value)
        }
        Kind::CallExpression => call(node),
        Kind::ConstructorDelegation => {
            let args = inside(child_where(node, |n| kind(n) == Kind::ValueArguments));
            let Some(word) = node.child(0) else { return Shape::Parts };
            let callee = match word.kind() {
                "super" => Callee::SuperInit(word),
                _ => Callee::ThisInit(word),
            };
            Shape::Call { callee, type_args: Vec::new(), args }
        }
        Kind::NavigationExpression => match (node.named_child(0), last()) {
            (Some(object), Some(name)) if object != name => Shape::Member { object, name },
            _ => Shape::Parts,
        },
        Kind::InfixExpression => match named_children(node)[..] {
            [object, name, right] => Shape::Call {
                callee: Callee::Member { object, name },
                type_args: Vec::new(),
                args: vec![right],
            },
            _ => Shape::Parts,
        },
        Kind::UnaryExpression => match (field(f.argument), field(f.operator)) {
            (Some(value), Some(operator)) if operator.kind() == "!!" => Shape::Same(value),
            _ => Shape::Parts,
        },
        Kind::AsExpression => match field(f.right) {
            Some(ty) => Shape::Cast { ty, value: field(f.left) },
            None => Shape::Parts,
        },
        Kind::Assignment => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => Shape::Assign { left, right },
            _ => Shape::Parts,
        },
        Kind::BinaryExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => {
                let operator = field(f.operator).map_or("", |op| op.kind());
                match operator {
                    "?:" => Shape::Either { before: Vec::new(), values: vec![left, right] },
                    "+" | "-" | "*" | "/" | "%" => Shape::Binary { left, right, is_test: false },
                    _ => Shape::Binary { left, right, is_test: true },
                }
            }
            _ => Shape::Parts,
        },
        _ => Shape::Parts,
    }
}

fn call(node: Node<'_>) -> Shape<'_> {
    let Some(callee) = node.named_child(0) else { return Shape::Parts };
    let mut args = Vec::new();
    let mut type_args = Vec::new();
    for part in named_children(node).into_iter().skip(1) {
        match kind(part) {
            Kind::ValueArguments => args.extend(named_children(part)),
            Kind::AnnotatedLambda => args.push(part),
            Kind::TypeArguments => type_args.extend(named_children(part)),
            _ => {}
        }
    }
    let callee = match kind(callee) {
        Kind::Identifier => Callee::Name(callee),
        Kind::NavigationExpression => {
            let parts = named_children(callee);
            match (parts.first(), parts.last()) {
                (Some(object), Some(name)) if object != name => {
                    Callee::Member { object: *object, name: *name }
                }
                _ => Callee::Value(callee),
            }
        }
        _ => Callee::Value(callee),
    };
    Shape::Call { callee, type_args, args }
}

/// `this`, or `this@Outer`.
fn this(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let Some(label) = node.named_child(0) else { return walk.b.receiver(node.start_byte()) };
    let wanted = walk.name(label);
    let outer = walk.b.around().find(|def| {
        let def = walk.b.facts.def(*def);
        def.name == wanted && def.kind.is_type()
    });
    outer.map_or(Builder::OPAQUE, |outer| walk.b.expr(Expr::This(outer)))
}

/// `::run`, `Shop::open`, `Shop::class`: named, not called.
fn callable_reference(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let parts = named_children(node);
    let names = match parts[..] {
        [of, name] if kind(of) == Kind::UserType => {
            let mut names = type_names(of);
            names.push(name);
            names
        }
        [name] if kind(name) == Kind::Identifier => vec![name],
        [of] => {
            walk.ty(of);
            return Builder::OPAQUE;
        }
        _ => return Builder::OPAQUE,
    };
    walk.value_path(&names);
    Builder::OPAQUE
}

/// The kind a declaration is of inside another.
pub(super) fn is_in_type(source: Source<'_>) -> bool {
    source.around.is_type() || source.around == DefKind::Impl
}
