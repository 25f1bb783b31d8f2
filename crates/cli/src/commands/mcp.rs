use super::Run;
use crate::agents::settings_file::SettingsFile;
use crate::config::token;
use crate::ctx::Ctx;
use crate::interrupt;
use crate::mcp::clients::{self, Scope, Start};
use crate::mcp::{CliHost, SKILL};
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serve::mcp::{ToolSelection, HttpOptions, Options, McpHost};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Run the MCP server for coding agents
///
/// Uses stdin and stdout; --http serves streamable HTTP instead. A repository
/// that is not indexed yet is indexed in the background. --tools takes core
/// (default), code, forge, memory, all, and tool names.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  lore mcp install claude
  lore mcp install codex --scope project --print
  lore mcp --tools core,person
  lore mcp --http 127.0.0.1:7777"
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<McpCommand>,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Debug, clap::Args)]
struct ServeArgs {
    /// Listen on this address; any address but loopback needs a token
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Tools to offer (repeatable)
    #[arg(long, value_name = "TOOLS", default_value = "core")]
    tools: Vec<String>,
    /// Approximate maximum of tokens per answer
    #[arg(long, value_name = "N", default_value_t = Options::MAX_TOKENS as u32,
          value_parser = clap::value_parser!(u32).range(500..=50_000))]
    max_tokens: u32,
    /// Answer in text only, without the JSON form beside it, as agents are anyway
    #[arg(long)]
    text_only: bool,
    /// Do not index repositories automatically
    #[arg(long)]
    no_index: bool,
}

#[derive(Debug, clap::Subcommand)]
enum McpCommand {
    /// Register lore with claude, cursor, vscode, codex, gemini, copilot, zed, generic
    Install(InstallArgs),
    /// Print the skill for agents that use skills
    Skill,
}

#[derive(Debug, clap::Args)]
struct InstallArgs {
    /// The agent
    #[arg(value_name = "CLIENT")]
    client: String,
    /// Your user settings, or the settings of this repository
    #[arg(long, value_enum, default_value = "user")]
    scope: Scope,
    /// Print the resulting settings file without writing it
    #[arg(long)]
    print: bool,
    /// Write to this file instead
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Tools to offer (repeatable)
    #[arg(long, value_name = "TOOLS")]
    tools: Vec<String>,
    /// Path of the lore binary, if it is not on the agent's PATH
    #[arg(long, value_name = "PATH", default_value = "lore")]
    command: String,
    /// Also write the skill file
    #[arg(long)]
    skill: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    InstallResult(InstallResult),
    Text {
        text: String,
    },
    /// The client has closed the connection.
    Served {},
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct InstallResult {
    pub client: String,
    /// The settings file; none where the agent's is not known.
    pub file: Option<String>,
    pub state: EntryState,
    /// The whole file as it would be; only with `--print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The file the skill was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    Installed,
    /// It was there already.
    Present,
    /// Only shown.
    Shown,
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match &self.what {
            Some(McpCommand::Install(args)) => args.install(ctx).map(Answer::InstallResult),
            Some(McpCommand::Skill) => Ok(Answer::Text { text: SKILL.to_owned() }),
            None => self.serve.serve(ctx, ui).map(|()| Answer::Served {}),
        }
    }
}

impl ServeArgs {
    fn serve(&self, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
        let options = Options {
            tools: ToolSelection::parse(&self.tools)?,
            max_tokens: self.max_tokens as usize,
            indexes: !self.no_index,
            text_only: self.text_only,
            ..Options::new(ctx.env.cwd.clone())
        };
        let around: Arc<dyn McpHost> =
            Arc::new(CliHost::new(ctx.env.clone(), ctx.globals.clone()));
        // stdout is the protocol's from here on, whatever happens.
        ui.leave_stdout();
        let Some(address) = self.http else {
            return interrupt::serve(serve::mcp::stdio(around, options));
        };
        let token = token::of_mcp(ctx.config(ui)?, &ctx.env)?;
        let token = token.map(|token| token.secret);
        let http = HttpOptions { address, token, own_secret: Vec::new() };
        let mut listening = |address: SocketAddr| {
            ui.note(&format!("listening on http://{address}{}", serve::mcp::HTTP_PATH));
        };
        interrupt::serve(serve::mcp::http(
            around,
            options,
            http,
            &mut listening,
            interrupt::interrupted(),
        ))
    }
}

