use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::entity_args::{BUDGET, NotesArg};
use crate::memory_roots;
use crate::ui::Ui;
use insight::show::{self, Referent};
use insight::threads::{self, ThreadChoice};
use model::Result;
use model::memory::RecordKind;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Show an issue, merge request, note, commit, symbol or record
///
/// Takes any reference people write: #12, !34, group/project!34, a URL (of a note
/// too), a commit hash or its beginning, a record id, the name of a symbol, or a
/// revision of the clone you are in, such as HEAD~2.
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
    /// Of an issue or merge request: which notes to show
    #[arg(long, value_enum, value_name = "WHICH")]
    notes: Option<NotesArg>,
    /// Of an issue or merge request: only notes that contain this word or phrase
    #[arg(long, value_name = "WORD")]
    grep: Option<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

/// One thing, and how much of it to print.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ShowAnswer {
    pub shown: Referent,
    #[serde(skip)]
    pub with_events: bool,
    #[serde(skip)]
    pub is_unfolded: bool,
    #[serde(skip)]
    pub grep: Option<String>,
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
        let mut shown = show::show(&reader, typed, self.project.as_deref(), &asked)?;
        if let Referent::Issue(detail) | Referent::MergeRequest(detail) = &mut shown {
            let filter = self.notes.map(NotesArg::filter);
            let budget = (!ui.is_json()).then_some(BUDGET);
            let choice = ThreadChoice { filter, grep: self.grep.as_deref(), budget };
            threads::choose(&reader, detail, choice)?;
        }
        Ok(ShowAnswer {
            shown,
            with_events: self.events,
            is_unfolded: self.notes == Some(NotesArg::All),
            grep: self.grep.clone(),
        })
    }
}
