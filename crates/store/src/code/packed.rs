//! Rows of numbers and texts as short byte strings.
//!
//! Numbers take seven bits a byte, low bits first; a signed one is folded
//! (0, -1, 1, -2, …); a text is its length and its bytes.

use crate::compressed;
use model::{Error, ErrorCode, Result};
use std::cell::RefCell;
use zstd::bulk::Compressor;

#[derive(Default)]
pub(crate) struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    pub fn number(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
        self
    }

    pub fn signed(&mut self, value: i64) -> &mut Self {
        self.number(((value << 1) ^ (value >> 63)) as u64)
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

pub(crate) struct Unpacker<'a> {
    bytes: &'a [u8],
}

impl<'a> Unpacker<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Unpacker { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn number(&mut self) -> Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first().ok_or_else(damaged)?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(damaged())
    }

    pub fn signed(&mut self) -> Result<i64> {
        let folded = self.number()?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    /// A number that was stored as its distance from another.
    pub fn after(&mut self, last: i64) -> Result<i64> {
        last.checked_add(self.signed()?).ok_or_else(damaged)
    }

    pub fn text(&mut self) -> Result<&'a str> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let (text, rest) = self.bytes.split_at_checked(length).ok_or_else(damaged)?;
        self.bytes = rest;
        std::str::from_utf8(text).map_err(|_| damaged())
    }
}

/// What is said of a row that cannot be read back.
pub fn damaged() -> Error {
    Error::new(ErrorCode::Integrity, "a row of the code graph cannot be read back")
        .suggest("run: lore index --full")
}

/// Ascending numbers as their distances.
pub(crate) fn ascending(values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let mut packer = Packer::default();
    let mut last = 0;
    for value in values {
        packer.signed(value - last);
        last = value;
    }
    packer.finish()
}

pub(crate) fn read_ascending(bytes: &[u8]) -> Result<Vec<i64>> {
    let mut unpacker = Unpacker::new(bytes);
    let mut values = Vec::new();
    let mut last = 0;
    while !unpacker.is_empty() {
        last = unpacker.after(last)?;
        values.push(last);
    }
    Ok(values)
}

thread_local! {
    // Making one costs as much as packing a small file.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// Compressed, behind its full length.
pub fn squeeze(raw: &[u8]) -> Result<Vec<u8>> {
    if raw.len() > compressed::MAX_LENGTH {
        return Err(Error::internal("a row of the code graph is too large to be stored"));
    }
    let mut packer = Packer::default();
    packer.number(raw.len() as u64);
    let mut bytes = packer.finish();
    // Most files have no unbound calls.
    if raw.is_empty() {
        return Ok(bytes);
    }
    let body = COMPRESSOR.with_borrow_mut(|kept| {
        let mut compressor = match kept.take() {
            Some(compressor) => compressor,
            None => Compressor::new(1)?,
        };
        let body = compressor.compress(raw);
        *kept = Some(compressor);
        body
    });
    let body = body.map_err(|error| Error::internal("compressing failed").caused_by(error))?;
    bytes.extend_from_slice(&body);
    Ok(bytes)
}

/// What [`squeeze`] made, as it was.
pub fn expand(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut unpacker = Unpacker::new(bytes);
    let length = unpacker.number()?;
    if length == 0 {
        return Ok(Vec::new());
    }
    compressed::decompress(unpacker.bytes, length).map_err(|error| damaged().caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(numbers in prop::collection::vec(any::<i64>(), 0..9), text in ".{0,20}") {
            let mut packer = Packer::default();
            for number in &numbers {
                packer.signed(*number).number(*number as u64);
            }
            packer.text(&text);
            let bytes = packer.finish();
            let mut unpacker = Unpacker::new(&bytes);
            for number in &numbers {
                prop_assert_eq!(unpacker.signed().unwrap(), *number);
                prop_assert_eq!(unpacker.number().unwrap(), *number as u64);
            }
            prop_assert_eq!(unpacker.text().unwrap(), text.as_str());
            prop_assert!(unpacker.is_empty());
            prop_assert_eq!(expand(&squeeze(&bytes).unwrap()).unwrap(), bytes);
        }

        #[test]
        fn damage_is_an_error_and_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut unpacker = Unpacker::new(&bytes);
            while !unpacker.is_empty() && unpacker.text().is_ok() {}
            let _ = read_ascending(&bytes);
            let _ = expand(&bytes);
            let _ = super::super::snapshots::unpack_members(&bytes);
            let _ = super::super::links::unpack_edges(&bytes);
            let _ = super::super::layers::unpack(&bytes);
            // As it stands, and as what a well-formed row holds.
            for row in [bytes.clone(), squeeze(&bytes).unwrap()] {
                let _ = super::super::outline::unpack(&row);
                let _ = super::super::links::unpack_unresolved(&row);
                let _ = super::super::manifests::unpack(&row);
            }
        }

        #[test]
        fn numbers_read_from_damage_take_no_more_room_than_a_few_times_the_bytes(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let room = 64 * bytes.len() + 64;
            if let Ok(values) = read_ascending(&bytes) {
                prop_assert!(values.capacity() * size_of::<i64>() <= room);
            }
            if let Ok(edges) = super::super::links::unpack_edges(&bytes) {
                prop_assert!(std::mem::size_of_val(edges.as_slice()) <= room);
            }
        }

        #[test]
        fn a_forged_length_is_an_error(length in any::<u64>(), raw in prop::collection::vec(any::<u8>(), 1..40)) {
            prop_assume!(length != raw.len() as u64);
            let row = squeeze(&raw).unwrap();
            let mut packer = Packer::default();
            packer.number(length);
            let mut forged = packer.finish();
            // The true length takes one byte.
            forged.extend_from_slice(&row[1..]);
            if length == 0 {
                prop_assert_eq!(expand(&forged).unwrap(), Vec::<u8>::new());
            } else {
                prop_assert_eq!(expand(&forged).unwrap_err().code(), ErrorCode::Integrity);
            }
        }
    }
}