impl InstallArgs {
    fn install(&self, ctx: &Ctx) -> Result<InstallResult> {
        let client = clients::find(&self.client)?;
        // Agents hand on all they get: both forms would cost twice.
        let mut args = vec!["mcp".to_owned(), "--text-only".to_owned()];
        if !self.tools.is_empty() {
            ToolSelection::parse(&self.tools)?;
            args.extend(["--tools".to_owned(), self.tools.join(",")]);
        }
        let start = Start { command: self.command.clone(), args };
        let root = memory_roots::around(ctx);
        let top = root.as_ref().and_then(|root| root.top().map(Path::to_path_buf));
        let file = match &self.file {
            Some(file) => Some(ctx.env.resolve(&file.to_string_lossy(), &ctx.env.cwd)),
            None => client.settings(self.scope, &ctx.env, top.as_deref())?,
        };
        let tree = top.clone().filter(|_| self.scope == Scope::Project);
        let settings = file.clone().map(|path| SettingsFile {
            path,
            // A file that was named is the user's choice.
            top: tree.clone().filter(|_| self.file.is_none()),
        });
        let before = settings.as_ref().map(SettingsFile::read).transpose()?.unwrap_or_default();
        let changed = client.with_server(&before, &start).map_err(|reason| {
            let file = file.as_deref().unwrap_or(Path::new("the file"));
            Error::new(
                ErrorCode::ConfigInvalid,
                format!("{} is not what {} writes: {reason}", file.display(), client.title),
            )
            .suggest("mend it, or see `lore mcp install --print generic` and enter lore by hand")
        })?;
        let shown = |file: &Path| file.display().to_string();
        let mut entered = InstallResult {
            client: client.name.to_owned(),
            file: file.as_deref().map(shown),
            state: EntryState::Shown,
            settings: None,
            skill: None,
        };
        // Where the file is not known there is nothing but showing.
        match (changed, &settings) {
            (changed, None) => entered.settings = Some(changed.unwrap_or(before)),
            (changed, Some(_)) if self.print => entered.settings = Some(changed.unwrap_or(before)),
            (None, Some(_)) => entered.state = EntryState::Present,
            (Some(text), Some(file)) => {
                file.write(&text)?;
                entered.state = EntryState::Installed;
            }
        }
        if self.skill && !self.print {
            let file = client.skill(self.scope, &ctx.env, top.as_deref())?;
            SettingsFile { path: file.clone(), top: tree }.write(SKILL)?;
            entered.skill = Some(shown(&file));
        }
        Ok(entered)
    }
}

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::InstallResult(entered) => entered.text(out),
            Answer::Text { text } => {
                out.verbatim(text);
            }
            Answer::Served {} => {}
        }
    }
}

impl InstallResult {
    fn text(&self, out: &mut Painter) {
        if let Some(settings) = &self.settings {
            out.verbatim(settings);
        } else {
            let title = clients::find(&self.client).map_or(self.client.as_str(), |it| it.title);
            let word = match self.state {
                EntryState::Present => "knows lore already",
                _ => "knows lore from its next start on",
            };
            let file = self.file.as_deref().unwrap_or_default();
            out.text(&format!("{title} {word}: ")).label(Label::Path, file).end();
        }
        if let Some(skill) = &self.skill {
            out.text("skill: ").label(Label::Path, skill).end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_every_agent_and_group() {
        let mut command = <Args as clap::Args>::augment_args(clap::Command::new("mcp"));
        let about = command.get_long_about().unwrap().to_string();
        for group in serve::mcp::Group::ALL {
            assert!(about.contains(group.as_str()), "{}", group.as_str());
        }
        let help = command.render_help().to_string();
        for client in clients::CLIENTS {
            assert!(help.contains(client.name), "{}", client.name);
        }
    }
}
