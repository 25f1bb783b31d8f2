use super::Run;
use crate::agents;
use crate::agents::settings_file::SettingsFile;
use crate::ctx::Ctx;
use crate::daemon::client;
use crate::git_hooks::{self, GitHookReport};
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Install hooks for coding agents and git
///
/// With --git, git tells the daemon of commits: `lore daemon` then has them indexed
/// at once. Hooks that are there are kept and still run. With --agent, registers `lore inject` as the prompt hook in the agent's settings file. All
/// other settings are kept, including order and comments. Agents: claude, codex,
/// gemini.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore hook install --agent claude
  lore hook install --agent gemini --project
  lore hook install --agent codex --print
  lore hook remove --agent claude
  lore hook install --git")]
pub struct Args {
    #[command(subcommand)]
    what: HookCommand,
}

#[derive(Debug, clap::Subcommand)]
enum HookCommand {
    /// Install the hook; does nothing if it is already installed
    Install(HookArgs),
    /// Remove the hook
    Remove(HookArgs),
    /// Tell running daemons that the repository here changed
    #[command(hide = true)]
    Notify,
}

#[derive(Debug, clap::Args)]
struct HookArgs {
    /// Agent: claude, codex or gemini
    #[arg(long, value_name = "AGENT", required_unless_present = "git")]
    agent: Option<String>,
    /// The hooks of this git repository
    #[arg(long, conflicts_with_all = ["agent", "project", "print"])]
    git: bool,
    /// Use the settings of this repository instead of your own
    #[arg(long)]
    project: bool,
    /// Print the resulting settings file without writing it
    #[arg(long)]
    print: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HookAnswer {
    Agent(HookChange),
    Git(GitHookReport),
    /// How many daemons were told.
    Notified { told: usize },
}

impl Show for HookAnswer {
    fn text(&self, out: &mut Painter) {
        match self {
            HookAnswer::Agent(change) => change.text(out),
            HookAnswer::Git(report) => report.text(out),
            HookAnswer::Notified { .. } => {}
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HookChange {
    pub agent: String,
    /// The settings file.
    pub file: String,
    pub state: HookState,
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

impl Run for Args {
    type Answer = HookAnswer;

    fn run(&self, ctx: &Ctx, _: &mut Ui) -> Result<HookAnswer> {
        let (args, is_install) = match &self.what {
            HookCommand::Install(args) => (args, true),
            HookCommand::Remove(args) => (args, false),
            HookCommand::Notify => {
                let told = client::tell_changed(&ctx.env, &ctx.env.cwd);
                return Ok(HookAnswer::Notified { told });
            }
        };
        if args.git {
            return git_hooks::change(ctx, is_install).map(HookAnswer::Git);
        }
        args.change(ctx, is_install).map(HookAnswer::Agent)
    }
}

impl HookArgs {
    fn change(&self, ctx: &Ctx, is_install: bool) -> Result<HookChange> {
        let args = self;
        let agent = agents::find(args.agent.as_deref().unwrap_or_default())?;
        let base = base(ctx, args.project)?;
        let path = agent.path(&base);
        let file = SettingsFile { path: path.clone(), top: args.project.then_some(base) };
        let before = file.read()?;
        let changed =
            if is_install { agent.with_hook(&before) } else { agent.without_hook(&before) };
        let changed = changed.map_err(|reason| {
            Error::new(
                ErrorCode::ConfigInvalid,
                format!("{} is not what {} writes: {reason}", path.display(), agent.title),
            )
            .suggest("mend it, or see `lore hook install --print` and add the hook by hand")
        })?;
        let (state, settings) = match changed {
            changed if args.print => (HookState::Shown, Some(changed.unwrap_or(before))),
            None if is_install => (HookState::Present, None),
            None => (HookState::Absent, None),
            Some(text) => {
                file.write(&text)?;
                (if is_install { HookState::Installed } else { HookState::Removed }, None)
            }
        };
        Ok(HookChange {
            agent: agent.name.to_owned(),
            file: path.display().to_string(),
            state,
            settings,
        })
    }
}

fn base(ctx: &Ctx, is_project: bool) -> Result<PathBuf> {
    if !is_project {
        return ctx.env.home.clone().ok_or_else(|| {
            Error::not_found("HOME is not set").suggest("use --project to write to the repository")
        });
    }
    let root = memory_roots::around(ctx);
    let top = root.as_ref().and_then(|root| root.top().map(Path::to_path_buf));
    top.ok_or_else(|| Error::not_found("here is no repository").suggest("leave out --project"))
}

impl HookChange {
    fn text(&self, out: &mut Painter) {
        if let Some(settings) = &self.settings {
            out.verbatim(settings);
            return;
        }
        let title = agents::named(&self.agent).map_or(self.agent.as_str(), |agent| agent.title);
        let word = match self.state {
            HookState::Installed => "asks memory from now on",
            HookState::Present => "asks memory already",
            HookState::Removed => "asks memory no more",
            HookState::Absent => "did not ask memory",
            HookState::Shown => "",
        };
        out.text(&format!("{title} {word}: ")).label(Label::Path, &self.file).end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::{AGENTS, Agent};

    #[test]
    fn the_help_names_every_agent() {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("hook"));
        let help = command.get_long_about().unwrap().to_string();
        for Agent { name, .. } in AGENTS {
            assert!(help.contains(name), "{name}");
        }
    }
}
