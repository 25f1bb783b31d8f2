//! The edges of one snapshot in a file beside the database, to be walked fast.
//!
//! Derived: it can be deleted at any time and is written anew by `lore index`.
//! It says of which snapshot it is, with the static root of that snapshot, and is
//! not used when they are not the same. Layers are not in it. Questions about a later snapshot read it
//! too, and take what changed since from the tables.
//!
//! Numbers lie low byte first. After the head come, one behind the other:
//! - slots: one for every node id from the first to the last, and one more; where
//!   its outgoing and its incoming arcs begin, and its entry (or none)
//! - outgoing arcs by source, then incoming arcs by target: 16 bytes each
//! - entries of nodes: 20 bytes; files: 16; packages: 8
//! - texts

mod build;

pub use build::{Body, Contents, ExternalShown, NodeSummary};

use super::links::SiteEdge;
use super::packed::damaged;
use super::snapshots::{self, Snapshot};
use crate::handle::Read;
use memmap2::Mmap;
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, RepoId, SnapshotSeq};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"loreadj1";
const HEAD: u64 = 96;
/// Bytes of the head that name the snapshot.
const NAMED: u64 = 48;
const SLOT: u64 = 12;
const ARC: u64 = 16;
const ENTRY: u64 = 20;
const FILE: u64 = 16;
const PACKAGE: u64 = 8;
const NONE: u32 = u32::MAX;

/// An edge seen from one of its ends: all sites between the two together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AdjacentEdge {
    pub other: NodeId,
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// Of its surest site, in percent.
    pub confidence: u8,
    /// Where that site is.
    pub file: FileId,
    pub line: u32,
    pub n_sites: u32,
}

/// A node as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub package: String,
    pub symbol: String,
    pub path: String,
    pub file: FileId,
    pub line: u32,
    pub kind: NodeKind,
    pub is_test: bool,
}

/// Where the arcs of a repository lie; none for a database that is no file.
pub fn place(on: &impl Read, repo: RepoId) -> Option<PathBuf> {
    let db = on.connection().path().filter(|path| !path.is_empty())?;
    Some(PathBuf::from(format!("{db}-graph-{repo}")))
}

/// An open file of arcs.
pub struct Adjacency {
    bytes: Mmap,
    pub seq: SnapshotSeq,
    root: Hash32,
    first: u32,
    n_slots: u32,
    n_arcs: u32,
    n_entries: u32,
    n_files: u32,
    n_packages: u32,
}

impl Adjacency {
    /// None where there is no usable file.
    pub fn open(on: &impl Read, repo: RepoId) -> Result<Option<Adjacency>> {
        let Some(path) = place(on, repo) else { return Ok(None) };
        let Some(bytes) = mapped(&path) else { return Ok(None) };
        let head = match bytes.get(..HEAD as usize) {
            Some(head) if head.starts_with(MAGIC) => head,
            _ => return Ok(None),
        };
        let number = |at: usize| number_at(head, at);
        let mut seq = [0; 8];
        seq.copy_from_slice(&head[8..16]);
        let mut root = [0; 32];
        root.copy_from_slice(&head[16..48]);
        let found = Adjacency {
            seq: SnapshotSeq(i64::from_le_bytes(seq)),
            root: Hash32(root),
            first: number(48),
            n_slots: number(52),
            n_arcs: number(56),
            n_entries: number(60),
            n_files: number(64),
            n_packages: number(68),
            bytes,
        };
        // Sequence numbers are never given twice; the root guards against a
        // database that was put in the place of another.
        let is_known = snapshots::get(on, found.seq)?
            .is_some_and(|snapshot| snapshot.static_root == found.root && snapshot.repo == repo);
        let is_whole = found.bytes.len() as u64 >= found.texts();
        Ok((is_known && is_whole).then_some(found))
    }

    pub fn outgoing(&self, node: NodeId) -> Result<Vec<AdjacentEdge>> {
        self.arcs(node, 0)
    }

    pub fn incoming(&self, node: NodeId) -> Result<Vec<AdjacentEdge>> {
        self.arcs(node, 1)
    }

