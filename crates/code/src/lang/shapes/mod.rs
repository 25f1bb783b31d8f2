//! One walk for languages that differ in words more than in meaning.
//!
//! A language says for a node of its tree what it is (`Shape`, `TypeShape`);
//! the walk turns that into facts: definitions, scopes, names, calls. So a
//! language of this kind is mostly a table of its grammar. What no shape says,
//! a language lowers itself in `own`, with the same walk at hand.
//!
//! Go, Python, Rust and TypeScript have walks of their own: they came first,
//! and their scopes and types bend in ways a table would not show.

mod declare;
mod express;
pub(crate) mod parts;
pub(crate) mod spaces;
mod types;
mod walk;

pub(crate) use walk::Walk;

use crate::facts::{DefKind, ExprId, Flags, Literal, ParamKind, Visibility};
use tree_sitter::Node;

/// What a language tells of its tree.
pub(crate) trait Syntax: Sync {
    fn shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> Shape<'t>;

    fn type_shape<'t>(&self, source: Source<'_>, node: Node<'t>) -> TypeShape<'t>;

    /// Lowers what has `Shape::Own`.
    fn own(&self, walk: &mut Walk<'_, '_>, node: Node<'_>) -> ExprId;

    /// Comments above a declaration are its documentation.
    fn is_comment(&self, node: Node<'_>) -> bool;

    /// Assigning to a name makes it known.
    fn assigning_binds(&self) -> bool {
        false
    }

    /// The last statement of a function is what it returns.
    fn last_is_returned(&self) -> bool {
        false
    }
}

/// The bytes of the file, and where the walk is.
#[derive(Clone, Copy)]
pub(crate) struct Source<'s> {
    pub bytes: &'s [u8],
    /// The kind of the innermost definition around.
    pub around: DefKind,
}

impl<'s> Source<'s> {
    pub fn text(self, node: Node<'_>) -> &'s str {
        let bytes = self.bytes.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

pub(crate) enum Shape<'t> {
    /// Nothing inside is of interest.
    Nothing,
    /// Its parts, in order; no value.
    Parts,
    /// Its parts, in a scope of their own.
    Block,
    /// The value of one part; nothing else inside counts.
    Same(Node<'t>),
    /// Lowered by the language itself.
    Own,
    /// The file belongs to a package or namespace of this name.
    Package(String),
    /// A namespace with a body.
    Space(String, Node<'t>),
    Type(Box<TypeDecl<'t>>),
    Callable(Box<Callable<'t>>),
    Vars(Box<Vars<'t>>),
    /// A case of an enum.
    Variant {
        name: Node<'t>,
        args: Vec<Node<'t>>,
        body: Option<Node<'t>>,
    },
    Return(Option<Node<'t>>),
    Foreach {
        ty: Option<WrittenType<'t>>,
        name: Option<Node<'t>>,
        over: Node<'t>,
        body: Vec<Node<'t>>,
    },
    /// A variable made by a pattern, a catch or the like, known from here on.
    Bind {
        ty: Option<WrittenType<'t>>,
        name: Node<'t>,
        value: Option<Node<'t>>,
    },
    Name,
    Literal(Literal),
    /// The same with parts to visit, as in a text with values in it.
    Text,
    This,
    Super,
    Member {
        object: Node<'t>,
        name: Node<'t>,
    },
    Call {
        callee: Callee<'t>,
        type_args: Vec<Node<'t>>,
        args: Vec<Node<'t>>,
    },
    New {
        ty: Node<'t>,
        args: Vec<Node<'t>>,
        body: Option<Node<'t>>,
    },
    Index {
        object: Node<'t>,
        rest: Vec<Node<'t>>,
    },
    /// A value seen as a type.
    Cast {
        ty: Node<'t>,
        value: Option<Node<'t>>,
    },
    Assign {
        left: Node<'t>,
        right: Node<'t>,
    },
    /// Two sides and what is between them.
    Binary {
        left: Node<'t>,
        right: Node<'t>,
        is_test: bool,
    },
    /// One of several values.
    Either {
        before: Vec<Node<'t>>,
        values: Vec<Node<'t>>,
    },
    List(Vec<Node<'t>>),
    Await(Node<'t>),
}

pub(crate) enum Callee<'t> {
    Name(Node<'t>),
    Member {
        object: Node<'t>,
        name: Node<'t>,
    },
    /// Another constructor of the class around, or of its base.
    ThisInit(Node<'t>),
    SuperInit(Node<'t>),
    Value(Node<'t>),
    /// Something lowered already when met by its node, and its name.
    Bound(Node<'t>, Node<'t>),
}

/// What is said of a declaration besides its parts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    pub visibility: Visibility,
    pub flags: Flags,
    /// Where the signature begins, if attributes come before it.
    pub start: Option<usize>,
}

impl Marks {
    pub fn with(mut self, flags: Flags) -> Self {
        self.flags.add(flags);
        self
    }
}

/// A type as written, as often a list of it as the declaration says.
#[derive(Clone, Copy)]
pub(crate) struct WrittenType<'t> {
    pub node: Node<'t>,
    pub lists: u8,
}

impl<'t> WrittenType<'t> {
    pub fn of(node: Node<'t>) -> Self {
        WrittenType { node, lists: 0 }
    }
}

pub(crate) struct TypeParam<'t> {
    pub name: Node<'t>,
    pub bounds: Vec<Node<'t>>,
}

pub(crate) struct TypeDecl<'t> {
    pub kind: DefKind,
    pub name: Option<Node<'t>>,
    /// The name, where the text of its node is not it.
    pub rename: Option<String>,
    pub type_params: Vec<TypeParam<'t>>,
    pub bases: Vec<Node<'t>>,
    /// A record's or a primary constructor's parameters: fields too.
    pub params: Option<Vec<Parameter<'t>>>,
    /// Walked by its parts.
    pub body: Option<Node<'t>>,
    /// Walked as a node, with its own shape.
    pub body_node: Option<Node<'t>>,
    /// What an alias stands for.
    pub is: Option<WrittenType<'t>>,
    /// Expressions outside the body: arguments for the base.
    pub also: Vec<Node<'t>>,
    /// Its name stands for something else.
    pub is_unbound: bool,
    pub marks: Marks,
}

impl<'t> TypeDecl<'t> {
    pub fn new(kind: DefKind, name: Option<Node<'t>>) -> Self {
        TypeDecl {
            kind,
            name,
            rename: None,
            type_params: Vec::new(),
            bases: Vec::new(),
            params: None,
            body: None,
            body_node: None,
            is: None,
            also: Vec::new(),
            is_unbound: false,
            marks: Marks::default(),
        }
    }
}

pub(crate) struct Callable<'t> {
    /// `Function`, `Method` or `Lambda`.
    pub kind: DefKind,
    pub name: Option<Node<'t>>,
    /// The names of the type it is written for, if that is not around it.
    pub owner: Vec<Node<'t>>,
    /// The type it can be called on as well, though written elsewhere.
    pub extends: Option<Node<'t>>,
    pub type_params: Vec<TypeParam<'t>>,
    pub params: Vec<Parameter<'t>>,
    pub result: Option<WrittenType<'t>>,
    pub body: Option<Node<'t>>,
    /// The body is one expression, and the value.
    pub is_value: bool,
    /// Expressions outside the body: initialisers of a constructor.
    pub also: Vec<Node<'t>>,
    pub marks: Marks,
}

impl<'t> Callable<'t> {
    pub fn new(kind: DefKind, name: Option<Node<'t>>) -> Self {
        Callable {
            kind,
            name,
            owner: Vec::new(),
            extends: None,
            type_params: Vec::new(),
            params: Vec::new(),
            result: None,
            body: None,
            is_value: false,
            also: Vec::new(),
            marks: Marks::default(),
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Parameter<'t> {
    pub name: Option<Node<'t>>,
    pub ty: Option<WrittenType<'t>>,
    pub default: Option<Node<'t>>,
    pub kind: ParamKind,
    /// A field of the type too, as in a record.
    pub is_field: bool,
    /// The name of one that is not written.
    pub implied: Option<&'static str>,
}

impl<'t> Parameter<'t> {
    pub fn new(name: Option<Node<'t>>, ty: Option<Node<'t>>) -> Self {
        Parameter {
            name,
            ty: ty.map(WrittenType::of),
            default: None,
            kind: ParamKind::Plain,
            is_field: false,
            implied: None,
        }
    }
}

/// Variables of one declaration: fields in a type, locals in a function.
pub(crate) struct Vars<'t> {
    pub kind: DefKind,
    pub items: Vec<Var<'t>>,
    pub marks: Marks,
}

pub(crate) struct Var<'t> {
    pub name: Node<'t>,
    pub ty: Option<WrittenType<'t>>,
    pub value: Option<Node<'t>>,
    /// Arguments the declaration hands to the constructor of its type.
    pub made_with: Option<Vec<Node<'t>>>,
}

pub(crate) enum TypeShape<'t> {
    Opaque,
    Same(Node<'t>),
    /// A dotted name, and the arguments of its last part.
    Path(Vec<Node<'t>>, Vec<Node<'t>>),
    List(Node<'t>),
    Tuple(Vec<Node<'t>>),
    Union(Vec<Node<'t>>),
    Function(Vec<Node<'t>>, Option<Node<'t>>),
    Literal(Literal),
    /// The type around.
    Itself,
    /// A type without a name, written on the spot.
    Nameless(Box<TypeDecl<'t>>),
    /// A type declared where it is used.
    Declared(Box<TypeDecl<'t>>),
}
