//! Schemas of OpenAPI: what one allows and the other does not.

use crate::structure::yaml::{Key, Yaml};
use model::breaking::Rule;
use std::collections::BTreeSet;

/// Which way values of a schema go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Use {
    /// Clients send it: it must go on to allow what it allowed.
    pub is_sent: bool,
    /// Clients get it: it must not allow more than it did.
    pub is_answered: bool,
}

impl Use {
    pub const SENT: Use = Use { is_sent: true, is_answered: false };
    pub const ANSWERED: Use = Use { is_sent: false, is_answered: true };

    #[must_use]
    pub fn with(self, other: Use) -> Use {
        Use {
            is_sent: self.is_sent || other.is_sent,
            is_answered: self.is_answered || other.is_answered,
        }
    }
}

/// One thing that differs and breaks somebody.
pub struct Difference {
    pub rule: Rule,
    /// From the schema down: `.address.zip`.
    pub at: String,
    what: String,
    /// The bytes at which it was and is written; none where it is gone, or new.
    pub bytes: [Option<usize>; 2],
}

impl Difference {
    /// `Pet.age was integer, is string`
    pub fn told(&self, subject: &str) -> String {
        format!("{subject}{} {}", self.at, self.what)
    }
}

/// What a reference inside a document means.
pub fn resolved<'a>(document: &'a Yaml, value: &'a Yaml) -> &'a Yaml {
    let mut at = value;
    for _ in 0..8 {
        let Some(next) = at.text_at(&["$ref"]).and_then(|it| pointed(document, it)) else { break };
        at = next;
    }
    at
}

/// What `#/components/schemas/Pet` points to in its document.
pub fn pointed<'a>(document: &'a Yaml, reference: &str) -> Option<&'a Yaml> {
    let keys: Vec<String> = reference.strip_prefix("#/")?.split('/').map(unescaped).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    document.at(&keys)
}

