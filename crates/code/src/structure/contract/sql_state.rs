//! What the statements of SQL files lead to: tables, columns and enums as they are at the
//! end, and what is done to tables that other files made.

use super::sql_words::{
    clauses, declared, is_about_other, last, name_at, type_text, undoes, without_undoing,
};
use super::{Place, Source, lines_of, place_in};
use crate::facts::Lines;
use crate::structure::sql::{STYLE, is_constraint};
use crate::structure::tokens::{Kind, Token, closing, tokens};
use model::breaking::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// A table, or a type, of one database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableKey {
    pub name: String,
    /// The file that makes it, where several files make one of this name; else empty.
    pub home: String,
}

/// Where one version of some files leads.
#[derive(Default)]
pub struct State {
    pub tables: BTreeMap<TableKey, Table>,
    pub enums: BTreeMap<TableKey, (Vec<String>, Place)>,
    /// What is done to tables that are made elsewhere.
    pub steps: Vec<Step>,
    /// Columns that those tables get, as they are at the end.
    added: BTreeMap<TableKey, Vec<Column>>,
}

/// Names that several files of one version make, as several databases of one repository
/// do, or a schema and its migrations.
pub struct Homes {
    pub old: HomesOfVersion,
    pub new: HomesOfVersion,
}

#[derive(Default)]
pub struct HomesOfVersion {
    /// By name, the files in either version that make it.
    files: BTreeMap<String, BTreeSet<String>>,
    /// What the files of this version are called later.
    later: BTreeMap<String, String>,
}

