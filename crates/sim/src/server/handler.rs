//! One request from arrival to answer: fault plan, world, headers, log.

use super::auth;
use super::connection::{Connection, Cut};
use super::context::Context;
use super::endpoints;
use super::lock;
use super::log::{LoggedRequest, RequestLog};
use super::options::{DateHeader, Options};
use super::reply::Reply;
use super::request::Request;
use crate::World;
use crate::fault::{Disturbance, Fault, FaultState, HeaderFault, Verdict};
use crate::world::{EntityKey, ProjectId};
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, Method, Response, Uri};
use flate2::Compression;
use flate2::write::GzEncoder;
use model::{EntityKind, Timestamp};
use serde_json::json;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(super) struct Shared {
    pub world: Arc<Mutex<World>>,
    pub options: Mutex<Arc<Options>>,
    pub faults: Mutex<FaultState>,
    pub log: Mutex<RequestLog>,
    base_url: String,
    in_flight: AtomicU64,
    throttle: Mutex<Throttle>,
}

/// Requests counted in the minute that began at `start`.
#[derive(Debug, Clone, Copy)]
struct Throttle {
    start: Timestamp,
    observed: u64,
}

impl Shared {
    pub fn new(world: Arc<Mutex<World>>, options: Options, base_url: String) -> Self {
        let faults = FaultState::new(options.faults.clone());
        Shared {
            world,
            options: Mutex::new(Arc::new(options)),
            faults: Mutex::new(faults),
            log: Mutex::new(RequestLog::default()),
            base_url,
            in_flight: AtomicU64::new(0),
            throttle: Mutex::new(Throttle { start: Timestamp::EPOCH, observed: 0 }),
        }
    }
}

pub(super) async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let path_and_query = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let in_flight = shared.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
    let verdict = lock(&shared.faults).next(&path_and_query);
    if let Some(slow) = verdict.slow {
        tokio::time::sleep(slow).await;
    }
    let request = Request::parse(method.as_str(), &path_and_query)
        .map(|request| Request { body: body.to_vec(), ..request });
    let (reply, date) = respond(&shared, request.as_ref(), &path_and_query, &headers, verdict);
    shared.in_flight.fetch_sub(1, Ordering::Relaxed);
    {
        let mut log = lock(&shared.log);
        log.max_in_flight = log.max_in_flight.max(in_flight);
        log.add(LoggedRequest {
            class: request.as_ref().map_or_else(|| "other".to_owned(), Request::class),
            path_and_query,
            status: reply.status,
            fault: verdict.fault,
        });
    }
    let packs = lock(&shared.options).gzip && accepts_gzip(&headers);
    let accepts_gzip = match verdict.fault {
        Some(Fault::GzipBomb) => true,
        Some(Fault::HugePage | Fault::SlowBody) => false,
        _ => packs,
    };
    let response = finish(reply, date, accepts_gzip);
    match (verdict.fault, response.1) {
        (Some(Fault::ResetBefore), _) => connection.cut(Cut::ResetBefore),
        (Some(Fault::ResetMidBody), length) => connection.cut(Cut::ResetInBody(length / 2)),
        (Some(Fault::ShortRead), length) => connection.cut(Cut::CloseInBody(length / 2)),
        (Some(Fault::SlowBody), _) => connection.cut(Cut::Drip(lock(&shared.faults).plan.drip)),
        _ => {}
    }
    response.0
}

/// The answer and, for the `Date` header, the time it was given.
fn respond(
    shared: &Shared,
    request: Option<&Request>,
    path_and_query: &str,
    headers: &HeaderMap,
    verdict: Verdict,
) -> (Reply, Option<Timestamp>) {
    let options = Arc::clone(&lock(&shared.options));
    let mut world = lock(&shared.world);
    let now = world.advance(options.tick_per_request);
    let date = (options.date == DateHeader::Virtual).then_some(now);
    let retry_after = lock(&shared.faults).plan.retry_after_seconds;
    if let Some(reply) = verdict.fault.and_then(|fault| refusal(fault, retry_after, now)) {
        return (reply, date);
    }
    let limits = rate_limit(shared, &options, now);
    if let Some(Err(reply)) = limits {
        return (reply, date);
    }
    let mut reply = match request.filter(|request| !request.is_get) {
        Some(request) => written(&mut world, &options, request, headers, &shared.base_url),
        None => answer(shared, &world, &options, (request, path_and_query, headers)),
    };
    if let Some(Ok(limit_headers)) = limits {
        reply.headers.extend(limit_headers);
    }
    match verdict.headers {
        Some(HeaderFault::DropNextPage) => drop_headers(&mut reply, &["X-Next-Page"]),
        Some(HeaderFault::DropLink) => drop_headers(&mut reply, &["Link"]),
        Some(HeaderFault::DropBoth) => drop_headers(&mut reply, &["X-Next-Page", "Link"]),
        None => {}
    }
    match verdict.fault {
        Some(Fault::TruncateJson) => {
            let half = reply.body.len() / 2;
            reply.body.truncate(half);
        }
        // Blanks are JSON, too, before the last bracket.
        Some(Fault::HugePage | Fault::GzipBomb) => {
            let huge = lock(&shared.faults).plan.huge_bytes;
            if let Some(last) = reply.body.pop() {
                reply.body.resize(huge.max(reply.body.len()), b' ');
                reply.body.push(last);
            }
        }
        _ => {}
    }
    if verdict.is_endless && reply.body.starts_with(b"[") {
        let next = request.and_then(|request| request.params.number("page").ok().flatten());
        drop_headers(&mut reply, &["X-Next-Page", "Link"]);
        reply = reply.header("X-Next-Page", (next.unwrap_or(1) + 1).to_string());
    }
    if let Some((project, kind)) = request.and_then(|request| listed(&world, request)) {
        let disturbance = lock(&shared.faults).after_list(path_and_query);
        disturb(&mut world, (project, kind), disturbance);
    }
    (reply, date)
}

