//! What linking made of a file, in the form that is kept.
//!
//! With it a later run can tell whether the file must be linked again: it must
//! when it changed, or when another file it was concluded from looks different
//! now (`interface`, or what is known of its definitions).

use super::eval::InferredType;
use super::layout::FileIx;
use super::program::Program;
use super::questions::Question;
use super::trail::Looks;
use super::ty::{Args, Gid, SpaceRef, Ty};
use crate::facts::DefId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A file by the hash of its path: eight bytes as they are, which packs better
/// than a number.
pub type PathKey = [u8; 8];

pub fn path_key(path: &str) -> PathKey {
    super::names::hash(path).to_be_bytes()
}

/// The conclusions about one file and what they rest on.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Over what other files can see of the file's facts.
    pub interface: u64,
    /// The files it was concluded from, itself left out; sorted.
    pub reads: Vec<PathKey>,
    /// The questions that were asked, as distances between them in order.
    asked: Vec<u32>,
    /// Those of the files that `known` names.
    mentions: Vec<PathKey>,
    /// What was known of its definitions, and from which round on.
    known: Vec<KeptKnown>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct KeptKnown {
    def: DefId,
    round: u8,
    doubt: u8,
    ty: KeptTy,
}

/// A definition: 0 is this file, then those of `mentions`; preludes count down
/// from the greatest number.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct KeptDef(u32, u32);

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum KeptTy {
    Unknown,
    Nothing,
    Outside,
    Module(u32),
    Space(u32, String),
    Itself(KeptDef, Vec<KeptTy>),
    Value(KeptDef, Vec<KeptTy>),
    Method(KeptDef, Box<KeptTy>),
    Param(KeptDef),
    This,
    Tuple(Vec<KeptTy>),
    Function(Vec<KeptTy>, Box<KeptTy>),
    Either(Vec<KeptTy>),
    Meet(Vec<KeptTy>),
    Assoc(Box<KeptTy>, u64),
    AssocIs(u64, Box<KeptTy>),
}

/// What is known of a file's definitions, round by round: by definition and
/// round.
pub(super) type History = Vec<(DefId, u8, InferredType)>;

impl Outcome {
    pub fn encode(&self) -> Vec<u8> {
        // As for facts: a growing vector cannot fail.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// None when the bytes are not of this version of lore.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// The questions that were asked, in order.
    pub fn asked(&self) -> impl Iterator<Item = Question> + '_ {
        let add = |last: &mut u32, distance: &u32| {
            *last = last.wrapping_add(*distance);
            Some(Question(*last))
        };
        self.asked.iter().scan(0, add)
    }

    /// Whether other files would conclude the same from the definitions.
    pub(super) fn knows_the_same(&self, other: &Outcome) -> bool {
        self.known == other.known && self.mentions == other.mentions
    }
}

/// Brings conclusions about a file into the form that is kept.
pub(super) fn keep(
    program: &Program<'_>,
    own: FileIx,
    looks: &Looked,
    history: &History,
) -> Outcome {
    let keyed = |mut files: Vec<FileIx>| {
        files.retain(|file| *file != own && !program.is_prelude(*file));
        files.sort_unstable();
        files.dedup();
        let mut keyed: Vec<(PathKey, FileIx)> =
            files.into_iter().map(|file| (path_key(program.path(file)), file)).collect();
        keyed.sort_unstable();
        keyed
    };
    let keys = |keyed: &[(PathKey, FileIx)]| -> Vec<PathKey> {
        keyed.iter().map(|(key, _)| *key).collect()
    };
    let mut files = Vec::new();
    for (.., known) in history {
        mentioned(program, &known.ty, &mut files);
    }
    let mentions = keyed(files.clone());
    files.extend(&looks.files);
    let places =
        mentions.iter().enumerate().map(|(at, (_, file))| (*file, at as u32 + 1)).collect();
    let keeper = Keeper { program, own, places };
    let known = history.iter().map(|(def, round, known)| KeptKnown {
        def: *def,
        round: *round,
        doubt: known.doubt,
        ty: keeper.ty(&known.ty),
    });
    Outcome {
        known: known.collect(),
        reads: keys(&keyed(files)),
        asked: distances(&looks.asked),
        mentions: keys(&mentions),
        ..Outcome::default()
    }
}

/// What was looked at on the way to conclusions.
#[derive(Default)]
pub(crate) struct Looked {
    pub files: FxHashSet<FileIx>,
    pub asked: FxHashSet<Question>,
    /// Some of it took more steps than allowed, and was not finished.
    pub is_cut: bool,
}

impl Looked {
    pub fn add(&mut self, looks: &Looks) {
        self.files.extend(&looks.files);
        self.asked.extend(&looks.asked);
        self.is_cut |= looks.is_cut;
    }
}

fn distances(asked: &FxHashSet<Question>) -> Vec<u32> {
    let mut asked: Vec<u32> = asked.iter().map(|question| question.0).collect();
    asked.sort_unstable();
    let mut last = 0;
    for question in &mut asked {
        (*question, last) = (*question - last, *question);
    }
    asked
}

/// The files a type names.
fn mentioned(program: &Program<'_>, ty: &Ty, files: &mut Vec<FileIx>) {
    match ty {
        Ty::Module(file) => files.push(*file),
        Ty::Space(space) => files.push(space.from),
        Ty::Itself(gid, _) | Ty::Value(gid, _) | Ty::Method(gid, _) | Ty::Param(gid) => {
            files.push(program.place(*gid).0);
        }
        _ => {}
    }
    match ty {
        Ty::Itself(_, parts)
        | Ty::Value(_, parts)
        | Ty::Tuple(parts)
        | Ty::Either(parts)
        | Ty::Meet(parts) => parts.iter().for_each(|part| mentioned(program, part, files)),
        Ty::Function(params, result) => {
            params.iter().for_each(|part| mentioned(program, part, files));
            mentioned(program, result, files);
        }
        Ty::Method(_, inner) | Ty::Assoc(inner, _) | Ty::AssocIs(_, inner) => {
            mentioned(program, inner, files);
        }
        _ => {}
    }
}

