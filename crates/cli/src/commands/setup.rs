use super::Run;
use super::agents::{carry_out, top};
use super::hook;
use crate::agents::file_plan::{self, FileState, FileStep, PlannedFile};
use crate::agents::settings_file::SettingsFile;
use crate::agents::{AGENTS, pointers};
use crate::code_args::ScopeArgs;
use crate::config::repo_trust::Repository;
use crate::config::trust::{Pins, RepositoryPin};
use crate::config::write::Template;
use crate::config::{glab, repo_trust};
use crate::ctx::Ctx;
use crate::mcp::SKILL;
use crate::mcp::clients::{CLIENTS, Client, Scope, Start};
use crate::ui::{Label, Painter, Show, Ui};
use crate::{run_index, run_pipeline};
use code::index::Request;
use model::suggest::nearest;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::{Reader, repos};

/// Set up lore in a clone and tell the coding agents here
///
/// Indexes the repository, finds its GitLab project from the remote, and installs
/// skill, hooks and MCP entry for the agents found on this machine, in your own
/// settings. The repository is trusted: its names and texts may be quoted to
/// agents. Every file is shown before it is written; running it again changes
/// nothing. --remove takes everything out but the index.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore setup
  lore setup --dry-run
  lore setup --yes --for claude --for codex
  lore setup --remove")]
pub struct Args {
    /// Only for this agent, found or not (repeatable)
    #[arg(long = "for", value_name = "AGENT")]
    only: Vec<String>,
    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking
    #[arg(short, long)]
    yes: bool,
    /// Take out hooks, entries, skills and sections again
    #[arg(long)]
    remove: bool,
    /// Do not write into the repository (AGENTS.md, skills)
    #[arg(long)]
    no_pointers: bool,
    /// Path of the lore binary, if it is not on the agents' PATH
    #[arg(long, value_name = "PATH", default_value = "lore")]
    command: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SetupReport {
    pub repository: String,
    /// Agents that are told.
    pub agents: Vec<String>,
    /// What was done to the index, the trust and the forge.
    pub steps: Vec<SetupStep>,
    pub files: Vec<FileStep>,
    /// A question to begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub try_it: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SetupStep {
    pub name: String,
    pub outcome: String,
}

impl Run for Args {
    type Answer = SetupReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SetupReport> {
        let top = top(ctx)?;
        let names = self.agents(ctx, &top)?;
        let mut planned = self.agent_files(ctx, &names)?;
        if !self.no_pointers {
            planned.extend(pointers::plan(&top, self.remove)?);
        }
        let mut steps = Vec::new();
        if !self.remove {
            steps.push(self.forge(ctx, ui, &top, &mut planned)?);
        }
        let files = carry_out(ctx, ui, &planned, self.dry_run, self.yes)?;
        let is_declined = files.iter().any(|file| file.state == FileState::Planned);
        if self.remove && repo_trust::folder_trust(&ctx.env)(&top) {
            steps.push(step("trust", "still given (lore trust --revoke)"));
        }
        if !self.remove && !is_declined && !self.dry_run {
            steps.push(trust(ctx, &top)?);
            steps.push(index(ctx, ui, &top)?);
        } else if !self.remove && self.dry_run {
            steps.push(step("trust", "would be given to this repository"));
            steps.push(step("index", "would be brought up to date"));
        }
        let try_it = if self.remove || self.dry_run { None } else { question(ctx, ui) };
        Ok(SetupReport {
            repository: top.display().to_string(),
            agents: names,
            steps,
            files,
            try_it,
        })
    }
}

fn step(name: &str, outcome: impl Into<String>) -> SetupStep {
    SetupStep { name: name.to_owned(), outcome: outcome.into() }
}

impl Args {
    /// The agents to tell: those named, or those that have left a trace here.
    fn agents(&self, ctx: &Ctx, top: &Path) -> Result<Vec<String>> {
        let mut known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        known.extend(CLIENTS.iter().map(|client| client.name).filter(|name| *name != "generic"));
        known.sort_unstable();
        known.dedup();
        for name in &self.only {
            if !known.contains(&name.as_str()) {
                let error = Error::usage(format!("lore knows no agent `{name}`"));
                return Err(match nearest(name, known.iter().copied(), 1).first() {
                    Some(near) => error.suggest(format!("did you mean {near}?")),
                    None => error.suggest(format!("known: {}", known.join(", "))),
                });
            }
        }
        if !self.only.is_empty() {
            return Ok(self.only.clone());
        }
        let is_here = |name: &&str| traces(ctx, top, name).iter().any(|path| path.exists());
        Ok(known.into_iter().filter(is_here).map(str::to_owned).collect())
    }

