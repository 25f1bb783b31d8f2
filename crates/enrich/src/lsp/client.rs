//! Requests to a server and their answers, many in flight; what the server asks
//! in return is answered here, and never changes a file.

use super::frame::{FrameError, message_of, read_frame};
use super::process::{ProcessOptions, ServerProcess};
pub use lsp_server::RequestId;
use lsp_server::{ErrorCode, Message, Notification, Outgoing, ReqQueue, Request, Response};
use model::Result;
use model::text::one_line;
use serde_json::{Value, json};
use std::io::{BufReader, BufWriter, Read};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    code: i32,
    pub words: String,
}

impl Refusal {
    /// Whether the server only says that it was busy with something else: that the text
    /// was loaded meanwhile, or that it cancelled the request by itself.
    pub fn is_passing(&self) -> bool {
        const CONTENT_MODIFIED: i32 = ErrorCode::ContentModified as i32;
        const SERVER_CANCELLED: i32 = ErrorCode::ServerCancelled as i32;
        matches!(self.code, CONTENT_MODIFIED | SERVER_CANCELLED)
    }
}

/// What arrives from the server.
enum Event {
    Answer(RequestId, std::result::Result<Value, Refusal>),
    Gone(String),
}

/// More messages than these a server that reads its input never leaves unread.
const MOST_UNREAD: usize = 10_000;

/// What is on its way to the server, and how much of it.
#[derive(Debug, Clone)]
struct Outbox {
    to: Sender<Message>,
    n_unread: Arc<AtomicUsize>,
}

impl Outbox {
    fn send(&self, message: Message) {
        self.n_unread.fetch_add(1, Ordering::Relaxed);
        // A writer that is gone is noticed as the end of the server's output.
        let _ = self.to.send(message);
    }

    fn is_full(&self) -> bool {
        self.n_unread.load(Ordering::Relaxed) > MOST_UNREAD
    }
}

/// Requests that were sent and have no answer yet.
type Waiting = Arc<Mutex<Outgoing<()>>>;

/// A server that is asked over its standard input and output.
#[derive(Debug)]
pub struct Client {
    process: ServerProcess,
    output: Outbox,
    events: Receiver<Event>,
    waiting: Waiting,
    n_requests: u64,
}

impl Client {
    /// `settings` answers what the server asks of its configuration, by section.
    pub fn start(options: &ProcessOptions, settings: Value) -> Result<Self> {
        let (process, stdin, stdout) = ServerProcess::start(options)?;
        let (sender, to_write) = channel::<Message>();
        let output = Outbox { to: sender, n_unread: Arc::default() };
        let (to, events) = channel();
        let waiting = Arc::new(Mutex::new(ReqQueue::<(), ()>::default().outgoing));
        let n_unread = Arc::clone(&output.n_unread);
        std::thread::spawn(move || write_all(stdin, &to_write, &n_unread));
        let reader = Reader { to, output: output.clone(), waiting: Arc::clone(&waiting), settings };
        std::thread::spawn(move || reader.read_all(stdout));
        Ok(Client { process, output, events, waiting, n_requests: 0 })
    }

    pub fn n_requests(&self) -> u64 {
        self.n_requests
    }

    pub fn process(&mut self) -> &mut ServerProcess {
        &mut self.process
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request and returns its number.
    pub fn request(&mut self, method: &str, params: Value) -> RequestId {
        self.n_requests += 1;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let request = waiting.register(method.to_owned(), params, ());
        drop(waiting);
        let id = request.id.clone();
        self.send(request);
        id
    }

    /// Gives a request up; its answer is dropped when it comes.
    pub fn cancel(&self, id: &RequestId) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).complete(id.clone());
        self.notify("$/cancelRequest", json!({"id": id}));
    }

    /// The next answer to any request. An error that the server answers is an
    /// answer: it says nothing of that one place.
    pub fn next_answer(
        &self,
        patience: Duration,
    ) -> std::result::Result<(RequestId, std::result::Result<Value, Refusal>), ClientError> {
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
                        self.cancel(&asked);
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

    fn send(&self, message: impl Into<Message>) {
        self.output.send(message.into());
    }
}

