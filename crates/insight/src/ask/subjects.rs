//! What a question names: references, lines, paths, symbols.
//!
//! A word counts as a name only where it is written as code, or where the words
//! before it announce one (`what calls trigger`), and where the index knows it: `open`
//! in a sentence stays a word.

use model::reference::Reference;
use search::query::is_stop_word;

/// What the index knows by name.
pub trait VocabularyLookup {
    /// Whether code is indexed at all; without it, texts are searched.
    fn has_code(&self) -> bool;

    fn is_symbol(&self, name: &str) -> bool;

    /// Whether a symbol called `name` is a member of one called `owner`.
    fn is_member(&self, owner: &str, name: &str) -> bool;

    /// Whether all symbols called so are methods.
    fn is_method(&self, name: &str) -> bool;

    /// Whether a route has this address.
    fn has_route(&self, address: &str) -> bool;

    /// From the root of the repository.
    fn is_file(&self, path: &str) -> bool;

    /// The only file or folder whose path ends so.
    fn path_ending(&self, end: &str) -> Option<String>;
}

/// Something a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    Reference(String),
    Line(String),
    /// A file or a folder.
    Path(String),
    Symbol(String),
}

impl Subject {
    pub fn text(&self) -> &str {
        match self {
            Subject::Reference(text)
            | Subject::Line(text)
            | Subject::Path(text)
            | Subject::Symbol(text) => text,
        }
    }
}

/// Words between a phrase that announces a name and the name.
const BETWEEN: &[&str] = &[
    "a",
    "an",
    "change",
    "changed",
    "changing",
    "class",
    "command",
    "cover",
    "covers",
    "delete",
    "do",
    "does",
    "enum",
    "exercise",
    "field",
    "for",
    "from",
    "function",
    "i",
    "if",
    "in",
    "interface",
    "is",
    "it",
    "macro",
    "method",
    "modify",
    "module",
    "must",
    "of",
    "property",
    "remove",
    "removing",
    "rename",
    "should",
    "signature",
    "struct",
    "the",
    "to",
    "touch",
    "trait",
    "type",
    "variable",
    "we",
    "you",
];

/// What the question names, in its order; what `announced` begins with counts as a
/// name although it looks like a word.
pub(super) fn subjects(
    question: &str,
    announced: Option<&str>,
    known: &dyn VocabularyLookup,
) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    if let Some(name) = announced.and_then(|rest| announced_name(rest, known)) {
        found.push(name);
    }
    for (at, word) in question.split_whitespace().enumerate() {
        let is_marked = word.contains('`');
        let word = bare(word);
        if word.is_empty() {
            continue;
        }
        let is_first = at == 0;
        let subject = subject(word, is_marked, is_first, known);
        if let Some(subject) = subject.filter(|it| !found.contains(it)) {
            found.push(subject);
        }
    }
    found
}

/// Words beside which a plain word is the name of a member.
const OF_MEMBERS: &[&str] =
    &["attribute", "constructor", "field", "function", "method", "option", "property", "setting"];

/// A type and a member of it, named apart, mean the member: `why does BaseModel define
/// __pretty__`, `who calls the send method of Reply`.
pub(super) fn join_members(
    subjects: &mut Vec<Subject>,
    question: &str,
    known: &dyn VocabularyLookup,
) {
    let is_plain = |name: &str| !name.contains(['.', ':', '#', '/']);
    let symbols: Vec<String> = subjects
        .iter()
        .filter(|it| matches!(it, Subject::Symbol(_)) && is_plain(it.text()))
        .map(|it| it.text().to_owned())
        .collect();
    let mut names = symbols.clone();
    names.extend(named_beside_kinds(question));
    let pairs = symbols.iter().flat_map(|owner| names.iter().map(move |name| (owner, name)));
    let joined =
        pairs.filter(|(owner, name)| owner != name).find(|pair| known.is_member(pair.0, pair.1));
    let Some((owner, name)) = joined else { return };
    let is_part = |it: &Subject| {
        matches!(it, Subject::Symbol(_)) && (it.text() == owner || it.text() == name)
    };
    let Some(at) = subjects.iter().position(is_part) else { return };
    let member = Subject::Symbol(format!("{owner}.{name}"));
    subjects.retain(|it| !is_part(it));
    subjects.insert(at, member);
}

/// Plain words before or after `method`, `field` and the like.
fn named_beside_kinds(question: &str) -> Vec<String> {
    let words: Vec<&str> = question.split_whitespace().map(bare).map(without_call).collect();
    let is_kind = |at: usize| {
        words.get(at).is_some_and(|word| OF_MEMBERS.contains(&word.to_lowercase().as_str()))
    };
    let beside = |at: &usize| is_kind(at + 1) || at.checked_sub(1).is_some_and(is_kind);
    (0..words.len())
        .filter(beside)
        .map(|at| words[at])
        .filter(|word| word.chars().count() > 1 && !is_stop_word(word))
        .map(str::to_owned)
        .collect()
}

