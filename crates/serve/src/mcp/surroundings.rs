//! What a server must be told by the program around it: paths, settings, the
//! clock, and how long work is done.

use insight::code::overlay::{TextFile, TextSymbol};
use insight::memory::recall::MemoryContext;
use memory::Root;
use model::{CancelToken, Progress, Result, Timestamp};
use search::embedding::Provider;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use store::{DatabaseFile, Reader};

/// Work that writes and may take minutes, or that reads code of strangers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// From the forge into the database, then everything derived from it.
    Sync,
    /// The repository around a folder: its commits, its code, the texts.
    Index,
    /// A question about code that no index holds, as the words of a command.
    Question(Vec<String>),
}

/// Memory, its index as level with the files as it could be made.
pub struct Memory {
    pub reader: Reader,
    pub database: DatabaseFile,
    pub standpoint: MemoryContext,
    /// What is broken in the files.
    pub warnings: Vec<String>,
}

/// Everything is asked for a folder: settings are found upward from it.
pub trait McpHost: Send + Sync + 'static {
    fn now(&self) -> Timestamp;

    fn version(&self) -> String;

    /// The database file; it need not exist yet.
    fn database(&self, dir: &Path) -> Result<DatabaseFile>;

    /// Who makes vectors; none when nobody does.
    fn provider(&self, dir: &Path) -> Result<Option<Box<dyn Provider>>>;

    /// Which steps can be suggested at all.
    fn possible(&self, dir: &Path) -> insight::status::ConfiguredSources;

    fn memory(&self, dir: &Path) -> Result<Memory>;

    /// Brings the index of memory level with its files, for answers that draw
    /// from everything; they do not fail for it.
    fn catch_up(&self, dir: &Path);

    /// Where records are kept: the repository's memory, or the user's own.
    fn memory_root(&self, dir: &Path, personal: bool) -> Result<Root>;

    /// Brings the index level with a root that was written to; what went wrong.
    fn index_memory(&self, dir: &Path, root: &Root) -> Vec<String>;

    /// Who is at work.
    fn author(&self, dir: &Path) -> Option<String>;

    /// What each of some edited files defines, found out in another process; none where
    /// nobody could say.
    fn outlines(&self, files: &[TextFile]) -> Vec<Option<Vec<TextSymbol>>>;

    /// Does a job to its end; its report as `--json` prints it, and warnings.
    fn run(
        &self,
        job: Job,
        dir: &Path,
        progress: Arc<dyn Progress>,
        stop: CancelToken,
    ) -> Result<(Value, Vec<String>)>;
}
