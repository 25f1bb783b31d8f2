//! The official MCP Inspector, a real tokenizer and the SDK of OpenTelemetry with an
//! application to trace, in folders of their own under `target/`.

use super::quiet::run;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the tests where the Inspector is; also honoured when already set.
pub const INSPECTOR_VARIABLE: &str = "LORE_TEST_MCP_INSPECTOR";
/// Where Node finds the tokenizer.
pub const TOKENIZER_VARIABLE: &str = "LORE_TEST_TOKENIZER";

/// The version is named: npm takes an old one where it finds Node too old.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2";
const TOKENIZER: &str = "gpt-tokenizer";

/// Where Node finds the SDK of OpenTelemetry and Express.
pub const OTEL_VARIABLE: &str = "LORE_TEST_OTEL_NODE";

const OTEL: &[&str] = &[
    "express",
    "@opentelemetry/sdk-node",
    "@opentelemetry/instrumentation-http",
    "@opentelemetry/instrumentation-express",
    "@opentelemetry/exporter-trace-otlp-grpc",
    "@opentelemetry/exporter-trace-otlp-proto",
];

/// The modules of OpenTelemetry.
pub fn with_otel(target: &Path) -> Result<PathBuf, String> {
    let folder = target.join("test-npm-otel");
    let modules = folder.join("node_modules");
    let modules = std::env::var_os(OTEL_VARIABLE).map_or(modules, PathBuf::from);
    let is_there = || OTEL.iter().all(|name| modules.join(name).exists());
    if !is_there() {
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(OTEL);
        run(&mut npm, "npm install")?;
    }
    if is_there() { Ok(modules) } else { Err("npm installed something else".to_owned()) }
}

#[derive(Debug)]
pub struct Node {
    pub inspector: PathBuf,
    pub tokenizer: PathBuf,
}

pub fn with_inspector(target: &Path) -> Result<Node, String> {
    let modules = target.join("test-npm/node_modules");
    let given = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let node = Node {
        inspector: given(INSPECTOR_VARIABLE).unwrap_or_else(|| modules.join(".bin/mcp-inspector")),
        tokenizer: given(TOKENIZER_VARIABLE).unwrap_or_else(|| modules.join(TOKENIZER)),
    };
    let is_there = |node: &Node| node.inspector.exists() && node.tokenizer.exists();
    if !is_there(&node) {
        let folder = target.join("test-npm");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        run(
            Command::new("npm")
                .args(["install", "--no-audit", "--no-fund", "--prefix"])
                .arg(&folder)
                .args([INSPECTOR, TOKENIZER]),
            "npm install",
        )?;
    }
    if is_there(&node) { Ok(node) } else { Err("npm installed something else".to_owned()) }
}
