//! The attributes of a span that are looked at; all others are dropped when they
//! are read, so that ten thousand of them cost nothing.

use model::text::clean;
use std::borrow::Cow;

/// Longer values are cut.
const MOST_BYTES: usize = 1024;
/// Of statements only the names of tables are wanted, which stand at the front.
const MOST_BYTES_OF_QUERY: usize = 4096;

/// Names of attributes, in the current conventions and those before.
const KNOWN: &[&str] = &[
    "code.filepath",
    "code.file.path",
    "code.function",
    "code.function.name",
    "code.line.number",
    "code.lineno",
    "code.namespace",
    "container.image.name",
    "db.cassandra.table",
    "db.collection.name",
    "db.cosmosdb.container",
    "db.mongodb.collection",
    "db.name",
    "db.namespace",
    "db.query.text",
    "db.sql.table",
    "db.statement",
    "db.system",
    "db.system.name",
    "error",
    "faas.invoked_name",
    "faas.name",
    "faas.trigger",
    "http.host",
    "http.method",
    "http.request.method",
    "http.response.status_code",
    "http.route",
    "http.status_code",
    "http.target",
    "http.url",
    "k8s.deployment.name",
    "messaging.destination",
    "messaging.destination.name",
    "messaging.destination.template",
    "messaging.operation",
    "messaging.operation.type",
    "messaging.system",
    "net.peer.name",
    "otel.status_code",
    "peer.service",
    "rpc.grpc.status_code",
    "rpc.method",
    "rpc.service",
    "rpc.system",
    "rpc.system.name",
    "server.address",
    "server.port",
    "service.name",
    "service.namespace",
    "service.version",
    "span.kind",
    "url.full",
    "url.path",
    "url.template",
];

/// Values by name, few enough to be looked through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    values: Vec<(&'static str, String)>,
}

impl Attributes {
    /// Keeps a value if its name is known; the first of a name counts.
    pub fn put(&mut self, name: &str, value: Cow<'_, str>) {
        let Some(name) = known(name) else { return };
        if self.values.iter().any(|(kept, _)| *kept == name) {
            return;
        }
        let most = match name {
            "db.query.text" | "db.statement" => MOST_BYTES_OF_QUERY,
            _ => MOST_BYTES,
        };
        let value = cleaned(&value, most);
        if !value.is_empty() {
            self.values.push((name, value));
        }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(kept, _)| *kept == name).map(|(_, value)| value.as_str())
    }

    /// The first of several names that is there.
    pub fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// Whether an attribute of this name is kept.
pub fn known(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| **known == name).copied()
}

/// Text from outside: of bounded length, on one line, without control characters.
pub fn cleaned(text: &str, most_bytes: usize) -> String {
    let mut end = text.len().min(most_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cleaned = clean(&text[..end]);
    if cleaned.contains(['\n', '\t', '\r']) {
        return cleaned.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    cleaned.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_and_long_values_cost_nothing() {
        let mut attributes = Attributes::default();
        for n in 0..10_000 {
            attributes.put(&format!("custom.{n}"), "x".into());
        }
        attributes.put("http.route", "é".repeat(1 << 20).into());
        attributes.put("http.method", "GET\u{1b}[31m\n".into());
        assert_eq!(attributes.values.len(), 2);
        assert_eq!(attributes.get("http.route").map(str::len), Some(1024));
        assert_eq!(attributes.get("http.method"), Some("GET[31m"));
    }
}
