//! The edges of one snapshot in a file beside the database, to be walked fast.
//!
//! Derived: it can be deleted at any time and is written anew by `lore index`.
//! It says of which snapshot it is, with the root of that snapshot, and is not
//! used when they are not the same. Questions about a later snapshot read it
//! too, and take what changed since from the tables.
//!
//! Numbers lie low byte first. After the head come, one behind the other:
//! - slots: one for every node id from the first to the last, and one more; where
//!   its outgoing and its incoming arcs begin, and its entry (or none)
//! - outgoing arcs by source, then incoming arcs by target: 16 bytes each
//! - entries of nodes: 20 bytes; files: 16; packages: 8
//! - texts

use super::files;
use super::links::{self, SiteEdge};
use super::nodes;
use super::outline::Symbol;
use super::packed::damaged;
use super::snapshots::{self, Snapshot};
use crate::handle::Read;
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, RepoId, SnapshotSeq};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::PathBuf;

const MAGIC: &[u8; 8] = b"loreadj1";
const HEAD: u64 = 96;
const SLOT: u64 = 12;
const ARC: u64 = 16;
const ENTRY: u64 = 20;
const FILE: u64 = 16;
const PACKAGE: u64 = 8;
const NONE: u32 = u32::MAX;

/// An edge seen from one of its ends: all sites between the two together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc {
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
    file: File,
    pub seq: SnapshotSeq,
    root: Hash32,
    first: u32,
    n_slots: u32,
    n_arcs: u32,
    n_entries: u32,
    n_files: u32,
    n_packages: u32,
    /// Paths of files and packages, which many nodes share.
    known_files: RefCell<HashMap<u32, (String, FileId)>>,
    known_packages: RefCell<HashMap<u32, String>>,
}

impl Adjacency {
    /// None where there is no usable file.
    pub fn open(on: &impl Read, repo: RepoId) -> Result<Option<Adjacency>> {
        let Some(path) = place(on, repo) else { return Ok(None) };
        let Ok(file) = File::open(path) else { return Ok(None) };
        let mut head = [0; HEAD as usize];
        if read_at(&file, 0, &mut head).is_err() || &head[..8] != MAGIC {
            return Ok(None);
        }
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let mut seq = [0; 8];
        seq.copy_from_slice(&head[8..16]);
        let mut root = [0; 32];
        root.copy_from_slice(&head[16..48]);
        let found = Adjacency {
            file,
            seq: SnapshotSeq(i64::from_le_bytes(seq)),
            root: Hash32(root),
            first: number(48),
            n_slots: number(52),
            n_arcs: number(56),
            n_entries: number(60),
            n_files: number(64),
            n_packages: number(68),
            known_files: RefCell::default(),
            known_packages: RefCell::default(),
        };
        // Sequence numbers are never given twice; the root guards against a
        // database that was put in the place of another.
        let is_known = snapshots::get(on, found.seq)?
            .is_some_and(|snapshot| snapshot.root == found.root && snapshot.repo == repo);
        let is_whole = found.file.metadata().is_ok_and(|about| about.len() >= found.texts());
        Ok((is_known && is_whole).then_some(found))
    }

    pub fn outgoing(&self, node: NodeId) -> Result<Vec<Arc>> {
        self.arcs(node, 0)
    }

    pub fn incoming(&self, node: NodeId) -> Result<Vec<Arc>> {
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
        if let Some(known) = self.known_files.borrow().get(&number) {
            return Ok(known.clone());
        }
        let [path, length, id_low, id_high] =
            self.numbers::<4>(self.files() + u64::from(number) * FILE)?;
        let id = FileId((u64::from(id_high) << 32 | u64::from(id_low)) as i64);
        let found = (self.text(path, length)?, id);
        self.known_files.borrow_mut().insert(number, found.clone());
        Ok(found)
    }

