//! What every command may ask for: flags, surroundings, configuration.

use crate::args::Globals;
use crate::config::Config;
use crate::env::Env;
use crate::ui::Ui;
use model::{CancelToken, Clock, Result, Timestamp};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Ctx {
    pub env: Env,
    pub globals: Globals,
    config: OnceCell<Config>,
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

    /// The database file; it need not exist yet.
    pub fn db_path(&self, ui: &mut Ui) -> Result<PathBuf> {
        self.config(ui)?.db_path().map(Path::to_path_buf)
    }

    /// Writes rows that an answer leaves behind after it is shown: nobody waits
    /// for them, and the answer stands if they cannot be written.
    pub fn write_later(
        &self,
        database: &Path,
        work: impl FnOnce(&store::Tx<'_>) -> Result<()> + 'static,
    ) {
        let database = database.to_owned();
        let work = move || pipeline::notes::try_write(&database, work);
        self.deferred.borrow_mut().push(Box::new(work));
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
