//! All files of a commit as one program: global definitions, members by name,
//! and where imports lead. What a name means is in `symbols.rs`.

use super::budget;
use super::layout::{FileIx, Layout, Target, Tree, TreeFile};
use super::names::hash;
use super::outcome::{Outcome, PathKey, path_key};
use super::questions::{Answers, Question, ask};
use super::ty::Gid;
use super::{FactsSource, FileListing, Manifest, trail};
use crate::facts::{BindId, Binding, Def, DefId, FileFacts, ImportId, ImportedName};
use crate::lang::{self, Semantics};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

pub(crate) struct File<'a> {
    pub path: &'a str,
    pub facts: &'a FileFacts,
    pub language: usize,
    pub semantics: Semantics,
    /// The names of the file as the linker compares them.
    pub names: Vec<u64>,
    /// Members by home and name, sorted.
    members: Vec<(DefId, u64, BindId)>,
    /// By the module they are written in.
    wildcards: Vec<(DefId, ImportId)>,
    pub(super) targets: Vec<Target>,
    parts: Arc<Parts>,
    /// What was asked to find out where its imports lead.
    pub asked: Box<[Question]>,
    /// A prelude: known, but not of this repository.
    pub is_outside: bool,
}

/// The files that are one module, shared by all of them.
pub(crate) struct Parts {
    files: Box<[FileIx]>,
    /// Over their paths.
    key: OnceLock<u64>,
}

/// More files than this are compared as one number.
const MANY_PARTS: usize = 64;

impl File<'_> {
    /// The files that share one space of names with it, itself included.
    pub(super) fn parts(&self) -> &[FileIx] {
        &self.parts.files
    }

    /// The wildcards written in a module of the file, in their order.
    pub(super) fn wildcards_of(&self, home: DefId) -> &[(DefId, ImportId)] {
        let first = self.wildcards.partition_point(|(h, _)| *h < home);
        let length = self.wildcards[first..].partition_point(|(h, _)| *h == home);
        &self.wildcards[first..first + length]
    }
}

/// What is known of a file without reading it.
#[derive(Clone, Copy)]
struct Head<'a> {
    path: &'a str,
    language: usize,
    /// Its place in the list that was given; none for preludes.
    given: Option<u32>,
}

/// Files are read when somebody looks at them.
pub(crate) struct Program<'a> {
    library: &'a dyn FactsSource,
    heads: Vec<Head<'a>>,
    files: Vec<OnceLock<File<'a>>>,
    /// The first global definition of each file.
    bases: Vec<u32>,
    /// The file of every global definition.
    files_of: Vec<FileIx>,
    pub(super) layouts: Vec<Box<dyn Layout>>,
    pub(super) preludes: Vec<FileIx>,
    /// By language: whether the commit has files of it.
    is_used: Vec<bool>,
    by_key: OnceLock<FxHashMap<PathKey, FileIx>>,
    /// By language; see [`Semantics::by_path`].
    by_path: Vec<bool>,
    /// The modules of several files, by the first of them.
    parts: Mutex<FxHashMap<FileIx, Arc<Parts>>>,
}

/// A name, as text and as it is compared.
#[derive(Clone, Copy)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    pub hash: u64,
}

/// Of so many bindings of one name in one place the first are looked at. More
/// are no code anybody reads, and every use would look at all of them.
const MAX_OF_ONE_NAME: usize = 256;

impl<'t> Word<'t> {
    pub fn of(text: &'t str) -> Self {
        Word { text, hash: hash(text) }
    }
}

/// By language, each read when a program first has files of it: reading one
/// costs more than linking a file.
static PRELUDES: LazyLock<Vec<OnceLock<FileFacts>>> =
    LazyLock::new(|| lang::ALL.iter().map(|_| OnceLock::new()).collect());

fn prelude_facts(index: usize) -> &'static FileFacts {
    PRELUDES[index].get_or_init(|| {
        let language = lang::ALL[index];
        let path = format!("prelude.{}", language.extensions()[0]);
        lang::extract_as(language, &path, language.prelude().as_bytes())
    })
}

