//! What a question asks for, by the words people use, and what it is about.
//!
//! Two things are read: the subjects (references, paths, lines, names of code)
//! and the intent (the words around them). A word counts as a name only where
//! the index knows it or where it is written as code, so that `open` in a
//! sentence stays a word.

use super::phrases::PHRASES;
use model::reference::Reference;
use search::query::is_stop_word;

/// The command that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    Show,
    Why,
    Symbol,
    Callers,
    Callees,
    Overrides,
    Subtypes,
    Outline,
    Impact,
    Flow,
    Routes,
    Owners,
    Experts,
    Timeline,
    FileHistory,
    Context,
    Search,
}

impl Intent {
    pub const fn as_str(self) -> &'static str {
        match self {
            Intent::Show => "show",
            Intent::Why => "why",
            Intent::Symbol => "symbol",
            Intent::Callers => "callers",
            Intent::Callees => "callees",
            Intent::Overrides => "overrides",
            Intent::Subtypes => "subtypes",
            Intent::Outline => "outline",
            Intent::Impact => "impact",
            Intent::Flow => "flow",
            Intent::Routes => "routes",
            Intent::Owners => "owners",
            Intent::Experts => "experts",
            Intent::Timeline => "timeline",
            Intent::FileHistory => "file_history",
            Intent::Context => "context",
            Intent::Search => "search",
        }
    }
}

/// What to ask, and about what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub intent: Intent,
    pub subject: String,
    /// Where a path ends, for [`Intent::Flow`].
    pub to: Option<String>,
    /// What else the question says, for [`Intent::Why`].
    pub about: Option<String>,
}

impl Route {
    /// Searches the texts for the words of a question.
    pub fn search(question: &str) -> Self {
        plain(Intent::Search, question)
    }
}

/// What the index knows by name.
pub trait VocabularyLookup {
    /// Whether code is indexed at all; without it, texts are searched.
    fn has_code(&self) -> bool;

    fn is_symbol(&self, name: &str) -> bool;

    /// From the root of the repository.
    fn is_file(&self, path: &str) -> bool;
}

/// Something a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    Reference(String),
    Line(String),
    File(String),
    Symbol(String),
}

impl Subject {
    fn text(&self) -> &str {
        match self {
            Subject::Reference(text)
            | Subject::Line(text)
            | Subject::File(text)
            | Subject::Symbol(text) => text,
        }
    }
}

/// Longer questions are tasks or logs, and read as such.
const MOST_WORDS: usize = 40;

/// Never fails: what is not understood is searched for.
pub fn route(question: &str, known: &dyn VocabularyLookup) -> Route {
    let question = question.trim();
    let whole = question.trim_end_matches(['?', '!', '.']).trim();
    let words: Vec<&str> = whole.split_whitespace().take(MOST_WORDS + 1).collect();
    let code = if known.has_code() { Intent::Context } else { Intent::Search };
    if words.len() > MOST_WORDS || question.contains('\n') {
        return plain(code, question);
    }
    let subjects = subjects(question, known);
    if let ([_], [only]) = (words.as_slice(), subjects.as_slice()) {
        return alone(only);
    }
    let lower = words.join(" ").to_lowercase();
    let intent = PHRASES.iter().find(|(_, phrases)| phrases.iter().any(|it| is_said(&lower, it)));
    match intent {
        Some((Intent::Context, _)) => plain(code, question),
        // "where is the retry limit set", "where is the TLS timeout set": not one name,
        // but code is meant.
        Some((Intent::Symbol, _)) if subjects.is_empty() || says_more(whole, &subjects) => {
            plain(code, question)
        }
        Some((intent, _)) => meant(*intent, question, &subjects),
        None => match subjects.as_slice() {
            [only @ Subject::Reference(_)] => alone(only),
            [only] if words.len() <= 3 => alone(only),
            _ => plain(Intent::Search, question),
        },
    }
}

