//! Topics of message queues: `subscribe("orders", handler)`.
//!
//! A subscription is to a queue what a route is to a server; it becomes a route of
//! the method `TOPIC`, so that what arrives on the topic leads to who takes it.

use super::text::{calls, literal};
use super::{Route, answering, argument, imports};
use crate::facts::{Builder, Expr};
use model::code::TOPIC;

/// Longer options name no topic by hand.
const MAX_OPTIONS: usize = 2_000;

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
        let mut topics: Vec<&str> = named.into_iter().collect();
        if let Some(options) = call.args.first().filter(|_| topics.is_empty()) {
            topics = topics_of_options(options);
        }
        topics.retain(|topic| is_topic(topic));
        if topics.is_empty() {
            continue;
        }
        // The function is whichever argument is one.
        let handler = (0..call.args.len()).rev().find_map(|nth| {
            let given = answering(b, argument(b, call, nth))?;
            let is_function = matches!(
                b.facts.exprs[given.ix()],
                Expr::Nameless(_) | Expr::Local(..) | Expr::Free(..) | Expr::Member(..)
            );
            is_function.then_some(given)
        });
        for topic in topics {
            let (method, pattern) = (TOPIC.to_owned(), topic.to_owned());
            found.push(Route { method, pattern, handler, ..Route::of(call) });
        }
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

/// `{ topic: 'orders' }`, `{ topics: ['orders', 'invoices'] }`.
fn topics_of_options(arg: &str) -> Vec<&str> {
    let inside = arg.trim().strip_prefix('{').and_then(|arg| arg.strip_suffix('}'));
    let Some(inside) = inside.filter(|inside| inside.len() <= MAX_OPTIONS) else {
        return Vec::new();
    };
    let value = inside.split_once("topic").and_then(|(before, after)| {
        let is_key = before.trim().is_empty() || before.trim_end().ends_with(',');
        let after = after.strip_prefix('s').unwrap_or(after).trim_start();
        after.strip_prefix(':').filter(|_| is_key)
    });
    let Some(value) = value.map(str::trim) else { return Vec::new() };
    let list = value.strip_prefix('[').and_then(|list| list.split_once(']'));
    match list {
        Some((list, _)) => list.split(',').filter_map(|part| literal(part.trim())).collect(),
        None => value.split(',').next().and_then(|one| literal(one.trim())).into_iter().collect(),
    }
}

fn is_topic(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-/:*>#+{}$".contains(c);
    !text.is_empty() && text.len() <= 200 && text.chars().all(is_part)
}
