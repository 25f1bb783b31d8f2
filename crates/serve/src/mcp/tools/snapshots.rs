//! The snapshots of a repository's graph.

use super::{Group, Tool};
use crate::mcp::call::{Call, within};
use insight::code::ScopeRequest;
use insight::code::ledger::{self, Snapshots as Listed};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Snapshots;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only this one: an indexed commit, branch, tag or number (@12)
    at: Option<String>,
    repo: Option<String>,
    /// 1 to 200 (default 20)
    limit: Option<u32>,
}

impl Tool for Snapshots {
    const NAME: &'static str = "snapshots";
    const TITLE: &'static str = "Snapshots of the code graph";
    const ABOUT: &'static str =
        "The indexed commits, newest first: roots, counts, parents, branches, causal counters.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/snapshots"];

    type Params = Params;
    type Answer = Listed;

    fn answer(call: &Call, params: Params) -> Result<Listed> {
        let limit = within("limit", params.limit, 20, 200)?;
        let reader = call.reader()?;
        let asked = ScopeRequest { repo: params.repo.as_deref(), at: None, here: Some(&call.dir) };
        let Some(at) = params.at.as_deref() else { return ledger::list(reader, &asked, limit) };
        let wanted = super::code::scope(call, params.repo.as_deref(), Some(at))?.snapshot.seq;
        let mut all = ledger::list(reader, &asked, usize::MAX)?;
        all.snapshots.retain(|row| row.snapshot == wanted);
        all.total = all.snapshots.len() as u64;
        if all.snapshots.is_empty() {
            return Err(Error::not_found(format!("{} has no snapshot {at}", all.repo)));
        }
        Ok(all)
    }
}
