//! What single words of SQL's data definition say: names, types, columns.

use crate::structure::sql::is_constraint;
use crate::structure::tokens::{Kind, Token, closing};
use std::collections::BTreeSet;

/// A column as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnWords {
    pub name: String,
    pub ty: String,
    pub is_required: bool,
    pub has_default: bool,
    /// Where its name stands.
    pub start: usize,
}

/// Words behind which the type of a column is over.
const AFTER_TYPE: [&str; 27] = [
    "not",
    "null",
    "default",
    "primary",
    "unique",
    "references",
    "check",
    "constraint",
    "collate",
    "generated",
    "auto_increment",
    "autoincrement",
    "identity",
    "comment",
    "on",
    "as",
    "encode",
    "key",
    "first",
    "after",
    "using",
    "storage",
    "compression",
    "charset",
    "invisible",
    "sparse",
    "rowguidcol",
];

/// Words that give a column a value where none is given.
const GIVES_VALUE: [&str; 6] =
    ["default", "generated", "auto_increment", "autoincrement", "identity", "as"];

/// A name that may be qualified and quoted, as one text in small letters unless it was
/// quoted; and the place after it.
pub fn name_at(words: &[Token<'_>], mut at: usize) -> Option<(String, usize)> {
    while words.get(at).is_some_and(|it| {
        ["if", "not", "exists", "only", "concurrently"].iter().any(|word| it.is_word(word))
    }) {
        at += 1;
    }
    let part = |at: usize| {
        // `[name]`
        if words.get(at).is_some_and(|it| it.is("[")) {
            let end = closing(words, at);
            return words.get(at + 1).map(|it| (it.text.to_lowercase(), end));
        }
        let token = words.get(at).filter(|it| it.kind != Kind::Mark)?;
        Some((token.text.to_lowercase(), at + 1))
    };
    let (mut name, mut next) = part(at)?;
    // `server.database.schema.table` is the longest there is.
    for _ in 0..3 {
        if !words.get(next).is_some_and(|it| it.is(".")) {
            break;
        }
        let Some((last, after)) = part(next + 1) else { break };
        // The schema everybody is in says nothing.
        let is_usual = matches!(name.as_str(), "public" | "dbo");
        name = if is_usual { last } else { format!("{name}.{last}") };
        next = after;
    }
    Some((name, next))
}

/// The name without its schema, by which the symbol goes.
pub fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether what follows a verb of `ALTER TABLE` is about something other than a column.
pub fn is_about_other(verb: &str, words: &[Token<'_>]) -> bool {
    let is = |at: usize, all: &[&str]| {
        words.get(at).is_some_and(|it| all.iter().any(|word| it.is_word(word)))
    };
    if is(0, &["partition", "default"]) || is_constraint(words) {
        return true;
    }
    // `DROP INDEX name`, `RENAME KEY old TO new`, `ALTER INDEX name VISIBLE`
    let is_index = is(0, &["key", "index"]) && words.len() > 1;
    match verb {
        "drop" => is_index && !is(1, &["cascade", "restrict"]),
        "rename" => is_index && !is(1, &["to"]),
        "alter" => is_index && !is(1, &["type", "set", "drop", "add"]),
        _ => false,
    }
}

/// `name type NOT NULL DEFAULT 1`, without the comma behind it.
pub fn declared(words: &[Token<'_>]) -> Option<ColumnWords> {
    let first = words.first()?;
    let (name, at) = name_at(words, 0)?;
    let rest = &words[at.min(words.len())..];
    let end = rest.iter().position(|it| AFTER_TYPE.iter().any(|word| it.is_word(word)));
    let ty = type_text(&rest[..end.unwrap_or(rest.len())]);
    let constraints = &rest[end.unwrap_or(rest.len())..];
    let has = |word: &str| constraints.iter().any(|it| it.is_word(word));
    let is_not_null =
        constraints.windows(2).any(|pair| pair[0].is_word("not") && pair[1].is_word("null"));
    let is_serial = ty.ends_with("serial");
    let has_default = is_serial || GIVES_VALUE.iter().any(|word| has(word));
    let is_key = has("primary");
    Some(ColumnWords {
        name: name.trim_matches('"').to_owned(),
        is_required: is_not_null || is_key,
        // SQLite counts up a whole number that is the key.
        has_default: has_default || (is_key && ty == "integer"),
        ty,
        start: first.start,
    })
}

/// A type in one form: `varchar(20)`, `timestamp with time zone`, `integer`.
pub fn type_text(words: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in words {
        let is_mark = token.kind == Kind::Mark;
        if !text.is_empty() && !is_mark && !text.ends_with(['(', ',']) {
            text.push(' ');
        }
        text.push_str(&token.text.to_lowercase());
    }
    let (name, rest) = match text.find('(') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let name = match name.trim() {
        "int" | "int4" => "integer",
        "int8" => "bigint",
        "int2" => "smallint",
        "bool" => "boolean",
        "character varying" => "varchar",
        "character" => "char",
        "decimal" => "numeric",
        "timestamp with time zone" => "timestamptz",
        "timestamp without time zone" => "timestamp",
        "float8" => "double precision",
        "float4" => "real",
        known => known,
    };
    format!("{name}{rest}")
}

/// Whether each value of one type is one of the other, and is read as before.
pub fn is_wider(old: &str, new: &str) -> bool {
    let length = |ty: &str| {
        let inner = ty.strip_prefix("varchar")?;
        match inner.strip_prefix('(') {
            None if inner.is_empty() => Some(u64::MAX),
            Some(digits) => digits.trim_end_matches(')').parse::<u64>().ok(),
            None => None,
        }
    };
    let values = |ty: &str| {
        let inner = ty.strip_prefix("enum(")?.trim_end_matches(')').to_owned();
        Some(inner.split(',').map(str::to_owned).collect::<BTreeSet<_>>())
    };
    if let (Some(old), Some(new)) = (values(old), values(new)) {
        return old.is_subset(&new);
    }
    match (length(old), length(new)) {
        (Some(old), Some(new)) => old <= new,
        (Some(_), None) => new == "text",
        _ => old == new || new.is_empty() || old.is_empty(),
    }
}

/// The parts between the commas that stand in no bracket.
pub fn clauses<'w, 't>(words: &'w [Token<'t>]) -> Vec<&'w [Token<'t>]> {
    let mut all = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < words.len() {
        if words[at].is("(") {
            at = closing(words, at);
            continue;
        }
        if words[at].is(",") {
            all.push(&words[begin..at]);
            begin = at + 1;
        }
        at += 1;
    }
    all.push(&words[begin.min(words.len())..]);
    all.retain(|clause| !clause.is_empty());
    all
}

/// The text with what undoes a migration as blanks: nobody runs it on the way up.
pub fn without_undoing(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut is_undoing = false;
    for line in text.split_inclusive('\n') {
        let section = section_of(line);
        is_undoing = section.unwrap_or(is_undoing);
        // `# --- !Ups` is no statement either.
        if is_undoing || section.is_some() {
            // The lines keep their places, and so do the bytes behind them.
            filled.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            filled.push_str(line);
        }
    }
    filled
}

/// Whether a section that undoes begins with this comment, or one that does not: in the
/// words of goose, sql-migrate, dbmate and Play, directly at the beginning.
fn section_of(line: &str) -> Option<bool> {
    let line = line.trim_start();
    if !line.starts_with("--") && !line.starts_with('#') {
        return None;
    }
    let comment = line.trim_start_matches(['-', '#', ' ', '\t']).to_ascii_lowercase();
    let mut words = comment.split_whitespace();
    let is_down = |word: &str| match word {
        "down" | "downs" => Some(true),
        "up" | "ups" => Some(false),
        _ => None,
    };
    match words.next()? {
        "+goose" | "+migrate" => is_down(words.next()?),
        word => is_down(word.strip_prefix("migrate:").or_else(|| word.strip_prefix('!'))?),
    }
}

/// Whether a file undoes a migration as a whole: `down.sql`, `12_users.down.sql`,
/// `12_users_down.sql`, `migrations/down/12.sql`, Flyway's `U12__users.sql`.
pub fn undoes(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_undo = |word: &str| matches!(word, "down" | "rollback" | "undo" | "revert");
    match flyway_kind(stem) {
        Some(kind) => kind == 'u',
        None => {
            let (outer, folder) = folders.rsplit_once('/').unwrap_or(("", folders));
            stem.rsplit(['.', '_', '-']).next().is_some_and(is_undo)
                || (is_undo(folder) && outer.split('/').any(|it| it.starts_with("migrat")))
        }
    }
}

/// What Flyway does with a file: `V12__what.sql` goes up, `U12__what.sql` back.
fn flyway_kind(stem: &str) -> Option<char> {
    let kind = stem.chars().next().filter(|kind| matches!(kind, 'v' | 'u' | 'r'))?;
    let (version, _) = stem.get(1..)?.split_once("__")?;
    let is_version = version.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '_'));
    (is_version && (kind == 'r') == version.is_empty()).then_some(kind)
}
