use super::Run;
use crate::config::file::{CLONE_DIR, TOML_NAME};
use crate::config::repo_trust::FirstMemory;
use crate::config::trust::Pins;
use crate::config::write::{self, Template};
use crate::config::{Config, keys, layer, value};
use crate::ctx::Ctx;
use crate::forge_client::{self, Connection};
use crate::interrupt::block_on;
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use files::ReadError;
use git::{Remote, Repo};
use memory::Root;
use memory::root::RootKind;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A config file that is larger was not written by hand.
const MAX_BYTES: u64 = 1 << 20;

/// Write a config file with server, token and projects
///
/// Asks questions on a terminal; every answer can be a flag. Inside a clone,
/// server, project and repository default to its `origin`. Token and projects
/// are checked against the server before anything is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore init
  lore init --base-url https://gitlab.example.com --project group/app --project group/lib
  lore init --local --no-check --base-url https://gitlab.example.com")]
pub struct Args {
    /// URL of the GitLab server
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Name of the environment variable that holds the token
    #[arg(long, value_name = "NAME")]
    token_env_var: Option<String>,
    /// Project to sync, as group/project (repeatable)
    #[arg(short, long, value_name = "PATH")]
    project: Vec<String>,
    /// Local git repository (repeatable)
    #[arg(short, long, value_name = "PATH")]
    repo: Vec<PathBuf>,
    /// Write .lore/lore.toml in this working tree, and trust it
    #[arg(long)]
    local: bool,
    /// Replace an existing file (kept as lore.toml.bak)
    #[arg(long)]
    force: bool,
    /// Do not check token and projects against the server
    #[arg(long)]
    no_check: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct InitAnswer {
    pub config: String,
    pub base_url: String,
    pub token_env_var: String,
    /// Who the token belongs to; none when it was not checked.
    pub username: Option<String>,
    pub projects: Vec<String>,
    pub repos: Vec<String>,
    /// What to run next.
    pub next: String,
}

impl Run for Args {
    type Answer = InitAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<InitAnswer> {
        let target = self.target(ctx)?;
        if target.path().exists() && !self.force {
            return Err(Error::usage(format!("{} already exists", target.path().display()))
                .suggest("edit it, or replace it with `lore init --force` (the old one is kept)"));
        }
        let mut template = self.gather(ctx, ui)?;
        let username = if self.no_check { None } else { Some(check(ctx, &mut template)?) };
        self.write(ctx, ui, &target, &template)?;
        Ok(InitAnswer {
            config: target.path().display().to_string(),
            username,
            next: if template.projects.is_empty() {
                "add [[projects]] to the config, then run: lore sync".to_owned()
            } else {
                "lore sync".to_owned()
            },
            base_url: template.base_url,
            token_env_var: template.token_env_var,
            projects: template.projects,
            repos: template.repos,
        })
    }
}

impl Args {
    fn target(&self, ctx: &Ctx) -> Result<Target> {
        if self.local {
            let root = work_tree(&ctx.env.cwd).unwrap_or_else(|| ctx.env.cwd.clone());
            return Ok(Target::WorkTree(root));
        }
        if let Some(path) = &ctx.globals.config {
            return Ok(Target::Own(ctx.env.cwd.join(path)));
        }
        if let Some(path) = ctx.env.var("LORE_CONFIG") {
            return Ok(Target::Own(ctx.env.resolve(path, &ctx.env.cwd)));
        }
        ctx.env.config_dir().map(|dir| Target::Own(dir.join(TOML_NAME))).ok_or_else(|| {
            Error::new(ErrorCode::ConfigInvalid, "no home directory to write the config to")
                .suggest("name a file with --config, or set HOME")
        })
    }

