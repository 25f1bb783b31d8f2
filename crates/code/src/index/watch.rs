//! Who looks on while a repository is indexed.

use model::{Error, ErrorCode, Progress, Result, progress::NoProgress};

/// Told how far the work is, and asked whether it shall go on.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    pub progress: &'a dyn Progress,
    /// Asked between two files and between two transactions: what ends there
    /// leaves the snapshots that were.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl Watch<'_> {
    /// Someone who waits to the end and wants to hear nothing.
    pub const NOBODY: Watch<'static> = Watch { progress: &NoProgress, is_stopped: &|| false };

    pub(super) fn go_on(&self) -> Result<()> {
        if !(self.is_stopped)() {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Interrupted, "indexing was stopped before its end")
            .suggest("run it again: lore index"))
    }
}
