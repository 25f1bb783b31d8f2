//! The sync engine against the simulated GitLab: whatever happens on the way,
//! the database ends up holding what the forge holds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod changes;
mod eras;
mod faults;
mod harness;
mod hostile;
mod random;
mod relations;
mod requests;
mod runs;
mod truth;
