//! `lore status`: how far the record reaches and what is still to do.

use model::code::Provenance;
use model::ids::SnapshotSeq;
use model::text::grouped;
use model::{EntityKind, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::code::{enrichment, snapshots};
use store::embeddings::ModelCoverage;
use store::runs::RunStatus;
use store::{
    Reader, commits, cursors, dirty, documents, embeddings, entities, lock, projects, queue, repos,
    runs,
};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Status {
    pub projects: Vec<ProjectStatus>,
    /// Local repositories, by name.
    pub repos: Vec<RepoStatus>,
    pub runs: Vec<RunSummary>,
    pub queue: QueueStatus,
    /// Documents there are.
    pub documents: u64,
    /// Sources whose documents are not made yet.
    pub documents_waiting: u64,
    /// How many of the documents have vectors, by model.
    pub vectors: Vec<ModelCoverage>,
    /// Who is writing right now, if anyone.
    pub running: Option<Running>,
    /// The daemon that keeps the record current, if one runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daemon: Option<DaemonLine>,
    /// What would bring more, most useful first; everything named works here.
    pub next: Vec<NextStep>,
}

/// A daemon as others see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DaemonLine {
    pub pid: u32,
    pub version: String,
    pub is_ready: bool,
    pub problems: Vec<String>,
    /// Clones that it cannot index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubled: Vec<TroubledClone>,
}

/// A clone whose newest commits are not known, and what may help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TroubledClone {
    pub dir: String,
    pub reason: String,
    pub suggestion: String,
}

/// A local repository: what of it is known.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RepoStatus {
    pub name: String,
    /// Its clones on this machine.
    pub dirs: Vec<String>,
    pub commits: u64,
    pub newest_commit_at: Option<Timestamp>,
    /// None when its code is not indexed.
    pub code: Option<CodeStatus>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CodeStatus {
    pub commit: String,
    pub symbols: u64,
    pub edges: u64,
    pub indexed_at: Timestamp,
    /// Another commit is checked out, in one clone at least.
    pub is_stale: bool,
    /// What language servers and indexes of compilers added.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub enrichment: Vec<EnrichmentStatus>,
}

/// What one server, or an index, said of the calls of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnrichmentStatus {
    /// Name and version.
    pub server: String,
    pub provenance: Provenance,
    pub files: u64,
    pub confirmed: u64,
    pub corrected: u64,
    pub new: u64,
    pub external: u64,
    pub unanswered: u64,
    /// Calls that its last run did not come to.
    pub waiting: u64,
    pub last_run_at: Option<Timestamp>,
    pub last_outcome: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NextStep {
    /// What is missing without it.
    pub reason: String,
    pub command: String,
}

