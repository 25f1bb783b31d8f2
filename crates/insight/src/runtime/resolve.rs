//! From a name in production to a symbol.
//!
//! What could not be found says what was tried: that a call leads nowhere in the
//! code is a finding.

use super::homes::{ServiceRepo, ServiceRepos};
use crate::code::routes::{self, Route};
use crate::code::{SymbolRef, View};
use model::Result;
use model::code::{GRPC, NodeKind, SymbolKind};
use model::ids::{NodeId, RepoId};
use model::route::Pattern;
use model::runtime::EndpointKind;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use store::Reader;
use store::code::nodes::{self, NodeRow};
use store::runtime::EndpointRow;

/// An endpoint in the code, as far as it was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Resolution {
    /// The function, table or rpc that is meant; overloads share it.
    pub symbol: Option<SymbolRef>,
    pub node: Option<NodeId>,
    /// The repository of the service, also where no symbol was found.
    pub repo: Option<String>,
    /// What it was found by, or what was tried.
    pub how: String,
}

pub(super) struct Resolver<'r> {
    reader: &'r Reader,
    pub homes: ServiceRepos,
    /// Folders of the services that are known, read when they are first needed.
    folders: OnceCell<Vec<(RepoId, String)>>,
    repos: RefCell<HashMap<RepoId, Option<Rc<RepoCode<'r>>>>>,
}

/// A repository that was opened to look into.
pub(super) struct RepoCode<'r> {
    pub view: View<'r>,
    pub routes: Vec<(Route, Pattern)>,
}

impl<'r> Resolver<'r> {
    pub fn new(reader: &'r Reader) -> Result<Self> {
        Ok(Resolver {
            reader,
            homes: ServiceRepos::load(reader)?,
            folders: OnceCell::new(),
            repos: RefCell::default(),
        })
    }

