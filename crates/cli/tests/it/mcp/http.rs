//! `lore mcp --http`: who may ask, how much, and that the answers are the same.

use super::{Client, HISTORY, harbour};
use crate::BINARY;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use testkit::{Site, TestEnv};

/// A server on a free port of loopback; killed when dropped.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    pub fn start(env: &TestEnv, dir: &Path, address: &str, args: &[&str]) -> Server {
        let words: Vec<&str> = ["mcp", "--http", address].iter().chain(args).copied().collect();
        let mut child = env
            .command(&words)
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| {
            let mut rest = String::new();
            let _ = said.read_to_string(&mut rest);
            panic!("{line}{rest}")
        });
        // Somebody must read what it says, or it may wait for that.
        let address = address.to_owned();
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Server { child, address }
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn port(&self) -> &str {
        let authority = self.address.split('/').next().unwrap();
        authority.rsplit(':').next().unwrap()
    }

    /// Sends one request; the status and the whole answer.
    pub fn send(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port())).unwrap();
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\
             Connection: close\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // A server that has refused may not read to the end.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        (status, answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn greeting() -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    })
    .to_string()
}

/// The messages of an answer, from events or from the body itself.
pub fn messages(answer: &str) -> Vec<Value> {
    answer
        .lines()
        .map(|line| line.strip_prefix("data:").unwrap_or(line).trim())
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(Value::is_object)
        .collect()
}

#[test]
fn answers_are_those_of_stdio() {
    let (site, clone) = harbour();
    let server = Server::start(&site.env, &clone, "127.0.0.1:0", &["--no-index"]);
    let (status, answer) = server.send(&[], &greeting());
    assert_eq!(status, 200, "{answer}");
    let session = answer
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned))
        .unwrap();
    let headers = [("Mcp-Session-Id", session.as_str())];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.send(&headers, &initialized.to_string()).0, 202);
    let question = json!({"query": "cookie"});
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": {"name": "search", "arguments": question},
    });
    let (status, answer) = server.send(&headers, &call.to_string());
    assert_eq!(status, 200, "{answer}");
    let over_http = messages(&answer).into_iter().find(|it| it["id"] == 2).unwrap();
    let mut agent = Client::greeted(&site.env, &clone, &["--no-index"]);
    assert_eq!(over_http["result"], agent.call("search", question));
}

#[test]
fn web_pages_and_strangers_are_turned_away() {
    let site = Site::scenario(BINARY, HISTORY);
    let server = Server::start(&site.env, &site.env.dir(), "127.0.0.1:0", &[]);
    for (headers, expected) in [
        (&[][..], 200),
        (&[("Origin", "http://localhost:3000")], 200),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Host", "evil.example")], 403),
        (&[("Host", "localhost")], 200),
        (&[("Host", "127.0.0.1.evil.example")], 403),
    ] {
        let (status, answer) = server.send(headers, &greeting());
        assert_eq!(status, expected, "{headers:?}\n{answer}");
    }
}

#[test]
fn any_other_address_needs_a_token() {
    let site = Site::scenario(BINARY, HISTORY);
    let refused = site.env.lore(&["mcp", "--http", "0.0.0.0:0"]);
    expect_test::expect![[r#"
        ------- stderr -------
        error: 0.0.0.0:0 can be reached by others, and no token is set
        hint: set LORE_MCP_TOKEN or mcp.token_file, or listen on 127.0.0.1
        [exit status: 5]
    "#]]
    .assert_eq(&refused.to_string());
    let mut with_token = site.another_machine(BINARY);
    with_token.set_var("LORE_MCP_TOKEN", "s3cret-word");
    // Asked for on loopback, too, once there is one.
    for address in ["0.0.0.0:0", "127.0.0.1:0"] {
        let server = Server::start(&with_token, &with_token.dir(), address, &[]);
        for (headers, expected) in [
            (&[][..], 401),
            (&[("Authorization", "Bearer wrong")], 401),
            (&[("Authorization", "Basic s3cret-word")], 401),
            (&[("Authorization", "Bearer s3cret-word")], 200),
        ] {
            let (status, answer) = server.send(headers, &greeting());
            assert_eq!(status, expected, "{address} {headers:?}\n{answer}");
            assert!(!answer.contains("s3cret"), "{answer}");
        }
    }
    // Or from a file that nobody else can read.
    let file = site.env.write_file("token", "from-a-file\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let mut with_file = site.another_machine(BINARY);
    with_file.set_var("LORE_MCP_TOKEN_FILE", &file.display().to_string());
    let server = Server::start(&with_file, &with_file.dir(), "127.0.0.1:0", &[]);
    assert_eq!(server.send(&[], &greeting()).0, 401);
    assert_eq!(server.send(&[("Authorization", "Bearer from-a-file")], &greeting()).0, 200);
}

#[test]
fn malformed_and_oversized_requests_are_refused() {
    let site = Site::scenario(BINARY, HISTORY);
    let server = Server::start(&site.env, &site.env.dir(), "127.0.0.1:0", &[]);
    let huge = format!("{{\"jsonrpc\":\"2.0\",\"x\":\"{}\"}}", "y".repeat(5 * 1024 * 1024));
    for (headers, body, expected) in [
        (&[][..], "nonsense", 400..=499),
        (&[], "{}", 400..=499),
        (&[], huge.as_str(), 413..=413),
        (
            &[("Mcp-Session-Id", "no-such-session")],
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            400..=499,
        ),
    ] {
        let (status, answer) = server.send(headers, body);
        assert!(expected.contains(&status), "{status}\n{answer}");
    }
    assert_eq!(server.send(&[], &greeting()).0, 200);
}
