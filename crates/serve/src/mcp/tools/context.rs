//! What to read for a piece of work.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::Call;
use crate::mcp::tools::code::scope;
use crate::payload::{self, BpeCounter};
use insight::context::{
    ChangeQuery, Experience, Pack, PackOptions, Sources, TaskRequest, for_change, for_task,
    pack_note, whole,
};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::Payload;

pub struct ContextForTask;
pub struct ContextForFiles;
pub struct ContextForPr;

/// Tokens of the budget for each symbol, and how many there are at most. One takes a
/// small part of it: what comes late in a list is seldom read, and a pack need not be full.
const FOR_SYMBOL: usize = 250;
const MOST_SYMBOLS: usize = 200;

fn options(call: &Call, bodies: bool) -> PackOptions {
    let format = match call.format() {
        Format::Json => insight::context::Format::Json,
        _ => insight::context::Format::Lines,
    };
    let limit = (call.budget() / FOR_SYMBOL).clamp(5, MOST_SYMBOLS);
    PackOptions { budget: call.budget(), limit, bodies, explain: false, format }
}

fn sources(call: &Call) -> Result<Sources> {
    let now = call.now;
    let is_own = call.around.database(&call.dir).is_ok_and(|it| !it.is_foreign());
    let Some(root) = pipeline::memory::root_around(&call.dir).filter(|_| is_own) else {
        return Ok(Sources { memory: Vec::new(), now });
    };
    // Memory of the repository around, if it is indexed; what another clone holds is none
    // of it.
    call.around.catch_up(&call.dir);
    let path = memory::index::path_text(&root);
    let known = store::memory::roots(call.reader()?)?;
    let memory = known.into_iter().filter(|row| row.path == path).map(|row| row.id).collect();
    Ok(Sources { memory, now })
}

fn text_of(pack: &Pack, format: Format) -> Option<String> {
    match format {
        Format::Json => None,
        _ => Some(whole(pack, insight::context::Format::Lines)),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskParams {
    /// The task, issue or error message in full
    task: String,
    /// Include the source, best first
    #[serde(default)]
    bodies: bool,
    /// Include tests
    #[serde(default)]
    tests: bool,
    /// Without feedback, earlier tasks and this session
    #[serde(default)]
    cold: bool,
    repo: Option<String>,
}

impl Tool for ContextForTask {
    const NAME: &'static str = "context_for_task";
    const TITLE: &'static str = "What to read for a task";
    const ABOUT: &'static str = "Start here with a task, bug report or stack trace: the files and \
        functions to read, ranked, with why, plus past decisions and discussions about it.";
    const GROUPS: &'static [Group] = &[Group::Core, Group::Code];

    type Params = TaskParams;
    type Answer = Pack;

    fn answer(call: &Call, params: TaskParams) -> Result<Pack> {
        let scope = scope(call, params.repo.as_deref(), None)?;
        let reader = call.reader()?;
        let experience = if params.cold {
            Experience::default()
        } else {
            Experience::load(reader, &scope, &params.task, &call.session.touches(), call.now)?
        };
        let request = TaskRequest {
            text: params.task,
            tests: params.tests,
            without: Vec::new(),
            pack: options(call, params.bodies),
            sources: sources(call)?,
            experience,
        };
        let pack = for_task(reader, &scope, &request, &BpeCounter)?;
        if !params.cold {
            give(call, pack_note(&scope, &pack, Some(&request.text)));
        }
        Ok(pack)
    }

    fn text(pack: &Pack, format: Format) -> Option<String> {
        text_of(pack, format)
    }

    fn payload(pack: &Pack) -> Option<Payload> {
        Some(payload::of_pack(pack, Self::NAME))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesParams {
    /// Paths from the root of the repository
    files: Vec<String>,
    #[serde(default)]
    bodies: bool,
    repo: Option<String>,
}

impl Tool for ContextForFiles {
    const NAME: &'static str = "context_for_files";
    const TITLE: &'static str = "What a change of files touches";
    const ABOUT: &'static str = "Before changing files: who calls what is in them, the tests, the \
        owners, and the decisions and discussions about them.";
    const GROUPS: &'static [Group] = &[Group::Code];

    type Params = FilesParams;
    type Answer = Pack;

    fn answer(call: &Call, params: FilesParams) -> Result<Pack> {
        if params.files.is_empty() {
            return Err(Error::usage("`files` is empty").suggest("name at least one path"));
        }
        for file in &params.files {
            call.typed(file, None, None)?;
        }
        let scope = scope(call, params.repo.as_deref(), None)?;
        let query = ChangeQuery::Files(params.files);
        changed(call, scope, &query, params.bodies)
    }

    fn text(pack: &Pack, format: Format) -> Option<String> {
        text_of(pack, format)
    }

    fn payload(pack: &Pack) -> Option<Payload> {
        Some(payload::of_pack(pack, Self::NAME))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrParams {
    /// Number of a merge request
    mr: Option<String>,
    /// … or a commit or branch to compare with
    base: Option<String>,
    /// An indexed commit or branch (default: what is checked out)
    head: Option<String>,
    #[serde(default)]
    bodies: bool,
    repo: Option<String>,
}

impl Tool for ContextForPr {
    const NAME: &'static str = "context_for_pr";
    const TITLE: &'static str = "What a merge request touches";
    const ABOUT: &'static str = "To review a change: the symbols a merge request or a branch changes, \
        who depends on them, tests, owners, decisions and discussions about them.";
    const GROUPS: &'static [Group] = &[Group::Code, Group::Forge];

    type Params = PrParams;
    type Answer = Pack;

    fn answer(call: &Call, params: PrParams) -> Result<Pack> {
        let scope = scope(call, params.repo.as_deref(), None)?;
        let query = match (params.mr, params.base) {
            (Some(number), None) => ChangeQuery::MergeRequest(number),
            (None, Some(base)) => ChangeQuery::Commits { base, head: params.head },
            _ => {
                return Err(
                    Error::usage("name either `mr` or `base`").suggest("mr: 42, or base: main")
                );
            }
        };
        changed(call, scope, &query, params.bodies)
    }

    fn text(pack: &Pack, format: Format) -> Option<String> {
        text_of(pack, format)
    }

    fn payload(pack: &Pack) -> Option<Payload> {
        Some(payload::of_pack(pack, Self::NAME))
    }
}

fn changed(
    call: &Call,
    scope: insight::code::Scope,
    query: &ChangeQuery,
    bodies: bool,
) -> Result<Pack> {
    let reader = call.reader()?;
    let (scope, changed) = query.resolve(reader, scope)?;
    let options = options(call, bodies);
    let pack = for_change(reader, &scope, &changed, &options, &sources(call)?, &BpeCounter)?;
    give(call, pack_note(&scope, &pack, None));
    Ok(pack)
}

/// Feedback may come; what is asked about next says something too.
fn give(call: &Call, note: store::feedback::PackNote) {
    if let Ok(database) = call.around.database(&call.dir)
        && !database.is_foreign()
    {
        call.session.give(note, database.path());
    }
}
