//! What the commands about code share: which repository, which moment, how far.

use crate::ctx::Ctx;
use crate::ui::Ui;
use crate::{run_index, run_pipeline, work_tree_overlay};
use insight::code::neighbours::{Neighbours, Question, neighbours};
use insight::code::scope::{self, ScopeRequest};
use insight::code::{Scope, SnapshotContext, TraversalOptions};
use model::code::EdgeKind;
use model::suggest::nearest;
use model::{Error, Result};
use store::Reader;

#[derive(Debug, Default, clap::Args)]
pub struct ScopeArgs {
    /// Repository (name or unique suffix; default: the one you are in)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
    /// Indexed commit, branch, tag or snapshot (@12)
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Index that commit first if it is not indexed
    #[arg(long, requires = "at")]
    index: bool,
}

impl ScopeArgs {
    /// The snapshot of the repository around.
    pub fn here(ctx: &Ctx, reader: &Reader) -> Result<Scope> {
        scope::resolve(
            reader,
            &ScopeRequest { here: Some(&ctx.env.cwd), ..ScopeRequest::default() },
        )
    }

    /// The snapshot of a repository, or of the one around, with what was edited since;
    /// none where no code is indexed.
    pub fn as_edited(ctx: &Ctx, reader: &Reader, repo: Option<&str>) -> Option<Scope> {
        let asked = ScopeRequest { repo, here: Some(&ctx.env.cwd), ..ScopeRequest::default() };
        let scope = scope::resolve(reader, &asked).ok()?;
        work_tree_overlay::over_work_tree(reader, scope).ok()
    }

    pub fn asked<'a>(&'a self, ctx: &'a Ctx) -> ScopeRequest<'a> {
        ScopeRequest {
            repo: self.repo.as_deref(),
            at: self.at.as_deref(),
            here: Some(&ctx.env.cwd),
        }
    }

    /// Opens the database and finds the snapshot of a commit.
    pub fn open_at(&self, ctx: &Ctx, ui: &mut Ui, at: &str) -> Result<(Reader, Scope)> {
        let reader = Reader::open(&ctx.db_path(ui)?).map_err(|error| match error.code() {
            model::ErrorCode::NotIndexed => error.suggest(format!("run: lore index --at {at}")),
            _ => error,
        })?;
        let scope = scope::resolve(&reader, &ScopeRequest { at: Some(at), ..self.asked(ctx) })?;
        Ok((reader, scope))
    }

    /// Opens the database and finds the snapshot; says when it is not of the
    /// commit checked out.
    pub fn open(&self, ctx: &Ctx, ui: &mut Ui) -> Result<(Reader, Scope)> {
        let database = ctx.db_path(ui)?;
        let reader = Reader::open(&database).map_err(|error| match error.code() {
            model::ErrorCode::NotIndexed => error.suggest("run: lore index"),
            _ => error,
        })?;
        ctx.keep_results(&database, &reader);
        let asked = self.asked(ctx);
        let scope = match scope::resolve(&reader, &asked) {
            Err(error) if self.index && error.code() == model::ErrorCode::NotIndexed => {
                self.index(ctx, ui, &reader)?;
                scope::resolve(&reader, &asked)?
            }
            found => found?,
        };
        let scope = match self.at {
            Some(_) => scope,
            None => work_tree_overlay::over_work_tree(&reader, scope)?,
        };
        tell(ui, &scope.standing());
        Ok((reader, scope))
    }
}

impl ScopeArgs {
    fn index(&self, ctx: &Ctx, ui: &mut Ui, reader: &Reader) -> Result<()> {
        let (_, dir) = scope::repository(reader, &self.asked(ctx))?;
        let dir = dir.map_or_else(|| ctx.env.cwd.clone(), std::path::PathBuf::from);
        let request = code::index::Request {
            url: None,
            rev: self.at.clone(),
            work_tree: false,
            full: false,
            n_threads: run_pipeline::n_threads(),
        };
        run_index::run(ctx, ui, &dir, request).map(drop)
    }
}

fn tell(ui: &mut Ui, standing: &SnapshotContext) {
    if standing.is_work_tree && ui.look().is_tty {
        ui.note("for the work tree as it is edited");
    }
    if standing.is_stale {
        ui.warn("stale: the work tree differs in too many files; run: lore index");
    }
    if let Some(head) = &standing.stale_against {
        let short = |sha: &str| sha.chars().take(10).collect::<String>();
        ui.warn(&format!(
            "this is of commit {}; {} is checked out and not indexed; run: lore index",
            short(&standing.commit),
            short(head)
        ));
    }
}

#[derive(Debug, clap::Args)]
pub struct WalkArgs {
    /// Maximum number of hops (default: callers and callees 1, impact 5, flow 10, else no limit)
    #[arg(short, long, value_name = "N")]
    depth: Option<u32>,
    /// Maximum number of symbols
    #[arg(short = 'n', long, value_name = "N", default_value_t = 500,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    /// Minimum confidence of edges, 0 to 1
    #[arg(long, value_name = "C", default_value_t = 0.0)]
    min_confidence: f64,
    /// Follow only this edge type (repeatable)
    #[arg(long = "edge", value_name = "KIND")]
    edges: Vec<String>,
}

impl WalkArgs {
    pub fn options(&self, depth: u32, kinds: &[EdgeKind]) -> Result<TraversalOptions> {
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Err(Error::usage("--min-confidence must be between 0 and 1")
                .suggest("e.g. --min-confidence 0.8"));
        }
        let asked: Vec<EdgeKind> =
            self.edges.iter().map(|word| edge_kind(word)).collect::<Result<_>>()?;
        Ok(TraversalOptions {
            max_depth: self.depth.unwrap_or(depth).clamp(1, 50),
            max_results: self.limit as usize,
            min_confidence: (self.min_confidence * 100.0).round() as u8,
            kinds: if asked.is_empty() { kinds.to_vec() } else { asked },
            through_bases: false,
        })
    }
}

/// A symbol and how far to go from it: what the commands ask that list its neighbours.
#[derive(Debug, clap::Args)]
pub struct NeighbourArgs {
    /// Symbol: name or its end, name(parameters), name#2, or path:line
    symbol: String,
    /// Answer for each overload by itself
    #[arg(long)]
    split: bool,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    walk: WalkArgs,
}

impl NeighbourArgs {
    pub fn answer(&self, ctx: &Ctx, ui: &mut Ui, asked: Question) -> Result<Neighbours> {
        let options = self.walk.options(asked.depth(), asked.kinds())?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        neighbours(&reader, &scope, &self.symbol, asked, &options, self.split)?
            .with_runtime(&reader, ctx.now())
    }
}

pub fn edge_kind(word: &str) -> Result<EdgeKind> {
    EdgeKind::parse(word).ok_or_else(|| {
        let known = EdgeKind::ALL.iter().map(|kind| kind.as_str());
        let hint = match nearest(word, known.clone(), 1).first() {
            Some(near) => format!("did you mean {near}?"),
            None => format!("known kinds: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Error::usage(format!("no kind of edge is called `{word}`")).suggest(hint)
    })
}
