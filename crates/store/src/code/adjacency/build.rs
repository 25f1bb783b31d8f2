//! Makes the file of edges of a snapshot: package by package, from the tables
//! or from what was just written to them. Both ways give the same bytes.

use super::{ARC, AdjacentEdge, ENTRY, FILE, HEAD, MAGIC, NAMED, NONE, PACKAGE, SLOT, pack_arc};
use crate::code::links::SiteEdge;
use crate::code::packed::damaged;
use crate::code::snapshots::{self, Snapshot};
use crate::code::{files, links, nodes};
use crate::handle::Read;
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::ids::{FileId, NodeId, PackageId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Ids of nodes are given one after the other, so few of them are missing
/// between the first and the last. The file has a slot for each; in a database
/// where they lie far apart it would fill the disk.
const MOST_GAPS: usize = 1 << 24;

/// What the file will hold, as it is put together.
#[derive(Default)]
pub struct Contents {
    sites: Vec<Site>,
    entries: FxHashMap<u32, [u32; 5]>,
    files: Vec<[u32; 4]>,
    packages: Vec<[u32; 2]>,
    texts: Vec<u8>,
}

/// An edge at one site. There may be very many.
#[derive(Clone, Copy)]
struct Site {
    source: u32,
    target: u32,
    file: u32,
    line: u32,
    kind: EdgeKind,
    provenance: Provenance,
    confidence: u8,
}

/// What lists show of a node beside its name.
#[derive(Debug, Clone, Copy)]
pub struct NodeSummary {
    pub kind: NodeKind,
    pub is_test: bool,
    pub line: u32,
}

/// A node of another repository.
#[derive(Debug, Clone)]
pub struct ExternalShown {
    pub package: PackageId,
    /// Of the package.
    pub path: String,
    pub symbol: String,
}

impl Contents {
    /// Begins a package; the files that follow are its files.
    pub fn package(&mut self, path: &str) {
        let row = self.text(path);
        self.packages.push(row);
    }

    /// Begins a file of the package, by its whole path; nodes and edges that
    /// follow are in it.
    pub fn file(&mut self, path: &str, id: FileId) -> Result<()> {
        let id = number(id.0)?;
        let [start, length] = self.text(path);
        self.files.push([start, length, id, 0]);
        Ok(())
    }

    pub fn has(&self, node: NodeId) -> bool {
        number(node.0).is_ok_and(|node| self.entries.contains_key(&node))
    }

    /// Enters a node that is not there yet.
    pub fn node(&mut self, node: NodeId, symbol: &str, shown: NodeSummary) -> Result<()> {
        let last = |length: usize| (length as u32).wrapping_sub(1);
        let place = [last(self.packages.len()), last(self.files.len())];
        self.enter(node, symbol, shown, place)
    }

    /// `place`: the numbers of package and file.
    fn enter(
        &mut self,
        node: NodeId,
        symbol: &str,
        shown: NodeSummary,
        place: [u32; 2],
    ) -> Result<()> {
        let [start, length] = self.text(symbol);
        let marks = u32::from(shown.kind.number()) | u32::from(shown.is_test) << 8;
        let [package, file] = place;
        let entry = [start, length | marks << 16, package, file, shown.line];
        self.entries.insert(number(node.0)?, entry);
        Ok(())
    }

    /// The edges of the file, whose nodes are these.
    pub fn edges(&mut self, nodes: &[NodeId], edges: &[SiteEdge]) -> Result<()> {
        let file = self.files.last().map_or(0, |file| file[2]);
        for edge in edges {
            let Some(source) = nodes.get(edge.source as usize) else { continue };
            self.sites.push(Site {
                source: number(source.0)?,
                target: number(edge.target.0)?,
                file,
                line: edge.line,
                kind: edge.kind,
                provenance: edge.provenance,
                confidence: edge.confidence,
            });
        }
        Ok(())
    }

    /// Enters targets that other repositories define, as `shown` tells them.
    /// Comes last.
    pub fn externals(
        &mut self,
        shown: impl Fn(NodeId) -> Result<Option<ExternalShown>>,
    ) -> Result<()> {
        let is_missing = |target: &u32| !self.entries.contains_key(target);
        let mut missing: Vec<u32> =
            self.sites.iter().map(|site| site.target).filter(is_missing).collect();
        missing.sort_unstable();
        missing.dedup();
        let mut known: FxHashMap<PackageId, u32> = FxHashMap::default();
        for node in missing {
            let node = NodeId(i64::from(node));
            let Some(ExternalShown { package, path, symbol }) = shown(node)? else { continue };
            let package = *known.entry(package).or_insert_with(|| {
                self.package(&path);
                self.packages.len() as u32 - 1
            });
            let shown = NodeSummary { kind: NodeKind::External, is_test: false, line: 0 };
            self.enter(node, &symbol, shown, [package, NONE])?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> [u32; 2] {
        let end = text.floor_char_boundary(0xffff);
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(&text.as_bytes()[..end]);
        [start, end as u32]
    }

    /// The bytes of the file, but for what its head says of the snapshot.
    pub fn body(&self) -> Result<Body> {
        let mut ids: Vec<u32> = self.entries.keys().copied().collect();
        ids.sort_unstable();
        let first = ids.first().copied().unwrap_or(0);
        let n_slots = ids.last().map_or(0, |last| last - first + 1);
        if n_slots as usize > MOST_GAPS.saturating_add(ids.len().saturating_mul(64)) {
            return Err(damaged());
        }
        let is_inside = |node: u32| self.entries.contains_key(&node);
        if self.sites.iter().any(|site| !is_inside(site.source) || !is_inside(site.target)) {
            // An edge leads out of the snapshot: better no file than a wrong one.
            return Err(damaged());
        }
        let outgoing = self.arcs(first, n_slots, |site| (site.source, site.target));
        let incoming = self.arcs(first, n_slots, |site| (site.target, site.source));
        let n_arcs = outgoing.starts[n_slots as usize];
        let counts = [
            first,
            n_slots,
            n_arcs,
            ids.len() as u32,
            self.files.len() as u32,
            self.packages.len() as u32,
        ];
        let size = HEAD - NAMED
            + (u64::from(n_slots) + 1) * SLOT
            + (outgoing.bytes.len() + incoming.bytes.len() + self.texts.len()) as u64
            + ids.len() as u64 * ENTRY
            + self.files.len() as u64 * FILE
            + self.packages.len() as u64 * PACKAGE;
        let mut bytes = Vec::with_capacity(size as usize);
        bytes.resize((HEAD - NAMED) as usize, 0);
        bytes.splice(..counts.len() * 4, counts.iter().flat_map(|count| count.to_le_bytes()));
        let mut n_entries = 0_u32;
        for slot in 0..=n_slots {
            let is_entry = slot < n_slots && is_inside(first + slot);
            let place = if is_entry { n_entries } else { NONE };
            n_entries += u32::from(is_entry);
            let (out, into) = (outgoing.starts[slot as usize], incoming.starts[slot as usize]);
            for number in [out, into, place] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        bytes.extend_from_slice(&outgoing.bytes);
        bytes.extend_from_slice(&incoming.bytes);
        for id in &ids {
            bytes.extend(self.entries[id].iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(self.files.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.packages.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(&self.texts);
        Ok(Body(bytes))
    }

    /// The arcs of one direction, by the node each is listed at. Sites between
    /// the same two nodes, of one kind, are one arc: the surest counts, and of
    /// those the first.
    fn arcs(&self, first: u32, n_slots: u32, ends: impl Fn(&Site) -> (u32, u32)) -> Arcs {
        let slot = |site: &Site| (ends(site).0 - first) as usize;
        let mut ends_of = vec![0_u32; n_slots as usize + 1];
        for site in &self.sites {
            ends_of[slot(site)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends_of {
            sum += *end;
            *end = sum;
        }
        let mut order = vec![0_u32; self.sites.len()];
        let mut places = ends_of.clone();
        for (at, site) in self.sites.iter().enumerate().rev() {
            let place = &mut places[slot(site)];
            *place -= 1;
            order[*place as usize] = at as u32;
        }
        let mut arcs = Arcs { starts: Vec::with_capacity(n_slots as usize + 1), bytes: Vec::new() };
        arcs.bytes.reserve(self.sites.len() * ARC as usize);
        let mut n_arcs = 0;
        let mut begin = 0;
        for end in &ends_of {
            arcs.starts.push(n_arcs);
            let of_node = &mut order[begin..*end as usize];
            begin = *end as usize;
            let site = |at: &u32| &self.sites[*at as usize];
            of_node.sort_unstable_by_key(|at| {
                let Site { kind, provenance, confidence, file, line, .. } = *site(at);
                (ends(site(at)).1, kind, provenance, Reverse(confidence), file, line)
            });
            let same = |a: &u32, b: &u32| {
                let key = |site: &Site| (ends(site).1, site.kind, site.provenance);
                key(site(a)) == key(site(b))
            };
            for sites in of_node.chunk_by(same) {
                let surest = site(&sites[0]);
                pack_arc(
                    &AdjacentEdge {
                        other: NodeId(i64::from(ends(surest).1)),
                        kind: surest.kind,
                        provenance: surest.provenance,
                        confidence: surest.confidence,
                        file: FileId(i64::from(surest.file)),
                        line: surest.line,
                        n_sites: sites.len() as u32,
                    },
                    &mut arcs.bytes,
                );
                n_arcs += 1;
            }
        }
        arcs
    }
}

/// Arcs of one direction: where those of each slot begin, and all of them.
struct Arcs {
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

/// The file of edges without its first bytes, which name the snapshot: that may
/// not have its number yet when all else is known.
pub struct Body(pub(super) Vec<u8>);

/// The first bytes of the file.
pub(super) fn head(snapshot: &Snapshot) -> Vec<u8> {
    let mut head = Vec::with_capacity(NAMED as usize);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&snapshot.seq.0.to_le_bytes());
    head.extend_from_slice(snapshot.static_root.as_bytes());
    head
}

fn number(id: i64) -> Result<u32> {
    u32::try_from(id).map_err(|_| damaged())
}

/// Everything of a snapshot, from the tables.
pub(super) fn from_tables(on: &impl Read, snapshot: &Snapshot) -> Result<Contents> {
    let paths: FxHashMap<PackageId, String> =
        files::packages(on, snapshot.repo)?.into_iter().collect();
    let mut contents = Contents::default();
    for (package, id) in snapshots::packages(on, snapshot.seq)? {
        let folder = paths.get(&package).map_or("", String::as_str);
        contents.package(folder);
        for member in snapshots::version(on, id)?.members {
            let row = files::get(on, member.file)?;
            let joint = if folder.is_empty() { "" } else { "/" };
            contents.file(&format!("{folder}{joint}{}", row.name), member.file)?;
            let of_file = files::nodes(on, member.file)?;
            for (node, symbol) in of_file.iter().zip(files::outline(on, member.file)?) {
                if !contents.has(*node)
                    && let Some(about) = nodes::get(on, *node)?
                {
                    let (kind, is_test, line) = (symbol.kind, symbol.is_test, symbol.name_line);
                    contents.node(*node, &about.symbol(), NodeSummary { kind, is_test, line })?;
                }
            }
            contents.edges(&of_file, &links::edges(on, member.link)?)?;
        }
    }
    contents.externals(|node| {
        let about = nodes::get(on, node)?.filter(|about| about.kind == NodeKind::External);
        Ok(about.map(|about| {
            let (package, symbol) = (about.package, about.symbol());
            let path = paths.get(&package).cloned().unwrap_or_default();
            ExternalShown { package, path, symbol }
        }))
    })?;
    Ok(contents)
}
