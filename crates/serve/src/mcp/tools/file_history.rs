//! Which merge requests changed a file.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use insight::file_history::{self, Request};
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct FileHistory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Path as it is or was in the repository
    path: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// In this local repository: its folder or name
    repo: Option<String>,
    /// Only what was merged
    #[serde(default)]
    merged: bool,
    /// With the threads on lines of the file
    #[serde(default)]
    discussions: bool,
    /// 1 to 1000 (default 10)
    limit: Option<u32>,
}

impl Tool for FileHistory {
    const NAME: &'static str = "file_history";
    const TITLE: &'static str = "History of a file";
    const ABOUT: &'static str = "List the merge requests that changed a file, newest first, under \
        every name it had, with the issues they closed; and the commits that no merge request \
        explains.";
    const GROUPS: &'static [Group] = &[Group::Forge];
    const LISTS: &'static [&'static str] = &["/items", "/direct_commits"];

    type Params = Params;
    type Answer = file_history::FileHistory;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| insight::agent_text::file_history(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<file_history::FileHistory> {
        let file = call.typed(&params.path, params.project.as_deref(), params.repo.as_deref())?;
        let request = Request {
            file,
            merged_only: params.merged,
            discussions: params.discussions,
            follow_renames: true,
            limit: within("limit", params.limit, 10, 1_000)?,
        };
        file_history::file_history(call.reader()?, &request)
    }
}
