//! What people type for a symbol, taken apart.
//!
//! `run`, `Flask.run`, `Flask::run`, `(*Mux).Use`, `repo://src/app.Flask.run`,
//! `Gson.toJson(Object)`, `toJson#2`, `src/app.py:120`, `src/app.py:run`: all of them are addresses,
//! and every name that an answer prints is one.

use model::resolver::{Fit, fit};

/// What parts the segments of a name, in any language.
pub(super) const JOINTS: &[char] = &['.', '/', ':', '#', '\\'];

/// More segments than this at the end of a name tell nothing more.
const MOST_TAILS: usize = 12;

/// A symbol as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// The name without repository, parameters and number.
    pub name: String,
    /// The repository in front of `://`.
    pub repo: Option<String>,
    /// What stands in the parentheses at the end.
    pub parameters: Option<String>,
    /// `#2`: the second of the candidates.
    pub nth: Option<usize>,
    /// `path:12`, the path and the line.
    pub line: Option<(String, u32)>,
}

impl Address {
    pub fn parse(typed: &str) -> Self {
        let typed = typed.trim();
        let line = line_of(typed);
        let (repo, local) = match typed.split_once("://") {
            Some((repo, local)) if !repo.contains(' ') => (Some(repo.to_owned()), local),
            _ => (None, typed),
        };
        let (local, nth) = match local.rsplit_once('#') {
            Some((name, number)) if !name.is_empty() && is_number(number) => {
                (name, number.parse().ok().filter(|nth| *nth > 0))
            }
            _ => (local, None),
        };
        let (local, parameters) = with_parameters(local);
        // `(*Mux).Use` is how Go writes a method of a pointer.
        let name = match local.strip_prefix('(').and_then(|rest| rest.split_once(").")) {
            Some((receiver, rest)) => format!("{}.{rest}", receiver.trim_start_matches(['*', '&'])),
            None => local.to_owned(),
        };
        Address { name, repo, parameters, nth, line }
    }

    /// Every end of the name that may be the name of a symbol by itself: names of
    /// routes and resources hold joints.
    pub fn tails(&self) -> Vec<&str> {
        let joints = self.name.char_indices().filter(|(_, c)| JOINTS.contains(c));
        let mut starts: Vec<usize> = joints.map(|(at, c)| at + c.len_utf8()).collect();
        starts.push(0);
        starts.sort_unstable();
        let tails = starts.iter().rev().map(|start| &self.name[*start..]);
        tails.filter(|tail| !tail.is_empty()).take(MOST_TAILS).collect()
    }

    /// How it fits a symbol of a package.
    pub fn fit(&self, package: &str, symbol: &str) -> Option<Fit> {
        let whole = [package, symbol].join("/");
        match fit(&self.name, &whole, JOINTS)? {
            // What stands after a repository is the whole name.
            found @ (Fit::Suffix | Fit::SuffixIgnoringCase | Fit::IgnoringCase) => {
                self.repo.is_none().then_some(found)
            }
            Fit::Exact => Some(Fit::Exact),
        }
    }

    /// Whether a signature has the parameters that were typed: each by its type, its
    /// name, or both.
    pub fn fits_signature(&self, name: &str, signature: &str) -> bool {
        let Some(typed) = &self.parameters else { return true };
        let Some(has) = parameters_of(name, signature) else { return typed.trim().is_empty() };
        let (typed, has) = (split_parameters(typed), split_parameters(has));
        typed.len() == has.len()
            && typed.iter().zip(&has).all(|(typed, has)| is_subsequence(typed, has))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `src/app.py:12`, also with a column or as a range of lines.
fn line_of(typed: &str) -> Option<(String, u32)> {
    let (path, rest) = typed.split_once(':').filter(|(path, _)| !path.is_empty())?;
    let first = rest.split([':', '-']).next().filter(|first| is_number(first))?;
    let is_rest = rest.split([':', '-']).count() <= 2 && rest.split([':', '-']).all(is_number);
    let path = path.trim_start_matches("./").to_owned();
    is_rest.then(|| first.parse().ok().map(|line| (path, line))).flatten()
}

/// A name and the parameters after it.
fn with_parameters(typed: &str) -> (&str, Option<String>) {
    let Some(inner) = typed.strip_suffix(')') else { return (typed, None) };
    let mut depth = 1;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let name = inner[..at].trim_end();
            if name.is_empty() {
                return (typed, None);
            }
            return (name, Some(inner[at + 1..].to_owned()));
        }
    }
    (typed, None)
}

