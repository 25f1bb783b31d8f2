use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::text::context::ContextAnswer;
use crate::ui::Ui;
use git::{ObjectId, Repo};
use insight::code::Scope;
use insight::code::scope::{self, Asked};
use insight::context::{
    Changed, DEFAULT_BUDGET, DEFAULT_LIMIT, Format, PackOptions, Sources, TaskRequest, for_change,
    for_task,
};
use insight::entities;
use model::{EntityKind, Error, ErrorCode, Result};
use std::path::{Component, Path, PathBuf};
use store::Reader;

/// Show what to read for a task: symbols, files, decisions
///
/// Ranks the files and symbols of the indexed commit by what the text names
/// (paths, stack traces, error messages, names in backticks), by its words, by
/// earlier commits like it and by the code graph, and packs the best into a token
/// budget. Reads the task from standard input with `-`.
///
/// With --files, --mr or --base/--head it starts from a change instead: the changed
/// symbols, their callers and tests, owners, and decisions about them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore context 'uploads are retried for ever when the server answers 503'
  lore context - < issue.md
  lore context 'rename the cache directory' --bodies --budget 8000
  lore context --files src/flask/app.py src/flask/config.py
  lore context --base main --head feature --format markdown
  lore context --mr 42")]
pub struct Args {
    /// The task in words; `-` reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present_any = ["files", "mr", "base"],
          conflicts_with_all = ["files", "mr", "base"], allow_hyphen_values = true)]
    task: Option<String>,
    /// Start from these files
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["mr", "base"])]
    files: Vec<PathBuf>,
    /// Start from the changes of a merge request
    #[arg(long, value_name = "N", conflicts_with = "base")]
    mr: Option<String>,
    /// Start from the changes since this commit or branch
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// … up to this indexed one (default: the commit checked out)
    #[arg(long, value_name = "REV", requires = "base")]
    head: Option<String>,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Maximum number of symbols
    #[arg(short = 'n', long, value_name = "N", default_value_t = DEFAULT_LIMIT)]
    limit: usize,
    /// Include the source of the symbols, best first
    #[arg(long)]
    bodies: bool,
    /// Include tests
    #[arg(long)]
    tests: bool,
    /// Show what each channel added to a score
    #[arg(long)]
    explain: bool,
    /// Disable a channel: text, functions, path, trace, history, … (repeatable)
    #[arg(long, value_name = "CHANNEL")]
    without: Vec<String>,
    /// Format of the text
    #[arg(long, value_enum, default_value = "text")]
    format: FormatArg,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatArg {
    Text,
    Markdown,
    Xml,
}

impl Run for Args {
    type Answer = ContextAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<ContextAnswer> {
        let format = match (ui.is_json(), self.format) {
            (true, _) => Format::Json,
            (false, FormatArg::Text) => Format::Text,
            (false, FormatArg::Markdown) => Format::Markdown,
            (false, FormatArg::Xml) => Format::Xml,
        };
        let options = PackOptions {
            budget: self.budget,
            limit: self.limit,
            bodies: self.bodies,
            explain: self.explain,
            format,
        };
        let counter = crate::text::context::Counter;
        let pack = match &self.task {
            Some(task) => {
                let text = if task == "-" { super::remember::stdin()? } else { task.clone() };
                let (reader, scope) = self.scope.open(ctx, ui)?;
                let request = TaskRequest {
                    text,
                    tests: self.tests,
                    without: self.without.clone(),
                    pack: options,
                    sources: sources(ctx, &reader)?,
                };
                for_task(&reader, &scope, &request, &counter)?
            }
            None => {
                let (reader, scope) = self.scope.open(ctx, ui)?;
                let sources = sources(ctx, &reader)?;
                let (scope, changed) = self.changed(ctx, &reader, scope)?;
                for_change(&reader, &scope, &changed, &options, &sources, &counter)?
            }
        };
        Ok(ContextAnswer { pack, format })
    }
}

