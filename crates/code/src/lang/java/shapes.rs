//! What the nodes of the Java grammar are.

use super::kinds::{Kind, fields, kind};
use crate::facts::{
    Builder, DefKind, Expr, ExprId, Flags, Literal, ParamKind, Space, TypeRef, Visibility,
};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::parts::{child_where, declared, field_all, inside};
use crate::lang::shapes::{
    Callable, Callee, Marks, Parameter, Shape, Source, Syntax, TypeDecl, TypeParam, TypeShape, Var,
    Vars, Walk, WrittenType,
};
use tree_sitter::Node;

pub(super) struct Shapes;

impl Syntax for Shapes {
    fn is_comment(&self, node: Node<'_>) -> bool {
        matches!(kind(node), Kind::LineComment | Kind::BlockComment)
    }

    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t> {
        match kind(node) {
            Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::EnumDeclaration
            | Kind::RecordDeclaration
            | Kind::AnnotationTypeDeclaration
            | Kind::MethodDeclaration
            | Kind::ConstructorDeclaration
            | Kind::CompactConstructorDeclaration
            | Kind::AnnotationTypeElement
            | Kind::EnumConstant
            | Kind::FieldDeclaration
            | Kind::ConstantDeclaration
            | Kind::LocalVariableDeclaration
            | Kind::LambdaExpression => declaration(source, node),
            Kind::PackageDeclaration => {
                let name = named_children(node).into_iter().next_back();
                Shape::Package(name.map_or(String::new(), |name| source.text(name).to_owned()))
            }
            Kind::ImportDeclaration
            | Kind::MethodReference
            | Kind::ClassLiteral
            | Kind::SwitchRule => Shape::Own,
            Kind::LineComment | Kind::BlockComment | Kind::Modifiers | Kind::ModuleDeclaration => {
                Shape::Nothing
            }
            Kind::Block
            | Kind::ForStatement
            | Kind::TryWithResources
            | Kind::CatchClause
            | Kind::SwitchBlockGroup
            | Kind::StaticInitializer => Shape::Block,
            // `Outer.this` is the receiver of a type around.
            Kind::FieldAccess
                if node
                    .child_by_field_id(fields().field)
                    .is_some_and(|n| kind(n) == Kind::This) =>
            {
                match node.child_by_field_id(fields().object) {
                    Some(ty) => Shape::Cast { ty, value: None },
                    None => Shape::Parts,
                }
            }
            _ => statement(source, node),
        }
    }

    fn type_shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
        match kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => match source.text(node) {
                "var" => TypeShape::Opaque,
                _ => TypeShape::Path(vec![node], Vec::new()),
            },
            Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier => {
                TypeShape::Path(path(node), Vec::new())
            }
            Kind::GenericType => generic(source, node),
            Kind::ArrayType => match node.child_by_field_id(fields().element) {
                Some(element) => TypeShape::List(element),
                None => TypeShape::Opaque,
            },
            Kind::AnnotatedType => last(node).map_or(TypeShape::Opaque, TypeShape::Same),
            Kind::Wildcard => match last(node) {
                Some(bound) => TypeShape::Same(bound),
                None => TypeShape::Opaque,
            },
            Kind::CatchType => TypeShape::Union(named_children(node)),
            Kind::IntegralType => TypeShape::Literal(match source.text(node) {
                "long" => Literal::Long,
                "short" => Literal::Short,
                "byte" => Literal::Byte,
                "char" => Literal::Character,
                _ => Literal::Number,
            }),
            Kind::FloatingPointType => TypeShape::Literal(match source.text(node) {
                "float" => Literal::Single,
                _ => Literal::Float,
            }),
            Kind::BooleanType => TypeShape::Literal(Literal::Bool),
            _ => TypeShape::Opaque,
        }
    }

    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
        match kind(node) {
            Kind::ImportDeclaration => import(walk, node),
            // `Foo::bar` names a method without calling it.
            Kind::MethodReference => {
                let Some(first) = node.named_child(0) else { return Builder::OPAQUE };
                let of = walk.node(first);
                if let Some(name) = last(node).filter(|name| *name != first) {
                    let name = walk.name(name);
                    walk.known(of, |of| Expr::Member(of, name));
                }
            }
            Kind::ClassLiteral => {
                // `Foo.class` is a `Class<Foo>`.
                if let Some(ty) = node.named_child(0) {
                    let of = walk.ty(ty);
                    let class = walk.b.name("Class");
                    let class = walk.b.lookup_unwritten(class, Space::Type, node.start_byte());
                    let class = walk.b.type_ref(TypeRef::Named(class, [of].into()));
                    return walk.b.expr(Expr::Typed(class));
                }
            }
            // `case A a -> …`: what the pattern binds is known in the rule.
            _ => {
                walk.b.open(crate::facts::ScopeKind::Block);
                walk.parts(node);
                walk.b.close();
            }
        }
        Builder::OPAQUE
    }
}

