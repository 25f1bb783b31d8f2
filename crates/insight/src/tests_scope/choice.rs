//! Which of the files that something speaks for are run.
//!
//! Evidence of a direct tie chooses a file by itself. The rest is ranked by the sum of
//! what speaks for it; the best of it fills the choice up to a share of all
//! files, because a small choice costs little and static evidence has gaps.
//! The numbers were chosen on `cargo xtask eval tests`.

use super::AffectedTests;
use super::evidence::{Candidate, Candidates, Evidence, Rule};
use super::namesakes;
use model::vocabulary;
use std::cmp::Ordering;

vocabulary! {
    /// How much is chosen: less is faster, more is safer.
    pub enum Reach {
        /// Only what has a direct tie to the change.
        Near = "near",
        /// The same, filled up with the next best.
        Usual = "usual",
        /// Everything that anything speaks for.
        Wide = "wide",
    }
}

/// The choice is filled up to this share of all files, and to so many files where
/// there are enough: in a small suite there is little to gain by choosing.
const FILL_SHARE: f64 = 0.2;
const FILL_FILES: f64 = 10.0;
const FILL_MOST: f64 = 2.0 / 3.0;

/// A name that more of the tests have tells nothing; few tests may always have it.
const COMMON_NAME: f64 = 0.15;
const FEW_TESTS: f64 = 3.0;
/// A folder of data that more of them name is one of many of its name.
const COMMON_DATA: f64 = 10.0;
/// Steps along the graph that are a direct tie: a helper may stand between.
const NEAR_STEPS: u32 = 2;
/// The tests that most often changed with the changed files.
const MOST_TOGETHER: usize = 5;
/// What changing together counts where it happened often; half of it after one commit that
/// changed no other test.
const MOST_OF_TOGETHER: f64 = 2.5;

/// The files to run, and those that are left out although something speaks for them.
pub fn choose(
    found: Candidates,
    n_tests: usize,
    reach: Reach,
) -> (Vec<AffectedTests>, Vec<String>) {
    let scale = Scale::of(&found, n_tests);
    let mut near = Vec::new();
    let mut rest = Vec::new();
    for (path, candidate) in found.files {
        let is_chosen =
            reach == Reach::Wide || candidate.evidence.iter().any(|it| scale.is_near(it));
        let scored = (scale.score(&candidate), path, candidate);
        if is_chosen { near.push(scored) } else { rest.push(scored) }
    }
    rest.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let wanted = match reach {
        Reach::Usual => {
            let n_tests = n_tests as f64;
            FILL_FILES.min(n_tests * FILL_MOST).max(n_tests * FILL_SHARE).round() as usize
        }
        Reach::Near | Reach::Wide => 0,
    };
    let left = rest.split_off(wanted.saturating_sub(near.len()).min(rest.len()));
    near.extend(rest);
    // The file called like what is asked about, and all that more speaks for, first.
    near.sort_by(by_score);
    let mut files: Vec<AffectedTests> =
        near.into_iter().map(|(_, path, candidate)| scale.told(path, candidate)).collect();
    files.sort_by_key(|file| file.distance > 0);
    let mut farther: Vec<String> = left.into_iter().map(|(_, path, _)| path).collect();
    farther.sort();
    (files, farther)
}

/// Best first; of equals those with more tests concerned.
fn by_score(a: &(f64, String, Candidate), b: &(f64, String, Candidate)) -> Ordering {
    let n_tests = |it: &(f64, String, Candidate)| it.2.tests.len();
    b.0.total_cmp(&a.0).then_with(|| n_tests(b).cmp(&n_tests(a))).then_with(|| a.1.cmp(&b.1))
}

/// What the evidence of one change is measured by.
struct Scale {
    n_tests: f64,
    /// Tests that name a changed file.
    n_naming_file: f64,
    /// The weight by which a file is among those that most often changed together.
    least_together: f64,
}

impl Scale {
    fn of(found: &Candidates, n_tests: usize) -> Scale {
        let of_rule = |rule: Rule| {
            let all = found.files.values().flat_map(|it| &it.evidence);
            all.filter(move |it| it.rule == rule).map(|it| it.weight)
        };
        let mut together: Vec<f64> = of_rule(Rule::ChangedTogether).collect();
        together.sort_by(|a, b| b.total_cmp(a));
        // Of many that changed together equally often, none is among the first.
        if let Some(next) = together.get(MOST_TOGETHER).copied() {
            together.truncate(MOST_TOGETHER);
            together.retain(|weight| *weight > next);
        }
        Scale {
            n_tests: n_tests as f64,
            n_naming_file: of_rule(Rule::NamesFile).count() as f64,
            least_together: together.last().copied().unwrap_or(f64::INFINITY),
        }
    }

    fn is_common(&self, n_naming: f64) -> bool {
        n_naming > FEW_TESTS.max(self.n_tests * COMMON_NAME)
    }

    fn is_common_data(&self, n_naming: f64) -> bool {
        n_naming > COMMON_DATA || self.is_common(n_naming)
    }

    /// Whether it chooses a file by itself.
    fn is_near(&self, evidence: &Evidence) -> bool {
        match evidence.rule {
            Rule::Changed | Rule::Fixtures => true,
            Rule::Namesake => evidence.weight >= namesakes::NEAR,
            Rule::ReadsData => !self.is_common_data(1.0 / evidence.weight),
            Rule::Uses => evidence.distance <= NEAR_STEPS,
            Rule::NamesSymbol => !self.is_common(1.0 / evidence.weight),
            Rule::NamesFile => !self.is_common(self.n_naming_file),
            Rule::ChangedTogether => evidence.weight >= self.least_together,
            Rule::UsesType
            | Rule::UsesDispatch
            | Rule::NamesWord
            | Rule::Imports
            | Rule::ImportsBeside => false,
        }
    }