    pub fn code(&self, repo: RepoId) -> Result<Option<Rc<RepoCode<'r>>>> {
        if let Some(known) = self.repos.borrow().get(&repo) {
            return Ok(known.clone());
        }
        let opened = match self.homes.scope(self.reader, repo)? {
            Some(scope) => {
                let view = View::alone(self.reader, &scope);
                let routes = routes::all(&view)?
                    .into_iter()
                    .map(|route| {
                        let pattern = Pattern::parse(&route.pattern);
                        (route, pattern)
                    })
                    .collect();
                Some(Rc::new(RepoCode { view, routes }))
            }
            None => None,
        };
        self.repos.borrow_mut().insert(repo, opened.clone());
        Ok(opened)
    }

    pub fn resolve(&self, row: &EndpointRow) -> Result<Resolution> {
        let endpoint = &row.endpoint;
        let home = match endpoint.kind {
            EndpointKind::Host => self.home_of_host(&endpoint.service),
            EndpointKind::Outside | EndpointKind::Topic | EndpointKind::Table => None,
            _ => self.homes.of(&endpoint.service),
        };
        let mut found = match endpoint.kind {
            EndpointKind::Route | EndpointKind::Host => self.route(row, home.as_ref())?,
            EndpointKind::Rpc => self.rpc(row, home.as_ref())?,
            EndpointKind::Function => {
                self.function(&endpoint.name, &endpoint.file, 0, home.as_ref())?
            }
            EndpointKind::Table => self.table(&endpoint.name)?,
            EndpointKind::Topic => self.topic(&endpoint.name)?,
            EndpointKind::Service | EndpointKind::Outside => Resolution::default(),
        };
        if let Some(home) = &home {
            if let Some(code) = self.code(home.repo)? {
                found.repo = Some(code.view.scope.repo.canonical_url.clone());
            }
            if found.how.is_empty() {
                home.how.clone_into(&mut found.how);
            }
        }
        Ok(found)
    }

    fn home_of_host(&self, host: &str) -> Option<ServiceRepo> {
        let label = host.split(['.', ':']).next().unwrap_or(host);
        let is_name = !matches!(label, "" | "localhost" | "(address)" | "www" | "api");
        self.homes.of(host).or_else(|| self.homes.of(label)).filter(|_| is_name)
    }

    fn route(&self, row: &EndpointRow, home: Option<&ServiceRepo>) -> Result<Resolution> {
        let name = &row.endpoint.name;
        if !row.code_function.is_empty() {
            let found = self.function(&row.code_function, &row.code_file, row.code_line, home)?;
            if found.symbol.is_some() {
                return Ok(found);
            }
        }
        let Some((method, text)) = name.split_once(' ') else {
            return Ok(tried("the request has no path"));
        };
        let wanted = Pattern::parse(text);
        if let Some(home) = home {
            let Some(code) = self.code(home.repo)? else { return Ok(tried("nothing is indexed")) };
            if let Some((route, how)) = code.find(method, text, &wanted, home.folder.as_deref()) {
                return Ok(handler(&code.view, route, how));
            }
            let n = code.routes.len();
            return Ok(tried(&format!("none of {n} routes of its repository matches")));
        }
        // A route that only one repository has is that one, if it says enough: `/health`,
        // and `/orders/{}` as a path was made a pattern of, anybody may have.
        let mut found = Vec::new();
        if n_telling(text) >= 2 {
            for repo in self.homes.indexed() {
                if let Some(code) = self.code(repo.id)?
                    && let Some((route, _)) = code.find(method, text, &wanted, None)
                {
                    found.push(handler(&code.view, route, "by a route of one repository alone"));
                }
            }
        }
        let service = &row.endpoint.service;
        Ok(match (found.len(), row.endpoint.kind) {
            (1, EndpointKind::Route) => found.remove(0),
            _ => tried(&format!("no indexed repository is known as `{service}`")),
        })
    }

    fn rpc(&self, row: &EndpointRow, home: Option<&ServiceRepo>) -> Result<Resolution> {
        let name = &row.endpoint.name;
        let (service, method) = name.rsplit_once('/').unwrap_or(("", name));
        let service = service.rsplit('.').next().unwrap_or(service);
        if let Some(home) = home
            && let Some(code) = self.code(home.repo)?
            && let Some(route) = code.registered(service, method, home.folder.as_deref())
        {
            return Ok(handler(&code.view, route, &format!("answers {service}.{method}")));
        }
        let named = nodes::named(self.reader, method)?;
        let snake = snake_case(method);
        let mut all: Vec<NodeRow> = named.clone();
        if snake != method.to_lowercase() {
            all.extend(nodes::named(self.reader, &snake)?);
        }
        // Those who implement it: in the folder of the service, in a class of its name.
        let mut best: Option<(u8, Resolution)> = None;
        for node in all.iter().filter(|it| matches!(it.kind, NodeKind::Method | NodeKind::Function))
        {
            let Some((view, symbol)) = self.in_home(node, home)? else { continue };
            if is_generated(&symbol.path)
                || symbol.is_test
                || home.is_some_and(|home| self.is_of_another(home, &symbol.path))
            {
                continue;
            }
            let scope = node.scope.to_lowercase();
            let is_of_service = scope.contains(&service.to_lowercase())
                || scope.contains(&service.to_lowercase().replace("service", ""));
            let is_below = home.and_then(|home| home.folder.as_ref());
            let is_below =
                is_below.is_some_and(|folder| symbol.path.starts_with(&format!("{folder}/")));
            let is_method = node.kind == NodeKind::Method;
            let is_client = scope.contains("client") || scope.contains("stub");
            let rank = u8::from(is_of_service) * 4 + u8::from(is_below) * 3 + u8::from(is_method);
            if rank < 3 || is_client || (home.is_none() && !is_of_service) {
                continue;
            }
            let repo = Some(view.view.scope.repo.canonical_url.clone());
            let found = Resolution {
                symbol: Some(symbol),
                node: Some(node.id),
                repo,
                how: format!("implements {service}.{method}"),
            };
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, found));
            }
        }
        if let Some((_, found)) = best {
            return Ok(found);
        }
        for node in named.iter().filter(|it| it.kind == NodeKind::Rpc) {
            if node.scope.rsplit('.').next() == Some(service)
                && let Some((_, symbol)) = self.in_home(node, None)?
            {
                return Ok(found_by(symbol, node.id, "by its contract; no implementation found"));
            }
        }
        Ok(tried(&format!("no rpc or method `{service}.{method}` is indexed")))
    }

    /// Whether a file is in the folder of another service than the one that is at home here.
    fn is_of_another(&self, home: &ServiceRepo, path: &str) -> bool {
        let Some(own) = &home.folder else { return false };
        let is_below =
            |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let folders = self.folders.get_or_init(|| self.homes.folders());
        !is_below(own)
            && folders.iter().any(|(repo, folder)| *repo == home.repo && is_below(folder))
    }

    /// A function by its name, and the file it is in where that is known.
    fn function(
        &self,
        name: &str,
        file: &str,
        line: u32,
        home: Option<&ServiceRepo>,
    ) -> Result<Resolution> {
        let clean = name.split('(').next().unwrap_or(name);
        let parts: Vec<&str> =
            clean.split(['.', '#', ':', '/', '$', '\\']).filter(|part| !part.is_empty()).collect();
        let Some((last, before)) = parts.split_last() else { return Ok(tried("it has no name")) };
        let mut best: Option<(u32, Resolution)> = None;
        for node in nodes::named(self.reader, last)? {
            let is_code = matches!(
                node.kind,
                NodeKind::Function | NodeKind::Method | NodeKind::Class | NodeKind::RouteHandler
            );
            if !is_code {
                continue;
            }
            let Some((_, symbol)) = self.in_home(&node, home)? else { continue };
            let in_file = !file.is_empty() && is_same_file(file, &symbol.path);
            if !file.is_empty() && !in_file {
                continue;
            }
            // Names of modules, packages and classes before it that agree.
            let own = symbol.qualified_name.replace(['/', ':'], ".");
            let n_same = before.iter().rev().take_while(|part| own.contains(*part)).count() as u32;
            let is_near = line > 0 && symbol.line.abs_diff(line) <= 3;
            let rank = n_same * 2 + u32::from(in_file) * 8 + u32::from(is_near) * 4;
            let is_enough = in_file || before.is_empty() || n_same > 0;
            if is_enough && best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, found_by(symbol, node.id, "by its name in code")));
            }
        }
        Ok(best.map_or_else(|| tried(&format!("no indexed function is `{clean}`")), |(_, it)| it))
    }

    fn table(&self, name: &str) -> Result<Resolution> {
        for node in nodes::named(self.reader, name)? {
            if node.kind == NodeKind::Table
                && let Some((_, symbol)) = self.in_home(&node, None)?
            {
                return Ok(found_by(symbol, node.id, "by the name of a table"));
            }
        }
        Ok(tried(&format!("no indexed table is called `{name}`")))
    }

    /// A node with the view of its repository, where it is of that home.
    fn in_home(
        &self,
        node: &NodeRow,
        home: Option<&ServiceRepo>,
    ) -> Result<Option<(Rc<RepoCode<'r>>, SymbolRef)>> {
        for repo in self.homes.indexed() {
            if home.is_some_and(|home| home.repo != repo.id) {
                continue;
            }
            if let Some(code) = self.code(repo.id)?
                && code.view.version(node.package)?.is_some()
                && let Some(symbol) = code.view.symbol(node.id)?
            {
                return Ok(Some((code, symbol)));
            }
        }
        Ok(None)
    }
}

