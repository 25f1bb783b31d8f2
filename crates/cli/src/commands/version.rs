use super::Run;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;

/// Show version and build information
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore version
  lore version --json")]
pub struct Args {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Version {
    pub version: &'static str,
    /// The commit a release was built from; none in a development build.
    pub commit: Option<&'static str>,
    pub target: &'static str,
    /// The database schema this build writes.
    pub schema: u32,
}

impl Run for Args {
    type Answer = Version;

    fn run(&self, _: &Ctx, _: &mut Ui) -> Result<Version> {
        let commit = env!("LORE_BUILD_COMMIT");
        Ok(Version {
            version: env!("CARGO_PKG_VERSION"),
            commit: (!commit.is_empty()).then_some(commit),
            target: env!("LORE_BUILD_TARGET"),
            schema: store::SCHEMA_VERSION,
        })
    }
}

impl Show for Version {
    fn text(&self, out: &mut Painter) {
        out.line(&format!(
            "lore {} ({}, {}, schema {})",
            self.version,
            self.commit.unwrap_or("development build"),
            self.target,
            self.schema
        ));
    }
}
