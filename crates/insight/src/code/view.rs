//! One snapshot, read as far as a question needs it.
//!
//! Nodes, links and outlines are looked up on demand and kept while the
//! question lasts. What is not in the snapshot does not appear; where edges lead
//! out of the repository, the others that are indexed answer for their part.

use super::abroad::CrossRepoIndex;
use super::arcs::Arcs;
use super::contracts::Contracts;
use super::layers::Layers;
use super::overlay::EditedFile;
use super::resolve::{BySegment, by_segment};
use super::scope::Scope;
use crate::context::is_aside;
use model::Result;
use model::code::{EdgeKind, NodeKind, OWNER, SymbolKind, is_test_path, is_vendored_path};
use model::ids::{FileId, LinkId, NodeId, PackageId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use store::code::adjacency::AdjacentEdge;
use store::code::externals;
use store::code::files::{self, FileRow};
use store::code::links::{self, SiteEdge, Unresolved};
use store::code::nodes::{self, NodeRow};
use store::code::outline::Symbol;
use store::code::snapshots::{self, PackageVersion};
use store::{Moment, Reader};

pub struct View<'r> {
    pub reader: &'r Reader,
    pub scope: Rc<Scope>,
    nodes: Memo<NodeId, Option<Rc<NodeRow>>>,
    versions: Memo<PackageId, Option<Rc<PackageVersion>>>,
    package_paths: Memo<PackageId, Rc<str>>,
    files: Memo<FileId, Rc<FileRow>>,
    /// Paths that were met on the way.
    paths: Memo<FileId, Rc<str>>,
    outlines: Memo<FileId, Rc<[Symbol]>>,
    file_nodes: Memo<FileId, Rc<[NodeId]>>,
    links: Memo<LinkId, Rc<[SiteEdge]>>,
    resources: OnceCell<BySegment>,
    unnamed: OnceCell<BySegment>,
    arcs: OnceCell<Option<Arcs>>,
    layers: OnceCell<Option<Layers>>,
    contracts: OnceCell<Option<Contracts>>,
    /// None in the views this one asks.
    abroad: Option<OnceCell<Option<Box<CrossRepoIndex<'r>>>>>,
    /// An answer is of one moment, and its many small statements need not lock the file.
    _moment: Moment<'r>,
}

type Memo<K, V> = RefCell<HashMap<K, V>>;

/// Where a node is defined in the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub file: FileId,
    pub link: LinkId,
    pub def: u32,
}

/// A symbol as answers show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolRef {
    /// `host/group/name://src/flask.app.Flask.run`; of what no indexed repository
    /// has, `language://package.name`.
    pub qualified_name: String,
    /// `app.Flask.run`
    pub symbol: String,
    pub kind: SymbolKind,
    /// Empty for what is external.
    pub path: String,
    pub line: u32,
    pub is_test: bool,
}

/// An edge at its first site, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub node: NodeId,
    pub kind: EdgeKind,
    pub confidence: u8,
    pub provenance: model::code::Provenance,
    /// The file of the site, and its line there.
    pub file: FileId,
    pub line: u32,
    pub n_sites: u32,
}

fn kept<K: std::hash::Hash + Eq + Copy, V: Clone>(
    kept: &Memo<K, V>,
    key: K,
    read: impl FnOnce() -> Result<V>,
) -> Result<V> {
    if let Some(known) = kept.borrow().get(&key) {
        return Ok(known.clone());
    }
    let value = read()?;
    kept.borrow_mut().insert(key, value.clone());
    Ok(value)
}

fn once<T>(cell: &OnceCell<T>, read: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let value = read()?;
    Ok(cell.get_or_init(|| value))
}

impl<'r> View<'r> {
    pub fn new(reader: &'r Reader, scope: &Scope) -> Self {
        View { abroad: Some(OnceCell::new()), ..View::alone(reader, scope) }
    }

    /// Of one repository only.
    pub(crate) fn alone(reader: &'r Reader, scope: &Scope) -> Self {
        View {
            reader,
            scope: Rc::new(scope.clone()),
            nodes: Memo::default(),
            versions: Memo::default(),
            package_paths: Memo::default(),
            files: Memo::default(),
            paths: Memo::default(),
            outlines: Memo::default(),
            file_nodes: Memo::default(),
            links: Memo::default(),
            resources: OnceCell::new(),
            unnamed: OnceCell::new(),
            arcs: OnceCell::new(),
            layers: OnceCell::new(),
            contracts: OnceCell::new(),
            abroad: None,
            _moment: reader.moment(),
        }
    }

