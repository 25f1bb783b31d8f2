//! A snapshot as a SCIP index: where symbols are defined and called, what they
//! are, what they implement.
//!
//! Written for tools that read SCIP (scip.proto, sourcegraph/scip). Ranges are
//! those of names; where the clone is at hand, the text says how long a name is
//! that goes by another one at the place it is called.

mod naming;
mod wire;

use super::scope::Scope;
use super::view::View;
use git::{BlobReader, ObjectId, Repo};
use model::Result;
use model::code::{EdgeKind, NodeKind, language_name};
use model::ids::{FileId, NodeId};
use naming::{Part, kind_number, symbol};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use store::Reader;
use store::code::externals;
use store::code::layers::{self, LayerEdge};
use store::code::links::SiteEdge;
use store::code::outline::Symbol;
use store::code::snapshots::{self, Member};
use wire::Message;

const DEFINITION: u64 = 1;
const TEST: u64 = 32;
const UTF8: u64 = 1;

/// The bytes of the index of a snapshot; `version` is lore's own.
pub fn scip(reader: &Reader, scope: &Scope, version: &str) -> Result<Vec<u8>> {
    let view = View::new(reader, scope);
    let mut members: BTreeMap<String, Member> = BTreeMap::new();
    for package in snapshots::packages(reader, scope.snapshot.seq)?.into_keys() {
        let Some(version) = view.version(package)? else { continue };
        for member in &version.members {
            members.insert(view.path(member.file)?, *member);
        }
    }
    let mut names = Names { view: &view, known: HashMap::new(), kinds: HashMap::new() };
    names.learn(members.values())?;
    let mut texts = Texts::of(scope);
    let mut external = BTreeSet::new();
    let mut evidence: HashMap<FileId, Vec<LayerEdge>> = HashMap::new();
    for layer in layers::all(reader, scope.snapshot.seq)? {
        if let Some(file) = layer.file {
            evidence.entry(file).or_default().extend(layer.edges);
        }
    }
    let mut index = Message::default();
    index.message(1, &metadata(scope, version));
    for (path, member) in &members {
        let text = texts.read(&view, member.file)?;
        let evidence = evidence.get(&member.file).map_or(&[][..], Vec::as_slice);
        let document = document(&mut names, path, *member, &text, (evidence, &mut external))?;
        index.message(2, &document);
    }
    for node in external {
        let mut about = Message::default();
        about.text(1, &names.symbol(node)?);
        if let Some(row) = view.node(node)? {
            about.text(6, &row.name);
        }
        index.message(3, &about);
    }
    Ok(index.finish())
}

fn metadata(scope: &Scope, version: &str) -> Message {
    let mut tool = Message::default();
    tool.text(1, "lore").text(2, version);
    let mut metadata = Message::default();
    let root = scope.dir.as_deref().map(|dir| format!("file://{dir}")).unwrap_or_default();
    metadata.message(2, &tool).text(3, &root).number(4, UTF8);
    metadata
}

/// Symbols by node, worked out once each.
struct Names<'v, 'r> {
    view: &'v View<'r>,
    known: HashMap<NodeId, String>,
    /// What the parts of symbol paths are, by package and path.
    kinds: HashMap<(String, String), NodeKind>,
}

impl Names<'_, '_> {
    fn learn<'m>(&mut self, members: impl Iterator<Item = &'m Member>) -> Result<()> {
        for member in members {
            for node in self.view.nodes_of(member.file)?.iter() {
                if let Some(row) = self.view.node(*node)? {
                    let package = self.view.package_path(row.package)?.to_string();
                    self.kinds.entry((package, row.symbol())).or_insert(row.kind);
                }
            }
        }
        Ok(())
    }

    fn symbol(&mut self, node: NodeId) -> Result<String> {
        if let Some(known) = self.known.get(&node) {
            return Ok(known.clone());
        }
        let Some(row) = self.view.node(node)? else { return Ok(String::new()) };
        let package = self.view.package_path(row.package)?.to_string();
        let own = Part { name: &row.name, kind: row.kind, disambiguator: &row.disambiguator };
        let scopes: Vec<&str> = row.scope.split('.').filter(|name| !name.is_empty()).collect();
        // Of other packages only names are known. They are written like types: a reader
        // leaves out modules, and with them what tells two symbols apart.
        let is_foreign = externals::parse_package_path(&package).is_some();
        let unknown = if is_foreign { NodeKind::Type } else { NodeKind::Module };
        let mut parts = Vec::new();
        for (at, name) in scopes.iter().enumerate() {
            let path = (package.clone(), scopes[..=at].join("."));
            let kind = self.kinds.get(&path).copied().unwrap_or(unknown);
            parts.push(Part { name, kind, disambiguator: "" });
        }
        parts.push(own);
        let name = match externals::parse_package_path(&package) {
            Some((language, package)) => symbol(language, package, "", "", &parts),
            None => {
                let Scope { repo, snapshot, .. } = &*self.view.scope;
                symbol("git", &repo.canonical_url, &snapshot.sha, &package, &parts)
            }
        };
        self.known.insert(node, name.clone());
        Ok(name)
    }
}

/// Where a symbol is met, in the order SCIP wants them.
type Occurrences = BTreeMap<([u32; 3], String), (u64, Option<[u32; 4]>)>;

