//! `lore me`: what waits for someone, and what is new to them.

use super::{EntityLine, find, heads_of, lines_of};
use crate::timeline::excerpt;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use store::inbox::{self, NoteRow};
use store::{Reader, last_seen};

/// Looked at when there was no look before.
const FIRST_LOOK: Duration = Duration::from_secs(30 * 86_400);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inbox {
    /// Empty where nobody said who it is.
    pub username: String,
    /// The look before this one; none the first time.
    pub last_look: Option<Timestamp>,
    /// From when on things count as new.
    pub since: Timestamp,
    /// Open and assigned to them.
    pub assigned: Vec<EntityLine>,
    /// Open and waiting for their review.
    pub review_requested: Vec<EntityLine>,
    /// Named by others since then.
    pub mentioned: Vec<InboxNote>,
    /// Threads with a word of theirs that nobody resolved.
    pub unresolved_threads: Vec<InboxNote>,
    /// What they have a part in and changed since then.
    pub changed: Vec<EntityLine>,
    /// What rules of the config matched since then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notifications: Vec<InboxAlert>,
}

/// Something a rule of the config matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxAlert {
    pub rule: String,
    pub title: String,
    pub reference: Option<String>,
    pub at: Timestamp,
}

/// Notifications shown at most.
const MOST_ALERTS: u32 = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxNote {
    pub reference: String,
    pub title: String,
    pub author: Option<String>,
    pub at: Timestamp,
    pub snippet: String,
    pub url: String,
}

pub fn inbox(
    reader: &Reader,
    typed: &str,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<Inbox> {
    let who = find(reader, typed)?;
    let last_look = last_seen::last_visit(reader, &who.username)?;
    let since = since.or(last_look).unwrap_or_else(|| now.minus(FIRST_LOOK));
    let mut mentions = inbox::mentions(reader, &who, since)?;
    mentions.retain(|word| is_named(&word.body, &who.username));
    Ok(Inbox {
        last_look,
        since,
        assigned: lines_of(reader, &inbox::assigned(reader, &who)?)?,
        review_requested: lines_of(reader, &inbox::to_review(reader, &who)?)?,
        mentioned: notes(reader, mentions, &format!("@{}", who.username))?,
        unresolved_threads: notes(reader, inbox::unresolved(reader, &who)?, "")?,
        changed: lines_of(reader, &inbox::changed(reader, &who, since)?)?,
        notifications: alerts(reader, since)?,
        username: who.username,
    })
}

/// What rules of the config matched, for somebody who is known to no forge: none of the
/// rest can be said.
pub fn unnamed_inbox(reader: &Reader, since: Option<Timestamp>, now: Timestamp) -> Result<Inbox> {
    let last_look = last_seen::last_visit(reader, "")?;
    let since = since.or(last_look).unwrap_or_else(|| now.minus(FIRST_LOOK));
    Ok(Inbox {
        username: String::new(),
        last_look,
        since,
        assigned: Vec::new(),
        review_requested: Vec::new(),
        mentioned: Vec::new(),
        unresolved_threads: Vec::new(),
        changed: Vec::new(),
        notifications: alerts(reader, since)?,
    })
}

fn alerts(reader: &Reader, since: Timestamp) -> Result<Vec<InboxAlert>> {
    let rows = store::notifications::newest(reader, since, MOST_ALERTS)?.into_iter();
    let alert = |it: store::notifications::Notification| InboxAlert {
        rule: it.rule,
        title: it.title,
        reference: it.reference,
        at: it.happened_at,
    };
    Ok(rows.map(alert).collect())
}

fn notes(reader: &Reader, words: Vec<NoteRow>, focus: &str) -> Result<Vec<InboxNote>> {
    let rows: Vec<_> = words.iter().map(|word| word.entity).collect();
    let heads = heads_of(reader, &rows)?;
    Ok(words
        .into_iter()
        .filter_map(|word| {
            let head = heads.get(&word.entity)?;
            Some(InboxNote {
                reference: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
                title: head.title.clone(),
                author: word.author,
                at: word.created_at,
                snippet: excerpt(&word.body, &[focus]),
                url: head.note_url(word.forge_id),
            })
        })
        .collect())
}

/// Whether `@name` stands in the text and is not the beginning of another name.
fn is_named(text: &str, username: &str) -> bool {
    let (text, name) = (text.to_lowercase(), format!("@{}", username.to_lowercase()));
    text.match_indices(&name).any(|(at, _)| {
        let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let mut after = text[at + name.len()..].chars();
        let ends = match after.next() {
            Some('.') => !after.next().is_some_and(goes_on),
            next => !next.is_some_and(goes_on),
        };
        let before = text[..at].chars().next_back();
        ends && !before.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_name_is_not_the_beginning_of_another() {
        for text in ["@ada", "hi @Ada, see", "(@ada)", "ask @ada.", "@ada's"] {
            assert!(is_named(text, "ada"), "{text}");
        }
        for text in ["@adam", "ada", "x@ada", "@ada-bot", "@ada.larsen", "@ada_2"] {
            assert!(!is_named(text, "ada"), "{text}");
        }
    }
}