fn last(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).into_iter().next_back()
}

fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(path) = child_where(node, |n| kind(n) != Kind::Asterisk) else { return };
    let names: Vec<&str> = walk.text(path).split('.').map(str::trim).collect();
    let is_wild = child_where(node, |n| kind(n) == Kind::Asterisk).is_some();
    if is_wild {
        walk.import(node, &names, Some("*"), None);
    } else if let Some((name, path)) = names.split_last() {
        walk.import(node, path, Some(name), Some(name));
    }
}

/// The names of a dotted path, first to last.
fn path(node: Node<'_>) -> Vec<Node<'_>> {
    let mut names = Vec::new();
    let mut at = node;
    loop {
        let parts = named_children(at);
        let is_scoped = matches!(kind(at), Kind::ScopedTypeIdentifier | Kind::ScopedIdentifier);
        match (parts.first(), parts.last()) {
            (Some(first), Some(last)) if is_scoped && parts.len() > 1 => {
                names.push(*last);
                at = *first;
            }
            (Some(first), _) if kind(at) == Kind::GenericType => at = *first,
            _ => {
                names.push(at);
                break;
            }
        }
    }
    names.reverse();
    names
}

fn generic<'t>(source: Source<'_>, node: Node<'t>) -> TypeShape<'t> {
    let parts = named_children(node);
    let Some(base) = parts.first().copied() else { return TypeShape::Opaque };
    let args = inside(parts.get(1).copied());
    let names = path(base);
    let name = names.last().map_or("", |name| source.text(*name));
    // The interfaces that stand for functions, as functions.
    let split = |n: usize| (args[..n.min(args.len())].to_vec(), args.get(n).copied());
    match (name, args.len()) {
        ("Function" | "BiFunction", 2 | 3) => {
            let (params, result) = split(args.len() - 1);
            TypeShape::Function(params, result)
        }
        ("Consumer" | "BiConsumer" | "Predicate" | "BiPredicate", 1 | 2) => {
            TypeShape::Function(args, None)
        }
        ("UnaryOperator", 1) => TypeShape::Function(args.clone(), args.first().copied()),
        ("Supplier" | "Callable", 1) => TypeShape::Function(Vec::new(), args.first().copied()),
        _ => TypeShape::Path(names, args),
    }
}

fn marks(source: Source<'_>, node: Node<'_>, in_interface: bool) -> Marks {
    let mut marks = Marks {
        visibility: if in_interface { Visibility::Public } else { Visibility::Internal },
        ..Marks::default()
    };
    let Some(modifiers) = child_where(node, |n| kind(n) == Kind::Modifiers) else { return marks };
    let mut start = None;
    each_child(modifiers, |word| {
        match word.kind() {
            "public" => marks.visibility = Visibility::Public,
            "private" => marks.visibility = Visibility::Private,
            "static" => marks.flags.add(Flags::STATIC),
            "abstract" => marks.flags.add(Flags::ABSTRACT),
            "annotation" | "marker_annotation" => {
                let name = word.child_by_field_id(fields().name).map_or("", |n| source.text(n));
                let name = name.rsplit('.').next().unwrap_or(name);
                if matches!(
                    name,
                    "Test"
                        | "ParameterizedTest"
                        | "RepeatedTest"
                        | "BeforeEach"
                        | "AfterEach"
                        | "BeforeAll"
                        | "Before"
                        | "After"
                ) {
                    marks.flags.add(Flags::TEST);
                }
                return;
            }
            _ => {}
        }
        start = start.or(Some(word.start_byte()));
    });
    marks.start = start.or(Some(modifiers.end_byte()));
    marks
}

fn declaration<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let name = node.child_by_field_id(f.name);
    let body = node.child_by_field_id(f.body);
    let in_interface = source.around == DefKind::Interface;
    let marks = marks(source, node, in_interface);
    match kind(node) {
        Kind::MethodDeclaration | Kind::AnnotationTypeElement => {
            let mut callable = Callable::new(DefKind::Method, name);
            callable.marks = marks.with(declared(DefKind::Method, body.is_some()));
            callable.type_params = type_params(node);
            callable.params = params(node.child_by_field_id(f.parameters));
            callable.result = node.child_by_field_id(f.type_).map(WrittenType::of);
            callable.body = body;
            Shape::Callable(Box::new(callable))
        }
        Kind::ConstructorDeclaration | Kind::CompactConstructorDeclaration => {
            let mut callable = Callable::new(DefKind::Method, name);
            callable.marks = marks.with(Flags::CONSTRUCTOR);
            let mut given = node.child_by_field_id(f.parameters);
            if kind(node) == Kind::CompactConstructorDeclaration {
                let record = node.parent().and_then(|body| body.parent());
                given = record.and_then(|record| record.child_by_field_id(f.parameters));
            }
            callable.params = params(given);
            callable.body = body;
            Shape::Callable(Box::new(callable))
        }
        Kind::LambdaExpression => {
            let mut callable = Callable::new(DefKind::Lambda, None);
            callable.params = match node.child_by_field_id(f.parameters) {
                Some(one) if kind(one) == Kind::Identifier => vec![Parameter::new(Some(one), None)],
                Some(list) if kind(list) == Kind::InferredParameters => {
                    let names = named_children(list).into_iter();
                    names.map(|name| Parameter::new(Some(name), None)).collect()
                }
                list => params(list),
            };
            callable.is_value = body.is_some_and(|body| kind(body) != Kind::Block);
            callable.body = body;
            Shape::Callable(Box::new(callable))
        }
        Kind::EnumConstant => match name {
            Some(name) => {
                let args = inside(node.child_by_field_id(f.arguments));
                Shape::Variant { name, args, body }
            }
            None => Shape::Parts,
        },
        Kind::FieldDeclaration | Kind::ConstantDeclaration | Kind::LocalVariableDeclaration => {
            Shape::Vars(Box::new(variables(source, node, marks)))
        }
        _ => Shape::Type(Box::new(type_decl(node, name, body, marks))),
    }
}

