//! Declarations: classes, objects, functions, properties, imports.

use super::flow::bind_variable;
use super::kinds::{Kind, fields, kind};
use super::shapes::{is_in_type, is_type, type_names};
use crate::facts::{
    Binding, Builder, DefKind, Expr, ExprId, Flags, ParamKind, ScopeKind, Visibility,
};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::parts::{child_where, declared, has_word, inside};
use crate::lang::shapes::{
    Callable, Marks, Parameter, Shape, Source, TypeDecl, TypeParam, Var, Vars, Walk, WrittenType,
};
use tree_sitter::Node;

pub(super) fn import(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(path) = child_where(node, |n| kind(n) == Kind::QualifiedIdentifier) else { return };
    let names: Vec<&str> = named_children(path).into_iter().map(|name| walk.text(name)).collect();
    let alias = child_where(node, |n| kind(n) == Kind::Identifier).map(|alias| walk.text(alias));
    if has_word(node, "*") {
        walk.import(node, &names, Some("*"), None);
    } else if let Some((name, path)) = names.split_last() {
        walk.import(node, path, Some(name), Some(alias.unwrap_or(name)));
    }
}

fn marks(source: Source<'_>, node: Node<'_>) -> Marks {
    let mut marks = Marks::default();
    let Some(modifiers) = child_where(node, |n| kind(n) == Kind::Modifiers) else { return marks };
    let mut start = None;
    for word in named_children(modifiers) {
        match (kind(word), source.text(word)) {
            (Kind::Annotation, text) => {
                if is_test_mark(text) {
                    marks.flags.add(Flags::TEST);
                }
                continue;
            }
            (_, "private") => marks.visibility = Visibility::Private,
            (_, "internal" | "protected") => marks.visibility = Visibility::Internal,
            (_, "abstract") => marks.flags.add(Flags::ABSTRACT),
            _ => {}
        }
        start = start.or(Some(word.start_byte()));
    }
    marks.start = start.or(Some(modifiers.end_byte()));
    marks
}

/// `@Test`, `@BeforeEach`, `@org.junit.Test(…)`.
fn is_test_mark(annotation: &str) -> bool {
    let name = annotation.trim_start_matches('@').split('(').next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(name);
    matches!(
        name,
        "Test"
            | "ParameterizedTest"
            | "RepeatedTest"
            | "BeforeTest"
            | "AfterTest"
            | "BeforeEach"
            | "AfterEach"
            | "BeforeAll"
            | "AfterAll"
            | "Before"
            | "After"
    )
}

fn has_modifier(source: Source<'_>, node: Node<'_>, word: &str) -> bool {
    let modifiers = child_where(node, |n| kind(n) == Kind::Modifiers);
    inside(modifiers).into_iter().any(|part| source.text(part) == word)
}

pub(super) fn type_decl<'t>(source: Source<'_>, node: Node<'t>) -> TypeDecl<'t> {
    let f = fields();
    if kind(node) == Kind::TypeAlias {
        let mut decl = TypeDecl::new(DefKind::Alias, node.child_by_field_id(f.type_));
        decl.marks = marks(source, node);
        decl.type_params = type_params(node);
        decl.is = child_where(node, |n| is_type(kind(n))).map(WrittenType::of);
        return decl;
    }
    let of = if has_word(node, "interface") {
        DefKind::Interface
    } else if has_modifier(source, node, "enum") {
        DefKind::Enum
    } else {
        DefKind::Class
    };
    let mut decl = TypeDecl::new(of, node.child_by_field_id(f.name));
    decl.marks = marks(source, node);
    decl.type_params = type_params(node);
    delegations(node, &mut decl);
    decl.body = child_where(node, |n| matches!(kind(n), Kind::ClassBody | Kind::EnumClassBody));
    let constructor = child_where(node, |n| kind(n) == Kind::PrimaryConstructor);
    let list = constructor.and_then(|node| child_where(node, |n| kind(n) == Kind::ClassParameters));
    if list.is_some() {
        decl.params = Some(inside(list).into_iter().map(class_parameter).collect());
    }
    decl
}

/// What a type inherits from, with what it hands on.
fn delegations<'t>(node: Node<'t>, decl: &mut TypeDecl<'t>) {
    let list = child_where(node, |n| kind(n) == Kind::DelegationSpecifiers);
    for one in inside(list) {
        for part in named_children(one) {
            match kind(part) {
                Kind::ConstructorInvocation | Kind::ExplicitDelegation => {
                    for inner in named_children(part) {
                        match kind(inner) {
                            of if is_type(of) => decl.bases.push(inner),
                            _ => decl.also.push(inner),
                        }
                    }
                }
                of if is_type(of) => decl.bases.push(part),
                _ => {}
            }
        }
    }
}

