//! JSON Schemas as clients get them. Each is paid for in every session, so they
//! say what is needed to call a tool; `lore schema` has the rest.

use rmcp::model::JsonObject;
use schemars::Schema;
use serde_json::{Map, Value, json};

/// Of a tool's arguments; `has_pages` adds the cursor.
pub fn input(schema: Schema, has_pages: bool) -> JsonObject {
    let mut schema = object(schema);
    if has_pages && let Some(Value::Object(fields)) = schema.get_mut("properties") {
        // An answer that has more says what to send. `budget` and `format`, which every
        // tool takes, are in the instructions.
        fields.insert("cursor".to_owned(), json!({ "type": "string" }));
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    let mut value = Value::Object(schema);
    tidy(&mut value);
    into_object(value)
}

/// Of any answer: an object.
pub fn any_answer() -> JsonObject {
    into_object(json!({ "type": "object" }))
}

/// Leaves out what costs tokens and says nothing: names of Rust types, formats
/// that no client knows, and what a call is refused for anyway, with a reason.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(schema) => {
            schema.remove("$schema");
            // A property may be called `title`; its schema is no text.
            if schema.get("title").is_some_and(Value::is_string) {
                schema.remove("title");
            }
            if schema.get("format").and_then(Value::as_str).is_some_and(|it| it != "date-time") {
                schema.remove("format");
            }
            without_null(schema);
            for said_by_refusal in ["additionalProperties", "minimum", "maximum"] {
                if schema.get(said_by_refusal).is_some_and(|it| !it.is_object()) {
                    schema.remove(said_by_refusal);
                }
            }
            variants_without_words(schema);
            for (_, inner) in schema.iter_mut() {
                tidy(inner);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// What is not there is left out, in arguments and answers, never `null`: that
/// it may be need not be said of each.
fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        variants.retain(|it| it["type"] != "null");
        if let [Value::Object(only)] = variants.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            schema.extend(only);
        }
    }
    if schema.get("default").is_some_and(|it| it.is_null() || *it == json!([])) {
        schema.remove("default");
    }
}

/// `oneOf` constants that differ by their descriptions become one `enum`.
fn variants_without_words(schema: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else { return };
    let names = |variant: &Value| -> Option<Vec<Value>> {
        if variant["type"] != "string" {
            return None;
        }
        match (&variant["const"], &variant["enum"]) {
            (Value::String(_), _) => Some(vec![variant["const"].clone()]),
            (_, Value::Array(all)) => Some(all.clone()),
            _ => None,
        }
    };
    let Some(all) = variants.iter().map(names).collect::<Option<Vec<_>>>() else { return };
    schema.remove("oneOf");
    schema.insert("type".to_owned(), json!("string"));
    schema.insert("enum".to_owned(), Value::Array(all.concat()));
}

fn object(schema: Schema) -> Map<String, Value> {
    into_object(schema.to_value())
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Hit {
        /// What it is called.
        title: String,
        n: u32,
        kind: Kind,
        inner: Vec<Inner>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        format: Option<String>,
        required: bool,
        description: String,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Kind {
        /// One.
        A,
        /// Another.
        B,
    }

    #[test]
    fn arguments_keep_their_words() {
        let schema = input(schemars::schema_for!(Hit), true);
        assert_eq!(schema["properties"]["title"]["description"], "What it is called.");
        assert_eq!(schema["properties"]["cursor"]["type"], "string");
        assert_eq!(schema["properties"]["n"], json!({"type": "integer"}));
        assert_eq!(schema["$defs"]["Kind"]["enum"], json!(["A", "B"]));
        let inner = &schema["$defs"]["Inner"]["properties"];
        assert_eq!(inner["format"], json!({"type": "string"}));
        assert_eq!(inner["description"]["type"], "string");
    }
}
