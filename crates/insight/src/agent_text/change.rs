//! What a change reaches, and the tests of it.

use super::code::{busiest_places, counted_places, unbound};
use super::{ByFile, own_name, place, short, shown_path, stale};
use crate::code::impact::Impact;
use crate::code::neighbours::{Neighbour, UnresolvedSite};
use crate::tests_scope::TestScope;
use model::code::is_test_path;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Files of tests that are named.
const MOST_FILES: usize = 8;
/// Of those that a change reaches, the ones that are named where there are many.
const NEAREST_FILES: usize = 4;
/// Names of one file of tests.
const MOST_TESTS: usize = 4;

/// What a change can reach: users by file and distance, tests as files.
pub fn impact(answer: &Impact) -> String {
    let of = match (&answer.path, answer.changed.first()) {
        (Some(path), _) => shown_path(path).into_owned(),
        (None, Some(symbol)) => format!("{} {}", own_name(symbol), place(symbol)),
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
        files.add(&one.site_path, one.site_line, format!("{}{edge}", own_name(&one.at)));
    }
    for (depth, files) in by_depth {
        if files.n_places() > most_named(depth) {
            let paths: Vec<&str> = files.paths().collect();
            let steps = if depth > 1 { format!("{depth} steps away") } else { "direct".to_owned() };
            out.push_str(&format!("{steps}: {} (--json names them)\n", busiest_places(&paths)));
            continue;
        }
        if depth > 1 {
            out.push_str(&format!("{depth} steps away:\n"));
        }
        files.write(&mut out);
    }
    impact_tests(&tests, &mut out);
    if !answer.contract.is_empty() {
        let names = answer.contract.iter().map(|it| format!("{} {}", own_name(it), place(it)));
        let names: Vec<String> = names.collect();
        out.push_str(&format!("a new signature changes them, too: {}\n", names.join(", ")));
    }
    // Symbols of one name share the calls of it.
    let mut said: Vec<(u64, Option<(&str, u32)>)> = Vec::new();
    for end in &answer.open_ends {
        let sites: Vec<&UnresolvedSite> = end.sites.iter().collect();
        let text = unbound(end.unresolved, &sites);
        let key = (end.unresolved, sites.first().map(|site| (site.path.as_str(), site.line)));
        if said.contains(&key) {
            continue;
        }
        said.push(key);
        out.push_str(&format!("beyond {}: {text}", own_name(&end.symbol)));
    }
    if !answer.importers.is_empty() {
        out.push_str(&format!("{} more only import it\n", answer.importers.len()));
    }
    if answer.unresolved > 0 {
        let sites: Vec<&UnresolvedSite> = answer.unresolved_sites.iter().collect();
        let key = (answer.unresolved, sites.first().map(|site| (site.path.as_str(), site.line)));
        if !said.contains(&key) {
            out.push_str(&unbound(answer.unresolved, &sites));
        }
    }
    for other in &answer.candidates {
        let name = format!("{} {}", own_name(&other.symbol), place(&other.symbol));
        out.push_str(&format!("also named so: {name} reaches {}\n", other.total));
    }
    out
}

/// Symbols at a distance that are named: the farther, the less each of them says.
const fn most_named(depth: u32) -> usize {
    match depth {
        0 | 1 => 60,
        2 => 24,
        _ => 8,
    }
}

