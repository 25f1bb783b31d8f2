//! Ids that follow from content: short, stable, the same on every machine.

use model::Timestamp;
use model::hash::Hash32;
use model::memory::{RecordId, RecordKind};

/// Crockford's letters: none that are taken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Forty bits. Among 5,000 records of a kind two meet once in 90,000 stores,
/// and then [`fresh`] finds another.
const LENGTH: usize = 8;

/// The id of a record that is new: no record of `taken` has it.
pub fn fresh(
    kind: RecordKind,
    text: &str,
    timestamp: Option<Timestamp>,
    taken: impl Fn(&RecordId) -> bool,
) -> RecordId {
    let mut round = 0;
    loop {
        let id = derive(kind, text, timestamp, round);
        if !taken(&id) {
            return id;
        }
        round += 1;
    }
}

/// The id of a record that was written by hand without one.
pub fn implied(kind: RecordKind, text: &str, timestamp: Option<Timestamp>) -> RecordId {
    derive(kind, text, timestamp, 0)
}

fn derive(kind: RecordKind, text: &str, timestamp: Option<Timestamp>, round: u32) -> RecordId {
    let text = text.trim();
    let when = timestamp.map(Timestamp::to_rfc3339).unwrap_or_default();
    let input = format!("{kind}\n{when}\n{round}\n{text}");
    let hash = Hash32::of(input.as_bytes());
    let mut bits = u64::from_be_bytes(hash.0[..8].try_into().unwrap_or_default());
    let mut id = kind.prefix().to_owned();
    for _ in 0..LENGTH {
        id.push(char::from(LETTERS[(bits >> 59) as usize]));
        bits <<= 5;
    }
    RecordId::parse(&id).unwrap_or_else(|| unreachable!("made of letters and digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_has_the_same_id_everywhere() {
        let at = Some(Timestamp::from_millis(1_700_000_000_000));
        let id = implied(RecordKind::Decision, "Use SQLite", at);
        assert_eq!(id.as_str(), "dec-rs38k2xt");
        assert_eq!(implied(RecordKind::Decision, " Use SQLite\n", at), id);
        assert_ne!(implied(RecordKind::Decision, "Use SQLite", None), id);
        assert_ne!(implied(RecordKind::Pattern, "Use SQLite", at).as_str()[4..], id.as_str()[4..]);
    }

    #[test]
    fn a_taken_id_is_passed_over() {
        let first = implied(RecordKind::Pattern, "x", None);
        let second = fresh(RecordKind::Pattern, "x", None, |id| *id == first);
        assert_ne!(first, second);
    }
}
