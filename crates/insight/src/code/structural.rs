//! Interfaces that are implemented by having their methods: nothing is written that
//! could be an edge. Found when it is asked for, by names and numbers of parameters
//! and results. The methods of what a type embeds count as its own, its own before them.

use super::view::{Step, View};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance, has_implicit_interfaces};
use model::ids::{NodeId, PackageId};
use std::collections::BTreeSet;
use store::code::nodes::{self, NodeRow};

/// Less than what a compiler knows: types of parameters are not compared.
const CONFIDENCE: u8 = 85;
/// Interfaces in interfaces that are followed.
const DEEPEST: usize = 4;
/// Interfaces with a method of one name that are looked at.
const MOST_INTERFACES: usize = 12;

/// A type by the package and symbol path its methods have in common.
type TypeKey = (PackageId, String);

/// How a method is called: its name, and how many values go in and come out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    name: String,
    parameters: usize,
    results: usize,
}

/// Types that implement an interface, by place.
pub(super) fn implementers(view: &View<'_>, interface: NodeId) -> Result<Vec<Step>> {
    let mut found = Vec::new();
    for (package, scope) in implementing(view, interface)? {
        found.extend(type_step(view, package, &scope)?);
    }
    Ok(found)
}

/// The methods that implement one of an interface.
pub(super) fn implementations(view: &View<'_>, method: NodeId) -> Result<Vec<Step>> {
    let Some(row) = view.node(method)? else { return Ok(Vec::new()) };
    let Some(interface) = interface_around(view, &row)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for node in implementing_methods(view, interface, &row.name)? {
        found.extend(step_to(view, &node, EdgeKind::Overrides)?);
    }
    Ok(found)
}

/// The methods of interfaces that a method implements.
pub(super) fn implemented(view: &View<'_>, method: NodeId) -> Result<Vec<NodeId>> {
    let Some(row) = view.node(method)? else { return Ok(Vec::new()) };
    if row.kind != NodeKind::Method || !is_implicit(view, method)? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for other in nodes::named(view.reader, &row.name)? {
        if other.id == method || found.len() == MOST_INTERFACES {
            continue;
        }
        let Some(interface) = interface_around(view, &other)? else { continue };
        let methods = implementing_methods(view, interface, &row.name)?;
        if methods.iter().any(|it| it.id == method) {
            found.push(other.id);
        }
    }
    Ok(found)
}

/// The methods of a name with which types implement an interface, each once.
fn implementing_methods(view: &View<'_>, interface: NodeId, name: &str) -> Result<Vec<NodeRow>> {
    let types = implementing(view, interface)?;
    if types.is_empty() {
        return Ok(Vec::new());
    }
    let named = nodes::named(view.reader, name)?;
    let mut found: Vec<NodeRow> = Vec::new();
    for key in types {
        for level in lineage(view, &key)? {
            let is_own = |it: &&NodeRow| {
                it.kind == NodeKind::Method && level.contains(&(it.package, it.scope.clone()))
            };
            let own: Vec<&NodeRow> = named.iter().filter(is_own).collect();
            let new = own.iter().filter(|it| !found.iter().any(|known| known.id == it.id));
            let new: Vec<NodeRow> = new.map(|it| (*it).clone()).collect();
            found.extend(new);
            if !own.is_empty() {
                break;
            }
        }
    }
    // What an interface declares implements nothing.
    let mut methods = Vec::new();
    for one in found {
        if interface_around(view, &one)?.is_none() {
            methods.push(one);
        }
    }
    Ok(methods)
}