fn written(
    world: &mut World,
    options: &Options,
    request: &Request,
    headers: &HeaderMap,
    base_url: &str,
) -> Reply {
    let viewer = match auth::writer(world, &options.tokens, headers) {
        Ok(viewer) => viewer,
        Err(reply) => return reply,
    };
    let note = match endpoints::write(world, request, viewer) {
        Ok(note) => note,
        Err(reply) => return reply,
    };
    let link_base = options.link_base.as_deref().unwrap_or(base_url);
    let viewer = Some(viewer);
    let context = Context { world, options, link_base, viewer, short_pages: None };
    endpoints::written(context, note).unwrap_or_else(|reply| reply)
}

fn answer(
    shared: &Shared,
    world: &World,
    options: &Options,
    (request, path_and_query, headers): (Option<&Request>, &str, &HeaderMap),
) -> Reply {
    let Some(request) = request else { return Reply::html(404, "<html>404</html>") };
    let plan = {
        let faults = lock(&shared.faults);
        let is_short = faults.plan.has_short_pages() && faults.plan.applies_to(path_and_query);
        is_short.then(|| faults.plan.clone())
    };
    let viewer = match auth::viewer(world, &options.tokens, headers) {
        Ok(viewer) => viewer,
        Err(reply) => return reply,
    };
    let context = Context {
        world,
        options,
        link_base: options.link_base.as_deref().unwrap_or(&shared.base_url),
        viewer,
        short_pages: plan.as_ref(),
    };
    endpoints::answer(context, request).unwrap_or_else(|reply| reply)
}

/// The answer of a server in trouble; `None` for faults of the connection.
fn refusal(fault: Fault, retry_after: u32, now: Timestamp) -> Option<Reply> {
    const BAD_GATEWAY: &str = "<!DOCTYPE html>\n<html>\n<head><title>GitLab is not responding \
        (502)</title></head>\n<body><h1>502</h1><p>Whoops, GitLab is taking too much time to \
        respond.</p></body>\n</html>\n";
    Some(match fault {
        Fault::Internal500 => Reply::json(500, &json!({ "message": "500 Internal Server Error" })),
        Fault::Html502 => Reply::html(502, BAD_GATEWAY),
        Fault::Unavailable503 => {
            Reply::json(503, &json!({ "message": "Upstream Gitaly has been exhausted" }))
        }
        Fault::Unavailable503RetryAfter => {
            Reply::json(503, &json!({ "message": "Upstream Gitaly has been exhausted" }))
                .header("Retry-After", retry_after.to_string())
        }
        Fault::Throttled429 => throttled(2000, 2001, now, retry_after.into())
            .header("Retry-After", retry_after.to_string()),
        Fault::Endpoint429 => {
            let error = "This endpoint has been requested too many times. Try again later.";
            Reply::json(429, &json!({ "message": { "error": error } }))
        }
        Fault::ResetBefore
        | Fault::ResetMidBody
        | Fault::ShortRead
        | Fault::TruncateJson
        | Fault::HugePage
        | Fault::GzipBomb
        | Fault::SlowBody => return None,
    })
}

/// The throttle's plain-text 429, without `Retry-After`.
fn throttled(limit: u64, observed: u64, now: Timestamp, wait_seconds: u64) -> Reply {
    let reset = now.plus(Duration::from_secs(wait_seconds));
    Reply::text(429, "Retry later\n")
        .header("RateLimit-Name", "throttle_authenticated_api")
        .header("RateLimit-Limit", limit.to_string())
        .header("RateLimit-Observed", observed.to_string())
        .header("RateLimit-Remaining", "0")
        .header("RateLimit-Reset", (reset.as_millis() / 1000).to_string())
        .header("RateLimit-ResetTime", http_date(reset))
}

