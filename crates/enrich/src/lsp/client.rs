//! Requests to a server and their answers, many in flight; what the server asks
//! in return is answered here, and never changes a file.

use super::frame::{FrameError, read_frame, write_frame};
use super::process::{ProcessOptions, ServerProcess};
use model::Result;
use model::text::one_line;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{BufReader, BufWriter};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Why a server gave no answer at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientError {
    /// It did not answer within the time it has.
    Silent,
    /// It ended, or what it says is no protocol.
    Gone(String),
}

/// An error that a server answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    code: Option<i64>,
    pub words: String,
}

impl Refusal {
    /// Whether the server only says that it was busy with something else: that the text
    /// was loaded meanwhile, or that it cancelled the request by itself.
    pub fn is_passing(&self) -> bool {
        const CONTENT_MODIFIED: i64 = -32801;
        const SERVER_CANCELLED: i64 = -32802;
        matches!(self.code, Some(CONTENT_MODIFIED | SERVER_CANCELLED))
    }
}

/// What arrives from the server.
enum Event {
    Answer(u64, std::result::Result<Value, Refusal>),
    Gone(String),
}

/// A server that is asked over its standard input and output.
#[derive(Debug)]
pub struct Client {
    process: ServerProcess,
    output: Sender<Vec<u8>>,
    events: Receiver<Event>,
    waiting: Arc<Mutex<HashSet<u64>>>,
    last_id: u64,
    n_requests: u64,
}

impl Client {
    /// `settings` answers what the server asks of its configuration, by section.
    pub fn start(options: &ProcessOptions, settings: Value) -> Result<Self> {
        let (process, stdin, stdout) = ServerProcess::start(options)?;
        let (output, to_write) = channel::<Vec<u8>>();
        let (to, events) = channel();
        let waiting = Arc::new(Mutex::new(HashSet::new()));
        std::thread::spawn(move || write_all(stdin, &to_write));
        let reader = Reader { to, output: output.clone(), waiting: Arc::clone(&waiting), settings };
        std::thread::spawn(move || reader.read_all(stdout));
        Ok(Client { process, output, events, waiting, last_id: 0, n_requests: 0 })
    }

    pub fn n_requests(&self) -> u64 {
        self.n_requests
    }

    pub fn process(&mut self) -> &mut ServerProcess {
        &mut self.process
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.n_requests += 1;
        let id = self.last_id;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Gives a request up; its answer is dropped when it comes.
    pub fn cancel(&self, id: u64) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        self.notify("$/cancelRequest", json!({"id": id}));
    }

    /// The next answer to any request. An error that the server answers is an
    /// answer: it says nothing of that one place.
    pub fn next_answer(
        &self,
        patience: Duration,
    ) -> std::result::Result<(u64, std::result::Result<Value, Refusal>), ClientError> {
        match self.events.recv_timeout(patience) {
            Ok(Event::Answer(id, answer)) => Ok((id, answer)),
            Ok(Event::Gone(why)) => Err(ClientError::Gone(self.told(why))),
            Err(RecvTimeoutError::Timeout) => Err(ClientError::Silent),
            Err(RecvTimeoutError::Disconnected) => {
                Err(ClientError::Gone(self.told("it ended".to_owned())))
            }
        }
    }

    /// Asks and waits for that answer; others that come first are lost, so nothing
    /// else may be in flight.
    pub fn ask(
        &mut self,
        method: &str,
        params: Value,
        patience: Duration,
    ) -> std::result::Result<std::result::Result<Value, Refusal>, ClientError> {
        let asked = self.request(method, params);
        loop {
            match self.next_answer(patience) {
                Ok((id, answer)) if id == asked => return Ok(answer),
                Ok(_) => {}
                Err(error) => {
                    if error == ClientError::Silent {
                        self.cancel(asked);
                    }
                    return Err(error);
                }
            }
        }
    }

    fn told(&self, why: String) -> String {
        match self.process.last_words() {
            Some(words) => format!("{why} ({words})"),
            None => why,
        }
    }

    fn send(&self, message: &Value) {
        // A writer that is gone is noticed as the end of the server's output.
        let _ = self.output.send(message.to_string().into_bytes());
    }
}

fn write_all(stdin: ChildStdin, messages: &Receiver<Vec<u8>>) {
    let mut stdin = BufWriter::new(stdin);
    while let Ok(body) = messages.recv() {
        if write_frame(&mut stdin, &body).is_err() {
            return;
        }
    }
}

/// The thread that reads what the server says.
struct Reader {
    to: Sender<Event>,
    output: Sender<Vec<u8>>,
    waiting: Arc<Mutex<HashSet<u64>>>,
    settings: Value,
}

impl Reader {
    fn read_all(&self, stdout: ChildStdout) {
        let mut input = BufReader::new(stdout);
        let why = loop {
            match read_frame(&mut input) {
                Ok(body) => match serde_json::from_slice::<Value>(&body) {
                    Ok(message) => self.take(&message),
                    Err(_) => break "it does not speak the protocol: no JSON".to_owned(),
                },
                Err(FrameError::End) => break "it ended".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        let _ = self.to.send(Event::Gone(why));
    }

    fn take(&self, message: &Value) {
        match (message.get("method").and_then(Value::as_str), message.get("id")) {
            (Some(method), Some(id)) => self.answer(method, id, message.get("params")),
            (None, Some(id)) => {
                let Some(id) = id.as_u64() else { return };
                // What nobody waits for is dropped here: a server may send it without end.
                if !self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id) {
                    return;
                }
                let answer = match message.get("error").filter(|error| !error.is_null()) {
                    Some(error) => {
                        let text = error.get("message").and_then(Value::as_str);
                        let words = one_line(text.unwrap_or("an error without words"), 200);
                        Err(Refusal { code: error.get("code").and_then(Value::as_i64), words })
                    }
                    None => Ok(message.get("result").cloned().unwrap_or(Value::Null)),
                };
                let _ = self.to.send(Event::Answer(id, answer));
            }
            _ => {}
        }
    }

    /// What a server may ask of its client. Nothing that it asks for changes a file.
    fn answer(&self, method: &str, id: &Value, params: Option<&Value>) {
        let result = match method {
            "workspace/configuration" => Some(self.configuration(params)),
            "workspace/applyEdit" => {
                Some(json!({"applied": false, "failureReason": "this client only reads"}))
            }
            "workspace/workspaceFolders"
            | "window/showMessageRequest"
            | "window/workDoneProgress/create"
            | "client/registerCapability"
            | "client/unregisterCapability" => Some(Value::Null),
            _ => None,
        };
        let message = match result {
            Some(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            None => json!({"jsonrpc": "2.0", "id": id,
                "error": {"code": -32601, "message": "this client does not do that"}}),
        };
        let _ = self.output.send(message.to_string().into_bytes());
    }

    fn configuration(&self, params: Option<&Value>) -> Value {
        const MOST_ITEMS: usize = 256;
        let items = params.and_then(|params| params.get("items")).and_then(Value::as_array);
        let answer = |item: &Value| {
            let section = item.get("section").and_then(Value::as_str).unwrap_or_default();
            let parts = section.split('.').filter(|part| !part.is_empty());
            let found = parts.into_iter().try_fold(&self.settings, |at, part| at.get(part));
            found.cloned().unwrap_or(Value::Null)
        };
        items.into_iter().flatten().take(MOST_ITEMS).map(answer).collect()
    }
}
