use super::Run;
use crate::ctx::Ctx;
use crate::text::diff::{DiffForm, failures, parse_thresholds};
use crate::ui::{Painter, Show, Ui};
use crate::{run_index, run_pipeline};
use code::compare::{Head, compare, rules_version};
use git::{ObjectId, Repo};
use insight::code::scope::{self, ScopeRequest};
use insight::diff::{Request, Revision, SemanticDiff, semantic_diff};
use insight::entities::EntityDetail;
use insight::file_target::FileQuery;
use model::ids::Iid;
use model::suggest::nearest;
use model::{EntityKind, Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// Show what a change does and what it breaks
///
/// Compares by symbols, not by lines: renamed and moved ones are followed, and
/// what breaks others is named by rule. Reads git objects directly; neither
/// side must be indexed. With an index, callers, tests and owners are added.
/// Without revisions, the work tree is compared with HEAD.
#[derive(Debug, clap::Args)]
#[command(
    alias = "semantic-diff",
    after_help = "Examples:
  lore diff
  lore diff main
  lore diff v1.0 v1.1 --markdown
  lore diff v1.0..v1.1
  lore diff --mr 42
  lore diff main --fail-on breaking"
)]
pub struct Args {
    /// Where the change begins; its merge base with HEAD is compared
    #[arg(value_name = "BASE")]
    base: Option<String>,
    /// Where the change ends (default: HEAD)
    #[arg(value_name = "HEAD", requires = "base")]
    head: Option<String>,
    /// Compare the files of the work tree with BASE (default: HEAD)
    #[arg(long, conflicts_with_all = ["head", "mr"])]
    working_tree: bool,
    /// Compare what a merge request changes
    #[arg(long, value_name = "MR", conflicts_with = "base")]
    mr: Option<String>,
    /// Project of the merge request
    #[arg(short, long, value_name = "PROJECT", requires = "mr")]
    project: Option<String>,
    /// Write Markdown, for a comment on a merge request
    #[arg(long, conflicts_with = "sarif")]
    markdown: bool,
    /// Write breaking changes as SARIF
    #[arg(long)]
    sarif: bool,
    /// Maximum length of each list of changes, moved files and edges in text and Markdown
    /// (default: 25 changes, 8 of the others on a screen)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
    /// Fail with exit code 22 on more than N (default 0) of: breaking, removed, decisions,
    /// reached, impact-increase, new-cross-repo-edges, new-cross-owner-edges,
    /// new-cross-package-edges
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    fail_on: Vec<String>,
}

/// A comparison, and the form its text takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Diff {
    #[serde(flatten)]
    pub diff: SemanticDiff,
    /// Conditions of `--fail-on` that hold, one line each.
    pub failed: Vec<String>,
    #[serde(skip)]
    pub form: DiffForm,
    #[serde(skip)]
    pub limit: Option<usize>,
}

impl Show for Diff {
    fn text(&self, out: &mut Painter) {
        self.form.text(&self.diff, self.limit, out);
        for reason in &self.failed {
            if self.form == DiffForm::Text {
                out.line(&format!("fails: {reason}"));
            }
        }
    }

    fn failure(&self) -> Option<Error> {
        let is_any = !self.failed.is_empty();
        is_any.then(|| Error::new(ErrorCode::CheckFailed, self.failed.join("; ")))
    }
}

impl Run for Args {
    type Answer = Diff;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Diff> {
        let thresholds = parse_thresholds(&self.fail_on)?;
        let place = DiffPlace::here(ctx, ui)?;
        let ends = self.ends(&place.repo, place.reader.as_ref(), ui)?;
        let diff = place.diff(ctx, ui, ends)?;
        Ok(Diff {
            failed: failures(&diff, &thresholds),
            form: DiffForm::of(self.markdown, self.sarif),
            limit: self.limit.map(|limit| limit as usize),
            diff,
        })
    }
}

