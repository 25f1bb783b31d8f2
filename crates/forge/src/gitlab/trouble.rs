//! What can go wrong with one request, whether trying again may help, and how
//! it is told.

use crate::api::{Failure, FailureKind};
use crate::budget::TooLong;
use model::text::one_line;
use reqwest::StatusCode;
use std::error::Error as StdError;
use std::io;
use std::time::Duration;

/// How much of a server's own words is repeated in a message.
const EXCERPT: usize = 80;

#[derive(Debug)]
pub(super) enum RequestError {
    /// Any answer that is not a success, with the server's reason.
    Status {
        status: StatusCode,
        reason: Option<String>,
        retry_after: Option<Duration>,
    },
    /// The wait the server asks for is too long.
    TooLong(TooLong),
    TimedOut,
    Refused,
    NoSuchHost,
    Tls(String),
    /// No connection came about, for another reason than the above.
    NoConnection(String),
    /// The connection broke, before or in the middle of the answer.
    Broken(String),
    /// A success whose body is cut off or not JSON.
    NotJson(String),
    TooLarge {
        limit: usize,
    },
    /// More items than any page of GitLab's has.
    TooManyItems {
        limit: usize,
    },
    /// A body that comes, but so slowly that it is no use to wait for it.
    TooSlow {
        n_bytes: usize,
    },
    /// Sent somewhere the token may not go, or in circles.
    Redirected(String),
    /// No HTTP client could be made.
    Setup(String),
}

/// Whether the same request may succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    Never,
    /// As often as configured.
    Yes,
    /// A few times: most likely it is not a passing fault.
    Briefly,
    /// The server has too much to do; that is not a failed try.
    WhenAllowed,
}

impl RequestError {
    pub fn retry(&self) -> Retry {
        match self {
            RequestError::Status { status, .. } => match status.as_u16() {
                429 => Retry::WhenAllowed,
                408 | 500 | 502 | 503 | 504 | 520..=529 => Retry::Yes,
                _ => Retry::Never,
            },
            RequestError::TimedOut
            | RequestError::Broken(_)
            | RequestError::Refused
            | RequestError::NoSuchHost
            | RequestError::NoConnection(_) => Retry::Yes,
            RequestError::NotJson(_) | RequestError::TooSlow { .. } => Retry::Briefly,
            RequestError::TooLong(_)
            | RequestError::Tls(_)
            | RequestError::TooLarge { .. }
            | RequestError::TooManyItems { .. }
            | RequestError::Redirected(_)
            | RequestError::Setup(_) => Retry::Never,
        }
    }

    /// The pause the server asks for, if it asks for any.
    pub fn asked_to_wait(&self) -> Option<Duration> {
        match self {
            RequestError::Status { retry_after, .. } => retry_after.filter(|wait| !wait.is_zero()),
            _ => None,
        }
    }

    /// Nothing answered at all: the address may be wrong.
    pub fn is_no_contact(&self) -> bool {
        matches!(
            self,
            RequestError::Refused | RequestError::NoSuchHost | RequestError::NoConnection(_)
        )
    }

