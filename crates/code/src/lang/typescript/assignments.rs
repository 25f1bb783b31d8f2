//! What assignments define: `exports.x = …`, `module.exports = …`,
//! `X.prototype.m = …`, `X.m = …`.
//!
//! A name assigned twice is one symbol: that of the first assignment, to which
//! the functions assigned later belong. A function assigned to two names in one
//! statement is a symbol under each of them, for either may be asked for; the
//! further one returns what the first returns.

use super::Lower;
use super::functions::is_function;
use super::kinds::{Kind, fields, kind};
use super::objects::{MemberOwner, Object, Variable};
use super::settle::NamedMember;
use crate::facts::{
    Binding, Builder, DefId, DefKind, Expr, ExprId, Flags, ImportedName, Name, Param, Space,
};
use std::ops::Range;
use tree_sitter::Node;

/// Names assigned in one statement; more is no code anybody wrote.
const MOST_TARGETS: usize = 64;

/// What is on the left of an assignment.
#[derive(Clone)]
pub(super) enum Target {
    /// `module.exports`.
    Whole,
    /// `exports` by itself.
    Exports,
    Member(MemberPlace),
    /// `X.prototype`, of a class.
    Prototype(DefId),
    /// `X.prototype.__proto__`.
    Base(DefId),
    Other,
}

/// A member that is named somewhere.
#[derive(Clone)]
pub(super) struct MemberPlace {
    pub home: MemberOwner,
    pub name: Name,
    pub name_at: usize,
    /// As far as it is one: the path it can be given members by.
    pub path: Option<String>,
}

impl Lower<'_, '_> {
    fn target(&mut self, left: Node<'_>) -> Target {
        let f = fields();
        if kind(left) == Kind::Identifier {
            let is_exports = self.level.is_file && self.text(left) == "exports";
            return if is_exports { Target::Exports } else { Target::Other };
        }
        let named = match kind(left) {
            Kind::MemberExpression => left.child_by_field_id(f.property),
            Kind::SubscriptExpression => {
                left.child_by_field_id(f.index).filter(|index| kind(*index) == Kind::String)
            }
            _ => None,
        };
        let (Some(object), Some(named)) = (left.child_by_field_id(f.object), named) else {
            return Target::Other;
        };
        let name_text = self.text(named);
        if name_text == "prototype" {
            return self.class_of_prototype(left).map_or(Target::Other, Target::Prototype);
        }
        if let Some(class) = self.class_of_prototype(object) {
            if name_text == "__proto__" {
                return Target::Base(class);
            }
            let home = MemberOwner { def: class, is_static: false };
            let (name, name_at) = (self.name(named), named.start_byte());
            return Target::Member(MemberPlace { home, name, name_at, path: None });
        }
        if !self.level.is_file {
            return Target::Other;
        }
        let path = self.path(left);
        if path.as_deref() == Some("exports") {
            return Target::Whole;
        }
        let object = self.path(object);
        self.has_exports |= object.as_deref() == Some("exports");
        let home = object.and_then(|object| self.home(&object));
        match home {
            Some(home) => {
                let (name, name_at) = (self.name(named), named.start_byte());
                Target::Member(MemberPlace { home, name, name_at, path })
            }
            None => Target::Other,
        }
    }

    /// The class `X` where a node is `X.prototype`.
    pub(super) fn class_of_prototype(&self, node: Node<'_>) -> Option<DefId> {
        let owner = self.prototypes.owners.get(&node.id())?;
        let def = self.classes.get(owner).copied()?;
        (kind(node) == Kind::MemberExpression).then_some(def)
    }

