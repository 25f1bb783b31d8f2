//! The binary codes a search reads: on which side of the centre each component of a
//! vector lies. Derived from the vectors, and made anew when the centre moves.

use crate::error::db;
use crate::handle::sealed::HasConnection as _;
use crate::handle::{Read, Tx};
use crate::sql;
use crate::vectors::{self, BLOCK, EmbeddingSpace, ID_BYTES};
use model::{Error, ErrorCode, Result};

/// With fewer vectors there is no centre: a search looks at all of them.
const FEWEST: i64 = 256;
/// The centre is found again when there are so many times more vectors.
const GROWTH: i64 = 8;

/// No model makes vectors of more components.
const MAX_DIMS: usize = 1 << 16;

/// The mean of the vectors of a space, as of when it was last found; zero until
/// there is one.
pub(crate) fn centre(on: &impl Read, space: &EmbeddingSpace) -> Result<Vec<f32>> {
    let found = sql::first(
        on,
        "SELECT vector FROM embedding_centres WHERE model = ?1 AND dims = ?2 AND chunking = ?3",
        (&space.model, space.dims as i64, space.chunking),
        |row| row.get::<_, Vec<u8>>(0),
    )?;
    let known = found.and_then(|bytes| vectors::unpack(&bytes));
    Ok(known.filter(|centre| centre.len() == space.dims).unwrap_or_else(|| vec![0.0; space.dims]))
}