fn class_parameter(node: Node<'_>) -> Parameter<'_> {
    let parts = named_children(node);
    let name = parts.iter().copied().find(|part| kind(*part) == Kind::Identifier);
    let at = parts.iter().position(|part| is_type(kind(*part)));
    let mut param = Parameter::new(name, at.map(|at| parts[at]));
    param.default = at.and_then(|at| parts.get(at + 1)).copied();
    param.is_field = has_word(node, "val") || has_word(node, "var");
    param
}

fn type_params(node: Node<'_>) -> Vec<TypeParam<'_>> {
    let list = child_where(node, |n| kind(n) == Kind::TypeParameters);
    inside(list)
        .into_iter()
        .filter_map(|param| {
            let name = child_where(param, |n| kind(n) == Kind::Identifier)?;
            let bound = child_where(param, |n| is_type(kind(n)));
            Some(TypeParam { name, bounds: bound.into_iter().collect() })
        })
        .collect()
}

/// The type an extension is written for: what stands before the name.
fn receiver(node: Node<'_>, before: usize) -> Option<Node<'_>> {
    let parts = named_children(node).into_iter();
    let mut at = parts.take_while(|part| part.start_byte() < before).find(|p| is_type(kind(*p)))?;
    while matches!(kind(at), Kind::NullableType | Kind::ParenthesizedType) {
        at = child_where(at, |n| is_type(kind(n)))?;
    }
    (kind(at) == Kind::UserType).then_some(at)
}

pub(super) fn function<'t>(source: Source<'_>, node: Node<'t>) -> Callable<'t> {
    let name = node.child_by_field_id(fields().name);
    let mut callable = match kind(node) {
        Kind::FunctionDeclaration => Callable::new(DefKind::Function, name),
        Kind::SecondaryConstructor => {
            let mut word = None;
            each_child(node, |child| {
                if child.kind() == "constructor" {
                    word = word.or(Some(child));
                }
            });
            Callable::new(DefKind::Method, word)
        }
        _ => Callable::new(DefKind::Lambda, None),
    };
    callable.marks = marks(source, node);
    callable.type_params = type_params(node);
    let list = child_where(node, |n| kind(n) == Kind::FunctionValueParameters);
    callable.params = value_parameters(source, list);
    let after = list.map_or(node.start_byte(), |list| list.end_byte());
    let is_result = |n: Node<'_>| n.start_byte() >= after && is_type(kind(n));
    callable.result = child_where(node, is_result).map(WrittenType::of);
    if let Some(name) = name
        && let Some(of) = receiver(node, name.start_byte())
    {
        callable.owner = type_names(of);
    }
    match kind(node) {
        Kind::SecondaryConstructor => {
            callable.marks.flags.add(Flags::CONSTRUCTOR);
            callable.also = named_children(node)
                .into_iter()
                .filter(|part| kind(*part) == Kind::ConstructorDelegation)
                .collect();
            callable.body = child_where(node, |n| kind(n) == Kind::Block);
        }
        _ => body(&mut callable, child_where(node, |n| kind(n) == Kind::FunctionBody)),
    }
    if kind(node) == Kind::FunctionDeclaration && is_in_type(source) {
        let flags = declared(DefKind::Method, callable.body.is_some());
        callable.marks.flags.add(flags);
    }
    callable
}

/// `{ … }`, or `= value`.
fn body<'t>(callable: &mut Callable<'t>, body: Option<Node<'t>>) {
    let inner = body.and_then(|body| body.named_child(0));
    callable.is_value = inner.is_some_and(|inner| kind(inner) != Kind::Block);
    callable.body = inner;
}

fn value_parameters<'t>(source: Source<'_>, list: Option<Node<'t>>) -> Vec<Parameter<'t>> {
    let mut params: Vec<Parameter<'t>> = Vec::new();
    let mut is_variadic = false;
    for part in inside(list) {
        match kind(part) {
            Kind::ParameterModifiers => is_variadic = source.text(part).contains("vararg"),
            Kind::Parameter => {
                let name = child_where(part, |n| kind(n) == Kind::Identifier);
                let ty = child_where(part, |n| is_type(kind(n)));
                let mut param = Parameter::new(name, ty);
                if std::mem::take(&mut is_variadic) {
                    param.kind = ParamKind::Variadic;
                    if let Some(ty) = &mut param.ty {
                        ty.lists = 1;
                    }
                }
                params.push(param);
            }
            _ => {
                if let Some(param) = params.last_mut() {
                    param.default = Some(part);
                }
            }
        }
    }
    params
}

pub(super) fn lambda(node: Node<'_>) -> Callable<'_> {
    let mut callable = Callable::new(DefKind::Lambda, None);
    match child_where(node, |n| kind(n) == Kind::LambdaParameters) {
        Some(list) => {
            for part in named_children(list) {
                let is_one = kind(part) == Kind::VariableDeclaration;
                let name = child_where(part, |n| is_one && kind(n) == Kind::Identifier);
                let ty = child_where(part, |n| is_one && is_type(kind(n)));
                callable.params.push(Parameter::new(name, ty));
                if !is_one {
                    callable.also.push(part);
                }
            }
        }
        None => {
            let mut it = Parameter::new(None, None);
            it.implied = Some("it");
            callable.params.push(it);
        }
    }
    callable.body = Some(node);
    callable
}

/// `(a, b)` of which nothing more is known.
pub(super) fn destructured(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    for part in named_children(node) {
        bind_variable(walk, part, Builder::OPAQUE);
    }
}

/// A property with a getter is a function that is read like a field.
pub(super) fn property<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let parts = named_children(node);
    let Some(variable) = parts.iter().copied().find(|p| kind(*p) == Kind::VariableDeclaration)
    else {
        // `val (a, b) = pair`: the value, then the names.
        let mut order: Vec<Node<'t>> = parts;
        order.retain(|part| kind(*part) != Kind::Modifiers);
        order.reverse();
        return Shape::Either { before: order, values: Vec::new() };
    };
    let Some(name) = child_where(variable, |n| kind(n) == Kind::Identifier) else {
        return Shape::Parts;
    };
    let ty = child_where(variable, |n| is_type(kind(n)));
    let marks = marks(source, node);
    let accessor = |of: Kind| {
        let accessor = parts.iter().copied().find(|part| kind(*part) == of)?;
        child_where(accessor, |n| kind(n) == Kind::FunctionBody)
    };
    let (getter, setter) = (accessor(Kind::Getter), accessor(Kind::Setter));
    let value = parts.iter().copied().find(|part| {
        part.start_byte() >= variable.end_byte()
            && !matches!(kind(*part), Kind::Getter | Kind::Setter | Kind::TypeConstraints)
    });
    if getter.is_some() || setter.is_some() {
        let mut callable = Callable::new(DefKind::Function, Some(name));
        callable.marks = marks.with(Flags::PROPERTY);
        callable.type_params = type_params(node);
        callable.result = ty.map(WrittenType::of);
        if let Some(of) = receiver(node, variable.start_byte()) {
            callable.owner = type_names(of);
        }
        callable.also = value.into_iter().chain(inside(setter)).collect();
        body(&mut callable, getter);
        return Shape::Callable(Box::new(callable));
    }
    let of = if has_word(node, "var") { DefKind::Var } else { DefKind::Const };
    let items = vec![Var { name, ty: ty.map(WrittenType::of), value, made_with: None }];
    Shape::Vars(Box::new(Vars { kind: of, items, marks }))
}

/// The members of a companion are those of its class as well.
pub(super) fn companion(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let class = walk.b.within();
    let name = node.child_by_field_id(fields().name);
    let mut decl = TypeDecl::new(DefKind::Class, name);
    if name.is_none() {
        decl.rename = Some("Companion".to_owned());
    }
    decl.marks = marks(walk.source(), node);
    delegations(node, &mut decl);
    decl.body = child_where(node, |n| kind(n) == Kind::ClassBody);
    let def = walk.type_decl(node, &decl);
    if name.is_none() {
        let name = walk.b.name("Companion");
        walk.b.bind_member(class, name, crate::facts::Space::Both, Binding::Def(def));
    }
    let members: Vec<_> = walk
        .b
        .facts
        .binds
        .iter()
        .filter(|bind| bind.home == Some(def))
        .map(|bind| (bind.name, bind.space, bind.to.clone()))
        .collect();
    for (name, space, to) in members {
        walk.b.bind_member(class, name, space, to);
    }
}

/// `object : Base { … }`
pub(super) fn object_literal(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let mut decl = TypeDecl::new(DefKind::Record, None);
    delegations(node, &mut decl);
    let nameless = walk.b.name("");
    let def = walk.b.def(DefKind::Record, nameless, node.byte_range(), node.start_byte());
    walk.b.enter(def, ScopeKind::Class);
    let bases: Vec<_> = decl.bases.iter().map(|base| walk.ty(*base)).collect();
    walk.b.def_mut(def).bases = bases.into();
    walk.nodes(&decl.also);
    if let Some(body) = child_where(node, |n| kind(n) == Kind::ClassBody) {
        walk.parts(body);
    }
    walk.b.leave();
    walk.b.expr(Expr::Nameless(def))
}
