//! Agents lore can be entered with as an MCP server: one row each. To add one,
//! add a row; its format must be documented by its makers.

use super::toml_text;
use crate::agents::json_text;
use crate::env::Env;
use model::suggest::nearest;
use model::text::one_line;
use model::{Error, Result};
use std::path::{Path, PathBuf};

/// An agent and where its servers are set.
#[derive(Debug)]
pub struct Client {
    pub name: &'static str,
    pub title: &'static str,
    /// The user's own settings; from the home directory, or with `~config/`
    /// from the folder of configs.
    user: Option<&'static str>,
    /// Those of a repository, from its top.
    project: Option<&'static str>,
    form: Form,
    /// Where skills are kept, from the home directory or the top.
    skills: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An object of servers by name under this key; what else an entry has, as JSON.
    Json { key: &'static str, extra: &'static [(&'static str, &'static str)] },
    /// `[key.lore]`
    Toml { key: &'static str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Scope {
    User,
    Project,
}

pub const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        title: "Claude Code",
        user: Some(".claude.json"),
        project: Some(".mcp.json"),
        form: Form::Json { key: "mcpServers", extra: &[("type", "\"stdio\"")] },
        skills: Some(".claude/skills"),
    },
    Client {
        name: "cursor",
        title: "Cursor",
        user: Some(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        form: Form::Json { key: "mcpServers", extra: &[] },
        skills: Some(".cursor/skills"),
    },
    Client {
        name: "vscode",
        title: "VS Code",
        user: Some("~config/Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        form: Form::Json { key: "servers", extra: &[("type", "\"stdio\"")] },
        skills: None,
    },
    Client {
        name: "codex",
        title: "Codex",
        user: Some(".codex/config.toml"),
        project: Some(".codex/config.toml"),
        form: Form::Toml { key: "mcp_servers" },
        skills: Some(".codex/skills"),
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        user: Some(".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
        form: Form::Json { key: "mcpServers", extra: &[] },
        skills: Some(".gemini/skills"),
    },
    Client {
        name: "copilot",
        title: "GitHub Copilot",
        user: Some(".copilot/mcp-config.json"),
        project: None,
        form: Form::Json {
            key: "mcpServers",
            extra: &[("type", "\"local\""), ("tools", "[\"*\"]")],
        },
        skills: Some(".copilot/skills"),
    },
    Client {
        name: "zed",
        title: "Zed",
        user: Some("~config/zed/settings.json"),
        project: Some(".zed/settings.json"),
        form: Form::Json { key: "context_servers", extra: &[("source", "\"custom\"")] },
        skills: None,
    },
    Client {
        name: "generic",
        title: "any other agent",
        user: None,
        project: None,
        form: Form::Json { key: "mcpServers", extra: &[] },
        skills: None,
    },
];

/// How lore is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    pub command: String,
    pub args: Vec<String>,
}

pub fn find(name: &str) -> Result<&'static Client> {
    let name = name.to_lowercase();
    CLIENTS.iter().find(|client| client.name == name).ok_or_else(|| {
        let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        let error = Error::usage(format!("lore knows no agent `{}`", one_line(&name, 40)));
        match nearest(&name, known.iter().copied(), 1).first() {
            Some(near) => error.suggest(format!("did you mean {near}?")),
            None => error.suggest(format!(
                "known: {}; `lore mcp install generic` shows what to enter by hand",
                known.join(", ")
            )),
        }
    })
}

impl Client {
    /// The settings file; none where it must be named.
    pub fn settings(&self, scope: Scope, env: &Env, top: Option<&Path>) -> Result<Option<PathBuf>> {
        let place = match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
        };
        place.map(|place| below(place, scope, env, top)).transpose()
    }

    /// The file of the skill; an error where the agent has no skills.
    pub fn skill(&self, scope: Scope, env: &Env, top: Option<&Path>) -> Result<PathBuf> {
        let folder = self.skills.ok_or_else(|| {
            Error::usage(format!("{} has no skills that lore knows of", self.title))
                .suggest("`lore mcp skill` prints the text, to be put where it is read")
        })?;
        Ok(below(folder, scope, env, top)?.join("lore/SKILL.md"))
    }

    /// The settings with lore in them; none when it is there already.
    pub fn with_server(&self, settings: &str, start: &Start) -> Result<Option<String>, String> {
        match self.form {
            Form::Toml { key } => {
                let args = start.args.iter().map(|arg| arg.as_str().into()).collect();
                let values = [
                    ("command", start.command.as_str().into()),
                    ("args", toml::Value::Array(args)),
                ];
                toml_text::set_table(settings, key, "lore", &values)
            }
            Form::Json { key, extra } => with_json(settings, key, extra, start),
        }
    }
}

impl Client {
    /// The settings without lore; none when it is not in them.
    pub fn without_server(&self, settings: &str) -> Result<Option<String>, String> {
        match self.form {
            Form::Toml { key } => toml_text::remove_table(settings, key, "lore"),
            Form::Json { key, .. } => {
                if !json_text::has(settings, &[key, "lore"])? {
                    return Ok(None);
                }
                let mut text = json_text::remove_key(settings, &[key, "lore"])?;
                if json_text::is_empty_object(&text, &[key])? {
                    text = json_text::remove_key(&text, &[key])?;
                }
                Ok(Some(text))
            }
        }
    }
}

