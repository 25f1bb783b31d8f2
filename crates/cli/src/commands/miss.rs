use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Painter, Show, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::memory::access::{self, MissKind};

/// Record that a search did not find what you needed
///
/// `lore stats` shows the rate of misses: a sign that something should be
/// written down, or that ranking needs work.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore miss 'why we keep minima'
  lore miss 'who owns the gateway firmware' --kind not-recorded --json")]
pub struct Args {
    /// What you were looking for
    query: String,
    /// Why it counts as missed
    #[arg(long, value_enum, default_value = "semantic")]
    kind: KindArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum KindArg {
    /// It is there, said in other words
    #[value(alias = "semantic_miss")]
    Semantic,
    /// Nobody wrote it down
    NotRecorded,
    /// What was found is no longer true
    Outdated,
    /// It was found, too far down
    RankedLow,
}

impl KindArg {
    const fn kind(self) -> MissKind {
        match self {
            KindArg::Semantic => MissKind::Semantic,
            KindArg::NotRecorded => MissKind::NotRecorded,
            KindArg::Outdated => MissKind::Outdated,
            KindArg::RankedLow => MissKind::RankedLow,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MissReport {
    pub query: String,
    /// `semantic_miss`, `not_recorded`, `outdated`, `ranked_low`
    pub kind: String,
    /// Misses of the last thirty days, this one included.
    pub misses: u64,
    /// Recalls in the same time.
    pub recalls: u64,
}

impl Run for Args {
    type Answer = MissReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<MissReport> {
        const LONGEST: usize = 500;
        let query = model::text::one_line(&self.query, LONGEST);
        if query.is_empty() {
            return Err(Error::usage("what were you looking for?")
                .suggest("lore miss 'why we keep minima'"));
        }
        let around = memory_roots::around(ctx);
        let (kind, now) = (self.kind.kind(), ctx.now());
        let (misses, recalls) = pipeline::notes::write(&ctx.writable_db(ui)?, |tx| {
            let project = memory_roots::standpoint(tx, around.as_ref())?.project;
            access::add_miss(tx, &query, kind, project.as_deref(), now)?;
            access::miss_counts(tx, insight::stats::miss_window(now))
        })?;
        Ok(MissReport { query, kind: kind.as_str().to_owned(), misses, recalls })
    }
}

impl Show for MissReport {
    fn text(&self, out: &mut Painter) {
        out.text("noted; ").text(&insight::stats::miss_rate(self.misses, self.recalls)).end();
    }
}
