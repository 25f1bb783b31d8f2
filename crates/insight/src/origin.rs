//! Which merge request brought a commit, how that is known, and how sure it is.
//!
//! Facts first: hashes that the forge and git both know. Then what messages
//! say, where nothing contradicts them. Then what stays of a commit that was
//! rewritten. Where two answers are equally good, none is given.

use crate::file_target::LocalClone;
use git::{LogOptions, ObjectId};
use model::ids::{Iid, ProjectId};
use model::reference::EntityReference;
use model::{EntityKind, EntityState, Reference, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::origins::{self, Authorship, Candidate, CommitRole};
use store::{Reader, commits};

/// How a commit was tied to a merge request, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginMethod {
    /// It is the commit the forge squashed the branch into.
    SquashCommit,
    /// It is the merge itself.
    MergeCommit,
    /// The merge is the first on the target branch that contains it.
    FirstMerge,
    /// The merge request lists it.
    CommitList,
    /// It is the head of the merge request's branch.
    BranchHead,
    /// The merge's message says `See merge request`.
    Message,
    /// It says which commit it was cherry-picked from, and that one is known.
    CherryPick,
    /// The merge request lists a commit of the same author, moment and title.
    SameAuthorship,
}

impl OriginMethod {
    /// For people: "by merge commit".
    pub const fn words(self) -> &'static str {
        match self {
            OriginMethod::SquashCommit => "its squash commit",
            OriginMethod::MergeCommit => "its merge commit",
            OriginMethod::FirstMerge => "the first merge that contains it",
            OriginMethod::CommitList => "its list of commits",
            OriginMethod::BranchHead => "the head of its branch",
            OriginMethod::Message => "the message of the merge",
            OriginMethod::CherryPick => "the commit it was picked from",
            OriginMethod::SameAuthorship => "same author, time and title",
        }
    }
}

/// The merge request that brought a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    pub merge_request: Candidate,
    pub method: OriginMethod,
    /// 0 to 1.
    pub confidence: f64,
    /// Others that have the commit too.
    pub also: Vec<Candidate>,
}

/// What must be known of a commit to find where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    pub sha: String,
    pub subject: String,
    pub message: String,
    pub author: String,
    pub author_email: String,
    pub authored_at: Timestamp,
    /// The commit of the main branch that brought it.
    pub landed_in: Option<String>,
    pub is_merge: bool,
}

impl From<commits::CommitRow> for CommitFacts {
    fn from(row: commits::CommitRow) -> Self {
        CommitFacts {
            sha: row.sha,
            subject: row.subject,
            message: row.message,
            author: row.author,
            author_email: row.author_email,
            authored_at: row.authored_at,
            landed_in: row.landed_in,
            is_merge: row.is_merge,
        }
    }
}

/// From the store, or from git where the store does not have it yet.
pub fn facts(
    reader: &Reader,
    clone: Option<&LocalClone>,
    sha: &str,
) -> Result<Option<CommitFacts>> {
    if let Some(row) = commits::by_sha(reader, clone.and_then(|clone| clone.repo), sha)? {
        return Ok(Some(row.into()));
    }
    let (Some(clone), Some(id)) = (clone, ObjectId::parse(sha)) else { return Ok(None) };
    let Some(commit) = message_of(clone, id)? else { return Ok(None) };
    let main = clone.git.default_branch()?.map(|branch| branch.commit);
    let main = match main {
        Some(main) => Some(main),
        None => clone.git.head()?.commit,
    };
    let landed_in = match main {
        Some(main) => clone.git.landing(id, main)?,
        None => None,
    };
    Ok(Some(CommitFacts {
        sha: sha.to_owned(),
        subject: commit.subject().to_owned(),
        author: commit.author.name.clone(),
        author_email: commit.author.email.clone(),
        authored_at: commit.author.at,
        landed_in: landed_in.map(|landing| landing.to_string()),
        is_merge: commit.is_merge(),
        message: commit.message,
    }))
}

fn message_of(clone: &LocalClone, id: ObjectId) -> Result<Option<git::Commit>> {
    if clone.git.existing(&[id])?.is_empty() {
        return Ok(None);
    }
    let known = clone.git.parents(id)?;
    let options = LogOptions { heads: vec![id], known, ..LogOptions::default() };
    clone.git.log(&options)?.next().transpose()
}

/// A cherry-pick of a cherry-pick of …: this far and no further.
const MAX_PICKS: usize = 3;

/// The merge request that brought a commit; none where nothing certain enough
/// is known.
pub fn origin(
    reader: &Reader,
    project: Option<ProjectId>,
    clone: Option<&LocalClone>,
    commit: &CommitFacts,
) -> Result<Option<Origin>> {
    Search { reader, project, clone }.origin(commit, MAX_PICKS)
}

