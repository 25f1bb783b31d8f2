//! A server that answers three questions, for the commands that only ask who
//! and where: `auth`, `doctor`, `init`. Everything else is tested against the
//! simulator.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

pub struct FakeGitlab {
    pub url: String,
    /// The request lines and tokens, as they arrive.
    pub requests: Receiver<String>,
}

/// How the server treats its callers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Friendly,
    /// Reads requests and never answers.
    Mute,
}

pub fn start(mood: Mood) -> FakeGitlab {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    let url = format!("http://{address}");
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            std::thread::spawn(move || serve(&stream, mood, &sender));
        }
    });
    FakeGitlab { url, requests }
}

fn serve(stream: &TcpStream, mood: Mood, sender: &Sender<String>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut lines: Vec<String> = Vec::new();
        loop {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(n) if n > 0 => {}
                _ => return,
            }
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let path = lines[0].split_whitespace().nth(1).unwrap_or_default().to_owned();
        let token = lines.iter().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_token = name.eq_ignore_ascii_case("private-token")
                || name.eq_ignore_ascii_case("authorization");
            is_token.then(|| value.trim_start_matches("Bearer ").to_owned())
        });
        let _ = sender.send(path.clone());
        if mood == Mood::Mute {
            continue;
        }
        let (status, body) = answer(&path, token.as_deref());
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        if (&*stream).write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(path: &str, token: Option<&str>) -> (&'static str, &'static str) {
    let path = path.split('?').next().unwrap_or_default();
    match (token, path) {
        (Some("good"), "/api/v4/user") => (
            "200 OK",
            r#"{"id":7,"username":"ann","name":"Ann Lee\u001b[31m","state":"active","web_url":"http://x/ann"}"#,
        ),
        (Some("good"), "/api/v4/version" | "/api/v4/metadata") => {
            ("200 OK", r#"{"version":"18.2.1-ee","revision":"abc"}"#)
        }
        (Some("good"), "/api/v4/projects/group%2Fapp" | "/api/v4/projects/Group%2FApp") => (
            "200 OK",
            r#"{"id":11,"path_with_namespace":"group/app","name":"app","web_url":"http://x/group/app",
               "default_branch":"main","visibility":"private","archived":false,
               "created_at":"2024-01-01T00:00:00Z","last_activity_at":"2024-05-01T00:00:00Z"}"#,
        ),
        (Some("good"), _) => ("404 Not Found", r#"{"message":"404 Project Not Found"}"#),
        _ => ("401 Unauthorized", r#"{"message":"401 Unauthorized"}"#),
    }
}
