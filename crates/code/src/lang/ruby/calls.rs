//! Calls of Ruby: a bare name may be one, and much that looks like a
//! declaration is one.

use super::kinds::{Kind, fields, kind};
use super::shapes::path;
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, ScopeKind, Space, TypeId, Visibility,
};
use crate::lang::grammar::{each_child, named_children};
use crate::lang::shapes::Walk;
use crate::lang::shapes::parts::inside;
use tree_sitter::Node;

/// A name that is no variable known so far calls a method.
pub(super) fn bare_name(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let name = walk.name(node);
    if walk.is_local(name) {
        return walk.lookup(node);
    }
    let target = walk.lookup(node);
    walk.call_of(target, Some(node), &[])
}

pub(super) fn call(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    let receiver = node.child_by_field_id(f.receiver);
    let method = node.child_by_field_id(f.method);
    let block = node.child_by_field_id(f.block);
    let mut args = inside(node.child_by_field_id(f.arguments));
    let name = method.map_or("", |method| walk.text(method));
    if receiver.is_none() && declares(walk, node, name, &args) {
        args.extend(block);
        return Builder::OPAQUE;
    }
    if method.is_some_and(|method| kind(method) == Kind::Super) {
        args.extend(block);
        return super_call(walk, method.unwrap_or(node), &args);
    }
    let value = match (receiver, method) {
        (Some(class), Some(method))
            if name == "new" && matches!(kind(class), Kind::Constant | Kind::ScopeResolution) =>
        {
            let target = walk.node(class);
            let last = path(class).last().map_or("", |last| walk.text(*last)).to_owned();
            walk.make(target, Some((method.start_byte(), last)), &args)
        }
        (Some(receiver), Some(method)) => {
            let object = walk.node(receiver);
            let text = walk.name(method);
            let target = walk.b.expr(Expr::Member(object, text));
            walk.call_of(target, Some(method), &args)
        }
        (Some(receiver), None) => {
            // `f.(x)` calls a value.
            let target = walk.node(receiver);
            walk.call_of(target, None, &args)
        }
        (None, Some(method)) => {
            let target = walk.lookup(method);
            walk.call_of(target, Some(method), &args)
        }
        (None, None) => {
            walk.nodes(&args);
            Builder::OPAQUE
        }
    };
    if let Some(block) = block {
        walk.node(block);
    }
    value
}

/// `super` calls the method of the same name of a base.
pub(super) fn super_call(walk: &mut Walk<'_, '_>, node: Node<'_>, args: &[Node<'_>]) -> ExprId {
    let method = walk.b.around().find(|def| walk.b.facts.def(*def).kind == DefKind::Method);
    let base = walk.super_value();
    let Some(method) = method else { return Builder::OPAQUE };
    let name = walk.b.facts.def(method).name;
    let target = walk.b.expr(Expr::Member(base, name));
    walk.call_of(target, Some(node), args)
}

/// Calls that declare something; false for all others.
fn declares(walk: &mut Walk<'_, '_>, node: Node<'_>, name: &str, args: &[Node<'_>]) -> bool {
    match name {
        "require" | "require_relative" | "load" | "autoload" => {
            let Some(path) = args.iter().rev().find(|arg| kind(**arg) == Kind::String) else {
                return false;
            };
            let path = walk.text(*path).trim_matches(['"', '\'']).to_owned();
            walk.import(node, &[&path], Some(""), None);
        }
        "include" | "extend" | "prepend" => {
            let Some(class) = type_here(walk) else { return false };
            for arg in args {
                let ty = walk.ty(*arg);
                add_base(walk, class, ty);
            }
        }
        "attr_reader" | "attr_accessor" | "attr_writer" | "attr" => {
            let Some(class) = type_here(walk) else { return false };
            for arg in args.iter().filter(|arg| kind(**arg) == Kind::SimpleSymbol) {
                attribute(walk, class, *arg);
            }
        }
        "private" | "protected" | "public" | "module_function" | "private_class_method" => {
            let visibility = match name {
                "public" | "module_function" => Visibility::Public,
                "protected" => Visibility::Internal,
                _ => Visibility::Private,
            };
            let class = walk.b.within();
            let first = walk.b.facts.defs.len();
            for arg in args {
                if kind(*arg) == Kind::SimpleSymbol {
                    let wanted = walk.text(*arg).trim_start_matches(':').to_owned();
                    let facts = &mut walk.b.facts;
                    let names = &facts.names;
                    for def in &mut facts.defs {
                        if def.parent == class && *names[def.name.ix()] == *wanted {
                            def.visibility = visibility;
                        }
                    }
                } else {
                    walk.node(*arg);
                }
            }
            for def in &mut walk.b.facts.defs[first..] {
                if def.parent == class {
                    def.visibility = visibility;
                }
            }
        }
        _ => return false,
    }
    true
}

fn type_here(walk: &Walk<'_, '_>) -> Option<DefId> {
    let within = walk.b.within();
    walk.b.facts.def(within).kind.is_type().then_some(within)
}

fn add_base(walk: &mut Walk<'_, '_>, class: DefId, base: TypeId) {
    let def = walk.b.def_mut(class);
    let mut bases = def.bases.to_vec();
    bases.push(base);
    def.bases = bases.into();
}

