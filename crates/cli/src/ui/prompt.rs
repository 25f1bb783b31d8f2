//! Asks a person at the terminal. Questions go to stderr, so that the answer
//! of the command stays alone on stdout.

use super::Ui;
use model::{Error, Result};
use std::io::BufRead as _;

impl Ui {
    /// Whether there is somebody to ask.
    pub fn can_ask(&self) -> bool {
        self.stdin_is_tty && self.stderr_look.is_tty && !self.is_json()
    }

    /// One line; empty takes `default`. Asks again while there is no default.
    pub fn ask(&mut self, question: &str, default: Option<&str>) -> Result<String> {
        loop {
            let suffix = default.map(|text| format!(" [{text}]")).unwrap_or_default();
            self.to_stderr(&format!("{question}{suffix}: "));
            let mut line = String::new();
            let read = std::io::stdin()
                .lock()
                .read_line(&mut line)
                .map_err(|error| Error::internal("cannot read the answer").caused_by(error))?;
            if read == 0 {
                return Err(Error::usage("the input ended before the question was answered")
                    .suggest("give the answers as flags; see `lore init --help`"));
            }
            match (line.trim(), default) {
                ("", Some(default)) => return Ok(default.to_owned()),
                ("", None) => {}
                (answer, _) => return Ok(answer.to_owned()),
            }
        }
    }
}
