//! What the nodes of the C and C++ grammars are.

use super::declare::{self, DeclaratorParts};
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, ExprId, Literal};
use crate::lang::grammar::named_children;
use crate::lang::shapes::parts::{child_where, has_word, inside};
use crate::lang::shapes::{Callable, Callee, Shape, Source, Syntax, TypeShape, Walk, WrittenType};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        match kind(node) {
            Kind::PreprocFunctionDef | Kind::PreprocDef if !source.around.is_callable() => {
                Shape::Own
            }
            Kind::FunctionDefinition
            | Kind::Declaration
            | Kind::FieldDeclaration
            | Kind::TypeDefinition
            | Kind::AliasDeclaration
            | Kind::ClassSpecifier
            | Kind::StructSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier
            | Kind::PreprocFunctionDef
            | Kind::PreprocDef => declare::declaration(source, node),
            Kind::NamespaceDefinition
            | Kind::FieldDeclarationList
            | Kind::TemplateDeclaration
            | Kind::UsingDeclaration
            | Kind::NamespaceAliasDefinition
            | Kind::PreprocInclude
            | Kind::QualifiedIdentifier => Shape::Own,
            Kind::Enumerator => match node.child_by_field_id(fields().name) {
                Some(name) => {
                    let args = node.child_by_field_id(fields().value).into_iter().collect();
                    Shape::Variant { name, args, body: None }
                }
                None => Shape::Nothing,
            },
            Kind::Comment
            | Kind::PreprocCall
            | Kind::PreprocArg
            | Kind::AttributeDeclaration
            | Kind::AttributeSpecifier
            | Kind::FriendDeclaration
            | Kind::SizeofExpression
            | Kind::AlignofExpression
            | Kind::StaticAssertDeclaration
            | Kind::FieldIdentifier
            | Kind::FieldDesignator
            | Kind::TypeIdentifier
            | Kind::PrimitiveType
            | Kind::TemplateArgumentList
            | Kind::AccessSpecifier => Shape::Nothing,
            Kind::CompoundStatement
            | Kind::ForStatement
            | Kind::IfStatement
            | Kind::WhileStatement
            | Kind::SwitchStatement
            | Kind::CatchClause => Shape::Block,
            _ => statement(source, node),
        }
    }

    fn type_shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        let f = fields();
        match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier | Kind::NamespaceIdentifier => {
                TypeShape::Path(vec![node], Vec::new())
            }
            Kind::QualifiedIdentifier | Kind::TemplateType => {
                let (names, args) = type_names(node);
                TypeShape::Path(names, args)
            }
            Kind::TypeDescriptor | Kind::DependentType => {
                let inner = node.child_by_field_id(f.type_).or_else(|| node.named_child(0));
                inner.map_or(TypeShape::Opaque, TypeShape::Same)
            }
            Kind::ClassSpecifier
            | Kind::StructSpecifier
            | Kind::UnionSpecifier
            | Kind::EnumSpecifier => {
                let has_body = node.child_by_field_id(f.body).is_some();
                match node.child_by_field_id(f.name) {
                    Some(name) if !has_body => TypeShape::Same(name),
                    Some(_) => TypeShape::Declared(Box::new(declare::type_decl(source, node))),
                    None => TypeShape::Nameless(Box::new(declare::type_decl(source, node))),
                }
            }
            Kind::PrimitiveType => match source.text(node) {
                "void" => TypeShape::Opaque,
                "char" => TypeShape::Literal(Literal::Text),
                _ => TypeShape::Literal(Literal::Number),
            },
            Kind::SizedTypeSpecifier => TypeShape::Literal(Literal::Number),
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::NamespaceDefinition => declare::namespace(walk, node),
            Kind::FieldDeclarationList => declare::members(walk, node),
            Kind::TemplateDeclaration => declare::template(walk, node),
            Kind::UsingDeclaration | Kind::NamespaceAliasDefinition => declare::using(walk, node),
            Kind::PreprocInclude => declare::include(walk, node),
            Kind::PreprocFunctionDef | Kind::PreprocDef => declare::macro_definition(walk, node),
            _ => {
                let (names, _) = type_names(node);
                return walk.value_path(&names);
            }
        }
        Builder::OPAQUE
    }
}

/// The names of a qualified type, and the arguments of its last part.
pub(super) fn type_names(node: Node<'_>) -> (Vec<Node<'_>>, Vec<Node<'_>>) {
    let f = fields();
    let mut names = Vec::new();
    let mut at = node;
    loop {
        match kind(at) {
            Kind::QualifiedIdentifier => {
                if let Some(scope) = at.child_by_field_id(f.scope) {
                    names.push(bare(scope));
                }
                match at.child_by_field_id(f.name) {
                    Some(name) => at = name,
                    None => return (names, Vec::new()),
                }
            }
            Kind::DependentName | Kind::DependentType => match at.named_child(0) {
                Some(inner) => at = inner,
                None => return (names, Vec::new()),
            },
            Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
                names.push(bare(at));
                return (names, inside(at.child_by_field_id(f.arguments)));
            }
            _ => {
                names.push(at);
                return (names, Vec::new());
            }
        }
    }
}

/// A name without its template arguments.
pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    match kind(node) {
        Kind::TemplateType | Kind::TemplateFunction | Kind::TemplateMethod => {
            node.child_by_field_id(fields().name).unwrap_or(node)
        }
        Kind::DependentName => node.named_child(0).map_or(node, bare),
        _ => node,
    }
}

