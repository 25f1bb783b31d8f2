//! Types among themselves: what a written type means, who inherits from whom,
//! and in which order members are looked for.

use super::budget;
use super::layout::FileIx;
use super::names::hash;
use super::program::Program;
use super::questions::{Answers, Question, ask};
use super::symbols::Symbol;
use super::trail::{self, FileLookups};
use super::ty::{Args, Bindings, Gid, Ty, no_args};
use crate::facts::{DefId, DefKind, Expr, ExprId, FileFacts, Flags, Literal, TypeId, TypeRef};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::sync::{Arc, OnceLock};

const MAX_STEPS: u32 = 24;
/// Parts of one written type, aliases followed; aliases of aliases can be
/// written so that each doubles the one before.
const MAX_PARTS: u32 = 4_096;
/// Bases of bases that are followed.
const MAX_ANCESTORS: usize = 200;
/// Blocks and declarations that add members to one type.
const MAX_HOLDERS: usize = 2_000;

thread_local! {
    /// What is left of [`MAX_PARTS`].
    static PARTS_LEFT: Cell<u32> = const { Cell::new(MAX_PARTS) };
}

/// A type in the order of lookup, with its arguments in terms of the type
/// parameters of the one that was asked.
#[derive(Clone, Debug)]
pub(crate) struct Ancestor {
    pub gid: Gid,
    pub args: Args,
    /// A base before this one is not known, so it might hold the member too.
    pub is_doubtful: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Lineage {
    pub ancestors: Vec<Ancestor>,
    /// Some base is not in the repository, or not known.
    pub is_open: bool,
    /// What it was worked out from.
    looks: FileLookups,
}

pub(crate) struct Hierarchy<'p, 'a> {
    pub program: &'p Program<'a>,
    files: Vec<OnceLock<FileTypes>>,
    also: Holders,
    /// Blocks for every type that meets their bounds.
    blankets: Vec<Gid>,
}

/// More places that hold members of a type: `impl` blocks, merged declarations.
type Holders = FxHashMap<Gid, Vec<Gid>>;

/// The types of one file, worked out when somebody asks.
struct FileTypes {
    bases: OnceLock<Bases>,
    merged: OnceLock<Holders>,
    lineages: Vec<OnceLock<Arc<Lineage>>>,
}

/// What every definition of a file inherits from.
struct Bases {
    of: Vec<Box<[Ty]>>,
    looks: FileLookups,
}

impl<'p, 'a> Hierarchy<'p, 'a> {
    pub fn of(program: &'p Program<'a>) -> Self {
        let n_files = program.real().count() + crate::lang::ALL.len();
        let mut hierarchy = Hierarchy {
            program,
            files: (0..n_files).map(|_| OnceLock::new()).collect(),
            also: FxHashMap::default(),
            blankets: Vec::new(),
        };
        hierarchy.find_also();
        hierarchy
    }

    fn types_of(&self, file: FileIx) -> &FileTypes {
        self.files[file.ix()].get_or_init(|| FileTypes {
            bases: OnceLock::new(),
            merged: OnceLock::new(),
            lineages: self.program.file(file).facts.defs.iter().map(|_| OnceLock::new()).collect(),
        })
    }

    /// Where `impl` blocks and second declarations belong, of all files of
    /// the languages in which they can be anywhere.
    fn find_also(&mut self) {
        let program = self.program;
        let found: Vec<Vec<(Option<Gid>, Gid)>> = program
            .looked_at_whole()
            .into_par_iter()
            .map(|file_ix| {
                let file = program.file(file_ix);
                let impls = || self.impls_in(file_ix, file.facts);
                let (mut found, _) = trail::following(program.allowance(file_ix), impls);
                if file.semantics.merges {
                    found.extend(self.merged_in(file_ix, file.facts));
                }
                found
            })
            .collect();
        for (of, holder) in found.into_iter().flatten().chain(self.reopened()) {
            match of {
                Some(of) => self.also.entry(of).or_default().push(holder),
                None => self.blankets.push(holder),
            }
        }
        for holders in self.also.values_mut() {
            sort(program, holders);
            holders.truncate(MAX_HOLDERS);
        }
    }

