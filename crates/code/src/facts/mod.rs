//! What one file says, following from its path and bytes alone.
//!
//! A file becomes definitions, imports and call sites, together with just
//! enough of its expressions and types to tell later what a call means. Names
//! are already looked up in the scopes of the file; what is not bound there is
//! left free for `link`. Nothing here knows another file, a commit or a store.

mod builder;
mod codec;
mod containment;
mod deltas;
mod lines;
mod mentions;
mod scopes;

pub use builder::Builder;
pub use codec::DecodeError;
pub use lines::Lines;
pub use mentions::{Mention, MentionKind, Mentions};
pub use scopes::{Rules, ScopeKind};

use model::code::EdgeKind;
use model::hash::Hash32;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $(as $stored:literal)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name($(#[serde(with = $stored)])? pub u32);

        impl $name {
            pub fn ix(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A text of the file's table of names.
    Name;
    /// A definition of the file; 0 is the file itself.
    DefId as "deltas::def";
    ExprId as "deltas::expr";
    TypeId as "deltas::ty";
    BindId;
    ImportId;
}

impl DefId {
    /// The definition that stands for the file.
    pub const FILE: DefId = DefId(0);
}

/// An edge kind in stored facts: its number.
mod edge_kind {
    use model::code::EdgeKind;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
    pub fn serialize<S: Serializer>(kind: &EdgeKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(kind.number())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EdgeKind, D::Error> {
        let number = u8::deserialize(deserializer)?;
        EdgeKind::from_number(number).ok_or_else(|| D::Error::custom("no such kind of edge"))
    }
}

/// Everything known of one file.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language's name in the registry, e.g. `python`.
    pub language: String,
    pub names: Vec<Box<str>>,
    pub defs: Vec<Def>,
    pub binds: Vec<Bind>,
    pub imports: Vec<Import>,
    pub exprs: Vec<Expr>,
    pub types: Vec<TypeRef>,
    pub calls: Vec<Call>,
    pub mentions: Mentions,
    pub relations: Vec<Relation>,
    pub trouble: Vec<FactsProblem>,
}

/// What a definition of a contract or an infrastructure says of another,
/// which it names.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Relation {
    #[serde(with = "edge_kind")]
    pub kind: EdgeKind,
    pub from: DefId,
    /// The name of what is meant, or the path of a file for `Module`.
    pub to: Name,
    pub to_kind: DefKind,
    /// Only this file can define it.
    pub is_local: bool,
    #[serde(with = "deltas::line")]
    pub line: u32,
}

/// Why a file's facts are not whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FactsProblem {
    /// No language of the registry reads this file.
    UnknownLanguage,
    /// Larger than the limit; nothing was read.
    TooLarge,
    /// Parsing took more steps than any sane file of this size needs.
    TooSlow,
    /// Nested deeper than is followed; what lies below is left out.
    TooDeep,
    /// The grammar could not read this line; the rest of the file counts.
    Syntax { line: u32 },
    /// More syntax than a file anybody wrote has; nothing was read.
    TooMuch,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DefKind {
    /// The file itself, or a module or namespace written inside it.
    Module,
    Function,
    Method,
    Class,
    Struct,
    Interface,
    Trait,
    Enum,
    /// A case of an enum.
    Variant,
    /// A name for a type.
    Alias,
    Const,
    Var,
    Field,
    /// A block that adds members to a type named elsewhere; not a symbol.
    Impl,
    /// A function without a name; not a symbol.
    Lambda,
    /// Members without a name: an object literal or a type literal; not a symbol.
    Record,
    /// A type parameter of the definition it belongs to; not a symbol.
    TypeParam,
    /// A module whose members classes take in.
    Mixin,
    /// A method and a pattern of paths, e.g. `GET /users/{id}`.
    Route,
    /// A service of a contract or of a deployment.
    Service,
    Rpc,
    Message,
    Table,
    Column,
    /// Something an infrastructure has: a bucket, a deployment, a variable.
    Resource,
    /// A step of a pipeline that is run as a whole.
    Job,
    /// A rule of a style sheet.
    Selector,
}

impl DefKind {
    /// Whether people would look for it by name.
    pub fn is_symbol(self) -> bool {
        !matches!(self, Self::Impl | Self::Lambda | Self::Record | Self::TypeParam)
    }

    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Lambda)
    }

    /// Whether a value can be an instance of it.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Interface
                | Self::Trait
                | Self::Enum
                | Self::Record
                | Self::Mixin
        )
    }

    /// The word lore uses for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Module | Self::Mixin => "module",
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct | Self::Alias => "type",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Enum => "enum",
            Self::Variant | Self::Const => "const",
            Self::Var => "var",
            Self::Field => "field",
            Self::Impl => "impl",
            Self::Lambda => "lambda",
            Self::Record => "record",
            Self::TypeParam => "type_param",
            Self::Route => "route_handler",
            Self::Service => "service",
            Self::Rpc => "rpc",
            Self::Message => "message",
            Self::Table => "table",
            Self::Column => "column",
            Self::Resource => "resource",
            Self::Job => "job",
            Self::Selector => "selector",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Visibility {
    #[default]
    Public,
    /// Visible in the package, crate or module around it.
    Internal,
    Private,
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        /// Claims about a definition.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct Flags(pub u32);

        impl Flags {
            $($(#[$doc])* pub const $name: Flags = Flags(1 << $bit);)*
        }
    };
}

flags! {
    /// Written for tests: a test, its fixture or helper.
    TEST = 0;
    /// Called on the type, not on a value of it.
    STATIC = 1;
    ASYNC = 2;
    /// Read like a field though it is a function.
    PROPERTY = 3;
    /// Its first argument is the class.
    CLASS_METHOD = 4;
    /// Its values are yielded, one by one.
    GENERATOR = 5;
    /// Its values are given by a `with` or as a fixture, not returned.
    CONTEXT = 6;
    /// Gives a value to tests that name it as a parameter.
    FIXTURE = 7;
    /// Without a body: declared, to be filled in elsewhere.
    ABSTRACT = 8;
    /// One of several signatures of the same function.
    OVERLOAD = 9;
    /// What the file exports when no name is asked for.
    DEFAULT_EXPORT = 10;
    EXPORTED = 11;
    /// Its members are looked up as if they were members of the type around it.
    EMBEDDED = 12;
    /// Makes values of the type it belongs to.
    CONSTRUCTOR = 13;
    /// Wrapped by something that may change what it returns.
    DECORATED = 14;
    /// A declaration whose body is in another file.
    ELSEWHERE = 15;
    /// Holds a value for readers, and may hold any callable.
    HOLDS_VALUE = 16;
    /// Takes the receiver of the function around it.
    ARROW = 17;
    /// May be written in several places that are one.
    REOPENED = 18;
    /// Its parameters do not say how many arguments it takes.
    ANY_ARGS = 19;
    /// Written under a condition that the preprocessor decides.
    CONDITIONAL = 20;
    /// Its type is said by its documentation only.
    DOCUMENTED = 21;
}

impl Flags {
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub fn add(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// Lines count from 1, bytes from 0; `end_byte` is the first byte after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    #[serde(with = "deltas::line")]
    pub start_line: u32,
    #[serde(with = "deltas::line")]
    pub end_line: u32,
    #[serde(with = "deltas::byte")]
    pub start_byte: u32,
    #[serde(with = "deltas::byte")]
    pub end_byte: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Def {
    pub name: Name,
    pub kind: DefKind,
    /// What it is written in; the file for what stands at the top, and for itself.
    pub parent: DefId,
    /// From the first decorator or attribute to the last byte.
    pub span: Span,
    #[serde(with = "deltas::line")]
    pub name_line: u32,
    /// In bytes from 1.
    pub name_col: u32,
    /// The declaration without its body, on one line.
    pub signature: Option<Name>,
    pub doc: Option<Name>,
    pub visibility: Visibility,
    pub flags: Flags,
    pub params: Box<[Param]>,
    /// Definitions of kind `TypeParam`, in order.
    pub type_params: Box<[DefId]>,
    /// What a function returns, a variable or field holds, an alias stands
    /// for, or the type an `impl` is for; as written.
    pub ty: Option<TypeId>,
    /// What is returned, yielded or assigned, where no type is written.
    pub values: Box<[ExprId]>,
    /// Classes inherited from, interfaces and traits implemented, bounds.
    pub bases: Box<[TypeId]>,
    pub decorators: Box<[ExprId]>,
    /// Over the bytes of `span`; none for what is no symbol.
    pub body: Option<Digest>,
}

impl Def {
    /// One of which nothing else is known.
    pub fn new(name: Name, kind: DefKind, parent: DefId) -> Self {
        Def {
            name,
            kind,
            parent,
            span: Span::default(),
            name_line: 0,
            name_col: 0,
            signature: None,
            doc: None,
            visibility: Visibility::Public,
            flags: Flags::default(),
            params: Box::default(),
            type_params: Box::default(),
            ty: None,
            values: Box::default(),
            bases: Box::default(),
            decorators: Box::default(),
            body: None,
        }
    }
}

/// A hash as the facts keep it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(pub [u8; 32]);

impl From<Digest> for Hash32 {
    fn from(digest: Digest) -> Self {
        Hash32(digest.0)
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Param {
    pub name: Name,
    pub ty: Option<TypeId>,
    pub default: Option<ExprId>,
    pub kind: ParamKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ParamKind {
    /// `self`, `cls`, a receiver.
    Receiver,
    Plain,
    Variadic,
    Keywords,
}

/// What a name can stand for: values and types may share a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Space {
    Value,
    Type,
    Both,
}

impl Space {
    pub fn meets(self, other: Space) -> bool {
        self == Space::Both || other == Space::Both || self == other
    }
}

/// A name made known.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bind {
    pub name: Name,
    pub space: Space,
    /// The module, class or namespace this is a member of; none inside functions.
    pub home: Option<DefId>,
    pub to: Binding,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Binding {
    Def(DefId),
    Import(ImportId),
    Param {
        of: DefId,
        index: u16,
    },
    /// A local variable: what is known of its type and what it was given.
    Var {
        ty: Option<TypeId>,
        value: Option<ExprId>,
    },
    /// Known here to be of a type, by a test around it.
    Narrowed {
        ty: TypeId,
    },
}

/// One imported name, or one wildcard.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Import {
    /// The module, in the language's parts: `["flask", "app"]`, `["./util"]`.
    pub path: Box<[Name]>,
    pub what: ImportedName,
    /// Steps up from this module; 0 is absolute.
    pub level: u8,
    /// Offered to others by this file too.
    pub is_reexport: bool,
    pub is_type_only: bool,
    /// The module it is written in.
    pub home: DefId,
    #[serde(with = "deltas::line")]
    pub line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ImportedName {
    /// The module as a whole, under the name bound.
    Module,
    /// One name of the module.
    Name(Name),
    Default,
    Wildcard,
    /// Nothing is bound: the module is only loaded.
    Effects,
    /// The module as a whole, as documentation names it: nothing is imported.
    Documented,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Expr {
    /// Nothing is known.
    Opaque,
    /// A name bound in this file; several where assignments meet.
    Local(Name, Box<[BindId]>),
    /// A name not bound in this file, met in the given module of it.
    Free(Name, DefId),
    Member(ExprId, Name),
    Call(ExprId, Box<[ExprId]>),
    New(ExprId, Box<[ExprId]>),
    /// With type arguments written.
    Generic(ExprId, Box<[TypeId]>),
    Index(ExprId, ExprId),
    Await(ExprId),
    /// The value behind `?` or `!`.
    Unwrap(ExprId),
    /// What a loop over it gives, and what a loop over its keys gives.
    Element(ExprId),
    Key(ExprId),
    /// One part of a tuple or several results.
    Part(ExprId, u32),
    /// A part of a value, by the case or struct a pattern names.
    Payload(ExprId, ExprId, Name),
    /// What `with` binds.
    Enter(ExprId),
    /// The value in whose method this stands.
    This(DefId),
    /// The same, seen as its base.
    Super(DefId),
    Literal(Literal),
    List(Box<[ExprId]>),
    Dict(Box<[ExprId]>, Box<[ExprId]>),
    Tuple(Box<[ExprId]>),
    /// A value of a type written out: a cast, a literal of a struct.
    Typed(TypeId),
    /// A function without a name, or an object literal.
    Nameless(DefId),
    /// One of these.
    Either(Box<[ExprId]>),
    /// What the n-th parameter of the function given as the m-th argument of a call gets.
    CallbackParam {
        call: ExprId,
        argument: u16,
        param: u16,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Literal {
    Text,
    Bytes,
    Number,
    Float,
    Bool,
    Nothing,
    Regex,
    Character,
    Byte,
    Short,
    Long,
    /// A floating number of half the size.
    Single,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum TypeRef {
    Opaque,
    /// A path in the space of types, with its arguments.
    Named(ExprId, Box<[TypeId]>),
    Union(Box<[TypeId]>),
    /// All of these at once.
    Meet(Box<[TypeId]>),
    Tuple(Box<[TypeId]>),
    List(TypeId),
    Map(TypeId, TypeId),
    Function(Box<[TypeId]>, Option<TypeId>),
    /// The type around this place.
    Itself,
    /// Members written on the spot.
    Record(DefId),
    /// The type of a value, as in `typeof x`.
    Of(ExprId),
    /// The class itself, not a value of it, as in `type[X]`.
    ClassOf(TypeId),
    /// `T::Item`, with `T: Trait` said where known.
    Assoc(TypeId, Name),
    /// `Iterator<Item = T>`: a binding of an associated type, as an argument.
    AssocIs(Name, TypeId),
    /// `T[K]` with `K` a literal text.
    Lookup(TypeId, Name),
    Literal(Literal),
}

/// A place where something is called.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The `Call` or `New` this is.
    pub expr: ExprId,
    /// The callee's last name as written.
    pub name: Name,
    /// Of the callee's name token; the column in bytes from 1.
    #[serde(with = "deltas::line")]
    pub line: u32,
    pub col: u32,
    /// The innermost definition around it, a nameless one included.
    pub within: DefId,
    pub n_args: u16,
}

impl FileFacts {
    pub fn text(&self, name: Name) -> &str {
        self.names.get(name.ix()).map_or("", |text| text)
    }

    pub fn def(&self, id: DefId) -> &Def {
        &self.defs[id.ix()]
    }

    pub fn def_name(&self, id: DefId) -> &str {
        self.text(self.def(id).name)
    }

    /// The innermost symbol that is, or is around, a definition.
    pub fn symbol_around(&self, mut id: DefId) -> DefId {
        while !self.def(id).kind.is_symbol() && id != DefId::FILE {
            id = self.def(id).parent;
        }
        id
    }

    /// Whether a definition is another one, or written inside it.
    pub fn is_within(&self, mut id: DefId, outer: DefId) -> bool {
        while id != outer && id != DefId::FILE {
            id = self.def(id).parent;
        }
        id == outer
    }

    /// The names from the file down to a symbol: `App.run`. Members of an
    /// `impl` block are named after its type. Empty for the file.
    pub fn symbol_path(&self, id: DefId) -> String {
        let mut parts = Vec::new();
        let mut at = id;
        while at != DefId::FILE {
            let def = self.def(at);
            if def.kind.is_symbol() || def.kind == DefKind::Impl {
                parts.push(self.text(def.name));
            }
            at = def.parent;
        }
        parts.reverse();
        parts.join(".")
    }

    /// The callee as written, as far as its structure is kept: `self.jar.get`.
    pub fn callee_text(&self, call: &Call) -> String {
        match &self.exprs[call.expr.ix()] {
            Expr::Call(callee, _) | Expr::New(callee, _) => self.expr_text(*callee, 0),
            _ => self.text(call.name).to_owned(),
        }
    }

    fn expr_text(&self, id: ExprId, depth: usize) -> String {
        if depth > 8 {
            return "…".to_owned();
        }
        match &self.exprs[id.ix()] {
            Expr::Local(name, _) | Expr::Free(name, _) => self.text(*name).to_owned(),
            Expr::Member(base, name) => {
                format!("{}.{}", self.expr_text(*base, depth + 1), self.text(*name))
            }
            Expr::Call(callee, _) | Expr::New(callee, _) => {
                format!("{}()", self.expr_text(*callee, depth + 1))
            }
            Expr::Generic(inner, _) | Expr::Await(inner) | Expr::Unwrap(inner) => {
                self.expr_text(*inner, depth + 1)
            }
            Expr::Index(base, _) => format!("{}[]", self.expr_text(*base, depth + 1)),
            Expr::This(_) => "self".to_owned(),
            Expr::Super(_) => "super".to_owned(),
            _ => "…".to_owned(),
        }
    }
}
