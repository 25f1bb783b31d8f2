//! SQL: tables with their columns, views, and what refers to what.

use super::outline::{define, relate};
use super::tokens::{Kind, Style, Token, closing, span, tokens};
use crate::facts::{Builder, DefId, DefKind, Flags, Name};
use model::code::EdgeKind;
use rustc_hash::FxHashMap;

pub(super) const STYLE: Style = Style {
    in_words: "$#",
    line_comments: &["--"],
    block_comments: true,
    quotes: "'\"`",
    heredocs: false,
};

/// Words that begin a constraint, not a column: no column is called so without quotes.
const CONSTRAINTS: [&str; 6] = ["constraint", "primary", "foreign", "unique", "check", "like"];

/// Whether a clause of a table is about something other than a column. `key`, `index`,
/// `period` and the like are fine names of columns where the rest of a constraint is not
/// behind them.
pub(super) fn is_constraint(clause: &[Token<'_>]) -> bool {
    let is = |at: usize, words: &[&str]| {
        clause.get(at).is_some_and(|it| words.iter().any(|word| it.is_word(word)))
    };
    if is(0, &["period"]) {
        return is(1, &["for"]);
    }
    if is(0, &["exclude"]) {
        return is(1, &["using"]) || clause.get(1).is_some_and(|it| it.is("("));
    }
    if is(0, &["fulltext", "spatial"]) {
        return is_index(&clause[if is(1, &["key", "index"]) { 2 } else { 1 }..]);
    }
    is(0, &CONSTRAINTS) || (is(0, &["key", "index"]) && is_index(&clause[1..]))
}

/// `[name] [USING way] (column, …)`: behind a type stands a number in brackets, or values.
fn is_index(words: &[Token<'_>]) -> bool {
    const WAYS: [&str; 6] = ["using", "btree", "hash", "unique", "clustered", "nonclustered"];
    let Some(open) = words.iter().take(6).position(|it| it.is("(")) else { return false };
    let mut before = words[..open].iter();
    let has_values = before.clone().any(|it| it.is_word("enum") || it.is_word("set"));
    let n_names = before.by_ref().filter(|it| !WAYS.iter().any(|way| it.is_word(way))).count();
    let inner = words[open + 1..].iter().take(3).find(|it| !it.is("("));
    let is_named = inner.is_some_and(|it| {
        let is_length = it.is_word("max") || it.text.starts_with(|c: char| c.is_ascii_digit());
        it.kind != Kind::Mark && !is_length
    });
    n_names <= 1 && is_named && !has_values
}

pub(super) fn reads(path: &str) -> bool {
    super::has_extension(path, &["sql", "ddl", "psql"])
}

pub(super) fn read(b: &mut Builder<'_>, _path: &str) {
    let all = tokens(b.source, STYLE);
    let mut tables = Tables::default();
    let mut start = 0;
    while start < all.len() {
        let mut end = start;
        while end < all.len() && !all[end].is(";") {
            end += 1;
        }
        statement(b, &mut tables, &all[start..end]);
        start = end + 1;
    }
}

/// The first table of each name, among the definitions read so far.
#[derive(Default)]
struct Tables {
    by_name: FxHashMap<Name, DefId>,
    n_read: usize,
}

impl Tables {
    fn find(&mut self, b: &mut Builder<'_>, name: &str) -> Option<DefId> {
        for (at, def) in b.facts.defs.iter().enumerate().skip(self.n_read) {
            if def.kind == DefKind::Table {
                self.by_name.entry(def.name).or_insert(DefId(at as u32));
            }
        }
        self.n_read = b.facts.defs.len();
        self.by_name.get(&b.known_name(name)?).copied()
    }
}

fn statement(b: &mut Builder<'_>, tables: &mut Tables, words: &[Token<'_>]) {
    let Some(first) = words.first() else { return };
    if first.is_word("create") {
        let what = words.iter().take(6).position(|token| {
            ["table", "view", "index", "function", "procedure"].iter().any(|w| token.is_word(w))
        });
        let Some(what) = what else { return };
        let Some((name, next)) = name_at(words, what + 1) else { return };
        match words[what].text.to_ascii_lowercase().as_str() {
            "table" => table(b, words, &name, next),
            "view" => view(b, words, &name, next),
            "function" | "procedure" => {
                define(b, DefId::FILE, DefKind::Function, &name, span(words));
            }
            _ => {}
        }
    } else if first.is_word("alter") && words.get(1).is_some_and(|w| w.is_word("table")) {
        alter(b, tables, words);
    }
}

/// A name that may be qualified and quoted, and the index after it. Words
/// such as `IF NOT EXISTS` and `ONLY` before it are passed over.
fn name_at(words: &[Token<'_>], mut at: usize) -> Option<(String, usize)> {
    while words.get(at).is_some_and(|token| {
        ["if", "not", "exists", "only", "concurrently"].iter().any(|word| token.is_word(word))
    }) {
        at += 1;
    }
    let mut name = words.get(at).filter(|token| token.kind != Kind::Mark)?.text.to_owned();
    at += 1;
    while words.get(at).is_some_and(|token| token.is("."))
        && let Some(next) = words.get(at + 1)
    {
        // The last part is the name; what is before it is a schema.
        next.text.clone_into(&mut name);
        at += 2;
    }
    Some((name, at))
}

fn table(b: &mut Builder<'_>, words: &[Token<'_>], name: &str, next: usize) {
    let table = define(b, DefId::FILE, DefKind::Table, name, span(words));
    let Some(open) = words.get(next).filter(|token| token.is("(")).map(|_| next) else {
        sources(b, table, &words[next.min(words.len())..]);
        return;
    };
    let end = closing(words, open);
    let mut start = open + 1;
    let mut at = start;
    while at < end {
        if words[at].is("(") {
            at = closing(words, at);
            continue;
        }
        if words[at].is(",") || at + 1 >= end {
            column(b, table, &words[start..at.max(start)]);
            start = at + 1;
        }
        at += 1;
    }
}

fn column(b: &mut Builder<'_>, table: DefId, words: &[Token<'_>]) {
    let Some(first) = words.first().filter(|token| token.kind != Kind::Mark) else { return };
    let from = if is_constraint(words) {
        table
    } else {
        define(b, table, DefKind::Column, first.text, span(words))
    };
    references(b, from, words);
}