/// The clone and the database that a comparison is made in.
struct DiffPlace {
    repo: Repo,
    reader: Option<Reader>,
}

impl DiffPlace {
    fn here(ctx: &Ctx, ui: &mut Ui) -> Result<Self> {
        let repo = Repo::open(&ctx.env.cwd)?;
        let database = ctx.db_path(ui);
        let reader = database.as_ref().ok().and_then(|database| Reader::open(database).ok());
        if let (Ok(database), Some(reader)) = (&database, &reader) {
            ctx.keep_results(database, reader);
        }
        Ok(DiffPlace { repo, reader })
    }

    fn diff(&self, ctx: &Ctx, ui: &mut Ui, ends: DiffRange) -> Result<SemanticDiff> {
        let head = match ends.head {
            Some(head) => Head::Commit(head),
            None => Head::WorkTree,
        };
        self.index(ctx, ui, &ends);
        let trees = match ends.head {
            Some(head) => self.repo.trees(&[ends.base, head]).ok(),
            None => None,
        };
        let request = Request {
            rules: rules_version().to_string(),
            trees: trees.and_then(|trees| {
                trees.iter().map(ToString::to_string).collect::<Vec<_>>().try_into().ok()
            }),
            base: Revision {
                name: ends.base_name,
                commit: ends.base.to_string(),
                is_work_tree: false,
            },
            head: Revision {
                name: ends.head_name,
                commit: ends.head.unwrap_or(ends.base).to_string(),
                is_work_tree: ends.head.is_none(),
            },
            asked: ScopeRequest { repo: None, at: None, here: Some(&ctx.env.cwd) },
            repo: &self.repo,
        };
        let asked = request.asked;
        let index = self.reader.as_ref().and_then(|reader| {
            let (repo, _) = scope::repository(reader, &asked).ok()?;
            Some((reader, repo.id))
        });
        let comparison = || compare(&self.repo, ends.base, head, index);
        semantic_diff(self.reader.as_ref(), request, comparison)?.with_runtime(
            self.reader.as_ref(),
            &asked,
            ctx.now(),
        )
    }

    /// Indexes what is missing of both commits, where the repository is indexed at
    /// all: only files that differ from a known commit are read. What cannot be
    /// indexed now is said by the answer itself.
    fn index(&self, ctx: &Ctx, ui: &mut Ui, ends: &DiffRange) {
        let Some(reader) = &self.reader else { return };
        let here = ScopeRequest { repo: None, at: None, here: Some(&ctx.env.cwd) };
        let is_indexed = |at: Option<&str>| scope::resolve(reader, &ScopeRequest { at, ..here }).is_ok();
        if !is_indexed(None) {
            return;
        }
        for commit in [Some(ends.base), ends.head].into_iter().flatten() {
            if !is_indexed(Some(&commit.to_string())) && !index_commit(ctx, ui, commit) {
                return;
            }
        }
    }
}

/// Indexes a commit if it is not, where its repository is indexed at all.
pub fn index_missing(ctx: &Ctx, ui: &mut Ui, commit: ObjectId) {
    let reader = ctx.db_path(ui).and_then(|path| Reader::open(&path));
    let Ok(reader) = reader else { return };
    let here = ScopeRequest { repo: None, at: None, here: Some(&ctx.env.cwd) };
    let sha = commit.to_string();
    let at = ScopeRequest { at: Some(&sha), ..here };
    if scope::resolve(&reader, &here).is_ok() && scope::resolve(&reader, &at).is_err() {
        index_commit(ctx, ui, commit);
    }
}

/// Whether it could be indexed.
fn index_commit(ctx: &Ctx, ui: &mut Ui, commit: ObjectId) -> bool {
    let request = code::index::Request {
        url: None,
        rev: Some(commit.to_string()),
        work_tree: false,
        full: false,
        n_threads: run_pipeline::n_threads(),
    };
    match run_index::run(ctx, ui, &ctx.env.cwd, request) {
        Ok(_) => true,
        Err(error) => {
            ui.warn(&format!("{} is not indexed: {error}", commit.short()));
            false
        }
    }
}

