//! Token budgets, and what is done to a payload so that it keeps to one.

use crate::{Payload, TruncationMarker, tokens};
use model::{Error, ErrorCode, Result};

/// How many tokens there are, and how many are spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    limit: usize,
    used: usize,
}

impl TokenBudget {
    pub fn new(limit: usize) -> Self {
        TokenBudget { limit, used: 0 }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    pub fn used(&self) -> usize {
        self.used
    }

    pub fn remaining(&self) -> usize {
        self.limit - self.used
    }

    /// Whether so many more fit; they are spent if so, and nothing is if not.
    pub fn try_spend(&mut self, n_tokens: usize) -> bool {
        let fits = n_tokens <= self.remaining();
        if fits {
            self.used += n_tokens;
        }
        fits
    }

    /// A part of what is left, to be spent on something of its own.
    pub fn split(&mut self, most: usize) -> TokenBudget {
        let limit = most.min(self.remaining());
        self.used += limit;
        TokenBudget::new(limit)
    }

    /// Takes back what such a part did not spend.
    pub fn give_back(&mut self, part: TokenBudget) {
        self.used -= part.remaining().min(self.used);
    }
}

/// The payload with as many of its best symbols as fit, written by `encode`;
/// a marker says what is missing. First notes give way, least important (last)
/// first, down to a quarter of them; then symbols, with their edges; then the
/// other notes. Budget and use are entered.
pub fn truncate(
    payload: &Payload,
    budget: TokenBudget,
    hint: &str,
    encode: impl Fn(&Payload) -> Result<String>,
) -> Result<Payload> {
    let most = budget.remaining();
    let attempt = |n_symbols: usize, n_notes: usize| -> Result<(Payload, bool)> {
        let mut kept = first(payload, n_symbols, n_notes, hint);
        kept.token_budget = u32::try_from(most).unwrap_or(u32::MAX);
        // The number is part of what is counted: its own length is settled
        // with the largest it can be.
        kept.tokens_used = kept.token_budget;
        let n_tokens = tokens::count(&encode(&kept)?);
        kept.tokens_used = u32::try_from(n_tokens).unwrap_or(u32::MAX);
        Ok((kept, n_tokens <= most))
    };
    let (n_symbols, n_notes) = (payload.symbols.len(), payload.notes.len());
    let few_notes = n_notes.div_ceil(4);
    let n_kept_notes = most_that_fit(few_notes, n_notes, |n| Ok(attempt(n_symbols, n)?.1))?;
    if let Some(n) = n_kept_notes {
        return Ok(attempt(n_symbols, n)?.0);
    }
    if let Some(n) = most_that_fit(1.min(n_symbols), n_symbols, |n| Ok(attempt(n, few_notes)?.1))? {
        return Ok(attempt(n, few_notes)?.0);
    }
    if let Some(n) = most_that_fit(0, few_notes, |n| Ok(attempt(1.min(n_symbols), n)?.1))? {
        return Ok(attempt(1.min(n_symbols), n)?.0);
    }
    match attempt(0, 0)? {
        (kept, true) => Ok(kept),
        (kept, false) => {
            Err(Error::new(ErrorCode::Usage, format!("an answer does not fit into {most} tokens"))
                .suggest(format!("ask for at least {} tokens", kept.tokens_used.saturating_mul(4))))
        }
    }
}

/// The largest of `least..=most` that fits, taking more to be longer.
fn most_that_fit(
    least: usize,
    most: usize,
    fits: impl Fn(usize) -> Result<bool>,
) -> Result<Option<usize>> {
    if fits(most)? {
        return Ok(Some(most));
    }
    if most <= least || !fits(least)? {
        return Ok(None);
    }
    let (mut fitting, mut failing) = (least, most);
    while failing - fitting > 1 {
        let middle = fitting.midpoint(failing);
        if fits(middle)? { fitting = middle } else { failing = middle }
    }
    Ok(Some(fitting))
}

/// Adds to the marker the payload may have already.
fn first(payload: &Payload, n_symbols: usize, n_notes: usize, hint: &str) -> Payload {
    let is_kept = |place: u32| (place as usize) < n_symbols;
    let mut kept = payload.clone();
    kept.symbols.truncate(n_symbols);
    kept.notes.truncate(n_notes);
    kept.edges.retain(|edge| is_kept(edge.source) && is_kept(edge.target));
    let missing = |before: usize, after: usize| u32::try_from(before - after).unwrap_or(u32::MAX);
    let cut = TruncationMarker {
        symbols: missing(payload.symbols.len(), kept.symbols.len()),
        edges: missing(payload.edges.len(), kept.edges.len()),
        notes: missing(payload.notes.len(), kept.notes.len()),
        ..TruncationMarker::default()
    };
    if cut != TruncationMarker::default() {
        let known = kept.truncation.get_or_insert_default();
        known.symbols = known.symbols.saturating_add(cut.symbols);
        known.edges = known.edges.saturating_add(cut.edges);
        known.notes = known.notes.saturating_add(cut.notes);
        if !hint.is_empty() {
            known.hint = Some(hint.into());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edge, EdgeStatus, Note, NoteKind, Symbol, gcf};
    use model::code::{EdgeKind, NodeKind};

    fn payload(n_symbols: u32, n_notes: u32) -> Payload {
        let symbol = |n: u32| Symbol {
            signature: Some("def resolve(self, path, *args)".into()),
            ..Symbol::new(format!("urls.resolvers.Resolver{n}.resolve"), NodeKind::Method)
        };
        let note = |n: u32| Note {
            kind: NoteKind::Decision,
            reference: format!("dec-{n}").into(),
            title: "Resolvers are cached per thread".into(),
            text: None,
            url: None,
            date: None,
        };
        let edge = |n: u32| Edge {
            source: n - 1,
            target: n,
            kind: EdgeKind::Calls,
            confidence: None,
            status: EdgeStatus::Unchanged,
        };
        Payload {
            tool: "context_for_task".into(),
            symbols: (0..n_symbols).map(symbol).collect(),
            edges: (1..n_symbols).map(edge).collect(),
            notes: (0..n_notes).map(note).collect(),
            ..Payload::default()
        }
    }

    #[test]
    fn what_fits_is_whole_and_says_what_it_used() {
        let whole = payload(5, 2);
        let kept = truncate(&whole, TokenBudget::new(5_000), "ask for more", gcf::encode).unwrap();
        assert_eq!(
            (&kept.symbols, &kept.notes, &kept.truncation),
            (&whole.symbols, &whole.notes, &None)
        );
        let n_tokens = tokens::count(&gcf::encode(&kept).unwrap());
        assert!(n_tokens.abs_diff(kept.tokens_used as usize) <= 2);
    }

    #[test]
    fn an_answer_is_never_over_budget_and_nothing_is_cut_unsaid() {
        let whole = payload(60, 12);
        for most in (60..1_700).step_by(37) {
            let kept =
                truncate(&whole, TokenBudget::new(most), "raise the budget", gcf::encode).unwrap();
            assert!(tokens::count(&gcf::encode(&kept).unwrap()) <= most);
            kept.check().unwrap();
            let cut = kept.truncation.clone().unwrap_or_default();
            assert_eq!(kept.symbols.len() + cut.symbols as usize, 60);
            assert_eq!(kept.edges.len() + cut.edges as usize, 59);
            assert_eq!(kept.notes.len() + cut.notes as usize, 12);
        }
    }

    #[test]
    fn the_best_symbols_stay() {
        let whole = payload(60, 12);
        let kept = truncate(&whole, TokenBudget::new(500), "", gcf::encode).unwrap();
        assert!(kept.symbols.len() > 5);
        assert_eq!(kept.symbols, whole.symbols[..kept.symbols.len()]);
        assert_eq!(kept.notes.len(), 3, "notes keep a share");
    }

    #[test]
    fn a_budget_for_nothing_is_refused_with_one_that_does() {
        let refused = truncate(&payload(60, 12), TokenBudget::new(5), "", gcf::encode).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::Usage);
        assert!(refused.suggestion().is_some());
    }

    #[test]
    fn a_part_of_a_budget_is_given_back_when_it_is_not_spent() {
        let mut budget = TokenBudget::new(100);
        assert!(budget.try_spend(30) && !budget.try_spend(71));
        let mut part = budget.split(1_000);
        assert_eq!((part.limit(), budget.remaining()), (70, 0));
        assert!(part.try_spend(20));
        budget.give_back(part);
        assert_eq!((budget.used(), budget.remaining()), (50, 50));
    }
}
