//! One run: one lock from beginning to end, the steps in their order, and which
//! of their failures are only warnings.

use crate::carried_evidence::carry;
use crate::commits::{CommitReader, CommitsReport};
use crate::embed_slices::embed_in_slices;
use crate::plan::{Clones, CodeScope, DocumentScope, EmbedPlan, Fetch, Plan};
use code::history::ScanReport;
use code::index::{IndexReport, Request, Watch};
use forge::sync::{self, SyncReport};
use git::Repo;
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result};
use search::documents::{DocumentReport, Regeneration};
use search::embedding::{EmbedReport, Embedding};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store::lock::{BriefWork, Lane, LockRequest};
use store::runs::RunStatus;
use store::{Reader, WriteQueue, lock, repos};

/// The file a run writes to, and who writes.
#[derive(Debug, Clone)]
pub struct Database {
    pub path: PathBuf,
    /// Unique per run; shown to whoever finds the lock taken.
    pub owner: String,
    /// Take over a lock whose holder went silent.
    pub force: bool,
}

impl Database {
    /// Takes the lock for a run. One who embeds or asks language servers gives it up
    /// soon, and is waited for.
    pub(crate) fn open(&self, clock: &Arc<dyn Clock>) -> Result<Arc<WriteQueue>> {
        self.open_for(None, clock)
    }

    /// The same for work that gives it up soon itself.
    pub(crate) fn open_for(
        &self,
        brief: Option<BriefWork>,
        clock: &Arc<dyn Clock>,
    ) -> Result<Arc<WriteQueue>> {
        let (owner, force) = (self.owner.as_str(), self.force);
        let request = LockRequest { lane: Lane::Runs, owner, brief, force };
        let mut left = MOST_LOOKS;
        loop {
            match WriteQueue::open_as(&self.path, request, Arc::clone(clock)) {
                Err(error)
                    if left > 0
                        && error.code() == ErrorCode::Locked
                        && self.is_held_briefly(brief) =>
                {
                    left -= 1;
                    std::thread::sleep(LOOK_AGAIN);
                }
                opened => return opened.map(Arc::new),
            }
        }
    }

    /// Whether the lock is held by one who gives it up soon, or by nobody who says so: who
    /// held it a moment ago has just given it up, or the next one is about to sign. Runs of
    /// one kind do not wait for each other: a second `lore embed` is told that there is one
    /// already.
    fn is_held_briefly(&self, own: Option<BriefWork>) -> bool {
        let holder = Reader::open(&self.path).and_then(|reader| lock::holder(&reader));
        match holder {
            Ok(Some(holder)) => holder.brief.is_some() && holder.brief != own,
            Ok(None) => true,
            Err(_) => false,
        }
    }
}

/// How often, and for how long, it is looked whether one who holds it for moments has
/// given the lock up: longer than any slice takes.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
const MOST_LOOKS: usize = 1_200;

/// Time, whom to tell, and who may end it.
#[derive(Clone)]
pub struct RunControl {
    pub clock: Arc<dyn Clock>,
    pub progress: Arc<dyn Progress>,
    pub cancel: CancelToken,
}

/// What came of the steps.
#[derive(Debug, Default)]
pub struct RunReport {
    pub fetched: Option<SyncReport>,
    /// Of all clones; none without clones.
    pub commits: Option<CommitsReport>,
    /// Of the one clone that was asked for.
    pub scanned: Option<ScanReport>,
    pub code: Vec<IndexReport>,
    pub documents: Option<DocumentReport>,
    pub embedding: Option<EmbedReport>,
    /// Failures that the run did not end for.
    pub warnings: Vec<String>,
    /// From the first step to the last, waiting for the lock included.
    pub elapsed_ms: u64,
}

