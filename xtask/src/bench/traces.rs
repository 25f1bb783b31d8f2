//! The OTLP receiver under load: the real program, protobuf over HTTP, spans of a
//! system of twenty services, and questions meanwhile.
//!
//! `bench traces [SPANS_PER_SECOND] [SECONDS]`. With 0 spans a second as many as it takes.

use super::forge::Outcome;
use prost::Message as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use traces::decode::otlp::{
    AnyValue, KeyValue, ResourceMessage, ResourceSpans, Scalar, ScopeSpans, SpanMessage,
    TracesRequest,
};

/// Spans of one request, as SDKs send them.
const BATCH: u64 = 512;
const SENDERS: u64 = 4;
const SERVICES: u64 = 20;
const ROUTES: u64 = 15;

pub fn run(options: &[&str]) -> ExitCode {
    let number =
        |at: usize, default: u64| options.get(at).and_then(|it| it.parse().ok()).unwrap_or(default);
    match measure(number(0, 20_000), number(1, 60)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Receiver {
    child: Child,
    address: String,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lore(home: &Path, words: &[&str]) -> Outcome<Command> {
    let program = std::env::current_exe()?.with_file_name("lore");
    let mut command = Command::new(program);
    command.env_clear().env("HOME", home).env("LORE_DB", home.join("lore.db"));
    command.args(words).current_dir(home).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

fn start(home: &Path) -> Outcome<Receiver> {
    let mut child =
        lore(home, &["serve", "--otlp", "127.0.0.1:0"])?.stderr(Stdio::piped()).spawn()?;
    let mut said = BufReader::new(child.stderr.take().ok_or("no standard error")?);
    let mut line = String::new();
    said.read_line(&mut line)?;
    let address = line.split("http://").nth(1).and_then(|it| it.split('/').next());
    let address = address.ok_or(format!("not listening: {line}"))?.to_owned();
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    Ok(Receiver { child, address })
}

fn measure(per_second: u64, seconds: u64) -> Outcome<()> {
    let home = TempDir::new()?;
    let receiver = start(home.path())?;
    let sent = Arc::new(AtomicU64::new(0));
    let refused = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let began = Instant::now();
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let (sent, refused, is_over) =
                (Arc::clone(&sent), Arc::clone(&refused), Arc::clone(&is_over));
            let address = receiver.address.clone();
            std::thread::spawn(move || {
                send(&address, sender, per_second, began, &sent, &refused, &is_over)
            })
        })
        .collect();
    let mut busy = Vec::new();
    // One request makes the tables that questions are asked of.
    post(&mut TcpStream::connect(&receiver.address)?, &body(0, 0))?;
    while began.elapsed() < Duration::from_secs(seconds) {
        busy.extend(ask(home.path(), 1)?);
        std::thread::sleep(Duration::from_millis(300));
    }
    is_over.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.join().map_err(|_| "a sender crashed")??;
    }
    let took = began.elapsed().as_secs_f64();
    // Afterwards: an answer from the same record, with nothing to wait for.
    let idle = ask(home.path(), busy.len())?;
    let n_sent = sent.load(Ordering::Relaxed);
    let status = std::fs::read_to_string(format!("/proc/{}/status", receiver.child.id()))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("?").trim();
    let size = std::fs::metadata(home.path().join("lore.db"))?.len();
    println!("{n_sent} spans acknowledged in {took:.1} s: {:.0} a second", n_sent as f64 / took);
    println!("{} requests refused with `try again`", refused.load(Ordering::Relaxed));
    println!("peak memory of the receiver {peak}, database {:.1} MB", size as f64 / 1e6);
    println!(
        "lore traffic, whole process: idle p95 {:.0} ms, meanwhile {:.0} ms",
        p95(&idle),
        p95(&busy)
    );
    Ok(())
}

fn send(
    address: &str,
    sender: u64,
    per_second: u64,
    began: Instant,
    sent: &AtomicU64,
    refused: &AtomicU64,
    is_over: &AtomicBool,
) -> std::result::Result<(), String> {
    let mut stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
    let mut n = 1;
    while !is_over.load(Ordering::Relaxed) {
        let message = body(sender, n);
        loop {
            match post(&mut stream, &message) {
                Ok(200) => break,
                Ok(_) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(100));
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        sent.fetch_add(BATCH, Ordering::Relaxed);
        if per_second > 0 {
            let due = Duration::from_secs_f64((n * BATCH * SENDERS) as f64 / per_second as f64);
            std::thread::sleep(due.saturating_sub(began.elapsed()));
        }
        n += 1;
    }
    Ok(())
}

/// Chains of four spans: a request, a call to another service, its request, a query.
fn body(sender: u64, n: u64) -> Vec<u8> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |it| it.as_nanos() as u64);
    let mut groups: Vec<ResourceSpans> = Vec::new();
    for chain in 0..BATCH / 4 {
        let id = (sender << 48) | (n << 16) | (chain << 4) | 1;
        let (from, to) = (chain % SERVICES, (chain * 7 + 3) % SERVICES);
        let route = format!("/things/{{id}}/part{}", (chain + n) % ROUTES);
        let url = format!("http://service-{to}:8080/things/{n}/part{}", (chain + n) % ROUTES);
        let get = || ("http.request.method", "GET".to_owned());
        let own = vec![
            span(id, 0, 2, now, &[get(), ("http.route", "/".to_owned())]),
            span(id + 1, id, 3, now, &[get(), ("url.full", url)]),
        ];
        let statement = format!("SELECT * FROM table{} WHERE id = $1", chain % 9);
        let theirs = vec![
            span(id + 2, id + 1, 2, now, &[get(), ("http.route", route)]),
            span(
                id + 3,
                id + 2,
                3,
                now,
                &[("db.system", "postgresql".to_owned()), ("db.statement", statement)],
            ),
        ];
        groups.push(group(from, own));
        groups.push(group(to, theirs));
    }
    TracesRequest { resource_spans: groups }.encode_to_vec()
}

