use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::Ui;
use insight::code::map::{RepoMap, map};
use model::Result;
use store::Reader;
use store::memory::RootId;

/// Show a repository, a folder or a type at a glance
///
/// Languages, folders with what they hold, entry points and routes, what is called,
/// extended and changed most, and the newest decisions, in about a thousand tokens.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore map
  lore map django/db/models
  lore map QuerySet")]
pub struct Args {
    /// Folder or type to look into
    #[arg(value_name = "DIR|TYPE")]
    what: Option<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = RepoMap;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<RepoMap> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let memory = own_memory(ctx, &reader)?;
        map(&reader, &scope, self.what.as_deref(), &memory)
    }
}

/// The memory of the repository around; that of another one says nothing here.
fn own_memory(ctx: &Ctx, reader: &Reader) -> Result<Vec<RootId>> {
    let Some(root) = memory_roots::around(ctx) else { return Ok(Vec::new()) };
    let path = memory::index::path_text(&root);
    let known = store::memory::roots(reader)?;
    Ok(known.into_iter().filter(|it| it.path == path).map(|it| it.id).collect())
}
