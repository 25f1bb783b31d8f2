//! `lore history` and `lore when`: what happened to one symbol, who did it, in
//! which merge request and why.
//!
//! The commits come from git's objects (`code::lineage`); here each is joined
//! with the merge request that brought it, the issues behind that and the
//! sentence that gives the reason.

mod kept;
mod target;
mod when;

use crate::evidence::{self, EvidenceSubject, LinkedIssue};
use crate::file_target::LocalClone;
use crate::origin::{self, CommitFacts};
use crate::reasons;
use crate::trace::MissingPart;
use git::{ObjectId, Repo};
use model::change::SymbolVersion;
use model::ids::{ProjectId, RepoId};
use model::lineage::{Lineage, LineageEnd, LineageStep, SymbolName};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Reader, commits};

pub use kept::{LineageQuestion, lineage};
pub use target::{Target, target, targets};
pub use when::{Dependency, DependencyChange, names_of, when};

/// Where the steps of a history are looked up.
pub struct Place<'a> {
    /// None without a database: then git alone answers.
    pub reader: Option<&'a Reader>,
    pub clone: &'a LocalClone,
    pub project: Option<ProjectId>,
}

impl<'a> Place<'a> {
    /// The clone around a folder, as far as it is known.
    pub fn of(reader: Option<&'a Reader>, clone: &'a LocalClone) -> Result<Self> {
        let project = match (reader, clone.repo) {
            (Some(reader), Some(id)) => {
                store::repos::get(reader, id)?.and_then(|repo| repo.project)
            }
            _ => None,
        };
        Ok(Place { reader, clone, project })
    }

    /// Where its commits are stored.
    pub fn index(&self) -> Option<(&'a Reader, RepoId)> {
        self.reader.zip(self.clone.repo)
    }
}

/// What happened to a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SymbolHistory {
    pub symbol: SymbolVersion,
    /// The commit the history begins with, going back.
    pub at: String,
    /// Newest first.
    pub steps: Vec<HistoryStep>,
    /// How many there are in all.
    pub total: u64,
    pub end: LineageEnd,
    /// Names and places it had, newest first.
    pub names: Vec<SymbolName>,
    /// Versions of files that were looked at.
    pub n_versions: u64,
    pub missing: Vec<MissingPart>,
}

/// A commit that changed a symbol, and what explains it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HistoryStep {
    #[serde(flatten)]
    pub step: LineageStep,
    pub subject: String,
    pub author: String,
    pub authored_at: Timestamp,
    /// The merge request that brought the commit.
    pub merge_request: Option<StepMergeRequest>,
    /// Tickets that the commit names, where no merge request tells of them.
    pub tickets: Vec<String>,
    /// The sentences of the merge request or the commit that give reasons.
    pub reason: Option<String>,
}

/// The merge request behind a commit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepMergeRequest {
    /// `group/project!12`
    pub reference: String,
    pub title: String,
    pub url: String,
    /// How sure it is that this one brought the commit, 0 to 1.
    pub confidence: f64,
    pub issues: Vec<LinkedIssue>,
}

/// The history of a symbol with its newest `limit` steps, and always the one
/// that introduced it.
pub fn symbol_history(
    place: &Place<'_>,
    at: ObjectId,
    lineage: Lineage,
    limit: usize,
) -> Result<SymbolHistory> {
    let total = lineage.steps.len() as u64;
    let mut steps = lineage.steps;
    if steps.len() > limit {
        let first = steps.pop();
        steps.truncate(limit.saturating_sub(1));
        steps.extend(first);
    }
    let mut missing = Vec::new();
    if place.index().is_none() {
        missing.push(MissingPart::new(
            "the clone is not indexed: git was asked for every commit, and no merge request is known",
            "lore index",
        ));
    }
    if lineage.end == LineageEnd::Shallow {
        missing.push(MissingPart::new(
            "this clone is shallow: the history ends with its oldest commit",
            "git fetch --unshallow",
        ));
    }
    Ok(SymbolHistory {
        symbol: lineage.symbol,
        at: at.to_string(),
        steps: explained(place, steps)?,
        total,
        end: lineage.end,
        names: lineage.names,
        n_versions: lineage.n_versions,
        missing,
    })
}

