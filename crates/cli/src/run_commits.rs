//! Reading the commits of registered clones under the application lock: shared
//! by `lore sync` and `lore repo add`.

use crate::config::Config;
use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use code::history::{self, CommitScan, ScanReport};
use model::{Clock, Error, ErrorCode, Progress, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::lock::AppLock;
use store::{Reader, Writer, repos};

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

/// A clone by its path, and the address that names it, if that was said.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub path: PathBuf,
    pub url: Option<String>,
}

/// The clones the config names.
fn configured(config: &Config) -> Vec<Wanted> {
    config
        .repos()
        .iter()
        .filter_map(|repo| Some(Wanted { path: repo.path.clone()?, url: repo.url.clone() }))
        .collect()
}

/// Reads every clone that is registered or in the config; none when there are
/// no such clones.
pub fn run(ctx: &Ctx, ui: &mut Ui, command: &str) -> Result<Option<CommitsReport>> {
    let wanted = configured(ctx.config(ui)?);
    let path = ctx.db_path(ui)?;
    if wanted.is_empty() && repos::places(&Reader::open(&path)?)?.is_empty() {
        return Ok(None);
    }
    with_writer(ctx, ui, command, move |desk| desk.all(&wanted)).map(Some)
}

/// Enters one clone and reads it.
pub fn add(ctx: &Ctx, ui: &mut Ui, wanted: &Wanted) -> Result<ScanReport> {
    // Looked at first: what is no clone must not make a database.
    let clone = history::find_clone(&wanted.path, wanted.url.as_deref())?;
    with_writer(ctx, ui, "repo add", move |desk| desk.add(&clone))
}

/// Forgets a clone.
pub fn remove(ctx: &Ctx, ui: &mut Ui, place: repos::Place) -> Result<()> {
    with_writer(ctx, ui, "repo remove", move |desk| {
        let now = desk.clock.now();
        desk.writer.write(|tx| repos::remove_place(tx, place.id, now))?;
        store::code::adjacency::sweep(desk.writer)
    })
}

/// Whoever writes: the writer, the lock, and whom to tell.
struct Desk<'a> {
    writer: &'a mut Writer,
    lock: &'a AppLock,
    clock: &'a dyn Clock,
    progress: &'a dyn Progress,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Desk<'_> {
    fn all(&mut self, wanted: &[Wanted]) -> Result<CommitsReport> {
        let mut report = CommitsReport::default();
        for wanted in wanted {
            if let Err(error) = self.enter(wanted) {
                report.add_problem(&wanted.path, error)?;
            }
        }
        self.writer.write(repos::match_projects)?;
        for place in repos::places(self.writer)? {
            match self.scan(&place) {
                Ok(scanned) => report.repos.push(scanned),
                Err(error) => report.add_problem(Path::new(&place.dir), error)?,
            }
        }
        Ok(report)
    }

    fn add(&mut self, clone: &history::Clone) -> Result<ScanReport> {
        let now = self.clock.now();
        let id = self.writer.write(|tx| history::register(tx, clone, now))?;
        let place = repos::places(self.writer)?.into_iter().find(|place| place.id == id);
        self.scan(&place.ok_or_else(|| Error::internal("the clone just entered is not there"))?)
    }

    fn enter(&mut self, wanted: &Wanted) -> Result<()> {
        let clone = history::find_clone(&wanted.path, wanted.url.as_deref())?;
        let now = self.clock.now();
        self.writer.write(|tx| history::register(tx, &clone, now)).map(drop)
    }

    fn scan(&mut self, place: &repos::Place) -> Result<ScanReport> {
        CommitScan {
            writer: self.writer,
            lock: self.lock,
            clock: self.clock,
            progress: self.progress,
            is_stopped: self.is_stopped,
        }
        .scan(place)
    }
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

fn with_writer<T: Send + 'static>(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    work: impl FnOnce(&mut Desk<'_>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let path = ctx.writable_db(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let progress = ui.progress();
    let told = Arc::clone(&progress);
    block_on_stoppable(
        ctx.stop(),
        |stop| async move {
            let work = tokio::task::spawn_blocking(move || {
                let mut writer = Writer::open(&path)?;
                let lock = AppLock::acquire(&mut writer, &path, &owner, &*clock, false)?;
                let outcome = work(&mut Desk {
                    writer: &mut writer,
                    lock: &lock,
                    clock: &*clock,
                    progress: &*progress,
                    is_stopped: &|| stop.is_set(),
                });
                lock.release(&mut writer)?;
                outcome
            });
            work.await
                .map_err(|error| Error::internal("reading commits ended early").caused_by(error))?
        },
        || told.note("stopping after the transaction in hand"),
    )
}
