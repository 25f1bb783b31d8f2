//! The snapshot that is enriched: its files, the call sites in them and what
//! linking made of these, and where symbols are defined.

use crate::evidence::Tier;
use crate::hidden_calls;
use crate::judge::is_callable;
use crate::lsp::LineIndex;
use git::{ObjectId, Repo, RepoPath};
use model::code::{EdgeKind, NodeKind};
use model::ids::{FileId, LinkId, NodeId, SnapshotSeq};
use model::{Error, Result};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use store::Read;
use store::code::links::{self, SiteEdge};
use store::code::{files, nodes, snapshots};

/// Larger files are not shown to a server.
const MAX_FILE: u64 = 4 << 20;

/// What linking holds of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Bound to these, with the confidence in percent of the surest.
    Bound {
        targets: Vec<NodeId>,
        confidence: u8,
    },
    Open,
    /// Known to be of another package; edges to what it is there, if any.
    External {
        targets: Vec<NodeId>,
    },
}

/// A call in a file. Line and column, in bytes, count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub line: u32,
    pub col: u32,
    /// Entry of the outline it stands in.
    pub source: u32,
    pub claim: Claim,
    /// Of an open call: the repository defines something of its name in its language.
    /// One without a namesake (`expect`, `describe`) can hardly become an edge here.
    pub has_namesake: bool,
}

impl Site {
    /// Sites bound with at least this confidence, in percent, are asked last.
    const SURE: u8 = 90;

    pub fn tier(&self) -> Tier {
        match &self.claim {
            Claim::Open if self.has_namesake => Tier::Open,
            Claim::Open | Claim::External { .. } => Tier::External,
            Claim::Bound { confidence, .. } if *confidence < Self::SURE => Tier::Unsure,
            Claim::Bound { .. } => Tier::Sure,
        }
    }
}

/// A definition in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition {
    pub node: NodeId,
    pub kind: NodeKind,
    pub name_line: u32,
    pub name_col: u32,
    /// First and last line of all of it.
    pub lines: (u32, u32),
    pub is_test: bool,
}

/// A version of a file in the snapshot.
#[derive(Debug, Clone)]
pub struct SourceFile {
    pub id: FileId,
    pub link: LinkId,
    pub path: String,
    pub language: String,
    blob: Vec<u8>,
    /// In the order of the file.
    pub sites: Vec<Site>,
    /// In the order of the outline.
    pub definitions: Vec<Definition>,
}

impl SourceFile {
    /// What is named at a place.
    pub fn definition_at(&self, (line, col): (u32, u32)) -> Option<&Definition> {
        self.definitions.iter().find(|def| (def.name_line, def.name_col) == (line, col))
    }

    pub fn definition_of(&self, node: NodeId) -> Option<&Definition> {
        self.definitions.iter().find(|def| def.node == node)
    }
}

/// What a place in the file system is to the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// A file of the snapshot, by its number.
    Indexed(usize),
    /// Of the commit, but not indexed.
    Tracked,
    /// Of no commit: installed packages, the standard library, what is generated.
    Outside,
}

/// A snapshot with its work tree.
#[derive(Debug)]
pub struct Graph {
    pub seq: SnapshotSeq,
    pub files: Vec<SourceFile>,
    by_path: HashMap<String, usize>,
    by_id: HashMap<FileId, usize>,
    tracked: HashSet<String>,
    repo: Repo,
    commit: ObjectId,
    /// Texts that were read, none where the work tree has another.
    texts: RefCell<HashMap<usize, Option<Rc<LineIndex>>>>,
    symbols: HashMap<NodeId, (String, usize)>,
    /// What linking says two types, or two methods, are to each other.
    relations: HashMap<(NodeId, NodeId), EdgeKind>,
}

