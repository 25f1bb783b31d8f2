//! The text of git's hooks.

use std::path::Path;

const BEGIN: &str = "# >>> lore: tells the daemon (lore hook remove --git)";
const END: &str = "# <<< lore";
const SHEBANG: &str = "#!/bin/sh";

/// Sends a message in the background, if a daemon's socket is there. Nothing here
/// can fail the hook, keep its pipes open, or be waited for.
pub fn block(program: &Path, runtime_dir: Option<&Path>) -> String {
    let program = quoted(&program.to_string_lossy());
    let sockets = runtime_dir.map_or_else(
        || "\"${XDG_RUNTIME_DIR:-$HOME/.local/state/lore/run}\"".to_owned(),
        |dir| quoted(&dir.to_string_lossy()),
    );
    format!(
        "{BEGIN}\n\
         for lore_socket in {sockets}/*.sock; do\n  \
           if [ -S \"$lore_socket\" ]; then\n    \
             ({program} hook notify </dev/null >/dev/null 2>&1 &) 2>/dev/null || :\n    \
             break\n  \
           fi\n\
         done\n\
         {END}\n"
    )
}

/// A hook of ours alone.
pub fn alone(block: &str) -> String {
    format!("{SHEBANG}\n{block}")
}

/// A hook that calls the one that was there.
pub fn calling(block: &str, aside: &Path) -> String {
    let block = block.trim_end().trim_end_matches(END).to_owned();
    format!("{SHEBANG}\n{block}exec {} \"$@\"\n{END}\n", quoted(&aside.to_string_lossy()))
}

pub fn has_block(text: &str) -> bool {
    text.lines().any(|line| line == BEGIN)
}

/// Whether a program that reads it as a shell script does no harm.
pub fn is_shell(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let Some(rest) = first.strip_prefix("#!") else { return false };
    let mut words = rest.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let program = match words.next() {
        Some("env") => words.next(),
        program => program,
    };
    matches!(program, Some("sh" | "bash" | "dash" | "zsh" | "ksh"))
}

/// The script with the block behind its first line.
pub fn with_block(text: &str, block: &str) -> String {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{first}\n{block}{rest}")
}

/// The script as it was; none where there is no block.
pub fn without_block(text: &str) -> Option<String> {
    let begin = text.find(&format!("{BEGIN}\n"))?;
    let end = text[begin..].find(&format!("{END}\n"))? + begin + END.len() + 1;
    Some(format!("{}{}", &text[..begin], &text[end..]))
}

/// Nothing is left but the first line of a script of ours.
pub fn is_empty(text: &str) -> bool {
    text.trim() == SHEBANG
}

/// One word for the shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
