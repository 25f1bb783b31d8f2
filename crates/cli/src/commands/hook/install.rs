//! `lore hook install` and `remove`.

use crate::agents::restore::Originals;
use crate::agents::settings_file::SettingsFile;
use crate::agents::{self, Agent};
use crate::config::repo_trust;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Label, Painter, Ui};
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    /// Agent: claude, codex, gemini, cursor, copilot or opencode
    #[arg(long, value_name = "AGENT", required_unless_present = "git")]
    agent: Option<String>,
    /// The hooks of this git repository
    #[arg(long, conflicts_with_all = ["agent", "project", "print"])]
    pub(super) git: bool,
    /// Use the settings of this repository instead of your own
    #[arg(long)]
    project: bool,
    /// Print the resulting settings file without writing it
    #[arg(long)]
    print: bool,
    /// Path of the lore binary, if it is not on the agent's PATH
    #[arg(long, value_name = "PATH", default_value = "lore")]
    command: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HookChange {
    pub agent: String,
    /// The settings file.
    pub file: String,
    pub state: HookState,
    /// Events of the agent at which lore may speak.
    pub events: Vec<String>,
    /// The whole file as it would be; only with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    Installed,
    /// It was there already.
    Present,
    Removed,
    /// It was not there.
    Absent,
    /// Only shown.
    Shown,
}

/// What an installation or removal would make of a settings file.
pub struct SettingsChange {
    pub file: SettingsFile,
    pub before: String,
    /// None where nothing is to be done.
    pub after: Option<String>,
}

/// Reads the settings of an agent and says what they would become.
pub fn change(
    ctx: &Ctx,
    agent: &Agent,
    top: Option<&Path>,
    program: Option<&str>,
) -> Result<SettingsChange> {
    let path = agent.path(&ctx.env, top)?;
    let file = SettingsFile { path: path.clone(), top: top.map(Path::to_path_buf) };
    let before = file.read()?;
    let changed = match program {
        Some(program) => agent.with_hooks(&before, program),
        None => agent.without_hooks(&before),
    };
    let after = changed.map_err(|reason| {
        Error::new(
            ErrorCode::ConfigInvalid,
            format!("{} is not what {} writes: {reason}", path.display(), agent.title),
        )
        .suggest("mend it, or see `lore hook install --print` and add the hooks by hand")
    })?;
    Ok(SettingsChange { file, before, after })
}

impl InstallArgs {
    pub fn install(&self, ctx: &Ctx, ui: &mut Ui) -> Result<HookChange> {
        let agent = agents::find(self.agent.as_deref().unwrap_or_default())?;
        let top = self.top(ctx)?;
        let found = change(ctx, agent, top.as_deref(), Some(&self.command))?;
        let (state, settings) = match found.after {
            after if self.print => (HookState::Shown, Some(after.unwrap_or(found.before))),
            None => (HookState::Present, None),
            Some(text) => {
                originals(ctx).write(&found.file, &found.before, &text)?;
                (HookState::Installed, None)
            }
        };
        if state == HookState::Installed {
            if let Some(remark) = agent.remark {
                ui.note(remark);
            }
            if !is_trusted(ctx) {
                ui.note("lore speaks in repositories you trust; in each of them, run: lore trust");
            }
        }
        Ok(told(agent, &found.file, state, settings))
    }

    pub fn remove(&self, ctx: &Ctx) -> Result<HookChange> {
        let agent = agents::find(self.agent.as_deref().unwrap_or_default())?;
        let top = self.top(ctx)?;
        let found = change(ctx, agent, top.as_deref(), None)?;
        let (state, settings) = match found.after {
            after if self.print => (HookState::Shown, Some(after.unwrap_or(found.before))),
            None => (HookState::Absent, None),
            Some(text) => {
                originals(ctx).put_back(&found.file, &found.before, &text)?;
                (HookState::Removed, None)
            }
        };
        Ok(told(agent, &found.file, state, settings))
    }

    fn top(&self, ctx: &Ctx) -> Result<Option<PathBuf>> {
        if !self.project {
            return Ok(None);
        }
        let root = memory_roots::around(ctx);
        let top = root.as_ref().and_then(|root| root.top().map(Path::to_path_buf));
        top.map(Some)
            .ok_or_else(|| Error::not_found("here is no repository").suggest("leave out --project"))
    }
}

pub fn originals(ctx: &Ctx) -> Originals {
    Originals::new(ctx.env.state_dir())
}

/// Whether hooks may speak where the user stands; true outside of repositories.
fn is_trusted(ctx: &Ctx) -> bool {
    repo_trust::folder_trust(&ctx.env)(&ctx.env.cwd)
}

fn told(
    agent: &Agent,
    file: &SettingsFile,
    state: HookState,
    settings: Option<String>,
) -> HookChange {
    let mut events: Vec<String> = agent.events.iter().map(|it| it.name.to_owned()).collect();
    events.dedup();
    HookChange {
        agent: agent.name.to_owned(),
        file: file.path.display().to_string(),
        state,
        events,
        settings,
    }
}

impl HookChange {
    pub fn text(&self, out: &mut Painter) {
        if let Some(settings) = &self.settings {
            out.verbatim(settings);
            return;
        }
        let title = agents::named(&self.agent).map_or(self.agent.as_str(), |agent| agent.title);
        let word = match self.state {
            HookState::Installed => "hears from lore from its next session on",
            HookState::Present => "hears from lore already",
            HookState::Removed => "hears from lore no more",
            HookState::Absent => "did not hear from lore",
            HookState::Shown => "",
        };
        out.text(&format!("{title} {word}: ")).label(Label::Path, &self.file).end();
        if self.state == HookState::Installed {
            out.field("events", &self.events.join(", "));
        }
    }
}