    pub fn node(&self, id: NodeId) -> Result<Option<Rc<NodeRow>>> {
        kept(&self.nodes, id, || Ok(nodes::get(self.reader, id)?.map(Rc::new)))
    }

    /// The resources of the repository, of any time. All symbols are looked through for
    /// them, so they are read once.
    pub(super) fn resources(&self) -> Result<&BySegment> {
        once(&self.resources, || {
            let repo = self.scope.repo.id;
            by_segment(self, nodes::of_kind(self.reader, repo, NodeKind::Resource)?)
        })
    }

    /// Modules that are all of a folder, and have no name of their own; of any repository.
    pub(super) fn unnamed(&self) -> Result<&BySegment> {
        once(&self.unnamed, || by_segment(self, nodes::named(self.reader, "")?))
    }

    /// A package as it is in the snapshot.
    pub fn version(&self, package: PackageId) -> Result<Option<Rc<PackageVersion>>> {
        kept(&self.versions, package, || {
            let id = snapshots::package_in(self.reader, self.scope.snapshot.seq, package)?;
            let version = id.map(|id| snapshots::version(self.reader, id)).transpose()?;
            Ok(version.map(Rc::new))
        })
    }

    pub fn package_path(&self, package: PackageId) -> Result<Rc<str>> {
        kept(&self.package_paths, package, || {
            files::package_path(self.reader, package).map(Rc::from)
        })
    }

    pub fn file(&self, id: FileId) -> Result<Rc<FileRow>> {
        kept(&self.files, id, || files::get(self.reader, id).map(Rc::new))
    }

    /// Empty where a site is in no file: what people declare is written in none.
    pub fn path(&self, id: FileId) -> Result<String> {
        if id == FileId(0) {
            return Ok(String::new());
        }
        if let Some(known) = self.paths.borrow().get(&id) {
            return Ok(known.to_string());
        }
        let file = self.file(id)?;
        let package = self.package_path(file.package)?;
        Ok(if package.is_empty() { file.name.clone() } else { format!("{package}/{}", file.name) })
    }

    /// The symbols of a file, on the lines where they stand now.
    pub fn outline(&self, id: FileId) -> Result<Rc<[Symbol]>> {
        kept(&self.outlines, id, || {
            let mut outline = files::outline(self.reader, id)?;
            if self.scope.overlay.is_some()
                && let Some(edited) = self.edited(&self.path(id)?)
            {
                self.relocate(id, edited, &mut outline)?;
            }
            Ok(Rc::from(outline))
        })
    }

    /// The file as it was edited since the snapshot.
    pub fn edited(&self, path: &str) -> Option<&EditedFile> {
        self.scope.overlay.as_ref()?.file(path)
    }

    /// Moves definitions to where they stand now. Those that are gone keep no lines.
    fn relocate(&self, id: FileId, edited: &EditedFile, outline: &mut [Symbol]) -> Result<()> {
        let nodes = self.nodes_of(id)?;
        let mut taken: HashMap<(String, NodeKind), usize> = HashMap::new();
        for (entry, node) in outline.iter_mut().zip(nodes.iter()) {
            if entry.kind == NodeKind::Module && edited.text.is_some() {
                continue;
            }
            let Some(symbols) = &edited.symbols else {
                let is_gone = edited.text.is_none();
                let moved = |line: u32| if is_gone { 0 } else { edited.line_or_near(line) };
                entry.start_line = moved(entry.start_line);
                entry.name_line = moved(entry.name_line);
                entry.end_line = moved(entry.end_line).max(entry.start_line);
                continue;
            };
            let Some(row) = self.node(*node)? else { continue };
            let nth = taken.entry((row.symbol(), entry.kind)).or_insert(0);
            let own = row.symbol();
            let mut same =
                symbols.iter().filter(|it| it.kind == entry.kind && it.symbol == own).skip(*nth);
            *nth += 1;
            match same.next() {
                Some(now) => {
                    entry.start_line = now.start_line;
                    entry.end_line = now.end_line;
                    entry.name_line = now.name_line;
                    entry.signature.clone_from(&now.signature);
                }
                None => (entry.start_line, entry.end_line, entry.name_line) = (0, 0, 0),
            }
        }
        Ok(())
    }

