//! The symbols of one version, as the matcher sees them.

use super::bags::{Bag, Token, Vocabulary, sub_words, text_of, tokens};
use super::declarations::Definitions;
use super::records::data_records;
use super::{SourceFile, rules};
use crate::facts::{DefId, DefKind, FileFacts, Flags, Literal, Name, TypeId, TypeRef, Visibility};
use crate::lang;
use model::code::is_test_path;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// A symbol of a file, without what it takes to compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub def: DefId,
    pub sort: Sort,
    pub name: Box<str>,
    /// The names from the file down to it.
    pub path: Box<str>,
    /// The types of its parameters as written; their names where there are none.
    pub params: Box<[Box<str>]>,
}

/// The symbols of one file, in order: those that [`super::match_versions`] knows.
pub fn entries(file: &SourceFile<'_>) -> Vec<Entry> {
    let facts = file.facts;
    let mut all = Vec::new();
    for (id, def) in facts.defs.iter().enumerate().skip(1) {
        let id = DefId(id as u32);
        let assigned = (def.kind == DefKind::Lambda)
            .then(|| assigned_name(file, def.span.start_byte as usize))
            .flatten();
        let Some(sort) = sort_of(def.kind).or(assigned.map(|_| Sort::Callable)) else { continue };
        let path = assigned.map_or_else(|| facts.symbol_path(id), str::to_owned);
        let name = match assigned {
            Some(assigned) => assigned.rsplit('.').next().unwrap_or(assigned),
            None => facts.text(def.name),
        };
        let params = params_of(facts, id);
        all.push(Entry { def: id, sort, name: name.into(), path: path.into(), params });
    }
    all
}

/// What a symbol can become: another one of its sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Type,
    Callable,
    Value,
}

/// A symbol of one version.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Its file's place among those given.
    pub file: u32,
    pub def: DefId,
    pub sort: Sort,
    pub kind: DefKind,
    pub name: Box<str>,
    /// The names from the file down to it.
    pub path: Box<str>,
    /// The symbol it is a member of; none at the top of a file.
    pub parent: Option<u32>,
    /// Written inside a function.
    pub is_local: bool,
    /// Declared without a body.
    pub is_abstract: bool,
    pub visibility: Visibility,
    pub is_constructor: bool,
    /// One of several signatures of a function that is written elsewhere.
    pub is_overload: bool,
    pub is_test: bool,
    /// The types of its parameters as written; their names where there are none.
    pub params: Box<[Box<str>]>,
    /// The name of the type it returns or holds, where one is written.
    pub(super) ty: Option<Box<str>>,
    /// Sorted words of the declaration but its own name.
    pub(super) signature: Vec<Box<str>>,
    /// Last names of the types it inherits from.
    pub(super) bases: Vec<Box<str>>,
    pub(super) bag: Bag,
    /// Everything but comments, layout and its name.
    pub(super) text: u64,
    /// Parts of names, of small functions only, once somebody asked.
    pub(super) parts: OnceCell<Vec<String>>,
}

impl Symbol {
    /// The container: a symbol (true) or a file.
    pub(super) fn home(&self) -> (bool, u32) {
        match self.parent {
            Some(parent) => (true, parent),
            None => (false, self.file),
        }
    }

    /// A hash of everything but comments, layout and the symbol's own name.
    pub fn text(&self) -> u64 {
        self.text
    }
}

pub type KeyIndex<'a> = FxHashMap<(&'a str, Sort, &'a str), Vec<u32>>;

/// One version.
pub struct Side<'a> {
    pub files: Vec<SourceFile<'a>>,
    pub symbols: Vec<Symbol>,
    /// The symbols of each name.
    pub by_name: FxHashMap<Box<str>, Vec<u32>>,
}

