//! One request against the API: sent within the budget, kept on one origin, read
//! up to a limit, and, when it only reads, tried again where that may help.

use super::address::Address;
use super::headers;
use super::scan;
use super::trouble::{RequestError, Retry, excerpt, reason};
use crate::api::{Failure, Reservation};
use crate::budget::Budget;
use crate::options::Options;
use model::{Error, ErrorCode, Progress};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Certificate, Method, Response, StatusCode, Url};
use secrecy::ExposeSecret;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;

const TOKEN_HEADER: &str = "private-token";
const MAX_REDIRECTS: usize = 5;
/// Of an answer that is not a success only the reason is read.
const MAX_REASON_BYTES: usize = 64 * 1024;
/// Tries for what is most likely not a passing fault.
const BRIEF_TRIES: u32 = 3;
/// Tries at an address that has never answered: it is likelier to be wrong
/// than to be down.
const FIRST_CONTACT_TRIES: u32 = 2;
/// "Too many requests" is no failure of the request, but not for ever either.
const RATE_LIMITED_PER_TRY: u32 = 4;
const WORTH_TELLING: Duration = Duration::from_millis(250);

/// What the body of an answer must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Array,
    Object,
}

/// A request: path and query relative to the API's root.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub path: String,
    pub query: String,
    pub shape: Shape,
    /// Fewer tries than configured for failures that asking for less may cure,
    /// when the caller is going to do that.
    pub max_tries_at_size: Option<u32>,
}

impl Call {
    pub fn object(path: impl Into<String>) -> Self {
        Call {
            path: path.into(),
            query: String::new(),
            shape: Shape::Object,
            max_tries_at_size: None,
        }
    }

    pub fn array(path: impl Into<String>, query: impl Into<String>) -> Self {
        Call {
            path: path.into(),
            query: query.into(),
            shape: Shape::Array,
            max_tries_at_size: None,
        }
    }

    /// For messages; the query is left out.
    pub fn words(&self) -> String {
        format!("GET {}", model::text::one_line(&self.path, 120))
    }
}

/// A request with a body.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub method: Method,
    pub path: String,
    /// JSON.
    pub body: String,
}

/// A write that failed.
#[derive(Debug)]
pub(super) struct WriteFailed {
    pub failure: Failure,
    /// No answer came, or one that does not say: it may have taken place.
    pub is_uncertain: bool,
    /// The token may read, and not do this.
    pub lacks_rights: bool,
}

/// A success: the body, where its items lie in it, and what the headers said.
#[derive(Debug)]
pub(super) struct Answer {
    pub body: Vec<u8>,
    pub items: Vec<Range<usize>>,
    pub headers: HeaderMap,
}

impl Answer {
    pub fn items(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.items.iter().map(|range| &self.body[range.clone()])
    }

    /// The one item of an answer that is an object.
    pub fn object(&self) -> &[u8] {
        self.items.first().map_or(&[], |range| &self.body[range.clone()])
    }
}

/// A failed request, with what callers may still do about it.
#[derive(Debug)]
pub(super) struct FailedRequest {
    pub failure: Failure,
    pub is_about_size: bool,
    pub is_too_large: bool,
    pub is_not_found: bool,
}

impl From<FailedRequest> for Failure {
    fn from(failed: FailedRequest) -> Self {
        failed.failure
    }
}

impl From<Failure> for FailedRequest {
    fn from(failure: Failure) -> Self {
        FailedRequest { failure, is_about_size: false, is_too_large: false, is_not_found: false }
    }
}

pub(super) struct Transport {
    address: Address,
    options: Options,
    token: HeaderValue,
    certificates: Vec<Certificate>,
    /// Made on first use: reading the system's certificates takes time, and a
    /// machine without any should still get as far as a proper message.
    http: OnceLock<reqwest::Client>,
    budget: Budget,
    progress: Arc<dyn Progress>,
    has_answered: AtomicBool,
    /// One for each large answer that may be in memory.
    large_answers: Arc<Semaphore>,
}

impl Transport {
    pub fn new(options: Options, progress: Arc<dyn Progress>) -> Result<Self, Error> {
        let address = Address::parse(&options.base_url)?;
        if !address.is_encrypted() && !address.is_loopback() {
            progress.note(&format!(
                "gitlab.base_url uses http: the token travels unencrypted to {}",
                address.host()
            ));
        }
        if options.requests_per_second.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return Err(Error::new(
                ErrorCode::ConfigInvalid,
                "the number of requests per second must be more than 0",
            )
            .suggest("set sync.requests_per_second to 10, or leave it out"));
        }
        let token = token_header(&options)?;
        let certificates = certificates(options.ca_pem.as_deref())?;
        let budget =
            Budget::new(options.requests_per_second, options.max_rate_wait, Arc::clone(&progress));
        Ok(Transport {
            large_answers: Arc::new(Semaphore::new(options.max_large_answers.max(1))),
            address,
            options,
            token,
            certificates,
            http: OnceLock::new(),
            budget,
            progress,
            has_answered: AtomicBool::new(false),
        })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Waits until another large answer may be held in memory. Whoever has a
    /// reservation never waits for a second one, so nobody waits for ever.
    pub async fn reserve(&self, held: &mut Reservation) {
        if held.is_held() {
            return;
        }
        // The semaphore is never closed.
        if let Ok(permit) = Arc::clone(&self.large_answers).acquire_owned().await {
            *held = permit.into();
        }
    }

