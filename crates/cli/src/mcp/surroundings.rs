//! The program around an MCP server: each question is asked as if lore had
//! been started in the client's folder, with its config.

use crate::args::Globals;
use crate::commands::remember;
use crate::config::repo_trust::FirstMemory;
use crate::ctx::Ctx;
use crate::env::Env;
use crate::isolation;
use crate::memory_roots::{self, PlaceArgs};
use crate::next_step;
use crate::run_embed;
use crate::run_index;
use crate::run_sync::{self, SyncAnswer};
use crate::ui::Ui;
use forge::sync::FetchScope;
use insight::code::overlay::{TextFile, TextSymbol};
use insight::status::ConfiguredSources;
use memory::Root;
use model::hash::Hash32;
use model::progress::NoProgress;
use model::{CancelToken, Error, Progress, Result, Timestamp};
use search::embedding::Provider;
use serde::Serialize;
use serde_json::Value;
use serve::mcp::{Job, McpHost, Memory};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use store::DatabaseFile;

pub struct CliHost {
    env: Env,
    globals: Globals,
    /// The files of memory as they were when the index was last brought level.
    seen: Mutex<BTreeMap<PathBuf, Vec<FileState>>>,
    /// Memory that was empty when somebody asked where to keep a record.
    first: Mutex<BTreeMap<PathBuf, FirstMemory>>,
    /// What edited files define, by path and content: asked with every question, changed
    /// with few.
    outlines: Mutex<BTreeMap<FileVersion, Option<Vec<TextSymbol>>>>,
}

/// A path and the hash of what stands there.
type FileVersion = (String, Hash32);

/// Versions of edited files that are remembered.
const MOST_OUTLINES: usize = 2_000;

/// Where, how long, since when.
type FileState = (PathBuf, u64, Option<SystemTime>);

/// Folders of memory hold files, and one level of folders.
const DEEPEST: usize = 2;

fn files_below(dir: &Path, depth: usize, found: &mut Vec<FileState>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_dir() && depth < DEEPEST {
            files_below(&entry.path(), depth + 1, found);
        } else {
            found.push((entry.path(), meta.len(), meta.modified().ok()));
        }
    }
    found.sort();
}

impl CliHost {
    pub fn new(env: Env, globals: Globals) -> Self {
        CliHost {
            env,
            globals,
            seen: Mutex::default(),
            first: Mutex::default(),
            outlines: Mutex::default(),
        }
    }

    /// Does a job in this process, which may die of it.
    pub fn run_here(
        &self,
        job: Job,
        dir: &Path,
        progress: Arc<dyn Progress>,
        stop: CancelToken,
    ) -> Result<(Value, Vec<String>)> {
        let (ctx, mut ui) = self.at_work(dir, progress, stop);
        let report = match job {
            Job::Sync => value(&sync(&ctx, &mut ui)?),
            Job::Index => value(&run_index::run_for_agent(&ctx, &mut ui, dir)?),
            Job::Question(words) => question(&ctx, &mut ui, &words),
        }?;
        Ok((report, ui.take_warnings()))
    }

    fn in_dir(&self, dir: &Path) -> (Ctx, Ui) {
        self.at_work(dir, Arc::new(NoProgress), CancelToken::default())
    }

    fn at_work(&self, dir: &Path, progress: Arc<dyn Progress>, stop: CancelToken) -> (Ctx, Ui) {
        let mut env = self.env.clone();
        dir.clone_into(&mut env.cwd);
        let ui = Ui::silent(&env, &self.globals, progress);
        (Ctx::new(env, self.globals.clone()).stopped_by(stop), ui)
    }
}

