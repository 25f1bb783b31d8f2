//! `POST /hooks/gitlab`: a forge tells that something changed, and just that is
//! fetched. Polling remains the safety net, so whatever is not understood is left
//! to it.

use super::{Daemon, Event};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use model::hash::Hash32;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use std::sync::Arc;

pub const PATH: &str = "/hooks/gitlab";

/// What a delivery says changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The same for a delivery that comes again.
    pub key: String,
    /// `group/project`.
    pub project: String,
    /// `#12` or `!12`; none when the whole project is to be looked at.
    pub entity: Option<String>,
}

pub fn routes(daemon: Arc<Daemon>) -> Router {
    Router::new().route(
        PATH,
        post(move |headers: HeaderMap, body: Bytes| {
            let daemon = Arc::clone(&daemon);
            async move { receive(&daemon, &headers, &body) }
        }),
    )
}

fn receive(daemon: &Daemon, headers: &HeaderMap, body: &[u8]) -> (StatusCode, &'static str) {
    let secret = daemon.settings().webhook_secret.clone();
    let Some(secret) = secret else {
        return (StatusCode::NOT_FOUND, "webhooks are not set up\n");
    };
    if !has_secret(headers, &secret) {
        daemon.log.warn("a webhook with a wrong secret", &[]);
        return (StatusCode::UNAUTHORIZED, "the secret token is not the one that was set\n");
    }
    let Ok(document) = serde_json::from_slice(body) else {
        return (StatusCode::BAD_REQUEST, "the body is no JSON\n");
    };
    let Some(delivery) = read(headers, body, &document) else {
        return (StatusCode::OK, "nothing lore follows\n");
    };
    let is_followed = daemon
        .settings()
        .projects
        .iter()
        .any(|project| project.eq_ignore_ascii_case(&delivery.project));
    if !is_followed {
        return (StatusCode::OK, "not a project lore follows\n");
    }
    daemon.metrics.event("webhook");
    daemon.tell(Event::Webhook(delivery));
    (StatusCode::ACCEPTED, "taken\n")
}

/// Hashes are compared, every byte of them: time tells nothing of the secret.
fn has_secret(headers: &HeaderMap, secret: &SecretString) -> bool {
    let mut shown = headers.get_all("x-gitlab-token").iter();
    let (Some(shown), None) = (shown.next(), shown.next()) else { return false };
    let (a, b) =
        (Hash32::of(shown.as_bytes()), Hash32::of(secret.expose_secret().trim().as_bytes()));
    a.as_bytes().iter().zip(b.as_bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// What a delivery names; none for what lore does not keep.
fn read(headers: &HeaderMap, body: &[u8], document: &Value) -> Option<Delivery> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str);
    let number = |pointer: &str| document.pointer(pointer).and_then(Value::as_u64);
    let project = text("/project/path_with_namespace")?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+');
    if !project.contains('/') || !project.chars().all(is_path) {
        return None;
    }
    let entity = match text("/object_kind")? {
        "issue" | "work_item" => Some(format!("#{}", number("/object_attributes/iid")?)),
        "merge_request" => Some(format!("!{}", number("/object_attributes/iid")?)),
        "note" => match text("/object_attributes/noteable_type")? {
            "Issue" | "WorkItem" => Some(format!("#{}", number("/issue/iid")?)),
            "MergeRequest" => Some(format!("!{}", number("/merge_request/iid")?)),
            _ => return None,
        },
        "push" | "tag_push" => None,
        _ => return None,
    };
    Some(Delivery { key: key(headers, body), project: project.to_owned(), entity })
}

/// A delivery that is sent again has the same key; older servers send none, and
/// the same bytes are the same delivery then.
fn key(headers: &HeaderMap, body: &[u8]) -> String {
    let named = ["idempotency-key", "x-gitlab-event-uuid"].iter().find_map(|name| {
        let value = headers.get(*name)?.to_str().ok()?;
        let is_plain = !value.is_empty() && value.len() <= 100 && value.is_ascii();
        is_plain.then(|| format!("{name}:{value}"))
    });
    named.unwrap_or_else(|| format!("body:{}", Hash32::of(body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn delivery(body: &Value) -> Option<(String, Option<String>)> {
        read(&HeaderMap::new(), body.to_string().as_bytes(), body).map(|it| (it.project, it.entity))
    }

    #[test]
    fn payloads_name_the_entity_that_changed() {
        let project = json!({"path_with_namespace": "harbor/tide"});
        let of = |entity: &str| Some(("harbor/tide".to_owned(), Some(entity.to_owned())));
        let issue = json!({"object_kind": "issue", "project": project,
            "object_attributes": {"iid": 12, "action": "update"}});
        assert_eq!(delivery(&issue), of("#12"));
        let mr = json!({"object_kind": "merge_request", "project": project,
            "object_attributes": {"iid": 7, "action": "merge"}});
        assert_eq!(delivery(&mr), of("!7"));
        let note = json!({"object_kind": "note", "project": project, "merge_request": {"iid": 9},
            "object_attributes": {"noteable_type": "MergeRequest", "note": "x"}});
        assert_eq!(delivery(&note), of("!9"));
        let push = json!({"object_kind": "push", "project": project, "ref": "refs/heads/main"});
        assert_eq!(delivery(&push), Some(("harbor/tide".to_owned(), None)));
    }

    #[test]
    fn what_is_not_understood_is_left_to_the_next_sync() {
        let project = json!({"path_with_namespace": "harbor/tide"});
        for body in [
            json!({}),
            json!([1, 2]),
            json!({"object_kind": "pipeline", "project": project}),
            json!({"object_kind": "issue", "project": project}),
            json!({"object_kind": "issue", "project": {"path_with_namespace": "--full"},
                "object_attributes": {"iid": 1}}),
            json!({"object_kind": "issue", "project": {"path_with_namespace": "a/b; rm -rf"},
                "object_attributes": {"iid": 1}}),
            json!({"object_kind": "note", "project": project,
                "object_attributes": {"noteable_type": "Commit"}}),
        ] {
            assert_eq!(delivery(&body), None, "{body}");
        }
    }

    #[test]
    fn a_delivery_is_known_again_by_its_key_or_its_bytes() {
        let mut headers = HeaderMap::new();
        assert_eq!(key(&headers, b"a"), key(&headers, b"a"));
        assert_ne!(key(&headers, b"a"), key(&headers, b"b"));
        headers.insert("idempotency-key", "k1".parse().unwrap());
        assert_eq!(key(&headers, b"a"), key(&headers, b"b"));
    }

    #[test]
    fn only_the_secret_itself_is_the_secret() {
        let secret = SecretString::from("s3cret".to_owned());
        let mut headers = HeaderMap::new();
        assert!(!has_secret(&headers, &secret));
        headers.insert("x-gitlab-token", "s3cre".parse().unwrap());
        assert!(!has_secret(&headers, &secret));
        headers.insert("x-gitlab-token", "s3cret".parse().unwrap());
        assert!(has_secret(&headers, &secret));
        headers.append("x-gitlab-token", "s3cret".parse().unwrap());
        assert!(!has_secret(&headers, &secret), "two of one");
    }
}
