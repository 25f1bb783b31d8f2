//! What happened with something, in order.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use insight::timeline::{self, Request, Start};
use insight::{projects, repos};
use model::Result;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use store::document_set::DocumentFilter;

pub struct Timeline;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A reference (#12, !34, group/project!34, a URL), or words to search for
    query: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// Steps over relations, 0 to 3 (default 1)
    depth: Option<u8>,
    /// 7d, 2w, 1m, 2024-01-31
    since: Option<String>,
    until: Option<String>,
    /// 1 to 1000 (default 40); the most telling are kept
    limit: Option<u32>,
}

impl Tool for Timeline {
    const NAME: &'static str = "timeline";
    const TITLE: &'static str = "What happened, in order";
    const ABOUT: &'static str = "Tell what happened with an issue, a merge request or a subject, in \
        order of time: opened, discussed, decided, reviewed, merged, with the notes that matter \
        and where each comes from.";
    const GROUPS: &'static [Group] = &[Group::Forge];
    const LISTS: &'static [&'static str] = &["/events"];

    type Params = Params;
    type Answer = timeline::Timeline;

    fn meta(answer: &Self::Answer) -> JsonObject {
        answer.meta.fields()
    }

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| insight::agent_text::timeline(answer))
    }

    fn answer(call: &Call, params: Params) -> Result<timeline::Timeline> {
        let limit = within("limit", params.limit, 40, 1_000)?;
        call.around.catch_up(&call.dir);
        let reader = call.reader()?;
        let start = match timeline::named_entity(&params.query) {
            Some(wanted) => {
                let here = Some(call.dir.clone());
                Start::Entity { wanted, project: params.project.clone(), here }
            }
            None => {
                let project = projects::resolve_maybe(reader, params.project.as_deref())?;
                let filter = DocumentFilter {
                    project: project.map(|project| project.id),
                    ..DocumentFilter::default()
                };
                let is_anywhere = filter.project.is_none();
                Start::Query(Box::new(search::Request {
                    home: projects::home(reader, &call.dir)?.filter(|_| is_anywhere),
                    home_repo: repos::home(reader, &call.dir)?.filter(|_| is_anywhere),
                    query: params.query.clone(),
                    filter,
                    ..search::Request::default()
                }))
            }
        };
        let provider = match start {
            Start::Query(_) => call.provider(),
            Start::Entity { .. } | Start::Symbol(_) => None,
        };
        let request = Request {
            depth: params.depth.unwrap_or(1).min(3),
            since: call.when(params.since.as_deref())?,
            until: call.when(params.until.as_deref())?,
            limit,
            ..Request::new(&params.query, start)
        };
        let mut told = timeline::timeline(&call.searcher(provider.as_ref())?, &request)?;
        for warning in std::mem::take(&mut told.warnings) {
            call.warn(warning);
        }
        if told.meta.events_left_out > 0 {
            let n = told.meta.events_left_out;
            call.warn(format!("{n} events left out, the least telling; a larger `limit` has more"));
        }
        Ok(told)
    }
}