    fn package(&self, number: u32) -> Result<String> {
        if let Some(known) = self.known_packages.borrow().get(&number) {
            return Ok(known.clone());
        }
        let [path, length] = self.numbers::<2>(self.packages() + u64::from(number) * PACKAGE)?;
        let found = self.text(path, length)?;
        self.known_packages.borrow_mut().insert(number, found.clone());
        Ok(found)
    }

    fn slot(&self, node: NodeId) -> Option<u32> {
        let id = u32::try_from(node.0).ok()?;
        id.checked_sub(self.first).filter(|slot| *slot < self.n_slots)
    }

    fn arcs(&self, node: NodeId, direction: usize) -> Result<Vec<Arc>> {
        let Some(slot) = self.slot(node) else { return Ok(Vec::new()) };
        let both = self.numbers::<6>(HEAD + u64::from(slot) * SLOT)?;
        let (start, end) = (both[direction], both[direction + 3]);
        let n_arcs = end.checked_sub(start).filter(|_| end <= self.n_arcs).ok_or_else(damaged)?;
        let mut bytes = vec![0; n_arcs as usize * ARC as usize];
        let section = self.outgoing_arcs() + direction as u64 * u64::from(self.n_arcs) * ARC;
        self.read(section + u64::from(start) * ARC, &mut bytes)?;
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
        let mut bytes = vec![0; length.min(1 << 16) as usize];
        self.read(self.texts() + u64::from(start), &mut bytes)?;
        String::from_utf8(bytes).map_err(|_| damaged())
    }