fn statement<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::ForRangeLoop => match field(f.right) {
            Some(over) => Shape::Foreach {
                ty: field(f.type_).map(WrittenType::of),
                name: field(f.declarator).and_then(|d| DeclaratorParts::of(d).name),
                over,
                body: field(f.body).into_iter().collect(),
            },
            None => Shape::Parts,
        },
        Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration => {
            match field(f.declarator).and_then(|d| DeclaratorParts::of(d).name) {
                Some(name) => {
                    Shape::Bind { ty: field(f.type_).map(WrittenType::of), name, value: None }
                }
                None => Shape::Nothing,
            }
        }
        Kind::ReturnStatement => Shape::Return(node.named_child(0)),
        Kind::ParenthesizedExpression => node.named_child(0).map_or(Shape::Nothing, Shape::Same),
        Kind::PointerExpression => field(f.argument).map_or(Shape::Parts, Shape::Same),
        Kind::Identifier => Shape::Name,
        Kind::This => Shape::This,
        Kind::StringLiteral | Kind::RawStringLiteral | Kind::ConcatenatedString => {
            Shape::Literal(Literal::Text)
        }
        Kind::NumberLiteral | Kind::CharLiteral | Kind::True | Kind::False => {
            Shape::Literal(Literal::Number)
        }
        Kind::Null => Shape::Literal(Literal::Nothing),
        Kind::TemplateFunction => Shape::Same(bare(node)),
        _ => expression(source, node),
    }
}

fn expression<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::CallExpression => call(source, node),
        Kind::NewExpression => match field(f.type_) {
            Some(ty) => Shape::New { ty, args: inside(field(f.arguments)), body: None },
            None => Shape::Parts,
        },
        Kind::FieldExpression => match (field(f.argument), field(f.field)) {
            (Some(object), Some(name)) => {
                Shape::Member { object, name: type_names(name).0.pop().unwrap_or(name) }
            }
            _ => Shape::Parts,
        },
        Kind::SubscriptExpression => match field(f.argument) {
            Some(object) => {
                let rest = field(f.indices).or(field(f.index)).into_iter().collect();
                Shape::Index { object, rest }
            }
            None => Shape::Parts,
        },
        Kind::CastExpression | Kind::CompoundLiteralExpression => match field(f.type_) {
            Some(ty) => Shape::Cast { ty, value: field(f.value) },
            None => Shape::Parts,
        },
        Kind::AssignmentExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => Shape::Assign { left, right },
            _ => Shape::Parts,
        },
        Kind::BinaryExpression => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => {
                let operator = field(f.operator).map_or("", |op| op.kind());
                let is_test =
                    matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||");
                Shape::Binary { left, right, is_test }
            }
            _ => Shape::Parts,
        },
        Kind::ConditionalExpression => match (field(f.consequence), field(f.alternative)) {
            (Some(a), Some(b)) => {
                let before = field(f.condition).into_iter().collect();
                Shape::Either { before, values: vec![a, b] }
            }
            _ => Shape::Parts,
        },
        Kind::InitializerList => Shape::List(named_children(node)),
        Kind::LambdaExpression => {
            let mut callable = Callable::new(DefKind::Lambda, None);
            let declarator = field(f.declarator);
            let list = declarator.and_then(|d| d.child_by_field_id(f.parameters));
            callable.params = declare::params(source, list);
            callable.also = inside(field(f.captures));
            callable.body = field(f.body);
            Shape::Callable(Box::new(callable))
        }
        _ => Shape::Parts,
    }
}

fn call<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let Some(function) = node.child_by_field_id(f.function) else { return Shape::Parts };
    let args = inside(node.child_by_field_id(f.arguments));
    match kind(function) {
        Kind::Identifier => {
            Shape::Call { callee: Callee::Name(function), type_args: Vec::new(), args }
        }
        Kind::TemplateFunction => {
            let name = bare(function);
            let types = inside(function.child_by_field_id(f.arguments));
            let is_cast = source.text(name).ends_with("_cast");
            match types.first() {
                Some(ty) if is_cast => Shape::Cast { ty: *ty, value: args.first().copied() },
                _ => Shape::Call { callee: Callee::Name(name), type_args: types, args },
            }
        }
        Kind::FieldExpression => {
            let object = function.child_by_field_id(f.argument);
            let (Some(object), Some(field)) = (object, function.child_by_field_id(f.field)) else {
                return Shape::Parts;
            };
            let (mut names, type_args) = type_names(field);
            let name = names.pop().unwrap_or(field);
            Shape::Call { callee: Callee::Member { object, name }, type_args, args }
        }
        Kind::QualifiedIdentifier => {
            let (mut names, type_args) = type_names(function);
            let name = names.pop().unwrap_or(function);
            Shape::Call { callee: Callee::Bound(function, name), type_args, args }
        }
        Kind::PrimitiveType => Shape::Cast { ty: function, value: args.first().copied() },
        _ => Shape::Call { callee: Callee::Value(function), type_args: Vec::new(), args },
    }
}

/// Whether a list of parameters ends in `...`.
pub(super) fn is_variadic(list: Node<'_>) -> bool {
    has_word(list, "...") || child_where(list, |n| kind(n) == Kind::VariadicParameter).is_some()
}
