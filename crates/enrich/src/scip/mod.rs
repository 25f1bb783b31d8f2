//! An index that a compiler made elsewhere, read as evidence about call sites.
//!
//! The file is read twice, a document at a time: where symbols are defined, then
//! what stands at each call. Places are matched against the bytes of the commit, so
//! a document of another commit shows itself: its names stand elsewhere. It is left out,
//! and an index that is mostly of such documents is refused.

pub mod index;
mod placement;
pub mod symbol;
pub mod wire;

use crate::evidence::{Counts, FileEvidence, Tier};
use crate::graph::{Claim, Graph, Site, SourceFile};
use crate::judge::{Judge, Meaning};
use crate::lsp::{Encoding, LineIndex};
use git::BlobReader;
use index::{Document, Index, Metadata, Part};
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use model::{CancelToken, Error, ErrorCode, Progress, Result};
use placement::{Fit, Placement};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;
use store::code::layers::LayerEdge;
use symbol::{PackageSymbol, is_local};

/// Confidence of what an index of a compiler says, in percent.
pub const SCIP: u8 = 95;
/// Larger files are refused.
const MAX_FILE: u64 = 8 << 30;
/// Of the definitions that are in both, this share must be at the same place, in
/// percent.
const LEAST_MATCHING: u64 = 80;

/// What an index says about a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexEvidence {
    pub metadata: Metadata,
    pub files: Vec<FileEvidence>,
    /// Calls of what other packages publish, by the number of the file in `files`.
    pub outside: Vec<(usize, Site, PackageSymbol)>,
    /// Documents, and those of them that are files of the commit.
    pub n_documents: u64,
    pub n_matched: u64,
    /// Documents whose text is not the commit's; they are left out.
    pub n_changed: u64,
    pub n_definitions: u64,
    /// Definitions that stand where the index has them.
    pub n_found: u64,
    pub counts: Counts,
    pub n_relations: u64,
}

/// Who is told, and who may stop it.
pub struct Watch<'a> {
    pub progress: &'a dyn Progress,
    pub cancel: &'a CancelToken,
}

/// Reads an index and says what it knows of the calls of a snapshot.
pub fn read(path: &Path, graph: &Graph, watch: &Watch<'_>) -> Result<IndexEvidence> {
    let mut file = files::open_regular(path).map_err(|error| {
        Error::not_found(format!("cannot read {}", path.display()))
            .suggest("name the file a SCIP indexer wrote, usually index.scip")
            .caused_by(error)
    })?;
    let size = file.metadata().map_or(0, |about| about.len());
    if size > MAX_FILE {
        return Err(Error::usage("the index is larger than 8 GiB")
            .suggest("index parts of the repository, each into a file of its own"));
    }
    let mut reading = ScipReader {
        graph,
        blobs: graph.blobs()?,
        symbols: HashMap::new(),
        own: HashMap::new(),
        left_out: HashSet::new(),
        evidence: IndexEvidence::default(),
        metadata: Metadata::default(),
    };
    watch.progress.phase("reading definitions", None);
    each_document(&mut file, watch, &mut reading, ScipReader::learn)?;
    watch.progress.finish();
    reading.check()?;
    rewind(&mut file)?;
    watch.progress.phase("reading calls", Some(reading.evidence.n_documents));
    each_document(&mut file, watch, &mut reading, ScipReader::judge)?;
    watch.progress.finish();
    let mut evidence = reading.evidence;
    evidence.metadata = reading.metadata;
    Ok(evidence)
}

fn rewind(file: &mut File) -> Result<()> {
    file.rewind().map_err(|error| Error::internal("cannot read the index again").caused_by(error))
}

fn each_document<'g>(
    file: &mut File,
    watch: &Watch<'_>,
    reading: &mut ScipReader<'g>,
    take: fn(&mut ScipReader<'g>, Document),
) -> Result<()> {
    let mut index = Index::new(BufReader::new(file));
    loop {
        if watch.cancel.is_cancelled() {
            return Err(Error::new(ErrorCode::Interrupted, "interrupted"));
        }
        match index.next_part().map_err(not_an_index)? {
            None => return Ok(()),
            Some(Part::Metadata(metadata)) => reading.metadata = metadata,
            Some(Part::Document(document)) => {
                take(reading, document);
                watch.progress.advance(1);
            }
        }
    }
}

fn not_an_index(error: wire::WireError) -> Error {
    Error::usage(format!("this is no SCIP index, or it is damaged: {error}"))
        .suggest("make one with scip-typescript, scip-python or `rust-analyzer scip`")
}