struct Search<'a> {
    reader: &'a Reader,
    project: Option<ProjectId>,
    clone: Option<&'a LocalClone>,
}

impl Search<'_> {
    fn origin(&self, commit: &CommitFacts, picks_left: usize) -> Result<Option<Origin>> {
        let named = origins::naming(self.reader, self.project, &commit.sha)?;
        if let Some(found) = itself(&named) {
            return Ok(Some(found));
        }
        if let Some(found) = self.by_first_merge(commit, &named)? {
            return Ok(Some(found));
        }
        if let Some(found) = by_listing(&named, commit.landed_in.is_some()) {
            return Ok(Some(found));
        }
        if let Some(found) = self.by_message(commit)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.by_pick(commit, picks_left)? {
            return Ok(Some(found));
        }
        self.by_authorship(commit)
    }

    /// The merge of the main branch that brought it belongs to a merge request.
    fn by_first_merge(&self, commit: &CommitFacts, named: &[Candidate]) -> Result<Option<Origin>> {
        let Some(landing) = commit.landed_in.as_ref().filter(|landing| **landing != commit.sha)
        else {
            return Ok(None);
        };
        let merging = origins::naming(self.reader, self.project, landing)?;
        let Some(outer) = merging.into_iter().find(|mr| mr.named_as == CommitRole::MergeCommit)
        else {
            return Ok(None);
        };
        // A merge request into another branch, which this one then merged: the
        // inner one is where the commit was argued about.
        let inner = named.iter().find(|mr| {
            mr.named_as == CommitRole::Listed
                && mr.state == EntityState::Merged
                && mr.id != outer.id
                && mr.project_id == outer.project_id
                && mr.target_branch != outer.target_branch
                && mr.merged_at <= outer.merged_at
        });
        Ok(Some(match inner {
            Some(inner) => Origin {
                merge_request: inner.clone(),
                method: OriginMethod::CommitList,
                confidence: 0.95,
                also: vec![outer],
            },
            None => Origin {
                also: others(named, outer.id),
                merge_request: outer,
                method: OriginMethod::FirstMerge,
                confidence: 0.99,
            },
        }))
    }

    /// `See merge request group/project!12` in the merge or the commit, unless
    /// the forge knows another merge commit for that number.
    fn by_message(&self, commit: &CommitFacts) -> Result<Option<Origin>> {
        let mut carriers = vec![(commit.sha.clone(), commit.message.clone())];
        if let Some(landing) = commit.landed_in.as_ref().filter(|landing| **landing != commit.sha)
            && let Some(merge) = facts(self.reader, self.clone, landing)?
        {
            carriers.insert(0, (merge.sha, merge.message));
        }
        for (sha, message) in carriers {
            let Some(said) = said_merge_request(&message) else { continue };
            let Some(found) = self.by_number(&said)? else { continue };
            let knows = |known: &Option<String>| known.as_ref().is_some_and(|known| *known != sha);
            let is_contradicted =
                knows(&found.merge_commit_sha) && found.squash_commit_sha.as_ref() != Some(&sha);
            if found.state == EntityState::Merged && !is_contradicted {
                return Ok(Some(Origin {
                    merge_request: found,
                    method: OriginMethod::Message,
                    confidence: 0.9,
                    also: Vec::new(),
                }));
            }
        }
        Ok(None)
    }

    fn by_number(&self, said: &EntityReference) -> Result<Option<Candidate>> {
        let all = store::projects::all(self.reader)?;
        let project = match (&said.project, self.project) {
            (Some(path), _) => all.into_iter().find(|project| project.path == *path),
            (None, Some(id)) => all.into_iter().find(|project| project.id == id),
            (None, None) => None,
        };
        // A message copied from another project speaks of that project.
        let is_other = self.project.is_some_and(|id| project.as_ref().is_some_and(|p| p.id != id));
        match project {
            Some(project) if !is_other => origins::numbered(self.reader, project.id, said.iid),
            _ => Ok(None),
        }
    }

    fn by_pick(&self, commit: &CommitFacts, picks_left: usize) -> Result<Option<Origin>> {
        if picks_left == 0 {
            return Ok(None);
        }
        let Some(source) = picked_from(&commit.message) else { return Ok(None) };
        let found = match facts(self.reader, self.clone, &source)? {
            Some(source) => self.origin(&source, picks_left - 1)?,
            // Not in this clone, but a merge request may know it.
            None => {
                let named = origins::naming(self.reader, self.project, &source)?;
                itself(&named).or_else(|| by_listing(&named, false))
            }
        };
        Ok(found.map(|origin| Origin {
            method: OriginMethod::CherryPick,
            confidence: (origin.confidence * 90.0).round() / 100.0,
            ..origin
        }))
    }

    fn by_authorship(&self, commit: &CommitFacts) -> Result<Option<Origin>> {
        // Merges are made by the forge, many in one second and alike.
        if commit.is_merge || commit.subject.is_empty() {
            return Ok(None);
        }
        let alike = origins::same_authorship(
            self.reader,
            self.project,
            Authorship {
                name: &commit.author,
                email: &commit.author_email,
                at: commit.authored_at,
                title: &commit.subject,
            },
        )?;
        let merged: Vec<&Candidate> =
            alike.iter().filter(|mr| mr.state == EntityState::Merged).collect();
        Ok(match merged.as_slice() {
            [only] => Some(Origin {
                merge_request: (*only).clone(),
                method: OriginMethod::SameAuthorship,
                confidence: 0.85,
                also: others(&alike, only.id),
            }),
            _ => None,
        })
    }
}