impl<'a> Side<'a> {
    pub fn of(
        files: &[SourceFile<'a>],
        definitions: &Definitions<'_>,
        words: &mut Vocabulary,
    ) -> Self {
        let mut side =
            Side { files: files.to_vec(), symbols: Vec::new(), by_name: FxHashMap::default() };
        for (at, file) in files.iter().enumerate() {
            side.add_file(at as u32, file, definitions, words);
        }
        for (at, symbol) in side.symbols.iter().enumerate() {
            side.by_name.entry(symbol.name.clone()).or_default().push(at as u32);
        }
        side
    }

    fn add_file(
        &mut self,
        at: u32,
        file: &SourceFile<'a>,
        definitions: &Definitions<'_>,
        words: &mut Vocabulary,
    ) {
        let facts = file.facts;
        let mut announced = FxHashSet::default();
        let tokens = tokens(file.bytes, &facts.language, words);
        let data = data_records(file);
        // For each definition the symbol that stands for it, or is around it.
        let mut place: Vec<Option<u32>> = vec![None; facts.defs.len()];
        let mut types: FxHashMap<&str, u32> = FxHashMap::default();
        for id in outer_first(facts) {
            let def = facts.def(id);
            let around = place.get(def.parent.ix()).copied().flatten();
            let assigned = (def.kind == DefKind::Lambda)
                .then(|| assigned_name(file, def.span.start_byte as usize))
                .flatten();
            let sort = sort_of(def.kind).or(assigned.map(|_| Sort::Callable));
            let Some(sort) = sort else {
                let named = (def.kind == DefKind::Impl).then(|| types.get(facts.text(def.name)));
                place[id.ix()] = named.flatten().copied().or(around);
                continue;
            };
            // A statement about a table that another file makes is no table.
            let is_elsewhere = def.kind == DefKind::Table && def.flags.has(Flags::ELSEWHERE);
            if is_elsewhere || definitions.is_announced(file, id, &mut announced) {
                place[id.ix()] = around;
                continue;
            }
            let depth = depth_of(&self.symbols, around);
            let parent = around.map(|parent| &self.symbols[parent as usize]);
            let is_local = parent.is_some_and(|it| it.is_local || it.sort == Sort::Callable)
                || is_in_anonymous_class(facts, id)
                || (is_test_path(file.path) && is_in_callback(facts, id));
            let is_data = sort == Sort::Value && data.contains(&def.parent);
            if depth > rules::MOST_NESTED || is_data || (is_local && sort == Sort::Value) {
                place[id.ix()] = around;
                continue;
            }
            let place_in = Placement { file: at, parent: around, is_local, assigned };
            let symbol = symbol_of(file, id, sort, place_in, &tokens, words);
            place[id.ix()] = Some(self.symbols.len() as u32);
            if sort == Sort::Type {
                types.entry(facts.text(def.name)).or_insert(self.symbols.len() as u32);
            }
            self.symbols.push(symbol);
        }
    }

    /// The parts of the names in a small function; none of others.
    pub fn parts(&self, symbol: u32) -> &[String] {
        let symbol = &self.symbols[symbol as usize];
        symbol.parts.get_or_init(|| {
            let is_small = (symbol.bag.n_tokens as usize) <= rules::SMALL;
            if symbol.sort != Sort::Callable || !is_small {
                return Vec::new();
            }
            let file = &self.files[symbol.file as usize];
            let span = file.facts.def(symbol.def).span;
            let source = file.bytes.get(span.start_byte as usize..span.end_byte as usize);
            source.map(sub_words).unwrap_or_default()
        })
    }

    /// Whether one type inherits from another of this version, by name.
    pub fn is_subtype(&self, symbol: u32, base: &str) -> bool {
        let mut reached: Vec<u32> = vec![symbol];
        let mut at = 0;
        while let Some(symbol) = reached.get(at).copied() {
            at += 1;
            for name in &self.symbols[symbol as usize].bases {
                if &**name == base {
                    return true;
                }
                let named = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
                for next in named.iter().take(4) {
                    if reached.len() < 32 && !reached.contains(next) {
                        reached.push(*next);
                    }
                }
            }
        }
        false
    }
}

/// The definitions of a file, each behind what it is in: an object may become a symbol for
/// members that it is given later.
fn outer_first(facts: &FileFacts) -> Vec<DefId> {
    let n_defs = facts.defs.len();
    let mut is_placed = vec![false; n_defs];
    if let Some(file) = is_placed.first_mut() {
        *file = true;
    }
    let mut order = Vec::with_capacity(n_defs);
    let mut waiting = Vec::new();
    for id in 1..n_defs {
        let mut at = id;
        while at < n_defs && !is_placed[at] {
            is_placed[at] = true;
            waiting.push(DefId(at as u32));
            at = facts.defs[at].parent.ix();
        }
        order.extend(waiting.drain(..).rev());
    }
    order
}

/// Members of a class without a name belong to the value that holds it.
fn is_in_anonymous_class(facts: &FileFacts, id: DefId) -> bool {
    facts.def(facts.def(id).parent).kind == DefKind::Record
        && lang::notation(&facts.language).has_anonymous_classes
}

/// In tests, what is written in a function without a name is of one test only.
fn is_in_callback(facts: &FileFacts, id: DefId) -> bool {
    let mut at = facts.def(id).parent;
    while at != DefId::FILE {
        let def = facts.def(at);
        if def.kind == DefKind::Lambda {
            return true;
        }
        at = def.parent;
    }
    false
}

fn depth_of(symbols: &[Symbol], mut around: Option<u32>) -> u32 {
    let mut depth = 0;
    while let Some(parent) = around {
        depth += 1;
        around = symbols[parent as usize].parent;
    }
    depth
}

fn sort_of(kind: DefKind) -> Option<Sort> {
    match kind {
        DefKind::Class
        | DefKind::Struct
        | DefKind::Interface
        | DefKind::Trait
        | DefKind::Enum
        | DefKind::Alias
        | DefKind::Mixin
        | DefKind::Module
        | DefKind::Service
        | DefKind::Message
        | DefKind::Table => Some(Sort::Type),
        DefKind::Function | DefKind::Method | DefKind::Rpc | DefKind::Job => Some(Sort::Callable),
        DefKind::Const
        | DefKind::Var
        | DefKind::Field
        | DefKind::Variant
        | DefKind::Column
        | DefKind::Resource
        | DefKind::Route
        | DefKind::Selector => Some(Sort::Value),
        DefKind::Impl | DefKind::Lambda | DefKind::Record | DefKind::TypeParam => None,
    }
}

/// Where a symbol stands.
struct Placement<'f> {
    file: u32,
    parent: Option<u32>,
    is_local: bool,
    /// What a nameless function was assigned to.
    assigned: Option<&'f str>,
}

