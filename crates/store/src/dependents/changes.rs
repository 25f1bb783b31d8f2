//! What a merge request brings: files, commits, issues it closes.

use super::PriorSet;
use crate::entities::EntityRow;
use crate::handle::Tx;
use crate::sql::{self, ms};
use model::Result;
use model::record::{ClosesRecord, FileChangeRecord, MrCommitRecord};

pub(super) fn replace_files(
    tx: &Tx<'_>,
    owner: EntityRow,
    set: &[FileChangeRecord],
    stored: PriorSet,
) -> Result<()> {
    if stored == PriorSet::Perhaps {
        sql::run(tx, "DELETE FROM mr_file_changes WHERE merge_request_id = ?1", [owner.id])?;
    }
    for (position, change) in set.iter().enumerate() {
        sql::run(
            tx,
            "INSERT INTO mr_file_changes (merge_request_id, position, old_path, new_path, kind)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (owner.id, position as i64, &change.old_path, &change.new_path, change.kind.as_str()),
        )?;
    }
    Ok(())
}

pub(super) fn replace_commits(
    tx: &Tx<'_>,
    owner: EntityRow,
    set: &[MrCommitRecord],
    stored: PriorSet,
) -> Result<()> {
    if stored == PriorSet::Perhaps {
        sql::run(tx, "DELETE FROM mr_commits WHERE merge_request_id = ?1", [owner.id])?;
    }
    for (position, commit) in set.iter().enumerate() {
        sql::run(
            tx,
            "INSERT INTO mr_commits (merge_request_id, position, sha, title, message, author_name,
               author_email, authored_at, committed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                owner.id,
                position as i64,
                &commit.sha,
                &commit.title,
                &commit.message,
                &commit.author_name,
                &commit.author_email,
                ms(commit.authored_at),
                ms(commit.committed_at),
            ),
        )?;
    }
    Ok(())
}

pub(super) fn replace_closes(
    tx: &Tx<'_>,
    owner: EntityRow,
    set: &[ClosesRecord],
    stored: PriorSet,
) -> Result<()> {
    if stored == PriorSet::Perhaps {
        sql::run(tx, "DELETE FROM mr_closes_issues WHERE merge_request_id = ?1", [owner.id])?;
    }
    for closes in set {
        sql::run(
            tx,
            "INSERT OR IGNORE INTO mr_closes_issues
               (merge_request_id, project_forge_id, iid, project_path)
             VALUES (?1, ?2, ?3, ?4)",
            (owner.id, closes.project.0, closes.iid.0, &closes.project_path),
        )?;
    }
    Ok(())
}
