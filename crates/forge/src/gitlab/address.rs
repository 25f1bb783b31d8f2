//! Where the server is: the configured `base_url`, checked once, and the URLs
//! built from it.

use crate::options::shown;
use model::text::one_line;
use model::{Error, ErrorCode, Result};
use reqwest::Url;
use std::fmt::Write;

/// The part of every URL between the server's root and what is asked for.
const API: &str = "/api/v4";

/// The root of one server's API.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// Ends with `/api/v4/`.
    api: Url,
    /// The relative URL root, such as `/gitlab`; mostly empty.
    prefix: String,
    host: String,
    is_loopback: bool,
}

impl Address {
    /// Takes what people paste: with or without a trailing slash, with a
    /// relative URL root, with `/api/v4` still on it.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let shown = shown(text);
        let mut url = Url::parse(text).map_err(|_| {
            invalid(format!("gitlab.base_url `{shown}` is not a web address"))
                .suggest("write it like https://gitlab.example.com")
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(format!(
                "gitlab.base_url `{shown}` has the scheme `{}`, not https or http",
                one_line(url.scheme(), 20)
            ))
            .suggest("write it like https://gitlab.example.com"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("gitlab.base_url holds a user name or password")
                .suggest("leave them out; lore signs in with a token"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid(format!("gitlab.base_url `{shown}` holds a query or fragment"))
                .suggest("write only the server's address, like https://gitlab.example.com"));
        }
        let Some(host) = url.host_str().filter(|host| !host.is_empty()).map(str::to_owned) else {
            return Err(invalid(format!("gitlab.base_url `{shown}` names no host"))
                .suggest("write it like https://gitlab.example.com"));
        };
        let path = url.path().trim_end_matches('/');
        let prefix = path.strip_suffix(API).unwrap_or(path).trim_end_matches('/').to_owned();
        url.set_path(&format!("{prefix}{API}/"));
        let is_loopback = is_loopback(&host);
        Ok(Address { api: url, prefix, host, is_loopback })
    }

    /// `path` is relative to the API's root and already encoded.
    pub fn url(&self, path: &str, query: &str) -> Url {
        let mut url = self.api.clone();
        url.set_path(&format!("{}{path}", self.api.path()));
        url.set_query(Some(query).filter(|query| !query.is_empty()));
        url
    }

    /// Where to go on this server when it says "moved to `target`".
    ///
    /// A server behind a tunnel or proxy names itself by another address than
    /// the one it was reached at. Only what is asked for is taken from there;
    /// the token never goes to another origin than the configured one.
    pub fn redirected(&self, target: &Url) -> Option<Url> {
        let api_path = format!("{API}/");
        let (_, path) = target.path().split_once(&api_path)?;
        if target.origin() == self.api.origin() {
            let mut same = target.clone();
            same.set_fragment(None);
            return Some(same);
        }
        Some(self.url(path, target.query().unwrap_or_default()))
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    pub fn is_encrypted(&self) -> bool {
        self.api.scheme() == "https"
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.api.as_str().trim_end_matches('/').trim_end_matches(API))
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ConfigInvalid, message)
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<std::net::IpAddr>().map_or_else(
        |_| bare == "localhost" || bare.ends_with(".localhost"),
        |address| address.is_loopback(),
    )
}

/// One path segment or query value, with everything but the unreserved
/// characters encoded: `group/project` becomes `group%2Fproject`.
pub(super) fn encode(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_paste_an_address_leads_to_its_api() {
        for (pasted, api) in [
            ("https://gl.test", "https://gl.test/api/v4/user"),
            ("https://gl.test/", "https://gl.test/api/v4/user"),
            (" https://gl.test// ", "https://gl.test/api/v4/user"),
            ("https://gl.test/api/v4", "https://gl.test/api/v4/user"),
            ("https://gl.test/api/v4/", "https://gl.test/api/v4/user"),
            ("https://gl.test:8443/gitlab", "https://gl.test:8443/gitlab/api/v4/user"),
            ("https://gl.test/gitlab/api/v4/", "https://gl.test/gitlab/api/v4/user"),
            ("HTTP://127.0.0.1:3000", "http://127.0.0.1:3000/api/v4/user"),
            ("http://[::1]:3000/", "http://[::1]:3000/api/v4/user"),
        ] {
            let address = Address::parse(pasted).unwrap();
            assert_eq!(address.url("user", "").as_str(), api, "{pasted}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_an_example() {
        for pasted in [
            "",
            "gitlab.example.com",
            "gl.test:8080",
            "ftp://gl.test",
            "ssh://git@gl.test",
            "https://",
            "https://me:hunter2@gl.test",
            "https://gl.test/?private_token=hunter2",
            "https://gl.test/#hunter2",
            "/home/me",
        ] {
            let error = Address::parse(pasted).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ConfigInvalid, "{pasted}");
            assert!(error.suggestion().is_some(), "{pasted}");
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn loopback_is_recognised_by_name_and_number() {
        for (address, expected) in [
            ("http://localhost:1", true),
            ("http://gitlab.localhost", true),
            ("http://127.8.8.8", true),
            ("http://[::1]", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example.com", false),
        ] {
            assert_eq!(Address::parse(address).unwrap().is_loopback(), expected, "{address}");
        }
    }

    #[test]
    fn a_redirect_never_leaves_the_configured_origin() {
        let address = Address::parse("http://127.0.0.1:3000/gitlab").unwrap();
        for (location, followed) in [
            (
                "http://127.0.0.1:3000/gitlab/api/v4/projects/42?x=1",
                Some("http://127.0.0.1:3000/gitlab/api/v4/projects/42?x=1"),
            ),
            (
                "https://gl.test/api/v4/projects/42?x=1",
                Some("http://127.0.0.1:3000/gitlab/api/v4/projects/42?x=1"),
            ),
            ("http://127.0.0.1:3001/api/v4/user", Some("http://127.0.0.1:3000/gitlab/api/v4/user")),
            ("http://127.0.0.1:3000/users/sign_in", None),
            ("https://evil.test/", None),
        ] {
            let target = Url::parse(location).unwrap();
            assert_eq!(
                address.redirected(&target).as_ref().map(Url::as_str),
                followed,
                "{location}"
            );
        }
    }

    #[test]
    fn paths_are_encoded_whole() {
        assert_eq!(encode("group/sub.x/pr öj"), "group%2Fsub.x%2Fpr%20%C3%B6j");
        assert_eq!(encode("../../user?x#y"), "..%2F..%2Fuser%3Fx%23y");
        let address = Address::parse("https://gl.test").unwrap();
        assert_eq!(
            address.url(&format!("projects/{}", encode("a/../b")), "").as_str(),
            "https://gl.test/api/v4/projects/a%2F..%2Fb"
        );
    }
}
