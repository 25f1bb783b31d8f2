//! Functions and classes.

use super::kinds::{Kind, fields, kind};
use super::{Lower, named_children};
use crate::facts::{
    Binding, DefId, DefKind, ExprId, Flags, Name, Param, ParamKind, ScopeKind, Space, Visibility,
};
use tree_sitter::Node;

impl Lower<'_, '_> {
    pub(super) fn decorated(&mut self, node: Node<'_>) {
        let mut decorators = Vec::new();
        for part in named_children(node) {
            match kind(part) {
                Kind::Decorator => {
                    let Some(inner) = part.named_child(0) else { continue };
                    decorators.push((self.text(inner).to_owned(), self.expression(inner)));
                }
                Kind::FunctionDefinition => self.function(part, node, &decorators),
                Kind::ClassDefinition => self.class(part, node, &decorators),
                _ => self.statement(part),
            }
        }
    }

    pub(super) fn function(
        &mut self,
        node: Node<'_>,
        whole: Node<'_>,
        decorators: &[(String, ExprId)],
    ) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let class = self.class_around();
        let kind = if class.is_some() { DefKind::Method } else { DefKind::Function };
        let def = self.b.def(kind, name, whole.byte_range(), name_node.start_byte());
        let body = node.child_by_field_id(f.body);
        let signature = self.b.signature(node.start_byte()..head_end(node, body));
        let doc = body.and_then(|body| self.docstring(body));
        let mut flags = decorator_flags(decorators);
        // Most bodies need not be walked for it.
        let mentions_yield = |body: &Node<'_>| {
            let bytes = self.b.source.get(body.byte_range()).unwrap_or_default();
            bytes.windows(5).any(|word| word == b"yield")
        };
        if body.filter(mentions_yield).is_some_and(contains_yield) {
            flags.add(Flags::GENERATOR);
        }
        if self.text(node).starts_with("async") {
            flags.add(Flags::ASYNC);
        }
        let text = self.text(name_node);
        if matches!(text, "__new__" | "__init_subclass__" | "__class_getitem__") {
            flags.add(Flags::CLASS_METHOD);
        }
        self.b.bind(name, Space::Both, Binding::Def(def), name_node.start_byte());

        self.b.enter(def, ScopeKind::Function);
        self.type_params(def, node);
        let mut ty = node.child_by_field_id(f.return_type).map(|ty| self.annotation(ty));
        let gives_others = Flags::GENERATOR.0 | Flags::CONTEXT.0 | Flags::FIXTURE.0;
        if ty.is_none() && flags.0 & gives_others == 0 {
            ty = body.and_then(|body| self.documented_result(body));
            flags.add(if ty.is_some() { Flags::DOCUMENTED } else { Flags::default() });
        }
        let has_receiver = class.is_some() && !flags.has(Flags::STATIC);
        let params = node.child_by_field_id(f.parameters);
        let params = params.map(|params| self.parameters(def, params, has_receiver));
        let params = params.unwrap_or_default();
        let receiver = params.first().filter(|p| p.kind == ParamKind::Receiver).map(|p| p.name);
        let definition = self.b.def_mut(def);
        definition.signature = signature;
        definition.doc = doc;
        definition.visibility = visibility(text);
        definition.flags.add(flags);
        definition.params = params.into();
        definition.ty = ty;
        definition.decorators = decorators.iter().map(|(_, expr)| *expr).collect();
        let receiver = match (receiver, class) {
            (Some(receiver), Some(class)) => Some((receiver, class)),
            // A function inside a method still sees the method's receiver.
            _ => self.receivers.last().copied().flatten(),
        };
        self.receivers.push(receiver);
        if let Some(body) = body {
            self.statements(body);
        }
        self.receivers.pop();
        self.b.leave();
    }

    /// The class whose body is being walked, when directly in it.
    fn class_around(&self) -> Option<DefId> {
        let within = self.b.within();
        (self.b.facts.def(within).kind == DefKind::Class).then_some(within)
    }

    fn type_params(&mut self, def: DefId, node: Node<'_>) {
        let Some(list) = node.child_by_field_id(fields().type_parameters) else { return };
        let mut ids = Vec::new();
        for part in named_children(list) {
            let text = self.text(part);
            let name: String =
                text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let name = self.b.name(&name);
            let span = part.byte_range();
            let param = self.b.def_in(def, DefKind::TypeParam, name, span.clone(), span.start);
            self.b.bind(name, Space::Both, Binding::Def(param), span.start);
            ids.push(param);
        }
        self.b.def_mut(def).type_params = ids.into();
    }

    pub(super) fn parameters(
        &mut self,
        def: DefId,
        list: Node<'_>,
        has_receiver: bool,
    ) -> Vec<Param> {
        let f = fields();
        let mut params: Vec<Param> = Vec::new();
        for part in named_children(list) {
            let mut ty = part.child_by_field_id(f.type_).map(|ty| self.annotation(ty));
            let default = part.child_by_field_id(f.value).map(|value| self.expression(value));
            let mut param_kind = ParamKind::Plain;
            let named = match kind(part) {
                Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                    part.child_by_field_id(f.name)
                }
                Kind::TypedParameter => part.named_child(0),
                Kind::Identifier | Kind::ListSplatPattern | Kind::DictionarySplatPattern => {
                    Some(part)
                }
                _ => None,
            };
            let Some(mut named) = named else { continue };
            match kind(named) {
                Kind::ListSplatPattern => param_kind = ParamKind::Variadic,
                Kind::DictionarySplatPattern => param_kind = ParamKind::Keywords,
                _ => {}
            }
            if param_kind != ParamKind::Plain {
                let Some(inner) = named.named_child(0) else { continue };
                named = inner;
            }
            if has_receiver && params.is_empty() && param_kind == ParamKind::Plain {
                param_kind = ParamKind::Receiver;
            }
            if let Some(element) = ty.filter(|_| param_kind == ParamKind::Variadic) {
                ty = Some(self.b.type_ref(crate::facts::TypeRef::List(element)));
            }
            let name = self.name(named);
            let index = params.len() as u16;
            params.push(Param { name, ty, default, kind: param_kind });
            self.b.bind(name, Space::Both, Binding::Param { of: def, index }, named.start_byte());
        }
        params
    }

    pub(super) fn class(
        &mut self,
        node: Node<'_>,
        whole: Node<'_>,
        decorators: &[(String, ExprId)],
    ) {
        let f = fields();
        let Some(name_node) = node.child_by_field_id(f.name) else { return };
        let name = self.name(name_node);
        let def = self.b.def(DefKind::Class, name, whole.byte_range(), name_node.start_byte());
        let body = node.child_by_field_id(f.body);
        let signature = self.b.signature(node.start_byte()..head_end(node, body));
        let doc = body.and_then(|body| self.docstring(body));
        let mut bases = Vec::new();
        if let Some(list) = node.child_by_field_id(f.superclasses) {
            for base in named_children(list) {
                if kind(base) == Kind::KeywordArgument {
                    self.expression(base);
                } else {
                    self.calls_in_base(base);
                    bases.push(self.annotation(base));
                }
            }
        }
        let visibility = visibility(self.text(name_node));
        let definition = self.b.def_mut(def);
        definition.signature = signature;
        definition.doc = doc;
        definition.visibility = visibility;
        definition.bases = bases.into();
        definition.decorators = decorators.iter().map(|(_, expr)| *expr).collect();
        self.b.bind(name, Space::Both, Binding::Def(def), name_node.start_byte());
        self.b.enter(def, ScopeKind::Class);
        self.type_params(def, node);
        if let Some(body) = body {
            self.statements(body);
        }
        self.b.leave();
    }

    /// `class A(make_base())`: the call counts, though the base stays unknown.
    fn calls_in_base(&mut self, base: Node<'_>) {
        if kind(base) == Kind::Call {
            self.expression(base);
        }
    }

    pub(super) fn docstring(&mut self, body: Node<'_>) -> Option<Name> {
        let text = self.text(docstring_of(body)?).to_owned();
        self.b.doc(&text)
    }
}

