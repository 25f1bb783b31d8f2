//! What a question asks for, by the words people use, and what it is about.
//!
//! Two things are read: the intent (the words people ask with) and the subjects
//! (see `subjects`).

use super::phrases::{OF_ORIGIN, PHRASES};
use super::subjects::{
    Subject, VocabularyLookup, ends_of_path, has_code_inside, join_members, subjects,
};
use super::texts;
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
    Tests,
    Flow,
    Routes,
    Owners,
    Experts,
    Timeline,
    /// Of a symbol.
    History,
    FileHistory,
    Context,
    /// Where a text stands in the files.
    Text,
    Search,
    /// A search for what was decided.
    Decided,
    /// A search for when something came to be.
    Origin,
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
            Intent::Tests => "tests",
            Intent::Flow => "flow",
            Intent::Routes => "routes",
            Intent::Owners => "owners",
            Intent::Experts => "experts",
            Intent::Timeline => "timeline",
            Intent::History => "history",
            Intent::FileHistory => "file_history",
            Intent::Context => "context",
            Intent::Text => "find",
            Intent::Search | Intent::Decided | Intent::Origin => "search",
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
    /// Whether words may find what the name did not: a name that is written as code
    /// stands for nothing else, and what is near to it says more than texts.
    pub fn may_be_searched(&self) -> bool {
        let is_code = |name: &str| has_code_inside(name) && !name.contains(' ');
        let names = std::iter::once(self.subject.as_str()).chain(self.to.as_deref());
        let is_search = matches!(self.intent, Intent::Search | Intent::Decided | Intent::Origin);
        !is_search && !names.into_iter().any(is_code)
    }

    /// Where files may say a name that no symbol has.
    pub fn as_text(&self) -> Option<Self> {
        let is_of_symbols = matches!(
            self.intent,
            Intent::Symbol
                | Intent::Callers
                | Intent::Callees
                | Intent::Overrides
                | Intent::Subtypes
                | Intent::Outline
                | Intent::Impact
                | Intent::Tests
                | Intent::History
        );
        let is_code = has_code_inside(&self.subject) && !self.subject.contains(' ');
        (is_of_symbols && is_code).then(|| plain(Intent::Text, &self.subject))
    }

    /// Where a repository has no record of an issue or merge request, commits may name it.
    pub fn as_mention(&self) -> Option<Self> {
        let is_number = self.subject.starts_with(['#', '!'])
            && self.subject[1..].bytes().all(|byte| byte.is_ascii_digit());
        let asks = matches!(self.intent, Intent::Show | Intent::Why | Intent::Timeline);
        (asks && is_number).then(|| plain(Intent::Search, &self.subject))
    }

    /// Searches the texts for the words of a question.
    pub fn search(question: &str) -> Self {
        plain(Intent::Search, question)
    }
}

/// Words between the parts of a phrase.
const MOST_BETWEEN: usize = 4;
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
    let joined = words.join(" ");
    let said = said(&joined);
    let of_text = texts::asked(whole, said.as_ref().map(|it| it.intent), known);
    if let Some((intent, text)) = of_text.filter(|_| words.len() > 1) {
        return plain(intent, &text);
    }
    let announced = said.as_ref().and_then(|said| said.announced.as_deref());
    let mut subjects = subjects(question, announced, known);
    // A path has two ends, which may well be a type and its member.
    if said.as_ref().is_none_or(|said| said.intent != Intent::Flow) {
        join_members(&mut subjects, question, known);
    }
    if let ([_], [only]) = (words.as_slice(), subjects.as_slice()) {
        return alone(only);
    }
    let asks_for_origin = said.as_ref().is_some_and(|said| said.asks_for_origin);
    let used = used_somewhere(&words, &subjects);
    match said.map(|said| said.intent) {
        Some(Intent::Context) => plain(code, question),
        // Where something is run, raised or registered: where it is used.
        Some(Intent::Symbol) if used.is_some() => plain(Intent::Callers, used.unwrap_or_default()),
        // "where is the retry limit set", "where is the TLS timeout set": not one name,
        // but code is meant.
        Some(Intent::Symbol) if subjects.is_empty() || says_more(whole, &subjects) => {
            plain(code, question)
        }
        Some(Intent::History) if asks_for_origin && subjects.is_empty() => {
            // Commits that say it, oldest first: nothing is named whose history could be told.
            origin_of(&joined)
        }
        Some(Intent::Flow) => {
            path_of(question, &subjects, known).unwrap_or_else(|| plain(code, question))
        }
        // A method has no subtypes; what implements it overrides it.
        Some(Intent::Subtypes) if matches!(subjects.as_slice(), [Subject::Symbol(name)] if known.is_method(name)) => {
            meant(Intent::Overrides, question, &subjects)
        }
        // A folder has no lines; what is said of it may stand anywhere.
        Some(Intent::Why) if matches!(subjects.as_slice(), [Subject::Path(it)] if !known.is_file(it)) => {
            plain(Intent::Search, question)
        }
        Some(intent) => meant(intent, question, &subjects),
        None => match subjects.as_slice() {
            [only @ Subject::Reference(_)] => alone(only),
            [only] if words.len() <= 3 => alone(only),
            _ => plain(Intent::Search, question),
        },
    }
}

