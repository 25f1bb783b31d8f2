//! Vectors: how they lie in the file, and the search for those nearest to one.
//!
//! A search reads codes of one bit per component, all of them in one go, and
//! then looks at the true vectors of the best. Which model made a vector is
//! part of every question: vectors of two models are never compared.

use crate::binary_codes;
use crate::document_set::DocumentSet;
use crate::error::db;
use crate::hamming;
use crate::handle::Read;
use crate::sql;
use model::Result;
use rusqlite::OptionalExtension as _;

/// Codes in one row.
pub(crate) const BLOCK: i64 = 1024;
/// Bytes of a document's id in a block.
pub(crate) const ID_BYTES: usize = 8;

/// What vectors must share to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSpace {
    pub model: String,
    pub dims: usize,
    /// The version of how texts are cut.
    pub chunking: u32,
}

/// A vector as its row holds it.
pub fn pack(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let factor = if largest > 0.0 { largest / f32::from(i16::MAX) } else { 1.0 };
    let mut bytes = Vec::with_capacity(4 + vector.len() * 2);
    bytes.extend_from_slice(&factor.to_le_bytes());
    for x in vector {
        bytes.extend_from_slice(&((x / factor).round() as i16).to_le_bytes());
    }
    bytes
}

/// The vector of a row; none when the bytes are not one.
pub fn unpack(bytes: &[u8]) -> Option<Vec<f32>> {
    let (factor, components) = bytes.split_first_chunk::<4>()?;
    let factor = f32::from_le_bytes(*factor);
    let (pairs, rest) = components.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) * factor).collect())
}

/// The scalar product with a packed vector; none when the lengths differ.
fn product(query: &[f32], bytes: &[u8]) -> Option<f32> {
    let (factor, components) = bytes.split_first_chunk::<4>()?;
    let (pairs, rest) = components.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != query.len() {
        return None;
    }
    // Several sums at once, which the compiler can do side by side.
    let mut sums = [0.0_f32; 8];
    let (query8, query_rest) = query.as_chunks::<8>();
    let (pairs8, pairs_rest) = pairs.as_chunks::<8>();
    for (q, p) in query8.iter().zip(pairs8) {
        for lane in 0..8 {
            sums[lane] += q[lane] * f32::from(i16::from_le_bytes(p[lane]));
        }
    }
    let rest: f32 =
        query_rest.iter().zip(pairs_rest).map(|(q, p)| q * f32::from(i16::from_le_bytes(*p))).sum();
    Some((sums.iter().sum::<f32>() + rest) * f32::from_le_bytes(*factor))
}

/// One bit per component: whether it lies above the centre's.
fn code(vector: &[f32], centre: &[f32]) -> Vec<u64> {
    let bits = |(part, centre): (&[f32], &[f32])| {
        let above = part.iter().zip(centre).map(|(x, centre)| u64::from(x > centre));
        above.enumerate().fold(0, |word, (bit, is_above)| word | (is_above << bit))
    };
    vector.chunks(64).zip(centre.chunks(64)).map(bits).collect()
}

pub(crate) fn code_bytes(vector: &[f32], centre: &[f32]) -> Vec<u8> {
    code(vector, centre).into_iter().flat_map(u64::to_le_bytes).collect()
}

pub(crate) const fn code_length(dims: usize) -> usize {
    dims.div_ceil(64) * 8
}

/// A chunk whose code is near the query's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorCandidate {
    pub chunk: i64,
    pub document: i64,
    /// Bits that differ.
    pub distance: u32,
}

/// What a scan saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// Nearest first.
    pub near: Vec<VectorCandidate>,
    /// Chunks that were compared.
    pub n_chunks: usize,
    /// Documents with vectors of this space, allowed or not.
    pub n_documents: usize,
}

