use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use code::proof::{Proof, Verdict, verify};
use model::{Error, Result};
use std::io::Read as _;

/// Verify a proof from `lore prove`, without a database
///
/// Exit code 19 if it is not valid. Compare the root it names with one you
/// trust, or pass that with --root.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore verify proof.json
  lore verify proof.json --root 4f2a9c")]
pub struct Args {
    /// Proof file, or - for stdin
    file: String,
    /// Required root hash (or a prefix of it)
    #[arg(long, value_name = "HASH")]
    root: Option<String>,
}

/// No proof is near this size.
const LARGEST: u64 = 4 << 20;

impl Run for Args {
    type Answer = Verdict;

    fn run(&self, ctx: &Ctx, _: &mut Ui) -> Result<Verdict> {
        let mut text = String::new();
        let read = if self.file == "-" {
            std::io::stdin().take(LARGEST).read_to_string(&mut text)
        } else {
            let path = ctx.env.cwd.join(&self.file);
            std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text))
        };
        read.map_err(|error| {
            Error::usage(format!("cannot read the proof `{}`", self.file)).caused_by(error)
        })?;
        let proof = parse(&text).ok_or_else(|| {
            Error::usage(format!("`{}` holds no proof", self.file))
                .suggest("make one: lore prove SOURCE TARGET > proof.json")
        })?;
        let verdict = verify(&proof)?;
        match &self.root {
            Some(root) if !verdict.static_root.starts_with(root.as_str()) => {
                Err(Error::new(
                    model::ErrorCode::Integrity,
                    format!("the proof holds, but for another root: {}", verdict.static_root),
                ))
            }
            _ => Ok(verdict),
        }
    }
}

/// The proof itself, or the envelope `--json` puts around it.
fn parse(text: &str) -> Option<Proof> {
    serde_json::from_str(text).ok().or_else(|| {
        let envelope: serde_json::Value = serde_json::from_str(text).ok()?;
        serde_json::from_value(envelope.get("data")?.clone()).ok()
    })
}
