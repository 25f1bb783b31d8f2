use super::Run;
use crate::ctx::Ctx;
use crate::text::diff::{DiffForm, failures, parse_thresholds};
use crate::ui::{Painter, Show, Ui};
use code::compare::{Head, compare};
use git::{ObjectId, Repo};
use insight::code::scope::Asked;
use insight::diff::{Request, Revision, SemanticDiff, semantic_diff};
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
#[command(alias = "semantic-diff", after_help = "Examples:
  lore diff
  lore diff main
  lore diff v1.0 v1.1 --markdown
  lore diff --mr 42
  lore diff main --fail-on breaking")]
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
    /// Maximum number of changes in text and Markdown
    #[arg(short = 'n', long, value_name = "N", default_value_t = 25)]
    limit: u32,
    /// Fail with exit code 22 on: breaking[=N], removed[=N], decisions[=N], reached[=N]
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
    pub limit: usize,
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
        let first = self.failed.first()?;
        Some(Error::new(ErrorCode::CheckFailed, first.clone()))
    }
}

impl Run for Args {
    type Answer = Diff;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Diff> {
        let thresholds = parse_thresholds(&self.fail_on)?;
        let repo = Repo::open(&ctx.env.cwd)?;
        let reader = ctx.db_path(ui).and_then(|path| Reader::open(&path)).ok();
        let ends = self.ends(&repo, reader.as_ref(), ui)?;
        let head = match ends.head {
            Some(head) => Head::Commit(head),
            None => Head::WorkTree,
        };
        let comparison = compare(&repo, ends.base, head)?;
        let request = Request {
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
            asked: Asked { repo: None, at: None, here: Some(&ctx.env.cwd) },
        };
        let asked = request.asked;
        let diff = semantic_diff(reader.as_ref(), request, comparison)?
            .with_runtime(reader.as_ref(), &asked, ctx.now())?;
        Ok(Diff {
            failed: failures(&diff, &thresholds),
            form: DiffForm::of(self.markdown, self.sarif),
            limit: self.limit as usize,
            diff,
        })
    }
}

/// The two versions; no head means the work tree.
struct Ends {
    base: ObjectId,
    base_name: String,
    head: Option<ObjectId>,
    head_name: String,
}

impl Args {
    fn ends(&self, repo: &Repo, reader: Option<&Reader>, ui: &mut Ui) -> Result<Ends> {
        if let Some(typed) = &self.mr {
            let reader = reader.ok_or_else(|| {
                Error::new(ErrorCode::NotIndexed, "no merge requests are known here")
                    .suggest("run: lore sync")
            })?;
            return of_merge_request(repo, reader, typed, self.project.as_deref());
        }
        if self.working_tree || self.base.is_none() {
            if repo.work_tree().is_none() {
                return Err(Error::usage("this repository has no work tree")
                    .suggest("name two revisions: lore diff HEAD~1 HEAD"));
            }
            let name = self.base.as_deref().unwrap_or("HEAD");
            let base = resolve(repo, name)?;
            let (base_name, head_name) = (name.to_owned(), "work tree".to_owned());
            return Ok(Ends { base, base_name, head: None, head_name });
        }
        let base_name = self.base.as_deref().unwrap_or("HEAD");
        let head_name = self.head.as_deref().unwrap_or("HEAD");
        let (base, head) = (resolve(repo, base_name)?, resolve(repo, head_name)?);
        let (base, base_name) = from_merge_base(repo, base, base_name, head, ui)?;
        Ok(Ends { base, base_name, head: Some(head), head_name: head_name.to_owned() })
    }
}

/// The change of a branch begins where it left the other one.
fn from_merge_base(
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
fn resolve(repo: &Repo, typed: &str) -> Result<ObjectId> {
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

fn of_merge_request(
    repo: &Repo,
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
) -> Result<Ends> {
    let entity = insight::entities::show(reader, EntityKind::MergeRequest, typed, project)?;
    let number = entity.summary.iid;
    let head_name = format!("!{number}");
    if let Some(merge) = &entity.body.merge_commit_sha
        && let Ok(merge) = repo.resolve(merge)
        && let [first, second, ..] = repo.parents(merge)?.as_slice()
    {
        let base = repo.merge_base(*first, *second)?.unwrap_or(*first);
        let base_name = format!("where {head_name} began");
        return Ok(Ends { base, base_name, head: Some(*second), head_name });
    }
    let absent = || {
        Error::not_found(format!("the commits of {head_name} are not in this clone"))
            .suggest(format!("run: git fetch origin refs/merge-requests/{number}/head"))
    };
    let squashed = entity.body.squash_commit_sha.as_deref().or(entity.body.merge_commit_sha.as_deref());
    if let Some(landed) = squashed
        && let Ok(landed) = repo.resolve(landed)
        && let Some(parent) = repo.parents(landed)?.first()
    {
        let base_name = format!("before {head_name}");
        return Ok(Ends { base: *parent, base_name, head: Some(landed), head_name });
    }
    let head = entity.body.head_sha.as_deref().ok_or_else(absent)?;
    let head = repo.resolve(head).map_err(|_| absent())?;
    let target = entity.body.target_branch.as_deref().unwrap_or("HEAD");
    let tip = repo.resolve(&format!("origin/{target}")).or_else(|_| repo.resolve(target))?;
    let base = repo.merge_base(tip, head)?.ok_or_else(absent)?;
    Ok(Ends { base, base_name: format!("merge base with {target}"), head: Some(head), head_name })
}
