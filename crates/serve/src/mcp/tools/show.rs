//! One thing whole, by any reference.

use super::{Group, Tool};
use crate::mcp::call::Call;
use insight::code::ScopeRequest;
use insight::entities::EntityDetail;
use insight::show::{self, Referent};
use insight::threads::{self, NoteFilter, ThreadChoice};
use model::Result;
use schemars::JsonSchema;
use serde::Deserialize;

pub struct Show;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// #12, !34, group/project!34, a URL (of a note too), a commit hash, a record id (dec-…), a symbol
    reference: String,
    /// Forge project: its path or a unique end of it
    project: Option<String>,
    /// With the commits of a merge request
    #[serde(default)]
    commits: bool,
    /// With label, milestone and state changes, and the notes the forge wrote itself
    #[serde(default)]
    events: bool,
    /// Which notes of an issue or merge request: rationale (those that decide or give reasons), all, none (default all)
    notes: Option<NoteFilter>,
    /// Only notes that contain this word or phrase
    grep: Option<String>,
}

impl Tool for Show {
    const NAME: &'static str = "show";
    const TITLE: &'static str = "Show one thing";
    const ABOUT: &'static str = "Show an issue, a merge request, a note in its thread, a commit, a \
        symbol or a remembered record in full, by any reference people write. Threads come in pages when they \
        are long.";
    const GROUPS: &'static [Group] = &[Group::Forge, Group::Memory];
    const LISTS: &'static [&'static str] = &[
        "/issue/threads",
        "/merge_request/threads",
        "/note/thread/notes",
        "/commit/files",
        "/record/edges",
        "/symbol/symbols",
    ];

    type Params = Params;
    type Answer = Referent;

    fn answer(call: &Call, params: Params) -> Result<Referent> {
        let mut shown = shown(call, &params)?;
        if let Referent::Issue(detail) | Referent::MergeRequest(detail) = &mut shown {
            trim(detail, &params);
            let grep = params.grep.as_deref();
            let choice = ThreadChoice { filter: params.notes, grep, budget: None };
            threads::choose(call.reader()?, detail, choice)?;
        }
        Ok(shown)
    }
}

fn shown(call: &Call, params: &Params) -> Result<Referent> {
    let asked = ScopeRequest { repo: None, at: None, here: Some(&call.dir) };
    let project = params.project.as_deref();
    let is_record = model::memory::RecordKind::ALL
        .iter()
        .any(|kind| params.reference.trim().starts_with(kind.prefix()));
    if !is_record {
        return show::show(call.reader()?, &params.reference, project, &asked);
    }
    // Files may have changed since they were indexed.
    let memory = call.around.memory(&call.dir)?;
    call.watch(&memory.reader);
    for warning in memory.warnings {
        call.warn(warning);
    }
    show::show(&memory.reader, &params.reference, project, &asked)
}

/// What the forge wrote down by itself is of use to few, and long.
fn trim(detail: &mut EntityDetail, params: &Params) {
    if !params.commits {
        detail.commits.clear();
    }
    if !params.events {
        detail.events.clear();
        for thread in &mut detail.threads {
            thread.notes.retain(|note| !note.is_system);
        }
        detail.threads.retain(|thread| !thread.notes.is_empty());
    }
}
