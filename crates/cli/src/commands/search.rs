use super::Run;
use crate::ctx::Ctx;
use crate::entity_args::user;
use crate::ui::Ui;
use crate::{memory_roots, run_embed};
use model::time::parse_when;
use model::{EntityState, Error, Result, Timestamp};
use search::memory::MemoryContext;
use search::{Fusion, Mode, Request, SearchResults, Searcher, Syntax};
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::memory::access::{self, AccessKind};
use store::{DatabaseFile, Reader};

/// Search issues, merge requests, commits, memory and symbols
///
/// Combines full-text and semantic search, best match first. "a phrase" in
/// quotes matches exactly, +word is required, prefix* matches words that start
/// with it; with such operators only documents that satisfy them are shown.
/// Identifiers are found whole and by their parts. Everything else is literal.
///
/// --type symbol searches symbols of indexed code by name, documentation and
/// signature, in all repositories, at the commit checked out.
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
    /// Search query
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// Further words of the query
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
    /// Filter by type (repeatable; any matches)
    #[arg(long = "type", value_enum, value_name = "TYPE")]
    types: Vec<TypeArg>,
    /// Limit to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Limit to one local repository (folder, name or suffix)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
    /// Leave out commits of other local repositories than the one you are in
    #[arg(long, conflicts_with_all = ["project", "repo"])]
    here: bool,
    /// Show recorded decisions first; if there is none, at most three commits
    #[arg(long, conflicts_with_all = ["types", "offset"])]
    decided: bool,
    /// Oldest first, of what says every word of the query
    #[arg(long, conflicts_with_all = ["types", "offset", "decided"])]
    oldest: bool,
    /// Filter by author (for threads: who started it)
    #[arg(long, value_name = "USER")]
    author: Option<String>,
    /// Filter by label (repeatable; all must match)
    #[arg(long, value_name = "LABEL")]
    label: Vec<String>,
    /// Filter by file, or by folder with a trailing /
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Filter by state (for threads: state of the issue or merge request)
    #[arg(short, long, value_enum)]
    state: Option<StateArg>,
    /// Only created after this date: 7d, 2w, 1m, 2024-01-31
    #[arg(long, alias = "after", value_name = "WHEN")]
    since: Option<String>,
    /// Only created before this date
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only updated after this date
    #[arg(long, value_name = "WHEN")]
    updated_after: Option<String>,
    /// Maximum number of results, 1 to 100
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Number of results to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Query syntax: plain words, or raw SQLite FTS5
    #[arg(long, value_enum, default_value = "safe")]
    fts_mode: FtsMode,
    /// Search mode: hybrid, lexical or semantic
    #[arg(long, value_enum, default_value = "hybrid")]
    mode: ModeArg,
    /// How to fuse both result lists: by score or by rank (RRF)
    #[arg(long, value_enum, default_value = "scores")]
    fusion: FusionArg,
    /// Disable a ranking signal: recency, title, same-project, spoken-of, memory, floor
    /// (show weak matches, too), or one memory factor: decay, frequency, importance, last-access, project,
    /// superseded (repeatable)
    #[arg(long, value_name = "SIGNAL")]
    without: Vec<String>,
    /// Number of edges to follow from each memory record, 0 to 3
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    graph_depth: u8,
    /// Show how each result was ranked
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModeArg {
    Hybrid,
    #[value(alias = "fts")]
    Lexical,
    #[value(alias = "vector")]
    Semantic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FusionArg {
    Scores,
    Rrf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TypeArg {
    #[value(alias = "issues")]
    Issue,
    #[value(aliases = ["mrs", "merge_request", "merge_requests"])]
    Mr,
    #[value(aliases = ["threads", "discussion", "discussions"])]
    Thread,
    #[value(alias = "commits")]
    Commit,
    #[value(alias = "decisions")]
    Decision,
    #[value(alias = "patterns")]
    Pattern,
    #[value(alias = "handoffs")]
    Handoff,
    #[value(alias = "symbols")]
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
            around: None,
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
            limit: self.limit.clamp(1, 100) as usize,
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
        let database = ctx.db_path(ui)?;
        let reader = Reader::open(&database)?;
        let project = insight::projects::resolve_maybe(&reader, self.project.as_deref())?;
        filter.project = project.map(|project| project.id);
        if let Some(typed) = &self.repo {
            let dir = ctx.env.cwd.join(typed).canonicalize().ok();
            filter.repo = Some(insight::repos::find_place(&reader, typed, dir.as_deref())?.repo.0);
        }
        let home_repo = insight::repos::home(&reader, &ctx.env.cwd)?;
        filter.around = home_repo.filter(|_| self.here);
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
        request.home_repo = match &request.filter.repo {
            None if is_anywhere => home_repo,
            _ => None,
        };
        request.from = standpoint(ctx, &reader)?;
        let searcher =
            Searcher { reader: &reader, provider: provider.as_deref(), now: ctx.now() };
        let mut results = if self.decided {
            searcher.find_decided(&request)?
        } else if self.oldest {
            searcher.find_oldest(&request)?
        } else {
            searcher.find(&request)?
        };
        results.took = Some(ctx.env.elapsed());
        log_records(ctx, &database, &results);
        // An agent reads it in the answer, in three words.
        if !(ui.is_agent() && results.mode == Mode::Lexical) {
            for warning in warning.iter().chain(&results.warnings) {
                ui.warn(warning);
            }
        }
        if !ctx.env.stdout_is_tty
            && let Some(words) = results.weakness()
        {
            ui.warn(&words);
        }
        Ok(results)
    }
}

/// Records that were shown rank a little higher from now on, as after a recall.
fn log_records(ctx: &Ctx, database: &DatabaseFile, results: &SearchResults) {
    let shown = results.records();
    let now = ctx.now();
    if !shown.is_empty() {
        ctx.write_later(database, move |tx| access::log(tx, &shown, AccessKind::Shown, now));
    }
}

/// Whose memory lies around; nobody's when it is not indexed.
fn standpoint(ctx: &Ctx, reader: &Reader) -> Result<MemoryContext> {
    let Some(around) = memory_roots::around(ctx) else { return Ok(MemoryContext::default()) };
    MemoryContext::at(reader, &memory::index::path_text(&around))
}
