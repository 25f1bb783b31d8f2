//! `CODEOWNERS`: whose a path is.
//!
//! The one reader of these files. In each section the last rule that matches
//! a path speaks for it.

use crate::glob::Glob;

/// Where GitLab looks, in this order, and after it GitHub; the first that
/// exists counts.
pub const PLACES: [&str; 4] =
    ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", ".github/CODEOWNERS"];

/// No team has so many rules; what comes after is not read.
pub const MAX_BYTES: usize = 1 << 20;
const MAX_RULES: usize = 10_000;
/// Owners of one rule.
const MAX_OWNERS: usize = 50;

/// One owner of one rule; empty where a rule says that nobody owns the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub line: u32,
    pub pattern: String,
    pub owner: String,
    pub section: String,
}

/// The rules of a file. A section of GitLab (`[Docs][2] @team`) names owners
/// for the rules in it that have none.
pub fn parse(text: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut section = String::new();
    let mut section_owners: Vec<String> = Vec::new();
    for (at, line) in text[..text.floor_char_boundary(MAX_BYTES)].lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if rules.len() >= MAX_RULES {
            break;
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
            rules.push(Rule {
                line: at as u32 + 1,
                pattern: pattern.clone(),
                owner,
                section: section.clone(),
            });
        }
    }
    rules
}

/// The rules of a file with their patterns read, to be asked for many paths.
pub struct RuleSet {
    /// By section; in each the lines that have a pattern, in the order of the file.
    sections: Vec<Vec<PatternLine>>,
}

struct PatternLine {
    pattern: Glob,
    /// One for each owner.
    rules: Vec<Rule>,
}

impl RuleSet {
    pub fn new(mut rules: Vec<Rule>) -> Self {
        // Stable: in a section the order of the file stays.
        rules.sort_by(|a, b| a.section.cmp(&b.section));
        let line = |rules: &[Rule]| PatternLine {
            pattern: Glob::new(&rules[0].pattern),
            rules: rules.to_vec(),
        };
        let lines =
            |section: &[Rule]| section.chunk_by(|a, b| a.line == b.line).map(line).collect();
        let sections = rules.chunk_by(|a, b| a.section == b.section).map(lines).collect();
        RuleSet { sections }
    }

    /// The rules that speak for a path, one for each owner; by section.
    pub fn matching<'r>(&'r self, path: &str) -> impl Iterator<Item = &'r Rule> {
        let last = move |lines: &'r Vec<PatternLine>| {
            lines.iter().rev().find(|it| it.pattern.matches(path))
        };
        let speaking = self.sections.iter().filter_map(last).flat_map(|line| &line.rules);
        speaking.filter(|rule| !rule.owner.is_empty())
    }
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
        .take(MAX_OWNERS)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    #[test]
    fn the_last_match_of_each_section_speaks() {
        let rules = RuleSet::new(parse(
            "* @all\n*.rs @rust\n/docs/ @writers\nsrc/store @dag @mirela\n\
             path\\ with\\ blanks.txt @odd\n/docs/api.md\n\n[Database][2] @dba\nmigrations/\n\
             [Security]\n/src/auth/** @sefa # who else\n",
        ));
        for (path, expected) in [
            ("README.md", "@all"),
            ("src/main.rs", "@rust"),
            ("docs/install.md", "@writers"),
            ("docs/api.md", ""),
            ("sub/docs/install.md", "@all"),
            ("src/store/mod.rs", "@dag @mirela"),
            ("path with blanks.txt", "@odd"),
            ("crates/x/migrations/0001.sql", "@all @dba"),
            ("src/auth/token.rs", "@rust @sefa"),
        ] {
            let owners: Vec<&str> = rules.matching(path).map(|rule| rule.owner.as_str()).collect();
            assert_eq!(owners.join(" "), expected, "{path}");
        }
    }

    #[test]
    fn a_file_without_end_is_read_up_to_a_limit() {
        let rules = parse(&"**/[a-*/**/x @a @b\n".repeat(300_000));
        assert!(rules.len() <= MAX_RULES + MAX_OWNERS);
        assert_eq!(RuleSet::new(rules).matching(&"a/".repeat(200)).count(), 0);
        assert_eq!(parse(&"\n".repeat(3 << 20)), []);
        let wide = parse(&format!("* {}", "@a ".repeat(300_000)));
        assert_eq!(wide.len(), MAX_OWNERS);
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "[\\[\\]*/a-c@# \\n\\\\^]{0,80}", path in "[a-c/.]{0,12}") {
            let _ = RuleSet::new(parse(&text)).matching(&path).count();
        }
    }
}
