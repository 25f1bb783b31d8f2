//! The edges of one file: which calls are bound, and the other relations.

use super::confidence::{self, Rule};
use super::eval::{Eval, Hit, doubt};
use super::layout::FileIx;
use super::overload::CallArguments;
use super::program::Word;
use super::symbols::Symbol;
use super::ty::{Gid, Ty};
use super::{Edge, EdgeKind, ExternalEdge, Node, Unresolved, WhyUnresolved};
use crate::facts::{Binding, Call, Def, DefId, DefKind, Expr, ExprId, Flags, ImportedName, Space};
use model::code::Provenance;
use std::cell::{Cell, RefCell};

/// What a callee turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callee {
    Def(Gid),
    /// A type; nothing is called.
    Conversion,
    Not(WhyUnresolved),
}

const UNKNOWN: Callee = Callee::Not(WhyUnresolved::Unknown);
const VALUE: Callee = Callee::Not(WhyUnresolved::Value);
const EXTERNAL: Callee = Callee::Not(WhyUnresolved::External);

/// What a file comes to.
pub(super) struct OfFile {
    pub edges: Vec<Edge>,
    pub unresolved: Vec<Unresolved>,
    pub external: Vec<ExternalEdge>,
}

pub(super) fn of_file(eval: &Eval<'_, '_>) -> OfFile {
    let asked = Cell::new(None);
    let mut found = EdgeCollector {
        eval,
        edges: Vec::new(),
        unresolved: Vec::new(),
        external: Vec::new(),
        asked,
        variants: RefCell::default(),
    };
    found.calls();
    found.imports();
    found.types();
    found.declared_elsewhere();
    found.routes();
    found.references();
    found.edges.sort_unstable();
    found.edges.dedup();
    found.external.sort_unstable();
    found.external.dedup();
    OfFile { edges: found.edges, unresolved: found.unresolved, external: found.external }
}

pub(super) struct EdgeCollector<'e, 'p, 'a> {
    pub eval: &'e Eval<'p, 'a>,
    pub edges: Vec<Edge>,
    pub external: Vec<ExternalEdge>,
    unresolved: Vec<Unresolved>,
    /// The call being bound, where its arguments help to tell functions apart.
    pub asked: Cell<Option<CallArguments<'a>>>,
    /// Further functions that the call being bound may mean; see [`super::variants`].
    variants: RefCell<Vec<Gid>>,
}

impl<'a> EdgeCollector<'_, '_, 'a> {
    pub(super) fn node(&self, def: DefId) -> Node {
        let facts = self.eval.file().facts;
        Node { file: self.given(self.eval.at), def: facts.symbol_around(def) }
    }

    /// A file's place in the list `link` was given.
    fn given(&self, file: FileIx) -> u32 {
        self.eval.program().given(file)
    }

    /// A file as a whole.
    pub(super) fn file_node(&self, file: FileIx) -> Node {
        Node { file: self.given(file), def: DefId::FILE }
    }

    pub(super) fn target(&self, gid: Gid) -> Node {
        let (file, def) = self.eval.program().place(gid);
        Node { file: self.given(file), def }
    }

    /// The same; of what has no name, the symbol around it.
    fn symbol_target(&self, gid: Gid) -> Node {
        let (file, def) = self.eval.program().place(gid);
        let def = self.eval.program().file(file).facts.symbol_around(def);
        Node { file: self.given(file), def }
    }

    /// An edge concluded from syntax, at a line and column.
    pub(super) fn inferred(
        &mut self,
        kind: EdgeKind,
        (source, target): (Node, Node),
        (line, col): (u32, u32),
        confidence: u8,
    ) {
        let provenance = Provenance::AstInferred;
        self.edges.push(Edge { kind, source, target, line, col, confidence, provenance });
    }

    fn calls(&mut self) {
        let facts = self.eval.file().facts;
        for (at, call) in facts.calls.iter().enumerate() {
            // `a[b]` need not be a call of anything.
            let is_operator = matches!(facts.exprs[call.expr.ix()], Expr::Index(..));
            let (callee, level) = self.eval.alone(|| self.callee(call));
            let source = self.node(call.within);
            match callee {
                Callee::Def(gid) if !self.eval.program().is_outside(gid) => {
                    self.bound(call, source, gid, level);
                    for variant in self.variants.take() {
                        self.bound(call, source, variant, level);
                    }
                }
                _ if is_operator => {}
                Callee::Def(_) => {
                    let why = WhyUnresolved::External;
                    self.unresolved.push(Unresolved { source, call: at as u32, why });
                }
                Callee::Conversion => {}
                Callee::Not(WhyUnresolved::External | WhyUnresolved::Unknown)
                    if self.calls_outside(call, source) => {}
                Callee::Not(why) => {
                    self.unresolved.push(Unresolved { source, call: at as u32, why });
                }
            }
        }
    }