impl<'a> Program<'a> {
    pub fn of(
        listed: &[FileListing<'a>],
        library: &'a dyn FactsSource,
        manifests: &'a [Manifest<'a>],
    ) -> Self {
        let mut known: Vec<(Head<'a>, u32)> = Vec::with_capacity(listed.len());
        for (at, file) in listed.iter().enumerate() {
            let Some(language) = language_index(file.language) else { continue };
            if file.n_defs > 0 {
                let head = Head { path: file.path, language, given: Some(at as u32) };
                known.push((head, file.n_defs));
            }
        }
        known.sort_by_key(|(head, _)| head.path);
        let n_real = known.len();
        let mut is_used = vec![false; lang::ALL.len()];
        for (head, _) in &known {
            is_used[head.language] = true;
        }
        for (language, is_used) in is_used.iter().enumerate() {
            let n_defs = if *is_used { prelude_facts(language).defs.len() } else { 0 };
            known.push((Head { path: "", language, given: None }, n_defs as u32));
        }
        let mut bases = Vec::with_capacity(known.len());
        let mut files_of = Vec::new();
        for (ix, (_, n_defs)) in known.iter().enumerate() {
            bases.push(files_of.len() as u32);
            files_of.resize(files_of.len() + *n_defs as usize, FileIx(ix as u32));
        }
        let heads: Vec<Head<'a>> = known.into_iter().map(|(head, _)| head).collect();
        let layouts = (0..lang::ALL.len())
            .map(|language| layout_of(language, &heads[..n_real], library, manifests))
            .collect();
        let preludes = (n_real..heads.len()).map(|ix| FileIx(ix as u32)).collect();
        let files = heads.iter().map(|_| OnceLock::new()).collect();
        let by_key = OnceLock::new();
        let by_path = lang::ALL.iter().map(|language| language.semantics().by_path).collect();
        Program {
            library,
            heads,
            files,
            bases,
            files_of,
            layouts,
            preludes,
            is_used,
            by_key,
            by_path,
            parts: Mutex::default(),
        }
    }

    /// The files of the commit, preludes left out.
    pub fn real(&self) -> impl Iterator<Item = FileIx> + use<> {
        (0..(self.heads.len() - self.preludes.len()) as u32).map(FileIx)
    }

    /// The files of languages that cannot be looked at one by one, with the preludes.
    pub fn looked_at_whole(&self) -> Vec<FileIx> {
        self.all().filter(|file| !self.is_by_path(*file)).collect()
    }

    /// See [`Semantics::by_path`].
    pub fn is_by_path(&self, file: FileIx) -> bool {
        self.by_path[self.heads[file.ix()].language]
    }

    /// The files of the commit and the preludes.
    pub fn all(&self) -> impl Iterator<Item = FileIx> + use<> {
        (0..self.heads.len() as u32).map(FileIx)
    }

    /// Those of the languages the commit has files of.
    pub fn preludes(&self) -> impl Iterator<Item = FileIx> + '_ {
        self.preludes.iter().zip(&self.is_used).filter(|(_, is_used)| **is_used).map(|(ix, _)| *ix)
    }

