//! Declarations of C#.

use super::kinds::{Kind, fields, kind};
use super::shapes::path;
use crate::facts::{DefKind, Flags, ParamKind, Visibility};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::parts::{child_where, declared, inside};
use crate::lang::shapes::{
    Callable, Marks, Parameter, Shape, Source, TypeDecl, TypeParam, Var, Vars, Walk, WrittenType,
};
use tree_sitter::Node;

/// `namespace A.B { … }`: as the file's own where it is the only one.
pub(super) fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let f = fields();
    let (Some(name), Some(body)) = (node.child_by_field_id(f.name), node.child_by_field_id(f.body))
    else {
        return;
    };
    let name = walk.text(name).to_owned();
    let is_only = node.parent().is_some_and(|root| {
        root.parent().is_none()
            && named_children(root).iter().all(|other| {
                *other == node
                    || matches!(kind(*other), Kind::UsingDirective | Kind::GlobalAttribute)
            })
    });
    if is_only {
        let name = walk.b.name(&name);
        walk.b.def_mut(crate::facts::DefId::FILE).name = name;
        walk.parts(body);
    } else {
        walk.space(node, &name, body);
    }
}

pub(super) fn using(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let alias = node.child_by_field_id(fields().name);
    let target = named_children(node).into_iter().rfind(|n| Some(*n) != alias);
    let Some(target) = target else { return };
    let names: Vec<&str> = path(target).into_iter().map(|name| walk.text(name)).collect();
    match (alias, names.split_last()) {
        (Some(alias), Some((name, path))) => {
            let alias = walk.text(alias);
            walk.import(node, path, Some(name), Some(alias));
        }
        _ => walk.import(node, &names, Some("*"), None),
    }
    // `global using` holds for every file of the project.
    if node.child(0).is_some_and(|first| walk.text(first) == "global")
        && let Some(import) = walk.b.facts.imports.last_mut()
    {
        import.is_reexport = true;
    }
}

fn marks(source: Source<'_>, node: Node<'_>) -> Marks {
    let visibility = match source.around {
        DefKind::Interface | DefKind::Enum => Visibility::Public,
        DefKind::Module => Visibility::Internal,
        _ => Visibility::Private,
    };
    let mut marks = Marks { visibility, ..Marks::default() };
    let mut start = None;
    each_child(node, |part| {
        match kind(part) {
            Kind::AttributeList => {
                if is_test_attribute(source.text(part)) {
                    marks.flags.add(Flags::TEST);
                }
                return;
            }
            Kind::Modifier => match source.text(part) {
                "public" => marks.visibility = Visibility::Public,
                "internal" | "protected" => marks.visibility = Visibility::Internal,
                "static" => marks.flags.add(Flags::STATIC),
                "abstract" => marks.flags.add(Flags::ABSTRACT),
                "async" => marks.flags.add(Flags::ASYNC),
                "partial" => marks.flags.add(Flags::REOPENED),
                _ => {}
            },
            _ => {}
        }
        start = start.or(Some(part.start_byte()));
    });
    marks.start = start;
    marks
}

fn is_test_attribute(text: &str) -> bool {
    let inside = text.trim_matches(['[', ']']);
    inside.split(',').any(|one| {
        let name = one.split('(').next().unwrap_or(one).trim();
        let name = name.rsplit('.').next().unwrap_or(name);
        matches!(
            name,
            "Fact" | "Theory" | "Test" | "TestCase" | "TestMethod" | "SetUp" | "TestInitialize"
        )
    })
}

