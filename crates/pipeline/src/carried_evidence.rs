//! What servers and indexes said of an earlier commit and still holds: evidence about
//! a file goes over to the next snapshot unless the file, or a symbol that its calls
//! lead to, changed.
//!
//! A symbol changed if its declaration did, or what it calls: what it returns may be of
//! another type then. Where it stands does not count, so that a comment above it costs
//! no question.

use code::layers;
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, LinkId, NodeId, PackageId, SnapshotSeq};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use store::code::enrichment::{self, EnrichedFile};
use store::code::layers::{self as stored, LayerEdge};
use store::code::links::{self, Unresolved};
use store::code::{files, nodes, snapshots};
use store::{Read, Tx};

/// Takes over what is known of the newest other snapshot that was enriched; of how
/// many files.
pub(crate) fn carry(tx: &Tx<'_>, seq: SnapshotSeq) -> Result<u64> {
    let Some(repo) = snapshots::get(tx, seq)?.map(|snapshot| snapshot.repo) else { return Ok(0) };
    let mut n_carried = 0;
    for provenance in [Provenance::LspResolved, Provenance::ScipResolved] {
        if !enrichment::files(tx, seq, provenance)?.is_empty() {
            continue;
        }
        let Some(from) = enrichment::newest_before(tx, repo, seq, provenance)? else { continue };
        let (old, new) = (members(tx, from)?, members(tx, seq)?);
        let changes = Changes::between(tx, &old, &new)?;
        let mut files = Vec::new();
        for row in enrichment::files(tx, from, provenance)? {
            let Some(link) = new.get(&row.file).copied() else { continue };
            let edges = stored::of_file(tx, from, provenance, row.file)?;
            if changes.leave(tx, &row, link, &edges)? {
                enrichment::put_file(tx, seq, provenance, &EnrichedFile { link, ..row.clone() })?;
                files.push((Some(row.file), edges));
            }
        }
        n_carried += files.len() as u64;
        if !files.is_empty() {
            layers::replace_files(tx, seq, provenance, &files)?;
        }
    }
    Ok(n_carried)
}

/// The files of a snapshot with their links.
type Members = HashMap<FileId, LinkId>;

fn members(on: &impl Read, seq: SnapshotSeq) -> Result<Members> {
    let mut all = HashMap::new();
    for version in snapshots::packages(on, seq)?.into_values() {
        let members = snapshots::version(on, version)?.members;
        all.extend(members.into_iter().map(|member| (member.file, member.link)));
    }
    Ok(all)
}

/// What differs between two snapshots for those who call.
#[derive(Debug, Default)]
struct Changes {
    /// Symbols that are new, gone or not what they were.
    symbols: HashSet<NodeId>,
    /// Names of symbols that are new.
    names: HashSet<String>,
}

impl Changes {
    fn between(on: &impl Read, old: &Members, new: &Members) -> Result<Changes> {
        let mut paths: BTreeMap<(PackageId, String), [Option<FileId>; 2]> = BTreeMap::new();
        for (side, these, others) in [(0, old, new), (1, new, old)] {
            let alone: BTreeSet<FileId> =
                these.keys().filter(|file| !others.contains_key(*file)).copied().collect();
            for row in files::rows(on, alone)? {
                paths.entry((row.package, row.name)).or_default()[side] = Some(row.id);
            }
        }
        let mut changes = Changes::default();
        for [before, after] in paths.into_values() {
            let before = Declarations::of(on, before, old)?;
            let after = Declarations::of(on, after, new)?;
            changes.add(on, &before, &after)?;
        }
        Ok(changes)
    }

