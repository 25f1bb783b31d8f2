//! The stored form of file facts: compact, and the same bytes for the same
//! facts on every machine.

use super::FileFacts;
use super::deltas::with_distances;

/// The bytes are not facts of this version of lore.
#[derive(Debug)]
pub struct DecodeError;

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stored file facts cannot be read")
    }
}

impl std::error::Error for DecodeError {}

/// The first byte: facts with distances in place of ids. What an earlier lore
/// stored begins otherwise, and is read anew from the file it came from.
const WITH_DISTANCES: u8 = 0xff;

impl FileFacts {
    pub fn encode(&self) -> Vec<u8> {
        // Only a failing writer or a sequence of unknown length can fail here;
        // a growing vector and these types know neither.
        let start = vec![WITH_DISTANCES];
        with_distances(|| postcard::to_extend(self, start)).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let [WITH_DISTANCES, rest @ ..] = bytes else { return Err(DecodeError) };
        with_distances(|| postcard::from_bytes(rest)).map_err(|_| DecodeError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::extract;

    const SOURCE: &[u8] = b"import os\n\nclass A(B):\n    def run(self, x: int) -> str:\n        \
        return os.path.join(self.name, str(x))\n";

    #[test]
    fn facts_are_read_back() {
        let facts = extract("a.py", SOURCE);
        assert!(facts.calls.len() > 1 && facts.exprs.len() > 5, "{facts:?}");
        assert_eq!(FileFacts::decode(&facts.encode()).unwrap(), facts);
        // Whatever the thread wrote before.
        assert_eq!(facts.encode(), facts.encode());
    }

    #[test]
    fn facts_of_an_earlier_lore_are_not_taken_for_todays() {
        let plain = postcard::to_allocvec(&extract("a.py", SOURCE)).unwrap();
        assert!(FileFacts::decode(&plain).is_err());
    }

    #[test]
    fn damage_is_an_error_and_leaves_nothing_behind() {
        let facts = extract("a.py", SOURCE);
        let bytes = facts.encode();
        for end in 0..bytes.len() {
            assert!(FileFacts::decode(&bytes[..end]).is_err(), "{end} bytes");
        }
        assert_eq!(FileFacts::decode(&bytes).unwrap(), facts);
        assert_eq!(postcard::to_allocvec(&crate::facts::DefId(7)).unwrap(), [7]);
    }
}
