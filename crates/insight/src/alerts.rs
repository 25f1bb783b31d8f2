//! What people asked to be told of: rules over what happened.

use model::glob::Glob;
use model::text::one_line;
use model::{Result, Timestamp, vocabulary};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;
use store::Reader;
use store::alerts::{self, ChangeRow};

vocabulary! {
    /// What a rule looks for.
    pub enum Trigger {
        /// A merge request or commit changes a file of `paths`.
        Paths = "paths",
        /// An issue or merge request has one of `labels`.
        Labels = "labels",
        /// One of `people` opened an issue or merge request, or committed.
        People = "people",
        /// The answer of the standing query `watch` changed.
        Watch = "watch",
        /// A decision of `people` was contradicted.
        Contradicted = "contradicted",
        /// Somebody else changed a file that `people` worked on.
        MyCode = "my_code",
        /// A merge request changes a file that a decision speaks of.
        DecisionTouched = "decision_touched",
    }
}

/// Who wants to be told of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRule {
    pub name: String,
    pub trigger: Trigger,
    pub paths: Vec<String>,
    pub labels: Vec<String>,
    /// User names, names or addresses of authors; for some triggers, oneself.
    pub people: Vec<String>,
    pub watch: Option<String>,
}

/// Something a rule matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Alert {
    pub rule: String,
    /// Names what happened, the same whenever it is found again.
    pub event: String,
    pub title: String,
    pub reference: Option<String>,
    pub happened_at: Timestamp,
}

/// Rows looked at of each kind; a day of the busiest projects.
const MOST_ROWS: u32 = 5_000;
/// Whoever changed a file in this time worked on it.
const OWNED_FOR: Duration = Duration::from_hours(365 * 24);

/// What the rules match of all that happened since then, oldest first.
pub fn alerts(reader: &Reader, rules: &[AlertRule], since: Timestamp) -> Result<Vec<Alert>> {
    let mut found = Vec::new();
    for rule in rules {
        found.extend(matches(reader, rule, since)?);
    }
    found.retain(|alert| alert.happened_at >= since);
    found.sort_by(|a, b| {
        (a.happened_at, &a.rule, &a.event).cmp(&(b.happened_at, &b.rule, &b.event))
    });
    Ok(found)
}

fn matches(reader: &Reader, rule: &AlertRule, since: Timestamp) -> Result<Vec<Alert>> {
    match rule.trigger {
        Trigger::Paths => {
            let globs: Vec<Glob> = rule.paths.iter().map(|path| Glob::new(path)).collect();
            let is_meant = |path: &str| globs.iter().any(|glob| glob.matches(path));
            Ok(touching(rule, changes(reader, since)?, is_meant))
        }
        Trigger::MyCode => {
            let from = since.minus(OWNED_FOR);
            let mine: BTreeSet<String> = alerts::paths_of(reader, &rule.people, from)?;
            let mut others = changes(reader, since)?;
            others.retain(|change| !is_by(&change.author, &rule.people));
            Ok(touching(rule, others, |path| mine.contains(path)))
        }
        Trigger::DecisionTouched => decisions_touched(reader, rule, since),
        Trigger::Labels => {
            let mut found = Vec::new();
            for entity in alerts::entities(reader, since, MOST_ROWS)? {
                let has =
                    |label: &&String| entity.labels.iter().any(|it| it.eq_ignore_ascii_case(label));
                for label in rule.labels.iter().filter(has) {
                    let event = format!("{} ~{}", entity.reference, label.to_lowercase());
                    let title = format!("{} is labelled {label}", entity.title);
                    found.push(alert(rule, event, &title, &entity.reference, entity.updated_at));
                }
            }
            Ok(found)
        }
        Trigger::People => {
            let mut found = Vec::new();
            for entity in alerts::entities(reader, since, MOST_ROWS)? {
                if is_by(&entity.author, &rule.people) && entity.created_at >= since {
                    let (event, at) = (entity.reference.clone(), entity.created_at);
                    let title = format!("{}: {}", entity.author, entity.title);
                    found.push(alert(rule, event, &title, &entity.reference, at));
                }
            }
            for commit in alerts::commits(reader, since, MOST_ROWS)? {
                if is_by(&commit.author, &rule.people) {
                    let title = format!("{}: {}", commit.author, commit.title);
                    let event = commit.reference.clone();
                    found.push(alert(rule, event, &title, &commit.reference, commit.at));
                }
            }
            Ok(found)
        }
        Trigger::Watch => {
            let mut found = alerts::standing_changes(reader, since)?;
            found.retain(|(name, _, _)| rule.watch.as_ref().is_none_or(|it| it == name));
            let alert = |(name, id, at): (String, i64, Timestamp)| {
                let title = format!("the answer of `{name}` changed");
                let event = format!("watch {name} {id}");
                Alert { reference: None, ..alert(rule, event, &title, "", at) }
            };
            Ok(found.into_iter().map(alert).collect())
        }
        Trigger::Contradicted => {
            let mut found = alerts::contradictions(reader)?;
            found.retain(|it| rule.people.is_empty() || is_by(&it.author, &rule.people));
            let alert = |it: alerts::ContradictionRow| {
                let title = format!("{} contradicts: {}", it.by, it.title);
                alert(rule, format!("{} {}", it.by, it.decision), &title, &it.decision, it.at)
            };
            Ok(found.into_iter().map(alert).collect())
        }
    }
}

