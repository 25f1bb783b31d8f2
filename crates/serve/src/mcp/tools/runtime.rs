//! What production calls, for agents.

use super::code::scope;
use super::{Group, Tool};
use crate::mcp::call::{Call, within};
use insight::code::routes::{self, Routes};
use insight::runtime::{self, RouteWindow, TrafficRequest};
use model::Result;
use model::runtime::DAY;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct RuntimeTraffic;
pub struct DeadRoutes;
pub struct TraceStats;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficParams {
    /// Part of the name of a service, route, rpc, topic, table or symbol
    #[serde(default)]
    target: String,
    /// Since when: 24h, 2w, 2024-01-31 (default 7d)
    since: Option<String>,
    /// 1 to 1000 (default 50)
    limit: Option<u32>,
}

impl Tool for RuntimeTraffic {
    const NAME: &'static str = "runtime_traffic";
    const TITLE: &'static str = "What production calls";
    const ABOUT: &'static str = "Show who called whom in production, from traces and access logs: counts, \
        errors, latency, the symbols behind both ends, and calls that no code explains.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/edges"];

    type Params = TrafficParams;
    type Answer = runtime::Traffic;

    fn answer(call: &Call, params: TrafficParams) -> Result<runtime::Traffic> {
        let limit = within("limit", params.limit, 50, 1_000)?;
        let since = call.when(params.since.as_deref())?.unwrap_or_else(|| call.now.minus(DAY * 7));
        let request = TrafficRequest { about: &params.target, since, now: call.now, limit };
        runtime::traffic(call.reader()?, &request)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeadRoutesParams {
    /// Days without a request, 1 to 3650 (default 30)
    days: Option<u32>,
    /// Only routes with this in their method, pattern, file or handler
    #[serde(default)]
    pattern: String,
    repo: Option<String>,
    /// 1 to 1000 (default 50)
    limit: Option<u32>,
}

impl Tool for DeadRoutes {
    const NAME: &'static str = "dead_routes";
    const TITLE: &'static str = "Routes nobody asks for";
    const ABOUT: &'static str = "List routes that production did not ask for in so many days. `dead` only where \
        the service was observed in that time; otherwise `not_observed`: nothing can be said.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/routes"];

    type Params = DeadRoutesParams;
    type Answer = Routes;

    fn answer(call: &Call, params: DeadRoutesParams) -> Result<Routes> {
        let limit = within("limit", params.limit, 50, 1_000)?;
        let days = within("days", params.days, 30, 3_650)? as u32;
        let scope = scope(call, params.repo.as_deref(), None)?;
        let reader = call.reader()?;
        let all = routes::routes(reader, &scope, &params.pattern, usize::MAX)?;
        let since = call.now.minus(DAY * days);
        let window = RouteWindow { since, now: call.now, only_dead: true, limit };
        runtime::add_traffic(reader, &scope, all, &window)
    }
}

/// Services of an answer, busiest first.
const MOST_SERVICES: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceStatsParams {}

impl Tool for TraceStats {
    const NAME: &'static str = "trace_stats";
    const TITLE: &'static str = "What is known of production";
    const ABOUT: &'static str = "Show what traces and access logs brought: spans by source, services with their \
        repositories, edges by when they were last seen.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/services"];

    type Params = TraceStatsParams;
    type Answer = runtime::TraceStats;

    fn answer(call: &Call, _: TraceStatsParams) -> Result<runtime::TraceStats> {
        runtime::trace_stats(call.reader()?, call.now, MOST_SERVICES)
    }
}