/// Words that ask for a definition and name nothing.
const OF_DEFINITIONS: &[&str] = &[
    "class",
    "code",
    "declared",
    "defined",
    "definition",
    "enum",
    "file",
    "find",
    "function",
    "implemented",
    "interface",
    "located",
    "method",
    "module",
    "signature",
    "source",
    "struct",
    "symbol",
    "type",
];

/// Whether a question says more than one name and that its definition is wanted.
fn says_more(question: &str, subjects: &[Subject]) -> bool {
    let is_named = |word: &str| subjects.iter().any(|it| it.text().contains(word));
    let own = question
        .split(|c: char| !c.is_alphanumeric() && !"_.:#/-".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty() && !is_named(word) && !is_stop_word(word))
        .filter(|word| !OF_DEFINITIONS.contains(&word.to_lowercase().as_str()));
    own.count() >= 2
}

fn is_said(question: &str, phrase: &str) -> bool {
    let padded = format!("{question} ");
    match phrase.strip_prefix('^') {
        Some(start) => {
            let rest = padded.strip_prefix(start);
            rest.is_some_and(|rest| start.ends_with(' ') || !starts_inside_word(rest))
        }
        None => padded.match_indices(phrase).any(|(at, _)| {
            let before = padded[..at].chars().next_back();
            let is_start = phrase.starts_with(' ') || !before.is_some_and(char::is_alphanumeric);
            let after = &padded[at + phrase.len()..];
            is_start && (phrase.ends_with(' ') || !starts_inside_word(after))
        }),
    }
}