/// Does what the plan says, holding the application lock from the first step to
/// the last; of embedding alone, from one slice to the next. Blocks; what waits for
/// the network does so on `runtime`.
pub fn run(
    plan: Plan,
    database: &Database,
    control: &RunControl,
    runtime: &tokio::runtime::Handle,
) -> Result<RunReport> {
    let started = control.clock.now();
    if plan.is_embedding_alone()
        && let Some(plan) = plan.embedding
    {
        let embedding = embed_in_slices(plan, database, control)?;
        return Ok(RunReport { embedding, ..RunReport::default() });
    }
    let queue = Arc::new(database.open(&control.clock)?);
    let report = RunReport::default();
    let mut steps = Steps { queue: &queue, control, runtime, report };
    let outcome = steps.all(plan);
    let mut report = steps.report;
    let closed = queue.close();
    outcome?;
    closed?;
    let elapsed = control.clock.now().since(started);
    report.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Writes something small under the lock: removing a clone, repairing the database.
pub fn write<T>(
    database: &Database,
    clock: &Arc<dyn Clock>,
    work: impl FnOnce(&WriteQueue) -> Result<T>,
) -> Result<T> {
    let queue = database.open(clock)?;
    let outcome = work(&queue);
    let closed = queue.close();
    let value = outcome?;
    closed?;
    Ok(value)
}

struct Steps<'a> {
    queue: &'a Arc<WriteQueue>,
    control: &'a RunControl,
    runtime: &'a tokio::runtime::Handle,
    report: RunReport,
}