/// The `depth` chunks with the nearest codes among the documents allowed.
pub fn scan(
    on: &impl Read,
    space: &EmbeddingSpace,
    query: &[f32],
    allowed: Option<&DocumentSet>,
    depth: usize,
) -> Result<Scan> {
    if query.len() != space.dims {
        return Ok(Scan::default());
    }
    let mut nearest = Nearest::new(depth, space.dims);
    let mut seen = DocumentSet::default();
    let mut n_chunks = 0;
    let mut statement = on
        .connection()
        .prepare_cached(
            "SELECT block, documents, codes FROM embedding_blocks
             WHERE model = ?1 AND dims = ?2 AND chunking = ?3 ORDER BY block",
        )
        .map_err(db)?;
    let params = (&space.model, space.dims as i64, space.chunking);
    let mut rows = statement.query(params).map_err(db)?;
    let mut query_code = Vec::new();
    let mut distances = Vec::with_capacity(BLOCK as usize);
    while let Some(row) = rows.next().map_err(db)? {
        if query_code.is_empty() {
            // Not before the first row: then both are of the same moment, even
            // when the centre moves meanwhile.
            query_code = code(query, &binary_codes::centre(on, space)?);
        }
        let first = row.get::<_, i64>(0).map_err(db)?.saturating_mul(BLOCK);
        let documents = row.get_ref(1).map_err(db)?.as_blob().unwrap_or_default();
        let codes = row.get_ref(2).map_err(db)?.as_blob().unwrap_or_default();
        hamming::distances(&query_code, codes, &mut distances);
        let places = documents.as_chunks::<ID_BYTES>().0.iter().zip(&distances);
        for (place, (document, &distance)) in places.enumerate() {
            let document = i64::from_le_bytes(*document);
            if document == 0 {
                continue;
            }
            seen.insert(document);
            if allowed.is_some_and(|allowed| !allowed.contains(document)) {
                continue;
            }
            n_chunks += 1;
            nearest.offer(VectorCandidate {
                chunk: first.saturating_add(place as i64),
                document,
                distance,
            });
        }
    }
    Ok(Scan { near: nearest.finish(), n_chunks, n_documents: seen.len() })
}

/// Chunks with vectors of this space.
pub fn count(on: &impl Read, space: &EmbeddingSpace) -> Result<usize> {
    let n: i64 = sql::one(
        on,
        "SELECT coalesce(sum(n_used), 0) FROM embedding_blocks
         WHERE model = ?1 AND dims = ?2 AND chunking = ?3",
        (&space.model, space.dims as i64, space.chunking),
        |row| row.get(0),
    )?;
    Ok(usize::try_from(n).unwrap_or(0))
}

/// Whether any document has vectors of this space.
pub fn exist(on: &impl Read, space: &EmbeddingSpace) -> Result<bool> {
    sql::one(
        on,
        "SELECT EXISTS (SELECT 1 FROM embedding_blocks
           WHERE model = ?1 AND dims = ?2 AND chunking = ?3 AND n_used > 0)",
        (&space.model, space.dims as i64, space.chunking),
        |row| row.get(0),
    )
}

/// Keeps the `depth` nearest of a stream. Distances are small whole numbers, so
/// a count of each tells where the border lies, without a heap.
struct Nearest {
    depth: usize,
    kept: Vec<VectorCandidate>,
    counts: Vec<usize>,
    /// What is farther away is of no interest any more.
    border: usize,
    n_within: usize,
}

impl Nearest {
    fn new(depth: usize, dims: usize) -> Nearest {
        let counts = vec![0; dims.div_ceil(64) * 64 + 1];
        Nearest { depth, border: counts.len() - 1, kept: Vec::new(), counts, n_within: 0 }
    }

    #[inline]
    fn offer(&mut self, near: VectorCandidate) {
        let distance = near.distance as usize;
        if distance > self.border || self.depth == 0 {
            return;
        }
        self.kept.push(near);
        self.counts[distance] += 1;
        self.n_within += 1;
        while self.border > 0 && self.n_within - self.counts[self.border] >= self.depth {
            self.n_within -= self.counts[self.border];
            self.border -= 1;
        }
        if self.kept.len() > 4 * self.depth + 1024 {
            let border = self.border as u32;
            self.kept.retain(|near| near.distance <= border);
        }
    }

