//! Who is asking.

use super::options::{Token, TokenStatus};
use super::reply::Reply;
use crate::World;
use crate::world::{Entity, Note, UserId};
use axum::http::HeaderMap;

/// The person behind a valid token.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    pub user: UserId,
    pub is_reporter: bool,
}

impl Viewer {
    /// Confidential issues are for reporters, their author and assignees.
    pub fn sees(self, entity: &Entity) -> bool {
        !entity.confidential
            || self.is_reporter
            || entity.author == self.user
            || entity.assignees.contains(&self.user)
    }

    pub fn sees_note(self, note: &Note) -> bool {
        !note.internal || self.is_reporter || note.author == self.user
    }
}

/// `None`: nobody (no token at all).
pub fn viewer(
    world: &World,
    tokens: &[Token],
    headers: &HeaderMap,
) -> Result<Option<Viewer>, Reply> {
    let Some(secret) = secret(headers) else { return Ok(None) };
    let token =
        tokens.iter().find(|token| token.secret == secret).ok_or_else(Reply::unauthorized)?;
    match token.status {
        TokenStatus::Valid | TokenStatus::ReadsOnly => {}
        TokenStatus::Expired => {
            return Err(Reply::invalid_token(
                "Token is expired. You can either do re-authorization or token refresh.",
            ));
        }
        TokenStatus::Revoked => {
            return Err(Reply::invalid_token(
                "Token was revoked. You have to re-authorize from the user.",
            ));
        }
        TokenStatus::LacksScope => return Err(Reply::insufficient_scope()),
    }
    let user = match &token.username {
        Some(username) => world.user_id(username).ok(),
        None => world.users().next().map(|user| user.id),
    };
    let user = user.ok_or_else(Reply::unauthorized)?;
    Ok(Some(Viewer { user, is_reporter: token.is_reporter }))
}

/// The person behind a token that may write.
pub fn writer(world: &World, tokens: &[Token], headers: &HeaderMap) -> Result<Viewer, Reply> {
    let is_reading = |token: &Token| token.status == TokenStatus::ReadsOnly;
    let of_secret = |token: &&Token| Some(token.secret.as_str()) == secret(headers);
    if tokens.iter().find(of_secret).is_some_and(is_reading) {
        return Err(Reply::insufficient_scope());
    }
    viewer(world, tokens, headers)?.ok_or_else(Reply::unauthorized)
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    header("private-token").or_else(|| {
        let (scheme, secret) = header("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
    })
}
