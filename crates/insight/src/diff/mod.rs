//! `lore diff`: what a change does to the system, not only to the text.
//!
//! The comparison itself comes from git's objects (`code::compare`) and needs
//! no index. Here it is put in the order in which a reviewer must look, what
//! breaks others is named by rule, and, where the graph of either side is
//! indexed, callers, tests and owners are added; recorded decisions about
//! touched files always.

mod edges;
mod graph;
mod rules;
mod stale;
mod successors;
mod threads;

use crate::cache::{self, VersionsQuestion};
use crate::code::impact::OwnerShare;
use crate::code::scope::{self, Scope, ScopeRequest};
use crate::runtime::{RuntimeWeight, WeightedPlace, weight};
use crate::tests_scope::{self, Change, VersionFiles};
use crate::trace::MissingPart;
use crate::why::LinkedRecord;
use git::Repo;
use model::breaking::ContractBreach;
use model::change::{
    Comparison, FileMove, SymbolChange, SymbolChangeKind, SymbolVersion, UnreadFile,
};
use model::code::EdgeKind;
use model::hash::Hash32;
use model::ids::ProjectId;
use model::memory::LinkTarget;
use model::{Result, Timestamp, vocabulary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stale::ReachedFiles;
use store::Reader;

pub use model::breaking::Rule;
pub use rules::Breaking;
pub use threads::DecidingNote;

/// One end of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Revision {
    /// As it was asked for.
    pub name: String,
    /// The commit; of a work tree the one it began with.
    pub commit: String,
    pub is_work_tree: bool,
}

/// A changed symbol and who uses it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSymbol {
    #[serde(flatten)]
    pub change: SymbolChange,
    /// Symbols that call or name it, as indexed; none where that is not known.
    pub users: Option<u64>,
    /// The first of them that the change does not touch.
    pub untouched_users: Vec<String>,
    /// How many use it afterwards, where both versions are indexed.
    pub users_after: Option<u64>,
    /// The first of those that began and of those that stopped to use it.
    pub new_users: Vec<String>,
    pub lost_users: Vec<String>,
    /// How many former users still call it by its name, in calls that are tied to no symbol.
    pub perhaps_still_users: u64,
}

vocabulary! {
    /// What happened to an edge.
    pub enum EdgeChangeKind {
        Added = "added",
        Removed = "removed",
        /// The same name, of another symbol.
        Retargeted = "retargeted",
    }
}

vocabulary! {
    /// What lies between the ends of an edge.
    pub enum Border {
        Package = "package",
        Owner = "owner",
        Repository = "repository",
    }
}

/// An edge that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeChange {
    pub change: EdgeChangeKind,
    /// `calls`, `references`, `inherits` …
    pub kind: EdgeKind,
    pub from: String,
    pub to: String,
    /// Where a retargeted one led before.
    pub was: Option<String>,
    pub crosses: Vec<Border>,
    /// Of the source.
    pub path: String,
    pub line: u32,
    pub target_path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    pub files: u64,
    /// Files whose symbols were compared.
    pub compared_files: u64,
    pub removed: u64,
    pub perhaps_became: u64,
    pub renamed: u64,
    pub moved: u64,
    pub changed: u64,
    pub copied: u64,
    pub added: u64,
    /// Changes of tests, which are in no other number.
    pub tests: u64,
}

/// What the graph says of a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Impact {
    /// The indexed commit that was asked.
    pub commit: String,
    /// Symbols that depend on what changed, within three steps.
    pub reached: u64,
    /// The same after the change, where both versions are indexed.
    pub reached_after: Option<u64>,
    pub truncated: bool,
    /// Files of tests with a direct tie to the change, as `lore tests --reach near` lists them.
    pub test_files: Vec<String>,
    /// How many `lore tests` chooses, those with weaker ties among them.
    pub usual_test_files: u64,
    /// Why every test must run; empty where the choice is enough.
    pub run_all_tests: Vec<String>,
}

/// Evidence about code in the reach of a change that is older than the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleEvidence {
    pub repo: String,
    pub reason: String,
    /// The first of the files it is about.
    pub paths: Vec<String>,
    /// The command that renews it.
    pub fix: String,
}

