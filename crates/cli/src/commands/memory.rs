use super::Run;
use super::recall::KindArg;
use crate::config::repo_trust::FirstMemory;
use crate::ctx::Ctx;
use crate::memory_roots::{self, PlaceArgs};
use crate::ui::{Label, Painter, Show, Ui};
use insight::memory::detail::{RecordDetail, detail};
use insight::memory::list::{FileProblem, RecordList, list, problems};
use memory::import;
use model::time::parse_when;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::memory::access::{self, AccessKind};
use store::memory::records::RecordFilter;

/// List, show, check, import and export memory records
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore memory list --kind decision --since 3m
  lore memory show dec-4k2p
  lore memory check
  lore memory import docs/adr
  lore memory import ~/old-store --dry-run
  lore memory export > memory.json")]
pub struct Args {
    #[command(subcommand)]
    what: MemoryCommand,
}

#[derive(Debug, clap::Subcommand)]
enum MemoryCommand {
    /// List records, newest first
    List(ListArgs),
    /// Show one record in full
    Show {
        /// Record id, or a unique prefix
        id: String,
    },
    /// Check all memory files for errors
    Check,
    /// Import ADRs, an older store, or an exported file
    Import {
        /// Folder of ADRs (docs/adr), of an older store, or a JSON file
        path: PathBuf,
        /// Show what would be imported
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Export all records as one JSON document
    Export {
        #[command(flatten)]
        place: PlaceArgs,
    },
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Filter by kind (repeatable; any matches)
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<KindArg>,
    /// Limit to one project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Filter by tag (repeatable; all must match)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only after this date: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only before this date
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Maximum number of records
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum MemoryAnswer {
    List(RecordList),
    Detail(Box<RecordDetail>),
    Check(MemoryCheck),
    Imported(ImportReport),
    Exported(ExportAnswer),
}

/// What an import did, or would do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportReport {
    pub new: u64,
    /// There already, and the same.
    pub same: u64,
    /// There already, but different: left as they are.
    pub different: u64,
    pub edges: u64,
    pub is_dry_run: bool,
    /// What could not be read.
    pub problems: Vec<FileProblem>,
}

/// A memory as one document, which `lore memory import` reads.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ExportAnswer {
    pub document: serde_json::Value,
}

/// What is wrong in the files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemoryCheck {
    pub n_records: u64,
    pub problems: Vec<FileProblem>,
}

impl Run for Args {
    type Answer = MemoryAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<MemoryAnswer> {
        match &self.what {
            MemoryCommand::List(args) => {
                let when = |text: &Option<String>| {
                    text.as_deref().map(|text| parse_when(text, ctx.now())).transpose()
                };
                let filter = RecordFilter {
                    kinds: args.kind.iter().map(|kind| (*kind).into()).collect(),
                    roots: Vec::new(),
                    project: args.project.clone(),
                    tags: args.tag.clone(),
                    since: when(&args.since)?,
                    until: when(&args.until)?,
                };
                let level = memory_roots::level(ctx, ui, &[])?;
                Ok(MemoryAnswer::List(list(&level.reader, &filter, args.limit as usize)?))
            }
            MemoryCommand::Show { id } => {
                let level = memory_roots::level(ctx, ui, &[])?;
                let id = insight::memory::resolve(&level.reader, id)?;
                let found = detail(&level.reader, &id)?;
                let now = ctx.now();
                ctx.write_later(&level.database, move |tx| {
                    access::log(tx, std::slice::from_ref(&id), AccessKind::Opened, now)
                });
                Ok(MemoryAnswer::Detail(Box::new(found)))
            }
            MemoryCommand::Check => {
                let level = memory_roots::level_silently(ctx, ui, &[])?;
                let filter = RecordFilter::default();
                Ok(MemoryAnswer::Check(MemoryCheck {
                    n_records: store::memory::records::count(&level.reader, &filter)?,
                    problems: problems(&level.reader)?,
                }))
            }
            MemoryCommand::Import { path, dry_run, place } => import(ctx, ui, path, *dry_run, place),
            MemoryCommand::Export { place } => {
                let root = place.root(ctx)?;
                let level = memory_roots::level(ctx, ui, std::slice::from_ref(&root.dir))?;
                let path = memory::index::path_text(&root);
                let rows = store::memory::roots(&level.reader)?;
                let row = rows.into_iter().find(|row| row.path == path).ok_or_else(|| {
                    Error::not_found(format!("nothing is kept in {path}"))
                        .suggest("lore remember --help")
                })?;
                let json = memory::export(&level.reader, row.id)?.to_json();
                let document = serde_json::from_str(&json).unwrap_or_default();
                Ok(MemoryAnswer::Exported(ExportAnswer { document }))
            }
        }
    }
}