impl Graph {
    /// Reads a snapshot of a commit; of files whose language nobody asks for only
    /// the definitions.
    pub fn load(on: &impl Read, seq: SnapshotSeq, repo: Repo) -> Result<Graph> {
        let snapshot = snapshots::get(on, seq)?
            .ok_or_else(|| Error::not_found("the snapshot is gone").suggest("run: lore index"))?;
        let commit = ObjectId::parse(&snapshot.sha)
            .ok_or_else(|| Error::internal("a snapshot of no commit"))?;
        let mut paths: BTreeMap<String, SourceFile> = BTreeMap::new();
        let mut symbols = HashMap::new();
        let mut names: HashMap<String, HashSet<String>> = HashMap::new();
        for (package, version) in snapshots::packages(on, seq)? {
            let folder = files::package_path(on, package)?;
            let members = snapshots::version(on, version)?.members;
            let rows = files::rows(on, members.iter().map(|member| member.file))?;
            let rows: HashMap<FileId, files::FileRow> =
                rows.into_iter().map(|row| (row.id, row)).collect();
            for member in members {
                let Some(row) = rows.get(&member.file) else { continue };
                let path = match folder.as_str() {
                    "" => row.name.clone(),
                    folder => format!("{folder}/{}", row.name),
                };
                let (definitions, nodes) = definitions(on, member.file)?;
                paths.insert(
                    path.clone(),
                    SourceFile {
                        id: member.file,
                        link: member.link,
                        path,
                        language: row.language.clone(),
                        blob: row.blob.clone(),
                        sites: Vec::new(),
                        definitions,
                    },
                );
                for node in nodes {
                    if let Some(symbol) = nodes::get(on, node)? {
                        symbols.insert(node, (symbol.symbol(), 0));
                        if can_be_called(symbol.kind) {
                            let of_language = names.entry(row.language.clone()).or_default();
                            of_language.insert(symbol.name);
                        }
                    }
                }
            }
        }
        let mut files: Vec<SourceFile> = paths.into_values().collect();
        let none = HashSet::new();
        let mut relations = HashMap::new();
        for file in &mut files {
            let edges = links::edges(on, file.link)?;
            for edge in edges.iter().filter(|edge| is_relation(edge.kind)) {
                if let Some(def) = file.definitions.get(edge.source as usize) {
                    relations.entry((def.node, edge.target)).or_insert(edge.kind);
                }
            }
            let names = names.get(&file.language).unwrap_or(&none);
            file.sites = sites(on, file.link, edges, names)?;
        }
        for site in files.iter_mut().flat_map(|file| &mut file.sites) {
            if let Claim::Bound { targets, .. } = &mut site.claim
                && !targets.iter().any(|target| symbols.contains_key(target))
            {
                site.claim = Claim::External { targets: std::mem::take(targets) };
            }
        }
        for (at, file) in files.iter().enumerate() {
            for def in &file.definitions {
                if let Some(known) = symbols.get_mut(&def.node) {
                    known.1 = at;
                }
            }
        }
        let tracked =
            repo.files(commit)?.iter().map(|entry| entry.path.text().into_owned()).collect();
        let mut graph = Graph {
            seq,
            by_path: files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect(),
            by_id: files.iter().enumerate().map(|(at, file)| (file.id, at)).collect(),
            files,
            tracked,
            repo,
            commit,
            texts: RefCell::default(),
            symbols,
            relations,
        };
        hidden_calls::add(&mut graph);
        Ok(graph)
    }

    pub fn top(&self) -> Result<&std::path::Path> {
        self.repo.work_tree().ok_or_else(|| {
            Error::usage("a bare repository has no files that a server could read")
                .suggest("clone it, run `lore index` there, then `lore enrich`")
        })
    }

    /// The text of a file, when the work tree has the bytes of the commit.
    pub fn text(&self, at: usize) -> Option<Rc<LineIndex>> {
        if let Some(known) = self.texts.borrow().get(&at) {
            return known.clone();
        }
        let file = &self.files[at];
        let bytes = self.repo.work_tree_file(&RepoPath::from(file.path.as_str()), MAX_FILE);
        let bytes = bytes
            .filter(|bytes| self.commit.of_blob_like(bytes).as_bytes() == file.blob.as_slice());
        let text = bytes.and_then(LineIndex::new).map(Rc::new);
        self.texts.borrow_mut().insert(at, text.clone());
        text
    }

    pub fn blobs(&self) -> Result<git::BlobReader> {
        self.repo.blobs()
    }

    /// The bytes of a file in the commit.
    pub fn committed(&self, at: usize, blobs: &mut git::BlobReader) -> Option<Vec<u8>> {
        let path = RepoPath::from(self.files[at].path.as_str());
        blobs.read_file(self.commit, &path, MAX_FILE).ok()?.into_content()
    }

