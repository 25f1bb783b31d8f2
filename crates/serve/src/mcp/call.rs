//! One call: what a tool may ask for while it works, and the brake that stops
//! it when nobody waits for the answer any more.

use super::Options;
use super::answer::Format;
use super::place::{self, Access};
use super::session_use::SessionUse;
use super::surroundings::McpHost;
use super::tree_states::TreeStates;
use insight::file_target::FileQuery;
use model::time::parse_when;
use model::{CancelToken, Error, ErrorCode, Progress, Result, Timestamp};
use search::Searcher;
use search::embedding::Provider;
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use store::{Interrupter, PooledReader, Reader, ReaderPool};

/// Stops work from outside: statements of the database, and long jobs.
#[derive(Clone, Default)]
pub struct CancelHandle {
    stop: CancelToken,
    readers: Arc<Mutex<Vec<Interrupter>>>,
}

impl CancelHandle {
    pub fn pull(&self) {
        self.stop.cancel();
        if let Ok(readers) = self.readers.lock() {
            readers.iter().for_each(Interrupter::interrupt);
        }
    }

    pub fn stop(&self) -> CancelToken {
        self.stop.clone()
    }

    fn watch(&self, reader: &Reader) {
        if let Ok(mut readers) = self.readers.lock() {
            readers.push(reader.interrupter());
        }
        // Pulled between the two lines above: the statement must still stop.
        if self.stop.is_cancelled() {
            self.pull();
        }
    }

    /// Lets go of the connections of a call that is over: they may work for
    /// another one soon. False when they were stopped.
    fn let_go(&self) -> bool {
        let Ok(mut readers) = self.readers.lock() else { return false };
        readers.clear();
        !self.stop.is_cancelled()
    }
}

/// Lives on the thread that does the work.
pub struct Call {
    pub around: Arc<dyn McpHost>,
    /// Where the client works.
    pub dir: PathBuf,
    pub now: Timestamp,
    pub progress: Arc<dyn Progress>,
    pub brake: CancelHandle,
    readers: Arc<ReaderPool>,
    reader: OnceCell<PooledReader>,
    provider: Providers,
    warnings: RefCell<Vec<String>>,
    /// What the connection was given and asked about so far.
    pub session: Arc<SessionUse>,
    /// What work trees looked like, as long as nothing happens in them.
    pub trees: Arc<TreeStates>,
    /// What the client may open; none for the user's own.
    access: Option<Access>,
    /// Tokens the answer may have, and how it is written.
    form: Cell<(usize, Format)>,
}

/// Who makes vectors in a folder, opened once and kept.
pub type Providers = Arc<dyn Fn(&Path) -> Result<Option<Arc<dyn Provider>>> + Send + Sync>;

impl Call {
    /// What was typed as a path, as seen from where the client works.
    pub fn typed<'a>(
        &'a self,
        path: &'a str,
        project: Option<&'a str>,
        repo: Option<&'a str>,
    ) -> Result<FileQuery<'a>> {
        if let Some(access) = &self.access {
            access.check_path(&self.dir.join(path))?;
        }
        Ok(FileQuery { path, project, repo, cwd: &self.dir })
    }

    pub fn new(
        around: Arc<dyn McpHost>,
        dir: PathBuf,
        progress: Arc<dyn Progress>,
        brake: CancelHandle,
        readers: Arc<ReaderPool>,
        provider: Providers,
    ) -> Self {
        Call {
            now: around.now(),
            around,
            dir,
            progress,
            brake,
            readers,
            reader: OnceCell::new(),
            provider,
            warnings: RefCell::default(),
            session: Arc::default(),
            trees: Arc::default(),
            access: None,
            form: Cell::new((Options::MAX_TOKENS, Format::default())),
        }
    }

    pub fn set_form(&self, budget: usize, format: Format) {
        self.form.set((budget, format));
    }

    /// Tokens the answer may have.
    pub fn budget(&self) -> usize {
        self.form.get().0
    }

    pub fn format(&self) -> Format {
        self.form.get().1
    }

    /// For a call of this connection.
    pub fn of_session(mut self, session: Arc<SessionUse>) -> Self {
        self.session = session;
        self
    }

    /// With what earlier calls of the server found in work trees.
    pub fn over_trees(mut self, trees: Arc<TreeStates>) -> Self {
        self.trees = trees;
        self
    }

    /// For a client that may not open everything.
    pub fn within(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Refuses folders that are not open to the client.
    pub fn check_dir(&self, dir: &Path) -> Result<()> {
        match &self.access {
            Some(access) if !access.permits(dir) => Err(place::unknown(dir)),
            _ => Ok(()),
        }
    }

    /// A connection of this call's own, as long as it lasts.
    pub fn reader(&self) -> Result<&Reader> {
        if let Some(pooled) = self.reader.get() {
            return Ok(&pooled.reader);
        }
        let pooled = self.readers.checkout(&self.around.database(&self.dir)?)?;
        self.brake.watch(&pooled.reader);
        Ok(&self.reader.get_or_init(|| pooled).reader)
    }

    /// Watches a connection that was opened elsewhere.
    pub fn watch(&self, reader: &Reader) {
        self.brake.watch(reader);
    }

    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// Who makes vectors; without anybody, words alone must do, and it is said.
    pub fn provider(&self) -> Option<Arc<dyn Provider>> {
        match (self.provider)(&self.dir) {
            Ok(provider) => provider,
            Err(error) => {
                self.warn(format!("found by words only: {error}"));
                None
            }
        }
    }

    pub fn searcher<'a>(&'a self, provider: Option<&'a Arc<dyn Provider>>) -> Result<Searcher<'a>> {
        Ok(Searcher {
            reader: self.reader()?,
            provider: provider.map(|provider| &**provider),
            now: self.now,
        })
    }

    /// `2w`, `2024-01-31` or a time in full.
    pub fn when(&self, typed: Option<&str>) -> Result<Option<Timestamp>> {
        typed.map(|typed| parse_when(typed, self.now)).transpose()
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let was_stopped = !self.brake.let_go();
        if let Some(pooled) = self.reader.take()
            && !was_stopped
            && !std::thread::panicking()
        {
            self.readers.checkin(pooled);
        }
    }
}

/// What is said of a call that was given up.
pub fn given_up(why: &str) -> Error {
    Error::new(ErrorCode::Interrupted, why)
}

/// A number within its bounds, or an error that names them.
pub fn within(name: &str, given: Option<u32>, default: u32, most: u32) -> Result<usize> {
    match given.unwrap_or(default) {
        n if (1..=most).contains(&n) => Ok(n as usize),
        n => Err(Error::usage(format!("`{name}` is {n}; it must be 1 to {most}"))
            .suggest(format!("leave it out for {default}"))),
    }
}