impl RepoCode<'_> {
    /// Contracts of an rpc, `shop.Cart/Add`, in this code.
    pub fn contracts(&self, name: &str) -> Result<Vec<NodeId>> {
        let (service, method) = name.rsplit_once('/').unwrap_or(("", name));
        let service = service.rsplit('.').next().unwrap_or(service);
        let mut found = Vec::new();
        for node in nodes::named(self.view.reader, method)? {
            let is_rpc = node.kind == NodeKind::Rpc && node.name == method;
            if is_rpc
                && node.scope.rsplit('.').next() == Some(service)
                && self.view.version(node.package)?.is_some()
            {
                found.push(node.id);
            }
        }
        Ok(found)
    }

    /// Who was named for a call of a contract where a server is put together:
    /// `addService(Payment.service, { charge: handle })`. In the service's folder; of a
    /// service without one, where one alone is: every service answers `Health/Check`.
    fn registered(&self, service: &str, method: &str, folder: Option<&str>) -> Option<&Route> {
        let wanted = format!("/{service}/{method}");
        let prefix = folder.map(|folder| format!("{folder}/"));
        let mut named = self.routes.iter().map(|(route, _)| route).filter(|route| {
            route.method == GRPC
                && is_same_rpc(&route.pattern, &wanted)
                && !route.handlers.is_empty()
                && prefix.as_ref().is_none_or(|prefix| route.path.starts_with(prefix))
        });
        let found = named.next()?;
        (folder.is_some() || named.next().is_none()).then_some(found)
    }

    /// The route of a request: one written alike, else the most literal that matches,
    /// else one whose end it is. Those of the service's folder go before others.
    fn find(
        &self,
        method: &str,
        text: &str,
        wanted: &Pattern,
        folder: Option<&str>,
    ) -> Option<(&Route, &'static str)> {
        let prefix = folder.map(|folder| format!("{folder}/"));
        let is_method = |route: &Route| {
            route.method == method
                || route.method == "ANY"
                || (method == "HEAD" && route.method == "GET")
        };
        let canonical = wanted.canonical();
        // A folder without any route was not the service's after all.
        let prefix = prefix.filter(|prefix| {
            self.routes.iter().any(|(route, _)| route.path.starts_with(prefix.as_str()))
        });
        let own =
            |route: &Route| prefix.as_ref().is_none_or(|prefix| route.path.starts_with(prefix));
        // A service with a folder of its own has no routes outside of it.
        let routes = || self.routes.iter().filter(|(route, _)| is_method(route) && own(route));
        let alike =
            routes().find(|(_, pattern)| pattern.canonical().eq_ignore_ascii_case(&canonical));
        if let Some((route, _)) = alike {
            return Some((route, "by its route"));
        }
        let matching = routes().filter(|(_, pattern)| {
            (pattern.n_literals() > 0 || text == "/") && pattern.matches(text)
        });
        if let Some((route, _)) = matching.max_by(|a, b| a.1.compare_specificity(&b.1)) {
            return Some((route, "by a route that matches the path"));
        }
        let mut mounted = routes().filter(|(_, it)| wanted.is_end_of(it) || it.is_end_of(wanted));
        let first = mounted.next()?;
        mounted.next().is_none().then_some((&first.0, "by the end of its route"))
    }
}