/// What a change does.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SemanticDiff {
    pub base: Revision,
    pub head: Revision,
    pub counts: Counts,
    /// What breaks those who use it, by rule; worst first.
    pub breaking: Vec<Breaking>,
    /// What a reviewer must look at first, first.
    pub changes: Vec<ChangedSymbol>,
    pub file_moves: Vec<FileMove>,
    /// Decisions recorded about files and symbols this touches.
    pub decisions: Vec<LinkedRecord>,
    /// Notes on touched files that decided something.
    pub deciding_notes: Vec<DecidingNote>,
    pub owners: Vec<OwnerShare>,
    /// Owners of code that begins to use what changes.
    pub new_owners: Vec<String>,
    /// Edges of touched symbols, where both versions are indexed: those that
    /// cross most borders first.
    pub edges: Vec<EdgeChange>,
    pub impact: Option<Impact>,
    /// What is said of code in reach and may not hold any more.
    pub stale_evidence: Vec<StaleEvidence>,
    /// Changed files whose symbols were not, or only in part, compared.
    pub unread: Vec<UnreadFile>,
    pub missing: Vec<MissingPart>,
    /// What production does with what changed; none where that was not observed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runtime: Option<RuntimeWeight>,
}

impl SemanticDiff {
    /// Adds what production does with the symbols that changed.
    pub fn with_runtime(
        mut self,
        reader: Option<&Reader>,
        asked: &ScopeRequest<'_>,
        now: Timestamp,
    ) -> Result<Self> {
        let Some(reader) = reader else { return Ok(self) };
        let Ok((repo, _)) = scope::repository(reader, asked) else { return Ok(self) };
        let versions = self.changes.iter().flat_map(|it| [&it.change.old, &it.change.new]);
        let spots: Vec<WeightedPlace> = versions
            .flatten()
            .map(|version| WeightedPlace {
                repo: repo.canonical_url.clone(),
                path: version.path.clone(),
                line: Some(version.line),
            })
            .collect();
        self.runtime = weight(reader, &spots, now)?;
        Ok(self)
    }
}

/// What is compared, and where it is asked.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub base: Revision,
    pub head: Revision,
    /// What git calls the files of both; none of a work tree, which no name covers.
    pub trees: Option<[String; 2]>,
    /// By which rules both are compared: what others found is not asked for.
    pub rules: String,
    pub asked: ScopeRequest<'a>,
    /// The clone that both are of.
    pub repo: &'a Repo,
}

/// What follows from both versions alone: kept by their names.
#[derive(Debug, Serialize, Deserialize)]
struct VersionComparison {
    counts: Counts,
    changes: Vec<ChangedSymbol>,
    file_moves: Vec<FileMove>,
    breaches: Vec<ContractBreach>,
    contracts: Vec<String>,
    unread: Vec<UnreadFile>,
    paths: Vec<String>,
    owners: Vec<OwnerShare>,
    new_owners: Vec<String>,
    edges: Vec<EdgeChange>,
    impact: Option<Impact>,
    reached_files: ReachedFiles,
    /// Names of functions, and of what is gone, that nobody is known to use, and how many
    /// calls by them lead to nothing.
    untied: Vec<(String, u64)>,
}

impl VersionComparison {
    fn of(comparison: Comparison) -> VersionComparison {
        let counts = counts(&comparison);
        let changed = |change| ChangedSymbol {
            change,
            users: None,
            untouched_users: Vec::new(),
            users_after: None,
            new_users: Vec::new(),
            lost_users: Vec::new(),
            perhaps_still_users: 0,
        };
        VersionComparison {
            counts,
            changes: comparison.changes.into_iter().map(changed).collect(),
            file_moves: comparison.file_moves,
            breaches: comparison.breaches,
            contracts: comparison.contracts,
            unread: comparison.unread,
            paths: comparison.paths,
            owners: Vec::new(),
            new_owners: Vec::new(),
            edges: Vec::new(),
            impact: None,
            reached_files: ReachedFiles::new(),
            untied: Vec::new(),
        }
    }
}

