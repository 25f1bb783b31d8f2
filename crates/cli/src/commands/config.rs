use super::Run;
use crate::config::{Config, Setting, file, keys::Value};
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Show settings and where each value comes from
///
/// Without a subcommand this is `lore config list`. `lore help config`
/// explains the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore config list
  lore config get gitlab.base_url
  lore config path")]
pub struct Args {
    #[command(subcommand)]
    what: Option<ConfigCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// List every setting with its value and source
    List,
    /// Print the path of the config file in use, or the one `lore init` would write
    Path,
    /// Print the value of one setting
    Get {
        /// Setting name, such as `sync.concurrency` or `projects`
        key: String,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    List(Settings),
    Path(ConfigPath),
    Get(Row),
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Settings {
    pub file: Option<String>,
    pub settings: Vec<Row>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigPath {
    pub path: String,
    pub exists: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    pub key: &'static str,
    pub value: Option<ConfigValue>,
    /// `default`, `file:PATH`, `env:NAME` or `flag:NAME`.
    pub source: String,
}

/// What a setting or a list of the file holds.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ConfigValue {
    One(Value),
    Many(Vec<String>),
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match self.what.as_ref().unwrap_or(&ConfigCommand::List) {
            ConfigCommand::Path => path(ctx, ui).map(Answer::Path),
            ConfigCommand::List => {
                let config = ctx.config(ui)?;
                let mut settings: Vec<Row> = config.settings().iter().map(row).collect();
                settings.extend(lists(config));
                let file = config.file().map(|file| file.path.display().to_string());
                Ok(Answer::List(Settings { file, settings }))
            }
            ConfigCommand::Get { key } => {
                let config = ctx.config(ui)?;
                let found = match lists(config).into_iter().find(|row| row.key == key) {
                    Some(list) => list,
                    None => row(config.setting(key)?),
                };
                if found.value.is_none() {
                    return Err(Error::not_found(format!("`{}` is not set", found.key))
                        .suggest("`lore config path` says where to set it"));
                }
                Ok(Answer::Get(found))
            }
        }
    }
}

/// A broken file must not keep its own path a secret.
fn path(ctx: &Ctx, _: &mut Ui) -> Result<ConfigPath> {
    let found = file::find(&ctx.env, &ctx.globals)?;
    let exists = found.file.is_some();
    let path = match found.file {
        Some(file) => file.path,
        None => ctx.env.config_dir().map(|dir| dir.join(file::TOML_NAME)).ok_or_else(|| {
            Error::not_found("no home directory to look in").suggest("name a file with --config")
        })?,
    };
    Ok(ConfigPath { path: path.display().to_string(), exists })
}

fn row(setting: &Setting) -> Row {
    Row {
        key: setting.key.name,
        value: setting.value.clone().map(ConfigValue::One),
        source: setting.source.to_string(),
    }
}

fn lists(config: &Config) -> [Row; 2] {
    let repos = config
        .repos()
        .iter()
        .map(|repo| match (&repo.path, &repo.url) {
            (Some(path), _) => path.display().to_string(),
            (None, url) => url.clone().unwrap_or_default(),
        })
        .collect();
    [
        Row {
            key: "projects",
            value: Some(ConfigValue::Many(config.projects().to_vec())),
            source: config.projects_source().to_string(),
        },
        Row {
            key: "repos",
            value: Some(ConfigValue::Many(repos)),
            source: config.repos_source().to_string(),
        },
    ]
}

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::Path(path) => {
                out.line(&path.path);
            }
            Answer::Get(row) => match &row.value {
                Some(ConfigValue::Many(values)) => {
                    for value in values {
                        out.line(value);
                    }
                }
                Some(ConfigValue::One(value)) => {
                    out.line(&value.to_string());
                }
                None => {}
            },
            Answer::List(list) => {
                let mut table = Table::new([
                    Column::new("key"),
                    Column::flexible("value"),
                    Column::new("source"),
                ]);
                for row in &list.settings {
                    let value = match &row.value {
                        Some(ConfigValue::One(value)) => value.to_string(),
                        Some(ConfigValue::Many(values)) => values.join(", "),
                        None => String::new(),
                    };
                    table.row([
                        Cell::text(row.key).label(Label::Id),
                        Cell::text(value),
                        Cell::text(&row.source).label(Label::Faint),
                    ]);
                }
                out.table(&table);
            }
        }
    }
}
