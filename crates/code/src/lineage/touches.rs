//! The commits that changed a file, newest first.
//!
//! Where the commits are stored, those that name the path are chained by the
//! content they left and found: the commit that made what is there now, then the
//! one that made what that one found. Where two made the same content, or none
//! did (a merge that joined both sides), git walks the rest of the history.

use git::{FileStep, Log, LogOptions, ObjectId, Repo, RepoPath};
use model::Result;
use model::ids::RepoId;
use rustc_hash::FxHashMap;
use store::{Reader, commits};

/// What one commit made of the file.
pub type Touch = FileStep;

/// More commits than this are walked as git finds them.
const MOST_CHAINED: usize = 3_000;

pub struct Touches<'a> {
    repo: &'a Repo,
    path: RepoPath,
    chain: Option<Chain>,
    log: Option<Log>,
    /// Where git would begin.
    from: ObjectId,
}

struct Chain {
    /// By the content they left.
    by_content: FxHashMap<ObjectId, Vec<Touch>>,
    /// What is looked for next.
    content: ObjectId,
}

impl<'a> Touches<'a> {
    pub fn of(
        repo: &'a Repo,
        index: Option<(&Reader, RepoId)>,
        from: ObjectId,
        path: &RepoPath,
        content: ObjectId,
    ) -> Result<Self> {
        let chain = match index {
            Some((reader, id)) => Chain::of(repo, reader, id, path, content)?,
            None => None,
        };
        Ok(Touches { repo, path: path.clone(), chain, log: None, from })
    }

    pub fn next(&mut self) -> Result<Option<Touch>> {
        if let Some(chain) = &mut self.chain {
            if let Some(touch) = chain.next() {
                self.from = touch.commit;
                if touch.old.is_none() {
                    self.chain = None;
                    // The file began here; an older one of this name is another.
                    self.log = Some(self.repo.log(&LogOptions::default())?);
                }
                return Ok(Some(touch));
            }
            self.chain = None;
            // The last commit was told already.
            if let Some(log) = self.walk(self.from)? {
                self.log = Some(log);
            }
            let last = self.from;
            return self.next_of_log(Some(last));
        }
        if self.log.is_none() {
            self.log = self.walk(self.from)?;
        }
        self.next_of_log(None)
    }

    fn walk(&self, from: ObjectId) -> Result<Option<Log>> {
        let options = LogOptions {
            heads: vec![from],
            path: Some(self.path.clone()),
            with_changes: true,
            ..LogOptions::default()
        };
        self.repo.log(&options).map(Some)
    }

    fn next_of_log(&mut self, told: Option<ObjectId>) -> Result<Option<Touch>> {
        let Some(log) = &mut self.log else { return Ok(None) };
        for commit in log {
            let commit = commit?;
            // A merge has no changes of its own.
            if let Some(change) = commit.changes.iter().find(|it| it.path == self.path)
                && Some(commit.id) != told
            {
                let touch = Touch { commit: commit.id, old: change.old_id, new: change.id };
                return Ok(Some(touch));
            }
        }
        Ok(None)
    }
}

impl Chain {
    fn of(
        repo: &Repo,
        reader: &Reader,
        id: RepoId,
        path: &RepoPath,
        content: ObjectId,
    ) -> Result<Option<Self>> {
        let names = [path.text().into_owned()];
        let stored = commits::touching(reader, id, &names)?;
        let shas: Vec<ObjectId> =
            stored.iter().filter_map(|touch| ObjectId::parse(&touch.sha)).collect();
        if shas.is_empty() || shas.len() > MOST_CHAINED {
            return Ok(None);
        }
        let mut by_content: FxHashMap<ObjectId, Vec<Touch>> = FxHashMap::default();
        for touch in repo.file_ids(&shas, path)? {
            if let Some(new) = touch.new.filter(|new| touch.old != Some(*new)) {
                by_content.entry(new).or_default().push(touch);
            }
        }
        Ok(Some(Chain { by_content, content }))
    }

    fn next(&mut self) -> Option<Touch> {
        let [only] = self.by_content.get(&self.content)?.as_slice() else { return None };
        let touch = *only;
        self.by_content.remove(&self.content);
        if let Some(old) = touch.old {
            self.content = old;
        }
        Some(touch)
    }
}