/// Headers for a request within the limit, or the refusal.
fn rate_limit(
    shared: &Shared,
    options: &Options,
    now: Timestamp,
) -> Option<Result<Vec<(&'static str, String)>, Reply>> {
    const MINUTE: Duration = Duration::from_mins(1);
    let limit = options.rate_limit?;
    let mut throttle = lock(&shared.throttle);
    if now.since(throttle.start) >= MINUTE {
        *throttle = Throttle { start: now, observed: 0 };
    }
    throttle.observed += 1;
    let observed = throttle.observed;
    let reset = throttle.start.plus(MINUTE);
    if limit.enforce && observed > limit.limit {
        let wait = reset.since(now).as_secs().max(1);
        let mut reply = throttled(limit.limit, observed, now, wait);
        if limit.retry_after {
            reply = reply.header("Retry-After", wait.to_string());
        }
        return Some(Err(reply));
    }
    Some(Ok(vec![
        ("RateLimit-Name", "throttle_authenticated_api".to_owned()),
        ("RateLimit-Limit", limit.limit.to_string()),
        ("RateLimit-Observed", observed.to_string()),
        ("RateLimit-Remaining", limit.limit.saturating_sub(observed).to_string()),
        ("RateLimit-Reset", (reset.as_millis() / 1000).to_string()),
    ]))
}

fn drop_headers(reply: &mut Reply, names: &[&str]) {
    reply.headers.retain(|(name, _)| !names.contains(name));
}

/// The list a request walked through, if it was one of entities.
fn listed(world: &World, request: &Request) -> Option<(ProjectId, EntityKind)> {
    let [first, id, kind] = request.segments.as_slice() else { return None };
    let kind = match kind.as_str() {
        "issues" => EntityKind::Issue,
        "merge_requests" => EntityKind::MergeRequest,
        _ => return None,
    };
    let project = id.parse().ok().map(ProjectId).or_else(|| world.project_id(id).ok())?;
    (first == "projects").then_some((project, kind))
}

/// Somebody works on the project while the client reads it.
fn disturb(world: &mut World, (project, kind): (ProjectId, EntityKind), what: Disturbance) {
    let pick = |world: &World, seed: u64| -> Option<EntityKey> {
        let count = world.count(project, kind);
        let place = seed.checked_rem(count as u64)?;
        world.entities_of(project, kind).nth(place as usize).map(|entity| entity.key)
    };
    if let Some(key) = what.mutate.and_then(|seed| pick(world, seed)) {
        let now = world.advance(Duration::from_millis(1));
        let author = world.entity(key).map(|entity| entity.author);
        let by = author.map(|id| world.username(id).to_owned()).unwrap_or_default();
        let title = world.entity(key).map(|entity| entity.title.clone()).unwrap_or_default();
        let title = if title.ends_with('\'') { title.replace('\'', "") } else { title + "'" };
        let _ = world.retitle(key, &by, now, &title);
    }
    if let Some(key) = what.delete.and_then(|seed| pick(world, seed)) {
        let _ = world.delete_entity(key);
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get("accept-encoding")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("gzip"))
}

/// `Thu, 23 Apr 2026 09:45:00 GMT`.
fn http_date(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.as_millis())
        .map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
        .unwrap_or_default()
}

/// The HTTP response and the length of its body on the wire.
fn finish(reply: Reply, date: Option<Timestamp>, gzip: bool) -> (Response<Body>, usize) {
    /// Below this, compression costs more than it saves.
    const WORTH_COMPRESSING: usize = 256;
    let mut builder = Response::builder()
        .status(reply.status)
        .header("Content-Type", reply.content_type)
        .header("Cache-Control", "max-age=0, private, must-revalidate")
        .header("Vary", "Origin");
    for (name, value) in &reply.headers {
        builder = builder.header(*name, value.as_str());
    }
    if let Some(date) = date {
        builder = builder.header("Date", http_date(date));
    }
    let mut body = reply.body;
    if gzip && body.len() >= WORTH_COMPRESSING {
        let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
        let packed = encoder.write_all(&body).and_then(|()| encoder.finish());
        if let Ok(packed) = packed {
            body = packed;
            builder = builder.header("Content-Encoding", "gzip");
        }
    }
    let length = body.len();
    let response = builder.body(Body::from(body)).unwrap_or_else(|_| {
        // A header value that HTTP cannot carry; none of ours is like that.
        Response::new(Body::from("invalid header in the simulator's answer"))
    });
    (response, length)
}
