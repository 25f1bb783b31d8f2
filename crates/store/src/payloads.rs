//! Exact bytes of what a forge answered, kept for replay and for telling
//! whether anything changed.

use crate::compressed;
use crate::handle::{Read, Tx};
use crate::sql;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use std::cell::RefCell;
use zstd::bulk::Compressor;

/// Good ratio at a speed that does not slow a sync down.
const LEVEL: i32 = 1;
/// Bytes below which a body is kept as it is: packing it would cost more time
/// than it saves room.
const SHORT: usize = 64;
/// How every packed body begins. One that begins so by itself is packed,
/// however short; all others may be kept as they are.
const PACKED: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// A body, hashed and compressed, ready to store. Making one is the expensive
/// part and needs no database, so workers do it beside the writer.
#[derive(Debug, Clone)]
pub struct Payload {
    hash: Hash32,
    size: usize,
    body: Vec<u8>,
}

impl Payload {
    pub fn of(raw: &[u8]) -> Result<Payload> {
        let body = if raw.len() <= SHORT && !raw.starts_with(&PACKED) {
            raw.to_vec()
        } else {
            compress(raw)
                .map_err(|error| Error::internal("compressing a payload failed").caused_by(error))?
        };
        Ok(Payload { hash: Hash32::of(raw), size: raw.len(), body })
    }

    pub fn hash(&self) -> Hash32 {
        self.hash
    }

    /// Bytes as they arrived.
    pub fn size(&self) -> usize {
        self.size
    }
}

/// Most bodies are small, and making a compressor costs more than using it:
/// each thread keeps one.
fn compress(raw: &[u8]) -> std::io::Result<Vec<u8>> {
    thread_local! {
        static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    }
    COMPRESSOR.with_borrow_mut(|compressor| {
        if compressor.is_none() {
            *compressor = Some(Compressor::new(LEVEL)?);
        }
        match compressor {
            Some(compressor) => compressor.compress(raw),
            None => zstd::bulk::compress(raw, LEVEL),
        }
    })
}

/// A stored body's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PayloadId(pub(crate) i64);

/// Keeps the body, once.
pub fn keep(tx: &Tx<'_>, payload: &Payload) -> Result<PayloadId> {
    if let Some(id) = tx.memo.payload(payload.hash) {
        return Ok(id);
    }
    let is_new = sql::run(
        tx,
        "INSERT INTO raw_payloads (hash, size, body) VALUES (?1, ?2, ?3)
         ON CONFLICT (hash) DO NOTHING",
        (payload.hash.as_bytes(), payload.size as i64, &payload.body),
    )? > 0;
    let id = if is_new {
        PayloadId(tx.transaction.last_insert_rowid())
    } else {
        sql::one(
            tx,
            "SELECT id FROM raw_payloads WHERE hash = ?1",
            [payload.hash.as_bytes()],
            |row| row.get(0).map(PayloadId),
        )?
    };
    // What comes often is short: `[]`.
    if payload.size <= SHORT {
        tx.memo.keep_payload(payload.hash, id);
    }
    Ok(id)
}

/// The row of a body with this hash.
pub fn find(on: &impl Read, hash: Hash32) -> Result<Option<PayloadId>> {
    sql::first(on, "SELECT id FROM raw_payloads WHERE hash = ?1", [hash.as_bytes()], |row| {
        row.get(0).map(PayloadId)
    })
}

/// The bytes as they arrived.
pub fn read(on: &impl Read, hash: Hash32) -> Result<Option<Vec<u8>>> {
    let found = sql::first(
        on,
        "SELECT size, body FROM raw_payloads WHERE hash = ?1",
        [hash.as_bytes()],
        |row| Ok((row.get::<_, u64>(0)?, row.get::<_, Vec<u8>>(1)?)),
    )?;
    let Some((size, body)) = found else { return Ok(None) };
    if !body.starts_with(&PACKED) {
        return Ok(Some(body));
    }
    let raw = compressed::decompress(&body, size).map_err(|error| {
        Error::new(ErrorCode::Integrity, format!("payload {hash} cannot be read back"))
            .caused_by(error)
    })?;
    Ok(Some(raw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use proptest::prelude::*;
    use tempfile::TempDir;

    #[test]
    fn the_same_body_is_stored_once() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let payload = Payload::of(b"[]").unwrap();
        let ids = writer.write(|tx| Ok([keep(tx, &payload)?, keep(tx, &payload)?])).unwrap();
        assert_eq!(ids[0], ids[1]);
    }

    #[test]
    fn a_forged_size_is_an_error() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let payload = Payload::of(&[b'x'; 500]).unwrap();
        writer.write(|tx| keep(tx, &payload)).unwrap();
        for size in [1, 501, i64::MAX] {
            writer.write(|tx| sql::run(tx, "UPDATE raw_payloads SET size = ?1", [size])).unwrap();
            let error = read(&writer, payload.hash()).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Integrity, "{size}: {error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_goes_in_comes_out(raw in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let dir = TempDir::new().unwrap();
            let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
            let payload = Payload::of(&raw).unwrap();
            writer.write(|tx| keep(tx, &payload)).unwrap();
            prop_assert_eq!(read(&writer, payload.hash()).unwrap(), Some(raw));
        }
    }
}