fn document(
    names: &mut Names<'_, '_>,
    path: &str,
    member: Member,
    text: &Text,
    (evidence, external): (&[LayerEdge], &mut BTreeSet<NodeId>),
) -> Result<Message> {
    let view = names.view;
    let nodes = view.nodes_of(member.file)?;
    let outline = view.outline(member.file)?;
    let edges = view.edges_of(member.link)?;
    let mut occurrences = Occurrences::new();
    let mut symbols = BTreeMap::new();
    for (at, (node, entry)) in nodes.iter().zip(outline.iter()).enumerate() {
        let name = names.symbol(*node)?;
        let Some(row) = view.node(*node)? else { continue };
        let range = definition_range(entry, &row.name, text);
        let roles = DEFINITION | if entry.is_test { TEST } else { 0 };
        let around = [entry.start_line.saturating_sub(1), 0, entry.end_line, 0];
        let around = (entry.kind != NodeKind::Module).then_some(around);
        occurrences.insert((range, name.clone()), (roles, around));
        let mut bases = BTreeSet::new();
        for edge in edges.iter().filter(|edge| edge.source as usize == at && is_based(edge.kind)) {
            bases.insert(names.symbol(edge.target)?);
        }
        symbols.entry(name.clone()).or_insert_with(|| about(&name, &row.name, entry, &bases));
    }
    for (target, line, col) in calls(&edges, evidence) {
        let Some(row) = view.node(target)? else { continue };
        if row.kind == NodeKind::External {
            external.insert(target);
        }
        let range = text.name_at(line, col, &row.name);
        occurrences.entry((range, names.symbol(target)?)).or_insert((0, None));
    }
    let mut document = Message::default();
    document.text(1, path);
    for ((range, name), (roles, around)) in occurrences {
        let mut occurrence = Message::default();
        occurrence.numbers(1, &range).text(2, &name).number(3, roles);
        if let Some(around) = around {
            occurrence.numbers(7, &around);
        }
        document.message(2, &occurrence);
    }
    for symbol in symbols.values() {
        document.message(3, symbol);
    }
    let file = view.file(member.file)?;
    document.text(4, language_name(&file.language, path)).number(6, UTF8);
    Ok(document)
}

/// The calls of a file with what layers say: targets and places, each once.
fn calls(linked: &[SiteEdge], evidence: &[LayerEdge]) -> BTreeSet<(NodeId, u32, u32)> {
    let of_calls = || evidence.iter().filter(|edge| edge.kind == EdgeKind::Calls);
    let place = |edge: &LayerEdge| (edge.target, edge.line, edge.col);
    let withdrawn: BTreeSet<_> = of_calls().filter(|edge| !edge.holds).map(place).collect();
    let linked = linked.iter().filter(|edge| edge.kind == EdgeKind::Calls);
    linked
        .map(|edge| (edge.target, edge.line, edge.col))
        .filter(|place| !withdrawn.contains(place))
        .chain(of_calls().filter(|edge| edge.holds).map(place))
        .collect()
}

const fn is_based(kind: EdgeKind) -> bool {
    matches!(kind, EdgeKind::Inherits | EdgeKind::Implements | EdgeKind::Overrides)
}

fn definition_range(entry: &Symbol, name: &str, text: &Text) -> [u32; 3] {
    let (line, col) = (entry.name_line, entry.name_col);
    match entry.kind {
        // A file is no word in it, and a route is said by several.
        NodeKind::Module | NodeKind::RouteHandler => {
            [line.saturating_sub(1), col.saturating_sub(1), col.saturating_sub(1)]
        }
        _ => text.name_at(line, col, name),
    }
}

fn about(symbol: &str, name: &str, entry: &Symbol, bases: &BTreeSet<String>) -> Message {
    let mut about = Message::default();
    about.text(1, symbol).text(3, &entry.doc);
    for base in bases {
        let mut relation = Message::default();
        relation.text(1, base).flag(3, true);
        about.message(4, &relation);
    }
    about.number(5, kind_number(entry.kind)).text(6, name);
    if !entry.signature.is_empty() {
        let mut signature = Message::default();
        signature.text(5, &entry.signature);
        about.message(7, &signature);
    }
    about
}

/// Larger files are not indexed.
const MAX_BYTES: u64 = 4 << 20;

/// The files of a clone; nothing where there is none.
struct Texts {
    blobs: Option<BlobReader>,
}

impl Texts {
    fn of(scope: &Scope) -> Self {
        let dir = scope.dir.as_deref().map(Path::new).filter(|dir| dir.is_dir());
        Texts { blobs: dir.and_then(|dir| Repo::known(dir).blobs().ok()) }
    }

    fn read(&mut self, view: &View<'_>, file: FileId) -> Result<Text> {
        let Some(blobs) = &mut self.blobs else { return Ok(Text::default()) };
        let hex: String = view.file(file)?.blob.iter().map(|byte| format!("{byte:02x}")).collect();
        let Some(id) = ObjectId::parse(&hex) else { return Ok(Text::default()) };
        // A blob that went missing costs the lengths of a few names.
        let blob = blobs.read(id, MAX_BYTES).ok();
        let bytes = blob.and_then(git::Blob::into_content).unwrap_or_default();
        Ok(Text { lines: bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() })
    }
}

#[derive(Default)]
struct Text {
    lines: Vec<Vec<u8>>,
}

impl Text {
    /// The word at a place, counted from 1; as long as `name` where the text
    /// does not tell.
    fn name_at(&self, line: u32, col: u32, name: &str) -> [u32; 3] {
        let (line, start) = (line.saturating_sub(1), col.saturating_sub(1));
        let is_word = |byte: &&u8| {
            byte.is_ascii_alphanumeric() || **byte >= 0x80 || matches!(byte, b'_' | b'$')
        };
        let rest = self.lines.get(line as usize).and_then(|text| text.get(start as usize..));
        let length = rest.map_or(0, |rest| rest.iter().take_while(is_word).count());
        let length = if length == 0 { name.len() } else { length };
        [line, start, start + length as u32]
    }
}
