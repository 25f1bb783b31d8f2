use super::Run;
use crate::ctx::Ctx;
use crate::entity_args::user;
use crate::ui::Ui;
use crate::{memory_roots, run_embed};
use model::time::parse_when;
use model::{EntityState, Error, Result, Timestamp};
use search::memory::Standpoint;
use search::{Fusion, Mode, Request, SearchResults, Searcher, Syntax};
use store::Reader;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;

/// Find issues, merge requests, threads, commits, memory and symbols by words and by meaning
///
/// Any of the words may match, and texts that say the same in other words are
/// found too; the best come first. "a phrase" in quotes must stand as it is,
/// +word is required, begin* finds every word that begins so; with such marks
/// only what matches them is shown. Names from code are found whole and by
/// their parts. Everything else is taken literally.
///
/// Symbols of indexed code are found with --type symbol: by their words alone,
/// in all repositories, at the commit checked out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore search 'why did we remove NATS'
  lore search '\"static secrets\" +gateway' --type thread
  lore search retry_budget --path src/ --since 1y
  lore search 'migrat*' --label security --state merged --fields reference,title,url
  lore search 'the login page loads for ever' --explain -n 5
  lore search 'which database' --type decision --graph-depth 2
  lore search retryBudget --type symbol --path src/
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
    /// Only of this local repository (folder, name, or an ending of it)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
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
    /// Find by words, by meaning, or by both
    #[arg(long, value_enum, default_value = "hybrid")]
    mode: ModeArg,
    /// How to put both together: by their scores, or by their ranks alone
    #[arg(long, value_enum, default_value = "scores")]
    fusion: FusionArg,
    /// Leave a ranking signal out: recency, title, same-project, memory, or one
    /// factor of memory: decay, frequency, importance, last-access, project,
    /// superseded (can be repeated)
    #[arg(long, value_name = "SIGNAL")]
    without: Vec<String>,
    /// How many edges to follow from each record of memory, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    graph_depth: u8,
    /// Show how each hit came to its place
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModeArg {
    Hybrid,
    Lexical,
    Semantic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FusionArg {
    Scores,
    Rrf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TypeArg {
    Issue,
    #[value(alias = "merge_request")]
    Mr,
    #[value(alias = "discussion")]
    Thread,
    Commit,
    Decision,
    Pattern,
    Handoff,
    Symbol,
}

impl TypeArg {
    /// None of what is not a text.
    const fn source(self) -> Option<SourceType> {
        match self {
            TypeArg::Issue => Some(SourceType::Issue),
            TypeArg::Mr => Some(SourceType::MergeRequest),
            TypeArg::Thread => Some(SourceType::Discussion),
            TypeArg::Commit => Some(SourceType::Commit),
            TypeArg::Decision => Some(SourceType::Decision),
            TypeArg::Pattern => Some(SourceType::Pattern),
            TypeArg::Handoff => Some(SourceType::Handoff),
            TypeArg::Symbol => None,
        }
    }
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
        Ok(DocumentFilter {
            sources: self.types.iter().filter_map(|kind| kind.source()).collect(),
            project: None,
            repo: None,
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

impl Args {
    /// What was asked, but for who asks and from where.
    fn request(&self, filter: DocumentFilter) -> Request {
        let mut query = self.query.clone();
        for word in &self.words {
            query.push(' ');
            query.push_str(word);
        }
        Request {
            query,
            syntax: match self.fts_mode {
                FtsMode::Safe => Syntax::Safe,
                FtsMode::Raw => Syntax::Raw,
            },
            graph_depth: self.graph_depth,
            filter,
            limit: self.limit as usize,
            offset: self.offset as usize,
            mode: match self.mode {
                ModeArg::Hybrid => Mode::Hybrid,
                ModeArg::Lexical => Mode::Lexical,
                ModeArg::Semantic => Mode::Semantic,
            },
            fusion: match self.fusion {
                FusionArg::Scores => Fusion::Scores,
                FusionArg::Rrf => Fusion::Rrf,
            },
            without: self.without.clone(),
            explain: self.explain,
            ..Request::default()
        }
    }

    fn symbols(
        &self,
        ctx: &Ctx,
        ui: &mut Ui,
        reader: &Reader,
        request: &Request,
    ) -> Result<SearchResults> {
        if self.types.iter().any(|kind| *kind != TypeArg::Symbol) {
            return Err(Error::usage("symbols and texts cannot be ranked in one list")
                .suggest("search twice, once with --type symbol"));
        }
        if let Some(name) = self.without.first() {
            return Err(Error::usage(format!("the signal `{name}` does not rank symbols"))
                .suggest("leave --without out"));
        }
        let results = insight::code::search_symbols(reader, request, &ctx.env.cwd)?;
        for warning in &results.warnings {
            ui.warn(warning);
        }
        Ok(results)
    }
}

impl Run for Args {
    type Answer = SearchResults;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SearchResults> {
        memory_roots::catch_up(ctx, ui);
        let mut filter = self.filter(ctx)?;
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let project = insight::projects::resolve_maybe(&reader, self.project.as_deref())?;
        filter.project = project.map(|project| project.id);
        if let Some(typed) = &self.repo {
            let dir = ctx.env.cwd.join(typed).canonicalize().ok();
            filter.repo = Some(insight::repos::find_place(&reader, typed, dir.as_deref())?.repo.0);
        }
        let mut request = self.request(filter);
        if self.types.contains(&TypeArg::Symbol) {
            return self.symbols(ctx, ui, &reader, &request);
        }
        let (provider, warning) = match request.mode {
            Mode::Lexical => (None, None),
            _ => match run_embed::provider(ctx, ui) {
                Ok(provider) => (provider, None),
                Err(error) if request.mode == Mode::Semantic => return Err(error),
                Err(error) => (None, Some(format!("found by words only: {error}"))),
            },
        };
        let is_anywhere = request.filter.project.is_none();
        request.home = insight::projects::home(&reader, &ctx.env.cwd)?.filter(|_| is_anywhere);
        request.from = standpoint(ctx, &reader)?;
        let searcher =
            Searcher { reader: &reader, provider: provider.as_deref(), now: ctx.now() };
        let results = searcher.find(&request)?;
        for warning in warning.iter().chain(&results.warnings) {
            ui.warn(warning);
        }
        Ok(results)
    }
}

/// Whose memory lies around; nobody's when it is not indexed.
fn standpoint(ctx: &Ctx, reader: &Reader) -> Result<Standpoint> {
    let Some(around) = memory_roots::around(ctx) else { return Ok(Standpoint::default()) };
    Standpoint::at(reader, &memory::index::path_text(&around))
}
