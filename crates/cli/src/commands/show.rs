use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::Ui;
use insight::show::{self, Shown};
use model::Result;
use model::memory::RecordKind;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Show an issue, merge request, note, commit, symbol or record
///
/// Takes any reference people write: #12, !34, group/project!34, a URL (of a note
/// too), a commit hash or its beginning, a record id, or the name of a symbol.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore show '!34'
  lore show 'group/project#12'
  lore show 4f2a91c
  lore show dec-4k2p9xqa
  lore show Session.get")]
pub struct Args {
    /// Reference, URL, commit hash, record id or symbol name
    #[arg(value_name = "REF")]
    reference: String,
    /// Limit to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Include label, milestone and state changes and system notes
    #[arg(long)]
    events: bool,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// One thing, and how much of it to print.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ShowAnswer {
    pub shown: Shown,
    #[serde(skip)]
    pub with_events: bool,
}

impl Run for Args {
    type Answer = ShowAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<ShowAnswer> {
        let typed = self.reference.trim();
        let is_record = RecordKind::ALL.iter().any(|kind| typed.starts_with(kind.prefix()));
        let reader = if is_record {
            // Its file may have changed since it was indexed.
            memory_roots::level(ctx, ui, &[])?.reader
        } else {
            Reader::open(&ctx.db_path(ui)?)?
        };
        let asked = self.scope.asked(ctx);
        let shown = show::show(&reader, typed, self.project.as_deref(), &asked)?;
        Ok(ShowAnswer { shown, with_events: self.events })
    }
}
