//! Declarations of C and C++: declarators unwrapped, members with their
//! access, templates, namespaces, includes.

use super::kinds::{Kind, fields, kind};
use super::shapes::{bare, is_variadic, type_names};
use crate::facts::{Binding, DefId, DefKind, Flags, ParamKind, Space, Visibility};
use crate::lang::grammar::{children_of_field, each_child, named_children};
use crate::lang::shapes::parts::{child_where, has_word, inside};
use crate::lang::shapes::{
    Callable, Marks, Parameter, Shape, Source, Syntax, TypeDecl, TypeParam, Var, Vars, Walk,
    WrittenType,
};
use tree_sitter::Node;

/// What a declarator declares.
#[derive(Clone, Copy, Default)]
pub(super) struct DeclaratorParts<'t> {
    pub name: Option<Node<'t>>,
    /// The declarator with the parameters, if it is a function.
    pub function: Option<Node<'t>>,
    pub lists: u8,
}

impl<'t> DeclaratorParts<'t> {
    pub fn of(node: Node<'t>) -> Self {
        let f = fields();
        let mut found = DeclaratorParts::default();
        let mut at = node;
        for _ in 0..64 {
            let inner = match kind(at) {
                Kind::ArrayDeclarator => {
                    found.lists = found.lists.saturating_add(1);
                    at.child_by_field_id(f.declarator)
                }
                Kind::FunctionDeclarator => {
                    let inner = at.child_by_field_id(f.declarator);
                    // `(*name)(…)` is a variable that holds a function.
                    if inner.is_some_and(|inner| kind(inner) != Kind::ParenthesizedDeclarator) {
                        found.function = Some(at);
                    }
                    inner
                }
                Kind::PointerDeclarator | Kind::InitDeclarator | Kind::PointerTypeDeclarator => {
                    at.child_by_field_id(f.declarator)
                }
                Kind::ReferenceDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::AttributedDeclarator
                | Kind::VariadicDeclarator => {
                    child_where(at, |n| !matches!(kind(n), Kind::AttributeDeclaration))
                }
                _ => {
                    found.name = Some(at);
                    return found;
                }
            };
            let Some(inner) = inner else { return found };
            at = inner;
        }
        found
    }
}

fn marks(source: Source<'_>, node: Node<'_>) -> Marks {
    let mut marks = Marks::default();
    each_child(node, |part| {
        if kind(part) == Kind::StorageClassSpecifier && source.text(part) == "static" {
            marks.flags.add(Flags::STATIC);
            if source.around == DefKind::Module {
                marks.visibility = Visibility::Private;
            }
        }
    });
    marks
}

pub(super) fn declaration<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    match kind(node) {
        Kind::FunctionDefinition => function(source, node, node.child_by_field_id(f.declarator)),
        Kind::Declaration | Kind::FieldDeclaration => {
            let declarator = node.child_by_field_id(f.declarator);
            match declarator.map(DeclaratorParts::of) {
                Some(DeclaratorParts { function: Some(_), .. })
                    if declarator.is_some_and(|d| kind(d) != Kind::InitDeclarator)
                        && !source.around.is_callable() =>
                {
                    function(source, node, declarator)
                }
                _ => variables(source, node),
            }
        }
        Kind::TypeDefinition => typedef(source, node),
        Kind::AliasDeclaration => {
            let mut decl = TypeDecl::new(DefKind::Alias, node.child_by_field_id(f.name));
            decl.is = node.child_by_field_id(f.type_).map(WrittenType::of);
            Shape::Type(Box::new(decl))
        }
        Kind::PreprocFunctionDef => {
            let mut callable = Callable::new(DefKind::Function, node.child_by_field_id(f.name));
            callable.marks.flags.add(Flags::ANY_ARGS);
            Shape::Callable(Box::new(callable))
        }
        Kind::PreprocDef => match node.child_by_field_id(f.name) {
            // A macro without a value only guards.
            Some(name) if node.child_by_field_id(f.value).is_some() => {
                let item = Var { name, ty: None, value: None, made_with: None };
                let marks = Marks::default();
                Shape::Vars(Box::new(Vars { kind: DefKind::Const, items: vec![item], marks }))
            }
            _ => Shape::Nothing,
        },
        _ if node.child_by_field_id(f.body).is_some() => {
            Shape::Type(Box::new(type_decl(source, node)))
        }
        _ => Shape::Nothing,
    }
}