    /// Whether a definition is not there any more.
    fn is_gone(&self, place: &Place) -> Result<bool> {
        if self.scope.overlay.is_none() || self.edited(&self.path(place.file)?).is_none() {
            return Ok(false);
        }
        let outline = self.outline(place.file)?;
        Ok(outline.get(place.def as usize).is_some_and(|entry| entry.name_line == 0))
    }

    /// Steps whose sites are still written, on their lines of now. `name`: what is
    /// called at a site.
    fn still_written(
        &self,
        steps: Vec<Step>,
        ends: impl Fn(&Step) -> (NodeId, NodeId),
    ) -> Result<Vec<Step>> {
        if self.scope.overlay.is_none() {
            return Ok(steps);
        }
        let mut kept = Vec::new();
        for mut step in steps {
            let path = self.path(step.file)?;
            let Some(edited) = self.edited(&path) else {
                kept.push(step);
                continue;
            };
            if let Some(line) = edited.line(step.line) {
                step.line = line;
                kept.push(step);
                continue;
            }
            // The line was changed: the source may still name the target.
            let (source, target) = ends(&step);
            let (Some(place), Some(target)) =
                (self.places(source)?.first().copied(), self.node(target)?)
            else {
                continue;
            };
            let outline = self.outline(place.file)?;
            let Some(entry) = outline.get(place.def as usize) else { continue };
            let named = edited.has_word_within(&target.name, entry.start_line, entry.end_line);
            if let Some(line) = named {
                step.line = line;
                kept.push(step);
            }
        }
        Ok(kept)
    }

    pub fn nodes_of(&self, id: FileId) -> Result<Rc<[NodeId]>> {
        kept(&self.file_nodes, id, || files::nodes(self.reader, id).map(Rc::from))
    }

    pub fn edges_of(&self, id: LinkId) -> Result<Rc<[SiteEdge]>> {
        kept(&self.links, id, || links::edges(self.reader, id).map(Rc::from))
    }

    /// Where a node is defined; empty when it is not in the snapshot.
    pub fn places(&self, id: NodeId) -> Result<Vec<Place>> {
        let Some(node) = self.node(id)? else { return Ok(Vec::new()) };
        let Some(version) = self.version(node.package)? else { return Ok(Vec::new()) };
        let mut places = Vec::new();
        for (file, def) in nodes::states(self.reader, id)? {
            let mut members = version.members.iter();
            if let Some(at) = members.position(|member| member.file == file) {
                let place = Place { file, link: version.members[at].link, def };
                if !self.is_gone(&place)? {
                    places.push((at, place));
                }
            }
        }
        // By the names of the files, as in the file of edges: their numbers tell only in which
        // order versions were indexed.
        places.sort_by_key(|(at, place)| (*at, place.def));
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    fn abroad(&self) -> Result<Option<&CrossRepoIndex<'r>>> {
        let Some(cell) = &self.abroad else { return Ok(None) };
        if cell.get().is_none() {
            let loaded = CrossRepoIndex::load(self.reader, self.scope.repo.id)?;
            let _ = cell.set(loaded.map(Box::new));
        }
        Ok(cell.get().and_then(Option::as_deref))
    }

    /// Whether other repositories have a part in what this one answers.
    pub fn is_joined(&self) -> Result<bool> {
        Ok(self.abroad()?.is_some())
    }

