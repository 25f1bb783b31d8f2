//! A command with `--json` whose work might die of its input: it runs in a
//! child, and whatever becomes of that, one document leaves.

use super::{Running, SUPERVISED, cannot_start, command, death};
use crate::args::Globals;
use crate::env::Env;
use crate::interrupt;
use crate::ui::Ui;
use forge::sync::Stop;
use model::{Error, Result};
use std::ffi::OsString;
use std::io::Read as _;

/// Longer than any report.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// Runs the command in a child and hands on what it says; the exit status.
/// None where no child can be started: then the command runs here.
pub fn run(arguments: &[OsString], env: &Env, globals: &Globals) -> Option<u8> {
    let mut child = command(env, SUPERVISED)?;
    child.args(arguments.iter().skip(1));
    if env.stdout_is_tty {
        // The document is for a person, though it goes through a pipe first.
        child.env("LORE_FORCE_TTY", env.width.to_string());
    }
    let child = child.spawn().ok()?;
    let mut ui = Ui::new(env, globals);
    Some(match answer(Running(child)) {
        Ok((document, code)) => match ui.pass_on(&document) {
            Ok(()) => code,
            Err(error) => ui.finish(Err(error)),
        },
        Err(error) => ui.finish(Err(error)),
    })
}

/// The child: from here on it is what the user called.
pub fn enter(env: &Env) -> Stop {
    super::enter(env, std::io::stdin())
}

/// The document and the exit status of a child that ended by itself.
fn answer(mut child: Running) -> Result<(Vec<u8>, u8)> {
    let (stdin, stdout) = (child.0.stdin.take(), child.0.stdout.take());
    let stdout = stdout.ok_or_else(|| Error::internal("a child without output"))?;
    let reading = std::thread::spawn(move || {
        let mut document = Vec::new();
        let read = stdout.take(MAX_BYTES).read_to_end(&mut document);
        read.map(|_| document)
    });
    // Ctrl-C reaches the child by itself; a signal to this process alone does
    // so when its input ends.
    let stdin = std::sync::Mutex::new(stdin);
    interrupt::meanwhile(
        || drop(stdin.lock().ok().and_then(|mut stdin| stdin.take())),
        move || {
            let document = reading.join();
            let status = child.0.wait().map_err(cannot_start)?;
            match (status.code().and_then(|code| u8::try_from(code).ok()), document) {
                (Some(code), Ok(Ok(document))) if !document.is_empty() => Ok((document, code)),
                _ => Err(death(status, "")),
            }
        },
    )
}