    /// Sends `call` until it succeeds or trying again is no use. A large
    /// answer needs a reservation, which the caller keeps as long as the answer.
    pub async fn get(&self, call: &Call, held: &mut Reservation) -> Result<Answer, FailedRequest> {
        let url = self.address.url(&call.path, &call.query);
        let seed = seed(url.as_str());
        let mut tries = Tries::default();
        loop {
            let trouble = match self.try_once(url.clone(), call.shape, held).await {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            tries.count(&trouble);
            let is_known = self.has_answered.load(Ordering::Relaxed);
            if tries.are_enough(&trouble, self.options.max_attempts, call, is_known) {
                return Err(self.failed(trouble, call, tries.n_all()));
            }
            let is_rate_limit = trouble.retry() == Retry::WhenAllowed;
            let n_alike = if is_rate_limit { tries.n_limited } else { tries.n_failed };
            let wait = self.options.backoff.delay(n_alike, seed);
            match trouble.asked_to_wait() {
                Some(asked) => self.budget.pause(asked, "the server asked for a pause"),
                None if is_rate_limit => {
                    self.budget.pause(wait, "the server is taking no more requests for now");
                }
                None => {
                    if wait > WORTH_TELLING {
                        self.progress.waiting("trying again after a failed request", wait);
                    }
                    tokio::time::sleep(wait).await;
                }
            }
        }
    }

    /// Sends a body once. Whether a write that got no answer took place is not
    /// known here, so nothing is tried again: the caller looks first.
    pub async fn write(&self, write: &Write) -> Result<Answer, WriteFailed> {
        let words = format!("{} {}", write.method, model::text::one_line(&write.path, 120));
        let failed = |trouble: RequestError| WriteFailed {
            is_uncertain: matches!(trouble.retry(), Retry::Yes | Retry::Briefly),
            lacks_rights: trouble.lacks_rights(),
            failure: trouble.into_failure(&words, self.address.host(), 1),
        };
        self.write_once(write).await.map_err(failed)
    }

    async fn write_once(&self, write: &Write) -> Result<Answer, RequestError> {
        self.budget.acquire().await.map_err(RequestError::TooLong)?;
        let sent = self
            .http()?
            .request(write.method.clone(), self.address.url(&write.path, ""))
            .header(TOKEN_HEADER, self.token.clone())
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(write.body.clone())
            .send();
        let mut response = tokio::time::timeout(self.options.request_timeout, sent)
            .await
            .map_err(|_| RequestError::TimedOut)??;
        let status = response.status();
        if status.is_redirection() {
            // A body is sent to the configured address and nowhere else.
            let why = "the server redirects a request that writes".to_owned();
            return Err(RequestError::Redirected(why));
        }
        let headers = std::mem::take(response.headers_mut());
        if !status.is_success() {
            return Err(self.refusal(status, &headers, response).await);
        }
        let body = self.read_body(response, &mut Reservation::default()).await?;
        match scan::object(&body) {
            Some(whole) => Ok(Answer { body, items: vec![whole], headers }),
            None => Err(RequestError::NotJson(self.scrubbed(excerpt(&body)))),
        }
    }

    fn failed(&self, trouble: RequestError, call: &Call, n_tries: u32) -> FailedRequest {
        FailedRequest {
            is_about_size: trouble.is_about_size(),
            is_too_large: matches!(trouble, RequestError::TooLarge { .. }),
            is_not_found: trouble.is_not_found(),
            failure: trouble.into_failure(&call.words(), self.address.host(), n_tries),
        }
    }

    async fn try_once(
        &self,
        mut url: Url,
        shape: Shape,
        held: &mut Reservation,
    ) -> Result<Answer, RequestError> {
        let http = self.http()?;
        for _ in 0..=MAX_REDIRECTS {
            self.budget.acquire().await.map_err(RequestError::TooLong)?;
            let sent = http
                .get(url.clone())
                .header(TOKEN_HEADER, self.token.clone())
                .header(ACCEPT, HeaderValue::from_static("application/json"))
                .send();
            let mut response = tokio::time::timeout(self.options.request_timeout, sent)
                .await
                .map_err(|_| RequestError::TimedOut)??;
            self.has_answered.store(true, Ordering::Relaxed);
            if let Some(allowance) = headers::allowance(response.headers()) {
                self.budget.observe(allowance);
            }
            let status = response.status();
            if status.is_redirection() && response.headers().contains_key(LOCATION) {
                url = self.redirected(&url, response.headers())?;
                continue;
            }
            let headers = std::mem::take(response.headers_mut());
            if !status.is_success() {
                return Err(self.refusal(status, &headers, response).await);
            }
            let body = self.read_body(response, held).await?;
            let items = match shape {
                Shape::Array => scan::array(&body),
                Shape::Object => {
                    scan::object(&body).map(|whole| vec![whole]).ok_or(scan::Flaw::Broken)
                }
            };
            return match items {
                Ok(items) => Ok(Answer { body, items, headers }),
                Err(scan::Flaw::TooMany) => {
                    Err(RequestError::TooManyItems { limit: scan::MAX_ITEMS })
                }
                Err(scan::Flaw::Broken) => {
                    Err(RequestError::NotJson(self.scrubbed(excerpt(&body))))
                }
            };
        }
        Err(RequestError::Redirected("the server redirects in circles".to_owned()))
    }

    async fn refusal(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        mut response: Response,
    ) -> RequestError {
        let mut body = Vec::new();
        let pace = Pace::new(&self.options);
        // A refusal whose reason cannot be read to the end is still a refusal.
        while let Ok(true) = pace.read_on(&mut response, &mut body).await {
            if body.len() >= MAX_REASON_BYTES {
                body.truncate(MAX_REASON_BYTES);
                break;
            }
        }
        let retry_after = headers::retry_after(headers).or_else(|| {
            (status == StatusCode::TOO_MANY_REQUESTS).then(|| headers::resets_in(headers)).flatten()
        });
        RequestError::Status {
            status,
            reason: reason(&body).map(|reason| self.scrubbed(reason)),
            retry_after,
        }
    }

    /// Where to go next, on the configured origin and nowhere else.
    fn redirected(&self, from: &Url, headers: &HeaderMap) -> Result<Url, RequestError> {
        let target = headers
            .get(LOCATION)
            .and_then(|location| location.to_str().ok())
            .and_then(|location| from.join(location).ok());
        let Some(target) = target else {
            return Err(RequestError::Redirected("the server redirects to nowhere".to_owned()));
        };
        match self.address.redirected(&target) {
            Some(next) if next != *from => Ok(next),
            // Followed on our own origin it would lead back to where we are:
            // the server wants to be called by another address.
            _ => {
                let mut shown = target;
                shown.set_query(None);
                shown.set_fragment(None);
                let _ = (shown.set_username(""), shown.set_password(None));
                Err(RequestError::Redirected(format!(
                    "the server redirects to `{}`",
                    self.scrubbed(model::text::one_line(shown.as_str(), 100))
                )))
            }
        }
    }

    /// A server may repeat what it was sent; the token must not get into a
    /// message that way.
    fn scrubbed(&self, text: String) -> String {
        let token = self.options.token.expose_secret().trim();
        if text.contains(token) { text.replace(token, "[token]") } else { text }
    }

    fn http(&self) -> Result<&reqwest::Client, RequestError> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let http = self.build().map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let why = cause.unwrap_or_else(|| error.to_string());
            RequestError::Setup(format!(
                "no HTTP client could be set up: {}",
                model::text::one_line(&why, 120)
            ))
        })?;
        Ok(self.http.get_or_init(|| http))
    }

    fn build(&self) -> reqwest::Result<reqwest::Client> {
        // Fails only when a provider is installed already, which will do too.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(&self.options.user_agent)
            .connect_timeout(self.options.connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(20))
            .http2_keep_alive_timeout(Duration::from_secs(20));
        if self.address.is_loopback() {
            builder = builder.no_proxy();
        }
        if self.address.is_loopback() && !self.address.is_encrypted() {
            // No TLS will be spoken, so the system's certificates need not be read.
            builder = builder.tls_certs_only(Vec::new());
        } else if !self.certificates.is_empty() {
            builder = builder.tls_certs_merge(self.certificates.iter().cloned());
        }
        builder.build()
    }
}

