//! `[[notifications]]`: rules of what people want to be told of, and how.

use super::tree::{Content, Node, Syntax};
use insight::alerts::{AlertRule, Trigger};
use model::text::one_line;
use model::{Error, ErrorCode, Result};

/// How somebody is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Channel {
    /// Listed by `lore me` and `lore notify`.
    Inbox,
    /// `notify-send`.
    Desktop,
    /// A program and its arguments, never a shell.
    Command(Vec<String>),
    /// A POST of JSON.
    Webhook(String),
}

/// A rule and how it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotifyRule {
    pub rule: AlertRule,
    pub to: Channel,
}

/// Reads one `[[notifications]]` table.
pub fn read(node: &Node, syntax: Syntax) -> Result<NotifyRule> {
    let Content::Table(entries) = &node.content else {
        return Err(invalid(node, "each of `notifications` must be a table"));
    };
    let mut fields = Fields::default();
    for (entry, child) in entries {
        fields.read(&super::layer::plain_name(entry, syntax), child)?;
    }
    fields.rule(node)
}

#[derive(Default)]
struct Fields {
    name: Option<String>,
    when: Option<String>,
    to: Option<String>,
    url: Option<String>,
    watch: Option<String>,
    paths: Vec<String>,
    labels: Vec<String>,
    people: Vec<String>,
    command: Vec<String>,
}

impl Fields {
    fn read(&mut self, name: &str, node: &Node) -> Result<()> {
        match name {
            "name" => self.name = Some(text(node)?),
            "when" => self.when = Some(text(node)?),
            "to" => self.to = Some(text(node)?),
            "url" => self.url = Some(text(node)?),
            "watch" => self.watch = Some(text(node)?),
            "paths" => self.paths = texts(node)?,
            "labels" => self.labels = texts(node)?,
            "people" => self.people = texts(node)?,
            "command" => self.command = texts(node)?,
            other => {
                let known =
                    "known here: name, when, to, paths, labels, people, watch, command, url";
                let message = format!("unknown key `notifications.{}`", one_line(other, 60));
                return Err(invalid(node, &message).suggest(known));
            }
        }
        Ok(())
    }

    fn rule(self, node: &Node) -> Result<NotifyRule> {
        let missing =
            |what: &str| invalid(node, &format!("one of `notifications` has no `{what}`"));
        let name = self.name.clone().ok_or_else(|| missing("name"))?;
        let when = self.when.clone().ok_or_else(|| missing("when"))?;
        let trigger = Trigger::parse(&when).ok_or_else(|| {
            let words = Trigger::ALL.map(Trigger::as_str).join(", ");
            invalid(node, &format!("`notifications.when` must be one of: {words}"))
        })?;
        let needed = match trigger {
            Trigger::Paths => Some(("paths", self.paths.is_empty())),
            Trigger::Labels => Some(("labels", self.labels.is_empty())),
            Trigger::People | Trigger::MyCode => Some(("people", self.people.is_empty())),
            Trigger::Watch => Some(("watch", self.watch.is_none())),
            Trigger::Contradicted | Trigger::DecisionTouched => None,
        };
        if let Some((what, true)) = needed {
            return Err(missing(what));
        }
        let to = self.channel(node)?;
        let Fields { paths, labels, people, watch, .. } = self;
        Ok(NotifyRule { rule: AlertRule { name, trigger, paths, labels, people, watch }, to })
    }

    fn channel(&self, node: &Node) -> Result<Channel> {
        match self.to.as_deref().unwrap_or("inbox") {
            "inbox" => Ok(Channel::Inbox),
            "desktop" => Ok(Channel::Desktop),
            "command" if !self.command.is_empty() => {
                let unknown = self.command.iter().find_map(|word| unknown_part(word));
                match unknown {
                    None => Ok(Channel::Command(self.command.clone())),
                    Some(part) => {
                        let part = one_line(part, 60);
                        let message = format!("`notifications.command` has unknown `{{{part}}}`");
                        Err(invalid(node, &message).suggest("known here: {title}, {body}, {rule}"))
                    }
                }
            }
            "command" => Err(invalid(node, "one of `notifications` has no `command`")
                .suggest("a list of words: command = [\"program\", \"{title}\"]")),
            "webhook" => match &self.url {
                Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
                    Ok(Channel::Webhook(url.clone()))
                }
                _ => Err(invalid(node, "one of `notifications` has no `url` of a webhook")),
            },
            _ => Err(invalid(
                node,
                "`notifications.to` must be one of: inbox, desktop, command, webhook",
            )),
        }
    }
}

/// What is put into the words of a command.
const PARTS: [&str; 3] = ["title", "body", "rule"];

/// A name in braces that nothing is put in the place of. Braces around anything else are
/// text.
fn unknown_part(word: &str) -> Option<&str> {
    let inside = word.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    inside.into_iter().find(|name| is_name(name) && !PARTS.contains(name))
}

fn text(node: &Node) -> Result<String> {
    match &node.content {
        Content::Text(text) if !text.trim().is_empty() => Ok(text.clone()),
        other => Err(invalid(node, &format!("must be text, not {}", other.noun()))),
    }
}

fn texts(node: &Node) -> Result<Vec<String>> {
    match &node.content {
        Content::List(items) => items.iter().map(text).collect(),
        Content::Text(_) => text(node).map(|text| vec![text]),
        other => Err(invalid(node, &format!("must be a list of texts, not {}", other.noun()))),
    }
}

fn invalid(node: &Node, message: &str) -> Error {
    let error = Error::new(ErrorCode::ConfigInvalid, message);
    match node.line {
        Some(line) => error.context(format!("line {line}")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_those_that_are_known() {
        for (word, unknown) in [
            ("{title}", None),
            ("new: {title} ({rule}) {body}", None),
            ("{author}", Some("author")),
            ("{title} by {author}", Some("author")),
            ("{\"text\": \"{title}\"}", None),
            ("{} { } {", None),
        ] {
            assert_eq!(unknown_part(word), unknown, "{word}");
        }
    }
}
