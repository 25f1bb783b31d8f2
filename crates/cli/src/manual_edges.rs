//! `.lore/edges.jsonl`: edges that people declare, and the layer they make beside
//! the snapshot of what is checked out.
//!
//! The trust of memory holds for them too: a file that came with a clone counts
//! once the user trusts that clone.

use crate::config::repo_trust::{self, FirstMemory};
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::Ui;
use ::code::manual::{self, ManualEdge, Problem};
use insight::code::ScopeRequest;
use insight::code::manual::bind;
use insight::code::scope;
use memory::Root;
use model::code::Provenance;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};
use store::Reader;

/// No file of declarations is larger.
const MAX_BYTES: u64 = 4 << 20;
const MOST_WARNINGS: usize = 5;

/// The file of a repository.
pub struct EdgeFile {
    /// Top of the work tree.
    top: PathBuf,
    memory: Root,
}

/// Edges with the lines they stand on, and what could not be read.
type ReadEdges = (Vec<(usize, ManualEdge)>, Vec<Problem>);

impl EdgeFile {
    pub fn around(dir: &Path) -> Result<EdgeFile> {
        let none = || {
            Error::not_found("here is no repository to keep edges in").suggest("go into a clone")
        };
        let memory = memory_roots::around_dir(dir).ok_or_else(none)?;
        let top = memory.dir.parent().and_then(Path::parent).ok_or_else(none)?;
        Ok(EdgeFile { top: top.to_owned(), memory })
    }

    fn relative() -> PathBuf {
        Path::new(".lore").join(manual::FILE)
    }

    pub fn path(&self) -> PathBuf {
        self.top.join(EdgeFile::relative())
    }

    pub fn exists(&self) -> bool {
        self.path().symlink_metadata().is_ok()
    }

    pub fn read(&self) -> Result<ReadEdges> {
        if !self.exists() {
            return Ok((Vec::new(), Vec::new()));
        }
        let text = files::read_text_below(&self.top, &EdgeFile::relative(), MAX_BYTES);
        let text = text.map_err(|error| self.unusable(&error.to_string()))?;
        Ok(manual::parse(&text))
    }

    /// Changes the edges of the file, which must be understood whole: it is written
    /// anew.
    pub fn edit(&self, ctx: &Ctx, work: impl FnOnce(&mut Vec<ManualEdge>)) -> Result<()> {
        let first = FirstMemory::of(&self.memory).filter(|_| !self.exists());
        // The lock of memory keeps others out.
        self.memory.edit(|_| {
            let (edges, problems) = self.read()?;
            if let Some(problem) = problems.first() {
                let what = format!("line {} is broken: {}", problem.line, problem.message);
                return Err(self.unusable(&what));
            }
            let mut edges: Vec<ManualEdge> = edges.into_iter().map(|(_, edge)| edge).collect();
            work(&mut edges);
            let text = manual::file(&edges);
            files::replace_below(&self.top, &EdgeFile::relative(), text.as_bytes(), 0o644)
                .map_err(|error| self.unusable(&error.to_string()))
        })?;
        if let Some(first) = first {
            first.pin(&ctx.env)?;
        }
        Ok(())
    }

    pub fn is_trusted(&self, ctx: &Ctx) -> bool {
        repo_trust::folder_trust(&ctx.env)(&self.memory.dir)
    }

    fn unusable(&self, why: &str) -> Error {
        Error::new(ErrorCode::ConfigInvalid, format!("{}: {why}", self.path().display()))
            .suggest("mend or delete the file")
    }
}

/// Makes the layer of the snapshot of what is checked out from the file; how many
/// edges it has, and what could not be resolved.
pub fn apply(ctx: &Ctx, ui: &mut Ui, dir: &Path, file: &EdgeFile) -> Result<(u64, Vec<String>)> {
    let path = ctx.writable_db(ui)?;
    let reader = Reader::open(&path)?;
    let asked = ScopeRequest { here: Some(dir), ..ScopeRequest::default() };
    let scope = scope::resolve(&reader, &asked)?;
    let (declared, problems) = file.read()?;
    let name = |line: usize| format!("{}:{line}", file.path().display());
    let mut unbound: Vec<String> = problems
        .into_iter()
        .map(|problem| format!("{}: {}", name(problem.line), problem.message))
        .collect();
    let mut edges = Vec::new();
    for (line, edge) in declared {
        match bind(&reader, &scope, &edge.from, &edge.to, edge.kind) {
            Ok(bound) => edges.push(bound.edge),
            Err(error) => unbound.push(format!("{}: {}", name(line), error.message())),
        }
    }
    let n_edges = edges.len() as u64;
    let seq = scope.snapshot.seq;
    let has_layer = store::code::layers::list(&reader, seq)?
        .iter()
        .any(|layer| layer.provenance == Provenance::Manual);
    if has_layer || n_edges > 0 {
        pipeline::notes::write(&path, |tx| {
            ::code::layers::replace(tx, seq, Provenance::Manual, &[(None, edges)]).map(drop)
        })?;
    }
    Ok((n_edges, unbound))
}

/// After indexing: what people declared counts in the new snapshot too. Indexing
/// does not fail for it.
pub fn follow(ctx: &Ctx, ui: &mut Ui, dir: &Path) {
    let Ok(file) = EdgeFile::around(dir) else { return };
    if !file.exists() {
        return;
    }
    if !file.is_trusted(ctx) {
        ui.note(&format!(
            "{} came with the clone: its edges count once you run `lore trust`",
            file.path().display()
        ));
        return;
    }
    match apply(ctx, ui, dir, &file) {
        Ok((_, unbound)) => warn(ui, &unbound),
        Err(error) => ui.warn(&format!("declared edges were not applied: {error}")),
    }
}

pub fn warn(ui: &mut Ui, unbound: &[String]) {
    for message in unbound.iter().take(MOST_WARNINGS) {
        ui.warn(message);
    }
    if unbound.len() > MOST_WARNINGS {
        ui.warn(&format!("{} more edges are not bound", unbound.len() - MOST_WARNINGS));
    }
}
