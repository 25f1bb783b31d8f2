//! What someone did.

use super::{Group, Tool};
use crate::mcp::call::Call;
use insight::people::person::{self, PersonActivity};
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Person;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The username, or the whole name
    user: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// Only what they did since then: 7d, 2w, 1m, 2024-01-31
    since: Option<String>,
}

impl Tool for Person {
    const NAME: &'static str = "person";
    const TITLE: &'static str = "What someone did";
    const ABOUT: &'static str = "Show what someone worked on: areas of the code, merge requests, \
        reviews and decisions.";
    const GROUPS: &'static [Group] = &[Group::Forge];

    type Params = Params;
    type Answer = PersonActivity;

    fn answer(call: &Call, params: Params) -> Result<PersonActivity> {
        let since = call.when(params.since.as_deref())?;
        let project = params.project.as_deref();
        person::person(call.reader()?, &params.user, project, since, &call.dir, call.now)
    }
}
