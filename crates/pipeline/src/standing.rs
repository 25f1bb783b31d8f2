//! Standing queries: which are due, and keeping what they answered.

use crate::notes;
use model::{Error, Result, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;
use store::standing::{self, Cadence, StandingQuery, StandingResult};
use store::{Read, Reader};

/// A day by the clock, less what a run may be late.
const DAY: Duration = Duration::from_secs(24 * 3600 - 60);
const HOUR: Duration = Duration::from_secs(3600 - 10);

/// Of which state of the record each query that follows it was last asked.
#[derive(Debug, Default)]
pub struct AskedStates(HashMap<i64, String>);

impl AskedStates {
    /// Queries to be asked now; they count as asked of the record as it is. One that
    /// follows the record is due when that has something new, whoever wrote in between.
    pub fn due(&mut self, reader: &Reader, now: Timestamp) -> Result<Vec<StandingQuery>> {
        let state = format!("{}{}", roots(reader)?, standing::record_stamp(reader)?);
        let mut due = standing::all(reader)?;
        due.retain(|query| {
            let waited = query.asked_at.map(|at| now.since(at));
            match query.cadence {
                Cadence::OnSnapshot => self.0.get(&query.id) != Some(&state),
                Cadence::Hourly => waited.is_none_or(|waited| waited >= HOUR),
                Cadence::Daily => waited.is_none_or(|waited| waited >= DAY),
            }
        });
        for query in due.iter().filter(|query| query.cadence == Cadence::OnSnapshot) {
            self.0.insert(query.id, state.clone());
        }
        Ok(due)
    }
}

/// What a query is answered from, as JSON: the newest snapshot of each repository.
pub fn roots(on: &impl Read) -> Result<String> {
    let roots: BTreeMap<String, String> = standing::roots(on)?.into_iter().collect();
    serde_json::to_string(&roots)
        .map_err(|error| Error::internal("snapshot roots as JSON").caused_by(error))
}

/// Keeps an answer with the roots it was given from; whether it is a new one.
pub fn keep(
    database: &Path,
    query: i64,
    answer: &str,
    is_error: bool,
    now: Timestamp,
) -> Result<bool> {
    let roots = roots(&Reader::open(database)?)?;
    let result = StandingResult { asked_at: now, roots, is_error, answer: answer.to_owned() };
    notes::write(database, |tx| standing::keep_result(tx, query, &result))
}
