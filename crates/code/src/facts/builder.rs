//! Collects the facts of one file while its tree is walked.
//!
//! The languages' own code calls this; it keeps the tables, the scopes and
//! the limits, and looks up names when the walk is over.

use super::mentions::{self, Spot};
use super::scopes::{NameLookup, Scopes, Use};
use super::{
    Bind, BindId, Binding, Call, Def, DefId, DefKind, Digest, Expr, ExprId, FactsProblem,
    FileFacts, Flags, Import, ImportId, Lines, Name, Relation, Rules, ScopeKind, Space, Span,
    TypeId, TypeRef,
};
use model::hash::Hash32;
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep expressions and blocks may nest before they are left out. Real
/// code stays below 60; a thread's stack holds about ten times this.
const MAX_DEPTH: u32 = 200;

/// Signatures and documentation are for reading, not for storing whole.
const MAX_SIGNATURE: usize = 240;
const MAX_DOC: usize = 400;

/// More than this in one file is data, not structure.
const MAX_RELATIONS: usize = 2_000;

/// Bindings one use of a name may mean: where assignments meet, or functions
/// share a name. In a file that has very many of them, fewer.
const MOST_BOUND: usize = 256;
const FEW_BOUND: usize = 8;
const MANY_BOUND: usize = 500_000;

pub struct Builder<'s> {
    pub source: &'s [u8],
    pub facts: FileFacts,
    lines: Lines,
    table: FxHashMap<Box<str>, Name>,
    scopes: Scopes,
    uses: Vec<Use>,
    /// Where names and receivers are written.
    spots: Vec<Spot>,
    /// What is assigned to.
    written: FxHashSet<ExprId>,
    values: FxHashMap<DefId, Vec<ExprId>>,
    /// The definitions around the present place, innermost last.
    around: Vec<DefId>,
    depth: u32,
}

/// Source has about one name to look up in so many bytes; lists that begin with
/// that length need not grow.
const BYTES_A_NAME: usize = 32;

impl<'s> Builder<'s> {
    pub fn new(language: &str, source: &'s [u8], rules: Rules) -> Self {
        let mut builder = Builder {
            source,
            facts: FileFacts { language: language.to_owned(), ..FileFacts::default() },
            lines: Lines::of(source),
            table: FxHashMap::default(),
            scopes: Scopes::new(rules),
            uses: Vec::with_capacity(source.len() / BYTES_A_NAME),
            spots: Vec::with_capacity(source.len() / BYTES_A_NAME),
            written: FxHashSet::default(),
            values: FxHashMap::default(),
            around: vec![DefId::FILE],
            depth: 0,
        };
        builder.facts.exprs.reserve(source.len() / BYTES_A_NAME);
        builder.facts.exprs.push(Expr::Opaque);
        builder.facts.types.push(TypeRef::Opaque);
        let nameless = builder.name("");
        let mut file = Def::new(nameless, DefKind::Module, DefId::FILE);
        let end = source.len() as u32;
        let (end_line, _) = builder.lines.at(end);
        file.span = Span { start_line: 1, end_line, start_byte: 0, end_byte: end };
        file.name_line = 1;
        file.name_col = 1;
        builder.facts.defs.push(file);
        builder
    }

    pub const OPAQUE: ExprId = ExprId(0);
    pub const OPAQUE_TYPE: TypeId = TypeId(0);

