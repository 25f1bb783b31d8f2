//! What all sessions of a server share, and the one way a question is asked:
//! on a thread of its own, with its own connection, within its time.

use super::Options;
use super::answer::{self, Answer, Format, Paging, ToolOutput};
use super::arguments;
use super::background::Background;
use super::call::{Call, CancelHandle, Providers, given_up};
use super::cursor::Cursor;
use super::freshness::{Cache, FreshnessInfo};
use super::place::Access;
use super::session_use::SessionUse;
use super::surroundings::McpHost;
use super::tools::{self, Entry, Output};
use super::tree_states::TreeStates;
use insight::next_step;
use model::{Error, ErrorCode, Progress, Result};
use rmcp::model::{JsonObject, Tool as Listed};
use search::embedding::Provider;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use store::ReaderPool;
use store::answer_costs::Door;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Questions answered at the same time; others wait their turn.
const AT_ONCE: usize = 8;
/// Bytes of arguments that are looked at.
const MOST_ARGUMENTS: usize = 256 * 1024;
/// Tokens a call may ask for.
const BUDGETS: std::ops::RangeInclusive<u64> = 200..=100_000;

pub struct Shared {
    pub around: Arc<dyn McpHost>,
    pub options: Options,
    pub background: Background,
    questions: Arc<Semaphore>,
    /// Whoever writes for long does so alone.
    pub jobs: Arc<Semaphore>,
    freshness: Cache,
    readers: Arc<ReaderPool>,
    trees: Arc<TreeStates>,
    listed: OnceLock<Vec<Listed>>,
    listed_as_text: OnceLock<Vec<Listed>>,
    providers: Providers,
}

/// Who asks, and how to tell them of it.
pub struct Asker {
    pub dir: PathBuf,
    pub progress: Arc<dyn Progress>,
    /// Cancelled when the answer is not wanted any more.
    pub given_up: CancellationToken,
    /// What the connection was given and asked about so far.
    pub session: Arc<SessionUse>,
}

impl Asker {
    /// Someone who waits to the end.
    pub fn patient(dir: PathBuf, given_up: CancellationToken) -> Self {
        let progress = Arc::new(model::progress::NoProgress);
        Asker { dir, progress, given_up, session: Arc::default() }
    }
}

impl Shared {
    pub fn new(around: Arc<dyn McpHost>, mut options: Options) -> Arc<Self> {
        options.dir = insight::file_target::real(&options.dir);
        Arc::new(Shared {
            listed: OnceLock::new(),
            listed_as_text: OnceLock::new(),
            providers: providers(Arc::clone(&around)),
            around,
            options,
            background: Background::default(),
            questions: Arc::new(Semaphore::new(AT_ONCE)),
            jobs: Arc::new(Semaphore::new(1)),
            freshness: Cache::default(),
            readers: Arc::default(),
            trees: Arc::default(),
        })
    }

    /// What clients may open on this machine.
    pub fn access(&self) -> Access {
        Access {
            around: Arc::clone(&self.around),
            folders: self.options.folders,
            server_dir: self.options.dir.clone(),
        }
    }

    /// The tools offered, as clients see them: made once, because over HTTP
    /// they are looked at with every call.
    pub fn listed(&self, text_only: bool) -> &[Listed] {
        let list = || self.options.tools.entries().map(|entry| entry.listed(text_only));
        let listed = if text_only { &self.listed_as_text } else { &self.listed };
        listed.get_or_init(|| list().collect())
    }