/// The answer; without a database only what git's objects tell. `compare` is asked
/// only where the answer is not kept.
pub fn semantic_diff(
    reader: Option<&Reader>,
    request: Request<'_>,
    compare: impl FnOnce() -> Result<Comparison>,
) -> Result<SemanticDiff> {
    let mut missing = Vec::new();
    let mut stale_evidence = Vec::new();
    let (mut kept, decisions, deciding_notes) = match reader {
        Some(reader) => {
            let indexed = indexed(reader, &request);
            if indexed.base.is_none() && indexed.head.is_none() {
                missing.push(MissingPart::new(
                    "neither version is indexed: callers, tests and owners are not known",
                    "lore index",
                ));
            }
            let compared = compared(reader, &request, &indexed, compare)?;
            stale_evidence = stale::stale_evidence(reader, &indexed, &compared.reached_files)?;
            missing.extend(untied_calls(&compared.untied));
            let decisions = decisions(reader, &compared.paths, &compared.changes)?;
            let mut notes = Vec::new();
            if let Some(project) = project(reader, &request.asked) {
                let changes: Vec<&SymbolChange> =
                    compared.changes.iter().map(|it| &it.change).collect();
                notes = threads::deciding_notes(reader, project, &changes)?;
            }
            (compared, decisions, notes)
        }
        None => {
            missing.push(MissingPart::new(
                "no database: callers, tests, owners and decisions are not known",
                "lore index",
            ));
            (VersionComparison::of(compare()?), Vec::new(), Vec::new())
        }
    };
    let breaking = rules::breaking(&rules::Compared {
        changes: &kept.changes,
        file_moves: &kept.file_moves,
        breaches: &kept.breaches,
        contracts: &kept.contracts,
    });
    sort(&mut kept.changes);
    Ok(SemanticDiff {
        base: request.base,
        head: request.head,
        counts: kept.counts,
        breaking,
        changes: kept.changes,
        file_moves: kept.file_moves,
        decisions,
        deciding_notes,
        owners: kept.owners,
        new_owners: kept.new_owners,
        edges: kept.edges,
        impact: kept.impact,
        stale_evidence,
        unread: kept.unread,
        missing,
        runtime: None,
    })
}

/// What the numbers of users and tests leave out.
fn untied_calls(untied: &[(String, u64)]) -> Option<MissingPart> {
    const SHOWN: usize = 3;
    let (first, _) = untied.first()?;
    let names: Vec<String> =
        untied.iter().take(SHOWN).map(|(name, n)| format!("{name} ({n})")).collect();
    let more = match untied.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let what = format!(
        "calls by the name {}{more} are tied to no symbol: their users and tests are not counted",
        names.join(", ")
    );
    Some(MissingPart::new(what, format!("lore callers {first}")))
}

fn indexed(reader: &Reader, request: &Request<'_>) -> graph::IndexedVersions {
    let at = |revision: &Revision| {
        let asked = ScopeRequest { at: Some(&revision.commit), ..request.asked };
        scope::resolve(reader, &asked).ok()
    };
    // Of a work tree only the commit it began with is known here.
    let head = if request.head.is_work_tree { None } else { at(&request.head) };
    graph::IndexedVersions { base: at(&request.base), head }
}

fn compared(
    reader: &Reader,
    request: &Request<'_>,
    indexed: &graph::IndexedVersions,
    compare: impl FnOnce() -> Result<Comparison>,
) -> Result<VersionComparison> {
    let compute = || {
        let mut comparison = compare()?;
        let successions = std::mem::take(&mut comparison.successions);
        let change = Change::between(&comparison);
        let mut compared = VersionComparison::of(comparison);
        let base = request.repo.resolve(&request.base.commit)?;
        let head = if request.head.is_work_tree {
            None
        } else {
            Some(request.repo.resolve(&request.head.commit)?)
        };
        let files = VersionFiles::new(request.repo, base, head);
        graph::add(reader, indexed, &successions, (&change, &files), &mut compared)?;
        Ok(compared)
    };
    let Some(trees) = &request.trees else { return compute() };
    let [before, after] = trees;
    // Tests of a change are chosen from the version it is indexed with.
    let history = |scope: &Scope| tests_scope::history_before(reader, scope);
    let history = indexed.base.as_ref().or(indexed.head.as_ref()).map(history).transpose()?;
    let question = VersionsQuestion {
        name: "diff",
        versions: &[indexed.base.as_ref(), indexed.head.as_ref()],
        inputs: &[
            before.clone(),
            after.clone(),
            request.rules.clone(),
            own_rules(),
            tests_scope::rules_version(),
            history.unwrap_or_default(),
        ],
    };
    cache::answer_of_versions(reader, &question, compute)
}

