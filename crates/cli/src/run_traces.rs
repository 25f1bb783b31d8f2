//! From files of spans to the database, and the receiver's sink.

use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use files::ReadError;
use insight::runtime::RouteDirectory;
use model::hash::Hash32;
use model::runtime::InputKind;
use model::{Clock, Error, ErrorCode, Result, Timestamp};
use pipeline::traces::{RouteLookup, TraceSink};
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::io::{Read, Seek as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::runtime::ServiceRow;
use store::{Reader, repos, runtime};
use traces::input;

/// What is to be read.
pub struct Request<'a> {
    pub files: &'a [String],
    pub service: Option<&'a str>,
    pub repo: Option<&'a str>,
    pub again: bool,
}

/// What reading files brought.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct IngestAnswer {
    pub files: Vec<FileReport>,
    /// Spans and requests that were counted.
    pub new: u64,
    /// Those that were known.
    pub duplicates: u64,
    pub rejected: u64,
    /// Lines that could not be read.
    pub broken: u64,
    /// The repository that was remembered for the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned: Option<Assignment>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Assignment {
    pub service: String,
    pub repo: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct FileReport {
    pub file: String,
    /// None where nothing in it was understood.
    pub format: Option<InputKind>,
    pub new: u64,
    pub duplicates: u64,
    pub rejected: u64,
    pub broken: u64,
    /// The first three.
    pub broken_lines: Vec<BrokenLine>,
    /// A file of this content was read before, and was passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_before: Option<Timestamp>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BrokenLine {
    pub line: u64,
    pub text: String,
    pub reason: String,
}

/// Opens the database for spans. Routes are looked up in the code of the moment.
pub fn sink(ctx: &Ctx, ui: &mut Ui, command: &str) -> Result<Arc<TraceSink>> {
    let database = run_pipeline::database(ctx, ui, command)?;
    let routes = routes_of(&database.path, ctx.clock());
    TraceSink::open(&database.path, &database.owner, ctx.clock(), routes).map(Arc::new)
}

/// Which services there are is read again after so long.
const DIRECTORY_KEPT: Duration = Duration::from_secs(2);

/// What the code of the moment says of a service's routes.
pub fn routes_of(database: &Path, clock: Arc<dyn Clock>) -> RouteLookup {
    let database = database.to_owned();
    let known: Mutex<Option<(Timestamp, RouteDirectory)>> = Mutex::default();
    Arc::new(move |service: &str| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = clock.now();
        let kept = known.take().filter(|(at, _)| now.since(*at) < DIRECTORY_KEPT);
        let read = || RouteDirectory::load(&Reader::open(&database)?);
        let routes = kept.map_or_else(|| read().map(|read| (now, read)), Ok).and_then(|kept| {
            let (_, directory) = known.insert(kept);
            directory.of(service, || Reader::open(&database))
        });
        // Without them paths are made patterns of by their looks.
        routes.unwrap_or_default()
    })
}

/// Notes which repositories the settings name for services, where that is new.
pub fn follow_settings(ctx: &Ctx, ui: &mut Ui) -> Result<()> {
    let entries = ctx.config(ui)?.services().to_vec();
    let path = ctx.db_path(ui)?;
    if entries.is_empty() || !path.path().exists() {
        return Ok(());
    }
    let reader = Reader::open(&path)?;
    let (all, places) = (repos::all(&reader)?, repos::places(&reader)?);
    let known = runtime::services(&reader)?;
    let mut wanted = Vec::new();
    for entry in entries {
        let Ok(repo) = insight::repos::choose(&all, &places, &entry.repo) else {
            let name = model::text::one_line(&entry.repo, 80);
            ui.warn(&format!("`services`: no repository `{name}` is indexed, or several are"));
            continue;
        };
        let is_known = |row: &ServiceRow| row.name == entry.name && row.repo == Some(repo.id);
        if !known.iter().any(is_known) {
            wanted.push((entry.name, repo.id));
        }
    }
    drop(reader);
    if wanted.is_empty() {
        return Ok(());
    }
    let database = run_pipeline::database(ctx, ui, "traffic")?;
    pipeline::traces::assign(&database.path, &database.owner, ctx.clock(), &wanted)
}