    /// Hooks, MCP entry and skill of each agent, in the user's own settings.
    fn agent_files(&self, ctx: &Ctx, names: &[String]) -> Result<Vec<PlannedFile>> {
        let mut planned: Vec<PlannedFile> = Vec::new();
        for name in names {
            if let Some(agent) = AGENTS.iter().find(|agent| agent.name == name) {
                let program = (!self.remove).then_some(self.command.as_str());
                let found = hook::change(ctx, agent, None, program)?;
                if let Some(after) = found.after {
                    let what = format!("hooks of {}", agent.title);
                    add(&mut planned, what, found.file, found.before, after, self.remove);
                }
            }
            if let Some(client) = CLIENTS.iter().find(|client| client.name == name) {
                self.client_files(ctx, client, &mut planned)?;
            }
        }
        Ok(planned)
    }

    fn client_files(
        &self,
        ctx: &Ctx,
        client: &Client,
        planned: &mut Vec<PlannedFile>,
    ) -> Result<()> {
        if let Some(path) = client.settings(Scope::User, &ctx.env, None)? {
            let file = SettingsFile { path: path.clone(), top: None };
            // Hooks and servers may stand in one file.
            let earlier = planned.iter().position(|it| it.file == file);
            let before = match earlier {
                Some(at) => planned[at].after.clone(),
                None => file.read()?,
            };
            let start = Start {
                command: self.command.clone(),
                args: vec!["mcp".to_owned(), "--text-only".to_owned()],
            };
            let after = if self.remove {
                client.without_server(&before)
            } else {
                client.with_server(&before, &start)
            };
            let after = after.map_err(|reason| {
                let message = format!("{} cannot be read: {reason}", path.display());
                Error::new(ErrorCode::ConfigInvalid, message)
                    .suggest("mend it, or leave this agent out with --for")
            })?;
            match (after, earlier) {
                (Some(after), Some(at)) => {
                    planned[at].after = after;
                    planned[at].what.push_str(" and MCP entry");
                }
                (Some(after), None) => {
                    let what = format!("MCP entry of {}", client.title);
                    add(planned, what, file, before, after, self.remove);
                }
                (None, _) => {}
            }
        }
        if let Ok(path) = client.skill(Scope::User, &ctx.env, None) {
            let file = SettingsFile { path, top: None };
            let before = file.read()?;
            let after = if self.remove { String::new() } else { SKILL.to_owned() };
            if before != after {
                let what = format!("skill for {}", client.title);
                add(planned, what, file, before, after, self.remove);
            }
        }
        Ok(())
    }

    /// Settings for the forge of the remote, where there are none yet.
    fn forge(
        &self,
        ctx: &Ctx,
        ui: &mut Ui,
        top: &Path,
        planned: &mut Vec<PlannedFile>,
    ) -> Result<SetupStep> {
        let config = ctx.config(ui)?;
        if config.base_url().is_ok() && !config.projects().is_empty() {
            return Ok(step("forge", "is set up already"));
        }
        let Some(remote) = insight::projects::forge_of(top) else {
            return Ok(step("forge", "no remote leads to one"));
        };
        let host = remote.host.clone();
        let token_file = if ctx.env.var("GITLAB_TOKEN").is_some() {
            None
        } else {
            let kept = glab::config_file(&ctx.env).filter(|path| glab::has_token(path, &host));
            let Some(path) = kept else {
                let outcome =
                    format!("{host} may be a GitLab; with a token in GITLAB_TOKEN, run: lore init");
                return Ok(step("forge", outcome));
            };
            if !self.may_use_glab(ui, &host)? {
                return Ok(step("forge", "left out; run: lore init"));
            }
            Some(path.display().to_string())
        };
        let path = ctx.env.config_dir().map(|dir| dir.join("lore.toml"));
        let Some(path) = path.filter(|path| !path.exists()) else {
            let outcome = "your config has no project of this remote; add it under [[projects]]";
            return Ok(step("forge", outcome));
        };
        let template = Template {
            base_url: remote.base_url.clone(),
            token_env_var: "GITLAB_TOKEN".to_owned(),
            token_file,
            projects: vec![remote.project.clone()],
            repos: vec![top.display().to_string()],
        };
        let file = SettingsFile { path, top: None };
        let what = format!("settings for {} on {host}", remote.project);
        add(planned, what, file, String::new(), template.render(), false);
        Ok(step("forge", format!("{} on {host}; then run: lore sync", remote.project)))
    }

