//! What a span means: which call it is one side of, by the conventions of
//! OpenTelemetry, current and past.

use crate::attributes::Attributes;
use crate::decode::access_log::path_of;
use crate::path::{ServiceRoutes, Templates};
use crate::span::{Span, SpanKind};
use crate::sql::tables;
use model::code::EdgeKind;
use model::runtime::{Endpoint, EndpointKind};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Which side of a call a span is, as far as pairing is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Answers a request; its parent may be the other side.
    Server,
    /// Sends a request that a server may answer.
    Client,
    /// Everything else.
    Local,
}

/// Where in code instrumentation says a span is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodePlace {
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// A span in the words of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    pub role: Role,
    /// What the span itself is; spans below it are called by that.
    pub operation: Option<Endpoint>,
    /// The function that sends, where the span says so.
    pub sender: Option<Endpoint>,
    /// What is called; none for a span that only stands between others.
    pub calls: Vec<(Endpoint, EdgeKind)>,
    /// The function behind the operation.
    pub code: Option<CodePlace>,
    pub is_error: bool,
}

/// Asked once per service: methods and patterns of its routes.
pub type RouteSource = Box<dyn Fn(&str) -> Vec<(String, String)> + Send>;

/// Knows patterns, so that meanings have few names.
pub struct Semantics {
    routes: RouteSource,
    known: FxHashMap<String, Arc<ServiceRoutes>>,
    templates: Templates,
}

const FILE: &[&str] = &["code.file.path", "code.filepath"];
const METHOD: &[&str] = &["http.request.method", "http.method"];
const PATH: &[&str] = &["url.path", "http.target"];
const URL: &[&str] = &["url.full", "http.url"];
const STATUS: &[&str] = &["http.response.status_code", "http.status_code"];
const DATABASE: &[&str] = &["db.system.name", "db.system"];
const TABLE: &[&str] = &[
    "db.collection.name",
    "db.sql.table",
    "db.mongodb.collection",
    "db.cassandra.table",
    "db.cosmosdb.container",
];
const TOPIC: &[&str] =
    &["messaging.destination.template", "messaging.destination.name", "messaging.destination"];
/// Requests that no route answered.
pub const NO_ROUTE: &str = "(no route)";

impl Semantics {
    pub fn new(routes: RouteSource) -> Self {
        Semantics { routes, known: FxHashMap::default(), templates: Templates::default() }
    }

    /// Asks for routes again: code may have changed.
    pub fn forget_routes(&mut self) {
        self.known.clear();
    }

    pub fn meaning(&mut self, span: &Span, service: &str) -> Meaning {
        let attributes = &span.attributes;
        let status = attributes.first(STATUS).and_then(|text| text.parse::<u16>().ok());
        let code = code_place(attributes);
        let mut meaning = Meaning {
            role: match span.kind {
                SpanKind::Server => Role::Server,
                SpanKind::Client => Role::Client,
                _ => Role::Local,
            },
            operation: None,
            sender: None,
            calls: Vec::new(),
            code: None,
            is_error: span.is_error || status.is_some_and(|status| status >= 500),
        };
        if is_messaging(attributes) {
            meaning.messaging(span);
        } else if let Some(name) = rpc_name(span) {
            meaning.rpc(span, service, &name);
        } else if attributes.first(DATABASE).is_some() && span.kind != SpanKind::Server {
            meaning.role = Role::Local;
            meaning.calls = database(attributes);
        } else if span.kind != SpanKind::Internal && http_method(span).is_some() {
            self.http(span, service, status, &mut meaning);
        } else if let Some(name) = attributes.first(&["faas.invoked_name", "faas.name"]) {
            let target = match span.kind {
                SpanKind::Client => Endpoint::service(name),
                _ => Endpoint::new(EndpointKind::Function, service, name),
            };
            if span.kind != SpanKind::Client {
                meaning.role = Role::Server;
                meaning.operation = Some(target.clone());
            }
            meaning.calls.push((target, EdgeKind::RuntimeCalls));
        } else if let Some(code) = &code
            && span.kind != SpanKind::Client
        {
            let function = function(service, code);
            meaning.calls.push((function.clone(), EdgeKind::RuntimeCalls));
            meaning.operation = Some(function);
        }
        match code {
            // Of those who send, it is the function that sends.
            Some(code) if matches!(span.kind, SpanKind::Client | SpanKind::Producer) => {
                meaning.sender = Some(function(service, &code));
            }
            // Of those who take a message, it is the function that takes it, and what
            // happens below is done by it.
            Some(code) if meaning.takes_message() => {
                let taker = function(service, &code);
                meaning.sender = Some(taker.clone());
                meaning.operation = Some(taker);
            }
            code => meaning.code = code,
        }
        meaning
    }

