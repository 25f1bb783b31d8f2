//! What a run is to do.

use code::index::Request;
use forge::Client;
use forge::sync::SyncOptions;
use model::Result;
use model::ids::ProjectId;
use search::embedding::{EmbedOptions, Provider};
use std::path::PathBuf;

/// The steps of a run; those that are absent are left out. They are done in the
/// order of the fields.
#[derive(Default)]
pub struct Plan {
    pub fetch: Option<Fetch>,
    pub commits: Option<Clones>,
    /// The memory of these clones is indexed.
    pub memory: Vec<PathBuf>,
    pub code: Option<CodeScope>,
    pub documents: Option<DocumentScope>,
    pub embedding: Option<EmbedPlan>,
}

impl Plan {
    /// Whether embedding is all there is to do.
    pub(crate) fn is_embedding_alone(&self) -> bool {
        self.fetch.is_none()
            && self.commits.is_none()
            && self.memory.is_empty()
            && self.code.is_none()
            && self.documents.is_none()
            && self.embedding.is_some()
    }
}

/// What is fetched, and from where.
pub struct Fetch {
    pub client: Client,
    pub options: SyncOptions,
}

/// Whose commits are read.
pub enum Clones {
    /// Every clone that is registered or among these; nothing where there are none.
    All(Vec<CloneSpec>),
    /// One, which is registered first.
    One(code::history::CloneLocation),
}

/// A clone by its path, and the address that names it, if that was said.
#[derive(Debug, Clone)]
pub struct CloneSpec {
    pub path: PathBuf,
    pub url: Option<String>,
}

/// Which code is indexed.
pub enum CodeScope {
    /// What is checked out in every registered clone. One that cannot be indexed
    /// keeps none of the others from it.
    Registered { n_threads: usize },
    /// One repository; a failure is that of the run.
    One { dir: PathBuf, request: Request },
    /// Many commits of one repository, parents first.
    Chain { dir: PathBuf, request: Request, commits: Vec<git::ObjectId> },
    /// One repository among other work: a failure is a warning.
    Tolerant { dir: PathBuf, request: Request },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentScope {
    /// Of what changed.
    Due,
    /// All of them, whatever is known.
    Full,
    /// Everything of one project of a forge.
    Project(ProjectId),
}

/// Who makes embeddings; the failure to find somebody counts as one of the step.
pub struct EmbedPlan {
    pub provider: Result<Option<Box<dyn Provider>>>,
    pub options: EmbedOptions,
    /// A failure is a warning: what was done before is worth having without.
    pub is_optional: bool,
}
