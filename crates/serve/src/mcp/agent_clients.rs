//! Clients that put an answer before a model. Given the text and the JSON form of an answer,
//! they show the model the JSON form alone, which is several times as long; programs
//! want nothing else.

/// Parts of the names with which they greet, in small letters.
const NAMES: &[&str] = &[
    "claude",
    "cline",
    "codex",
    "copilot",
    "cursor",
    "gemini",
    "kimi",
    "opencode",
    "visual studio code",
    "visual-studio-code",
    "vscode",
    "windsurf",
    "zed",
];

pub fn is_agent(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_word = |at: usize, part: &str| {
        let inside = |c: char| c.is_alphanumeric();
        !name[..at].ends_with(inside) && !name[at + part.len()..].starts_with(inside)
    };
    NAMES.iter().any(|part| name.match_indices(part).any(|(at, _)| is_word(at, part)))
}

#[cfg(test)]
mod tests {
    use super::is_agent;

    #[test]
    fn agents_are_known_by_parts_of_their_names() {
        for name in [
            "claude-code",
            "claude-ai",
            "Codex",
            "codex-mcp-client",
            "gemini-cli-mcp-client-lore",
            "cursor-vscode",
            "Visual Studio Code",
            "Visual-Studio-Code",
            "github-copilot-developer",
            "opencode",
        ] {
            assert!(is_agent(name), "{name}");
        }
        for name in ["mcp", "inspector-client", "mcp-inspector", "seized-tool", ""] {
            assert!(!is_agent(name), "{name}");
        }
    }
}