    fn finish(mut self) -> Vec<VectorCandidate> {
        self.kept.sort_unstable_by_key(|near| (near.distance, near.chunk));
        self.kept.truncate(self.depth);
        self.kept
    }
}

/// How near a chunk is to the query, by the vectors themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similar {
    pub chunk: i64,
    pub document: i64,
    /// The cosine: 1 is the same direction.
    pub similarity: f32,
}

/// The true similarity of chunks; what has no vector of that length is left out.
pub fn compare(on: &impl Read, query: &[f32], chunks: &[VectorCandidate]) -> Result<Vec<Similar>> {
    // In the order they lie in the file.
    let mut chunks: Vec<(i64, i64)> =
        chunks.iter().map(|near| (near.chunk, near.document)).collect();
    chunks.sort_unstable();
    let mut statement = on
        .connection()
        .prepare_cached("SELECT vector FROM embeddings WHERE metadata_id = ?1")
        .map_err(db)?;
    let mut found = Vec::with_capacity(chunks.len());
    for (chunk, document) in chunks {
        let similarity = statement
            .query_row([chunk], |row| {
                Ok(row.get_ref(0)?.as_blob().ok().and_then(|it| product(query, it)))
            })
            .optional()
            .map_err(db)?
            .flatten();
        found.extend(similarity.map(|similarity| Similar { chunk, document, similarity }));
    }
    Ok(found)
}

/// How near texts of a space are to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affinity {
    /// The mean cosine of two chunks.
    pub mean: f64,
    /// Chunks it was found from.
    pub n_chunks: usize,
}

/// How near two chunks of a space usually are to each other, from `n` of them
/// that lie evenly over it; the same ones every time. None with fewer than two.
pub fn affinity(on: &impl Read, space: &EmbeddingSpace, n: usize) -> Result<Option<Affinity>> {
    let mut sums = vec![0.0_f64; space.dims];
    let (mut n_read, mut squares) = (0_usize, 0.0);
    for chunk in spread(on, space, n)? {
        let packed = sql::first(
            on,
            "SELECT vector FROM embeddings WHERE metadata_id = ?1",
            [chunk],
            |row| row.get::<_, Vec<u8>>(0),
        )?;
        let vector = packed.as_deref().and_then(unpack).filter(|it| it.len() == space.dims);
        let Some(vector) = vector else { continue };
        n_read += 1;
        squares += vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
        sums.iter_mut().zip(vector).for_each(|(sum, x)| *sum += f64::from(x));
    }
    if n_read < 2 {
        return Ok(None);
    }
    // All products of two of them, but for those with themselves.
    let products = sums.iter().map(|x| x * x).sum::<f64>() - squares;
    Ok(Some(Affinity { mean: products / (n_read * (n_read - 1)) as f64, n_chunks: n_read }))
}

