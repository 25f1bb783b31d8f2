//! JSON Schemas as clients get them: of arguments as they are, of answers
//! inside their envelope and without the words, which `lore schema` has.

use super::answer::{ErrorDocument, Meta};
use rmcp::model::JsonObject;
use schemars::Schema;
use serde_json::{Map, Value, json};

/// Of a tool's arguments; `has_pages` adds the cursor.
pub fn input(schema: Schema, has_pages: bool) -> JsonObject {
    let mut schema = object(schema);
    if has_pages && let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.insert(
            "cursor".to_owned(),
            json!({
                "type": "string",
                "description": "`next_cursor` of the last answer, to go on after it; \
                                all other arguments as they were",
            }),
        );
    }
    schema.entry("properties").or_insert_with(|| json!({}));
    let mut value = Value::Object(schema);
    tidy(&mut value, Words::Kept);
    into_object(value)
}

/// Of a tool's whole answer: `data` and `meta`, or `error`.
pub fn output(data: Schema) -> JsonObject {
    let mut defs = Map::new();
    // Two types of one name may meet here: what is said beside the data is
    // renamed.
    let mut part = |schema: Schema, prefix: &str| {
        let mut schema = Value::Object(object(schema));
        rename(&mut schema, prefix);
        let mut schema = into_object(schema);
        if let Some(Value::Object(own)) = schema.remove("$defs") {
            defs.extend(own.into_iter().map(|(name, it)| (format!("{prefix}{name}"), it)));
        }
        Value::Object(schema)
    };
    let mut properties = Map::new();
    properties.insert("data".to_owned(), part(data, ""));
    properties.insert("meta".to_owned(), part(schemars::schema_for!(Meta), "Meta"));
    properties.insert("error".to_owned(), part(schemars::schema_for!(ErrorDocument), "Error"));
    let mut whole = json!({
        "type": "object",
        "properties": properties,
        "anyOf": [{ "required": ["data", "meta"] }, { "required": ["error"] }],
    });
    if !defs.is_empty() {
        whole["$defs"] = Value::Object(defs);
    }
    tidy(&mut whole, Words::LeftOut);
    into_object(whole)
}

/// `#/$defs/Page` as `#/$defs/MetaPage`.
fn rename(value: &mut Value, prefix: &str) {
    const DEFS: &str = "#/$defs/";
    match value {
        Value::Object(schema) => {
            if let Some(Value::String(to)) = schema.get_mut("$ref")
                && let Some(name) = to.strip_prefix(DEFS)
            {
                *to = format!("{DEFS}{prefix}{name}");
            }
            schema.values_mut().for_each(|inner| rename(inner, prefix));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, prefix)),
        _ => {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Kept,
    LeftOut,
}

/// Leaves out what costs tokens and says nothing: names of Rust types, and
/// formats that no client knows. In answers, what is empty is left out, so
/// nothing is required there either.
fn tidy(value: &mut Value, words: Words) {
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
            if words == Words::LeftOut {
                if schema.get("description").is_some_and(Value::is_string) {
                    schema.remove("description");
                }
                let is_of_an_answer = schema.contains_key("properties");
                if is_of_an_answer && schema.get("required").is_some_and(Value::is_array) {
                    schema.remove("required");
                }
                variants_without_words(schema);
            }
            for (_, inner) in schema.iter_mut() {
                tidy(inner, words);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, words)),
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
    fn answers_lose_words_but_no_fields() {
        let schema = output(schemars::schema_for!(Hit));
        let hit = &schema["properties"]["data"];
        assert_eq!(hit["properties"]["title"], json!({"type": "string"}));
        assert_eq!(hit["properties"]["n"], json!({"type": "integer", "minimum": 0}));
        assert_eq!(hit.get("required"), None);
        assert_eq!(schema["$defs"]["Kind"]["enum"], json!(["A", "B"]));
        let cut = &schema["properties"]["meta"]["properties"]["cut"];
        assert_eq!(*cut, json!({"$ref": "#/$defs/MetaCut"}));
        assert!(schema["$defs"]["MetaCut"].is_object());
        let inner = &schema["$defs"]["Inner"]["properties"];
        assert_eq!(inner["format"], json!({"type": "string"}));
        assert_eq!(inner["required"]["type"], "boolean");
        assert_eq!(inner["description"]["type"], "string");
    }

    #[test]
    fn arguments_keep_their_words() {
        let schema = input(schemars::schema_for!(Hit), true);
        assert_eq!(schema["properties"]["title"]["description"], "What it is called.");
        assert_eq!(schema["properties"]["cursor"]["type"], "string");
        assert_eq!(schema["properties"]["n"].get("format"), None);
    }
}
