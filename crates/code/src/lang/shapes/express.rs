//! Expressions: calls, and what is known of the values around them.

use super::{Callee, Shape, Walk};
use crate::facts::{Binding, Builder, DefKind, Expr, ExprId, Literal, ScopeKind, TypeId};
use tree_sitter::Node;

/// A link of a chain: a member, and what it is called with.
struct Link<'t> {
    name: Node<'t>,
    called: Option<(Vec<Node<'t>>, Vec<Node<'t>>)>,
}

impl Walk<'_, '_> {
    pub(super) fn expression(&mut self, node: Node<'_>, shape: Shape<'_>) -> ExprId {
        match shape {
            Shape::Name => self.lookup(node),
            Shape::Literal(literal) => self.literal(literal),
            Shape::Text => {
                self.parts(node);
                self.literal(Literal::Text)
            }
            Shape::This => self.b.receiver(node.start_byte()),
            Shape::Super => self.super_value(),
            Shape::Member { object, name } => {
                let object = self.node(object);
                let name = self.name(name);
                self.b.expr(Expr::Member(object, name))
            }
            Shape::Call { callee, type_args, args } => self.call(callee, &type_args, &args),
            Shape::New { ty, args, body } => self.new_value(node, ty, &args, body),
            Shape::Index { object, rest } => {
                let object = self.node(object);
                let index = self.nodes(&rest).first().copied().unwrap_or(Builder::OPAQUE);
                self.known(object, |object| Expr::Index(object, index))
            }
            Shape::Cast { ty, value } => {
                if let Some(value) = value {
                    self.node(value);
                }
                let ty = self.ty(ty);
                self.typed_value(ty)
            }
            Shape::Assign { left, right } => self.assign(left, right),
            Shape::Binary { left, right, is_test } => self.binary(left, right, is_test),
            Shape::Either { before, values } => {
                self.nodes(&before);
                let values = self.nodes(&values);
                self.b.expr(Expr::Either(values.into()))
            }
            Shape::List(parts) => {
                let parts = self.nodes(&parts);
                self.b.expr(Expr::List(parts.into()))
            }
            Shape::Await(inner) => {
                let inner = self.node(inner);
                self.known(inner, Expr::Await)
            }
            _ => Builder::OPAQUE,
        }
    }

    pub fn typed_value(&mut self, ty: TypeId) -> ExprId {
        if ty == Builder::OPAQUE_TYPE { Builder::OPAQUE } else { self.b.expr(Expr::Typed(ty)) }
    }

    pub fn super_value(&mut self) -> ExprId {
        match self.b.type_around() {
            Some(class) => self.b.expr(Expr::Super(class)),
            None => Builder::OPAQUE,
        }
    }

    /// Chains of operators nest to the left, one level a link; a loop follows them.
    fn binary(&mut self, left: Node<'_>, right: Node<'_>, is_test: bool) -> ExprId {
        let mut rights = vec![right];
        let mut at = left;
        while let Shape::Binary { left, right, .. } = self.syntax.shape(self.source(), at) {
            rights.push(right);
            at = left;
        }
        let value = self.node(at);
        while let Some(right) = rights.pop() {
            self.node(right);
        }
        if is_test { self.literal(Literal::Bool) } else { value }
    }

    fn assign(&mut self, left: Node<'_>, right: Node<'_>) -> ExprId {
        let value = self.node(right);
        let is_name = matches!(self.syntax.shape(self.source(), left), Shape::Name);
        if !(is_name && self.syntax.assigning_binds()) {
            let written = self.node(left);
            self.b.write(written);
            return value;
        }
        let name = self.name(left);
        let known = (value != Builder::OPAQUE).then_some(value);
        self.bind_local(name, Binding::Var { ty: None, value: known }, right.end_byte());
        value
    }

