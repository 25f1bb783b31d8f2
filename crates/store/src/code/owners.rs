//! Rules of `CODEOWNERS` files, by the content of the file.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::RepoId;

pub use model::codeowners::Rule as OwnerRule;

/// Keeps the rules of a file, once.
pub fn keep(tx: &Tx<'_>, repo: RepoId, blob: &[u8], rules: &[OwnerRule]) -> Result<()> {
    for rule in rules {
        sql::run(
            tx,
            "INSERT OR IGNORE INTO owners (repo_id, blob, line, pattern, owner, section)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (repo.0, blob, rule.line, &rule.pattern, &rule.owner, &rule.section),
        )?;
    }
    Ok(())
}

/// The rules of a file, in its order.
pub fn rules(on: &impl Read, repo: RepoId, blob: &[u8]) -> Result<Vec<OwnerRule>> {
    sql::all(
        on,
        "SELECT line, pattern, owner, section FROM owners
         WHERE repo_id = ?1 AND blob = ?2 ORDER BY line, owner",
        (repo.0, blob),
        |row| {
            Ok(OwnerRule {
                line: row.get(0)?,
                pattern: row.get(1)?,
                owner: row.get(2)?,
                section: row.get(3)?,
            })
        },
    )
}
