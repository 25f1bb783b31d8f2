//! Constants and variables that a task names: they are no units of an answer, and are
//! what is meant where the task says their name.

use super::corpus::Symbol;
use super::pack::Candidate;
use super::rank::{RankedCandidates, Share};
use super::task::{Part, Task};
use crate::code::View;
use model::Result;
use model::code::NodeKind;
use model::terms;
use std::collections::BTreeSet;
use store::code::nodes;

/// Words of a title that are read, and words of a name that stand apart in it.
const WORDS: usize = 40;
const MOST_PARTS: usize = 5;
/// Shorter names are words of any sentence.
const SHORTEST: usize = 7;
/// A name that more of them have says nothing; more of them are a list.
const MOST_DEFINITIONS: usize = 2;
const MOST: usize = 2;
/// Beside the score of the best symbol.
const SCORE: f64 = 0.9;

/// `default404Body` of `default404Body`, and of `default 404 body`.
pub(super) fn find(
    view: &View<'_>,
    ranked: &RankedCandidates,
    task: &Task,
) -> Result<Vec<Candidate>> {
    let best = ranked.symbols.first().map_or(0.0, |one| one.1);
    let mut names: BTreeSet<String> = task.names.iter().map(|it| it.to_lowercase()).collect();
    for title in task.texts(Part::Title) {
        let words: Vec<String> = terms::words(title).take(WORDS).map(str::to_lowercase).collect();
        for n_parts in 2..=MOST_PARTS {
            for row in words.windows(n_parts) {
                names.insert(row.concat());
                names.insert(row.join("_"));
            }
        }
    }
    let mut found: Vec<Symbol> = Vec::new();
    for name in names.iter().filter(|name| name.chars().count() >= SHORTEST) {
        let mut of_name = Vec::new();
        for node in nodes::named(view.reader, name)? {
            let is_value = matches!(node.kind, NodeKind::Const | NodeKind::Var);
            let symbol = if is_value { ranked.corpus.symbol_of(view, node.id)? } else { None };
            of_name.extend(symbol);
        }
        of_name.retain(|symbol| !ranked.corpus.files[symbol.file as usize].is_aside);
        if of_name.len() <= MOST_DEFINITIONS {
            found.extend(of_name);
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST);
    let candidate = |symbol| {
        let shares = vec![Share { channel: "member", score: 1.0, weight: best * SCORE }];
        let why = vec!["the task names it".to_owned()];
        Candidate { symbol, score: best * SCORE, why, shares }
    };
    Ok(found.into_iter().map(candidate).collect())
}
