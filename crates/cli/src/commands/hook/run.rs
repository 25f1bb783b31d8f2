//! `lore hook run`: an event of an agent comes in, what lore has to say goes out.
//!
//! Never fails and never delays: whatever goes wrong, the process ends with 0 and
//! nothing said, and it ends in a tenth of a second.

use crate::agents::activity::{Activity, WorkPlace};
use crate::agents::client_event::ClientEvent;
use crate::agents::sessions::{PushDescription, Session, Sessions};
use crate::agents::watchdog::Watchdog;
use crate::agents::{self, Agent};
use crate::config::repo_trust::{self, Repository};
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Painter, Ui};
use insight::push::{
    self, EDIT_BUDGET, LOOK_BUDGET, MemoryAccess, PROMPT_BUDGET, Push, PushContext, PushEvent,
    PushLine, SESSION_START_BUDGET,
};
use memory::{Root, index};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;
use store::Reader;

/// The longest a hook may take, from the start of the process.
const DEADLINE: Duration = Duration::from_millis(100);

#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Agent that runs the hook
    #[arg(long, value_name = "AGENT")]
    agent: String,
    /// Event: session-start, prompt, before-tool, after-tool or sub-agent
    #[arg(long, value_name = "EVENT")]
    event: String,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct HookPush {
    #[serde(flatten)]
    pub push: Push,
    /// What the hook prints.
    #[serde(skip)]
    printed: String,
}

impl RunArgs {
    pub fn push(&self, ctx: &Ctx, ui: &mut Ui) -> HookPush {
        let watchdog = Watchdog::start(deadline(ctx));
        if !ctx.globals.json {
            ui.write_verbatim();
        }
        // A settings file of another version may name what this one does not know.
        let (Some(agent), Some(event)) =
            (agents::named(&self.agent), PushEvent::parse(&self.event))
        else {
            return HookPush::default();
        };
        let push = catch_unwind(AssertUnwindSafe(|| said(ctx, ui, agent, event)));
        let push = match push {
            Ok(Ok(push)) => push,
            Ok(Err(error)) => {
                ui.detail(&format!("nothing said: {error}"));
                Push::default()
            }
            Err(_) => Push::default(),
        };
        let printed = agent.printed(event, &push.text());
        watchdog.hold();
        HookPush { push, printed }
    }
}

/// `LORE_HOOK_DEADLINE_MS` is for machines that are slower than a person's.
fn deadline(ctx: &Ctx) -> Duration {
    let set = ctx.env.var("LORE_HOOK_DEADLINE_MS").and_then(|text| text.parse().ok());
    let whole = set.map_or(DEADLINE, Duration::from_millis);
    whole.saturating_sub(ctx.env.elapsed())
}

fn said(ctx: &Ctx, ui: &mut Ui, agent: &Agent, event: PushEvent) -> Result<Push> {
    let told = ClientEvent::read(&crate::commands::remember::stdin()?);
    let dir = told.dir.clone().filter(|dir| dir.is_dir());
    let dir = dir.unwrap_or_else(|| ctx.env.cwd.clone());
    let Some(repository) = Repository::around(&dir) else { return Ok(Push::default()) };
    let is_trusted = repo_trust::folder_trust(&ctx.env);
    let is_trusted = is_trusted(&repository.top);
    let place = WorkPlace {
        dir: &dir.canonicalize().unwrap_or_else(|_| dir.clone()),
        top: &repository.top,
        home: ctx.env.home.as_deref(),
        is_after: event == PushEvent::AfterTool,
    };
    let activity = told.tool.as_ref().map(|call| Activity::of(call, &place)).unwrap_or_default();
    let is_about_tool = matches!(event, PushEvent::BeforeTool | PushEvent::AfterTool);
    if is_about_tool && (!is_trusted || activity == Activity::default()) {
        return Ok(Push::default());
    }
    let roots = roots(ctx, &dir, is_trusted);
    if !is_trusted && (event != PushEvent::Prompt || roots.is_empty()) {
        return Ok(Push::default());
    }
    let database = repo_trust::database(&ctx.env, ctx.config(ui)?)?;
    if let Some(refusal) = database.refusal() {
        return Err(refusal);
    }
    if event == PushEvent::Prompt
        && !roots.is_empty()
        && let Err(error) = ctx
            .writable_db(ui)
            .and_then(|path| pipeline::memory::try_refresh_only(&path, &roots, ctx.now()))
    {
        ui.detail(&format!("memory files were not read again: {error}"));
    }
    let reader = Reader::open(&database)?;
    let context = PushContext {
        scope: if is_trusted { push::scope_here(&reader, &repository.top)? } else { None },
        memory: memory_access(&reader, &dir, &roots, is_trusted, event)?,
        now: ctx.now(),
        reader: &reader,
    };
    let sessions = Sessions::new(ctx.env.state_dir());
    let mut session = sessions.open(agent.name, &told.session);
    if told.is_reset {
        session.forget();
    }
    let (lines, budget) = lines(&context, event, &told, &activity, &session)?;
    let push = push::select(lines, budget, &|key| session.is_said(key));
    let occasion = PushDescription {
        at: ctx.now(),
        agent: agent.name,
        event,
        dir: repository.top.display().to_string(),
        about: if is_about_tool { activity.about() } else { String::new() },
        millis: u64::try_from(ctx.env.elapsed().as_millis()).unwrap_or(u64::MAX),
        is_reset: told.is_reset,
    };
    if !push.lines.is_empty() || told.is_reset {
        session.note(&occasion.record(&session, &push));
    }
    if event == PushEvent::SessionStart {
        sessions.sweep(ctx.now());
    }
    Ok(push)
}

