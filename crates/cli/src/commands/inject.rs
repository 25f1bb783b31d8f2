use super::Run;
use crate::config::repo_trust;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Painter, Show, Ui};
use insight::memory::inject::{Injection, inject};
use insight::push::PushEvent;
use memory::{Root, index};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use store::Reader;
use store::memory as rows;

/// Print memory records relevant to an agent's prompt
///
/// Called by an agent's prompt hook: reads the prompt on stdin, as text or as
/// the hook's JSON, and prints at most 1,500 characters of relevant records, or
/// nothing. Memory of a clone is used only after `lore trust`. Never fails: on
/// any error it prints nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  echo 'why is there no queue?' | lore inject
  lore inject --agent gemini < event.json
  lore inject --json < prompt.txt")]
pub struct Args {
    /// Agent that runs the hook; some expect JSON instead of text
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct InjectAnswer {
    #[serde(flatten)]
    pub injection: Injection,
    /// What the hook prints.
    #[serde(skip)]
    pub printed: String,
}

impl Run for Args {
    type Answer = InjectAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<InjectAnswer> {
        let found = catch_unwind(AssertUnwindSafe(|| found(ctx, ui)));
        let injection = match found {
            Ok(Ok(injection)) => injection,
            Ok(Err(error)) => {
                ui.detail(&format!("nothing injected: {error}"));
                Injection::default()
            }
            Err(_) => Injection::default(),
        };
        let printed = self.printed(&injection.text);
        Ok(InjectAnswer { injection, printed })
    }
}

impl Args {
    /// As the agent wants it.
    fn printed(&self, text: &str) -> String {
        match self.agent.as_deref().and_then(crate::agents::named) {
            // Its prompt hook takes text as it is.
            Some(agent) if agent.name != "claude" => agent.printed(PushEvent::Prompt, text),
            _ => text.to_owned(),
        }
    }
}

fn found(ctx: &Ctx, ui: &mut Ui) -> Result<Injection> {
    let (prompt, cwd) = event(&super::remember::stdin()?);
    let dir = cwd.filter(|dir| dir.is_dir()).unwrap_or_else(|| ctx.env.cwd.clone());
    let is_trusted = repo_trust::folder_trust(&ctx.env);
    let around = memory_roots::around_dir(&dir).filter(|root| is_trusted(&root.dir));
    let roots: Vec<Root> = around
        .iter()
        .cloned()
        .chain(memory_roots::personal(ctx))
        .filter(|root| root.dir.is_dir())
        .collect();
    if roots.is_empty() {
        return Ok(Injection::default());
    }
    let database = ctx.db_path(ui)?;
    if let Some(refusal) = database.refusal() {
        // It could hold anything under the name of the user's own memory.
        return Err(refusal);
    }
    let refreshed = ctx
        .writable_db(ui)
        .and_then(|path| pipeline::memory::try_refresh_only(&path, &roots, ctx.now()));
    if let Err(error) = refreshed {
        ui.detail(&format!("memory files were not read again: {error}"));
    }
    let reader = Reader::open(&database)?;
    let known = rows::roots(&reader)?;
    let ids: Vec<rows::RootId> = roots
        .iter()
        .filter_map(|root| known.iter().find(|row| row.path == index::path_text(root)))
        .map(|row| row.id)
        .collect();
    let from = memory_roots::standpoint(&reader, around.as_ref())?;
    inject(&reader, &prompt, &ids, &from, ctx.now(), &|_| true)
}

/// Prompt and working directory of a hook's event; plain text is the prompt.
fn event(input: &str) -> (String, Option<PathBuf>) {
    #[derive(serde::Deserialize)]
    struct Event {
        prompt: String,
        cwd: Option<PathBuf>,
    }
    match serde_json::from_str::<Event>(input) {
        Ok(event) => (event.prompt, event.cwd),
        Err(_) => (input.to_owned(), None),
    }
}

impl Show for InjectAnswer {
    fn text(&self, out: &mut Painter) {
        out.verbatim(&self.printed);
    }
}
