use super::{Run, Text};
use crate::args;
use crate::ctx::Ctx;
use crate::help::TOPICS;
use crate::ui::Ui;
use model::suggest::nearest;
use model::{Error, Result};

/// Show help for a command or topic, or list `all` commands
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore help all
  lore help doctor
  lore help exit-codes
  lore help config list")]
pub struct Args {
    /// A command, with its subcommand, a topic, or `all`
    what: Vec<String>,
}

impl Run for Args {
    type Answer = Text;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Text> {
        let mut root = args::readable(args::command()).term_width(ctx.env.width.clamp(40, 100));
        root.build();
        let mut command = &mut root;
        for (depth, word) in self.what.iter().enumerate() {
            if depth == 0 && self.what.len() == 1 && word == "all" {
                return Ok(Text { text: args::all_commands(command) });
            }
            // A command wins over the topic of the same name only when it has
            // more to say: `lore help config` is about the file.
            if depth == 0
                && self.what.len() == 1
                && let Some(topic) = TOPICS.iter().find(|topic| topic.name == word)
            {
                return Ok(Text { text: (topic.text)() });
            }
            if command.find_subcommand(word).is_none() {
                return Err(unknown(word, command, depth == 0));
            }
            command = command
                .find_subcommand_mut(word)
                .ok_or_else(|| Error::internal("a command vanished"))?;
        }
        let help = command.render_help();
        let is_painted = ui.look().color && !ui.is_json();
        Ok(Text { text: if is_painted { help.ansi().to_string() } else { help.to_string() } })
    }
}

fn unknown(word: &str, within: &clap::Command, is_first: bool) -> Error {
    let topics = TOPICS.iter().map(|topic| topic.name).filter(|_| is_first);
    let names: Vec<&str> =
        within.get_subcommands().map(clap::Command::get_name).chain(topics).collect();
    let error =
        Error::usage(format!("no command or topic `{}`", model::text::one_line(word, 60)));
    match nearest(word, names, 1).first() {
        Some(near) => error.suggest(format!("did you mean `lore help {near}`?")),
        None => error.suggest("lore --help"),
    }
}
