//! Decompression that does not believe what a row says of itself.
//!
//! A database may come from anybody. The length that is stored with compressed
//! bytes is checked against the bytes before memory is asked for, and memory
//! that is not to be had is an error.

use std::cell::RefCell;
use std::io;
use zstd::bulk::Decompressor;

/// Nothing lore stores in one row is longer.
pub(crate) const MAX_LENGTH: usize = 256 << 20;

/// One block of zstd holds at most 128 KiB and takes at least four bytes.
const BLOCK: u64 = 128 << 10;
const SMALLEST_BLOCK: u64 = 4;

thread_local! {
    // Making one costs as much as unpacking a small row.
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The bytes that were compressed, if there are exactly `length` of them.
pub(crate) fn decompress(body: &[u8], length: u64) -> io::Result<Vec<u8>> {
    let length = check(body, length)?;
    let mut raw = Vec::new();
    raw.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let n_written = DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress_to_buffer(body, &mut raw)
    })?;
    if n_written == length { Ok(raw) } else { Err(implausible()) }
}

/// The length as a number of bytes that may be asked for.
fn check(body: &[u8], length: u64) -> io::Result<usize> {
    let most = (body.len() as u64 / SMALLEST_BLOCK).saturating_mul(BLOCK);
    match usize::try_from(length) {
        Ok(found) if found <= MAX_LENGTH && length <= most => Ok(found),
        _ => Err(implausible()),
    }
}

fn implausible() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the stored length is not that of the content")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_compresses_best_is_still_read_back() {
        let raw = vec![7_u8; 40 << 20];
        for level in [1, 3, 19] {
            let body = zstd::bulk::compress(&raw, level).unwrap();
            assert!(decompress(&body, raw.len() as u64).unwrap() == raw, "level {level}");
        }
    }

    #[test]
    fn a_length_beyond_what_the_bytes_can_hold_asks_for_no_memory() {
        let body = zstd::bulk::compress(b"short", 1).unwrap();
        for length in [0, 4, 6, 1 << 20, 1 << 40, u64::MAX >> 1, u64::MAX] {
            assert!(decompress(&body, length).is_err(), "{length}");
        }
        assert!(check(&body, 1 << 30).is_err());
        assert!(check(&vec![0; 1 << 20], MAX_LENGTH as u64 + 1).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_and_no_length_make_it_panic(
            body in prop::collection::vec(any::<u8>(), 0..64),
            length in any::<u64>(),
        ) {
            let _ = decompress(&body, length);
            let _ = decompress(&body, length % 4096);
        }
    }
}
