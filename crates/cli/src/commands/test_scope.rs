use super::Run;
use super::diff::{from_merge_base, index_missing, range_of_merge_request, resolve};
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use code::compare::{Head, compare, rules_version};
use git::{ObjectId, Repo};
use insight::code::Scope;
use insight::tests_scope::{
    Change, Reach, TestFiles, TestScope, kept_test_scope, test_scope,
};
use model::change::{SymbolChangeKind, SymbolVersion};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
  pytest $(lore tests --base main --format list)"
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
        let commit = repo.resolve(&scope.snapshot.sha)?;
        let head = range.map(|(_, head)| head);
        let work_out = || {
            let paths = repo.paths(commit)?;
            let paths: Vec<String> = paths.iter().map(|path| path.text().into_owned()).collect();
            let change = self.change(&repo, (&reader, &scope), commit, head, &paths)?;
            // Tests that the change adds are tests, too.
            let added = change.paths.iter().filter(|_| head.is_some()).cloned();
            let files = TestFiles::of(paths.into_iter().chain(added));
            let found = test_scope(&reader, &scope, &change, &files, self.reach.into())?;
            let Some(head) = head else { return Ok(found) };
            let after = FilesAfter::of(&repo, head)?;
            let gone = change.paths.into_iter().filter(|path| !after.has(path)).collect();
            Ok(found.without(&gone))
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
            Format::List if scope.run_everything.is_empty() => {
                Some(scope.files.iter().map(|file| file.path.clone()).collect())
            }
            Format::List => {
                let mut all = TestFiles::read(&repo, commit)?.into_tests();
                all.extend(scope.files.iter().map(|file| file.path.clone()));
                if let Some(head) = head {
                    let after = FilesAfter::of(&repo, head)?;
                    all.retain(|path| after.has(path));
                }
                Some(all.into_iter().collect())
            }
        };
        Ok(Tests { scope, list })
    }
}

/// The files as they are after the change.
enum FilesAfter {
    OfCommit(BTreeSet<String>),
    Below(PathBuf),
}

impl FilesAfter {
    fn of(repo: &Repo, head: Head) -> Result<FilesAfter> {
        match head {
            Head::Commit(head) => {
                let paths = repo.paths(head)?;
                let paths = paths.iter().map(|path| path.text().into_owned());
                Ok(FilesAfter::OfCommit(paths.collect()))
            }
            Head::WorkTree => {
                Ok(FilesAfter::Below(repo.work_tree().map(Path::to_path_buf).unwrap_or_default()))
            }
        }
    }

    fn has(&self, path: &str) -> bool {
        match self {
            FilesAfter::OfCommit(paths) => paths.contains(path),
            FilesAfter::Below(root) => root.join(path).is_file(),
        }
    }
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
            return Ok(Change { paths: names, symbols: None });
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

    fn change(
        &self,
        repo: &Repo,
        (reader, scope): (&Reader, &Scope),
        base: ObjectId,
        head: Option<Head>,
        known: &[String],
    ) -> Result<Change> {
        let Some(head) = head else {
            return self.named_change(reader, scope, known);
        };
        let comparison = compare(repo, base, head, Some((reader, scope.repo.id)))?;
        let mut symbols: Vec<SymbolVersion> = Vec::new();
        for change in comparison.changes {
            match change.change {
                // New things are used by what changed with them.
                SymbolChangeKind::Added | SymbolChangeKind::Copied => {}
                _ if change.is_doc_only() => {}
                _ => symbols.extend(change.old),
            }
        }
        Ok(Change { paths: comparison.paths, symbols: Some(symbols) })
    }
}