    /// A call. Chains such as `a.b(c).d()` nest to the left, one level a link; a loop
    /// follows them down, and they are built on the way back.
    fn call(&mut self, callee: Callee<'_>, type_args: &[Node<'_>], args: &[Node<'_>]) -> ExprId {
        let Callee::Member { object, name } = callee else {
            return self.plain_call(callee, type_args, args);
        };
        let mut links: Vec<Link<'_>> = Vec::new();
        let mut at = object;
        loop {
            match self.syntax.shape(self.source(), at) {
                Shape::Call { callee: Callee::Member { object, name }, type_args, args } => {
                    links.push(Link { name, called: Some((type_args, args)) });
                    at = object;
                }
                Shape::Member { object, name } => {
                    links.push(Link { name, called: None });
                    at = object;
                }
                _ => break,
            }
        }
        let mut value = self.node(at);
        while let Some(Link { name, called }) = links.pop() {
            let text = self.name(name);
            value = self.b.expr(Expr::Member(value, text));
            if let Some((type_args, args)) = called {
                value = self.generic_call(value, Some(name), &type_args, &args);
            }
        }
        let text = self.name(name);
        let target = self.b.expr(Expr::Member(value, text));
        self.generic_call(target, Some(name), type_args, args)
    }

    fn plain_call(
        &mut self,
        callee: Callee<'_>,
        type_args: &[Node<'_>],
        args: &[Node<'_>],
    ) -> ExprId {
        let (target, name) = match callee {
            Callee::Name(node) => {
                let name = self.name(node);
                (self.b.lookup_called(name, node.start_byte()), Some(node))
            }
            Callee::Member { object, name } => {
                let object = self.node(object);
                let text = self.name(name);
                (self.b.expr(Expr::Member(object, text)), Some(name))
            }
            Callee::ThisInit(node) => {
                let within = self.b.within();
                (self.b.expr(Expr::This(within)), Some(node))
            }
            Callee::SuperInit(node) => (self.super_value(), Some(node)),
            Callee::Value(value) => (self.node(value), None),
            Callee::Bound(value, name) => (self.node(value), Some(name)),
        };
        self.generic_call(target, name, type_args, args)
    }

    /// A call of something already lowered, with the types written at it.
    fn generic_call(
        &mut self,
        mut target: ExprId,
        name: Option<Node<'_>>,
        type_args: &[Node<'_>],
        args: &[Node<'_>],
    ) -> ExprId {
        if !type_args.is_empty() {
            let types: Vec<TypeId> = type_args.iter().map(|arg| self.ty(*arg)).collect();
            target = self.b.expr(Expr::Generic(target, types.into()));
        }
        self.call_of(target, name, args)
    }

    /// A call of something already lowered.
    pub fn call_of(&mut self, target: ExprId, name: Option<Node<'_>>, args: &[Node<'_>]) -> ExprId {
        let id = self.b.reserve();
        let values = self.arguments(id, args);
        let n_args = values.len();
        self.b.fill(id, Expr::Call(target, values.into()));
        if let Some(name_node) = name {
            let name = self.name(name_node);
            self.b.call(id, name, name_node.start_byte(), n_args);
        }
        id
    }

    fn arguments(&mut self, call: ExprId, args: &[Node<'_>]) -> Vec<ExprId> {
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            self.given_to = Some((call, u16::try_from(index).unwrap_or(u16::MAX)));
            values.push(self.node(*arg));
            self.given_to = None;
        }
        values
    }

    fn new_value(
        &mut self,
        node: Node<'_>,
        ty: Node<'_>,
        args: &[Node<'_>],
        body: Option<Node<'_>>,
    ) -> ExprId {
        let (class, name) = self.type_value(ty);
        let value = self.make(class, name, args);
        if let Some(body) = body {
            let nameless = self.b.name("");
            let at = node.start_byte();
            let def = self.b.def(DefKind::Record, nameless, node.byte_range(), at);
            self.b.enter(def, ScopeKind::Class);
            let base = self.ty(ty);
            self.b.def_mut(def).bases = [base].into();
            self.parts(body);
            self.b.leave();
        }
        value
    }

    /// A new value of a class already lowered.
    pub fn make(
        &mut self,
        class: ExprId,
        name: Option<(usize, String)>,
        args: &[Node<'_>],
    ) -> ExprId {
        let id = self.b.reserve();
        let values = self.arguments(id, args);
        let n_args = values.len();
        self.b.fill(id, Expr::New(class, values.into()));
        if let Some((at, name)) = name {
            let name = self.b.name(&name);
            self.b.call(id, name, at, n_args);
        }
        id
    }
}