    fn impls_in(&self, file: FileIx, facts: &FileFacts) -> Vec<(Option<Gid>, Gid)> {
        let mut found = Vec::new();
        for (at, def) in facts.defs.iter().enumerate() {
            if def.kind != DefKind::Impl {
                continue;
            }
            let gid = self.program.gid(file, DefId(at as u32));
            let Some(ty) = def.ty else { continue };
            match self.type_ref(file, ty) {
                Ty::Value(of, _) => found.push((Some(of), gid)),
                Ty::Param(_) => found.push((None, gid)),
                Ty::Meet(parts) => {
                    if let Some(Ty::Value(of, _)) = parts.first() {
                        found.push((Some(*of), gid));
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn merged_in(&self, file: FileIx, facts: &FileFacts) -> Vec<(Option<Gid>, Gid)> {
        let mut groups: FxHashMap<(DefId, u32), Vec<DefId>> = FxHashMap::default();
        for (at, def) in facts.defs.iter().enumerate().skip(1) {
            let can_merge = matches!(
                def.kind,
                DefKind::Class
                    | DefKind::Interface
                    | DefKind::Module
                    | DefKind::Enum
                    | DefKind::Function
            );
            if can_merge {
                groups.entry((def.parent, def.name.0)).or_default().push(DefId(at as u32));
            }
        }
        let mut found = Vec::new();
        for group in groups.into_values().filter(|group| group.len() > 1 && group.len() < 20) {
            for one in &group {
                let others = group.iter().filter(|other| *other != one);
                let gid = self.program.gid(file, *one);
                found.extend(others.map(|other| (Some(gid), self.program.gid(file, *other))));
            }
        }
        found.sort_unstable();
        found
    }

    /// Types written in several places under one name.
    fn reopened(&self) -> Vec<(Option<Gid>, Gid)> {
        let mut groups: FxHashMap<(usize, String), Vec<Gid>> = FxHashMap::default();
        for ix in self.program.looked_at_whole() {
            let file = self.program.file(ix);
            for (at, def) in file.facts.defs.iter().enumerate() {
                if def.flags.has(Flags::REOPENED) {
                    let id = DefId(at as u32);
                    let package = file.facts.def_name(DefId::FILE);
                    let path = format!("{package}.{}", file.facts.symbol_path(id));
                    let gid = self.program.gid(ix, id);
                    groups.entry((file.language, path)).or_default().push(gid);
                }
            }
        }
        let mut found = Vec::new();
        for group in groups.into_values().filter(|group| group.len() > 1 && group.len() < 100) {
            for one in &group {
                let others = group.iter().filter(|other| *other != one);
                found.extend(others.map(|other| (Some(*one), *other)));
            }
        }
        found.sort_unstable();
        found
    }

    pub fn bases(&self, gid: Gid) -> &[Ty] {
        let (file, def) = self.program.place(gid);
        let bases = self.types_of(file).bases.get_or_init(|| {
            let types = |ids: &[TypeId]| -> Box<[Ty]> {
                ids.iter().map(|id| self.type_ref(file, *id)).collect()
            };
            let facts = self.program.file(file).facts;
            let (of, looks) = trail::following(self.program.allowance(file), || {
                facts.defs.iter().map(|def| types(&def.bases)).collect()
            });
            Bases { of, looks }
        });
        trail::note_all(&bases.looks);
        bases.of.get(def.ix()).map_or(&[], |bases| bases)
    }

    /// The blocks for every type that meets their bounds.
    pub fn blankets(&self) -> &[Gid] {
        ask(blankets_question());
        &self.blankets
    }

    fn holders_question(&self, gid: Gid) -> Question {
        let (file, def) = self.program.place(gid);
        Question::about("holders").and_number(def.0).part(self.program.path(file))
    }

    /// What the files of the commit contribute to what types hold.
    pub fn answers(&self) -> Answers {
        let mut answers = self.program.answers();
        let mut says = |question, holder: Gid| {
            let (file, def) = self.program.place(holder);
            let order = u32::from(self.program.def(holder).bases.is_empty());
            answers.says(question, self.program.path(file), [def.0, order]);
        };
        for (of, holders) in &self.also {
            for holder in holders {
                says(self.holders_question(*of), *holder);
            }
        }
        for blanket in &self.blankets {
            says(blankets_question(), *blanket);
        }
        answers
    }

    pub fn holders(&self, gid: Gid) -> &[Gid] {
        let (file, _) = self.program.place(gid);
        if !self.program.is_by_path(file) {
            ask(self.holders_question(gid));
            return self.also.get(&gid).map_or(&[], Vec::as_slice);
        }
        let merged = self.types_of(file).merged.get_or_init(|| {
            let entry = self.program.file(file);
            let mut merged = Holders::default();
            if entry.semantics.merges {
                for (of, holder) in self.merged_in(file, entry.facts) {
                    if let Some(of) = of {
                        merged.entry(of).or_default().push(holder);
                    }
                }
            }
            for holders in merged.values_mut() {
                sort(self.program, holders);
            }
            merged
        });
        merged.get(&gid).map_or(&[], Vec::as_slice)
    }

    pub fn builtin(&self, file: FileIx, name: &str) -> Option<Gid> {
        self.program.builtin(self.program.file(file).language, hash(name))
    }

    /// The list or map of a file's language.
    pub fn list_of(&self, file: FileIx, element: Ty) -> Ty {
        let list = self.program.file(file).semantics.list;
        self.builtin(file, list).map_or(Ty::Outside, |gid| Ty::Value(gid, [element].into()))
    }

    pub fn map_of(&self, file: FileIx, key: Ty, value: Ty) -> Ty {
        let map = self.program.file(file).semantics.map;
        self.builtin(file, map).map_or(Ty::Outside, |gid| Ty::Value(gid, [key, value].into()))
    }

    pub fn literal(&self, file: FileIx, literal: Literal) -> Ty {
        let semantics = &self.program.file(file).semantics;
        let name = match literal {
            Literal::Nothing => return Ty::Nothing,
            Literal::Text => semantics.text,
            Literal::Bytes => semantics.bytes,
            Literal::Number => semantics.number,
            Literal::Float => semantics.float,
            Literal::Bool => semantics.boolean,
            Literal::Regex => semantics.regex,
            Literal::Character
            | Literal::Byte
            | Literal::Short
            | Literal::Long
            | Literal::Single => semantics.small_types.name_of(literal),
        };
        self.builtin(file, name).map_or(Ty::Outside, Ty::value)
    }

    /// What a written type means.
    pub fn type_ref(&self, file: FileIx, id: TypeId) -> Ty {
        PARTS_LEFT.set(MAX_PARTS);
        self.type_at(file, id, 0)
    }

    fn type_at(&self, file: FileIx, id: TypeId, steps: u32) -> Ty {
        let left = PARTS_LEFT.get();
        if steps > MAX_STEPS || left == 0 {
            return Ty::Unknown;
        }
        PARTS_LEFT.set(left - 1);
        let facts = self.program.file(file).facts;
        let one = |id: TypeId| self.type_at(file, id, steps + 1);
        let all = |ids: &[TypeId]| -> Args { ids.iter().map(|id| one(*id)).collect() };
        match &facts.types[id.ix()] {
            TypeRef::Opaque | TypeRef::Of(_) => Ty::Unknown,
            TypeRef::Named(path, args) => {
                let symbol = self.program.type_path(file, *path, 0);
                let symbol = self.carrier(file, *path, symbol, args.len());
                self.named(symbol, all(args), steps)
            }
            TypeRef::Union(parts) => Ty::either(all(parts).iter().cloned()),
            TypeRef::Meet(parts) => Ty::Meet(all(parts)),
            TypeRef::Tuple(parts) => Ty::Tuple(all(parts)),
            TypeRef::List(element) => self.list_of(file, one(*element)),
            TypeRef::Map(key, value) => self.map_of(file, one(*key), one(*value)),
            TypeRef::Function(params, result) => {
                let result = result.map_or(Ty::Unknown, one);
                Ty::Function(all(params), Arc::new(result))
            }
            TypeRef::Itself => Ty::This,
            TypeRef::Record(def) => Ty::value(self.program.gid(file, *def)),
            TypeRef::ClassOf(ty) => match one(*ty) {
                Ty::Value(gid, args) => Ty::Itself(gid, args),
                Ty::Outside => Ty::Outside,
                _ => Ty::Unknown,
            },
            TypeRef::AssocIs(name, ty) => {
                Ty::AssocIs(self.program.word(file, *name).hash, Arc::new(one(*ty)))
            }
            TypeRef::Assoc(ty, name) | TypeRef::Lookup(ty, name) => {
                Ty::Assoc(Arc::new(one(*ty)), self.program.word(file, *name).hash)
            }
            TypeRef::Literal(literal) => self.literal(file, *literal),
        }
    }

    /// A type of another repository that is called as a built-in one and takes
    /// arguments holds them as that one does.
    pub fn carrier(&self, file: FileIx, path: ExprId, symbol: Symbol, n_args: usize) -> Symbol {
        let semantics = &self.program.file(file).semantics;
        let is_outside = matches!(symbol, Symbol::Outside | Symbol::Unknown);
        if semantics.carriers.is_empty() || !is_outside || n_args == 0 {
            return symbol;
        }
        let facts = self.program.file(file).facts;
        let (Expr::Local(name, _) | Expr::Free(name, _) | Expr::Member(_, name)) =
            &facts.exprs[path.ix()]
        else {
            return symbol;
        };
        let name = facts.text(*name);
        let built_in = semantics.carriers.iter().find(|carrier| **carrier == name);
        let built_in = built_in.and_then(|carrier| self.builtin(file, carrier));
        built_in.map_or(symbol, Symbol::Def)
    }

    /// A named type with arguments.
    pub fn named(&self, symbol: Symbol, args: Args, steps: u32) -> Ty {
        if steps == 0 {
            PARTS_LEFT.set(MAX_PARTS);
        }
        match symbol {
            Symbol::Def(gid) => {
                let (file, _) = self.program.place(gid);
                let def = self.program.def(gid);
                match def.kind {
                    DefKind::Alias => {
                        let Some(ty) = def.ty else { return Ty::Unknown };
                        let ty = self.type_at(file, ty, steps + 1);
                        let bindings = self.bindings(gid, &args, None);
                        bindings.fill(&ty).bounded()
                    }
                    DefKind::TypeParam => Ty::Param(gid),
                    DefKind::Variant => Ty::value(self.program.gid(file, def.parent)),
                    kind if kind.is_type() => Ty::Value(gid, args),
                    // An object others take their members from.
                    DefKind::Var | DefKind::Const
                        if self.program.file(file).semantics.follows_aliases =>
                    {
                        self.program.object_of(gid).map_or(Ty::Unknown, Ty::value)
                    }
                    _ => Ty::Unknown,
                }
            }
            Symbol::Module(module) => Ty::Module(module),
            Symbol::Space(space) => Ty::Space(space),
            Symbol::Outside => Ty::Outside,
            Symbol::Unknown => Ty::Unknown,
        }
    }

    /// What the type parameters of a definition stand for, given arguments.
    pub fn bindings(&self, gid: Gid, args: &[Ty], this: Option<Ty>) -> Bindings {
        let (file, _) = self.program.place(gid);
        let params = &self.program.def(gid).type_params;
        let params = params
            .iter()
            .zip(args)
            .map(|(param, arg)| (self.program.gid(file, *param), arg.clone()))
            .collect();
        Bindings { this, params }
    }

    /// The order in which members of a type are looked for.
    pub fn lineage(&self, gid: Gid) -> Arc<Lineage> {
        let (file, def) = self.program.place(gid);
        let Some(slot) = self.types_of(file).lineages.get(def.ix()) else { return Arc::default() };
        let lineage = slot.get_or_init(|| {
            let allowance = self.program.allowance(file);
            let (lineage, looks) = trail::following(allowance, || self.lineage_anew(gid));
            Arc::new(Lineage { looks, ..lineage })
        });
        trail::note_all(&lineage.looks);
        lineage.clone()
    }

    fn lineage_anew(&self, gid: Gid) -> Lineage {
        let (file, _) = self.program.place(gid);
        let own: Args = self
            .program
            .def(gid)
            .type_params
            .iter()
            .map(|param| Ty::Param(self.program.gid(file, *param)))
            .collect();
        let mut lineage = Lineage::default();
        self.climb(gid, own, &mut lineage, 0);
        // A base shared by two bases comes after both of them.
        let mut known: FxHashSet<Gid> = FxHashSet::default();
        let mut ancestors = lineage.ancestors;
        ancestors.reverse();
        ancestors.retain(|ancestor| known.insert(ancestor.gid));
        ancestors.reverse();
        Lineage { ancestors, ..lineage }
    }

    fn climb(&self, gid: Gid, args: Args, lineage: &mut Lineage, steps: u32) {
        if steps > MAX_STEPS || lineage.ancestors.len() > MAX_ANCESTORS || !budget::charge(1) {
            return;
        }
        let args: Args = args.iter().map(|arg| arg.clone().bounded()).collect();
        let is_doubtful = lineage.is_open;
        lineage.ancestors.push(Ancestor { gid, args: args.clone(), is_doubtful });
        for holder in self.holders(gid) {
            let holder_args = self.holder_args(*holder, gid, &args);
            lineage.ancestors.push(Ancestor {
                gid: *holder,
                args: holder_args.clone(),
                is_doubtful,
            });
            self.climb_bases(*holder, &holder_args, lineage, steps);
        }
        self.climb_bases(gid, &args, lineage, steps);
    }

    fn climb_bases(&self, gid: Gid, args: &Args, lineage: &mut Lineage, steps: u32) {
        let bindings = self.bindings(gid, args, None);
        for base in self.bases(gid) {
            self.climb_base(&bindings.fill(base), lineage, steps);
        }
    }

    fn climb_base(&self, base: &Ty, lineage: &mut Lineage, steps: u32) {
        match base {
            Ty::Value(base, args) => self.climb(*base, args.clone(), lineage, steps + 1),
            Ty::Meet(parts) => {
                for part in parts.iter() {
                    self.climb_base(part, lineage, steps + 1);
                }
            }
            // A function type among bounds has no members to be looked for.
            Ty::Function(..) | Ty::Nothing => {}
            _ => lineage.is_open = true,
        }
    }

    /// The arguments of an `impl` block's own parameters, for a type's arguments.
    fn holder_args(&self, holder: Gid, of: Gid, args: &Args) -> Args {
        let (file, _) = self.program.place(holder);
        let def = self.program.def(holder);
        if def.kind != DefKind::Impl {
            return args.clone();
        }
        let Some(ty) = def.ty else { return no_args() };
        let mut bound = Vec::new();
        let written = match self.type_ref(file, ty) {
            Ty::Meet(parts) => parts.first().cloned().unwrap_or(Ty::Unknown),
            other => other,
        };
        if let Ty::Value(written, patterns) = written
            && written == of
        {
            for (pattern, arg) in patterns.iter().zip(args.iter()) {
                if let Ty::Param(param) = pattern {
                    bound.push((*param, arg.clone()));
                }
            }
        }
        let bindings = Bindings { this: None, params: bound };
        def.type_params
            .iter()
            .map(|param| bindings.fill(&Ty::Param(self.program.gid(file, *param))))
            .collect()
    }
}

fn blankets_question() -> Question {
    Question::about("blankets").part("")
}

/// A type's own methods come before those of its traits.
fn sort(program: &Program<'_>, holders: &mut [Gid]) {
    holders.sort_by_key(|gid| (!program.def(*gid).bases.is_empty(), *gid));
}
