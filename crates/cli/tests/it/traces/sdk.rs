//! The official OpenTelemetry SDKs send to lore: Python from Flask over gRPC and from
//! FastAPI over HTTP, Node from Express over both. `cargo xtask ci` installs them and
//! says where; without them these tests say that they were skipped.

use super::receiver::Receiver;
use super::{Timestamp, data};
use crate::BINARY;
use sim::git::{History, Signature};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::TestEnv;

/// A clone that holds an application which is then really run.
fn application(name: &str, file: &str, text: &str) -> (TestEnv, PathBuf) {
    let env = TestEnv::new(BINARY);
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    history.commit("main", &ada, "Serve", &sim::git::written(&[(file, text)])).unwrap();
    let dir = env.dir().join(name);
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    (env, dir)
}

/// Runs the application, which asks itself and ends once everything is exported.
fn run(mut command: Command, dir: &Path, receiver: &Receiver, over: &str) {
    let endpoint = match over {
        "grpc" => format!("http://{}", receiver.grpc),
        _ => format!("http://{}", receiver.http),
    };
    let output = command
        .current_dir(dir)
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("LORE_TEST_OVER", over)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

/// Each route with how often it was asked, and its handler.
fn traffic(env: &TestEnv, dir: &Path) -> Vec<String> {
    let found = data(env, dir, &["routes", "--traffic"]);
    let mut lines: Vec<String> = found["routes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|route| {
            let (method, pattern) = (&route["method"], &route["pattern"]);
            let handler = &route["handlers"][0]["symbol"];
            format!("{method} {pattern} {handler} {}", route["traffic"]["count"]).replace('"', "")
        })
        .collect();
    lines.sort();
    lines
}

fn python() -> Option<std::ffi::OsString> {
    testkit::outside::program("LORE_TEST_OTEL_PYTHON")
}

#[test]
fn flask_is_seen_through_to_its_handlers() {
    let Some(python) = python() else { return };
    for over in ["grpc", "http"] {
        let (env, dir) = application("flaskshop", "app.py", include_str!("flask_app.py"));
        let receiver = Receiver::start(&env, &dir);
        let mut command = Command::new(&python);
        command.arg("app.py");
        run(command, &dir, &receiver, over);
        let expected = [
            "GET /never app.never 0",
            "GET /users/<int:id> app.user 5",
            "POST /orders app.order 2",
        ];
        assert_eq!(traffic(&env, &dir), expected, "over {over}");
        let callers = env.lore_in(&dir, &["callers", "app.user"], "").success().to_string();
        assert!(callers.contains("5 calls in 7 days"), "{callers}");
        let never = data(&env, &dir, &["routes", "--dead", "7"]);
        assert_eq!(never["routes"][0]["traffic"]["state"], "dead", "{never}");
    }
}

#[test]
fn fastapi_is_seen_through_to_its_handlers() {
    let Some(python) = python() else { return };
    for over in ["grpc", "http"] {
        let (env, dir) = application("fastshop", "app.py", include_str!("fastapi_app.py"));
        let receiver = Receiver::start(&env, &dir);
        let mut command = Command::new(&python);
        command.arg("app.py");
        run(command, &dir, &receiver, over);
        let expected = [
            "GET /api/items/{sku} app.item 4",
            "GET /never app.never 0",
            "POST /orders app.order 1",
        ];
        assert_eq!(traffic(&env, &dir), expected, "over {over}");
    }
}

#[test]
fn express_is_seen_through_to_its_handlers() {
    let Some(modules) = testkit::outside::program("LORE_TEST_OTEL_NODE") else { return };
    for over in ["grpc", "http"] {
        let (env, dir) = application("expresshop", "app.js", include_str!("express_app.js"));
        let receiver = Receiver::start(&env, &dir);
        let mut command = Command::new("node");
        command.arg("app.js").env("NODE_PATH", &modules);
        run(command, &dir, &receiver, over);
        let expected =
            ["GET /never app.never 0", "GET /users/:id app.user 3", "POST /orders app.order 1"];
        assert_eq!(traffic(&env, &dir), expected, "over {over}");
    }
}
