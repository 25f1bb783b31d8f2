//! `lore status`: how far the record reaches and what is still to do.

use model::{EntityKind, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::embeddings::ModelCoverage;
use store::runs::RunStatus;
use store::{Reader, cursors, dirty, documents, embeddings, entities, lock, projects, queue, runs};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Status {
    pub projects: Vec<ProjectStatus>,
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

pub fn status(reader: &Reader, now: Timestamp) -> Result<Status> {
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
    Ok(Status {
        projects,
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
    })
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
