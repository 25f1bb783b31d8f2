//! `lore mcp --http` against clients that mean harm: floods of sessions, forged
//! addresses, folders that are not theirs.

use crate::mcp::http::{Server, greeting, messages};
use crate::{lore, mcp};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

/// Sends bytes as they are; the status of the answer.
fn raw(server: &Server, bytes: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{}", server.port())).unwrap();
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

fn get(target: &str, headers: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").into_bytes()
}

#[test]
fn requests_that_name_another_server_are_refused_on_every_route() {
    let env = lore();
    let server = Server::start(&env, &env.dir(), "127.0.0.1:0", &["--no-index"]);
    for path in ["/mcp", "/", "/metrics", "/api/v1/search"] {
        for (target, headers, expected) in [
            (path.to_owned(), "Host: evil@127.0.0.1\r\n", 400),
            (path.to_owned(), "Host: 127.0.0.1\r\nHost: evil.example\r\n", 400),
            (path.to_owned(), "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400),
            (path.to_owned(), "Host: localhost.\r\n", 400),
            (path.to_owned(), "Host: [::1%25lo]\r\n", 400),
            (path.to_owned(), "Host:\r\n", 400),
            (path.to_owned(), "", 400),
            (path.to_owned(), "Host: rebound.evil.example\r\n", 403),
            (path.to_owned(), "Host: 127.0.0.1\r\nOrigin: null\r\n", 403),
            (path.to_owned(), "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n", 403),
            (format!("http://evil.example{path}"), "Host: 127.0.0.1\r\n", 400),
            (format!("http://127.0.0.1{path}"), "Host: 127.0.0.1\r\n", 400),
        ] {
            assert_eq!(raw(&server, &get(&target, headers)), expected, "{target} {headers:?}");
        }
    }
    assert_eq!(raw(&server, &get("/metrics", "Host: 127.0.0.1\r\n")), 404);
}

#[test]
fn a_token_that_is_wrong_doubled_or_no_text_is_none() {
    let env = lore().with_var("LORE_MCP_TOKEN", "s3cret-word");
    let server = Server::start(&env, &env.dir(), "127.0.0.1:0", &["--no-index"]);
    for shown in [
        &b""[..],
        b"Authorization: \r\n",
        b"Authorization: Bearer \r\n",
        b"Authorization: Bearer s3cret-wor\r\n",
        b"Authorization: Bearer s3cret-word\xe9\r\n",
        b"Authorization: Bearer s3cret-word\r\nAuthorization: Bearer s3cret-word\r\n",
        b"Authorization: Bearer wrong\r\nAuthorization: Bearer s3cret-word\r\n",
    ] {
        for path in ["/mcp", "/metrics"] {
            let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
            let request = [head.as_bytes(), shown, b"\r\n"].concat();
            assert_eq!(raw(&server, &request), 401, "{}", String::from_utf8_lossy(shown));
        }
    }
    assert_eq!(server.send(&[("Authorization", "Bearer s3cret-word")], &greeting()).0, 200);
}

#[test]
fn a_body_without_an_announced_length_is_bounded_too() {
    let env = lore();
    let server = Server::start(&env, &env.dir(), "127.0.0.1:0", &["--no-index"]);
    let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    assert_eq!(raw(&server, format!("{head}{}", chunk.repeat(6)).as_bytes()), 413);
}

/// The session a client was given, or none.
fn session(answer: &str) -> Option<String> {
    let line = answer.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id: "))?;
    Some(line.split_once(": ")?.1.trim().to_owned())
}

#[test]
fn a_flood_of_greetings_costs_little_and_pushes_out_nobody_who_works() {
    let env = lore();
    let server = Server::start(&env, &env.dir(), "127.0.0.1:0", &["--no-index"]);
    let working = session(&server.send(&[], &greeting()).1).unwrap();
    let headers = [("Mcp-Session-Id", working.as_str())];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(server.send(&headers, &initialized).0, 202);
    let before = resident(server.process());
    let mut first = None;
    for _ in 0..1500 {
        let (status, answer) = server.send(&[], &greeting());
        assert_eq!(status, 200, "{answer}");
        first = first.or_else(|| session(&answer));
    }
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}).to_string();
    assert_eq!(server.send(&headers, &ping).0, 200);
    let first = first.unwrap();
    assert_eq!(server.send(&[("Mcp-Session-Id", &first)], &ping).0, 404);
    // 95 KB each would be 140 MB.
    let grown = resident(server.process()).saturating_sub(before);
    assert!(grown < 60 << 20, "{} MiB more", grown >> 20);
}

/// Memory in use by a process; zero where that is not told.
fn resident(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<usize>().ok()).unwrap_or(0) << 10
}

#[test]
fn a_client_over_http_opens_no_folder_that_lore_was_not_told_of() {
    let (site, clone) = mcp::harbour();
    let private = site.env.dir().join("private");
    std::fs::create_dir_all(&private).unwrap();
    std::fs::write(private.join("secret.rs"), "fn hidden_treasure() {}\n").unwrap();
    let at = private.display().to_string();
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "Hide it"]] {
        let words: Vec<&str> = ["-C", &at].iter().chain(words).copied().collect();
        let _done = site.env.git(&words);
    }
    let server = Server::start(&site.env, &clone, "127.0.0.1:0", &["--tools", "all"]);
    let session = session(&server.send(&[], &greeting()).1).unwrap();
    let headers = [("Mcp-Session-Id", session.as_str())];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(server.send(&headers, &initialized).0, 202);
    let call = |tool: &str, arguments: Value| {
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let (status, answer) = server.send(&headers, &call.to_string());
        assert_eq!(status, 200, "{answer}");
        messages(&answer).into_iter().find(|it| it["id"] == 2).unwrap()["result"].clone()
    };
    let file = private.join("secret.rs").display().to_string();
    for (tool, arguments) in [
        ("index_repo", json!({"path": at})),
        ("index_repo", json!({"path": "../../private"})),
        ("trace", json!({"target": format!("{file}:1")})),
        ("trace", json!({"target": "../../private/secret.rs:1"})),
        ("why", json!({"target": format!("{file}:1")})),
        ("file_history", json!({"path": file})),
    ] {
        let result = call(tool, arguments.clone());
        assert_eq!(result["isError"], json!(true), "{tool} {arguments}: {result}");
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], "NOT_FOUND", "{tool} {arguments}: {error}");
        assert!(!result.to_string().contains("Hide it"), "{result}");
    }
    // What lore knows is open as ever.
    let known = call("trace", json!({"target": "src/login.rs:1"}));
    assert_eq!(known["isError"], json!(false), "{known}");
    let whole = clone.join("src/login.rs").display().to_string();
    let known = call("file_history", json!({"path": whole}));
    assert_eq!(known["isError"], json!(false), "{known}");
    assert!(!Path::new(&private.join(".lore")).exists());
}