struct Keeper<'p, 'a> {
    program: &'p Program<'a>,
    own: FileIx,
    places: FxHashMap<FileIx, u32>,
}

impl Keeper<'_, '_> {
    fn file(&self, file: FileIx) -> u32 {
        if file == self.own {
            return 0;
        }
        match self.program.prelude_number(file) {
            Some(language) => u32::MAX - language,
            None => self.places.get(&file).copied().unwrap_or(0),
        }
    }

    fn def(&self, gid: Gid) -> KeptDef {
        let (file, def) = self.program.place(gid);
        KeptDef(self.file(file), def.0)
    }

    fn all(&self, parts: &[Ty]) -> Vec<KeptTy> {
        parts.iter().map(|part| self.ty(part)).collect()
    }

    fn ty(&self, ty: &Ty) -> KeptTy {
        match ty {
            Ty::Unknown => KeptTy::Unknown,
            Ty::Space(space) => {
                let name = self.program.layout(space.from).space_name(space.id).unwrap_or_default();
                KeptTy::Space(self.file(space.from), name.to_owned())
            }
            Ty::Nothing => KeptTy::Nothing,
            Ty::Outside => KeptTy::Outside,
            Ty::Module(file) => KeptTy::Module(self.file(*file)),
            Ty::Itself(gid, args) => KeptTy::Itself(self.def(*gid), self.all(args)),
            Ty::Value(gid, args) => KeptTy::Value(self.def(*gid), self.all(args)),
            Ty::Method(gid, on) => KeptTy::Method(self.def(*gid), Box::new(self.ty(on))),
            Ty::Param(gid) => KeptTy::Param(self.def(*gid)),
            Ty::This => KeptTy::This,
            Ty::Tuple(parts) => KeptTy::Tuple(self.all(parts)),
            Ty::Function(params, result) => {
                KeptTy::Function(self.all(params), Box::new(self.ty(result)))
            }
            Ty::Either(parts) => KeptTy::Either(self.all(parts)),
            Ty::Meet(parts) => KeptTy::Meet(self.all(parts)),
            Ty::Assoc(of, name) => KeptTy::Assoc(Box::new(self.ty(of)), *name),
            Ty::AssocIs(name, is) => KeptTy::AssocIs(*name, Box::new(self.ty(is))),
        }
    }
}

/// The conclusions about a file as the linker has them.
pub(super) fn restore(program: &Program<'_>, own: FileIx, outcome: &Outcome) -> History {
    let reader = Restorer { program, own, mentions: &outcome.mentions };
    outcome
        .known
        .iter()
        .map(|kept| {
            let ty = reader.ty(&kept.ty).unwrap_or(Ty::Unknown);
            (kept.def, kept.round, InferredType { ty, doubt: kept.doubt })
        })
        .collect()
}

struct Restorer<'p, 'a> {
    program: &'p Program<'a>,
    own: FileIx,
    mentions: &'p [PathKey],
}

impl Restorer<'_, '_> {
    fn file(&self, place: u32) -> Option<FileIx> {
        if place == 0 {
            return Some(self.own);
        }
        match self.mentions.get(place as usize - 1) {
            Some(key) => self.program.file_by_key(*key),
            None => self.program.prelude(u32::MAX - place),
        }
    }

    fn def(&self, def: KeptDef) -> Option<Gid> {
        self.program.gid_if(self.file(def.0)?, DefId(def.1))
    }

    fn all(&self, parts: &[KeptTy]) -> Option<Args> {
        parts.iter().map(|part| self.ty(part)).collect()
    }

    fn ty(&self, ty: &KeptTy) -> Option<Ty> {
        Some(match ty {
            KeptTy::Unknown => Ty::Unknown,
            KeptTy::Nothing => Ty::Nothing,
            KeptTy::Outside => Ty::Outside,
            KeptTy::Module(file) => Ty::Module(self.file(*file)?),
            KeptTy::Space(file, name) => {
                let from = self.file(*file)?;
                let id = self.program.layout(from).space_named(name)?;
                Ty::Space(SpaceRef { from, id })
            }
            KeptTy::Itself(def, args) => Ty::Itself(self.def(*def)?, self.all(args)?),
            KeptTy::Value(def, args) => Ty::Value(self.def(*def)?, self.all(args)?),
            KeptTy::Method(def, on) => Ty::Method(self.def(*def)?, Arc::new(self.ty(on)?)),
            KeptTy::Param(def) => Ty::Param(self.def(*def)?),
            KeptTy::This => Ty::This,
            KeptTy::Tuple(parts) => Ty::Tuple(self.all(parts)?),
            KeptTy::Function(params, result) => {
                Ty::Function(self.all(params)?, Arc::new(self.ty(result)?))
            }
            KeptTy::Either(parts) => Ty::Either(self.all(parts)?),
            KeptTy::Meet(parts) => Ty::Meet(self.all(parts)?),
            KeptTy::Assoc(of, name) => Ty::Assoc(Arc::new(self.ty(of)?), *name),
            KeptTy::AssocIs(name, is) => Ty::AssocIs(*name, Arc::new(self.ty(is)?)),
        })
    }
}