    fn bound(&mut self, call: &Call, source: Node, gid: Gid, level: u8) {
        let target = self.target(gid);
        let confidence = confidence::of_doubt(level);
        let (line, col) = (call.line, call.col);
        self.inferred(EdgeKind::Calls, (source, target), (line, col), confidence);
        let is_test = self.eval.file().facts.def(source.def).flags.has(Flags::TEST);
        if is_test && !self.eval.program().def(gid).flags.has(Flags::TEST) {
            self.inferred(EdgeKind::Tests, (source, target), (line, col), confidence);
        }
    }

    fn callee(&self, call: &Call) -> Callee {
        let facts = self.eval.file().facts;
        let found = self.callee_by_name(call);
        let Callee::Def(gid) = found else { return found };
        match &facts.exprs[call.expr.ix()] {
            Expr::Call(_, args) | Expr::New(_, args) if self.eval.file().semantics.spaces => {
                self.overload(gid, CallArguments::of(args))
            }
            _ => found,
        }
    }

    /// The function of several of its name; of a class, its constructor.
    fn overload(&self, gid: Gid, asked: CallArguments<'_>) -> Callee {
        let eval = self.eval;
        let program = eval.program();
        let def = program.def(gid);
        let semantics = &eval.file().semantics;
        if def.kind.is_type() && !semantics.initializer.is_empty() {
            return Callee::Def(eval.constructor(gid, asked));
        }
        if def.kind == DefKind::Function && semantics.overloads && !program.is_outside(gid) {
            let siblings = program.siblings(eval.at, gid);
            return match eval.choose_among(&siblings, asked) {
                Some(gid) => Callee::Def(eval.body_of(gid)),
                None => self.first_of_variants(gid, asked.n_args),
            };
        }
        Callee::Def(eval.body_of(gid))
    }

    /// The first of the definitions of which a build takes one; the others are kept.
    fn first_of_variants(&self, gid: Gid, n_args: usize) -> Callee {
        let mut variants = self.variants_for(gid, n_args);
        if variants.is_empty() {
            return UNKNOWN;
        }
        self.eval.doubt_at_least(doubt::PARTIAL);
        let first = variants.remove(0);
        self.variants.replace(variants);
        Callee::Def(first)
    }

    fn callee_by_name(&self, call: &Call) -> Callee {
        match &self.eval.file().facts.exprs[call.expr.ix()] {
            Expr::Call(callee, args) => {
                let asked = self.eval.file().semantics.overloads.then(|| CallArguments::of(args));
                self.asked.set(asked);
                match self.definition(*callee, 0) {
                    VALUE => self.called_value(*callee, asked),
                    found => found,
                }
            }
            Expr::Index(base, index) => {
                let n_args = usize::from(call.n_args);
                let asked = CallArguments { n_args, args: std::slice::from_ref(index) };
                let word = self.eval.program().word(self.eval.at, call.name);
                self.called_member(&self.eval.expr(*base), word, Some(asked))
            }
            Expr::New(callee, _) => match self.definition(*callee, 0) {
                // `new` on something that is no class goes through a value,
                // but for a function whose name says what it is.
                Callee::Def(gid) if !self.constructs(gid) => UNKNOWN,
                found => found,
            },
            _ => UNKNOWN,
        }
    }

    /// `f(x)` of a value, in a language where that calls a member of it.
    fn called_value(&self, callee: ExprId, asked: Option<CallArguments<'a>>) -> Callee {
        if self.eval.file().semantics.called_by.is_empty() {
            return VALUE;
        }
        let on = self.eval.expr(callee);
        match self.called_member(&on, self.eval.caller(), asked) {
            found @ Callee::Def(_) if matches!(on, Ty::Value(..)) => found,
            _ => VALUE,
        }
    }

