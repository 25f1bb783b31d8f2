//! Commands nobody wants to read unless they fail.

use std::process::{Command, Stdio};

/// Runs quietly; a failure is told by its last line.
pub fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} cannot be run ({error})"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    Err(format!("{name} failed ({last})"))
}
