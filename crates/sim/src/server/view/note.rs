//! Discussions and notes.

use super::{UnknownKey, UserView};
use crate::server::context::Context;
use crate::world::{Discussion, Entity, Note, NoteType, Position, mix};
use model::{EntityKind, Timestamp};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct DiscussionView<'a> {
    id: String,
    individual_note: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolvable: Option<bool>,
    notes: Vec<NoteView<'a>>,
}

impl<'a> DiscussionView<'a> {
    /// `None` when the viewer may see none of its notes.
    pub fn new(
        context: Context<'a>,
        entity: &'a Entity,
        discussion: &'a Discussion,
    ) -> Option<Self> {
        let notes: Vec<NoteView<'a>> = discussion
            .notes
            .iter()
            .filter(|note| context.viewer.is_none_or(|viewer| viewer.sees_note(note)))
            .map(|note| NoteView::new(context, entity, note))
            .collect();
        let release = &context.options.release;
        (!notes.is_empty()).then(|| DiscussionView {
            id: discussion.id.to_string(),
            individual_note: discussion.individual_note,
            resolvable: release.discussion_resolvable.then(|| discussion.is_resolvable()),
            notes,
        })
    }
}

#[derive(Debug, Serialize)]
pub struct NoteView<'a> {
    id: i64,
    #[serde(rename = "type")]
    note_type: Option<&'static str>,
    body: &'a str,
    author: Option<UserView<'a>>,
    created_at: Timestamp,
    updated_at: Timestamp,
    system: bool,
    noteable_id: i64,
    noteable_type: &'static str,
    project_id: i64,
    /// Only on diff notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_id: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<PositionView<'a>>,
    resolvable: bool,
    /// The three are absent on notes that cannot be resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by: Option<Option<UserView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<Option<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<[(); 0]>,
    confidential: bool,
    internal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_from: Option<&'static str>,
    noteable_iid: i64,
    commands_changes: Empty,
    #[serde(skip_serializing_if = "Option::is_none")]
    future_key: Option<UnknownKey>,
}

/// `{}`.
#[derive(Debug, Serialize)]
struct Empty {}

impl<'a> NoteView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, note: &'a Note) -> Self {
        let is_diff = note.note_type == NoteType::DiffNote;
        let resolvable = note.is_resolvable();
        let newer = context.options.release.newer_keys;
        NoteView {
            id: note.id.0,
            note_type: match note.note_type {
                NoteType::Plain => None,
                NoteType::DiscussionNote => Some("DiscussionNote"),
                NoteType::DiffNote => Some("DiffNote"),
                NoteType::LegacyDiffNote => Some("LegacyDiffNote"),
            },
            body: &note.body,
            author: context.user(note.author),
            created_at: note.created_at,
            updated_at: note.updated_at,
            system: note.system,
            noteable_id: entity.id.0,
            noteable_type: match entity.kind() {
                EntityKind::Issue => "Issue",
                EntityKind::MergeRequest => "MergeRequest",
            },
            project_id: entity.key.project.0,
            commit_id: is_diff.then_some(None),
            position: is_diff.then(|| PositionView::new(note.position.as_deref())),
            resolvable,
            resolved: resolvable.then_some(note.resolved.is_some()),
            resolved_by: resolvable
                .then(|| note.resolved.and_then(|resolution| context.user(resolution.by))),
            resolved_at: resolvable.then(|| note.resolved.map(|resolution| resolution.at)),
            suggestions: is_diff.then_some([]),
            confidential: note.internal,
            internal: note.internal,
            imported: newer.then_some(note.imported),
            imported_from: newer.then_some("none"),
            noteable_iid: entity.key.iid.0,
            commands_changes: Empty {},
            future_key: UnknownKey::of(context),
        }
    }
}

/// A lost position is `{}`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum PositionView<'a> {
    Lost(Empty),
    Text(Box<TextPosition<'a>>),
}

#[derive(Debug, Serialize)]
struct TextPosition<'a> {
    base_sha: &'a str,
    start_sha: &'a str,
    head_sha: &'a str,
    old_path: &'a str,
    new_path: &'a str,
    position_type: &'static str,
    old_line: Option<u32>,
    new_line: Option<u32>,
    line_range: Option<LineRange>,
}

#[derive(Debug, Serialize)]
struct LineRange {
    start: RangeEnd,
    end: RangeEnd,
}

#[derive(Debug, Serialize)]
struct RangeEnd {
    line_code: String,
    #[serde(rename = "type")]
    side: &'static str,
    old_line: Option<u32>,
    new_line: Option<u32>,
}

impl<'a> PositionView<'a> {
    fn new(position: Option<&'a Position>) -> Self {
        let Some(position) = position else { return PositionView::Lost(Empty {}) };
        PositionView::Text(Box::new(TextPosition {
            base_sha: &position.base_sha,
            start_sha: &position.start_sha,
            head_sha: &position.head_sha,
            old_path: &position.old_path,
            new_path: &position.new_path,
            position_type: "text",
            old_line: position.old_line,
            new_line: position.new_line,
            line_range: position.range.map(|(first, last)| LineRange {
                start: range_end(&position.new_path, first),
                end: range_end(&position.new_path, last),
            }),
        }))
    }
}

fn range_end(path: &str, line: u32) -> RangeEnd {
    let hash = path.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
    let line_code = format!("{hash:016x}{:016x}{:08x}_{line}_{line}", mix(hash), hash as u32);
    RangeEnd { line_code, side: "new", old_line: None, new_line: Some(line) }
}
