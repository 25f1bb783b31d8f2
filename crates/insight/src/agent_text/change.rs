//! What a change reaches, and the tests of it.

use super::code::{counted_places, unbound};
use super::{ByFile, place, short, stale};
use crate::code::impact::Impact;
use crate::code::neighbours::{Neighbour, UnresolvedSite};
use crate::tests_scope::TestScope;
use model::code::is_test_path;
use std::collections::BTreeMap;

/// Names of one file of tests.
const MOST_TESTS: usize = 4;

/// What a change can reach: users by file and distance, tests as files.
pub fn impact(answer: &Impact) -> String {
    let of = match (&answer.path, answer.changed.first()) {
        (Some(path), _) => path.clone(),
        (None, Some(symbol)) => format!("{} {}", short(&symbol.symbol), place(symbol)),
        (None, None) => String::new(),
    };
    let more = if answer.truncated { "+" } else { "" };
    let mut out = format!(
        "changing {of} reaches {}{more} symbols, {} of them tests{}\n",
        answer.total,
        answer.tests.len(),
        stale(&answer.standing)
    );
    let mut by_depth: BTreeMap<u32, ByFile> = BTreeMap::new();
    let mut tests: Vec<&Neighbour> = Vec::new();
    for one in answer.packages.iter().flat_map(|package| &package.symbols) {
        if one.at.is_test || is_test_path(&one.at.path) {
            tests.push(one);
            continue;
        }
        let edge = match (&one.through, one.edge.as_str()) {
            (Some(base), _) => format!("(through {})", short(base)),
            (None, "calls") => String::new(),
            (None, edge) => format!("({edge})"),
        };
        let files = by_depth.entry(one.depth).or_default();
        files.add(&one.site_path, one.site_line, format!("{}{edge}", short(&one.at.symbol)));
    }
    for (depth, files) in by_depth {
        if depth > 1 {
            out.push_str(&format!("{depth} steps away:\n"));
        }
        files.write(&mut out);
    }
    impact_tests(&tests, &mut out);
    if !answer.contract.is_empty() {
        let names = answer.contract.iter().map(|it| format!("{} {}", short(&it.symbol), place(it)));
        let names: Vec<String> = names.collect();
        out.push_str(&format!("a new signature changes them, too: {}\n", names.join(", ")));
    }
    for end in &answer.open_ends {
        let sites: Vec<&UnresolvedSite> = end.sites.iter().collect();
        let text = unbound(end.unresolved, &sites);
        out.push_str(&format!("beyond {}: {text}", short(&end.symbol.symbol)));
    }
    if !answer.importers.is_empty() {
        out.push_str(&format!("{} more only import it\n", answer.importers.len()));
    }
    if answer.unresolved > 0 {
        let sites: Vec<&UnresolvedSite> = answer.unresolved_sites.iter().collect();
        out.push_str(&unbound(answer.unresolved, &sites));
    }
    for other in &answer.candidates {
        let name = format!("{} {}", short(&other.symbol.symbol), place(&other.symbol));
        out.push_str(&format!("also named so: {name} reaches {}\n", other.total));
    }
    out
}

/// A few by name and line; many by how many there are where.
fn impact_tests(tests: &[&Neighbour], out: &mut String) {
    const MOST_NAMED: usize = 8;
    if tests.is_empty() {
        return;
    }
    if tests.len() > MOST_NAMED {
        let paths: Vec<&str> = tests.iter().map(|one| one.at.path.as_str()).collect();
        out.push_str(&format!("tests: {}\n", counted_places(&paths)));
        return;
    }
    let mut files = ByFile::default();
    for one in tests {
        files.add(&one.site_path, one.site_line, short(&one.at.symbol).to_owned());
    }
    out.push_str("tests:\n");
    files.write(out);
}

/// Files of tests to run, the nearest first.
pub fn tests(answer: &TestScope) -> String {
    let mut out = String::new();
    for reason in &answer.run_everything {
        out.push_str(&format!("run everything: {reason}\n"));
    }
    let mut files: Vec<_> = answer.files.iter().collect();
    // Tests that the graph leads to before files that merely say a name.
    files.sort_by(|a, b| {
        (a.tests.is_empty(), a.distance, &a.path).cmp(&(b.tests.is_empty(), b.distance, &b.path))
    });
    let mut others: Vec<(&str, Vec<&str>)> = Vec::new();
    for file in files {
        let names: Vec<&str> = file.tests.iter().map(|it| short(it)).take(MOST_TESTS).collect();
        let more = file.tests.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        if names.is_empty() {
            match others.iter_mut().find(|(reason, _)| *reason == file.reason) {
                Some((_, paths)) => paths.push(&file.path),
                None => others.push((&file.reason, vec![&file.path])),
            }
            continue;
        }
        out.push_str(&format!("{} {}{more}\n", file.path, names.join(", ")));
    }
    for (reason, paths) in others {
        out.push_str(&format!("{reason}: {}\n", paths.join(", ")));
    }
    if out.is_empty() {
        out.push_str("no test reaches it\n");
    }
    out
}