pub(super) fn declaration<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let name = node.child_by_field_id(f.name);
    match kind(node) {
        Kind::MethodDeclaration
        | Kind::LocalFunctionStatement
        | Kind::ConstructorDeclaration
        | Kind::DestructorDeclaration
        | Kind::OperatorDeclaration
        | Kind::LambdaExpression
        | Kind::AnonymousMethodExpression => callable(source, node, name),
        Kind::PropertyDeclaration | Kind::IndexerDeclaration | Kind::EventDeclaration => {
            property(source, node, name)
        }
        Kind::EnumMemberDeclaration => match name {
            Some(name) => {
                let args = node.child_by_field_id(f.value).into_iter().collect();
                Shape::Variant { name, args, body: None }
            }
            None => Shape::Parts,
        },
        Kind::FieldDeclaration | Kind::EventFieldDeclaration => {
            let inner = child_where(node, |n| kind(n) == Kind::VariableDeclaration);
            let mut vars = variables(inner.unwrap_or(node));
            vars.marks = marks(source, node);
            Shape::Vars(Box::new(vars))
        }
        Kind::VariableDeclaration => Shape::Vars(Box::new(variables(node))),
        Kind::DelegateDeclaration => {
            let mut decl = TypeDecl::new(DefKind::Interface, name);
            decl.marks = marks(source, node);
            Shape::Type(Box::new(decl))
        }
        _ => Shape::Type(Box::new(type_decl(source, node, name))),
    }
}

fn type_decl<'t>(source: Source<'_>, node: Node<'t>, name: Option<Node<'t>>) -> TypeDecl<'t> {
    let of = match kind(node) {
        Kind::InterfaceDeclaration => DefKind::Interface,
        Kind::StructDeclaration => DefKind::Struct,
        Kind::EnumDeclaration => DefKind::Enum,
        _ => DefKind::Class,
    };
    let mut decl = TypeDecl::new(of, name);
    decl.marks = marks(source, node);
    decl.body = node.child_by_field_id(fields().body);
    decl.type_params = type_params(source, node);
    if of != DefKind::Enum {
        for base in inside(child_where(node, |n| kind(n) == Kind::BaseList)) {
            match kind(base) {
                Kind::ArgumentList => decl.also.push(base),
                Kind::PrimaryConstructorBaseType => {
                    decl.bases.push(base);
                    decl.also.extend(child_where(base, |n| kind(n) == Kind::ArgumentList));
                }
                _ => decl.bases.push(base),
            }
        }
    }
    let given = child_where(node, |n| kind(n) == Kind::ParameterList);
    if given.is_some() {
        let mut given = params(source, given);
        let is_record = kind(node) == Kind::RecordDeclaration;
        for param in &mut given {
            param.is_field = is_record;
        }
        decl.params = Some(given);
    }
    decl
}

fn type_params<'t>(source: Source<'_>, node: Node<'t>) -> Vec<TypeParam<'t>> {
    let list = child_where(node, |n| kind(n) == Kind::TypeParameterList);
    let clauses: Vec<Node<'_>> = named_children(node)
        .into_iter()
        .filter(|n| kind(*n) == Kind::TypeParameterConstraintsClause)
        .collect();
    inside(list)
        .into_iter()
        .filter_map(|param| {
            let name = param.child_by_field_id(fields().name)?;
            let is_for = |clause: &&Node<'_>| {
                clause.named_child(0).is_some_and(|of| source.text(of) == source.text(name))
            };
            let bounds = clauses.iter().find(is_for).map(|clause| {
                let all = named_children(*clause).into_iter();
                all.filter_map(|part| part.child_by_field_id(fields().type_)).collect()
            });
            Some(TypeParam { name, bounds: bounds.unwrap_or_default() })
        })
        .collect()
}