fn lines(
    context: &PushContext<'_>,
    event: PushEvent,
    told: &ClientEvent,
    activity: &Activity,
    session: &Session,
) -> Result<(Vec<PushLine>, usize)> {
    Ok(match event {
        PushEvent::SessionStart => (push::at_session_start(context)?, SESSION_START_BUDGET),
        PushEvent::SubAgent => (sub_agent(context)?, SESSION_START_BUDGET),
        PushEvent::Prompt => {
            let is_said = |key: &str| session.is_said(key);
            (push::for_prompt(context, &told.prompt, &is_said)?, PROMPT_BUDGET)
        }
        PushEvent::BeforeTool | PushEvent::AfterTool if !activity.edits.is_empty() => {
            (push::before_edit(context, &activity.edits)?, EDIT_BUDGET)
        }
        PushEvent::BeforeTool => (Vec::new(), EDIT_BUDGET),
        PushEvent::AfterTool => {
            let mut lines = push::after_read(context, &activity.reads)?;
            if let Some(search) = &activity.search {
                lines.extend(push::after_search(context, search)?);
            }
            (lines, LOOK_BUDGET)
        }
    })
}

/// Every sub-agent begins with an empty context: it is told whoever was told before.
fn sub_agent(context: &PushContext<'_>) -> Result<Vec<PushLine>> {
    let mut lines = push::for_sub_agent(context)?;
    for line in &mut lines {
        line.key = format!("sub-agent:{}", context.now.as_millis());
    }
    Ok(lines)
}

/// The memory that may speak here.
fn roots(ctx: &Ctx, dir: &Path, is_trusted: bool) -> Vec<Root> {
    let around = memory_roots::around_dir(dir).filter(|_| is_trusted);
    let all = around.into_iter().chain(memory_roots::personal(ctx));
    all.filter(|root| root.dir.is_dir()).collect()
}

fn memory_access(
    reader: &Reader,
    dir: &Path,
    roots: &[Root],
    is_trusted: bool,
    event: PushEvent,
) -> Result<MemoryAccess> {
    let known = store::memory::roots(reader)?;
    let dirs: Vec<String> = roots.iter().map(index::path_text).collect();
    let ids: Vec<_> =
        known.iter().filter(|row| dirs.contains(&row.path)).map(|row| row.id).collect();
    // Where it is asked from ranks what a prompt gets, and git may have to be run for it.
    let ranks = event == PushEvent::Prompt && !ids.is_empty();
    let around = memory_roots::around_dir(dir).filter(|_| is_trusted && ranks);
    let from = memory_roots::standpoint(reader, around.as_ref())?;
    Ok(MemoryAccess { roots: ids, dirs, from })
}

impl HookPush {
    pub fn text(&self, out: &mut Painter) {
        out.verbatim(&self.printed);
    }
}
