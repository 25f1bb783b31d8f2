//! The tools: one file each, holding its arguments and its call.
//!
//! To add one, write `tools/<name>.rs` with a type that implements [`Tool`],
//! and add a row to [`TOOLS`]. Listing, schemas, checks of arguments, paging,
//! errors and the choice by `--tools` follow from it.

mod ask;
mod change;
mod code;
mod connect;
mod context;
mod experts;
mod feedback;
mod file_history;
mod find;
mod graph;
mod jobs;
mod person;
mod recall;
mod remember;
mod runtime;
mod search;
mod show;
mod snapshots;
mod status;
mod timeline;
mod trace;
mod why;

use super::aliases;
use super::answer::Format;
use super::arguments::{self, Argument};
use super::call::Call;
use super::schema;
use model::suggest::nearest;
use model::{Error, Result};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use wire::Payload;

/// Tools that are offered together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// What most tasks need; six at most, because agents do worse with many.
    Core,
    Code,
    Forge,
    Memory,
}

impl Group {
    pub const ALL: [Group; 4] = [Group::Core, Group::Code, Group::Forge, Group::Memory];

    pub const fn as_str(self) -> &'static str {
        match self {
            Group::Core => "core",
            Group::Code => "code",
            Group::Forge => "forge",
            Group::Memory => "memory",
        }
    }
}

/// What a call does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    /// Adds a record; nothing is lost by it.
    Adds,
    /// Brings lore's own database level with a repository.
    Indexes,
    /// The same with the forge, over the network.
    Fetches,
}

/// A tool as it is written.
pub trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    /// What it is for, in a sentence or two: all that the model sees of it.
    const ABOUT: &'static str;
    const GROUPS: &'static [Group];
    const EFFECT: Effect = Effect::Reads;
    /// Where in the answer the list is that a cursor goes through.
    const LISTS: &'static [&'static str] = &[];
    /// Fields only a terminal needs.
    const LEFT_OUT: &'static [&'static str] = &[];

    type Params: DeserializeOwned + JsonSchema;
    type Answer: Serialize + JsonSchema;

    fn answer(call: &Call, params: Self::Params) -> Result<Self::Answer>;

    /// The answer for a model to read, where the general form does not do.
    fn text(_: &Self::Answer, _: Format) -> Option<String> {
        None
    }

    /// Its symbols, for `gcf`; none where the answer is no list of them.
    fn payload(_: &Self::Answer) -> Option<Payload> {
        None
    }

    /// What is said about the answer, such as how it was found: part of `meta`.
    fn meta(_: &Self::Answer) -> JsonObject {
        JsonObject::new()
    }
}

/// What a tool answered.
pub struct Output {
    pub data: Value,
    /// As the tool itself writes it for a model.
    pub text: Option<String>,
    pub payload: Option<Payload>,
    pub meta: JsonObject,
}

/// A tool as a row of the table.
pub struct Entry {
    pub name: &'static str,
    title: &'static str,
    pub about: &'static str,
    pub groups: &'static [Group],
    pub effect: Effect,
    pub lists: &'static [&'static str],
    input: fn() -> Schema,
    pub run: fn(&Call, JsonObject) -> Result<Output>,
}

impl Entry {
    const fn of<T: Tool>() -> Entry {
        Entry {
            name: T::NAME,
            title: T::TITLE,
            about: T::ABOUT,
            groups: T::GROUPS,
            effect: T::EFFECT,
            lists: T::LISTS,
            input: input_of::<T>,
            run: run::<T>,
        }
    }

    pub fn is_long(&self) -> bool {
        matches!(self.effect, Effect::Indexes | Effect::Fetches)
    }

    /// What it may be asked.
    pub fn arguments(&self) -> &'static [Argument] {
        ARGUMENTS.get(self.name).map_or(&[], Vec::as_slice)
    }

    /// As clients see it. What an answer looks like is in `lore schema`: every
    /// client would pay for it in every session.
    pub fn listed(&self, text_only: bool) -> Listed {
        let hints = ToolAnnotations::default().open_world(self.effect == Effect::Fetches);
        let annotations = match self.effect {
            // What only reads destroys nothing, and may be repeated.
            Effect::Reads => hints.read_only(true),
            effect => hints.read_only(false).destructive(false).idempotent(effect != Effect::Adds),
        };
        let input = schema::input((self.input)(), !self.lists.is_empty());
        let listed = Listed::new(self.name, self.about, Arc::new(input))
            .with_title(self.title)
            .with_annotations(annotations);
        if text_only {
            return listed;
        }
        listed.with_raw_output_schema(Arc::new(schema::any_answer()))
    }
}

