//! Long work that writes: bringing the record up to date.

use super::{Effect, Group, Tool};
use crate::mcp::call::Call;
use crate::mcp::surroundings::Job;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

pub struct SyncNow;
pub struct IndexRepo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SyncParams {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexParams {
    /// A folder of the repository (default: the one you work in)
    path: Option<PathBuf>,
}

impl Tool for SyncNow {
    const NAME: &'static str = "sync_now";
    const TITLE: &'static str = "Fetch what is new from the forge";
    const ABOUT: &'static str = "Fetch new issues, merge requests, threads and commits from the \
        forge, then update the search index. Takes seconds to minutes; reports progress.";
    const GROUPS: &'static [Group] = &[Group::Forge];
    const EFFECT: Effect = Effect::Fetches;

    type Params = SyncParams;
    type Answer = Value;

    fn answer(call: &Call, _: SyncParams) -> Result<Value> {
        work(call, Job::Sync, call.dir.clone())
    }
}

impl Tool for IndexRepo {
    const NAME: &'static str = "index_repo";
    const TITLE: &'static str = "Index a repository";
    const ABOUT: &'static str = "Read a local repository into lore: its commits, its code, the texts \
        to search. What is known already is not read again. Reports progress.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const EFFECT: Effect = Effect::Indexes;

    type Params = IndexParams;
    type Answer = Value;

    fn answer(call: &Call, params: IndexParams) -> Result<Value> {
        let dir = call.dir.join(params.path.unwrap_or_default());
        call.check_dir(&dir)?;
        if !dir.is_dir() {
            return Err(Error::not_found(format!("there is no folder {}", dir.display()))
                .suggest("give a folder of a git repository on this machine"));
        }
        let dir = insight::file_target::real(&dir);
        work(call, Job::Index, dir)
    }
}

fn work(call: &Call, job: Job, dir: PathBuf) -> Result<Value> {
    let progress = Arc::clone(&call.progress);
    let (report, warnings) = call.around.run(job, &dir, progress, call.brake.stop())?;
    for warning in warnings {
        call.warn(warning);
    }
    Ok(report)
}
