use super::Run;
use crate::ctx::Ctx;
use crate::forge_client::{self, Connection};
use crate::interrupt::block_on;
use crate::ui::{Label, Painter, Show, Ui};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;

/// Show the GitLab user that the token belongs to
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore auth
  lore auth --fields username")]
pub struct Args {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Identity {
    pub base_url: String,
    pub username: String,
    pub name: String,
    pub user_id: i64,
    /// None when the server does not tell.
    pub server_version: Option<String>,
    /// Where the token was found: `env:NAME` or `file:PATH`.
    pub token_source: String,
}

impl Run for Args {
    type Answer = Identity;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Identity> {
        let connection = Connection::from_config(ctx.config(ui)?, &ctx.env)?;
        let client = forge_client::quick_client(&connection)?;
        let identity = block_on(forge_client::identity(&client))?;
        Ok(Identity {
            base_url: connection.base_url,
            username: identity.user.username,
            name: identity.user.name,
            user_id: identity.user.forge_id.0,
            server_version: identity.server_version,
            token_source: connection.token.source,
        })
    }
}

impl Show for Identity {
    fn text(&self, out: &mut Painter) {
        out.label(Label::Person, &format!("@{}", self.username)).text(&format!(" ({})", self.name));
        out.text(" at ").link(Label::Path, &self.base_url, &self.base_url);
        if let Some(version) = &self.server_version {
            out.text(&format!(", GitLab {version}"));
        }
        out.end();
    }
}
