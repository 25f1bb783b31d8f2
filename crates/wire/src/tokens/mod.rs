//! How many tokens a text has: counted with a real vocabulary, or estimated
//! without one.

mod estimate;
mod merge;
mod pieces;
mod vocabulary;

pub use estimate::estimate;

use vocabulary::Vocabulary;

/// Tokens of `cl100k_base`. How another vocabulary differs, and how exact this
/// is, is in `docs/wire.md`.
pub fn count(text: &str) -> usize {
    let vocabulary = Vocabulary::shared();
    pieces::pieces(text).map(|piece| merge::count(vocabulary, piece.as_bytes())).sum()
}

/// The beginning of a text that has at most so many tokens. One that is cut
/// ends in `…`, and that is counted; nothing at all where not even it fits.
pub fn truncate(text: &str, most: usize) -> (String, bool) {
    let vocabulary = Vocabulary::shared();
    // What the mark may cost at most, whatever it is joined to.
    const FOR_MARK: usize = 2;
    let (mut used, mut end) = (0, 0);
    let mut is_open = true;
    for piece in pieces::pieces(text) {
        used += merge::count(vocabulary, piece.as_bytes());
        if used > most {
            return if most < FOR_MARK {
                (String::new(), true)
            } else {
                (format!("{}…", text[..end].trim_end()), true)
            };
        }
        is_open = is_open && used + FOR_MARK <= most;
        if is_open {
            end += piece.len();
        }
    }
    (text.to_owned(), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The numbers are those of tiktoken's `cl100k_base`.
    #[test]
    fn tokens_are_those_of_the_reference() {
        for (text, n) in REFERENCE {
            assert_eq!(count(text), n, "{text:?}");
        }
    }

    const REFERENCE: [(&str, usize); 11] = [
        ("", 0),
        ("why did we remove NATS", 6),
        ("it's WE'LL 'street", 7),
        ("def _filter_or_exclude_inplace(self, negate, args, kwargs)", 15),
        (
            "@ django/db/models/query.py .\n0 method QuerySet.filter:1473 score=.831 parts=.9/1/.91/.4\n",
            28,
        ),
        ("{\"name\":\"a\",\"line\":12345,\"ok\":null}", 14),
        ("漢字かな交じり文 Ünïcödé ½ Привет мир", 23),
        ("    if x:\n        return   y  \n\n\n\tend\r\n", 11),
        ("😀👍🏽 emoji", 9),
        ("std::collections::HashMap<String, Vec<u8>>", 11),
        ("ANTIDISESTABLISHMENTARIANISM xqzjkvwpp", 16),
    ];

    #[test]
    fn a_text_without_borders_costs_no_more_than_its_length() {
        let monster = "x".repeat(300_000);
        let n = count(&monster);
        assert!((10_000..300_000).contains(&n), "{n}");
    }

    #[test]
    fn a_cut_text_says_so_and_fits() {
        let text = "Return a new QuerySet instance with the args ANDed to the existing set.";
        assert_eq!(truncate(text, 100), (text.to_owned(), false));
        let (cut, is_cut) = truncate(text, 8);
        assert!(is_cut && cut.ends_with('…') && count(&cut) <= 8, "{cut}");
        assert_eq!(truncate(text, 1), (String::new(), true));
        assert_eq!(truncate("", 0), (String::new(), false));
    }

    proptest! {
        #[test]
        fn what_is_cut_never_has_too_many(text in any::<String>(), most in 0usize..20) {
            let (cut, is_cut) = truncate(&text, most);
            prop_assert!(count(&cut) <= most, "{cut:?}");
            prop_assert_eq!(is_cut, count(&text) > most);
        }

        #[test]
        fn every_byte_is_in_at_most_one_token(text in any::<String>()) {
            let n = count(&text);
            prop_assert!(n <= text.len());
            prop_assert_eq!(n == 0, text.is_empty());
        }
    }
}
