//! What a document says: a small head with the words people remember, then
//! the text itself.

use super::cut::{HARD_CAP, THREAD_LIMIT, at_most, join_notes};
use super::fingerprint::Fingerprint;
use crate::identifiers;
use model::EntityKind;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use store::dirty::SourceType;
use store::documents::{Document, EntitySource, Hashes, NoteSource, ThreadSource, Truncation};

const DESCRIPTION: &str = "\n--- Description ---\n";
const THREAD: &str = "\n--- Thread ---\n";

/// Where the head of a document's text ends; none when there is nothing below.
pub fn body_start(text: &str) -> Option<usize> {
    [DESCRIPTION, THREAD]
        .into_iter()
        .filter_map(|line| text.find(line).map(|at| at + line.len()))
        .min()
}

pub fn of_entity(id: i64, entity: &EntitySource) -> Document {
    let mut text = format!("{}\n", named(entity));
    let (state, author) = (entity.state.as_str(), entity.author.as_deref());
    head(&mut text, entity, &entity.web_url, Some(state), author);
    if let Some((source, target)) = &entity.branches {
        line(&mut text, "Branches", &format!("{source} -> {target}"));
    }
    let description = entity.description.as_deref().unwrap_or("").trim();
    if !description.is_empty() {
        text.push_str(DESCRIPTION);
        text.push_str(description);
    }
    finish(Draft {
        source: entity.kind.into(),
        id,
        entity,
        author: entity.author.clone(),
        created_at: entity.created_at,
        updated_at: entity.updated_at,
        url: entity.web_url.clone(),
        text,
        paths: entity.paths.clone(),
        truncation: None,
    })
}

/// None when no person wrote in it.
pub fn of_thread(id: i64, thread: &ThreadSource) -> Option<Document> {
    let first = thread.notes.first()?;
    let parent = &thread.parent;
    let url = format!("{}#note_{}", parent.web_url, first.forge_id);
    let paths: BTreeSet<&String> =
        thread.notes.iter().flat_map(|note| [&note.old_path, &note.new_path]).flatten().collect();
    let mut text = format!("Thread on {}\n", named(parent));
    head(&mut text, parent, &url, None, first.author.as_deref());
    if !paths.is_empty() {
        let paths: Vec<&str> = paths.iter().map(|path| path.as_str()).collect();
        line(&mut text, "Files", &paths.join(", "));
    }
    let notes: Vec<String> = thread.notes.iter().map(note_text).collect();
    let (notes, truncation) = join_notes(&notes, THREAD_LIMIT);
    text.push_str(THREAD);
    text.push_str(&notes);
    let updated_at = thread.notes.iter().map(|note| note.updated_at).max();
    Some(finish(Draft {
        source: SourceType::Discussion,
        id,
        entity: parent,
        author: first.author.clone(),
        created_at: first.created_at,
        updated_at: updated_at.unwrap_or(first.updated_at),
        url,
        text,
        paths: paths.into_iter().cloned().collect(),
        truncation,
    }))
}

/// `Issue #12: Login fails`.
fn named(entity: &EntitySource) -> String {
    let kind = match entity.kind {
        EntityKind::Issue => "Issue",
        EntityKind::MergeRequest => "Merge request",
    };
    format!("{kind} {}{}: {}", entity.kind.sigil(), entity.iid, one_line(&entity.title))
}

fn head(
    text: &mut String,
    entity: &EntitySource,
    url: &str,
    state: Option<&str>,
    author: Option<&str>,
) {
    line(text, "Project", &entity.project_path);
    // To the index `https` is `http`, and a search for that would find all.
    line(text, "URL", url.split_once("://").map_or(url, |(_, address)| address));
    if !entity.labels.is_empty() {
        line(text, "Labels", &entity.labels.join(", "));
    }
    if let Some(state) = state {
        line(text, "State", state);
    }
    if let Some(author) = author {
        line(text, "Author", &format!("@{author}"));
    }
}

fn line(text: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}: {}", one_line(value));
}

/// The head is lines; a line break in a title must not end it.
fn one_line(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn note_text(note: &NoteSource) -> String {
    let author = note.author.as_deref().unwrap_or("unknown");
    format!("@{author} ({}):\n{}", note.created_at.to_date(), note.body.trim())
}

struct Draft<'a> {
    source: SourceType,
    id: i64,
    /// The entity itself, or the one a thread hangs on.
    entity: &'a EntitySource,
    author: Option<String>,
    created_at: model::Timestamp,
    updated_at: model::Timestamp,
    url: String,
    text: String,
    paths: Vec<String>,
    truncation: Option<Truncation>,
}

