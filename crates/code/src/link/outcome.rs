//! What linking made of a file, in the form that is kept.
//!
//! With it a later run can tell whether the file must be linked again: it must
//! when it changed, or when another file it was concluded from looks different
//! now (`interface`, or what is known of its definitions).

use super::eval::InferredType;
use super::layout::FileIx;
use super::program::Program;
use super::questions::Question;
use super::trail::FileLookups;
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
    known: Vec<SavedKnowledge>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct SavedKnowledge {
    def: DefId,
    round: u8,
    doubt: u8,
    ty: SavedTy,
}

/// A definition: 0 is this file, then those of `mentions`; preludes count down
/// from the greatest number.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct SavedDef(u32, u32);

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
enum SavedTy {
    Unknown,
    Nothing,
    Outside,
    Module(u32),
    Space(u32, String),
    Itself(SavedDef, Vec<SavedTy>),
    Value(SavedDef, Vec<SavedTy>),
    Method(SavedDef, Box<SavedTy>),
    Param(SavedDef),
    This,
    Tuple(Vec<SavedTy>),
    Function(Vec<SavedTy>, Box<SavedTy>),
    Either(Vec<SavedTy>),
    Meet(Vec<SavedTy>),
    Assoc(Box<SavedTy>, u64),
    AssocIs(u64, Box<SavedTy>),
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
    looks: &LookupTrail,
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
    let keeper = OutcomeEncoder { program, own, places };
    let known = history.iter().map(|(def, round, known)| SavedKnowledge {
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
pub(crate) struct LookupTrail {
    pub files: FxHashSet<FileIx>,
    pub asked: FxHashSet<Question>,
    /// Some of it took more steps than allowed, and was not finished.
    pub is_cut: bool,
}

impl LookupTrail {
    pub fn add(&mut self, looks: &FileLookups) {
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

struct OutcomeEncoder<'p, 'a> {
    program: &'p Program<'a>,
    own: FileIx,
    places: FxHashMap<FileIx, u32>,
}

impl OutcomeEncoder<'_, '_> {
    fn file(&self, file: FileIx) -> u32 {
        if file == self.own {
            return 0;
        }
        match self.program.prelude_number(file) {
            Some(language) => u32::MAX - language,
            None => self.places.get(&file).copied().unwrap_or(0),
        }
    }

    fn def(&self, gid: Gid) -> SavedDef {
        let (file, def) = self.program.place(gid);
        SavedDef(self.file(file), def.0)
    }

    fn all(&self, parts: &[Ty]) -> Vec<SavedTy> {
        parts.iter().map(|part| self.ty(part)).collect()
    }

    fn ty(&self, ty: &Ty) -> SavedTy {
        match ty {
            Ty::Unknown => SavedTy::Unknown,
            Ty::Space(space) => {
                let name = self.program.layout(space.from).space_name(space.id).unwrap_or_default();
                SavedTy::Space(self.file(space.from), name.to_owned())
            }
            Ty::Nothing => SavedTy::Nothing,
            Ty::Outside => SavedTy::Outside,
            Ty::Module(file) => SavedTy::Module(self.file(*file)),
            Ty::Itself(gid, args) => SavedTy::Itself(self.def(*gid), self.all(args)),
            Ty::Value(gid, args) => SavedTy::Value(self.def(*gid), self.all(args)),
            Ty::Method(gid, on) => SavedTy::Method(self.def(*gid), Box::new(self.ty(on))),
            Ty::Param(gid) => SavedTy::Param(self.def(*gid)),
            Ty::This => SavedTy::This,
            Ty::Tuple(parts) => SavedTy::Tuple(self.all(parts)),
            Ty::Function(params, result) => {
                SavedTy::Function(self.all(params), Box::new(self.ty(result)))
            }
            Ty::Either(parts) => SavedTy::Either(self.all(parts)),
            Ty::Meet(parts) => SavedTy::Meet(self.all(parts)),
            Ty::Assoc(of, name) => SavedTy::Assoc(Box::new(self.ty(of)), *name),
            Ty::AssocIs(name, is) => SavedTy::AssocIs(*name, Box::new(self.ty(is))),
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

    fn def(&self, def: SavedDef) -> Option<Gid> {
        self.program.gid_if(self.file(def.0)?, DefId(def.1))
    }

    fn all(&self, parts: &[SavedTy]) -> Option<Args> {
        parts.iter().map(|part| self.ty(part)).collect()
    }

    fn ty(&self, ty: &SavedTy) -> Option<Ty> {
        Some(match ty {
            SavedTy::Unknown => Ty::Unknown,
            SavedTy::Nothing => Ty::Nothing,
            SavedTy::Outside => Ty::Outside,
            SavedTy::Module(file) => Ty::Module(self.file(*file)?),
            SavedTy::Space(file, name) => {
                let from = self.file(*file)?;
                let id = self.program.layout(from).space_named(name)?;
                Ty::Space(SpaceRef { from, id })
            }
            SavedTy::Itself(def, args) => Ty::Itself(self.def(*def)?, self.all(args)?),
            SavedTy::Value(def, args) => Ty::Value(self.def(*def)?, self.all(args)?),
            SavedTy::Method(def, on) => Ty::Method(self.def(*def)?, Arc::new(self.ty(on)?)),
            SavedTy::Param(def) => Ty::Param(self.def(*def)?),
            SavedTy::This => Ty::This,
            SavedTy::Tuple(parts) => Ty::Tuple(self.all(parts)?),
            SavedTy::Function(params, result) => {
                Ty::Function(self.all(params)?, Arc::new(self.ty(result)?))
            }
            SavedTy::Either(parts) => Ty::Either(self.all(parts)?),
            SavedTy::Meet(parts) => Ty::Meet(self.all(parts)?),
            SavedTy::Assoc(of, name) => Ty::Assoc(Arc::new(self.ty(of)?), *name),
            SavedTy::AssocIs(name, is) => Ty::AssocIs(*name, Arc::new(self.ty(is)?)),
        })
    }
}
