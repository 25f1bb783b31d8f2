//! What a value is, as far as the text of the program shows it.

use super::layout::FileIx;
use std::sync::Arc;

/// A definition of the whole program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Gid(pub u32);

impl Gid {
    pub fn ix(self) -> usize {
        self.0 as usize
    }
}

/// A namespace that spans files, as a file sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SpaceRef {
    pub from: FileIx,
    pub id: u32,
}

pub type Args = Arc<[Ty]>;

/// Parts of one type, all together.
const MAX_PARTS: usize = 4_096;

#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Unknown,
    /// `None`, `null`, nothing.
    Nothing,
    /// Something that is not in this repository.
    Outside,
    /// A file as a value.
    Module(FileIx),
    /// A namespace that spans files.
    Space(SpaceRef),
    /// The definition itself: a class, a function, a namespace.
    Itself(Gid, Args),
    /// A value of a type, with the arguments of its type parameters.
    Value(Gid, Args),
    /// A method together with the value it was read from.
    Method(Gid, Arc<Ty>),
    /// A type parameter not yet known.
    Param(Gid),
    /// The type of the receiver, filled in when a member is read.
    This,
    Tuple(Args),
    Function(Args, Arc<Ty>),
    Either(Args),
    /// All of these at once.
    Meet(Args),
    /// `T::Name` of a type not yet known.
    Assoc(Arc<Ty>, u64),
    /// `Name = T` among the arguments of a type.
    AssocIs(u64, Arc<Ty>),
}

impl Ty {
    pub fn value(gid: Gid) -> Ty {
        Ty::Value(gid, no_args())
    }

    pub fn itself(gid: Gid) -> Ty {
        Ty::Itself(gid, no_args())
    }

    /// Whether something about it is still open.
    pub fn is_partial(&self) -> bool {
        match self {
            Ty::Unknown => true,
            Ty::Either(parts) | Ty::Tuple(parts) | Ty::Value(_, parts) | Ty::Meet(parts) => {
                parts.iter().any(Ty::is_partial)
            }
            Ty::Function(params, result) => {
                params.iter().any(Ty::is_partial) || result.is_partial()
            }
            Ty::Method(_, on) => on.is_partial(),
            _ => false,
        }
    }

    /// Whether it may be something else than what is known of it.
    pub fn is_open_end(&self) -> bool {
        match self {
            Ty::Unknown => true,
            Ty::Either(parts) => parts.iter().any(Ty::is_open_end),
            _ => false,
        }
    }

    /// One of several: flat, each once, in order of first mention.
    pub fn either(parts: impl IntoIterator<Item = Ty>) -> Ty {
        let mut flat: Vec<Ty> = Vec::new();
        for part in parts {
            let inner: &[Ty] = match &part {
                Ty::Either(inner) => inner,
                other => std::slice::from_ref(other),
            };
            for ty in inner {
                if flat.len() < 12 && !flat.contains(ty) {
                    flat.push(ty.clone());
                }
            }
        }
        match flat.len() {
            0 => Ty::Unknown,
            1 => flat.swap_remove(0),
            _ => Ty::Either(flat.into()),
        }
    }

    /// The alternatives that can have members.
    pub fn alternatives(&self) -> Vec<&Ty> {
        match self {
            Ty::Either(parts) => parts.iter().filter(|ty| **ty != Ty::Nothing).collect(),
            other => vec![other],
        }
    }

    /// Itself, or unknown where it has more parts than anything a person
    /// writes: parts are shared, so few lines can make more than memory holds.
    #[must_use]
    pub fn bounded(self) -> Ty {
        let mut left = MAX_PARTS;
        if self.takes_at_most(&mut left) { self } else { Ty::Unknown }
    }

    fn takes_at_most(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Ty::Value(_, parts)
            | Ty::Itself(_, parts)
            | Ty::Tuple(parts)
            | Ty::Either(parts)
            | Ty::Meet(parts) => parts.iter().all(|part| part.takes_at_most(left)),
            Ty::Function(params, result) => {
                params.iter().all(|part| part.takes_at_most(left)) && result.takes_at_most(left)
            }
            Ty::Method(_, inner) | Ty::Assoc(inner, _) | Ty::AssocIs(_, inner) => {
                inner.takes_at_most(left)
            }
            _ => true,
        }
    }

    /// How deep its arguments nest; inference that only nests deeper is cut.
    pub fn depth(&self) -> usize {
        let deepest = |parts: &[Ty]| parts.iter().map(Ty::depth).max().unwrap_or(0);
        1 + match self {
            Ty::Value(_, parts)
            | Ty::Itself(_, parts)
            | Ty::Tuple(parts)
            | Ty::Either(parts)
            | Ty::Meet(parts) => deepest(parts),
            Ty::Function(params, result) => deepest(params).max(result.depth()),
            Ty::Method(_, inner) | Ty::Assoc(inner, _) | Ty::AssocIs(_, inner) => inner.depth(),
            _ => 0,
        }
    }
}

pub fn no_args() -> Args {
    static EMPTY: std::sync::OnceLock<Args> = std::sync::OnceLock::new();
    EMPTY.get_or_init(|| Arc::from([])).clone()
}

/// What type parameters, and the receiver, stand for at one use.
#[derive(Clone, Default, Debug)]
pub struct Bindings {
    pub this: Option<Ty>,
    pub params: Vec<(Gid, Ty)>,
}

impl Bindings {
    pub fn is_empty(&self) -> bool {
        self.this.is_none() && self.params.is_empty()
    }

    pub fn get(&self, param: Gid) -> Option<&Ty> {
        self.params.iter().find(|(known, _)| *known == param).map(|(_, ty)| ty)
    }

    /// The type with everything known filled in.
    pub fn fill(&self, ty: &Ty) -> Ty {
        if self.is_empty() {
            return ty.clone();
        }
        let all = |parts: &[Ty]| -> Args { parts.iter().map(|part| self.fill(part)).collect() };
        match ty {
            Ty::Param(gid) => self.get(*gid).cloned().unwrap_or_else(|| ty.clone()),
            Ty::This => self.this.clone().unwrap_or(Ty::This),
            Ty::Value(gid, args) if !args.is_empty() => Ty::Value(*gid, all(args)),
            Ty::Itself(gid, args) if !args.is_empty() => Ty::Itself(*gid, all(args)),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Either(parts) => Ty::either(parts.iter().map(|part| self.fill(part))),
            Ty::Meet(parts) => Ty::Meet(all(parts)),
            Ty::Function(params, result) => Ty::Function(all(params), Arc::new(self.fill(result))),
            Ty::Method(gid, on) => Ty::Method(*gid, Arc::new(self.fill(on))),
            Ty::Assoc(of, name) => Ty::Assoc(Arc::new(self.fill(of)), *name),
            Ty::AssocIs(name, is) => Ty::AssocIs(*name, Arc::new(self.fill(is))),
            _ => ty.clone(),
        }
    }
}