/// What a nameless function is assigned to, as written: `helpers.each` of
/// `helpers.each = function () {…}`.
fn assigned_name<'f>(file: &SourceFile<'f>, start: usize) -> Option<&'f str> {
    const LONGEST: usize = 120;
    if !lang::notation(&file.facts.language).has_object_literals {
        return None;
    }
    let before = file.bytes.get(start.saturating_sub(LONGEST)..start)?.trim_ascii_end();
    let before = before.strip_suffix(b"=")?.trim_ascii_end();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$.".contains(byte);
    let from = before.iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
    let name = std::str::from_utf8(&before[from..]).ok()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    (is_name && !name.ends_with('.')).then_some(name)
}

fn symbol_of(
    file: &SourceFile<'_>,
    id: DefId,
    sort: Sort,
    place: Placement<'_>,
    tokens: &[Token],
    words: &Vocabulary,
) -> Symbol {
    let facts = file.facts;
    let def = facts.def(id);
    let path = match place.assigned {
        Some(assigned) => assigned.to_owned(),
        None => facts.symbol_path(id),
    };
    let name = match place.assigned {
        Some(assigned) => assigned.rsplit('.').next().unwrap_or(assigned),
        None => facts.text(def.name),
    };
    let own = words.known(name);
    let from = tokens.partition_point(|token| token.at < def.span.start_byte);
    let to = tokens.partition_point(|token| token.at < def.span.end_byte);
    let mut slice = tokens.get(from..to).unwrap_or_default();
    let span = def.span.start_byte as usize..def.span.end_byte as usize;
    let source = file.bytes.get(span).unwrap_or_default();
    if is_quoted_key(source, name) {
        let behind = slice.partition_point(|token| token.at == def.span.start_byte);
        slice = &slice[behind..];
    }
    let bag = Bag::of(slice, own);
    let text = |name: Option<Name>| name.map_or("", |name| facts.text(name));
    Symbol {
        file: place.file,
        def: id,
        sort,
        kind: def.kind,
        name: name.into(),
        path: path.into(),
        parent: place.parent,
        is_local: place.is_local,
        is_abstract: sort == Sort::Callable
            && (def.flags.has(Flags::ABSTRACT)
                || def.flags.has(Flags::ELSEWHERE)
                || is_bodyless(&facts.language, source)),
        visibility: def.visibility,
        is_overload: def.flags.has(Flags::OVERLOAD),
        is_constructor: def.flags.has(Flags::CONSTRUCTOR),
        is_test: def.flags.has(Flags::TEST),
        params: params_of(facts, id),
        ty: def.ty.and_then(|ty| type_name(facts, ty)),
        signature: signature_words(text(def.signature), name),
        bases: def.bases.iter().filter_map(|ty| last_name(facts, *ty)).map(Into::into).collect(),
        text: text_of(slice, own),
        bag,
        parts: OnceCell::new(),
    }
}

