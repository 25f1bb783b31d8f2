//! One note of lore's own on a merge request: the only thing lore writes to a
//! forge.
//!
//! The note is known by a mark in its text and by who wrote it. It is looked for
//! before every attempt to create it, also after an attempt whose outcome is not
//! known, so that there is one note however often and however badly this runs.

use super::client::{Client, entity_path};
use super::convert::{Converted, Unreadable};
use super::transport::{Write, WriteFailed};
use crate::api::{Failure, FailureKind, Forge as _, NoteOutcome, OwnNote, Result};
use model::EntityKind;
use model::ids::{ForgeId, Iid};
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

/// Attempts to write, each after a look.
const MOST_ATTEMPTS: u32 = 4;

/// A note as GitLab lists it.
#[derive(Debug, Clone, Deserialize)]
struct ListedNote {
    id: i64,
    #[serde(default)]
    body: String,
    #[serde(default)]
    system: bool,
    author: Option<Author>,
}

#[derive(Debug, Clone, Deserialize)]
struct Author {
    id: i64,
}

fn listed(item: &[u8]) -> Converted<Option<ListedNote>> {
    serde_json::from_slice(item).map(Some).map_err(|error| Unreadable(error.to_string()))
}

impl Client {
    /// Creates the note on a merge request, or makes it say what it shall say.
    pub async fn keep_own_note(
        &self,
        project: ForgeId,
        iid: Iid,
        note: &OwnNote,
    ) -> Result<NoteOutcome> {
        let me = self.identity().await?.user.forge_id;
        let path = format!("{}/notes", entity_path(project, EntityKind::MergeRequest, iid));
        let mut attempt = 0;
        loop {
            attempt += 1;
            let known = self.own_note(&path, me, &note.mark).await?;
            let (write, id) = match known {
                Some(known) if known.body.trim() == note.body.trim() => {
                    return Ok(NoteOutcome::Unchanged(ForgeId(known.id)));
                }
                Some(known) => (put(&path, known.id, note), Some(known.id)),
                None => (post(&path, note), None),
            };
            match self.transport().write(&write).await {
                Ok(answer) => {
                    return match (id, listed(answer.object())) {
                        (Some(id), _) => Ok(NoteOutcome::Updated(ForgeId(id))),
                        (None, Ok(Some(made))) => Ok(NoteOutcome::Created(ForgeId(made.id))),
                        (None, _) => Err(Failure::new(
                            FailureKind::Unreadable,
                            "the note was created, and the answer does not say which it is",
                        )),
                    };
                }
                Err(failed) if failed.is_uncertain && attempt < MOST_ATTEMPTS => {
                    let wait = self.transport().options().backoff.delay(attempt, attempt.into());
                    tokio::time::sleep(wait).await;
                }
                Err(failed) => return Err(told(failed)),
            }
        }
    }

    /// The first note with the mark that the token's owner wrote.
    async fn own_note(&self, path: &str, me: ForgeId, mark: &str) -> Result<Option<ListedNote>> {
        let notes = self.set(path, &listed, |note: &ListedNote| note.id.to_string()).await?;
        let is_own = |note: &ListedNote| {
            !note.system
                && note.body.contains(mark)
                && note.author.as_ref().is_some_and(|author| author.id == me.0)
        };
        Ok(notes.items.into_iter().filter(is_own).min_by_key(|note| note.id))
    }
}

fn post(path: &str, note: &OwnNote) -> Write {
    let body = json!({ "body": note.body }).to_string();
    Write { method: Method::POST, path: path.to_owned(), body }
}

fn put(path: &str, id: i64, note: &OwnNote) -> Write {
    let body = json!({ "body": note.body }).to_string();
    Write { method: Method::PUT, path: format!("{path}/{id}"), body }
}

fn told(failed: WriteFailed) -> Failure {
    if failed.lacks_rights {
        return failed.failure.suggest(
            "to comment, the token needs the scope api, and its owner must be allowed to comment",
        );
    }
    failed.failure
}