    /// The view that knows a node: this one, or that of its repository.
    fn home_of(&self, id: NodeId) -> Result<&View<'r>> {
        let abroad = match self.abroad()? {
            Some(abroad) => abroad.view_of(self.reader, id)?,
            None => None,
        };
        Ok(abroad.unwrap_or(self))
    }

    /// What a node leads to, each target and kind once, with its first site.
    pub fn outgoing(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = self.home_of(id)?.own_outgoing(id)?;
        if let Some(abroad) = self.abroad()? {
            for step in &mut steps {
                step.node = abroad.target(self, step.node)?.unwrap_or(step.node);
            }
        }
        Ok(steps)
    }

    /// What leads to a node, each source and kind once, with its first site.
    pub fn incoming(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = self.home_of(id)?.own_incoming(id)?;
        if let Some(abroad) = self.abroad()? {
            for (twin, view) in abroad.twins(self, id)? {
                steps.extend(view.unwrap_or(self).own_incoming(twin)?);
            }
        }
        Ok(steps)
    }

    /// A node of the snapshot as answers show it, or of another repository.
    pub fn symbol(&self, id: NodeId) -> Result<Option<SymbolRef>> {
        self.home_of(id)?.own_symbol(id)
    }

    fn own_symbol(&self, id: NodeId) -> Result<Option<SymbolRef>> {
        // Only a walk has opened the file; a single symbol is found as fast without.
        if let Some(Some(arcs)) = self.arcs.get()
            && let Some(entry) = arcs.entry(id)?
        {
            let line = match self.edited(&entry.path) {
                None => entry.line,
                Some(_) => match self.place_now(id)? {
                    Some(line) => line,
                    None => return Ok(None),
                },
            };
            let about = (entry.kind, line, entry.is_test);
            self.paths.borrow_mut().entry(entry.file).or_insert_with(|| Rc::from(&*entry.path));
            return Ok(Some(self.named(&entry.package, entry.symbol, entry.path, about)));
        }
        let Some(node) = self.node(id)? else { return Ok(None) };
        let package = self.package_path(node.package)?;
        if node.kind == NodeKind::External {
            let about = (node.kind, 0, false);
            return Ok(Some(self.named(&package, node.symbol(), String::new(), about)));
        }
        let Some(place) = self.places(id)?.first().copied() else { return Ok(None) };
        let outline = self.outline(place.file)?;
        let Some(entry) = outline.get(place.def as usize) else { return Ok(None) };
        let about = (node.kind, entry.name_line, entry.is_test);
        Ok(Some(self.named(&package, node.symbol(), self.path(place.file)?, about)))
    }

    /// The line on which a node is defined in an edited file; none where it is not.
    fn place_now(&self, id: NodeId) -> Result<Option<u32>> {
        let Some(place) = self.places(id)?.first().copied() else { return Ok(None) };
        let outline = self.outline(place.file)?;
        Ok(outline.get(place.def as usize).map(|entry| entry.name_line))
    }

    fn named(
        &self,
        package: &str,
        symbol: String,
        path: String,
        (kind, line, is_test): (NodeKind, u32, bool),
    ) -> SymbolRef {
        let (repo, package) = match externals::parse_package_path(package) {
            Some(outside) => outside,
            None => (self.scope.repo.canonical_url.as_str(), package),
        };
        let joint = if package.is_empty() || symbol.is_empty() { "" } else { "." };
        let kind = match (repo, kind) {
            (OWNER, NodeKind::External) if symbol.contains('/') => SymbolKind::Team,
            (OWNER, NodeKind::External) => SymbolKind::User,
            _ => kind.into(),
        };
        SymbolRef {
            qualified_name: format!("{repo}://{package}{joint}{symbol}"),
            symbol: if symbol.is_empty() { package.to_owned() } else { symbol },
            kind,
            path,
            line,
            is_test,
        }
    }

    fn arcs(&self) -> Result<Option<&Arcs>> {
        if self.arcs.get().is_none() {
            let opened = Arcs::open(self.reader, &self.scope.snapshot)?;
            let _ = self.arcs.set(opened);
        }
        Ok(self.arcs.get().and_then(Option::as_ref))
    }

    pub(crate) fn own_outgoing(&self, id: NodeId) -> Result<Vec<Step>> {
        let steps = self.indexed_outgoing(id)?;
        self.still_written(steps, |step| (id, step.node))
    }

    fn indexed_outgoing(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = match self.arcs()? {
            Some(arcs) => {
                self.with_outgoing(id, arcs.outgoing(id)?.iter().map(step_along).collect())?
            }
            None => self.outgoing_by_tables(id)?,
        };
        if let Some(contracts) = self.contracts()? {
            steps.extend(contracts.outgoing(id));
        }
        Ok(steps)
    }

    fn contracts(&self) -> Result<Option<&Contracts>> {
        if self.contracts.get().is_none() {
            let opened = Contracts::open(self)?;
            let _ = self.contracts.set(opened);
        }
        Ok(self.contracts.get().and_then(Option::as_ref))
    }

    fn layers(&self) -> Result<Option<&Layers>> {
        if self.layers.get().is_none() {
            let opened = Layers::open(self.reader, &self.scope.snapshot)?;
            let _ = self.layers.set(opened);
        }
        Ok(self.layers.get().and_then(Option::as_ref))
    }

    /// The linked edges from a node with what layers say.
    fn with_outgoing(&self, id: NodeId, linked: Vec<Step>) -> Result<Vec<Step>> {
        let mut steps = merged(linked);
        if let Some(layers) = self.layers()? {
            layers.apply_outgoing(id, &mut steps);
            steps = merged_provenances(steps);
        }
        Ok(steps)
    }

    fn with_incoming(&self, id: NodeId, linked: Vec<Step>) -> Result<Vec<Step>> {
        let mut steps = merged(linked);
        if let Some(layers) = self.layers()? {
            layers.apply_incoming(id, &mut steps);
            steps = merged_provenances(steps);
        }
        Ok(steps)
    }

    pub(crate) fn own_incoming(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = self.own_linked_incoming(id)?;
        if let Some(contracts) = self.contracts()? {
            steps.extend(contracts.incoming(id));
        }
        self.still_written(steps, |step| (step.node, id))
    }

    /// Without what contracts say.
    pub(super) fn own_linked_incoming(&self, id: NodeId) -> Result<Vec<Step>> {
        match self.arcs()? {
            Some(arcs) => {
                self.with_incoming(id, arcs.incoming(id)?.iter().map(step_along).collect())
            }
            None => self.incoming_by_tables(id),
        }
    }

    fn outgoing_by_tables(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for place in self.places(id)? {
            let edges = self.edges_of(place.link)?;
            for edge in edges.iter().filter(|edge| edge.source == place.def) {
                steps.push(step(edge, edge.target, place.file));
            }
        }
        self.with_outgoing(id, steps)
    }

    fn incoming_by_tables(&self, id: NodeId) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        let mut sources: Vec<NodeId> =
            links::sources(self.reader, id)?.into_iter().map(|(source, _)| source).collect();
        sources.dedup();
        for source in sources {
            for place in self.places(source)? {
                let edges = self.edges_of(place.link)?;
                let from = edges.iter().filter(|edge| edge.source == place.def);
                steps.extend(
                    from.filter(|edge| edge.target == id)
                        .map(|edge| step(edge, source, place.file)),
                );
            }
        }
        self.with_incoming(id, steps)
    }

    /// The calls of a link that nobody could bind: neither linking nor a layer.
    pub fn unresolved_of(&self, link: LinkId, file: FileId) -> Result<Vec<Unresolved>> {
        let mut sites = links::unresolved(self.reader, link)?;
        if let Some(layers) = self.layers()? {
            sites.retain(|site| !layers.settles(file, site.line, site.col));
        }
        Ok(sites)
    }

    /// Whether a symbol calls a name in a call that is tied to no symbol.
    pub fn calls_untied(&self, node: NodeId, name: &str) -> Result<bool> {
        for place in self.places(node)? {
            let sites = self.unresolved_of(place.link, place.file)?;
            let mut own = sites.iter().filter(|site| site.source == place.def);
            if own.any(|site| site.name == name && !site.is_external) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Calls of a name in the snapshot that could not be resolved; the sites are
    /// read only up to `most`, those of the product first.
    pub fn unresolved(&self, name: &str, most: usize) -> Result<(u64, Vec<(FileId, Unresolved)>)> {
        self.unresolved_calls(name, most, "", u64::MAX)
    }

    /// The same, of equal ones first what lies nearest to a path.
    pub fn unresolved_near(
        &self,
        name: &str,
        most: usize,
        near: &str,
    ) -> Result<(u64, Vec<(FileId, Unresolved)>)> {
        self.unresolved_calls(name, most, near, u64::MAX)
    }

    /// The same for who needs to know of no more calls than `most_calls`.
    pub fn unresolved_until(
        &self,
        name: &str,
        most: usize,
        most_calls: u64,
    ) -> Result<(u64, Vec<(FileId, Unresolved)>)> {
        self.unresolved_calls(name, most, "", most_calls)
    }

    fn unresolved_calls(
        &self,
        name: &str,
        most: usize,
        near: &str,
        most_calls: u64,
    ) -> Result<(u64, Vec<(FileId, Unresolved)>)> {
        let mut n_known = 0;
        let mut total = 0;
        let mut sites = Vec::new();
        let mut of_files = Vec::new();
        for (link, n_sites) in links::with_unresolved(self.reader, name)? {
            if n_known >= most_calls {
                break;
            }
            let file = links::file_of(self.reader, link)?;
            let package = self.file(file)?.package;
            let Some(version) = self.version(package)? else { continue };
            if version.members.iter().any(|member| member.link == link) {
                let path = if most > 0 { self.path(file)? } else { String::new() };
                of_files.push((distance(&path, near), path, link, file, n_sites));
                // What layers settle is known only when the sites are read.
                if self.layers()?.is_none() {
                    n_known += u64::from(n_sites);
                }
            }
        }
        of_files.sort();
        for (_, _, link, file, n_sites) in of_files {
            let has_layers = self.layers()?.is_some();
            if !has_layers {
                total += u64::from(n_sites);
            }
            if has_layers || sites.len() < most {
                let all = self.unresolved_of(link, file)?;
                let named = all.into_iter().filter(|site| site.name == name && !site.is_external);
                let before = sites.len();
                sites.extend(named.map(|site| (file, site)));
                if has_layers {
                    total += (sites.len() - before) as u64;
                    sites.truncate(most.max(before));
                }
            }
        }
        sites.truncate(most);
        Ok((total, sites))
    }
}

fn step(edge: &SiteEdge, node: NodeId, file: FileId) -> Step {
    Step {
        node,
        kind: edge.kind,
        confidence: edge.confidence,
        provenance: edge.provenance,
        file,
        line: edge.line,
        n_sites: 1,
    }
}

/// How far a path is from what somebody looks for beside another: product code before
/// tests before examples; then by the folders that they share.
pub(super) fn distance(path: &str, near: &str) -> (u8, std::cmp::Reverse<usize>) {
    let class = match path {
        _ if is_aside(path) || is_vendored_path(path) => 2,
        _ if is_test_path(path) => 1,
        _ => 0,
    };
    let shared = path.split('/').zip(near.split('/')).take_while(|(a, b)| a == b).count();
    (class, std::cmp::Reverse(shared))
}

fn step_along(arc: &AdjacentEdge) -> Step {
    Step {
        node: arc.other,
        kind: arc.kind,
        confidence: arc.confidence,
        provenance: arc.provenance,
        file: arc.file,
        line: arc.line,
        n_sites: arc.n_sites,
    }
}

/// The same end by the same kind of edge once: its surest site, all counted.
fn merged(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| (step.node, step.kind, surest(step)));
    steps.dedup_by(|next, kept| {
        let is_same = next.node == kept.node && next.kind == kept.kind;
        kept.n_sites += if is_same { next.n_sites } else { 0 };
        is_same
    });
    steps
}

fn surest(step: &Step) -> (std::cmp::Reverse<u8>, u32) {
    (std::cmp::Reverse(step.confidence), step.line)
}

/// The same where several provenances know an edge: the highest of the ladder
/// is named with the highest confidence, so that who confirms never lowers, and
/// sites that both saw are not counted twice.
fn merged_provenances(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| (step.node, step.kind, step.provenance, surest(step)));
    steps.dedup_by(|next, kept| {
        let is_same =
            (next.node, next.kind, next.provenance) == (kept.node, kept.kind, kept.provenance);
        kept.n_sites += if is_same { next.n_sites } else { 0 };
        is_same
    });
    steps.sort_by_key(|step| (step.node, step.kind, surest(step)));
    steps.dedup_by(|next, kept| {
        let is_same = next.node == kept.node && next.kind == kept.kind;
        if is_same {
            kept.n_sites = kept.n_sites.max(next.n_sites);
            if next.provenance.rank() > kept.provenance.rank() {
                kept.provenance = next.provenance;
            }
        }
        is_same
    });
    steps
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
