//! Answers, and GitLab's ways of saying no.

use serde::Serialize;
use serde_json::json;

/// An answer before faults and compression.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

pub type Answer = Result<Reply, Reply>;

impl Reply {
    pub fn json(status: u16, value: &impl Serialize) -> Reply {
        // Serializing the views cannot fail: they have string keys and no
        // fallible parts.
        let body = serde_json::to_vec(value).unwrap_or_default();
        Reply { status, content_type: "application/json", headers: Vec::new(), body }
    }

    pub fn ok(value: &impl Serialize) -> Reply {
        Reply::json(200, value)
    }

    pub fn text(status: u16, text: impl Into<String>) -> Reply {
        Reply {
            status,
            content_type: "text/plain",
            headers: Vec::new(),
            body: text.into().into_bytes(),
        }
    }

    pub fn html(status: u16, text: &str) -> Reply {
        Reply { content_type: "text/html", ..Reply::text(status, text) }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Reply {
        self.headers.push((name, value.into()));
        self
    }

    fn message(status: u16, message: &str) -> Reply {
        Reply::json(status, &json!({ "message": message }))
    }

    pub fn error(status: u16, error: &str) -> Reply {
        Reply::json(status, &json!({ "error": error }))
    }

    pub fn unauthorized() -> Reply {
        Reply::message(401, "401 Unauthorized")
    }

    pub fn invalid_token(description: &str) -> Reply {
        let body = json!({ "error": "invalid_token", "error_description": description });
        Reply::json(401, &body)
    }

    pub fn insufficient_scope() -> Reply {
        let body = json!({
            "error": "insufficient_scope",
            "error_description":
                "The request requires higher privileges than provided by the access token.",
            "scope": "api read_api",
        });
        Reply::json(403, &body)
    }

    pub fn forbidden() -> Reply {
        Reply::message(403, "403 Forbidden")
    }

    /// `404 Project Not Found`, `404 Issue Not Found`.
    pub fn thing_not_found(thing: &str) -> Reply {
        Reply::message(404, &format!("404 {thing} Not Found"))
    }

    /// What a failed `find_by!` says, with a small `f`.
    pub fn not_found() -> Reply {
        Reply::message(404, "404 Not found")
    }

    pub fn no_route() -> Reply {
        Reply::error(404, "404 Not Found")
    }

    pub fn bad_param(name: &str) -> Reply {
        Reply::error(400, &format!("{name} does not have a valid value"))
    }

    pub fn invalid_param(name: &str) -> Reply {
        Reply::error(400, &format!("{name} is invalid"))
    }
}
