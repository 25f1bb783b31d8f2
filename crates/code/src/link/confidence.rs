//! How sure an edge is, by who knows it and what it rests on: the one table.
//!
//! Numbers are percent, and shares of right edges as measured against compilers
//! (docs/benchmarks.md; `cargo xtask eval code --truth DIR` prints them again). Of
//! several who know the same edge the surest counts, so a confirmation never lowers
//! it; the ladder of provenances only decides who is named.

use super::eval::doubt;
use model::code::{Provenance, WILDCARD_IMPORT};

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Written inside another definition.
    Containment,
    /// Scope or import alone.
    Scope,
    /// A type that somebody wrote.
    WrittenType,
    /// What an expression evidently is.
    InferredType,
    /// A fixture or the like being what it usually is.
    Custom,
    /// One of several possibilities, or an unknown base might interfere.
    Partial,
    /// Several targets, one was chosen.
    Split,
    /// An import of one thing.
    Import,
    /// An import of everything a module has.
    WildcardImport,
    /// A base or interface that is written in the declaration of a type.
    Declaration,
    /// A name in a contract or a configuration.
    Name,
    /// A rule of `CODEOWNERS`.
    Ownership,
}

/// A row: provenance, rule, percent.
pub const TABLE: &[(Provenance, Rule, u8)] = &[
    (Provenance::AstResolved, Rule::Containment, 100),
    (Provenance::AstInferred, Rule::Scope, 95),
    (Provenance::AstInferred, Rule::WrittenType, 90),
    (Provenance::AstInferred, Rule::InferredType, 85),
    (Provenance::AstInferred, Rule::Custom, 70),
    (Provenance::AstInferred, Rule::Partial, 60),
    (Provenance::AstInferred, Rule::Split, 50),
    (Provenance::AstInferred, Rule::Import, 95),
    (Provenance::AstInferred, Rule::WildcardImport, WILDCARD_IMPORT),
    (Provenance::AstInferred, Rule::Declaration, 95),
    (Provenance::ConfigDeclared, Rule::Name, 95),
    (Provenance::ConfigDeclared, Rule::Ownership, 100),
];

/// The percent of a rule; each has one row.
pub const fn of(rule: Rule) -> u8 {
    let mut at = 0;
    while at < TABLE.len() {
        if TABLE[at].1 as u8 == rule as u8 {
            return TABLE[at].2;
        }
        at += 1;
    }
    0
}

/// The percent of a conclusion from types and names.
pub fn of_doubt(level: u8) -> u8 {
    of(match level {
        doubt::NONE => Rule::Scope,
        doubt::WRITTEN => Rule::WrittenType,
        doubt::INFERRED => Rule::InferredType,
        doubt::CUSTOM => Rule::Custom,
        doubt::PARTIAL => Rule::Partial,
        _ => Rule::Split,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_row_and_only_what_is_certain_is_certain() {
        for (provenance, rule, percent) in TABLE {
            assert_eq!(TABLE.iter().filter(|row| row.1 == *rule).count(), 1, "{rule:?}");
            assert!(provenance.is_static(), "{rule:?}");
            assert_eq!(of(*rule), *percent);
            let is_written = matches!(rule, Rule::Containment | Rule::Ownership);
            assert_eq!(*percent == 100, is_written, "{rule:?}");
        }
    }

    #[test]
    fn more_doubt_is_never_surer() {
        let steps: Vec<u8> = (doubt::NONE..=doubt::SPLIT).map(of_doubt).collect();
        assert!(steps.windows(2).all(|pair| pair[0] > pair[1]), "{steps:?}");
    }
}