/// How often one request went wrong, and in which ways.
#[derive(Debug, Default)]
struct Tries {
    n_failed: u32,
    /// Of these, so many that are most likely not passing faults …
    n_brief: u32,
    /// … and so many that asking for less may cure.
    n_about_size: u32,
    /// Refused for lack of allowance: not a failure of the request.
    n_limited: u32,
}

impl Tries {
    fn count(&mut self, trouble: &RequestError) {
        match trouble.retry() {
            Retry::WhenAllowed => self.n_limited += 1,
            retry => {
                self.n_failed += 1;
                self.n_brief += u32::from(retry == Retry::Briefly);
                self.n_about_size += u32::from(trouble.is_about_size());
            }
        }
    }

    fn n_all(&self) -> u32 {
        self.n_failed + self.n_limited
    }

    /// Whether to give up after `trouble`. `is_known` is whether the server
    /// has ever answered.
    fn are_enough(
        &self,
        trouble: &RequestError,
        max_tries: u32,
        call: &Call,
        is_known: bool,
    ) -> bool {
        match trouble.retry() {
            Retry::Never => true,
            Retry::WhenAllowed => self.n_limited >= max_tries.saturating_mul(RATE_LIMITED_PER_TRY),
            Retry::Yes | Retry::Briefly => {
                self.n_failed >= max_tries
                    || self.n_brief >= BRIEF_TRIES
                    || call.max_tries_at_size.is_some_and(|max| self.n_about_size >= max)
                    || (trouble.is_no_contact()
                        && !is_known
                        && self.n_failed >= FIRST_CONTACT_TRIES)
            }
        }
    }
}

