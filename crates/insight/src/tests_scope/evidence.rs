//! What speaks for running a file of tests.

use model::vocabulary;
use std::collections::BTreeMap;

vocabulary! {
    /// Why a file of tests may notice a change.
    pub enum Rule {
        /// The file is part of the change.
        Changed = "changed",
        /// It lies below a changed file of fixtures.
        Fixtures = "fixtures",
        /// It leads to a changed symbol along calls, references, inheritance.
        Uses = "uses",
        /// It is called like a changed file.
        Namesake = "namesake",
        /// It leads to a type whose member changed.
        UsesType = "uses_type",
        /// The same, and nobody calls the member by its name.
        UsesDispatch = "uses_dispatch",
        /// It names a changed symbol.
        NamesSymbol = "names_symbol",
        /// It has a word that a changed symbol is called by, and that may mean anything.
        NamesWord = "names_word",
        /// It names a changed file.
        NamesFile = "names_file",
        /// It reads data that is called like a changed file.
        ReadsData = "reads_data",
        Imports = "imports",
        /// It imports something that lies beside a changed file.
        ImportsBeside = "imports_beside",
        /// Commits changed it together with a changed file.
        ChangedTogether = "changed_together",
    }
}

/// One thing that speaks for one file of tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub rule: Rule,
    /// Steps from the change; 0 when the file itself changed.
    pub distance: u32,
    /// How much it tells, in the unit of its rule.
    pub weight: f64,
    pub reason: String,
}

/// All that speaks for a file, and the tests in it that were reached.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    pub evidence: Vec<Evidence>,
    pub tests: Vec<String>,
}

/// Files of tests by path.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    pub files: BTreeMap<String, Candidate>,
}

impl Candidates {
    /// Whether evidence would stay if it were added: what it says can be costly to find out.
    pub fn wants(&self, path: &str, rule: Rule, distance: u32, weight: f64) -> bool {
        let known = self
            .files
            .get(path)
            .and_then(|candidate| candidate.evidence.iter().find(|known| known.rule == rule));
        known.is_none_or(|known| (distance, -weight) < (known.distance, -known.weight))
    }

    /// The nearest evidence of each rule stays.
    pub fn add(&mut self, path: &str, evidence: Evidence) {
        let candidate = self.files.entry(path.to_owned()).or_default();
        match candidate.evidence.iter_mut().find(|known| known.rule == evidence.rule) {
            None => candidate.evidence.push(evidence),
            Some(known) => {
                let is_nearer =
                    (evidence.distance, -evidence.weight) < (known.distance, -known.weight);
                if is_nearer {
                    *known = evidence;
                }
            }
        }
    }

    pub fn add_test(&mut self, path: &str, test: &str) {
        if let Some(candidate) = self.files.get_mut(path)
            && !candidate.tests.iter().any(|known| known == test)
        {
            candidate.tests.push(test.to_owned());
        }
    }
}
