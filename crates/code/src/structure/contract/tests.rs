//! What is told of two versions of contracts, and what hostile ones cost.

use super::*;
use crate::structure::tokens::N_LOOKED_AT;

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
    let drop = "alter table users DROP COLUMN email;\n";
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

/// Two services of one repository, each with its own `users` and its own `User`.
#[test]
fn the_same_name_in_another_file_or_package_is_another_contract() {
    let (users, without) = (
        "create table users (id int, email text, age int);",
        "create table users (id int, age int);",
    );
    let step = "alter table users DROP COLUMN email;";
    assert_eq!(
        told(
            &[("a/1.sql", users), ("b/1.sql", users)],
            &[("a/1.sql", without), ("a/2.sql", step), ("b/1.sql", without)]
        ),
        ["removed-contract users.email a/2.sql", "removed-contract users.email b/1.sql"]
    );
    let (hr, sales) = ("create table hr.t (a int, b int);", "create table sales.t (a int, b int);");
    let after = format!("{hr}{sales}").replace(", b int", "");
    assert_eq!(
        told(&[("1.sql", &format!("{hr}{sales}"))], &[("1.sql", &after)]),
        ["removed-contract t.b 1.sql", "removed-contract t.b 1.sql"]
    );
    let api = "openapi: 3.0.0\ncomponents: {schemas: {Pet: {properties: {id: {}}}}}\n";
    let gone = "openapi: 3.0.0\ncomponents: {schemas: {}}\n";
    assert_eq!(
        told(&[("a.yaml", api), ("b.yaml", api)], &[("a.yaml", gone), ("b.yaml", gone)]),
        ["removed-contract Pet a.yaml", "removed-contract Pet b.yaml"]
    );
    let proto = |package: &str, user: &str| format!("package {package};\n{user}");
    let user = "message User { string name = 1; string mail = 2; int32 age = 3; }";
    let [a, b] = ["a", "b"].map(|package| proto(package, user));
    let [a_after, b_after] =
        [proto("a", &user.replace("message User", "message Person")), proto("b", "")];
    assert_eq!(
        told(&[("a.proto", &a), ("b.proto", &b)], &[("a.proto", &a_after), ("b.proto", &b_after)]),
        ["renamed-contract User a.proto", "removed-contract User b.proto"]
    );
}

/// A schema and the migrations that lead to it make one table, wherever it is made.
#[test]
fn what_only_went_to_another_file_is_still_there() {
    let users = "create table users (id int, email text);";
    let both = [("db/migrations/1.sql", users), ("db/schema.sql", users)];
    assert!(told(&both, &[("db/schema.sql", users)]).is_empty());
    assert!(told(&both, &[("db/migrations/0.sql", users), ("db/schema.sql", users)]).is_empty());
    assert!(told(&[("a/1.sql", users)], &[("a/2.sql", users), ("b/1.sql", users)]).is_empty());
    assert_eq!(
        told(&both, &[("db/2.sql", "drop table users;")]),
        ["removed-contract users db/2.sql", "removed-contract users db/schema.sql"]
    );
}

#[test]
fn columns_may_be_called_as_constraints_begin() {
    let old = "create table settings (
        id int, key varchar(20), index int CHECK (index > 0), period text, fulltext tsvector,
        exclude boolean, KEY by_id (id), INDEX (id), INDEX by_key USING BTREE (key(10)),
        FULLTEXT KEY words (key), PERIOD FOR SYSTEM_TIME (a, b), EXCLUDE USING gist (id WITH =));";
    assert_eq!(
        told(&[("db/1.sql", old)], &[("db/1.sql", "create table settings (id int);")]),
        ["key", "index", "period", "fulltext", "exclude"]
            .map(|column| format!("removed-contract settings.{column} db/1.sql"))
    );
    let steps = "alter table settings DROP key, DROP INDEX by_key, DROP KEY by_id, \
                 RENAME INDEX a TO b, RENAME index TO place, ALTER INDEX a VISIBLE, \
                 ALTER period TYPE int, ADD KEY words (key), ADD fulltext tsvector NOT NULL;";
    assert_eq!(
        told(&[], &[("db/2.sql", steps)]),
        [
            "removed-contract settings.key db/2.sql",
            "renamed-contract settings.index db/2.sql",
            "changed-type settings.period db/2.sql",
            "required-input settings.fulltext db/2.sql",
        ]
    );
}

