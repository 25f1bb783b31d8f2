//! Messages to servers that the user named: notifications.

use crate::api::{Failure, FailureKind};
use serde_json::Value;
use std::time::Duration;

/// A server that takes longer is not told.
const PATIENCE: Duration = Duration::from_secs(15);

/// Sends a document; anything but success is a failure. One that is not `Unreachable`
/// may have come after the document arrived.
pub async fn post_json(url: &str, document: &Value) -> crate::api::Result<()> {
    let unreachable = |error: reqwest::Error| {
        let (kind, message) = if error.is_connect() || error.is_builder() {
            (FailureKind::Unreachable, "the webhook cannot be reached")
        } else {
            (FailureKind::Unreadable, "the webhook did not answer")
        };
        // The address may hold a secret of the user's.
        Failure::new(kind, message).context(error.without_url())
    };
    // Somebody else may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(unreachable)?;
    let answer = client
        .post(url)
        .header("content-type", "application/json")
        .body(document.to_string())
        .send()
        .await
        .map_err(unreachable)?;
    if answer.status().is_success() {
        return Ok(());
    }
    let message = format!("the webhook answered {}", answer.status().as_u16());
    Err(Failure::new(FailureKind::Unreachable, message))
}