    pub fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.table.get(text) {
            return *name;
        }
        let name = Name(self.facts.names.len() as u32);
        self.facts.names.push(text.into());
        self.table.insert(text.into(), name);
        name
    }

    /// The name a text has, if it has one yet.
    pub fn known_name(&self, text: &str) -> Option<Name> {
        self.table.get(text).copied()
    }

    pub fn text(&self, name: Name) -> &str {
        self.facts.text(name)
    }

    pub fn position(&self, byte: usize) -> (u32, u32) {
        self.lines.at(byte as u32)
    }

    pub fn expr(&mut self, expr: Expr) -> ExprId {
        if expr == Expr::Opaque {
            return Self::OPAQUE;
        }
        self.facts.exprs.push(expr);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    /// A place for an expression that is known only after its parts.
    pub fn reserve(&mut self) -> ExprId {
        self.facts.exprs.push(Expr::Opaque);
        ExprId(self.facts.exprs.len() as u32 - 1)
    }

    pub fn fill(&mut self, id: ExprId, expr: Expr) {
        self.facts.exprs[id.ix()] = expr;
    }

    pub fn type_ref(&mut self, ty: TypeRef) -> TypeId {
        if ty == TypeRef::Opaque {
            return Self::OPAQUE_TYPE;
        }
        self.facts.types.push(ty);
        TypeId(self.facts.types.len() as u32 - 1)
    }

    pub fn trouble(&mut self, trouble: FactsProblem) {
        if self.facts.trouble.len() < 8 && !self.facts.trouble.contains(&trouble) {
            self.facts.trouble.push(trouble);
        }
    }

    /// Goes one level deeper, to be followed by `rise`; false where the file
    /// is nested beyond what is followed.
    #[must_use]
    pub fn dive(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.trouble(FactsProblem::TooDeep);
            return false;
        }
        self.depth += 1;
        true
    }

    pub fn rise(&mut self) {
        self.depth -= 1;
    }

    pub fn open(&mut self, kind: ScopeKind) {
        let owner = self.within();
        self.scopes.open(kind, owner);
    }

    pub fn close(&mut self) {
        self.scopes.close();
    }

    /// Runs `inside` in a scope of its own.
    pub fn block(&mut self, inside: impl FnOnce(&mut Self)) {
        self.open(ScopeKind::Block);
        inside(self);
        self.close();
    }

    /// Enters the body of a definition: a scope it owns.
    pub fn enter(&mut self, def: DefId, kind: ScopeKind) {
        self.around.push(def);
        self.scopes.open(kind, def);
    }

    pub fn leave(&mut self) {
        self.scopes.close();
        self.around.pop();
    }

    /// The innermost definition around the present place.
    pub fn within(&self) -> DefId {
        self.around.last().copied().unwrap_or(DefId::FILE)
    }

    /// The definitions around, innermost first.
    pub fn around(&self) -> impl Iterator<Item = DefId> + '_ {
        self.around.iter().rev().copied()
    }

    /// The type whose member is being written, if any.
    pub fn type_around(&self) -> Option<DefId> {
        self.around().find(|def| {
            let kind = self.facts.def(*def).kind;
            kind.is_type() && kind != DefKind::Record || kind == DefKind::Impl
        })
    }

    /// Makes a name known from byte `at` on, in the present scope.
    pub fn bind(&mut self, name: Name, space: Space, to: Binding, at: usize) -> BindId {
        let (scope, home) = self.scopes.target(self.scopes.hoists());
        self.bind_in(scope, home, name, space, to, at)
    }

    /// The same, belonging to the function around and not to the block.
    pub fn bind_hoisted(&mut self, name: Name, space: Space, to: Binding, at: usize) -> BindId {
        let (scope, home) = self.scopes.target(true);
        self.bind_in(scope, home, name, space, to, at)
    }

    /// The same, as a name of the module around.
    pub fn bind_global(&mut self, name: Name, space: Space, to: Binding, at: usize) -> BindId {
        let (scope, home) = self.scopes.module();
        self.bind_in(scope, home, name, space, to, at)
    }

    fn bind_in(
        &mut self,
        scope: u32,
        home: Option<DefId>,
        name: Name,
        space: Space,
        to: Binding,
        at: usize,
    ) -> BindId {
        let home = if matches!(to, Binding::Narrowed { .. } | Binding::Param { .. }) {
            None
        } else {
            home
        };
        let bind = self.member(home, name, space, to);
        self.scopes.declare(scope, name, at as u32, bind);
        bind
    }

    /// Makes a name known in the whole file that is no member for others.
    pub fn bind_private(&mut self, name: Name, space: Space, to: Binding) -> BindId {
        let bind = self.member(None, name, space, to);
        self.scopes.declare(self.scopes.current, name, 0, bind);
        bind
    }

    /// Makes a member that is reached through its home only.
    pub fn bind_member(&mut self, home: DefId, name: Name, space: Space, to: Binding) -> BindId {
        self.member(Some(home), name, space, to)
    }

    fn member(&mut self, home: Option<DefId>, name: Name, space: Space, to: Binding) -> BindId {
        self.facts.binds.push(Bind { name, space, home, to });
        BindId(self.facts.binds.len() as u32 - 1)
    }

    /// Whether new names of the present scope are members of a module or class.
    pub fn is_member_scope(&self) -> bool {
        self.scopes.target(self.scopes.hoists()).1.is_some()
    }

    /// A use of a name at a byte, looked up when the walk is over.
    pub fn lookup(&mut self, name: Name, space: Space, at: usize) -> ExprId {
        let expr = self.lookup_unwritten(name, space, at);
        self.spot(expr, at, space == Space::Type);
        expr
    }

    /// The same for a name that does not stand there as such.
    pub fn lookup_unwritten(&mut self, name: Name, space: Space, at: usize) -> ExprId {
        let expr = self.expr(Expr::Free(name, DefId::FILE));
        let scope = self.scopes.current;
        self.uses.push(Use { expr, name, scope, at: at as u32, space, is_called: false });
        expr
    }

    /// A name that is called.
    pub fn lookup_called(&mut self, name: Name, at: usize) -> ExprId {
        let expr = self.lookup(name, Space::Value, at);
        if let Some(wanted) = self.uses.last_mut() {
            wanted.is_called = true;
        }
        expr
    }

    /// The receiver, written at a byte.
    pub fn receiver(&mut self, at: usize) -> ExprId {
        let expr = self.expr(Expr::This(self.within()));
        self.spot(expr, at, false);
        expr
    }

    /// Says that an expression is assigned to.
    pub fn write(&mut self, target: ExprId) {
        if matches!(self.facts.exprs[target.ix()], Expr::Member(..)) {
            self.written.insert(target);
        }
    }

    fn spot(&mut self, expr: ExprId, at: usize, is_type: bool) {
        self.spots.push(Spot { expr, at: at as u32, within: self.within(), is_type });
    }

    pub fn import(&mut self, import: Import) -> ImportId {
        self.facts.imports.push(import);
        ImportId(self.facts.imports.len() as u32 - 1)
    }

    /// A module by a name that documentation gives it, which is no name of the code.
    pub fn documented(&mut self, name: Name, import: Import) -> ExprId {
        let import = self.import(import);
        let bind = self.member(None, name, Space::Both, Binding::Import(import));
        self.expr(Expr::Local(name, [bind].into()))
    }

    /// Adds a definition written at bytes `span`, named at byte `name_at`.
    pub fn def(
        &mut self,
        kind: DefKind,
        name: Name,
        span: std::ops::Range<usize>,
        name_at: usize,
    ) -> DefId {
        let parent = self.within();
        self.def_in(parent, kind, name, span, name_at)
    }

    pub fn def_in(
        &mut self,
        parent: DefId,
        kind: DefKind,
        name: Name,
        span: std::ops::Range<usize>,
        name_at: usize,
    ) -> DefId {
        let mut def = Def::new(name, kind, parent);
        let (start_line, _) = self.position(span.start);
        let (end_line, _) = self.position(span.end.saturating_sub(1).max(span.start));
        def.span =
            Span { start_line, end_line, start_byte: span.start as u32, end_byte: span.end as u32 };
        (def.name_line, def.name_col) = self.position(name_at);
        if self.facts.def(parent).flags.has(Flags::TEST) {
            def.flags.add(Flags::TEST);
        }
        let has_body = kind.is_symbol() && !matches!(kind, DefKind::Field | DefKind::Variant);
        if has_body && let Some(bytes) = self.source.get(span) {
            def.body = Some(Digest(Hash32::of(bytes).0));
        }
        self.facts.defs.push(def);
        DefId(self.facts.defs.len() as u32 - 1)
    }

    pub fn def_mut(&mut self, id: DefId) -> &mut Def {
        &mut self.facts.defs[id.ix()]
    }

    /// Adds something a definition returns, yields or is assigned.
    pub fn add_value(&mut self, def: DefId, value: ExprId) {
        let values = self.values.entry(def).or_default();
        if values.len() < 16 && !values.contains(&value) {
            values.push(value);
        }
    }

    /// Says what a definition holds, whatever was said before.
    pub fn set_value(&mut self, def: DefId, value: ExprId) {
        self.values.insert(def, vec![value]);
    }

    /// The first value a definition was given so far.
    pub fn value_of(&self, def: DefId) -> Option<ExprId> {
        self.values.get(&def)?.first().copied()
    }

    pub fn has_values(&self, def: DefId) -> bool {
        self.values.contains_key(&def)
    }

    /// The one-line form of the bytes of a declaration.
    pub fn signature(&mut self, span: std::ops::Range<usize>) -> Option<Name> {
        let bytes = self.source.get(span)?;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_SIGNATURE)]);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_end_matches(['{', ':', ' ', ';']);
        let cut = line[..line.floor_char_boundary(MAX_SIGNATURE)].to_owned();
        Some(self.name(&cut))
    }

    pub fn doc(&mut self, text: &str) -> Option<Name> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let cut = text[..text.floor_char_boundary(MAX_DOC)].to_owned();
        Some(self.name(&cut))
    }

    /// Records a call whose callee's name begins at byte `name_at`.
    pub fn call(&mut self, expr: ExprId, name: Name, name_at: usize, n_args: usize) {
        let (line, col) = self.position(name_at);
        let within = self.within();
        let n_args = u16::try_from(n_args).unwrap_or(u16::MAX);
        self.facts.calls.push(Call { expr, name, line, col, within, n_args });
    }

    /// Says that a definition relates to something it names.
    pub fn relate(&mut self, relation: Relation) {
        if self.facts.relations.len() < MAX_RELATIONS && !self.facts.relations.contains(&relation) {
            self.facts.relations.push(relation);
        }
    }

    /// What uses of names stand for, all scopes being known; in the order given.
    /// Empty for what is no use of a name, or of one that the file does not bind.
    pub fn bound_by(&mut self, exprs: &[ExprId]) -> Vec<Box<[BindId]>> {
        self.scopes.settle();
        let found = exprs.iter().map(|expr| {
            let at = self.uses.binary_search_by_key(expr, |wanted| wanted.expr);
            let wanted = at.ok().and_then(|at| self.uses.get(at));
            match wanted.map(|wanted| self.scopes.find(wanted, &self.facts.binds, FEW_BOUND)) {
                Some(NameLookup::Bound(binds)) => binds,
                Some(NameLookup::Free(_)) | None => Box::default(),
            }
        });
        found.collect()
    }

    pub fn finish(mut self) -> FileFacts {
        self.scopes.settle();
        let mut n_bound = 0;
        for wanted in std::mem::take(&mut self.uses) {
            let most = if n_bound < MANY_BOUND { MOST_BOUND } else { FEW_BOUND };
            let found = self.scopes.find(&wanted, &self.facts.binds, most);
            self.facts.exprs[wanted.expr.ix()] = match found {
                NameLookup::Bound(binds) => {
                    n_bound += binds.len();
                    Expr::Local(wanted.name, binds)
                }
                NameLookup::Free(module) => Expr::Free(wanted.name, module),
            };
        }
        for (def, values) in self.values.drain() {
            self.facts.defs[def.ix()].values = values.into();
        }
        self.facts.calls.sort_by_key(|call| (call.line, call.col, call.expr));
        self.facts.mentions = mentions::collect(&mentions::FileWalk {
            facts: &self.facts,
            lines: &self.lines,
            spots: &self.spots,
            written: &self.written,
            is_closed: self.scopes.is_closed(),
        });
        self.facts
    }
}
