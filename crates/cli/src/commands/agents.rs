use super::Run;
use crate::agents::file_plan::{self, FileState, FileStep, PlannedFile};
use crate::agents::pointers::{self, SUB_AGENT_TOOLS};
use crate::agents::restore::Originals;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Painter, Show, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Point coding agents at lore in this repository
///
/// `init` writes a section of at most 12 lines into AGENTS.md (and into
/// CLAUDE.md, GEMINI.md, .cursor/rules and copilot-instructions.md where they
/// are), and a skill. Shows every change before it writes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore agents init
  lore agents init --dry-run
  lore agents init --yes
  lore agents init --remove")]
pub struct Args {
    #[command(subcommand)]
    what: AgentsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum AgentsCommand {
    /// Write the section and the skill; does nothing if they are there
    Init(InitArgs),
}

#[derive(Debug, clap::Args)]
struct InitArgs {
    /// Take out what was written
    #[arg(long)]
    remove: bool,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentFiles {
    pub files: Vec<FileStep>,
    /// What definitions of sub-agents that list their tools must name.
    pub sub_agent_tools: &'static str,
}

impl Run for Args {
    type Answer = AgentFiles;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<AgentFiles> {
        let AgentsCommand::Init(args) = &self.what;
        let planned = pointers::plan(&top(ctx)?, args.remove)?;
        let files = carry_out(ctx, ui, &planned, args.dry_run, args.yes)?;
        Ok(AgentFiles { files, sub_agent_tools: SUB_AGENT_TOOLS })
    }
}

/// The top of the work tree around.
pub fn top(ctx: &Ctx) -> Result<PathBuf> {
    let root = memory_roots::around(ctx);
    root.as_ref().and_then(|root| root.top().map(Path::to_path_buf)).ok_or_else(|| {
        Error::not_found("here is no repository").suggest("go into a clone and try again")
    })
}

/// Shows the changes, asks where there is somebody to ask, and makes them.
pub fn carry_out(
    ctx: &Ctx,
    ui: &mut Ui,
    planned: &[PlannedFile],
    is_dry_run: bool,
    is_agreed: bool,
) -> Result<Vec<FileStep>> {
    let steps = || -> Vec<FileStep> {
        planned.iter().map(|file| file.step(FileState::Planned)).collect()
    };
    if is_dry_run || planned.is_empty() {
        return Ok(steps());
    }
    if !is_agreed {
        if !ui.can_ask() {
            return Err(Error::usage("nobody is there to agree to these changes")
                .suggest("look at them with --dry-run, then run it again with --yes"));
        }
        let mut shown = Painter::new(*ui.look());
        file_plan::text(&steps(), &mut shown);
        ui.note(shown.finish().trim_end());
        if !ui.ask("Write these files? (y/n)", Some("y"))?.to_lowercase().starts_with('y') {
            return Ok(steps());
        }
    }
    let originals = Originals::new(ctx.env.state_dir());
    planned.iter().map(|file| file.carry_out(&originals)).collect()
}

impl Show for AgentFiles {
    fn text(&self, out: &mut Painter) {
        file_plan::text(&self.files, out);
        if self.files.is_empty() {
            out.footer("nothing to change");
        } else {
            out.field("sub-agents", &format!("list these tools: {}", self.sub_agent_tools));
        }
    }
}