/// Whether there are enough vectors for a centre now, or many more than when it
/// was found last.
pub fn is_unsettled(on: &impl Read, space: &EmbeddingSpace) -> Result<bool> {
    let (known, n_places): (i64, i64) = sql::one(
        on,
        "SELECT
           coalesce((SELECT n_places FROM embedding_centres
             WHERE model = ?1 AND dims = ?2 AND chunking = ?3), 0),
           coalesce((SELECT sum(n_used) FROM embedding_blocks
             WHERE model = ?1 AND dims = ?2 AND chunking = ?3), 0)",
        (&space.model, space.dims as i64, space.chunking),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(n_places >= FEWEST.max(known.saturating_mul(GROWTH)))
}

/// Finds the centre and makes all codes of the space anew.
pub fn recompute_centroid(tx: &Tx<'_>, space: &EmbeddingSpace) -> Result<()> {
    let Some(mean) = mean(tx, space)? else { return Ok(()) };
    sql::run(
        tx,
        "INSERT OR REPLACE INTO embedding_centres (model, dims, chunking, n_places, vector)
         SELECT ?1, ?2, ?3, sum(n_used), ?4 FROM embedding_blocks
         WHERE model = ?1 AND dims = ?2 AND chunking = ?3",
        (&space.model, space.dims as i64, space.chunking, vectors::pack(&mean)),
    )?;
    rebuild(tx)
}

fn mean(on: &impl Read, space: &EmbeddingSpace) -> Result<Option<Vec<f32>>> {
    let mut sums = vec![0.0_f64; space.dims];
    let mut n = 0_i64;
    let mut statement = on
        .connection()
        .prepare_cached(
            "SELECT e.vector FROM embedding_metadata AS m
             JOIN embeddings AS e ON e.metadata_id = m.id
             WHERE m.model = ?1 AND m.dims = ?2 AND m.chunking = ?3 ORDER BY m.id",
        )
        .map_err(db)?;
    let params = (&space.model, space.dims as i64, space.chunking);
    let mut rows = statement.query(params).map_err(db)?;
    while let Some(row) = rows.next().map_err(db)? {
        let bytes = row.get_ref(0).map_err(db)?.as_blob().unwrap_or_default();
        let Some(vector) = vectors::unpack(bytes).filter(|it| it.len() == space.dims) else {
            continue;
        };
        n += 1;
        for (sum, x) in sums.iter_mut().zip(vector) {
            *sum += f64::from(x);
        }
    }
    let mean = || sums.iter().map(|sum| (sum / n as f64) as f32).collect();
    Ok((n > 0).then(mean))
}

/// Puts the code of a vector at its place. The code is that of the vector as it
/// is stored: packing may move a component over the border.
pub(crate) fn write(
    tx: &Tx<'_>,
    centre: &[f32],
    place: i64,
    document: i64,
    packed: &[u8],
) -> Result<()> {
    let position = (place % BLOCK) as usize;
    let code = vectors::code_bytes(&vectors::unpack(packed).unwrap_or_default(), centre);
    for (column, bytes) in
        [("codes", code.as_slice()), ("documents", document.to_le_bytes().as_slice())]
    {
        tx.connection()
            .blob_open("main", "embedding_blocks", column, place / BLOCK, false)
            .and_then(|mut blob| blob.write_at(bytes, position * bytes.len()))
            .map_err(db)?;
    }
    Ok(())
}

/// Places of blocks that do not hold what the vectors say they should.
pub(crate) fn misplaced(on: &impl Read) -> Result<u64> {
    let mut n_wrong = 0;
    for block in blocks(on)? {
        let block = Block::read(on, block)?;
        n_wrong += block.expected(on)?.iter().zip(block.places()).filter(|(a, b)| *a != b).count();
    }
    Ok(n_wrong as u64)
}

/// Writes every block anew from the vectors.
pub(crate) fn rebuild(tx: &Tx<'_>) -> Result<()> {
    for block in blocks(tx)? {
        let places = Block::read(tx, block)?.expected(tx)?;
        let documents: Vec<u8> = places.iter().flat_map(|place| place.0.to_le_bytes()).collect();
        let codes: Vec<u8> = places.into_iter().flat_map(|place| place.1).collect();
        sql::run(
            tx,
            "UPDATE embedding_blocks SET documents = ?2, codes = ?3 WHERE block = ?1",
            (block, documents, codes),
        )?;
    }
    Ok(())
}

fn damaged() -> Error {
    Error::new(ErrorCode::Integrity, "a block of embeddings cannot be read back")
        .suggest("run: lore embed --full")
}

fn blocks(on: &impl Read) -> Result<Vec<i64>> {
    sql::all(on, "SELECT block FROM embedding_blocks ORDER BY block", [], |row| row.get(0))
}

struct Block {
    block: i64,
    space: EmbeddingSpace,
    documents: Vec<u8>,
    codes: Vec<u8>,
}

impl Block {
    /// Room is asked for by what a block says of itself, so it must be possible.
    fn read(on: &impl Read, block: i64) -> Result<Block> {
        let found = Block::stored(on, block)?;
        let is_possible = (1..=MAX_DIMS).contains(&found.space.dims)
            && (0..i64::MAX / BLOCK - 1).contains(&block);
        if is_possible { Ok(found) } else { Err(damaged()) }
    }

    fn stored(on: &impl Read, block: i64) -> Result<Block> {
        sql::one(
            on,
            "SELECT model, dims, chunking, documents, codes FROM embedding_blocks WHERE block = ?1",
            [block],
            |row| {
                let dims = row.get::<_, u64>(1)? as usize;
                let space = EmbeddingSpace { model: row.get(0)?, dims, chunking: row.get(2)? };
                Ok(Block { block, space, documents: row.get(3)?, codes: row.get(4)? })
            },
        )
    }

    /// The document and the code of each place; an empty place has no code.
    fn places(&self) -> Vec<(i64, Vec<u8>)> {
        let codes = self.codes.chunks(vectors::code_length(self.space.dims));
        let documents = self.documents.as_chunks::<ID_BYTES>().0.iter();
        let place = |(document, code): (&[u8; ID_BYTES], &[u8])| {
            let document = i64::from_le_bytes(*document);
            let code = if document == 0 { vec![0; code.len()] } else { code.to_vec() };
            (document, code)
        };
        documents.zip(codes).map(place).collect()
    }

    fn expected(&self, on: &impl Read) -> Result<Vec<(i64, Vec<u8>)>> {
        let dims = self.space.dims;
        let centre = centre(on, &self.space)?;
        let empty = (0, vec![0; vectors::code_length(dims)]);
        let mut places = vec![empty; BLOCK as usize];
        let rows = sql::all(
            on,
            "SELECT m.id, m.document_id, e.vector FROM embedding_metadata AS m
             JOIN embeddings AS e ON e.metadata_id = m.id
             WHERE m.id BETWEEN ?1 AND ?2",
            (self.block * BLOCK, self.block * BLOCK + BLOCK - 1),
            |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?)),
        )?;
        for (id, document, vector) in rows {
            if let Some(vector) = vectors::unpack(&vector).filter(|vector| vector.len() == dims) {
                places[(id % BLOCK) as usize] = (document, vectors::code_bytes(&vector, &centre));
            }
        }
        Ok(places)
    }
}
