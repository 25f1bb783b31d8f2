//! What edited files define, said by a child process: a server follows the work tree in
//! every answer and must not parse in its own.
//!
//! The files go to the child's input as one line of JSON, what each defines comes back
//! as one. A file that a parser dies of is found by halving, and is told to define
//! nothing known.

use super::{GRACE, OUTLINE, Running, command};
use crate::env::Env;
use crate::{ui, work_tree_overlay};
use insight::code::overlay::{TextFile, TextSymbol};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc::sync_channel;

/// Bytes of files that one child reads, and of what it says.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

type Outlines = Vec<Option<Vec<TextSymbol>>>;

/// What each of the files defines; none where nobody could say.
pub fn run(env: &Env, files: &[TextFile]) -> Outlines {
    if files.is_empty() {
        return Vec::new();
    }
    let n_bytes: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
    // What JSON needs for quoting comes on top.
    let fits = n_bytes <= MOST_BYTES / 4;
    if let Some(found) = fits.then(|| ask(env, files)).flatten() {
        return found;
    }
    let (one, other) = files.split_at(files.len() / 2);
    if one.is_empty() {
        return vec![None; files.len()];
    }
    let mut found = run(env, one);
    found.extend(run(env, other));
    found
}

/// Asks one child; none when it died or took too long.
fn ask(env: &Env, files: &[TextFile]) -> Option<Outlines> {
    let sent: Vec<(&str, String)> = files
        .iter()
        .map(|file| (file.path.as_str(), String::from_utf8_lossy(&file.bytes).into_owned()))
        .collect();
    let request = serde_json::to_string(&sent).ok()?;
    let mut child = Running(command(env, OUTLINE)?.stderr(Stdio::null()).spawn().ok()?);
    // Open until the answer is here: its end would stop the child.
    let mut stdin = child.0.stdin.take()?;
    writeln!(stdin, "{request}").and_then(|()| stdin.flush()).ok()?;
    let stdout = child.0.stdout.take()?;
    let (to, answer) = sync_channel(1);
    std::thread::spawn(move || to.send(read_line(stdout)));
    let line = answer.recv_timeout(GRACE).ok()??;
    let found: Outlines = serde_json::from_str(&line).ok()?;
    (found.len() == files.len()).then_some(found)
}

fn read_line(from: ChildStdout) -> Option<String> {
    let mut line = String::new();
    BufReader::new(from).take(MOST_BYTES).read_line(&mut line).ok()?;
    (!line.is_empty()).then_some(line)
}

/// The child: reads files, says what they define.
pub fn main(env: &Env) -> u8 {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    let read = input.by_ref().take(MOST_BYTES).read_line(&mut line).ok();
    let files = read.and_then(|_| serde_json::from_str::<Vec<(String, String)>>(&line).ok());
    let Some(files) = files else { return model::ErrorCode::Usage.exit_code() };
    let _stop = super::enter(env, input);
    let files: Vec<TextFile> =
        files.into_iter().map(|(path, text)| TextFile { path, bytes: text.into_bytes() }).collect();
    let found = serde_json::to_value(work_tree_overlay::extract(&files)).unwrap_or(Value::Null);
    let mut out = ui::protocol();
    // A parent that left needs no answer.
    let _ = writeln!(out, "{found}").and_then(|()| out.flush());
    0
}