impl Args {
    /// What is changed, and the snapshot to ask about it.
    fn changed(&self, ctx: &Ctx, reader: &Reader, scope: Scope) -> Result<(Scope, Changed)> {
        if !self.files.is_empty() {
            let paths = self.files.iter().map(|path| path_in(ctx, &scope, path));
            let paths = paths.collect::<Result<Vec<String>>>()?;
            return Ok((scope, Changed::Files(paths)));
        }
        let dir = scope.dir.clone().ok_or_else(|| {
            Error::not_found("the repository is not on this machine")
                .suggest("run: lore repo add PATH")
        })?;
        let repo = Repo::known(Path::new(&dir));
        let (base, head) = match &self.mr {
            Some(number) => commits_of_mr(reader, &scope, &repo, number)?,
            None => {
                let head = repo.resolve(self.head.as_deref().unwrap_or(&scope.snapshot.sha))?;
                let base = repo.resolve(self.base.as_deref().unwrap_or("HEAD"))?;
                // What the base got meanwhile is no part of the change.
                (repo.merge_base(base, head)?.unwrap_or(base), head)
            }
        };
        let name = scope.repo.canonical_url.clone();
        let asked = Asked { repo: Some(&name), at: Some(&head.to_string()), here: None };
        let mut at_head = scope::resolve(reader, &asked)?;
        at_head.dir = Some(dir);
        Ok((at_head, Changed::Between { base, head }))
    }
}

/// Base and head of a merge request, if this clone has them.
fn commits_of_mr(
    reader: &Reader,
    scope: &Scope,
    repo: &Repo,
    number: &str,
) -> Result<(ObjectId, ObjectId)> {
    let project = scope.repo.project_path.as_deref();
    let mr = entities::show(reader, EntityKind::MergeRequest, number, project)?.body;
    let head = mr.head_sha.as_deref().and_then(ObjectId::parse);
    let head = head.filter(|head| repo.existing(&[*head]).is_ok_and(|found| !found.is_empty()));
    let head = head.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!("the commits of merge request {number} are not in this clone"),
        )
        .suggest(format!(
            "run: git fetch origin merge-requests/{}/head",
            number.trim_start_matches('!')
        ))
    })?;
    let target = mr.target_branch.unwrap_or_else(|| "HEAD".to_owned());
    let tip = repo.resolve(&format!("origin/{target}")).or_else(|_| repo.resolve(&target))?;
    // Of a merged one the branch itself is the base: go back to before it landed.
    let base = match repo.merge_base(tip, head)? {
        Some(base) if base != head => base,
        _ => repo.parents(head)?.first().copied().unwrap_or(head),
    };
    Ok((base, head))
}

/// A typed path as the repository names it.
fn path_in(ctx: &Ctx, scope: &Scope, path: &Path) -> Result<String> {
    let shown = path.display().to_string();
    let Some(dir) = &scope.dir else { return Ok(shown) };
    let outside = || {
        Error::usage(format!("`{shown}` is outside the repository {dir}"))
            .suggest("name files of the repository")
    };
    let whole = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
    let mut plain = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    if let Ok(inside) = plain.strip_prefix(dir) {
        return Ok(inside.to_string_lossy().into_owned());
    }
    // Asked from elsewhere with -r: the path is from the root of the repository.
    if path.is_relative() && !ctx.env.cwd.starts_with(dir) && !shown.starts_with("..") {
        return Ok(shown.trim_start_matches("./").to_owned());
    }
    Err(outside())
}

fn sources(ctx: &Ctx, reader: &Reader) -> Result<Sources> {
    let known = store::memory::roots(reader)?;
    let roots = memory_roots::around(ctx).into_iter().chain(memory_roots::personal(ctx));
    let memory = roots
        .filter_map(|root| {
            let path = memory::index::path_text(&root);
            known.iter().find(|row| row.path == path).map(|row| row.id)
        })
        .collect();
    Ok(Sources { memory, now: ctx.now() })
}
