//! The text of git's hooks.

use std::path::{Path, PathBuf};

const BEGIN: &str = "# >>> lore: tells the daemon (lore hook remove --git)";
const END: &str = "# <<< lore";
const SHEBANG: &str = "#!/bin/sh";

/// Sends a message in the background, if a daemon's socket is in one of these folders.
/// Nothing here can fail the hook, keep its pipes open, or be waited for; what is set is
/// set in a shell of its own. A pattern that matches nothing is an error in zsh, and in
/// bash where it was asked for.
pub fn block(program: &Path, socket_dirs: &[PathBuf]) -> String {
    let program = quoted(&program.to_string_lossy());
    let sockets: String = socket_dirs
        .iter()
        .map(|dir| format!(" {}/*.sock", quoted(&dir.to_string_lossy())))
        .collect();
    format!(
        "{BEGIN}\n\
         (\n  \
           [ -z \"${{ZSH_VERSION-}}\" ] || setopt nonomatch\n  \
           [ -z \"${{BASH_VERSION-}}\" ] || shopt -u failglob\n  \
           for lore_socket in{sockets}; do\n    \
             if [ -S \"$lore_socket\" ]; then\n      \
               {program} hook notify </dev/null >/dev/null 2>&1 &\n      \
               break\n    \
             fi\n  \
           done\n\
         ) 2>/dev/null || :\n\
         {END}\n"
    )
}

/// A hook of ours alone.
pub fn alone(block: &str) -> String {
    format!("{SHEBANG}\n{block}")
}

/// A hook that calls the one that was there, as long as git would.
pub fn calling(block: &str, aside: &Path) -> String {
    let block = block.trim_end().trim_end_matches(END).to_owned();
    let aside = quoted(&aside.to_string_lossy());
    format!("{SHEBANG}\n{block}if [ -x {aside} ]; then exec {aside} \"$@\"; fi\n{END}\n")
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What a hook does behind the block when no daemon runs.
    fn said(shell: &[&str], block: &str) -> String {
        let text = with_block("#!/bin/sh\necho own hook\n", block);
        let output = Command::new(shell[0]).args(&shell[1..]).args(["-c", &text]).output().unwrap();
        assert!(output.stderr.is_empty(), "{shell:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn without_a_daemon_no_shell_stumbles_over_a_pattern_that_matches_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let block =
            block(Path::new("/nowhere/lore"), &[dir.path().join("a"), dir.path().join("b")]);
        let mut shells = vec![vec!["sh"], vec!["sh", "-eu"], vec!["bash", "-O", "failglob"]];
        // Not on every machine.
        let is_there = |shell: &str| Command::new(shell).args(["-c", ":"]).output().is_ok();
        shells
            .extend(["zsh", "ksh"].into_iter().filter(|it| is_there(it)).map(|it| vec![it, "-eu"]));
        for shell in shells {
            assert_eq!(said(&shell, &block), "own hook\n", "{shell:?}");
        }
        assert!(block.contains("setopt nonomatch"), "{block}");
    }

    #[test]
    fn a_daemon_is_told_wherever_its_socket_is() {
        let dir = tempfile::tempdir().unwrap();
        let (session, user) = (dir.path().join("session"), dir.path().join("user"));
        std::fs::create_dir_all(&user).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(user.join("x.sock")).unwrap();
        let told = dir.path().join("told");
        let program = dir.path().join("it's lore");
        std::fs::write(
            &program,
            format!("#!/bin/sh\necho \"$@\" > {0}.new; mv {0}.new {0}\n", told.display()),
        )
        .unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&program, executable).unwrap();
        let block = block(&program, &[session, user]);
        assert_eq!(said(&["bash", "-O", "failglob"], &block), "own hook\n");
        // It is told in the background.
        let n_looks = (0..2000).take_while(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            !told.exists()
        });
        assert!(n_looks.count() < 2000, "nobody was told");
        assert_eq!(std::fs::read_to_string(&told).unwrap(), "hook notify\n");
    }
}
