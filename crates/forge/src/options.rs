//! What a client needs to be told, with the values that suit most servers.

use model::backoff::Backoff;
use model::text::one_line;
use secrecy::SecretString;
use std::fmt;
use std::time::Duration;

#[derive(Clone)]
pub struct Options {
    /// As configured; checked by the client.
    pub base_url: String,
    pub token: SecretString,
    /// None sets no pace of our own; the server's limits are obeyed anyway.
    pub requests_per_second: Option<f64>,
    /// How often one request is tried before it counts as failed.
    pub max_attempts: u32,
    /// The waits between those tries.
    pub backoff: Backoff,
    pub connect_timeout: Duration,
    /// For the head of an answer, and again for its body.
    pub request_timeout: Duration,
    /// The longest silence within a body.
    pub idle_timeout: Duration,
    /// A body that comes more slowly than this is given up …
    pub min_bytes_per_second: u64,
    /// … once it had this long to gather speed.
    pub slow_start: Duration,
    /// For one page, decompressed.
    pub max_body_bytes: usize,
    /// For one list of a dependent, all its pages together.
    pub max_set_bytes: usize,
    /// Answers over [`Options::SMALL_BYTES`] held in memory at the same time,
    /// over all requests.
    pub max_large_answers: usize,
    /// A server that wants lore to wait longer than this is given up on.
    pub max_rate_wait: Duration,
    /// Certificates to trust besides the system's, as PEM.
    pub ca_pem: Option<Vec<u8>>,
    pub user_agent: String,
}

impl Options {
    /// Answers up to this size are not counted.
    pub const SMALL_BYTES: usize = 1024 * 1024;

    pub fn new(base_url: impl Into<String>, token: SecretString) -> Self {
        Options {
            base_url: base_url.into(),
            token,
            requests_per_second: Some(10.0),
            max_attempts: 5,
            backoff: Backoff { base: Duration::from_millis(200), cap: Duration::from_secs(30) },
            connect_timeout: Duration::from_secs(10),
            // GitLab itself gives up on a request after 60 seconds.
            request_timeout: Duration::from_secs(90),
            idle_timeout: Duration::from_secs(30),
            min_bytes_per_second: 1024,
            slow_start: Duration::from_secs(20),
            // A description has at most 1 MiB, and the smallest pages 20 of them.
            max_body_bytes: 32 * 1024 * 1024,
            max_set_bytes: 64 * 1024 * 1024,
            max_large_answers: 2,
            max_rate_wait: Duration::from_secs(15 * 60),
            ca_pem: None,
            user_agent: concat!("lore/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// By hand, so that neither the token nor a password pasted into the address
/// is ever shown.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("base_url", &shown(&self.base_url))
            .field("requests_per_second", &self.requests_per_second)
            .field("max_attempts", &self.max_attempts)
            .field("request_timeout", &self.request_timeout)
            .field("user_agent", &self.user_agent)
            .finish_non_exhaustive()
    }
}

/// An address fit for a message: what may carry a secret is cut off.
pub(crate) fn shown(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text = match text.rsplit_once('@') {
        Some((before, after)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            if scheme.is_empty() { after.to_owned() } else { format!("{scheme}://{after}") }
        }
        None => text.to_owned(),
    };
    one_line(&text, 120)
}
