//! `--fields a,b.c`: keeps only some paths of an answer.
//!
//! Paths are checked against the answer's JSON Schema before the command
//! runs, so a mistyped field costs no work and is told even when the list it
//! belongs to would be empty. Arrays are transparent: `issues.title` means the
//! title of each issue.

use model::suggest::nearest;
use model::{Error, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Stands for the free keys of a map.
const ANY: &str = "*";
/// The list inside an answer that is a list.
const ITEMS: &str = "items";

/// What the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldSelection {
    /// `--fields ?`
    List,
    Paths(Vec<String>),
}

impl FieldSelection {
    /// None when no fields were named at all.
    pub fn from_flag(fields: &[String]) -> Option<Self> {
        let named: Vec<String> = fields
            .iter()
            .flat_map(|part| part.split(','))
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect();
        match named.as_slice() {
            [] => None,
            paths if paths.iter().any(|path| path == "?") => Some(FieldSelection::List),
            _ => Some(FieldSelection::Paths(named)),
        }
    }
}

/// Every path an answer of this schema can have, sorted.
pub fn paths(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = Vec::new();
    walk(schema, schema, "", &mut open, &mut found);
    found
}

fn walk(
    root: &Value,
    schema: &Value,
    prefix: &str,
    open: &mut Vec<String>,
    found: &mut BTreeSet<String>,
) {
    let Some(object) = schema.as_object() else {
        // `true`: anything may stand here.
        if schema.as_bool() == Some(true) {
            found.insert(join(prefix, ANY));
        }
        return;
    };
    if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
        // A type that contains itself is listed to its first level.
        if !open.iter().any(|seen| seen == reference)
            && let Some(target) =
                reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
        {
            open.push(reference.to_owned());
            walk(root, target, prefix, open, found);
            open.pop();
        }
    }
    for part in ["anyOf", "oneOf", "allOf"] {
        for choice in object.get(part).and_then(Value::as_array).into_iter().flatten() {
            walk(root, choice, prefix, open, found);
        }
    }
    if let Some(items) = object.get("items") {
        walk(root, items, prefix, open, found);
    }
    for (name, property) in
        object.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        let path = join(prefix, name);
        found.insert(path.clone());
        walk(root, property, &path, open, found);
    }
    match object.get("additionalProperties") {
        None | Some(Value::Bool(false)) => {}
        Some(values) => {
            let path = join(prefix, ANY);
            found.insert(path.clone());
            walk(root, values, &path, open, found);
        }
    }
}

fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

/// The tree of what to keep. A leaf keeps everything below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection(BTreeMap<String, Selection>);

impl Selection {
    /// Each wanted path must be known, or be the end of exactly one known
    /// path: `title` finds `issues.title`.
    pub fn new(wanted: &[String], known: &BTreeSet<String>) -> Result<Self> {
        let mut selection = Selection::default();
        for path in wanted {
            let full = resolve(path, known)?;
            let mut node = &mut selection;
            let mut is_covered = false;
            for step in full.split('.') {
                // A shorter path already keeps all of this.
                is_covered = node.0.contains_key(step) && node.0[step].0.is_empty();
                if is_covered {
                    break;
                }
                node = node.0.entry(step.to_owned()).or_default();
            }
            if !is_covered {
                node.0.clear();
            }
        }
        Ok(selection)
    }

    /// The parts of `value` that were asked for.
    pub fn apply(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::Array(items) => items.into_iter().map(|item| self.apply(item)).collect(),
            Value::Object(entries) => Value::Object(self.apply_to_object(entries)),
            other => other,
        }
    }

    fn apply_to_object(&self, mut entries: Map<String, Value>) -> Map<String, Value> {
        // A command that answers with one thing or a list of them: in the list,
        // the thing's fields mean those of its items.
        let names_none = !entries.keys().any(|name| self.0.contains_key(name));
        if names_none
            && !self.0.contains_key(ANY)
            && let Some(items) = entries.remove(ITEMS)
        {
            return Map::from_iter([(ITEMS.to_owned(), self.apply(items))]);
        }
        entries
            .into_iter()
            .filter_map(|(name, value)| {
                let inner = self.0.get(&name).or_else(|| self.0.get(ANY))?;
                Some((name, inner.apply(value)))
            })
            .collect()
    }
}

