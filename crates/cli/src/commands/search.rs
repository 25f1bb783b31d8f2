use super::Run;
use crate::ctx::Ctx;
use crate::entity_args::user;
use crate::ui::Ui;
use model::time::parse_when;
use model::{EntityState, Result, Timestamp};
use search::{Request, SearchResults, Syntax};
use store::Reader;
use store::dirty::SourceType;
use store::fulltext::DocumentFilter;

/// Find issues, merge requests and threads by their words
///
/// Any of the words may match; the best matches come first. "a phrase" in
/// quotes must stand as it is, +word is required, begin* finds every word that
/// begins so. Names from code are found whole and by their parts. Everything
/// else is taken literally.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore search 'why did we remove NATS'
  lore search '\"static secrets\" +gateway' --type thread
  lore search retry_budget --path src/ --since 1y
  lore search 'migrat*' --label security --state merged --fields reference,title,url
  lore search 'title : nats NOT queue' --fts-mode raw")]
pub struct Args {
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// More of it, when it was not put in quotes
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
    /// Only of this type (can be repeated: any of them)
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    types: Vec<TypeArg>,
    /// Only in this project (path, or an ending of it that is unique)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only by this author; of a thread, who began it
    #[arg(long, value_name = "USER")]
    author: Option<String>,
    /// Only with this label (can be repeated: all of them)
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Only about this file, or with a / at the end this folder
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Only in this state; of a thread, what it hangs on
    #[arg(short, long, value_enum)]
    state: Option<StateArg>,
    /// Only created since then: 7d, 2w, 1m, 2024-01-31
    #[arg(long, alias = "after", value_name = "WHEN")]
    since: Option<String>,
    /// Only created until then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only changed since then
    #[arg(long, value_name = "WHEN")]
    updated_after: Option<String>,
    /// How many to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// How many to pass over first
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// How to read the query: as words, or as SQLite's FTS5 syntax
    #[arg(long, value_enum, default_value = "safe")]
    fts_mode: FtsMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TypeArg {
    Issue,
    #[value(alias = "merge_request")]
    Mr,
    #[value(alias = "discussion")]
    Thread,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum StateArg {
    #[value(alias = "open")]
    Opened,
    Closed,
    Merged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FtsMode {
    Safe,
    Raw,
}

impl Args {
    fn filter(&self, ctx: &Ctx) -> Result<DocumentFilter> {
        let when = |text: &Option<String>| -> Result<Option<Timestamp>> {
            text.as_deref().map(|text| parse_when(text, ctx.now())).transpose()
        };
        let source = |kind: &TypeArg| match kind {
            TypeArg::Issue => SourceType::Issue,
            TypeArg::Mr => SourceType::MergeRequest,
            TypeArg::Thread => SourceType::Discussion,
        };
        Ok(DocumentFilter {
            sources: self.types.iter().map(source).collect(),
            project: None,
            author: self.author.as_deref().map(user),
            labels: self.label.clone(),
            path: self.path.clone(),
            state: self.state.map(|state| match state {
                StateArg::Opened => EntityState::Opened,
                StateArg::Closed => EntityState::Closed,
                StateArg::Merged => EntityState::Merged,
            }),
            created_since: when(&self.since)?,
            created_until: when(&self.until)?,
            updated_since: when(&self.updated_after)?,
        })
    }
}

impl Run for Args {
    type Answer = SearchResults;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SearchResults> {
        let mut filter = self.filter(ctx)?;
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let project = insight::projects::resolve_maybe(&reader, self.project.as_deref())?;
        filter.project = project.map(|project| project.id);
        let mut query = self.query.clone();
        for word in &self.words {
            query.push(' ');
            query.push_str(word);
        }
        search::find(
            &reader,
            &Request {
                query,
                syntax: match self.fts_mode {
                    FtsMode::Safe => Syntax::Safe,
                    FtsMode::Raw => Syntax::Raw,
                },
                filter,
                limit: self.limit as usize,
                offset: self.offset as usize,
            },
        )
    }
}
