//! How long work tells of itself. `cli` draws it, the daemon logs it, tests
//! ignore it; the work itself does not know which.

use std::time::Duration;

/// Told of steps as they happen. Calls may come from several threads.
pub trait Progress: Send + Sync {
    /// A named phase begins; `total` when it is known beforehand.
    fn phase(&self, name: &str, total: Option<u64>);
    /// `n` more units of the current phase are done.
    fn advance(&self, n: u64);
    /// More units were found while the phase runs.
    fn grow(&self, n: u64);
    /// Work pauses for a reason outside lore, such as a rate limit.
    fn waiting(&self, reason: &str, wait: Duration);
    /// Something a person should know, without stopping the work.
    fn note(&self, message: &str);
    /// The current phase is over.
    fn finish(&self);
}

/// Says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn phase(&self, _name: &str, _total: Option<u64>) {}
    fn advance(&self, _n: u64) {}
    fn grow(&self, _n: u64) {}
    fn waiting(&self, _reason: &str, _wait: Duration) {}
    fn note(&self, _message: &str) {}
    fn finish(&self) {}
}