pub const TOOLS: &[Entry] = &[
    Entry::of::<ask::Ask>(),
    Entry::of::<context::ContextForTask>(),
    Entry::of::<search::Search>(),
    Entry::of::<timeline::Timeline>(),
    Entry::of::<trace::Trace>(),
    Entry::of::<why::Why>(),
    Entry::of::<file_history::FileHistory>(),
    Entry::of::<show::Show>(),
    Entry::of::<code::Symbol>(),
    Entry::of::<code::Impact>(),
    Entry::of::<recall::Recall>(),
    Entry::of::<remember::Remember>(),
    Entry::of::<context::ContextForFiles>(),
    Entry::of::<context::ContextForPr>(),
    Entry::of::<code::Callers>(),
    Entry::of::<code::Callees>(),
    Entry::of::<code::Overrides>(),
    Entry::of::<code::Subtypes>(),
    Entry::of::<code::Flow>(),
    Entry::of::<code::Map>(),
    Entry::of::<code::Outline>(),
    Entry::of::<code::Read>(),
    Entry::of::<find::FindText>(),
    Entry::of::<code::Communities>(),
    Entry::of::<code::Owners>(),
    Entry::of::<code::Routes>(),
    Entry::of::<code::RepoGraph>(),
    Entry::of::<code::SnapshotDiff>(),
    Entry::of::<change::SemanticDiff>(),
    Entry::of::<change::PrImpact>(),
    Entry::of::<change::TestScope>(),
    Entry::of::<change::SymbolHistory>(),
    Entry::of::<code::Stale>(),
    Entry::of::<runtime::RuntimeTraffic>(),
    Entry::of::<runtime::DeadRoutes>(),
    Entry::of::<runtime::TraceStats>(),
    Entry::of::<graph::GraphQuery>(),
    Entry::of::<graph::TraceDataflow>(),
    Entry::of::<snapshots::Snapshots>(),
    Entry::of::<feedback::Feedback>(),
    Entry::of::<feedback::PlanTurn>(),
    Entry::of::<connect::Connect>(),
    Entry::of::<connect::Handoff>(),
    Entry::of::<person::Person>(),
    Entry::of::<experts::Experts>(),
    Entry::of::<status::Status>(),
    Entry::of::<jobs::SyncNow>(),
    Entry::of::<jobs::IndexRepo>(),
];

/// Made once: a schema is too much work for every call.
static ARGUMENTS: LazyLock<BTreeMap<&'static str, Vec<Argument>>> = LazyLock::new(|| {
    let read = |entry: &Entry| {
        arguments::of_schema(&schema::input((entry.input)(), !entry.lists.is_empty()))
    };
    TOOLS.iter().map(|entry| (entry.name, read(entry))).collect()
});

fn input_of<T: Tool>() -> Schema {
    schemars::schema_for!(T::Params)
}

fn run<T: Tool>(call: &Call, arguments: JsonObject) -> Result<Output> {
    let names: Vec<String> = arguments.keys().cloned().collect();
    let params = serde_json::from_value(Value::Object(arguments))
        .map_err(|error| misunderstood::<T>(&error.to_string(), &names))?;
    let answer = T::answer(call, params)?;
    let (text, meta) = (T::text(&answer, call.format()), T::meta(&answer));
    let payload = if call.format().is_gcf() { T::payload(&answer) } else { None };
    let mut data = serde_json::to_value(answer)
        .map_err(|error| Error::internal("cannot write the answer as JSON").caused_by(error))?;
    leave_out(&mut data, T::LEFT_OUT);
    Ok(Output { data, text, payload, meta })
}

/// What is wrong with the arguments, and what was probably meant.
fn misunderstood<T: Tool>(error: &str, given: &[String]) -> Error {
    // What was sent may be as long as it likes.
    let said = model::text::one_line(error, 200);
    let schema = schema::input(input_of::<T>(), !T::LISTS.is_empty());
    let known: Vec<&str> = match schema.get("properties") {
        Some(Value::Object(fields)) => fields.keys().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let strange = given.iter().find(|name| !known.contains(&name.as_str()));
    let near = strange.and_then(|name| nearest(name, known.iter().copied(), 1).first().copied());
    let error = Error::usage(format!("the arguments of `{}` are not right: {said}", T::NAME));
    match (strange, near) {
        (Some(strange), Some(near)) => {
            let strange = model::text::one_line(strange, 40);
            error.suggest(format!("did you mean `{near}` instead of `{strange}`?"))
        }
        _ => error.suggest(format!("arguments: {}", known.join(", "))),
    }
}

fn leave_out(value: &mut Value, fields: &[&str]) {
    if fields.is_empty() {
        return;
    }
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !fields.contains(&name.as_str()));
            object.values_mut().for_each(|inner| leave_out(inner, fields));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| leave_out(item, fields)),
        _ => {}
    }
}

/// Which tools are offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSelection(Vec<&'static str>);

