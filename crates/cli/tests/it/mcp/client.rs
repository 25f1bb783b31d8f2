//! A client as plain as the protocol allows: lines of JSON out, lines of JSON
//! in, each of them looked at.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use testkit::TestEnv;

/// Longer than anything here takes; only a hang is longer.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: JoinHandle<String>,
    last_id: i64,
    roots: Vec<String>,
    /// Answers that came while another one was waited for.
    early: BTreeMap<i64, Value>,
    /// Everything the server said by itself.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Starts `lore mcp` in a folder; nothing is said yet.
    pub fn start(env: &TestEnv, dir: &Path, args: &[&str]) -> Client {
        let words: Vec<&str> = ["mcp"].iter().chain(args).copied().collect();
        let mut child = env
            .command(&words)
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (to, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut said = String::new();
            let _ = stderr.read_to_string(&mut said);
            said
        });
        Client {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr,
            last_id: 0,
            roots: Vec::new(),
            early: BTreeMap::new(),
            notifications: Vec::new(),
        }
    }

    /// Starts and greets.
    pub fn greeted(env: &TestEnv, dir: &Path, args: &[&str]) -> Client {
        let mut client = Client::start(env, dir, args);
        client.greet(json!({}));
        client
    }

    /// Starts as a client of this name.
    pub fn named(env: &TestEnv, dir: &Path, name: &str) -> Client {
        let mut client = Client::start(env, dir, &[]);
        client.greet_as(name, json!({}));
        client
    }

    /// Starts as a client that works in these folders.
    pub fn with_roots(env: &TestEnv, dir: &Path, args: &[&str], roots: &[&Path]) -> Client {
        let mut client = Client::start(env, dir, args);
        client.roots = roots.iter().map(|root| format!("file://{}", root.display())).collect();
        client.greet(json!({ "roots": { "listChanged": true } }));
        client
    }

    /// The handshake; what the server says of itself.
    pub fn greet(&mut self, capabilities: Value) -> Value {
        self.greet_as("test", capabilities)
    }

    fn greet_as(&mut self, name: &str, capabilities: Value) -> Value {
        let greeted = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": { "name": name, "version": "1" },
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        greeted["result"].clone()
    }

    /// The client works somewhere else now.
    pub fn move_to(&mut self, root: &Path) {
        self.roots = vec![format!("file://{}", root.display())];
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    pub fn send_line(&mut self, line: &str) {
        self.send_bytes(line.as_bytes());
    }

    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request without waiting; its id.
    pub fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    /// The whole result of a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin_call(tool, arguments);
        self.result_of(id)
    }

    /// The result of a tool that must have answered, its envelope alone.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The error of a tool that must have refused.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["structuredContent"]["error"].clone()
    }

    pub fn result_of(&mut self, id: i64) -> Value {
        let answer = self.answer_to(id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub fn answer_to(&mut self, id: i64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            self.hear();
        }
    }

    /// Waits for a notification; says its parameters.
    pub fn notified(&mut self, method: &str) -> Value {
        loop {
            let at = self.notifications.iter().position(|it| it["method"] == method);
            if let Some(at) = at {
                return self.notifications.remove(at)["params"].clone();
            }
            self.hear();
        }
    }

    /// One message: kept, or answered when it is a question.
    fn hear(&mut self) {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says something");
        let message = protocol(&line);
        match (message.get("method"), message.get("id").and_then(Value::as_i64)) {
            (Some(method), Some(id)) => {
                assert_eq!(method, "roots/list", "{message}");
                let roots: Vec<Value> =
                    self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                let result = json!({ "roots": roots });
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
            }
            (None, Some(id)) => drop(self.early.insert(id, message)),
            // Said by itself, or an error that belongs to no request.
            (_, None) => self.notifications.push(message),
        }
    }

    /// Hangs up; what was still said, what stands on stderr, the exit status.
    pub fn close(mut self) -> (Vec<Value>, String, Option<i32>) {
        drop(self.stdin.take());
        let mut rest = std::mem::take(&mut self.notifications);
        rest.extend(std::mem::take(&mut self.early).into_values());
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            rest.push(protocol(&line));
        }
        let status = self.child.wait().unwrap();
        (rest, self.stderr.join().unwrap(), status.code())
    }
}

/// stdout carries the protocol and nothing else.
fn protocol(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}
