//! Statements: which names they bind, and which branches they open.

use super::kinds::{Kind, fields, kind};
use super::{Lower, named_children};
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, Name, ScopeKind, Space, TypeId,
};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn file(&mut self, root: Node<'_>) {
        let doc = self.docstring(root);
        self.b.def_mut(DefId::FILE).doc = doc;
        self.statements(root);
    }

    pub(super) fn statements(&mut self, block: Node<'_>) {
        for statement in named_children(block) {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, node: Node<'_>) {
        if !self.b.facts.trouble.is_empty() && node.is_error() {
            // The good parts of what the grammar could not read.
            return self.nested_statements(node);
        }
        match kind(node) {
            Kind::FunctionDefinition => self.function(node, node, &[]),
            Kind::ClassDefinition => self.class(node, node, &[]),
            Kind::DecoratedDefinition => self.decorated(node),
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::ImportStatement => self.import_statement(node),
            Kind::ImportFrom => self.import_from(node),
            Kind::FutureImport | Kind::Comment | Kind::NonlocalStatement => {}
            Kind::IfStatement => self.if_statement(node),
            Kind::ForStatement => self.for_statement(node),
            Kind::WithStatement => self.with_statement(node),
            Kind::MatchStatement => self.match_statement(node),
            Kind::ReturnStatement => self.return_statement(node),
            Kind::ExceptClause | Kind::Block | Kind::ElseClause | Kind::ElifClause => {
                self.nested_block(node);
            }
            Kind::GlobalStatement => self.global_statement(node),
            Kind::TypeAlias => self.type_alias(node),
            Kind::AsPattern => self.except_as(node),
            _ => self.nested_statements(node),
        }
    }

    fn nested_statements(&mut self, node: Node<'_>) {
        let ends_here = node.named_child_count() == 0;
        if ends_here || is_expression(kind(node)) {
            self.expression(node);
            return;
        }
        if !self.b.dive() {
            return;
        }
        for child in named_children(node) {
            if is_expression(kind(child)) {
                self.expression(child);
            } else {
                self.statement(child);
            }
        }
        self.b.rise();
    }

    /// A branch: what it binds may or may not have happened afterwards.
    fn nested_block(&mut self, node: Node<'_>) {
        self.b.open(ScopeKind::Block);
        self.nested_statements(node);
        self.b.close();
    }

    fn expression_statement(&mut self, node: Node<'_>) {
        for child in named_children(node) {
            if kind(child) == Kind::Assignment {
                self.assignment(child);
            } else if child.kind() == "augmented_assignment" {
                for (nth, side) in named_children(child).into_iter().enumerate() {
                    let side = self.expression(side);
                    if nth == 0 {
                        self.b.write(side);
                    }
                }
            } else {
                self.expression(child);
            }
        }
    }

    pub(super) fn assignment(&mut self, node: Node<'_>) -> ExprId {
        let f = fields();
        let ty = node.child_by_field_id(f.type_).map(|ty| self.annotation(ty));
        let value = match node.child_by_field_id(f.right) {
            Some(right) if kind(right) == Kind::Assignment => self.assignment(right),
            Some(right) => self.expression(right),
            None => Builder::OPAQUE,
        };
        if let Some(left) = node.child_by_field_id(f.left) {
            self.bind_target(left, ty, value, node);
        }
        value
    }

    /// Binds what stands left of `=`, after `for`, or after `as`.
    pub(super) fn bind_target(
        &mut self,
        target: Node<'_>,
        ty: Option<TypeId>,
        value: ExprId,
        whole: Node<'_>,
    ) {
        match kind(target) {
            Kind::Identifier => self.bind_variable(target, ty, value, whole),
            Kind::Attribute => self.bind_attribute(target, ty, value, whole),
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List
            | Kind::ExpressionList => {
                for (index, part) in named_children(target).into_iter().enumerate() {
                    let value = self.part(value, index);
                    self.bind_target(part, None, value, whole);
                }
            }
            Kind::ListSplatPattern
            | Kind::ListSplat
            | Kind::AsPatternTarget
            | Kind::ParenthesizedExpression => {
                for part in named_children(target) {
                    let value = if kind(target) == Kind::ListSplatPattern {
                        Builder::OPAQUE
                    } else {
                        value
                    };
                    self.bind_target(part, None, value, whole);
                }
            }
            _ => {
                self.expression(target);
            }
        }
    }

    fn part(&mut self, value: ExprId, index: usize) -> ExprId {
        match &self.b.facts.exprs[value.ix()] {
            Expr::Opaque => value,
            Expr::Tuple(parts) | Expr::List(parts) => {
                parts.get(index).copied().unwrap_or(Builder::OPAQUE)
            }
            _ => self.b.expr(Expr::Part(value, index as u32)),
        }
    }

    fn bind_variable(
        &mut self,
        target: Node<'_>,
        ty: Option<TypeId>,
        value: ExprId,
        whole: Node<'_>,
    ) {
        let name = self.name(target);
        if !self.b.is_member_scope() {
            let known = (value != Builder::OPAQUE).then_some(value);
            // Known from the end of the statement on: its right side reads the old value.
            let to = Binding::Var { ty, value: known };
            self.b.bind(name, Space::Both, to, whole.end_byte());
            return;
        }
        let home = self.b.within();
        let def = self.variable(home, name, target, whole, ty, value);
        let is_new = self.b.facts.defs.len() as u32 - 1 == def.0;
        if is_new || self.b.facts.def(home).kind == DefKind::Module {
            self.b.bind(name, Space::Both, Binding::Def(def), whole.end_byte());
        }
    }

    /// The definition of a module's variable or a class's field, made at its
    /// first assignment.
    fn variable(
        &mut self,
        home: DefId,
        name: Name,
        target: Node<'_>,
        whole: Node<'_>,
        ty: Option<TypeId>,
        value: ExprId,
    ) -> DefId {
        let def = match self.fields.get(&(home, name)) {
            Some(def) => *def,
            None => {
                let text = self.text(target);
                let is_constant = !text.chars().any(char::is_lowercase);
                let kind = match self.b.facts.def(home).kind {
                    DefKind::Module if self.is_type_variable(value) => DefKind::TypeParam,
                    DefKind::Module if is_constant => DefKind::Const,
                    DefKind::Module => DefKind::Var,
                    _ => DefKind::Field,
                };
                let def = self.b.def_in(home, kind, name, whole.byte_range(), target.start_byte());
                self.b.def_mut(def).visibility = super::definitions::visibility(text);
                self.fields.insert((home, name), def);
                def
            }
        };
        if self.b.facts.def(def).ty.is_none() {
            self.b.def_mut(def).ty = ty;
        }
        if value != Builder::OPAQUE {
            self.b.add_value(def, value);
        }
        def
    }

    /// `T = TypeVar("T")`.
    fn is_type_variable(&self, value: ExprId) -> bool {
        let Expr::Call(callee, _) = &self.b.facts.exprs[value.ix()] else { return false };
        match &self.b.facts.exprs[callee.ix()] {
            Expr::Free(name, _) | Expr::Local(name, _) | Expr::Member(_, name) => {
                self.b.text(*name) == "TypeVar"
            }
            _ => false,
        }
    }

    /// `self.x = value` makes a field of the class.
    fn bind_attribute(
        &mut self,
        target: Node<'_>,
        ty: Option<TypeId>,
        value: ExprId,
        whole: Node<'_>,
    ) {
        let f = fields();
        let (Some(object), Some(attribute)) =
            (target.child_by_field_id(f.object), target.child_by_field_id(f.attribute))
        else {
            return;
        };
        let receiver = self.receivers.last().copied().flatten();
        if kind(object) == Kind::Identifier
            && let Some((receiver, class)) = receiver
            && self.b.text(receiver) == self.text(object)
        {
            let name = self.name(attribute);
            let is_new = !self.fields.contains_key(&(class, name));
            let def = self.variable(class, name, attribute, whole, ty, value);
            if is_new {
                self.b.bind_member(class, name, Space::Both, Binding::Def(def));
            }
        }
        let written = self.expression(target);
        self.b.write(written);
        // `x.__class__ = y.__class__`: from here on `x` is what `y` is.
        if kind(object) == Kind::Identifier
            && self.class_of(written).is_some()
            && let Some(like) = self.class_of(value)
            && !self.b.is_member_scope()
        {
            let name = self.name(object);
            let to = Binding::Var { ty: None, value: Some(like) };
            self.b.bind(name, Space::Both, to, whole.end_byte());
        }
    }

    fn if_statement(&mut self, node: Node<'_>) {
        let f = fields();
        if let Some(condition) = node.child_by_field_id(f.condition) {
            self.expression(condition);
        }
        if let Some(consequence) = node.child_by_field_id(f.consequence) {
            self.b.open(ScopeKind::Block);
            if let Some(condition) = node.child_by_field_id(f.condition) {
                self.narrow(condition, consequence.start_byte());
            }
            self.nested_statements(consequence);
            self.b.close();
        }
        let mut cursor = node.walk();
        let others: Vec<Node<'_>> =
            node.children_by_field_id(fields_id(f.alternative), &mut cursor).collect();
        for other in others {
            if kind(other) == Kind::ElifClause {
                self.if_statement(other);
            } else {
                self.nested_block(other);
            }
        }
    }

    /// `isinstance(x, T)` says what `x` is inside the branch.
    pub(super) fn narrow(&mut self, condition: Node<'_>, at: usize) {
        let f = fields();
        match kind(condition) {
            Kind::BooleanOperator => {
                let is_and = condition
                    .child_by_field_id(f.operator)
                    .is_some_and(|operator| operator.kind() == "and");
                if is_and {
                    for side in named_children(condition) {
                        self.narrow(side, at);
                    }
                }
            }
            Kind::ParenthesizedExpression => {
                for inner in named_children(condition) {
                    self.narrow(inner, at);
                }
            }
            Kind::Call => {
                let Some(function) = condition.child_by_field_id(f.function) else { return };
                let Some(arguments) = condition.child_by_field_id(f.arguments) else { return };
                if self.text(function) != "isinstance" {
                    return;
                }
                if let [subject, class] = named_children(arguments)[..]
                    && kind(subject) == Kind::Identifier
                {
                    let ty = self.class_test(class);
                    let name = self.name(subject);
                    self.b.bind(name, Space::Both, Binding::Narrowed { ty }, at);
                }
            }
            _ => {}
        }
    }

    fn for_statement(&mut self, node: Node<'_>) {
        let f = fields();
        let element = node.child_by_field_id(f.right).map(|right| self.element_of(right));
        self.b.open(ScopeKind::Block);
        if let (Some(left), Some(element)) = (node.child_by_field_id(f.left), element) {
            self.bind_loop_target(left, element);
        }
        if let Some(body) = node.child_by_field_id(f.body) {
            self.nested_statements(body);
        }
        self.b.close();
        if let Some(otherwise) = node.child_by_field_id(f.alternative) {
            self.nested_block(otherwise);
        }
    }

    pub(super) fn element_of(&mut self, right: Node<'_>) -> ExprId {
        let iterated = self.expression(right);
        if iterated == Builder::OPAQUE {
            return iterated;
        }
        self.b.expr(Expr::Element(iterated))
    }

    pub(super) fn bind_loop_target(&mut self, left: Node<'_>, element: ExprId) {
        self.bind_target(left, None, element, left);
    }

    fn with_statement(&mut self, node: Node<'_>) {
        for part in named_children(node) {
            match kind(part) {
                Kind::Block => self.nested_statements(part),
                _ => self.with_items(part),
            }
        }
    }

    fn with_items(&mut self, clause: Node<'_>) {
        let f = fields();
        for item in named_children(clause) {
            let value = item.child_by_field_id(f.value).unwrap_or(item);
            if kind(value) != Kind::AsPattern {
                self.expression(value);
                continue;
            }
            let Some(opened) = value.named_child(0) else { continue };
            let opened = self.expression(opened);
            let entered = self.b.expr(Expr::Enter(opened));
            if let Some(target) = value.child_by_field_id(f.alias) {
                self.bind_target(target, None, entered, value);
            }
        }
    }

    /// `except Error as e`.
    fn except_as(&mut self, node: Node<'_>) {
        let f = fields();
        let Some(class) = node.named_child(0) else { return };
        self.expression(class);
        if let Some(target) = node.child_by_field_id(f.alias) {
            let ty = self.class_test(class);
            let value = self.b.expr(Expr::Typed(ty));
            self.bind_target(target, None, value, node);
        }
    }

    fn match_statement(&mut self, node: Node<'_>) {
        let f = fields();
        if let Some(subject) = node.child_by_field_id(f.subject) {
            self.expression(subject);
        }
        let Some(body) = node.child_by_field_id(f.body) else { return };
        for case in named_children(body) {
            self.b.open(ScopeKind::Block);
            for part in named_children(case) {
                match kind(part) {
                    Kind::CasePattern => self.bind_pattern_names(part, 0),
                    Kind::Block => self.nested_statements(part),
                    _ => self.statement(part),
                }
            }
            self.b.close();
        }
    }

    /// Names in a pattern are variables of which nothing is known.
    fn bind_pattern_names(&mut self, pattern: Node<'_>, depth: usize) {
        if depth > 20 {
            return;
        }
        for part in named_children(pattern) {
            match kind(part) {
                Kind::DottedName if part.named_child_count() == 1 => {
                    let Some(identifier) = part.named_child(0) else { continue };
                    let unknown = Builder::OPAQUE;
                    let is_class = kind(pattern) == Kind::ClassPattern;
                    if !is_class {
                        self.bind_variable(identifier, None, unknown, part);
                    }
                }
                _ => self.bind_pattern_names(part, depth + 1),
            }
        }
    }

    fn return_statement(&mut self, node: Node<'_>) {
        for value in named_children(node) {
            let value = self.expression(value);
            let function = self.b.around().find(|def| self.b.facts.def(*def).kind.is_callable());
            if let Some(function) = function
                && !self.b.facts.def(function).flags.has(Flags::GENERATOR)
            {
                self.b.add_value(function, value);
            }
        }
    }

    fn global_statement(&mut self, node: Node<'_>) {
        for identifier in named_children(node) {
            let name = self.name(identifier);
            // The name now means the module's; say so by leaving it free here.
            if let Some(def) = self.fields.get(&(DefId::FILE, name)).copied() {
                self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
            }
        }
    }

    fn type_alias(&mut self, node: Node<'_>) {
        let f = fields();
        let (Some(left), Some(right)) =
            (node.child_by_field_id(f.left), node.child_by_field_id(f.right))
        else {
            return;
        };
        let name = self.name(left);
        let ty = self.annotation(right);
        let def = self.b.def(DefKind::Alias, name, node.byte_range(), left.start_byte());
        self.b.def_mut(def).ty = Some(ty);
        self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
    }
}

fn fields_id(id: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(id).unwrap_or(std::num::NonZeroU16::MAX)
}

pub(super) fn is_expression(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Attribute
            | Kind::Await
            | Kind::BinaryOperator
            | Kind::BooleanOperator
            | Kind::Call
            | Kind::ConcatenatedString
            | Kind::ConditionalExpression
            | Kind::Dictionary
            | Kind::DictionaryComprehension
            | Kind::ExpressionList
            | Kind::Float
            | Kind::GeneratorExpression
            | Kind::Identifier
            | Kind::Integer
            | Kind::Lambda
            | Kind::List
            | Kind::ListComprehension
            | Kind::NamedExpression
            | Kind::None
            | Kind::ParenthesizedExpression
            | Kind::Set
            | Kind::SetComprehension
            | Kind::String
            | Kind::Subscript
            | Kind::Tuple
            | Kind::Yield
    )
}