/// What a question asks for.
struct AskedIntent {
    intent: Intent,
    /// What follows the words that ask, where they announce a name.
    announced: Option<String>,
    /// It asks when, or by whom, something came to be.
    asks_for_origin: bool,
}

fn said(question: &str) -> Option<AskedIntent> {
    let lower = question.to_lowercase();
    let (intent, end) = PHRASES.iter().find_map(|(intent, phrases)| {
        phrases.iter().find_map(|phrase| end_of(&lower, phrase)).map(|end| (*intent, end))
    })?;
    // `where is the page slow` announces nothing, `what calls page` does.
    let announces = matches!(
        intent,
        Intent::Callers
            | Intent::Callees
            | Intent::Overrides
            | Intent::Subtypes
            | Intent::Outline
            | Intent::Impact
            | Intent::Tests
    );
    // Lower case may have another length in other scripts.
    let rest = question.get(end..).filter(|_| announces && lower.len() == question.len());
    let announced = rest.map(|rest| match intent {
        Intent::Tests => rest.split_once(" run for ").map_or(rest, |(_, rest)| rest),
        _ => rest,
    });
    let asks_for_origin = OF_ORIGIN.iter().any(|phrase| end_of(&lower, phrase).is_some());
    Some(AskedIntent { intent, announced: announced.map(str::to_owned), asks_for_origin })
}

/// Words that ask for a definition and name nothing.
const OF_DEFINITIONS: &[&str] = &[
    "class",
    "code",
    "declared",
    "defined",
    "described",
    "documented",
    "definition",
    "enum",
    "file",
    "find",
    "found",
    "function",
    "implemented",
    "interface",
    "lives",
    "located",
    "method",
    "module",
    "now",
    "signature",
    "source",
    "struct",
    "stored",
    "symbol",
    "type",
    "written",
];

/// What is done with something, in words that do not end as most do.
const IRREGULAR: &[&str] = &[
    "built",
    "caught",
    "drawn",
    "given",
    "held",
    "kept",
    "made",
    "put",
    "read",
    "run",
    "sent",
    "set",
    "shown",
    "thrown",
    "torn",
    "overridden",
];

/// A name of which a question asks where something is done with it: `where is X raised`.
fn used_somewhere<'s>(words: &[&str], subjects: &'s [Subject]) -> Option<&'s str> {
    const ARTICLES: &[&str] = &["is", "are", "the", "a", "an", "function", "method", "class"];
    let lower = |at: usize| words.get(at).map(|word| word.to_lowercase());
    if !matches!(lower(0)?.as_str(), "where" | "where's") {
        return None;
    }
    let bare =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned();
    let at = (1..words.len()).find(|at| !ARTICLES.contains(&words[*at].to_lowercase().as_str()))?;
    let [subject @ Subject::Symbol(name)] = subjects else { return None };
    let is_it = words[at].contains(name.as_str());
    let verb = bare(&lower(at + 1)?);
    let next = lower(at + 2).map(|word| bare(&word));
    // `where is the App component`: a noun says what it is, not what is done with it.
    let is_verb = (verb.ends_with("ed") || IRREGULAR.contains(&verb.as_str()))
        && !OF_DEFINITIONS.contains(&verb.as_str())
        && next.is_none_or(|next| next.is_empty() || is_stop_word(&next));
    (is_it && is_verb).then(|| subject.text())
}

