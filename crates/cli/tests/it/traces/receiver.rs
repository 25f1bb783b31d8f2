//! `lore serve --otlp`, and what a hard end leaves.

use super::shop;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use testkit::TestEnv;

/// A receiver on free ports of loopback; killed when dropped.
pub struct Receiver {
    child: Child,
    /// `127.0.0.1:PORT` of gRPC.
    pub grpc: String,
    pub http: String,
}

impl Receiver {
    pub fn start(env: &TestEnv, dir: &Path) -> Receiver {
        let mut child = env
            .command(&["serve", "--otlp", "127.0.0.1:0"])
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let words: Vec<&str> = line.split([' ', ',']).collect();
        let after = |word: &str| {
            let at = words.iter().position(|it| *it == word).unwrap_or_else(|| panic!("{line}"));
            words[at + 2].trim().to_owned()
        };
        let http = after("HTTP").trim_start_matches("http://").replace("/v1/traces", "");
        let grpc = after("gRPC");
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Receiver { child, grpc, http }
    }

    pub fn post(&self, body: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.http).unwrap();
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.http,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(body.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0)
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_and_a_replay_counts_once() {
    let (env, dir) = shop();
    let receiver = Receiver::start(&env, &dir);
    assert_eq!(receiver.post(super::SPANS), 200);
    receiver.kill();
    let stats = super::data(&env, &dir, &["trace-stats"]);
    assert_eq!((&stats["spans"], &stats["edges"]), (&4.into(), &3.into()), "{stats}");
    let receiver = Receiver::start(&env, &dir);
    assert_eq!(receiver.post(super::SPANS), 200);
    assert_eq!(receiver.post("{\"resourceSpans\":"), 400);
    // Others may write meanwhile.
    let _ = env.lore_in(&dir, &["index", "-q", "--full"], "").success();
    let stats = super::data(&env, &dir, &["trace-stats"]);
    assert_eq!(
        (&stats["spans"], &stats["inputs"][0]["duplicates"]),
        (&4.into(), &4.into()),
        "{stats}"
    );
}

#[test]
fn other_addresses_need_a_token() {
    let (env, dir) = shop();
    let refused = env.lore_in(&dir, &["serve", "--otlp", "0.0.0.0:0"], "");
    assert!(refused.to_string().contains("no token is set"), "{refused}");
    let nothing = env.lore_in(&dir, &["serve"], "");
    assert!(nothing.to_string().contains("lore serve --otlp"), "{nothing}");
}
