//! One list out of two: how a rank by words and a rank by meaning become one.

use crate::evidence::Evidence;
use std::collections::BTreeMap;
use store::fulltext::RankedDocument;
use store::vectors::Similar;

/// The part of each list that sets the scale. The same for every page, so that
/// pages fit together.
pub const SCALE: usize = 100;
/// The constant of reciprocal rank fusion.
const RRF_K: f64 = 60.0;

/// How the two lists are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// The scores, each on a scale from the worst to the best of its list.
    #[default]
    Scores,
    /// The ranks alone: 1 / (60 + rank), summed.
    Rrf,
}

/// A document that one of the lists, or both, brought up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    pub document: i64,
    /// From one.
    pub lexical_rank: Option<usize>,
    pub lexical_score: Option<f64>,
    pub semantic_rank: Option<usize>,
    pub similarity: Option<f64>,
    /// The chunk that is nearest.
    pub chunk: Option<i64>,
    /// Between 0 and 1.
    pub fused: f64,
    /// With what the signals added, between 0 and 1.
    pub score: f64,
    /// What speaks for it, whatever else was found.
    pub evidence: Evidence,
    /// The query names it.
    pub is_named: bool,
    pub signals: Vec<(&'static str, f64)>,
}

/// What similarities mean in an index, whatever is near to one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// As near as any two texts are.
    pub usual: f64,
    /// Near enough to be an answer.
    pub enough: f64,
}

/// The documents of both lists, with the similarities of those that only their
/// words brought up (`others`), best first. `weight` is the share of meaning. Where few
/// texts have vectors, the nearest of them is not near: `known` keeps it from the top of
/// the scale.
pub fn fuse(
    lexical: &[RankedDocument],
    semantic: &[Similar],
    others: &[Similar],
    fusion: Fusion,
    weight: f64,
    known: Option<Nearness>,
) -> Vec<Candidate> {
    let mut candidates = union(lexical, semantic, others);
    // A document without the words has a score of zero, and so the scale does.
    let words = lexical.first().map(|ranked| Scale { worst: 0.0, best: ranked.score });
    let meaning = Scale::of(semantic.iter().map(|similar| f64::from(similar.similarity)));
    let meaning = meaning.map(|scale| known.map_or(scale, |known| scale.within(known)));
    for candidate in &mut candidates {
        candidate.fused = match fusion {
            Fusion::Scores => scores(candidate, words, meaning, weight),
            Fusion::Rrf => ranks(candidate, weight),
        };
        candidate.score = candidate.fused;
    }
    sort(&mut candidates);
    candidates
}

/// Best first. Ranks alone make many ties; the nearer in meaning wins them.
pub fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| {
        let nearness = |candidate: &Candidate| candidate.similarity.unwrap_or(f64::MIN);
        b.is_named
            .cmp(&a.is_named)
            .then_with(|| b.score.total_cmp(&a.score))
            .then_with(|| nearness(b).total_cmp(&nearness(a)))
            .then_with(|| a.document.cmp(&b.document))
    });
}

fn union(lexical: &[RankedDocument], semantic: &[Similar], others: &[Similar]) -> Vec<Candidate> {
    let mut candidates: BTreeMap<i64, Candidate> = BTreeMap::new();
    let entry =
        |candidates: &mut BTreeMap<i64, Candidate>, document, change: &dyn Fn(&mut Candidate)| {
            let new = Candidate { document, ..Candidate::default() };
            change(candidates.entry(document).or_insert(new));
        };
    for (index, ranked) in lexical.iter().enumerate() {
        entry(&mut candidates, ranked.document, &|candidate| {
            candidate.lexical_rank = Some(index + 1);
            candidate.lexical_score = Some(ranked.score);
        });
    }
    for (rank, similar) in semantic
        .iter()
        .enumerate()
        .map(|(index, it)| (Some(index + 1), it))
        .chain(others.iter().map(|it| (None, it)))
    {
        entry(&mut candidates, similar.document, &|candidate| {
            candidate.semantic_rank = candidate.semantic_rank.or(rank);
            candidate.similarity = Some(f64::from(similar.similarity));
            candidate.chunk = Some(similar.chunk);
        });
    }
    candidates.into_values().collect()
}

/// From the worst to the best of a list's head.
#[derive(Debug, Clone, Copy)]
struct Scale {
    worst: f64,
    best: f64,
}

impl Scale {
    fn of(scores: impl Iterator<Item = f64>) -> Option<Scale> {
        let head: Vec<f64> = scores.take(SCALE).collect();
        Some(Scale { best: *head.first()?, worst: *head.last()? })
    }

    /// No wider than what is usual, and no shorter than up to what is an answer.
    fn within(self, known: Nearness) -> Scale {
        let worst = self.worst.max(known.usual);
        Scale { worst, best: self.best.max(known.enough).max(worst) }
    }

