//! Who a change can break, and which tests it is for: what real repositories were told
//! falsely.

use crate::two_versions::{ada, change, first, lore, repository};
use sim::git::written;
use testkit::TestEnv;

/// Beside both commits, a branch `other` with a test of its own.
fn changed(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> TestEnv {
    let mut history = first(before);
    history.branch("other", "main").unwrap();
    change(&mut history, after, gone);
    let aside = written(&[("tests/test_aside.py", "def test_aside():\n    pass\n")]);
    history.commit("other", &ada(), "aside", &aside).unwrap();
    let env = repository(&history);
    let _ = lore(&env, &["index", "-q"]);
    env
}

const CODE: &str = "pub fn phase(day: u32) -> u32 {\n    day % 28\n}\n";

/// fd: `pub` of a crate that is only a binary was told as breaking.
#[test]
fn pub_of_a_program_breaks_nobody() {
    let manifest = "[package]\nname = \"tide\"\nversion = \"0.1.0\"\n";
    let program = "mod moon;\n\nfn main() {\n    moon::phase(1);\n}\n";
    let wide = CODE.replace("day: u32", "day: u32, month: u32");
    let of = |root: &str, text: &str| {
        let files = [("Cargo.toml", manifest), (root, text), ("src/moon.rs", CODE)];
        let env = changed(&files, &[("src/moon.rs", &wide)], &[]);
        lore(&env, &["diff", "HEAD~1", "HEAD"])
    };
    let told = of("src/main.rs", program);
    assert!(told.contains("function phase  signature") && !told.contains("breaking"), "{told}");
    let told = of("src/lib.rs", "pub mod moon;\n");
    assert!(told.contains("1 breaking change\n"), "{told}");
}

#[test]
fn a_package_that_nobody_can_import_breaks_nobody() {
    let of = |path: &str, package: &str| {
        let text = |params: &str| format!("package {package}\n\nfunc Phase({params}) {{}}\n");
        let (before, after) = (text("day int"), text("day int, month int"));
        let env = changed(&[(path, &before)], &[(path, &after)], &[]);
        lore(&env, &["diff", "HEAD~1", "HEAD"])
    };
    assert!(of("moon/moon.go", "moon").contains("1 breaking change\n"));
    assert!(!of("cmd/moon.go", "main // a program").contains("breaking"));
    assert!(!of("internal/moon/moon.go", "moon").contains("breaking"));
}

const SHOP: &[(&str, &str)] = &[
    ("shop/client.py", "class Client:\n    def get(self, url):\n        return url\n"),
    (
        "tests/conftest.py",
        "import pytest\n\nfrom shop.client import Client\n\n\n@pytest.fixture\ndef make_client():\n    \
         return Client().get('a')\n",
    ),
    ("tests/test_get.py", "def test_get(make_client):\n    assert make_client == 'a'\n"),
    (
        "tests/test_old.py",
        "from shop.client import Client\n\n\ndef test_old():\n    Client().get('b')\n",
    ),
    ("tests/test_error.py", "def test_error():\n    raise ValueError\n"),
];

fn changed_shop() -> TestEnv {
    let client = SHOP[0].1.replace("return url", "return url.strip()");
    let new = "def test_error_of_client():\n    assert 1\n";
    changed(
        SHOP,
        &[("shop/client.py", &client), ("tests/test_client-error.py", new)],
        &["tests/test_old.py"],
    )
}

/// starlette e99738b7: two test files in one answer, ten in the other.
#[test]
fn tests_that_ask_for_a_fixture_are_known_to_both() {
    let env = changed_shop();
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains(" tests/test_get.py"), "{told}");
    let told = lore(&env, &["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near"]);
    assert!(told.contains("tests/test_get.py  "), "{told}");
}

/// Polly 54becabd: of 51 listed tests 20 were gone, and 20 new ones were missing; libuv
/// 80a5e3ba0: a new test was taken for code that others \"name\".
#[test]
fn tests_of_the_change_come_first_and_those_it_removes_not_at_all() {
    let env = changed_shop();
    let args = ["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near"];
    let told = lore(&env, &args);
    assert!(told.starts_with("tests/test_client-error.py  it changed itself\n"), "{told}");
    assert!(!told.contains("test_old.py"), "{told}");
    assert!(!told.contains("names test_client-error"), "{told}");
    let list = lore(&env, &[&args[..], &["--format", "list"]].concat());
    assert!(list.starts_with("tests/test_client-error.py\n"), "{list}");
    assert!(list.contains("tests/test_get.py\n") && !list.contains("test_old.py"), "{list}");
}

/// What the branch compared with did since is no part of the change.
#[test]
fn tests_begin_where_the_branch_began() {
    let env = changed_shop();
    let told = lore(&env, &["tests", "--base", "other", "--head", "main", "--reach", "near"]);
    assert!(!told.contains("test_aside"), "{told}");
}

/// libuv 3813460d5: functions that a header declares and every platform defines had no
/// users, no tests, and nothing said so.
#[test]
fn calls_that_are_tied_to_nothing_are_said() {
    let header = "int fs_write(int a);\n";
    let body = "#include \"uv.h\"\n\nint fs_write(int a) {\n  return a * 31;\n}\n";
    let test =
        "#include \"uv.h\"\n\nint run_test(void) {\n  return fs_write(1) + fs_write(2);\n}\n";
    let env = changed(
        &[
            ("include/uv.h", header),
            ("src/unix/fs.c", body),
            ("src/win/fs.c", &body.replace("31", "32")),
            ("test/test-fs.c", test),
        ],
        &[("src/unix/fs.c", &body.replace("31", "33"))],
        &[],
    );
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    let is_known = told.contains("tests: test/test-fs.c");
    assert!(
        is_known || told.contains("calls by the name fs_write (2) are tied to no symbol"),
        "{told}"
    );
}

/// Lemmy f671f41b: a method of a public trait has no `pub`, and its parameters broke nobody.
#[test]
fn a_method_of_a_public_trait_is_public() {
    let manifest = "[package]\nname = \"tide\"\nversion = \"0.1.0\"\n";
    let of = |visible: &str| {
        let text =
            |params: &str| format!("{visible}trait Report {{\n    fn resolve({params});\n}}\n");
        let (before, after) = (text("&self"), text("&self, form: u32"));
        let files = [("Cargo.toml", manifest), ("src/lib.rs", before.as_str())];
        let env = changed(&files, &[("src/lib.rs", &after)], &[]);
        lore(&env, &["diff", "HEAD~1", "HEAD"])
    };
    let told = of("pub ");
    assert!(
        told.contains("changed-parameters  Report.resolve: required parameter `form`"),
        "{told}"
    );
    assert!(!of("").contains("breaking"));
}
