//! How a language is written, as far as comparing two versions of a file depends on it.

use super::by_name;

/// Without a word of a language: what holds for most.
#[derive(Clone, Copy, Debug)]
pub struct Notation {
    /// Texts in three quotes document what they stand in; elsewhere they are values.
    pub documents_in_texts: bool,
    /// A text means the same in single and in double quotes.
    pub quotes_are_alike: bool,
    /// What says nothing of its visibility is public.
    pub is_public_unsaid: bool,
    /// Labels such as `private` hold for all members that follow them.
    pub has_access_labels: bool,
    /// The body of a function follows its parameters without a mark.
    pub body_follows_parameters: bool,
    /// The body of a function follows a colon.
    pub body_follows_colon: bool,
    /// A body stands in braces or behind `=`: what has neither is only declared.
    pub bodies_are_marked: bool,
    /// `=` does not end a declaration: `operator=`, `= default`.
    pub declares_past_equals: bool,
    /// Braces and arrows stand in types, too: `{ a: string }`, `() => void`.
    pub types_have_braces: bool,
    /// `<` behind a name opens its type parameters.
    pub has_type_parameters: bool,
    /// Signatures of a function may stand in front of the one with the body. Elsewhere what
    /// is marked as one of several is a function of its own, for another system.
    pub has_signatures: bool,
    /// A class without a name is written where its value is needed.
    pub has_anonymous_classes: bool,
    /// Objects are written as lists of their members, functions among them.
    pub has_object_literals: bool,
    /// A namespace may be opened again in another file, and so may a class.
    pub reopens_modules: bool,
    pub reopens_classes: bool,
    /// Statements may stand beside definitions and run when the file is loaded.
    pub runs_at_top: bool,
    /// `/` and `*` divide parameters into those given by place and those given by name.
    pub divides_parameters: bool,
    /// Which imports of a file others can import from it.
    pub passes_on: PassedImports,
    /// What may stand between the parameters of a constructor and its body, behind a colon.
    pub initialisers: Initialisers,
    /// What stands between the parts of a path to a module.
    pub path_separator: &'static str,
}

/// Which imports of a file others can import from it, beside those marked so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedImports {
    Marked,
    /// Those whose names the file exports.
    Exported,
    /// Whatever a module knows.
    All,
}

/// What a constructor does before its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialisers {
    None,
    /// Calls another constructor by one of these words.
    Calls(&'static [&'static str]),
    /// Gives members their values.
    Members,
}

impl Default for Notation {
    fn default() -> Self {
        Notation {
            documents_in_texts: false,
            quotes_are_alike: false,
            is_public_unsaid: false,
            has_access_labels: false,
            body_follows_parameters: false,
            body_follows_colon: false,
            bodies_are_marked: false,
            declares_past_equals: false,
            types_have_braces: false,
            has_type_parameters: false,
            has_signatures: false,
            has_anonymous_classes: false,
            has_object_literals: false,
            reopens_modules: false,
            reopens_classes: false,
            runs_at_top: false,
            divides_parameters: false,
            passes_on: PassedImports::Marked,
            initialisers: Initialisers::None,
            path_separator: ".",
        }
    }
}

/// That of a language by its name; of a format, that of most.
pub fn notation(language: &str) -> Notation {
    by_name(language).map(super::Language::notation).unwrap_or_default()
}
