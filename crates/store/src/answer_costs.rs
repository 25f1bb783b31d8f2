//! What answers to agents cost them: a row a day, door and command.

use crate::handle::{Read, Tx};
use crate::sql;
use model::{Result, Timestamp, vocabulary};
use std::time::Duration;

vocabulary! {
    /// The way an answer went.
    pub enum Door {
        Cli = "cli",
        Mcp = "mcp",
    }
}

/// Answers of one command on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerCost {
    /// `2024-01-31`, in UTC.
    pub day: String,
    pub door: Door,
    pub command: String,
    pub answers: u64,
    pub tokens: u64,
}

/// Days that are kept.
const KEPT: Duration = Duration::from_secs(400 * 86_400);

/// Adds one answer, and forgets what is older than a year.
pub fn add(tx: &Tx<'_>, door: Door, command: &str, tokens: u64, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO answer_costs (day, door, command, answers, tokens) VALUES (?1, ?2, ?3, 1, ?4)
         ON CONFLICT (day, door, command) DO UPDATE
         SET answers = answers + 1, tokens = tokens + excluded.tokens",
        (now.to_date(), door.as_str(), command, i64::try_from(tokens).unwrap_or(i64::MAX)),
    )?;
    sql::run(tx, "DELETE FROM answer_costs WHERE day < ?1", [now.minus(KEPT).to_date()])?;
    Ok(())
}

/// All rows from a day on, newest first.
pub fn since(on: &impl Read, day: &str) -> Result<Vec<AnswerCost>> {
    sql::all(
        on,
        "SELECT day, door, command, answers, tokens FROM answer_costs WHERE day >= ?1
         ORDER BY day DESC, command, door",
        [day],
        |row| {
            let door: String = row.get("door")?;
            Ok(AnswerCost {
                day: row.get("day")?,
                door: Door::parse(&door).ok_or(rusqlite::Error::InvalidQuery)?,
                command: row.get("command")?,
                answers: row.get("answers")?,
                tokens: row.get("tokens")?,
            })
        },
    )
}
