//! Threads and their notes.

use super::PriorSet;
use crate::dirty::{self, SourceType};
use crate::entities::{EntityRow, Scope};
use crate::handle::Tx;
use crate::people::upsert_maybe;
use crate::sql::{self, ms, owner_column};
use model::hash::Hash32;
use model::record::{DiscussionRecord, NotePosition, NoteRecord, UserRecord};
use model::relation::SystemAction;
use model::{EntityKind, Result, Timestamp};
use rusqlite::params;
use std::collections::BTreeMap;

pub(super) fn replace(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &[DiscussionRecord],
    stored: PriorSet,
    now: Timestamp,
) -> Result<()> {
    let mut before = match stored {
        PriorSet::Nothing => BTreeMap::new(),
        PriorSet::Perhaps => known(tx, owner)?,
    };
    for discussion in set {
        // A thread without notes says nothing; the forge never means one.
        if discussion.notes.is_empty() {
            continue;
        }
        let hash = fingerprint(discussion);
        match before.remove(&discussion.forge_id) {
            Some(known) if known.hash == Some(hash) => {}
            known => {
                let existed = known.is_some();
                let id = store(tx, owner, discussion, known.map(|known| known.id), hash)?;
                replace_notes(tx, scope, id, existed, &discussion.notes)?;
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

struct StoredThread {
    id: i64,
    hash: Option<Hash32>,
}

fn known(tx: &Tx<'_>, owner: EntityRow) -> Result<BTreeMap<String, StoredThread>> {
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
                StoredThread { id: row.get("id")?, hash: Hash32::from_slice(&hash) },
            ))
        },
    )?;
    Ok(rows.into_iter().collect())
}

/// Of everything stored about a thread. Records are taken apart by name, so a
/// new field cannot be forgotten here; should the form change between versions,
/// threads are merely written once more.
fn fingerprint(discussion: &DiscussionRecord) -> Hash32 {
    let DiscussionRecord { forge_id, is_individual, notes } = discussion;
    let mut form = Form(Vec::with_capacity(512 * notes.len()));
    form.text(forge_id);
    form.number(i64::from(*is_individual));
    for note in notes {
        form.note(note);
    }
    Hash32::of(&form.0)
}

/// Bytes that differ whenever what was put in differs: each part is preceded
/// by its length or is of fixed length.
struct Form(Vec<u8>);

impl Form {
    fn number(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as i64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Form, T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            put(self, value);
        }
    }

    fn maybe_text(&mut self, text: Option<&String>) {
        self.maybe(text, |form, text| form.text(text));
    }

    fn user(&mut self, user: &UserRecord) {
        let UserRecord { forge_id, username, name } = user;
        self.number(forge_id.0);
        self.text(username);
        self.text(name);
    }

    fn note(&mut self, note: &NoteRecord) {
        let NoteRecord {
            forge_id,
            note_type,
            body,
            author,
            created_at,
            updated_at,
            is_system,
            system_action,
            is_internal,
            is_resolvable,
            is_resolved,
            resolved_by,
            resolved_at,
            position,
        } = note;
        self.number(forge_id.0);
        self.maybe_text(note_type.as_ref());
        self.text(body);
        self.maybe(author.as_ref(), Form::user);
        self.number(created_at.as_millis());
        self.number(updated_at.as_millis());
        self.maybe(*system_action, |form, action| form.text(action.as_str()));
        for flag in [is_system, is_internal, is_resolvable, is_resolved] {
            self.0.push(u8::from(*flag));
        }
        self.maybe(resolved_by.as_ref(), Form::user);
        self.maybe(*resolved_at, |form, at| form.number(at.as_millis()));
        self.maybe(position.as_ref(), Form::position);
    }

    fn position(&mut self, position: &NotePosition) {
        let NotePosition {
            position_type,
            old_path,
            new_path,
            old_line,
            new_line,
            range_start,
            range_end,
            base_sha,
            start_sha,
            head_sha,
        } = position;
        for text in [position_type, old_path, new_path, base_sha, start_sha, head_sha] {
            self.maybe_text(text.as_ref());
        }
        for line in [old_line, new_line, range_start, range_end] {
            self.maybe(*line, Form::number);
        }
    }
}

fn store(
    tx: &Tx<'_>,
    owner: EntityRow,
    discussion: &DiscussionRecord,
    known: Option<i64>,
    hash: Hash32,
) -> Result<i64> {
    let stamps = discussion.notes.iter().map(|note| note.created_at.as_millis());
    let (first, last) = (stamps.clone().min(), stamps.max());
    if let Some(id) = known {
        sql::run(
            tx,
            "UPDATE discussions
             SET is_individual = ?2, hash = ?3, first_note_at = ?4, last_note_at = ?5
             WHERE id = ?1",
            (id, discussion.is_individual, hash.as_bytes(), first, last),
        )?;
        return Ok(id);
    }
    sql::insert(
        tx,
        match owner.kind {
            EntityKind::Issue => {
                "INSERT INTO discussions
                   (issue_id, forge_id, is_individual, hash, first_note_at, last_note_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            }
            EntityKind::MergeRequest => {
                "INSERT INTO discussions
                   (merge_request_id, forge_id, is_individual, hash, first_note_at, last_note_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            }
        },
        (owner.id, &discussion.forge_id, discussion.is_individual, hash.as_bytes(), first, last),
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
    let nowhere = NotePosition::default();
    let place = note.position.as_ref().unwrap_or(&nowhere);
    sql::run(
        tx,
        UPSERT_NOTE,
        params![
            discussion,
            note.forge_id.0,
            position as i64,
            note.note_type,
            note.body,
            upsert_maybe(tx, &scope.host, note.author.as_ref())?,
            note.created_at.as_millis(),
            note.updated_at.as_millis(),
            note.is_system,
            note.is_system.then(|| note.system_action.unwrap_or(SystemAction::Unknown).as_str()),
            note.is_internal,
            note.is_resolvable,
            note.is_resolved,
            upsert_maybe(tx, &scope.host, note.resolved_by.as_ref())?,
            ms(note.resolved_at),
            place.position_type,
            place.old_path,
            place.new_path,
            place.old_line,
            place.new_line,
            place.range_start,
            place.range_end,
            place.base_sha,
            place.start_sha,
            place.head_sha,
        ],
    )?;
    Ok(())
}

/// By place, not by name: looking up two dozen names takes longer than the
/// rest of it.
const UPSERT_NOTE: &str =
    "INSERT INTO notes (discussion_id, forge_id, position, note_type, body, author_id,
       created_at, updated_at, is_system, system_action, is_internal, is_resolvable,
       is_resolved, resolved_by_id, resolved_at, position_type, old_path, new_path, old_line,
       new_line, range_start, range_end, base_sha, start_sha, head_sha)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
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
       head_sha = excluded.head_sha";
