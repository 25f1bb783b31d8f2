use super::Run;
use crate::ctx::Ctx;
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

/// Tell what happened with a subject, an issue or a merge request
///
/// Starts from what a search finds, or from #12, !34, group/project#12 or a
/// URL; follows relations from there; and tells in order of time what happened
/// to all of it, with the notes in which it was argued. Label changes in one
/// go, bulk edits and mentions are told in one line each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore timeline 'auth migration'
  lore timeline '#28' --depth 2
  lore timeline 'group/project!34' --expand-mentions --since 1y
  lore timeline 'retry budget' --all -n 500 --json
  lore timeline '#28' --explain --fields events.summary,details.note.signals")]
pub struct Args {
    /// A query, #12, !34, group/project#12 or a URL
    #[arg(value_name = "QUERY|REF", allow_hyphen_values = true)]
    query: String,
    /// More of it, when it was not put in quotes
    #[arg(value_name = "WORD", hide = true)]
    words: Vec<String>,
    /// Only seeds of this project (path, or an ending of it that is unique)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// How many relations to follow from a seed
    #[arg(long, value_name = "0..3", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    depth: u8,
    /// Follow mentions too
    #[arg(long)]
    expand_mentions: bool,
    /// Only what happened since then: 7d, 2w, 1m, 2024-01-31
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only what happened until then
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// How many events to tell; the most telling are kept
    #[arg(short = 'n', long, value_name = "N", default_value_t = Request::LIMIT as u32,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
    /// Fold nothing, and tell what GitLab noted in passing, too
    #[arg(long)]
    all: bool,
    /// How many issues and merge requests a query may bring
    #[arg(long, value_name = "N", default_value_t = Request::SEEDS as u32,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// How many notes to show as evidence
    #[arg(long, value_name = "N", default_value_t = Request::EVIDENCE as u32,
          value_parser = clap::value_parser!(u32).range(0..=200))]
    evidence: u32,
    /// Find seeds by words alone
    #[arg(long)]
    lexical: bool,
    /// Say of each note why it counts
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
            ..Request::new(&typed, self.start(&reader, &typed)?)
        };
        let is_query = matches!(request.start, Start::Query(_)) && !self.lexical;
        let provider = if is_query { provider(ctx, ui) } else { None };
        let searcher =
            Searcher { reader: &reader, provider: provider.as_deref(), now: ctx.now() };
        let answer = timeline::timeline(&searcher, &request)?;
        for warning in &answer.warnings {
            ui.warn(warning);
        }
        Ok(answer)
    }
}

impl Args {
    fn start(&self, reader: &Reader, typed: &str) -> Result<Start> {
        if let Some(wanted) = timeline::named_entity(typed) {
            return Ok(Start::Entity { wanted, project: self.project.clone() });
        }
        let project = insight::projects::resolve_maybe(reader, self.project.as_deref())?;
        let filter = DocumentFilter {
            project: project.map(|project| project.id),
            ..DocumentFilter::default()
        };
        Ok(Start::Query(Box::new(search::Request {
            query: typed.to_owned(),
            syntax: Syntax::Safe,
            filter,
            mode: if self.lexical { Mode::Lexical } else { Mode::Hybrid },
            ..search::Request::default()
        })))
    }
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
