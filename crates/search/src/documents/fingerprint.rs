//! Hashes that tell whether a document changed.

use model::hash::Hash32;

/// Fields one after another, each with its length before it, so that no two
/// different lists of fields read the same.
#[derive(Default)]
pub struct Fingerprint {
    bytes: Vec<u8>,
}

impl Fingerprint {
    /// With room for so many bytes.
    pub fn with_capacity(n_bytes: usize) -> Fingerprint {
        Fingerprint { bytes: Vec::with_capacity(n_bytes) }
    }

    pub fn field(mut self, field: &str) -> Self {
        self.bytes.extend_from_slice(&(field.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(field.as_bytes());
        self
    }

    pub fn maybe(self, field: Option<&str>) -> Self {
        match field {
            Some(field) => self.field("1").field(field),
            None => self.field("0"),
        }
    }

    pub fn number(self, number: i64) -> Self {
        self.field(&number.to_string())
    }

    pub fn of_list(list: &[String]) -> Hash32 {
        list.iter().fold(Fingerprint::default(), |print, item| print.field(item)).hash()
    }

    pub fn hash(self) -> Hash32 {
        Hash32::of(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_between_fields_count() {
        let list = |items: &[&str]| {
            let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
            Fingerprint::of_list(&items)
        };
        assert_ne!(list(&["ab", "c"]), list(&["a", "bc"]));
        assert_ne!(list(&[]), list(&[""]));
        assert_eq!(list(&["a"]), list(&["a"]));
        let none = Fingerprint::default().maybe(None).hash();
        assert_ne!(none, Fingerprint::default().maybe(Some("")).hash());
    }
}
