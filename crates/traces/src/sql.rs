//! The tables a statement names. The statement itself is never kept.

/// More of one statement are left out.
const MOST_TABLES: usize = 4;

/// Names after `FROM`, `JOIN`, `INTO` and `UPDATE`, each once, without schema.
pub fn tables(statement: &str) -> Vec<String> {
    let words = words(statement);
    let mut found: Vec<String> = Vec::new();
    let mut defined: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is = |keyword: &str| word.eq_ignore_ascii_case(keyword);
        let next = words.get(at + 1).copied().unwrap_or_default();
        // `WITH name AS (`.
        if is("as") && next == "(" && at > 0 {
            defined.push(words[at - 1]);
        }
        if !(is("from") || is("join") || is("into") || is("update")) {
            continue;
        }
        let mut name = next;
        let mut from = at + 1;
        while ["only", "table", "lateral", "ignore", "low_priority"]
            .iter()
            .any(|skip| name.eq_ignore_ascii_case(skip))
        {
            from += 1;
            name = words.get(from).copied().unwrap_or_default();
        }
        let name = name.rsplit('.').next().unwrap_or(name);
        let name = name.trim_matches(['"', '`', '[', ']', '\'']);
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
            && name.len() <= 128
            && !["select", "set", "skip", "nowait"].iter().any(|it| name.eq_ignore_ascii_case(it));
        let is_known = found.iter().any(|known| known == name);
        // A function in place of a table, as in `FROM now()`.
        let is_call = words.get(from + 1).is_some_and(|after| *after == "(") && is("from");
        if is_name && !is_known && !is_call && found.len() < MOST_TABLES {
            found.push(name.to_owned());
        }
    }
    found.retain(|name| !defined.contains(&name.as_str()));
    found
}

/// Words, brackets and quoted names; texts and comments left out.
fn words(statement: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = statement;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace() && c != ',' && c != ';') {
        rest = &rest[start..];
        if rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if let Some(text) = rest.strip_prefix('\'') {
            rest = text.find('\'').map_or("", |end| &text[end + 1..]);
        } else if rest.starts_with(['(', ')']) {
            found.push(&rest[..1]);
            rest = &rest[1..];
        } else {
            let end =
                rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '\''));
            let end = end.unwrap_or(rest.len());
            found.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_are_found_in_statements() {
        for (statement, expected) in [
            ("select * from users where id = ?", vec!["users"]),
            (
                "select a from public.\"orders\" o join `items` i on i.id = o.id",
                vec!["orders", "items"],
            ),
            ("insert into carts (a) values ('from nowhere')", vec!["carts"]),
            ("update only carts set a = 1", vec!["carts"]),
            ("delete from [dbo].[carts]", vec!["carts"]),
            ("with recent as (select * from orders) select * from recent", vec!["orders"]),
            ("select * from (select 1) x -- from secrets", vec![]),
            ("select now()", vec![]),
            ("select * from generate_series(1, 2)", vec![]),
            ("GET user:12", vec![]),
        ] {
            assert_eq!(tables(statement), expected, "{statement}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC{0,200}") {
            prop_assert!(tables(&text).len() <= MOST_TABLES);
        }
    }
}