    /// A member of a value that is called, with these arguments.
    fn called_member(&self, on: &Ty, word: Word<'_>, asked: Option<CallArguments<'a>>) -> Callee {
        let eval = self.eval;
        let before = eval.called.replace(true);
        let outer = eval.asked.replace(asked);
        let found = self.member_definition(on, word);
        eval.asked.set(outer);
        eval.called.set(before);
        found
    }

    /// Whether `new` may be written before the name of a definition.
    fn constructs(&self, gid: Gid) -> bool {
        let def = self.eval.program().def(gid);
        let is_function = def.kind == DefKind::Function && !def.flags.has(Flags::ARROW);
        !def.kind.is_callable() || is_function && self.eval.file().semantics.calls_by_member
    }

    /// `f.call(…)`, `f.apply(…)`: the function that runs.
    fn called_by_member(&self, base: ExprId, name: &str, depth: u32) -> Option<Callee> {
        if !matches!(name, "call" | "apply") || !self.eval.file().semantics.calls_by_member {
            return None;
        }
        match self.eval.expr(base) {
            Ty::Itself(gid, _) | Ty::Method(gid, _)
                if matches!(
                    self.eval.program().def(gid).kind,
                    DefKind::Function | DefKind::Method | DefKind::Class
                ) =>
            {
                Some(self.definition(base, depth + 1))
            }
            _ => None,
        }
    }

    /// The definition a callee's last name stands for.
    pub(super) fn definition(&self, id: ExprId, depth: u32) -> Callee {
        let eval = self.eval;
        let program = eval.program();
        if depth > 8 {
            return UNKNOWN;
        }
        match &eval.file().facts.exprs[id.ix()] {
            Expr::Local(name, binds) => {
                if self.asked.get().is_some()
                    && eval.file().semantics.overloads
                    && let Some(method) = eval.imported_method(binds)
                {
                    let before = eval.asked.replace(self.asked.get());
                    let hit = eval.method_of_owner(method, program.word(eval.at, *name));
                    eval.asked.set(before);
                    return self.hit_definition(&hit);
                }
                let mut found = UNKNOWN;
                for bind in binds {
                    let bound = &eval.file().facts.binds[bind.ix()].to;
                    let callee = self.bound_definition(bound, depth);
                    match (found, callee) {
                        (Callee::Def(a), Callee::Def(b)) if a != b => {
                            let is_variant = |gid: Gid| program.def(gid).flags.has(Flags::OVERLOAD);
                            if is_variant(a) && !is_variant(b) {
                                found = callee;
                            } else if !is_variant(b) {
                                eval.doubt_at_least(doubt::PARTIAL);
                            }
                        }
                        (Callee::Def(_), Callee::Not(WhyUnresolved::Value)) => {
                            eval.doubt_at_least(doubt::SPLIT);
                        }
                        (Callee::Not(WhyUnresolved::Value), Callee::Def(_)) => {
                            eval.doubt_at_least(doubt::SPLIT);
                            found = callee;
                        }
                        (Callee::Not(_), _) => found = callee,
                        _ => {}
                    }
                }
                found
            }
            Expr::Free(name, home) => {
                let word = program.word(eval.at, *name);
                let before = eval.asked.replace(self.asked.get());
                let is_method = eval.file().semantics.calls_name_methods;
                let called = eval.called.replace(is_method || eval.called.get());
                let hit = eval.free_hit(*home, word);
                eval.called.set(called);
                eval.asked.set(before);
                self.hit_definition(&hit)
            }
            Expr::Member(base, name) => {
                let word = program.word(eval.at, *name);
                if let Some(found) = self.called_by_member(*base, word.text, depth) {
                    return found;
                }
                self.called_member(&eval.expr(*base), word, self.asked.get())
            }
            Expr::Super(_) => match eval.expr(id) {
                Ty::Meet(bases) => match bases.first() {
                    Some(Ty::Value(gid, _)) => self.callable(*gid),
                    _ => EXTERNAL,
                },
                _ => EXTERNAL,
            },
            Expr::This(_) => match eval.expr(id) {
                Ty::Value(gid, _) => self.callable(gid),
                _ => UNKNOWN,
            },
            Expr::Generic(inner, _) | Expr::Unwrap(inner) => self.definition(*inner, depth + 1),
            _ => UNKNOWN,
        }
    }

