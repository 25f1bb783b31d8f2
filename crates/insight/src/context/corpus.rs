//! The files of a snapshot with what they share with a question.

use super::noise;
use super::terms::Query;
use crate::code::View;
use model::Result;
use model::code::NodeKind;
use model::ids::{FileId, LinkId, NodeId};
use rustc_hash::FxHashMap;
use store::code::files;
use store::code::snapshots::{self, PackageVersion};
use store::code::terms::{self, Def, Field, Posting};

/// A file of the snapshot.
#[derive(Debug)]
pub struct File {
    pub id: FileId,
    pub link: LinkId,
    pub path: String,
    pub is_test: bool,
    /// Documentation, examples, packaging: seldom what a task is about.
    pub is_aside: bool,
    pub defs: Vec<Def>,
    /// Slots of the question and where they stand.
    pub hits: Vec<(u32, Posting)>,
}

/// A definition: a file and a place in its outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    pub file: u32,
    pub def: u32,
}

#[derive(Debug, Default)]
pub struct Corpus {
    pub files: Vec<File>,
    pub by_path: FxHashMap<String, u32>,
    pub by_id: FxHashMap<FileId, u32>,
    /// Files that were indexed before terms were kept.
    pub n_without_terms: usize,
    /// Files that were left out because they are tests.
    pub n_tests: usize,
}

impl Corpus {
    /// Reads the snapshot; tests only where they are wanted.
    pub fn load(view: &View<'_>, query: &Query, with_tests: bool) -> Result<Corpus> {
        let mut corpus = Corpus::default();
        let mut rows: FxHashMap<FileId, files::FileRow> = FxHashMap::default();
        let mut members = Vec::new();
        for version in snapshots::packages(view.reader, view.scope.snapshot.seq)?.values() {
            let PackageVersion { members: of_package, .. } =
                snapshots::version(view.reader, *version)?;
            members.extend(of_package);
        }
        for row in files::rows(view.reader, members.iter().map(|member| member.file))? {
            rows.insert(row.id, row);
        }
        let mut entries = Vec::with_capacity(members.len());
        for member in members {
            let Some(row) = rows.remove(&member.file) else { continue };
            let package = view.package_path(row.package)?;
            let path = if package.is_empty() {
                row.name.clone()
            } else {
                format!("{package}/{}", row.name)
            };
            entries.push((path, member, row));
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (path, member, row) in entries {
            let is_test = model::code::is_test_path(&path);
            if is_test && !with_tests {
                corpus.n_tests += 1;
                continue;
            }
            let Some(packed) = terms::packed(view.reader, member.file)? else {
                corpus.n_without_terms += 1;
                continue;
            };
            let read = terms::unpack(&packed, |number| query.slot(number))?;
            let at = corpus.files.len() as u32;
            corpus.by_path.insert(path.clone(), at);
            corpus.by_id.insert(member.file, at);
            corpus.files.push(File {
                id: member.file,
                link: member.link,
                is_aside: noise::is_aside(&path) || !noise::is_code_language(&row.language),
                path,
                is_test,
                defs: read.defs,
                hits: read.hits,
            });
        }
        Ok(corpus)
    }

    pub fn def(&self, symbol: Symbol) -> &Def {
        &self.files[symbol.file as usize].defs[symbol.def as usize]
    }

    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.files.iter().enumerate().flat_map(|(file, entry)| {
            (0..entry.defs.len() as u32).map(move |def| Symbol { file: file as u32, def })
        })
    }

    /// The innermost function, or else definition, around a line.
    pub fn at_line(&self, file: u32, line: u32) -> Option<Symbol> {
        let defs = &self.files[file as usize].defs;
        let around =
            defs.iter().enumerate().skip(1).filter(|(_, def)| {
                def.start_line <= line && line <= def.end_line && is_unit(def.kind)
            });
        let innermost = around.min_by_key(|(_, def)| def.end_line - def.start_line);
        innermost.map(|(def, _)| Symbol { file, def: def as u32 })
    }

    /// The definition a node of the graph is, if it is among these files.
    pub fn symbol_of(&self, view: &View<'_>, node: NodeId) -> Result<Option<Symbol>> {
        let places = view.places(node)?;
        Ok(places.iter().find_map(|place| {
            let file = *self.by_id.get(&place.file)?;
            let is_there = (place.def as usize) < self.files[file as usize].defs.len();
            is_there.then_some(Symbol { file, def: place.def })
        }))
    }

    pub fn node_of(&self, view: &View<'_>, symbol: Symbol) -> Result<Option<NodeId>> {
        let nodes = view.nodes_of(self.files[symbol.file as usize].id)?;
        Ok(nodes.get(symbol.def as usize).copied())
    }
}

/// What can be called: the unit answers are given in.
pub fn is_function(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Function | NodeKind::Method)
}

/// What is ranked and packed: functions, types, and units of contracts.
pub fn is_unit(kind: NodeKind) -> bool {
    !matches!(
        kind,
        NodeKind::Module
            | NodeKind::Package
            | NodeKind::Var
            | NodeKind::Const
            | NodeKind::Field
            | NodeKind::Column
            | NodeKind::Selector
            | NodeKind::External
    )
}

/// How often each slot stands in each field of each definition of a file.
pub fn by_def(file: &File) -> Vec<((u32, u32), [u32; Field::COUNT])> {
    let mut all: FxHashMap<(u32, u32), [u32; Field::COUNT]> = FxHashMap::default();
    for (slot, posting) in &file.hits {
        all.entry((posting.def, *slot)).or_default()[posting.field as usize] += posting.count;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable();
    all
}
