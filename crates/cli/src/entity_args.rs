//! What `lore issues` and `lore mrs` have in common: filters, and an answer
//! that is either a list or one entity.

use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::entities::{self, EntityDetail, EntityList};
use insight::file_target::FileQuery;
use insight::threads::{self, NoteFilter, ThreadChoice};
use model::time::parse_when;
use model::{EntityKind, EntityState, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::listing::{EntityFilter, SortBy};

/// A list, or everything about one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Entities {
    One(Box<EntityAnswer>),
    List(EntityList),
}

/// One entity, and how much of it to print.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EntityAnswer {
    #[serde(flatten)]
    pub entity: EntityDetail,
    /// Long texts are shown whole.
    #[serde(skip)]
    pub is_unfolded: bool,
    /// Only notes with this are shown.
    #[serde(skip)]
    pub grep: Option<String>,
    #[serde(skip)]
    pub with_system_notes: bool,
    #[serde(skip)]
    pub with_events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateArg {
    Opened,
    Closed,
    Merged,
    All,
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Limit to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Filter by author
    #[arg(long, value_name = "USER")]
    author: Option<String>,
    /// Filter by assignee
    #[arg(long, value_name = "USER")]
    assignee: Option<String>,
    /// Filter by label (repeatable; all must match)
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Filter by milestone
    #[arg(long, value_name = "TITLE")]
    milestone: Option<String>,
    /// Only created after this date: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only created before this date
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only updated after this date
    #[arg(long, value_name = "WHEN")]
    updated_since: Option<String>,
    /// Only with comments by people
    #[arg(long)]
    has_discussions: bool,
    /// Include items deleted on the server
    #[arg(long)]
    include_gone: bool,
    /// Sort order, newest first
    #[arg(long, value_enum, default_value = "updated")]
    sort: SortArg,
    /// Sort oldest first
    #[arg(long)]
    ascending: bool,
    /// Maximum number of rows
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Number of rows to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// For a single item: which notes to show [default: what fits on a few screens, decisions first]
    #[arg(long, value_enum, value_name = "WHICH")]
    notes: Option<NotesArg>,
    /// For a single item: only notes that contain this word or phrase
    #[arg(long, value_name = "WORD")]
    grep: Option<String>,
    /// For a single item: omit discussion threads; the same as --notes none
    #[arg(long, hide = true, conflicts_with_all = ["notes", "grep"])]
    no_notes: bool,
    /// For a single item: include system notes
    #[arg(long)]
    system_notes: bool,
    /// For a single item: include label, milestone and state changes
    #[arg(long)]
    events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SortArg {
    Updated,
    Created,
    Iid,
}

/// Characters of notes on a page: about three screens of text.
pub const BUDGET: usize = 9_000;

/// Which notes of a single item are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum NotesArg {
    /// Those that carry a decision or its reason
    Rationale,
    /// All of them, unfolded
    All,
    None,
}

impl NotesArg {
    pub const fn filter(self) -> NoteFilter {
        match self {
            NotesArg::Rationale => NoteFilter::Rationale,
            NotesArg::All => NoteFilter::All,
            NotesArg::None => NoteFilter::None,
        }
    }
}

impl ListArgs {
    fn notes(&self) -> Option<NoteFilter> {
        if self.no_notes {
            return Some(NoteFilter::None);
        }
        self.notes.map(NotesArg::filter)
    }

    pub fn filter(&self, state: StateArg, ctx: &Ctx) -> Result<EntityFilter> {
        let when = |text: &Option<String>| -> Result<Option<Timestamp>> {
            text.as_deref().map(|text| parse_when(text, ctx.now())).transpose()
        };
        Ok(EntityFilter {
            state: match state {
                StateArg::Opened => Some(EntityState::Opened),
                StateArg::Closed => Some(EntityState::Closed),
                StateArg::Merged => Some(EntityState::Merged),
                StateArg::All => None,
            },
            author: self.author.as_deref().map(user),
            assignee: self.assignee.as_deref().map(user),
            labels: self.label.clone(),
            milestone: self.milestone.clone(),
            created_since: when(&self.since)?,
            created_until: when(&self.until)?,
            updated_since: when(&self.updated_since)?,
            has_discussions: self.has_discussions,
            include_gone: self.include_gone,
            sort: match self.sort {
                SortArg::Updated => SortBy::Updated,
                SortArg::Created => SortBy::Created,
                SortArg::Iid => SortBy::Iid,
            },
            ascending: self.ascending,
            limit: self.limit as usize,
            offset: self.offset as usize,
            ..EntityFilter::default()
        })
    }

    pub fn answer(
        &self,
        ctx: &Ctx,
        ui: &mut Ui,
        kind: EntityKind,
        one: Option<&str>,
        mut filter: EntityFilter,
    ) -> Result<Entities> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let project = self.project.as_deref();
        if let Some(typed) = one {
            let cwd = crate::file_args::cwd(ctx);
            let here = Some(FileQuery::place(&cwd, None));
            let mut entity = entities::show_near(&reader, kind, typed, project, here)?;
            // A program asks for what it wants; a person gets what can be read.
            let budget = (!ui.is_json()).then_some(BUDGET);
            let choice = ThreadChoice { filter: self.notes(), grep: self.grep.as_deref(), budget };
            threads::choose(&reader, &mut entity, choice)?;
            return Ok(Entities::One(Box::new(EntityAnswer {
                entity,
                is_unfolded: self.notes == Some(NotesArg::All),
                grep: self.grep.clone(),
                with_system_notes: self.system_notes,
                with_events: self.events,
            })));
        }
        filter.project = insight::projects::resolve_maybe(&reader, project)?.map(|p| p.id);
        Ok(Entities::List(entities::list(&reader, kind, &filter)?))
    }
}

/// `@ada` and `ada` name the same person.
pub fn user(typed: &str) -> String {
    typed.trim_start_matches('@').to_owned()
}
