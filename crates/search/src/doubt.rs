//! Texts that have no vector yet, shown to the model where their words leave it
//! open whether they answer: a floor must not depend on how far embedding is.

use crate::documents::body_start;
use crate::embedding::Provider;
use crate::evidence::TermWeights;
use model::Result;
use std::collections::BTreeMap;
use store::{Reader, embeddings};

/// Bytes of a text shown to the model: about a hundred words take it a few
/// milliseconds.
const PASSAGE: usize = 600;
/// Bytes before the first word that matched.
const BEFORE: usize = 80;

/// How near the best passage of each document is to the query.
pub fn similarities(
    reader: &Reader,
    provider: &dyn Provider,
    query: &[f32],
    weights: &TermWeights,
    documents: &[i64],
) -> Result<BTreeMap<i64, f64>> {
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for document in documents {
        if let Some((title, text)) = embeddings::text(reader, *document)? {
            ids.push(*document);
            texts.push(format!("{title}\n{}", passage(&text, weights)));
        }
    }
    let made = provider.embed_documents(&texts)?;
    let near = |vector: &[f32]| -> f64 {
        query.iter().zip(vector).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let found = ids.into_iter().zip(made);
    Ok(found.filter_map(|(id, vector)| Some((id, near(&vector.ok()?)))).collect())
}

/// The part of a text in which most of what was met stands close together.
fn passage<'a>(text: &'a str, weights: &TermWeights) -> &'a str {
    let body = &text[body_start(text).unwrap_or(0)..];
    let places = weights.places(body);
    let n_near = |first: usize| {
        let end = places[first] + PASSAGE;
        places[first..].iter().take_while(|place| **place < end).count()
    };
    let best = (0..places.len()).max_by_key(|first| (n_near(*first), std::cmp::Reverse(*first)));
    let start = best.map_or(0, |first| places[first].saturating_sub(BEFORE));
    let start = body.floor_char_boundary(start);
    &body[start..body.floor_char_boundary(start + PASSAGE)]
}
