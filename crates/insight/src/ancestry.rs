//! Whether a commit is part of what is answered about. A hook may not walk a whole
//! history, so only its newest part is walked.

use crate::code::Scope;
use model::{Result, Timestamp};
use std::collections::{BTreeSet, HashSet};
use store::Reader;
use store::commits::{self, CommitRow};

/// Commits that are walked back at most, some twenty microseconds each.
const MOST_WALKED: usize = 200;

pub(crate) struct Ancestry<'a> {
    reader: &'a Reader,
    scope: &'a Scope,
    /// When the snapshot's commit was made; none where its commits were not read.
    at: Option<Timestamp>,
    /// Parents that were named and not visited yet, the newest last.
    open: BTreeSet<(Timestamp, String)>,
    seen: HashSet<String>,
    n_walked: usize,
}

impl<'a> Ancestry<'a> {
    pub fn new(reader: &'a Reader, scope: &'a Scope) -> Result<Self> {
        let top = commits::by_sha(reader, Some(scope.repo.id), &scope.snapshot.sha)?;
        let at = top.as_ref().map(|top| top.committed_at);
        let open = top.into_iter().map(|top| (top.committed_at, top.sha)).collect();
        Ok(Ancestry { reader, scope, at, open, seen: HashSet::new(), n_walked: 0 })
    }

    /// Beyond the part that is walked, what the main branch has and is older counts.
    pub fn holds(&mut self, commit: &CommitRow) -> Result<bool> {
        let Some(at) = self.at else { return Ok(true) };
        self.walk_to(commit.committed_at)?;
        if self.seen.contains(&commit.sha) {
            return Ok(true);
        }
        let is_beyond = self.open.last().is_some_and(|(at, _)| *at >= commit.committed_at);
        Ok(is_beyond && commit.landed_in.is_some() && commit.committed_at <= at)
    }

    fn walk_to(&mut self, until: Timestamp) -> Result<()> {
        while self.n_walked < MOST_WALKED {
            if self.open.last().is_none_or(|(at, _)| *at < until) {
                break;
            }
            let Some((_, sha)) = self.open.pop_last() else { break };
            if !self.seen.insert(sha.clone()) {
                continue;
            }
            self.n_walked += 1;
            for (parent, at) in commits::parents(self.reader, self.scope.repo.id, &sha)? {
                self.open.insert((at, parent));
            }
        }
        Ok(())
    }
}
