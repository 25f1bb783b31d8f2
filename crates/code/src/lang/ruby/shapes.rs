//! What the nodes of the Ruby grammar are.

use super::calls;
use super::kinds::{Kind, fields, kind};
use crate::facts::{Builder, DefKind, Expr, ExprId, Flags, Literal, ParamKind, Visibility};
use crate::lang::grammar::named_children;
use crate::lang::shapes::parts::inside;
use crate::lang::shapes::{
    Callable, Marks, Parameter, Shape, Source, Syntax, TypeDecl, TypeShape, Walk,
};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        kind(node) == Kind::Comment
    }

    fn assigning_binds(&self) -> bool {
        true
    }

    fn last_is_returned(&self) -> bool {
        true
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        let f = fields();
        match kind(node) {
            Kind::Class | Kind::Module => Shape::Type(Box::new(type_decl(source, node))),
            Kind::Method | Kind::SingletonMethod | Kind::Lambda => {
                Shape::Callable(Box::new(callable(source, node)))
            }
            Kind::Block | Kind::DoBlock => {
                let mut callable = Callable::new(DefKind::Lambda, None);
                callable.params = params(node.child_by_field_id(f.parameters));
                callable.body = node.child_by_field_id(f.body);
                Shape::Callable(Box::new(callable))
            }
            Kind::Call
            | Kind::Identifier
            | Kind::Super
            | Kind::InstanceVariable
            | Kind::ClassVariable
            | Kind::Assignment
            | Kind::OperatorAssignment
            | Kind::ScopeResolution
            | Kind::Rescue => Shape::Own,
            Kind::BodyStatement if source.around.is_type() => Shape::Own,
            Kind::BodyStatement
            | Kind::BlockBody
            | Kind::Then
            | Kind::Else
            | Kind::Begin
            | Kind::ParenthesizedStatements => Shape::Block,
            Kind::Comment | Kind::Alias | Kind::Undef | Kind::HeredocBeginning => Shape::Nothing,
            Kind::Constant => Shape::Name,
            Kind::SelfWord => Shape::This,
            Kind::String | Kind::ChainedString | Kind::HeredocBody | Kind::Subshell => Shape::Text,
            Kind::SimpleSymbol | Kind::HashKeySymbol | Kind::Character => {
                Shape::Literal(Literal::Text)
            }
            Kind::Integer => Shape::Literal(Literal::Number),
            Kind::Float => Shape::Literal(Literal::Float),
            Kind::True | Kind::False => Shape::Literal(Literal::Bool),
            Kind::Nil => Shape::Literal(Literal::Nothing),
            Kind::Regex => Shape::Literal(Literal::Regex),
            Kind::Array => Shape::List(named_children(node)),
            _ => control(node),
        }
    }

    fn type_shape<'t>(&self, _source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        match kind(node) {
            Kind::Constant => TypeShape::Path(vec![node], Vec::new()),
            Kind::ScopeResolution => TypeShape::Path(path(node), Vec::new()),
            Kind::Superclass => node.named_child(0).map_or(TypeShape::Opaque, TypeShape::Same),
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::Call => calls::call(walk, node),
            Kind::Identifier => calls::bare_name(walk, node),
            Kind::Super => calls::super_call(walk, node, &[]),
            Kind::InstanceVariable | Kind::ClassVariable => {
                let within = walk.b.within();
                let this = walk.b.expr(Expr::This(within));
                let name = walk.name(node);
                walk.b.expr(Expr::Member(this, name))
            }
            Kind::Assignment | Kind::OperatorAssignment => calls::assignment(walk, node),
            Kind::ScopeResolution => scoped(walk, node),
            Kind::Rescue => calls::rescue(walk, node),
            _ => calls::class_body(walk, node),
        }
    }
}

