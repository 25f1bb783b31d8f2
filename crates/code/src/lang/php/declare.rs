//! Declarations of PHP.

use super::kinds::{Kind, fields, kind};
use super::shapes::{def_kind, path};
use crate::facts::{DefKind, Flags, ParamKind, Visibility};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::parts::{child_where, declared, inside};
use crate::lang::shapes::{
    Callable, Marks, Parameter, Source, TypeDecl, Var, Vars, Walk, WrittenType,
};
use tree_sitter::Node;

fn marks(source: Source<'_>, node: Node<'_>) -> Marks {
    let mut marks = Marks::default();
    let mut start = None;
    each_child(node, |part| {
        match kind(part) {
            Kind::AttributeList => {
                if source.text(part).contains("Test") {
                    marks.flags.add(Flags::TEST);
                }
                return;
            }
            Kind::VisibilityModifier => match source.text(part) {
                "private" => marks.visibility = Visibility::Private,
                "protected" => marks.visibility = Visibility::Internal,
                _ => {}
            },
            Kind::StaticModifier => marks.flags.add(Flags::STATIC),
            Kind::AbstractModifier => marks.flags.add(Flags::ABSTRACT),
            _ => {}
        }
        start = start.or(Some(part.start_byte()));
    });
    marks.start = start;
    marks
}

pub(super) fn type_decl<'t>(source: Source<'_>, node: Node<'t>) -> TypeDecl<'t> {
    let f = fields();
    let mut decl = TypeDecl::new(def_kind(node), node.child_by_field_id(f.name));
    decl.marks = marks(source, node);
    decl.body = node.child_by_field_id(f.body);
    for part in named_children(node) {
        if matches!(kind(part), Kind::BaseClause | Kind::ClassInterfaceClause) {
            decl.bases.extend(named_children(part));
        }
    }
    decl
}

pub(super) fn callable<'t>(source: Source<'_>, node: Node<'t>) -> Callable<'t> {
    let f = fields();
    let of = match kind(node) {
        Kind::MethodDeclaration => DefKind::Method,
        Kind::FunctionDefinition => DefKind::Function,
        _ => DefKind::Lambda,
    };
    let name = node.child_by_field_id(f.name);
    let mut callable = Callable::new(of, name);
    callable.marks = marks(source, node);
    callable.body = node.child_by_field_id(f.body);
    callable.marks = callable.marks.with(declared(of, callable.body.is_some()));
    if name.is_some_and(|name| source.text(name).starts_with("test"))
        && of == DefKind::Method
        && source.around == DefKind::Class
    {
        let is_word = name.is_some_and(|name| {
            let rest = source.text(name).trim_start_matches("test");
            rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        });
        if is_word {
            callable.marks.flags.add(Flags::TEST);
        }
    }
    callable.is_value = kind(node) == Kind::ArrowFunction;
    callable.result = node.child_by_field_id(f.return_type).map(WrittenType::of);
    callable.params = params(node.child_by_field_id(f.parameters));
    // What a closure takes over keeps its name and value.
    callable
}

fn params(list: Option<Node<'_>>) -> Vec<Parameter<'_>> {
    let f = fields();
    inside(list)
        .into_iter()
        .map(|node| {
            let name = node.child_by_field_id(f.name);
            let mut param = Parameter::new(name, node.child_by_field_id(f.type_));
            param.default = node.child_by_field_id(f.default_value);
            match kind(node) {
                Kind::VariadicParameter => param.kind = ParamKind::Variadic,
                Kind::PropertyPromotionParameter => param.is_field = true,
                _ => {}
            }
            param
        })
        .collect()
}

pub(super) fn variables<'t>(source: Source<'_>, node: Node<'t>) -> Vars<'t> {
    let f = fields();
    let ty = node.child_by_field_id(f.type_).map(WrittenType::of);
    let is_const = kind(node) == Kind::ConstDeclaration;
    let items = named_children(node)
        .into_iter()
        .filter_map(|part| match kind(part) {
            Kind::PropertyElement => {
                let name = part.child_by_field_id(f.name)?;
                let name = name.named_child(0).unwrap_or(name);
                let value = part.child_by_field_id(f.default_value);
                Some(Var { name, ty, value, made_with: None })
            }
            Kind::ConstElement => {
                let name = child_where(part, |n| kind(n) == Kind::Name)?;
                let value = named_children(part).into_iter().rfind(|n| *n != name);
                Some(Var { name, ty, value, made_with: None })
            }
            _ => None,
        })
        .collect();
    let kind = if is_const { DefKind::Const } else { DefKind::Var };
    Vars { kind, items, marks: marks(source, node) }
}

/// `use A\B\C as D;` and `use A\{B, C};`.
pub(super) fn uses(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let f = fields();
    let prefix = child_where(node, |n| kind(n) == Kind::NamespaceName);
    let prefix = prefix.map_or(String::new(), |prefix| walk.text(prefix).to_owned());
    let mut clauses = named_children(node);
    clauses.extend(inside(node.child_by_field_id(f.body)));
    for clause in clauses {
        if kind(clause) != Kind::NamespaceUseClause {
            continue;
        }
        let alias = clause.child_by_field_id(f.alias);
        let Some(target) = child_where(clause, |n| Some(n) != alias) else { continue };
        let text = format!("{prefix}\\{}", walk.text(target));
        let names: Vec<&str> = text.split('\\').filter(|part| !part.is_empty()).collect();
        if let Some((name, path)) = names.split_last() {
            let bound = alias.map_or(*name, |alias| walk.text(alias));
            walk.import(clause, path, Some(name), Some(bound));
        }
    }
}

/// `use Trait;` in a class: its members are the class's.
pub(super) fn traits(walk: &mut Walk<'_, '_>, node: Node<'_>) {
    let class = walk.b.within();
    for name in named_children(node) {
        if !matches!(kind(name), Kind::Name | Kind::QualifiedName) {
            continue;
        }
        let names = path(name);
        if let Some(path) = walk.type_path(&names) {
            let ty = walk.b.type_ref(crate::facts::TypeRef::Named(path, Box::default()));
            let def = walk.b.def_mut(class);
            let mut bases = def.bases.to_vec();
            bases.push(ty);
            def.bases = bases.into();
        }
    }
}