/// `attr_reader :name`: a member that gives the variable `@name`.
fn attribute(walk: &mut Walk<'_, '_>, class: DefId, symbol: Node<'_>) {
    let text = walk.text(symbol).trim_start_matches(':').to_owned();
    let name = walk.b.name(&text);
    let at = symbol.start_byte();
    let def = walk.b.def_in(class, DefKind::Method, name, symbol.byte_range(), at);
    walk.b.def_mut(def).flags.add(Flags::PROPERTY);
    let this = walk.b.expr(Expr::This(class));
    let variable = walk.b.name(&format!("@{text}"));
    let value = walk.b.expr(Expr::Member(this, variable));
    walk.b.add_value(def, value);
    walk.b.bind_member(class, name, Space::Value, Binding::Def(def));
}

pub(super) fn assignment(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    let (Some(left), Some(right)) =
        (node.child_by_field_id(f.left), node.child_by_field_id(f.right))
    else {
        return Builder::OPAQUE;
    };
    let value = walk.node(right);
    match kind(left) {
        Kind::Identifier => {
            let name = walk.name(left);
            let known = (value != Builder::OPAQUE).then_some(value);
            walk.bind_local(name, Binding::Var { ty: None, value: known }, right.end_byte());
        }
        Kind::InstanceVariable | Kind::ClassVariable => variable(walk, left, value),
        Kind::Constant => constant(walk, node, left, value),
        Kind::LeftAssignmentList => {
            for target in named_children(left) {
                if kind(target) == Kind::Identifier {
                    let name = walk.name(target);
                    walk.bind_local(name, Binding::Var { ty: None, value: None }, right.end_byte());
                }
            }
        }
        // `x.name = …` calls a setter; its receiver is all that is read.
        Kind::Call => {
            if let Some(receiver) = left.child_by_field_id(f.receiver) {
                walk.node(receiver);
            }
        }
        _ => {
            walk.node(left);
        }
    }
    value
}

/// A variable of the object is a field of its class.
fn variable(walk: &mut Walk<'_, '_>, node: Node<'_>, value: ExprId) {
    let Some(class) = walk.b.type_around() else { return };
    let name = walk.name(node);
    let known = walk.b.facts.binds.iter().find_map(|bind| match bind.to {
        Binding::Def(def) if bind.home == Some(class) && bind.name == name => Some(def),
        _ => None,
    });
    let def = known.unwrap_or_else(|| {
        let at = node.start_byte();
        let def = walk.b.def_in(class, DefKind::Field, name, node.byte_range(), at);
        walk.b.def_mut(def).visibility = Visibility::Private;
        walk.b.bind_member(class, name, Space::Value, Binding::Def(def));
        def
    });
    if value != Builder::OPAQUE {
        walk.b.add_value(def, value);
    }
}

fn constant(walk: &mut Walk<'_, '_>, node: Node<'_>, left: Node<'_>, value: ExprId) {
    let name = walk.name(left);
    let def = walk.b.def(DefKind::Const, name, node.byte_range(), left.start_byte());
    let signature = walk.b.signature(node.byte_range());
    walk.b.def_mut(def).signature = signature;
    walk.b.bind(name, Space::Both, Binding::Def(def), 0);
    if value != Builder::OPAQUE {
        walk.b.add_value(def, value);
    }
}

/// `rescue Error => e`.
pub(super) fn rescue(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let f = fields();
    let classes = inside(node.child_by_field_id(f.exceptions));
    let variable = node.child_by_field_id(f.variable).and_then(|v| v.named_child(0));
    if let Some(variable) = variable
        && kind(variable) == Kind::Identifier
    {
        let ty = match classes[..] {
            [one] => Some(walk.ty(one)).filter(|ty| *ty != Builder::OPAQUE_TYPE),
            _ => None,
        };
        let name = walk.name(variable);
        walk.bind_local(name, Binding::Var { ty, value: None }, variable.start_byte());
    }
    match node.child_by_field_id(f.body) {
        Some(body) => walk.node(body),
        None => Builder::OPAQUE,
    }
}

/// The body of a class: a bare `private` holds for what follows.
pub(super) fn class_body(walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId {
    let class = walk.b.within();
    let mut access = vec![(0, Visibility::Public)];
    each_child(node, |part| {
        if kind(part) == Kind::Identifier {
            let visibility = match walk.text(part) {
                "private" => Visibility::Private,
                "protected" => Visibility::Internal,
                "public" => Visibility::Public,
                _ => return,
            };
            access.push((part.start_byte() as u32, visibility));
        }
    });
    let first = walk.b.facts.defs.len();
    walk.b.open(ScopeKind::Block);
    walk.parts(node);
    walk.b.close();
    if access.len() > 1 {
        for def in &mut walk.b.facts.defs[first..] {
            if def.parent == class && def.visibility == Visibility::Public {
                let at = access.partition_point(|(start, _)| *start <= def.span.start_byte);
                def.visibility = access[at.saturating_sub(1)].1;
            }
        }
    }
    Builder::OPAQUE
}
