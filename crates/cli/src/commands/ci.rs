use super::Run;
use super::diff::{MergeRequestDiff, of_commits, of_merge_request};
use crate::ctx::Ctx;
use crate::forge_client::{self, Connection};
use crate::interrupt::block_on;
use crate::text::diff_markdown::markdown;
use crate::ui::{Painter, Show, Ui};
use forge::api::{NoteOutcome, OwnNote};
use model::ids::Iid;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Post what a merge request changes as a note on it
///
/// `lore ci comment` writes what `lore diff --markdown` says as one note on a merge
/// request, and updates that note when it runs again. Without --post nothing is
/// sent: the note is printed. To post, the token needs the scope api. With --base
/// and --head nothing needs to be synced, as in a pipeline.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore ci comment --mr 42
  lore ci comment --mr 42 --post
  lore ci comment --mr 42 -p group/app --base main --head HEAD --post")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the comment, or post it with --post
    Comment(CommentArgs),
}

#[derive(Debug, clap::Args)]
struct CommentArgs {
    /// The merge request
    #[arg(long, value_name = "MR")]
    mr: String,
    /// Project of the merge request
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Where the change begins; its merge base with HEAD is compared
    #[arg(long, value_name = "REV", requires = "project")]
    base: Option<String>,
    /// Where the change ends (default: HEAD)
    #[arg(long, value_name = "REV", requires = "base")]
    head: Option<String>,
    /// Create or update the note on the forge
    #[arg(long)]
    post: bool,
    /// Maximum number of changes listed
    #[arg(short = 'n', long, value_name = "N", default_value_t = 25)]
    limit: u32,
}

/// By which the note is found again; nobody sees it.
const MARK: &str = "<!-- lore:diff -->";

model::vocabulary! {
    /// What became of the comment.
    pub enum CommentOutcome {
        /// Printed; nothing was sent.
        DryRun = "dry_run",
        Created = "created",
        Updated = "updated",
        /// The note said so already.
        Unchanged = "unchanged",
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Comment {
    /// `group/project!12`
    pub merge_request: String,
    pub outcome: CommentOutcome,
    /// Of the note, where there is one.
    pub note: Option<i64>,
    pub body: String,
}

impl Show for Comment {
    fn text(&self, out: &mut Painter) {
        if self.outcome == CommentOutcome::DryRun {
            out.verbatim(&self.body);
            return;
        }
        let note = self.note.map(|id| format!(" (note {id})")).unwrap_or_default();
        out.line(&format!("{}: comment {}{note}", self.merge_request, self.outcome));
    }
}

impl Run for Args {
    type Answer = Comment;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Comment> {
        let Action::Comment(args) = &self.action;
        args.comment(ctx, ui)
    }
}

impl CommentArgs {
    fn comment(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Comment> {
        let asked = self.diff(ctx, ui)?;
        let body = format!("{MARK}\n{}", markdown(&asked.diff, self.limit as usize));
        let merge_request = format!("{}!{}", asked.project, asked.iid);
        if !self.post {
            ui.note("dry run: nothing was sent; --post writes this to the merge request");
            return Ok(Comment {
                merge_request,
                outcome: CommentOutcome::DryRun,
                note: None,
                body,
            });
        }
        let connection = Connection::from_config(ctx.config(ui)?, &ctx.env)?;
        let client = forge_client::quick_client(&connection)?;
        let project = block_on(forge_client::project(&client, &asked.project))?;
        let note = OwnNote { mark: MARK.to_owned(), body: body.clone() };
        let kept = block_on(client.keep_own_note(project.forge_id, asked.iid, &note))?;
        let (outcome, id) = match kept {
            NoteOutcome::Created(id) => (CommentOutcome::Created, id),
            NoteOutcome::Updated(id) => (CommentOutcome::Updated, id),
            NoteOutcome::Unchanged(id) => (CommentOutcome::Unchanged, id),
        };
        Ok(Comment { merge_request, outcome, note: Some(id.0), body })
    }

    fn diff(&self, ctx: &Ctx, ui: &mut Ui) -> Result<MergeRequestDiff> {
        let Some(base) = &self.base else {
            return of_merge_request(ctx, ui, &self.mr, self.project.as_deref());
        };
        let number = self.mr.trim_start_matches('!').parse().map(Iid).map_err(|_| {
            Error::usage(format!(
                "`{}` is no number of a merge request",
                model::text::one_line(&self.mr, 40)
            ))
            .suggest("e.g. --mr 42")
        })?;
        let diff = of_commits(ctx, ui, base, self.head.as_deref().unwrap_or("HEAD"))?;
        let project = self.project.clone().unwrap_or_default();
        Ok(MergeRequestDiff { diff, project, iid: number })
    }
}
