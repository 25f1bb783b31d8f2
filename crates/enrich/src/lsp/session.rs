//! A conversation with a server about one work tree: it begins, files are shown,
//! places are asked about, it ends.

use super::client::{Client, ClientError, RequestId};
use super::location::{Location, locations};
use super::position::Encoding;
use super::process::ProcessOptions;
use super::uri::uri_of;
use model::{Error, Result};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const SHUTDOWN: Duration = Duration::from_secs(2);

/// What a server says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    pub encoding: Option<Encoding>,
    pub definition: bool,
    pub implementation: bool,
    pub references: bool,
    pub name: Option<String>,
    pub version: Option<String>,
}

impl Capabilities {
    fn of(answer: &Value) -> Self {
        let able = answer.get("capabilities").unwrap_or(&Value::Null);
        let provides = |name: &str| match able.get(name) {
            Some(Value::Bool(is_provided)) => *is_provided,
            Some(Value::Object(_)) => true,
            _ => false,
        };
        let about = answer.get("serverInfo");
        let text = |name: &str| {
            let text = about.and_then(|about| about.get(name)).and_then(Value::as_str)?;
            Some(model::text::one_line(text, 60))
        };
        Capabilities {
            encoding: able
                .get("positionEncoding")
                .and_then(Value::as_str)
                .map_or(Some(Encoding::Utf16), Encoding::parse),
            definition: provides("definitionProvider"),
            implementation: provides("implementationProvider"),
            references: provides("referencesProvider"),
            name: text("name"),
            version: text("version"),
        }
    }
}

/// A server that was initialized.
#[derive(Debug)]
pub struct Session {
    client: Client,
    pub capabilities: Capabilities,
    pub encoding: Encoding,
}

impl Session {
    /// `options` is what this server takes at its start, `settings` what it may ask for;
    /// `patience` is how long it may take to say what it can do.
    pub fn start(
        process: &ProcessOptions,
        top: &Path,
        (options, settings): (Value, Value),
        patience: Duration,
    ) -> Result<Self> {
        let mut client = Client::start(process, settings.clone())?;
        let root = uri_of(top);
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "lore"},
            "rootUri": root,
            "rootPath": top.to_string_lossy(),
            "workspaceFolders": [{"uri": root, "name": "repository"}],
            "initializationOptions": options,
            "capabilities": {
                "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
                "textDocument": {
                    "definition": {"linkSupport": true},
                    "implementation": {"linkSupport": true},
                    "references": {},
                    "synchronization": {},
                },
                "workspace": {"configuration": true, "workspaceFolders": true},
                "window": {"workDoneProgress": false},
            },
        });
        let answer = match client.ask("initialize", params, patience) {
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => return Err(failed(&format!("it refused to start: {}", why.words))),
            Err(error) => return Err(failed(&words(&error))),
        };
        let capabilities = Capabilities::of(&answer);
        if !capabilities.definition {
            return Err(failed("it cannot tell where things are defined"));
        }
        let Some(encoding) = capabilities.encoding else {
            return Err(failed("it counts characters in a way this client does not know"));
        };
        client.notify("initialized", json!({}));
        client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
        Ok(Session { client, capabilities, encoding })
    }

    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    pub fn open(&self, path: &Path, language: &str, text: &str) {
        self.client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {
                "uri": uri_of(path), "languageId": language, "version": 1, "text": text}}),
        );
    }

    pub fn close(&self, path: &Path) {
        self.client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri_of(path)}}));
    }

    /// Sends a question about a place; its number.
    pub fn question(
        &mut self,
        method: &str,
        path: &Path,
        (line, character): (u32, u32),
    ) -> RequestId {
        let mut params = json!({
            "textDocument": {"uri": uri_of(path)},
            "position": {"line": line, "character": character},
        });
        if method == "textDocument/references" {
            params["context"] = json!({"includeDeclaration": false});
        }
        self.client.request(method, params)
    }

    /// The next answer, as places; none where it is to be asked again.
    pub fn answer(
        &self,
        patience: Duration,
    ) -> std::result::Result<(RequestId, Option<Vec<Location>>), ClientError> {
        let (id, answer) = self.client.next_answer(patience)?;
        let places = match answer {
            Ok(answer) => Some(locations(&answer)),
            Err(refusal) if refusal.is_passing() => None,
            Err(_) => Some(Vec::new()),
        };
        Ok((id, places))
    }

    /// Asks it to end, and ends it.
    pub fn finish(mut self) {
        let _ = self.client.ask("shutdown", Value::Null, SHUTDOWN);
        self.client.notify("exit", Value::Null);
    }
}

fn failed(why: &str) -> Error {
    Error::internal(why.to_owned())
}

/// Why there was no answer, for people.
pub fn words(error: &ClientError) -> String {
    match error {
        ClientError::Silent => "it does not answer".to_owned(),
        ClientError::Gone(why) => why.clone(),
    }
}
