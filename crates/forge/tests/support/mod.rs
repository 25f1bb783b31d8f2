//! A server that says exactly what a test tells it to, on loopback, and
//! remembers what it was asked.
#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up should fail loudly")]

use forge::gitlab::{Client, Options};
use model::Progress;
use model::backoff::Backoff;
use secrecy::SecretString;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The first byte of anybody who expects TLS.
const TLS_HANDSHAKE: u8 = 0x16;

pub const TOKEN: &str = "glpat-s3cret-T0ken";

/// What came over the wire.
#[derive(Debug, Clone)]
pub struct Request {
    /// `/api/v4/projects/42/issues`
    pub path: String,
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query
            .split('&')
            .filter_map(|part| part.split_once('='))
            .find_map(|(key, value)| (key == name).then_some(value))
    }

    pub fn page(&self) -> usize {
        self.parameter("page").map_or(1, |page| page.parse().unwrap())
    }

    pub fn per_page(&self) -> usize {
        self.parameter("per_page").map_or(20, |size| size.parse().unwrap())
    }
}

#[derive(Debug, Clone)]
enum Manner {
    Whole,
    /// Announces everything, sends so many bytes of the body, hangs up.
    Cut(usize),
    /// Hangs up without a word.
    Reset,
    /// Accepts and never answers.
    Silence,
}

#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    manner: Manner,
}

impl Reply {
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply { status, headers: Vec::new(), body: body.into(), manner: Manner::Whole }
    }

    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Reply::status(200, body).header("Content-Type", "application/json")
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub fn cut_after(mut self, n: usize) -> Self {
        self.manner = Manner::Cut(n);
        self
    }

    pub fn reset() -> Self {
        Reply { manner: Manner::Reset, ..Reply::status(200, "") }
    }

    pub fn silence() -> Self {
        Reply { manner: Manner::Silence, ..Reply::status(200, "") }
    }
}

pub struct Server {
    pub url: String,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers every request by `answer`, which gets the request and how many
    /// came before it.
    pub async fn start(
        answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), Arc::clone(&log)));
            }
        });
        Server { url, asked }
    }

    /// Says these in turn; being asked more often is a failure of the test.
    pub async fn script(replies: impl IntoIterator<Item = Reply>) -> Server {
        let replies: Vec<Reply> = replies.into_iter().collect();
        Server::start(move |_, n| {
            replies.get(n).cloned().unwrap_or_else(|| Reply::status(418, "asked too often"))
        })
        .await
    }

    pub async fn always(reply: Reply) -> Server {
        Server::start(move |_, _| reply.clone()).await
    }

    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    /// One line per request, relative to the API's root.
    pub fn log(&self) -> String {
        self.asked().iter().fold(String::new(), |mut log, request| {
            let path = request.path.split_once("/api/v4/").map_or(&*request.path, |(_, path)| path);
            let mark = if request.query.is_empty() { "" } else { "?" };
            writeln!(log, "{path}{mark}{}", request.query).unwrap();
            log
        })
    }

    /// Tries fast, sets no pace, gives up soon.
    pub fn options(&self) -> Options {
        Options {
            requests_per_second: None,
            backoff: Backoff { base: Duration::from_millis(1), cap: Duration::from_millis(2) },
            // Tests that stop the clock let it jump; no request must time out by that.
            request_timeout: Duration::from_secs(86_400),
            idle_timeout: Duration::from_secs(86_400),
            slow_start: Duration::from_secs(86_400),
            connect_timeout: Duration::from_secs(86_400),
            ..Options::new(self.url.clone(), SecretString::from(TOKEN))
        }
    }

    pub fn client(&self) -> Client {
        client(self.options())
    }
}

/// A client that keeps its progress to itself.
pub fn client(options: Options) -> Client {
    Client::new(options, Arc::new(model::progress::NoProgress)).unwrap()
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<impl Fn(&Request, usize) -> Reply>,
    log: Arc<Mutex<Vec<Request>>>,
) {
    let mut received = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            let mut buffer = [0; 4096];
            match stream.read(&mut buffer).await {
                Ok(n) if n > 0 => received.extend_from_slice(&buffer[..n]),
                _ => return,
            }
            if received[0] == TLS_HANDSHAKE {
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
                return;
            }
        };
        let request = parse(&String::from_utf8_lossy(&received[..end]));
        received.drain(..end + 4);
        let n = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        let reply = answer(&request, n);
        match reply.manner {
            Manner::Reset => {
                let _ = stream.set_zero_linger();
                return;
            }
            Manner::Silence => std::future::pending::<()>().await,
            Manner::Whole | Manner::Cut(_) => {}
        }
        let mut head =
            format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
        for (name, value) in &reply.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        head.push_str("\r\n");
        let sent = match reply.manner {
            Manner::Cut(n) => &reply.body[..n.min(reply.body.len())],
            _ => &reply.body[..],
        };
        let _ = stream.write_all(&[head.as_bytes(), sent].concat()).await;
        if matches!(reply.manner, Manner::Cut(_)) {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

pub fn parse(head: &str) -> Request {
    let mut lines = head.lines();
    let target = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Request {
        path: path.to_owned(),
        query: query.to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect(),
    }
}

/// Remembers what it was told, in one line each.
#[derive(Default)]
pub struct ProgressLog(pub Mutex<Vec<String>>);

impl ProgressLog {
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Progress for ProgressLog {
    fn phase(&self, _: &str, _: Option<u64>) {}
    fn advance(&self, _: u64) {}
    fn grow(&self, _: u64) {}
    fn waiting(&self, reason: &str, _: Duration) {
        self.0.lock().unwrap().push(format!("waiting: {reason}"));
    }
    fn note(&self, message: &str) {
        self.0.lock().unwrap().push(format!("note: {message}"));
    }
    fn finish(&self) {}
}

/// An issue with nothing but what is required.
pub fn issue(iid: usize) -> String {
    format!(
        r#"{{"id":{},"iid":{iid},"state":"opened","title":"Issue {iid}","created_at":"2024-01-01T00:00:00.000Z","updated_at":"2024-01-02T00:00:00.000Z"}}"#,
        1000 + iid
    )
}

/// A state event with nothing but what is required.
pub fn event(id: usize) -> String {
    format!(r#"{{"id":{id},"created_at":"2024-01-01T00:00:00.000Z","state":"closed"}}"#)
}

/// A JSON array of things made from numbers.
pub fn array(numbers: impl IntoIterator<Item = usize>, make: fn(usize) -> String) -> String {
    format!("[{}]", numbers.into_iter().map(make).collect::<Vec<_>>().join(","))
}