/// Every `REFERENCES name` among some words.
fn references(b: &mut Builder<'_>, from: DefId, words: &[Token<'_>]) {
    for (at, token) in words.iter().enumerate() {
        if token.is_word("references")
            && let Some((name, _)) = name_at(words, at + 1)
        {
            relate(b, EdgeKind::References, from, DefKind::Table, &name, token.start);
            // The table cannot be made without the other.
            let table = table_around(b, from);
            relate(b, EdgeKind::DependsOn, table, DefKind::Table, &name, token.start);
        }
    }
}

fn table_around(b: &Builder<'_>, def: DefId) -> DefId {
    let entry = b.facts.def(def);
    if entry.kind == DefKind::Column { entry.parent } else { def }
}

fn view(b: &mut Builder<'_>, words: &[Token<'_>], name: &str, next: usize) {
    let view = define(b, DefId::FILE, DefKind::Table, name, span(words));
    sources(b, view, &words[next.min(words.len())..]);
}

/// The tables a query reads.
fn sources(b: &mut Builder<'_>, from: DefId, words: &[Token<'_>]) {
    for (at, token) in words.iter().enumerate() {
        if (token.is_word("from") || token.is_word("join"))
            && let Some((name, _)) = name_at(words, at + 1)
        {
            relate(b, EdgeKind::DependsOn, from, DefKind::Table, &name, token.start);
        }
    }
}

/// `ALTER TABLE name ADD … REFERENCES other`.
fn alter(b: &mut Builder<'_>, tables: &mut Tables, words: &[Token<'_>]) {
    let Some((name, next)) = name_at(words, 2) else { return };
    let rest = &words[next.min(words.len())..];
    let Some(table) = tables.find(b, &name) else {
        if rest.iter().any(|token| token.is_word("references")) {
            // The table is made elsewhere; this statement is what refers.
            let def = define(b, DefId::FILE, DefKind::Table, &name, span(words));
            b.def_mut(def).flags.add(Flags::ELSEWHERE);
            references(b, def, rest);
        }
        return;
    };
    references(b, table, rest);
    for (at, token) in rest.iter().enumerate() {
        let is_column =
            token.is_word("add") && rest.get(at + 1).is_some_and(|t| t.is_word("column"));
        if is_column && let Some((column, _)) = name_at(rest, at + 2) {
            define(b, table, DefKind::Column, &column, token.start..token.end);
        }
    }
}
