use super::{ENTRIES, Run};
use crate::ctx::Ctx;
use crate::ui::{Envelope, Painter, Show, Ui};
use model::suggest::nearest;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Print the JSON Schema of command output
///
/// With a command, the schema of its `data`; without, those of all commands
/// and of the envelope around them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore schema doctor
  lore schema | jq '.commands | keys'")]
pub struct Args {
    /// Command name
    command: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Schemas(pub Value);

impl Run for Args {
    type Answer = Schemas;

    fn run(&self, _: &Ctx, _: &mut Ui) -> Result<Schemas> {
        match &self.command {
            None => Ok(Schemas(all())),
            Some(name) => match ENTRIES.iter().find(|entry| entry.name == name) {
                Some(entry) => Ok(Schemas((entry.schema)().to_value())),
                None => Err(unknown(name)),
            },
        }
    }
}

fn all() -> Value {
    let commands: Map<String, Value> = ENTRIES
        .iter()
        .map(|entry| (entry.name.to_owned(), (entry.schema)().to_value()))
        .collect();
    json!({
        "envelope": schemars::schema_for!(Envelope).to_value(),
        "commands": commands,
    })
}

fn unknown(name: &str) -> Error {
    let error = Error::not_found(format!(
        "there is no command `{}`",
        model::text::one_line(name, 60)
    ));
    match nearest(name, ENTRIES.iter().map(|entry| entry.name), 1).first() {
        Some(near) => error.suggest(format!("did you mean `lore schema {near}`?")),
        None => error.suggest("`lore schema` prints all of them"),
    }
}

impl Show for Schemas {
    fn text(&self, out: &mut Painter) {
        let text = serde_json::to_string_pretty(&self.0).unwrap_or_default();
        out.verbatim(&text).end();
    }
}