    fn http(&mut self, span: &Span, service: &str, status: Option<u16>, meaning: &mut Meaning) {
        let attributes = &span.attributes;
        let method = http_method(span).unwrap_or("ANY");
        if span.kind == SpanKind::Client {
            meaning.is_error |= status.is_some_and(|status| status >= 400);
            let host = peer(attributes).unwrap_or_default();
            let pattern = self.client_pattern(span, &host, method);
            let name = format!("{method} {pattern}");
            let target = Endpoint::new(EndpointKind::Host, &host, &name);
            meaning.calls.push((target, EdgeKind::RuntimeCalls));
            return;
        }
        meaning.role = Role::Server;
        // The one template of all controllers (ASP.NET) says nothing of the one that answered.
        let is_of_all =
            |route: &str| route.contains("{controller") && concrete_path(span).is_some();
        let declared =
            attributes.get("http.route").filter(|route| !route.is_empty() && !is_of_all(route));
        let pattern = match declared.map(bounded) {
            Some(route) if route.starts_with('/') => route,
            Some(route) => format!("/{route}"),
            None => self.server_pattern(span, service, method, status),
        };
        let route = Endpoint::new(EndpointKind::Route, service, &format!("{method} {pattern}"));
        meaning.calls.push((route.clone(), EdgeKind::RuntimeCalls));
        meaning.operation = Some(route);
    }

    /// The pattern of a request whose framework did not say.
    fn server_pattern(
        &mut self,
        span: &Span,
        service: &str,
        method: &str,
        status: Option<u16>,
    ) -> String {
        let Some(path) = concrete_path(span) else { return NO_ROUTE.to_owned() };
        if let Some(known) = self.known_route(service, method, &path) {
            return known;
        }
        // Scanners ask for anything; what was not found is one thing.
        if matches!(status, Some(404 | 405)) {
            return NO_ROUTE.to_owned();
        }
        self.templates.pattern(service, &path)
    }

    fn client_pattern(&mut self, span: &Span, host: &str, method: &str) -> String {
        if let Some(template) = span.attributes.first(&["url.template", "http.route"]) {
            return bounded(template);
        }
        let Some(path) = concrete_path(span) else { return "(unknown)".to_owned() };
        let label = host.split(['.', ':']).next().unwrap_or(host);
        for service in [host, label] {
            if let Some(known) = self.known_route(service, method, &path) {
                return known;
            }
        }
        self.templates.pattern(host, &path)
    }

    fn known_route(&mut self, service: &str, method: &str, path: &str) -> Option<String> {
        if !self.known.contains_key(service) {
            // Hosts are as many as the world has.
            if self.known.len() >= 2000 {
                return None;
            }
            let mut routes = ServiceRoutes::default();
            for (method, pattern) in (self.routes)(service) {
                routes.add(&method, &pattern);
            }
            self.known.insert(service.to_owned(), Arc::new(routes));
        }
        self.known.get(service)?.find(method, path).map(str::to_owned)
    }
}