    /// What linking made of a file before.
    pub fn outcome(&self, file: FileIx) -> Option<&'a Outcome> {
        self.library.outcome(self.heads[file.ix()].given?)
    }

    pub fn language(&self, file: FileIx) -> usize {
        self.heads[file.ix()].language
    }

    pub fn path(&self, file: FileIx) -> &'a str {
        self.heads[file.ix()].path
    }

    /// The place of a file in the list that was given.
    pub fn given(&self, file: FileIx) -> u32 {
        self.heads[file.ix()].given.unwrap_or(u32::MAX)
    }

    pub fn is_prelude(&self, file: FileIx) -> bool {
        self.heads[file.ix()].given.is_none()
    }

    /// The number of the language a prelude is of.
    pub fn prelude_number(&self, file: FileIx) -> Option<u32> {
        self.is_prelude(file).then(|| self.heads[file.ix()].language as u32)
    }

    pub fn prelude(&self, language: u32) -> Option<FileIx> {
        self.preludes.get(language as usize).copied()
    }

    pub fn file_by_key(&self, key: PathKey) -> Option<FileIx> {
        let by_key = self
            .by_key
            .get_or_init(|| self.real().map(|file| (path_key(self.path(file)), file)).collect());
        by_key.get(&key).copied()
    }

    /// A definition by its number, if the file has that many.
    pub fn gid_if(&self, file: FileIx, def: DefId) -> Option<Gid> {
        let gid = self.gid(file, def);
        (self.files_of.get(gid.ix()) == Some(&file)).then_some(gid)
    }

    pub fn file(&self, ix: FileIx) -> &File<'a> {
        trail::note(ix);
        self.files[ix.ix()].get_or_init(|| {
            let Head { path, language, given } = self.heads[ix.ix()];
            let facts: &'a FileFacts = match given {
                Some(given) => self.library.facts(given),
                None if self.is_used[language] => prelude_facts(language),
                None => &NO_FACTS,
            };
            let layout = &*self.layouts[language];
            let is_outside = given.is_none();
            let allowance = budget::allowance(self.heads.len(), 0);
            let (file, looks) = trail::following(allowance, || {
                let parts = if is_outside { vec![ix] } else { layout.parts(ix) };
                let parts = self.shared_parts(parts);
                file(ix, path, facts, language, is_outside, layout, parts)
            });
            File { asked: looks.asked, ..file }
        })
    }

    /// The steps that looking up the names of a file may take.
    pub fn allowance(&self, file: FileIx) -> u64 {
        budget::allowance(self.heads.len(), self.file(file).facts.exprs.len())
    }

    /// Files of one module hold one list of them, not each its own.
    fn shared_parts(&self, parts: Vec<FileIx>) -> Arc<Parts> {
        let new =
            |parts: Vec<FileIx>| Arc::new(Parts { files: parts.into(), key: OnceLock::new() });
        if parts.len() < 2 {
            return new(parts);
        }
        let Ok(mut known) = self.parts.lock() else { return new(parts) };
        match known.get(&parts[0]) {
            Some(same) if *same.files == *parts => same.clone(),
            _ => {
                let first = parts[0];
                let parts = new(parts);
                known.insert(first, parts.clone());
                parts
            }
        }
    }

    /// What the files of the commit contribute to the answers of questions.
    pub fn answers(&self) -> Answers {
        let mut answers = Answers::default();
        for layout in &self.layouts {
            layout.answers(&mut answers);
        }
        for file in self.real() {
            answers.is(file_question(self.path(file)));
        }
        answers
    }

    /// Adds the questions whose answers follow from those of others.
    pub fn spread(&self, different: &mut FxHashSet<Question>) {
        for layout in &self.layouts {
            layout.spread(different);
        }
    }

    /// Where the imports of a file lead, and which files are one with it.
    pub fn connections(&self, ix: FileIx) -> Vec<u64> {
        let file = self.file(ix);
        let key = |ix: &FileIx| hash(self.path(*ix));
        let mut all: Vec<u64> = if file.parts().len() > MANY_PARTS {
            let whole = || {
                file.parts().iter().fold(0, |all: u64, part| {
                    all.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ key(part)
                })
            };
            vec![*file.parts.key.get_or_init(whole)]
        } else {
            file.parts().iter().map(key).collect()
        };
        for target in &file.targets {
            match target {
                Target::Module(to) => all.extend([1, key(to)]),
                Target::Within { file, def, skip } => {
                    all.extend([2, key(file), u64::from(def.0), u64::from(*skip)]);
                }
                Target::Space { space, skip } => {
                    let name = self.layouts[file.language].space_name(*space).unwrap_or_default();
                    all.extend([3, hash(name), u64::from(*skip)]);
                }
                Target::NamedModule(to) => all.extend([7, key(to)]),
                Target::Scope => all.push(4),
                Target::Prelude => all.push(5),
                Target::Outside => all.push(6),
            }
        }
        all
    }

    /// A file of the commit by its path.
    pub fn file_at(&self, path: &str) -> Option<FileIx> {
        ask(file_question(path));
        let n_real = self.heads.len() - self.preludes.len();
        let found = self.heads[..n_real].binary_search_by(|head| head.path.cmp(path));
        found.ok().map(|ix| FileIx(ix as u32))
    }

    pub fn gid(&self, file: FileIx, def: DefId) -> Gid {
        Gid(self.bases[file.ix()] + def.0)
    }

    pub fn place(&self, gid: Gid) -> (FileIx, DefId) {
        let file = self.files_of[gid.ix()];
        (file, DefId(gid.0 - self.bases[file.ix()]))
    }

    pub fn def(&self, gid: Gid) -> &'a Def {
        let (file, def) = self.place(gid);
        let facts: &'a FileFacts = self.file(file).facts;
        facts.def(def)
    }

    pub fn is_outside(&self, gid: Gid) -> bool {
        self.is_prelude(self.files_of[gid.ix()])
    }

    pub fn package(&self, file: FileIx) -> &str {
        self.layouts[self.language(file)].package(file)
    }

    pub fn word(&self, file: FileIx, name: crate::facts::Name) -> Word<'a> {
        let entry = self.file(file);
        let facts: &'a FileFacts = entry.facts;
        Word { text: facts.text(name), hash: entry.names[name.ix()] }
    }

    /// The bindings of a name in a module or type.
    pub fn members(
        &self,
        file: FileIx,
        home: DefId,
        name: u64,
    ) -> impl Iterator<Item = (BindId, &'a crate::facts::Bind)> + '_ {
        let entry = self.file(file);
        let facts: &'a FileFacts = entry.facts;
        let first = entry.members.partition_point(|(h, n, _)| (*h, *n) < (home, name));
        entry.members[first..]
            .iter()
            .take(MAX_OF_ONE_NAME)
            .take_while(move |(h, n, _)| *h == home && *n == name)
            .map(move |(_, _, bind)| (*bind, &facts.binds[bind.ix()]))
    }

    /// Everything a module or type holds, by name.
    pub fn all_members(
        &self,
        file: FileIx,
        home: DefId,
    ) -> impl Iterator<Item = (u64, BindId)> + '_ {
        let members = &self.file(file).members;
        let first = members.partition_point(|(h, ..)| *h < home);
        members[first..].iter().take_while(move |(h, ..)| *h == home).map(|(_, n, b)| (*n, *b))
    }

    /// A name of a prelude.
    pub fn builtin(&self, language: usize, name: u64) -> Option<Gid> {
        let prelude = self.preludes[language];
        self.members(prelude, DefId::FILE, name).find_map(|(_, bind)| match bind.to {
            Binding::Def(def) => Some(self.gid(prelude, def)),
            _ => None,
        })
    }

    pub(super) fn layout(&self, file: FileIx) -> &dyn Layout {
        &*self.layouts[self.language(file)]
    }
}

