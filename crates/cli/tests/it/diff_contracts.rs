//! What breaks those who rely on a contract, by rule: a schema, messages, an interface.

use crate::two_versions::{history, lore, repository};

/// The lines about breaking changes: `rule  what  where`.
fn broken(path: &str, before: &str, after: &str) -> Vec<String> {
    broken_by(&[(path, before)], &[(path, after)], &[])
}

fn broken_by(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> Vec<String> {
    let env = repository(&history(before, after, gone));
    let told = lore(&env, &["diff", "HEAD~1", "HEAD", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let text = |it: &serde_json::Value, key: &str| it[key].as_str().unwrap().to_owned();
    let all = told["data"]["breaking"].as_array().unwrap_or_else(|| panic!("{told}"));
    all.iter()
        .map(|it| {
            format!(
                "{}: {} ({}:{})",
                text(it, "rule"),
                text(it, "message"),
                text(it, "path"),
                it["line"]
            )
        })
        .collect()
}

const PROTO: &str = "\
syntax = \"proto3\";
package shop.v1;

service Carts {
  rpc Get(GetRequest) returns (Cart);
  rpc List(GetRequest) returns (stream Cart);
  rpc Clear(GetRequest) returns (Cart) {}
}

message GetRequest { string user = 1; int32 page = 2; }

message Cart {
  reserved 9, 20 to 29;
  string user = 1;
  int32 total = 2;
  repeated string tags = 3;
  State state = 4;
  int64 made = 5;
  bool paid = 6;
  bytes seal = 7;

  enum State { OPEN = 0; PAID = 1; LOST = 2; }
}

message Receipt { string id = 1; int64 cents = 2; string text = 3; }
";

#[test]
fn fields_of_a_message_keep_their_numbers_and_types() {
    let after = PROTO
        .replace("reserved 9,", "reserved 7, 9,")
        .replace("string user = 1;\n  int32 total = 2;", "string owner = 1;\n  int64 total = 2;")
        .replace("repeated string tags = 3;", "string tags = 3;")
        .replace("int64 made = 5;", "int64 made = 12;")
        .replace("bool paid = 6;", "Receipt receipt = 6;\n  string note = 9;")
        .replace("  bytes seal = 7;\n", "")
        .replace("PAID = 1; LOST = 2;", "PAID = 3;");
    assert_eq!(
        broken("api/shop.proto", PROTO, &after),
        [
            "renamed-contract: field Cart.user is now owner: code and JSON call it by name (api/shop.proto:14)",
            "changed-field-number: field Cart.made was number 5, is 12 (api/shop.proto:18)",
            "changed-field-number: value Cart.State.PAID was number 1, is 3 (api/shop.proto:22)",
            "reused-field-number: number 6 was Cart.paid (bool), is receipt (Receipt) (api/shop.proto:19)",
            "reused-field-number: number 9 of Cart.note was reserved (api/shop.proto:20)",
            "changed-type: field Cart.total was int32, is int64 (api/shop.proto:15)",
            "changed-type: field Cart.tags was repeated string, is string (api/shop.proto:16)",
            "removed-value: value Cart.State.LOST is gone and its number 2 is not reserved (api/shop.proto:22)",
        ]
    );
}

#[test]
fn messages_and_calls_keep_their_names() {
    let after = PROTO
        .replace("rpc Get(GetRequest) returns (Cart);", "rpc Fetch(GetRequest) returns (Receipt);")
        .replace("returns (stream Cart)", "returns (Cart)")
        .replace("int32 page = 2;", "")
        .replace("message Receipt", "message Bill");
    assert_eq!(
        broken("api/shop.proto", PROTO, &after),
        [
            "removed-contract: rpc Carts.Get is gone (api/shop.proto:5)",
            "renamed-contract: message Receipt is now Bill (api/shop.proto:25)",
            "removed-field: field GetRequest.page is gone and its number 2 is not reserved (api/shop.proto:10)",
            "changed-type: rpc Carts.List was (GetRequest) → (stream Cart), is (GetRequest) → (Cart) (api/shop.proto:6)",
        ]
    );
}

/// What went to another file of the package, what is added and what is only called by its
/// full name now breaks nobody.
#[test]
fn a_contract_that_grows_breaks_nobody() {
    let receipt = "message Receipt { string id = 1; int64 cents = 2; string text = 3; }\n";
    let after = PROTO
        .replace(receipt, "message New { required_by by = 1; }\n")
        .replace("State state = 4;", "shop.v1.Cart.State state = 4 [deprecated = true];")
        .replace("bytes seal = 7;", "optional bytes seal = 7;\n  map<string, int32> prices = 8;")
        .replace("LOST = 2;", "LOST = 2; GONE = 3;");
    let other = format!("syntax = \"proto3\";\npackage shop.v1;\n\n{receipt}");
    let told = broken_by(
        &[("api/shop.proto", PROTO)],
        &[("api/shop.proto", &after), ("api/receipt.proto", &other)],
        &[],
    );
    assert!(told.is_empty(), "{told:#?}");
}

const SCHEMA: &str = "\
CREATE TABLE users (
    id bigserial PRIMARY KEY,
    email varchar(80) NOT NULL,
    name text,
    age integer,
    note text DEFAULT '',
    CONSTRAINT one_email UNIQUE (email)
);
CREATE TABLE orders (id int PRIMARY KEY, user_id int REFERENCES users (id), paid boolean);
create view adults as select * from users where age > 17;
";

#[test]
fn a_schema_keeps_its_tables_and_columns() {
    let after = SCHEMA
        .replace("email varchar(80)", "email varchar(120)")
        .replace("name text,", "full_name text,")
        .replace("    age integer,\n", "    age numeric(3, 1),\n    born date NOT NULL,\n    made timestamptz NOT NULL DEFAULT now(),\n")
        .replace("note text DEFAULT ''", "note text NOT NULL")
        .replace("TABLE orders", "TABLE purchases")
        .replace("create view adults as select * from users where age > 17;\n", "");
    assert_eq!(
        broken("db/schema.sql", SCHEMA, &after),
        [
            "removed-contract: view adults is gone (db/schema.sql:10)",
            "renamed-contract: column users.name is now full_name (db/schema.sql:4)",
            "renamed-contract: table orders is now purchases (db/schema.sql:11)",
            "changed-type: column users.age was integer, is numeric(3,1) (db/schema.sql:5)",
            "required-input: column users.born is added, not null and without default (db/schema.sql:6)",
            "required-input: column users.note is now not null (db/schema.sql:8)",
        ]
    );
}

/// Of a migration each step counts; what it makes itself, what undoes it and what it drops
/// to make it anew does not.
#[test]
fn a_migration_is_read_step_by_step() {
    let up = "\
-- migrate:up
ALTER TABLE users DROP COLUMN age, ADD COLUMN born date NOT NULL;
ALTER TABLE users ADD COLUMN seen timestamptz NOT NULL DEFAULT now();
ALTER TABLE public.users ALTER COLUMN note SET NOT NULL, ALTER email TYPE text;
ALTER TABLE users RENAME COLUMN name TO full_name;
ALTER TABLE orders RENAME TO purchases;
DROP VIEW IF EXISTS adults;
CREATE TABLE passing (id int);
ALTER TABLE passing ADD COLUMN word text NOT NULL;
ALTER TABLE passing DROP COLUMN id;
DROP TABLE passing;
DROP TABLE remade;
CREATE TABLE remade (id int);
ALTER TABLE bills ADD COLUMN person int NOT NULL DEFAULT 0, ADD COLUMN kind int DEFAULT 1;
ALTER TABLE bills ALTER COLUMN person DROP DEFAULT, ALTER COLUMN kind SET NOT NULL;
-- migrate:down
DROP TABLE users;
";
    let down = "drop table orders;\n";
    let told =
        broken_by(&[("db/1.sql", SCHEMA)], &[("db/2.sql", up), ("db/3.down.sql", down)], &[]);
    assert_eq!(
        told,
        [
            "removed-contract: column users.age is dropped (db/2.sql:2)",
            "removed-contract: view adults is dropped (db/2.sql:7)",
            "renamed-contract: column users.name is renamed to full_name (db/2.sql:5)",
            "renamed-contract: table orders is renamed to purchases (db/2.sql:6)",
            "changed-type: column users.email becomes text (db/2.sql:4)",
            "required-input: column users.born is added, not null and without default (db/2.sql:2)",
            "required-input: column users.note becomes not null (db/2.sql:4)",
            "required-input: column bills.person is added, not null and without default (db/2.sql:14)",
        ]
    );
}

/// The dialects of others.
#[test]
fn a_migration_of_another_dialect_is_read_too() {
    let up = "\
ALTER TABLE `orders` MODIFY COLUMN `paid` tinyint(1) NOT NULL, CHANGE total amount int, DROP KEY by_user;
RENAME TABLE users TO people;
ALTER TABLE [dbo].[items] ALTER COLUMN [price] decimal(9, 2) NOT NULL;
ALTER TABLE [dbo].[items] ADD [kind] int NOT NULL;
";
    assert_eq!(
        broken_by(&[("db/1.sql", SCHEMA)], &[("db/2.sql", up)], &[]),
        [
            "renamed-contract: column orders.total is renamed to amount (db/2.sql:1)",
            "renamed-contract: table users is renamed to people (db/2.sql:2)",
            "changed-type: column orders.paid becomes tinyint(1) (db/2.sql:1)",
            "changed-type: column orders.amount becomes integer (db/2.sql:1)",
            "changed-type: column items.price becomes numeric(9,2) (db/2.sql:3)",
            "required-input: column items.kind is added, not null and without default (db/2.sql:4)",
        ]
    );
}

const OPENAPI: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /carts:
    get:
      parameters:
        - {name: page, in: query, schema: {type: number}}
        - {name: sort, in: query, schema: {type: string, enum: [up, down]}}
        - {name: tag, in: query, schema: {type: string}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Cart'}}}}
        '202': {description: later}
        '404': {description: none}
    post:
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/NewCart'}}}
      responses:
        '201': {description: made, content: {application/json: {schema: {$ref: '#/components/schemas/Cart'}}}}
  /carts/{id}:
    delete:
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
      responses:
        '204': {description: gone}
components:
  schemas:
    Cart:
      type: object
      required: [id, state]
      properties:
        id: {type: integer}
        state: {type: string, enum: [open, paid, lost]}
        note: {type: string}
    NewCart:
      type: object
      properties:
        user: {type: string, maxLength: 80}
        count: {type: number}
";

#[test]
fn an_interface_goes_on_to_take_and_to_give_what_it_did() {
    let after = OPENAPI
        .replace(
            "in: query, schema: {type: number}",
            "in: query, required: true, schema: {type: integer}",
        )
        .replace("enum: [up, down]", "enum: [up]")
        .replace(
            "        - {name: tag, in: query, schema: {type: string}}\n",
            "        - {name: who, in: header, required: true, schema: {type: string}}\n",
        )
        .replace("        '202': {description: later}\n        '404': {description: none}\n", "")
        .replace("open, paid, lost", "open, paid")
        .replace("        note: {type: string}\n", "")
        .replace("required: [id, state]", "required: [id]")
        .replace("maxLength: 80", "maxLength: 40")
        .replace(
            "count: {type: number}\n",
            "count: {type: number}\n        place: {type: string}\n      required: [place]\n",
        );
    let after = format!(
        "{}{}",
        &after[..after.find("  /carts/{id}").unwrap()],
        &after[after.find("components:").unwrap()..]
    );
    assert_eq!(
        broken("api/openapi.yaml", OPENAPI, &after),
        [
            "removed-route: DELETE /carts/{id} is gone (api/openapi.yaml:20)",
            "removed-field: Cart.note is gone (api/openapi.yaml:33)",
            "changed-type: GET /carts: page was number, is integer (api/openapi.yaml:5)",
            "changed-type: Cart.state is no longer always there (api/openapi.yaml:24)",
            "changed-type: NewCart.user has maxLength 40, was 80 (api/openapi.yaml:28)",
            "removed-value: GET /carts: sort no longer has the value down (api/openapi.yaml:5)",
            "removed-value: Cart.state no longer has the value lost (api/openapi.yaml:24)",
            "required-input: GET /carts: query parameter page is now required (api/openapi.yaml:5)",
            "required-input: GET /carts: required header parameter who is added (api/openapi.yaml:5)",
            "required-input: NewCart.place is required and new (api/openapi.yaml:30)",
            "removed-parameter: GET /carts: query parameter tag is gone (api/openapi.yaml:5)",
            "removed-response: GET /carts: response 202 is gone (api/openapi.yaml:5)",
        ]
    );
}

#[test]
fn an_interface_that_grows_breaks_nobody() {
    let after = OPENAPI
        .replace("/carts/{id}", "/carts/{cart}")
        .replace(
            "name: id, in: path, required: true, schema: {type: integer}",
            "name: cart, in: path, required: true, schema: {type: number}",
        )
        .replace("enum: [up, down]", "enum: [up, down, none]")
        .replace("maxLength: 80", "maxLength: 120")
        .replace("note: {type: string}", "note: {type: string}\n        more: {type: string}")
        .replace(
            "- {name: tag, in: query,",
            "- {name: what, in: query, schema: {type: string}}\n        - {name: tag, in: query,",
        );
    let told = broken("api/openapi.yaml", OPENAPI, &after);
    assert!(told.is_empty(), "{told:#?}");
}

/// The line that says what breaks is all that is said of it.
#[test]
fn what_breaks_in_a_contract_is_told_once() {
    let after = PROTO.replace("int32 total = 2;", "int64 total = 2;");
    let env = repository(&history(&[("shop.proto", PROTO)], &[("shop.proto", &after)], &[]));
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert_eq!(told.matches("Cart.total").count(), 1, "{told}");
    let tests =
        repository(&history(&[("tests/a.proto", PROTO)], &[("tests/a.proto", &after)], &[]));
    assert!(!lore(&tests, &["diff", "HEAD~1", "HEAD"]).contains("breaking"));
}

/// openfga/api b4b2a124: options in braces hid the field that they are of.
#[test]
fn a_field_with_options_is_a_field() {
    let field = "  string name = 8 [(rules).string = {min_len: 1, pattern: \"^[a-z]+$\"}];\n";
    let after = PROTO.replace("  bytes seal = 7;\n", &format!("  bytes seal = 7;\n{field}"));
    let env = repository(&history(&[("shop.proto", PROTO)], &[("shop.proto", &after)], &[]));
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("+ field Cart.name  added") && !told.contains("body"), "{told}");
}

/// openfga/api 0bb89b73: a property under another name was told as gone, and beside it as added.
#[test]
fn a_renamed_property_is_told_as_such() {
    let after = OPENAPI.replace("note: {type: string}", "remark: {type: string}");
    assert_eq!(
        broken("api/openapi.yaml", OPENAPI, &after),
        ["renamed-contract: Cart.note is now remark (api/openapi.yaml:33)"]
    );
    let schema = |name: &str| {
        format!(
            "{{\"swagger\": \"2.0\", \"definitions\": {{\"Cart\": {{\"properties\": {{\n\"{name}\": {{\"type\": \"integer\", \"format\": \"int64\"}}\n}}}}}}}}\n"
        )
    };
    let (old, new) = (schema("itemCount"), schema("item_count"));
    let env = repository(&history(&[("swagger.json", &old)], &[("swagger.json", &new)], &[]));
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert_eq!(told.matches("item_count").count(), 1, "{told}");
}

/// Lemmy 68008a0e: a migration of a table, and the file that takes it back, "added" the table
/// three times.
#[test]
fn a_statement_about_a_table_makes_none() {
    let up = "alter table users add column person_id int references person (id);\n";
    let down = "create table users (id int);\n";
    let files = [("db/2/up.sql", up), ("db/2/down.sql", down)];
    let env = repository(&history(&[("db/1.sql", SCHEMA)], &files, &[]));
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(!told.contains("table users"), "{told}");
    assert!(told.contains("db/2/down.sql: not compared, it takes a migration back"), "{told}");
}