pub(super) fn handler(view: &View<'_>, route: &Route, how: &str) -> Resolution {
    let symbol = match route.handlers.first() {
        Some(handler) => handler.clone(),
        None => SymbolRef {
            qualified_name: format!("{}://{}", view.scope.repo.canonical_url, route.path),
            symbol: format!("{} {}", route.method, route.pattern),
            kind: SymbolKind::RouteHandler,
            path: route.path.clone(),
            line: route.line,
            is_test: false,
        },
    };
    let repo = Some(view.scope.repo.canonical_url.clone());
    Resolution { symbol: Some(symbol), node: None, repo, how: how.to_owned() }
}

fn found_by(symbol: SymbolRef, node: NodeId, how: &str) -> Resolution {
    let repo = symbol.qualified_name.split_once("://").map(|(repo, _)| repo.to_owned());
    Resolution { symbol: Some(symbol), node: Some(node), repo, how: how.to_owned() }
}

fn tried(how: &str) -> Resolution {
    Resolution::tried(how)
}

impl Resolution {
    /// Not found; what was tried.
    pub fn tried(how: &str) -> Resolution {
        Resolution { how: how.to_owned(), ..Resolution::default() }
    }
}

/// Whether two names of an rpc, `/shop.v1.Cart/Add`, are of one: code often leaves out the
/// package of the contract.
pub(super) fn is_same_rpc(a: &str, b: &str) -> bool {
    let parts = |name: &str| {
        let (service, method) = name.trim_matches('/').rsplit_once('/')?;
        let service = service.rsplit('.').next().unwrap_or(service);
        Some((service.to_lowercase(), method.to_lowercase()))
    };
    parts(a).is_some_and(|a| Some(a) == parts(b))
}

/// Segments of a path or pattern that say whose it is: words, and parameters that a framework
/// names. The `{}` of a path that was made a pattern of says nothing.
fn n_telling(text: &str) -> usize {
    model::route::path_segments(text).filter(|segment| !matches!(*segment, "{}" | "*")).count()
}

/// Whether a path of a running process ends with one of the repository, or begins
/// below it: `/app/src/shop/views.py` is `src/shop/views.py`.
fn is_same_file(running: &str, path: &str) -> bool {
    let running = running.replace('\\', "/");
    let running = running.trim_start_matches("./");
    running == path
        || running.ends_with(&format!("/{path}"))
        || path.ends_with(&format!("/{running}"))
        // A build may leave out the first folders.
        || {
            let tail = |text: &str| text.rsplit('/').take(2).map(str::to_owned).collect::<Vec<_>>();
            path.contains('/') && tail(running) == tail(path)
        }
}

fn is_generated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["_pb2", ".pb.", "_pb.", "_grpc.", "_grpc_", ".g.cs", "Grpc.java", "OuterClass"]
        .iter()
        .any(|mark| name.contains(mark))
        || path.contains("genproto/")
        || path.contains("/gen/")
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
