//! What lore needs from a forge, and nothing more.
//!
//! Everything here speaks in `model::record` types; no method returns a
//! server's own JSON except as opaque bytes to keep.

use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, DependentSet, ListedEntity, ProjectRecord, UserRecord};
use model::reference::EntityReference;
use model::relation::{RelationType, SystemAction};
use model::{EntityKind, Error, ErrorCode, Timestamp};
use std::fmt;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;

pub type Result<T> = std::result::Result<T, Failure>;

/// A forge as the sync engine sees it. Implementations retry what is worth
/// retrying and keep to the rate budget; an error that comes out is final for
/// this attempt.
pub trait Forge: Send + Sync + 'static {
    /// Who the credentials belong to, and what runs there.
    fn identity(&self) -> impl Future<Output = Result<Identity>> + Send;

    fn project(
        &self,
        which: ProjectLocator,
    ) -> impl Future<Output = Result<ForgeAnswer<ProjectRecord>>> + Send;

    /// One page of a project's entities in ascending order of `updated_at`.
    fn entities(
        &self,
        project: ForgeId,
        kind: EntityKind,
        from: ListFrom,
    ) -> impl Future<Output = Result<EntityPage>> + Send;

    /// One entity by its number; the answer to "is it really gone?".
    fn entity(
        &self,
        project: ForgeId,
        kind: EntityKind,
        iid: Iid,
    ) -> impl Future<Output = Result<ListedEntity>> + Send;

    /// The complete current set of one dependent. Never a part: when a page of
    /// it cannot be had, the whole call fails.
    fn dependents(
        &self,
        project: ForgeId,
        kind: EntityKind,
        iid: Iid,
        what: DependentKind,
    ) -> impl Future<Output = Result<ForgeAnswer<DependentSet>>> + Send;
}

/// A note written by the forge itself, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemNote {
    pub action: SystemAction,
    pub links: Vec<NoteLink>,
}

/// A relation that a system note speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteLink {
    pub other: EntityReference,
    pub relation: RelationType,
    /// The other is the source and the note's own entity the target.
    pub is_incoming: bool,
    /// The note says that the relation was taken back.
    pub is_removed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub user: UserRecord,
    /// Such as `18.2.1-ee`; none when the server does not tell.
    pub server_version: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectLocator {
    /// `group/project`, as people write it.
    Path(String),
    /// Survives renames; preferred once known.
    Id(ForgeId),
}

/// Where a listing starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListFrom {
    /// Inclusive; none lists from the beginning.
    pub updated_after: Option<Timestamp>,
    /// 1-based. The engine only goes past 1 inside a block of equal stamps.
    pub page: u32,
}

#[derive(Debug, Clone)]
pub struct EntityPage {
    pub items: Vec<ListedEntity>,
    /// Items the forge sent that could not be understood, one line each.
    pub unreadable: Vec<String>,
    /// Whether the forge says (or cannot rule out) that more follow.
    pub has_more: bool,
    /// The server's clock when it answered, from the `Date` header.
    pub server_time: Option<Timestamp>,
    pub reservation: Reservation,
}

/// An answer with the bytes it was read from.
#[derive(Debug, Clone)]
pub struct ForgeAnswer<T> {
    pub value: T,
    /// JSON as received; for a paged set, one array of all items.
    pub raw: Vec<u8>,
    pub server_time: Option<Timestamp>,
    pub reservation: Reservation,
}

/// The right to hold a large answer in memory. Only a few are given out at a
/// time, so that large answers of many requests do not add up; an answer keeps
/// its own until it is stored. Small answers need none.
#[derive(Debug, Clone, Default)]
pub struct Reservation(Option<Arc<OwnedSemaphorePermit>>);

impl Reservation {
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

impl From<OwnedSemaphorePermit> for Reservation {
    fn from(permit: OwnedSemaphorePermit) -> Self {
        Reservation(Some(Arc::new(permit)))
    }
}

/// The one note of lore's own on a merge request, as it shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnNote {
    /// By which it is found again; part of `body`.
    pub mark: String,
    pub body: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteOutcome {
    Created(ForgeId),
    Updated(ForgeId),
    /// It said all that already; nothing was sent.
    Unchanged(ForgeId),
}

/// Why a call failed, as far as the engine must act on it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// 404 or 410: deleted, hidden, or never there.
    Gone,
    /// 403: the thing exists but this feature or object is closed to us.
    Forbidden,
    /// The credentials are wrong or too weak; nothing else will work either.
    Unauthorized,
    /// Gave up after waiting for rate budget.
    RateLimited,
    /// Could not reach the server, or it kept failing.
    Unreachable,
    /// An answer came that cannot be understood.
    Unreadable,
}

/// A failed call: what kind, and the error to show.
#[derive(Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub error: Error,
}

impl Failure {
    /// The code shown to people follows from the kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        let code = match kind {
            FailureKind::Gone => ErrorCode::ForgeNotFound,
            FailureKind::Forbidden | FailureKind::Unauthorized => ErrorCode::ForgeAuthFailed,
            FailureKind::RateLimited => ErrorCode::ForgeRateLimited,
            FailureKind::Unreachable => ErrorCode::NetworkError,
            FailureKind::Unreadable => ErrorCode::TransformError,
        };
        Failure { kind, error: Error::new(code, message) }
    }

    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.error = self.error.suggest(suggestion);
        self
    }

    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.error = self.error.context(context);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}
