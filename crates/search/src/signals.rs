//! What speaks for a document besides what it says: its age, its title, where
//! it belongs.
//!
//! Each signal adds a little to the fused score, which lies between 0 and 1.
//! To add one, implement [`Signal`] and put it into [`SIGNALS`]; `--explain`
//! shows it and `--without` switches it off by its name.

use model::ids::ProjectId;
use model::{Result, Timestamp};
use std::collections::BTreeMap;
use store::documents::DocumentSummary;
use store::entities::EntityRow;
use store::{Reader, timeline};

/// What a signal may know of the question.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The words, small letters.
    pub words: &'a [String],
    pub now: Timestamp,
    /// Where the person who asks is at work: project and repository.
    pub home: Option<ProjectId>,
    pub home_repo: Option<i64>,
}

pub trait Signal: Sync {
    fn name(&self) -> &'static str;

    /// What a document can gain by it.
    fn most(&self) -> f64;

    /// What each of the documents gains, in their order.
    fn gains(
        &self,
        reader: &Reader,
        question: &Question<'_>,
        cards: &[DocumentSummary],
    ) -> Result<Vec<f64>>;
}

/// All of them, in the order they are shown.
pub const SIGNALS: &[&dyn Signal] = &[&Recency, &Title, &Home, &SpokenOf];

/// The newest gains this much, a year later half of it, and so on.
const RECENCY: f64 = 0.02;
const HALF_LIFE_DAYS: f64 = 365.0;
/// All words of the query in the title.
const TITLE: f64 = 0.05;
/// Own work comes first where it answers as well.
const HOME: f64 = 0.12;
/// What many other issues and merge requests speak of is what they are about.
const SPOKEN_OF: f64 = 0.06;
/// From so many on it gains nothing more.
const MANY_SPEAKERS: f64 = 32.0;

struct Recency;

impl Signal for Recency {
    fn name(&self) -> &'static str {
        "recency"
    }

    fn most(&self) -> f64 {
        RECENCY
    }

    fn gains(
        &self,
        _: &Reader,
        question: &Question<'_>,
        cards: &[DocumentSummary],
    ) -> Result<Vec<f64>> {
        let gain = |card: &DocumentSummary| {
            let days = question.now.since(card.updated_at).as_secs_f64() / 86_400.0;
            RECENCY * 0.5_f64.powf(days / HALF_LIFE_DAYS)
        };
        Ok(cards.iter().map(gain).collect())
    }
}

struct Title;

impl Signal for Title {
    fn name(&self) -> &'static str {
        "title"
    }

    fn most(&self) -> f64 {
        TITLE
    }

    fn gains(
        &self,
        _: &Reader,
        question: &Question<'_>,
        cards: &[DocumentSummary],
    ) -> Result<Vec<f64>> {
        let gain = |card: &DocumentSummary| {
            let title = card.title.to_lowercase();
            let words: Vec<&str> = title
                .split(|c: char| !c.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .collect();
            let is_in = |word: &&String| words.iter().any(|other| same_stem(word, other));
            let n_in = question.words.iter().filter(is_in).count();
            if question.words.is_empty() {
                0.0
            } else {
                TITLE * n_in as f64 / question.words.len() as f64
            }
        };
        Ok(cards.iter().map(gain).collect())
    }
}

/// `retry` and `retries`, `token` and `tokens`: the same but for a short ending.
fn same_stem(left: &str, right: &str) -> bool {
    let shared = left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count();
    let longest = left.chars().count().max(right.chars().count());
    shared == longest || (shared >= 4 && longest - shared <= 3)
}

struct Home;

impl Signal for Home {
    fn name(&self) -> &'static str {
        "same-project"
    }

    fn most(&self) -> f64 {
        HOME
    }

    fn gains(
        &self,
        _: &Reader,
        question: &Question<'_>,
        cards: &[DocumentSummary],
    ) -> Result<Vec<f64>> {
        let is_home = |card: &DocumentSummary| {
            (question.home.is_some() && card.project == question.home)
                || (question.home_repo.is_some() && card.repo == question.home_repo)
        };
        Ok(cards.iter().map(|card| if is_home(card) { HOME } else { 0.0 }).collect())
    }
}

struct SpokenOf;

impl Signal for SpokenOf {
    fn name(&self) -> &'static str {
        "spoken-of"
    }

    fn most(&self) -> f64 {
        SPOKEN_OF
    }

    fn gains(
        &self,
        reader: &Reader,
        _: &Question<'_>,
        cards: &[DocumentSummary],
    ) -> Result<Vec<f64>> {
        let documents: Vec<i64> = cards.iter().map(|card| card.document).collect();
        let entities: BTreeMap<i64, EntityRow> = timeline::subjects(reader, &documents)?
            .into_iter()
            .map(|subject| (subject.document, subject.entity))
            .collect();
        let mut rows: Vec<EntityRow> = entities.values().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        let speakers = timeline::n_speakers(reader, &rows)?;
        let gain = |document: &i64| {
            let row = entities.get(document);
            let n = row.and_then(|row| speakers.get(row)).copied().unwrap_or(0);
            SPOKEN_OF * prominence(n)
        };
        Ok(documents.iter().map(gain).collect())
    }
}

/// How much it says that so many others speak of something, 0 to 1.
pub fn prominence(n_speakers: u64) -> f64 {
    ((1.0 + n_speakers as f64).ln() / MANY_SPEAKERS.ln()).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_do_not_count() {
        assert!(same_stem("token", "tokens") && same_stem("retries", "retry"));
        assert!(!same_stem("test", "toast") && !same_stem("in", "input"));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = SIGNALS.iter().map(|signal| signal.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SIGNALS.len());
    }
}