/// The commit is what the forge made of a merge request.
fn itself(named: &[Candidate]) -> Option<Origin> {
    let by = |named_as: CommitRole, method: OriginMethod| {
        let found = named.iter().find(|mr| mr.named_as == named_as)?;
        Some(Origin {
            merge_request: found.clone(),
            method,
            confidence: 1.0,
            also: others(named, found.id),
        })
    };
    by(CommitRole::SquashCommit, OriginMethod::SquashCommit)
        .or_else(|| by(CommitRole::MergeCommit, OriginMethod::MergeCommit))
}

/// Merge requests that list the commit: the one merged first brought it. One
/// that was never merged may only claim a commit that is on no main branch.
fn by_listing(named: &[Candidate], has_landed: bool) -> Option<Origin> {
    let of = |named_as: CommitRole, is_merged: bool| {
        named
            .iter()
            .filter(move |mr| {
                mr.named_as == named_as && (mr.state == EntityState::Merged) == is_merged
            })
            .collect::<Vec<_>>()
    };
    let (listed, heads) = (of(CommitRole::Listed, true), of(CommitRole::Head, true));
    let (found, method, confidence) = match (listed.as_slice(), heads.as_slice()) {
        ([only], _) => (*only, OriginMethod::CommitList, 0.97),
        ([first, ..], _) => (*first, OriginMethod::CommitList, 0.9),
        ([], [first, ..]) => (*first, OriginMethod::BranchHead, 0.9),
        ([], []) => {
            let open = of(CommitRole::Listed, false);
            let (first, confidence) = match open.as_slice() {
                [only] if !has_landed => (*only, 0.8),
                // On the main branch all the same: merged by hand, it seems.
                [only] => (*only, 0.6),
                _ => return None,
            };
            (first, OriginMethod::CommitList, confidence)
        }
    };
    Some(Origin { merge_request: found.clone(), method, confidence, also: others(named, found.id) })
}

fn others(named: &[Candidate], except: i64) -> Vec<Candidate> {
    let mut others: Vec<Candidate> = named.iter().filter(|mr| mr.id != except).cloned().collect();
    others.sort_by_key(|mr| (mr.project_id, mr.iid));
    others.dedup_by_key(|mr| mr.id);
    others
}

/// The merge request that the message of a merge names, as forges end them.
fn said_merge_request(message: &str) -> Option<EntityReference> {
    message.lines().rev().find_map(|line| {
        let said = model::forge::merge_trailer(line)?;
        match Reference::parse(said.trim_end_matches('.')).ok()? {
            Reference::Entity(entity) if entity.kind == EntityKind::MergeRequest => Some(entity),
            _ => None,
        }
    })
}

/// `(cherry picked from commit 1234…)`, as `git cherry-pick -x` and GitLab write it.
fn picked_from(message: &str) -> Option<String> {
    message.lines().rev().find_map(|line| {
        let rest = line.trim().strip_prefix("(cherry picked from commit ")?;
        let sha = rest.strip_suffix(')')?.trim();
        ObjectId::parse(sha).map(|id| id.to_string())
    })
}

/// `group/project!12`.
pub fn reference(project: &str, iid: Iid) -> String {
    format!("{project}!{iid}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_merge_requests_in_gitlabs_words_only() {
        for (message, said) in [
            ("Merge branch 'a'\n\nFix\n\nSee merge request group/p!12\n", Some("group/p!12")),
            ("Merge\n\nSee merge request !7", Some("!7")),
            ("Merge\n\nSee merge request group/p#7", None),
            ("Merge bitcoin-core/secp256k1#1897: tests", None),
            ("I did not see merge request g/p!3", None),
        ] {
            let found = said_merge_request(message).map(|found| found.to_string());
            assert_eq!(found.as_deref(), said, "{message}");
        }
    }

    #[test]
    fn picks_name_their_source_by_its_whole_hash() {
        let sha = "a".repeat(40);
        let message = format!("Fix\n\n(cherry picked from commit {sha})\n");
        assert_eq!(picked_from(&message), Some(sha));
        assert_eq!(picked_from("(cherry picked from commit abc)"), None);
    }
}