/// The parameter list behind a name in its signature: `Object src, Type of`.
pub(super) fn parameters_of<'s>(name: &str, signature: &'s str) -> Option<&'s str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    for (at, _) in signature.match_indices(name) {
        if signature[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        let rest = signature[at + name.len()..].trim_start();
        let is_generic = rest.starts_with(['<', '[']);
        let rest = if is_generic { &rest[closing(rest)? + 1..] } else { rest };
        let rest = rest.trim_start();
        if rest.starts_with('(') {
            return Some(&rest[1..closing(rest)?]);
        }
    }
    None
}

/// Where the bracket a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        before = c;
    }
    None
}

/// Each parameter as its words.
fn split_parameters(list: &str) -> Vec<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    let words = |part: &&str| !part.trim().is_empty();
    let is_joint = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
    parts
        .iter()
        .filter(|part| words(part))
        .map(|part| part.split(is_joint).filter(|word| !word.is_empty()).collect())
        .collect()
}

/// Whether the words of one stand in the other, in their order.
fn is_subsequence(wanted: &[&str], has: &[&str]) -> bool {
    let mut has = has.iter();
    wanted.iter().all(|word| has.any(|other| other == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let name = |typed: &str| Address::parse(typed).name;
        assert_eq!(name("(*Mux).Use"), "Mux.Use");
        assert_eq!(name("host/a/b://src/app.Flask.run"), "src/app.Flask.run");
        let one = Address::parse("Gson.toJson(Object, Map<String, Type>)#2");
        assert_eq!(one.name, "Gson.toJson");
        assert_eq!(one.parameters.as_deref(), Some("Object, Map<String, Type>"));
        assert_eq!(one.nth, Some(2));
        assert_eq!(Address::parse("src/a.py:12").line, Some(("src/a.py".to_owned(), 12)));
        assert_eq!(Address::parse("./a.py:12:7").line, Some(("a.py".to_owned(), 12)));
        assert_eq!(Address::parse("a.py:12-40").line, Some(("a.py".to_owned(), 12)));
        assert_eq!(Address::parse("a::b").line, None);
        assert_eq!(Address::parse("GET /users/:id").line, None);
        assert_eq!(Address::parse("Foo#bar").nth, None);
    }

    #[test]
    fn parameters_fit_by_type_by_name_or_both() {
        let java = "public <T> String toJson(Object src, Map<String, Type> types)";
        let fits = |typed: &str| Address::parse(typed).fits_signature("toJson", java);
        assert!(fits("toJson(Object, Map)"));
        assert!(fits("toJson(src, types)"));
        assert!(fits("toJson(Object src, Map<String, Type> types)"));
        assert!(fits("toJson"));
        assert!(!fits("toJson(Object)"));
        assert!(!fits("toJson()"));
        assert!(!fits("toJson(Type, Object)"));
        let rust = "pub fn map<F: Fn(u8) -> u8>(self, f: F) -> Self";
        assert!(Address::parse("map(self, f)").fits_signature("map", rust));
        assert!(Address::parse("class()").fits_signature("Class", "class Class"));
    }

    #[test]
    fn tails_are_every_end_of_a_name() {
        let address = Address::parse("src/app.GET /users");
        assert_eq!(
            address.tails(),
            ["users", "GET /users", "app.GET /users", "src/app.GET /users"]
        );
    }
}
