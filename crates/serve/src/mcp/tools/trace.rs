//! Why a file, or a line of it, is as it is.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use insight::trace;
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Trace;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A path with a line or lines (src/a.rs, src/a.rs:12, src/a.rs:12-20), a symbol or a commit
    target: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// In this local repository: its folder or name
    repo: Option<String>,
    /// Also how the line read before, and before that: how many, 0 to 20 (default 0)
    generations: Option<u8>,
    /// How many merge requests of a file, 1 to 200 (default 5)
    limit: Option<u32>,
}

impl Tool for Trace {
    const NAME: &'static str = "trace";
    const TITLE: &'static str = "Where a line of code comes from";
    const ABOUT: &'static str = "Follow a line (or file) to the commit that wrote it, the merge \
        request that brought it, the issues behind it and the notes that argued for it. Moves and \
        reformatting are seen through.";
    const GROUPS: &'static [Group] = &[Group::Forge];
    const LISTS: &'static [&'static str] = &["/merge_requests", "/origins", "/commits"];

    type Params = Params;
    type Answer = trace::Trace;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| insight::agent_text::trace(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<trace::Trace> {
        let (path, lines) = trace::parse(&params.target)?;
        let file = call.typed(path, params.project.as_deref(), params.repo.as_deref())?;
        let code = super::code::as_edited(call, params.repo.as_deref());
        let request = trace::Request {
            file,
            lines,
            limit: within("limit", params.limit, 5, 200)?,
            generations: usize::from(params.generations.unwrap_or(0).min(20)),
            notes: 3,
            order: trace::FileOrder::Newest,
            code: code.as_ref(),
        };
        trace::trace(call.reader()?, &request)
    }
}
