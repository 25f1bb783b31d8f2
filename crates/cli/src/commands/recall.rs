use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::run_embed;
use crate::ui::Ui;
use insight::memory::recall::{Recall, Request, recall_with};
use model::Result;
use model::memory::{RecordId, RecordKind};
use model::time::parse_when;
use search::Searcher;
use search::reinforcement::Factor;
use std::path::PathBuf;
use store::memory::access::{self, How};
use store::memory::records::RecordFilter;

/// Find decisions, patterns and handoffs
///
/// Any of the words may match, or the meaning once `lore embed` has run. What is young, important, of this project or
/// often used comes first; --explain shows how much each of these weighs, and
/// --without takes one out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore recall 'why no postgres'
  lore recall retry --kind pattern --explain
  lore recall alarms --graph-depth 2
  lore recall 'api keys' --without decay --without project --json")]
pub struct Args {
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// More of it, when it was not put in quotes
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
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
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// How many edges to follow from each, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    graph_depth: u8,
    /// Show how each score came about
    #[arg(long)]
    explain: bool,
    /// Rank without this (can be repeated)
    #[arg(long, value_enum, value_name = "FACTOR")]
    without: Vec<FactorArg>,
    /// Search this folder of memory files too (can be repeated)
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum KindArg {
    Decision,
    Pattern,
    Handoff,
}

impl From<KindArg> for RecordKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Decision => RecordKind::Decision,
            KindArg::Pattern => RecordKind::Pattern,
            KindArg::Handoff => RecordKind::Handoff,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FactorArg {
    Decay,
    Frequency,
    Importance,
    LastAccess,
    Project,
    Superseded,
}

impl From<FactorArg> for Factor {
    fn from(factor: FactorArg) -> Self {
        match factor {
            FactorArg::Decay => Factor::Decay,
            FactorArg::Frequency => Factor::Frequency,
            FactorArg::Importance => Factor::Importance,
            FactorArg::LastAccess => Factor::LastAccess,
            FactorArg::Project => Factor::Project,
            FactorArg::Superseded => Factor::Superseded,
        }
    }
}

impl Run for Args {
    type Answer = Recall;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Recall> {
        let when = |text: &Option<String>| {
            text.as_deref().map(|text| parse_when(text, ctx.now())).transpose()
        };
        let filter = RecordFilter {
            kinds: self.kind.iter().map(|kind| (*kind).into()).collect(),
            roots: Vec::new(),
            project: self.project.clone(),
            tags: self.tag.clone(),
            since: when(&self.since)?,
            until: when(&self.until)?,
        };
        let mut level = memory_roots::level(ctx, ui, &self.root)?;
        let words = std::iter::once(&self.query).chain(&self.words);
        let request = Request {
            query: words.map(String::as_str).collect::<Vec<_>>().join(" "),
            filter,
            from: level.standpoint,
            off: self.without.iter().map(|factor| (*factor).into()).collect(),
            limit: self.limit as usize,
            graph_depth: self.graph_depth,
            explain: self.explain,
        };
        let provider = run_embed::provider(ctx, ui).ok().flatten();
        let searcher = Searcher {
            reader: &level.reader,
            provider: provider.as_deref(),
            now: ctx.now(),
        };
        let found = recall_with(&searcher, &request)?;
        let shown: Vec<RecordId> = found.items.iter().map(|it| it.record.id.clone()).collect();
        let logged = level.writer.as_mut().map(|writer| {
            writer.write(|tx| {
                access::count_recall(tx, ctx.now())?;
                access::log(tx, &shown, How::Shown, ctx.now())
            })
        });
        if let Some(Err(error)) = logged {
            ui.detail(&format!("the access was not noted: {error}"));
        }
        Ok(found)
    }
}
