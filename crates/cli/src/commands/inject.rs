use super::Run;
use crate::config::repo_trust;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::ui::{Painter, Show, Ui};
use insight::memory::inject::{Injection, inject};
use memory::{Root, index};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use store::memory as rows;
use store::{DatabaseFile, Reader, Writer};

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
pub struct Injected {
    #[serde(flatten)]
    pub injection: Injection,
    /// What the hook prints.
    #[serde(skip)]
    pub printed: String,
}

impl Run for Args {
    type Answer = Injected;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Injected> {
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
        Ok(Injected { injection, printed })
    }
}

impl Args {
    /// As the agent wants it.
    fn printed(&self, text: &str) -> String {
        let agent = self.agent.as_deref().and_then(crate::agents::named);
        match agent.and_then(|agent| agent.answers_in_json_for) {
            Some(_) if text.is_empty() => "{}\n".to_owned(),
            Some(event) => {
                let answer = serde_json::json!({
                    "hookSpecificOutput": { "hookEventName": event, "additionalContext": text }
                });
                format!("{answer}\n")
            }
            None => text.to_owned(),
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
    let reader = level(ctx, ui, &database, &roots)?;
    let known = rows::roots(&reader)?;
    let ids: Vec<rows::RootId> = roots
        .iter()
        .filter_map(|root| known.iter().find(|row| row.path == index::path_text(root)))
        .map(|row| row.id)
        .collect();
    let from = memory_roots::standpoint(&reader, around.as_ref())?;
    inject(&reader, &prompt, &ids, &from, ctx.now())
}

/// A reader that is level with these roots. Opening for writing costs more, so
/// it is done only when something changed.
fn level(ctx: &Ctx, ui: &mut Ui, database: &DatabaseFile, roots: &[Root]) -> Result<Reader> {
    if let Ok(reader) = Reader::open(database) {
        let mut is_level = true;
        for root in roots {
            is_level &= index::looks_stale(&reader, root, ctx.now())?.is_none();
        }
        if is_level {
            return Ok(reader);
        }
    }
    let mut writer = Writer::open(&ctx.writable_db(ui)?)?;
    memory_roots::refresh_only(ctx, &mut writer, roots)?;
    Reader::open(database)
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

impl Show for Injected {
    fn text(&self, out: &mut Painter) {
        out.verbatim(&self.printed);
    }
}