#[test]
fn the_key_of_a_table_is_what_stands_in_its_brackets() {
    let old = "create table t (a int, b int, c int);";
    let new = "create table t (a int, b int, c int, CONSTRAINT c PRIMARY KEY (a DESC, b));";
    assert_eq!(
        told(&[("db/1.sql", old)], &[("db/1.sql", new)]),
        ["required-input t.a db/1.sql", "required-input t.b db/1.sql"]
    );
}

/// Brackets and names without end are read once, not once for each of them.
#[test]
fn hostile_contracts_are_read_once() {
    const N: usize = 60_000;
    let deep = "(".repeat(N);
    for (path, text) in [
        ("2.sql", format!("alter table t ADD {deep}")),
        ("2.sql", format!("alter table t ADD {deep} a int {}", ")".repeat(N))),
        ("2.sql", format!("create table t {deep}")),
        ("a.proto", format!("service S {{ {} }}", "rpc x (".repeat(N))),
        ("a.proto", format!("service S {{ {} }}", "rpc x (y) returns (".repeat(N))),
    ] {
        N_LOOKED_AT.set(0);
        assert!(told(&[], &[(path, &text)]).is_empty());
        assert!(N_LOOKED_AT.get() < 20 * text.len(), "{} for {}", N_LOOKED_AT.get(), text.len());
    }
    let name = format!("alter table t DROP {}", "a.".repeat(N));
    assert_eq!(told(&[], &[("2.sql", &name)]), ["removed-contract t.a.a.a.a 2.sql"]);
}

/// Schemas that hold the next one twice, by its name on one side and as text on the other.
#[test]
fn schemas_that_hold_schemas_are_compared_once() {
    const DEPTH: usize = 16;
    // On each side every second schema is a reference, and the others are written out.
    let side = |first: usize, leaf: &str| {
        let mut text = String::from("openapi: 3.0.0\npaths: {/x: {get: {responses: {'200': {");
        text +=
            "content: {a/b: {schema: {properties: {s: {$ref: '#/components/schemas/S0'}}}}}}}}}}\n";
        text += "components:\n  schemas:\n";
        for at in (first..DEPTH).step_by(2) {
            let next = at + 2;
            let of_next = if next < DEPTH {
                format!("$ref: '#/components/schemas/S{next}'")
            } else {
                leaf.to_owned()
            };
            let own = format!("{{properties: {{l: {{{of_next}}}, r: {{{of_next}}}}}}}");
            text += &format!("    S{at}: {{properties: {{l: {own}, r: {own}}}}}\n");
        }
        text
    };
    let old = side(0, "type: string");
    let new = side(1, "type: integer")
        .replace("{s: {$ref: '#/components/schemas/S0'}}", "{s: {properties: {l: {$ref: '#/components/schemas/S1'}, r: {$ref: '#/components/schemas/S1'}}}}");
    let found = told(&[("a.yaml", &old)], &[("a.yaml", &new)]);
    assert!(found.iter().any(|it| it.starts_with("changed-type")), "{found:?}");
    assert!(found.len() < 1_000, "{}", found.len());
}

#[test]
fn an_enum_that_is_answered_may_not_grow() {
    let api = |schema: &str| {
        format!(
            "openapi: 3.0.0\npaths:\n  /x:\n    post:\n      requestBody: {{content: {{a/b: \
             {{schema: {{{schema}}}}}}}}}\n      responses: {{'200': {{content: {{a/b: \
             {{schema: {{{schema}}}}}}}}}}}\n"
        )
    };
    let old = api("type: string, enum: [a, b]");
    let what = |new: &str| told(&[("a.yaml", &old)], &[("a.yaml", &api(new))]);
    let grown = ["changed-type POST /x response 200 a.yaml"];
    assert_eq!(what("type: string, enum: [a, b, c]"), grown);
    assert_eq!(what("type: string"), grown);
}

#[test]
fn references_are_read_as_pointers() {
    let api = |name: &str| {
        format!(
            "openapi: 3.0.0\npaths: {{/x: {{get: {{responses: {{'200': {{content: {{a/b: {{schema: \
             {{$ref: '#/components/schemas/a~1b~0'}}}}}}}}}}}}}}}}\ncomponents: {{schemas: {{a/b~: \
             {{properties: {{id: {{$ref: '#/components/schemas/c~1d'}}}}}}, c/d: {{properties: \
             {{{name}: {{type: string}}}}}}}}}}\n"
        )
    };
    assert_eq!(
        told(&[("a.yaml", &api("one"))], &[("a.yaml", &api("two"))]),
        ["renamed-contract c/d.one a.yaml"]
    );
}