pub(super) fn type_decl<'t>(source: Source<'_>, node: Node<'t>) -> TypeDecl<'t> {
    let f = fields();
    let of = match kind(node) {
        Kind::ClassSpecifier => DefKind::Class,
        Kind::EnumSpecifier => DefKind::Enum,
        _ => DefKind::Struct,
    };
    let written = node.child_by_field_id(f.name);
    let name = written.map(|name| {
        let (mut names, _) = type_names(name);
        names.pop().unwrap_or(name)
    });
    let mut decl = TypeDecl::new(if name.is_some() { of } else { DefKind::Record }, name);
    decl.marks = marks(source, node);
    // A specialisation is not what the template's name stands for.
    decl.is_unbound = written.is_some_and(|name| kind(name) == Kind::TemplateType);
    decl.body_node = node.child_by_field_id(f.body);
    if let Some(list) = child_where(node, |n| kind(n) == Kind::BaseClassClause) {
        decl.bases = named_children(list);
        decl.bases.retain(|base| {
            matches!(
                kind(*base),
                Kind::TypeIdentifier | Kind::QualifiedIdentifier | Kind::TemplateType
            )
        });
    }
    decl
}

/// `typedef struct { … } Name;` names the struct; other typedefs are aliases.
fn typedef<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let ty = node.child_by_field_id(f.type_);
    let declared =
        node.child_by_field_id(f.declarator).map(DeclaratorParts::of).unwrap_or_default();
    let Some(ty) = ty else { return Shape::Nothing };
    let is_nameless =
        ty.child_by_field_id(f.body).is_some() && ty.child_by_field_id(f.name).is_none();
    if is_nameless {
        let mut decl = type_decl(source, ty);
        decl.kind = if kind(ty) == Kind::EnumSpecifier { DefKind::Enum } else { DefKind::Struct };
        decl.name = declared.name;
        return Shape::Type(Box::new(decl));
    }
    let mut decl = TypeDecl::new(DefKind::Alias, declared.name);
    decl.is = Some(WrittenType { node: ty, lists: declared.lists });
    // `typedef struct Name Name;` says nothing new.
    let is_same = ty
        .child_by_field_id(f.name)
        .is_some_and(|name| declared.name.is_some_and(|own| source.text(own) == source.text(name)));
    if is_same {
        return match ty.child_by_field_id(f.body) {
            Some(_) => Shape::Type(Box::new(type_decl(source, ty))),
            None => Shape::Nothing,
        };
    }
    if declared.function.is_some() {
        decl.is = None;
    }
    Shape::Type(Box::new(decl))
}

fn function<'t>(source: Source<'_>, node: Node<'t>, declarator: Option<Node<'t>>) -> Shape<'t> {
    let f = fields();
    let Some(declarator) = declarator else { return Shape::Parts };
    let declared = DeclaratorParts::of(declarator);
    let Some(name) = declared.name else { return Shape::Parts };
    let body = node.child_by_field_id(f.body);
    let (mut names, _) = type_names(name);
    let name = names.pop().unwrap_or(name);
    let list = declared.function.and_then(|d| d.child_by_field_id(f.parameters));
    let result = node.child_by_field_id(f.type_);
    if result.is_none() && names.is_empty() && source.around == DefKind::Module {
        return test_macro(source, node, name, list);
    }
    let mut callable = Callable::new(DefKind::Function, Some(name));
    callable.marks = marks(source, node);
    callable.result = result.map(|node| WrittenType { node, lists: declared.lists });
    let trailing = declared
        .function
        .and_then(|d| child_where(d, |n| kind(n) == Kind::TrailingReturnType))
        .and_then(|arrow| arrow.named_child(0));
    callable.result = trailing.map(WrittenType::of).or(callable.result);
    callable.params = params(source, list);
    if kind(node) == Kind::FunctionDefinition {
        let has_default = child_where(node, |n| {
            matches!(kind(n), Kind::DefaultMethodClause | Kind::DeleteMethodClause)
        });
        if body.is_none() && has_default.is_none() {
            callable.marks.flags.add(Flags::OVERLOAD);
        }
    } else {
        callable.marks.flags.add(Flags::OVERLOAD);
        if source.around.is_type() && has_word(node, "=") {
            callable.marks.flags.add(Flags::ABSTRACT);
        }
    }
    let is_special = matches!(kind(name), Kind::DestructorName | Kind::OperatorName);
    let is_own_name = names.last().is_none_or(|of| source.text(*of) == source.text(name));
    if result.is_none() && !is_special && is_own_name {
        callable.marks.flags.add(Flags::CONSTRUCTOR);
    }
    callable.also.extend(child_where(node, |n| kind(n) == Kind::FieldInitializerList));
    callable.owner = names;
    callable.body = body;
    Shape::Callable(Box::new(callable))
}