    /// Flags first, then what the clone tells, then questions.
    fn gather(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Template> {
        let origin = insight::projects::forge_of(&ctx.env.cwd);
        let base_url = checked_url(&self.base_url(ui, origin.as_ref())?)?;
        let token_env_var = match &self.token_env_var {
            Some(name) => name.clone(),
            None if ui.can_ask() => ui.ask("Variable with the token", Some("GITLAB_TOKEN"))?,
            None => "GITLAB_TOKEN".to_owned(),
        };
        check_variable_name(&token_env_var)?;
        let projects = self.projects(ui, origin.filter(|origin| origin.base_url == base_url))?;
        let projects =
            projects.iter().map(|path| layer::check_project(path)).collect::<Result<Vec<_>>>()?;
        let repos = self.repos(ctx)?;
        Ok(Template { base_url, token_env_var, token_file: None, projects, repos })
    }

    fn base_url(&self, ui: &mut Ui, origin: Option<&Remote>) -> Result<String> {
        if let Some(given) = &self.base_url {
            return Ok(given.clone());
        }
        let guess = origin.map(|origin| origin.base_url.as_str());
        if ui.can_ask() {
            return ui.ask("GitLab server", guess.or(Some("https://gitlab.com")));
        }
        guess.map(str::to_owned).ok_or_else(|| {
            Error::usage("no GitLab server was named, and this directory's git does not tell")
                .suggest("lore init --base-url https://gitlab.example.com --project group/app")
        })
    }

    fn projects(&self, ui: &mut Ui, origin: Option<Remote>) -> Result<Vec<String>> {
        if !self.project.is_empty() {
            return Ok(self.project.clone());
        }
        let guess = origin.map(|origin| origin.project);
        if !ui.can_ask() {
            return Ok(guess.into_iter().collect());
        }
        let line = ui.ask("Projects, separated by commas", guess.as_deref())?;
        Ok(line.split(',').map(|path| path.trim().to_owned()).filter(|p| !p.is_empty()).collect())
    }

    fn repos(&self, ctx: &Ctx) -> Result<Vec<String>> {
        if self.repo.is_empty() {
            let here = work_tree(&ctx.env.cwd);
            return Ok(here.into_iter().map(|path| path.display().to_string()).collect());
        }
        self.repo
            .iter()
            .map(|path| {
                let path = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
                let root = work_tree(&path).ok_or_else(|| {
                    Error::not_found(format!("{} is not in a git repository", path.display()))
                        .suggest("name a folder of a clone with --repo")
                })?;
                Ok(root.display().to_string())
            })
            .collect()
    }

    fn write(&self, ctx: &Ctx, ui: &mut Ui, target: &Target, template: &Template) -> Result<()> {
        if let Some(old) = target.read()? {
            let kept = target.write("toml.bak", &old)?;
            ui.note(&format!("the old config is kept as {}", kept.display()));
        }
        let text = template.render();
        // Memory that is there already may be somebody else's; what comes into
        // an empty one is the user's.
        let memory = target.path().with_file_name("memory");
        let first = FirstMemory::of(&Root::new(memory, RootKind::Project));
        target.write("toml", &text)?;
        if self.local {
            // The user has just chosen every word of it.
            let mut pins = Pins::load(&ctx.env)?;
            pins.pin(&target.path(), Hash32::of(text.as_bytes()).to_string());
            pins.save()?;
            memory_roots::pin_first(ctx, ui, first);
        }
        Ok(())
    }
}

/// The file to write.
enum Target {
    /// The user's own: a link in its place was made by the user.
    Own(PathBuf),
    /// That of the work tree with this top.
    WorkTree(PathBuf),
}

impl Target {
    fn path(&self) -> PathBuf {
        match self {
            Target::Own(path) => path.clone(),
            Target::WorkTree(top) => top.join(CLONE_DIR).join(TOML_NAME),
        }
    }

    /// What is there now, if anything is.
    fn read(&self) -> Result<Option<String>> {
        let read = match self {
            Target::Own(path) => files::read_text(path, MAX_BYTES),
            Target::WorkTree(top) => {
                files::read_text_below(top, &Path::new(CLONE_DIR).join(TOML_NAME), MAX_BYTES)
            }
        };
        match read {
            Ok(text) => Ok(Some(text)),
            Err(ReadError::NotFound) => Ok(None),
            Err(ReadError::Link) => Err(write::behind_a_link(&self.path())),
            Err(error) => Err(Error::new(
                ErrorCode::ConfigInvalid,
                format!("cannot keep the old {}", self.path().display()),
            )
            .suggest("move it away, then run `lore init` again")
            .caused_by(error)),
        }
    }

    /// Writes the file with this extension; where that is.
    fn write(&self, extension: &str, text: &str) -> Result<PathBuf> {
        let path = self.path().with_extension(extension);
        match self {
            Target::Own(_) => write::replace_file(&path, text)?,
            Target::WorkTree(top) => {
                let relative = Path::new(CLONE_DIR).join(TOML_NAME).with_extension(extension);
                write::replace_file_below(top, &relative, text)?;
            }
        }
        Ok(path)
    }
}

fn checked_url(url: &str) -> Result<String> {
    let key = keys::find("gitlab.base_url").ok_or_else(|| Error::internal("no such key"))?;
    value::parse_text(key, url).map(|value| value.to_string())
}

/// A token pasted here would be written to a file in the clear.
fn check_variable_name(name: &str) -> Result<()> {
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_name {
        return Ok(());
    }
    Err(Error::usage("that is not the name of an environment variable")
        .suggest("name the variable, not the token: --token-env-var GITLAB_TOKEN"))
}

/// The work tree around `dir`.
fn work_tree(dir: &Path) -> Option<PathBuf> {
    Repo::open(dir).ok()?.work_tree().map(Path::to_path_buf)
}

/// Asks the server who we are and how it spells the projects.
fn check(ctx: &Ctx, template: &mut Template) -> Result<String> {
    let config = Config::for_init(&ctx.env, &template.base_url, &template.token_env_var);
    let connection = Connection::from_config(&config, &ctx.env).map_err(|error| {
        let hint = error.suggestion().unwrap_or_default().to_owned();
        error.suggest(format!("{hint}; or write the config anyway with --no-check"))
    })?;
    let client = forge_client::quick_client(&connection)?;
    block_on(async {
        let identity = forge_client::identity(&client).await?;
        for path in &mut template.projects {
            *path = forge_client::project(&client, path).await?.path;
        }
        Ok::<_, Error>(identity.user.username)
    })
}

impl Show for InitAnswer {
    fn text(&self, out: &mut Painter) {
        out.text("wrote ").label(Label::Path, &self.config).end();
        out.field("server", &self.base_url);
        match &self.username {
            Some(username) => out.field("you are", &format!("@{username}")),
            None => out.field("token", &format!("from {}, not checked", self.token_env_var)),
        };
        for project in &self.projects {
            out.field("project", project);
        }
        for repo in &self.repos {
            out.field("repository", repo);
        }
        out.text("next: ").label(Label::Id, &self.next).end();
    }
}