fn type_decl<'t>(
    node: Node<'t>,
    name: Option<Node<'t>>,
    body: Option<Node<'t>>,
    marks: Marks,
) -> TypeDecl<'t> {
    let f = fields();
    let of = match kind(node) {
        Kind::InterfaceDeclaration | Kind::AnnotationTypeDeclaration => DefKind::Interface,
        Kind::EnumDeclaration => DefKind::Enum,
        _ => DefKind::Class,
    };
    let mut decl = TypeDecl::new(of, name);
    decl.marks = marks;
    decl.body = body;
    decl.type_params = type_params(node);
    decl.bases.extend(inside(node.child_by_field_id(f.superclass)));
    let extends = child_where(node, |n| kind(n) == Kind::ExtendsInterfaces);
    for list in [node.child_by_field_id(f.interfaces), extends].into_iter().flatten() {
        decl.bases.extend(inside(list.named_child(0)));
    }
    if kind(node) == Kind::RecordDeclaration {
        let mut given = params(node.child_by_field_id(f.parameters));
        for param in &mut given {
            param.is_field = true;
        }
        decl.params = Some(given);
    }
    decl
}

fn type_params(node: Node<'_>) -> Vec<TypeParam<'_>> {
    inside(node.child_by_field_id(fields().type_parameters))
        .into_iter()
        .filter_map(|param| {
            let name =
                child_where(param, |n| matches!(kind(n), Kind::TypeIdentifier | Kind::Identifier))?;
            let bounds = inside(child_where(param, |n| kind(n) == Kind::TypeBound));
            Some(TypeParam { name, bounds })
        })
        .collect()
}

fn params(list: Option<Node<'_>>) -> Vec<Parameter<'_>> {
    let f = fields();
    inside(list)
        .into_iter()
        .filter_map(|node| match kind(node) {
            Kind::FormalParameter => {
                let mut param =
                    Parameter::new(node.child_by_field_id(f.name), node.child_by_field_id(f.type_));
                if let Some(ty) = &mut param.ty {
                    ty.lists = u8::from(node.child_by_field_id(f.dimensions).is_some());
                }
                Some(param)
            }
            Kind::SpreadParameter => {
                let declarator = child_where(node, |n| kind(n) == Kind::VariableDeclarator)?;
                let ty = child_where(node, |n| {
                    !matches!(kind(n), Kind::Modifiers | Kind::VariableDeclarator)
                });
                let mut param = Parameter::new(declarator.child_by_field_id(f.name), ty);
                if let Some(ty) = &mut param.ty {
                    ty.lists = 1;
                }
                param.kind = ParamKind::Variadic;
                Some(param)
            }
            _ => None,
        })
        .collect()
}

fn variables<'t>(source: Source<'_>, node: Node<'t>, marks: Marks) -> Vars<'t> {
    let f = fields();
    let ty = node.child_by_field_id(f.type_);
    let items = field_all(node, f.declarator)
        .into_iter()
        .filter_map(|declarator| {
            let lists = u8::from(declarator.child_by_field_id(f.dimensions).is_some());
            Some(Var {
                name: declarator.child_by_field_id(f.name)?,
                ty: ty.map(|node| WrittenType { node, lists }),
                value: declarator.child_by_field_id(f.value),
                made_with: None,
            })
        })
        .collect();
    let is_const = child_where(node, |n| kind(n) == Kind::Modifiers)
        .is_some_and(|modifiers| source.text(modifiers).contains("final"));
    Vars { kind: if is_const { DefKind::Const } else { DefKind::Var }, items, marks }
}

/// Statements that bind names, and expressions.
fn statement<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::EnhancedFor => match field(f.value) {
            Some(over) => Shape::Foreach {
                ty: field(f.type_).map(WrittenType::of),
                name: field(f.name),
                over,
                body: field(f.body).into_iter().collect(),
            },
            None => Shape::Parts,
        },
        Kind::Resource => match (field(f.name), field(f.value)) {
            (Some(name), value @ Some(_)) => {
                Shape::Bind { ty: field(f.type_).map(WrittenType::of), name, value }
            }
            _ => Shape::Parts,
        },
        Kind::CatchFormalParameter => match field(f.name) {
            Some(name) => {
                let ty = child_where(node, |n| kind(n) == Kind::CatchType);
                Shape::Bind { ty: ty.map(WrittenType::of), name, value: None }
            }
            None => Shape::Parts,
        },
        Kind::InstanceofExpression => match (field(f.left), field(f.right), field(f.name)) {
            (left, Some(right), Some(name)) => {
                Shape::Bind { ty: Some(WrittenType::of(right)), name, value: left }
            }
            (left @ Some(_), Some(ty), None) => Shape::Cast { ty, value: left },
            _ => Shape::Parts,
        },
        Kind::TypePattern | Kind::RecordPatternComponent => {
            match (node.named_child(0), last(node)) {
                (Some(ty), Some(name)) if ty != name => {
                    Shape::Bind { ty: Some(WrittenType::of(ty)), name, value: None }
                }
                _ => Shape::Nothing,
            }
        }
        Kind::ReturnStatement | Kind::YieldStatement => Shape::Return(node.named_child(0)),
        Kind::ParenthesizedExpression => node.named_child(0).map_or(Shape::Nothing, Shape::Same),
        // `-1` is a number as `1` is.
        Kind::UnaryExpression
            if node.child_by_field_id(fields().operator).is_some_and(|op| op.kind() != "!") =>
        {
            node.child_by_field_id(fields().operand).map_or(Shape::Parts, Shape::Same)
        }
        Kind::Identifier => Shape::Name,
        Kind::This => Shape::This,
        Kind::Super => Shape::Super,
        Kind::StringLiteral => Shape::Literal(Literal::Text),
        Kind::True | Kind::False => Shape::Literal(Literal::Bool),
        Kind::NullLiteral => Shape::Literal(Literal::Nothing),
        Kind::DecimalInteger | Kind::HexInteger => {
            let is_long = source.text(node).ends_with(['l', 'L']);
            Shape::Literal(if is_long { Literal::Long } else { Literal::Number })
        }
        Kind::DecimalFloat => {
            let is_single = source.text(node).ends_with(['f', 'F']);
            Shape::Literal(if is_single { Literal::Single } else { Literal::Float })
        }
        Kind::CharacterLiteral => Shape::Literal(Literal::Character),
        _ => expression(node),
    }
}