fn implementing(view: &View<'_>, interface: NodeId) -> Result<BTreeSet<TypeKey>> {
    let is_interface = view.node(interface)?.is_some_and(|it| it.kind == NodeKind::Interface);
    if !is_interface || !is_implicit(view, interface)? {
        return Ok(BTreeSet::new());
    }
    let mut shapes = BTreeSet::new();
    add_shapes(view, interface, DEEPEST, &mut shapes)?;
    let mut methods = Vec::new();
    for shape in &shapes {
        methods.push((shape, nodes::named(view.reader, &shape.name)?));
    }
    // The rarest name leaves the fewest types to look at.
    methods.sort_by_key(|(_, named)| named.len());
    let Some((rarest, others)) = methods.split_first() else { return Ok(BTreeSet::new()) };
    let mut found = BTreeSet::new();
    for key in embedding(view, having(view, rarest, |_| true)?)? {
        if others.is_empty() {
            found.insert(key);
            continue;
        }
        let lineage = lineage(view, &key)?;
        let is_of = |key: &TypeKey| lineage.iter().any(|level| level.contains(key));
        let mut has_all = true;
        for method in others {
            has_all &= !having(view, method, is_of)?.is_empty();
            if !has_all {
                break;
            }
        }
        if has_all {
            found.insert(key);
        }
    }
    // The interface has its own methods, and so have others that hold them.
    let mut interfaces = Vec::new();
    for key in &found {
        if type_of(view, key)?.is_none_or(|it| it.kind == NodeKind::Interface) {
            interfaces.push(key.clone());
        }
    }
    for key in &interfaces {
        found.remove(key);
    }
    Ok(found)
}

/// The types in which a method of this shape is written, of those that are asked for.
fn having(
    view: &View<'_>,
    (shape, named): &(&Shape, Vec<NodeRow>),
    is_asked: impl Fn(&TypeKey) -> bool,
) -> Result<BTreeSet<TypeKey>> {
    let mut found = BTreeSet::new();
    for node in named {
        let key = (node.package, node.scope.clone());
        if node.kind == NodeKind::Method
            && is_asked(&key)
            && shape_of(view, node)?.as_ref() == Some(*shape)
        {
            found.insert(key);
        }
    }
    Ok(found)
}

/// Types with those that embed them, and those that embed these.
fn embedding(view: &View<'_>, types: BTreeSet<TypeKey>) -> Result<BTreeSet<TypeKey>> {
    let mut found = types.clone();
    let mut level = types;
    for _ in 0..DEEPEST {
        let mut next = BTreeSet::new();
        for key in &level {
            let Some(node) = type_of(view, key)? else { continue };
            for step in view.incoming(node.id)? {
                if is_embedding(&step)
                    && let Some(row) = view.node(step.node)?
                {
                    next.insert((row.package, row.symbol()));
                }
            }
        }
        level = next.into_iter().filter(|key| found.insert(key.clone())).collect();
    }
    Ok(found)
}

/// A type, what it embeds, what that embeds, and so on: in this order methods are found.
fn lineage(view: &View<'_>, of: &TypeKey) -> Result<Vec<BTreeSet<TypeKey>>> {
    let mut seen = BTreeSet::from([of.clone()]);
    let mut levels = vec![seen.clone()];
    for _ in 0..DEEPEST {
        let mut next = BTreeSet::new();
        for key in levels.last().into_iter().flatten() {
            let Some(node) = type_of(view, key)? else { continue };
            for step in view.outgoing(node.id)?.iter().filter(|it| is_embedding(it)) {
                if let Some(row) = view.node(step.node)? {
                    let key = (row.package, row.symbol());
                    if seen.insert(key.clone()) {
                        next.insert(key);
                    }
                }
            }
        }
        if next.is_empty() {
            break;
        }
        levels.push(next);
    }
    Ok(levels)
}

fn is_embedding(step: &Step) -> bool {
    matches!(step.kind, EdgeKind::Inherits | EdgeKind::Implements)
}

/// The methods of an interface and of those it holds.
fn add_shapes(
    view: &View<'_>,
    interface: NodeId,
    depth: usize,
    shapes: &mut BTreeSet<Shape>,
) -> Result<()> {
    let Some(row) = view.node(interface)? else { return Ok(()) };
    let scope = row.symbol();
    for place in view.places(interface)? {
        let (outline, nodes) = (view.outline(place.file)?, view.nodes_of(place.file)?);
        for (symbol, node) in outline.iter().zip(nodes.iter()) {
            let Some(member) = view.node(*node)? else { continue };
            if member.kind == NodeKind::Method && member.scope == scope {
                shapes.extend(shape(&member.name, &symbol.signature));
            }
        }
    }
    if depth > 0 {
        for step in view.outgoing(interface)? {
            if is_embedding(&step) {
                add_shapes(view, step.node, depth - 1, shapes)?;
            }
        }
    }
    Ok(())
}