/// Waits for the parts of one body, as long as they come soon and fast enough:
/// a byte now and then would otherwise hold a request for ever.
struct Pace<'a> {
    options: &'a Options,
    started: Instant,
    /// Not the server's fault.
    paused: Duration,
}

impl<'a> Pace<'a> {
    fn new(options: &'a Options) -> Self {
        Pace { options, started: Instant::now(), paused: Duration::ZERO }
    }

    /// Adds the next part to `body`; false after the last.
    async fn read_on(
        &self,
        response: &mut Response,
        body: &mut Vec<u8>,
    ) -> Result<bool, RequestError> {
        let time = |wait: Duration| self.started + self.paused + wait;
        let n_bytes = body.len();
        let earned = Duration::from_secs(n_bytes as u64 / self.options.min_bytes_per_second.max(1));
        let by_rate = time(self.options.slow_start.saturating_add(earned));
        let at_last = time(self.options.request_timeout);
        let deadline = by_rate.min(at_last).min(Instant::now() + self.options.idle_timeout);
        match tokio::time::timeout_at(deadline, response.chunk()).await {
            Ok(chunk) => {
                let chunk = chunk?;
                body.extend_from_slice(chunk.as_deref().unwrap_or_default());
                Ok(chunk.is_some())
            }
            Err(_) if deadline == by_rate => Err(RequestError::TooSlow { n_bytes }),
            Err(_) => Err(RequestError::TimedOut),
        }
    }
}

impl Transport {
    /// Reads a body to its end, or not at all when it is too large (measured
    /// decompressed: a small body may decompress to a huge one).
    async fn read_body(
        &self,
        mut response: Response,
        held: &mut Reservation,
    ) -> Result<Vec<u8>, RequestError> {
        let limit = self.options.max_body_bytes;
        let announced = response.content_length().unwrap_or(0);
        if announced > limit as u64 {
            return Err(RequestError::TooLarge { limit });
        }
        // What is announced need not come.
        let mut body = Vec::with_capacity((announced as usize).min(Options::SMALL_BYTES));
        let mut pace = Pace::new(&self.options);
        while pace.read_on(&mut response, &mut body).await? {
            if body.len() > limit {
                return Err(RequestError::TooLarge { limit });
            }
            if body.len() > Options::SMALL_BYTES && !held.is_held() {
                let since = Instant::now();
                self.reserve(held).await;
                pace.paused += since.elapsed();
            }
        }
        Ok(body)
    }
}

fn token_header(options: &Options) -> Result<HeaderValue, Error> {
    let token = options.token.expose_secret().trim();
    if token.is_empty() {
        return Err(Error::new(ErrorCode::TokenNotSet, "the GitLab token is empty")
            .suggest("create a token with the scope read_api"));
    }
    let mut header = HeaderValue::from_str(token).map_err(|_| {
        Error::new(ErrorCode::ConfigInvalid, "the GitLab token holds characters no token has")
            .suggest("check the token: it is one line of letters, digits, `-` and `_`")
    })?;
    header.set_sensitive(true);
    Ok(header)
}

fn certificates(pem: Option<&[u8]>) -> Result<Vec<Certificate>, Error> {
    let Some(pem) = pem else { return Ok(Vec::new()) };
    match Certificate::from_pem_bundle(pem) {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(Error::new(ErrorCode::ConfigInvalid, "gitlab.ca_file holds no PEM certificate")
            .suggest("it must contain at least one `-----BEGIN CERTIFICATE-----` block")),
    }
}

/// FNV-1a: spreads the waits of different URLs, nothing more.
fn seed(url: &str) -> u64 {
    url.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
