//! Whether a result of one snapshot is that of another too.
//!
//! Roots say which packages differ, and of those only versions of files that are
//! not in both are looked at. A result is untouched when none of them defines or
//! leads to a node it visited, or has anything of a name it looked up. That errs
//! on the side of computing again.

use crate::code::Scope;
use model::Result;
use model::ids::{FileId, NodeId, PackageId, PackageVersionId, SnapshotSeq};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::Reader;
use store::code::snapshots::{self, Member};
use store::code::{files, links, nodes};

/// What a result read of its snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reads {
    /// Nodes whose definition or edges were looked at.
    pub nodes: BTreeSet<NodeId>,
    /// Names that were looked up, in lower case.
    pub names: BTreeSet<String>,
}

impl Reads {
    /// Adds the names in what somebody typed.
    pub fn look_up(&mut self, typed: &str) {
        self.names.extend(words(typed));
    }
}

/// More packages that differ cost more to look at than most answers.
const MOST_CHANGED: usize = 64;

/// False also where it cannot be told.
pub fn is_untouched(
    reader: &Reader,
    before: SnapshotSeq,
    scope: &Scope,
    reads: Option<&str>,
) -> bool {
    let Some(reads) = reads.and_then(|text| serde_json::from_str::<Reads>(text).ok()) else {
        return false;
    };
    compare(reader, before, scope, &reads).unwrap_or(false)
}

fn compare(reader: &Reader, before: SnapshotSeq, scope: &Scope, reads: &Reads) -> Result<bool> {
    let now = &scope.snapshot;
    let Some(old) = snapshots::get(reader, before)?.filter(|old| old.repo == now.repo) else {
        return Ok(false);
    };
    if old.owners != now.owners || old.indexer != now.indexer {
        return Ok(false);
    }
    let (old, new) = (snapshots::packages(reader, before)?, snapshots::packages(reader, now.seq)?);
    let all: BTreeSet<PackageId> = old.keys().chain(new.keys()).copied().collect();
    let changed: Vec<PackageId> =
        all.into_iter().filter(|package| old.get(package) != new.get(package)).collect();
    if changed.len() > MOST_CHANGED {
        return Ok(false);
    }
    for package in changed {
        let versions = [old.get(&package).copied(), new.get(&package).copied()];
        // A folder that came or went has a name of its own.
        if versions.contains(&None)
            && words(&files::package_path(reader, package)?).any(|it| reads.names.contains(&it))
        {
            return Ok(false);
        }
        for member in differing(reader, versions)? {
            if touches(reader, member, reads)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Versions of files, as linked, that are in one of the two only.
fn differing(reader: &Reader, versions: [Option<PackageVersionId>; 2]) -> Result<Vec<Member>> {
    let mut sets: Vec<BTreeSet<Member>> = Vec::new();
    for version in versions {
        let members = match version {
            Some(version) => snapshots::version(reader, version)?.members,
            None => Vec::new(),
        };
        sets.push(members.into_iter().collect());
    }
    Ok(sets[0].symmetric_difference(&sets[1]).copied().collect())
}

fn touches(reader: &Reader, member: Member, reads: &Reads) -> Result<bool> {
    Ok(defines(reader, member.file, reads)? || leads_to(reader, member, reads)?)
}

fn defines(reader: &Reader, file: FileId, reads: &Reads) -> Result<bool> {
    let name = files::get(reader, file)?.name;
    if words(&name).any(|word| reads.names.contains(&word)) {
        return Ok(true);
    }
    for node in files::nodes(reader, file)? {
        if reads.nodes.contains(&node) || is_named(reader, node, reads)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn leads_to(reader: &Reader, member: Member, reads: &Reads) -> Result<bool> {
    let targets: BTreeSet<NodeId> =
        links::edges(reader, member.link)?.into_iter().map(|edge| edge.target).collect();
    for target in targets {
        if reads.nodes.contains(&target) || is_named(reader, target, reads)? {
            return Ok(true);
        }
    }
    let unresolved = links::unresolved(reader, member.link)?;
    Ok(unresolved.iter().any(|site| reads.names.contains(&site.name.to_lowercase())))
}

fn is_named(reader: &Reader, node: NodeId, reads: &Reads) -> Result<bool> {
    let Some(row) = nodes::get(reader, node)? else { return Ok(false) };
    Ok(words(&row.name).any(|word| reads.names.contains(&word)))
}

/// The words of a name or path, in lower case: what a look-up may compare.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
