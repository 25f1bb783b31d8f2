//! `lore owners`: whose a path is, by the repository's CODEOWNERS.

use super::scope::{Scope, Standing};
use model::Result;
use model::glob::Glob;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::code::owners::{self, OwnerRule};

/// The owners of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owners {
    pub standing: Standing,
    pub path: String,
    /// False when the commit has no CODEOWNERS file.
    pub has_rules: bool,
    pub owners: Vec<Owner>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owner {
    /// `@user`, `@group/team` or an address.
    pub owner: String,
    /// The section of the file the rule stands in; empty for none.
    pub section: String,
    pub pattern: String,
    /// Line of the rule.
    pub line: u32,
}

pub fn owners(reader: &Reader, scope: &Scope, path: &str) -> Result<Owners> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    Ok(Owners {
        standing: scope.standing(),
        path: path.to_owned(),
        has_rules: scope.snapshot.owners.is_some(),
        owners: owners_of(reader, scope, path)?,
    })
}

/// In each section the last rule that matches counts.
pub(crate) fn owners_of(reader: &Reader, scope: &Scope, path: &str) -> Result<Vec<Owner>> {
    let Some(blob) = &scope.snapshot.owners else { return Ok(Vec::new()) };
    let rules = owners::rules(reader, scope.repo.id, blob)?;
    Ok(matching(&rules, path))
}

fn matching(rules: &[OwnerRule], path: &str) -> Vec<Owner> {
    let mut sections: Vec<&str> = rules.iter().map(|rule| rule.section.as_str()).collect();
    sections.sort_unstable();
    sections.dedup();
    let mut found = Vec::new();
    for section in sections {
        let of_section = || rules.iter().filter(|rule| rule.section == section);
        let last = of_section().rfind(|rule| Glob::new(&rule.pattern).matches(path));
        let Some(last) = last else { continue };
        let same = of_section().filter(|rule| rule.line == last.line && !rule.owner.is_empty());
        found.extend(same.map(|rule| Owner {
            owner: rule.owner.clone(),
            section: rule.section.clone(),
            pattern: rule.pattern.clone(),
            line: rule.line,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_of_each_section_counts() {
        let rule = |line, pattern: &str, owner: &str, section: &str| OwnerRule {
            line,
            pattern: pattern.to_owned(),
            owner: owner.to_owned(),
            section: section.to_owned(),
        };
        let rules = [
            rule(1, "*", "@all", ""),
            rule(2, "/docs/", "@writers", ""),
            rule(3, "/docs/api.md", "", ""),
            rule(5, "*.md", "@a", "Texts"),
            rule(5, "*.md", "@b", "Texts"),
        ];
        let owners = |path: &str| -> Vec<String> {
            matching(&rules, path).into_iter().map(|owner| owner.owner).collect()
        };
        assert_eq!(owners("src/a.py"), ["@all"]);
        assert_eq!(owners("docs/x.txt"), ["@writers"]);
        assert_eq!(owners("docs/x.md"), ["@writers", "@a", "@b"]);
        assert_eq!(owners("docs/api.md"), ["@a", "@b"]);
    }
}