    /// The node as lists show it; none when it is not in the snapshot.
    pub fn entry(&self, node: NodeId) -> Result<Option<Entry>> {
        let Some(slot) = self.slot(node) else { return Ok(None) };
        let place = self.numbers::<3>(HEAD + u64::from(slot) * SLOT)?[2];
        if place == NONE {
            return Ok(None);
        }
        let at = self.entries() + u64::from(place) * ENTRY;
        let [text, length_and_marks, package, file, line] = self.numbers::<5>(at)?;
        let (length, marks) = (length_and_marks & 0xffff, length_and_marks >> 16);
        let (path, file) = self.file(file)?;
        Ok(Some(Entry {
            package: self.package(package)?,
            symbol: self.text(text, length)?,
            path,
            file,
            line,
            kind: NodeKind::from_number(marks as u8).ok_or_else(damaged)?,
            is_test: marks >> 8 != 0,
        }))
    }

    fn file(&self, number: u32) -> Result<(String, FileId)> {
        // What another repository defines is in no file of this one.
        if number == NONE {
            return Ok((String::new(), FileId(0)));
        }
        let [path, length, id_low, id_high] =
            self.numbers::<4>(self.files() + u64::from(number) * FILE)?;
        let id = FileId((u64::from(id_high) << 32 | u64::from(id_low)) as i64);
        Ok((self.text(path, length)?, id))
    }

    fn package(&self, number: u32) -> Result<String> {
        let [path, length] = self.numbers::<2>(self.packages() + u64::from(number) * PACKAGE)?;
        self.text(path, length)
    }

    fn slot(&self, node: NodeId) -> Option<u32> {
        let id = u32::try_from(node.0).ok()?;
        id.checked_sub(self.first).filter(|slot| *slot < self.n_slots)
    }

    fn arcs(&self, node: NodeId, direction: usize) -> Result<Vec<AdjacentEdge>> {
        let Some(slot) = self.slot(node) else { return Ok(Vec::new()) };
        let both = self.numbers::<6>(HEAD + u64::from(slot) * SLOT)?;
        let (start, end) = (both[direction], both[direction + 3]);
        let n_arcs = end.checked_sub(start).filter(|_| end <= self.n_arcs).ok_or_else(damaged)?;
        let section = self.outgoing_arcs() + direction as u64 * u64::from(self.n_arcs) * ARC;
        let bytes = self.read(section + u64::from(start) * ARC, n_arcs as usize * ARC as usize)?;
        bytes.chunks_exact(ARC as usize).map(unpack_arc).collect()
    }

    fn outgoing_arcs(&self) -> u64 {
        HEAD + (u64::from(self.n_slots) + 1) * SLOT
    }

    fn entries(&self) -> u64 {
        self.outgoing_arcs() + 2 * u64::from(self.n_arcs) * ARC
    }

    fn files(&self) -> u64 {
        self.entries() + u64::from(self.n_entries) * ENTRY
    }

    fn packages(&self) -> u64 {
        self.files() + u64::from(self.n_files) * FILE
    }

    fn texts(&self) -> u64 {
        self.packages() + u64::from(self.n_packages) * PACKAGE
    }

    fn text(&self, start: u32, length: u32) -> Result<String> {
        let bytes = self.read(self.texts() + u64::from(start), length as usize)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| damaged())
    }

    fn numbers<const N: usize>(&self, at: u64) -> Result<[u32; N]> {
        let bytes = self.read(at, N * 4)?;
        Ok(std::array::from_fn(|place| number_at(bytes, place * 4)))
    }

    fn read(&self, at: u64, length: usize) -> Result<&[u8]> {
        let start = usize::try_from(at).map_err(|_| damaged())?;
        let end = start.checked_add(length).ok_or_else(damaged)?;
        self.bytes.get(start..end).ok_or_else(damaged)
    }
}

/// The bytes of the file where they lie; none where it cannot be had.
#[expect(unsafe_code, reason = "mapping a file is unsafe where others may change it, see below")]
fn mapped(path: &Path) -> Option<Mmap> {
    // A link or a pipe in its place was not put there by lore.
    let file = files::open_regular(path).ok()?;
    // SAFETY: the bytes must not change while they are mapped. lore never writes
    // to a file of this name: a new one is written beside it and renamed over it, and
    // what is mapped stays what it was. SQLite maps the database beside it on
    // the same terms.
    unsafe { Mmap::map(&file) }.ok()
}