/// The first commit before, and the last one of a merge request.
pub fn range_of_merge_request(
    ctx: &Ctx,
    ui: &mut Ui,
    typed: &str,
    project: Option<&str>,
) -> Result<(ObjectId, ObjectId)> {
    let place = DiffPlace::here(ctx, ui)?;
    let reader = place.reader.as_ref().ok_or_else(no_merge_requests)?;
    let entity = merge_request(reader, &place.repo, typed, project)?;
    let ends = ends_of_merge_request(&place.repo, &entity)?;
    Ok((ends.base, ends.head.unwrap_or(ends.base)))
}

/// What a merge request does.
pub struct MergeRequestDiff {
    pub diff: SemanticDiff,
    /// Path of the project.
    pub project: String,
    pub iid: Iid,
}

/// Of a synced merge request.
pub fn of_merge_request(
    ctx: &Ctx,
    ui: &mut Ui,
    typed: &str,
    project: Option<&str>,
) -> Result<MergeRequestDiff> {
    let place = DiffPlace::here(ctx, ui)?;
    let reader = place.reader.as_ref().ok_or_else(no_merge_requests)?;
    let entity = merge_request(reader, &place.repo, typed, project)?;
    let (project, iid) = (entity.summary.project.clone(), entity.summary.iid);
    let ends = ends_of_merge_request(&place.repo, &entity)?;
    Ok(MergeRequestDiff { diff: place.diff(ctx, ui, ends)?, project, iid })
}

/// A synced one; of several with the number that of the project of this clone.
fn merge_request(
    reader: &Reader,
    repo: &Repo,
    typed: &str,
    project: Option<&str>,
) -> Result<EntityDetail> {
    let here = Some(FileQuery::place(repo.dir(), None));
    insight::entities::show_near(reader, EntityKind::MergeRequest, typed, project, here)
}

/// Of two revisions, from their merge base.
pub fn of_commits(ctx: &Ctx, ui: &mut Ui, base: &str, head: &str) -> Result<SemanticDiff> {
    let place = DiffPlace::here(ctx, ui)?;
    let ends = ends_of_commits(&place.repo, base, head, ui)?;
    place.diff(ctx, ui, ends)
}

fn no_merge_requests() -> Error {
    Error::new(ErrorCode::NotIndexed, "no merge requests are known here").suggest("run: lore sync")
}

/// The two versions; no head means the work tree.
struct DiffRange {
    base: ObjectId,
    base_name: String,
    head: Option<ObjectId>,
    head_name: String,
}

impl Args {
    fn ends(&self, repo: &Repo, reader: Option<&Reader>, ui: &mut Ui) -> Result<DiffRange> {
        if let Some(typed) = &self.mr {
            let reader = reader.ok_or_else(no_merge_requests)?;
            let project = self.project.as_deref();
            let entity = merge_request(reader, repo, typed, project)?;
            return ends_of_merge_request(repo, &entity);
        }
        if self.working_tree || self.base.is_none() {
            if repo.work_tree().is_none() {
                return Err(Error::usage("this repository has no work tree")
                    .suggest("name two revisions: lore diff HEAD~1 HEAD"));
            }
            let name = self.base.as_deref().unwrap_or("HEAD");
            let base = resolve(repo, name)?;
            let (base_name, head_name) = (name.to_owned(), "work tree".to_owned());
            return Ok(DiffRange { base, base_name, head: None, head_name });
        }
        let base_name = self.base.as_deref().unwrap_or("HEAD");
        let (base_name, head_name) = match (&self.head, as_range(base_name)) {
            (None, Some(range)) => range,
            (head, _) => (base_name, head.as_deref().unwrap_or("HEAD")),
        };
        ends_of_commits(repo, base_name, head_name, ui)
    }
}