/// `"name": …`: the words in the quotes are the symbol's own name.
fn is_quoted_key(source: &[u8], name: &str) -> bool {
    let inner = source.strip_prefix(b"\"").or_else(|| source.strip_prefix(b"'"));
    inner
        .and_then(|rest| rest.strip_prefix(name.as_bytes()))
        .is_some_and(|rest| matches!(rest.first(), Some(b'"' | b'\'')))
}

/// Whether what is written has no body, where one would show.
fn is_bodyless(language: &str, source: &[u8]) -> bool {
    lang::notation(language).bodies_are_marked && !source.contains(&b'{') && !source.contains(&b'=')
}

fn params_of(facts: &FileFacts, id: DefId) -> Box<[Box<str>]> {
    let def = facts.def(id);
    def.params
        .iter()
        .filter(|param| param.kind != crate::facts::ParamKind::Receiver)
        .map(|param| match param.ty.and_then(|ty| last_name(facts, ty)) {
            Some(ty) => ty.into(),
            None => facts.text(param.name).into(),
        })
        .collect()
}

/// What to compare types by: a name, or the kind of value of what has none.
fn type_name(facts: &FileFacts, ty: TypeId) -> Option<Box<str>> {
    match facts.types.get(ty.ix())? {
        // An `int` that became a `long` is no other kind of thing.
        TypeRef::Literal(literal) => Some(
            match literal {
                Literal::Character | Literal::Byte | Literal::Short | Literal::Long => {
                    format!("{:?}", Literal::Number)
                }
                Literal::Single => format!("{:?}", Literal::Float),
                literal => format!("{literal:?}"),
            }
            .into(),
        ),
        TypeRef::List(inner) => type_name(facts, *inner),
        _ => last_name(facts, ty).map(Into::into),
    }
}

/// The last name of a type as written, generic arguments left out.
fn last_name(facts: &FileFacts, ty: TypeId) -> Option<&str> {
    use crate::facts::Expr;
    match facts.types.get(ty.ix())? {
        TypeRef::Named(expr, _) => match facts.exprs.get(expr.ix())? {
            Expr::Local(name, _) | Expr::Free(name, _) | Expr::Member(_, name) => {
                Some(facts.text(*name))
            }
            _ => None,
        },
        TypeRef::List(inner) => last_name(facts, *inner),
        _ => None,
    }
}

/// Declarations are short; longer ones are compared by their beginning.
const MOST_WORDS: usize = 80;

fn signature_words(signature: &str, own: &str) -> Vec<Box<str>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut words: Vec<Box<str>> = signature
        .split(|c| !is_word(c))
        .filter(|word| !word.is_empty() && *word != own)
        .take(MOST_WORDS)
        .map(Into::into)
        .collect();
    words.sort();
    words
}
