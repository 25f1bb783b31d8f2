//! How far the record reaches.

use super::{Group, Tool};
use crate::mcp::call::Call;
use insight::status;
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Status;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

impl Tool for Status {
    const NAME: &'static str = "status";
    const TITLE: &'static str = "How far the record reaches";
    const ABOUT: &'static str = "Show which projects are synced and how far, the last runs, failures, \
        pending work, and how much is embedded.";
    const GROUPS: &'static [Group] = &[Group::Forge];
    const LISTS: &'static [&'static str] = &["/projects"];

    type Params = Params;
    type Answer = status::Status;

    fn answer(call: &Call, _: Params) -> Result<status::Status> {
        status::status(call.reader()?, call.now, call.around.possible(&call.dir))
    }
}