/// A part of a pointer as the key it means.
pub fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// Everything in which a new schema does not keep what an old one said.
pub fn differences<'a>(
    documents: [&'a Yaml; 2],
    schemas: [&'a Yaml; 2],
    by: Use,
) -> Vec<Difference> {
    let mut comparison = Comparison { documents, by, found: Vec::new(), followed: BTreeSet::new() };
    comparison.schema("", schemas, 0);
    comparison.found
}

struct Comparison<'a> {
    documents: [&'a Yaml; 2],
    by: Use,
    found: Vec<Difference>,
    /// Where the schemas stand that were compared because one of two has a name.
    followed: BTreeSet<[(usize, usize); 2]>,
}

/// Deeper schemas are compared where they have a name.
const MOST_DEEP: usize = 16;

impl<'a> Comparison<'a> {
    fn say(&mut self, rule: Rule, at: &str, what: String, [old, new]: [&Yaml; 2]) {
        self.say_at(rule, at, what, [Some(old), Some(new)]);
    }

    fn say_at(&mut self, rule: Rule, at: &str, what: String, written: [Option<&Yaml>; 2]) {
        let bytes = written.map(|it| it.map(|it| it.span.start));
        self.found.push(Difference { rule, at: at.to_owned(), what, bytes });
    }

    fn schema(&mut self, at: &str, [old, new]: [&'a Yaml; 2], depth: usize) {
        let name = |it: &Yaml| it.text_at(&["$ref"]).map(str::to_owned);
        let (old, new) = match (name(old), name(new)) {
            // Whoever has a name is compared by it.
            (Some(was), Some(is)) => {
                let last = |it: &str| it.rsplit('/').next().unwrap_or(it).to_owned();
                let is_left = resolved(self.documents[1], old).get("$ref").is_none();
                if was != is && is_left {
                    let what = format!("was {}, is {}", last(&was), last(&is));
                    self.say(Rule::ChangedType, at, what, [old, new]);
                }
                return;
            }
            (None, None) => (old, new),
            _ => {
                let pair = [(0, old), (1, new)]
                    .map(|(side, it): (usize, _)| resolved(self.documents[side], it));
                // The same two once: names that hold names twice would double with each.
                if !self.followed.insert(pair.map(|it| (it.span.start, it.span.end))) {
                    return;
                }
                (pair[0], pair[1])
            }
        };
        if depth > MOST_DEEP {
            return;
        }
        if !self.types(at, [old, new]) {
            return;
        }
        self.values(at, [old, new]);
        if self.by.is_sent {
            self.limits(at, [old, new]);
        }
        self.properties(at, [old, new], depth);
        if let (Some(was), Some(is)) = (old.get("items"), new.get("items")) {
            self.schema(&format!("{at}[]"), [was, is], depth + 1);
        }
        let parts = |it: &'a Yaml| it.get("allOf").map(Yaml::items).unwrap_or_default();
        if parts(old).len() == parts(new).len() {
            for (was, is) in parts(old).iter().zip(parts(new)) {
                self.schema(at, [was, is], depth + 1);
            }
        }
    }

    /// Whether the types still meet; nothing below says more where they do not.
    fn types(&mut self, at: &str, schemas: [&'a Yaml; 2]) -> bool {
        let [old, new] = schemas.map(Types::of);
        let told = |it: &Types| {
            let names: Vec<&str> = it.names.iter().map(String::as_str).collect();
            if names.is_empty() { "anything".to_owned() } else { names.join(" or ") }
        };
        let breaks = (self.by.is_sent && !new.allows(&old))
            || (self.by.is_answered && !old.allows(&new) && !new.names.is_empty());
        if breaks {
            let what = format!("was {}, is {}", told(&old), told(&new));
            self.say(Rule::ChangedType, at, what, schemas);
            return false;
        }
        if self.by.is_sent && old.is_nullable && !new.is_nullable {
            self.say(Rule::ChangedType, at, "may no longer be null".to_owned(), schemas);
        }
        if self.by.is_answered && new.is_nullable && !old.is_nullable {
            self.say(Rule::ChangedType, at, "can be null".to_owned(), schemas);
        }
        let [was, is] = schemas.map(|it| it.text_at(&["format"]));
        if let (Some(was), Some(is)) = (was, is)
            && was != is
        {
            let rank = |format: &str| {
                ["int32", "int64", "float", "double"].iter().position(|it| *it == format)
            };
            let is_wider =
                rank(was).zip(rank(is)).is_some_and(|(was, is)| was / 2 == is / 2 && is > was);
            if !is_wider || self.by.is_answered {
                self.say(Rule::ChangedType, at, format!("was {was}, is {is}"), schemas);
            }
        }
        true
    }

    fn values(&mut self, at: &str, schemas: [&'a Yaml; 2]) {
        let [old, new] = schemas.map(|it| {
            it.get("enum")
                .map(|list| list.items().iter().filter_map(Yaml::text).collect::<Vec<_>>())
        });
        match (old, new) {
            (Some(old), Some(new)) => {
                let gone: Vec<&str> = old.iter().filter(|it| !new.contains(it)).copied().collect();
                if !gone.is_empty() {
                    let what = format!("no longer has the value {}", gone.join(", "));
                    self.say(Rule::RemovedValue, at, what, schemas);
                }
                let fresh: Vec<&str> = new.iter().filter(|it| !old.contains(it)).copied().collect();
                if self.by.is_answered && !fresh.is_empty() {
                    let what = format!("can also be {}", fresh.join(", "));
                    self.say(Rule::ChangedType, at, what, schemas);
                }
            }
            (Some(old), None) if self.by.is_answered => {
                let what = format!("can be other than {}", old.join(", "));
                self.say(Rule::ChangedType, at, what, schemas);
            }
            (None, Some(new)) if self.by.is_sent => {
                let what = format!("is now one of {}", new.join(", "));
                self.say(Rule::ChangedType, at, what, schemas);
            }
            _ => {}
        }
    }

    fn limits(&mut self, at: &str, schemas: [&'a Yaml; 2]) {
        const UPPER: [&str; 4] = ["maxLength", "maximum", "maxItems", "maxProperties"];
        const LOWER: [&str; 4] = ["minLength", "minimum", "minItems", "minProperties"];
        let number =
            |it: &Yaml, key: &str| it.text_at(&[key]).and_then(|it| it.parse::<f64>().ok());
        for key in UPPER.iter().chain(&LOWER) {
            let [old, new] = schemas.map(|it| number(it, key));
            let Some(is) = new else { continue };
            let is_narrower = match old {
                Some(was) if UPPER.contains(key) => is < was,
                Some(was) => is > was,
                // To be at least nothing is no limit.
                None => UPPER.contains(key) || is > 0.0,
            };
            if is_narrower {
                let before = old.map_or(String::new(), |was| format!(", was {was}"));
                self.say(Rule::ChangedType, at, format!("has {key} {is}{before}"), schemas);
            }
        }
        let [was, is] = schemas.map(|it| it.text_at(&["pattern"]));
        if let Some(is) = is.filter(|is| was != Some(is)) {
            self.say(Rule::ChangedType, at, format!("must match {is}"), schemas);
        }
    }

    fn properties(&mut self, at: &str, schemas: [&'a Yaml; 2], depth: usize) {
        let all = |it: &'a Yaml| it.get("properties").map(Yaml::entries).unwrap_or_default();
        let [old, new] = schemas.map(all);
        let required = schemas.map(|it| -> BTreeSet<&str> {
            let list = it.get("required").map(Yaml::items).unwrap_or_default();
            list.iter().filter_map(Yaml::text).collect()
        });
        let named = |all: &'a [(Key, Yaml)], name: &str| {
            all.iter().find(|(key, _)| key.text == name).map(|(_, value)| value)
        };
        let mut renamed = BTreeSet::new();
        for (nth, (key, was)) in old.iter().enumerate() {
            let name = key.text.as_str();
            let inner = format!("{at}.{name}");
            let Some(is) = named(new, name) else {
                // The same under another name, where it was.
                let successor = new
                    .get(nth)
                    .filter(|(to, is)| named(old, &to.text).is_none() && is_alike(was, is));
                match successor {
                    Some((to, is)) => {
                        renamed.insert(to.text.as_str());
                        let what = format!("is now {}", to.text);
                        self.say(Rule::RenamedContract, &inner, what, [was, is]);
                    }
                    None => {
                        let what = "is gone".to_owned();
                        self.say_at(Rule::RemovedField, &inner, what, [Some(was), None]);
                    }
                }
                continue;
            };
            let [was_required, is_required] =
                [0, 1].map(|side: usize| required[side].contains(name));
            if self.by.is_sent && is_required && !was_required && is.get("default").is_none() {
                self.say(Rule::RequiredInput, &inner, "is now required".to_owned(), [was, is]);
            }
            if self.by.is_answered && was_required && !is_required {
                let what = "is no longer always there".to_owned();
                self.say(Rule::ChangedType, &inner, what, [was, is]);
            }
            self.schema(&inner, [was, is], depth + 1);
        }
        for (key, is) in new.iter().filter(|(key, _)| named(old, &key.text).is_none()) {
            let is_required = required[1].contains(key.text.as_str());
            if renamed.contains(key.text.as_str()) {
                continue;
            }
            if self.by.is_sent && is_required && is.get("default").is_none() {
                let what = "is required and new".to_owned();
                let inner = format!("{at}.{}", key.text);
                self.say_at(Rule::RequiredInput, &inner, what, [None, Some(is)]);
            }
        }
    }
}

/// Whether two schemas say the same of their values, as far as that is a matter of a line.
fn is_alike(old: &Yaml, new: &Yaml) -> bool {
    let said = |it: &Yaml| -> Vec<Option<String>> {
        let text = |key: &str| it.text_at(&[key]).map(str::to_owned);
        let items = it.text_at(&["items", "$ref"]).or(it.text_at(&["items", "type"]));
        vec![text("$ref"), text("type"), text("format"), items.map(str::to_owned)]
    };
    said(old) == said(new)
}

/// The types a schema allows; none named allows all.
struct Types {
    names: BTreeSet<String>,
    is_nullable: bool,
}

impl Types {
    fn of(schema: &Yaml) -> Types {
        let written = schema.get("type").map(Yaml::names).unwrap_or_default();
        let mut names: BTreeSet<String> =
            written.iter().map(|(name, _)| (*name).to_owned()).collect();
        let has_null = names.remove("null");
        if names.is_empty() && schema.get("properties").is_some() {
            names.insert("object".to_owned());
        }
        let is_nullable = has_null || schema.text_at(&["nullable"]) == Some("true");
        Types { names, is_nullable }
    }

    /// Whether whatever the other allows is allowed here.
    fn allows(&self, other: &Types) -> bool {
        self.names.is_empty()
            || (!other.names.is_empty()
                && other.names.iter().all(|it| {
                    self.names.contains(it) || (it == "integer" && self.names.contains("number"))
                }))
    }
}