fn write_all(stdin: ChildStdin, messages: &Receiver<Message>, n_unread: &AtomicUsize) {
    let mut stdin = BufWriter::new(stdin);
    while let Ok(message) = messages.recv() {
        if message.write(&mut stdin).is_err() {
            return;
        }
        n_unread.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The thread that reads what the server says.
struct Reader {
    to: Sender<Event>,
    output: Outbox,
    waiting: Waiting,
    settings: Value,
}

impl Reader {
    fn read_all(&self, stdout: impl Read) {
        let mut input = BufReader::new(stdout);
        let why = loop {
            match read_frame(&mut input).and_then(|body| message_of(&body)) {
                Ok(Some(message)) => {
                    self.take(message);
                    if self.output.is_full() {
                        break "it asks without end and reads no answer".to_owned();
                    }
                }
                Ok(None) => {}
                Err(FrameError::End) => break "it ended".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        let _ = self.to.send(Event::Gone(why));
    }

    fn take(&self, message: Message) {
        match message {
            Message::Request(request) => self.answer(request),
            Message::Response(Response { id, response_result }) => {
                // What nobody waits for is dropped here: a server may send it without end.
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if waiting.complete(id.clone()).is_none() {
                    return;
                }
                drop(waiting);
                let refusal = |error: lsp_server::ResponseError| Refusal {
                    code: error.code,
                    words: one_line(&error.message, 200),
                };
                let _ = self.to.send(Event::Answer(id, response_result.map_err(refusal)));
            }
            Message::Notification(_) => {}
        }
    }

    /// What a server may ask of its client. Nothing that it asks for changes a file.
    fn answer(&self, Request { id, method, params }: Request) {
        let result = match method.as_str() {
            "workspace/configuration" => Some(self.configuration(&params)),
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
        let answer = match result {
            Some(result) => Response { id, response_result: Ok(result) },
            None => {
                let words = "this client does not do that".to_owned();
                Response::new_err(id, ErrorCode::MethodNotFound as i32, words)
            }
        };
        self.output.send(answer.into());
    }

    fn configuration(&self, params: &Value) -> Value {
        const MOST_ITEMS: usize = 256;
        let items = params.get("items").and_then(Value::as_array);
        let answer = |item: &Value| {
            let section = item.get("section").and_then(Value::as_str).unwrap_or_default();
            let parts = section.split('.').filter(|part| !part.is_empty());
            let found = parts.into_iter().try_fold(&self.settings, |at, part| at.get(part));
            found.cloned().unwrap_or(Value::Null)
        };
        items.into_iter().flatten().take(MOST_ITEMS).map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that asks and never reads what it is answered.
    struct Asks {
        left: usize,
        frame: Vec<u8>,
        at: usize,
    }

    impl Read for Asks {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.left == 0 {
                return Ok(0);
            }
            let n = buffer.len().min(self.frame.len() - self.at);
            buffer[..n].copy_from_slice(&self.frame[self.at..self.at + n]);
            self.at += n;
            if self.at == self.frame.len() {
                (self.at, self.left) = (0, self.left - 1);
            }
            Ok(n)
        }
    }

    #[test]
    fn a_server_that_asks_without_end_is_left() {
        for (n_asked, told) in [(100, "it ended"), (1_000_000, "asks without end")] {
            let (sender, kept) = channel();
            let (to, events) = channel();
            let output = Outbox { to: sender, n_unread: Arc::default() };
            let waiting = Arc::new(Mutex::new(ReqQueue::<(), ()>::default().outgoing));
            let reader = Reader { to, output, waiting, settings: json!({}) };
            let mut frame = Vec::new();
            let asked = Request::new(1.into(), "workspace/configuration".to_owned(), json!({}));
            Message::from(asked).write(&mut frame).unwrap();
            reader.read_all(Asks { left: n_asked, frame, at: 0 });
            let Ok(Event::Gone(why)) = events.recv() else { panic!("no end is told") };
            assert!(why.contains(told), "{why}");
            assert!(kept.try_iter().count() <= MOST_UNREAD + 1);
        }
    }
}