    /// Asks a tool; the whole answer as it is sent.
    pub async fn ask(
        self: &Arc<Self>,
        entry: &'static Entry,
        mut arguments: JsonObject,
        asker: Asker,
    ) -> Result<Answer> {
        check_size(&arguments)?;
        arguments::settle(&mut arguments, entry.arguments());
        let format = Format::read(arguments.remove("format"))?;
        let max_tokens = budget(arguments.remove("budget"), self.options.max_tokens)?;
        let cursor = match arguments.remove("cursor") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(Cursor::read(&text, entry.name, &arguments)?),
            Some(_) => return Err(Error::usage("`cursor` must be a text")),
        };
        let shared = Arc::clone(self);
        let session = Arc::clone(&asker.session);
        let answer = self.on_a_thread(entry.is_long(), asker, move |call| {
            let asked = arguments.clone();
            call.set_form(max_tokens, format);
            let Output { data, text, payload, meta } = (entry.run)(call, arguments)?;
            if let Ok(database) = call.around.database(&call.dir) {
                call.session.note(entry.name, &data, database.path(), call.now);
            }
            let found = ToolOutput { data, text, payload, meta, warnings: call.take_warnings() };
            let paging = Paging {
                tool: entry.name,
                lists: entry.lists,
                arguments: &asked,
                cursor,
                max_tokens,
                format,
            };
            let known = shared.known(&call.dir);
            let answer = answer::envelope(found, known, &paging);
            note_cost(call, entry.name, &answer);
            Ok(answer)
        });
        let answer = answer.await;
        self.keep(session);
        answer
    }

    /// Writes what answers leave behind, while the client reads: derived results,
    /// packs that were given, what was done with them.
    fn keep(self: &Arc<Self>, session: Arc<SessionUse>) {
        let now = self.around.now();
        let results = self.readers.unwritten(now);
        let mut databases: BTreeSet<PathBuf> = session.databases().into_iter().collect();
        databases.extend(results.iter().map(|(path, _)| path.clone()));
        if databases.is_empty() {
            return;
        }
        tokio::task::spawn_blocking(move || {
            for path in databases {
                // The answer stands without it.
                let _ = pipeline::notes::try_write(&path, |tx| {
                    session.flush(&path, tx, now)?;
                    for (_, cache) in results.iter().filter(|(of, _)| *of == path) {
                        cache.flush(tx, "mcp", now)?;
                    }
                    Ok(())
                });
            }
        });
    }

    /// A tool by name, for resources and prompts.
    pub async fn ask_named(
        self: &Arc<Self>,
        tool: &str,
        arguments: Value,
        asker: Asker,
    ) -> Result<Answer> {
        let entry = tools::find(tool).ok_or_else(|| Error::internal("a tool is missing"))?;
        self.ask(entry, arguments.as_object().cloned().unwrap_or_default(), asker).await
    }

    /// Runs blocking work, and gives it up when nobody waits or time is over.
    pub async fn on_a_thread<T: Send + 'static>(
        self: &Arc<Self>,
        is_long: bool,
        asker: Asker,
        work: impl FnOnce(&Call) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.permit(is_long, &asker.given_up).await?;
        let brake = CancelHandle::default();
        let (around, providers) = (Arc::clone(&self.around), Arc::clone(&self.providers));
        let (readers, access) = (Arc::clone(&self.readers), self.access());
        let (of_call, dir, progress) = (brake.clone(), asker.dir, asker.progress);
        let session = asker.session;
        let trees = Arc::clone(&self.trees);
        let thread = tokio::task::spawn_blocking(move || {
            // Held until the work is really over, given up or not.
            let _permit = permit;
            let call = Call::new(around, dir, progress, of_call, readers, providers);
            let call = call.within(access).of_session(session).over_trees(trees);
            work(&call).map_err(|error| {
                next_step::adapt(error, &call.dir, || call.around.possible(&call.dir))
            })
        });
        let limit = self.options.time_limit;
        let out_of_time = async {
            if is_long {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(limit).await;
        };
        tokio::select! {
            done = thread => done.unwrap_or_else(|error| {
                Err(Error::internal("lore crashed over this call; others go on").caused_by(error))
            }),
            () = asker.given_up.cancelled() => {
                brake.pull();
                Err(given_up("the call was cancelled"))
            }
            () = out_of_time => {
                brake.pull();
                Err(given_up(&format!("no answer within {} s", limit.as_secs()))
                    .suggest("ask for less: a project, a time, a smaller limit"))
            }
        }
    }

    async fn permit(
        &self,
        is_long: bool,
        given_up_by: &CancellationToken,
    ) -> Result<tokio::sync::OwnedSemaphorePermit> {
        if is_long {
            return Arc::clone(&self.jobs).try_acquire_owned().map_err(|_| {
                Error::new(ErrorCode::Locked, "this server is syncing or indexing already")
                    .suggest("wait for it; answers say when it is over")
            });
        }
        tokio::select! {
            permit = Arc::clone(&self.questions).acquire_owned() => {
                permit.map_err(|error| Error::internal("the server is closing").caused_by(error))
            }
            () = given_up_by.cancelled() => Err(given_up("the call was cancelled")),
        }
    }

    /// How fresh the record is, and what is missing, for someone in `dir`.
    pub fn known(&self, dir: &Path) -> FreshnessInfo {
        let mut known = match self.around.database(dir) {
            Ok(path) => {
                let has_forge = || self.around.possible(dir).forge;
                self.freshness.get(&path, &self.readers, self.around.now(), has_forge)
            }
            Err(error) => {
                FreshnessInfo { missing: vec![error.to_string()], ..FreshnessInfo::default() }
            }
        };
        if let Some(said) = self.background.said_of(dir) {
            known.missing.insert(0, said);
        }
        known
    }
}

