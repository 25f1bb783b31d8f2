//! Statements and declarations.

use super::Lower;
use super::assignments::Target;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use super::objects::{Object, Variable};
use crate::facts::{
    BindId, Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, ScopeKind, Space,
};
use crate::lang::grammar::{each_child, named_children};
use tree_sitter::Node;

impl Lower<'_, '_> {
    /// The statements of a block; a comment right above one is its text.
    pub(super) fn statements(&mut self, block: Node<'_>) {
        let mut doc: Option<Node<'_>> = None;
        let mut nodes = Vec::new();
        each_child(block, |node| nodes.push(node));
        nodes.retain(Node::is_named);
        self.declare_functions(&nodes);
        for node in nodes {
            if kind(node) == Kind::Comment {
                doc = self.text(node).starts_with("/**").then_some(node);
                continue;
            }
            let first = self.b.facts.defs.len();
            self.documented = None;
            self.statement(node);
            let made = self.documented.take().map_or(first, DefId::ix);
            if let Some(doc) = doc.take()
                && let Some(def) = self.b.facts.defs.get(made)
                && def.kind.is_symbol()
            {
                let text = doc_text(self.text(doc));
                let doc = self.b.doc(&text);
                self.b.facts.defs[made].doc = doc;
            }
        }
    }

    pub(super) fn statement(&mut self, node: Node<'_>) {
        if !self.b.dive() {
            return;
        }
        self.statement_inner(node, node);
        self.b.rise();
    }