fn group(service: u64, spans: Vec<SpanMessage>) -> ResourceSpans {
    let attributes = vec![pair("service.name", format!("service-{service}"))];
    ResourceSpans {
        resource: Some(ResourceMessage { attributes }),
        scope_spans: vec![ScopeSpans { spans }],
        library_spans: Vec::new(),
    }
}

fn span(id: u64, parent: u64, kind: i32, now: u64, pairs: &[(&str, String)]) -> SpanMessage {
    let parent_span_id = if parent == 0 { Vec::new() } else { parent.to_be_bytes().to_vec() };
    SpanMessage {
        trace_id: [[7; 8], (id >> 4).to_be_bytes()].concat(),
        span_id: id.to_be_bytes().to_vec(),
        parent_span_id,
        name: b"span".to_vec(),
        kind,
        start_time_unix_nano: now,
        end_time_unix_nano: now + (id % 50) * 1_000_000,
        attributes: pairs.iter().map(|(name, value)| pair(name, value.clone())).collect(),
        status: None,
    }
}

fn pair(name: &str, value: String) -> KeyValue {
    let value = Some(AnyValue { value: Some(Scalar::Text(value.into_bytes())) });
    KeyValue { key: name.as_bytes().to_vec(), value }
}

/// Sends one request over a connection that stays open; the status of the answer.
fn post(stream: &mut TcpStream, body: &[u8]) -> Outcome<u16> {
    let head = format!(
        "POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    let mut piece = [0; 1024];
    loop {
        let n_read = stream.read(&mut piece)?;
        if n_read == 0 {
            return Err("the receiver closed the connection".into());
        }
        answer.extend_from_slice(&piece[..n_read]);
        let text = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        let Some((head, rest)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.and_then(|it| it.trim().parse().ok()).unwrap_or(0);
        if rest.len() >= length {
            return Ok(head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0));
        }
    }
}

/// Milliseconds of a question, asked so many times.
fn ask(home: &Path, n_times: usize) -> Outcome<Vec<f64>> {
    let mut took = Vec::new();
    for _ in 0..n_times {
        let began = Instant::now();
        let status =
            lore(home, &["traffic", "--json", "-n", "20"])?.stderr(Stdio::null()).status()?;
        if !status.success() {
            return Err("`lore traffic` failed".into());
        }
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(took)
}

fn p95(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * 0.95).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}
