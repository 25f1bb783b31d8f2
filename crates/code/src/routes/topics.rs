//! Topics of message queues: `subscribe("orders", handler)`.
//!
//! A subscription is to a queue what a route is to a server; it becomes a route of
//! the method `TOPIC`, so that what arrives on the topic leads to who takes it.

use super::text::{calls, literal};
use super::{Route, answering, argument, imports};
use crate::facts::{Builder, Expr};
use model::code::TOPIC;

/// Libraries of queues, by parts of the paths they are imported by.
const LIBRARIES: [&str; 12] = [
    "nats", "kafka", "amqp", "pika", "rabbit", "mqtt", "pubsub", "sqs", "redis", "pulsar",
    "celery", "stomp",
];

pub(crate) fn find(b: &Builder<'_>) -> Vec<Route> {
    if !imports(b, &LIBRARIES) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let wanted = calls(b, |name| {
        let lower = name.to_ascii_lowercase();
        matches!(
            lower.as_str(),
            "subscribe" | "queuesubscribe" | "queue_subscribe" | "basic_consume" | "consume"
        )
    });
    for call in &wanted {
        let named = call.args.iter().take(2).find_map(|arg| literal(topic(arg)));
        let Some(topic) = named.filter(|topic| is_topic(topic)) else { continue };
        // The function is whichever argument is one.
        let handler = (0..call.args.len()).rev().find_map(|nth| {
            let given = answering(b, argument(b, call, nth))?;
            let is_function = matches!(
                b.facts.exprs[given.ix()],
                Expr::Nameless(_) | Expr::Local(..) | Expr::Free(..) | Expr::Member(..)
            );
            is_function.then_some(given)
        });
        let (method, pattern) = (TOPIC.to_owned(), topic.to_owned());
        found.push(Route { method, pattern, handler, ..Route::of(call) });
    }
    found
}

/// `queue="orders"` as well as `"orders"`.
fn topic(arg: &str) -> &str {
    match arg.split_once('=') {
        Some((name, value)) if matches!(name.trim(), "queue" | "topic" | "subject") => value.trim(),
        _ => arg.trim(),
    }
}

fn is_topic(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-/:*>#+{}$".contains(c);
    !text.is_empty() && text.len() <= 200 && text.chars().all(is_part)
}
