//! `lore ask`: one door for a free question. Reads what is meant, and names the
//! command that answers it; answering is that command's work.

mod phrases;
mod question;
mod subjects;
mod texts;

pub use question::{Intent, Route, route};
pub use subjects::VocabularyLookup;

use crate::code::Scope;
use crate::code::overlay::Overlay;
use crate::code::routes;
use crate::code::scope::{self, ScopeRequest};
use crate::file_target::{self, NewestPaths};
use model::code::NodeKind;
use model::ids::PackageId;
use model::{Error, ErrorCode, Result};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use store::Reader;
use store::code::{files, nodes};

/// Looks names up in the index of the repository around.
pub struct IndexLookup<'a> {
    reader: &'a Reader,
    scope: Option<Scope>,
    /// Why there is no scope.
    missing: Option<Error>,
    paths: Option<NewestPaths>,
    /// Looks at what was edited since; asked for where the index does not know a name.
    look: Option<Box<dyn Fn(Scope) -> Result<Scope> + 'a>>,
    edits: OnceCell<Option<Arc<Overlay>>>,
    /// Packages of the repository, of any time; read when a member is asked about.
    packages: OnceCell<BTreeSet<PackageId>>,
}

impl<'a> IndexLookup<'a> {
    /// Without an index of this folder no name is known; questions about the
    /// record are still understood.
    pub fn new(reader: &'a Reader, here: &Path) -> Self {
        let asked = ScopeRequest { repo: None, at: None, here: Some(here) };
        let (scope, missing) = match scope::resolve(reader, &asked) {
            Ok(scope) => (Some(scope), None),
            Err(error) => (None, Some(error)),
        };
        let dir = scope.as_ref().and_then(|scope| scope.dir.as_deref());
        let paths = dir.map(|dir| NewestPaths::of(git::Repo::known(Path::new(dir))));
        let (edits, packages) = (OnceCell::new(), OnceCell::new());
        IndexLookup { reader, scope, missing, paths, look: None, edits, packages }
    }

    /// Knows names, too, that were written since the index.
    #[must_use]
    pub fn over_work_tree(mut self, look: impl Fn(Scope) -> Result<Scope> + 'a) -> Self {
        self.look = Some(Box::new(look));
        self
    }

    /// Whether a name is defined in the work tree alone.
    fn is_new(&self, name: &str) -> bool {
        let found = || {
            let (look, scope) = (self.look.as_ref()?, self.scope.clone()?);
            look(scope).ok()?.overlay
        };
        let edits = self.edits.get_or_init(found).as_ref();
        edits.is_some_and(|edits| edits.defining(name).next().is_some())
    }

    /// Why a question that is asked here cannot be answered, where the clone around is
    /// not indexed: what others hold is about something else.
    pub fn into_missing(self, here: &Path) -> Option<Error> {
        let missing = self.missing.filter(|error| error.code() == ErrorCode::NotIndexed)?;
        let is_clone = crate::repos::clone_around(here).is_some();
        let has_forge = crate::projects::home(self.reader, here).is_ok_and(|it| it.is_some());
        (is_clone && !has_forge).then_some(missing)
    }

    /// Whether a package is of the repository around: other ones have such names, too.
    fn is_own(&self, package: PackageId) -> bool {
        let own = self.packages.get_or_init(|| {
            let repo = self.scope.as_ref().map(|scope| scope.repo.id);
            let all = repo.map(|repo| files::packages(self.reader, repo));
            let all = all.transpose().unwrap_or_default().unwrap_or_default();
            all.into_iter().map(|(package, _)| package).collect()
        });
        own.contains(&package)
    }

    fn is_node(&self, name: &str) -> Result<bool> {
        let last = name.rsplit(['.', ':', '#', '/']).next().unwrap_or(name);
        if self.scope.is_none() {
            return Ok(false);
        }
        // `DAP` in a sentence is an abbreviation, and no variable called `dap`.
        let is_shouted = last.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
        let named = nodes::named(self.reader, last)?;
        Ok(named.iter().any(|node| !is_shouted || node.name == last))
    }
}

impl VocabularyLookup for IndexLookup<'_> {
    fn has_code(&self) -> bool {
        self.scope.is_some()
    }

    fn is_symbol(&self, name: &str) -> bool {
        self.is_node(name).unwrap_or(false) || self.is_new(name)
    }

    fn is_member(&self, owner: &str, name: &str) -> bool {
        let members = match self.scope {
            Some(_) => nodes::named(self.reader, name).unwrap_or_default(),
            None => Vec::new(),
        };
        let is_inside = |scope: &str| {
            let before = scope.strip_suffix(owner);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        members.iter().any(|node| is_inside(&node.scope) && self.is_own(node.package))
    }

    fn is_method(&self, name: &str) -> bool {
        let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
        let named = nodes::named(self.reader, last).unwrap_or_default();
        let mut own = named.iter().filter(|node| self.is_own(node.package)).peekable();
        own.peek().is_some() && own.all(|node| node.kind == NodeKind::Method)
    }

    fn has_route(&self, address: &str) -> bool {
        let Some(scope) = self.scope.as_ref() else { return false };
        let found = routes::routes(self.reader, scope, address, 1);
        found.is_ok_and(|found| !found.routes.is_empty())
    }

    fn is_file(&self, path: &str) -> bool {
        let Some(dir) = self.scope.as_ref().and_then(|scope| scope.dir.as_deref()) else {
            return false;
        };
        let relative = Path::new(path);
        let stays_inside = relative.components().all(|part| {
            matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
        });
        stays_inside && Path::new(dir).join(relative).is_file()
    }

    fn path_ending(&self, end: &str) -> Option<String> {
        file_target::path_ending(self.paths.as_ref()?, end)
    }
}
