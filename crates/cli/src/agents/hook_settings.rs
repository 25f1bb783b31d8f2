//! Our hooks inside a settings file: entered, found again, taken out.

use super::json_text;
use super::{Agent, AgentEvent, HookForm};
use model::vocabulary::Vocabulary as _;

/// What tells our hooks from others: the command they run, and the one that earlier
/// versions registered.
const OURS: [&str; 2] = ["hook run --agent ", "lore inject"];

impl Agent {
    /// The settings with our hooks in them; none when they are there already. Hooks of
    /// an earlier version are exchanged. `program`: how lore is started.
    pub fn with_hooks(&self, settings: &str, program: &str) -> Result<Option<String>, String> {
        if let HookForm::Plugin(text) = self.form {
            let own = text.replace("spawn(\"lore\"", &format!("spawn({}", quoted(program)));
            return Ok((settings != own).then_some(own));
        }
        let mut text = settings.to_owned();
        if matches!(self.form, HookForm::Flat | HookForm::Shells)
            && !json_text::has(&text, &["version"])?
            && let Some(changed) = json_text::set(&text, &["version"], "1")?
        {
            text = changed;
        }
        for event in self.events {
            let wanted = self.entry(event, program);
            let own = Self::own_hooks(&text, event)?;
            if own.len() == 1 && own[0].1 == plain(&wanted) {
                continue;
            }
            for (at, _) in own.iter().rev() {
                text = json_text::remove(&text, &["hooks", event.name], *at)?;
            }
            text = json_text::append(&text, &["hooks", event.name], &wanted)?;
        }
        Ok((text != settings).then_some(text))
    }

    /// The settings without our hooks; none when they are not there. Lists and objects
    /// that are left empty go too.
    pub fn without_hooks(&self, settings: &str) -> Result<Option<String>, String> {
        if let HookForm::Plugin(_) = self.form {
            return Ok(
                (settings.contains(OURS[0]) || settings.contains("LorePlugin")).then(String::new)
            );
        }
        let mut text = settings.to_owned();
        for event in self.events {
            let own = Self::own_hooks(&text, event)?;
            for (at, _) in own.iter().rev() {
                text = json_text::remove(&text, &["hooks", event.name], *at)?;
            }
            if !own.is_empty() && json_text::elements(&text, &["hooks", event.name])?.is_empty() {
                text = json_text::remove_key(&text, &["hooks", event.name])?;
            }
        }
        if text == settings {
            return Ok(None);
        }
        if json_text::is_empty_object(&text, &["hooks"])? {
            text = json_text::remove_key(&text, &["hooks"])?;
        }
        Ok(Some(text))
    }

    /// Whether any of our hooks is there.
    pub fn has_hooks(&self, settings: &str) -> bool {
        self.without_hooks(settings).is_ok_and(|left| left.is_some())
    }

    /// An entry of the list of an event.
    fn entry(&self, event: &AgentEvent, program: &str) -> String {
        let command = quoted(&format!(
            "{program} hook run --agent {} --event {}",
            self.name,
            event.event.word()
        ));
        let matcher = event.matcher.map(quoted);
        match self.form {
            HookForm::Groups { timeout } => {
                let matcher = matcher.map(|it| format!("\"matcher\": {it}, ")).unwrap_or_default();
                format!(
                    "{{ {matcher}\"hooks\": [{{ \"type\": \"command\", \"command\": {command}, \
                     \"timeout\": {timeout} }}] }}"
                )
            }
            HookForm::Flat => {
                let matcher = matcher.map(|it| format!(", \"matcher\": {it}")).unwrap_or_default();
                format!("{{ \"command\": {command}{matcher}, \"timeout\": 5 }}")
            }
            HookForm::Shells | HookForm::Plugin(_) => format!(
                "{{ \"type\": \"command\", \"bash\": {command}, \"powershell\": {command}, \
                 \"timeoutSec\": 5 }}"
            ),
        }
    }

