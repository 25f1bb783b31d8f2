//! What the nodes of the C# grammar are.

use super::declare::{self, declaration};
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, Expr, ExprId, Literal};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::parts::{child_where, inside, rest};
use crate::lang::shapes::{Callee, Shape, Source, Syntax, TypeShape, Walk, WrittenType};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        match kind(node) {
            Kind::ClassDeclaration
            | Kind::StructDeclaration
            | Kind::InterfaceDeclaration
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration
            | Kind::DelegateDeclaration
            | Kind::EnumMemberDeclaration
            | Kind::MethodDeclaration
            | Kind::ConstructorDeclaration
            | Kind::DestructorDeclaration
            | Kind::OperatorDeclaration
            | Kind::LocalFunctionStatement
            | Kind::PropertyDeclaration
            | Kind::IndexerDeclaration
            | Kind::EventDeclaration
            | Kind::FieldDeclaration
            | Kind::EventFieldDeclaration
            | Kind::LambdaExpression
            | Kind::AnonymousMethodExpression
            | Kind::VariableDeclaration => declaration(source, node),
            Kind::FileScopedNamespaceDeclaration => {
                let name = node.child_by_field_id(fields().name);
                Shape::Package(name.map_or(String::new(), |name| source.text(name).to_owned()))
            }
            Kind::NamespaceDeclaration
            | Kind::UsingDirective
            | Kind::TypeofExpression
            | Kind::ConditionalAccess
            | Kind::MemberBinding => Shape::Own,
            Kind::Comment
            | Kind::AttributeList
            | Kind::GlobalAttribute
            | Kind::SizeofExpression
            | Kind::Modifier => Shape::Nothing,
            Kind::Block
            | Kind::ForStatement
            | Kind::UsingStatement
            | Kind::CatchClause
            | Kind::SwitchSection
            | Kind::SwitchExpressionArm => Shape::Block,
            Kind::ConstructorInitializer => {
                let args = inside(child_where(node, |n| kind(n) == Kind::ArgumentList));
                let mut callee = None;
                each_child(node, |word| match word.kind() {
                    "this" => callee = Some(Callee::ThisInit(word)),
                    "base" => callee = Some(Callee::SuperInit(word)),
                    _ => {}
                });
                match callee {
                    Some(callee) => Shape::Call { callee, type_args: Vec::new(), args },
                    None => Shape::Parts,
                }
            }
            Kind::Argument => {
                // `name: value`; the value is last.
                let value = named_children(node).into_iter().next_back();
                value.map_or(Shape::Nothing, Shape::Same)
            }
            _ => statement(source, node),
        }
    }

    fn type_shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        let f = fields();
        let same =
            |field: u16| node.child_by_field_id(field).map_or(TypeShape::Opaque, TypeShape::Same);
        match kind(node) {
            Kind::Identifier => match source.text(node) {
                "var" | "dynamic" => TypeShape::Opaque,
                _ => TypeShape::Path(vec![node], Vec::new()),
            },
            Kind::GenericName | Kind::QualifiedName | Kind::AliasQualifiedName => {
                named_type(source, node)
            }
            Kind::ArrayType => match node.child_by_field_id(f.type_) {
                Some(inner) => TypeShape::List(inner),
                None => TypeShape::Opaque,
            },
            Kind::NullableType | Kind::PointerType | Kind::RefType | Kind::ScopedType => {
                same(f.type_)
            }
            Kind::TupleType => {
                let parts = named_children(node).into_iter();
                TypeShape::Tuple(parts.filter_map(|p| p.child_by_field_id(f.type_)).collect())
            }
            Kind::PredefinedType => match source.text(node) {
                "string" => TypeShape::Literal(Literal::Text),
                "bool" => TypeShape::Literal(Literal::Bool),
                "double" | "float" | "decimal" => TypeShape::Literal(Literal::Float),
                "object" | "void" => TypeShape::Opaque,
                _ => TypeShape::Literal(Literal::Number),
            },
            Kind::PrimaryConstructorBaseType => same(f.type_),
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::NamespaceDeclaration => declare::namespace(walk, node),
            Kind::UsingDirective => declare::using(walk, node),
            Kind::ConditionalAccess => return conditional_access(walk, node),
            Kind::TypeofExpression => {
                if let Some(ty) = node.named_child(0) {
                    walk.ty(ty);
                }
            }
            // `.name` after `?`: the value before it is known from outside.
            _ => {
                let Some(object) = walk.optional.last().copied() else { return Builder::OPAQUE };
                let Some(name) = node.child_by_field_id(fields().name) else { return object };
                let name = walk.name(plain_name(name));
                return walk.b.expr(Expr::Member(object, name));
            }
        }
        Builder::OPAQUE
    }
}

