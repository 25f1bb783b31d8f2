//! A Python with python-gitlab in it, in a folder of its own under `target/`:
//! one test asks the simulated GitLab through the client most people use.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tells the tests which Python to use; also honoured when already set.
pub const VARIABLE: &str = "LORE_TEST_PYTHON";

const PACKAGE: &str = "python-gitlab";

/// The interpreter, or why there is none.
pub fn with_python_gitlab(target: &Path) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return if knows_gitlab(&given) {
            Ok(given)
        } else {
            Err(format!("{VARIABLE} is {}, which lacks {PACKAGE}", given.display()))
        };
    }
    let folder = target.join("test-python");
    let python = folder.join("bin/python");
    if knows_gitlab(&python) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder), "python3 -m venv")?;
    run(
        Command::new(&python).args(["-m", "pip", "install", "--quiet", PACKAGE]),
        "pip install python-gitlab",
    )?;
    if knows_gitlab(&python) { Ok(python) } else { Err(format!("{PACKAGE} cannot be imported")) }
}

fn knows_gitlab(python: &Path) -> bool {
    run(Command::new(python).args(["-c", "import gitlab"]), "").is_ok()
}

/// Runs quietly; a failure is told by its last line.
fn run(command: &mut Command, name: &str) -> Result<(), String> {
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