    fn bound_definition(&self, bound: &Binding, depth: u32) -> Callee {
        match bound {
            Binding::Def(_) | Binding::Import(_) => self.symbol_definition(
                self.eval.program().bound_symbol(self.eval.at, bound, Space::Value, 0),
            ),
            Binding::Var { value: Some(value), .. }
                if self.eval.file().semantics.follows_aliases =>
            {
                match &self.eval.file().facts.exprs[value.ix()] {
                    Expr::Local(..) | Expr::Free(..) | Expr::Member(..) => {
                        self.definition(*value, depth + 1)
                    }
                    _ => VALUE,
                }
            }
            _ => VALUE,
        }
    }

    fn symbol_definition(&self, symbol: Symbol) -> Callee {
        match symbol {
            Symbol::Def(gid) => self.callable(gid),
            Symbol::Module(_) | Symbol::Space(_) | Symbol::Unknown => UNKNOWN,
            Symbol::Outside => EXTERNAL,
        }
    }

    /// A definition, if calling it runs its body or makes a value of it.
    fn callable(&self, gid: Gid) -> Callee {
        let def = self.eval.program().def(gid);
        match def.kind {
            DefKind::Function | DefKind::Method if def.flags.has(Flags::PROPERTY) => {
                if self.eval.file().semantics.calls_read { Callee::Conversion } else { VALUE }
            }
            DefKind::Struct | DefKind::Interface if self.eval.file().semantics.types_convert => {
                Callee::Conversion
            }
            DefKind::Function
            | DefKind::Method
            | DefKind::Class
            | DefKind::Struct
            | DefKind::Enum
            | DefKind::Mixin
            | DefKind::Variant => Callee::Def(gid),
            DefKind::Alias => match self.eval.def_ty(gid) {
                Ty::Itself(of, _) if of != gid => self.callable(of),
                Ty::Outside => EXTERNAL,
                _ => UNKNOWN,
            },
            DefKind::Const if self.eval.file().semantics.follows_aliases => self.aliased(gid),
            DefKind::Field if self.is_in_object(gid) => self.aliased(gid),
            DefKind::Var | DefKind::Const | DefKind::Field => VALUE,
            DefKind::Interface if self.eval.program().is_outside(gid) => EXTERNAL,
            _ => UNKNOWN,
        }
    }

    /// Whether a field is one of an object that is written out, as `{ sign, verify }`.
    fn is_in_object(&self, gid: Gid) -> bool {
        let program = self.eval.program();
        let (file, _) = program.place(gid);
        let parent = program.file(file).facts.def(program.def(gid).parent);
        self.eval.file().semantics.follows_aliases && parent.kind == DefKind::Record
    }

    /// A constant that only names a function is that function.
    fn aliased(&self, gid: Gid) -> Callee {
        let program = self.eval.program();
        let (file, _) = program.place(gid);
        let def = program.def(gid);
        let [value] = def.values[..] else { return VALUE };
        let is_name = matches!(
            program.file(file).facts.exprs[value.ix()],
            Expr::Local(..) | Expr::Free(..) | Expr::Member(..)
        );
        if !is_name || def.ty.is_some() {
            return VALUE;
        }
        match self.eval.known_ty(gid) {
            Ty::Method(of, _) | Ty::Itself(of, _) => match program.def(of).kind {
                DefKind::Function | DefKind::Method | DefKind::Class => Callee::Def(of),
                _ => VALUE,
            },
            Ty::Outside => EXTERNAL,
            _ => VALUE,
        }
    }

    fn member_definition(&self, on: &Ty, word: Word<'_>) -> Callee {
        self.hit_definition(&self.eval.member(on, word))
    }

    fn hit_definition(&self, hit: &Hit) -> Callee {
        match hit {
            Hit::Def(gid, _) => self.callable(*gid),
            Hit::Module(_) | Hit::Space(_) | Hit::Unknown => UNKNOWN,
            Hit::Outside => EXTERNAL,
        }
    }

