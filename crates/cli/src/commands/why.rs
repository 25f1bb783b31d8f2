use super::{Run, ask};
use crate::code_args;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::why::{self, Request, Why};
use model::{ErrorCode, Result};
use store::Reader;

/// Explain why code, a change or an issue exists
///
/// Takes a line, symbol, file, commit, merge request or issue, and shows the
/// reasons that commit messages and descriptions give, the notes that decided,
/// and recorded decisions and patterns (superseded ones are marked); then who to
/// ask and what depends on it. Missing parts are named with the command that adds
/// them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore why src/auth/oauth.rs:45
  lore why src/auth/oauth.rs -p group/project
  lore why OAuth.refresh
  lore why OAuth.refresh --about 'retries'
  lore why '!12'
  lore why 4f2a91c
  lore why 'group/project#34' --json")]
pub struct Args {
    /// Path with optional lines, symbol, !12, #34, URL, or commit hash
    target: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Of many changes to the same lines, show those that speak of this
    #[arg(long, value_name = "WORDS")]
    about: Option<String>,
    /// Maximum number of merge requests
    #[arg(short = 'n', long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// Maximum number of notes per merge request
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(0..=50))]
    notes: u32,
}

/// People named: enough to ask, few enough for one screen.
const EXPERTS: usize = 3;

impl Args {
    /// Several words are a question: the symbol or file it speaks of is explained, or
    /// what happened is told.
    pub fn answer(&self, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
        ui.begin("why");
        match super::present(self, ctx, ui) {
            Err(error) if error.code() == ErrorCode::NotFound && self.is_words() => {
                ask::Args::of(format!("why {}", self.target.trim())).answer_instead(error, ctx, ui)
            }
            answered => answered,
        }
    }

    fn is_words(&self) -> bool {
        self.target.split_whitespace().count() > 1
    }
}

impl Run for Args {
    type Answer = Why;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Why> {
        memory_roots::catch_up(ctx, ui);
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let cwd = file_args::cwd(ctx);
        let code = why::may_be_code(&self.target)
            .then(|| code_args::ScopeArgs::as_edited(ctx, &reader, self.scope.repo()))
            .flatten();
        why::why(
            &reader,
            &Request {
                scope: self.scope.typed(&self.target, &cwd),
                limit: self.limit as usize,
                notes: self.notes as usize,
                experts: EXPERTS,
                about: self.about.as_deref(),
                code: code.as_ref(),
                now: ctx.now(),
            },
        )
    }
}