/// Whether a node is of a language in which interfaces are implemented unsaid.
pub(super) fn is_implicit(view: &View<'_>, node: NodeId) -> Result<bool> {
    let Some(place) = view.places(node)?.into_iter().next() else { return Ok(false) };
    let rows = store::code::files::rows(view.reader, vec![place.file])?;
    Ok(rows.first().is_some_and(|file| has_implicit_interfaces(&file.language)))
}

/// The interface that a method is written in.
fn interface_around(view: &View<'_>, method: &NodeRow) -> Result<Option<NodeId>> {
    let around = type_of(view, &(method.package, method.scope.clone()))?;
    Ok(around.filter(|it| it.kind == NodeKind::Interface).map(|it| it.id))
}

/// The type whose symbol path is the scope of methods.
fn type_of(view: &View<'_>, (package, scope): &TypeKey) -> Result<Option<NodeRow>> {
    let name = scope.rsplit('.').next().unwrap_or(scope);
    for node in nodes::named(view.reader, name)? {
        let is_it = node.package == *package && node.symbol() == *scope;
        if is_it && node.kind != NodeKind::Module && view.symbol(node.id)?.is_some() {
            return Ok(Some(node));
        }
    }
    Ok(None)
}

fn type_step(view: &View<'_>, package: PackageId, scope: &str) -> Result<Option<Step>> {
    match type_of(view, &(package, scope.to_owned()))? {
        Some(node) => step_to(view, &node, EdgeKind::Implements),
        None => Ok(None),
    }
}

fn step_to(view: &View<'_>, node: &NodeRow, kind: EdgeKind) -> Result<Option<Step>> {
    let Some(place) = view.places(node.id)?.into_iter().next() else { return Ok(None) };
    let outline = view.outline(place.file)?;
    let line = outline.get(place.def as usize).map_or(0, |symbol| symbol.name_line);
    Ok(Some(Step {
        node: node.id,
        kind,
        confidence: CONFIDENCE,
        provenance: Provenance::AstInferred,
        file: place.file,
        line,
        n_sites: 1,
    }))
}

fn shape_of(view: &View<'_>, method: &NodeRow) -> Result<Option<Shape>> {
    for place in view.places(method.id)? {
        let outline = view.outline(place.file)?;
        if let Some(symbol) = outline.get(place.def as usize) {
            return Ok(shape(&method.name, &symbol.signature));
        }
    }
    Ok(None)
}

/// Of `func (r *Replacer) Get(variable string) (any, bool)`: `Get`, 1 and 2.
fn shape(name: &str, signature: &str) -> Option<Shape> {
    let start = format!("{name}(");
    let at = signature.match_indices(&start).find(|(at, _)| {
        let before = signature[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })?;
    let (parameters, rest) = enclosed(&signature[at.0 + start.len()..])?;
    let rest = rest.trim_start().trim_end_matches('{').trim();
    let results = match rest.strip_prefix('(') {
        Some(inner) => n_parts(enclosed(inner)?.0),
        None => usize::from(!rest.is_empty()),
    };
    Some(Shape { name: name.to_owned(), parameters: n_parts(parameters), results })
}

/// What is before the parenthesis that ends a text's level, and what follows.
fn enclosed(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// How many parts commas make of a list; one at its end makes none.
fn n_parts(list: &str) -> usize {
    let list = list.trim().trim_end_matches(',');
    if list.is_empty() {
        return 0;
    }
    let mut depth = 0usize;
    let mut parts = 1;
    for c in list.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => parts += 1,
            _ => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(signature: &str) -> Option<(usize, usize)> {
        shape("Get", signature).map(|shape| (shape.parameters, shape.results))
    }

    #[test]
    fn a_signature_is_counted() {
        assert_eq!(counts("func (r *Replacer) Get(variable string) (any, bool)"), Some((1, 2)));
        assert_eq!(counts("Get(http.ResponseWriter, *http.Request, Handler) error"), Some((3, 1)));
        assert_eq!(counts("func (m M) Get()"), Some((0, 0)));
        assert_eq!(counts("Get(f func(a, b int) (int, error), m map[string]int,) {"), Some((2, 0)));
        assert_eq!(counts("func (x T) Getter(a int)"), None);
        assert_eq!(counts("Get(a int"), None);
    }
}
