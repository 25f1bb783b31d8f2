//! OpenAPI and Swagger: what clients send and get. What is only sent may become wider, what
//! is only answered may become narrower, and what is both may do neither.

use super::openapi_schema::{Difference, Use, differences, pointed, resolved, unescaped};
use super::{Breaches, Place, Scope, Source, lines_of, place_in, successor};
use crate::facts::Lines;
use crate::structure::openapi::METHODS;
use crate::structure::yaml::{self, Key, Value, Yaml};
use model::breaking::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a file is one, by the key that every one has.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    ["openapi", "swagger"].iter().any(|key| {
        text.match_indices(key).take(8).any(|(at, _)| {
            let before = text[..at].trim_end_matches(['"', '\'']);
            let after = text[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
            let is_key = before.is_empty() || before.ends_with(['\n', ' ', '\t', '{', ',']);
            is_key && after.starts_with(':')
        })
    })
}

pub(super) fn compare(
    old: &[Source<'_>],
    new: &[Source<'_>],
    moved: &impl Fn(&str) -> Option<String>,
    found: &mut Breaches,
) {
    let value = Value::Map(Vec::new());
    let nothing = Yaml { value, tag: None, span: 0..0, line: 1, is_plain: false };
    for file in old {
        let path = moved(file.path).unwrap_or_else(|| file.path.to_owned());
        let Some(was) = document(file) else { continue };
        let after = new.iter().find(|it| it.path == path);
        let is = after.and_then(document);
        // What does not parse any more is told as such.
        if after.is_some() && is.is_none() {
            continue;
        }
        let new_file = after.unwrap_or(file);
        let lines = [lines_of(file), lines_of(new_file)];
        let old = Api { file, lines: &lines[0], document: &was };
        let new =
            Api { file: new_file, lines: &lines[1], document: is.as_ref().unwrap_or(&nothing) };
        let home = file.path.to_owned();
        found.scope = Scope { format: "openapi", home, schema: String::new() };
        Versions { old, new, found }.compare();
    }
}

fn document(file: &Source<'_>) -> Option<Yaml> {
    let mut all = yaml::parse(file.bytes).0.into_iter();
    all.find(|it| it.get("openapi").is_some() || it.get("swagger").is_some())
}

/// One version of the interface.
#[derive(Clone, Copy)]
struct Api<'a> {
    file: &'a Source<'a>,
    lines: &'a Lines,
    document: &'a Yaml,
}

/// A method of a path.
struct Operation<'a> {
    key: &'a Key,
    name: String,
    item: &'a Yaml,
    body: &'a Yaml,
}

type Parameters<'a> = BTreeMap<(String, String), &'a Yaml>;

impl<'a> Api<'a> {
    fn place(&self, byte: usize) -> Place {
        place_in(self.file, self.lines, byte)
    }

