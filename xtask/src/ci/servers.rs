//! Language servers, SCIP indexers and small real code for them to read, in a folder
//! of their own under `target/`.

use super::quiet::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the tests where npm's packages are; also honoured when already set.
pub const VARIABLE: &str = "LORE_TEST_SERVERS";

const PACKAGES: &[&str] = &[
    "pyright@1.1",
    "typescript-language-server@5",
    "typescript@5",
    "@sourcegraph/scip-typescript",
    // Code to read: the package carries its TypeScript sources.
    "zod@4.1",
];
const PROGRAMS: &[&str] = &["pyright-langserver", "typescript-language-server", "scip-typescript"];
/// Python to read.
const PYTHON: &str = "itsdangerous==2.2.0";

pub fn installed(target: &Path) -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return Ok(given);
    }
    let folder = target.join("test-servers");
    let modules = folder.join("node_modules");
    let has_programs =
        || PROGRAMS.iter().all(|program| modules.join(".bin").join(program).exists());
    if !has_programs() {
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        run(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--prefix"])
                .arg(&folder)
                .args(PACKAGES),
            "npm install",
        )?;
    }
    let python = folder.join("python");
    if !python.join("itsdangerous").exists() {
        run(
            Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
                .arg(&python)
                .arg(PYTHON),
            "pip install itsdangerous",
        )?;
    }
    if has_programs() { Ok(modules) } else { Err("npm installed something else".to_owned()) }
}