    fn place(self, score: f64) -> f64 {
        if self.best > self.worst { (score - self.worst) / (self.best - self.worst) } else { 1.0 }
    }
}

fn scores(candidate: &Candidate, words: Option<Scale>, meaning: Option<Scale>, weight: f64) -> f64 {
    let lexical = match (candidate.lexical_score, words) {
        (Some(score), Some(scale)) => scale.place(score).max(0.0),
        _ => 0.0,
    };
    match (candidate.similarity, meaning) {
        (Some(similarity), Some(scale)) => {
            weight * scale.place(similarity) + (1.0 - weight) * lexical
        }
        // Without a vector its words speak for its meaning too.
        _ => lexical,
    }
}

fn ranks(candidate: &Candidate, weight: f64) -> f64 {
    let part = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / (RRF_K + rank as f64));
    // On the scale of the other way: the first of both lists is 1.
    let sum =
        weight * part(candidate.semantic_rank) + (1.0 - weight) * part(candidate.lexical_rank);
    sum * (RRF_K + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexical(list: &[(i64, f64)]) -> Vec<RankedDocument> {
        list.iter()
            .map(|(document, score)| RankedDocument { document: *document, score: *score })
            .collect()
    }

    fn semantic(list: &[(i64, f32)]) -> Vec<Similar> {
        let similar = |(document, similarity): &(i64, f32)| Similar {
            chunk: document * 10,
            document: *document,
            similarity: *similarity,
        };
        list.iter().map(similar).collect()
    }

    fn order(candidates: &[Candidate]) -> Vec<i64> {
        candidates.iter().map(|candidate| candidate.document).collect()
    }

    #[test]
    fn what_both_find_comes_first() {
        let words = lexical(&[(1, 9.0), (2, 8.0), (3, 1.0)]);
        let meaning = semantic(&[(2, 0.9), (4, 0.88), (1, 0.7)]);
        let others = semantic(&[(3, 0.6)]);
        for fusion in [Fusion::Scores, Fusion::Rrf] {
            let fused = fuse(&words, &meaning, &others, fusion, 0.5, None);
            assert_eq!(fused[0].document, 2, "{fusion:?}");
            assert_eq!(fused.last().unwrap().document, 3, "{fusion:?}");
            assert_eq!(fused[0].lexical_rank.zip(fused[0].semantic_rank), Some((2, 1)));
        }
    }

    #[test]
    fn the_weight_decides_between_words_and_meaning() {
        let words = lexical(&[(1, 9.0), (2, 1.0)]);
        let meaning = semantic(&[(2, 0.9), (1, 0.7)]);
        assert_eq!(order(&fuse(&words, &meaning, &[], Fusion::Scores, 0.8, None)), [2, 1]);
        assert_eq!(order(&fuse(&words, &meaning, &[], Fusion::Scores, 0.2, None)), [1, 2]);
    }

    #[test]
    fn a_document_without_a_vector_keeps_its_rank_by_words() {
        let words = lexical(&[(1, 9.0), (2, 5.0), (3, 1.0)]);
        let meaning = semantic(&[(2, 0.9), (3, 0.5)]);
        assert_eq!(order(&fuse(&words, &meaning, &[], Fusion::Scores, 0.8, None))[0], 1);
    }

    /// Of a few texts one is always the nearest.
    #[test]
    fn the_nearest_of_few_texts_is_no_answer_for_that() {
        let words = lexical(&[(1, 9.0), (2, 4.0)]);
        let few = semantic(&[(3, 0.81), (4, 0.8), (5, 0.6)]);
        let known = Nearness { usual: 0.78, enough: 0.86 };
        let order = |known| order(&fuse(&words, &few, &[], Fusion::Scores, 0.5, known));
        assert_eq!(order(None), [1, 3, 4, 2, 5]);
        assert_eq!(order(Some(known)), [1, 2, 3, 4, 5]);
        let many = semantic(&[(3, 0.92), (4, 0.86), (5, 0.82)]);
        let fused = |known| fuse(&words, &many, &[], Fusion::Scores, 0.5, known);
        assert_eq!(fused(Some(known)), fused(None));
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        let words = lexical(&[(5, 2.0), (6, 2.0), (7, 1.0)]);
        assert_eq!(order(&fuse(&words, &[], &[], Fusion::Scores, 0.8, None)), [5, 6, 7]);
        assert_eq!(order(&fuse(&words, &[], &[], Fusion::Rrf, 0.8, None)), [5, 6, 7]);
        assert_eq!(order(&fuse(&[], &semantic(&[(8, 0.9)]), &[], Fusion::Scores, 0.8, None)), [8]);
        assert_eq!(order(&fuse(&[], &[], &[], Fusion::Scores, 0.8, None)), Vec::<i64>::new());
    }
}