    /// Asking for less at once may help.
    pub fn is_about_size(&self) -> bool {
        match self {
            RequestError::TooLarge { .. }
            | RequestError::TimedOut
            | RequestError::TooSlow { .. } => true,
            RequestError::Status { status, .. } => status.is_server_error(),
            _ => false,
        }
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, RequestError::Status { status, .. } if matches!(status.as_u16(), 404 | 410))
    }

    /// The server knows who asks, and does not let them.
    pub fn lacks_rights(&self) -> bool {
        matches!(self, RequestError::Status { status, .. } if matches!(status.as_u16(), 401 | 403))
    }

    /// A few words, such as `502 Bad Gateway` or `timed out`.
    fn words(&self, host: &str) -> String {
        match self {
            RequestError::Status { status, reason, .. } => match reason {
                Some(reason) if reason == status.as_str() => status_line(*status),
                // GitLab begins its reasons with the status already.
                Some(reason) if reason.starts_with(status.as_str()) => reason.clone(),
                Some(reason) => format!("{}: {reason}", status_line(*status)),
                None => status_line(*status),
            },
            RequestError::TooLong(too_long) => too_long.to_string(),
            RequestError::TimedOut => "timed out".to_owned(),
            RequestError::Refused => format!("`{host}` refused the connection"),
            RequestError::NoSuchHost => format!("the host `{host}` is not known"),
            RequestError::Tls(why) => format!("no secure connection to `{host}`: {why}"),
            RequestError::NoConnection(why) => format!("no connection to `{host}`: {why}"),
            RequestError::Broken(why) => format!("the connection broke: {why}"),
            RequestError::NotJson(excerpt) if excerpt.is_empty() => {
                "the answer is empty, not JSON".to_owned()
            }
            RequestError::NotJson(excerpt) => format!("the answer is not whole JSON: `{excerpt}`"),
            RequestError::TooLarge { limit } => {
                format!("the answer is larger than {} MiB", limit / (1024 * 1024))
            }
            RequestError::TooManyItems { limit } => format!("one page has more than {limit} items"),
            RequestError::TooSlow { n_bytes } => {
                format!("the answer comes too slowly: {n_bytes} bytes so far")
            }
            RequestError::Redirected(why) | RequestError::Setup(why) => why.clone(),
        }
    }

    fn kind(&self) -> FailureKind {
        match self {
            RequestError::Status { status, reason, .. } => match status.as_u16() {
                401 => FailureKind::Unauthorized,
                403 if reason.as_deref().is_some_and(|why| why.contains("insufficient_scope")) => {
                    FailureKind::Unauthorized
                }
                403 => FailureKind::Forbidden,
                404 | 410 => FailureKind::Gone,
                429 => FailureKind::RateLimited,
                408 | 500..=599 => FailureKind::Unreachable,
                _ => FailureKind::Unreadable,
            },
            RequestError::TooLong(_) => FailureKind::RateLimited,
            RequestError::NotJson(_)
            | RequestError::TooLarge { .. }
            | RequestError::TooManyItems { .. } => FailureKind::Unreadable,
            RequestError::TimedOut
            | RequestError::TooSlow { .. }
            | RequestError::Refused
            | RequestError::NoSuchHost
            | RequestError::Tls(_)
            | RequestError::NoConnection(_)
            | RequestError::Broken(_)
            | RequestError::Redirected(_)
            | RequestError::Setup(_) => FailureKind::Unreachable,
        }
    }

    fn suggestion(&self) -> Option<&'static str> {
        Some(match self {
            RequestError::Status { status, .. } => match (self.kind(), status.as_u16()) {
                (FailureKind::Unauthorized, _) => {
                    "check the token: it needs the scope read_api and must be neither expired nor revoked"
                }
                (FailureKind::Forbidden, _) => {
                    "check that the token's owner may read this, and that the feature is switched on"
                }
                (FailureKind::Gone, _) => {
                    "check that it exists and that the token's owner may see it"
                }
                (FailureKind::RateLimited, _) => "wait a while, or lower sync.requests_per_second",
                (FailureKind::Unreachable, _) => "the server has a problem; try again later",
                _ => return None,
            },
            RequestError::TooLong(_) => "run it again when the server's rate limit has reset",
            RequestError::TimedOut | RequestError::TooSlow { .. } => {
                "check the network, or try again when the server is less busy"
            }
            RequestError::Refused => "is the server running, and is gitlab.base_url right?",
            RequestError::NoSuchHost => "check gitlab.base_url and the network",
            RequestError::Tls(_) => {
                "if the server's certificate comes from a private authority, name its file in gitlab.ca_file"
            }
            RequestError::NoConnection(_) | RequestError::Broken(_) => {
                "check the network and try again"
            }
            RequestError::NotJson(_) => "is this really a GitLab server? check gitlab.base_url",
            RequestError::TooLarge { .. } | RequestError::TooManyItems { .. } => return None,
            RequestError::Redirected(_) => "set gitlab.base_url to the address the server goes by",
            RequestError::Setup(_) => {
                "install the system's CA certificates, or name a file in gitlab.ca_file"
            }
        })
    }

    /// `what` is the request, such as `GET projects/42/issues`.
    pub fn into_failure(self, what: &str, host: &str, n_tries: u32) -> Failure {
        let kind = self.kind();
        let words = self.words(host);
        let message = match (kind, &self) {
            (FailureKind::Unauthorized, _) => format!("GitLab refused the token: {words}"),
            (_, RequestError::TooLong(_)) => format!("{what} was not sent: {words}"),
            _ if n_tries > 1 => format!("{what} failed {n_tries} times, last: {words}"),
            _ => format!("{what} failed: {words}"),
        };
        let failure = Failure::new(kind, message);
        match self.suggestion() {
            Some(suggestion) => failure.suggest(suggestion),
            None => failure,
        }
    }
}

impl From<reqwest::Error> for RequestError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return RequestError::TimedOut;
        }
        let causes = causes(&error);
        let is_connect = error.is_connect();
        for cause in &causes {
            if let Some(tls) = cause.downcast_ref::<rustls::Error>()
                && is_connect
            {
                return RequestError::Tls(tls_words(tls));
            }
            if let Some(io) = cause.downcast_ref::<io::Error>()
                && io.kind() == io::ErrorKind::ConnectionRefused
            {
                return RequestError::Refused;
            }
        }
        // The outermost error names the URL; the inner ones do not.
        let deepest = causes.last().map(ToString::to_string).unwrap_or_default();
        let deepest = deepest.split(" (os error").next().unwrap_or_default();
        if is_connect && causes.iter().any(|cause| cause.to_string().starts_with("dns error")) {
            return RequestError::NoSuchHost;
        }
        let why = one_line(deepest, EXCERPT);
        if is_connect { RequestError::NoConnection(why) } else { RequestError::Broken(why) }
    }
}

