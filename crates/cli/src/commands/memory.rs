use super::Run;
use super::recall::KindArg;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use insight::memory::detail::{RecordDetail, detail};
use insight::memory::list::{FileProblem, RecordList, list, problems};
use model::time::parse_when;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::memory::access::{self, How};
use store::memory::records::RecordFilter;

/// List and show what is in memory, and check its files
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore memory list --kind decision --since 3m
  lore memory show dec-4k2p
  lore memory check")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List records, youngest first
    List(ListArgs),
    /// Show one record whole
    Show {
        /// Its id, or a beginning of it that is unique
        id: String,
    },
    /// Read all memory files over and say what is wrong in them
    Check,
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only of this kind (can be repeated: any of them)
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<KindArg>,
    /// Only of this project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only with this tag (can be repeated: all of them)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Only since then: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only until then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// How many to show
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
            What::List(args) => {
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
            What::Show { id } => {
                let mut level = memory_roots::level(ctx, ui, &[])?;
                let id = insight::memory::resolve(&level.reader, id)?;
                let found = detail(&level.reader, &id)?;
                let now = ctx.now();
                let opened = std::slice::from_ref(&id);
                if let Err(error) =
                    level.writer.write(|tx| access::log(tx, opened, How::Opened, now))
                {
                    ui.detail(&format!("the access was not noted: {error}"));
                }
                Ok(MemoryAnswer::Detail(Box::new(found)))
            }
            What::Check => {
                let level = memory_roots::level_silently(ctx, ui, &[])?;
                let filter = RecordFilter::default();
                Ok(MemoryAnswer::Check(MemoryCheck {
                    n_records: store::memory::records::count(&level.reader, &filter)?,
                    problems: problems(&level.reader)?,
                }))
            }
        }
    }
}

impl Show for MemoryAnswer {
    fn text(&self, out: &mut Painter) {
        match self {
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
