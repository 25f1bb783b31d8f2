//! Which functions of a file are classes: those whose `prototype` is spoken of.
//!
//! A constructor function stands before what makes it a class, so the file is
//! looked through once before it is walked. Names are looked up in the
//! functions around them, for a parameter may be named as a class is.

use super::kinds::{Kind, fields, kind};
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

/// Longer names and paths are not looked up.
const LONGEST_NAME: usize = 120;

/// What a file says of prototypes.
#[derive(Default)]
pub(super) struct Prototypes {
    /// Nodes of functions that are constructors.
    pub constructors: FxHashSet<usize>,
    /// By the node of `X.prototype`: the node of the class or function `X`.
    pub owners: FxHashMap<usize, usize>,
}

/// Functions that make one class inherit from another.
pub(super) fn is_inheriting(name: &str) -> bool {
    matches!(name, "inherits" | "inherit" | "__extends" | "_inherits" | "_inheritsLoose")
}

/// Whether a file may have any; looked for in the bytes, as most have none.
fn speaks_of_them(source: &str) -> bool {
    [".prototype", "inherit", "__extends"].iter().any(|word| source.contains(word))
}

/// A function, with the names it declares.
struct Scope<'s> {
    parent: usize,
    declared: FxHashMap<&'s str, Option<usize>>,
    /// The depth of its node.
    depth: usize,
}

struct Search<'s> {
    source: &'s str,
    scopes: Vec<Scope<'s>>,
    /// The scopes around the present place.
    open: Vec<usize>,
    /// `X.prototype` or the class a call names: where, the node, and `X`.
    spoken: Vec<(usize, usize, &'s str)>,
}

impl Prototypes {
    pub fn of(source: &[u8], root: Node<'_>) -> Self {
        let Ok(source) = std::str::from_utf8(source) else { return Self::default() };
        if !speaks_of_them(source) {
            return Self::default();
        }
        let file = Scope { parent: 0, declared: FxHashMap::default(), depth: 0 };
        let mut search = Search { source, scopes: vec![file], open: vec![0], spoken: Vec::new() };
        let mut cursor = root.walk();
        let mut depth = 0;
        'walk: loop {
            search.visit(cursor.node(), depth);
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            loop {
                search.leave(depth);
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    break 'walk;
                }
                depth -= 1;
            }
        }
        search.found()
    }
}

impl<'s> Search<'s> {
    fn text(&self, node: Node<'_>) -> &'s str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn declare(&mut self, scope: usize, name: &'s str, node: Option<usize>) {
        // Patterns are no names, and may be of any size.
        if name.len() > LONGEST_NAME {
            return;
        }
        let known = self.scopes[scope].declared.entry(name).or_insert(node);
        *known = known.or(node);
    }

    fn here(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    fn visit(&mut self, node: Node<'_>, depth: usize) {
        let f = fields();
        match kind(node) {
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration => {
                if let Some(name) = node.child_by_field_id(f.name) {
                    self.declare(self.here(), self.text(name), Some(node.id()));
                }
                self.enter(depth);
            }
            Kind::FunctionExpression | Kind::GeneratorFunction => {
                self.enter(depth);
                if let Some(name) = node.child_by_field_id(f.name) {
                    self.declare(self.here(), self.text(name), Some(node.id()));
                }
            }
            Kind::ArrowFunction | Kind::MethodDefinition => {
                self.enter(depth);
                if let Some(one) = node.child_by_field_id(f.parameter) {
                    self.declare(self.here(), self.text(one), None);
                }
            }
            Kind::RequiredParameter | Kind::OptionalParameter => {
                if let Some(name) = node.child_by_field_id(f.pattern) {
                    self.declare(self.here(), self.text(name), None);
                }
            }
            Kind::ClassDeclaration => {
                if let Some(name) = node.child_by_field_id(f.name) {
                    self.declare(self.here(), self.text(name), Some(node.id()));
                }
            }
            Kind::VariableDeclarator => {
                if let Some(name) = node.child_by_field_id(f.name) {
                    let value = node.child_by_field_id(f.value).and_then(class_or_function);
                    self.declare(self.here(), self.text(name), value);
                }
            }
            Kind::AssignmentExpression => {
                let left = node.child_by_field_id(f.left).and_then(|left| self.path(left));
                let right = node.child_by_field_id(f.right).and_then(class_or_function);
                if let (Some(left), Some(right)) = (left, right) {
                    self.declare(0, left, Some(right));
                }
            }
            Kind::MemberExpression => {
                let property = node.child_by_field_id(f.property);
                if property.is_some_and(|property| self.text(property) == "prototype")
                    && let Some(object) = node.child_by_field_id(f.object)
                    && let Some(path) = self.path(object)
                {
                    self.spoken.push((self.here(), node.id(), path));
                }
            }
            Kind::CallExpression => {
                let called = node.child_by_field_id(f.function);
                let called = called.and_then(|called| match kind(called) {
                    Kind::Identifier => Some(called),
                    _ => called.child_by_field_id(f.property),
                });
                if is_inheriting(called.map_or("", |called| self.text(called)))
                    && let Some(list) = node.child_by_field_id(f.arguments)
                    && let Some(heir) = list.named_child(0)
                    && let Some(path) = self.path(heir)
                {
                    self.spoken.push((self.here(), heir.id(), path));
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, depth: usize) {
        let scope = Scope { parent: self.here(), declared: FxHashMap::default(), depth };
        self.scopes.push(scope);
        self.open.push(self.scopes.len() - 1);
    }

    fn leave(&mut self, depth: usize) {
        if self.open.len() > 1 && self.scopes[self.here()].depth == depth {
            self.open.pop();
        }
    }

    /// `X`, `A.B`, and `exports.X` for `module.exports.X`.
    fn path(&self, node: Node<'_>) -> Option<&'s str> {
        if !matches!(kind(node), Kind::Identifier | Kind::MemberExpression) {
            return None;
        }
        let text = self.text(node);
        let text = text.strip_prefix("module.").unwrap_or(text);
        let is_path = text.len() <= LONGEST_NAME
            && !text.starts_with("this.")
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte));
        is_path.then_some(text)
    }

    fn found(self) -> Prototypes {
        let mut prototypes = Prototypes::default();
        for (scope, node, path) in &self.spoken {
            if let Some(owner) = self.declared(*scope, path) {
                prototypes.constructors.insert(owner);
                prototypes.owners.insert(*node, owner);
            }
        }
        prototypes
    }

    fn declared(&self, mut scope: usize, path: &str) -> Option<usize> {
        loop {
            let known = &self.scopes[scope];
            match known.declared.get(path) {
                Some(found) => return *found,
                None if scope == 0 => return None,
                None => scope = known.parent,
            }
        }
    }
}

/// The class or function a value is, behind further assignments of it.
fn class_or_function(mut value: Node<'_>) -> Option<usize> {
    loop {
        match kind(value) {
            Kind::FunctionExpression | Kind::Class => return Some(value.id()),
            Kind::AssignmentExpression => value = value.child_by_field_id(fields().right)?,
            _ => return None,
        }
    }
}