/// A path has two ends; with one alone it is asked who leads there.
fn path_of(question: &str, subjects: &[Subject], known: &dyn VocabularyLookup) -> Option<Route> {
    let mut symbols = subjects.iter().filter(|it| matches!(it, Subject::Symbol(_)));
    let ends = match (symbols.next(), symbols.next()) {
        (Some(from), Some(to)) => (Some(from.text().to_owned()), Some(to.text().to_owned())),
        (first, _) => {
            let first = first.map(|it| it.text().to_owned());
            match ends_of_path(question, known) {
                (Some(from), Some(to)) if from != to => (Some(from), Some(to)),
                (None, Some(to)) if Some(&to) != first.as_ref() => (first, Some(to)),
                _ => (first, None),
            }
        }
    };
    match ends {
        (Some(from), Some(to)) => Some(Route { to: Some(to), ..plain(Intent::Flow, &from) }),
        (Some(only), None) => Some(plain(Intent::Callers, &only)),
        _ => None,
    }
}

/// When something came to be, asked of the record: `since when is there dark mode` is about
/// `dark mode`. What was taken away did not come to be then.
fn origin_of(question: &str) -> Route {
    const VERBS: &[&str] = &[
        "added",
        "adds",
        "come",
        "created",
        "exist",
        "exists",
        "first",
        "introduce",
        "introduced",
        "landed",
        "since",
        "start",
        "started",
        "support",
        "supported",
        "supports",
        "appear",
        "appeared",
        "available",
        "became",
        "begin",
        "began",
    ];
    const ENDED: &[&str] = &[
        "changed",
        "deleted",
        "deprecated",
        "dropped",
        "drop",
        "fixed",
        "moved",
        "remove",
        "removed",
        "renamed",
        "replaced",
        "released",
        "merged",
    ];
    const ASKED: &[&str] = &["commit", "commits", "release", "version", "merge", "request", "long"];
    let word = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric() && !"-_/".contains(c)).to_owned()
    };
    let words: Vec<String> = question.split_whitespace().map(word).collect();
    let is_one_of = |word: &String, of: &[&str]| of.contains(&word.to_lowercase().as_str());
    if words.iter().any(|word| is_one_of(word, ENDED)) {
        return plain(Intent::Search, question);
    }
    // `since when does the editor support plugins`: not every text says whose they are.
    let owned =
        words.iter().position(|word| is_one_of(word, &["support", "supports", "have", "has"]));
    let begin = owned.filter(|at| at + 1 < words.len()).map_or(0, |at| at + 1);
    let mut rest: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate().skip(begin) {
        let is_asked = is_one_of(word, ASKED) && at < 4;
        if !(word.is_empty() || is_stop_word(word) || is_one_of(word, VERBS) || is_asked) {
            rest.push(word);
        }
    }
    if rest.is_empty() {
        return plain(Intent::Search, question);
    }
    plain(Intent::Origin, &rest.join(" "))
}

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

/// Where a phrase ends in a question that says it.
fn end_of(question: &str, phrase: &str) -> Option<usize> {
    if let Some((before, after)) = phrase.split_once(" … ") {
        let end = end_of(question, before)?;
        let rest: Vec<&str> = question.get(end..)?.split_whitespace().collect();
        let is_said = rest.iter().skip(1).take(MOST_BETWEEN).any(|word| *word == after);
        return is_said.then_some(end);
    }
    let padded = format!("{question} ");
    let end = match phrase.strip_prefix('^') {
        Some(start) => {
            let rest = padded.strip_prefix(start)?;
            let is_whole = start.ends_with(' ') || !starts_inside_word(rest);
            is_whole.then_some(start.len())?
        }
        None => {
            let is_whole = |(at, _): &(usize, &str)| {
                let before = padded[..*at].chars().next_back();
                let is_start =
                    phrase.starts_with(' ') || !before.is_some_and(char::is_alphanumeric);
                let after = &padded[at + phrase.len()..];
                is_start && (phrase.ends_with(' ') || !starts_inside_word(after))
            };
            let (at, _) = padded.match_indices(phrase).find(is_whole)?;
            at + phrase.len()
        }
    };
    Some(end.min(question.len()))
}