struct ScipReader<'g> {
    graph: &'g Graph,
    blobs: BlobReader,
    /// Where global symbols are defined, by their identity without a version.
    symbols: HashMap<String, NodeId>,
    /// The packages that define something in it, and there the symbols by the shorter
    /// names of their modules; none for what several are called.
    own: HashMap<String, HashMap<String, Option<NodeId>>>,
    /// Documents of another text, by path.
    left_out: HashSet<String>,
    evidence: IndexEvidence,
    metadata: Metadata,
}

impl ScipReader<'_> {
    /// The file a document is about, with its text in the commit; none for a document
    /// of something else.
    fn file(&mut self, document: &Document) -> Option<(usize, LineIndex)> {
        if self.left_out.contains(&document.path) {
            return None;
        }
        let at = self.graph.file_by_path(&document.path)?;
        let bytes = self.graph.committed(at, &mut self.blobs)?;
        let is_same = document.text.as_ref().is_none_or(|own| own.as_bytes() == bytes);
        is_same.then_some(())?;
        Some((at, LineIndex::new(bytes)?))
    }

    fn learn(&mut self, document: Document) {
        self.evidence.n_documents += 1;
        let found = self.file(&document).filter(|(at, text)| {
            let file = &self.graph.files[*at];
            Placement::new(text, &document).is_of_text(&document, file, self.graph)
        });
        let Some((at, text)) = found else {
            if self.graph.file_by_path(&document.path).is_some() {
                self.evidence.n_changed += 1;
                self.left_out.insert(document.path);
            }
            return;
        };
        self.evidence.n_matched += 1;
        let file = &self.graph.files[at];
        let encoding = encoding(&document);
        for occurrence in document.occurrences.into_iter().filter(|it| it.is_definition) {
            if is_local(&occurrence.symbol) {
                continue;
            }
            let place = text.to_lore(occurrence.start, encoding);
            match file.definition_at(place) {
                Some(def) => {
                    self.evidence.n_definitions += 1;
                    self.evidence.n_found += 1;
                    self.own(&occurrence.symbol, def.node);
                    let identity = symbol::identity(&occurrence.symbol);
                    self.symbols.entry(identity).or_insert(def.node);
                }
                // Modules, variables, parameters: no symbols here; but what names a
                // callable must stand where that word is.
                None if occurrence.symbol.ends_with(").") => self.evidence.n_definitions += 1,
                None => {}
            }
        }
    }

    fn own(&mut self, symbol: &str, node: NodeId) {
        let Some((package, names)) = symbol::split_package(symbol) else { return };
        let own = self.own.entry(package.to_owned()).or_default();
        for name in symbol::shorter_modules(names) {
            let known = own.entry(name).or_insert(Some(node));
            if *known != Some(node) {
                *known = None;
            }
        }
    }

    /// What a symbol is that a document defines, in whatever version of its package.
    fn defined(&self, symbol: &str) -> Option<NodeId> {
        self.symbols.get(&symbol::identity(symbol)).copied()
    }

    /// What a symbol that is defined nowhere is, if it is of a package that is indexed:
    /// tools name what is installed from `src` without that folder.
    fn own_by_other_name(&self, symbol: &str) -> Option<NodeId> {
        let (package, names) = symbol::split_package(symbol)?;
        self.own.get(package)?.get(names).copied().flatten()
    }

    /// Whether a symbol is of a package that is indexed.
    fn is_own(&self, symbol: &str) -> bool {
        symbol::split_package(symbol).is_some_and(|(package, _)| self.own.contains_key(package))
    }

    /// Refuses an index of another commit.
    fn check(&self) -> Result<()> {
        let IndexEvidence { n_documents, n_matched, n_changed, n_definitions, n_found, .. } =
            self.evidence;
        let stale = |what: String| {
            Err(Error::usage(format!("the index is not of this commit: {what}")).suggest(
                "make it anew at the indexed commit, or index its commit with `lore index --at`",
            ))
        };
        if n_documents == 0 {
            return Err(Error::usage("the index holds no documents")
                .suggest("make one with scip-typescript, scip-python or `rust-analyzer scip`"));
        }
        if n_changed * 2 > n_documents {
            return stale(format!(
                "in {n_changed} of {n_documents} documents names stand elsewhere"
            ));
        }
        if n_matched == 0 {
            return stale(format!("none of its {n_documents} documents is an indexed file"));
        }
        if n_found * 100 < n_definitions * LEAST_MATCHING {
            return stale(format!(
                "{n_found} of {n_definitions} definitions are where it has them"
            ));
        }
        Ok(())
    }

    fn judge(&mut self, document: Document) {
        let Some((at, text)) = self.file(&document) else { return };
        let file = &self.graph.files[at];
        let encoding = encoding(&document);
        let mut named: HashMap<(u32, u32), Vec<&str>> = HashMap::new();
        let mut placement = Placement::new(&text, &document);
        for occurrence in document.occurrences.iter().filter(|it| !it.is_definition) {
            let place = text.to_lore(occurrence.start, encoding);
            if placement.fit(occurrence, place) == Fit::Other {
                continue;
            }
            named.entry(place).or_default().push(&occurrence.symbol);
        }
        let top = Path::new("/");
        let judge = Judge::new(self.graph, top, encoding, SCIP);
        let mut evidence = FileEvidence {
            file: file.id,
            link: file.link,
            tier: Some(Tier::External),
            asked: Vec::new(),
            edges: Vec::new(),
            external: Vec::new(),
            counts: Counts::default(),
        };
        let number = self.evidence.files.len();
        for site in &file.sites {
            let Some(symbols) = named.get(&(site.line, site.col)) else { continue };
            let meaning = self.meaning(symbols);
            let verdict = judge.decide(file, site, &meaning);
            if meaning == Meaning::Outside
                && !matches!(site.claim, Claim::External { .. })
                && let Some(outside) = symbols.iter().find_map(|symbol| symbol::parse(symbol))
            {
                self.evidence.outside.push((number, site.clone(), outside));
            }
            evidence.asked.push((site.line, site.col));
            evidence.counts.add(&verdict.counts);
            evidence.edges.extend(verdict.edges);
            if verdict.is_external {
                evidence.external.push((site.line, site.col));
            }
        }
        self.implementations(file, &document, &mut evidence.edges);
        self.evidence.counts.add(&evidence.counts);
        self.evidence.files.push(evidence);
    }

    /// What the symbols at one place are.
    fn meaning(&self, symbols: &[&str]) -> Meaning {
        let mut known = Vec::new();
        for symbol in symbols {
            let found = self.defined(symbol);
            let found = found.or_else(|| self.own_by_other_name(symbol));
            if let Some(node) = found.filter(|node| !known.contains(node)) {
                known.push(node);
            }
        }
        let is_called = |node: &NodeId| {
            self.graph.definition(*node).is_some_and(|def| crate::judge::is_callable(def.kind))
        };
        if !known.is_empty() {
            known.retain(is_called);
            return if known.is_empty() { Meaning::Elsewhere } else { Meaning::Symbols(known) };
        }
        if symbols.iter().all(|symbol| is_local(symbol)) {
            return Meaning::Elsewhere;
        }
        // Of a package that is indexed, but not where it is said to be: nothing is known.
        if symbols.iter().any(|symbol| self.is_own(symbol)) {
            return Meaning::Nothing;
        }
        // Defined in no document: of another package, if it is of any.
        let of_package = symbols.iter().find_map(|symbol| symbol::parse(symbol));
        match of_package {
            Some(_) => Meaning::Outside,
            None => Meaning::Nothing,
        }
    }

    fn implementations(
        &mut self,
        file: &SourceFile,
        document: &Document,
        edges: &mut Vec<LayerEdge>,
    ) {
        for (symbol, base) in &document.implementations {
            let (Some(source), Some(target)) = (self.defined(symbol), self.defined(base)) else {
                continue;
            };
            let (Some(def), Some(of)) = (file.definition_of(source), self.graph.definition(target))
            else {
                continue;
            };
            let is_method = matches!(def.kind, NodeKind::Method | NodeKind::Function);
            let is_base = |kind| matches!(kind, NodeKind::Interface | NodeKind::Trait);
            // The index does not say which relation it is; the code may, and then that is it.
            let kind = match self.graph.relation(source, target) {
                Some(known) => known,
                None if is_method => EdgeKind::Overrides,
                None if is_base(of.kind) && !is_base(def.kind) => EdgeKind::Implements,
                None => EdgeKind::Inherits,
            };
            if source == target {
                continue;
            }
            self.evidence.n_relations += 1;
            edges.push(LayerEdge {
                source,
                target,
                kind,
                holds: true,
                confidence: SCIP,
                line: def.name_line,
                col: def.name_col,
            });
        }
    }
}

/// scip-python and scip-typescript do not say how they count; both count as their
/// editors do.
fn encoding(document: &Document) -> Encoding {
    document.encoding.unwrap_or(Encoding::Utf16)
}
