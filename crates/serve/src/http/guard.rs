//! Who may ask: requests that name this server, come from no foreign web page,
//! and show the token where there is one.
//!
//! A browser lets any page send requests to loopback, and a page whose name
//! resolves to 127.0.0.1 even lets it read the answers; but it cannot choose the
//! `Host` and `Origin` it sends. So both are read strictly: what could be
//! understood in two ways is refused.

use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};
use model::hash::Hash32;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why a request is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Malformed(&'static str),
    Forbidden(&'static str),
    NoToken,
}

pub struct Guard {
    listening: IpAddr,
    /// Of the token; hashes are compared, so that time tells nothing of it.
    token: Option<Hash32>,
    /// Paths that are left to their own routes.
    exempt: Vec<&'static str>,
}

/// A host as a header names it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Ip(IpAddr),
    Name(String),
}

impl Guard {
    pub fn new(listening: IpAddr, token: Option<&str>) -> Self {
        let token = token.filter(|token| !token.is_empty());
        let token = token.map(|token| Hash32::of(token.as_bytes()));
        Guard { listening, token, exempt: Vec::new() }
    }

    /// Leaves these paths to routes that check a secret of their own.
    pub fn except(mut self, paths: Vec<&'static str>) -> Self {
        self.exempt = paths;
        self
    }

    pub fn check(&self, request: &Request) -> Result<(), Refusal> {
        let uri = request.uri();
        if uri.scheme().is_some() || uri.authority().is_some() {
            return Err(Refusal::Malformed("send the path alone, not a whole address\n"));
        }
        if self.exempt.contains(&uri.path()) {
            return Ok(());
        }
        let headers = request.headers();
        self.check_host(headers)?;
        check_origin(headers)?;
        self.check_token(headers)
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(value) = single(headers, &HOST)? else {
            return Err(Refusal::Malformed("a Host header is needed\n"));
        };
        let host = value.to_str().ok().and_then(host_and_port);
        let Some(host) = host else {
            return Err(Refusal::Malformed("the Host header is not a host and a port\n"));
        };
        if self.is_own(&host) {
            return Ok(());
        }
        Err(Refusal::Forbidden("the Host header does not name this server\n"))
    }

    /// Whether a host means this server. One that listens everywhere cannot
    /// know its names; the token, which it must have, is the proof then.
    fn is_own(&self, host: &Host) -> bool {
        is_local(host)
            || self.listening.is_unspecified()
            || *host == Host::Ip(self.listening.to_canonical())
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(wanted) = &self.token else { return Ok(()) };
        let shown = match single(headers, &AUTHORIZATION) {
            Ok(value) => value.and_then(bearer).map(|token| Hash32::of(token.as_bytes())),
            Err(_) => None,
        };
        match shown {
            Some(shown) if is_same(&shown, wanted) => Ok(()),
            _ => Err(Refusal::NoToken),
        }
    }
}

fn check_origin(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(value) = single(headers, &ORIGIN)? else { return Ok(()) };
    let origin = value.to_str().ok();
    let host = origin
        .and_then(|origin| {
            origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))
        })
        .and_then(host_and_port);
    // `null` is what files and sandboxed frames send.
    if host.is_some_and(|host| is_local(&host)) {
        return Ok(());
    }
    Err(Refusal::Forbidden("web pages may not ask\n"))
}

/// The only header of this name; two of one are understood differently by
/// different readers.
fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, Refusal> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (first, None) => Ok(first),
        _ => Err(Refusal::Malformed("a header came twice\n")),
    }
}

/// `Bearer …`; none where there is no token after it.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Looks at every byte, however early they differ.
fn is_same(one: &Hash32, other: &Hash32) -> bool {
    let differences =
        one.as_bytes().iter().zip(other.as_bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    differences == 0
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Ip(ip) => {
            [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(ip)
        }
        Host::Name(name) => name == "localhost",
    }
}

/// `localhost:7777`, `127.0.0.1`, `[::1]:7777`; none for anything else: no
/// user, no path, no zone, no dot at the end, no number in another form.
fn host_and_port(text: &str) -> Option<Host> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            (Host::Ip(IpAddr::V6(address.parse().ok()?)), port)
        }
        None => {
            let end = text.find(':').unwrap_or(text.len());
            (named(&text[..end])?, &text[end..])
        }
    };
    let is_port = |port: &str| {
        let digits = port.strip_prefix(':');
        digits.is_some_and(|digits| {
            digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.parse::<u16>().is_ok()
        })
    };
    (port.is_empty() || is_port(port)).then_some(host)
}

