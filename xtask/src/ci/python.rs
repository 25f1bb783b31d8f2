//! A Python with the packages that tests drive, in a folder of its own under
//! `target/`: python-gitlab asks the simulated GitLab as most people do, mcp
//! is the official client of the protocol agents speak, the SDK of OpenTelemetry sends
//! traces from real applications.

use super::quiet::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the tests which Python to use; also honoured when already set.
pub const GITLAB_VARIABLE: &str = "LORE_TEST_PYTHON";
pub const MCP_VARIABLE: &str = "LORE_TEST_MCP_PYTHON";
pub const OTEL_VARIABLE: &str = "LORE_TEST_OTEL_PYTHON";

/// A package, the module it brings, and the variable that names its Python.
pub const GITLAB: Package =
    Package { name: "python-gitlab", needs: &[], module: "gitlab", variable: GITLAB_VARIABLE };
pub const MCP: Package = Package { name: "mcp", needs: &[], module: "mcp", variable: MCP_VARIABLE };
pub const OTEL: Package = Package {
    name: "opentelemetry-exporter-otlp",
    needs: &[
        "opentelemetry-sdk",
        "opentelemetry-instrumentation-flask",
        "opentelemetry-instrumentation-fastapi",
        "flask",
        "fastapi",
        "uvicorn",
    ],
    module: "opentelemetry.exporter.otlp, opentelemetry.instrumentation.fastapi, uvicorn, flask",
    variable: OTEL_VARIABLE,
};

#[derive(Debug, Clone, Copy)]
pub struct Package {
    pub name: &'static str,
    /// Installed with it.
    needs: &'static [&'static str],
    /// What can be imported then.
    module: &'static str,
    pub variable: &'static str,
}

/// The interpreter that has the package, or why there is none.
pub fn with(package: Package, target: &Path) -> Result<PathBuf, String> {
    let Package { name, variable, .. } = package;
    if let Some(given) = std::env::var_os(variable).map(PathBuf::from) {
        return if package.is_in(&given) {
            Ok(given)
        } else {
            Err(format!("{variable} is {}, which lacks {name}", given.display()))
        };
    }
    let folder = target.join("test-python");
    let python = folder.join("bin/python");
    if package.is_in(&python) {
        return Ok(python);
    }
    if run(Command::new(&python).arg("--version"), "").is_err() {
        let mut venv = Command::new("python3");
        run(venv.args(["-m", "venv", "--clear"]).arg(&folder), "python3 -m venv")?;
    }
    run(
        Command::new(&python).args(["-m", "pip", "install", "--quiet", name]).args(package.needs),
        &format!("pip install {name}"),
    )?;
    if package.is_in(&python) { Ok(python) } else { Err(format!("{name} cannot be imported")) }
}

impl Package {
    fn is_in(&self, python: &Path) -> bool {
        run(Command::new(python).args(["-c", &format!("import {}", self.module)]), "").is_ok()
    }
}