fn file_question(path: &str) -> Question {
    Question::about("path").part(path)
}

fn language_index(name: &str) -> Option<usize> {
    lang::ALL.iter().position(|language| language.name() == name)
}

/// Stands for the facts of files whose layout follows from paths.
static NO_FACTS: LazyLock<FileFacts> = LazyLock::new(FileFacts::default);

fn layout_of<'a>(
    index: usize,
    heads: &[Head<'a>],
    library: &'a dyn FactsSource,
    manifests: &'a [Manifest<'a>],
) -> Box<dyn Layout> {
    let language = lang::ALL[index];
    let by_path = language.semantics().by_path;
    let no_facts: &'static FileFacts = &NO_FACTS;
    let files = heads
        .par_iter()
        .enumerate()
        .filter(|(_, head)| head.language == index)
        .map(|(ix, head)| {
            let facts = match head.given {
                Some(given) if !by_path => library.facts(given),
                _ => no_facts,
            };
            TreeFile { ix: FileIx(ix as u32), path: head.path, facts }
        })
        .collect();
    language.layout(&Tree { files, manifests })
}

fn file<'a>(
    ix: FileIx,
    path: &'a str,
    facts: &'a FileFacts,
    language: usize,
    is_outside: bool,
    layout: &dyn Layout,
    parts: Arc<Parts>,
) -> File<'a> {
    let names: Vec<u64> = facts.names.iter().map(|name| hash(name)).collect();
    let mut members: Vec<(DefId, u64, BindId)> = facts
        .binds
        .iter()
        .enumerate()
        .filter_map(|(at, bind)| Some((bind.home?, names[bind.name.ix()], BindId(at as u32))))
        .collect();
    members.sort_unstable();
    let mut wildcards: Vec<(DefId, ImportId)> = facts
        .imports
        .iter()
        .enumerate()
        .filter(|(_, import)| import.what == ImportedName::Wildcard)
        .map(|(at, import)| (import.home, ImportId(at as u32)))
        .collect();
    wildcards.sort_unstable();
    let targets = facts
        .imports
        .iter()
        .map(|import| if is_outside { Target::Scope } else { layout.resolve(ix, facts, import) })
        .collect();
    let semantics = lang::ALL[language].semantics();
    let asked = Box::default();
    File {
        path,
        facts,
        language,
        semantics,
        names,
        members,
        wildcards,
        targets,
        parts,
        asked,
        is_outside,
    }
}