fn callable<'t>(source: Source<'_>, node: Node<'t>, name: Option<Node<'t>>) -> Shape<'t> {
    let f = fields();
    let is_lambda = matches!(kind(node), Kind::LambdaExpression | Kind::AnonymousMethodExpression);
    let name = match kind(node) {
        Kind::OperatorDeclaration => node.child_by_field_id(f.operator),
        _ => name,
    };
    let of = match kind(node) {
        _ if is_lambda => DefKind::Lambda,
        Kind::LocalFunctionStatement => DefKind::Function,
        _ => DefKind::Method,
    };
    let mut callable = Callable::new(of, name);
    callable.marks = marks(source, node);
    let body = node.child_by_field_id(f.body);
    let body = body.or_else(|| child_where(node, |n| kind(n) == Kind::Block));
    if is_lambda {
        callable.marks = Marks::default();
    } else if kind(node) == Kind::ConstructorDeclaration {
        callable.marks.flags.add(Flags::CONSTRUCTOR);
        callable.also.extend(child_where(node, |n| kind(n) == Kind::ConstructorInitializer));
    } else {
        callable.marks = callable.marks.with(declared(of, body.is_some()));
    }
    let result = node.child_by_field_id(f.returns).or(node.child_by_field_id(f.type_));
    callable.result = result.filter(|_| !is_lambda).map(WrittenType::of);
    callable.type_params = type_params(source, node);
    callable.params = match node.child_by_field_id(f.parameters) {
        Some(one) if kind(one) == Kind::ImplicitParameter => {
            vec![Parameter::new(Some(one), None)]
        }
        list => params(source, list),
    };
    callable.is_value = body.is_some_and(|body| kind(body) != Kind::Block);
    callable.body = body;
    // A method that extends a type it takes as its first parameter.
    if let Some(first) = callable.params.first()
        && first.kind == ParamKind::Receiver
    {
        callable.extends = first.ty.map(|ty| ty.node);
    }
    Shape::Callable(Box::new(callable))
}

fn property<'t>(source: Source<'_>, node: Node<'t>, name: Option<Node<'t>>) -> Shape<'t> {
    let f = fields();
    let name = name.or_else(|| child_where(node, |n| kind(n) == Kind::BracketedParameterList));
    let mut callable = Callable::new(DefKind::Method, name);
    callable.marks = marks(source, node).with(Flags::PROPERTY);
    callable.result = node.child_by_field_id(f.type_).map(WrittenType::of);
    callable.params = params(source, node.child_by_field_id(f.parameters));
    callable.body = node.child_by_field_id(f.accessors);
    let value = node.child_by_field_id(f.value);
    if callable.body.is_none() {
        callable.body = value;
        callable.is_value = value.is_some();
    } else {
        callable.also.extend(value);
    }
    Shape::Callable(Box::new(callable))
}

fn params<'t>(source: Source<'_>, list: Option<Node<'t>>) -> Vec<Parameter<'t>> {
    let f = fields();
    let Some(list) = list else { return Vec::new() };
    let mut found: Vec<Parameter<'t>> = Vec::new();
    for node in named_children(list) {
        if kind(node) != Kind::Parameter {
            continue;
        }
        let name = node.child_by_field_id(f.name);
        let ty = node.child_by_field_id(f.type_);
        let mut param = Parameter::new(name, ty);
        param.default = named_children(node).into_iter().rfind(|part| {
            Some(*part) != name
                && Some(*part) != ty
                && !matches!(kind(*part), Kind::AttributeList | Kind::Modifier)
        });
        let modifier = child_where(node, |n| kind(n) == Kind::Modifier);
        match modifier.map_or("", |modifier| source.text(modifier)) {
            "params" => param.kind = ParamKind::Variadic,
            "this" if found.is_empty() => param.kind = ParamKind::Receiver,
            _ => {}
        }
        found.push(param);
    }
    // `params T[] rest` is written without a node of its own.
    let names = crate::lang::shapes::parts::field_all(list, f.name);
    let types = crate::lang::shapes::parts::field_all(list, f.type_);
    for (name, ty) in names.into_iter().zip(types) {
        let mut param = Parameter::new(Some(name), Some(ty));
        param.kind = ParamKind::Variadic;
        found.push(param);
    }
    found
}

fn variables(node: Node<'_>) -> Vars<'_> {
    let f = fields();
    let ty = node.child_by_field_id(f.type_);
    let items = named_children(node)
        .into_iter()
        .filter(|n| kind(*n) == Kind::VariableDeclarator)
        .filter_map(|declarator| {
            let name = declarator.child_by_field_id(f.name)?;
            let value = named_children(declarator)
                .into_iter()
                .rfind(|n| *n != name && kind(*n) != Kind::BracketedArgumentList);
            Some(Var { name, ty: ty.map(WrittenType::of), value, made_with: None })
        })
        .collect();
    Vars { kind: DefKind::Var, items, marks: Marks::default() }
}
