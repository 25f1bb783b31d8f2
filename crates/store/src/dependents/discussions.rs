//! Threads and their notes.

use crate::dirty::{self, SourceType};
use crate::entities::{EntityRow, Scope};
use crate::handle::Tx;
use crate::people::upsert_maybe;
use crate::sql::{self, ms, owner_column};
use model::hash::Hash32;
use model::record::{DiscussionRecord, NoteRecord};
use model::relation::SystemAction;
use model::{Result, Timestamp};
use rusqlite::named_params;
use std::collections::BTreeMap;

pub(super) fn replace(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[DiscussionRecord],
    now: Timestamp,
) -> Result<()> {
    let mut before = stored(tx, owner)?;
    for discussion in set {
        // A thread without notes says nothing; the forge never means one.
        if discussion.notes.is_empty() {
            continue;
        }
        let hash = fingerprint(discussion);
        match before.remove(&discussion.forge_id) {
            Some(known) if known.hash == Some(hash) => {}
            known => {
                let id = upsert(tx, owner, discussion, hash)?;
                replace_notes(tx, scope, id, known.is_some(), &discussion.notes)?;
                dirty::mark(tx, SourceType::Discussion, id, now)?;
            }
        }
    }
    for known in before.into_values() {
        sql::run(tx, "DELETE FROM discussions WHERE id = ?1", [known.id])?;
        dirty::mark(tx, SourceType::Discussion, known.id, now)?;
    }
    Ok(())
}

struct Stored {
    id: i64,
    hash: Option<Hash32>,
}

fn stored(tx: &Tx<'_>, owner: EntityRow) -> Result<BTreeMap<String, Stored>> {
    let rows = sql::all(
        tx,
        &format!(
            "SELECT forge_id, id, hash FROM discussions WHERE {} = ?1",
            owner_column(owner.kind)
        ),
        [owner.id],
        |row| {
            let hash: Vec<u8> = row.get("hash")?;
            Ok((
                row.get::<_, String>("forge_id")?,
                Stored { id: row.get("id")?, hash: Hash32::from_slice(&hash) },
            ))
        },
    )?;
    Ok(rows.into_iter().collect())
}

/// Of everything stored about a thread. The debug form names every field, so a
/// new field can never be forgotten here; should the form itself change between
/// versions, threads are merely written once more.
fn fingerprint(discussion: &DiscussionRecord) -> Hash32 {
    Hash32::of(format!("{discussion:?}").as_bytes())
}

fn upsert(
    tx: &Tx<'_>,
    owner: EntityRow,
    discussion: &DiscussionRecord,
    hash: Hash32,
) -> Result<i64> {
    let column = owner_column(owner.kind);
    let stamps = discussion.notes.iter().map(|note| note.created_at.as_millis());
    sql::one(
        tx,
        &format!(
            "INSERT INTO discussions
               ({column}, forge_id, is_individual, hash, first_note_at, last_note_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT ({column}, forge_id) WHERE {column} IS NOT NULL DO UPDATE SET
               is_individual = excluded.is_individual,
               hash = excluded.hash,
               first_note_at = excluded.first_note_at,
               last_note_at = excluded.last_note_at
             RETURNING id"
        ),
        (
            owner.id,
            &discussion.forge_id,
            discussion.is_individual,
            hash.as_bytes(),
            stamps.clone().min(),
            stamps.max(),
        ),
        |row| row.get(0),
    )
}

/// Upserts by the forge's id, so that a note keeps its row while the thread
/// around it changes.
fn replace_notes(
    tx: &Tx<'_>,
    scope: &Scope,
    discussion: i64,
    existed: bool,
    notes: &[NoteRecord],
) -> Result<()> {
    if existed {
        let kept: std::collections::BTreeSet<i64> =
            notes.iter().map(|note| note.forge_id.0).collect();
        let before = sql::all(
            tx,
            "SELECT id, forge_id FROM notes WHERE discussion_id = ?1",
            [discussion],
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)),
        )?;
        for (id, _) in before.into_iter().filter(|(_, forge_id)| !kept.contains(forge_id)) {
            sql::run(tx, "DELETE FROM notes WHERE id = ?1", [id])?;
        }
    }
    for (position, note) in notes.iter().enumerate() {
        upsert_note(tx, scope, discussion, position, note)?;
    }
    Ok(())
}

fn upsert_note(
    tx: &Tx<'_>,
    scope: &Scope,
    discussion: i64,
    position: usize,
    note: &NoteRecord,
) -> Result<()> {
    let place = note.position.clone().unwrap_or_default();
    sql::run(
        tx,
        "INSERT INTO notes (discussion_id, forge_id, position, note_type, body, author_id,
           created_at, updated_at, is_system, system_action, is_internal, is_resolvable,
           is_resolved, resolved_by_id, resolved_at, position_type, old_path, new_path, old_line,
           new_line, range_start, range_end, base_sha, start_sha, head_sha)
         VALUES (:discussion, :forge_id, :position, :note_type, :body, :author, :created_at,
           :updated_at, :is_system, :system_action, :is_internal, :is_resolvable, :is_resolved,
           :resolved_by, :resolved_at, :position_type, :old_path, :new_path, :old_line, :new_line,
           :range_start, :range_end, :base_sha, :start_sha, :head_sha)
         ON CONFLICT (discussion_id, forge_id) DO UPDATE SET
           position = excluded.position,
           note_type = excluded.note_type,
           body = excluded.body,
           author_id = excluded.author_id,
           created_at = excluded.created_at,
           updated_at = excluded.updated_at,
           is_system = excluded.is_system,
           system_action = excluded.system_action,
           is_internal = excluded.is_internal,
           is_resolvable = excluded.is_resolvable,
           is_resolved = excluded.is_resolved,
           resolved_by_id = excluded.resolved_by_id,
           resolved_at = excluded.resolved_at,
           position_type = excluded.position_type,
           old_path = excluded.old_path,
           new_path = excluded.new_path,
           old_line = excluded.old_line,
           new_line = excluded.new_line,
           range_start = excluded.range_start,
           range_end = excluded.range_end,
           base_sha = excluded.base_sha,
           start_sha = excluded.start_sha,
           head_sha = excluded.head_sha",
        named_params! {
            ":discussion": discussion,
            ":forge_id": note.forge_id.0,
            ":position": position as i64,
            ":note_type": note.note_type,
            ":body": note.body,
            ":author": upsert_maybe(tx, &scope.host, note.author.as_ref())?,
            ":created_at": note.created_at.as_millis(),
            ":updated_at": note.updated_at.as_millis(),
            ":is_system": note.is_system,
            ":system_action": note.is_system.then(|| {
                note.system_action.unwrap_or(SystemAction::Unknown).as_str()
            }),
            ":is_internal": note.is_internal,
            ":is_resolvable": note.is_resolvable,
            ":is_resolved": note.is_resolved,
            ":resolved_by": upsert_maybe(tx, &scope.host, note.resolved_by.as_ref())?,
            ":resolved_at": ms(note.resolved_at),
            ":position_type": place.position_type,
            ":old_path": place.old_path,
            ":new_path": place.new_path,
            ":old_line": place.old_line,
            ":new_line": place.new_line,
            ":range_start": place.range_start,
            ":range_end": place.range_end,
            ":base_sha": place.base_sha,
            ":start_sha": place.start_sha,
            ":head_sha": place.head_sha,
        },
    )?;
    Ok(())
}
