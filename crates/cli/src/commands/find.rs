use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::find::{FoundText, find};
use model::Result;

/// Find where a text stands: a setting, a flag, a message
///
/// Lines of the files at hand with the symbol around each, what gives a value first; then
/// data, documents and tests. A name is found in its other spellings, too (auto-save as
/// auto_save), an address by its end, a message by its parts without values.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore find DOWNLOAD_DELAY
  lore find -- --auto-gen-config
  lore find 'unsupported URL scheme'")]
pub struct Args {
    /// Text to look for
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Further words of the text
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = FoundText;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FoundText> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let words: Vec<&str> =
            std::iter::once(&self.text).chain(&self.words).map(String::as_str).collect();
        find(&reader, &scope, &words.join(" "))
    }
}
