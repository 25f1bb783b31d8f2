//! The commits that changed one symbol, under whatever name and in whatever
//! file it was.

use crate::change::{Aspect, SymbolVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

crate::vocabulary! {
    /// What a commit did to a symbol.
    pub enum StepKind {
        /// It was not there before.
        Introduced = "introduced",
        /// It was not there before, and has the text of a symbol that stayed.
        Copied = "copied",
        Renamed = "renamed",
        /// Into another file or container.
        Moved = "moved",
        Changed = "changed",
    }
}

/// One commit that changed a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LineageStep {
    pub commit: String,
    pub change: StepKind,
    /// What differs beside name and place.
    pub aspects: Vec<Aspect>,
    /// As the commit left it.
    pub new: SymbolVersion,
    /// As it was; none where it began. Of a copy, what was copied.
    pub old: Option<SymbolVersion>,
    /// How alike both texts are, 0 to 1, where they were compared for it.
    pub similarity: Option<f32>,
    /// Whether the code before and after names what was watched for.
    #[serde(skip)]
    pub mentions: (bool, bool),
}

/// Why a lineage ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineageEnd {
    /// The commit that introduced the symbol was found.
    Introduced,
    /// The clone has no older commits.
    Shallow,
    /// Too many versions; the oldest were not read.
    Bounded,
    /// A merge brought the file in a form that no commit has.
    Unexplained,
}

/// What happened to a symbol, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lineage {
    /// As it is where the question was asked.
    pub symbol: SymbolVersion,
    pub steps: Vec<LineageStep>,
    pub end: LineageEnd,
    /// Versions of files that were looked at.
    pub n_versions: u64,
    /// Every name and place it had: `path` and `symbol`, newest first.
    pub names: Vec<SymbolName>,
}

/// What a symbol was called, and where it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolName {
    pub path: String,
    pub symbol: String,
}

/// How a symbol of a file is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// The innermost symbol around a line.
    Line(u32),
    Named {
        /// The end of its path in the file: `Gson.toJson`, `toJson`.
        name: String,
        /// The parameters as they were typed, if they were: types, names or both.
        params: Option<Vec<String>>,
        /// Of several of one name the one nearest to this line.
        line: Option<u32>,
    },
}

impl Locator {
    /// `Gson.toJson(Object, Type)` and the like.
    pub fn named(typed: &str) -> Self {
        let (name, params) = match typed.split_once('(') {
            Some((name, rest)) => (name, Some(params(rest.trim_end().trim_end_matches(')')))),
            None => (typed, None),
        };
        Locator::Named { name: name.trim().to_owned(), params, line: None }
    }
}

/// The parameters of a list, split at its own commas.
fn params(list: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(c);
        }
    }
    all.retain(|it| !it.trim().is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_say_its_parameters() {
        let Locator::Named { name, params, .. } = Locator::named("Gson.toJson(Map<K, V>, Type t)")
        else {
            panic!("a name is no line");
        };
        assert_eq!(name, "Gson.toJson");
        assert_eq!(params, Some(vec!["Map<K, V>".to_owned(), " Type t".to_owned()]));
        let Locator::Named { params, .. } = Locator::named("run()") else {
            panic!("a name is no line");
        };
        assert_eq!(params, Some(Vec::new()));
    }
}
