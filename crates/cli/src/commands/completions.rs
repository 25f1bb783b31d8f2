use super::{Run, Text};
use crate::args;
use crate::ctx::Ctx;
use crate::ui::Ui;
use clap_complete::Shell;
use model::Result;

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore completions bash > ~/.local/share/bash-completion/completions/lore
  lore completions zsh > ~/.zfunc/_lore
  lore completions fish > ~/.config/fish/completions/lore.fish")]
pub struct Args {
    /// Shell
    shell: Shell,
}

impl Run for Args {
    type Answer = Text;

    fn run(&self, _: &Ctx, _: &mut Ui) -> Result<Text> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut args::command(), "lore", &mut script);
        Ok(Text { text: String::from_utf8_lossy(&script).into_owned() })
    }
}
