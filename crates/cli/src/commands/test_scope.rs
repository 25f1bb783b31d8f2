use super::Run;
use crate::test_runners::{Crates, go_packages, go_pattern, go_tests};
use super::diff::{from_merge_base, index_missing, range_of_merge_request, resolve};
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use code::compare::{Head, compare, rules_version};
use git::{ObjectId, Repo};
use insight::code::Scope;
use insight::tests_scope::{
    Change, Reach, TestFiles, TestScope, VersionFiles, kept_test_scope, test_scope, tests_of_change,
};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// List the tests that a change can affect
///
/// Follows the graph backwards from changed symbols to tests; adds tests that
/// name or import what changed, read data named like it, or changed together with it
/// in earlier commits. Says when everything must run, and why. Needs the base to be
/// indexed.
#[derive(Debug, clap::Args)]
#[command(
    alias = "test-scope",
    after_help = "Examples:
  lore tests src/flask/app.py
  lore tests Flask.make_response
  lore tests --base main
  lore tests --mr 42
  pytest $(lore tests --base main --format list)
  go test $(lore tests --base main --format go)
  cargo nextest run -E \"$(lore tests --base main --format nextest)\""
)]
pub struct Args {
    /// Changed files, or symbols
    #[arg(value_name = "PATH", required_unless_present_any = ["base", "mr"],
          conflicts_with_all = ["base", "mr"])]
    paths: Vec<String>,
    /// Where the change begins
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Where the change ends (default: the work tree)
    #[arg(long, value_name = "REV", requires = "base")]
    head: Option<String>,
    /// What a merge request changes
    #[arg(long, value_name = "MR", conflicts_with = "base")]
    mr: Option<String>,
    /// Project of the merge request
    #[arg(short, long, value_name = "PROJECT", requires = "mr")]
    project: Option<String>,
    /// How much is chosen: less is faster, more is safer
    #[arg(long, value_enum, default_value_t = ReachArg::Usual)]
    reach: ReachArg,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// With reasons
    Text,
    /// Paths only, for a test runner; all of them when everything must run
    List,
    /// Arguments of `go test`: packages, and the names of the tests in the files
    Go,
    /// A set of tests for `cargo nextest run -E`
    Nextest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReachArg {
    /// Tests with a direct tie to the change
    Near,
    /// Those, and the next best
    Usual,
    /// Everything that anything speaks for
    Wide,
}

impl From<ReachArg> for Reach {
    fn from(reach: ReachArg) -> Reach {
        match reach {
            ReachArg::Near => Reach::Near,
            ReachArg::Usual => Reach::Usual,
            ReachArg::Wide => Reach::Wide,
        }
    }
}

/// Affected tests, and the form of their text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tests {
    #[serde(flatten)]
    pub scope: TestScope,
    #[serde(skip)]
    pub list: Option<Vec<String>>,
}

impl Show for Tests {
    fn agent(&self) -> Option<String> {
        self.list.is_none().then(|| insight::agent_text::tests(&self.scope))
    }

    fn text(&self, out: &mut Painter) {
        match &self.list {
            Some(paths) => {
                for path in paths {
                    out.line(path);
                }
            }
            None => crate::text::test_scope::text(&self.scope, out),
        }
    }
}

impl Run for Args {
    type Answer = Tests;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Tests> {
        let repo = Repo::open(&ctx.env.cwd)?;
        let range = self.range(ctx, ui, &repo)?;
        let (reader, scope) = match range {
            Some((base, _)) => {
                index_missing(ctx, ui, base);
                self.scope.open_at(ctx, ui, &base.to_string())?
            }
            None => self.scope.open(ctx, ui)?,
        };
        if let Ok(database) = ctx.db_path(ui) {
            ctx.keep_results(&database, &reader);
        }
        let commit = match range {
            Some((base, _)) if base.to_string() == scope.snapshot.sha => base,
            _ => repo.resolve(&scope.snapshot.sha)?,
        };
        let head = range.map(|(_, head)| head);
        let files = VersionFiles::new(&repo, commit, match head {
            Some(Head::Commit(head)) => Some(head),
            Some(Head::WorkTree) | None => None,
        });
        let work_out = || {
            let Some(head) = head else {
                let paths = files.before()?;
                let change = self.named_change(&reader, &scope, &paths)?;
                let tests = TestFiles::of(paths.into_iter());
                return test_scope(&reader, &scope, &change, &tests, self.reach.into());
            };
            let comparison = compare(&repo, commit, head, Some((&reader, scope.repo.id)))?;
            let change = Change::between(&comparison);
            let reaches = [self.reach.into()];
            let paths = (&files, comparison.paths.as_slice());
            let [found] = tests_of_change(&reader, &scope, &change, paths, reaches)?;
            Ok(found)
        };
        let scope = match self.names_of_change(&repo, commit, head) {
            Some(named) => kept_test_scope(&reader, &scope, &named, self.reach.into(), work_out)?,
            None => work_out()?,
        };
        for reason in &scope.run_everything {
            ui.warn(&format!("run everything: {reason}"));
        }
        let list = match self.format {
            Format::Text => None,
            format => {
                let all = (!scope.run_everything.is_empty())
                    .then(|| all_tests(&repo, commit, head, &files, &scope))
                    .transpose()?;
                let chosen = || scope.files.iter().map(|file| file.path.clone()).collect();
                Some(lines(format, all, chosen, &files)?)
            }
        };
        Ok(Tests { scope, list })
    }
}