    fn score(&self, candidate: &Candidate) -> f64 {
        let steps = |it: &Evidence| f64::from(it.distance.max(1));
        let of = |it: &Evidence| match it.rule {
            Rule::ReadsData if self.is_common_data(1.0 / it.weight) => 0.3,
            Rule::Changed | Rule::Fixtures | Rule::ReadsData => 3.0,
            Rule::Namesake => 3.0 * it.weight,
            Rule::Uses => 2.0 / steps(it),
            Rule::UsesType | Rule::UsesDispatch => 0.8 / steps(it),
            Rule::NamesSymbol if self.is_common(1.0 / it.weight) => 0.3,
            Rule::NamesSymbol => 1.5,
            Rule::NamesWord | Rule::NamesFile => 0.3,
            // A commit that changed many tests says little of each, whatever others say.
            Rule::ChangedTogether => MOST_OF_TOGETHER * it.weight / (it.weight + 1.0),
            Rule::Imports => 0.15 * (1.0 + it.weight),
            Rule::ImportsBeside => 0.15,
        };
        candidate.evidence.iter().map(of).sum()
    }

    fn told(&self, path: String, candidate: Candidate) -> AffectedTests {
        let first =
            candidate.evidence.iter().min_by_key(|it| (!self.is_near(it), it.distance, it.rule));
        AffectedTests {
            path,
            reason: first.map_or(String::new(), |it| it.reason.clone()),
            distance: first.map_or(0, |it| it.distance),
            tests: candidate.tests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(all: &[(&str, Rule, u32, f64)]) -> Candidates {
        let mut found = Candidates::default();
        for (path, rule, distance, weight) in all {
            let reason = rule.as_str().to_owned();
            found.add(path, Evidence { rule: *rule, distance: *distance, weight: *weight, reason });
        }
        found
    }

    fn chosen(all: &[(&str, Rule, u32, f64)], n_tests: usize, reach: Reach) -> Vec<String> {
        choose(found(all), n_tests, reach).0.into_iter().map(|it| it.path).collect()
    }

    #[test]
    fn a_direct_tie_is_enough_and_the_rest_fills_up_by_rank() {
        let many: Vec<String> = (0..40).map(|at| format!("far{at:02}")).collect();
        let mut all = vec![
            ("near", Rule::Uses, 1, 95.0),
            ("type", Rule::UsesType, 1, 95.0),
            ("import", Rule::Imports, 1, 1.0),
        ];
        all.extend(many.iter().map(|path| (path.as_str(), Rule::Uses, 9, 95.0)));
        assert_eq!(chosen(&all, 60, Reach::Near), ["near"]);
        let usual = chosen(&all, 60, Reach::Usual);
        assert_eq!(usual.len(), 12, "a fifth of sixty");
        assert!(usual.contains(&"type".to_owned()) && usual.contains(&"import".to_owned()));
        assert_eq!(chosen(&all, 60, Reach::Wide).len(), 43);
    }

    #[test]
    fn a_name_of_every_test_tells_nothing() {
        let paths: Vec<String> = (0..50).map(|at| format!("t{at}")).collect();
        let all: Vec<(&str, Rule, u32, f64)> =
            paths.iter().map(|path| (path.as_str(), Rule::NamesSymbol, 1, 1.0 / 50.0)).collect();
        assert!(chosen(&all, 100, Reach::Near).is_empty());
        assert_eq!(chosen(&all[..2], 100, Reach::Near).len(), 0, "the weight says how many");
        let rare: Vec<_> = all[..2].iter().map(|it| (it.0, it.1, it.2, 0.5)).collect();
        assert_eq!(chosen(&rare, 100, Reach::Near).len(), 2);
    }

    #[test]
    fn files_that_more_speaks_for_come_first() {
        let all = [
            ("a", Rule::Uses, 1, 1.0),
            ("b", Rule::Uses, 1, 1.0),
            ("b", Rule::Namesake, 1, 1.0),
            ("c", Rule::Uses, 2, 1.0),
        ];
        assert_eq!(chosen(&all, 60, Reach::Near), ["b", "a", "c"]);
    }

    #[test]
    fn one_commit_of_many_tests_counts_less_than_several_of_few() {
        let often = ["o1", "o2", "o3", "o4", "o5"];
        let mut all: Vec<(&str, Rule, u32, f64)> =
            often.iter().map(|path| (*path, Rule::ChangedTogether, 2, 14.0)).collect();
        all.push(("few", Rule::ChangedTogether, 2, 3.0));
        let many: Vec<String> = (0..30).map(|at| format!("a{at:02}")).collect();
        for path in &many {
            all.push((path.as_str(), Rule::ChangedTogether, 2, 0.1));
            // Something else speaks for them, weakly.
            all.push((path.as_str(), Rule::UsesType, 2, 95.0));
        }
        assert!(!chosen(&all, 36, Reach::Near).contains(&"few".to_owned()));
        assert!(chosen(&all, 36, Reach::Usual).contains(&"few".to_owned()));
    }

    #[test]
    fn what_is_left_out_is_named() {
        let (files, farther) =
            choose(found(&[("a", Rule::Uses, 1, 1.0), ("b", Rule::Uses, 9, 1.0)]), 2, Reach::Near);
        assert_eq!(files[0].reason, "uses");
        assert_eq!(farther, ["b"]);
    }
}