/// What a phrase announces: the first word after it that is no article. A name that is
/// written as code is one although the index does not know it; whoever answers then says
/// what is near.
fn announced_name(rest: &str, known: &dyn VocabularyLookup) -> Option<Subject> {
    let mut words = rest.split_whitespace().map(bare).filter(|word| !word.is_empty());
    let word = words.find(|word| !BETWEEN.contains(&word.to_lowercase().as_str()))?;
    // `which tests do I run if I change Flask.run`: a name written as code is what is meant.
    let is_written_as_code = |name: &&str| has_code_inside(name) && known.is_symbol(name);
    let name = without_call(word);
    let name = match words.map(without_call).find(is_written_as_code) {
        Some(code) if !has_code_inside(name) => code,
        _ => name,
    };
    let is_name = !is_stop_word(name) && name.chars().count() > 1 && !is_reference(name);
    if !known.has_code() || !is_name || is_path(name, known) {
        return None;
    }
    let is_symbol = known.is_symbol(name) || has_code_inside(name) && !name.contains('/');
    is_symbol.then(|| Subject::Symbol(name.to_owned()))
}

fn is_path(name: &str, known: &dyn VocabularyLookup) -> bool {
    known.is_file(name) || known.path_ending(name).is_some()
}

/// The two ends of a path that a question speaks of. A plain word is one where a word
/// before it says so (`from X to park`): whoever answers says where nothing is called so.
pub(super) fn ends_of_path(
    question: &str,
    known: &dyn VocabularyLookup,
) -> (Option<String>, Option<String>) {
    const TO: &[&str] = &["to", "reach", "reaches", "into", "call", "calls", "in"];
    let words: Vec<&str> = question.split_whitespace().map(bare).map(without_call).collect();
    let is_one_of = |at: usize, of: &[&str]| of.contains(&words[at].to_lowercase().as_str());
    let name_after = |at: usize| {
        let is_between = |word: &str| BETWEEN.contains(&word) || TO.contains(&word);
        let mut rest = words[at + 1..].iter().filter(|word| !word.is_empty());
        let name = rest.find(|word| !is_between(&word.to_lowercase()))?;
        (!is_stop_word(name) && name.chars().count() > 1).then(|| (*name).to_owned())
    };
    let from = (0..words.len()).find(|at| is_one_of(*at, &["from", "between"]));
    let of_from = from.and_then(name_after);
    let is_between = from.is_some_and(|at| is_one_of(at, &["between"]));
    let joints: &[&str] = if is_between { &["and"] } else { TO };
    let first = |after: usize| {
        joints.iter().find_map(|joint| (after..words.len()).find(|at| is_one_of(*at, &[*joint])))
    };
    let joint = first(from.map_or(0, |at| at + 1)).or_else(|| first(0));
    let of_to = joint.and_then(name_after);
    // `how does login reach session`: what stands before is the beginning.
    let before = || {
        let name = words[joint?.checked_sub(1)?];
        let is_name = !is_stop_word(name) && name.chars().count() > 1 && known.is_symbol(name);
        is_name.then(|| name.to_owned())
    };
    let of_from = of_from.or_else(|| if from.is_none() { before() } else { None });
    (of_from, of_to)
}

/// A word without the marks around it.
pub(super) fn bare(word: &str) -> &str {
    let word = word.trim_matches(['`', '"', '\'', ',', ';', '?', '(', '[', '<', '>', ']']);
    word.trim_end_matches(['.', ':', '!'])
}

/// `run()` keeps its name only.
fn without_call(word: &str) -> &str {
    word.trim_end_matches(')').trim_end_matches('(')
}

fn subject(
    word: &str,
    is_marked: bool,
    is_first: bool,
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
        return Some(Subject::Path(word.to_owned()));
    }
    let name = without_call(word);
    let is_plain = !is_marked && name == word;
    // `I` is nobody's name, and a sentence begins with a capital.
    let is_word = is_plain && (is_stop_word(name) || name.chars().count() == 1);
    let is_code = !is_plain || has_code_inside(name) || (!is_first && looks_like_code(name));
    if is_code && !is_word && known.is_symbol(name) {
        return Some(Subject::Symbol(name.to_owned()));
    }
    known.path_ending(word).map(Subject::Path)
}

/// An issue, a merge request, a record, a commit or an address of one.
fn is_reference(word: &str) -> bool {
    let is_record = model::memory::RecordKind::ALL.iter().any(|kind| {
        word.strip_prefix(kind.prefix()).is_some_and(|rest| !rest.is_empty() && rest.is_ascii())
    });
    let is_commit = (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && (word.len() >= 12 || word.bytes().any(|byte| byte.is_ascii_alphabetic()));
    // Many a word looks like an abbreviated hash; one needs a digit to count, and a number
    // in a question is one.
    is_record || is_commit || matches!(Reference::parse(word), Ok(Reference::Entity(_)))
}

/// Written as no word of a sentence is.
fn looks_like_code(name: &str) -> bool {
    has_code_inside(name) || name.chars().next().is_some_and(char::is_uppercase)
}

/// A case change inside, an underscore, a dot between letters, or two colons.
pub(super) fn has_code_inside(name: &str) -> bool {
    let inner_dot =
        name.split_once('.').is_some_and(|(before, after)| !before.is_empty() && !after.is_empty());
    let has_upper_inside = name.chars().skip(1).any(char::is_uppercase);
    // `2.0` is a number.
    let has_letter = name.chars().any(char::is_alphabetic);
    has_letter && (name.contains('_') || name.contains("::") || inner_dot || has_upper_inside)
}
