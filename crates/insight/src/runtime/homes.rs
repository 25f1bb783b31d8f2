//! Which repository, and which folder of it, a service is.
//!
//! In this order: what a person said; the name of a repository, of its project or of
//! a clone's folder; the name of a folder, as in a repository of many services; the
//! names that deployments use; a service of Compose or Kubernetes; and the only
//! repository, where there is but one. Where two fit, none does.

use crate::code::scope::{self, ScopeRequest};
use crate::code::{Scope, View};
use model::Result;
use model::code::NodeKind;
use model::ids::RepoId;
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use store::Reader;
use store::code::{files, nodes, snapshots};
use store::repos::{self, Repo};
use store::runtime::{self, ServiceRow};

/// Where the code of a service is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServiceRepo {
    pub repo: RepoId,
    /// Of a repository with several services.
    pub folder: Option<String>,
    /// How it was found, in words.
    pub how: &'static str,
}

/// Every indexed repository, by the names a service may have.
pub(super) struct ServiceRepos {
    indexed: Vec<Repo>,
    by_name: BTreeMap<String, Vec<RepoId>>,
    by_folder: BTreeMap<String, Vec<(RepoId, String)>>,
    /// By the last words of a name: `acme-cart-service` ends with `cart-service`.
    by_folder_end: BTreeMap<String, Vec<(RepoId, String)>>,
    by_deployment: BTreeMap<String, Vec<(RepoId, String)>>,
    services: BTreeMap<String, ServiceRow>,
    known: RefCell<HashMap<String, Option<ServiceRepo>>>,
}

/// How a service is known that only has nowhere else to be from.
pub(super) const ONLY: &str = "the only repository";

/// More packages of one repository are not services.
const MOST_FOLDERS: usize = 20_000;

impl ServiceRepos {
    pub fn load(reader: &Reader) -> Result<Self> {
        let mut homes = ServiceRepos {
            indexed: Vec::new(),
            by_name: BTreeMap::new(),
            by_folder: BTreeMap::new(),
            by_folder_end: BTreeMap::new(),
            by_deployment: BTreeMap::new(),
            services: runtime::services(reader)?
                .into_iter()
                .map(|it| (it.name.clone(), it))
                .collect(),
            known: RefCell::default(),
        };
        let places = repos::places(reader)?;
        for repo in repos::all(reader)? {
            if snapshots::latest(reader, repo.id)?.is_none() {
                continue;
            }
            let folders = places.iter().filter(|place| place.repo == repo.id);
            let folders = folders.filter_map(|place| place.dir.rsplit('/').next());
            let mut names: Vec<String> =
                [Some(repo.canonical_url.as_str()), repo.project_path.as_deref()]
                    .into_iter()
                    .flatten()
                    .filter(|name| !name.starts_with(repos::LOCAL))
                    .filter_map(|name| name.rsplit('/').next())
                    .chain(folders)
                    .map(normal)
                    .collect();
            names.sort();
            names.dedup();
            for name in names {
                homes.by_name.entry(name).or_default().push(repo.id);
            }
            homes.enter_folders(reader, &repo)?;
            homes.enter_deployments(reader, &repo)?;
            homes.indexed.push(repo);
        }
        Ok(homes)
    }

    fn enter_folders(&mut self, reader: &Reader, repo: &Repo) -> Result<()> {
        for (_, path) in files::packages(reader, repo.id)?.into_iter().take(MOST_FOLDERS) {
            // `src/cart/internal/db` is in the folder of cart, too.
            let mut end = 0;
            for part in path.split('/').filter(|part| !part.is_empty()) {
                end = path[end..].find(part).map_or(end, |at| end + at) + part.len();
                let folder = path[..end].to_owned();
                let known = self.by_folder.entry(normal(part)).or_default();
                if known.contains(&(repo.id, folder.clone())) {
                    continue;
                }
                known.push((repo.id, folder.clone()));
                for (at, _) in part.match_indices(['-', '_', '.']) {
                    let end = self.by_folder_end.entry(normal(&part[at + 1..])).or_default();
                    end.push((repo.id, folder.clone()));
                }
            }
        }
        Ok(())
    }