impl Default for ToolSelection {
    fn default() -> Self {
        ToolSelection::in_groups(&[Group::Core])
    }
}

impl ToolSelection {
    fn in_groups(groups: &[Group]) -> Self {
        let is_in = |entry: &&Entry| entry.groups.iter().any(|group| groups.contains(group));
        ToolSelection(TOOLS.iter().filter(is_in).map(|entry| entry.name).collect())
    }

    /// `core`, `code,memory`, `all`, or names of tools, in any mixture.
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut chosen: Vec<&str> = Vec::new();
        for word in words.iter().flat_map(|word| word.split(',')).map(str::trim) {
            if word == "all" {
                chosen.extend(TOOLS.iter().map(|entry| entry.name));
            } else if let Some(group) = Group::ALL.into_iter().find(|it| it.as_str() == word) {
                chosen.extend(ToolSelection::in_groups(&[group]).0);
            } else if let Some(entry) = find(word) {
                chosen.push(entry.name);
            } else if !word.is_empty() {
                return Err(unknown(word));
            }
        }
        // In the order of the table, each once.
        let names = TOOLS.iter().map(|entry| entry.name).filter(|name| chosen.contains(name));
        Ok(ToolSelection(names.collect()))
    }

    pub fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        TOOLS.iter().filter(|entry| self.0.contains(&entry.name))
    }

    pub fn find(&self, name: &str) -> Option<&'static Entry> {
        self.entries().find(|entry| entry.name == name)
    }

    /// The tool that answers to a name. One that is not listed answers too, by
    /// any of its names: the list is short to save tokens, not to forbid. Work
    /// that takes long or goes to the network must have been offered.
    pub fn answering(&self, name: &str) -> Option<&'static Entry> {
        let entry = self.find(name).or_else(|| find(name))?;
        let is_light = matches!(entry.effect, Effect::Reads | Effect::Adds);
        (is_light || self.0.contains(&entry.name)).then_some(entry)
    }

    /// Why there is no tool of this name.
    pub fn no_such_tool(&self, name: &str) -> String {
        let shown = model::text::one_line(name, 60);
        if let Some(entry) = find(name) {
            let group = entry.groups.first().map_or("all", |group| group.as_str());
            return format!(
                "the tool `{shown}` is not offered here; start the server with --tools {group}"
            );
        }
        match nearest(name, self.0.iter().copied(), 1).first() {
            Some(near) => format!("there is no tool `{shown}`; did you mean `{near}`?"),
            None => format!("there is no tool `{shown}`; there are {}", self.0.join(", ")),
        }
    }
}

fn unknown(word: &str) -> Error {
    let groups = Group::ALL.iter().map(|group| group.as_str());
    let known = groups.chain(["all"]).chain(TOOLS.iter().map(|entry| entry.name));
    let error =
        Error::usage(format!("no tool or group is called `{}`", model::text::one_line(word, 40)));
    match nearest(word, known, 1).first() {
        Some(near) => error.suggest(format!("did you mean {near}?")),
        None => error.suggest("groups: core, code, forge, memory, all"),
    }
}

pub fn find(name: &str) -> Option<&'static Entry> {
    let name = aliases::tool(name).unwrap_or(name);
    TOOLS.iter().find(|entry| entry.name == name)
}

/// Every tool by name, in the order it is listed in.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        ToolSelection::parse(&words).unwrap().0
    }

    #[test]
    fn the_core_has_six_tools_at_most() {
        let core = ToolSelection::default().0;
        assert!(core.len() <= 6, "{core:?}");
        assert!(core.contains(&"ask") && core.contains(&"remember"), "{core:?}");
    }

    #[test]
    fn tools_are_chosen_by_group_and_by_name() {
        assert_eq!(chosen(&["core"]), ToolSelection::default().0);
        assert_eq!(chosen(&["all"]).len(), TOOLS.len());
        assert_eq!(chosen(&["why,search", "search"]), ["search", "why"]);
        assert!(chosen(&["memory"]).contains(&"recall"));
        let refused = ToolSelection::parse(&["serach".to_owned()]).unwrap_err();
        assert_eq!(refused.suggestion(), Some("did you mean search?"));
    }

    #[test]
    fn every_tool_is_in_a_group_and_says_what_it_is_for() {
        for entry in TOOLS {
            assert!(!entry.groups.is_empty(), "{}", entry.name);
            assert!(entry.about.len() > 40, "{}", entry.name);
            assert!(wire::tokens::estimate(entry.about) < 90, "{}", entry.name);
        }
    }

    #[test]
    fn a_missing_tool_is_explained() {
        let core = ToolSelection::default();
        assert!(core.no_such_tool("serch").contains("did you mean `search`"));
        assert!(core.no_such_tool("status").contains("--tools forge"));
        assert!(core.no_such_tool("zzz").contains("there are ask"));
    }
}