fn named(host: &str) -> Option<Host> {
    if let Ok(ip) = host.parse::<Ipv4Addr>() {
        return Some(Host::Ip(IpAddr::V4(ip)));
    }
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let is_name = host.len() <= 253 && host.split('.').all(is_label);
    is_name.then(|| Host::Name(host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use proptest::prelude::*;

    fn request(target: &str, headers: &[(&str, &[u8])]) -> Request {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, HeaderValue::from_bytes(value).unwrap());
        }
        request.body(Body::empty()).unwrap()
    }

    fn verdict(guard: &Guard, headers: &[(&str, &[u8])]) -> u16 {
        match guard.check(&request("/mcp", headers)) {
            Ok(()) => 200,
            Err(Refusal::Malformed(_)) => 400,
            Err(Refusal::Forbidden(_)) => 403,
            Err(Refusal::NoToken) => 401,
        }
    }

    fn loopback() -> Guard {
        Guard::new(Ipv4Addr::LOCALHOST.into(), None)
    }

    #[test]
    fn only_hosts_that_name_this_server_pass() {
        for (host, expected) in [
            ("127.0.0.1:7777", 200),
            ("127.0.0.1", 200),
            ("localhost:7777", 200),
            ("LOCALHOST", 200),
            ("[::1]:7777", 200),
            ("[::1]", 200),
            ("", 400),
            (":7777", 400),
            ("evil@127.0.0.1", 400),
            ("evil:x@127.0.0.1:80", 400),
            ("127.0.0.1@evil.example", 400),
            ("localhost.", 400),
            ("127.0.0.1.", 400),
            ("[::1%eth0]", 400),
            ("[::1", 400),
            ("::1", 400),
            ("[::1]x", 400),
            ("127.0.0.1:", 400),
            ("127.0.0.1:99999", 400),
            ("127.0.0.1:+80", 400),
            ("127.0.0.1:80:80", 400),
            ("127.0.0.1/x", 400),
            ("localhost, evil.example", 400),
            ("evil.example", 403),
            ("127.0.0.1.evil.example", 403),
            ("127.0.0.1.nip.io", 403),
            ("localhost.evil.example", 403),
            ("0.0.0.0", 403),
            ("127.1", 403),
            ("0x7f000001", 403),
            ("2130706433", 403),
            ("[::ffff:127.0.0.1]", 403),
            ("192.168.0.7", 403),
        ] {
            assert_eq!(verdict(&loopback(), &[("host", host.as_bytes())]), expected, "{host:?}");
        }
        let twice: [(&str, &[u8]); 2] = [("host", b"127.0.0.1"), ("host", b"127.0.0.1")];
        assert_eq!(verdict(&loopback(), &twice), 400);
        assert_eq!(verdict(&loopback(), &[]), 400);
        assert_eq!(verdict(&loopback(), &[("host", b"127.0.0.1\xff")]), 400);
    }

    #[test]
    fn a_whole_address_is_refused_whoever_it_names() {
        for target in ["http://evil.example/mcp", "http://127.0.0.1:7777/mcp", "evil.example:80"] {
            let refused = loopback().check(&request(target, &[("host", b"127.0.0.1")]));
            assert!(matches!(refused, Err(Refusal::Malformed(_))), "{target}: {refused:?}");
        }
    }

    #[test]
    fn web_pages_pass_only_from_this_machine() {
        for (origin, expected) in [
            ("http://localhost:3000", 200),
            ("https://127.0.0.1", 200),
            ("http://[::1]:8080", 200),
            ("null", 403),
            ("", 403),
            ("https://evil.example", 403),
            ("http://localhost.evil.example", 403),
            ("http://localhost@evil.example", 403),
            ("http://evil@localhost", 403),
            ("http://localhost/", 403),
            ("file://", 403),
            ("moz-extension://localhost", 403),
        ] {
            let headers: [(&str, &[u8]); 2] =
                [("host", b"127.0.0.1"), ("origin", origin.as_bytes())];
            assert_eq!(verdict(&loopback(), &headers), expected, "{origin:?}");
        }
        let twice: [(&str, &[u8]); 3] = [
            ("host", b"127.0.0.1"),
            ("origin", b"http://localhost"),
            ("origin", b"https://evil.example"),
        ];
        assert_eq!(verdict(&loopback(), &twice), 400);
    }

    #[test]
    fn a_token_is_shown_once_and_exactly() {
        let guard = Guard::new(Ipv4Addr::UNSPECIFIED.into(), Some("s3cret"));
        let with = |shown: &[&[u8]]| {
            let mut headers: Vec<(&str, &[u8])> = vec![("host", b"anything.example")];
            headers.extend(shown.iter().map(|shown| ("authorization", *shown)));
            verdict(&guard, &headers)
        };
        assert_eq!(with(&[b"Bearer s3cret"]), 200);
        assert_eq!(with(&[b"bearer   s3cret "]), 200);
        for shown in [
            &b"Bearer wrong"[..],
            b"Bearer s3cre",
            b"Bearer s3crets",
            b"Bearer S3CRET",
            b"Bearer ",
            b"Bearer",
            b"",
            b"s3cret",
            b"Basic s3cret",
            b"Bearer s3cret\xc3\xa9",
            b"Bearer s3cret, Bearer s3cret",
        ] {
            assert_eq!(with(&[shown]), 401, "{}", String::from_utf8_lossy(shown));
        }
        assert_eq!(with(&[]), 401);
        assert_eq!(with(&[b"Bearer s3cret", b"Bearer s3cret"]), 401);
        assert_eq!(with(&[b"Bearer wrong", b"Bearer s3cret"]), 401);
    }

    proptest! {
        #[test]
        fn no_host_but_a_local_one_passes(host in "[ -~]{0,30}") {
            if verdict(&loopback(), &[("host", host.as_bytes())]) == 200 {
                let name = host.to_ascii_lowercase();
                let bare = name.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'));
                let bare = bare.map_or(name.as_str(), |(bare, _)| bare);
                prop_assert!(
                    ["localhost", "127.0.0.1"].contains(&bare) || name.starts_with('['),
                    "{host}"
                );
            }
        }
    }
}
