//! Names in the pattern of a search.

/// Shorter ones are variables of loops.
const SHORTEST: usize = 3;
const MOST: usize = 12;

/// Words that stand before a name, in any language.
const KEYWORDS: &[&str] = &[
    "abstract",
    "async",
    "await",
    "class",
    "const",
    "def",
    "enum",
    "export",
    "extends",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "impl",
    "implements",
    "import",
    "include",
    "interface",
    "let",
    "mod",
    "module",
    "mut",
    "namespace",
    "new",
    "package",
    "private",
    "protected",
    "public",
    "pub",
    "return",
    "require",
    "self",
    "static",
    "struct",
    "super",
    "this",
    "throw",
    "trait",
    "type",
    "typedef",
    "use",
    "using",
    "val",
    "var",
    "void",
    "where",
];

/// Identifiers of every alternative, in their order. An alternative of several words
/// is prose, and names nothing.
pub fn names(pattern: &str, is_fixed: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for alternative in alternatives(pattern, is_fixed) {
        let words = words_of(&alternative, is_fixed);
        let is_declaration = words.first().is_some_and(|word| KEYWORDS.contains(&word.as_str()));
        let named: Vec<String> = words
            .into_iter()
            .filter(|word| !KEYWORDS.contains(&word.as_str()) && is_name(word))
            .collect();
        let is_prose = named.len() > 1 && alternative.contains(' ') && !is_declaration;
        if is_prose || named.len() > 3 {
            continue;
        }
        for name in named {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found.truncate(MOST);
    found
}

fn is_name(word: &str) -> bool {
    let first = word.chars().next();
    word.chars().count() >= SHORTEST
        && first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && word.chars().any(char::is_alphabetic)
}

/// Cut at `|` and `\|`, groups included: `def (a|b)` has `def `, `a` and `b`.
fn alternatives(pattern: &str, is_fixed: bool) -> Vec<String> {
    if is_fixed {
        return vec![pattern.to_owned()];
    }
    let mut all = vec![String::new()];
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        let current = all.last_mut();
        match (c, rest.peek().copied()) {
            ('\\', Some('|')) => {
                rest.next();
                all.push(String::new());
            }
            ('\\', Some(next)) => {
                rest.next();
                if let Some(current) = current {
                    current.extend(['\\', next]);
                }
            }
            ('|', _) => all.push(String::new()),
            (c, _) => {
                if let Some(current) = current {
                    current.push(c);
                }
            }
        }
    }
    all
}

/// Runs of what names are made of; what a regular expression adds parts them.
fn words_of(alternative: &str, is_fixed: bool) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut rest = alternative.chars().peekable();
    let end = |words: &mut Vec<String>| {
        if words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
    };
    while let Some(c) = rest.next() {
        match c {
            '\\' if !is_fixed => match rest.next() {
                // An escaped dot joins as the dot does.
                Some('.') => push(&mut words, '.'),
                // A class such as \b or \s is no letter.
                _ => end(&mut words),
            },
            '[' if !is_fixed => {
                rest.by_ref().take_while(|c| *c != ']').for_each(drop);
                end(&mut words);
            }
            '.' if !is_fixed && matches!(rest.peek(), Some('*' | '+' | '?')) => end(&mut words),
            '?' | '*' if !is_fixed => {
                // The letter before it may not be there.
                if let Some(word) = words.last_mut() {
                    word.pop();
                }
                end(&mut words);
            }
            c if c.is_alphanumeric() || "_$.:".contains(c) => push(&mut words, c),
            _ => end(&mut words),
        }
    }
    let trimmed = words.iter().map(|word| word.trim_matches(['.', ':'])).map(str::to_owned);
    trimmed.filter(|word| !word.is_empty()).collect()
}

fn push(words: &mut [String], c: char) {
    if let Some(word) = words.last_mut() {
        word.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_expressions() {
        for (pattern, expected) in [
            ("a_b|c_d", vec!["a_b", "c_d"]),
            (r"def\s+(total|tax)\b", vec!["total", "tax"]),
            (r"Cart\.total\(", vec!["Cart.total"]),
            ("handle.*Request", vec!["handle", "Request"]),
            ("colou?r_of", vec!["colo", "r_of"]),
            ("[A-Z]+Error", vec!["Error"]),
            ("fix the bug", vec![]),
            ("class  Foo", vec!["Foo"]),
            (r"^\s*fn", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(names(pattern, false), expected, "{pattern}");
        }
        assert_eq!(names("a.b(c|d)", true), ["a.b"]);
    }
}