/// Tokens one answer may have: as asked for, within bounds.
fn budget(asked: Option<Value>, default: usize) -> Result<usize> {
    match asked {
        None | Some(Value::Null) => Ok(default),
        Some(Value::Number(n)) if n.as_u64().is_some_and(|n| BUDGETS.contains(&n)) => {
            Ok(n.as_u64().map_or(default, |n| n as usize))
        }
        Some(_) => Err(Error::usage(format!(
            "`budget` must be a number of tokens from {} to {}",
            BUDGETS.start(),
            BUDGETS.end()
        ))
        .suggest(format!("leave it out for {default}"))),
    }
}

/// Ten megabytes of arguments are no question.
fn check_size(arguments: &JsonObject) -> Result<()> {
    fn size(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(|item| size(item) + 1).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(name, field)| name.len() + size(field) + 1).sum()
            }
            _ => 8,
        }
    }
    let total: usize = arguments.iter().map(|(name, value)| name.len() + size(value)).sum();
    if total <= MOST_ARGUMENTS {
        return Ok(());
    }
    let (total, most) = (total / 1024, MOST_ARGUMENTS / 1024);
    Err(Error::usage(format!("the arguments have {total} KiB; {most} is the most"))
        .suggest("send the words that matter"))
}

/// Opening one may read a model of many megabytes; once is enough.
fn providers(around: Arc<dyn McpHost>) -> Providers {
    let kept: Mutex<BTreeMap<PathBuf, Option<Arc<dyn Provider>>>> = Mutex::default();
    Arc::new(move |dir| {
        if let Ok(kept) = kept.lock()
            && let Some(provider) = kept.get(dir)
        {
            return Ok(provider.clone());
        }
        let provider: Option<Arc<dyn Provider>> = around.provider(dir)?.map(Arc::from);
        if let Ok(mut kept) = kept.lock() {
            kept.insert(dir.to_owned(), provider.clone());
        }
        Ok(provider)
    })
}

/// Counts what an answer costs the model, for `lore gain`; beside it, so that nobody
/// waits, and not at all where that cannot be written now.
fn note_cost(call: &Call, tool: &'static str, answer: &Answer) {
    let Ok(database) = call.around.database(&call.dir) else { return };
    if database.is_foreign() || !database.path().exists() {
        return;
    }
    let tokens = wire::tokens::estimate(&answer.text) as u64;
    let (path, now) = (database.path().to_path_buf(), call.now);
    std::thread::spawn(move || {
        let _ = pipeline::notes::try_write(&path, |tx| {
            store::answer_costs::add(tx, Door::Mcp, tool, tokens, now)
        });
    });
}
