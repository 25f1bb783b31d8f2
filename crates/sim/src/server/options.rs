//! How the simulated server presents itself: tokens, release, limits.

use crate::fault::FaultPlan;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Options {
    /// 0: any free port.
    pub port: u16,
    pub tokens: Vec<Token>,
    /// Scheme, host and port in `Link`, `Location` and `_links`, as GitLab
    /// takes them from its configuration; `None`: those of this server.
    pub link_base: Option<String>,
    pub release: Release,
    /// What the `Date` header says.
    pub date: DateHeader,
    pub rate_limit: Option<RateLimit>,
    /// Compress for clients that accept it.
    pub gzip: bool,
    pub faults: FaultPlan,
    /// The virtual clock moves on by this with every request.
    pub tick_per_request: Duration,
    /// Rows above which totals and `rel="last"` are left out.
    pub totals_limit: usize,
    /// `/diffs` answers 500 when more files than this are asked for at once.
    pub diffs_fail_above: Option<u64>,
    /// `diff_refs` and `changes_count` are null for this long after a push.
    pub diff_delay: Duration,
    /// Adds a key no client knows to issues, merge requests, notes and events.
    pub unknown_keys: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            port: 0,
            tokens: Token::usual(),
            link_base: None,
            release: Release::default(),
            date: DateHeader::Virtual,
            rate_limit: None,
            gzip: true,
            faults: FaultPlan::default(),
            tick_per_request: Duration::ZERO,
            totals_limit: 10_000,
            diffs_fail_above: None,
            diff_delay: Duration::ZERO,
            unknown_keys: false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateHeader {
    /// The world's clock.
    Virtual,
    /// The machine's clock.
    Real,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenStatus {
    Valid,
    Expired,
    Revoked,
    /// Good, but without `read_api`.
    LacksScope,
    /// `read_api` without `api`: good for reading, for nothing else.
    ReadsOnly,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub secret: String,
    pub status: TokenStatus,
    /// Whose token; `None`: the first user's.
    pub username: Option<String>,
    /// Reporters and above see confidential issues and internal notes;
    /// others only issues they wrote or are assigned to.
    pub is_reporter: bool,
}

impl Token {
    pub const VALID: &'static str = "sim-token";
    pub const EXPIRED: &'static str = "sim-token-expired";
    pub const REVOKED: &'static str = "sim-token-revoked";
    pub const NO_SCOPE: &'static str = "sim-token-no-scope";
    pub const GUEST: &'static str = "sim-token-guest";
    pub const READ_ONLY: &'static str = "sim-token-read-only";

    fn new(secret: &str, status: TokenStatus, is_reporter: bool) -> Self {
        Token { secret: secret.to_owned(), status, username: None, is_reporter }
    }

    /// One of each kind.
    pub fn usual() -> Vec<Token> {
        vec![
            Token::new(Token::VALID, TokenStatus::Valid, true),
            Token::new(Token::EXPIRED, TokenStatus::Expired, true),
            Token::new(Token::REVOKED, TokenStatus::Revoked, true),
            Token::new(Token::NO_SCOPE, TokenStatus::LacksScope, true),
            Token::new(Token::GUEST, TokenStatus::Valid, false),
            Token::new(Token::READ_ONLY, TokenStatus::ReadsOnly, true),
        ]
    }
}

/// `RateLimit-*` headers on every answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests per minute.
    pub limit: u64,
    /// Answer 429 above the limit; otherwise the headers only count.
    pub enforce: bool,
    /// Whether the 429 carries `Retry-After`.
    pub retry_after: bool,
}

/// What state events say about their source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// The keys do not exist (18.2 and older).
    Absent,
    /// The keys exist and are always null.
    Null,
    Set,
}

/// Which GitLab this claims to be, as far as a client can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: String,
    pub sources: Sources,
    /// `/-/work_items/2` instead of `/-/issues/2`.
    pub work_item_urls: bool,
    /// Discussions carry `resolvable`.
    pub discussion_resolvable: bool,
    /// Project issues can be paged by cursor.
    pub keyset_issues: bool,
    /// `/diffs` exists (15.7); before, only `/changes`.
    pub has_diffs: bool,
    /// Diffs carry `collapsed` and `too_large`.
    pub diff_flags: bool,
    /// Former project paths answer 301; before 16.4 they were followed silently.
    pub redirects: bool,
    /// Labels carry `text_color`; issues `start_date`, `imported` …
    pub newer_keys: bool,
    /// Issues carry `weight` and `health_status`.
    pub enterprise: bool,
}

impl Default for Release {
    fn default() -> Self {
        Release {
            version: "18.5.1".to_owned(),
            sources: Sources::Set,
            work_item_urls: false,
            discussion_resolvable: true,
            keyset_issues: true,
            has_diffs: true,
            diff_flags: true,
            redirects: true,
            newer_keys: true,
            enterprise: false,
        }
    }
}

impl Release {
    /// July 2025: no sources on state events, no cursor for issues.
    pub fn v18_2() -> Self {
        Release {
            version: "18.2.1-ee".to_owned(),
            sources: Sources::Absent,
            discussion_resolvable: false,
            keyset_issues: false,
            diff_flags: false,
            enterprise: true,
            ..Release::default()
        }
    }

    pub fn v19_0() -> Self {
        Release { version: "19.0.0-pre".to_owned(), work_item_urls: true, ..Release::default() }
    }

    /// An old installation that nobody upgraded.
    pub fn v13_0() -> Self {
        Release {
            version: "13.0.4".to_owned(),
            has_diffs: false,
            redirects: false,
            newer_keys: false,
            enterprise: false,
            ..Release::v18_2()
        }
    }
}