fn changes(reader: &Reader, since: Timestamp) -> Result<Vec<ChangeRow>> {
    let mut all = alerts::merge_requests(reader, since, MOST_ROWS)?;
    all.extend(alerts::commits(reader, since, MOST_ROWS)?);
    Ok(all)
}

fn touching(
    rule: &AlertRule,
    changes: Vec<ChangeRow>,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<Alert> {
    let mut found = Vec::new();
    for change in changes {
        let meant: Vec<&String> = change.paths.iter().filter(|path| is_meant(path)).collect();
        let Some(first) = meant.first() else { continue };
        let more = match meant.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let title = format!("{} ({first}{more})", change.title);
        let event = change.reference.clone();
        found.push(alert(rule, event, &title, &change.reference, change.at));
    }
    found
}

fn decisions_touched(reader: &Reader, rule: &AlertRule, since: Timestamp) -> Result<Vec<Alert>> {
    let decisions = alerts::decision_paths(reader)?;
    let mut found = Vec::new();
    for change in alerts::merge_requests(reader, since, MOST_ROWS)? {
        for (record, decision, path) in &decisions {
            if change.paths.contains(path) {
                let title = format!("{} touches {path}, decided: {decision}", change.title);
                let event = format!("{} {record}", change.reference);
                found.push(alert(rule, event, &title, &change.reference, change.at));
            }
        }
    }
    // One file of a decision is enough.
    found.sort_by(|a, b| a.event.cmp(&b.event));
    found.dedup_by(|a, b| a.event == b.event);
    Ok(found)
}

/// Whether an author is one of these: by user name, name, or address.
fn is_by(author: &str, people: &[String]) -> bool {
    let (name, address) = author.split_once(" <").unwrap_or((author, ""));
    let address = address.trim_end_matches('>');
    people.iter().any(|person| {
        let person = person.trim_start_matches('@');
        person.eq_ignore_ascii_case(name) || person.eq_ignore_ascii_case(address)
    })
}

fn alert(rule: &AlertRule, event: String, title: &str, reference: &str, at: Timestamp) -> Alert {
    Alert {
        rule: rule.name.clone(),
        event,
        title: one_line(title, 200),
        reference: (!reference.is_empty()).then(|| reference.to_owned()),
        happened_at: at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_is_known_by_any_of_their_names() {
        let people = vec!["@ada".to_owned(), "bo@example.com".to_owned()];
        for (author, expected) in [
            ("ada", true),
            ("ADA", true),
            ("Bo Winther <bo@example.com>", true),
            ("Ada <x@y>", true),
            ("Bob <bob@example.com>", false),
            ("", false),
        ] {
            assert_eq!(is_by(author, &people), expected, "{author}");
        }
    }
}