impl McpHost for CliHost {
    fn now(&self) -> Timestamp {
        self.env.now()
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn database(&self, dir: &Path) -> Result<DatabaseFile> {
        let (ctx, mut ui) = self.in_dir(dir);
        ctx.db_path(&mut ui)
    }

    fn provider(&self, dir: &Path) -> Result<Option<Box<dyn Provider>>> {
        let (ctx, mut ui) = self.in_dir(dir);
        run_embed::provider(&ctx, &mut ui)
    }

    fn possible(&self, dir: &Path) -> ConfiguredSources {
        let (ctx, mut ui) = self.in_dir(dir);
        next_step::possible(&ctx, &mut ui)
    }

    fn memory(&self, dir: &Path) -> Result<Memory> {
        let (ctx, mut ui) = self.in_dir(dir);
        let level = memory_roots::level(&ctx, &mut ui, &[])?;
        Ok(Memory {
            reader: level.reader,
            database: level.database,
            standpoint: level.standpoint,
            warnings: ui.take_warnings(),
        })
    }

    fn catch_up(&self, dir: &Path) {
        let (ctx, mut ui) = self.in_dir(dir);
        let mut files = Vec::new();
        for root in memory_roots::here(&ctx, &[]) {
            files_below(&root.dir, 1, &mut files);
        }
        // Opening the database for writing costs more than most answers.
        let is_level = self.seen.lock().is_ok_and(|seen| seen.get(dir) == Some(&files));
        if is_level || files.is_empty() {
            return;
        }
        if memory_roots::catch_up(&ctx, &mut ui)
            && let Ok(mut seen) = self.seen.lock()
        {
            seen.insert(dir.to_owned(), files);
        }
    }

    fn outlines(&self, files: &[TextFile]) -> Vec<Option<Vec<TextSymbol>>> {
        let key = |file: &TextFile| (file.path.clone(), Hash32::of(&file.bytes));
        let is_known = |file: &&TextFile| {
            self.outlines.lock().is_ok_and(|known| known.contains_key(&key(file)))
        };
        let (_, new): (Vec<&TextFile>, Vec<&TextFile>) = files.iter().partition(is_known);
        let new: Vec<TextFile> = new.into_iter().cloned().collect();
        let found = isolation::outline::run(&self.env, &new);
        let Ok(mut known) = self.outlines.lock() else { return vec![None; files.len()] };
        if known.len() + new.len() > MOST_OUTLINES {
            known.retain(|of, _| files.iter().any(|file| key(file) == *of));
        }
        known.extend(new.iter().map(key).zip(found));
        files.iter().map(|file| known.get(&key(file)).cloned().flatten()).collect()
    }

    fn memory_root(&self, dir: &Path, personal: bool) -> Result<Root> {
        let (ctx, _) = self.in_dir(dir);
        let root = PlaceArgs { personal, root: None }.root(&ctx)?;
        if let (Some(first), Ok(mut known)) = (FirstMemory::of(&root), self.first.lock()) {
            known.insert(root.dir.clone(), first);
        }
        Ok(root)
    }

    fn index_memory(&self, dir: &Path, root: &Root) -> Vec<String> {
        let (ctx, mut ui) = self.in_dir(dir);
        let first = self.first.lock().ok().and_then(|mut known| known.remove(&root.dir));
        memory_roots::pin_first(&ctx, &mut ui, first);
        memory_roots::follow(&ctx, &mut ui, root);
        ui.take_warnings()
    }

    fn author(&self, dir: &Path) -> Option<String> {
        let (ctx, _) = self.in_dir(dir);
        remember::author(&ctx)
    }

    fn run(
        &self,
        job: Job,
        dir: &Path,
        progress: Arc<dyn Progress>,
        stop: CancelToken,
    ) -> Result<(Value, Vec<String>)> {
        isolation::job::run(&self.env, &self.globals, (job, dir), &*progress, &stop)
    }
}

/// What a command answers to these words, as `--json` has it.
fn question(ctx: &Ctx, ui: &mut Ui, words: &[String]) -> Result<Value> {
    let program = std::iter::once("lore").chain(words.iter().map(String::as_str));
    let arguments: Vec<OsString> = program.map(OsString::from).collect();
    let cli = crate::args::parse(&arguments, &ctx.env).map_err(|refusal| {
        let words = refusal.to_string();
        let first = words.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Error::usage(first.to_owned())
    })?;
    cli.command.answer_question(ctx, ui)
}

fn sync(ctx: &Ctx, ui: &mut Ui) -> Result<SyncAnswer> {
    let request = run_sync::Request {
        command: "mcp".to_owned(),
        wanted: Some(FetchScope::everything()),
        ..run_sync::Request::default()
    };
    run_sync::run(ctx, ui, request)
}

fn value(report: &impl Serialize) -> Result<Value> {
    serde_json::to_value(report)
        .map_err(|error| Error::internal("cannot write the report as JSON").caused_by(error))
}