/// `a?.b`: what follows is read from the value of `a`.
fn conditional_access(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let condition = node.child_by_field_id(fields().condition);
    let object = condition.map_or(Builder::OPAQUE, |condition| walk.node(condition));
    walk.optional.push(object);
    let mut value = Builder::OPAQUE;
    for part in rest(node, &[condition]) {
        value = walk.node(part);
    }
    walk.optional.pop();
    value
}

/// The identifier of a name that may carry type arguments.
pub(super) fn plain_name(node: Node<'_>) -> Node<'_> {
    match kind(node) {
        Kind::GenericName => child_where(node, |n| kind(n) == Kind::Identifier).unwrap_or(node),
        _ => node,
    }
}

pub(super) fn type_args(node: Node<'_>) -> Vec<Node<'_>> {
    match kind(node) {
        Kind::GenericName => inside(child_where(node, |n| kind(n) == Kind::TypeArgumentList)),
        _ => Vec::new(),
    }
}

/// The names of a dotted path, first to last.
pub(super) fn path(node: Node<'_>) -> Vec<Node<'_>> {
    let f = fields();
    let mut names = Vec::new();
    let mut at = node;
    while let Kind::QualifiedName | Kind::AliasQualifiedName = kind(at) {
        if let Some(name) = at.child_by_field_id(f.name) {
            names.push(plain_name(name));
        }
        match at.child_by_field_id(f.qualifier) {
            Some(qualifier) => at = qualifier,
            // `global::Name` begins at the top.
            None => {
                names.reverse();
                return names;
            }
        }
    }
    names.push(plain_name(at));
    names.reverse();
    names
}

fn named_type<'t>(source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
    let last = match kind(node) {
        Kind::GenericName => Some(node),
        _ => node.child_by_field_id(fields().name),
    };
    let args = last.map(type_args).unwrap_or_default();
    let names = path(node);
    let name = names.last().map_or("", |name| source.text(*name));
    match name {
        "Func" if !args.is_empty() => {
            let params = args[..args.len() - 1].to_vec();
            TypeShape::Function(params, args.last().copied())
        }
        "Action" | "Predicate" if !args.is_empty() => TypeShape::Function(args, None),
        _ => TypeShape::Path(names, args),
    }
}

/// Statements that bind names.
fn statement<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::ForeachStatement => match field(f.right) {
            Some(over) => Shape::Foreach {
                ty: field(f.type_).map(WrittenType::of),
                name: field(f.left).filter(|left| kind(*left) == Kind::Identifier),
                over,
                body: field(f.body).into_iter().collect(),
            },
            None => Shape::Parts,
        },
        Kind::CatchDeclaration
        | Kind::DeclarationPattern
        | Kind::DeclarationExpression
        | Kind::RecursivePattern => match (field(f.name), field(f.type_)) {
            (Some(name), ty) => Shape::Bind { ty: ty.map(WrittenType::of), name, value: None },
            (None, Some(ty)) => Shape::Either { before: rest(node, &[Some(ty)]), values: vec![] },
            _ => Shape::Nothing,
        },
        Kind::IsExpression | Kind::AsExpression => match (field(f.left), field(f.right)) {
            (value, Some(ty)) => Shape::Cast { ty, value },
            (Some(left), _) => Shape::Either { before: vec![left], values: vec![] },
            _ => Shape::Parts,
        },
        Kind::ReturnStatement | Kind::ArrowExpressionClause => Shape::Return(node.named_child(0)),
        Kind::ParenthesizedExpression | Kind::CheckedExpression | Kind::RefExpression => {
            node.named_child(0).map_or(Shape::Nothing, Shape::Same)
        }
        Kind::Identifier => Shape::Name,
        Kind::GenericName => Shape::Same(plain_name(node)),
        Kind::This => Shape::This,
        Kind::Base => Shape::Super,
        Kind::StringLiteral | Kind::VerbatimStringLiteral | Kind::RawStringLiteral => {
            Shape::Literal(Literal::Text)
        }
        Kind::InterpolatedStringExpression => Shape::Text,
        Kind::BooleanLiteral => Shape::Literal(Literal::Bool),
        Kind::NullLiteral => Shape::Literal(Literal::Nothing),
        Kind::IntegerLiteral => Shape::Literal(Literal::Number),
        Kind::RealLiteral => Shape::Literal(Literal::Float),
        _ => expression(source, node),
    }
}