pub fn run(ctx: &Ctx, ui: &mut Ui, request: &Request<'_>) -> Result<IngestAnswer> {
    let sink = sink(ctx, ui, "ingest-traces")?;
    follow_settings(ctx, ui)?;
    let reader = Reader::open(&ctx.db_path(ui)?)?;
    let mut answer = IngestAnswer::default();
    let mut service = request.service.map(str::to_owned);
    if let Some(typed) = request.repo {
        let (all, places) = (repos::all(&reader)?, repos::places(&reader)?);
        let repo = insight::repos::choose(&all, &places, typed)?;
        let label = insight::repos::label(repo, &places);
        let name = service.unwrap_or_else(|| label.rsplit('/').next().unwrap_or(&label).to_owned());
        sink.write_with(Vec::new(), |tx, now| runtime::assign_repo(tx, &name, repo.id, now))?;
        answer.assigned = Some(Assignment { service: name.clone(), repo: label });
        service = Some(name);
    }
    for file in request.files {
        let report = read_file(ctx, &sink, &reader, file, service.as_deref(), request.again)?;
        answer.new += report.new;
        answer.duplicates += report.duplicates;
        answer.rejected += report.rejected;
        answer.broken += report.broken;
        answer.files.push(report);
    }
    Ok(answer)
}

fn read_file(
    ctx: &Ctx,
    sink: &TraceSink,
    reader: &Reader,
    file: &str,
    service: Option<&str>,
    again: bool,
) -> Result<FileReport> {
    let (mut opened, digest) = if file == "-" {
        (Box::new(std::io::stdin()) as Box<dyn Read + Send>, None)
    } else {
        let path = ctx.env.resolve(file, &ctx.env.cwd);
        let mut opened = open(&path, file)?;
        let digest = digest(&mut opened).map_err(|error| cannot_read(file, &error.to_string()))?;
        (Box::new(opened) as Box<dyn Read + Send>, Some(digest))
    };
    if let Some(digest) = digest.filter(|_| !again)
        && let Some(at) = runtime::is_file_known(reader, digest)?
    {
        return Ok(report(file, &input::InputReport::default(), 0, 0, Some(at)));
    }
    let (mut n_new, mut n_duplicates) = (0, 0);
    let outcome = input::read(&mut opened, service, &mut |decoded, kind| {
        for accepted in sink.write(vec![(decoded, kind)])? {
            n_new += accepted.n_new;
            n_duplicates += accepted.n_duplicates;
        }
        if ctx.stop().is_cancelled() {
            return Err(Error::new(ErrorCode::Interrupted, "interrupted"));
        }
        Ok(())
    });
    let read = outcome.map_err(|error| error.context(format!("reading {file}")))?;
    if let Some(digest) = digest {
        sink.write_with(Vec::new(), |tx, now| runtime::remember_file(tx, digest, n_new, now))?;
    }
    Ok(report(file, &read, n_new, n_duplicates, None))
}

fn report(
    file: &str,
    read: &input::InputReport,
    new: u64,
    duplicates: u64,
    read_before: Option<Timestamp>,
) -> FileReport {
    let line = |it: &input::BrokenLine| BrokenLine {
        line: it.line,
        text: it.text.clone(),
        reason: it.reason.clone(),
    };
    FileReport {
        file: file.to_owned(),
        format: read.format,
        new,
        duplicates,
        rejected: read.n_rejected,
        broken: read.n_broken,
        broken_lines: read.broken.iter().map(line).collect(),
        read_before,
    }
}

fn open(path: &Path, typed: &str) -> Result<File> {
    // A link is the choice of whoever names it.
    let real = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::not_found(format!("no file `{typed}`"))
            .suggest("name a file, or - for standard input"),
        _ => cannot_read(typed, &error.to_string()),
    })?;
    files::open_regular(&real).map_err(|error| match error {
        ReadError::NotRegular => Error::usage(format!("`{typed}` is no regular file"))
            .suggest("to read a pipe: lore ingest-traces - < PIPE"),
        error => cannot_read(typed, &error.to_string()),
    })
}

fn cannot_read(file: &str, why: &str) -> Error {
    Error::new(ErrorCode::TransformError, format!("cannot read `{file}`: {why}"))
        .suggest("lore ingest-traces --help lists the formats it reads")
}

/// One hash over the hashes of all pieces; leaves the file at its beginning.
fn digest(file: &mut File) -> std::io::Result<Hash32> {
    const PIECE: u64 = 1 << 20;
    let mut digest = Hash32([0; 32]);
    let mut piece = Vec::new();
    loop {
        piece.clear();
        if file.by_ref().take(PIECE).read_to_end(&mut piece)? == 0 {
            break;
        }
        let joined = [digest.as_bytes(), Hash32::of(&piece).as_bytes()].concat();
        digest = Hash32::of(&joined);
    }
    file.rewind()?;
    Ok(digest)
}