/// A macro belongs to the file whatever stands around it: the preprocessor knows no
/// namespaces and no classes.
pub(super) fn macro_definition(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let f = fields();
    let Some(name_node) = node.child_by_field_id(f.name) else { return };
    let is_function = kind(node) == Kind::PreprocFunctionDef;
    // A macro without a value only guards.
    if !is_function && node.child_by_field_id(f.value).is_none() {
        return;
    }
    let of = if is_function { DefKind::Function } else { DefKind::Const };
    let name = walk.name(name_node);
    let def = walk.b.def_in(DefId::FILE, of, name, node.byte_range(), name_node.start_byte());
    let signature = walk.b.signature(node.byte_range());
    let definition = walk.b.def_mut(def);
    definition.signature = signature;
    if is_function {
        definition.flags.add(Flags::ANY_ARGS);
    }
    if walk.b.within() == DefId::FILE {
        walk.b.bind(name, Space::Value, Binding::Def(def), 0);
    } else {
        walk.b.bind_private(name, Space::Value, Binding::Def(def));
        walk.b.bind_member(DefId::FILE, name, Space::Value, Binding::Def(def));
    }
}

/// The parameter of a test's macro that names its fixture, and the one that names the
/// test: `TEST_F(Fixture, Name)`, but `FIXTURE_TEST_CASE(Name, Fixture)`.
fn fixture_and_name(macro_name: &str) -> Option<(usize, usize)> {
    let is_fixture_first = macro_name.ends_with("TEST_F")
        || macro_name.ends_with("TEST_P")
        || macro_name.starts_with("TYPED_TEST");
    if is_fixture_first {
        return Some((0, 1));
    }
    macro_name.contains("FIXTURE_TEST").then_some((1, 0))
}

/// `TEST(Suite, Name) { … }` reads like a function without a type.
fn test_macro<'t>(
    source: Source<'_>,
    node: Node<'t>,
    name: Node<'t>,
    list: Option<Node<'t>>,
) -> Shape<'t> {
    let f = fields();
    let mut callable = Callable::new(DefKind::Function, Some(name));
    callable.marks = marks(source, node);
    callable.body = node.child_by_field_id(f.body);
    if source.text(name).contains("TEST") {
        let types = inside(list).into_iter().filter_map(|param| param.child_by_field_id(f.type_));
        let types: Vec<Node<'_>> = types.collect();
        let places = fixture_and_name(source.text(name));
        let found = places.and_then(|(of, own)| Some((*types.get(of)?, *types.get(own)?)));
        match found {
            // Its body runs as that of a method of the fixture.
            Some((fixture, own)) => {
                callable.owner = type_names(fixture).0;
                callable.name = Some(own);
            }
            None => callable.name = types.last().copied().or(Some(name)),
        }
        callable.marks.flags.add(Flags::TEST);
    } else {
        callable.params = params(source, list);
        callable.marks.flags.add(Flags::ANY_ARGS);
    }
    if callable.body.is_none() {
        // A macro used at the top of a file.
        return Shape::Nothing;
    }
    Shape::Callable(Box::new(callable))
}

pub(super) fn params<'t>(source: Source<'_>, list: Option<Node<'t>>) -> Vec<Parameter<'t>> {
    let f = fields();
    let Some(list) = list else { return Vec::new() };
    let mut found = Vec::new();
    for node in named_children(list) {
        let is_param = matches!(
            kind(node),
            Kind::ParameterDeclaration
                | Kind::OptionalParameterDeclaration
                | Kind::VariadicParameterDeclaration
        );
        if !is_param {
            continue;
        }
        let declarator = node.child_by_field_id(f.declarator);
        let declared = declarator.map(DeclaratorParts::of).unwrap_or_default();
        let ty = node.child_by_field_id(f.type_);
        if declarator.is_none() && ty.is_some_and(|ty| source.text(ty) == "void") {
            continue;
        }
        let is_name = |name: &Node<'_>| kind(*name) == Kind::Identifier;
        let mut param = Parameter::new(declared.name.filter(is_name), ty);
        if let Some(ty) = &mut param.ty {
            ty.lists = declared.lists;
        }
        param.default = node.child_by_field_id(f.default_value);
        if kind(node) == Kind::VariadicParameterDeclaration {
            param.kind = ParamKind::Variadic;
        }
        found.push(param);
    }
    if is_variadic(list) {
        let mut param = Parameter::new(None, None);
        param.kind = ParamKind::Variadic;
        found.push(param);
    }
    found
}

