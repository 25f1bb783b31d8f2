//! What is told of two versions of contracts, and what hostile ones cost.

use super::*;
use model::breaking::Rule;

/// `rule symbol path` of what the second version does not keep of the first.
fn told(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    fn sources<'a>(files: &[(&'a str, &'a str)]) -> Vec<Source<'a>> {
        files.iter().map(|(path, text)| Source { path, bytes: text.as_bytes() }).collect()
    }
    let (found, _) = breaches(&sources(old), &sources(new), |_| None);
    found.iter().map(|it| format!("{} {} {}", it.rule.as_str(), it.symbol, it.path)).collect()
}

#[test]
fn only_the_marks_of_tools_begin_a_section_that_undoes() {
    let drop = "ALTER TABLE users DROP COLUMN email;\n";
    for comment in [
        "-- Migration 42: rollback is not supported",
        "-- migrate the users; undo by hand",
        "-- goose ran down the hill",
        "-- see +goose Down",
        "-- !important: down for maintenance",
        "# --- !Ups",
    ] {
        let text = format!("{comment}\n{drop}");
        let wanted = ["removed-contract users.email db/2.sql"];
        assert_eq!(told(&[], &[("db/2.sql", &text)]), wanted, "{comment}");
    }
    for mark in
        ["-- +goose Down", "--+migrate Down notransaction", "-- migrate:down", "# --- !Downs"]
    {
        let text = format!("{mark}\n{drop}");
        assert!(told(&[], &[("db/2.sql", &text)]).is_empty(), "{mark}");
    }
}

#[test]
fn only_files_named_for_it_undo_a_migration() {
    for path in [
        "db/20240301_add_down_payment.sql",
        "db/V12__rollback_pricing.sql",
        "db/V1_2__pricing_rollback.sql",
        "db/R__undo.sql",
        "rollback/schema/2.sql",
        "undo/2.sql",
    ] {
        assert!(!takes_back(path), "{path}");
    }
    for path in [
        "db/down.sql",
        "db/2.down.sql",
        "db/2_users_down.sql",
        "db/2-users-down.sql",
        "db/migrations/down/2.sql",
        "db/U12__pricing.sql",
    ] {
        assert!(takes_back(path), "{path}");
    }
}