/// The text in the quotes of the string that a body begins with.
pub(super) fn docstring_of(body: Node<'_>) -> Option<Node<'_>> {
    let first = named_children(body).into_iter().next()?;
    let string = first.named_child(0).filter(|_| kind(first) == Kind::ExpressionStatement)?;
    let contents = named_children(string).into_iter();
    let mut contents = contents.filter(|part| kind(*part) == Kind::StringContent);
    if kind(string) == Kind::String { contents.next() } else { None }
}

pub(super) fn visibility(name: &str) -> Visibility {
    if name.starts_with("__") && name.ends_with("__") {
        Visibility::Public
    } else if name.starts_with('_') {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

fn decorator_flags(decorators: &[(String, ExprId)]) -> Flags {
    let mut flags = Flags::default();
    for (text, _) in decorators {
        let path = text.split('(').next().unwrap_or(text).trim();
        let last = path.rsplit('.').next().unwrap_or(path);
        flags.add(match last {
            "staticmethod" => Flags::STATIC,
            "classmethod" => Flags::CLASS_METHOD,
            "property" | "cached_property" | "setter" | "getter" | "deleter" | "lazyproperty"
            | "abstractproperty" => Flags::PROPERTY,
            "contextmanager" | "asynccontextmanager" => Flags::CONTEXT,
            "fixture" | "yield_fixture" => Flags::FIXTURE,
            "overload" => Flags::OVERLOAD,
            "abstractmethod" => Flags::ABSTRACT,
            _ => Flags::DECORATED,
        });
    }
    flags
}

/// Whether a function's own body yields; functions inside it do not count.
/// Where the head of a definition ends: at its colon. Comments stand between that and the body.
fn head_end(node: Node<'_>, body: Option<Node<'_>>) -> usize {
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let mut cursor = node.walk();
    let colons = node.children(&mut cursor).filter(|it| it.kind() == ":" && it.end_byte() <= end);
    colons.last().map_or(end, |colon| colon.end_byte())
}

fn contains_yield(body: Node<'_>) -> bool {
    let mut cursor = body.walk();
    let mut depth = 0usize;
    loop {
        let node = cursor.node();
        match kind(node) {
            Kind::Yield => return true,
            Kind::FunctionDefinition | Kind::ClassDefinition | Kind::Lambda => {}
            _ if cursor.goto_first_child() => {
                depth += 1;
                continue;
            }
            _ => {}
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}