impl Meaning {
    fn messaging(&mut self, span: &Span) {
        let attributes = &span.attributes;
        let operation = attributes.first(&["messaging.operation.type", "messaging.operation"]);
        let is_sent = match span.kind {
            SpanKind::Producer => true,
            SpanKind::Consumer => false,
            _ => matches!(operation, Some("publish" | "send" | "create")),
        };
        self.role = Role::Local;
        let topic = attributes.first(TOPIC).map(topic_name);
        let system = attributes.get("messaging.system").unwrap_or("messages");
        let name = topic.unwrap_or_else(|| format!("{system} (no destination)"));
        let kind = if is_sent { EdgeKind::RuntimeProduces } else { EdgeKind::RuntimeConsumes };
        self.calls.push((Endpoint::new(EndpointKind::Topic, "", &name), kind));
    }

    fn takes_message(&self) -> bool {
        self.calls.iter().any(|(_, kind)| *kind == EdgeKind::RuntimeConsumes)
    }

    fn rpc(&mut self, span: &Span, service: &str, name: &str) {
        let status = span.attributes.get("rpc.grpc.status_code");
        self.is_error |= status.is_some_and(|status| !matches!(status, "0" | "OK"));
        if self.role == Role::Client {
            let host = peer(&span.attributes).unwrap_or_default();
            let target = Endpoint::new(EndpointKind::Rpc, &host, name);
            self.calls.push((target, EdgeKind::RuntimeRpc));
        } else {
            self.role = Role::Server;
            let target = Endpoint::new(EndpointKind::Rpc, service, name);
            self.calls.push((target.clone(), EdgeKind::RuntimeRpc));
            self.operation = Some(target);
        }
    }
}

fn is_messaging(attributes: &Attributes) -> bool {
    attributes.get("messaging.system").is_some() || attributes.first(TOPIC).is_some()
}

fn http_method(span: &Span) -> Option<&str> {
    if let Some(method) = span.attributes.first(METHOD) {
        return Some(known_method(method));
    }
    // Older instrumentation puts it into the name: `GET /users/{id}`.
    let has_path = span.attributes.first(PATH).or(span.attributes.first(URL)).is_some();
    let word = span.name.split(' ').next().filter(|word| METHODS.contains(word))?;
    (has_path || span.attributes.get("http.route").is_some()).then_some(word)
}

const METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"];

/// One of few words, whatever was sent.
fn known_method(method: &str) -> &'static str {
    let upper = method.to_ascii_uppercase();
    METHODS.iter().find(|known| **known == upper).copied().unwrap_or("OTHER")
}

/// The path of a request without its query.
fn concrete_path(span: &Span) -> Option<String> {
    let attributes = &span.attributes;
    let path = match attributes.first(PATH) {
        Some(path) if path.contains("://") => path_of(path),
        Some(path) => path,
        None => path_of(attributes.first(URL)?),
    };
    let end = path.find(['?', '#', ';']).unwrap_or(path.len());
    Some(path[..end].to_owned())
}

/// `package.Service/Method`; none where the span is of no such call.
fn rpc_name(span: &Span) -> Option<String> {
    let attributes = &span.attributes;
    let method = attributes.get("rpc.method");
    let of_service = attributes.get("rpc.service");
    let is_rpc = attributes.first(&["rpc.system", "rpc.system.name"]).is_some();
    if is_rpc || of_service.is_some() || method.is_some() {
        let of_name = span.name.trim_start_matches('/');
        let name = match (of_service, method) {
            // Newer conventions put both into the method.
            (_, Some(method)) if method.contains('/') => method.trim_start_matches('/').to_owned(),
            (Some(service), Some(method)) => format!("{service}/{method}"),
            (Some(service), None) => {
                format!("{service}/{}", of_name.rsplit('/').next().unwrap_or(of_name))
            }
            (None, method) => method.unwrap_or(of_name).to_owned(),
        };
        return Some(bounded(&name));
    }
    // A proxy sees gRPC as a POST.
    let path = concrete_path(span)?;
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    let is_word =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let looks_like = service.contains('.')
        && service.split('.').all(|part| !part.is_empty() && is_word(part))
        && method.starts_with(|c: char| c.is_ascii_uppercase())
        && is_word(method)
        && http_method(span) == Some("POST");
    looks_like.then(|| bounded(&format!("{service}/{method}")))
}

