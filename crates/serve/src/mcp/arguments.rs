//! Arguments as a tool's schema has them. Clients differ: some send `12` where a text is
//! meant (the official Inspector turns every text of digits into a number), some `"5"`
//! where a number is, some one value where a list is. Which is which the schema says.

use super::aliases;
use rmcp::model::JsonObject;
use serde_json::Value;

/// An argument of a tool: its name, and what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Number,
    Flag,
    List(Box<Kind>),
    /// Anything else is left as it is.
    Other,
}

/// The arguments of a schema, in its order.
pub fn of_schema(schema: &JsonObject) -> Vec<Argument> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flatten();
    fields.map(|(name, field)| Argument { name: name.clone(), kind: kind(field) }).collect()
}

fn kind(field: &Value) -> Kind {
    match field.get("type").and_then(Value::as_str) {
        Some("string") => Kind::Text,
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("boolean") => Kind::Flag,
        Some("array") => Kind::List(Box::new(kind(&field["items"]))),
        _ => Kind::Other,
    }
}

/// Gives arguments the names and the types that the tool has for them, where nothing else
/// can be meant. What does not fit stays, and is refused with a reason.
pub fn settle(arguments: &mut JsonObject, known: &[Argument]) {
    aliases::rename_arguments(arguments, known);
    for argument in known {
        if let Some(value) = arguments.get_mut(&argument.name) {
            fit(value, &argument.kind);
        }
    }
}

fn fit(value: &mut Value, kind: &Kind) {
    let fitted = match (&*value, kind) {
        (Value::Number(number), Kind::Text) => Some(Value::String(number.to_string())),
        (Value::String(text), Kind::Integer) => text.trim().parse::<i64>().ok().map(Value::from),
        (Value::String(text), Kind::Number) => text.trim().parse::<f64>().ok().map(Value::from),
        (Value::String(text), Kind::Flag) => text.trim().parse::<bool>().ok().map(Value::Bool),
        (Value::Array(_), Kind::List(_)) | (Value::Null, _) => None,
        (one, Kind::List(_)) => Some(Value::Array(vec![one.clone()])),
        _ => None,
    };
    if let Some(fitted) = fitted {
        *value = fitted;
    }
    if let (Value::Array(items), Kind::List(kind)) = (value, kind) {
        for item in items {
            fit(item, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settled(given: Value) -> Value {
        let schema = json!({ "properties": {
            "target": { "type": "string" },
            "limit": { "type": "integer" },
            "min_confidence": { "type": "number" },
            "bodies": { "type": "boolean" },
            "paths": { "type": "array", "items": { "type": "string" } },
            "kind": { "$ref": "#/$defs/Kind" },
        }});
        let known = of_schema(schema.as_object().unwrap());
        let mut arguments = given.as_object().unwrap().clone();
        settle(&mut arguments, &known);
        Value::Object(arguments)
    }

    #[test]
    fn values_become_what_the_schema_says() {
        for (given, meant) in [
            (json!({"target": 12}), json!({"target": "12"})),
            (json!({"mr": 12}), json!({"target": "12"})),
            (json!({"files": "src/a.rs"}), json!({"paths": ["src/a.rs"]})),
            (json!({"limit": "5"}), json!({"limit": 5})),
            (json!({"min_confidence": "0.5"}), json!({"min_confidence": 0.5})),
            (json!({"bodies": "true"}), json!({"bodies": true})),
            (json!({"paths": "src/a.rs"}), json!({"paths": ["src/a.rs"]})),
            (json!({"paths": [7]}), json!({"paths": ["7"]})),
        ] {
            assert_eq!(settled(given.clone()), meant, "{given}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_left_to_be_refused() {
        for given in [
            json!({"target": true}),
            json!({"target": null}),
            json!({"limit": "many"}),
            json!({"limit": 1.5}),
            json!({"bodies": "yes"}),
            json!({"kind": 3}),
            json!({"unknown": 1}),
        ] {
            assert_eq!(settled(given.clone()), given);
        }
    }
}
