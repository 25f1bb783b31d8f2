//! `lore hook`: what lore says to coding agents, and what git tells lore; one file per subcommand.

mod install;
mod log;
mod run;

use super::Run;
use crate::ctx::Ctx;
use crate::daemon::client;
use crate::git_hooks::{self, GitHookReport};
use crate::ui::{Painter, Show, Ui};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;

pub use install::{HookChange, HookState, change};

/// Install hooks for coding agents and git
///
/// With --git, git tells the daemon of commits: `lore daemon` then indexes them at
/// once. Hooks that are there are kept and still run. With --agent, registers hooks in the agent's settings: at the start of a session, with a
/// prompt, before an edit, after a read or search, for sub-agents, as far as the
/// agent has them. lore speaks only in repositories you trust (`lore trust`),
/// and only when it knows what the agent's own tools could not tell. Agents:
/// claude, codex, gemini, cursor, copilot, opencode.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore hook install --agent claude
  lore hook install --agent gemini --project
  lore hook install --agent codex --print
  lore hook remove --agent claude
  lore hook log
  lore hook install --git")]
pub struct Args {
    #[command(subcommand)]
    what: HookCommand,
}

#[derive(Debug, clap::Subcommand)]
enum HookCommand {
    /// Install the hooks; does nothing if they are already installed
    Install(install::InstallArgs),
    /// Remove the hooks
    Remove(install::InstallArgs),
    /// Show what was said to agents, when and at what cost
    Log(log::LogArgs),
    /// Answer an event of an agent on stdin; run by the hooks
    Run(run::RunArgs),
    /// Tell running daemons that the repository here changed
    #[command(hide = true)]
    Notify,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    Change(HookChange),
    Log(log::HookLog),
    Push(run::HookPush),
    Git(GitHookReport),
    /// How many daemons were told.
    Notified {
        told: usize,
    },
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match &self.what {
            HookCommand::Install(args) if args.git => {
                git_hooks::change(ctx, true).map(Answer::Git)
            }
            HookCommand::Remove(args) if args.git => {
                git_hooks::change(ctx, false).map(Answer::Git)
            }
            HookCommand::Notify => {
                Ok(Answer::Notified { told: client::tell_changed(&ctx.env, &ctx.env.cwd) })
            }
            HookCommand::Install(args) => args.install(ctx, ui).map(Answer::Change),
            HookCommand::Remove(args) => args.remove(ctx).map(Answer::Change),
            HookCommand::Log(args) => Ok(Answer::Log(args.log(ctx))),
            HookCommand::Run(args) => Ok(Answer::Push(args.push(ctx, ui))),
        }
    }
}

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::Change(change) => change.text(out),
            Answer::Log(log) => log.text(out),
            Answer::Push(push) => push.text(out),
            Answer::Git(report) => report.text(out),
            Answer::Notified { .. } => {}
        }
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
