//! In how many bits codes differ: the inner loop of a search by meaning.

use std::iter::zip;

/// For each code of `codes`, which lie one after another, the number of bits in
/// which it differs from the query's.
pub(crate) fn distances(query: &[u64], codes: &[u8], found: &mut Vec<u32>) {
    found.clear();
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        #[expect(unsafe_code, reason = "the processor was asked for the instruction")]
        // SAFETY: the function has no other condition than that the processor
        // counts bits by itself, which was asked in the line above.
        unsafe {
            by_instruction(query, codes, found);
        }
        return;
    }
    each(query, codes, found);
}

/// The same loop, for processors that count bits by an instruction of their own.
/// Programs for any x86-64 cannot take that for granted, and counting without it
/// takes three times as long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn by_instruction(query: &[u64], codes: &[u8], found: &mut Vec<u32>) {
    each(query, codes, found);
}

#[expect(clippy::inline_always, reason = "compiled for each of its two callers")]
#[inline(always)]
fn each(query: &[u64], codes: &[u8], found: &mut Vec<u32>) {
    let code_length = query.len() * 8;
    if code_length == 0 {
        return;
    }
    found.extend(codes.chunks_exact(code_length).map(|code| {
        let words = code.as_chunks::<8>().0;
        let differing = zip(query, words).map(|(q, word)| q ^ u64::from_le_bytes(*word));
        differing.map(u64::count_ones).sum::<u32>()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_code_is_counted_bit_by_bit(
            query in prop::collection::vec(any::<u64>(), 1..9),
            codes in prop::collection::vec(any::<u64>(), 0..60),
        ) {
            let bytes: Vec<u8> = codes.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut found = vec![7];
            distances(&query, &bytes, &mut found);
            let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1;
            let naive: Vec<u32> = codes
                .chunks_exact(query.len())
                .map(|code| {
                    let differ = |at: &usize| bit(code, *at) != bit(&query, *at);
                    (0..query.len() * 64).filter(differ).count() as u32
                })
                .collect();
            prop_assert_eq!(found, naive);
        }
    }

    #[test]
    fn a_query_without_components_has_no_distances() {
        let mut found = Vec::new();
        distances(&[], &[1, 2, 3, 4, 5, 6, 7, 8], &mut found);
        assert!(found.is_empty());
    }
}
