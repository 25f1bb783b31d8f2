//! What every command may ask for: flags, surroundings, configuration.

use crate::args::Globals;
use crate::config::{Config, repo_trust};
use crate::env::Env;
use crate::ui::Ui;
use model::{CancelToken, Clock, Result, Timestamp};
use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use store::DatabaseFile;
use store::answer_costs::Door;

pub struct Ctx {
    pub env: Env,
    pub globals: Globals,
    config: OnceCell<Config>,
    is_upgraded: OnceCell<()>,
    stop: CancelToken,
    deferred: RefCell<Vec<Deferred>>,
}

/// Rows to be written once the answer is out.
type Deferred = Box<dyn FnOnce() -> Result<()>>;

impl Ctx {
    pub fn new(env: Env, globals: Globals) -> Self {
        Ctx {
            env,
            globals,
            config: OnceCell::new(),
            is_upgraded: OnceCell::new(),
            stop: CancelToken::default(),
            deferred: RefCell::default(),
        }
    }

    /// For work that somebody else may want to stop.
    pub fn stopped_by(self, stop: CancelToken) -> Self {
        Ctx { stop, ..self }
    }

    /// Asks long work to end at a good place.
    pub fn stop(&self) -> CancelToken {
        self.stop.clone()
    }

    /// The settings in force. Read on first use, so that `lore --version` and
    /// its like work whatever the file holds; says once what was ignored.
    pub fn config(&self, ui: &mut Ui) -> Result<&Config> {
        if let Some(config) = self.config.get() {
            return Ok(config);
        }
        let config = Config::load(&self.env, &self.globals)?;
        for warning in config.warnings() {
            ui.warn(warning);
        }
        if let Some(file) = config.file() {
            ui.detail(&format!("config: {}", file.path.display()));
        }
        Ok(self.config.get_or_init(|| config))
    }

    /// The database file, to read from; it need not exist yet. One that an older
    /// lore wrote is upgraded, unless it came with a clone: whose settings name
    /// it, chose it.
    pub fn db_path(&self, ui: &mut Ui) -> Result<DatabaseFile> {
        let file = repo_trust::database(&self.env, self.config(ui)?)?;
        if !file.is_foreign() && self.is_upgraded.get().is_none() {
            store::upgrade(file.path())?;
            let _ = self.is_upgraded.set(());
        }
        Ok(file)
    }

    /// The same for those who write: one that came with a clone is refused,
    /// one that lore is about to make in a repository is pinned as its own.
    pub fn writable_db(&self, ui: &mut Ui) -> Result<PathBuf> {
        let file = self.db_path(ui)?;
        if let Some(refusal) = file.refusal() {
            return Err(refusal);
        }
        repo_trust::pin_new_database(&self.env, self.config(ui)?, file.path())?;
        Ok(file.path().to_path_buf())
    }

    /// Writes rows that an answer leaves behind after it is shown: nobody waits
    /// for them, and the answer stands if they cannot be written.
    pub fn write_later(
        &self,
        database: &DatabaseFile,
        work: impl FnOnce(&store::Tx<'_>) -> Result<()> + 'static,
    ) {
        // One that came with a clone is never written to.
        if database.is_foreign() {
            return;
        }
        let database = database.path().to_owned();
        let work = move || pipeline::notes::try_write(&database, work);
        self.deferred.borrow_mut().push(Box::new(work));
    }

    /// Keeps results that an answer derives, after it is shown.
    pub fn keep_results(&self, database: &DatabaseFile, reader: &store::Reader) {
        if database.is_foreign() {
            return;
        }
        let (path, now) = (database.path().to_owned(), self.now());
        let results = Arc::clone(reader.results());
        self.deferred.borrow_mut().push(Box::new(move || {
            if !results.has_unwritten(now) {
                return Ok(());
            }
            pipeline::notes::try_write(&path, |tx| results.flush(tx, "cli", now))
        }));
    }

    /// Counts what an answer in the agent form cost, for `lore gain`. Commands that use
    /// no database are not worth one.
    pub fn note_cost(&self, ui: &mut Ui) {
        let Some((command, tokens)) = ui.take_cost() else { return };
        if self.config.get().is_none() {
            return;
        }
        let Ok(database) = self.db_path(ui) else { return };
        if !database.path().exists() {
            return;
        }
        let now = self.now();
        self.write_later(&database, move |tx| {
            store::answer_costs::add(tx, Door::Cli, command, tokens, now)
        });
    }

    /// Does what was put off until the answer was out.
    pub fn finish(&self, ui: &mut Ui) {
        for write in self.deferred.take() {
            if let Err(error) = write() {
                ui.detail(&format!("the access was not recorded: {error}"));
            }
        }
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        self.env.clock()
    }

    pub fn now(&self) -> Timestamp {
        self.env.now()
    }
}