fn resolve(path: &str, known: &BTreeSet<String>) -> Result<String> {
    if known.iter().any(|candidate| matches(candidate, path)) {
        return Ok(path.to_owned());
    }
    let suffix = format!(".{path}");
    let ends: Vec<&str> =
        known.iter().map(String::as_str).filter(|candidate| candidate.ends_with(&suffix)).collect();
    match ends.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(unknown(path, known)),
        several => Err(Error::usage(format!("field `{path}` is ambiguous"))
            .suggest(format!("write one of {}", quoted(several)))),
    }
}

fn unknown(path: &str, known: &BTreeSet<String>) -> Error {
    let mut near = nearest(path, known.iter().map(String::as_str), 3);
    if near.is_empty() {
        // People mistype the last step; compare that alone.
        let last = path.rsplit('.').next().unwrap_or(path);
        let tails: Vec<&str> =
            known.iter().map(|known| known.rsplit('.').next().unwrap_or(known)).collect();
        let close = nearest(last, tails, 1);
        near = known
            .iter()
            .map(String::as_str)
            .filter(|known| close.contains(&known.rsplit('.').next().unwrap_or(known)))
            .take(3)
            .collect();
    }
    let error = Error::usage(format!("this answer has no field `{path}`"));
    if near.is_empty() {
        error.suggest("`--fields ?` lists the fields")
    } else {
        error.suggest(format!("did you mean {}? `--fields ?` lists them all", quoted(&near)))
    }
}

/// Whether a known path with `*` steps covers a written one.
fn matches(known: &str, written: &str) -> bool {
    let mut known = known.split('.');
    let mut written = written.split('.');
    loop {
        match (known.next(), written.next()) {
            (None, None) => return true,
            (Some(ANY), Some(_)) => {}
            (Some(a), Some(b)) if a == b => {}
            _ => return false,
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::Serialize;
    use serde_json::json;

    #[derive(Serialize, JsonSchema)]
    struct Answer {
        total: u32,
        issues: Vec<Issue>,
        by_label: BTreeMap<String, u32>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Issue {
        title: String,
        author: Option<User>,
        blocks: Vec<Issue>,
    }

    #[derive(Serialize, JsonSchema)]
    struct User {
        username: String,
    }

    fn known() -> BTreeSet<String> {
        paths(schemars::schema_for!(Answer).as_value())
    }

    fn select(fields: &str, value: Value) -> Value {
        let wanted: Vec<String> = fields.split(',').map(str::to_owned).collect();
        Selection::new(&wanted, &known()).unwrap().apply(value)
    }

    fn sample() -> Value {
        json!({
            "total": 2,
            "issues": [
                {"title": "a", "author": {"username": "ann"}, "blocks": []},
                {"title": "b", "author": null, "blocks": []},
            ],
            "by_label": {"bug": 1, "ux": 2},
        })
    }

    #[test]
    fn the_schema_tells_the_paths() {
        assert_eq!(
            known().into_iter().collect::<Vec<_>>(),
            [
                "by_label",
                "by_label.*",
                "issues",
                "issues.author",
                "issues.author.username",
                "issues.blocks",
                "issues.title",
                "total",
            ]
        );
    }

    #[test]
    fn paths_apply_inside_arrays_and_maps() {
        assert_eq!(
            select("issues.title,total", sample()),
            json!({"issues": [{"title": "a"}, {"title": "b"}], "total": 2})
        );
        assert_eq!(
            select("issues.author.username", sample()),
            json!({"issues": [{"author": {"username": "ann"}}, {"author": null}]})
        );
        assert_eq!(select("by_label.ux", sample()), json!({"by_label": {"ux": 2}}));
    }

    #[test]
    fn an_unambiguous_ending_is_enough() {
        assert_eq!(select("username", sample()), select("issues.author.username", sample()));
    }

    #[test]
    fn the_wider_of_two_paths_wins() {
        let whole = select("issues", sample());
        assert_eq!(select("issues,issues.title", sample()), whole);
        assert_eq!(select("issues.title,issues", sample()), whole);
    }

    #[test]
    fn unknown_fields_name_the_nearest() {
        let error = Selection::new(&["issues.titel".into()], &known()).unwrap_err();
        assert_eq!(error.message(), "this answer has no field `issues.titel`");
        assert!(error.suggestion().unwrap().contains("`issues.title`"), "{error:?}");
        let error = Selection::new(&["zzz".into()], &known()).unwrap_err();
        assert_eq!(error.suggestion().unwrap(), "`--fields ?` lists the fields");
    }
}