/// The chain of causes, outermost first. An I/O error hides the error it wraps
/// from `source`, so those are opened.
fn causes<'a>(error: &'a reqwest::Error) -> Vec<&'a (dyn StdError + 'static)> {
    let mut found: Vec<&'a (dyn StdError + 'static)> = Vec::new();
    let mut next = StdError::source(error);
    while let Some(cause) = next {
        found.push(cause);
        next = match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn StdError + 'static)),
            None => cause.source(),
        };
        if found.len() > 16 {
            break;
        }
    }
    found
}

fn tls_words(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(why) => {
            format!("its certificate is not trusted ({})", one_line(&format!("{why:?}"), EXCERPT))
        }
        rustls::Error::InvalidMessage(_) => {
            "it does not speak TLS there; the address may need http or another port".to_owned()
        }
        other => one_line(&other.to_string(), EXCERPT),
    }
}

fn status_line(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_str()),
        None => status.as_str().to_owned(),
    }
}

/// The server's reason from the body of a refusal: JSON with `message` (text,
/// list or object) or `error`, HTML from a proxy, or plain text.
pub(super) fn reason(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let said = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Object(fields)) => {
            let said: Vec<String> = ["message", "error", "error_description"]
                .iter()
                .filter_map(|key| fields.get(*key))
                .map(plain)
                .collect();
            said.join(": ")
        }
        Ok(other) => plain(&other),
        Err(_) if text.trim_start().starts_with('<') => html_title(&text),
        Err(_) => text.into_owned(),
    };
    Some(one_line(&said, 160)).filter(|said| !said.is_empty())
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        serde_json::Value::Object(fields) => {
            fields.values().map(plain).collect::<Vec<_>>().join(", ")
        }
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn html_title(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|start| {
        let start = start + lower[start..].find('>')? + 1;
        Some(start..start + lower[start..].find('<')?)
    });
    title.and_then(|range| html.get(range)).unwrap_or_default().to_owned()
}