/// Every file of tests, as it is after the change.
fn all_tests(
    repo: &Repo,
    commit: ObjectId,
    head: Option<Head>,
    files: &VersionFiles<'_>,
    scope: &TestScope,
) -> Result<Vec<String>> {
    let mut all = TestFiles::read(repo, commit)?.into_tests();
    all.extend(scope.files.iter().map(|file| file.path.clone()));
    if head.is_some() {
        all = files.after(all)?;
    }
    Ok(all.into_iter().collect())
}

/// The choice as a runner takes it; `all` where everything must run.
fn lines(
    format: Format,
    all: Option<Vec<String>>,
    chosen: impl FnOnce() -> Vec<String>,
    files: &VersionFiles<'_>,
) -> Result<Vec<String>> {
    Ok(match (format, all) {
        (Format::Go, Some(_)) => vec!["./...".to_owned()],
        (Format::Nextest, Some(_)) => vec!["all()".to_owned()],
        (Format::Go, None) => {
            let chosen = chosen();
            let packages = go_packages(&chosen);
            let pattern = go_pattern(&chosen, |path| {
                files.text_after(path).map_or(Vec::new(), |text| go_tests(&text))
            });
            let pattern = pattern.map(|pattern| ["-run".to_owned(), pattern]);
            pattern.into_iter().flatten().chain(packages).collect()
        }
        (Format::Nextest, None) => vec![Crates::read(files)?.nextest(&chosen())],
        (Format::Text | Format::List, Some(all)) => all,
        (Format::Text | Format::List, None) => chosen(),
    })
}

impl Args {
    /// The commits between which the change lies; none when paths were named.
    fn range(&self, ctx: &Ctx, ui: &mut Ui, repo: &Repo) -> Result<Option<(ObjectId, Head)>> {
        if let Some(mr) = &self.mr {
            let (base, head) = range_of_merge_request(ctx, ui, mr, self.project.as_deref())?;
            return Ok(Some((base, Head::Commit(head))));
        }
        let Some(base) = &self.base else { return Ok(None) };
        let (name, base) = (base, resolve(repo, base)?);
        let head = match &self.head {
            Some(head) => Head::Commit(resolve(repo, head)?),
            None => Head::WorkTree,
        };
        // What the other branch did since is no part of the change.
        let tip = match head {
            Head::Commit(head) => head,
            Head::WorkTree => resolve(repo, "HEAD")?,
        };
        let (base, _) = from_merge_base(repo, base, name, tip, ui)?;
        Ok(Some((base, head)))
    }

    fn typed_paths(&self) -> Vec<String> {
        self.paths.iter().map(|path| path.trim_start_matches("./").to_owned()).collect()
    }

    /// What names a change for good; none of a work tree.
    fn names_of_change(
        &self,
        repo: &Repo,
        base: ObjectId,
        head: Option<Head>,
    ) -> Option<Vec<String>> {
        match head {
            None => Some([vec!["paths".to_owned()], self.typed_paths()].concat()),
            Some(Head::WorkTree) => None,
            Some(Head::Commit(head)) => {
                let trees = repo.trees(&[base, head]).ok()?;
                let mut names: Vec<String> = trees.iter().map(ToString::to_string).collect();
                names.push(rules_version().to_string());
                Some(names)
            }
        }
    }

    /// Files, or symbols where no name is that of a file.
    fn named_change(&self, reader: &Reader, scope: &Scope, known: &[String]) -> Result<Change> {
        let names = self.typed_paths();
        let Some(unknown) = names.iter().find(|name| !known.contains(name)) else {
            return Ok(Change { paths: names, ..Change::default() });
        };
        let as_symbols = || Change::of_symbols(reader, scope, &names).ok();
        let is_any_known = names.iter().any(|name| known.contains(name));
        let symbols = if is_any_known { None } else { as_symbols() };
        symbols.ok_or_else(|| {
            let unknown = model::text::one_line(unknown, 120);
            Error::not_found(format!("no file or symbol `{unknown}` in the indexed commit"))
                .suggest("write paths from the root of the repository, or the name of a symbol")
        })
    }
}
