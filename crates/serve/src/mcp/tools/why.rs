//! The join: everything a piece of code or a decision rests on.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use insight::why;
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Why;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A path, with a line if you like (src/a.rs:12), a symbol, an issue (#12), a merge request (!34) or a commit hash
    target: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// In this local repository: its folder or name
    repo: Option<String>,
    /// Only changes to it that speak of this
    about: Option<String>,
    /// How many merge requests, 1 to 200 (default 3)
    limit: Option<u32>,
}

impl Tool for Why {
    const NAME: &'static str = "why";
    const TITLE: &'static str = "Why something is as it is";
    const ABOUT: &'static str = "Explain why a file, a line, a symbol, a commit, an issue or a merge request is as it \
        is: the reasons its commits and descriptions give, who argued for it in which notes, and the \
        recorded decisions that still stand. Ask before you change something that looks odd.";
    const GROUPS: &'static [Group] = &[Group::Core, Group::Forge];
    const LISTS: &'static [&'static str] =
        &["/merge_requests", "/trace/merge_requests", "/trace/commits", "/records"];

    type Params = Params;
    type Answer = why::Why;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| insight::agent_text::why(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<why::Why> {
        let scope =
            call.typed(&params.target, params.project.as_deref(), params.repo.as_deref())?;
        let limit = within("limit", params.limit, 3, 200)?;
        call.around.catch_up(&call.dir);
        let code = why::may_be_code(&params.target)
            .then(|| super::code::as_edited(call, params.repo.as_deref()))
            .flatten();
        let request = why::Request {
            scope,
            limit,
            notes: 2,
            experts: 3,
            about: params.about.as_deref(),
            code: code.as_ref(),
            now: call.now,
        };
        why::why(call.reader()?, &request)
    }
}
