//! Which folders of memory a command works with, and keeping the index level
//! with them before it answers.

use crate::config::repo_trust::{self, FirstMemory};
use crate::ctx::Ctx;
use crate::ui::Ui;
use git::Repo;
use insight::memory::recall::Standpoint;
use memory::Root;
use memory::index::{self, Refreshed};
use memory::root::{self, RootKind};
use model::{Error, Result};
use std::path::{Path, PathBuf};
use store::dirty::SourceType;
use store::memory::{self as rows, RootRow};
use store::{Read, Reader, Writer};

/// Warnings shown of one run; `lore memory check` shows them all.
const MOST_WARNINGS: usize = 5;

/// Where a command keeps records: the repository's memory, the user's own, or
/// a folder that was named.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct PlaceArgs {
    /// Use your personal memory instead of the repository
    #[arg(long)]
    pub personal: bool,
    /// Use this memory folder
    #[arg(long, value_name = "DIR", conflicts_with = "personal")]
    pub root: Option<PathBuf>,
}

impl PlaceArgs {
    /// The root to write to.
    pub fn root(&self, ctx: &Ctx) -> Result<Root> {
        if let Some(dir) = &self.root {
            let dir = ctx.env.resolve(&dir.to_string_lossy(), &ctx.env.cwd);
            return Ok(Root::new(dir, RootKind::Other));
        }
        if self.personal {
            return personal(ctx).ok_or_else(|| {
                Error::not_found("there is no place for your own memory: HOME is not set")
                    .suggest("name a folder with --root")
            });
        }
        around(ctx).ok_or_else(|| {
            Error::not_found("here is no repository to keep it in")
                .suggest("go into one, or keep it for yourself with --personal")
        })
    }
}

/// The memory of the repository around the working directory; it need not
/// exist yet.
pub fn around(ctx: &Ctx) -> Option<Root> {
    around_dir(&ctx.env.cwd)
}

pub fn around_dir(dir: &Path) -> Option<Root> {
    root::around(dir).map(|dir| Root::new(dir, RootKind::Project))
}

/// The user's own memory.
pub fn personal(ctx: &Ctx) -> Option<Root> {
    let dir = ctx.env.data_dir()?.join("memory");
    Some(Root::new(dir, RootKind::Personal))
}

/// What the records of a repository belong to: its project on the forge, else
/// the name of its folder.
fn project_of(root: &Root) -> Option<String> {
    let top = root.top()?;
    let remote = Repo::open(top).and_then(|repo| repo.remote()).ok().flatten();
    remote
        .filter(|remote| !remote.project.is_empty())
        .map(|remote| remote.project)
        .or_else(|| Some(top.file_name()?.to_string_lossy().into_owned()))
}

/// The roots that are here: around, the user's own, and those named.
pub fn here(ctx: &Ctx, named: &[PathBuf]) -> Vec<Root> {
    let mut roots: Vec<Root> = around(ctx).into_iter().chain(personal(ctx)).collect();
    for dir in named {
        let dir = ctx.env.resolve(&dir.to_string_lossy(), &ctx.env.cwd);
        if !roots.iter().any(|root| root.dir == dir) {
            roots.push(Root::new(dir, RootKind::Other));
        }
    }
    roots
}

/// An index that is level with the files.
pub struct Level {
    /// None over a database that came with a clone: it is read as it is.
    pub writer: Option<Writer>,
    pub reader: Reader,
    /// Where the question is asked from.
    pub standpoint: Standpoint,
}

/// Opens the database and brings it level with all roots that are here or were
/// indexed before. What is broken in the files here is warned about.
pub fn level(ctx: &Ctx, ui: &mut Ui, named: &[PathBuf]) -> Result<Level> {
    let level = level_silently(ctx, ui, named)?;
    warn(&level.reader, ui, &here(ctx, named))?;
    Ok(level)
}

/// The same, for those who show all that is broken themselves.
pub fn level_silently(ctx: &Ctx, ui: &mut Ui, named: &[PathBuf]) -> Result<Level> {
    let file = ctx.db_path(ui)?;
    let writer = if file.is_foreign() {
        None
    } else {
        let mut writer = Writer::open(&ctx.writable_db(ui)?)?;
        refresh(ctx, &mut writer, &here(ctx, named))?;
        Some(writer)
    };
    let reader = Reader::open(&file)?;
    let standpoint = standpoint(&reader, around(ctx).as_ref())?;
    Ok(Level { writer, reader, standpoint })
}

/// For those who answer from everything: the index follows what was written by
/// hand since. Answers do not fail for it.
pub fn catch_up(ctx: &Ctx, ui: &mut Ui) {
    let roots = here(ctx, &[]);
    if roots.iter().any(|root| root.dir.is_dir()) {
        take_up(ctx, ui, &roots);
    }
}

/// The memory of a clone that lore has just come to know.
pub fn meet(ctx: &Ctx, ui: &mut Ui, clone: &Path) {
    if let Some(root) = around_dir(clone).filter(|root| root.dir.is_dir()) {
        take_up(ctx, ui, std::slice::from_ref(&root));
    }
}