/// About `n` places of chunks, evenly over a space.
fn spread(on: &impl Read, space: &EmbeddingSpace, n: usize) -> Result<Vec<i64>> {
    let blocks: Vec<(i64, i64)> = sql::all(
        on,
        "SELECT block, n_used FROM embedding_blocks
         WHERE model = ?1 AND dims = ?2 AND chunking = ?3 AND n_used > 0 ORDER BY block",
        (&space.model, space.dims as i64, space.chunking),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let total: i64 = blocks.iter().map(|(_, n_used)| n_used).sum();
    let step = (total as f64 / n.max(1) as f64).max(1.0);
    let (mut chunks, mut wanted, mut passed) = (Vec::new(), 0.0, 0.0);
    for (block, n_used) in blocks {
        let end = passed + n_used as f64;
        while wanted < end {
            chunks.push(block * BLOCK + (wanted - passed) as i64);
            wanted += step;
        }
        passed = end;
    }
    Ok(chunks)
}

/// The similarity of every chunk there is, without a look at codes: slow, and
/// what the quick way is measured against.
pub fn compare_all(on: &impl Read, space: &EmbeddingSpace, query: &[f32]) -> Result<Vec<Similar>> {
    let rows = sql::all(
        on,
        "SELECT m.id, m.document_id, e.vector FROM embedding_metadata AS m
         JOIN embeddings AS e ON e.metadata_id = m.id
         WHERE m.model = ?1 AND m.dims = ?2 AND m.chunking = ?3",
        (&space.model, space.dims as i64, space.chunking),
        |row| {
            let similarity = row.get_ref(2)?.as_blob().ok().and_then(|it| product(query, it));
            Ok((row.get(0)?, row.get(1)?, similarity))
        },
    )?;
    let similar = |(chunk, document, similarity): (i64, i64, Option<f32>)| {
        similarity.map(|similarity| Similar { chunk, document, similarity })
    };
    Ok(rows.into_iter().filter_map(similar).collect())
}

/// The best chunk of each of these documents, by the vectors themselves.
/// Documents without vectors of this space are left out.
pub fn compare_documents(
    on: &impl Read,
    space: &EmbeddingSpace,
    query: &[f32],
    documents: &[i64],
) -> Result<Vec<Similar>> {
    let mut best = Vec::with_capacity(documents.len());
    for document in documents {
        let chunks = sql::all(
            on,
            "SELECT id FROM embedding_metadata
             WHERE document_id = ?1 AND model = ?2 AND dims = ?3 AND chunking = ?4",
            (document, &space.model, space.dims as i64, space.chunking),
            |row| Ok(VectorCandidate { chunk: row.get(0)?, document: *document, distance: 0 }),
        )?;
        let similar = compare(on, query, &chunks)?;
        best.extend(
            similar.into_iter().reduce(|best, other| {
                if other.similarity > best.similarity { other } else { best }
            }),
        );
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packing_keeps_a_vector() {
        let vector = [0.6, -0.8, 0.0, 0.001];
        let back = unpack(&pack(&vector)).unwrap();
        for (a, b) in vector.iter().zip(&back) {
            assert!((a - b).abs() < 2e-5, "{back:?}");
        }
        assert_eq!(unpack(&pack(&[0.0; 3])), Some(vec![0.0; 3]));
        assert_eq!(unpack(&[1, 2, 3]), None);
        assert_eq!(unpack(&[0, 0, 0, 0, 1]), None);
        assert_eq!(product(&[1.0], &pack(&vector)), None);
    }

    #[test]
    fn bits_say_which_components_lie_above_the_centre() {
        assert_eq!(code(&[1.0, -1.0, 0.0, 2.0], &[0.0; 4]), [0b1001]);
        assert_eq!(code(&[1.0, -1.0, 0.0, 2.0], &[1.5, -2.0, 0.0, 1.5]), [0b1010]);
        assert_eq!(code(&[1.0; 65], &[0.0; 65]), [u64::MAX, 1]);
        assert_eq!(code_bytes(&[1.0; 65], &[0.0; 65]).len(), code_length(65));
    }

    proptest! {
        #[test]
        fn products_agree(vectors in prop::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 1..70)) {
            let (left, right): (Vec<f32>, Vec<f32>) = vectors.into_iter().unzip();
            let expected: f32 = left.iter().zip(&right).map(|(a, b)| a * b).sum();
            let found = product(&left, &pack(&right)).unwrap();
            prop_assert!((expected - found).abs() < 1e-2, "{} {}", expected, found);
        }

        #[test]
        fn the_nearest_of_a_stream_are_the_nearest(
            distances in prop::collection::vec(0u32..64, 0..300), depth in 0usize..20,
        ) {
            let mut nearest = Nearest::new(depth, 64);
            let mut all: Vec<VectorCandidate> = distances.iter().enumerate()
                .map(|(chunk, distance)| VectorCandidate { chunk: chunk as i64, document: 1, distance: *distance })
                .collect();
            for near in &all {
                nearest.offer(*near);
            }
            all.sort_by_key(|near| (near.distance, near.chunk));
            all.truncate(depth);
            prop_assert_eq!(nearest.finish(), all);
        }
    }
}
