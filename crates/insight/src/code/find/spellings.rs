//! In which forms a text is looked for.

/// Texts of which a line has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attempt {
    pub texts: Vec<String>,
    pub whole_words: bool,
    pub any_case: bool,
}

/// Shorter parts of a message stand in others, too.
const SHORTEST_PART: usize = 10;
/// Parts of a message that are tried.
const MOST_PARTS: usize = 3;

impl Attempt {
    fn of(texts: Vec<String>, whole_words: bool) -> Self {
        Attempt { texts, whole_words, any_case: false }
    }

    /// Where in a line one of the texts begins and ends.
    pub fn place_in(&self, line: &str) -> Option<(usize, usize)> {
        let found = |text: &String| {
            if self.any_case {
                return place_in_any_case(line, text);
            }
            let is_bounded = |at: usize| {
                let inside = |c: char| c.is_alphanumeric() || c == '_';
                !line[..at].ends_with(inside) && !line[at + text.len()..].starts_with(inside)
            };
            let (at, _) = line
                .match_indices(text.as_str())
                .find(|it| !self.whole_words || is_bounded(it.0))?;
            Some((at, at + text.len()))
        };
        self.texts.iter().filter_map(found).min()
    }

    /// The part of what was typed that was looked for, where it is not the whole.
    pub fn part_of(&self, typed: &str) -> Option<String> {
        let first = self.texts.first()?;
        (first != typed.trim_start_matches('-')).then(|| first.clone())
    }
}

/// Lower case may have another length in other scripts; there nothing is found.
fn place_in_any_case(line: &str, text: &str) -> Option<(usize, usize)> {
    let (lower, text) = (line.to_lowercase(), text.to_lowercase());
    let at = (lower.len() == line.len()).then(|| lower.find(&text)).flatten()?;
    let end = at + text.len();
    (line.is_char_boundary(at) && line.is_char_boundary(end)).then_some((at, end))
}

/// What to look for, the likeliest first.
pub(super) fn attempts(typed: &str) -> Vec<Attempt> {
    let bare = typed.trim_start_matches('-');
    let bare = if bare.is_empty() { typed } else { bare };
    let is_name = bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let mut all = vec![Attempt::of(spellings(bare, is_name), is_name)];
    if is_name {
        // Part of a longer name, as a prefix of environment variables.
        all.push(Attempt::of(vec![bare.to_owned()], false));
    } else if bare.starts_with('/') {
        // An address is put together from what it is mounted at and its own path.
        let mut rest = bare;
        while let Some(at) = rest[1..].find('/') {
            rest = &rest[at + 1..];
            all.push(Attempt::of(vec![rest.to_owned()], false));
        }
    } else if !bare.contains(char::is_whitespace)
        && let Some(last) = bare.rsplit(['.', '/', ':']).next().filter(|last| last.len() > 2)
    {
        // A path of settings ends in the name that code reads.
        all.push(Attempt::of(spellings(last, true), true));
    }
    all.push(Attempt { texts: vec![bare.to_owned()], whole_words: false, any_case: true });
    all.extend(parts(bare).into_iter().map(|part| Attempt::of(vec![part], false)));
    all
}

/// A name of several words as languages and their settings write it.
fn spellings(name: &str, is_name: bool) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let words = if is_name { words_of(name) } else { Vec::new() };
    if words.len() > 1 {
        let upper = |word: &String| -> String {
            let mut letters = word.chars();
            letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
        };
        let pascal: String = words.iter().map(upper).collect();
        let camel: String =
            words[..1].iter().cloned().chain(words[1..].iter().map(upper)).collect();
        let snake = words.join("_");
        all.extend([words.join("-"), snake.to_uppercase(), snake, camel, pascal]);
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|it| seen.insert(it.clone()));
    all
}

fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut was_lower = false;
    for c in name.chars() {
        if matches!(c, '-' | '_') {
            is_open = false;
            continue;
        }
        if !is_open || (c.is_uppercase() && was_lower) {
            words.push(String::new());
            is_open = true;
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// What of a message is no value: between quotation marks, numbers and brackets; the
/// longest first.
fn parts(message: &str) -> Vec<String> {
    let is_border = |c: char| c.is_numeric() || "'\"`{}[]()<>%$“”‘’".contains(c);
    let mut parts: Vec<String> = message
        .split(is_border)
        .flat_map(|part| part.split(": "))
        .map(|part| part.trim_matches([' ', '.', ',', ':', '!']).to_owned())
        .filter(|part| part.len() >= SHORTEST_PART && part.contains(' ') && part != message)
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.truncate(MOST_PARTS);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_as_languages_write_it() {
        let first = |typed: &str| attempts(typed).remove(0).texts;
        assert_eq!(
            first("--auto-save"),
            ["auto-save", "AUTO_SAVE", "auto_save", "autoSave", "AutoSave"]
        );
        assert_eq!(
            first("IdleTimeout"),
            ["IdleTimeout", "idle-timeout", "IDLE_TIMEOUT", "idle_timeout", "idleTimeout"]
        );
        assert_eq!(first("theme"), ["theme"]);
        assert_eq!(first("cannot open the file"), ["cannot open the file"]);
    }

    #[test]
    fn an_address_is_looked_for_by_its_end() {
        let all: Vec<String> =
            attempts("/api/v1/users").into_iter().map(|it| it.texts[0].clone()).collect();
        assert_eq!(all[..3], ["/api/v1/users", "/v1/users", "/users"]);
    }

    #[test]
    fn a_message_is_found_without_its_values() {
        let message = "Unsupported URL scheme 'foo': no handler is available for that scheme";
        assert_eq!(
            parts(message),
            ["no handler is available for that scheme", "Unsupported URL scheme"]
        );
        assert!(parts("short").is_empty());
    }

    #[test]
    fn a_place_is_a_whole_word_where_one_is_asked() {
        let attempt = attempts("retry").remove(0);
        assert_eq!(attempt.place_in("no_retry retry"), Some((9, 14)));
        assert_eq!(attempt.place_in("retrying"), None);
    }
}