impl Steps<'_> {
    fn all(&mut self, plan: Plan) -> Result<()> {
        if let Some(fetch) = plan.fetch {
            let fetched = self.fetch(fetch)?;
            let is_over = fetched.status != RunStatus::Interrupted && !fetched.is_dry_run;
            self.report.fetched = Some(fetched);
            if !is_over {
                return Ok(());
            }
        }
        match plan.commits {
            Some(Clones::All(configured)) => {
                self.report.commits = self.commit_reader().all(&configured)?;
            }
            Some(Clones::One(clone)) => {
                self.report.scanned = Some(self.commit_reader().one(&clone)?);
            }
            None => {}
        }
        self.memory(&plan.memory);
        if let Some(scope) = plan.code {
            self.code(scope)?;
        }
        if let Some(scope) = plan.documents {
            self.report.documents = Some(self.documents(scope)?);
        }
        if let Some(plan) = plan.embedding {
            self.embed(plan)?;
        }
        Ok(())
    }

    fn fetch(&self, fetch: Fetch) -> Result<SyncReport> {
        let RunControl { clock, progress, cancel } = self.control.clone();
        let queue = Arc::clone(self.queue);
        let client = Arc::new(fetch.client);
        self.runtime.block_on(sync::run_on(queue, client, fetch.options, clock, progress, cancel))
    }

    fn commit_reader(&self) -> CommitReader<'_> {
        CommitReader {
            queue: self.queue,
            clock: &*self.control.clock,
            progress: &*self.control.progress,
            cancel: &self.control.cancel,
        }
    }

    /// What is broken in memory files is told by those who show them.
    fn memory(&mut self, clones: &[PathBuf]) {
        let roots: Vec<_> =
            clones.iter().filter_map(|dir| crate::memory::root_around(dir)).collect();
        if roots.iter().any(|root| root.dir.is_dir()) {
            let now = self.control.clock.now();
            if let Err(error) = crate::memory::refresh_on(self.queue, &roots, now) {
                self.report.warnings.push(format!("memory files were not read: {error}"));
            }
        }
    }

    fn code(&mut self, scope: CodeScope) -> Result<()> {
        match scope {
            CodeScope::One { dir, request } => {
                let report = self.index(&dir, &request)?;
                self.report.code.push(report);
            }
            CodeScope::Chain { dir, request, commits } => {
                let RunControl { clock, progress, cancel } = self.control;
                let watch = Watch { progress: &**progress, is_stopped: &|| cancel.is_cancelled() };
                let (repo, queue) = (Repo::open(&dir)?, self.queue);
                let reports =
                    code::index::index_chain(&repo, queue, &commits, &request, &**clock, &watch)?;
                self.report.code.extend(reports);
            }
            CodeScope::Tolerant { dir, request } => {
                self.index_or_warn(&dir, &request, "the code was not indexed")?;
            }
            CodeScope::Registered { n_threads } => {
                let places = repos::places(&self.queue.reader()?)?;
                for place in places {
                    let request =
                        Request { url: None, rev: None, work_tree: false, full: false, n_threads };
                    let failure = format!("{} was not indexed", place.dir);
                    self.index_or_warn(Path::new(&place.dir), &request, &failure)?;
                }
            }
        }
        Ok(())
    }

    /// A repository without a commit has history and memory still.
    fn index_or_warn(&mut self, dir: &Path, request: &Request, failure: &str) -> Result<()> {
        match self.index(dir, request) {
            Ok(report) => self.report.code.push(report),
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => self.report.warnings.push(format!("{failure}: {error}")),
        }
        Ok(())
    }

    fn index(&self, dir: &Path, request: &Request) -> Result<IndexReport> {
        let RunControl { clock, progress, cancel } = self.control;
        let watch = Watch { progress: &**progress, is_stopped: &|| cancel.is_cancelled() };
        let report = code::index::index(&Repo::open(dir)?, self.queue, request, &**clock, &watch)?;
        if report.is_new && report.work_tree.is_none() {
            // What servers said of files that did not change still holds.
            self.queue.write(|tx| carry(tx, report.snapshot))?;
        }
        Ok(report)
    }

    fn documents(&self, scope: DocumentScope) -> Result<DocumentReport> {
        let RunControl { clock, progress, cancel } = self.control;
        let queue = self.queue;
        if let DocumentScope::Project(project) = scope {
            queue.write(|tx| store::dirty::mark_project(tx, project))?;
        }
        Regeneration { queue, clock: &**clock, progress: &**progress, cancel }
            .run(scope == DocumentScope::Full)
    }

    fn embed(&mut self, plan: EmbedPlan) -> Result<()> {
        let EmbedPlan { provider, options, is_optional } = plan;
        let RunControl { clock, progress, cancel } = self.control;
        let queue = self.queue;
        let outcome = provider.and_then(|provider| {
            let Some(provider) = provider else { return Ok(None) };
            let (clock, progress, provider) = (&**clock, &**progress, &*provider);
            Embedding { queue, clock, progress, provider, cancel }.run(options).map(Some)
        });
        match outcome {
            Ok(report) => self.report.embedding = report,
            Err(error) if is_optional && !is_final(&error) => {
                let next = error.suggestion().map(|next| format!(" ({next})")).unwrap_or_default();
                self.report.warnings.push(format!("embedding failed: {error}{next}"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Failures that end a run wherever they happen: somebody stopped it, or another
/// run took over the lock.
fn is_final(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::Interrupted | ErrorCode::Locked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Timestamp;
    use model::time::FixedClock;

    /// Between the lock of the operating system and the row of its holder, at both ends of a
    /// run, there is a moment in which nobody says who has the lock.
    #[test]
    fn a_lock_that_nobody_signs_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database {
            path: folder.path().join("lore.db"),
            owner: "second".to_owned(),
            force: false,
        };
        let clock: Arc<dyn Clock> = Arc::new(FixedClock(Timestamp::from_millis(0)));
        database.open(&clock).unwrap().close().unwrap();
        let file =
            std::fs::File::options().write(true).open(folder.path().join("lore.db.lock")).unwrap();
        file.lock().unwrap();
        let release = std::thread::spawn(move || {
            std::thread::sleep(LOOK_AGAIN * 3);
            drop(file);
        });
        database.open(&clock).unwrap().close().unwrap();
        release.join().unwrap();
    }
}
