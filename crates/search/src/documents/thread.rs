//! The document of a discussion thread.

use super::cut::{THREAD_LIMIT, join_notes};
use super::draft::{Draft, Section};
use super::entity::{author_line, describe, head, named};
use std::collections::BTreeSet;
use store::dirty::SourceType;
use store::documents::{Document, EntitySource, NoteSource};

/// None when no person wrote in it.
pub fn of_thread(id: i64, parent: &EntitySource, notes: &[NoteSource]) -> Option<Document> {
    let first = notes.first()?;
    let first_line = format!("Thread on {}", named(parent));
    let mut draft = Draft::new(SourceType::Discussion, id, first.created_at, &first_line);
    describe(&mut draft, parent);
    draft.url = parent.forge.dialect().note_url(&parent.web_url, first.forge_id);
    draft.author.clone_from(&first.author);
    let updated_at = notes.iter().map(|note| note.updated_at).max();
    draft.updated_at = updated_at.unwrap_or(first.updated_at);
    let paths: BTreeSet<&String> =
        notes.iter().flat_map(|note| [&note.old_path, &note.new_path]).flatten().collect();
    draft.paths = paths.into_iter().cloned().collect();

    let url = draft.url.clone();
    head(&mut draft, parent, &url);
    author_line(&mut draft, first.author.as_deref());
    let paths = draft.paths.clone();
    draft.list("Files", &paths);
    let notes: Vec<String> = notes.iter().map(note_text).collect();
    let (notes, truncation) = join_notes(&notes, THREAD_LIMIT);
    draft.truncation = truncation;
    draft.body(Section::Thread, &notes);
    Some(draft.finish())
}

fn note_text(note: &NoteSource) -> String {
    let author = note.author.as_deref().unwrap_or("unknown");
    format!("@{author} ({}):\n{}", note.created_at.to_date(), note.body.trim())
}
