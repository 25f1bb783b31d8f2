//! Housekeeping the daemon does while nobody waits.

use crate::run::{Database, write};
use model::{Clock, Result};
use std::sync::Arc;
use std::time::Duration;
use store::{Writer, maintenance};

/// Another table is sampled every hour.
const TURN: Duration = Duration::from_hours(1);

/// Refreshes statistics and checks a sample of the pages under the lock, so that no
/// run is in the way; the table sampled.
pub fn run(database: &Database, clock: &Arc<dyn Clock>) -> Result<String> {
    let turn = clock.now().as_millis() as u64 / TURN.as_millis() as u64;
    write(database, clock, |queue| {
        maintenance::optimize(&mut Writer::open(&database.path)?)?;
        maintenance::check_sample(&queue.reader()?, turn)
    })
}