fn import(
    ctx: &Ctx,
    ui: &mut Ui,
    path: &Path,
    dry_run: bool,
    place: &PlaceArgs,
) -> Result<MemoryAnswer> {
    let path = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
    let form = import::form_of(&path).ok_or_else(|| {
        Error::not_found(format!("nothing to import in {}", path.display()))
            .suggest("name a folder of decision records, an older store, or an exported file")
    })?;
    let found = import::read(&path, form)?;
    let mut report = ImportReport {
        new: found.records.len() as u64,
        same: 0,
        different: 0,
        edges: found.edges.len() as u64,
        is_dry_run: dry_run,
        problems: found
            .problems
            .iter()
            .map(|(file, it)| FileProblem {
                file: file.clone(),
                line: it.line,
                message: it.message.clone(),
            })
            .collect(),
    };
    if !dry_run {
        let root = place.root(ctx)?;
        let first = FirstMemory::of(&root);
        let done = root.import(&found)?;
        memory_roots::pin_first(ctx, ui, first);
        memory_roots::follow(ctx, ui, &root);
        report.new = done.new;
        report.same = done.same;
        report.different = done.different;
        report.edges = done.edges;
    }
    Ok(MemoryAnswer::Imported(report))
}

impl Show for MemoryAnswer {
    fn text(&self, out: &mut Painter) {
        match self {
            MemoryAnswer::Exported(exported) => {
                let text = serde_json::to_string_pretty(&exported.document).unwrap_or_default();
                out.verbatim(&text).end();
            }
            MemoryAnswer::Imported(report) => {
                for it in &report.problems {
                    out.label(Label::Warning, "left out ");
                    out.label(Label::Path, &format!("{}:{}", it.file, it.line));
                    out.text(": ").text(&it.message).end();
                }
                let word = if report.is_dry_run { "would import" } else { "imported" };
                out.text(&format!("{word} {} records and {} edges", report.new, report.edges));
                for (n, what) in [(report.same, "there already"), (report.different, "different here, left alone")] {
                    if n > 0 {
                        out.text(&format!(", {n} {what}"));
                    }
                }
                out.end();
            }
            MemoryAnswer::List(list) => list.text(out),
            MemoryAnswer::Detail(detail) => detail.text(out),
            MemoryAnswer::Check(check) => {
                for it in &check.problems {
                    out.label(Label::Path, &format!("{}:{}", it.file, it.line));
                    out.text(": ").text(&it.message).end();
                }
                if check.problems.is_empty() {
                    let n = model::text::grouped(check.n_records);
                    out.footer(&format!("{n} records, all in order"));
                }
            }
        }
    }

    fn failure(&self) -> Option<Error> {
        let MemoryAnswer::Check(check) = self else { return None };
        (!check.problems.is_empty()).then(|| {
            let n = check.problems.len();
            let plural = if n == 1 { "problem" } else { "problems" };
            Error::new(ErrorCode::Integrity, format!("{n} {plural} in memory files"))
                .suggest("mend the lines above; everything else works meanwhile")
        })
    }
}
