//! What clients tell a hook on stdin, read generously: each has its own names for
//! the same things, and adds new ones with every version.

use serde_json::Value;
use std::path::PathBuf;

/// An event as a client tells it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClientEvent {
    pub session: String,
    pub dir: Option<PathBuf>,
    pub prompt: String,
    pub tool: Option<ToolCall>,
    /// The model's context begins anew: cleared or compacted.
    pub is_reset: bool,
}

/// A tool the client is about to run, or ran.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub name: String,
    pub input: Value,
    /// What it printed; empty before it ran.
    pub output: String,
}

/// Text of an answer that is looked through.
const MOST_OUTPUT: usize = 256 << 10;

impl ClientEvent {
    /// Plain text is a prompt.
    pub fn read(input: &str) -> Self {
        let Ok(event @ Value::Object(_)) = serde_json::from_str::<Value>(input) else {
            return ClientEvent { prompt: input.to_owned(), ..ClientEvent::default() };
        };
        let text = |names: &[&str]| -> Option<String> {
            names.iter().find_map(|name| event.get(name)?.as_str().map(str::to_owned))
        };
        let dir = text(&["cwd", "workspace_root", "directory"]).or_else(|| {
            let roots = event.get("workspace_roots")?.as_array()?;
            roots.first()?.as_str().map(str::to_owned)
        });
        let source = text(&["source", "trigger"]).unwrap_or_default();
        ClientEvent {
            session: text(&["session_id", "sessionId", "conversation_id", "conversationId"])
                .unwrap_or_default(),
            dir: dir.map(PathBuf::from),
            prompt: text(&["prompt", "user_prompt", "initialPrompt"]).unwrap_or_default(),
            tool: tool(&event),
            is_reset: matches!(source.as_str(), "clear" | "compact" | "compaction"),
        }
    }
}

fn tool(event: &Value) -> Option<ToolCall> {
    let first = |names: &[&str]| names.iter().find_map(|name| event.get(name));
    let name = first(&["tool_name", "toolName", "tool"])?.as_str()?.to_owned();
    let input = first(&["tool_input", "toolArgs", "toolInput", "args"]).cloned();
    // Some hand arguments on as text.
    let input = match input {
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        input => input.unwrap_or_default(),
    };
    let mut output = String::new();
    if let Some(answer) =
        first(&["tool_response", "tool_output", "toolResult", "tool_result", "result"])
    {
        match answer {
            Value::String(text) => match serde_json::from_str(text) {
                Ok(inner @ (Value::Object(_) | Value::Array(_))) => texts(&inner, &mut output),
                _ => texts(answer, &mut output),
            },
            answer => texts(answer, &mut output),
        }
    }
    Some(ToolCall { name, input, output })
}

/// Every text of an answer; which field a client puts it in differs.
fn texts(value: &Value, into: &mut String) {
    if into.len() > MOST_OUTPUT {
        return;
    }
    match value {
        Value::String(text) => {
            let cut = text.floor_char_boundary(MOST_OUTPUT);
            into.push_str(&text[..cut]);
            into.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "type" | "mode" | "status" | "resultType"))
            .for_each(|(_, field)| texts(field, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_is_understood() {
        let claude = ClientEvent::read(
            r#"{"session_id":"s","cwd":"/r","tool_name":"Bash","tool_input":{"command":"rg x"},
                "tool_response":{"stdout":"a.py:1:x","stderr":"","interrupted":false}}"#,
        );
        assert_eq!(claude.session, "s");
        let tool = claude.tool.unwrap();
        assert_eq!((tool.name.as_str(), tool.output.trim()), ("Bash", "a.py:1:x"));
        let copilot = ClientEvent::read(
            r#"{"sessionId":"t","cwd":"/r","toolName":"view","toolArgs":"{\"path\":\"/r/a\"}",
                "toolResult":{"resultType":"success","textResultForLlm":"1. x"}}"#,
        );
        let tool = copilot.tool.unwrap();
        assert_eq!((tool.input["path"].as_str(), tool.output.trim()), (Some("/r/a"), "1. x"));
        let cursor = ClientEvent::read(
            r#"{"conversation_id":"c","workspace_roots":["/r"],"tool_name":"Shell",
                "tool_input":{"command":"ls"},"tool_output":"{\"output\":\"x\"}"}"#,
        );
        assert_eq!((cursor.session.as_str(), cursor.dir), ("c", Some(PathBuf::from("/r"))));
        assert_eq!(cursor.tool.unwrap().output.trim(), "x");
        let start = ClientEvent::read(r#"{"session_id":"s","source":"compact"}"#);
        assert!(start.is_reset);
        assert_eq!(ClientEvent::read("fix it").prompt, "fix it");
        for odd in ["", "[]", "{", "3", r#"{"tool_name":7}"#, r#"{"tool_name":"x","tool_input":3}"#]
        {
            let _ = ClientEvent::read(odd);
        }
    }
}
