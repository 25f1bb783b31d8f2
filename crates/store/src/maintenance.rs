//! Housekeeping of the file: planner statistics, free pages, a sample of its pages.

use crate::error::db;
use crate::handle::{Read, Writer};
use crate::sql;
use model::{Error, ErrorCode, Result};

/// Free pages given back in one go.
const FREE_PAGES: u32 = 2_000;

/// Refreshes planner statistics and gives free pages back, where the file allows.
pub fn optimize(writer: &mut Writer) -> Result<()> {
    let connection = &writer.connection;
    connection.execute_batch("PRAGMA optimize").map_err(db)?;
    connection.execute_batch(&format!("PRAGMA incremental_vacuum({FREE_PAGES})")).map_err(db)
}

/// Checks the pages of one table, another one with every `turn`; its name. The
/// whole file would take minutes, and the turns reach all of it.
pub fn check_sample(on: &impl Read, turn: u64) -> Result<String> {
    let sql = "SELECT name FROM sqlite_schema
               WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let tables = sql::all(on, sql, [], |row| row.get::<_, String>(0))?;
    let Some(table) = tables.get((turn % tables.len().max(1) as u64) as usize) else {
        return Ok(String::new());
    };
    let quoted = table.replace('\'', "''");
    let found = sql::all(on, &format!("PRAGMA quick_check('{quoted}')"), [], |row| {
        row.get::<_, String>(0)
    })?;
    match found.first() {
        Some(first) if first != "ok" => Err(Error::new(
            ErrorCode::Integrity,
            format!("table `{table}` is damaged: {}", model::text::one_line(first, 200)),
        )
        .suggest("lore stats --check shows more; restore a backup, or sync and index anew")),
        _ => Ok(table.clone()),
    }
}