    /// A declaration, with the statement it is part of.
    pub(super) fn statement_inner(&mut self, node: Node<'_>, whole: Node<'_>) {
        match kind(node) {
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
                self.function_declaration(node, whole);
            }
            Kind::ClassDeclaration | Kind::AbstractClass => {
                self.class(node, whole);
            }
            Kind::InterfaceDeclaration => self.interface(node, whole),
            Kind::EnumDeclaration => self.enumeration(node, whole),
            Kind::TypeAlias => self.type_alias(node, whole),
            Kind::InternalModule | Kind::Module => self.namespace(node, whole),
            Kind::LexicalDeclaration | Kind::VariableDeclaration => self.variables(node, whole),
            Kind::AmbientDeclaration => {
                for part in named_children(node) {
                    self.statement_inner(part, whole);
                }
            }
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::ImportStatement => self.import_statement(node),
            Kind::ExportStatement => self.export_statement(node),
            Kind::ReturnStatement => self.return_statement(node),
            Kind::StatementBlock => self.in_block(node, Self::statements),
            Kind::IfStatement => self.if_statement(node),
            Kind::ForStatement | Kind::SwitchCase => self.in_block(node, Self::each_statement),
            Kind::ForInStatement => self.in_block(node, Self::for_in),
            Kind::CatchClause => self.in_block(node, |this, node| {
                if let Some(parameter) = node.child_by_field_id(fields().parameter) {
                    this.bind_pattern(parameter, Builder::OPAQUE, node.start_byte(), false);
                }
                if let Some(body) = node.child_by_field_id(fields().body) {
                    this.statements(body);
                }
            }),
            Kind::Comment => {}
            _ if super::expressions::is_expression(kind(node)) => {
                self.expression(node);
            }
            _ if super::expressions::changes(node) => {
                self.expression(node);
            }
            _ => self.each_statement(node),
        }
    }

    fn expression_statement(&mut self, node: Node<'_>) {
        let outer = std::mem::take(&mut self.given);
        for part in named_children(node) {
            match kind(part) {
                Kind::AssignmentExpression => {
                    if self.b.dive() {
                        self.assignment(part, node);
                        self.b.rise();
                    }
                    continue;
                }
                Kind::CallExpression => self.defining_call(part, node),
                _ => {}
            }
            self.note_wrappers(part);
            self.statement(part);
        }
        self.given = outer;
    }

    fn in_block(&mut self, node: Node<'_>, inside: impl FnOnce(&mut Self, Node<'_>)) {
        self.b.open(ScopeKind::Block);
        inside(self, node);
        self.b.close();
    }

    fn each_statement(&mut self, node: Node<'_>) {
        for part in named_children(node) {
            self.statement(part);
        }
    }

    /// Chains of `else if` nest one level a link; a loop follows them.
    fn if_statement(&mut self, node: Node<'_>) {
        let mut next = Some(node);
        while let Some(at) = next {
            next = self.if_branch(at);
        }
    }

    /// One branch; what is left is the `if` after its `else`.
    fn if_branch<'t>(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let f = fields();
        let condition = node.child_by_field_id(f.condition);
        if let Some(condition) = condition {
            self.expression(condition);
        }
        if let Some(then) = node.child_by_field_id(f.consequence) {
            self.b.open(ScopeKind::Block);
            if let Some(condition) = condition {
                self.narrow(condition, then.start_byte());
            }
            self.statement(then);
            self.b.close();
        }
        let otherwise = node.child_by_field_id(f.alternative)?;
        if let [only] = named_children(otherwise)[..]
            && kind(only) == Kind::IfStatement
        {
            return Some(only);
        }
        self.in_block(otherwise, Self::each_statement);
        None
    }

    /// `x instanceof T` says what `x` is inside the branch.
    pub(super) fn narrow(&mut self, condition: Node<'_>, at: usize) {
        let f = fields();
        match kind(condition) {
            Kind::ParenthesizedExpression => {
                if let Some(inner) = condition.named_child(0) {
                    self.narrow(inner, at);
                }
            }
            Kind::BinaryExpression => {
                let operator = condition.child_by_field_id(f.operator).map_or("", |op| op.kind());
                let sides =
                    (condition.child_by_field_id(f.left), condition.child_by_field_id(f.right));
                let (Some(left), Some(right)) = sides else { return };
                match operator {
                    "&&" => {
                        self.narrow(left, at);
                        self.narrow(right, at);
                    }
                    "instanceof" if kind(left) == Kind::Identifier => {
                        let path = self.type_path(right);
                        let ty =
                            self.b.type_ref(crate::facts::TypeRef::Named(path, Box::default()));
                        let name = self.name(left);
                        self.b.bind(name, Space::Value, Binding::Narrowed { ty }, at);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn for_in(&mut self, node: Node<'_>) {
        let f = fields();
        let over = node.child_by_field_id(f.right).map_or(Builder::OPAQUE, |r| self.expression(r));
        let is_of = node.child_by_field_id(f.operator).is_some_and(|op| op.kind() == "of");
        let element = match over {
            Builder::OPAQUE => over,
            _ if is_of => self.b.expr(Expr::Element(over)),
            _ => Builder::OPAQUE,
        };
        if let Some(left) = node.child_by_field_id(f.left) {
            if node.child_by_field_id(f.kind).is_some() {
                self.bind_pattern(left, element, node.start_byte(), false);
            } else {
                self.expression(left);
            }
        }
        if let Some(body) = node.child_by_field_id(f.body) {
            self.statement(body);
        }
    }

    fn return_statement(&mut self, node: Node<'_>) {
        for value in named_children(node) {
            let value = self.result_value(value);
            let function = self.b.around().find(|def| self.b.facts.def(*def).kind.is_callable());
            if let Some(function) = function {
                self.b.add_value(function, value);
            }
        }
    }

    fn type_alias(&mut self, node: Node<'_>, whole: Node<'_>) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Alias, name, whole.byte_range(), name_node.start_byte());
        self.b.bind(name, Space::Type, Binding::Def(def), node.start_byte());
        self.b.enter(def, ScopeKind::Block);
        self.type_params(def, node);
        let ty = node.child_by_field_id(f.value).map(|ty| self.ty(ty));
        self.b.def_mut(def).ty = ty;
        self.b.leave();
    }

    fn namespace(&mut self, node: Node<'_>, whole: Node<'_>) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let is_file = kind(name_node) == Kind::String;
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Module, name, whole.byte_range(), name_node.start_byte());
        if !is_file {
            self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
        }
        self.b.enter(def, ScopeKind::Module);
        if let Some(body) = node.child_by_field_id(f.body) {
            self.statements(body);
        }
        self.b.leave();
    }

    fn variables(&mut self, node: Node<'_>, whole: Node<'_>) {
        let is_var = kind(node) == Kind::VariableDeclaration;
        let is_const = self.text(node).starts_with("const");
        for part in named_children(node) {
            if kind(part) == Kind::VariableDeclarator {
                self.variable(part, whole, is_var, is_const);
            }
        }
    }

    fn variable(&mut self, node: Node<'_>, whole: Node<'_>, is_var: bool, is_const: bool) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let value = node.child_by_field_id(f.value);
        let ty = node.child_by_field_id(f.type_);
        if self.required(name_node, value, node) {
            return;
        }
        let is_plain = kind(name_node) == Kind::Identifier;
        let mut also = Vec::new();
        let mut value = value;
        if let Some(chain) = value.filter(|it| is_plain && kind(*it) == Kind::AssignmentExpression)
        {
            let (targets, last) = self.assigned(chain);
            if targets.iter().any(|target| !matches!(target, Target::Other)) {
                also = targets;
                value = last;
            }
        }
        self.variable_value(node, (name_node, value, ty), whole, (is_var, is_const));
        if !also.is_empty() {
            self.assign_variable(&also, name_node, whole);
        }
    }

    fn variable_value(
        &mut self,
        node: Node<'_>,
        (name_node, value, ty): (Node<'_>, Option<Node<'_>>, Option<Node<'_>>),
        whole: Node<'_>,
        (is_var, is_const): (bool, bool),
    ) {
        let is_plain = kind(name_node) == Kind::Identifier;
        // A function kept in a variable is that function.
        if let Some(function) = value.filter(|value| is_plain && is_function(*value)) {
            self.function_variable(node, (name_node, function, ty), whole);
            return;
        }
        if let Some(class) = value.filter(|value| is_plain && kind(*value) == Kind::Class) {
            let def = self.class(class, whole);
            let name = self.name(name_node);
            self.b.def_mut(def).name = name;
            self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
            if self.level.is_file {
                self.objects.add(self.text(name_node), Object::Class(def));
            }
            return;
        }
        let ty = ty.map(|ty| self.annotation(ty));
        let value_node = value;
        if let Some(value) = value {
            self.note_wrappers(value);
        }
        let first = self.b.facts.defs.len();
        let value = value.map_or(Builder::OPAQUE, |value| self.expression(value));
        if is_plain && self.wrapped_variable(node, name_node, value, first) {
            return;
        }
        if !is_plain {
            let value = match ty {
                Some(ty) => self.b.expr(Expr::Typed(ty)),
                None => value,
            };
            self.bind_pattern(name_node, value, node.end_byte(), is_var);
            return;
        }
        let name = self.name(name_node);
        if self.b.is_member_scope() {
            let def_kind = if is_const { DefKind::Const } else { DefKind::Var };
            let def = self.b.def(def_kind, name, whole.byte_range(), name_node.start_byte());
            self.b.def_mut(def).ty = ty;
            if value != Builder::OPAQUE {
                self.b.add_value(def, value);
            }
            let bind = self.b.bind(name, Space::Value, Binding::Def(def), node.start_byte());
            self.documented.get_or_insert(def);
            if self.level.is_file && ty.is_none() {
                let at = self.file_variable(name_node, whole, (bind, value), def_kind);
                self.objects.variables[at].def = Some(def);
                self.hold_object(value, def);
            }
            return;
        }
        let held = value;
        let value = (value != Builder::OPAQUE).then_some(value);
        let to = Binding::Var { ty, value };
        let bind = if is_var {
            self.b.bind_hoisted(name, Space::Value, to, node.start_byte())
        } else {
            self.b.bind(name, Space::Value, to, node.start_byte())
        };
        if self.level.is_file && ty.is_none() {
            let def_kind = if is_const { DefKind::Const } else { DefKind::Var };
            let at = self.file_variable(name_node, whole, (bind, held), def_kind);
            if value_node.is_some_and(holds_functions) {
                let def = self.variable_def(at);
                self.documented.get_or_insert(def);
                self.hold_object(held, def);
            }
        }
    }

    fn function_variable(
        &mut self,
        node: Node<'_>,
        (name_node, function, ty): (Node<'_>, Node<'_>, Option<Node<'_>>),
        whole: Node<'_>,
    ) {
        let (name, at) = (self.name(name_node), name_node.start_byte());
        if self.is_constructor(function, name) {
            let class = self.class_def(self.b.within(), name, at, function, whole.byte_range());
            self.b.bind(name, Space::Both, Binding::Def(class), node.start_byte());
            if self.level.is_file {
                self.objects.add(self.text(name_node), Object::Class(class));
            }
            self.constructor(class, function);
            return;
        }
        let def = self.b.def(DefKind::Function, name, whole.byte_range(), at);
        self.b.bind(name, Space::Value, Binding::Def(def), node.start_byte());
        if self.level.is_file {
            self.objects.add(self.text(name_node), Object::Function(def));
        }
        let given = ty.and_then(|ty| self.declared_type(ty)).map(|value| (value, 0));
        self.callable(def, function, given);
    }

    fn file_variable(
        &mut self,
        name_node: Node<'_>,
        whole: Node<'_>,
        (bind, value): (BindId, ExprId),
        def_kind: DefKind,
    ) -> usize {
        let name = self.name(name_node);
        let parent = self.b.within();
        self.add_variable(Variable {
            bind: Some(bind),
            def: None,
            parent,
            name,
            span: whole.byte_range(),
            name_at: name_node.start_byte(),
            value,
            record: None,
            def_kind,
        })
    }

    /// `var X = (function () { function X() {} … return X; })()`: one thing,
    /// written inside a wrapper.
    fn wrapped_variable(
        &mut self,
        node: Node<'_>,
        name_node: Node<'_>,
        value: ExprId,
        first: usize,
    ) -> bool {
        let Expr::Call(callee, _) = self.b.facts.exprs[value.ix()] else { return false };
        let Expr::Nameless(wrapper) = self.b.facts.exprs[callee.ix()] else { return false };
        let returned = self.b.value_of(wrapper);
        let name = self.name(name_node);
        let returns_it = returned.is_some_and(
            |returned| matches!(self.b.facts.exprs[returned.ix()], Expr::Free(of, _) if of == name),
        );
        let inner = self.b.facts.defs.iter().enumerate().skip(first).find(|(_, def)| {
            let is_it = matches!(def.kind, DefKind::Class | DefKind::Function);
            is_it && def.parent == wrapper && def.name == name
        });
        let Some((at, def)) = inner.filter(|_| returns_it) else { return false };
        let (def, is_class) = (DefId(at as u32), def.kind == DefKind::Class);
        self.b.bind(name, Space::Both, Binding::Def(def), node.start_byte());
        if self.level.is_file {
            let object = if is_class { Object::Class(def) } else { Object::Function(def) };
            self.objects.add(self.text(name_node), object);
        }
        self.documented = Some(def);
        true
    }

    /// `var x = exports.y = module.exports = …`: what else the variable is.
    fn assign_variable(&mut self, also: &[Target], name_node: Node<'_>, whole: Node<'_>) {
        let name = self.name(name_node);
        let text = self.text(name_node);
        for target in also {
            let used = self.b.lookup_unwritten(name, Space::Value, name_node.end_byte());
            match target {
                Target::Whole => {
                    self.objects.add_exports(Object::SameAs(text.into()));
                    self.named_whole(used, whole);
                }
                Target::Member(place) => self.named_member(place, used, whole),
                _ => {}
            }
        }
    }

    /// What a file offers when no name is asked for.
    pub(super) fn bind_default(&mut self, def: DefId) {
        let name = self.b.name("default");
        self.b.def_mut(def).flags.add(Flags::DEFAULT_EXPORT);
        self.b.bind_member(DefId::FILE, name, Space::Both, Binding::Def(def));
    }
}

/// Whether an object literal has functions.
fn holds_functions(value: Node<'_>) -> bool {
    kind(value) == Kind::Object
        && named_children(value).into_iter().any(|part| match kind(part) {
            Kind::MethodDefinition => true,
            Kind::Pair => part.child_by_field_id(fields().value).is_some_and(is_function),
            _ => false,
        })
}

fn doc_text(comment: &str) -> String {
    let inner = comment.trim_start_matches("/**").trim_end_matches("*/");
    let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.collect::<Vec<_>>().join("\n")
}