fn starts_inside_word(rest: &str) -> bool {
    rest.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// What an intent means for these subjects; without a fitting one it is a search.
fn meant(intent: Intent, question: &str, subjects: &[Subject]) -> Route {
    let code = subjects.iter().find(|it| matches!(it, Subject::Symbol(_)));
    let file = subjects.iter().find(|it| matches!(it, Subject::Path(_) | Subject::Line(_)));
    let reference = subjects.iter().find(|it| matches!(it, Subject::Reference(_)));
    let of = |intent, subject: &Subject| plain(intent, subject.text());
    match intent {
        Intent::Outline => match file.or(code) {
            Some(file @ Subject::Path(_)) => of(Intent::Outline, file),
            Some(line @ Subject::Line(_)) => {
                plain(Intent::Outline, line.text().split(':').next().unwrap_or_default())
            }
            Some(symbol) => of(Intent::Outline, symbol),
            None => plain(Intent::Search, question),
        },
        Intent::Callers
        | Intent::Callees
        | Intent::Overrides
        | Intent::Subtypes
        | Intent::Symbol => match code {
            Some(symbol) => of(intent, symbol),
            // What includes a file is what a change of it reaches.
            None if intent == Intent::Subtypes && file.is_some() => {
                plain(Intent::Impact, file.map_or("", Subject::text))
            }
            None => reference.map_or_else(|| plain(Intent::Search, question), alone),
        },
        Intent::Impact | Intent::Tests => match code.or(file) {
            Some(target) => of(intent, target),
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
        Intent::History if reference.is_none() && code.is_some() => {
            plain(Intent::History, code.map_or("", Subject::text))
        }
        Intent::Timeline | Intent::History => match (reference, file) {
            (Some(reference), _) => of(Intent::Timeline, reference),
            (None, Some(file)) => {
                plain(Intent::FileHistory, file.text().split(':').next().unwrap_or_default())
            }
            (None, None) => plain(Intent::Timeline, about(question)),
        },
        Intent::Search | Intent::Decided => plain(intent, about(question)),
        other => plain(other, question),
    }
}

/// A subject with nothing said of it.
fn alone(subject: &Subject) -> Route {
    let intent = match subject {
        Subject::Reference(_) => Intent::Show,
        Subject::Line(_) | Subject::Path(_) => Intent::Why,
        Subject::Symbol(_) => Intent::Symbol,
    };
    plain(intent, subject.text())
}

fn plain(intent: Intent, subject: &str) -> Route {
    Route { intent, subject: subject.to_owned(), to: None, about: None }
}

/// What a question says beside the name in it, whose parts may stand apart.
fn beside(question: &str, name: &str) -> Option<String> {
    let without = |text: &str, name: &str| {
        text.split_once(name).map(|(before, after)| format!("{before} {after}"))
    };
    let rest = without(question, name).or_else(|| {
        let (owner, member) = name.rsplit_once('.')?;
        without(&without(question, owner)?, member)
    })?;
    let rest = rest.replace('`', " ");
    Some(rest.split_whitespace().collect::<Vec<_>>().join(" "))
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Project;

    impl VocabularyLookup for Project {
        fn has_code(&self) -> bool {
            true
        }

        fn is_symbol(&self, name: &str) -> bool {
            let names =
                "Flask Flask.run run Model QuerySet slugify get_queryset Model.save open Why I set";
            names.split(' ').any(|known| known == name)
        }

        fn is_method(&self, name: &str) -> bool {
            name == "get_queryset"
        }

        fn has_route(&self, address: &str) -> bool {
            address == "/users"
        }

        fn is_member(&self, owner: &str, name: &str) -> bool {
            self.is_symbol(&format!("{owner}.{name}"))
        }

        fn is_file(&self, path: &str) -> bool {
            path == "src/flask/app.py"
        }

        fn path_ending(&self, end: &str) -> Option<String> {
            let paths = [("app.py", "src/flask/app.py"), ("cli-tools", "src/cli-tools")];
            paths.iter().find(|(name, _)| *name == end).map(|(_, path)| (*path).to_owned())
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
            ("12345678", Intent::Search),
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
            ("what breaks if I change open", Intent::Impact, "open"),
            ("what breaks if I change app.py", Intent::Impact, "src/flask/app.py"),
            ("what calls run when a request comes", Intent::Callers, "run"),
            ("who uses the function slugify", Intent::Callers, "slugify"),
            ("which tests cover slugify", Intent::Tests, "slugify"),
            ("who calls nobody_knows_this", Intent::Callers, "nobody_knows_this"),
            ("what tests do I run for src/flask/app.py", Intent::Tests, "src/flask/app.py"),
            ("which tests should I run for slugify", Intent::Tests, "slugify"),
            ("is get_queryset tested?", Intent::Tests, "get_queryset"),
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
            ("who knows cli-tools", Intent::Experts, "src/cli-tools"),
            ("what happened with dark mode?", Intent::Timeline, "dark mode"),
            ("what was decided about the queue?", Intent::Decided, "the queue"),
            ("what did we decide on retries", Intent::Decided, "retries"),
            ("who decided to drop libgmp", Intent::Decided, "drop libgmp"),
            ("history of dark mode", Intent::Timeline, "dark mode"),
            ("history of get_queryset", Intent::History, "get_queryset"),
            ("when was Flask.run changed", Intent::History, "Flask.run"),
            ("history of src/flask/app.py", Intent::FileHistory, "src/flask/app.py"),
            ("when and why did get_queryset come into being", Intent::History, "get_queryset"),
            ("since when is there get_queryset, who added it?", Intent::History, "get_queryset"),
            ("which commits changed the signature of Flask.run", Intent::History, "Flask.run"),
            ("when was !570 merged", Intent::Timeline, "!570"),
            ("which types implement the interface QuerySet", Intent::Subtypes, "QuerySet"),
            ("which classes that extend QuerySet are there", Intent::Subtypes, "QuerySet"),
            ("which tests should I run if I change Flask.run", Intent::Tests, "Flask.run"),
            ("why does Flask define `run`", Intent::Why, "Flask.run"),
            ("who calls the run method of Flask?", Intent::Callers, "Flask.run"),
            ("what breaks if I change method save in Model", Intent::Impact, "Model.save"),
            ("why does Flask run two threads", Intent::Why, "Flask"),
            ("why does Flask have slugify", Intent::Why, "Flask"),
            ("what does Flask.run call", Intent::Callees, "Flask.run"),
            ("which functions does slugify call?", Intent::Callees, "slugify"),
            ("what is called by run", Intent::Callees, "run"),
            ("methods of Flask", Intent::Outline, "Flask"),
            ("members of the class QuerySet", Intent::Outline, "QuerySet"),
            ("what methods does QuerySet have", Intent::Outline, "QuerySet"),
            ("methods of src/flask/app.py", Intent::Outline, "src/flask/app.py"),
            ("what inherits from open", Intent::Subtypes, "open"),
            ("what includes Model", Intent::Subtypes, "Model"),
            ("what mixes in Model?", Intent::Subtypes, "Model"),
            ("which classes include Model", Intent::Subtypes, "Model"),
            ("what includes src/flask/app.py", Intent::Impact, "src/flask/app.py"),
            ("where is Flask.run run", Intent::Callers, "Flask.run"),
            ("where is QuerySet raised?", Intent::Callers, "QuerySet"),
            ("where is the method get_queryset called", Intent::Callers, "get_queryset"),
            ("where is QuerySet thrown in the handlers", Intent::Callers, "QuerySet"),
            ("where is QuerySet documented", Intent::Symbol, "QuerySet"),
            ("where is the function `slugify` located", Intent::Symbol, "slugify"),
            ("what happens if I remove slugify", Intent::Impact, "slugify"),
        ] {
            assert_eq!(routed(question), (intent, subject.to_owned()), "{question}");
        }
        let why = route("why does Flask.run block for reloads?", &Project);
        assert_eq!(why.about.as_deref(), Some("why does block for reloads?"));
        let why = route("why does Flask need its own `run` method", &Project);
        assert_eq!(why.about.as_deref(), Some("why does need its own method"));
        let flow = route("how does Model.save reach QuerySet", &Project);
        assert_eq!((flow.intent, flow.to.as_deref()), (Intent::Flow, Some("QuerySet")));
    }

    #[test]
    fn a_path_has_the_two_ends_that_a_question_says() {
        for (question, from, to) in [
            ("path from Flask.run to open", "Flask.run", "open"),
            ("path from open to set", "open", "set"),
            ("how do I get from `run` to `open`", "run", "open"),
            ("path between Flask and slugify", "Flask", "slugify"),
            ("from Flask.run to open", "Flask.run", "open"),
            ("how does open reach QuerySet", "open", "QuerySet"),
            // Nobody knows it, and no other question is answered.
            ("path from Flask.run to park", "Flask.run", "park"),
            ("call chain from nobody to the function slugify", "nobody", "slugify"),
        ] {
            let found = route(question, &Project);
            let ends = (found.intent, found.subject.as_str(), found.to.as_deref());
            assert_eq!(ends, (Intent::Flow, from, Some(to)), "{question}");
        }
        assert_eq!(
            routed("how do I get to the settings page"),
            (Intent::Context, "how do I get to the settings page".into())
        );
        assert_eq!(routed("how does it reach Model.save"), (Intent::Callers, "Model.save".into()));
    }

    #[test]
    fn what_has_no_symbol_is_looked_for_in_the_files() {
        for (question, intent, subject) in [
            ("what does the DOWNLOAD_DELAY setting do", Intent::Text, "DOWNLOAD_DELAY"),
            ("where is DOWNLOAD_DELAY read", Intent::Text, "DOWNLOAD_DELAY"),
            ("what does the auto-save config option do", Intent::Text, "auto-save"),
            ("where is the option idle-timeout read", Intent::Text, "idle-timeout"),
            ("what is the default of scrolloff?", Intent::Text, "scrolloff"),
            ("what does --dry-run do", Intent::Text, "--dry-run"),
            ("what does AllCops/NewCops do", Intent::Text, "AllCops/NewCops"),
            ("what does get_queryset() do", Intent::Symbol, "get_queryset"),
            ("where is the error 'cannot open' raised", Intent::Text, "cannot open"),
            ("why do I get \"cannot open the file\"", Intent::Text, "cannot open the file"),
            ("what handles /users", Intent::Routes, "/users"),
            ("what handles GET /api/v1/query", Intent::Text, "/api/v1/query"),
            // Names that the index knows, tasks, and words of other questions stay what they are.
            ("where is Model used", Intent::Callers, "Model"),
            (
                "how do I add a new config option?",
                Intent::Context,
                "how do I add a new config option?",
            ),
            ("why do we need --dry-run", Intent::Search, "why do we need --dry-run"),
            ("what was decided about 'static secrets'", Intent::Decided, "'static secrets'"),
            ("\"static secrets\" +gateway", Intent::Search, "\"static secrets\" +gateway"),
        ] {
            assert_eq!(routed(question), (intent, subject.to_owned()), "{question}");
        }
        let unknown = route("what extends React.Component", &Project);
        assert_eq!(unknown.as_text().map(|it| it.subject), Some("React.Component".to_owned()));
        assert_eq!(route("who calls nobody", &Project).as_text(), None);
    }

    #[test]
    fn when_something_came_to_be_is_asked_of_the_oldest_that_says_it() {
        for (question, intent, subject) in [
            ("when was dark mode added", Intent::Origin, "dark mode"),
            ("since when are there elbow arrows?", Intent::Origin, "elbow arrows"),
            ("since when does remote write 2.0 exist", Intent::Origin, "remote write 2.0"),
            ("since when does the editor support DAP", Intent::Origin, "DAP"),
            ("which commit introduced the agent mode", Intent::Origin, "agent mode"),
            ("when was dark mode dropped", Intent::Search, "when was dark mode dropped"),
            ("since when is there get_queryset", Intent::History, "get_queryset"),
        ] {
            assert_eq!(routed(question), (intent, subject.to_owned()), "{question}");
        }
    }

    #[test]
    fn a_noun_behind_a_name_is_nothing_that_is_done_with_it() {
        assert_eq!(routed("where is the Model component").0, Intent::Symbol);
        assert_eq!(routed("where is the Model registered").0, Intent::Callers);
        assert_eq!(routed("what implements get_queryset").0, Intent::Overrides);
        assert_eq!(routed("how does Model.save get to QuerySet").0, Intent::Flow);
    }

    #[test]
    fn a_task_is_given_what_to_read() {
        for question in [
            "fix the retry loop when the server answers 503",
            "how do I add a new config option?",
            "which files handle uploads",
            "what breaks if I change the upload limit",
            "which tests cover uploads of files",
            "what happens when Flask.run is called twice",
            "what happens if the server answers 503",
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
            "when was dark mode removed",
            "open questions about tokens",
            "who calls nobody",
            "why is cli-tools there",
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