    /// By method and path, whatever the parts that vary are called.
    fn operations(&self) -> BTreeMap<String, Operation<'a>> {
        let mut all = BTreeMap::new();
        for (path, item) in self.document.get("paths").map(Yaml::entries).unwrap_or_default() {
            for (key, body) in item.entries() {
                if !METHODS.contains(&key.text.as_str()) {
                    continue;
                }
                let method = key.text.to_ascii_uppercase();
                let part = |part| if str::starts_with(part, "{") { "{}" } else { part };
                let shape: Vec<&str> = path.text.split('/').map(part).collect();
                let name = format!("{method} {}", path.text);
                let operation = Operation { key, name, item, body };
                all.insert(format!("{method} {}", shape.join("/")), operation);
            }
        }
        all
    }

    fn schemas(&self) -> BTreeMap<&'a str, (&'a Key, &'a Yaml)> {
        let mut all = BTreeMap::new();
        for path in [&["components", "schemas"][..], &["definitions"]] {
            for (key, schema) in self.document.at(path).map(Yaml::entries).unwrap_or_default() {
                all.insert(key.text.as_str(), (key, schema));
            }
        }
        all
    }

    /// Parameters by where they are given and their names; those in the path by their place.
    fn parameters(&self, operation: &Operation<'a>) -> Parameters<'a> {
        let mut all = BTreeMap::new();
        let parts: Vec<&str> = operation.name.split('/').filter(|it| it.starts_with('{')).collect();
        for list in [operation.item, operation.body] {
            for written in list.get("parameters").map(Yaml::items).unwrap_or_default() {
                let parameter = resolved(self.document, written);
                let name = parameter.text_at(&["name"]).unwrap_or_default();
                let place = parameter.text_at(&["in"]).unwrap_or_default();
                let at = parts.iter().position(|it| it.trim_matches(['{', '}']) == name);
                let key = match (place, at) {
                    ("path", Some(at)) => at.to_string(),
                    ("body", _) => String::new(),
                    ("header", _) => name.to_ascii_lowercase(),
                    _ => name.to_owned(),
                };
                all.insert((place.to_owned(), key), parameter);
            }
        }
        all
    }

    /// What a request or a response holds, by the type of its content.
    fn contents(&self, value: &'a Yaml) -> BTreeMap<&'a str, &'a Yaml> {
        let value = resolved(self.document, value);
        let typed = value.get("content").map(Yaml::entries).unwrap_or_default().iter();
        let mut all: BTreeMap<&str, &Yaml> = typed
            .filter_map(|(key, media)| Some((key.text.as_str(), media.get("schema")?)))
            .collect();
        all.extend(value.get("schema").map(|schema| ("", schema)));
        all
    }

    /// What each schema of the file is for, in the operations given.
    fn uses<'o>(&self, kept: impl Iterator<Item = &'o Operation<'a>>) -> BTreeMap<String, Use>
    where
        'a: 'o,
    {
        let mut uses = BTreeMap::new();
        let (mut sent, mut answered) = (BTreeSet::new(), BTreeSet::new());
        for operation in kept {
            for parameter in self.parameters(operation).into_values() {
                self.follow(parameter, (Use::SENT, &mut sent), &mut uses);
            }
            if let Some(body) = operation.body.get("requestBody") {
                self.follow(body, (Use::SENT, &mut sent), &mut uses);
            }
            if let Some(responses) = operation.body.get("responses") {
                self.follow(responses, (Use::ANSWERED, &mut answered), &mut uses);
            }
        }
        uses
    }

    /// Adds the schemas that a value leads to; references that were followed for the same
    /// use are not followed again.
    fn follow(
        &self,
        value: &'a Yaml,
        (by, seen): (Use, &mut BTreeSet<String>),
        uses: &mut BTreeMap<String, Use>,
    ) {
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            let mut found = Vec::new();
            at.each(&mut |value| {
                found.extend(value.text_at(&["$ref"]).map(str::to_owned));
            });
            for reference in found.into_iter().filter(|it| seen.insert(it.clone())) {
                if let Some(name) = schema_name(&reference) {
                    let known = uses.entry(unescaped(name)).or_default();
                    *known = known.with(by);
                }
                open.extend(pointed(self.document, &reference));
            }
        }
    }
}

/// `#/components/schemas/Pet`
fn schema_name(reference: &str) -> Option<&str> {
    ["#/components/schemas/", "#/definitions/"].iter().find_map(|it| reference.strip_prefix(it))
}

fn is_required(it: &Yaml) -> bool {
    it.text_at(&["required"]) == Some("true")
}

struct Versions<'a, 'f> {
    old: Api<'a>,
    new: Api<'a>,
    found: &'f mut Breaches,
}

/// An operation in both versions.
struct OperationPair<'o, 'a> {
    was: &'o Operation<'a>,
    now: &'o Operation<'a>,
    places: [Place; 2],
}

