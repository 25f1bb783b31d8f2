//! What asking over MCP costs: the way over stdio beside the same answer made
//! in this process, and how many tokens answers have by a real tokenizer.
//!
//! `bench mcp [--db FILE]`: the built-in history, and the large corpus of
//! `bench insight` when its database is named. Tokens are counted where
//! `LORE_TEST_TOKENIZER` names the folder of gpt-tokenizer.

use super::forge::Outcome;
use super::mcp_tokens;
use insight::timeline::{self, Start};
use insight::{code, file_history, file_target, show, why};
use model::Timestamp;
use search::Searcher;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use store::Reader;
use store::listing::{self, EntityFilter};

/// Calls of each tool.
const ASKED: usize = 200;

pub fn run(options: &[&str]) -> ExitCode {
    let db = match options {
        ["--db", db] => Some(PathBuf::from(db)),
        _ => None,
    };
    match measure(db) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(large: Option<PathBuf>) -> Outcome<()> {
    let folder = tempfile::TempDir::new()?;
    let lore = std::env::current_exe()?.with_file_name("lore");
    let made = Command::new(&lore)
        .args(["demo", "--keep", "playground"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    let playground = folder.path().join("playground");
    let demo =
        Place { lore: lore.clone(), dir: playground.clone(), db: playground.join("lore.db") };
    demo.measure("the built-in history", true)?;
    if let Some(db) = large {
        let place = Place { lore, dir: folder.path().to_owned(), db };
        place.measure("30,000 merge requests", false)?;
    }
    Ok(())
}

struct Place {
    lore: PathBuf,
    dir: PathBuf,
    db: PathBuf,
}

/// A tool, what it is asked, and the same asked in this process.
type Question = (&'static str, Value, Box<dyn Fn() -> Outcome<Value>>);

impl Place {
    fn measure(&self, what: &str, has_memory: bool) -> Outcome<()> {
        println!("{what}");
        let mut server = Server::start(self)?;
        let mut questions = self.questions()?;
        if has_memory {
            let none = || -> Outcome<Value> { Err("only over the server".into()) };
            questions.push(("recall", json!({"query": "alarms"}), Box::new(none)));
        }
        println!("tool            in process   over stdio (median, p95)   overhead");
        for (tool, arguments, in_process) in questions {
            let alone = times(&*in_process).ok();
            let mut over = Vec::new();
            for _ in 0..ASKED {
                over.push(server.ask(tool, &arguments)?.0);
            }
            over.sort();
            let (median, p95) = (at(&over, 0.5), at(&over, 0.95));
            let own = alone.as_deref().map(|alone| at(alone, 0.5));
            println!(
                "{tool:<14} {:>9}   {median:>7.2} ms {p95:>7.2} ms      {:>9}",
                own.map_or("-".to_owned(), |own| format!("{own:.2} ms")),
                own.map_or("-".to_owned(), |own| format!("{:.2} ms", median - own)),
            );
        }
        // Memory is what tells the built-in history from the large corpus.
        if has_memory { mcp_tokens::table(&mut server, &self.db) } else { Ok(()) }
    }

    /// Asked of an entity and a file that are there.
    fn questions(&self) -> Outcome<Vec<Question>> {
        let reader = Reader::open(&self.db)?;
        let filter = EntityFilter { limit: 1, offset: 3, ..EntityFilter::default() };
        let kind = model::EntityKind::MergeRequest;
        let (found, _) = listing::entities(&reader, kind, &filter)?;
        let entity = found.first().ok_or("there are no merge requests")?;
        let reference = format!("{}{}", entity.project, entity.reference());
        let words = entity.title.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        let files = store::details::files(&reader, entity.id)?;
        let path = files.first().ok_or("the merge request has no files")?.path.clone();
        let project = entity.project.clone();
        let mut all: Vec<Question> = Vec::new();
        // Kept open from one question to the next, as the server does.
        let reader = Rc::new(reader);
        let (db, query) = (Rc::clone(&reader), words.clone());
        all.push((
            "search",
            json!({"query": words, "mode": "lexical"}),
            Box::new(move || {
                let searcher = Searcher { reader: &db, provider: None, now: Timestamp::EPOCH };
                let request = search::Request {
                    query: query.clone(),
                    limit: 10,
                    mode: search::Mode::Lexical,
                    ..search::Request::default()
                };
                Ok(serde_json::to_value(searcher.find(&request)?)?)
            }),
        ));
        let (db, wanted) = (Rc::clone(&reader), reference.clone());
        all.push((
            "timeline",
            json!({"query": reference}),
            Box::new(move || {
                let searcher = Searcher { reader: &db, provider: None, now: Timestamp::EPOCH };
                let entity = timeline::named_entity(&wanted).ok_or("no reference")?;
                let start = Start::Entity { wanted: entity, project: None, here: None };
                let request = timeline::Request { limit: 40, ..timeline::Request::new("", start) };
                Ok(serde_json::to_value(timeline::timeline(&searcher, &request)?)?)
            }),
        ));
        let (db, wanted) = (Rc::clone(&reader), reference.clone());
        all.push((
            "show",
            json!({"reference": reference}),
            Box::new(move || {
                let asked = code::ScopeRequest::default();
                Ok(serde_json::to_value(show::show(&db, &wanted, None, &asked)?)?)
            }),
        ));
        let (db, dir, wanted) = (Rc::clone(&reader), self.dir.clone(), reference.clone());
        all.push((
            "why",
            json!({"target": reference}),
            Box::new(move || {
                let scope =
                    file_target::FileQuery { path: &wanted, project: None, repo: None, cwd: &dir };
                let request = why::Request {
                    scope,
                    limit: 3,
                    notes: 2,
                    experts: 3,
                    about: None,
                    code: None,
                    now: Timestamp::EPOCH,
                };
                Ok(serde_json::to_value(why::why(&db, &request)?)?)
            }),
        ));
        let (db, dir) = (reader, self.dir.clone());
        let (file, of) = (path.clone(), project.clone());
        all.push((
            "file_history",
            json!({"path": path, "project": project}),
            Box::new(move || {
                let file = file_target::FileQuery {
                    path: &file,
                    project: Some(&of),
                    repo: None,
                    cwd: &dir,
                };
                let request = file_history::Request {
                    file,
                    merged_only: false,
                    discussions: false,
                    follow_renames: true,
                    limit: 10,
                };
                Ok(serde_json::to_value(file_history::file_history(&db, &request)?)?)
            }),
        ));
        Ok(all)
    }
}

/// `lore mcp`, greeted.
pub(super) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    fn start(place: &Place) -> Outcome<Self> {
        let mut child = Command::new(&place.lore)
            .args(["mcp", "--tools", "all", "--no-index", "--db"])
            .arg(&place.db)
            .current_dir(&place.dir)
            .env("HOME", &place.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut server = Server { child, stdin, stdout, last_id: 0 };
        server.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        let greeted = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(server.stdin, "{greeted}")?;
        Ok(server)
    }

    fn request(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.last_id += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.stdin.write_all(format!("{request}\n").as_bytes())?;
        self.stdin.flush()?;
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err("the server has gone".into());
            }
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == json!(self.last_id) {
                return Ok(answer);
            }
        }
    }

    pub(super) fn ask(&mut self, tool: &str, arguments: &Value) -> Outcome<(Duration, String)> {
        let began = Instant::now();
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let took = began.elapsed();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if answer["result"]["isError"] != json!(false) {
            return Err(format!("{tool}: {answer}").into());
        }
        Ok((took, text))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn times(work: &dyn Fn() -> Outcome<Value>) -> Outcome<Vec<Duration>> {
    let mut all = Vec::new();
    for _ in 0..ASKED {
        let began = Instant::now();
        // As a string, because that is what an answer is.
        let _sent = work()?.to_string();
        all.push(began.elapsed());
    }
    all.sort();
    Ok(all)
}

fn at(times: &[Duration], share: f64) -> f64 {
    let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
    times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
