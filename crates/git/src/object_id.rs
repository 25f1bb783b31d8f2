//! The name of an object: SHA-1 or SHA-256, whichever the repository uses.

use model::hash::Hash32;
use sha1::{Digest, Sha1};
use std::fmt;

/// 20 or 32 bytes, written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId {
    bytes: [u8; 32],
    len: u8,
}

impl ObjectId {
    /// Reads 40 or 64 hexadecimal digits; anything else is no name.
    pub fn parse(text: impl AsRef<[u8]>) -> Option<Self> {
        let text = text.as_ref();
        if text.len() != 40 && text.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, pair) in text.chunks_exact(2).enumerate() {
            bytes[index] = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(ObjectId { bytes, len: (text.len() / 2) as u8 })
    }

    /// The name git gives a file with these bytes, under the hash this id is
    /// made with: what is in no commit yet is known again when it is.
    pub fn of_blob_like(self, content: &[u8]) -> Self {
        let head = format!("blob {}\0", content.len());
        let mut bytes = [0; 32];
        if self.len == 20 {
            let digest = Sha1::new().chain_update(&head).chain_update(content).finalize();
            bytes[..20].copy_from_slice(&digest);
        } else {
            let whole = [head.as_bytes(), content].concat();
            bytes.copy_from_slice(Hash32::of(&whole).as_bytes());
        }
        ObjectId { bytes, len: self.len }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// All zeros: git's way to say "no object".
    pub fn is_null(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// The tree without files, under the hash this id is made with.
    pub fn empty_tree_like(self) -> Self {
        let text = match self.len {
            20 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
            _ => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        };
        ObjectId::parse(text).unwrap_or(self)
    }

    /// As people write it: enough digits to be found again in most places.
    pub fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.as_bytes() {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_of_blobs_are_gits() {
        for (like, name) in [
            ("0".repeat(40), "ce013625030ba8dba906f756967f9e9ca394464a"),
            ("0".repeat(64), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4"),
        ] {
            let like = ObjectId::parse(like).unwrap();
            assert_eq!(like.of_blob_like(b"hello\n").to_string(), name);
        }
    }

    proptest! {
        #[test]
        fn names_are_read_back(bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 20),
            prop::collection::vec(any::<u8>(), 32),
        ]) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let id = ObjectId::parse(&text).unwrap();
            prop_assert_eq!(id.to_string(), text.clone());
            prop_assert_eq!(ObjectId::parse(text.to_uppercase()), Some(id));
        }

        #[test]
        fn other_texts_are_no_names(text in any::<String>()) {
            if let Some(id) = ObjectId::parse(&text) {
                prop_assert_eq!(id.to_string(), text.to_lowercase());
            }
        }
    }
}