fn variables<'t>(source: Source<'_>, node: Node<'t>) -> Shape<'t> {
    let f = fields();
    let ty = node.child_by_field_id(f.type_);
    let mut items = Vec::new();
    for declarator in children_of_field(node, f.declarator) {
        let declared = DeclaratorParts::of(declarator);
        let Some(name) = declared.name else { continue };
        if !matches!(kind(name), Kind::Identifier | Kind::FieldIdentifier) {
            continue;
        }
        let mut value = declarator.child_by_field_id(f.value);
        let mut made_with = None;
        if let Some(list) = value
            && matches!(kind(list), Kind::ArgumentList | Kind::InitializerList)
            && has_word(declarator, "=") != (kind(list) == Kind::ArgumentList)
        {
            made_with = Some(named_children(list));
            value = None;
        }
        let ty = ty.map(|node| WrittenType { node, lists: declared.lists });
        items.push(Var { name, ty, value, made_with });
    }
    if items.is_empty() {
        // `struct Name { … };` inside a type.
        return match ty {
            Some(ty) if ty.child_by_field_id(f.body).is_some() => Shape::Same(ty),
            _ => Shape::Nothing,
        };
    }
    Shape::Vars(Box::new(Vars { kind: DefKind::Var, items, marks: marks(source, node) }))
}

pub(super) fn namespace(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let f = fields();
    let Some(body) = node.child_by_field_id(f.body) else { return };
    match node.child_by_field_id(f.name) {
        Some(name) => {
            let name = walk.text(name).replace("::", ".").replace(' ', "");
            walk.space(node, &name, body);
        }
        None => {
            walk.parts(body);
        }
    }
}

/// The body of a class: each member has the access said last above it.
pub(super) fn members(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let owner = walk.b.within();
    let default = match walk.b.facts.def(owner).kind {
        DefKind::Class => Visibility::Private,
        _ => Visibility::Public,
    };
    let mut access = vec![(0, default)];
    each_child(node, |part| {
        if kind(part) == Kind::AccessSpecifier {
            let text = walk.text(part);
            let visibility = match text.trim_end_matches(':').trim() {
                "public" => Visibility::Public,
                "protected" => Visibility::Internal,
                _ => Visibility::Private,
            };
            access.push((part.start_byte() as u32, visibility));
        }
    });
    let first = walk.b.facts.defs.len();
    walk.parts(node);
    for def in &mut walk.b.facts.defs[first..] {
        if def.parent == owner {
            let at = access.partition_point(|(start, _)| *start <= def.span.start_byte);
            def.visibility = access[at.saturating_sub(1)].1;
        }
    }
}

/// A template gives what it declares its type parameters.
pub(super) fn template(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let list = node.child_by_field_id(fields().parameters);
    let params: Vec<TypeParam<'_>> = inside(list)
        .into_iter()
        .filter_map(|param| {
            let name = match kind(param) {
                Kind::OptionalTypeParameterDeclaration => param.child_by_field_id(fields().name),
                Kind::TypeParameterDeclaration | Kind::VariadicTypeParameterDeclaration => {
                    child_where(param, |n| kind(n) == Kind::TypeIdentifier)
                }
                _ => None,
            };
            name.map(|name| TypeParam { name, bounds: Vec::new() })
        })
        .collect();
    for inner in named_children(node) {
        if Some(inner) == list {
            continue;
        }
        match super::shapes::Shapes.shape(walk.source(), inner) {
            Shape::Callable(mut callable) => {
                callable.type_params = params;
                walk.callable(inner, &callable, None);
                return;
            }
            Shape::Type(mut decl) => {
                decl.type_params = params;
                walk.type_decl(inner, &decl);
                return;
            }
            _ => {
                walk.node(inner);
            }
        }
    }
}

pub(super) fn using(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let alias = node.child_by_field_id(fields().name);
    let target = named_children(node).into_iter().rfind(|n| Some(*n) != alias);
    let Some(target) = target else { return };
    let text = walk.text(target).to_owned();
    let names: Vec<&str> = text.split("::").map(str::trim).filter(|n| !n.is_empty()).collect();
    if has_word(node, "namespace") && alias.is_none() {
        walk.import(node, &names, Some("*"), None);
    } else if let Some((name, path)) = names.split_last() {
        let bound = alias.map_or(*name, |alias| walk.text(alias));
        walk.import(node, path, Some(name), Some(bound));
    }
}

pub(super) fn include(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let Some(path) = node.child_by_field_id(fields().path) else { return };
    let path = walk.text(bare(path)).trim_matches(['"', '<', '>']).to_owned();
    walk.import(node, &[&path], Some(""), None);
}