/// `a..b` and `a...b`, as git takes them; no name of a revision has two dots.
fn as_range(typed: &str) -> Option<(&str, &str)> {
    let (base, head) = typed.split_once("...").or_else(|| typed.split_once(".."))?;
    let [base, head] = [base, head].map(|name| if name.is_empty() { "HEAD" } else { name });
    Some((base, head))
}

fn ends_of_commits(repo: &Repo, base_name: &str, head_name: &str, ui: &mut Ui) -> Result<DiffRange> {
    let (base, head) = (resolve(repo, base_name)?, resolve(repo, head_name)?);
    let (base, base_name) = from_merge_base(repo, base, base_name, head, ui)?;
    Ok(DiffRange { base, base_name, head: Some(head), head_name: head_name.to_owned() })
}

/// The change of a branch begins where it left the other one.
pub(crate) fn from_merge_base(
    repo: &Repo,
    base: ObjectId,
    name: &str,
    head: ObjectId,
    ui: &mut Ui,
) -> Result<(ObjectId, String)> {
    match repo.merge_base(base, head)? {
        Some(found) if found == base => Ok((base, name.to_owned())),
        Some(found) => Ok((found, format!("merge base with {name}"))),
        None => {
            let why = if repo.is_shallow() {
                "this clone is shallow and has no merge base; compared as they are \
                 (git fetch --unshallow brings the rest)"
            } else {
                "the histories are unrelated; compared as they are"
            };
            ui.warn(why);
            Ok((base, name.to_owned()))
        }
    }
}

/// A revision, or an error that names the branches most like it.
pub(crate) fn resolve(repo: &Repo, typed: &str) -> Result<ObjectId> {
    repo.resolve(typed).map_err(|error| {
        if error.code() != ErrorCode::NotFound {
            return error;
        }
        let branches = repo.branches().unwrap_or_default();
        let names: Vec<&str> = branches.iter().map(git::Branch::name).collect();
        match nearest(typed, names.iter().copied(), 3).as_slice() {
            [] => error,
            near => error.suggest(format!("did you mean {}?", near.join(", "))),
        }
    })
}

fn ends_of_merge_request(repo: &Repo, entity: &EntityDetail) -> Result<DiffRange> {
    let number = entity.summary.iid;
    let head_name = format!("!{number}");
    if let Some(merge) = &entity.body.merge_commit_sha
        && let Ok(merge) = repo.resolve(merge)
        && let [first, second, ..] = repo.parents(merge)?.as_slice()
    {
        let base = repo.merge_base(*first, *second)?.unwrap_or(*first);
        let base_name = format!("where {head_name} began");
        return Ok(DiffRange { base, base_name, head: Some(*second), head_name });
    }
    let absent = || {
        Error::not_found(format!("the commits of {head_name} are not in this clone"))
            .suggest(format!("run: git fetch origin refs/merge-requests/{number}/head"))
    };
    let squashed =
        entity.body.squash_commit_sha.as_deref().or(entity.body.merge_commit_sha.as_deref());
    if let Some(landed) = squashed
        && let Ok(landed) = repo.resolve(landed)
        && let Some(parent) = repo.parents(landed)?.first()
    {
        let base_name = format!("before {head_name}");
        return Ok(DiffRange { base: *parent, base_name, head: Some(landed), head_name });
    }
    let head = entity.body.head_sha.as_deref().ok_or_else(absent)?;
    let head = repo.resolve(head).map_err(|_| absent())?;
    let target = entity.body.target_branch.as_deref().unwrap_or("HEAD");
    let tip = repo.resolve(&format!("origin/{target}")).or_else(|_| repo.resolve(target))?;
    let base = repo.merge_base(tip, head)?.ok_or_else(absent)?;
    Ok(DiffRange { base, base_name: format!("merge base with {target}"), head: Some(head), head_name })
}
