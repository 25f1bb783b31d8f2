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
use store::memory::access::{self, AccessKind};
use store::memory::records::RecordFilter;

/// Find decisions, patterns and handoffs
///
/// Lexical and semantic matches are combined. Recent, important and often used
/// records and those of this project rank higher; --explain shows each factor
/// and --without disables one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore recall 'why no postgres'
  lore recall retry --kind pattern --explain
  lore recall alarms --graph-depth 2
  lore recall 'api keys' --without decay --without project --json")]
pub struct Args {
    /// Search query
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// Further words of the query
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
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
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// Number of edges to follow from each record, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    graph_depth: u8,
    /// Show how each score was computed
    #[arg(long)]
    explain: bool,
    /// Disable a ranking factor (repeatable)
    #[arg(long, value_enum, value_name = "FACTOR")]
    without: Vec<FactorArg>,
    /// Also search this folder of memory files (repeatable)
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
        let level = memory_roots::level(ctx, ui, &self.root)?;
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
        let now = ctx.now();
        ctx.write_later(&level.database, move |tx| {
            access::count_recall(tx, now)?;
            access::log(tx, &shown, AccessKind::Shown, now)
        });
        Ok(found)
    }
}