/// A few by name and line; of many the nearest files, and how many there are elsewhere.
fn impact_tests(tests: &[&Neighbour], out: &mut String) {
    const MOST_NAMED: usize = 8;
    if tests.is_empty() {
        return;
    }
    if tests.len() > MOST_NAMED {
        let mut files: BTreeMap<&str, (u32, usize)> = BTreeMap::new();
        for one in tests {
            let (depth, n) = files.entry(&one.at.path).or_insert((one.depth, 0));
            *depth = one.depth.min(*depth);
            *n += 1;
        }
        let mut nearest: Vec<(u32, Reverse<usize>, &str)> =
            files.into_iter().map(|(path, (depth, n))| (depth, Reverse(n), path)).collect();
        nearest.sort_unstable();
        nearest.truncate(NEAREST_FILES);
        let named = nearest.iter().map(|(_, Reverse(n), path)| format!("{} {n}", shown_path(path)));
        let mut places: Vec<String> = named.collect();
        let is_named = |path: &str| nearest.iter().any(|(_, _, named)| *named == path);
        let others = tests.iter().map(|one| one.at.path.as_str());
        let others: Vec<&str> = others.filter(|path| !is_named(path)).collect();
        if !others.is_empty() {
            places.push(counted_places(&others));
        }
        out.push_str(&format!("tests: {}\n", places.join(", ")));
        return;
    }
    let mut files = ByFile::default();
    for one in tests {
        files.add(&one.site_path, one.site_line, own_name(&one.at).to_owned());
    }
    out.push_str("tests:\n");
    files.write(out);
}

/// Files of tests to run, those first for which most speaks.
pub fn tests(answer: &TestScope) -> String {
    let mut out = String::new();
    for reason in &answer.run_everything {
        out.push_str(&format!("run everything: {reason}\n"));
    }
    // What most speaks for comes first; files for which the same speaks share a line.
    let mut same: Option<(&str, Vec<&str>)> = None;
    for file in answer.files.iter().take(MOST_FILES) {
        if file.tests.is_empty() {
            match &mut same {
                Some((reason, paths)) if *reason == file.reason => paths.push(&file.path),
                _ => {
                    alike(same.take(), &mut out);
                    same = Some((&file.reason, vec![&file.path]));
                }
            }
            continue;
        }
        alike(same.take(), &mut out);
        let names: Vec<&str> = file.tests.iter().map(|it| short(it)).take(MOST_TESTS).collect();
        let more = file.tests.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let path = shown_path(&file.path);
        out.push_str(&format!("{path} {}{more}\n", names.join(", ")));
    }
    alike(same, &mut out);
    let more = answer.files.len().saturating_sub(MOST_FILES);
    if more > 0 {
        out.push_str(&format!("+{more} files for which less speaks; --format list has all\n"));
    }
    if out.is_empty() {
        out.push_str("no test reaches it\n");
    }
    out
}

fn alike(files: Option<(&str, Vec<&str>)>, out: &mut String) {
    if let Some((reason, paths)) = files {
        let paths: Vec<Cow<'_, str>> = paths.into_iter().map(shown_path).collect();
        out.push_str(&format!("{reason}: {}\n", paths.join(", ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::SnapshotContext;
    use crate::tests_scope::AffectedTests;
    use model::Timestamp;
    use model::ids::SnapshotSeq;

    fn file(path: &str, reason: &str, tests: &[&str]) -> AffectedTests {
        let tests = tests.iter().map(|it| (*it).to_owned()).collect();
        AffectedTests { path: path.to_owned(), reason: reason.to_owned(), distance: 1, tests }
    }

    fn scope(files: Vec<AffectedTests>) -> TestScope {
        let standing = SnapshotContext {
            repo: String::new(),
            name: String::new(),
            commit: String::new(),
            snapshot: SnapshotSeq(1),
            indexed_at: Timestamp::EPOCH,
            is_work_tree: false,
            is_stale: false,
            stale_against: None,
        };
        TestScope { standing, run_everything: Vec::new(), files, farther: Vec::new(), total: 9 }
    }

    #[test]
    fn tests_stay_in_their_order_and_the_rest_is_counted() {
        let mut files = vec![
            file("z.js", "changed together", &[]),
            file("y.js", "uses it", &["a.reads", "writes"]),
            file("b.js", "imports it", &[]),
            file("a.js", "imports it", &[]),
        ];
        let few = "changed together: z.js\ny.js reads, writes\nimports it: b.js, a.js\n";
        assert_eq!(super::tests(&scope(files.clone())), few);
        files.extend((0..6).map(|n| file(&format!("{n}.js"), "names it", &[])));
        let many = super::tests(&scope(files));
        let rest = "names it: 0.js, 1.js, 2.js, 3.js\n+2 files";
        assert!(many.starts_with(few) && many.contains(rest), "{many}");
    }
}