    /// Drops a text that is not needed again soon.
    pub fn forget_text(&self, at: usize) {
        self.texts.borrow_mut().remove(&at);
    }

    pub fn membership(&self, path: &str) -> Membership {
        match self.by_path.get(path) {
            Some(at) => Membership::Indexed(*at),
            None if self.tracked.contains(path) => Membership::Tracked,
            None => Membership::Outside,
        }
    }

    pub fn file_by_id(&self, id: FileId) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    pub fn file_by_path(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// Where a symbol is defined: the number of the file.
    pub fn home(&self, node: NodeId) -> Option<usize> {
        self.symbols.get(&node).map(|known| known.1)
    }

    /// `app.Flask.run`.
    pub fn symbol(&self, node: NodeId) -> Option<&str> {
        self.symbols.get(&node).map(|known| known.0.as_str())
    }

    pub fn definition(&self, node: NodeId) -> Option<&Definition> {
        self.files.get(self.home(node)?)?.definition_of(node)
    }

    /// What linking says a type or method is to one that it is based on.
    pub fn relation(&self, source: NodeId, target: NodeId) -> Option<EdgeKind> {
        self.relations.get(&(source, target)).copied()
    }

    /// Languages with calls in them, with how many.
    pub fn languages(&self) -> BTreeMap<&str, usize> {
        let mut all = BTreeMap::new();
        for file in self.files.iter().filter(|file| !file.sites.is_empty()) {
            *all.entry(file.language.as_str()).or_default() += file.sites.len();
        }
        all
    }

    /// Whether one of the names is a tracked file, at the top or below it.
    pub fn has_file_named(&self, names: &[&str]) -> bool {
        self.tracked.iter().any(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            names.iter().any(|wanted| match wanted.strip_prefix('*') {
                Some(end) => name.ends_with(end),
                None => name == *wanted,
            })
        })
    }

    /// Tracked files, in no order.
    pub fn tracked(&self) -> impl Iterator<Item = &str> {
        self.tracked.iter().map(String::as_str)
    }
}

fn definitions(on: &impl Read, file: FileId) -> Result<(Vec<Definition>, Vec<NodeId>)> {
    let nodes = files::nodes(on, file)?;
    let outline = files::outline(on, file)?;
    let definitions = nodes
        .iter()
        .zip(&outline)
        .map(|(node, symbol)| Definition {
            node: *node,
            kind: symbol.kind,
            name_line: symbol.name_line,
            name_col: symbol.name_col,
            lines: (symbol.start_line, symbol.end_line),
            is_test: symbol.is_test,
        })
        .collect();
    Ok((definitions, nodes))
}

const fn is_relation(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Inherits | EdgeKind::Implements | EdgeKind::Overrides)
}

/// What a call may turn out to mean: functions and types, and what may hold a function.
fn can_be_called(kind: NodeKind) -> bool {
    is_callable(kind) || matches!(kind, NodeKind::Field | NodeKind::Var | NodeKind::Const)
}

/// `names`: what the repository defines in the language of the file.
fn sites(
    on: &impl Read,
    link: LinkId,
    edges: Vec<SiteEdge>,
    names: &HashSet<String>,
) -> Result<Vec<Site>> {
    let mut all: BTreeMap<(u32, u32), Site> = BTreeMap::new();
    for edge in edges {
        if edge.kind != EdgeKind::Calls {
            continue;
        }
        let site = all.entry((edge.line, edge.col)).or_insert_with(|| Site {
            line: edge.line,
            col: edge.col,
            source: edge.source,
            claim: Claim::Bound { targets: Vec::new(), confidence: 0 },
            has_namesake: true,
        });
        if let Claim::Bound { targets, confidence } = &mut site.claim {
            targets.push(edge.target);
            *confidence = (*confidence).max(edge.confidence);
        }
    }
    for open in links::unresolved(on, link)? {
        let claim =
            if open.is_external { Claim::External { targets: Vec::new() } } else { Claim::Open };
        all.entry((open.line, open.col)).or_insert(Site {
            line: open.line,
            col: open.col,
            source: open.source,
            claim,
            has_namesake: names.contains(&open.name),
        });
    }
    Ok(all.into_values().collect())
}
