//! `WHERE` clauses put together from parts: the one place where SQL text is
//! assembled from choices. Values are always bound, never written in.

use rusqlite::ToSql;

#[derive(Default)]
pub(crate) struct Where {
    clauses: Vec<String>,
    values: Vec<Box<dyn ToSql>>,
}

impl Where {
    /// A condition without a value.
    pub fn also(&mut self, clause: &str) {
        self.clauses.push(clause.to_owned());
    }

    /// A condition with one value, written `?` in `clause` as often as needed.
    pub fn bind(&mut self, clause: &str, value: impl ToSql + 'static) {
        self.values.push(Box::new(value));
        self.clauses.push(clause.replace('?', &format!("?{}", self.values.len())));
    }

    /// [`Where::bind`] when there is a value.
    pub fn bind_maybe(&mut self, clause: &str, value: Option<impl ToSql + 'static>) {
        if let Some(value) = value {
            self.bind(clause, value);
        }
    }

    /// `WHERE a AND b`, or nothing.
    pub fn sql(&self) -> String {
        if self.clauses.is_empty() {
            return String::new();
        }
        format!("WHERE {}", self.clauses.join("\n  AND "))
    }

    pub fn params(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(AsRef::as_ref).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_and_never_part_of_the_text() {
        let mut filter = Where::default();
        assert_eq!(filter.sql(), "");
        filter.also("gone_at IS NULL");
        filter.bind("(title = ? OR body = ?)", "'; DROP TABLE issues; --");
        filter.bind_maybe("iid = ?", None::<i64>);
        filter.bind("iid > ?", 3);
        assert_eq!(
            filter.sql(),
            "WHERE gone_at IS NULL\n  AND (title = ?1 OR body = ?1)\n  AND iid > ?2"
        );
        assert_eq!(filter.params().len(), 2);
    }
}
