//! Of a commit: the merge request that brought it, and how that is known.

use crate::evidence::{self, EvidenceSubject, Explained};
use crate::file_target::{self, FileQuery, LocalClone};
use crate::origin::{self, CommitFacts, OriginMethod};
use crate::reasons::{self, CommitReason};
use crate::{projects, repos, revision};
use model::{EntityKind, Error, ErrorCode, Reference, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::entities::EntityRow;
use store::{Reader, commits};

/// A commit that was asked about, and what brought it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CommitOrigin {
    #[serde(flatten)]
    pub commit: CommitReason,
    /// `group/project!12`; none where it is unknown.
    pub merge_request: Option<String>,
    pub method: Option<OriginMethod>,
    /// 0 to 1.
    pub confidence: Option<f64>,
}

/// A commit with what is told of its merge request.
pub(crate) struct Brought {
    pub origin: CommitOrigin,
    pub merge_requests: Vec<Explained>,
    /// Where the commit is, as people call it: its project, else its repository.
    pub place: Option<String>,
    /// The rows of `merge_requests`.
    ids: Vec<i64>,
}

impl Brought {
    pub(crate) fn rows(&self) -> impl Iterator<Item = EntityRow> {
        self.ids.iter().map(|id| EntityRow { kind: EntityKind::MergeRequest, id: *id })
    }
}

/// A commit by its hash, the beginning of it, or as a revision of the clone around
/// (`HEAD~2`, a branch, a tag); none where it is called by nothing of these.
pub(super) fn named(
    reader: &Reader,
    scope: FileQuery<'_>,
    notes: usize,
) -> Result<Option<Brought>> {
    let typed = scope.path;
    let found = match Reference::parse(typed) {
        Ok(Reference::Commit { sha, project }) => {
            brought(reader, scope, &sha, project.as_deref(), notes)
        }
        Ok(Reference::Entity(_)) => return Ok(None),
        Err(_) => match revision::sha(reader, typed, scope)? {
            Some(sha) => brought(reader, scope, &sha, None, notes),
            None => return Ok(None),
        },
    };
    match found {
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        found => found.map(Some),
    }
}

pub(crate) fn brought(
    reader: &Reader,
    scope: FileQuery<'_>,
    sha: &str,
    project: Option<&str>,
    notes: usize,
) -> Result<Brought> {
    let project = projects::resolve_maybe(reader, project.or(scope.project))?;
    let clone = file_target::clone_here(reader, scope)?;
    let facts = commit_facts(reader, clone.as_ref(), sha)?;
    let repo = match facts.id {
        Some(id) => store::repos::get(reader, commits::repo_of(reader, id)?)?,
        None => None,
    };
    let project = project.map(|project| project.id).or(repo.as_ref().and_then(|it| it.project));
    let origin = origin::origin(reader, project, clone.as_ref(), &facts)?;
    let ids: Vec<i64> = origin.iter().map(|it| it.merge_request.id).collect();
    let about = EvidenceSubject { most_notes: notes, ..EvidenceSubject::default() };
    let merge_requests = evidence::explain_merge_requests(reader, &ids, about)?;
    let places = store::repos::places(reader)?;
    let place = repo.map(|repo| repos::label(&repo, &places)).or(clone.map(|clone| clone.label));
    Ok(Brought {
        origin: CommitOrigin {
            commit: reasons::commit_reason(reader, &facts, &[])?,
            merge_request: merge_requests.first().map(|mr| mr.reference.clone()),
            method: origin.as_ref().map(|it| it.method),
            confidence: origin.as_ref().map(|it| it.confidence),
        },
        merge_requests,
        place,
        ids,
    })
}

/// A commit by its hash or the beginning of it: of the clone around, else of any
/// repository, else as git has it.
fn commit_facts(reader: &Reader, clone: Option<&LocalClone>, sha: &str) -> Result<CommitFacts> {
    const SHOWN: usize = 5;
    let here = clone.and_then(|clone| clone.repo);
    let mut found = match here {
        Some(repo) => commits::with_prefix(reader, Some(repo), sha, SHOWN + 1)?,
        None => Vec::new(),
    };
    if found.is_empty() {
        found = commits::with_prefix(reader, None, sha, SHOWN + 1)?;
    }
    found.dedup_by(|a, b| a.sha == b.sha);
    match found.len() {
        0 => {}
        1 => return Ok(found.swap_remove(0).into()),
        _ => {
            let hashes: Vec<&str> = found.iter().map(|it| it.sha.as_str()).collect();
            let several = format!("`{sha}` could be any of {}", hashes.join(", "));
            return Err(Error::new(ErrorCode::Ambiguous, several).suggest("type more of the hash"));
        }
    }
    if let Some(clone) = clone
        && let Ok(id) = clone.git.resolve(sha)
        && let Some(facts) = origin::facts(reader, Some(clone), &id.to_string())?
    {
        return Ok(facts);
    }
    let hint = if repos::list(reader)?.items.is_empty() {
        "no commits are known yet; run: lore repo add ."
    } else {
        "check the hash, or run `lore index` in the clone if it is new"
    };
    Err(Error::not_found(format!("no commit begins with {sha}")).suggest(hint))
}
