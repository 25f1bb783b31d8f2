use super::Run;
use crate::ctx::Ctx;
use crate::lineage_args::LineageArgs;
use crate::ui::Ui;
use insight::history::{Dependency, names_of, when};
use model::{Error, ErrorCode, Result};

/// Show since when a symbol uses another, and who began it
///
/// Follows the first symbol back through its history and finds the commits at
/// which its code began or stopped to name the second, under any name the second
/// had. Each with its author, merge request, issues and reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore when Flask.run werkzeug
  lore when src/flask/app.py#Flask.run run_simple
  lore when Checkout.pay Ledger.book --json")]
pub struct Args {
    /// The symbol that uses: a name, PATH#SYMBOL or PATH:LINE
    #[arg(value_name = "A")]
    user: String,
    /// What it uses: a symbol, or any name that code can write
    #[arg(value_name = "B")]
    used: String,
    #[command(flatten)]
    scope: LineageArgs,
}

impl Run for Args {
    type Answer = Dependency;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Dependency> {
        let standpoint = self.scope.standpoint(ctx, ui)?;
        let targets = standpoint.targets(&self.user)?;
        // What is not a symbol of this repository has one name: the one typed.
        let names = match standpoint.target(&self.used) {
            Ok(used) => names_of(&standpoint.lineage(&used, &[])?),
            Err(error) if is_unknown(error.code()) => vec![last_name(&self.used)],
            Err(error) => return Err(error),
        };
        // Of several symbols of the name the one that uses it is meant.
        let mut first: Option<Dependency> = None;
        for target in &targets {
            let lineage = standpoint.lineage(target, &names)?;
            let answer = when(&standpoint.place()?, lineage, names.clone())?;
            if answer.is_known() {
                return Ok(answer);
            }
            match &mut first {
                Some(first) => first.others += 1,
                None => first = Some(answer),
            }
        }
        first.ok_or_else(|| Error::internal("a name led to no symbol"))
    }
}

const fn is_unknown(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::NotFound | ErrorCode::NotIndexed | ErrorCode::Ambiguous)
}

fn last_name(typed: &str) -> String {
    let name = typed.split('(').next().unwrap_or(typed).trim();
    name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name).to_owned()
}
