//! Where a text stands in the files.

use super::code::scope;
use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::Call;
use insight::agent_text;
use insight::code::find::{self, FoundText};
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct FindText;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A setting, a flag, an address, a part of a message
    text: String,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for FindText {
    const NAME: &'static str = "find_text";
    const TITLE: &'static str = "Where a text stands";
    const ABOUT: &'static str = "Find where a setting, flag, message or address stands in the files, with the symbol \
        around each line; other spellings of a name, too.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/code"];

    type Params = Params;
    type Answer = FoundText;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::found(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<FoundText> {
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        find::find(call.reader()?, &scope, &params.text)
    }
}