impl<'a> Versions<'a, '_> {
    fn compare(&mut self) {
        let (before, after) = (self.old.operations(), self.new.operations());
        let mut kept = Vec::new();
        for (shape, was) in &before {
            let at = self.old.place(was.key.start);
            if let Some(now) = after.get(shape) {
                kept.push(was);
                let is = self.new.place(now.key.start);
                self.operation(&OperationPair { was, now, places: [at, is] });
            } else {
                let told = format!("{} is gone", was.name);
                self.found.add_at(Rule::RemovedRoute, &was.name, &at, told);
            }
        }
        let uses = self.old.uses(kept.into_iter());
        self.schemas(&uses, before.is_empty());
    }

    fn say(&mut self, of: &OperationPair<'_, '_>, rule: Rule, what: &str, told: &str) {
        let name = &of.was.name;
        let [was, is] = &of.places;
        self.found.add(rule, &format!("{name} {what}"), [was, is], format!("{name}: {told}"));
    }

    fn say_all(&mut self, of: &OperationPair<'_, '_>, what: &str, found: &[Difference]) {
        for it in found {
            self.say(of, it.rule, &format!("{what}{}", it.at), &it.told(what));
        }
    }

    fn documents(&self) -> [&'a Yaml; 2] {
        [self.old.document, self.new.document]
    }

    fn operation(&mut self, of: &OperationPair<'_, 'a>) {
        self.parameters(of);
        let bodies = [of.was, of.now].map(|it| it.body.get("requestBody"));
        let [was, is] = [0, 1].map(|side: usize| {
            bodies[side].is_some_and(|it| is_required(resolved(self.documents()[side], it)))
        });
        if is && !was {
            self.say(of, Rule::RequiredInput, "body", "a body is now required");
        }
        if let [Some(was), Some(is)] = bodies {
            self.contents(of, "body", [was, is], Use::SENT);
        }
        let responses =
            |it: &Operation<'a>| it.body.get("responses").map(Yaml::entries).unwrap_or_default();
        let after = responses(of.now);
        for (status, was) in responses(of.was) {
            let what = format!("response {}", status.text);
            if let Some((_, is)) = after.iter().find(|(known, _)| known.text == status.text) {
                self.contents(of, &what, [was, is], Use::ANSWERED);
            } else if status.text.starts_with('2') {
                self.say(of, Rule::RemovedResponse, &what, &format!("{what} is gone"));
            }
        }
    }

    fn parameters(&mut self, of: &OperationPair<'_, 'a>) {
        let (old, new) = (self.old.parameters(of.was), self.new.parameters(of.now));
        for (key, was) in &old {
            let place = key.0.as_str();
            let called = was.text_at(&["name"]).unwrap_or_default();
            let Some(now) = new.get(key) else {
                if !matches!(place, "body" | "path") {
                    let told = format!("{place} parameter {called} is gone");
                    self.say(of, Rule::RemovedParameter, called, &told);
                }
                continue;
            };
            if is_required(now) && !is_required(was) {
                let told = format!("{place} parameter {called} is now required");
                self.say(of, Rule::RequiredInput, called, &told);
            }
            // Swagger writes the type of a parameter without a schema around it.
            let schemas = [*was, *now].map(|it| it.get("schema").unwrap_or(it));
            let found = differences(self.documents(), schemas, Use::SENT);
            self.say_all(of, if place == "body" { "body" } else { called }, &found);
        }
        for (key, now) in new.iter().filter(|(key, _)| !old.contains_key(*key)) {
            let (place, called) = (&key.0, now.text_at(&["name"]).unwrap_or_default());
            if is_required(now) && place != "path" {
                let told = format!("required {place} parameter {called} is added");
                self.say(of, Rule::RequiredInput, called, &told);
            }
        }
    }

    /// What is sent or answered under one heading: `body`, `response 200`.
    fn contents(
        &mut self,
        of: &OperationPair<'_, 'a>,
        what: &str,
        [was, is]: [&'a Yaml; 2],
        by: Use,
    ) {
        let (before, after) = (self.old.contents(was), self.new.contents(is));
        for (media, was) in &before {
            if let Some(now) = after.get(media) {
                let found = differences(self.documents(), [was, now], by);
                self.say_all(of, what, &found);
            } else if !after.is_empty() && !media.is_empty() {
                let told = format!("{what} is no longer {media}");
                self.say(of, Rule::ChangedType, &format!("{what} {media}"), &told);
            }
        }
    }

    fn schemas(&mut self, uses: &BTreeMap<String, Use>, is_library: bool) {
        let (before, after) = (self.old.schemas(), self.new.schemas());
        let properties = |schema: &Yaml| -> BTreeSet<String> {
            let all = schema.get("properties").map(Yaml::entries).unwrap_or_default();
            all.iter().map(|(key, _)| key.text.clone()).collect()
        };
        let fresh: BTreeMap<&str, BTreeSet<String>> = after
            .iter()
            .filter(|(name, _)| !before.contains_key(*name))
            .map(|(name, (_, schema))| (*name, properties(schema)))
            .collect();
        for (name, (key, was)) in &before {
            let by = match uses.get(*name) {
                Some(by) => *by,
                None if is_library => Use::SENT.with(Use::ANSWERED),
                // No operation that is still there speaks of it.
                None => continue,
            };
            let at = self.old.place(key.start);
            let parts = || fresh.iter().map(|(name, parts)| (*name, parts));
            let now = match after.get(name) {
                Some(now) => now,
                None => match successor(&properties(was), parts()) {
                    Some(to) => {
                        let now = &after[to];
                        let told = format!("schema {name} is now {to}");
                        let is = self.new.place(now.0.start);
                        self.found.add(Rule::RenamedContract, name, [&at, &is], told);
                        now
                    }
                    None => {
                        let told = format!("schema {name} is gone");
                        self.found.add_at(Rule::RemovedContract, name, &at, told);
                        continue;
                    }
                },
            };
            for it in differences(self.documents(), [was, now.1], by) {
                let symbol = format!("{name}{}", it.at);
                let was = it.bytes[0].map(|byte| self.old.place(byte));
                let is = it.bytes[1].map(|byte| self.new.place(byte));
                let Some(shown) = is.clone().or(was.clone()) else { continue };
                let old = was.unwrap_or(shown.clone());
                self.found.add(it.rule, &symbol, [&old, &shown], it.told(name));
            }
        }
    }
}
