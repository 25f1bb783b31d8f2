//! Hands a long answer to the reader's pager.

use crate::env::Env;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// A pager and the terminal height above which it is worth starting.
#[derive(Debug, Clone)]
pub struct Pager {
    command: String,
    height: usize,
    less_options_are_set: bool,
}

impl Pager {
    pub fn new(command: String, env: &Env) -> Self {
        Pager { command, height: env.height, less_options_are_set: env.var("LESS").is_some() }
    }

    pub fn is_worth_it(&self, text: &str) -> bool {
        text.lines().count() >= self.height
    }

    /// Shows `text`; false when the pager could not be started, so that the
    /// answer is printed plainly instead.
    pub fn show(&self, text: &str) -> io::Result<bool> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.command).stdin(Stdio::piped());
        if !self.less_options_are_set {
            // Quit when it fits, pass colours and links through, leave the
            // text on the screen.
            command.env("LESS", "FRX");
        }
        let Ok(mut child) = command.spawn() else { return Ok(false) };
        crate::interrupt::leave_to_pager();
        if let Some(mut stdin) = child.stdin.take()
            && let Err(error) = stdin.write_all(text.as_bytes())
            // The reader left before the end: that is what pagers are for.
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            return Err(error);
        }
        // 127 is the shell's "no such command".
        Ok(child.wait()?.code() != Some(127))
    }
}