/// The merge requests that brought the changes of a symbol, newest first.
pub fn merge_requests(place: &Place<'_>, lineage: &Lineage) -> Result<Vec<i64>> {
    let Some(reader) = place.reader else { return Ok(Vec::new()) };
    let facts = facts(place, &lineage.steps)?;
    let mut ids = Vec::new();
    for fact in lineage.steps.iter().filter_map(|step| facts.get(&step.commit)) {
        let found = origin::origin(reader, place.project, Some(place.clone), fact)?;
        if let Some(id) = found.map(|found| found.merge_request.id)
            && !ids.contains(&id)
        {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Steps with who made them, where they came from and why.
fn explained(place: &Place<'_>, steps: Vec<LineageStep>) -> Result<Vec<HistoryStep>> {
    let facts = facts(place, &steps)?;
    let mut origins = BTreeMap::new();
    if let Some(reader) = place.reader {
        for fact in facts.values() {
            let found = origin::origin(reader, place.project, Some(place.clone), fact)?;
            if let Some(found) = found {
                origins.insert(fact.sha.clone(), found);
            }
        }
    }
    let ids: Vec<i64> = {
        let mut ids: Vec<i64> = origins.values().map(|it| it.merge_request.id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let about = EvidenceSubject { paths: &[], symbol: None, most_notes: 0 };
    let mut requests = BTreeMap::new();
    if let Some(reader) = place.reader {
        for request in evidence::explain_merge_requests(reader, &ids, about)? {
            requests.insert(request.id, request);
        }
    }
    let steps = steps.into_iter().map(|step| {
        let fact = facts.get(&step.commit);
        let origin = origins.get(&step.commit);
        let request = origin.and_then(|it| requests.get(&it.merge_request.id));
        let said = request.and_then(|it| it.description.as_ref()).filter(|it| it.gives_reasons);
        let reason =
            said.cloned().or_else(|| fact.and_then(reasons::of_message)).map(|reason| reason.text);
        let message = fact.map_or("", |fact| &fact.message);
        HistoryStep {
            subject: fact.map(|fact| fact.subject.clone()).unwrap_or_default(),
            author: fact.map(|fact| fact.author.clone()).unwrap_or_default(),
            authored_at: fact.map_or(Timestamp::from_millis(0), |fact| fact.authored_at),
            tickets: if request.is_none() { reasons::tickets(message) } else { Vec::new() },
            merge_request: request.zip(origin).map(|(request, origin)| StepMergeRequest {
                reference: request.reference.clone(),
                title: request.title.clone(),
                url: request.url.clone(),
                confidence: origin.confidence,
                issues: request.issues.clone(),
            }),
            reason,
            step,
        }
    });
    Ok(steps.collect())
}

/// The commits of steps, from the store and, those it does not have, from git.
fn facts(place: &Place<'_>, steps: &[LineageStep]) -> Result<BTreeMap<String, CommitFacts>> {
    let mut facts = BTreeMap::new();
    let mut absent = Vec::new();
    for step in steps {
        let stored = match place.index() {
            Some((reader, repo)) => commits::by_sha(reader, Some(repo), &step.commit)?,
            None => None,
        };
        match stored {
            Some(row) => {
                facts.insert(step.commit.clone(), CommitFacts::from(row));
            }
            None => absent.extend(ObjectId::parse(&step.commit)),
        }
    }
    for commit in of_git(&place.clone.git, &absent)? {
        facts.insert(commit.sha.clone(), commit);
    }
    Ok(facts)
}

fn of_git(repo: &Repo, ids: &[ObjectId]) -> Result<Vec<CommitFacts>> {
    let commits = repo.commits(ids)?;
    Ok(commits
        .into_iter()
        .map(|commit| CommitFacts {
            id: None,
            sha: commit.id.to_string(),
            subject: commit.subject().to_owned(),
            author: commit.author.name.clone(),
            author_email: commit.author.email.clone(),
            authored_at: commit.author.at,
            committed_at: commit.committer.at,
            landed_in: None,
            is_merge: commit.is_merge(),
            message: commit.message,
        })
        .collect())
}
