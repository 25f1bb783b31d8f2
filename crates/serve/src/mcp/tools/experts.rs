//! Whom to ask.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use insight::people::experts;
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Experts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A path, a folder, a label, #12, !34, or words
    target: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// How many people, 1 to 100 (default 5)
    limit: Option<u32>,
}

impl Tool for Experts {
    const NAME: &'static str = "experts";
    const TITLE: &'static str = "Whom to ask";
    const ABOUT: &'static str = "Find whom to ask about a file, folder, label, issue or subject, by \
        commits, merge requests, reviews, notes and lines that still stand; what was long ago counts less.";
    const GROUPS: &'static [Group] = &[Group::Forge];

    type Params = Params;
    type Answer = experts::Experts;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| insight::agent_text::experts(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<experts::Experts> {
        let limit = within("limit", params.limit, 5, 100)?;
        let provider = call.provider();
        let searcher = call.searcher(provider.as_ref())?;
        let typed = call.typed(&params.target, params.project.as_deref(), None)?;
        experts::experts(&searcher, typed, limit)
    }
}