/// What is kept follows from these sources too; see [`Request::rules`].
fn own_rules() -> String {
    const SOURCES: [&[u8]; 5] = [
        include_bytes!("mod.rs"),
        include_bytes!("edges.rs"),
        include_bytes!("graph.rs"),
        include_bytes!("successors.rs"),
        include_bytes!("../code/impact.rs"),
    ];
    Hash32::of(&SOURCES.concat()).to_string()
}

/// The forge project of the repository asked about.
fn project(reader: &Reader, asked: &ScopeRequest<'_>) -> Option<ProjectId> {
    scope::repository(reader, asked).ok().and_then(|(repo, _)| repo.project)
}

/// Files asked for records; more are not one change that somebody reviews.
const MOST_PATHS: usize = 500;

fn decisions(
    reader: &Reader,
    paths: &[String],
    changes: &[ChangedSymbol],
) -> Result<Vec<LinkedRecord>> {
    let mut ends: Vec<String> = paths.iter().take(MOST_PATHS).cloned().collect();
    for old in changes.iter().take(MOST_PATHS).filter_map(|it| it.change.old.as_ref()) {
        ends.push(LinkTarget::Symbol(old.symbol.clone()).to_string());
    }
    let mut all = crate::why::linked_records(reader, &ends)?;
    all.retain(|record| !record.is_superseded);
    Ok(all)
}

fn counts(comparison: &Comparison) -> Counts {
    let mut counts = Counts {
        files: comparison.n_files,
        compared_files: comparison.n_compared,
        ..Counts::default()
    };
    for change in &comparison.changes {
        let slot = if change.is_test {
            &mut counts.tests
        } else {
            match change.change {
                SymbolChangeKind::Removed => &mut counts.removed,
                SymbolChangeKind::PerhapsBecame => &mut counts.perhaps_became,
                SymbolChangeKind::Renamed => &mut counts.renamed,
                SymbolChangeKind::Moved => &mut counts.moved,
                SymbolChangeKind::Changed => &mut counts.changed,
                SymbolChangeKind::Copied => &mut counts.copied,
                SymbolChangeKind::Added => &mut counts.added,
            }
        };
        *slot += 1;
    }
    counts
}

/// Tests last; then what demands something of others, then by how much of the
/// system uses it, then by kind of change and place.
fn sort(changes: &mut [ChangedSymbol]) {
    let weight = |it: &ChangedSymbol| {
        let change = &it.change;
        let is_public = change.old.as_ref().or(change.new.as_ref()).is_some_and(|it| it.is_public);
        let is_gone =
            matches!(change.change, SymbolChangeKind::Removed | SymbolChangeKind::PerhapsBecame);
        let changes_signature = change.aspects.contains(&model::change::Aspect::Signature);
        let is_small = change.shown().is_some_and(is_small);
        (
            change.is_test,
            change.is_doc_only(),
            is_small,
            !(is_public && (is_gone || !change.demands.is_empty())),
            std::cmp::Reverse(it.users.unwrap_or(0)),
            !changes_signature,
            change.change,
        )
    };
    changes.sort_by(|a, b| {
        let place = |it: &ChangedSymbol| {
            it.change.shown().map(|at| (at.path.clone(), at.line, at.symbol.clone()))
        };
        weight(a).cmp(&weight(b)).then_with(|| place(a).cmp(&place(b)))
    });
}

/// A field or a constant says less than what has a body.
fn is_small(symbol: &SymbolVersion) -> bool {
    matches!(symbol.kind.as_str(), "field" | "var" | "const" | "selector")
}
