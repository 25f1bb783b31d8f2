//! What became of symbols between two versions of a code base.

use crate::breaking::ContractBreach;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to a symbol.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SymbolChangeKind {
    Removed,
    /// Not found again; the new symbol is a guess.
    PerhapsBecame,
    Renamed,
    Moved,
    Changed,
    /// New, with the text of a symbol that still exists.
    Copied,
    Added,
}

impl SymbolChangeKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::PerhapsBecame => "perhaps became",
            Self::Renamed => "renamed",
            Self::Moved => "moved",
            Self::Changed => "changed",
            Self::Copied => "copied",
            Self::Added => "added",
        }
    }
}

/// What of a symbol differs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Annotations, decorators, attributes.
    Annotations,
    Signature,
    Visibility,
    Body,
    /// Comments and documentation only.
    Doc,
}

impl Aspect {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Annotations => "annotations",
            Self::Signature => "signature",
            Self::Visibility => "visibility",
            Self::Body => "body",
            Self::Doc => "doc",
        }
    }
}

/// A symbol in one of both versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolVersion {
    /// The names from the file down: `Flask.run`.
    pub symbol: String,
    pub kind: String,
    pub path: String,
    pub line: u32,
    pub signature: Option<String>,
    /// Others may use it: neither private nor inside something private.
    pub is_public: bool,
}

crate::vocabulary! {
    /// How code came out of other code, or went into it.
    pub enum DerivationKind {
        /// New; its lines were part of the symbols named.
        Extracted = "extracted",
        /// Gone; its lines are part of the symbols named.
        Inlined = "inlined",
        /// New; members of it were members of the types named.
        Split = "split",
        /// Gone; its members are members of the types named.
        Merged = "merged",
        /// Gone from its type, which gets a member of this name from the types named.
        Inherited = "inherited",
        /// Gone from its file, which offers the name all the same, from the modules named.
        Imported = "imported",
    }
}

/// What a new symbol was made of, or what became of one that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Derivation {
    pub kind: DerivationKind,
    pub symbols: Vec<String>,
}

impl Derivation {
    /// Whether who used the symbol by its old name still can.
    pub fn is_still_there(&self) -> bool {
        matches!(self.kind, DerivationKind::Inherited | DerivationKind::Imported)
    }
}

crate::vocabulary! {
    /// Why two symbols of two versions are held to be one.
    pub enum MatchEvidence {
        SameText = "same_text",
        /// Enough of the text, the name and the users in common: how much, `similarity` says.
        Similar = "similar",
        /// The same name in a container that was renamed or moved.
        SameNameInContainer = "same_name_in_container",
        /// The same name in a subtype or a supertype.
        SameNameInHierarchy = "same_name_in_hierarchy",
        /// Those who used the one use the other.
        SameUsers = "same_users",
    }
}

/// One symbol that is not as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolChange {
    pub change: SymbolChangeKind,
    /// None when it is gone.
    pub new: Option<SymbolVersion>,
    /// None when it is new; of a copy, what it was copied from.
    pub old: Option<SymbolVersion>,
    pub aspects: Vec<Aspect>,
    /// How alike both texts are, 0 to 1, where two symbols were compared.
    pub similarity: Option<f32>,
    /// Of what was renamed, moved or copied, and of a guess: why it is taken for the same.
    pub evidence: Option<MatchEvidence>,
    /// Symbols inside it that came, went or moved with it and are not told.
    pub members: u32,
    pub is_test: bool,
    /// What callers must change, in words.
    pub demands: Vec<String>,
    /// Of an added or removed one: the code it came out of or went into; of one that is gone or
    /// moved, by what its old name can still be used.
    pub derivation: Option<Derivation>,
}

impl SymbolChange {
    /// Nothing differs but comments and documentation.
    pub fn is_doc_only(&self) -> bool {
        self.change == SymbolChangeKind::Changed && self.aspects == [Aspect::Doc]
    }

    /// The symbol as it is, or was when it is gone.
    pub fn shown(&self) -> Option<&SymbolVersion> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A file that lies elsewhere now, with the symbols it took along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileMove {
    pub from: String,
    pub to: String,
    pub symbols: u32,
    /// Those among them that others may use.
    pub public_symbols: u32,
    /// Those that are in nothing that is told apart: a type that was renamed speaks for
    /// its members.
    pub untold_symbols: u32,
}

/// A changed file whose symbols were not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadFile {
    pub path: String,
    pub reason: String,
}

/// Where a symbol stands in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SymbolPlace {
    /// The names from the file down.
    pub symbol: String,
    pub path: String,
    pub line: u32,
}

/// A symbol that is the same under another name, in another place or with other
/// parameters, whether that is told of it or of what is around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Succession {
    pub old: SymbolPlace,
    pub new: SymbolPlace,
}

/// Everything that differs between two versions, by symbols.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    pub changes: Vec<SymbolChange>,
    pub file_moves: Vec<FileMove>,
    /// What is told of a container is not told of its members: who they are now.
    pub successions: Vec<Succession>,
    /// What contracts promised and do not keep.
    pub breaches: Vec<ContractBreach>,
    /// Files whose promises were compared as a contract, of the old version; sorted.
    pub contracts: Vec<String>,
    /// Every changed path of both sides, whatever it holds; sorted.
    pub paths: Vec<String>,
    /// Changed files.
    pub n_files: u64,
    /// Those among them whose symbols were compared.
    pub n_compared: u64,
    /// Files that nobody reads for symbols are not among these.
    pub unread: Vec<UnreadFile>,
}
