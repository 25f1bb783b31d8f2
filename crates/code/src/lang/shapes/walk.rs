//! The walk itself: from shapes to facts.

use super::parts::comment_text;
use super::{Shape, Source, Syntax};
use crate::facts::{
    Binding, Builder, DefId, Expr, ExprId, Import, ImportedName, Literal, Name, ScopeKind, Space,
};
use crate::lang::grammar::{each_child, named_children};
use rustc_hash::FxHashSet;
use std::ops::Range;
use tree_sitter::Node;

pub(crate) struct Walk<'a, 's> {
    pub b: &'a mut Builder<'s>,
    pub syntax: &'static dyn Syntax,
    /// The call and the argument a function about to be met is given to.
    pub(super) given_to: Option<(ExprId, u16)>,
    /// The values before `?.`, innermost last.
    pub optional: Vec<ExprId>,
    /// The local names known so far, one set per function around.
    pub(super) locals: Vec<FxHashSet<Name>>,
}

impl<'a, 's> Walk<'a, 's> {
    pub fn new(b: &'a mut Builder<'s>, syntax: &'static dyn Syntax) -> Self {
        Walk { b, syntax, given_to: None, optional: Vec::new(), locals: vec![FxHashSet::default()] }
    }

    pub fn source(&self) -> Source<'s> {
        let around = self.b.facts.def(self.b.within()).kind;
        Source { bytes: self.b.source, around }
    }

    pub fn text(&self, node: Node<'_>) -> &'s str {
        self.source().text(node)
    }

    pub fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text(node);
        self.b.name(text)
    }

    /// Lowers a node; its value if it has one.
    pub fn node(&mut self, node: Node<'_>) -> ExprId {
        let given_to = self.given_to.take();
        if !self.b.dive() {
            return Builder::OPAQUE;
        }
        let value = self.shaped(node, given_to);
        self.b.rise();
        value
    }

    /// A block, and its value. Chains of `else if` nest one level a link; a loop follows
    /// them.
    fn block(&mut self, node: Node<'_>) -> ExprId {
        let mut n_open = 1;
        let mut at = node;
        self.b.open(ScopeKind::Block);
        while let Some(next) = self.next_of_chain(at) {
            let mut parts = Vec::new();
            each_child(at, |part| parts.push(part));
            for part in parts {
                let is_before = part.end_byte() <= next.start_byte();
                if is_before && part.is_named() && !self.syntax.is_comment(part) {
                    self.node(part);
                }
            }
            self.b.open(ScopeKind::Block);
            n_open += 1;
            at = next;
        }
        let last = self.parts(at);
        for _ in 0..n_open {
            self.b.close();
        }
        if n_open == 1 { last } else { Builder::OPAQUE }
    }

    /// The block of the same kind with which a block ends, as the `if` after an `else`.
    fn next_of_chain<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if !self.b.facts.def(self.b.within()).kind.is_callable() {
            return None;
        }
        let last = named_children(node).pop()?;
        let inner = match self.syntax.shape(self.source(), last) {
            Shape::Parts if last.kind_id() != node.kind_id() => named_children(last),
            Shape::Block => vec![last],
            _ => return None,
        };
        let [only] = inner[..] else { return None };
        let is_same = only.kind_id() == node.kind_id() && only.end_byte() == node.end_byte();
        (is_same && matches!(self.syntax.shape(self.source(), only), Shape::Block)).then_some(only)
    }

    pub fn nodes(&mut self, nodes: &[Node<'_>]) -> Vec<ExprId> {
        nodes.iter().map(|node| self.node(*node)).collect()
    }

    fn shaped(&mut self, node: Node<'_>, given_to: Option<(ExprId, u16)>) -> ExprId {
        match self.syntax.shape(self.source(), node) {
            Shape::Nothing => Builder::OPAQUE,
            Shape::Parts => {
                self.parts(node);
                Builder::OPAQUE
            }
            Shape::Block => self.block(node),
            Shape::Same(inner) => {
                self.given_to = given_to;
                self.node(inner)
            }
            Shape::Own => {
                self.given_to = given_to;
                let syntax = self.syntax;
                let value = syntax.own(self, node);
                self.given_to = None;
                value
            }
            Shape::Package(name) => {
                let name = self.b.name(&name);
                self.b.def_mut(DefId::FILE).name = name;
                Builder::OPAQUE
            }
            Shape::Space(name, body) => self.space(node, &name, body),
            Shape::Type(decl) => {
                self.type_decl(node, &decl);
                Builder::OPAQUE
            }
            Shape::Callable(callable) => self.callable(node, &callable, given_to),
            Shape::Vars(vars) => {
                self.vars(node, &vars);
                Builder::OPAQUE
            }
            Shape::Variant { name, args, body } => {
                self.variant(node, name, &args, body);
                Builder::OPAQUE
            }
            Shape::Return(value) => self.returned(value),
            Shape::Foreach { ty, name, over, body } => {
                self.b.open(ScopeKind::Block);
                let over = self.node(over);
                let element = self.known(over, Expr::Element);
                if let Some(name) = name {
                    self.bind_typed(name, ty, element, name.start_byte());
                }
                self.nodes(&body);
                self.b.close();
                Builder::OPAQUE
            }
            Shape::Bind { ty, name, value } => {
                let value = value.map_or(Builder::OPAQUE, |value| self.node(value));
                self.bind_typed(name, ty, value, name.start_byte());
                Builder::OPAQUE
            }
            other => self.expression(node, other),
        }
    }

    /// An expression made of another, if that one is known at all.
    pub fn known(&mut self, inner: ExprId, make: impl Fn(ExprId) -> Expr) -> ExprId {
        if inner == Builder::OPAQUE { inner } else { self.b.expr(make(inner)) }
    }

    fn returned(&mut self, value: Option<Node<'_>>) -> ExprId {
        let Some(value) = value else { return Builder::OPAQUE };
        let value = self.node(value);
        let function = self.b.within();
        let def = self.b.facts.def(function);
        if def.kind.is_callable() && def.ty.is_none() && value != Builder::OPAQUE {
            self.b.add_value(function, value);
        }
        value
    }

    /// The children of a node, in order; comments become documentation of the
    /// declaration below them. Gives the value of the last one.
    pub fn parts(&mut self, node: Node<'_>) -> ExprId {
        let mut children = Vec::new();
        each_child(node, |child| children.push(child));
        let wants_docs = !self.b.facts.def(self.b.within()).kind.is_callable();
        let mut doc: Option<Range<usize>> = None;
        let mut last_line = 0;
        let mut last = Builder::OPAQUE;
        for child in children {
            if self.syntax.is_comment(child) {
                let (line, _) = self.b.position(child.start_byte());
                if wants_docs && line != last_line {
                    doc = Some(self.joined(doc, child));
                }
                continue;
            }
            if !child.is_named() || child.is_extra() && !child.is_error() {
                if child.is_named() {
                    // Directives of a preprocessor and the like may hold code.
                    self.node(child);
                }
                continue;
            }
            let before = doc.take().filter(|doc| {
                self.b.position(doc.end.saturating_sub(1)).0 + 1
                    >= self.b.position(child.start_byte()).0
            });
            let first = self.b.facts.defs.len();
            last = self.node(child);
            last_line = self.b.position(child.end_byte().saturating_sub(1)).0;
            if let Some(doc) = before {
                self.document(first, doc);
            }
        }
        last
    }

    /// Comments that follow each other line by line are one text.
    fn joined(&self, doc: Option<Range<usize>>, comment: Node<'_>) -> Range<usize> {
        let start = doc
            .filter(|doc| {
                self.b.position(doc.end.saturating_sub(1)).0 + 1
                    >= self.b.position(comment.start_byte()).0
            })
            .map_or(comment.start_byte(), |doc| doc.start);
        start..comment.end_byte()
    }

    fn document(&mut self, first: usize, doc: Range<usize>) {
        let Some(bytes) = self.b.source.get(doc) else { return };
        let made =
            (first..self.b.facts.defs.len()).find(|at| self.b.facts.defs[*at].kind.is_symbol());
        if let Some(made) = made
            && self.b.facts.defs[made].doc.is_none()
        {
            let text = comment_text(&String::from_utf8_lossy(bytes));
            self.b.facts.defs[made].doc = self.b.doc(&text);
        }
    }

    /// Makes a local variable known, or a member of the module or type around.
    pub fn bind_local(&mut self, name: Name, to: Binding, at: usize) {
        if let Some(locals) = self.locals.last_mut() {
            locals.insert(name);
        }
        self.b.bind(name, Space::Value, to, at);
    }

    /// Whether a name is a local variable at this place.
    pub fn is_local(&self, name: Name) -> bool {
        self.locals.iter().rev().any(|names| names.contains(&name))
    }

    pub fn lookup(&mut self, node: Node<'_>) -> ExprId {
        let name = self.name(node);
        self.b.lookup(name, Space::Value, node.start_byte())
    }

    /// Adds an import, and binds the name it is known by.
    pub fn import(
        &mut self,
        node: Node<'_>,
        path: &[&str],
        what: Option<&str>,
        bound: Option<&str>,
    ) {
        let path: Vec<Name> = path.iter().map(|part| self.b.name(part)).collect();
        let what = match what {
            Some("*") => ImportedName::Wildcard,
            Some("") => ImportedName::Effects,
            Some(name) => ImportedName::Name(self.b.name(name)),
            None => ImportedName::Module,
        };
        let home = self.module_around();
        let (line, _) = self.b.position(node.start_byte());
        let import = Import {
            path: path.into(),
            what,
            level: 0,
            is_reexport: false,
            is_type_only: false,
            home,
            line,
        };
        let id = self.b.import(import);
        if let Some(bound) = bound {
            let bound = self.b.name(bound);
            self.b.bind_private(bound, Space::Both, Binding::Import(id));
        }
    }

    fn module_around(&self) -> DefId {
        let facts = &self.b.facts;
        let is_module = |def: &DefId| facts.def(*def).kind == crate::facts::DefKind::Module;
        self.b.around().find(is_module).unwrap_or(DefId::FILE)
    }

    pub fn literal(&mut self, literal: Literal) -> ExprId {
        self.b.expr(Expr::Literal(literal))
    }
}