    /// Everything on the left of a chain of assignments, and what is on its right.
    pub(super) fn assigned<'t>(&mut self, node: Node<'t>) -> (Vec<Target>, Option<Node<'t>>) {
        let f = fields();
        let mut targets = Vec::new();
        let mut value = Some(node);
        while let Some(at) = value.filter(|at| kind(*at) == Kind::AssignmentExpression) {
            if targets.len() >= MOST_TARGETS {
                return (Vec::new(), None);
            }
            let left = at.child_by_field_id(f.left);
            targets.push(left.map_or(Target::Other, |left| self.target(left)));
            value = at.child_by_field_id(f.right);
        }
        (targets, value)
    }

    /// An assignment that defines something; none for any other.
    pub(super) fn defining_assignment(
        &mut self,
        node: Node<'_>,
        whole: Node<'_>,
    ) -> Option<ExprId> {
        let (targets, value) = self.assigned(node);
        let defines = |target: &Target| !matches!(target, Target::Other | Target::Exports);
        let value = value?;
        if !targets.iter().any(defines) {
            return None;
        }
        self.written_targets(node);
        self.note_wrappers(value);
        let own_name = function_name(value).map(|name| self.text(name));
        let is_named = |this: &Self, target: &Target| match target {
            Target::Member(place) => Some(this.b.text(place.name)) == own_name,
            _ => false,
        };
        let first = targets.iter().position(|target| is_named(self, target));
        let first = first.or_else(|| targets.iter().position(defines))?;
        let (def, made) = match targets[first].clone() {
            Target::Whole => self.export_whole(value, whole),
            Target::Member(place) => self.member_value(&place, value, whole),
            Target::Prototype(class) => (None, self.set_prototype(class, value)),
            Target::Base(class) => {
                let base = self.expression(value);
                self.add_base(class, base);
                (None, base)
            }
            Target::Other | Target::Exports => (None, Builder::OPAQUE),
        };
        for (_, target) in targets.iter().enumerate().filter(|(at, _)| *at != first) {
            match target {
                Target::Whole => self.export_same(def, made, whole),
                Target::Member(place) => self.same_member(place, def, made, whole),
                _ => {}
            }
        }
        Some(made)
    }

    /// The names on the left are uses as well.
    fn written_targets(&mut self, node: Node<'_>) {
        let f = fields();
        let mut at = Some(node);
        while let Some(assignment) = at.filter(|at| kind(*at) == Kind::AssignmentExpression) {
            if let Some(left) = assignment.child_by_field_id(f.left) {
                let object = left.child_by_field_id(f.object);
                if let Some(object) = object.filter(|_| kind(left) == Kind::MemberExpression) {
                    self.expression(object);
                }
            }
            at = assignment.child_by_field_id(f.right);
        }
    }

    /// `module.exports = value`.
    fn export_whole(&mut self, value: Node<'_>, whole: Node<'_>) -> (Option<DefId>, ExprId) {
        if let Some((source, what)) = self.required_module(value) {
            let name = self.b.name(super::MODULE_VALUE);
            self.bind_import(MemberOwner::FILE, name, source, what);
            self.objects.add_exports(Object::Foreign);
            return (None, Builder::OPAQUE);
        }
        let name = self.b.name("default");
        match kind(value) {
            Kind::Identifier => {
                let made = self.expression(value);
                self.objects.add_exports(Object::SameAs(self.text(value).into()));
                self.named_whole(made, whole);
                (None, made)
            }
            Kind::Object => {
                let home = self.record(value);
                self.open_records.insert(home.def);
                self.objects.add_exports(Object::Record(home.def));
                self.export_object(home, value);
                self.bind_whole(Binding::Def(home.def));
                (None, self.b.expr(Expr::Nameless(home.def)))
            }
            Kind::Class => {
                let def = self.class(value, whole);
                if self.b.text(self.b.facts.def(def).name).is_empty() {
                    self.b.def_mut(def).name = name;
                }
                self.objects.add_exports(Object::Class(def));
                (Some(def), self.exported_def(def))
            }
            _ if is_function(value) => {
                let own = function_name(value);
                let at = own.map_or(value.start_byte(), |own| own.start_byte());
                let name = own.map_or(name, |own| self.name(own));
                let def = self.function_def(MemberOwner::FILE, name, at, value, whole.byte_range());
                let object = match self.b.facts.def(def).kind {
                    DefKind::Class => Object::Class(def),
                    _ => Object::Function(def),
                };
                self.objects.add_exports(object);
                (Some(def), self.exported_def(def))
            }
            _ => {
                let whole_name = self.b.name(super::MODULE_VALUE);
                let known = self.member_of(DefId::FILE, whole_name);
                let made = self.expression(value);
                let def = match known {
                    Some(known) => known,
                    None => {
                        let span = whole.byte_range();
                        let at = value.start_byte();
                        let def = self.b.def(DefKind::Const, name, span.clone(), at);
                        self.exported_def(def);
                        let parent = self.b.within();
                        self.objects.variables.push(Variable {
                            bind: None,
                            def: Some(def),
                            parent,
                            name,
                            span,
                            name_at: at,
                            value: made,
                            record: None,
                            def_kind: DefKind::Const,
                        });
                        let at = self.objects.variables.len() - 1;
                        self.objects.add_exports(Object::Variable(at));
                        def
                    }
                };
                if made != Builder::OPAQUE {
                    self.b.add_value(def, made);
                }
                (Some(def), made)
            }
        }
    }

    /// Makes a definition what the file exports as a whole.
    fn exported_def(&mut self, def: DefId) -> ExprId {
        self.b.def_mut(def).flags.add(Flags::DEFAULT_EXPORT);
        let name = self.b.name(super::MODULE_VALUE);
        self.members.entry((DefId::FILE, name)).or_insert(def);
        self.bind_whole(Binding::Def(def));
        self.def_value(def)
    }

    pub(super) fn bind_whole(&mut self, to: Binding) {
        let name = self.b.name(super::MODULE_VALUE);
        self.b.bind_member(DefId::FILE, name, Space::Both, to);
    }

    /// A definition as the value of an expression.
    fn def_value(&mut self, def: DefId) -> ExprId {
        let name = self.b.name("");
        let bind = self.b.bind_private(name, Space::Both, Binding::Def(def));
        self.b.expr(Expr::Local(name, [bind].into()))
    }

    /// The file exports what a name stands for.
    pub(super) fn named_whole(&mut self, value: ExprId, whole: Node<'_>) {
        let name = self.b.name(super::MODULE_VALUE);
        let (span, name_at) = (whole.byte_range(), whole.start_byte());
        let home = MemberOwner::FILE;
        self.named_members.push(NamedMember { home, name, value, span, name_at });
    }

    /// `module.exports = X.m = value`: the file exports what the member is.
    fn export_same(&mut self, def: Option<DefId>, made: ExprId, whole: Node<'_>) {
        match def {
            Some(def) => {
                let object = match self.b.facts.def(def).kind {
                    DefKind::Class => Object::Class(def),
                    kind if kind.is_callable() => Object::Function(def),
                    _ => Object::Foreign,
                };
                self.objects.add_exports(object);
                self.exported_def(def);
            }
            None => self.named_whole(made, whole),
        }
    }

    /// A further name of what was assigned.
    fn same_member(
        &mut self,
        place: &MemberPlace,
        def: Option<DefId>,
        made: ExprId,
        whole: Node<'_>,
    ) {
        let Some(def) = def else {
            if matches!(self.b.facts.exprs[made.ix()], Expr::Free(..)) {
                self.named_member(place, made, whole);
            }
            return;
        };
        if self.member_of(place.home.def, place.name).is_some() {
            return;
        }
        let first = self.b.facts.def(def);
        if !matches!(first.kind, DefKind::Function | DefKind::Method) || first.name == place.name {
            self.members.insert((place.home.def, place.name), def);
            self.b.bind_member(place.home.def, place.name, Space::Both, Binding::Def(def));
            return;
        }
        let (flags, signature) = (first.flags, first.signature);
        let params = first.params.iter();
        let params: Vec<Param> =
            params.map(|param| Param { ty: None, default: None, ..param.clone() }).collect();
        let other = self.callable_def(place.home, place.name, place.name_at, whole.byte_range());
        let made = self.b.def_mut(other);
        made.flags.add(Flags(flags.0 & (Flags::ASYNC.0 | Flags::PROPERTY.0)));
        made.signature = signature;
        made.params = params.into();
        let first = self.def_value(def);
        let result = self.b.expr(Expr::Call(first, Box::default()));
        self.b.add_value(other, result);
    }

    /// `X.m = value`.
    fn member_value(
        &mut self,
        place: &MemberPlace,
        value: Node<'_>,
        whole: Node<'_>,
    ) -> (Option<DefId>, ExprId) {
        let MemberPlace { home, name, name_at, .. } = *place;
        if let Some((source, what)) = self.required_module(value) {
            self.bind_import(home, name, source, what);
            return (None, Builder::OPAQUE);
        }
        let known = self.member_of(home.def, name);
        match kind(value) {
            Kind::Identifier => {
                let made = self.expression(value);
                if known.is_none() {
                    self.named_member(place, made, whole);
                    if let Some(path) = &place.path {
                        let same = Object::SameAs(self.text(value).into());
                        self.objects.add(path, same);
                    }
                }
                (None, made)
            }
            Kind::Class if known.is_none() => {
                let def = self.class(value, whole);
                self.b.def_mut(def).name = name;
                if home.def != DefId::FILE {
                    self.b.def_mut(def).parent = home.def;
                }
                self.members.insert((home.def, name), def);
                self.b.bind_member(home.def, name, Space::Both, Binding::Def(def));
                self.add_object(place, Object::Class(def));
                (Some(def), self.def_value(def))
            }
            _ if is_function(value) => {
                let def = self.function_def(home, name, name_at, value, whole.byte_range());
                let object = match self.b.facts.def(def).kind {
                    DefKind::Class => Object::Class(def),
                    _ => Object::Function(def),
                };
                self.add_object(place, object);
                (Some(def), self.def_value(def))
            }
            Kind::Undefined | Kind::Null | Kind::UnaryExpression => {
                // `exports.x = void 0`: a place for what comes later.
                (None, self.expression(value))
            }
            _ if self.b.text(name) == "__esModule" => (None, self.expression(value)),
            _ => {
                let made = self.expression(value);
                let def = known.unwrap_or_else(|| self.value_def(place, whole.byte_range()));
                let is_value = matches!(
                    self.b.facts.def(def).kind,
                    DefKind::Const | DefKind::Var | DefKind::Field
                );
                if is_value && made != Builder::OPAQUE {
                    self.b.add_value(def, made);
                }
                if known.is_none()
                    && let Some(path) = &place.path
                {
                    let variable = Variable {
                        bind: None,
                        def: Some(def),
                        parent: home.def,
                        name,
                        span: whole.byte_range(),
                        name_at,
                        value: made,
                        record: None,
                        def_kind: DefKind::Field,
                    };
                    self.objects.variables.push(variable);
                    let at = self.objects.variables.len() - 1;
                    self.objects.add(path, Object::Variable(at));
                    if kind(value) == Kind::Object {
                        self.hold_object(made, def);
                    }
                }
                (Some(def), made)
            }
        }
    }

    fn add_object(&mut self, place: &MemberPlace, object: Object) {
        if let Some(path) = &place.path {
            self.objects.add(path, object);
        }
    }

    /// The members of an object literal are named after what holds it.
    pub(super) fn hold_object(&mut self, value: ExprId, holder: DefId) {
        if let Expr::Nameless(record) = self.b.facts.exprs[value.ix()]
            && self.b.facts.def(record).kind == DefKind::Record
        {
            self.b.def_mut(record).parent = holder;
        }
    }

    /// A member that holds a value.
    pub(super) fn value_def(&mut self, place: &MemberPlace, span: Range<usize>) -> DefId {
        let is_export = place.home == MemberOwner::FILE;
        let def_kind = if is_export { DefKind::Const } else { DefKind::Field };
        let parent = if is_export { self.b.within() } else { place.home.def };
        let def = self.b.def_in(parent, def_kind, place.name, span, place.name_at);
        if place.home.is_static {
            self.b.def_mut(def).flags.add(Flags::STATIC);
        }
        self.members.insert((place.home.def, place.name), def);
        self.b.bind_member(place.home.def, place.name, Space::Value, Binding::Def(def));
        def
    }

    pub(super) fn named_member(&mut self, place: &MemberPlace, value: ExprId, whole: Node<'_>) {
        let MemberPlace { home, name, name_at, .. } = *place;
        self.named_members.push(NamedMember {
            home,
            name,
            value,
            span: whole.byte_range(),
            name_at,
        });
    }

    /// A member of an object that is what a name stands for.
    pub(super) fn exported_member(
        &mut self,
        home: MemberOwner,
        name: Name,
        value: ExprId,
        at: Node<'_>,
    ) {
        let (span, name_at) = (at.byte_range(), at.start_byte());
        self.named_members.push(NamedMember { home, name, value, span, name_at });
    }

    /// A function that is a member, without its body.
    fn callable_def(
        &mut self,
        home: MemberOwner,
        name: Name,
        name_at: usize,
        span: Range<usize>,
    ) -> DefId {
        let is_export = home == MemberOwner::FILE;
        let def_kind = if is_export { DefKind::Function } else { DefKind::Method };
        let parent = if is_export { self.b.within() } else { home.def };
        let def = self.b.def_in(parent, def_kind, name, span, name_at);
        if home.is_static {
            self.b.def_mut(def).flags.add(Flags::STATIC);
        }
        self.members.insert((home.def, name), def);
        self.b.bind_member(home.def, name, Space::Value, Binding::Def(def));
        def
    }

    /// A function that is assigned to a member.
    pub(super) fn function_def(
        &mut self,
        home: MemberOwner,
        name: Name,
        name_at: usize,
        function: Node<'_>,
        span: Range<usize>,
    ) -> DefId {
        if let Some(known) = self.member_of(home.def, name) {
            // Another body for the same name.
            let nameless = self.b.name("");
            let at = function.start_byte();
            let range = function.byte_range();
            let lambda = self.b.def_in(known, DefKind::Lambda, nameless, range, at);
            self.callable(lambda, function, None);
            return known;
        }
        if self.is_constructor(function, name) {
            let parent = if home == MemberOwner::FILE { self.b.within() } else { home.def };
            let class = self.class_def(parent, name, name_at, function, span);
            self.members.insert((home.def, name), class);
            self.b.bind_member(home.def, name, Space::Both, Binding::Def(class));
            self.constructor(class, function);
            return class;
        }
        let def = self.callable_def(home, name, name_at, span.clone());
        let body = function.child_by_field_id(fields().body);
        let end = body.map_or(function.end_byte(), |body| body.start_byte());
        let signature = self.b.signature(span.start..end);
        self.b.def_mut(def).signature = signature;
        let before = std::mem::replace(&mut self.level.gives_exports, home == MemberOwner::FILE);
        self.callable(def, function, None);
        self.level.gives_exports = before;
        def
    }

    /// `require("y")` and `require("y").z`.
    pub(super) fn required_module<'t>(
        &mut self,
        value: Node<'t>,
    ) -> Option<(Node<'t>, ImportedName)> {
        let f = fields();
        match kind(value) {
            Kind::CallExpression => {
                let is_require = value
                    .child_by_field_id(f.function)
                    .is_some_and(|function| self.text(function) == "require");
                let source =
                    value.child_by_field_id(f.arguments).and_then(|list| list.named_child(0))?;
                (is_require && kind(source) == Kind::String)
                    .then_some((source, ImportedName::Module))
            }
            Kind::MemberExpression => {
                let object = value.child_by_field_id(f.object)?;
                if kind(object) != Kind::CallExpression {
                    return None;
                }
                let (source, _) = self.required_module(object)?;
                let property = value.child_by_field_id(f.property)?;
                let name = self.name(property);
                Some((source, self.imported(name)))
            }
            _ => None,
        }
    }
}

/// The name a function expression gives itself.
pub(super) fn function_name(node: Node<'_>) -> Option<Node<'_>> {
    match kind(node) {
        Kind::FunctionExpression | Kind::GeneratorFunction => node.child_by_field_id(fields().name),
        _ => None,
    }
}
