//! Agents whose hooks lore registers with: one row each. To add one, add a row; its
//! hooks must be documented by its makers.
//!
//! What is said at an event is made in `insight::push`; here is only where a client
//! keeps its hooks, which of its events can add to the model's context, and in what
//! form it wants the answer.

pub mod activity;
pub mod client_event;
pub mod file_plan;
mod hook_settings;
pub mod json_text;
pub mod patch;
pub mod pointers;
pub mod restore;
pub mod sessions;
pub mod settings_file;
pub mod watchdog;

use insight::push::PushEvent;
use model::{Error, Result};
use std::path::{Path, PathBuf};

/// An agent, where its hooks are set, and how they answer.
#[derive(Debug)]
pub struct Agent {
    pub name: &'static str,
    pub title: &'static str,
    /// Below the home directory; with `~config/` below the folder of configs.
    user: &'static str,
    /// Below the top of a repository.
    project: &'static str,
    pub form: HookForm,
    pub events: &'static [AgentEvent],
    pub answer: AnswerForm,
    /// What else a person must do.
    pub remark: Option<&'static str>,
}

/// An event of lore's as a client calls it.
#[derive(Debug)]
pub struct AgentEvent {
    pub event: PushEvent,
    pub name: &'static str,
    /// Tools it is wanted for.
    pub matcher: Option<&'static str>,
}

/// How a settings file lists hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookForm {
    /// `hooks.EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}]}]`
    Groups {
        /// The longest a hook may take, in the client's own unit.
        timeout: u32,
    },
    /// `hooks.EVENT: [{"command": …, "matcher": …}]` beside `"version": 1`.
    Flat,
    /// `hooks.EVENT: [{"type": "command", "bash": …, "powershell": …}]` beside `"version": 1`.
    Shells,
    /// A file of its own that runs lore.
    Plugin(&'static str),
}

/// How a hook says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// `{"hookSpecificOutput": {"hookEventName": …, "additionalContext": …}}`;
    /// whether silence must be JSON too.
    Specific { is_always_json: bool },
    /// `{"additional_context": …}`
    Snake,
    /// `{"additionalContext": …}`, and the specific form for the editor that reads the
    /// same files.
    Camel,
    /// The text itself.
    Plain,
}

const fn on(event: PushEvent, name: &'static str) -> AgentEvent {
    AgentEvent { event, name, matcher: None }
}

const fn with(event: PushEvent, name: &'static str, matcher: &'static str) -> AgentEvent {
    AgentEvent { event, name, matcher: Some(matcher) }
}

pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        user: ".claude/settings.json",
        project: ".claude/settings.json",
        form: HookForm::Groups { timeout: 5 },
        events: &[
            on(PushEvent::SessionStart, "SessionStart"),
            on(PushEvent::Prompt, "UserPromptSubmit"),
            with(PushEvent::BeforeTool, "PreToolUse", "Edit|MultiEdit|Write|NotebookEdit"),
            with(PushEvent::AfterTool, "PostToolUse", "Read|Grep|Bash"),
            on(PushEvent::SubAgent, "SubagentStart"),
        ],
        answer: AnswerForm::Specific { is_always_json: false },
        remark: None,
    },
    Agent {
        name: "codex",
        title: "Codex",
        user: ".codex/hooks.json",
        project: ".codex/hooks.json",
        form: HookForm::Groups { timeout: 5 },
        events: &[
            on(PushEvent::SessionStart, "SessionStart"),
            on(PushEvent::Prompt, "UserPromptSubmit"),
            with(PushEvent::BeforeTool, "PreToolUse", "apply_patch|Edit|Write"),
            with(PushEvent::AfterTool, "PostToolUse", "Bash"),
            on(PushEvent::SubAgent, "SubagentStart"),
        ],
        answer: AnswerForm::Specific { is_always_json: false },
        remark: Some("older versions need `codex_hooks = true` under [features] of config.toml"),
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        user: ".gemini/settings.json",
        project: ".gemini/settings.json",
        form: HookForm::Groups { timeout: 5000 },
        // Nothing that runs before a tool can add to the context.
        events: &[
            on(PushEvent::SessionStart, "SessionStart"),
            on(PushEvent::Prompt, "BeforeAgent"),
            with(
                PushEvent::AfterTool,
                "AfterTool",
                "read_file|read_many_files|grep_search|search_file_content|run_shell_command|replace|write_file",
            ),
        ],
        answer: AnswerForm::Specific { is_always_json: true },
        remark: None,
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        user: ".cursor/hooks.json",
        project: ".cursor/hooks.json",
        form: HookForm::Flat,
        // Sub-agents can only be allowed or denied.
        events: &[
            on(PushEvent::SessionStart, "sessionStart"),
            on(PushEvent::Prompt, "beforeSubmitPrompt"),
            with(PushEvent::BeforeTool, "preToolUse", "Write"),
            with(PushEvent::AfterTool, "postToolUse", "Read|Grep|Shell"),
        ],
        answer: AnswerForm::Snake,
        remark: None,
    },
    Agent {
        name: "copilot",
        title: "GitHub Copilot",
        user: ".copilot/hooks/lore.json",
        project: ".github/hooks/lore.json",
        form: HookForm::Shells,
        // What runs before a tool can allow, deny and change it, not add to the context.
        events: &[
            on(PushEvent::SessionStart, "sessionStart"),
            on(PushEvent::Prompt, "userPromptSubmitted"),
            on(PushEvent::AfterTool, "postToolUse"),
            on(PushEvent::SubAgent, "subagentStart"),
        ],
        answer: AnswerForm::Camel,
        remark: None,
    },
    Agent {
        name: "opencode",
        title: "opencode",
        user: "~config/opencode/plugins/lore.js",
        project: ".opencode/plugins/lore.js",
        form: HookForm::Plugin(include_str!("../../help/opencode-plugin.js")),
        // Context goes with results of tools; the first one carries the start.
        events: &[
            on(PushEvent::SessionStart, "tool.execute.after"),
            on(PushEvent::AfterTool, "tool.execute.after"),
        ],
        answer: AnswerForm::Plain,
        remark: None,
    },
];

pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

pub fn find(name: &str) -> Result<&'static Agent> {
    named(name).ok_or_else(|| {
        let known = AGENTS.iter().map(|agent| agent.name).collect::<Vec<_>>().join(", ");
        Error::usage(format!("lore knows no hooks of `{}`", model::text::one_line(name, 40)))
            .suggest(format!(
                "known: {known}; any agent can run `lore inject` with the prompt on stdin"
            ))
    })
}

impl Agent {
    /// The file its hooks are set in: of the user, or of the repository at `top`.
    pub fn path(&self, env: &crate::env::Env, top: Option<&Path>) -> Result<PathBuf> {
        let no_home = || {
            Error::not_found("HOME is not set").suggest("use --project to write to the repository")
        };
        match (top, self.user.strip_prefix("~config/")) {
            (Some(top), _) => Ok(top.join(self.project)),
            (None, Some(rest)) => {
                let own = env.config_dir().ok_or_else(no_home)?;
                Ok(own.parent().unwrap_or(&own).join(rest))
            }
            (None, None) => Ok(env.home.as_ref().ok_or_else(no_home)?.join(self.user)),
        }
    }

    /// What a hook prints: `text` in the client's form, or its way to say nothing.
    pub fn printed(&self, event: PushEvent, text: &str) -> String {
        let name = self.events.iter().find(|it| it.event == event).map_or("", |it| it.name);
        let specific = || serde_json::json!({ "hookEventName": name, "additionalContext": text });
        let answer = match self.answer {
            AnswerForm::Plain => return text.to_owned(),
            AnswerForm::Specific { is_always_json: true } | AnswerForm::Camel
                if text.is_empty() =>
            {
                return "{}\n".to_owned();
            }
            _ if text.is_empty() => return String::new(),
            AnswerForm::Specific { .. } => serde_json::json!({ "hookSpecificOutput": specific() }),
            AnswerForm::Snake if event == PushEvent::Prompt => {
                serde_json::json!({ "continue": true, "additional_context": text })
            }
            AnswerForm::Snake => serde_json::json!({ "additional_context": text }),
            AnswerForm::Camel => serde_json::json!({
                "additionalContext": text,
                "hookSpecificOutput": specific(),
            }),
        };
        format!("{answer}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn every_client_gets_the_answer_its_makers_document() {
        let mut all = String::new();
        for agent in AGENTS {
            let last = agent.events.last().unwrap();
            all.push_str(&format!("{}: {}\n", agent.name, agent.printed(last.event, "x").trim()));
            all.push_str(&format!("  silent: {:?}\n", agent.printed(last.event, "")));
        }
        expect![[r#"
            claude: {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SubagentStart"}}
              silent: ""
            codex: {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SubagentStart"}}
              silent: ""
            gemini: {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"AfterTool"}}
              silent: "{}\n"
            cursor: {"additional_context":"x"}
              silent: ""
            copilot: {"additionalContext":"x","hookSpecificOutput":{"additionalContext":"x","hookEventName":"subagentStart"}}
              silent: "{}\n"
            opencode: x
              silent: ""
        "#]]
        .assert_eq(&all);
    }
}
