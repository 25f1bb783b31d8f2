use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Label, Painter, Show, Ui};
use model::memory::RecordId;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Delete a memory record
///
/// Removes it from its file, together with its edges. In a repository, git
/// history still has it. To replace a record by a newer one, use `lore
/// supersede`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore forget dec-4k2p9xqa
  lore forget pat-77ab pat-91cd")]
pub struct Args {
    /// Record ids, or unique prefixes
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ForgetAnswer {
    pub records: Vec<ForgottenRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ForgottenRecord {
    pub id: RecordId,
    pub title: String,
    /// The folder it was in.
    pub root: String,
}

impl Run for Args {
    type Answer = ForgetAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<ForgetAnswer> {
        let level = memory_roots::level(ctx, ui, &[])?;
        let ids: Vec<RecordId> = self
            .ids
            .iter()
            .map(|text| insight::memory::resolve(&level.reader, text))
            .collect::<Result<_>>()?;
        let mut records = Vec::new();
        for id in ids {
            let root = memory_roots::holder(&level.reader, ctx, &id)?;
            let detail = insight::memory::detail::detail(&level.reader, &id)?;
            if !root.edit(|edit| edit.remove(&id))? {
                return Err(Error::not_found(format!("`{id}` is not in its file any more"))
                    .suggest("`lore memory list` shows what there is"));
            }
            memory_roots::follow(ctx, ui, &root);
            records.push(ForgottenRecord {
                id,
                title: detail.record.title,
                root: root.dir.display().to_string(),
            });
        }
        Ok(ForgetAnswer { records })
    }
}

impl Show for ForgetAnswer {
    fn text(&self, out: &mut Painter) {
        for record in &self.records {
            out.text("forgot ").label(Label::Id, record.id.as_str()).text("  ");
            out.text(&model::text::one_line(&record.title, 200)).end();
        }
    }
}
