//! `CODEOWNERS`: whose a path is.
//!
//! Read from the commit that is indexed; the rules are kept by the content of
//! the file, so that snapshots share them. Which rule speaks for a path is
//! decided when asked.

use model::Result;
use model::ids::RepoId;
use store::Tx;
use store::code::owners::{self, OwnerRule};

/// Keeps the rules of a file, once.
pub fn store(tx: &Tx<'_>, repo: RepoId, blob: &[u8], text: &str) -> Result<()> {
    owners::keep(tx, repo, blob, &parse(text))
}

/// The rules of a file. A section of GitLab (`[Docs][2] @team`) names owners
/// for the rules in it that have none.
fn parse(text: &str) -> Vec<OwnerRule> {
    let mut rules = Vec::new();
    let mut section = String::new();
    let mut section_owners: Vec<String> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((name, rest)) = section_head(line) {
            section = name;
            section_owners = owners_in(rest);
            continue;
        }
        let (pattern, rest) = first_word(line);
        let mut owners = owners_in(rest);
        if owners.is_empty() {
            owners.clone_from(&section_owners);
        }
        // A rule without owners takes those of earlier rules away.
        if owners.is_empty() {
            owners.push(String::new());
        }
        for owner in owners {
            rules.push(OwnerRule {
                line: at as u32 + 1,
                pattern: pattern.clone(),
                owner,
                section: section.clone(),
            });
        }
    }
    rules
}

/// `[Docs]`, `^[Docs][2] @team`: the name, and what follows.
fn section_head(line: &str) -> Option<(String, &str)> {
    let inside = line.strip_prefix('^').unwrap_or(line).strip_prefix('[')?;
    let (name, rest) = inside.split_once(']')?;
    let rest = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) => rest,
        None => rest,
    };
    // `[a-z]*.rs @x` is a pattern, not a section.
    (rest.is_empty() || rest.starts_with(' ')).then(|| (name.to_owned(), rest))
}

/// The pattern, blanks in it escaped by `\`.
fn first_word(line: &str) -> (String, &str) {
    let mut word = String::new();
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if line[at + 1..].starts_with(' ') => {
                word.push(' ');
                chars.next();
            }
            c if c.is_whitespace() => return (word, &line[at..]),
            c => word.push(c),
        }
    }
    (word, "")
}

fn owners_in(text: &str) -> Vec<String> {
    text.split_whitespace()
        .take_while(|word| !word.starts_with('#'))
        .filter(|word| word.contains('@'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_sections_and_oddities() {
        let text = "\
# who
*  @ada
docs/ @docs-team bo@example.com # words
/my\\ file @ada
[Database][2] @db
*.sql
^[Optional]
[a-z]*.rs @crab
nobody/
";
        let shown: Vec<String> = parse(text)
            .iter()
            .map(|r| format!("{} {} {} [{}]", r.line, r.pattern, r.owner, r.section))
            .collect();
        assert_eq!(
            shown,
            [
                "2 * @ada []",
                "3 docs/ @docs-team []",
                "3 docs/ bo@example.com []",
                "4 /my file @ada []",
                "6 *.sql @db [Database]",
                "8 [a-z]*.rs @crab [Optional]",
                "9 nobody/  [Optional]",
            ]
        );
    }
}