    /// Of one file in both.
    fn add(&mut self, on: &impl Read, before: &Declarations, after: &Declarations) -> Result<()> {
        let all: BTreeSet<NodeId> =
            before.states.keys().chain(after.states.keys()).copied().collect();
        let changed: Vec<NodeId> = all
            .iter()
            .filter(|it| before.states.get(*it) != after.states.get(*it))
            .copied()
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        // A namesake that came or went may be what is meant now, and what is inside of a
        // type is reached through it.
        let (mut names, mut types) = (HashSet::new(), Vec::new());
        for node in &changed {
            let Some(row) = nodes::get(on, *node)? else { continue };
            let is_in_both = before.states.contains_key(node) && after.states.contains_key(node);
            if is_in_both && is_type(row.kind) {
                types.push(format!("{}.", row.symbol()));
            } else if !is_in_both {
                if !before.states.contains_key(node) {
                    self.names.insert(row.name.clone());
                }
                names.insert(row.name);
            }
        }
        for node in all {
            let Some(row) = nodes::get(on, node)? else { continue };
            let symbol = row.symbol();
            if names.contains(&row.name) || types.iter().any(|it| symbol.starts_with(it)) {
                self.symbols.insert(node);
            }
        }
        self.symbols.extend(changed);
        Ok(())
    }

    /// Whether what was said of a file still holds: nothing its calls lead to changed,
    /// and none of those without an answer has a name that is new.
    fn leave(
        &self,
        on: &impl Read,
        row: &EnrichedFile,
        link: LinkId,
        edges: &[LayerEdge],
    ) -> Result<bool> {
        let (calls, open) = (links::edges(on, link)?, links::unresolved(on, link)?);
        let is_same = link == row.link
            || (links::edges(on, row.link)? == calls && links::unresolved(on, row.link)? == open);
        if !is_same {
            return Ok(false);
        }
        let is_changed = |node: &NodeId| self.symbols.contains(node);
        let calls = calls.iter().filter(|edge| edge.kind == EdgeKind::Calls);
        if edges.iter().map(|edge| edge.target).any(|it| is_changed(&it))
            || calls.map(|edge| edge.target).any(|it| is_changed(&it))
        {
            return Ok(false);
        }
        let answered: HashSet<(u32, u32)> = edges
            .iter()
            .map(|edge| (edge.line, edge.col))
            .chain(row.external.iter().copied())
            .collect();
        let may_be_bound = |site: &Unresolved| {
            self.names.contains(&site.name) && !answered.contains(&(site.line, site.col))
        };
        Ok(!open.iter().any(may_be_bound))
    }
}

fn is_type(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Class | NodeKind::Type | NodeKind::Interface | NodeKind::Trait | NodeKind::Enum
    )
}

/// What one version of a file declares.
#[derive(Debug, Default)]
struct Declarations {
    /// Of each symbol what is said of it, wherever it stands; several where it is
    /// declared more than once.
    states: HashMap<NodeId, Vec<Hash32>>,
}

impl Declarations {
    fn of(on: &impl Read, file: Option<FileId>, members: &Members) -> Result<Declarations> {
        let mut all = Declarations::default();
        let Some((file, link)) = file.and_then(|file| Some((file, *members.get(&file)?))) else {
            return Ok(all);
        };
        let mut inside: HashMap<u32, Vec<u8>> = HashMap::new();
        // A type that has one more member is what it was.
        let edges = links::edges(on, link)?;
        for edge in edges.iter().filter(|edge| edge.kind != EdgeKind::Contains) {
            let text = inside.entry(edge.source).or_default();
            text.extend(edge.target.0.to_le_bytes());
            text.push(edge.kind.number());
        }
        for open in links::unresolved(on, link)? {
            let text = inside.entry(open.source).or_default();
            text.extend(open.name.bytes().chain([0]).chain(open.text.bytes()).chain([0]));
        }
        let outline = files::outline(on, file)?;
        for (at, (node, symbol)) in files::nodes(on, file)?.into_iter().zip(&outline).enumerate() {
            // A module is what is in it, and that counts by itself.
            let body = inside.get(&(at as u32)).filter(|_| symbol.kind != NodeKind::Module);
            let mut state = symbol.signature.clone().into_bytes();
            state.extend([0, symbol.kind.number(), symbol.visibility as u8]);
            state.extend(body.into_iter().flatten());
            all.states.entry(node).or_default().push(Hash32::of(&state));
        }
        Ok(all)
    }
}