fn number_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn unpack_arc(bytes: &[u8]) -> Result<AdjacentEdge> {
    let four = |at: usize| number_at(bytes, at);
    let marks = bytes[10];
    Ok(AdjacentEdge {
        other: NodeId(i64::from(four(0))),
        line: four(4),
        n_sites: u32::from(u16::from_le_bytes([bytes[8], bytes[9]])),
        kind: EdgeKind::from_number(marks & 31).ok_or_else(damaged)?,
        provenance: Provenance::from_number(marks >> 5).ok_or_else(damaged)?,
        confidence: bytes[11],
        file: FileId(i64::from(four(12))),
    })
}

fn pack_arc(arc: &AdjacentEdge, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(arc.other.0 as u32).to_le_bytes());
    bytes.extend_from_slice(&arc.line.to_le_bytes());
    bytes.extend_from_slice(&(arc.n_sites.min(0xffff) as u16).to_le_bytes());
    bytes.push(arc.kind.number() | arc.provenance.number() << 5);
    bytes.push(arc.confidence);
    bytes.extend_from_slice(&(arc.file.0 as u32).to_le_bytes());
}

/// An edge at one site, seen from its source.
pub fn arc_of(edge: &SiteEdge, other: NodeId, file: FileId) -> AdjacentEdge {
    AdjacentEdge {
        other,
        file,
        kind: edge.kind,
        provenance: edge.provenance,
        confidence: edge.confidence,
        line: edge.line,
        n_sites: 1,
    }
}

/// When more packages than this differ, the file is written anew.
const MOST_BEHIND: usize = 32;

/// Writes the file for a snapshot, unless the one there is near enough.
pub fn refresh(on: &impl Read, snapshot: &Snapshot) -> Result<()> {
    if let Some(there) = Adjacency::open(on, snapshot.repo)? {
        let before = snapshots::packages(on, there.seq)?;
        let now = snapshots::packages(on, snapshot.seq)?;
        let n_new = now.iter().filter(|(package, id)| before.get(package) != Some(id)).count();
        let n_gone = before.keys().filter(|package| !now.contains_key(package)).count();
        if n_new + n_gone <= MOST_BEHIND {
            return Ok(());
        }
    }
    let body = build::from_tables(on, snapshot)?.body()?;
    write(on, snapshot, &body);
    Ok(())
}

/// Writes the arcs of a snapshot in place of those of another. Answers are
/// right without the file, only slower: where it cannot be written, it is left.
pub fn write(on: &impl Read, snapshot: &Snapshot, body: &Body) {
    let Some(path) = place(on, snapshot.repo) else { return };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    // Of a random name and new: what somebody put beside the database, a link
    // to another file for one, is not written to.
    let Ok((mut file, beside)) = files::create_temp(folder, &name.to_string_lossy()) else {
        return;
    };
    let written = file
        .write_all(&build::head(snapshot))
        .and_then(|()| file.write_all(&body.0))
        .and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
}

/// Removes the files of repositories that are no longer known. Another program
/// may hold one open or be faster; what cannot be removed stays.
pub fn sweep(on: &impl Read) -> Result<()> {
    let Some(db) = on.connection().path().filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return Ok(());
    };
    let (Some(folder), Some(name)) = (db.parent(), db.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(());
    };
    let known: Vec<RepoId> = crate::repos::all(on)?.into_iter().map(|repo| repo.id).collect();
    let start = format!("{name}-graph-");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let number = name.strip_prefix(&start).map(|number| number.trim_end_matches(".new"));
        let is_unknown = number
            .and_then(|number| number.parse().ok())
            .is_some_and(|id| !known.contains(&RepoId(id)));
        // Left by a process that died while it wrote one.
        let is_partial = name.strip_suffix(".tmp").is_some()
            && name.strip_prefix('.').is_some_and(|name| name.starts_with(&start));
        if is_unknown || is_partial {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Whether the file says what the tables say; true where there is none.
pub fn agrees(on: &impl Read, repo: RepoId) -> Result<bool> {
    let Some(found) = Adjacency::open(on, repo)? else { return Ok(true) };
    let Some(snapshot) = snapshots::get(on, found.seq)? else { return Ok(true) };
    let body = build::from_tables(on, &snapshot)?.body()?;
    Ok(found.bytes.strip_prefix(build::head(&snapshot).as_slice()) == Some(&body.0))
}