    /// Services of Compose and Kubernetes; where one is, its folder often is too.
    fn enter_deployments(&mut self, reader: &Reader, repo: &Repo) -> Result<()> {
        for kind in [NodeKind::Service, NodeKind::Resource] {
            for node in nodes::of_kind(reader, repo.id, kind)? {
                let name = node.name.rsplit('/').next().unwrap_or(&node.name);
                let known = self.by_deployment.entry(normal(name)).or_default();
                if !known.iter().any(|(known, _)| *known == repo.id) {
                    known.push((repo.id, String::new()));
                }
            }
        }
        Ok(())
    }

    pub fn indexed(&self) -> &[Repo] {
        &self.indexed
    }

    /// The home of a service, or of a host by its name.
    pub fn of(&self, service: &str) -> Option<ServiceRepo> {
        if let Some(known) = self.known.borrow().get(service) {
            return known.clone();
        }
        let home = self.find(service);
        self.known.borrow_mut().insert(service.to_owned(), home.clone());
        home
    }

    /// Folders of the services that were seen or are named, each once.
    pub fn folders(&self) -> Vec<(RepoId, String)> {
        let homes = self.services.keys().filter_map(|service| self.of(service));
        let mut folders: Vec<(RepoId, String)> =
            homes.filter_map(|home| Some((home.repo, home.folder?))).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    fn find(&self, service: &str) -> Option<ServiceRepo> {
        let row = self.services.get(service);
        if let Some(repo) = row.and_then(|row| row.repo)
            && self.indexed.iter().any(|known| known.id == repo)
        {
            let folder = self.folder(service, Some(repo)).map(|(_, folder)| folder);
            return Some(ServiceRepo { repo, folder, how: "by assignment" });
        }
        let deployments = row.map(|row| row.deployments.as_slice()).unwrap_or_default();
        let names: Vec<String> = std::iter::once(service)
            .chain(deployments.iter().map(|it| image_name(it)))
            .flat_map(|name| [normal(name), without_role(&normal(name))])
            .collect();
        for name in &names {
            if let Some([repo]) = self.by_name.get(name).map(Vec::as_slice) {
                return Some(ServiceRepo {
                    repo: *repo,
                    folder: None,
                    how: "by the name of the repository",
                });
            }
        }
        if let Some((repo, folder)) = self.folder(service, None) {
            return Some(ServiceRepo {
                repo,
                folder: Some(folder),
                how: "by the name of a folder",
            });
        }
        for name in deployments.iter().map(|it| image_name(it)) {
            if let Some((repo, folder)) = self.folder(name, None) {
                return Some(ServiceRepo { repo, folder: Some(folder), how: "by its deployment" });
            }
        }
        for name in &names {
            if let Some([(repo, _)]) = self.by_deployment.get(name).map(Vec::as_slice) {
                return Some(ServiceRepo {
                    repo: *repo,
                    folder: None,
                    how: "by a deployment in the repository",
                });
            }
        }
        match self.indexed.as_slice() {
            [only] if row.is_some() => Some(ServiceRepo { repo: only.id, folder: None, how: ONLY }),
            _ => None,
        }
    }

    /// The shortest folder of a name, in one repository alone: one of its whole name,
    /// else one whose name ends with it, and then the same without what only says that
    /// it is a service.
    fn folder(&self, service: &str, only: Option<RepoId>) -> Option<(RepoId, String)> {
        let name = normal(service);
        let others = [without_role(&name), format!("{}service", without_role(&name))];
        for name in std::iter::once(&name).chain(&others) {
            let whole = self.by_folder.get(name).and_then(|found| shortest(found, only, false));
            let found = whole.or_else(|| {
                let ends = self.by_folder_end.get(name).filter(|_| !ROLES.contains(&name.as_str()));
                ends.and_then(|found| shortest(found, only, true))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The repository of a home at the commit checked out, or the newest indexed one.
    pub fn scope(&self, reader: &Reader, repo: RepoId) -> Result<Option<Scope>> {
        let Some(repo) = self.indexed.iter().find(|known| known.id == repo) else {
            return Ok(None);
        };
        let asked = ScopeRequest { repo: Some(&repo.canonical_url), ..ScopeRequest::default() };
        scope::resolve(reader, &asked).map(Some)
    }
}

/// The folder that lies highest, where all are of one repository; where `is_alone` is
/// asked for, none other as high.
fn shortest(
    found: &[(RepoId, String)],
    only: Option<RepoId>,
    is_alone: bool,
) -> Option<(RepoId, String)> {
    let depth = |folder: &str| folder.matches('/').count();
    let mut found: Vec<&(RepoId, String)> =
        found.iter().filter(|(repo, _)| only.is_none_or(|only| only == *repo)).collect();
    found.sort_by_key(|(_, folder)| (depth(folder), folder.len()));
    let first = *found.first()?;
    let is_one = found.iter().all(|(repo, _)| *repo == first.0);
    let n_high = found.iter().filter(|(_, folder)| depth(folder) == depth(&first.1)).count();
    (is_one && (!is_alone || n_high == 1)).then(|| first.clone())
}

/// Letters and digits alone: `Cart-Service` and `cart_service` are one.
fn normal(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words that say only that something is a service.
const ROLES: [&str; 4] = ["service", "svc", "server", "deployment"];

/// Without what says only that it is a service.
fn without_role(name: &str) -> String {
    let stem = ROLES.iter().find_map(|role| name.strip_suffix(*role)).unwrap_or(name);
    if stem.is_empty() { name.to_owned() } else { stem.to_owned() }
}

/// `registry.example/shop/cart:1.2` is an image of cart.
fn image_name(image: &str) -> &str {
    let name = image.rsplit('/').next().unwrap_or(image);
    name.split([':', '@']).next().unwrap_or(name)
}

/// A route as whoever sees requests needs it, and the file it is written in.
struct DeclaredRoute {
    method: String,
    pattern: String,
    path: String,
}

/// Which routes services have, for whoever sees requests. What repositories there are is
/// read once: senders may name a new service with every span.
pub struct RouteDirectory {
    homes: ServiceRepos,
    routes: HashMap<RepoId, Vec<DeclaredRoute>>,
}

impl RouteDirectory {
    pub fn load(reader: &Reader) -> Result<Self> {
        Ok(RouteDirectory { homes: ServiceRepos::load(reader)?, routes: HashMap::new() })
    }

    /// Methods and patterns of the routes of a service; empty where its code is not known.
    pub fn of(
        &mut self,
        service: &str,
        reader: impl FnOnce() -> Result<Reader>,
    ) -> Result<Vec<(String, String)>> {
        let label = service.split(['.', ':']).next().unwrap_or(service);
        let Some(home) = self.homes.of(service).or_else(|| self.homes.of(label)) else {
            return Ok(Vec::new());
        };
        if let Entry::Vacant(entry) = self.routes.entry(home.repo) {
            entry.insert(declared(&self.homes, &reader()?, home.repo)?);
        }
        let routes = self.routes.get(&home.repo).map(Vec::as_slice).unwrap_or_default();
        let is_below = |path: &str| {
            home.folder.as_ref().is_none_or(|folder| path.starts_with(&format!("{folder}/")))
        };
        // A folder without any route was not the service's after all.
        let has_own = routes.iter().any(|route| is_below(&route.path));
        let own = routes.iter().filter(|route| !has_own || is_below(&route.path));
        Ok(own.map(|route| (route.method.clone(), route.pattern.clone())).collect())
    }
}

fn declared(homes: &ServiceRepos, reader: &Reader, repo: RepoId) -> Result<Vec<DeclaredRoute>> {
    let Some(scope) = homes.scope(reader, repo)? else { return Ok(Vec::new()) };
    let routes = crate::code::routes::all(&View::alone(reader, &scope))?;
    let kept = |route: crate::code::routes::Route| DeclaredRoute {
        method: route.method,
        pattern: route.pattern,
        path: route.path,
    };
    Ok(routes.into_iter().map(kept).collect())
}
