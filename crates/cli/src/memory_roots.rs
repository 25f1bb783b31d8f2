//! Which folders of memory a command works with, and keeping the index level
//! with them before it answers.

use crate::config::repo_trust::{self, FirstMemory};
use crate::ctx::Ctx;
use crate::run_embed;
use crate::ui::Ui;
use insight::memory::recall::MemoryContext;
use memory::Root;
use memory::index;
use memory::root::RootKind;
use model::{Error, Result};
use std::path::{Path, PathBuf};
use store::memory as rows;
use store::{DatabaseFile, Read, Reader};

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
    pipeline::memory::root_around(dir)
}

/// The user's own memory.
pub fn personal(ctx: &Ctx) -> Option<Root> {
    let dir = ctx.env.data_dir()?.join("memory");
    Some(Root::new(dir, RootKind::Personal))
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

/// Memory to answer from, as level with its files as it could be made.
pub struct Level {
    pub reader: Reader,
    /// Where the question is asked from.
    pub standpoint: MemoryContext,
    pub database: DatabaseFile,
}

/// Opens the database after it was brought level with all roots that are here or
/// were indexed before, if it can be written just now. What is broken in the files
/// here is warned about.
pub fn level(ctx: &Ctx, ui: &mut Ui, named: &[PathBuf]) -> Result<Level> {
    let level = level_silently(ctx, ui, named)?;
    warn(&level.reader, ui, &here(ctx, named))?;
    Ok(level)
}

/// The same, for those who show all that is broken themselves.
pub fn level_silently(ctx: &Ctx, ui: &mut Ui, named: &[PathBuf]) -> Result<Level> {
    let database = ctx.db_path(ui)?;
    // One that came with a clone is read as it is.
    let refreshed = if database.is_foreign() {
        Ok(())
    } else {
        ctx.writable_db(ui)
            .and_then(|path| pipeline::memory::try_refresh(&path, &here(ctx, named), ctx.now()))
    };
    let reader = match (Reader::open(&database), refreshed) {
        (Ok(reader), Ok(())) => reader,
        (Ok(reader), Err(error)) => {
            ui.detail(&format!("memory files were not read again: {error}"));
            reader
        }
        // Why there is nothing to read is said best by what could not make it.
        (Err(_), Err(error)) | (Err(error), Ok(())) => return Err(error),
    };
    let standpoint = standpoint(&reader, around(ctx).as_ref())?;
    Ok(Level { reader, standpoint, database })
}

/// For those who answer from everything: the index follows what was written by
/// hand since. Answers do not fail for it; false when it could not be done now.
pub fn catch_up(ctx: &Ctx, ui: &mut Ui) -> bool {
    let roots = here(ctx, &[]);
    if !roots.iter().any(|root| root.dir.is_dir()) {
        return true;
    }
    let outcome = ctx
        .writable_db(ui)
        .and_then(|path| pipeline::memory::try_refresh(&path, &roots, ctx.now()));
    match outcome {
        Ok(()) => true,
        Err(error) => {
            ui.detail(&format!("memory files were not read again: {error}"));
            false
        }
    }
}

pub fn standpoint(on: &impl Read, around: Option<&Root>) -> Result<MemoryContext> {
    let Some(around) = around else { return Ok(MemoryContext::default()) };
    let known = MemoryContext::at(on, &index::path_text(around))?;
    Ok(match known.root {
        Some(_) => known,
        None => MemoryContext { project: pipeline::memory::project_of(around), ..known },
    })
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
    let outcome = ctx
        .writable_db(ui)
        .and_then(|path| pipeline::memory::refresh(&path, std::slice::from_ref(root), ctx.now()));
    match outcome {
        Ok(_) => run_embed::records(ctx, ui),
        Err(error) => {
            ui.warn(&format!("the record is written, but not indexed yet: {error}"));
        }
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
        .ok_or_else(|| {
            Error::not_found(format!("no record `{id}` in memory"))
                .suggest("`lore memory list` shows what there is")
        })
}
