//! Reading the commits of clones.

use crate::plan::CloneSpec;
use code::history::{self, CloneLocation, CommitScan, ScanReport};
use model::ids::RepoPlaceId;
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::{WriteQueue, repos};

/// What reading the clones brought.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CommitsReport {
    pub repos: Vec<ScanReport>,
    /// Clones that could not be read, and why.
    pub problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    pub dir: String,
    pub message: String,
}

impl CommitsReport {
    /// A clone that is gone must not keep the others from being read; an
    /// interruption or a broken database must.
    fn add_problem(&mut self, dir: &Path, error: Error) -> Result<()> {
        match error.code() {
            ErrorCode::NotFound
            | ErrorCode::NotIndexed
            | ErrorCode::Internal
            | ErrorCode::Usage => {
                let message = error.message().to_owned();
                self.problems.push(Problem { dir: dir.display().to_string(), message });
                Ok(())
            }
            _ => Err(error),
        }
    }
}

/// Who reads, and whom to tell.
pub(crate) struct CommitReader<'a> {
    pub queue: &'a WriteQueue,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    pub cancel: &'a CancelToken,
}

impl CommitReader<'_> {
    /// None when there are no clones.
    pub fn all(&self, configured: &[CloneSpec]) -> Result<Option<CommitsReport>> {
        if configured.is_empty() && repos::places(&self.queue.reader()?)?.is_empty() {
            return Ok(None);
        }
        let mut report = CommitsReport::default();
        for clone in configured {
            let found = history::find_clone(&clone.path, clone.url.as_deref());
            if let Err(error) = found.and_then(|found| self.register(&found)) {
                report.add_problem(&clone.path, error)?;
            }
        }
        // The remote of a registered clone may have been set or changed meanwhile.
        for place in repos::places(&self.queue.reader()?)? {
            if history::is_renamed(&self.queue.reader()?, &place)?
                && let Ok(found) = history::find_clone(Path::new(&place.dir), None)
            {
                self.register(&found)?;
            }
        }
        self.queue.write(repos::match_projects)?;
        for place in repos::places(&self.queue.reader()?)? {
            match self.scan(&place) {
                Ok(scanned) => report.repos.push(scanned),
                Err(error) => report.add_problem(Path::new(&place.dir), error)?,
            }
        }
        Ok(Some(report))
    }

    pub fn one(&self, clone: &CloneLocation) -> Result<ScanReport> {
        let id = self.register(clone)?;
        let places = repos::places(&self.queue.reader()?)?;
        let place = places.into_iter().find(|place| place.id == id);
        self.scan(&place.ok_or_else(|| Error::internal("the clone just entered is not there"))?)
    }

    fn register(&self, clone: &CloneLocation) -> Result<RepoPlaceId> {
        let clone = history::identify(&self.queue.reader()?, clone)?;
        let now = self.clock.now();
        self.queue.write(|tx| history::register(tx, &clone, now))
    }

    fn scan(&self, place: &repos::Checkout) -> Result<ScanReport> {
        let CommitReader { queue, clock, progress, cancel } = *self;
        CommitScan { queue, clock, progress, cancel }.scan(place)
    }
}
