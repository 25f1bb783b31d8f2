use super::Run;
use crate::ctx::Ctx;
use crate::lineage_args::LineageArgs;
use crate::memory_roots;
use crate::run_embed;
use crate::ui::Ui;
use insight::timeline::{self, Request, Start, Timeline};
use model::time::parse_when;
use model::{Result, Timestamp};
use search::embedding::Provider;
use search::{Mode, Searcher, Syntax};
use store::Reader;
use store::document_set::DocumentFilter;

/// Show the history of a topic, issue, merge request or symbol
///
/// Starts from search results, from #12, !34, group/project#12 or a URL, or from
/// the merge requests that changed a symbol (PATH#SYMBOL, PATH:LINE, or the name
/// of an indexed one); follows relations from there and lists the events of all of them in
/// chronological order, with the notes that give reasons. Simultaneous label changes,
/// bulk edits and mentions are folded into one line each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore timeline 'auth migration'
  lore timeline '#28' --depth 2
  lore timeline src/auth/session.py#Session.refresh
  lore timeline 'group/project!34' --expand-mentions --since 1y
  lore timeline 'retry budget' --all -n 500 --json
  lore timeline '#28' --explain --fields events.summary,details.signals")]
pub struct Args {
    /// A query, #12, !34, group/project#12, a URL, or a symbol
    #[arg(value_name = "QUERY|REF|SYMBOL", allow_hyphen_values = true)]
    query: String,
    /// Further words of the query
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
    /// Limit search results to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Number of relations to follow from each result
    #[arg(long, value_name = "0..3", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    depth: u8,
    /// Also follow mentions
    #[arg(long)]
    expand_mentions: bool,
    /// Only events after this date: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only events before this date
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Maximum number of events; the most significant are kept
    #[arg(short = 'n', long, value_name = "N", default_value_t = Request::LIMIT as u32,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Show every event, including all system notes
    #[arg(long)]
    all: bool,
    /// Maximum number of issues and merge requests to start from
    #[arg(long, value_name = "N", default_value_t = Request::SEEDS as u32,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// Maximum number of notes shown as evidence
    #[arg(long, value_name = "N", default_value_t = Request::EVIDENCE as u32,
          value_parser = clap::value_parser!(u32).range(0..=200))]
    evidence: u32,
    /// Search lexically only
    #[arg(long)]
    lexical: bool,
    /// Show why each note was selected
    #[arg(long)]
    explain: bool,
}

impl Run for Args {
    type Answer = Timeline;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Timeline> {
        memory_roots::catch_up(ctx, ui);
        let when = |text: &Option<String>| -> Result<Option<Timestamp>> {
            text.as_deref().map(|text| parse_when(text, ctx.now())).transpose()
        };
        let (since, until) = (when(&self.since)?, when(&self.until)?);
        let mut typed = self.query.clone();
        for word in &self.words {
            typed.push(' ');
            typed.push_str(word);
        }
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let request = Request {
            seeds: self.seeds as usize,
            depth: self.depth,
            expand_mentions: self.expand_mentions,
            since,
            until,
            limit: self.limit as usize,
            evidence: self.evidence as usize,
            everything: self.all,
            explain: self.explain,
            ..Request::new(&typed, self.start(ctx, ui, &reader, &typed)?)
        };
        let is_query = matches!(request.start, Start::Query(_)) && !self.lexical;
        let provider = if is_query { provider(ctx, ui) } else { None };
        let searcher = Searcher { reader: &reader, provider: provider.as_deref(), now: ctx.now() };
        let answer = timeline::timeline(&searcher, &request)?;
        for warning in &answer.warnings {
            ui.warn(warning);
        }
        Ok(answer)
    }
}

impl Args {
    fn start(&self, ctx: &Ctx, ui: &mut Ui, reader: &Reader, typed: &str) -> Result<Start> {
        if let Some(wanted) = timeline::named_entity(typed) {
            let here = Some(crate::file_args::cwd(ctx));
            return Ok(Start::Entity { wanted, project: self.project.clone(), here });
        }
        if is_symbol(typed) && self.project.is_none() {
            let rows = symbol_rows(ctx, ui, typed).unwrap_or_default();
            if !rows.is_empty() {
                return Ok(Start::Symbol(rows));
            }
        }
        let project = insight::projects::resolve_maybe(reader, self.project.as_deref())?;
        let is_anywhere = project.is_none();
        let filter = DocumentFilter {
            project: project.map(|project| project.id),
            ..DocumentFilter::default()
        };
        Ok(Start::Query(Box::new(search::Request {
            home: insight::projects::home(reader, &ctx.env.cwd)?.filter(|_| is_anywhere),
            home_repo: insight::repos::home(reader, &ctx.env.cwd)?.filter(|_| is_anywhere),
            query: typed.to_owned(),
            syntax: Syntax::Safe,
            filter,
            mode: if self.lexical { Mode::Lexical } else { Mode::Hybrid },
            ..search::Request::default()
        })))
    }
}

/// Written as people write names in code: one word that prose does not have.
fn is_symbol(typed: &str) -> bool {
    let is_mixed = typed.chars().skip(1).any(char::is_uppercase);
    !typed.contains(char::is_whitespace)
        && (is_mixed || typed.contains(['.', '_', '#', ':', '(']))
        && typed.contains(char::is_alphabetic)
}

/// The merge requests that changed a symbol; nothing where there is no such
/// symbol here: then the word is searched for.
fn symbol_rows(ctx: &Ctx, ui: &mut Ui, typed: &str) -> Result<Vec<i64>> {
    let standpoint = LineageArgs::default().standpoint(ctx, ui)?;
    let lineage = standpoint.lineage(&standpoint.target(typed)?, &[])?;
    insight::history::merge_requests(&standpoint.place()?, &lineage)
}

/// Seeds are found by words when there is nobody to tell the meaning.
fn provider(ctx: &Ctx, ui: &mut Ui) -> Option<Box<dyn Provider>> {
    match run_embed::provider(ctx, ui) {
        Ok(provider) => provider,
        Err(error) => {
            ui.warn(&format!("seeds were found by words only: {error}"));
            None
        }
    }
}
