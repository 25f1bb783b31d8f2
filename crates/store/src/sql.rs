//! Small conveniences over `rusqlite`, so that each query reads as its SQL,
//! its parameters and its row.

use crate::error::db;
use crate::handle::sealed::HasConnection;
use model::vocabulary::Vocabulary;
use model::{EntityKind, Result, Timestamp};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Params, Row, ToSql};

/// Rows of a query, each turned by `read`.
pub(crate) fn all<T>(
    on: &(impl HasConnection + ?Sized),
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    let rows = statement.query_map(params, read).map_err(db)?;
    rows.collect::<rusqlite::Result<Vec<T>>>().map_err(db)
}

/// The first row of a query, if there is one.
pub(crate) fn first<T>(
    on: &(impl HasConnection + ?Sized),
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    statement.query_row(params, read).optional().map_err(db)
}

/// The single row of a query that always has one.
pub(crate) fn one<T>(
    on: &(impl HasConnection + ?Sized),
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<T> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    statement.query_row(params, read).map_err(db)
}

/// Runs a statement; tells how many rows it changed.
pub(crate) fn run(
    on: &(impl HasConnection + ?Sized),
    sql: &str,
    params: impl Params,
) -> Result<usize> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    statement.execute(params).map_err(db)
}

/// An `INSERT`; the row id it made.
pub(crate) fn insert(
    on: &(impl HasConnection + ?Sized),
    sql: &str,
    params: impl Params,
) -> Result<i64> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    statement.insert(params).map_err(db)
}

/// Ids as `json_each` reads them: how a list of any length is bound.
pub(crate) fn json_ids(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    format!("[{}]", ids.join(","))
}

/// The column that names an entity of this kind in the tables both kinds
/// share. A closed set of two names: nothing from outside reaches the SQL text.
pub(crate) const fn owner_column(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Issue => "issue_id",
        EntityKind::MergeRequest => "merge_request_id",
    }
}

/// The table of this kind.
pub(crate) const fn entity_table(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Issue => "issues",
        EntityKind::MergeRequest => "merge_requests",
    }
}

/// A timestamp as its column holds it.
pub(crate) struct At(pub Timestamp);

impl ToSql for At {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0.as_millis()))
    }
}

impl FromSql for At {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(At(Timestamp::from_millis(value.as_i64()?)))
    }
}

/// A variant of a vocabulary as its column holds it: a word.
pub(crate) struct Word<T>(pub T);

impl<T: Vocabulary> ToSql for Word<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0.word()))
    }
}

impl<T: Vocabulary> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        T::from_word(value.as_str()?).map(Word).ok_or(FromSqlError::InvalidType)
    }
}

/// A column that holds a word.
pub(crate) fn word<T: Vocabulary>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    Ok(row.get::<_, Word<T>>(column)?.0)
}

/// A column that holds a word or nothing.
pub(crate) fn maybe_word<T: Vocabulary>(
    row: &Row<'_>,
    column: &str,
) -> rusqlite::Result<Option<T>> {
    Ok(row.get::<_, Option<Word<T>>>(column)?.map(|word| word.0))
}

/// An optional timestamp column.
pub(crate) fn maybe_at(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<At>>(column)?.map(|at| at.0))
}

/// A timestamp column.
pub(crate) fn at(row: &Row<'_>, column: &str) -> rusqlite::Result<Timestamp> {
    Ok(row.get::<_, At>(column)?.0)
}

/// An optional timestamp as a parameter.
pub(crate) fn ms(at: Option<Timestamp>) -> Option<i64> {
    at.map(Timestamp::as_millis)
}
