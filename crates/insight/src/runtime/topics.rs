//! Which function takes the messages of a topic: the subscriptions that code declares.

use super::homes::ServiceRepo;
use super::resolve::{Resolution, Resolver, handler};
use model::Result;
use model::code::TOPIC;

impl Resolver<'_> {
    /// The function that takes what is sent to a topic, where one alone does.
    pub(super) fn topic(&self, name: &str) -> Result<Resolution> {
        let mut found = self.subscriptions(name, None)?;
        Ok(match found.len() {
            0 => Resolution::tried(&format!("no indexed code subscribes to `{name}`")),
            1 => found.remove(0),
            n => Resolution::tried(&format!("{n} functions subscribe to it")),
        })
    }

    /// The function of one service that takes what is sent to a topic.
    pub(super) fn consumer(&self, service: &str, topic: &str) -> Result<Option<Resolution>> {
        let Some(home) = self.homes.of(service) else { return Ok(None) };
        let mut found = self.subscriptions(topic, Some(&home))?;
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    fn subscriptions(&self, topic: &str, home: Option<&ServiceRepo>) -> Result<Vec<Resolution>> {
        let mut found: Vec<Resolution> = Vec::new();
        for repo in self.homes.indexed() {
            if home.is_some_and(|home| home.repo != repo.id) {
                continue;
            }
            let Some(code) = self.code(repo.id)? else { continue };
            let folder = home.and_then(|home| home.folder.as_ref());
            for (route, _) in code.routes.iter().filter(|(route, _)| route.method == TOPIC) {
                let is_own =
                    folder.is_none_or(|folder| route.path.starts_with(&format!("{folder}/")));
                if !is_own || !is_subscribed(&route.pattern, topic) {
                    continue;
                }
                let resolution = handler(&code.view, route, "by a subscription to the topic");
                let is_test = resolution.symbol.as_ref().is_none_or(|symbol| symbol.is_test);
                if !is_test && !found.contains(&resolution) {
                    found.push(resolution);
                }
            }
        }
        Ok(found)
    }
}

/// Whether a subscription hears of a topic. `*` and `+` stand for one word, `>` and `#`
/// for all that follow, as NATS, AMQP and MQTT have it; `{}` for an id.
pub(super) fn is_subscribed(subscription: &str, topic: &str) -> bool {
    let separators: &[char] = if subscription.contains('/') { &['/'] } else { &['.'] };
    let mut words = topic.split(separators);
    for wanted in subscription.split(separators) {
        let word = words.next();
        match (wanted, word) {
            (">" | "#", _) => return true,
            ("*" | "+", Some(_)) => {}
            (wanted, Some(word)) if is_word(wanted, word) => {}
            _ => return false,
        }
    }
    words.next().is_none()
}

/// A word with a value put into it (`{region}`, `${id}`) may be any.
fn is_word(wanted: &str, word: &str) -> bool {
    wanted == word || (wanted.contains('{') && wanted.ends_with('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriptions_hear_of_what_their_broker_would_send_them() {
        for (subscription, topic, expected) in [
            ("orders", "orders", true),
            ("orders", "orders.created", false),
            ("orders.*", "orders.created", true),
            ("orders.*", "orders.created.eu", false),
            ("orders.>", "orders.created.eu", true),
            ("#", "anything", true),
            ("sensors/+/heat", "sensors/4/heat", true),
            ("sensors/+/heat", "sensors/4/cold", false),
            ("orders.{region}", "orders.eu", true),
            ("orders", "Orders", false),
        ] {
            assert_eq!(is_subscribed(subscription, topic), expected, "{subscription} {topic}");
        }
    }
}