fn starts_inside_word(rest: &str) -> bool {
    rest.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// What an intent means for these subjects; without a fitting one it is a search.
fn meant(intent: Intent, question: &str, subjects: &[Subject]) -> Route {
    let code = subjects.iter().find(|it| matches!(it, Subject::Symbol(_)));
    let file = subjects.iter().find(|it| matches!(it, Subject::File(_) | Subject::Line(_)));
    let reference = subjects.iter().find(|it| matches!(it, Subject::Reference(_)));
    let of = |intent, subject: &Subject| plain(intent, subject.text());
    match intent {
        Intent::Flow => {
            let mut symbols = subjects.iter().filter(|it| matches!(it, Subject::Symbol(_)));
            match (symbols.next(), symbols.next()) {
                (Some(from), Some(to)) => {
                    Route { to: Some(to.text().to_owned()), ..of(Intent::Flow, from) }
                }
                (Some(only), None) => of(Intent::Callers, only),
                _ => plain(Intent::Search, question),
            }
        }
        Intent::Outline => match file.or(code) {
            Some(file @ Subject::File(_)) => of(Intent::Outline, file),
            Some(line @ Subject::Line(_)) => {
                plain(Intent::Outline, line.text().split(':').next().unwrap_or_default())
            }
            Some(symbol) => of(Intent::Symbol, symbol),
            None => plain(Intent::Search, question),
        },
        Intent::Callers
        | Intent::Callees
        | Intent::Overrides
        | Intent::Subtypes
        | Intent::Symbol => match code {
            Some(symbol) => of(intent, symbol),
            None => reference.map_or_else(|| plain(Intent::Search, question), alone),
        },
        Intent::Impact => match code.or(file) {
            Some(target) => of(Intent::Impact, target),
            None => plain(Intent::Context, question),
        },
        Intent::Owners => match file {
            Some(file) => of(Intent::Owners, file),
            None => plain(Intent::Experts, about(question)),
        },
        Intent::Experts => match file {
            Some(file) => of(Intent::Experts, file),
            None => plain(Intent::Experts, code.map_or(about(question), Subject::text)),
        },
        Intent::Why => match subjects.iter().find(|it| matches!(it, Subject::Line(_))) {
            Some(line) => of(Intent::Why, line),
            None => match reference.or(code).or(file) {
                Some(target @ Subject::Symbol(name)) => {
                    Route { about: beside(question, name), ..of(Intent::Why, target) }
                }
                Some(target) => of(Intent::Why, target),
                None => plain(Intent::Search, question),
            },
        },
        Intent::Timeline => match (reference, file) {
            (Some(reference), _) => of(Intent::Timeline, reference),
            (None, Some(file)) => {
                plain(Intent::FileHistory, file.text().split(':').next().unwrap_or_default())
            }
            (None, None) => plain(Intent::Timeline, about(question)),
        },
        other => plain(other, question),
    }
}

/// A subject with nothing said of it.
fn alone(subject: &Subject) -> Route {
    let intent = match subject {
        Subject::Reference(_) => Intent::Show,
        Subject::Line(_) | Subject::File(_) => Intent::Why,
        Subject::Symbol(_) => Intent::Symbol,
    };
    plain(intent, subject.text())
}

fn plain(intent: Intent, subject: &str) -> Route {
    Route { intent, subject: subject.to_owned(), to: None, about: None }
}

/// What a question says beside the name in it.
fn beside(question: &str, name: &str) -> Option<String> {
    let (before, after) = question.split_once(name)?;
    Some(format!("{before} {after}").split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `what happened with the login page?` is about `the login page`.
fn about(question: &str) -> &str {
    const MARKS: &[&str] =
        &[" about ", " with ", " of ", " on ", " for ", " to ", " knows ", " wrote ", " owns "];
    let question = question.trim_end_matches(['?', '.']).trim();
    let lower = question.to_lowercase();
    // Lower case may have another length in other scripts; then it stays whole.
    if lower.len() != question.len() {
        return question;
    }
    let end = MARKS.iter().filter_map(|mark| lower.find(mark).map(|at| at + mark.len())).min();
    match end.and_then(|end| question.get(end..)).map(str::trim) {
        Some(rest) if !rest.is_empty() => rest.strip_prefix("about ").unwrap_or(rest),
        _ => question,
    }
}

/// What the question names, in its order.
fn subjects(question: &str, known: &dyn VocabularyLookup) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    let mut add = |subject: Subject| {
        if !found.contains(&subject) {
            found.push(subject);
        }
    };
    for word in question.split_whitespace() {
        let is_marked = word.contains('`');
        let word = word.trim_matches(['`', '"', '\'', ',', ';', '?', '(', '[', '<', '>', ']']);
        let word = word.trim_end_matches(['.', ':', '!']);
        // `run()` keeps its name only.
        let name = word.trim_end_matches(')').trim_end_matches('(');
        if word.is_empty() {
            continue;
        }
        if let Some(subject) = subject(word, name, is_marked, known) {
            add(subject);
        }
    }
    found
}

fn subject(
    word: &str,
    name: &str,
    is_marked: bool,
    known: &dyn VocabularyLookup,
) -> Option<Subject> {
    if is_reference(word) {
        return Some(Subject::Reference(word.to_owned()));
    }
    if let Some((path, line)) = word.rsplit_once(':')
        && !path.is_empty()
        && !path.ends_with(':')
        && line.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        && (known.is_file(path) || path.contains('.'))
    {
        return Some(Subject::Line(word.to_owned()));
    }
    if known.is_file(word) {
        return Some(Subject::File(word.to_owned()));
    }
    let is_code = is_marked || name != word || looks_like_code(name);
    (is_code && known.is_symbol(name)).then(|| Subject::Symbol(name.to_owned()))
}

/// An issue, a merge request, a record, a commit or an address of one.
fn is_reference(word: &str) -> bool {
    let is_record = model::memory::RecordKind::ALL.iter().any(|kind| {
        word.strip_prefix(kind.prefix()).is_some_and(|rest| !rest.is_empty() && rest.is_ascii())
    });
    let is_commit = (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit());
    // Many a word looks like an abbreviated hash; one needs a digit to count.
    is_record || is_commit || matches!(Reference::parse(word), Ok(Reference::Entity(_)))
}

/// Written as no word of a sentence is: a case change inside, an underscore, a
/// dot between letters, or two colons.
fn looks_like_code(name: &str) -> bool {
    let inner_dot =
        name.split_once('.').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty());
    let has_upper_inside = name.chars().skip(1).any(char::is_uppercase);
    let is_capitalised = name.chars().next().is_some_and(char::is_uppercase);
    name.contains('_') || name.contains("::") || inner_dot || has_upper_inside || is_capitalised
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project;

    impl VocabularyLookup for Project {
        fn has_code(&self) -> bool {
            true
        }

        fn is_symbol(&self, name: &str) -> bool {
            ["Flask.run", "run", "QuerySet", "slugify", "get_queryset", "Model.save", "open", "Why"]
                .contains(&name)
        }

        fn is_file(&self, path: &str) -> bool {
            path == "src/flask/app.py"
        }
    }

    fn routed(question: &str) -> (Intent, String) {
        let route = route(question, &Project);
        (route.intent, route.subject)
    }

    #[test]
    fn a_name_alone_is_looked_up() {
        for (question, intent) in [
            ("#12", Intent::Show),
            ("group/app!34", Intent::Show),
            ("dec-4k2p9xqa", Intent::Show),
            ("ab5a9171", Intent::Show),
            ("Flask.run", Intent::Symbol),
            ("get_queryset", Intent::Symbol),
            ("src/flask/app.py:120", Intent::Why),
            ("src/flask/app.py", Intent::Why),
        ] {
            assert_eq!(routed(question), (intent, question.to_owned()));
        }
    }

    #[test]
    fn a_question_is_answered_by_the_command_for_it() {
        for (question, intent, subject) in [
            ("who calls Flask.run?", Intent::Callers, "Flask.run"),
            ("where is `slugify` used", Intent::Callers, "slugify"),
            ("what breaks if I change get_queryset()?", Intent::Impact, "get_queryset"),
            ("is it safe to remove QuerySet", Intent::Impact, "QuerySet"),
            ("where is QuerySet defined?", Intent::Symbol, "QuerySet"),
            (
                "how does the session cookie get signed?",
                Intent::Context,
                "how does the session cookie get signed?",
            ),
            ("where is the retry limit set", Intent::Context, "where is the retry limit set"),
            (
                "where is the `QuerySet` row limit set",
                Intent::Context,
                "where is the `QuerySet` row limit set",
            ),
            ("find the function `slugify`", Intent::Symbol, "slugify"),
            ("why does Flask.run block?", Intent::Why, "Flask.run"),
            ("why is src/flask/app.py:120 so", Intent::Why, "src/flask/app.py:120"),
            ("why was !570 merged", Intent::Why, "!570"),
            ("who knows about the session cookie?", Intent::Experts, "the session cookie"),
            ("who should review src/flask/app.py", Intent::Experts, "src/flask/app.py"),
            ("what happened with dark mode?", Intent::Timeline, "dark mode"),
            ("history of src/flask/app.py", Intent::FileHistory, "src/flask/app.py"),
        ] {
            assert_eq!(routed(question), (intent, subject.to_owned()), "{question}");
        }
        let why = route("why does Flask.run block for reloads?", &Project);
        assert_eq!(why.about.as_deref(), Some("why does block for reloads?"));
        let flow = route("how does Model.save reach QuerySet", &Project);
        assert_eq!((flow.intent, flow.to.as_deref()), (Intent::Flow, Some("QuerySet")));
    }

    #[test]
    fn a_task_is_given_what_to_read() {
        for question in [
            "fix the retry loop when the server answers 503",
            "how do I add a new config option?",
            "which files handle uploads",
        ] {
            assert_eq!(routed(question), (Intent::Context, question.to_owned()));
        }
        let log = "Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: x";
        assert_eq!(routed(log).0, Intent::Context);
    }

    #[test]
    fn what_is_not_understood_is_searched_for() {
        for question in [
            "why did we drop libgmp",
            "open questions about tokens",
            "who calls nobody_knows_this",
            "",
            "???",
        ] {
            assert_eq!(
                routed(question),
                (Intent::Search, question.trim().to_owned()),
                "{question}"
            );
        }
    }
}