/// The beginning of a body that is not what was expected.
pub(super) fn excerpt(body: &[u8]) -> String {
    let head = &body[..body.len().min(EXCERPT * 4)];
    one_line(&String::from_utf8_lossy(head), EXCERPT)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn answered(status: u16, body: &str) -> RequestError {
        RequestError::Status {
            status: StatusCode::from_u16(status).unwrap(),
            reason: reason(body.as_bytes()),
            retry_after: None,
        }
    }

    #[test]
    fn only_passing_faults_are_tried_again() {
        let table: Vec<String> = [
            301, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422, 429, 500, 501, 502, 503, 504,
            520, 522, 529, 599,
        ]
        .into_iter()
        .map(|status| {
            let trouble = answered(status, "");
            format!("{status} {:?} {:?}", trouble.retry(), trouble.kind())
        })
        .collect();
        expect![[r#"
            301 Never Unreadable
            400 Never Unreadable
            401 Never Unauthorized
            403 Never Forbidden
            404 Never Gone
            405 Never Unreadable
            408 Yes Unreachable
            409 Never Unreadable
            410 Never Gone
            418 Never Unreadable
            422 Never Unreadable
            429 WhenAllowed RateLimited
            500 Yes Unreachable
            501 Never Unreachable
            502 Yes Unreachable
            503 Yes Unreachable
            504 Yes Unreachable
            520 Yes Unreachable
            522 Yes Unreachable
            529 Yes Unreachable
            599 Never Unreachable"#]]
        .assert_eq(&table.join("\n"));
    }

    #[test]
    fn a_servers_reason_is_found_in_every_kind_of_body() {
        let table: Vec<String> = [
            r#"{"message":"404 Project Not Found"}"#,
            r#"{"message":{"error":"This endpoint has been requested too many times."}}"#,
            r#"{"message":["is too long","is blank"]}"#,
            r#"{"error":"insufficient_scope","error_description":"The request requires higher privileges","scope":"api"}"#,
            r#"{"error":"state does not have a valid value"}"#,
            r#"{"unknown":1}"#,
            r#""just text""#,
            "<html><head><title>GitLab is not responding</title></head></html>",
            "<!DOCTYPE html><p>no title",
            "Retry later\n",
            "",
            "\u{1b}[31mred",
        ]
        .into_iter()
        .map(|body| format!("{:?}", reason(body.as_bytes())))
        .collect();
        expect![[r#"
            Some("404 Project Not Found")
            Some("This endpoint has been requested too many times.")
            Some("is too long, is blank")
            Some("insufficient_scope: The request requires higher privileges")
            Some("state does not have a valid value")
            None
            Some("just text")
            Some("GitLab is not responding")
            None
            Some("Retry later")
            None
            Some("[31mred")"#]]
        .assert_eq(&table.join("\n"));
    }

    #[test]
    fn failures_say_what_happened_and_what_to_do() {
        let table: Vec<String> = [
            (answered(502, "<html><title>502</title>"), 5),
            (answered(503, ""), 5),
            (answered(401, r#"{"message":"401 Unauthorized"}"#), 1),
            (
                answered(
                    401,
                    r#"{"error":"invalid_token","error_description":"Token was revoked."}"#,
                ),
                1,
            ),
            (answered(403, r#"{"error":"insufficient_scope","error_description":"More."}"#), 1),
            (answered(403, r#"{"message":"403 Forbidden"}"#), 1),
            (answered(404, r#"{"message":"404 Not found"}"#), 1),
            (answered(429, "Retry later"), 20),
            (answered(400, r#"{"error":"page does not have a valid value"}"#), 1),
            (RequestError::TooLong(TooLong { wait: Duration::from_secs(3600) }), 1),
            (RequestError::TimedOut, 5),
            (RequestError::Refused, 2),
            (RequestError::NoSuchHost, 2),
            (RequestError::Tls("its certificate is not trusted (UnknownIssuer)".to_owned()), 1),
            (RequestError::Broken("connection reset by peer".to_owned()), 5),
            (RequestError::NotJson("<html>Sign in".to_owned()), 3),
            (RequestError::NotJson(String::new()), 3),
            (RequestError::TooLarge { limit: 64 << 20 }, 1),
        ]
        .into_iter()
        .map(|(trouble, tries)| {
            let failure = trouble.into_failure("GET projects/42/issues", "gl.test", tries);
            format!(
                "{:?}: {}\n  {}",
                failure.kind,
                failure,
                failure.error.suggestion().unwrap_or("-")
            )
        })
        .collect();
        expect![[r#"
            Unreachable: GET projects/42/issues failed 5 times, last: 502 Bad Gateway
              the server has a problem; try again later
            Unreachable: GET projects/42/issues failed 5 times, last: 503 Service Unavailable
              the server has a problem; try again later
            Unauthorized: GitLab refused the token: 401 Unauthorized
              check the token: it needs the scope read_api and must be neither expired nor revoked
            Unauthorized: GitLab refused the token: 401 Unauthorized: invalid_token: Token was revoked.
              check the token: it needs the scope read_api and must be neither expired nor revoked
            Unauthorized: GitLab refused the token: 403 Forbidden: insufficient_scope: More.
              check the token: it needs the scope read_api and must be neither expired nor revoked
            Forbidden: GET projects/42/issues failed: 403 Forbidden
              check that the token's owner may read this, and that the feature is switched on
            Gone: GET projects/42/issues failed: 404 Not found
              check that it exists and that the token's owner may see it
            RateLimited: GET projects/42/issues failed 20 times, last: 429 Too Many Requests: Retry later
              wait a while, or lower sync.requests_per_second
            Unreadable: GET projects/42/issues failed: 400 Bad Request: page does not have a valid value
              -
            RateLimited: GET projects/42/issues was not sent: the server asks to wait 1h 00m
              run it again when the server's rate limit has reset
            Unreachable: GET projects/42/issues failed 5 times, last: timed out
              check the network, or try again when the server is less busy
            Unreachable: GET projects/42/issues failed 2 times, last: `gl.test` refused the connection
              is the server running, and is gitlab.base_url right?
            Unreachable: GET projects/42/issues failed 2 times, last: the host `gl.test` is not known
              check gitlab.base_url and the network
            Unreachable: GET projects/42/issues failed: no secure connection to `gl.test`: its certificate is not trusted (UnknownIssuer)
              if the server's certificate comes from a private authority, name its file in gitlab.ca_file
            Unreachable: GET projects/42/issues failed 5 times, last: the connection broke: connection reset by peer
              check the network and try again
            Unreadable: GET projects/42/issues failed 3 times, last: the answer is not whole JSON: `<html>Sign in`
              is this really a GitLab server? check gitlab.base_url
            Unreadable: GET projects/42/issues failed 3 times, last: the answer is empty, not JSON
              is this really a GitLab server? check gitlab.base_url
            Unreadable: GET projects/42/issues failed: the answer is larger than 64 MiB
              -"#]]
        .assert_eq(&table.join("\n"));
    }

    proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = (reason(&body), excerpt(&body));
        }

        #[test]
        fn titles_are_cut_at_character_borders(text in "<title[>é<İ]{0,20}") {
            let _ = reason(text.as_bytes());
        }
    }
}