/// Who is called: a service by name, else an address. Addresses in numbers are as
/// many as there are machines, and are one.
fn peer(attributes: &Attributes) -> Option<String> {
    if let Some(service) = attributes.get("peer.service") {
        return Some(service.to_owned());
    }
    let host = attributes.first(&["server.address", "net.peer.name", "http.host"]);
    let of_url = || {
        let url = attributes.first(URL)?;
        let after = url.split_once("://").map_or(url, |(_, after)| after);
        let host = after.split(['/', '?']).next()?;
        Some(host.rsplit_once('@').map_or(host, |(_, host)| host))
    };
    let host = host.or_else(of_url)?.trim().trim_end_matches('.').to_ascii_lowercase();
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host.as_str(), None),
    };
    let name = name.trim_matches(['[', ']']);
    let port = port.or(attributes.get("server.port"));
    Some(match name.parse::<std::net::IpAddr>() {
        Ok(ip) if !ip.is_loopback() => "(address)".to_owned(),
        _ if name == "localhost" || name.parse::<std::net::IpAddr>().is_ok() => match port {
            Some(port) => format!("localhost:{port}"),
            None => "localhost".to_owned(),
        },
        _ => name.to_owned(),
    })
}

fn database(attributes: &Attributes) -> Vec<(Endpoint, EdgeKind)> {
    let namespace = attributes.first(&["db.namespace", "db.name"]).unwrap_or_default();
    let system = attributes.first(DATABASE).unwrap_or("database");
    let mut names: Vec<String> = match attributes.first(TABLE) {
        Some(table) => vec![table.rsplit('.').next().unwrap_or(table).to_owned()],
        None => {
            attributes.first(&["db.query.text", "db.statement"]).map(tables).unwrap_or_default()
        }
    };
    if names.is_empty() {
        names.push(format!("({system})"));
    }
    let target = |name: &String| Endpoint::new(EndpointKind::Table, namespace, name);
    names.iter().map(|name| (target(name), EdgeKind::RuntimeQueries)).collect()
}

/// Topics of a generated name are one: what ends in an id is cut.
fn topic_name(name: &str) -> String {
    let parts: Vec<&str> = name.split('/').collect();
    let name = parts.last().copied().filter(|_| name.starts_with("http")).unwrap_or(name);
    let words: Vec<String> = name
        .split_inclusive(['.', '-', '_', ':'])
        .map(|part| {
            let word = part.trim_end_matches(['.', '-', '_', ':']);
            let is_id = word.len() >= 8
                && word.bytes().all(|byte| byte.is_ascii_hexdigit())
                && word.bytes().any(|byte| byte.is_ascii_digit());
            if is_id { part.replace(word, "{}") } else { part.to_owned() }
        })
        .collect();
    bounded(&words.concat())
}

fn code_place(attributes: &Attributes) -> Option<CodePlace> {
    let name = attributes.first(&["code.function.name", "code.function"])?;
    let function = match attributes.get("code.namespace") {
        Some(namespace) if !name.contains(namespace) => format!("{namespace}.{name}"),
        _ => name.to_owned(),
    };
    let line = attributes.first(&["code.line.number", "code.lineno"]);
    Some(CodePlace {
        function: bounded(&function),
        file: attributes.first(FILE).unwrap_or_default().to_owned(),
        line: line.and_then(|line| line.parse().ok()).unwrap_or(0),
    })
}

fn function(service: &str, code: &CodePlace) -> Endpoint {
    Endpoint {
        kind: EndpointKind::Function,
        service: service.to_owned(),
        name: code.function.clone(),
        file: code.file.clone(),
    }
}

/// Names of endpoints are no longer than this.
fn bounded(name: &str) -> String {
    crate::attributes::cleaned(name, 300)
}

#[cfg(test)]
mod tests;