    fn imports(&mut self) {
        let program = self.eval.program();
        let facts = self.eval.file().facts;
        let imports = facts.imports.iter().enumerate();
        for (at, import) in imports.filter(|(_, it)| it.what != ImportedName::Documented) {
            let id = crate::facts::ImportId(at as u32);
            let space = if import.is_type_only { Space::Type } else { Space::Both };
            let symbol = program.import_symbol(self.eval.at, id, space, 0);
            let target = match symbol {
                Symbol::Def(gid) if !program.is_outside(gid) => match import.what {
                    // The module as a whole is the file that says what it is.
                    ImportedName::Module if !import.path.is_empty() => {
                        self.file_node(program.place(gid).0)
                    }
                    _ => self.symbol_target(gid),
                },
                Symbol::Module(module) => Node { file: self.given(module), def: DefId::FILE },
                _ => {
                    self.imports_outside(id);
                    continue;
                }
            };
            let source = self.node(import.home);
            let is_wildcard = import.what == ImportedName::Wildcard;
            let level =
                confidence::of(if is_wildcard { Rule::WildcardImport } else { Rule::Import });
            self.inferred(EdgeKind::Imports, (source, target), (import.line, 1), level);
        }
    }

    /// Who inherits from, implements and overrides what.
    fn types(&mut self) {
        let program = self.eval.program();
        let facts = self.eval.file().facts;
        for (at, def) in facts.defs.iter().enumerate() {
            let id = DefId(at as u32);
            let gid = self.eval.gid(id);
            if def.kind.is_type() {
                self.implemented_elsewhere(id);
            }
            if !(def.kind.is_type() || def.kind == DefKind::Impl) || def.bases.is_empty() {
                continue;
            }
            if def.kind == DefKind::Impl {
                // What a type of another file implements is said there; a type from
                // outside, a tuple or a reference has no node to say it of.
                if let Ty::Value(of, _) = self.eval.this(id)
                    && !program.is_outside(of)
                    && program.place(of).0 == self.eval.at
                {
                    self.inherits(self.target(of), gid, def);
                }
            } else {
                self.inherits(self.node(id), gid, def);
                self.inherits_outside(self.node(id), &def.bases, (def.name_line, def.name_col));
            }
            self.overrides(gid);
        }
    }

    /// An edge belongs to the file its source is in; so what blocks in other
    /// files implement for a type is said where the type is.
    fn implemented_elsewhere(&mut self, id: DefId) {
        let program = self.eval.program();
        let own = self.eval.file().facts.def(id);
        for holder in self.eval.types.holders(self.eval.gid(id)) {
            let is_elsewhere = program.place(*holder).0 != self.eval.at;
            if is_elsewhere && program.def(*holder).kind == DefKind::Impl {
                self.inherits(self.node(id), *holder, own);
            }
        }
    }

    /// `source` has the bases of `gid`, as is said at `place`.
    fn inherits(&mut self, source: Node, gid: Gid, place: &Def) {
        let program = self.eval.program();
        let kind = program.def(gid).kind;
        for base in self.eval.types.bases(gid) {
            let Ty::Value(base, _) = base else { continue };
            if program.is_outside(*base) {
                continue;
            }
            let is_contract = matches!(
                program.def(*base).kind,
                DefKind::Interface | DefKind::Trait | DefKind::Mixin
            );
            let is_own = matches!(kind, DefKind::Interface | DefKind::Trait | DefKind::Mixin);
            let kind =
                if is_contract && !is_own { EdgeKind::Implements } else { EdgeKind::Inherits };
            let target = self.target(*base);
            let sure = confidence::of(Rule::Declaration);
            self.inferred(kind, (source, target), (place.name_line, place.name_col), sure);
        }
    }

    fn overrides(&mut self, gid: Gid) {
        let program = self.eval.program();
        let (file, def) = program.place(gid);
        let facts = self.eval.file().facts;
        for (name, bind) in program.all_members(file, def) {
            let Binding::Def(member) = facts.binds[bind.ix()].to else { continue };
            let own = facts.def(member);
            if own.kind != DefKind::Method || own.flags.has(Flags::CONSTRUCTOR) {
                continue;
            }
            let word = Word { text: "", hash: name };
            if !super::budget::charge(1) {
                break;
            }
            for base in self.eval.types.bases(gid) {
                let (hit, level) = self.eval.alone(|| self.eval.member(base, word));
                if let Hit::Def(target, _) = hit
                    && program.def(target).kind == DefKind::Method
                    && !program.is_outside(target)
                {
                    let source = self.node(member);
                    let target = self.target(target);
                    let confidence = confidence::of_doubt(level.max(doubt::WRITTEN));
                    let place = (own.name_line, own.name_col);
                    self.inferred(EdgeKind::Overrides, (source, target), place, confidence);
                    break;
                }
            }
        }
    }
}