fn finish(mut draft: Draft<'_>) -> Document {
    let kept = at_most(&draft.text, HARD_CAP).len();
    if kept < draft.text.len() {
        draft.text.truncate(kept);
        draft.truncation = Some(Truncation::HardCap);
    }
    let title = one_line(&draft.entity.title);
    let labels: BTreeSet<String> = draft.entity.labels.iter().cloned().collect();
    let labels: Vec<String> = labels.into_iter().collect();
    let content = Fingerprint::default()
        .number(draft.entity.project.0)
        .field(&title)
        .field(&draft.text)
        .field(&draft.url)
        .field(&draft.entity.state)
        .maybe(draft.author.as_deref())
        .number(draft.created_at.as_millis())
        .number(draft.updated_at.as_millis())
        .maybe(draft.truncation.map(Truncation::as_str))
        .hash();
    Document {
        source: draft.source,
        source_id: draft.id,
        project: draft.entity.project,
        author: draft.author,
        state: draft.entity.state.clone(),
        created_at: draft.created_at,
        updated_at: draft.updated_at,
        url: draft.url,
        identifiers: identifiers::complement([title.as_str(), draft.text.as_str()]),
        title,
        text: draft.text,
        hashes: Hashes {
            content,
            labels: Fingerprint::of_list(&labels),
            paths: Fingerprint::of_list(&draft.paths),
        },
        labels,
        paths: draft.paths,
        truncation: draft.truncation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use model::Timestamp;
    use model::ids::{ForgeId, Iid, ProjectId};

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    fn merge_request() -> EntitySource {
        EntitySource {
            kind: EntityKind::MergeRequest,
            project: ProjectId(1),
            project_path: "harbor/tide".to_owned(),
            iid: Iid(7),
            title: "Keep the\nsession".to_owned(),
            description: Some("Closes #1\n".to_owned()),
            state: "merged".to_owned(),
            author: Some("bo".to_owned()),
            labels: vec!["auth".to_owned(), "bug".to_owned()],
            branches: Some(("fix".to_owned(), "main".to_owned())),
            paths: vec!["src/session.rs".to_owned()],
            created_at: at("2024-01-09T10:00:00Z"),
            updated_at: at("2024-01-10T10:00:00Z"),
            web_url: "https://gl.test/harbor/tide/-/merge_requests/7".to_owned(),
        }
    }

    fn note(id: i64, author: &str, body: &str) -> NoteSource {
        NoteSource {
            forge_id: ForgeId(id),
            author: Some(author.to_owned()),
            body: body.to_owned(),
            created_at: at("2024-01-11T10:00:00Z"),
            updated_at: at("2024-01-12T10:00:00Z"),
            old_path: Some("src/old.rs".to_owned()),
            new_path: Some("src/session.rs".to_owned()),
        }
    }

    #[test]
    fn a_merge_request_begins_with_what_people_remember() {
        let document = of_entity(3, &merge_request());
        expect![[r#"
            Merge request !7: Keep the session
            Project: harbor/tide
            URL: gl.test/harbor/tide/-/merge_requests/7
            Labels: auth, bug
            State: merged
            Author: @bo
            Branches: fix -> main

            --- Description ---
            Closes #1"#]]
        .assert_eq(&document.text);
        assert_eq!(&document.text[body_start(&document.text).unwrap()..], "Closes #1");
        assert_eq!(document.paths, ["src/session.rs"]);
        assert_eq!(document.truncation, None);
    }

    #[test]
    fn a_thread_tells_where_it_hangs_and_what_was_said() {
        let thread = ThreadSource {
            parent: merge_request(),
            notes: vec![note(5, "ada", "Why not Lax?"), note(6, "bo", "Because of POST.")],
        };
        let document = of_thread(9, &thread).unwrap();
        expect![[r#"
            Thread on Merge request !7: Keep the session
            Project: harbor/tide
            URL: gl.test/harbor/tide/-/merge_requests/7#note_5
            Labels: auth, bug
            Author: @ada
            Files: src/old.rs, src/session.rs

            --- Thread ---
            @ada (2024-01-11):
            Why not Lax?

            @bo (2024-01-11):
            Because of POST."#]]
        .assert_eq(&document.text);
        assert_eq!(document.author.as_deref(), Some("ada"));
        assert_eq!(document.updated_at, at("2024-01-12T10:00:00Z"));
        assert_eq!(document.paths, ["src/old.rs", "src/session.rs"]);
    }

    #[test]
    fn a_thread_nobody_wrote_in_has_no_document() {
        assert_eq!(of_thread(9, &ThreadSource { parent: merge_request(), notes: vec![] }), None);
    }

    #[test]
    fn a_giant_description_is_cut_and_said() {
        let mut giant = merge_request();
        giant.description = Some("é".repeat(HARD_CAP));
        let document = of_entity(3, &giant);
        assert_eq!(document.truncation, Some(Truncation::HardCap));
        assert_eq!(document.text.chars().count(), HARD_CAP);
    }

    #[test]
    fn hashes_follow_what_is_stored() {
        let before = of_entity(3, &merge_request()).hashes;
        let changed = |change: fn(&mut EntitySource)| {
            let mut entity = merge_request();
            change(&mut entity);
            of_entity(3, &entity).hashes
        };
        assert_eq!(changed(|_| ()), before);
        assert_ne!(changed(|it| it.updated_at = it.created_at).content, before.content);
        assert_ne!(changed(|it| it.author = None).content, before.content);
        assert_ne!(changed(|it| it.labels.clear()).labels, before.labels);
        assert_ne!(changed(|it| it.paths.clear()).paths, before.paths);
        assert_eq!(changed(|it| it.paths.clear()).content, before.content);
    }
}
