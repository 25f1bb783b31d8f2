use super::Run;
use crate::ctx::Ctx;
use crate::ui::{Label, Painter, Show, Ui};
use insight::context::{FeedbackReport, FeedbackTarget};
use model::Result;
use store::Reader;
use store::feedback::{self, Verdict};

/// Rate a symbol of a context pack
///
/// Later packs rank it a little higher or lower, until its package changes. `lore
/// context --cold` leaves feedback out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore feedback 9f3ab2c1 Session.refresh useful
  lore feedback last retry_upload noise --json")]
pub struct Args {
    /// The pack: its root or the beginning of it (`pack_root` in JSON), or `last`
    pack: String,
    /// Symbol of the pack (name or its end)
    symbol: String,
    /// Whether it helped
    #[arg(value_enum)]
    verdict: VerdictArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum VerdictArg {
    Useful,
    Noise,
}

impl Run for Args {
    type Answer = FeedbackReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FeedbackReport> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let target = FeedbackTarget::find(&reader, &self.pack, &self.symbol, &ctx.env.cwd)?;
        drop(reader);
        let verdict = match self.verdict {
            VerdictArg::Useful => Verdict::Useful,
            VerdictArg::Noise => Verdict::Noise,
        };
        let now = ctx.now();
        let outcome = pipeline::notes::write(&ctx.writable_db(ui)?, |tx| {
            feedback::judge(tx, &target.pack, &target.symbol, verdict, now)
        })?;
        Ok(target.report(verdict, &outcome))
    }
}

impl Show for FeedbackReport {
    fn text(&self, out: &mut Painter) {
        if self.recorded {
            out.text("noted; ").label(Label::Id, &self.symbol);
            out.text(&format!(" stands at {:.2} of 1 (0.5 is neutral)", self.score)).end();
        } else {
            out.footer("not kept: the package of the symbol is not in that snapshot any more");
        }
    }
}