impl Homes {
    pub fn of(
        old: &[Source<'_>],
        new: &[Source<'_>],
        moved: &impl Fn(&str) -> Option<String>,
    ) -> Homes {
        let later: BTreeMap<String, String> =
            old.iter().filter_map(|it| Some((it.path.to_owned(), moved(it.path)?))).collect();
        let nothing = BTreeMap::new();
        let sides = [made(old, &later), made(new, &nothing)];
        let mut several: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in sides.iter().flat_map(|it| it.iter().filter(|(_, in_files)| in_files.len() > 1))
        {
            several.entry(name.0.clone()).or_default();
        }
        for (name, files) in &mut several {
            files.extend(sides.iter().filter_map(|it| it.get(name)).flatten().cloned());
        }
        Homes {
            old: HomesOfVersion { files: several.clone(), later },
            new: HomesOfVersion { files: several, later: nothing },
        }
    }
}

/// The files that make a table or a type, by its name.
fn made(
    files: &[Source<'_>],
    later: &BTreeMap<String, String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    each_statement(files, |file, words, _| {
        if let Some(made) = created(words).filter(|it| it.kind != "other") {
            let path = later.get(file.path).map_or(file.path, String::as_str);
            all.entry(made.name).or_default().insert(path.to_owned());
        }
    });
    all
}

impl HomesOfVersion {
    /// Which table a file means: its own, or that of the nearest file.
    fn key(&self, name: String, path: &str) -> TableKey {
        let path = self.later.get(path).map_or(path, String::as_str);
        let home = self.files.get(&name).and_then(|files| match files.get(path) {
            Some(own) => Some(own),
            None => files.iter().rev().max_by_key(|home| n_shared_folders(home, path)),
        });
        TableKey { name, home: home.cloned().unwrap_or_default() }
    }
}

fn n_shared_folders(a: &str, b: &str) -> usize {
    let folders = |it: &'_ str| it.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let (a, b) = (folders(a), folders(b));
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// What a statement makes.
struct Created {
    /// `table`, `view`, `type` or `other`.
    kind: &'static str,
    name: String,
    /// Behind the name.
    next: usize,
}

fn created(words: &[Token<'_>]) -> Option<Created> {
    words.first().filter(|it| it.is_word("create"))?;
    let kinds = ["table", "view", "type", "index", "function", "procedure", "trigger"];
    let (at, kind) = words.iter().take(7).enumerate().find_map(|(at, token)| {
        kinds.iter().position(|kind| token.is_word(kind)).map(|kind| (at, kind))
    })?;
    let is_passing = words[..at].iter().any(|it| it.is_word("temporary") || it.is_word("temp"));
    let (name, next) = name_at(words, at + 1).filter(|_| !is_passing)?;
    let is_enum = words.get(next + 1).is_some_and(|it| it.is_word("enum"));
    let kind = match kinds[kind] {
        "type" if !is_enum => "other",
        known @ ("table" | "view" | "type") => known,
        _ => "other",
    };
    Some(Created { kind, name, next })
}

/// The statements of some files that lead up, in order.
fn each_statement<'f>(
    files: &'f [Source<'_>],
    mut read: impl FnMut(&'f Source<'_>, &[Token<'_>], &Lines),
) {
    for file in files.iter().filter(|file| !undoes(file.path)) {
        let Ok(text) = std::str::from_utf8(file.bytes) else { continue };
        let text = without_undoing(text);
        let all = tokens(text.as_bytes(), STYLE);
        let lines = lines_of(file);
        for words in all.split(|token| token.is(";")) {
            read(file, words, &lines);
        }
    }
}

/// Columns of a table that are read, as many as any database has: they are looked up one by one.
const MOST_COLUMNS: usize = 4_096;

pub struct Table {
    pub place: Place,
    pub columns: Vec<Column>,
    pub is_view: bool,
    /// Made by something other than a list of columns: which there are is not known.
    pub is_whole: bool,
}

#[derive(Clone)]
pub struct Column {
    pub name: String,
    pub ty: String,
    pub is_required: bool,
    pub has_default: bool,
    pub place: Place,
}

/// A step that those who use the table notice.
pub struct Step {
    pub rule: Rule,
    pub table: TableKey,
    pub symbol: String,
    pub message: String,
    pub place: Place,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|it| it.name == name)
    }

    /// Names and types of its columns, to know it again.
    pub fn parts(&self) -> BTreeSet<String> {
        self.columns.iter().map(|it| format!("{} {}", it.name, it.ty)).collect()
    }
}

impl State {
    pub fn of(files: &[Source<'_>], homes: &HomesOfVersion) -> State {
        let mut state = State::default();
        each_statement(files, |file, words, lines| {
            Reader { file, lines, homes, state: &mut state }.statement(words);
        });
        state.forget_remade();
        for (table, columns) in std::mem::take(&mut state.added) {
            state.steps.extend(columns.into_iter().filter_map(|it| required(&table, it)));
        }
        state
    }

    /// A table that is dropped and made again is there.
    fn forget_remade(&mut self) {
        let made = &self.tables;
        self.steps.retain(|it| {
            it.rule != Rule::RemovedContract
                || match it.symbol.strip_prefix(&format!("{}.", last(&it.table.name))) {
                    Some(column) => made.get(&it.table).and_then(|it| it.column(column)).is_none(),
                    None => !made.contains_key(&it.table),
                }
        });
    }
}

/// A column that a table got and that nobody gave before.
fn required(table: &TableKey, column: Column) -> Option<Step> {
    let symbol = format!("{}.{}", last(&table.name), column.name);
    (column.is_required && !column.has_default).then(|| Step {
        rule: Rule::RequiredInput,
        table: table.clone(),
        message: format!("column {symbol} is added, not null and without default"),
        symbol,
        place: column.place,
    })
}

/// `PRIMARY KEY (a, b DESC)`, whatever the constraint is called.
fn primary_columns(clause: &[Token<'_>]) -> Vec<String> {
    let Some(primary) = clause.iter().position(|it| it.is_word("primary")) else {
        return Vec::new();
    };
    let rest = &clause[primary..];
    let Some(open) = rest.iter().position(|it| it.is("(")) else { return Vec::new() };
    let inner = &rest[open + 1..closing(rest, open).saturating_sub(1).max(open + 1)];
    clauses(inner).into_iter().filter_map(|it| Some(name_at(it, 0)?.0)).collect()
}

struct Reader<'s, 'f> {
    file: &'f Source<'f>,
    lines: &'f Lines,
    homes: &'f HomesOfVersion,
    state: &'s mut State,
}

impl Reader<'_, '_> {
    fn place(&self, byte: usize) -> Place {
        place_in(self.file, self.lines, byte)
    }

    fn key(&self, name: String) -> TableKey {
        self.homes.key(name, self.file.path)
    }

    fn statement(&mut self, words: &[Token<'_>]) {
        let is = |at: usize, word: &str| words.get(at).is_some_and(|it| it.is_word(word));
        if is(0, "create") {
            self.create(words);
        } else if is(0, "drop") {
            self.drop(words);
        } else if is(0, "alter") && is(1, "table") {
            self.alter(words);
        } else if is(0, "rename") && is(1, "table") {
            for clause in clauses(&words[2..]) {
                self.rename_table(clause);
            }
        }
    }

    fn create(&mut self, words: &[Token<'_>]) {
        let Some(Created { kind, name, next }) = created(words) else { return };
        let name = self.key(name);
        let place = self.place(words[0].start);
        match kind {
            "table" | "view" => {
                let open = words.get(next).filter(|it| it.is("(") && kind == "table");
                let columns = open.map_or(Vec::new(), |_| {
                    let end = closing(words, next);
                    self.columns(&words[next + 1..end.saturating_sub(1).max(next + 1)])
                });
                let is_whole = open.is_some()
                    && !words[next..].iter().any(|it| it.is_word("like") || it.is_word("inherits"));
                let table = Table { place, columns, is_view: kind == "view", is_whole };
                self.state.tables.entry(name).or_insert(table);
            }
            "type" => {
                let values = words[next..].iter().filter(|it| it.kind == Kind::Text);
                let values = values.map(|it| it.text.to_owned()).collect();
                self.state.enums.insert(name, (values, place));
            }
            _ => {}
        }
    }

    fn columns(&self, words: &[Token<'_>]) -> Vec<Column> {
        let (constraints, parts): (Vec<_>, Vec<_>) =
            clauses(words).into_iter().partition(|clause| is_constraint(clause));
        let mut columns: Vec<Column> =
            parts.into_iter().filter_map(|clause| self.column(clause)).take(MOST_COLUMNS).collect();
        let keys: BTreeSet<String> = constraints.into_iter().flat_map(primary_columns).collect();
        for column in &mut columns {
            column.is_required |= keys.contains(&column.name);
        }
        columns
    }

    fn column(&self, words: &[Token<'_>]) -> Option<Column> {
        let it = declared(words)?;
        let place = self.place(it.start);
        Some(Column {
            name: it.name,
            ty: it.ty,
            is_required: it.is_required,
            has_default: it.has_default,
            place,
        })
    }

    fn step(&mut self, rule: Rule, table: &TableKey, column: &str, message: String, at: usize) {
        let symbol = match column {
            "" => last(&table.name).to_owned(),
            _ => format!("{}.{column}", last(&table.name)),
        };
        let place = self.place(at);
        self.state.steps.push(Step { rule, table: table.clone(), symbol, message, place });
    }

    fn drop(&mut self, words: &[Token<'_>]) {
        let kind = words.iter().take(3).position(|it| it.is_word("table") || it.is_word("view"));
        let Some(kind) = kind else { return };
        for clause in clauses(&words[kind + 1..]) {
            let Some((name, _)) = name_at(clause, 0) else { continue };
            let key = self.key(name);
            if self.state.tables.remove(&key).is_none() {
                let told = format!("{} {} is dropped", words[kind].text.to_lowercase(), key.name);
                self.step(Rule::RemovedContract, &key, "", told, words[0].start);
            }
        }
    }

    /// `old TO new`
    fn rename_table(&mut self, words: &[Token<'_>]) {
        let Some((old, next)) = name_at(words, 0) else { return };
        if words.get(next).is_some_and(|it| it.is_word("to"))
            && let Some((new, _)) = name_at(words, next + 1)
        {
            self.renamed(&self.key(old), &new, words[0].start);
        }
    }

    fn renamed(&mut self, old: &TableKey, new: &str, at: usize) {
        // A new name leaves a table where it is.
        let new = match old.name.rsplit_once('.') {
            Some((schema, _)) if !new.contains('.') => format!("{schema}.{new}"),
            _ => new.to_owned(),
        };
        if let Some(table) = self.state.tables.remove(old) {
            let new = self.key(new);
            self.state.tables.insert(new, table);
        } else {
            let told = format!("table {} is renamed to {new}", old.name);
            self.step(Rule::RenamedContract, old, "", told, at);
        }
    }

    fn alter(&mut self, words: &[Token<'_>]) {
        let Some((table, next)) = name_at(words, 2) else { return };
        let table = self.key(table);
        let mut verb = "";
        for clause in clauses(&words[next.min(words.len())..]) {
            let known = ["add", "drop", "alter", "modify", "change", "rename", "set", "owner"];
            let begins = known.iter().find(|word| clause[0].is_word(word));
            // `ADD a int, b int`
            let rest = if begins.is_some() { &clause[1..] } else { clause };
            verb = begins.copied().unwrap_or(verb);
            let is_column = rest.first().is_some_and(|it| it.is_word("column"));
            let rest = if is_column { &rest[1..] } else { rest };
            if rest.is_empty() {
                continue;
            }
            match verb {
                "rename" => self.rename(&table, rest, is_column),
                _ if !is_column && is_about_other(verb, rest) => {}
                "add" => self.add(&table, rest),
                "drop" => self.drop_column(&table, rest),
                "alter" => self.alter_column(&table, rest),
                "modify" => self.declare(&table, rest),
                "change" => self.change(&table, rest),
                _ => {}
            }
        }
    }

    fn rename(&mut self, table: &TableKey, words: &[Token<'_>], is_column: bool) {
        let first = words[0];
        if !is_column && (first.is_word("to") || first.is_word("as")) {
            if let Some((new, _)) = name_at(words, 1) {
                self.renamed(table, &new, first.start);
            }
            return;
        }
        if !is_column && (is_about_other("rename", words) || first.is_word("value")) {
            return;
        }
        let Some((old, next)) = name_at(words, 0) else { return };
        if let Some((new, _)) = name_at(words, next + 1) {
            self.rename_column(table, &old, &new, first.start);
        }
    }

    fn rename_column(&mut self, table: &TableKey, old: &str, new: &str, at: usize) {
        if let Some(column) = self.known_column(table, old) {
            new.clone_into(&mut column.name);
        } else {
            let told = format!("column {}.{old} is renamed to {new}", last(&table.name));
            self.step(Rule::RenamedContract, table, old, told, at);
        }
    }

    fn add(&mut self, table: &TableKey, words: &[Token<'_>]) {
        // `ADD (a int, b int)`
        if words[0].is("(") {
            let end = closing(words, 0);
            for clause in clauses(&words[1..end.saturating_sub(1).max(1)]) {
                // Brackets in brackets say nothing of columns.
                if !is_about_other("add", clause) && !clause[0].is("(") {
                    self.add(table, clause);
                }
            }
            return;
        }
        let Some(column) = self.column(words) else { return };
        let columns = match self.state.tables.get_mut(table) {
            Some(known) => &mut known.columns,
            None => self.state.added.entry(table.clone()).or_default(),
        };
        if columns.len() < MOST_COLUMNS && !columns.iter().any(|it| it.name == column.name) {
            columns.push(column);
        }
    }

    fn drop_column(&mut self, table: &TableKey, words: &[Token<'_>]) {
        let Some((name, _)) = name_at(words, 0) else { return };
        if self.known_column(table, &name).is_some() {
            if let Some(columns) = self.columns_of(table) {
                columns.retain(|it| it.name != name);
            }
        } else {
            let told = format!("column {}.{name} is dropped", last(&table.name));
            self.step(Rule::RemovedContract, table, &name, told, words[0].start);
        }
    }

    /// `a TYPE text USING …`, `a SET DATA TYPE text`, `a SET NOT NULL`, `a text NOT NULL`.
    fn alter_column(&mut self, table: &TableKey, words: &[Token<'_>]) {
        let Some((name, next)) = name_at(words, 0) else { return };
        let rest = &words[next.min(words.len())..];
        let is = |at: usize, word: &str| rest.get(at).is_some_and(|it| it.is_word(word));
        let start = words[0].start;
        if is(0, "set") && is(1, "not") && is(2, "null") {
            self.require(table, &name, start);
        } else if is(0, "set") && is(1, "default") {
            self.given(table, &name);
        } else if is(0, "drop") {
            let column = self.known_column(table, &name);
            if let Some(column) = column {
                column.is_required &= !is(1, "not");
                column.has_default &= !is(1, "default");
            }
        } else if is(0, "type") || (is(0, "set") && is(1, "data")) {
            let from = rest.iter().position(|it| it.is_word("type")).map_or(0, |at| at + 1);
            let ends = |it: &Token<'_>| it.is_word("using") || it.is_word("collate");
            let end = rest[from..].iter().position(ends).map_or(rest.len(), |at| from + at);
            self.retype(table, &name, type_text(&rest[from..end]), start);
        } else if !is(0, "set") && !is(0, "add") && !rest.is_empty() {
            self.declare(table, words);
        }
    }

    fn columns_of(&mut self, table: &TableKey) -> Option<&mut Vec<Column>> {
        match self.state.tables.get_mut(table) {
            Some(known) => Some(&mut known.columns),
            None => self.state.added.get_mut(table),
        }
    }

    fn known_column(&mut self, table: &TableKey, name: &str) -> Option<&mut Column> {
        self.columns_of(table)?.iter_mut().find(|column| column.name == name)
    }

    fn require(&mut self, table: &TableKey, name: &str, at: usize) {
        if let Some(column) = self.known_column(table, name) {
            column.is_required = true;
            return;
        }
        let told = format!("column {}.{name} becomes not null", last(&table.name));
        self.step(Rule::RequiredInput, table, name, told, at);
    }

    /// With a default nobody has to give a value.
    fn given(&mut self, table: &TableKey, name: &str) {
        if let Some(column) = self.known_column(table, name) {
            column.has_default = true;
        }
    }

    fn retype(&mut self, table: &TableKey, name: &str, ty: String, at: usize) {
        if let Some(column) = self.known_column(table, name) {
            column.ty = ty;
            return;
        }
        let told = format!("column {}.{name} becomes {ty}", last(&table.name));
        self.step(Rule::ChangedType, table, name, told, at);
    }

    /// A column declared anew as a whole.
    fn declare(&mut self, table: &TableKey, words: &[Token<'_>]) {
        let Some(now) = self.column(words) else { return };
        if let Some(column) = self.known_column(table, &now.name) {
            *column = now;
            return;
        }
        let (name, ty) = (now.name.clone(), now.ty.clone());
        let told = format!("column {}.{name} becomes {ty}", last(&table.name));
        self.step(Rule::ChangedType, table, &name, told, words[0].start);
    }

    /// `CHANGE old new int NOT NULL`
    fn change(&mut self, table: &TableKey, words: &[Token<'_>]) {
        let Some((old, next)) = name_at(words, 0) else { return };
        let rest = &words[next.min(words.len())..];
        let Some((new, _)) = name_at(rest, 0) else { return };
        if new != old {
            self.rename_column(table, &old, &new, words[0].start);
        }
        self.declare(table, rest);
    }
}
