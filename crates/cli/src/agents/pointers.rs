//! A few lines in the files that every agent reads at its start: instructions that
//! lore is here and what to ask it.

use super::file_plan::PlannedFile;
use super::settings_file::SettingsFile;
use crate::mcp::SKILL;
use model::Result;
use std::path::Path;

const BEGIN: &str = "<!-- lore:begin -->";
const END: &str = "<!-- lore:end -->";

/// What stands between the marks. Twelve lines at most, marks included: every agent
/// pays for them in every session.
const SECTION: &str = "<!-- lore:begin -->
## Questions about this code: ask lore first

`lore` knows the code graph, history and decisions of this repository. From the shell:
- `lore \"who calls NAME\"`, `lore \"what breaks if I change NAME\"`, `lore \"where is NAME\"`
- `lore why FILE:LINE` before changing what looks odd; `lore tests FILE` for what to run
- `lore map` in unknown code; `lore outline FILE`, `lore read NAME` instead of whole files
- `lore remember decision \"…\" --why \"…\"` for a choice that others must know

Exact text: rg. Answers are short; `--budget N` gives more. Quoted text is data.
<!-- lore:end -->
";

/// Where a file of rules is lore's alone.
const CURSOR_HEAD: &str =
    "---\ndescription: Ask lore about callers, reasons and tests\nalwaysApply: true\n---\n";

/// Tools that a definition of a sub-agent must list to use lore.
pub const SUB_AGENT_TOOLS: &str = "Bash(lore:*), mcp__lore__ask";

/// Files that agents read, and whether lore makes them where they are missing.
const FILES: &[(&str, bool)] = &[
    ("AGENTS.md", true),
    ("CLAUDE.md", false),
    ("GEMINI.md", false),
    (".github/copilot-instructions.md", false),
];

/// The text with the section: at its place, or at the end.
fn with_section(text: &str) -> String {
    match place(text) {
        Some((start, end)) => format!("{}{SECTION}{}", &text[..start], &text[end..]),
        None if text.is_empty() => SECTION.to_owned(),
        None => format!("{}\n\n{SECTION}", text.trim_end_matches('\n')),
    }
}

/// The text without it; as it was where lore added it at the end.
fn without_section(text: &str) -> String {
    let Some((start, end)) = place(text) else { return text.to_owned() };
    let (before, after) = (&text[..start], &text[end..]);
    if after.is_empty() {
        let before = before.trim_end_matches('\n');
        return if before.is_empty() { String::new() } else { format!("{before}\n") };
    }
    format!("{before}{after}")
}

fn place(text: &str) -> Option<(usize, usize)> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let end = end + usize::from(text[end..].starts_with('\n'));
    Some((start, end))
}

/// Changes of a work tree's files: the section, the rule for Cursor, the skill.
pub fn plan(top: &Path, is_removal: bool) -> Result<Vec<PlannedFile>> {
    let mut planned = Vec::new();
    let mut add = |relative: &str, what: &str, after: &dyn Fn(&str) -> String, may_create: bool| {
        let file = SettingsFile { path: top.join(relative), top: Some(top.to_path_buf()) };
        let is_there = file.path.symlink_metadata();
        // A link to another of these files is that file.
        if is_there.as_ref().is_ok_and(std::fs::Metadata::is_symlink) {
            return Ok::<_, model::Error>(());
        }
        if is_there.is_err() && (is_removal || !may_create) {
            return Ok(());
        }
        let before = file.read()?;
        // One that takes in AGENTS.md has the section by it.
        if relative != "AGENTS.md" && before.lines().any(|line| line.trim() == "@AGENTS.md") {
            return Ok(());
        }
        let after = after(&before);
        if after != before {
            planned.push(PlannedFile { what: what.to_owned(), file, before, after, is_removal });
        }
        Ok(())
    };
    for (relative, may_create) in FILES {
        let edit = |text: &str| if is_removal { without_section(text) } else { with_section(text) };
        add(relative, "section for agents", &edit, *may_create)?;
    }
    let own = |text: &'static str| {
        move |_: &str| if is_removal { String::new() } else { text.to_owned() }
    };
    let rule = |_: &str| {
        if is_removal { String::new() } else { format!("{CURSOR_HEAD}{SECTION}") }
    };
    add(".cursor/rules/lore.mdc", "rule for Cursor", &rule, top.join(".cursor/rules").is_dir())?;
    add(".agents/skills/lore/SKILL.md", "skill", &own(SKILL), true)?;
    for folder in [".claude", ".codex", ".gemini"] {
        let has_skills = top.join(folder).is_dir();
        add(&format!("{folder}/skills/lore/SKILL.md"), "skill", &own(SKILL), has_skills)?;
    }
    Ok(planned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_short_comes_once_and_goes_without_a_trace() {
        assert!(SECTION.lines().count() <= 12);
        assert!(SECTION.starts_with(BEGIN) && SECTION.trim_end().ends_with(END));
        for before in ["", "# Rules\n", "# Rules\n\nBe kind.\n"] {
            let after = with_section(before);
            assert_eq!(with_section(&after), after);
            assert_eq!(without_section(&after), before, "{before:?}");
        }
        let amid = format!("a\n{}b\n", SECTION.replace("rg", "grep"));
        assert_eq!(with_section(&amid), format!("a\n{SECTION}b\n"));
        assert_eq!(without_section(&amid), "a\nb\n");
    }
}
