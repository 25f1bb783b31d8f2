use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use memory::draft::{self, Draft};
use memory::ConflictPolicy;
use model::memory::{RecordId, RecordKind};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Mark a record as superseded
///
/// The old record is kept, ranks lower and points to the new one. Name the
/// record that replaces it, or give the new decision here.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore supersede dec-4k2p9xqa dec-m1n2r3s4
  lore supersede dec-4k2p9xqa --decision 'A cursor over the readings, no NATS' --why 'one machine is enough'")]
pub struct Args {
    /// Record that is superseded
    #[arg(value_name = "OLD")]
    old: String,
    /// Record that replaces it
    #[arg(value_name = "NEW", required_unless_present = "decision")]
    new: Option<String>,
    /// Text of the new decision, if it is not recorded yet
    #[arg(long, value_name = "TEXT", conflicts_with = "new")]
    decision: Option<String>,
    /// Rationale of the new decision
    #[arg(long, alias = "rationale", value_name = "TEXT", requires = "decision")]
    why: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SupersedeAnswer {
    pub old: RecordId,
    pub new: RecordId,
    pub root: String,
}

impl Run for Args {
    type Answer = SupersedeAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SupersedeAnswer> {
        let level = memory_roots::level(ctx, ui, &[])?;
        let old = insight::memory::resolve(&level.reader, &self.old)?;
        let root = memory_roots::holder(&level.reader, ctx, &old)?;
        let new = match (&self.new, &self.decision) {
            (Some(new), _) => {
                let new = insight::memory::resolve(&level.reader, new)?;
                root.supersede(&old, &new, ctx.now())?;
                new
            }
            (None, Some(text)) if old.kind() == RecordKind::Decision => {
                let mut fields = draft::decision(text);
                fields.rationale = self.why.clone().unwrap_or_default();
                let choice = ConflictPolicy { force: true, supersede: vec![old.clone()] };
                let kept = root.remember(Draft::Decision(fields), &choice, ctx.now())?;
                kept.record.id().clone()
            }
            (None, _) => {
                return Err(Error::usage(format!("a decision cannot replace a {}", old.kind()))
                    .suggest("write the new record first, then: lore supersede <OLD> <NEW>"));
            }
        };
        memory_roots::follow(ctx, ui, &root);
        Ok(SupersedeAnswer { old, new, root: root.dir.display().to_string() })
    }
}

impl Show for SupersedeAnswer {
    fn text(&self, out: &mut Painter) {
        out.label(Label::Id, self.new.as_str()).text(" supersedes ");
        out.label(Label::Id, self.old.as_str()).end();
    }
}
