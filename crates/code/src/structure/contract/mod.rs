//! What a contract promises to others, and what a new version of it does not keep.
//!
//! Symbols alone do not say it: a field may keep its name and change its number, a column
//! its type. Each format reads its files again for what its rules ask, and compares both
//! versions as a whole: what went from one file to another is still there.

mod openapi;
mod openapi_schema;
mod proto;
mod sql;
mod sql_state;
mod sql_words;
#[cfg(test)]
mod tests;

use crate::facts::Lines;
use model::breaking::{ContractBreach, Rule};
use model::code::is_test_path;
use std::collections::{BTreeMap, BTreeSet};

/// A changed file of one version.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub path: &'a str,
    pub bytes: &'a [u8],
}

/// Where something of a contract is written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    path: String,
    line: u32,
}

/// Whose names those of what is found are: the same name elsewhere is another contract.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Scope {
    format: &'static str,
    /// A package of messages, or the file where names are those of one file.
    home: String,
    /// The schema of a table, where one is written.
    schema: String,
}

/// What was found, each once.
#[derive(Default)]
pub(crate) struct Breaches {
    all: Vec<(Scope, ContractBreach)>,
    /// Of what is found from now on.
    scope: Scope,
}

impl Breaches {
    fn add(&mut self, rule: Rule, symbol: &str, [old, at]: [&Place; 2], message: String) {
        let breach = ContractBreach {
            rule,
            symbol: symbol.to_owned(),
            old_path: old.path.clone(),
            old_line: old.line,
            path: at.path.clone(),
            line: at.line,
            message,
        };
        self.all.push((self.scope.clone(), breach));
    }

    /// Of something that is gone, or that is new.
    fn add_at(&mut self, rule: Rule, symbol: &str, at: &Place, message: String) {
        self.add(rule, symbol, [at, at], message);
    }

    /// Each once; what has a new name is not gone.
    fn finish(self) -> Vec<ContractBreach> {
        let mut index = BreachIndex::default();
        for (scope, it) in self.all.iter().filter(|(_, it)| it.rule == Rule::RenamedContract) {
            index.is_new(scope, it);
        }
        let renamed = std::mem::take(&mut index);
        let all = self.all.into_iter().filter(|(scope, it)| {
            let is_renamed = it.rule == Rule::RemovedContract
                && renamed.has(scope, Rule::RenamedContract, &it.symbol);
            // A schema and the migration that leads to it say the same.
            !is_renamed && index.is_new(scope, it)
        });
        all.map(|(_, it)| it).collect()
    }
}

/// What was found of which contract.
#[derive(Default)]
struct BreachIndex {
    /// By format, home, rule and symbol the schemas in which it was found.
    schemas: BTreeMap<(&'static str, String, Rule, String), BTreeSet<String>>,
}

impl BreachIndex {
    fn is_new(&mut self, scope: &Scope, it: &ContractBreach) -> bool {
        if self.has(scope, it.rule, &it.symbol) {
            return false;
        }
        let key = (scope.format, scope.home.clone(), it.rule, it.symbol.clone());
        self.schemas.entry(key).or_default().insert(scope.schema.clone())
    }

    /// A table without a schema may be the one of any.
    fn has(&self, scope: &Scope, rule: Rule, symbol: &str) -> bool {
        let key = (scope.format, scope.home.clone(), rule, symbol.to_owned());
        self.schemas.get(&key).is_some_and(|schemas| {
            scope.schema.is_empty() || schemas.contains("") || schemas.contains(&scope.schema)
        })
    }
}

/// The changed files that are contracts, of one version.
#[derive(Default)]
struct Sides<'a> {
    proto: [Vec<Source<'a>>; 2],
    sql: [Vec<Source<'a>>; 2],
    openapi: [Vec<Source<'a>>; 2],
}

/// Whether a file is there to take a change of a schema back: nobody runs it on the way up,
/// and what it makes is not made.
pub(crate) fn takes_back(path: &str) -> bool {
    super::by_path(path).is_some_and(|format| format.name == "sql") && sql_words::undoes(path)
}

/// What the files of two versions that are contracts do not keep, and the paths of those
/// that were compared.
pub(crate) fn breaches(
    old: &[Source<'_>],
    new: &[Source<'_>],
    moved: impl Fn(&str) -> Option<String>,
) -> (Vec<ContractBreach>, Vec<String>) {
    let mut sides = Sides::default();
    let mut judged = Vec::new();
    for (side, files) in [old, new].into_iter().enumerate() {
        for file in files.iter().filter(|file| !is_test_path(file.path)) {
            let list = match super::by_path(file.path).map(|format| format.name) {
                Some("proto") => &mut sides.proto,
                Some("sql") => &mut sides.sql,
                Some("yaml") if openapi::is_one(file.bytes) => &mut sides.openapi,
                _ => continue,
            };
            list[side].push(*file);
            if side == 0 {
                judged.push(file.path.to_owned());
            }
        }
    }
    let mut found = Breaches::default();
    let [before, after] = &sides.proto;
    proto::compare(before, after, &mut found);
    let [before, after] = &sides.sql;
    sql::compare(before, after, &moved, &mut found);
    let [before, after] = &sides.openapi;
    openapi::compare(before, after, &moved, &mut found);
    judged.sort();
    (found.finish(), judged)
}

fn lines_of(file: &Source<'_>) -> Lines {
    Lines::of(file.bytes)
}

fn place_in(file: &Source<'_>, lines: &Lines, byte: usize) -> Place {
    let byte = byte.min(file.bytes.len());
    Place { path: file.path.to_owned(), line: lines.at(byte as u32).0 }
}

/// Which of some that are new has most in common with one that is gone, if it is most of it.
fn successor<'n, T: Ord + 'n, N>(
    gone: &BTreeSet<T>,
    fresh: impl Iterator<Item = (N, &'n BTreeSet<T>)>,
) -> Option<N> {
    let mut best: Option<(usize, usize, N)> = None;
    for (it, parts) in fresh {
        let common = gone.intersection(parts).count();
        let all = gone.len() + parts.len() - common;
        let is_most = common > 0 && common * 5 >= all * 3;
        // Fractions compared without dividing.
        if is_most && best.as_ref().is_none_or(|(of, out_of, _)| common * out_of > of * all) {
            best = Some((common, all, it));
        }
    }
    best.map(|(_, _, it)| it)
}
