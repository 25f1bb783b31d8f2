//! Contracts of remote calls: which generated stubs, implementations and clients
//! belong to the services and messages of `.proto` files.
//!
//! Generators name what they make after the service (`CartServiceClient`,
//! `CartServiceStub`, `UnimplementedCartServiceServer`, `CartServiceImplBase`), so
//! names lead from a contract to its code, also where stubs are made by the build
//! and the repository only names them. These edges are made when a question is
//! asked: `rpc_calls` from what a client calls, `implements` from what answers.

use super::view::{Step, View};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::ids::{FileId, NodeId, PackageId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use store::code::files;
use store::code::nodes::{self, NodeRow};
use store::code::snapshots::PackageVersion;

/// What generators write after the name of a service, for those who call it.
const CLIENT_SUFFIXES: &[&str] = &[
    "Client",
    "PromiseClient",
    "Stub",
    "AsyncStub",
    "BlockingStub",
    "BlockingV2Stub",
    "CoroutineStub",
    "FutureStub",
    "StubInterface",
    "ClientImpl",
];
/// The same for those who answer; some stand around the name.
const SERVER_SUFFIXES: &[&str] = &[
    "Server",
    "Servicer",
    "Base",
    "ImplBase",
    "CoroutineImplBase",
    "AsyncService",
    "GrpcServer",
    "ServerInterface",
    "Handler",
];
const SERVER_PREFIXES: &[&str] = &["Unimplemented", "Unsafe"];
/// Types of C++ that are written inside the service's own.
const INNER_CLIENT: &str = "Stub";
const INNER_SERVER: &str = "Service";
/// Files that generators write.
const GENERATED: &[&str] = &[
    ".pb.go",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.ts",
    "_pb.d.ts",
    ".pb.h",
    ".pb.cc",
    ".pb.dart",
    ".pb.rs",
    "_pb.rb",
    "Grpc.java",
    ".g.cs",
    ".pb.swift",
    "_grpc_pb.js",
    "_grpc_pb.d.ts",
];
/// How sure a name of a generator is, and a method registered at run time.
const BY_NAME: u8 = 85;
const REGISTERED: u8 = 60;
/// Contracts of a repository that are joined; a mirror of all of an industry's
/// has more than any question can use.
const MOST_RPCS: usize = 5_000;
const MOST_MESSAGES: usize = 5_000;
const CONTRACT_FILE: &str = ".proto";
/// Who is given the functions that answer, where stubs are made at run time.
const REGISTRATION: &str = "addService";

/// The edges of contracts, from both ends.
pub(super) struct Contracts {
    outgoing: HashMap<NodeId, Vec<Step>>,
    incoming: HashMap<NodeId, Vec<Step>>,
}

/// Which side of a contract a generated type is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

/// The side of a type by the names around a method: `scope` is the path of what
/// holds it.
fn side_of(service: &str, scope: &str) -> Option<Side> {
    let mut parts = scope.rsplit('.');
    let last = parts.next().unwrap_or_default();
    let is_inner = parts.next() == Some(service);
    if is_inner && last == INNER_CLIENT {
        return Some(Side::Client);
    }
    if is_inner && last == INNER_SERVER {
        return Some(Side::Server);
    }
    // Go writes the type behind the interface with a small letter, TypeScript
    // marks interfaces.
    let bare = match last.strip_prefix('I') {
        Some(rest) if rest.starts_with(service) => rest,
        _ => last,
    };
    let bare = SERVER_PREFIXES.iter().find_map(|it| bare.strip_prefix(it)).unwrap_or(bare);
    let (head, rest) = bare.split_at_checked(service.len())?;
    let (first, tail) = (head.get(..1)?, head.get(1..)?);
    let is_named = service.get(..1).is_some_and(|it| it.eq_ignore_ascii_case(first))
        && service.get(1..) == Some(tail);
    if !is_named {
        None
    } else if CLIENT_SUFFIXES.contains(&rest) {
        Some(Side::Client)
    } else if SERVER_SUFFIXES.contains(&rest) {
        Some(Side::Server)
    } else {
        None
    }
}

/// How languages spell the name of a call.
fn spellings(rpc: &str) -> Vec<String> {
    let mut snake = String::new();
    let mut before = '_';
    for c in rpc.chars() {
        if c.is_uppercase() && before != '_' && !before.is_uppercase() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        before = c;
    }
    // Upper and lower case do not count where names are looked up.
    let mut all = vec![rpc.to_owned(), format!("{rpc}Async")];
    if !snake.eq_ignore_ascii_case(rpc) {
        all.push(snake);
    }
    all
}

fn last_part(scope: &str) -> &str {
    scope.rsplit('.').next().unwrap_or(scope)
}

impl Contracts {
    /// None for a snapshot without contracts, which is most of them.
    pub fn open(view: &View<'_>) -> Result<Option<Contracts>> {
        let mut found = Contracts { outgoing: HashMap::new(), incoming: HashMap::new() };
        let (rpcs, messages) = contracts_of(view)?;
        if rpcs.is_empty() && messages.is_empty() {
            return Ok(None);
        }
        found.services(view, &rpcs)?;
        found.messages(view, &messages)?;
        Ok(Some(found))
    }

    pub fn outgoing(&self, node: NodeId) -> &[Step] {
        self.outgoing.get(&node).map_or(&[], Vec::as_slice)
    }

    pub fn incoming(&self, node: NodeId) -> &[Step] {
        self.incoming.get(&node).map_or(&[], Vec::as_slice)
    }

    fn services(&mut self, view: &View<'_>, rpcs: &[Rc<NodeRow>]) -> Result<()> {
        // Copies of one contract stand for each other.
        let mut calls: BTreeMap<(&str, &str), Vec<&NodeRow>> = BTreeMap::new();
        for rpc in rpcs {
            calls.entry((last_part(&rpc.scope), &rpc.name)).or_default().push(rpc);
        }
        let services: BTreeSet<&str> = calls.keys().map(|(service, _)| *service).collect();
        let mut implementers = implementers(view, &services)?;
        implementers.extend(by_shape(view, &calls)?);
        let registering = registering_files(view)?;
        for ((service, name), copies) in &calls {
            for row in spelled(view, name)? {
                let edge = match side_of(service, &row.scope) {
                    Some(Side::Client) => Some((EdgeKind::RpcCalls, BY_NAME)),
                    Some(Side::Server) => Some((EdgeKind::Implements, BY_NAME)),
                    None if is_answer(&implementers, service, &row) => {
                        Some((EdgeKind::Implements, BY_NAME))
                    }
                    None if is_registered(view, &registering, &row)? => {
                        Some((EdgeKind::Implements, REGISTERED))
                    }
                    None => None,
                };
                let Some((kind, confidence)) = edge else { continue };
                for rpc in copies {
                    self.enter(view, (row.id, rpc.id), kind, confidence)?;
                }
            }
        }
        Ok(())
    }

    /// Types that generators made of messages.
    fn messages(&mut self, view: &View<'_>, messages: &[Rc<NodeRow>]) -> Result<()> {
        let mut by_name: BTreeMap<&str, Vec<&NodeRow>> = BTreeMap::new();
        for message in messages {
            by_name.entry(&message.name).or_default().push(message);
        }
        for (name, copies) in by_name {
            for row in nodes::named(view.reader, name)? {
                let is_type = matches!(row.kind, NodeKind::Class | NodeKind::Type);
                if !is_type || row.name != name || !is_generated(view, row.id)? {
                    continue;
                }
                for message in &copies {
                    self.enter(view, (row.id, message.id), EdgeKind::Implements, BY_NAME)?;
                }
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        view: &View<'_>,
        (source, target): (NodeId, NodeId),
        kind: EdgeKind,
        confidence: u8,
    ) -> Result<()> {
        let (file, line) = match view.places(source)?.first() {
            Some(place) => {
                let line = view.outline(place.file)?.get(place.def as usize).map(|it| it.name_line);
                (place.file, line.unwrap_or(0))
            }
            None => match view.places(target)?.first() {
                // What the build generates is named by its contract alone.
                Some(place) => (place.file, 0),
                None => (FileId(0), 0),
            },
        };
        let provenance = Provenance::ConfigDeclared;
        let step = Step { node: target, kind, confidence, provenance, file, line, n_sites: 1 };
        self.outgoing.entry(source).or_default().push(step);
        self.incoming.entry(target).or_default().push(Step { node: source, ..step });
        Ok(())
    }
}

type Rows = Vec<Rc<NodeRow>>;

/// The calls and the messages of the snapshot's contracts.
fn contracts_of(view: &View<'_>) -> Result<(Rows, Rows)> {
    let (mut rpcs, mut messages) = (Rows::new(), Rows::new());
    for file in files::ending(view.reader, view.scope.repo.id, CONTRACT_FILE)? {
        let version = view.version(file.package)?;
        let is_here = |of: &Rc<PackageVersion>| of.members.iter().any(|it| it.file == file.id);
        if !version.as_ref().is_some_and(is_here) {
            continue;
        }
        for node in view.nodes_of(file.id)?.iter() {
            let Some(row) = view.node(*node)? else { continue };
            match row.kind {
                NodeKind::Rpc if rpcs.len() < MOST_RPCS => rpcs.push(row),
                NodeKind::Message if messages.len() < MOST_MESSAGES => messages.push(row),
                _ => {}
            }
        }
    }
    Ok((rpcs, messages))
}

/// Symbols of the snapshot that a language may have made of a call's name, and
/// names of what only the build makes.
fn spelled(view: &View<'_>, rpc: &str) -> Result<Vec<NodeRow>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for spelling in spellings(rpc) {
        for row in nodes::named(view.reader, &spelling)? {
            let is_contract = matches!(row.kind, NodeKind::Rpc | NodeKind::Message);
            let is_here = row.kind == NodeKind::External || !view.places(row.id)?.is_empty();
            if !is_contract && is_here && seen.insert(row.id) {
                found.push(row);
            }
        }
    }
    Ok(found)
}

/// Types whose base is made by the build: package and path of each, by service.
type Implementers = BTreeSet<Implementer>;
/// The service, and the package and path of a type.
type Implementer = (String, PackageId, String);

fn implementers(view: &View<'_>, services: &BTreeSet<&str>) -> Result<Implementers> {
    let mut found = Implementers::new();
    for service in services {
        for suffix in SERVER_SUFFIXES {
            for base in nodes::named(view.reader, &format!("{service}{suffix}"))? {
                subtypes_of(view, service, &base, &mut found)?;
            }
        }
        // Who names one of these embeds it: there is no other use for it.
        for prefix in SERVER_PREFIXES {
            for base in nodes::named(view.reader, &format!("{prefix}{service}Server"))? {
                subtypes_of(view, service, &base, &mut found)?;
            }
        }
    }
    Ok(found)
}

/// Types that have a base, by inheriting from it or as a part of them.
fn subtypes_of(
    view: &View<'_>,
    service: &str,
    base: &NodeRow,
    found: &mut Implementers,
) -> Result<()> {
    for step in view.own_linked_incoming(base.id)? {
        let is_part = step.kind == EdgeKind::References;
        let is_heir = matches!(step.kind, EdgeKind::Inherits | EdgeKind::Implements);
        let Some(heir) = view.node(step.node)?.filter(|_| is_heir || is_part) else { continue };
        // A field of a type stands for the type.
        let holder = match heir.kind {
            NodeKind::Type | NodeKind::Class => heir.symbol(),
            NodeKind::Field if is_part => heir.scope.clone(),
            _ => continue,
        };
        if side_of(service, &holder).is_none() {
            found.insert((service.to_owned(), heir.package, holder));
        }
    }
    Ok(())
}

/// Types that have a method for every call of a service and are called after it: a
/// base that only the build makes may not be known by name.
fn by_shape(
    view: &View<'_>,
    calls: &BTreeMap<(&str, &str), Vec<&NodeRow>>,
) -> Result<Implementers> {
    let mut n_calls: BTreeMap<&str, usize> = BTreeMap::new();
    let mut having: BTreeMap<Implementer, BTreeSet<&str>> = BTreeMap::new();
    for (service, name) in calls.keys() {
        *n_calls.entry(service).or_default() += 1;
        for row in spelled(view, name)? {
            let holder = last_part(&row.scope).to_lowercase();
            let is_after = holder.contains(&service.to_lowercase());
            if row.kind == NodeKind::Method && is_after && side_of(service, &row.scope).is_none() {
                let key = ((*service).to_owned(), row.package, row.scope.clone());
                having.entry(key).or_default().insert(name);
            }
        }
    }
    having.retain(|(service, ..), names| n_calls.get(service.as_str()) == Some(&names.len()));
    Ok(having.into_keys().collect())
}

fn is_answer(implementers: &Implementers, service: &str, row: &NodeRow) -> bool {
    row.kind == NodeKind::Method
        && implementers.contains(&(service.to_owned(), row.package, row.scope.clone()))
}

/// Files that give functions to a server by name.
fn registering_files(view: &View<'_>) -> Result<BTreeSet<FileId>> {
    let (_, sites) = view.unresolved(REGISTRATION, MOST_RPCS)?;
    Ok(sites.into_iter().map(|(file, _)| file).collect())
}

fn is_registered(view: &View<'_>, files: &BTreeSet<FileId>, row: &NodeRow) -> Result<bool> {
    let is_function = matches!(row.kind, NodeKind::Function | NodeKind::Method);
    if !is_function || files.is_empty() {
        return Ok(false);
    }
    Ok(view.places(row.id)?.iter().any(|place| files.contains(&place.file)))
}

fn is_generated(view: &View<'_>, node: NodeId) -> Result<bool> {
    for place in view.places(node)? {
        let path = view.path(place.file)?;
        if GENERATED.iter().any(|end| path.ends_with(end)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Calls of a contract that nodes answer: themselves, or by what they override.
pub(super) fn answered(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
    let mut found = Vec::new();
    let above = super::indirect::overridden(view, nodes)?;
    for node in nodes.iter().chain(&above) {
        for step in view.outgoing(*node)? {
            let is_contract = view.node(step.node)?.is_some_and(|row| row.kind == NodeKind::Rpc);
            if step.kind == EdgeKind::Implements && is_contract && !found.contains(&step.node) {
                found.push(step.node);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_of_every_language_name_their_side_of_a_service() {
        let side = |scope| side_of("CartService", scope);
        for scope in [
            "CartServiceClient",
            "cartServiceClient",
            "demo_pb2_grpc.CartServiceStub",
            "CartServiceGrpc.CartServiceBlockingStub",
            "ICartServiceClient",
            "hipstershop.CartService.Stub",
        ] {
            assert_eq!(side(scope), Some(Side::Client), "{scope}");
        }
        for scope in [
            "CartServiceServer",
            "UnimplementedCartServiceServer",
            "demo_pb2_grpc.CartServiceServicer",
            "CartServiceGrpc.CartServiceImplBase",
            "CartService.CartServiceBase",
            "hipstershop.CartService.Service",
        ] {
            assert_eq!(side(scope), Some(Side::Server), "{scope}");
        }
        for scope in ["CartService", "MyCartServiceClient", "CartServiceClientFactory", "Stub", ""]
        {
            assert_eq!(side(scope), None, "{scope}");
        }
    }

    #[test]
    fn a_call_is_spelled_as_languages_do() {
        assert_eq!(spellings("GetCart"), ["GetCart", "GetCartAsync", "get_cart"]);
        assert_eq!(
            spellings("ListHTTPRoutes"),
            ["ListHTTPRoutes", "ListHTTPRoutesAsync", "list_httproutes"]
        );
        assert_eq!(spellings("check"), ["check", "checkAsync"]);
    }
}