fn expression<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::InvocationExpression => invocation(source, node),
        Kind::ObjectCreationExpression => match field(f.type_) {
            Some(ty) => {
                Shape::New { ty, args: inside(field(f.arguments)), body: field(f.initializer) }
            }
            None => Shape::Parts,
        },
        Kind::MemberAccessExpression => match (field(f.expression), field(f.name)) {
            (Some(object), Some(name)) => Shape::Member { object, name: plain_name(name) },
            _ => Shape::Parts,
        },
        Kind::ElementAccessExpression => match field(f.expression) {
            Some(object) => Shape::Index { object, rest: inside(field(f.subscript)) },
            None => Shape::Parts,
        },
        Kind::CastExpression => match field(f.type_) {
            Some(ty) => Shape::Cast { ty, value: field(f.value) },
            None => Shape::Parts,
        },
        Kind::DefaultExpression => Shape::Nothing,
        Kind::AwaitExpression => node.named_child(0).map_or(Shape::Nothing, Shape::Await),
        Kind::AssignmentExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => Shape::Assign { left, right },
            _ => Shape::Parts,
        },
        Kind::BinaryExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => match field(f.operator).map_or("", |op| op.kind()) {
                "??" => Shape::Either { before: Vec::new(), values: vec![left, right] },
                operator => {
                    let is_test =
                        !matches!(operator, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^");
                    Shape::Binary { left, right, is_test }
                }
            },
            _ => Shape::Parts,
        },
        Kind::ConditionalExpression => match (field(f.consequence), field(f.alternative)) {
            (Some(a), Some(b)) => {
                let before = field(f.condition).into_iter().collect();
                Shape::Either { before, values: vec![a, b] }
            }
            _ => Shape::Parts,
        },
        Kind::InitializerExpression | Kind::CollectionExpression => {
            Shape::List(named_children(node))
        }
        Kind::ImplicitArrayCreation => {
            child_where(node, |n| kind(n) == Kind::InitializerExpression)
                .map_or(Shape::Parts, Shape::Same)
        }
        // `b is Circle c && …`: the pattern comes after its value.
        _ => Shape::Parts,
    }
}

fn invocation<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let Some(function) = node.child_by_field_id(f.function) else { return Shape::Parts };
    let args = inside(node.child_by_field_id(f.arguments));
    match kind(function) {
        // `nameof(x)` names and calls nothing.
        Kind::Identifier if source.text(function) == "nameof" => Shape::Literal(Literal::Text),
        Kind::Identifier | Kind::GenericName => Shape::Call {
            callee: Callee::Name(plain_name(function)),
            type_args: type_args(function),
            args,
        },
        Kind::MemberAccessExpression => {
            let object = function.child_by_field_id(f.expression);
            let (Some(object), Some(name)) = (object, function.child_by_field_id(f.name)) else {
                return Shape::Parts;
            };
            let callee = Callee::Member { object, name: plain_name(name) };
            Shape::Call { callee, type_args: type_args(name), args }
        }
        Kind::MemberBinding => Shape::Call {
            callee: Callee::Bound(
                function,
                plain_name(function.child_by_field_id(f.name).unwrap_or(function)),
            ),
            type_args: Vec::new(),
            args,
        },
        // `a?.b()`: the last name of what follows the mark is called.
        Kind::ConditionalAccess => {
            let last = named_children(function).into_iter().next_back();
            let name = last.filter(|last| kind(*last) == Kind::MemberBinding);
            let name = name.and_then(|last| last.child_by_field_id(f.name)).map(plain_name);
            let callee = match name {
                Some(name) => Callee::Bound(function, name),
                None => Callee::Value(function),
            };
            Shape::Call { callee, type_args: Vec::new(), args }
        }
        _ => Shape::Call { callee: Callee::Value(function), type_args: Vec::new(), args },
    }
}