/// Statements whose value is one of their branches, and operators.
fn control(node: Node<'_>) -> Shape<'_> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::If | Kind::Unless | Kind::Elsif | Kind::Conditional => Shape::Either {
            before: field(f.condition).into_iter().collect(),
            values: [field(f.consequence), field(f.alternative)].into_iter().flatten().collect(),
        },
        Kind::Return => Shape::Return(node.named_child(0).and_then(|list| list.named_child(0))),
        Kind::Binary => match (field(f.left), field(f.right)) {
            (Some(left), Some(right)) => {
                let operator = field(f.operator).map_or("", |op| op.kind());
                match operator {
                    "||" | "or" => Shape::Either { before: Vec::new(), values: vec![left, right] },
                    "&&" | "and" => Shape::Either { before: vec![left], values: vec![right] },
                    _ => Shape::Binary {
                        left,
                        right,
                        is_test: matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "=~"),
                    },
                }
            }
            _ => Shape::Parts,
        },
        Kind::ElementReference => match field(f.object) {
            Some(object) => {
                let mut rest = named_children(node);
                rest.retain(|part| *part != object);
                Shape::Index { object, rest }
            }
            None => Shape::Parts,
        },
        Kind::SplatArgument | Kind::HashSplatArgument | Kind::BlockArgument => {
            node.named_child(0).map_or(Shape::Nothing, Shape::Same)
        }
        _ => Shape::Parts,
    }
}

/// The names of `A::B::C`, first to last.
pub(super) fn path(node: Node<'_>) -> Vec<Node<'_>> {
    let f = fields();
    let mut names = Vec::new();
    let mut at = node;
    while kind(at) == Kind::ScopeResolution {
        names.extend(at.child_by_field_id(f.name));
        match at.child_by_field_id(f.scope) {
            Some(scope) => at = scope,
            None => {
                names.reverse();
                return names;
            }
        }
    }
    names.push(at);
    names.reverse();
    names
}

fn scoped(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    let Some(name) = node.child_by_field_id(f.name) else { return Builder::OPAQUE };
    match node.child_by_field_id(f.scope) {
        Some(scope) => {
            let scope = walk.node(scope);
            let name = walk.name(name);
            walk.b.expr(Expr::Member(scope, name))
        }
        None => walk.lookup(name),
    }
}

fn type_decl<'t>(source: Source<'_>, node: Node<'t>) -> TypeDecl<'t> {
    let f = fields();
    let of = if kind(node) == Kind::Class { DefKind::Class } else { DefKind::Mixin };
    let name = node.child_by_field_id(f.name);
    let mut decl = TypeDecl::new(of, name);
    decl.rename = name.map(|name| source.text(name).trim_start_matches("::").replace("::", "."));
    decl.bases.extend(node.child_by_field_id(f.superclass));
    decl.body_node = node.child_by_field_id(f.body);
    decl.marks = Marks::default().with(Flags::REOPENED);
    decl
}

fn callable<'t>(source: Source<'_>, node: Node<'t>) -> Callable<'t> {
    let f = fields();
    let of = match kind(node) {
        Kind::Lambda => DefKind::Lambda,
        _ => DefKind::Method,
    };
    let name = node.child_by_field_id(f.name);
    let mut callable = Callable::new(of, name);
    callable.params = params(node.child_by_field_id(f.parameters));
    callable.body = node.child_by_field_id(f.body);
    callable.is_value = callable.body.is_some_and(|body| kind(body) != Kind::BodyStatement);
    if kind(node) == Kind::SingletonMethod {
        callable.marks.flags.add(Flags::STATIC);
    }
    if of == DefKind::Method && source.around == DefKind::Module {
        callable.kind = DefKind::Function;
        callable.marks.visibility = Visibility::Private;
    }
    if name.is_some_and(|name| source.text(name).starts_with("test_")) {
        callable.marks.flags.add(Flags::TEST);
    }
    callable
}

fn params(list: Option<Node<'_>>) -> Vec<Parameter<'_>> {
    let f = fields();
    inside(list)
        .into_iter()
        .map(|node| {
            let named = |kind: ParamKind| {
                let mut param = Parameter::new(node.child_by_field_id(f.name), None);
                param.kind = kind;
                param
            };
            match kind(node) {
                Kind::Identifier => Parameter::new(Some(node), None),
                Kind::OptionalParameter => {
                    let mut param = named(ParamKind::Plain);
                    param.default = node.child_by_field_id(f.value);
                    param
                }
                Kind::SplatParameter => named(ParamKind::Variadic),
                _ => named(ParamKind::Keywords),
            }
        })
        .collect()
}