    fn may_use_glab(&self, ui: &mut Ui, host: &str) -> Result<bool> {
        if self.yes || self.dry_run {
            return Ok(true);
        }
        let question = format!("Use the token that glab keeps for {host}? (y/n)");
        Ok(ui.can_ask() && ui.ask(&question, Some("y"))?.starts_with(['y', 'Y']))
    }
}

fn add(
    planned: &mut Vec<PlannedFile>,
    what: String,
    file: SettingsFile,
    before: String,
    after: String,
    is_removal: bool,
) {
    planned.push(PlannedFile { what, file, before, after, is_removal });
}

/// Folders by which an agent is known to be here.
fn traces(ctx: &Ctx, top: &Path, name: &str) -> Vec<PathBuf> {
    let home = ctx.env.home.as_deref();
    let configs = ctx.env.config_dir().and_then(|own| own.parent().map(Path::to_path_buf));
    let below = |folder: &str| home.map(|home| home.join(folder));
    let config = |folder: &str| configs.as_ref().map(|dir| dir.join(folder));
    let all = match name {
        "claude" => vec![below(".claude"), below(".claude.json"), Some(top.join(".claude"))],
        "codex" => vec![below(".codex"), Some(top.join(".codex"))],
        "gemini" => vec![below(".gemini"), Some(top.join(".gemini"))],
        "cursor" => vec![below(".cursor"), Some(top.join(".cursor"))],
        "copilot" => vec![below(".copilot")],
        "opencode" => vec![config("opencode"), Some(top.join(".opencode"))],
        "vscode" => vec![config("Code")],
        "zed" => vec![config("zed"), Some(top.join(".zed"))],
        _ => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

/// Setting lore up is agreeing to what the repository says.
fn trust(ctx: &Ctx, top: &Path) -> Result<SetupStep> {
    if repo_trust::folder_trust(&ctx.env)(top) {
        return Ok(step("trust", "given already"));
    }
    let Some(repository) = Repository::around(top) else {
        return Ok(step("trust", "not needed"));
    };
    let mut pins = Pins::load(&ctx.env)?;
    let origin = repository.origin();
    let databases = pins.repositories.get(&repository.key).is_some_and(|pin| pin.databases);
    pins.repositories.insert(repository.key, RepositoryPin { origin, memory: true, databases });
    pins.save()?;
    Ok(step("trust", "its names, texts and memory may be quoted to agents (lore trust --revoke)"))
}

fn index(ctx: &Ctx, ui: &mut Ui, top: &Path) -> Result<SetupStep> {
    let request = Request {
        url: None,
        rev: None,
        work_tree: false,
        full: false,
        n_threads: run_pipeline::n_threads(),
    };
    let done = run_index::run(ctx, ui, top, request)?;
    let (symbols, files) = (done.code.symbols, done.code.files);
    Ok(step("index", format!("{symbols} symbols in {files} files")))
}

/// A question about the symbol that is called most.
fn question(ctx: &Ctx, ui: &mut Ui) -> Option<String> {
    let reader = Reader::open(&ctx.db_path(ui).ok()?).ok()?;
    let places = repos::places(&reader).ok()?;
    insight::repos::place_around(&places, &ctx.env.cwd)?;
    let scope = ScopeArgs::here(ctx, &reader).ok()?;
    let map = insight::code::map::map(&reader, &scope, None, &[]).ok()?;
    let symbol = map.most_called.first()?;
    let name = symbol.at.symbol.rsplit('.').next()?.to_owned();
    Some(format!("lore \"who calls {name}()\""))
}

impl Show for SetupReport {
    fn text(&self, out: &mut Painter) {
        file_plan::text(&self.files, out);
        for step in &self.steps {
            out.field(&step.name, &step.outcome);
        }
        let agents = match self.agents.as_slice() {
            [] => "none found; name one with --for".to_owned(),
            names => names.join(", "),
        };
        out.field("agents", &agents);
        if let Some(question) = &self.try_it {
            out.text("try: ").label(Label::Id, question).end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_leaves_a_trace_that_is_looked_for() {
        let vars = [("HOME".to_owned(), "/home/me".to_owned())].into_iter().collect();
        let env = crate::env::Env::from_vars(vars, "/".into());
        let ctx = Ctx::new(env, crate::args::Globals::default());
        let names = AGENTS.iter().map(|agent| agent.name);
        for name in names.chain(CLIENTS.iter().map(|client| client.name)) {
            let found = traces(&ctx, Path::new("/repo"), name);
            assert_eq!(found.is_empty(), name == "generic", "{name}");
            assert!(
                crate::mcp::clients::find(name).is_ok()
                    || AGENTS.iter().any(|agent| agent.name == name)
            );
        }
    }
}
