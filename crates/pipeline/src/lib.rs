//! Keeps the record current: forge → commits → code → documents → embeddings.
//!
//! The order of the steps, the one lock that is held over all of them, and which
//! failures are tolerated are decided here and nowhere else. Whoever wants a run
//! describes it as a [`Plan`] and gets a [`RunReport`]; rendering it is theirs.
//!
//! [`memory`] follows memory files that people wrote by hand, [`notes`] keeps what
//! an answer leaves behind (access counts, last-seen marks), both without a lock and
//! briefly. [`traces`] stores what production showed, beside a run and under a lock of
//! its own (`Lane::Traces`).

mod carried_evidence;
pub mod commits;
mod embed_slices;
pub mod enrich;
pub mod maintenance;
pub mod memory;
pub mod notes;
pub mod places;
mod plan;
mod run;
pub mod schedule;
pub mod standing;
pub mod traces;

pub use embed_slices::embed_records;
pub use enrich::{EnrichPlan, EnrichReport, enrich};
pub use plan::{CloneSpec, Clones, CodeScope, DocumentScope, EmbedPlan, Fetch, Plan};
pub use run::{Database, RunControl, RunReport, run, write};

/// Texts that a run which does more than embedding embeds before it leaves the
/// rest to `lore embed`: what changes in a day or two is done at once, and a first
/// run does not keep anybody waiting.
pub const EMBED_SHARE: usize = 512;
