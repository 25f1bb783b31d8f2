//! Changed files, commits and diff versions of a merge request.

use crate::server::context::Context;
use crate::world::{Commit, DiffVersion, Entity, FileChange};
use model::Timestamp;
use serde::Serialize;
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub struct DiffView<'a> {
    diff: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collapsed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    too_large: Option<bool>,
    new_path: &'a str,
    old_path: &'a str,
    a_mode: &'static str,
    b_mode: &'static str,
    new_file: bool,
    renamed_file: bool,
    deleted_file: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    generated_file: Option<bool>,
}

impl<'a> DiffView<'a> {
    pub fn new(context: Context<'_>, change: &'a FileChange, unidiff: bool) -> Self {
        let release = &context.options.release;
        let hidden = change.collapsed || change.too_large;
        let diff = match (hidden, unidiff) {
            (true, _) => Cow::Borrowed(""),
            (false, false) => Cow::Borrowed(change.diff.as_str()),
            (false, true) => Cow::Owned(with_head(change)),
        };
        DiffView {
            diff,
            collapsed: release.diff_flags.then_some(change.collapsed),
            too_large: release.diff_flags.then_some(change.too_large),
            new_path: &change.new_path,
            old_path: &change.old_path,
            a_mode: if change.new_file { "0" } else { "100644" },
            b_mode: if change.deleted_file { "0" } else { "100644" },
            new_file: change.new_file,
            renamed_file: change.renamed_file,
            deleted_file: change.deleted_file,
            generated_file: release.newer_keys.then_some(change.generated_file),
        }
    }
}

/// With the `---` and `+++` lines that `unidiff=true` asks for.
pub fn with_head(change: &FileChange) -> String {
    let old =
        if change.new_file { "/dev/null".to_owned() } else { format!("a/{}", change.old_path) };
    let new =
        if change.deleted_file { "/dev/null".to_owned() } else { format!("b/{}", change.new_path) };
    format!("--- {old}\n+++ {new}\n{}", change.diff)
}

#[derive(Debug, Serialize)]
pub struct CommitView<'a> {
    id: &'a str,
    short_id: &'a str,
    created_at: String,
    parent_ids: [&'a str; 0],
    title: &'a str,
    message: &'a str,
    author_name: &'a str,
    author_email: &'a str,
    authored_date: String,
    committer_name: &'a str,
    committer_email: &'a str,
    committed_date: String,
    trailers: Empty,
    extended_trailers: Empty,
    web_url: String,
}

#[derive(Debug, Serialize)]
struct Empty {}

impl<'a> CommitView<'a> {
    pub fn new(context: Context<'_>, entity: &Entity, commit: &'a Commit) -> Self {
        let path = context.project_path(entity.key.project);
        let date = with_offset(commit.authored_at);
        CommitView {
            id: &commit.sha,
            short_id: commit.sha.get(..8).unwrap_or(&commit.sha),
            created_at: date.clone(),
            parent_ids: [],
            title: commit.title(),
            message: &commit.message,
            author_name: &commit.author_name,
            author_email: &commit.author_email,
            authored_date: date.clone(),
            committer_name: &commit.author_name,
            committer_email: &commit.author_email,
            committed_date: date,
            trailers: Empty {},
            extended_trailers: Empty {},
            web_url: context.web_url(&format!("{path}/-/commit/{}", commit.sha)),
        }
    }
}

/// Git dates carry an offset instead of `Z`.
fn with_offset(at: Timestamp) -> String {
    at.to_rfc3339().replace('Z', "+00:00")
}

#[derive(Debug, Serialize)]
pub struct VersionView<'a> {
    id: i64,
    head_commit_sha: &'a str,
    base_commit_sha: &'a str,
    start_commit_sha: &'a str,
    created_at: Timestamp,
    merge_request_id: i64,
    state: &'static str,
    real_size: String,
    patch_id_sha: Option<&'a str>,
    /// Only on a single version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<CommitView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diffs: Option<Vec<DiffView<'a>>>,
}

impl<'a> VersionView<'a> {
    pub fn new(entity: &Entity, version: &'a DiffVersion) -> Self {
        VersionView {
            id: version.id.0,
            head_commit_sha: &version.head_sha,
            base_commit_sha: &version.base_sha,
            start_commit_sha: &version.start_sha,
            created_at: version.created_at,
            merge_request_id: entity.id.0,
            state: if version.n_files == 0 { "empty" } else { "collected" },
            real_size: version.n_files.to_string(),
            patch_id_sha: None,
            commits: None,
            diffs: None,
        }
    }
}
