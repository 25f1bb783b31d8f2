//! Agents whose prompt hook lore can register with: one row each. To add one,
//! add a row; its hook format must be documented by its makers.

pub mod json_text;
pub mod settings_file;

use model::{Error, Result};
use std::path::{Path, PathBuf};

/// An agent and where its hooks are set.
#[derive(Debug)]
pub struct Agent {
    pub name: &'static str,
    pub title: &'static str,
    /// Below the home directory or the top of a repository.
    pub settings: &'static str,
    /// The hook that runs when a prompt is submitted.
    pub event: &'static str,
    /// What the hook runs.
    pub command: &'static str,
    /// The longest it may take, in the agent's own unit.
    pub timeout: u32,
    /// The event named in the answer, where the answer must be JSON.
    pub answers_in_json_for: Option<&'static str>,
}

pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        settings: ".claude/settings.json",
        event: "UserPromptSubmit",
        command: "lore inject --agent claude",
        timeout: 5,
        answers_in_json_for: None,
    },
    Agent {
        name: "codex",
        title: "Codex",
        settings: ".codex/hooks.json",
        event: "UserPromptSubmit",
        command: "lore inject --agent codex",
        timeout: 5,
        answers_in_json_for: Some("UserPromptSubmit"),
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        settings: ".gemini/settings.json",
        event: "BeforeAgent",
        command: "lore inject --agent gemini",
        timeout: 5000,
        answers_in_json_for: Some("BeforeAgent"),
    },
];

/// What tells our hook from others.
const OURS: &str = "lore inject";

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
    pub fn path(&self, base: &Path) -> PathBuf {
        base.join(self.settings)
    }

    /// The settings with our hook in them; none when it is there already.
    pub fn with_hook(&self, settings: &str) -> Result<Option<String>, String> {
        if !self.own_hooks(settings)?.is_empty() {
            return Ok(None);
        }
        let hook = format!(
            "{{ \"hooks\": [{{ \"type\": \"command\", \"command\": \"{}\", \"timeout\": {} }}] }}",
            self.command, self.timeout
        );
        json_text::append(settings, &["hooks", self.event], &hook).map(Some)
    }

    /// The settings without our hook; none when it is not there.
    pub fn without_hook(&self, settings: &str) -> Result<Option<String>, String> {
        let mut text = settings.to_owned();
        let mut is_changed = false;
        while let Some(at) = self.own_hooks(&text)?.first() {
            text = json_text::remove(&text, &["hooks", self.event], *at)?;
            is_changed = true;
        }
        Ok(is_changed.then_some(text))
    }

    /// Places of our entries in the list of the event. An entry that holds
    /// hooks of others too is not ours to remove.
    fn own_hooks(&self, settings: &str) -> Result<Vec<usize>, String> {
        let elements = json_text::elements(settings, &["hooks", self.event])?;
        Ok(elements
            .iter()
            .enumerate()
            .filter(|(_, text)| text.contains(OURS) && text.matches("\"command\":").count() <= 1)
            .map(|(at, _)| at)
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn settings_of_others_stay_as_they_are() {
        let agent = find("claude").unwrap();
        let before = "{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"zeta\": 1, \"alpha\": 2\n}\n";
        let after = agent.with_hook(before).unwrap().unwrap();
        expect![[r#"
            {
              // mine
              "model": "x",
              "hooks": {
                "Stop": [],
                "UserPromptSubmit": [
                  {
                    "hooks": [
                      {
                        "type": "command",
                        "command": "lore inject --agent claude",
                        "timeout": 5
                      }
                    ]
                  }
                ]
              },
              "zeta": 1, "alpha": 2
            }
        "#]]
        .assert_eq(&after);
        assert_eq!(agent.with_hook(&after).unwrap(), None);
        let left = agent.without_hook(&after).unwrap().unwrap();
        assert!(left.contains("\"UserPromptSubmit\": []") && left.contains("// mine"), "{left}");
        assert_eq!(agent.without_hook(&left).unwrap(), None);
    }

    #[test]
    fn a_missing_or_empty_file_is_begun() {
        for agent in AGENTS {
            for before in ["", "{}", "{ }\n", "{\"hooks\":{}}"] {
                let after = agent.with_hook(before).unwrap().unwrap();
                let value: serde_json::Value = serde_json::from_str(&after).unwrap();
                let hook = &value["hooks"][agent.event][0]["hooks"][0];
                assert_eq!(hook["command"], agent.command, "{after}");
            }
        }
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        let agent = find("claude").unwrap();
        for before in [
            "[]",
            "{\"hooks\": 3}",
            "{\"hooks\": {\"UserPromptSubmit\": {}}}",
            "{\"a\": ",
            "nonsense",
        ] {
            assert!(agent.with_hook(before).is_err(), "{before}");
        }
        assert!(find("nobody").is_err());
    }
}