/// What around the record decides which steps are possible.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConfiguredSources {
    /// A forge and projects of it are configured.
    pub forge: bool,
    /// Embeddings are not switched off.
    pub embedding: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProjectStatus {
    pub path: String,
    /// End of the last run that read it completely.
    pub synced_at: Option<Timestamp>,
    pub is_gone: bool,
    pub issues: u64,
    pub merge_requests: u64,
    /// The newest change seen of each kind.
    pub issues_cursor: Option<Timestamp>,
    pub merge_requests_cursor: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunSummary {
    pub command: String,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub status: RunStatus,
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct QueueStatus {
    pub waiting: u64,
    pub failed: u64,
    pub failures: Vec<FailedFetch>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FailedFetch {
    /// `group/project#12`.
    pub reference: String,
    pub job: String,
    pub attempts: u32,
    pub error: String,
    pub next_attempt_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Running {
    pub owner: String,
    pub since: Timestamp,
    pub heartbeat_at: Timestamp,
    /// No sign of life for so long that it has probably died.
    pub is_stale: bool,
}

/// Runs and failures shown.
const LATEST_RUNS: usize = 5;
const SHOWN_FAILURES: usize = 10;

pub fn status(reader: &Reader, now: Timestamp, possible: ConfiguredSources) -> Result<Status> {
    let projects = projects::all(reader)?
        .into_iter()
        .map(|project| {
            let cursor = |kind| {
                cursors::get(reader, project.id, kind)
                    .map(|cursor| cursor.map(|cursor| cursor.updated_at))
            };
            Ok(ProjectStatus {
                synced_at: project.synced_at,
                is_gone: project.is_gone,
                issues: entities::count(reader, EntityKind::Issue, Some(project.id))?,
                merge_requests: entities::count(
                    reader,
                    EntityKind::MergeRequest,
                    Some(project.id),
                )?,
                issues_cursor: cursor(EntityKind::Issue)?,
                merge_requests_cursor: cursor(EntityKind::MergeRequest)?,
                path: project.path,
            })
        })
        .collect::<Result<Vec<ProjectStatus>>>()?;
    let repos = repo_states(reader)?;
    let mut status = Status {
        projects,
        repos,
        daemon: None,
        next: Vec::new(),
        runs: latest_runs(reader)?,
        queue: queue_status(reader)?,
        documents: documents::count(reader)?,
        documents_waiting: dirty::count(reader)?,
        vectors: embeddings::models(reader)?,
        running: lock::holder(reader)?.map(|holder| Running {
            is_stale: now.since(holder.heartbeat_at) > lock::EXPIRY,
            owner: holder.owner,
            since: holder.acquired_at,
            heartbeat_at: holder.heartbeat_at,
        }),
    };
    status.next = next_steps(&status, possible);
    Ok(status)
}

fn repo_states(reader: &Reader) -> Result<Vec<RepoStatus>> {
    let places = repos::places(reader)?;
    repos::all(reader)?.iter().map(|repo| repo_status(reader, repo, &places)).collect()
}

/// What is known of one repository.
pub fn repo_status(
    reader: &Reader,
    repo: &repos::Repo,
    places: &[repos::Checkout],
) -> Result<RepoStatus> {
    let own: Vec<&repos::Checkout> = places.iter().filter(|place| place.repo == repo.id).collect();
    let mut is_stale = false;
    let mut checked_out = None;
    for place in &own {
        let Some(head) = head(place) else { continue };
        let snapshot = snapshots::by_sha_prefix(reader, place.repo, &head)?.into_iter().next();
        is_stale |= snapshot.is_none();
        checked_out = checked_out.or(snapshot);
    }
    let shown = match checked_out {
        Some(snapshot) => Some(snapshot),
        None => snapshots::latest(reader, repo.id)?,
    };
    let code = match shown {
        None => None,
        Some(snapshot) => Some(CodeStatus {
            enrichment: enrichment(reader, snapshot.seq)?,
            commit: snapshot.sha,
            symbols: snapshot.n_nodes,
            edges: snapshot.n_edges,
            indexed_at: snapshot.created_at,
            is_stale,
        }),
    };
    Ok(RepoStatus {
        name: crate::repos::label(repo, places),
        dirs: own.iter().map(|place| place.dir.clone()).collect(),
        commits: commits::count(reader, Some(repo.id))?.0,
        newest_commit_at: commits::newest_at(reader, repo.id)?,
        code,
    })
}

fn enrichment(reader: &Reader, seq: SnapshotSeq) -> Result<Vec<EnrichmentStatus>> {
    let runs = enrichment::runs(reader, seq)?;
    let of_server = |summary: enrichment::ServerSummary| {
        let last = runs.iter().find(|run| {
            run.provenance == summary.provenance
                && summary.server == format!("{} {}", run.server, run.version)
        });
        EnrichmentStatus {
            provenance: summary.provenance,
            files: summary.n_files,
            confirmed: summary.counts.confirmed,
            corrected: summary.counts.corrected,
            new: summary.counts.new,
            external: summary.counts.external,
            unanswered: summary.counts.unanswered,
            waiting: last.map_or(0, |run| run.waiting),
            last_run_at: last.map(|run| run.finished_at),
            last_outcome: last.map(|run| run.outcome.clone()),
            server: summary.server,
        }
    };
    Ok(enrichment::summary(reader, seq)?.into_iter().map(of_server).collect())
}

/// The commit that is checked out in a clone; none where there is no clone any more.
fn head(place: &repos::Checkout) -> Option<String> {
    let dir = Path::new(&place.dir);
    let head = dir.is_dir().then(|| git::Repo::known(dir).head().ok()).flatten()?;
    head.commit.map(|commit| commit.to_string())
}

fn next_steps(status: &Status, possible: ConfiguredSources) -> Vec<NextStep> {
    let mut next = Vec::new();
    let mut add = |reason: String, command: String| next.push(NextStep { reason, command });
    if status.repos.is_empty() && status.projects.is_empty() && !possible.forge {
        add("nothing is read yet".to_owned(), "lore index".to_owned());
    }
    for repo in &status.repos {
        let is_due = repo.code.as_ref().is_none_or(|code| code.is_stale);
        if is_due && let Some(dir) = repo.dirs.first() {
            let what =
                if repo.code.is_none() { "not indexed" } else { "changed since it was read" };
            add(format!("{} is {what}", repo.name), format!("lore index {}", quoted(dir)));
        }
    }
    let unread = status.projects.iter().filter(|it| !it.is_gone && it.synced_at.is_none()).count();
    if possible.forge && (status.projects.is_empty() || unread > 0) {
        add("the forge is not read to the end".to_owned(), "lore sync".to_owned());
    }
    if status.documents_waiting > 0 {
        let n = grouped(status.documents_waiting);
        add(format!("{n} changed texts cannot be searched yet"), "lore generate-docs".to_owned());
    }
    let embedded = status.vectors.first().map_or(0, |most| most.documents);
    if possible.embedding && embedded < status.documents {
        let (all, n) = (grouped(status.documents), grouped(status.documents - embedded));
        add(format!("{n} of {all} texts are found by words only"), "lore embed".to_owned());
    }
    next
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

fn latest_runs(reader: &Reader) -> Result<Vec<RunSummary>> {
    let runs = runs::latest(reader, LATEST_RUNS)?;
    Ok(runs
        .into_iter()
        .map(|run| RunSummary {
            command: run.command,
            started_at: run.started_at,
            finished_at: run.finished_at,
            status: run.status,
            error: run.error,
        })
        .collect())
}

fn queue_status(reader: &Reader) -> Result<QueueStatus> {
    let depth = queue::depth(reader)?;
    let failures = queue::failed(reader, SHOWN_FAILURES)?
        .into_iter()
        .map(|job| FailedFetch {
            reference: format!("{}{}{}", job.project_path, job.kind.sigil(), job.iid),
            job: job.job,
            attempts: job.attempts,
            error: job.last_error,
            next_attempt_at: job.next_attempt_at,
        })
        .collect();
    Ok(QueueStatus { waiting: depth.waiting, failed: depth.failed, failures })
}
