//! OpenAPI: operations and schemas, and which schema each speaks of.

use super::outline::{define, relate_here};
use super::yaml::Yaml;
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) const METHODS: [&str; 8] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    for (path, item) in document.get("paths").map(Yaml::entries).unwrap_or_default() {
        for (method, operation) in item.entries() {
            if !METHODS.contains(&method.text.as_str()) {
                continue;
            }
            let name = format!("{} {}", method.text.to_ascii_uppercase(), path.text);
            let span = operation.span_from(method);
            let def = define(b, DefId::FILE, DefKind::Route, &name, span);
            let summary = operation.text_at(&["summary"]).or(operation.text_at(&["description"]));
            let doc = summary.and_then(|text| b.doc(text));
            b.def_mut(def).doc = doc;
            references(b, def, operation, "");
        }
    }
    for path in [&["components", "schemas"][..], &["definitions"]] {
        for (key, schema) in document.at(path).map(Yaml::entries).unwrap_or_default() {
            let span = schema.span_from(key);
            let def = define(b, DefId::FILE, DefKind::Message, &key.text, span);
            for (field, value) in schema.get("properties").map(Yaml::entries).unwrap_or_default() {
                define(b, def, DefKind::Field, &field.text, value.span_from(field));
            }
            references(b, def, schema, &key.text);
        }
    }
}

/// Every `$ref` to a schema of the file.
fn references(b: &mut Builder<'_>, def: DefId, inside: &Yaml, own: &str) {
    let mut found: Vec<(String, usize)> = Vec::new();
    inside.each(&mut |value| {
        if let Some(reference) = value.get("$ref")
            && let Some(text) = reference.text()
            && (text.starts_with("#/components/schemas/") || text.starts_with("#/definitions/"))
        {
            let name = text.rsplit('/').next().unwrap_or(text);
            if name != own {
                found.push((name.to_owned(), reference.span.start));
            }
        }
    });
    for (name, at) in found {
        relate_here(b, EdgeKind::References, def, DefKind::Message, &name, at);
    }
}