    fn numbers<const N: usize>(&self, at: u64) -> Result<[u32; N]> {
        let mut bytes = [0; 24];
        let bytes = &mut bytes[..N * 4];
        self.read(at, bytes)?;
        let mut numbers = [0; N];
        for (number, four) in numbers.iter_mut().zip(bytes.chunks_exact(4)) {
            *number = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        Ok(numbers)
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<()> {
        read_at(&self.file, at, bytes).map_err(|error| damaged().caused_by(error))
    }
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, bytes: &mut [u8]) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    file.read_exact_at(bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> std::io::Result<()> {
    use std::os::windows::fs::FileExt as _;
    while !bytes.is_empty() {
        let n = file.seek_read(bytes, at)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[n..];
        at += n as u64;
    }
    Ok(())
}

fn unpack_arc(bytes: &[u8]) -> Result<Arc> {
    let four =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let marks = bytes[10];
    Ok(Arc {
        other: NodeId(i64::from(four(0))),
        line: four(4),
        n_sites: u32::from(u16::from_le_bytes([bytes[8], bytes[9]])),
        kind: EdgeKind::from_number(marks & 31).ok_or_else(damaged)?,
        provenance: Provenance::from_number(marks >> 5).ok_or_else(damaged)?,
        confidence: bytes[11],
        file: FileId(i64::from(four(12))),
    })
}

fn pack_arc(arc: &Arc, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(arc.other.0 as u32).to_le_bytes());
    bytes.extend_from_slice(&arc.line.to_le_bytes());
    bytes.extend_from_slice(&(arc.n_sites.min(0xffff) as u16).to_le_bytes());
    bytes.push(arc.kind.number() | arc.provenance.number() << 5);
    bytes.push(arc.confidence);
    bytes.extend_from_slice(&(arc.file.0 as u32).to_le_bytes());
}

/// Sites between the same two nodes, of one kind, as one arc: the surest
/// counts, and of those the first.
pub fn merged(mut arcs: Vec<Arc>) -> Vec<Arc> {
    arcs.sort_unstable_by_key(|arc| {
        (arc.other, arc.kind, arc.provenance, std::cmp::Reverse(arc.confidence), arc.file, arc.line)
    });
    arcs.dedup_by(|next, kept| {
        let is_same =
            (next.other, next.kind, next.provenance) == (kept.other, kept.kind, kept.provenance);
        kept.n_sites += if is_same { next.n_sites } else { 0 };
        is_same
    });
    arcs
}

/// An edge at one site, seen from its source.
pub fn arc_of(edge: &SiteEdge, other: NodeId, file: FileId) -> Arc {
    Arc {
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
    write(on, snapshot)
}

/// Writes the arcs of a snapshot in place of those of another. Answers are
/// right without the file, only slower: where it cannot be written, it is left.
fn write(on: &impl Read, snapshot: &Snapshot) -> Result<()> {
    let Some(path) = place(on, snapshot.repo) else { return Ok(()) };
    let bytes = bytes_of(on, snapshot)?;
    let mut beside = path.clone().into_os_string();
    beside.push(".new");
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    Ok(())
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
        let number = name.to_str().and_then(|name| name.strip_prefix(&start));
        let number = number.map(|number| number.trim_end_matches(".new"));
        if let Some(id) = number.and_then(|number| number.parse().ok())
            && !known.contains(&RepoId(id))
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Whether the file says what the tables say; true where there is none.
pub fn agrees(on: &impl Read, repo: RepoId) -> Result<bool> {
    let (Some(path), Some(found)) = (place(on, repo), Adjacency::open(on, repo)?) else {
        return Ok(true);
    };
    let Some(snapshot) = snapshots::get(on, found.seq)? else { return Ok(true) };
    let kept = std::fs::read(path).unwrap_or_default();
    Ok(kept == bytes_of(on, &snapshot)?)
}

/// Everything of a snapshot, gathered.
#[derive(Default)]
struct Gathered {
    outgoing: BTreeMap<NodeId, Vec<Arc>>,
    incoming: BTreeMap<NodeId, Vec<Arc>>,
    entries: BTreeMap<NodeId, [u32; 5]>,
    files: Vec<[u32; 4]>,
    packages: Vec<[u32; 2]>,
    texts: Vec<u8>,
}

impl Gathered {
    fn text(&mut self, text: &str) -> (u32, u32) {
        let end = text.floor_char_boundary(0xffff);
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(&text.as_bytes()[..end]);
        (start, end as u32)
    }

    fn file(&mut self, path: &str, id: FileId) -> u32 {
        let (start, length) = self.text(path);
        self.files.push([start, length, id.0 as u32, (id.0 as u64 >> 32) as u32]);
        self.files.len() as u32 - 1
    }

    fn node(&mut self, node: NodeId, symbol: &str, shown: &Symbol, package: u32, file: u32) {
        let (start, length) = self.text(symbol);
        let marks = u32::from(shown.kind.number()) | u32::from(shown.is_test) << 8;
        self.entries.insert(node, [start, length | marks << 16, package, file, shown.name_line]);
    }
}

fn gather(on: &impl Read, snapshot: &Snapshot) -> Result<Gathered> {
    let paths: HashMap<PackageId, String> =
        files::packages(on, snapshot.repo)?.into_iter().collect();
    let mut all = Gathered::default();
    for (package, id) in snapshots::packages(on, snapshot.seq)? {
        let folder = paths.get(&package).map_or("", String::as_str);
        let (start, length) = all.text(folder);
        all.packages.push([start, length]);
        let in_package = all.packages.len() as u32 - 1;
        for member in snapshots::version(on, id)?.members {
            if member.file.0 > i64::from(u32::MAX) {
                return Err(damaged());
            }
            let row = files::get(on, member.file)?;
            let joint = if folder.is_empty() { "" } else { "/" };
            let file = all.file(&format!("{folder}{joint}{}", row.name), member.file);
            let of_file = files::nodes(on, member.file)?;
            for (node, shown) in of_file.iter().zip(files::outline(on, member.file)?) {
                if !all.entries.contains_key(node)
                    && let Some(about) = nodes::get(on, *node)?
                {
                    all.node(*node, &about.symbol(), &shown, in_package, file);
                }
            }
            for edge in links::edges(on, member.link)? {
                let Some(source) = of_file.get(edge.source as usize) else { continue };
                all.outgoing.entry(*source).or_default().push(arc_of(
                    &edge,
                    edge.target,
                    member.file,
                ));
                all.incoming.entry(edge.target).or_default().push(arc_of(
                    &edge,
                    *source,
                    member.file,
                ));
            }
        }
    }
    gather_externals(on, &paths, &mut all)?;
    for arcs in all.outgoing.values_mut().chain(all.incoming.values_mut()) {
        *arcs = merged(std::mem::take(arcs));
    }
    Ok(all)
}

/// Targets that other repositories define.
fn gather_externals(
    on: &impl Read,
    paths: &HashMap<PackageId, String>,
    all: &mut Gathered,
) -> Result<()> {
    let mut packages: HashMap<PackageId, u32> = HashMap::new();
    let known: Vec<NodeId> = all.incoming.keys().copied().collect();
    for node in known {
        if all.entries.contains_key(&node) {
            continue;
        }
        let about = nodes::get(on, node)?.filter(|about| about.kind == NodeKind::External);
        let Some(about) = about else { continue };
        let package = match packages.get(&about.package) {
            Some(known) => *known,
            None => {
                let (start, length) = all.text(paths.get(&about.package).map_or("", |path| path));
                all.packages.push([start, length]);
                all.packages.len() as u32 - 1
            }
        };
        packages.insert(about.package, package);
        let (start, length) = all.text(&about.symbol());
        let marks = u32::from(about.kind.number());
        all.entries.insert(node, [start, length | marks << 16, package, NONE, 0]);
    }
    Ok(())
}

fn bytes_of(on: &impl Read, snapshot: &Snapshot) -> Result<Vec<u8>> {
    let all = gather(on, snapshot)?;
    let small = |node: &NodeId| u32::try_from(node.0).map_err(|_| damaged());
    let first = all.entries.keys().next().map_or(Ok(0), small)?;
    let n_slots =
        all.entries.keys().next_back().map_or(Ok(0), |last| Ok(small(last)? - first + 1))?;
    let mut slots: Vec<u8> = Vec::with_capacity((n_slots as usize + 1) * SLOT as usize);
    let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
    let (mut n_out, mut n_in, mut n_entries) = (0_u32, 0_u32, 0_u32);
    let mut entries = Vec::new();
    for slot in 0..=n_slots {
        let node = NodeId(i64::from(first) + i64::from(slot));
        let entry = all.entries.get(&node).filter(|_| slot < n_slots);
        let place = if entry.is_some() { n_entries } else { NONE };
        for number in [n_out, n_in, place] {
            slots.extend_from_slice(&number.to_le_bytes());
        }
        let Some(entry) = entry else { continue };
        entries.extend(entry.iter().flat_map(|number| number.to_le_bytes()));
        n_entries += 1;
        for arc in all.outgoing.get(&node).into_iter().flatten() {
            pack_arc(arc, &mut outgoing);
            n_out += 1;
        }
        for arc in all.incoming.get(&node).into_iter().flatten() {
            pack_arc(arc, &mut incoming);
            n_in += 1;
        }
    }
    if n_out != n_in {
        // An edge leads out of the snapshot: better no file than a wrong one.
        return Err(damaged());
    }
    let mut bytes = Vec::with_capacity(slots.len() + outgoing.len() * 2 + all.texts.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&snapshot.seq.0.to_le_bytes());
    bytes.extend_from_slice(snapshot.root.as_bytes());
    let counts =
        [first, n_slots, n_out, n_entries, all.files.len() as u32, all.packages.len() as u32];
    bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
    bytes.resize(HEAD as usize, 0);
    for section in [slots, outgoing, incoming, entries] {
        bytes.extend_from_slice(&section);
    }
    bytes.extend(all.files.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes.extend(all.packages.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes.extend_from_slice(&all.texts);
    Ok(bytes)
}