fn take_up(ctx: &Ctx, ui: &mut Ui, roots: &[Root]) {
    let outcome = ctx.writable_db(ui).and_then(|path| {
        let mut writer = Writer::open(&path)?;
        refresh(ctx, &mut writer, roots)
    });
    if let Err(error) = outcome {
        ui.detail(&format!("memory files were not read again: {error}"));
    }
}

pub fn standpoint(on: &impl Read, around: Option<&Root>) -> Result<Standpoint> {
    let Some(around) = around else { return Ok(Standpoint::default()) };
    let known = Standpoint::at(on, &index::path_text(around))?;
    Ok(match known.root {
        Some(_) => known,
        None => Standpoint { project: project_of(around), ..known },
    })
}

/// Kinds of sources that memory makes documents of.
const MEMORY: [SourceType; 3] = [SourceType::Decision, SourceType::Pattern, SourceType::Handoff];

/// Brings the index level with these roots and with those it knows already,
/// and the documents that are searched with it.
pub fn refresh(ctx: &Ctx, writer: &mut Writer, roots: &[Root]) -> Result<Refreshed> {
    let known = rows::roots(writer)?;
    let now = ctx.now();
    let mut all = refresh_only(ctx, writer, roots)?;
    let is_here = |row: &&RootRow| roots.iter().any(|root| index::path_text(root) == row.path);
    for row in known.iter().filter(|row| !is_here(row)) {
        let root = Root::new(PathBuf::from(&row.path), row.kind);
        if root.dir.is_dir() {
            add(&mut all, index::refresh(writer, &root, now)?);
        } else {
            writer.write(|tx| rows::index::remove_root(tx, row, now))?;
        }
    }
    search::documents::catch_up(writer, &MEMORY, now)?;
    Ok(all)
}

/// The same for these roots alone, and without their documents.
pub fn refresh_only(ctx: &Ctx, writer: &mut Writer, roots: &[Root]) -> Result<Refreshed> {
    let known = rows::roots(writer)?;
    let mut all = Refreshed::default();
    for root in roots.iter().filter(|root| root.dir.is_dir()) {
        let mut root = root.clone();
        if !known.iter().any(|row| row.path == index::path_text(&root)) {
            root.project = project_of(&root);
        }
        add(&mut all, index::refresh(writer, &root, ctx.now())?);
    }
    Ok(all)
}

fn add(all: &mut Refreshed, one: Refreshed) {
    all.files_read += one.files_read;
    all.new += one.new;
    all.changed += one.changed;
    all.removed += one.removed;
}

fn warn(reader: &Reader, ui: &mut Ui, roots: &[Root]) -> Result<()> {
    let problems: Vec<_> = rows::index::problems(reader)?
        .into_iter()
        .filter(|it| roots.iter().any(|root| index::path_text(root) == it.root_path))
        .collect();
    for it in problems.iter().take(MOST_WARNINGS) {
        let file = Path::new(&it.root_path).join(&it.file);
        ui.warn(&format!("{}:{}: {}", file.display(), it.line, it.message));
    }
    if problems.len() > MOST_WARNINGS {
        let n_more = problems.len() - MOST_WARNINGS;
        ui.warn(&format!("{n_more} more problems in memory files; run: lore memory check"));
    }
    Ok(())
}

/// Memory that this run began is the user's own. That it could not be noted is
/// no reason to fail: the record is written.
pub fn pin_first(ctx: &Ctx, ui: &mut Ui, first: Option<FirstMemory>) {
    if let Some(Err(error)) = first.map(|first| first.pin(&ctx.env)) {
        ui.detail(&format!("the new memory could not be noted as yours: {error}"));
    }
}

/// After a write: the index follows, and a failure of that is only a warning,
/// because the file is written.
pub fn follow(ctx: &Ctx, ui: &mut Ui, root: &Root) {
    let outcome = ctx.writable_db(ui).and_then(|path| {
        let mut writer = Writer::open(&path)?;
        refresh(ctx, &mut writer, std::slice::from_ref(root))
    });
    if let Err(error) = outcome {
        ui.warn(&format!("the record is written, but not indexed yet: {error}"));
    }
    if root.kind == RootKind::Project && !repo_trust::folder_trust(&ctx.env)(&root.dir) {
        ui.note(
            "others have written to this memory: it stays out of prompts until you run `lore trust`",
        );
    }
}

/// The root that holds a record: the one around first, then the user's own,
/// then any other that lore was told of. A database that came with a clone is
/// not believed about folders: a name in it must not decide what is changed.
pub fn holder(reader: &Reader, ctx: &Ctx, id: &model::memory::RecordId) -> Result<Root> {
    let found = rows::records::by_id(reader, id.as_str())?;
    let all = rows::roots(reader)?;
    let preferred = [around(ctx), personal(ctx)];
    let rank = |path: &str| {
        preferred
            .iter()
            .position(|root| root.as_ref().is_some_and(|root| index::path_text(root) == path))
            .unwrap_or(preferred.len())
    };
    found
        .into_iter()
        .filter(|it| !reader.is_foreign() || rank(&it.root_path) < preferred.len())
        .min_by_key(|it| (rank(&it.root_path), it.root_path.clone()))
        .and_then(|it| all.into_iter().find(|row| row.id == it.root))
        .map(|row| Root { dir: PathBuf::from(row.path), kind: row.kind, project: row.project })
        .ok_or_else(|| Error::not_found(format!("no record `{id}` in memory")))
}
