use super::Run;
use crate::ctx::Ctx;
use crate::forge_client::{self, Connection};
use crate::interrupt::block_on;
use crate::ui::Ui;
use insight::people::me::{self, Inbox};
use model::time::parse_when;
use model::{Error, ErrorCode, Result};
use store::{DatabaseFile, Reader, last_seen};

/// Show what waits for you and what is new
///
/// The user is the owner of the token; the server is asked once. Updates the
/// last-seen mark unless --peek or another user is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore me
  lore me --peek --since 7d
  lore me --user ada --json")]
pub struct Args {
    /// Show another user, or set who you are when there is no token
    #[arg(long, value_name = "USER")]
    user: Option<String>,
    /// Show changes since this date instead of the last-seen mark
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Do not update the last-seen mark
    #[arg(long)]
    peek: bool,
}

impl Run for Args {
    type Answer = Inbox;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Inbox> {
        let since = self.since.as_deref().map(|text| parse_when(text, ctx.now())).transpose()?;
        let path = ctx.db_path(ui)?;
        let reader = Reader::open(&path)?;
        let who = match &self.user {
            Some(user) => Ok(user.clone()),
            None => identity(ctx, ui, &reader, &path),
        };
        let inbox = match who {
            Ok(who) => me::inbox(&reader, &who, since, ctx.now())?,
            // What rules matched is for whoever wrote them, also without a forge.
            Err(error) if ctx.config(ui)?.notify_rules().is_empty() => return Err(error),
            Err(error) => {
                ui.warn(&format!("notifications alone: {error}"));
                me::unnamed_inbox(&reader, since, ctx.now())?
            }
        };
        if !self.peek && self.user.is_none() {
            let (now, username) = (ctx.now(), inbox.username.clone());
            ctx.write_later(&path, move |tx| last_seen::record_visit(tx, &username, now));
        }
        Ok(inbox)
    }
}

/// As it was told before, else as the forge says now.
fn identity(ctx: &Ctx, ui: &mut Ui, reader: &Reader, path: &DatabaseFile) -> Result<String> {
    let connection = Connection::from_config(ctx.config(ui)?, &ctx.env);
    let host = match &connection {
        Ok(connection) => Some(connection.host()),
        Err(_) => store::projects::all(reader)?.into_iter().map(|project| project.host).next(),
    };
    let known = host.as_deref().map(|host| last_seen::identity(reader, host)).transpose()?.flatten();
    if let Some(known) = known {
        return Ok(known);
    }
    let asked = connection.and_then(|connection| {
        let client = forge_client::quick_client(&connection)?;
        block_on(forge_client::identity(&client))
    });
    let identity = asked.map_err(|error| {
        Error::new(ErrorCode::NotFound, format!("nobody said yet who you are: {error}"))
            .suggest("say it: lore me --user NAME")
    })?;
    let username = identity.user.username;
    if let Some(host) = host {
        let now = ctx.now();
        let known = username.clone();
        ctx.write_later(path, move |tx| last_seen::keep_identity(tx, &host, &known, now));
    }
    Ok(username)
}
