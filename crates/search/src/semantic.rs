//! Documents by their meaning: those whose vectors are nearest.

use model::Result;
use std::collections::BTreeMap;
use store::Reader;
use store::document_set::DocumentSet;
use store::vectors::{self, EmbeddingSpace, Similar};

/// Chunks whose true vectors are looked at, at least.
const DEPTH: usize = 400;
/// And for each document asked for.
const DEPTH_PER_DOCUMENT: usize = 6;
/// And one in so many of all: the more vectors there are, the more of them have
/// a code as near as those of the nearest.
const ONE_IN: usize = 400;

/// How many codes are followed to their vectors, so that the first ten are the
/// true ones in more than 99 of 100 (docs/benchmarks.md).
pub fn depth(n_chunks: usize, n_best: usize) -> usize {
    DEPTH.max(n_best * DEPTH_PER_DOCUMENT).max(n_chunks / ONE_IN)
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Semantic {
    /// The best chunk of each document, best first.
    pub best: Vec<Similar>,
    /// Documents with vectors, whether they were allowed or not.
    pub n_embedded: usize,
}

/// The `n_best` documents nearest to a vector, or all if there are fewer.
pub fn retrieve(
    reader: &Reader,
    space: &EmbeddingSpace,
    query: &[f32],
    allowed: Option<&DocumentSet>,
    n_best: usize,
) -> Result<Semantic> {
    let mut depth = depth(vectors::count(reader, space)?, n_best);
    loop {
        let scan = vectors::scan(reader, space, query, allowed, depth)?;
        let is_everything = scan.near.len() == scan.n_chunks;
        let mut best = collapse(vectors::compare(reader, query, &scan.near)?);
        // Long documents have many chunks: then there is more to look at.
        if best.len() >= n_best || is_everything {
            best.truncate(n_best);
            return Ok(Semantic { best, n_embedded: scan.n_documents });
        }
        depth *= 4;
    }
}

/// The best chunk of each document, best first.
fn collapse(chunks: Vec<Similar>) -> Vec<Similar> {
    let mut best: BTreeMap<i64, Similar> = BTreeMap::new();
    for chunk in chunks {
        let known = best.entry(chunk.document).or_insert(chunk);
        if chunk.similarity > known.similarity {
            *known = chunk;
        }
    }
    let mut best: Vec<Similar> = best.into_values().collect();
    best.sort_by(|a, b| {
        b.similarity.total_cmp(&a.similarity).then_with(|| a.document.cmp(&b.document))
    });
    best
}