fn expression(node: Node<'_>) -> Shape<'_> {
    let f = fields();
    let field = |id: u16| node.child_by_field_id(id);
    match kind(node) {
        Kind::MethodInvocation => {
            let Some(name) = field(f.name) else { return Shape::Parts };
            let callee = match field(f.object) {
                Some(object) => Callee::Member { object, name },
                None => Callee::Name(name),
            };
            let type_args = inside(field(f.type_arguments));
            Shape::Call { callee, type_args, args: inside(field(f.arguments)) }
        }
        Kind::ExplicitConstructor => {
            let args = inside(field(f.arguments));
            match field(f.constructor) {
                Some(of) if kind(of) == Kind::This => {
                    Shape::Call { callee: Callee::ThisInit(of), type_args: Vec::new(), args }
                }
                Some(of) => {
                    Shape::Call { callee: Callee::SuperInit(of), type_args: Vec::new(), args }
                }
                None => Shape::Parts,
            }
        }
        Kind::ObjectCreation => match field(f.type_) {
            Some(ty) => {
                let body = child_where(node, |n| kind(n) == Kind::ClassBody);
                Shape::New { ty, args: inside(field(f.arguments)), body }
            }
            None => Shape::Parts,
        },
        Kind::FieldAccess => match (field(f.object), field(f.field)) {
            (Some(object), Some(name)) => Shape::Member { object, name },
            _ => Shape::Parts,
        },
        Kind::ArrayAccess => match (field(f.array), field(f.index)) {
            (Some(object), Some(index)) => Shape::Index { object, rest: vec![index] },
            _ => Shape::Parts,
        },
        Kind::ArrayInitializer => Shape::List(named_children(node)),
        Kind::CastExpression => match field(f.type_) {
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
                let is_test = !matches!(operator, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^");
                Shape::Binary { left, right, is_test }
            }
            _ => Shape::Parts,
        },
        Kind::TernaryExpression => match (field(f.consequence), field(f.alternative)) {
            (Some(a), Some(b)) => {
                let before = field(f.condition).into_iter().collect();
                Shape::Either { before, values: vec![a, b] }
            }
            _ => Shape::Parts,
        },
        _ => Shape::Parts,
    }
}