fn with_json(
    settings: &str,
    key: &str,
    extra: &[(&str, &str)],
    start: &Start,
) -> Result<Option<String>, String> {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let args: Vec<String> = start.args.iter().map(|arg| quoted(arg)).collect();
    let mut members: Vec<(&str, String)> =
        extra.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    members.push(("command", quoted(&start.command)));
    members.push(("args", format!("[{}]", args.join(", "))));
    if !json_text::has(settings, &[key, "lore"])? {
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        let entry = format!("{{ {} }}", members.join(", "));
        return json_text::set(settings, &[key, "lore"], &entry);
    }
    // An entry that is there may hold more than lore knows of.
    let mut text = settings.to_owned();
    let mut is_changed = false;
    for (name, value) in &members {
        if let Some(changed) = json_text::set(&text, &[key, "lore", name], value)? {
            (text, is_changed) = (changed, true);
        }
    }
    Ok(is_changed.then_some(text))
}

fn below(place: &str, scope: Scope, env: &Env, top: Option<&Path>) -> Result<PathBuf> {
    if scope == Scope::Project {
        return top.map(|top| top.join(place)).ok_or_else(|| {
            Error::not_found("here is no repository").suggest("go into one, or use --scope user")
        });
    }
    let no_home = || {
        Error::not_found("HOME is not set")
            .suggest("use --scope project to write to the repository")
    };
    match place.strip_prefix("~config/") {
        // The folder that holds lore's own holds theirs.
        Some(rest) => {
            let own = env.config_dir().ok_or_else(no_home)?;
            Ok(own.parent().unwrap_or(&own).join(rest))
        }
        None => Ok(env.home.as_ref().ok_or_else(no_home)?.join(place)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn start() -> Start {
        Start { command: "lore".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn every_agent_gets_what_its_makers_document() {
        let mut all = String::new();
        for client in CLIENTS {
            let made = client.with_server("", &start()).unwrap().unwrap();
            all.push_str(&format!("{}\n{made}", client.name));
            assert_eq!(client.with_server(&made, &start()).unwrap(), None, "{}", client.name);
        }
        expect![[r#"
            claude
            {
              "mcpServers": {
                "lore": {
                  "type": "stdio",
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            cursor
            {
              "mcpServers": {
                "lore": {
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            vscode
            {
              "servers": {
                "lore": {
                  "type": "stdio",
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            codex
            [mcp_servers.lore]
            command = "lore"
            args = ["mcp"]
            gemini
            {
              "mcpServers": {
                "lore": {
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            copilot
            {
              "mcpServers": {
                "lore": {
                  "type": "local",
                  "tools": ["*"],
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            zed
            {
              "context_servers": {
                "lore": {
                  "source": "custom",
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
            generic
            {
              "mcpServers": {
                "lore": {
                  "command": "lore",
                  "args": ["mcp"]
                }
              }
            }
        "#]]
        .assert_eq(&all);
    }

    #[test]
    fn an_entry_is_taken_out_again() {
        for client in CLIENTS {
            let other = match client.form {
                Form::Toml { key } => format!("a = 1 # mine\n\n[{key}.other]\ncommand = \"o\"\n"),
                Form::Json { key, .. } => {
                    format!(
                        "{{\n  \"{key}\": {{\n    \"other\": {{ \"command\": \"o\" }}\n  }}\n}}\n"
                    )
                }
            };
            let with = client.with_server(&other, &start()).unwrap().unwrap();
            assert_eq!(client.without_server(&with).unwrap(), Some(other), "{}", client.name);
            let alone = client.with_server("", &start()).unwrap().unwrap();
            let left = client.without_server(&alone).unwrap().unwrap();
            assert!(!left.contains("lore"), "{left}");
            assert_eq!(client.without_server(&left).unwrap(), None);
        }
    }

    #[test]
    fn servers_of_others_stay_as_they_are() {
        let before = "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"o\" }\n  },\n  \"zeta\": 1, \"alpha\": 2\n}\n";
        let after = find("cursor").unwrap().with_server(before, &start()).unwrap().unwrap();
        expect![[r#"
            {
              // mine
              "mcpServers": {
                "other": { "command": "o" },
                "lore": {
                  "command": "lore",
                  "args": ["mcp"]
                }
              },
              "zeta": 1, "alpha": 2
            }
        "#]]
        .assert_eq(&after);
    }

    #[test]
    fn an_entry_that_is_there_keeps_what_was_added_to_it() {
        let before = r#"{"mcpServers": {"lore": {"command": "/old/lore", "env": {"A": "1"}}}}"#;
        let after = find("cursor").unwrap().with_server(before, &start()).unwrap().unwrap();
        let value: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(
            value["mcpServers"]["lore"],
            serde_json::json!({"command": "lore", "env": {"A": "1"}, "args": ["mcp"]})
        );
        assert_eq!(find("cursor").unwrap().with_server(&after, &start()).unwrap(), None);
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        for before in ["[]", "{\"mcpServers\": 3}", "{\"a\": ", "nonsense"] {
            assert!(find("claude").unwrap().with_server(before, &start()).is_err(), "{before}");
        }
        assert_eq!(find("curser").unwrap_err().suggestion(), Some("did you mean cursor?"));
    }
}
