//! "Did you mean": the nearest known names to one that was mistyped.

/// Up to `max` candidates that look like `wanted`, best first.
///
/// Ties keep the order of `candidates`, so the answer is deterministic.
pub fn nearest<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    max: usize,
) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (likeness(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(max).map(|(_, candidate)| candidate).collect()
}

/// Whether one is the other mistyped: a letter or two, not another word at its end.
pub fn is_slip_of(wanted: &str, candidate: &str) -> bool {
    let (a, b) = (wanted.len(), candidate.len());
    // No names of so different lengths are alike, and most of a list are.
    if b < a && b * 5 < a * 3 || a < b && a * 5 < b * 3 && a < SHORTEST_PART {
        return false;
    }
    let (wanted, candidate) = (wanted.to_lowercase(), candidate.to_lowercase());
    let contained = wanted.len() >= SHORTEST_PART && candidate.contains(&wanted);
    contained || strsim::jaro_winkler(&wanted, &candidate) >= 0.92
}

/// A shorter name is part of many.
const SHORTEST_PART: usize = 5;

/// Jaro-Winkler, lifted when one name contains the other: people leave out
/// prefixes (`url` for `base_url`) more often than they mistype letters.
fn likeness(wanted: &str, candidate: &str) -> f64 {
    let contained = wanted.len() >= 3 && (candidate.contains(wanted) || wanted.contains(candidate));
    let score = strsim::jaro_winkler(wanted, candidate);
    if contained { score.max(0.85) } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_typo_and_the_missing_prefix() {
        let keys = ["base_url", "token_env_var", "token_file"];
        assert_eq!(nearest("base_ulr", keys, 1), ["base_url"]);
        assert_eq!(nearest("url", keys, 1), ["base_url"]);
        assert_eq!(nearest("zzz", keys, 3), Vec::<&str>::new());
    }

    #[test]
    fn another_word_at_the_end_is_no_slip() {
        assert!(is_slip_of("QuerrySet", "QuerySet"));
        assert!(is_slip_of("load_intervall", "load_interval"));
        assert!(is_slip_of("getUserById", "getUser"));
        assert!(!is_slip_of("OutcomeUtilities", "OutcomeTests"));
        assert!(!is_slip_of("handle_request", "handle_response"));
    }
}