    /// Places of our entries in the list of an event, and what they hold. An entry that
    /// holds hooks of others too is not ours to remove.
    fn own_hooks(
        settings: &str,
        event: &AgentEvent,
    ) -> Result<Vec<(usize, Option<serde_json::Value>)>, String> {
        let elements = json_text::elements(settings, &["hooks", event.name])?;
        let is_own = |text: &str| {
            OURS.iter().any(|ours| text.contains(ours)) && text.matches("\"command\":").count() <= 1
        };
        let own = elements.iter().enumerate().filter(|(_, text)| is_own(text));
        Ok(own.map(|(at, text)| (at, plain(text))).collect())
    }
}

fn plain(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::agents::{AGENTS, HookForm, find};
    use expect_test::expect;

    #[test]
    fn settings_of_others_stay_as_they_are() {
        let agent = find("cursor").unwrap();
        let before = "{\n  // mine\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": []\n  },\n  \"zeta\": 1, \"alpha\": 2\n}\n";
        let after = agent.with_hooks(before, "lore").unwrap().unwrap();
        expect![[r#"
            {
              // mine
              "version": 1,
              "hooks": {
                "stop": [],
                "sessionStart": [
                  {
                    "command": "lore hook run --agent cursor --event session-start",
                    "timeout": 5
                  }
                ],
                "beforeSubmitPrompt": [
                  {
                    "command": "lore hook run --agent cursor --event prompt",
                    "timeout": 5
                  }
                ],
                "preToolUse": [
                  {
                    "command": "lore hook run --agent cursor --event before-tool",
                    "matcher": "Write",
                    "timeout": 5
                  }
                ],
                "postToolUse": [
                  {
                    "command": "lore hook run --agent cursor --event after-tool",
                    "matcher": "Read|Grep|Shell",
                    "timeout": 5
                  }
                ]
              },
              "zeta": 1, "alpha": 2
            }
        "#]]
        .assert_eq(&after);
        assert_eq!(agent.with_hooks(&after, "lore").unwrap(), None);
        assert_eq!(agent.without_hooks(&after).unwrap().unwrap(), before);
        assert_eq!(agent.without_hooks(before).unwrap(), None);
    }

    #[test]
    fn every_client_is_entered_once_and_left_as_it_was() {
        let others =
            "{\n  \"hooks\": {\n    \"X\": [{ \"command\": \"x\" }]\n  },\n  \"version\": 1\n}\n";
        for agent in AGENTS.iter().filter(|it| !matches!(it.form, HookForm::Plugin(_))) {
            for before in ["", "{}", "{ }\n", others] {
                let after = agent.with_hooks(before, "/opt/lore").unwrap().unwrap();
                let value: serde_json::Value = serde_json::from_str(&after).unwrap();
                for event in agent.events {
                    let list = value["hooks"][event.name].as_array().unwrap();
                    assert_eq!(list.len(), 1, "{after}");
                    let text = list[0].to_string();
                    assert!(text.contains("/opt/lore hook run"), "{text}");
                }
                assert_eq!(agent.with_hooks(&after, "/opt/lore").unwrap(), None);
                let left = agent.without_hooks(&after).unwrap().unwrap();
                assert!(!left.contains("lore"), "{left}");
                if before == others {
                    assert_eq!(left, others, "{}", agent.name);
                }
            }
        }
    }

    #[test]
    fn the_hook_of_an_earlier_version_is_exchanged() {
        let agent = find("claude").unwrap();
        let before = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "lore inject --agent claude", "timeout": 5}]}]}}"#;
        let after = agent.with_hooks(before, "lore").unwrap().unwrap();
        assert!(!after.contains("lore inject"), "{after}");
        assert_eq!(after.matches("UserPromptSubmit").count(), 1);
    }

    #[test]
    fn what_is_no_settings_file_is_refused() {
        let agent = find("claude").unwrap();
        for before in
            ["[]", "{\"hooks\": 3}", "{\"hooks\": {\"PreToolUse\": {}}}", "{\"a\": ", "nonsense"]
        {
            assert!(agent.with_hooks(before, "lore").is_err(), "{before}");
        }
        assert!(find("nobody").is_err());
    }
}
