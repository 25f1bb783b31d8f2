//! What a change does, by symbols: `lore diff`.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{FileChange, History, Signature, written};
use testkit::TestEnv;

const FIRST: &[(&str, &str)] = &[
    ("CODEOWNERS", "/shop/ @shop-team\n"),
    (
        "shop/cart.py",
        "\
from shop.price import total


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def sum(self):
        return total(self.items)
",
    ),
    (
        "shop/price.py",
        "\
def total(items):
    amount = sum(item.price * item.count for item in items)
    return amount - discount(amount)


def discount(amount):
    if amount > 1000:
        return amount / 10
    return 0


def unused_helper(items):
    return sorted(items, key=lambda item: item.weight)
",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_sum():\n    assert Cart().sum() == 0\n",
    ),
];

/// `discount` renamed, `total` wants a rate, `unused_helper` gone, the cart moved.
const SECOND: &[(&str, &str)] = &[
    (
        "shop/price.py",
        "\
def total(items, rate):
    amount = sum(item.price * item.count for item in items)
    return (amount - rebate(amount)) * rate


def rebate(amount):
    if amount > 1000:
        return amount / 10
    return 0
",
    ),
    (
        "shop/basket.py",
        "\
from shop.price import total


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def sum(self):
        return total(self.items)
",
    ),
];

fn clone() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FIRST)).unwrap();
    history.commit("main", &ada, "Change prices", &written(SECOND)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let removed = std::process::Command::new("git")
        .current_dir(env.dir().join("shop"))
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
        .args(["rm", "-q", "shop/cart.py"])
        .status();
    assert!(removed.unwrap().success());
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

#[test]
fn a_change_is_told_by_symbols_without_an_index() {
    let env = clone();
    expect![[r#"
        HEAD~1 (1d8aed7cee) → HEAD (401549ccb1)
        2 files; symbols: 1 removed, 1 renamed, 1 changed, 1 added

        3 breaking changes
          removed-public-symbol  function unused_helper is gone  shop/price.py:12
          changed-parameters  total: required parameter `rate` added  shop/price.py:1
          renamed-public-symbol  discount is now rebate (same text)  shop/price.py:6

          ~ function total  signature, body  shop/price.py:1
          + class Cart  added, with 4 members  shop/basket.py:4
        no database: callers, tests, owners and decisions are not known; run: lore index
    "#]]
    .assert_eq(&lore(&env, &["diff", "HEAD~1", "HEAD"]));
}

#[test]
fn a_moved_file_is_one_line() {
    let env = clone();
    let told = lore(&env, &["diff", "HEAD~1", "--working-tree"]);
    assert!(told.contains("5 public symbols of shop/cart.py are now in shop/basket.py"), "{told}");
    assert_eq!(told.matches("shop/cart.py").count(), 1, "{told}");
    assert!(!told.contains("Cart"), "{told}");
}

#[test]
fn with_an_index_users_tests_and_owners_are_known() {
    let env = clone();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q", "--at", "HEAD~1"], "").success();
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    for line in [
        "  changed-parameters  total: required parameter `rate` added, 1 user  shop/price.py:1\n",
        "  renamed-public-symbol  discount is now rebate (same text), 1 user  shop/price.py:6\n",
        "; 1 → 2 users (new: basket.Cart.sum)  shop/price.py:1\n",
        "reaches 3 symbols → 5; 1 test file\ntests: tests/test_cart.py\nowners: @shop-team\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn a_condition_that_holds_is_an_exit_code_of_its_own() {
    let env = clone();
    let status = |args: &[&str]| env.lore_in(&env.dir().join("shop"), args, "").status;
    assert_eq!(status(&["diff", "HEAD~1", "HEAD", "--fail-on", "breaking"]), Some(22));
    assert_eq!(status(&["diff", "HEAD~1", "HEAD", "--fail-on", "breaking=9"]), Some(0));
    assert_eq!(status(&["diff", "HEAD~1", "HEAD", "--fail-on", "weather"]), Some(2));
    // A gate that nothing was there to look at is not passed.
    for graph in ["reached=100", "new-cross-package-edges=100", "impact-increase=100"] {
        let judged = ["diff", "HEAD~1", "HEAD", "--fail-on", graph];
        assert_eq!(status(&judged), Some(22), "{graph}");
        let told = lore(&env, &judged);
        assert!(told.contains("cannot be judged") && told.contains("run: lore index"), "{told}");
    }
    let _indexed = lore(&env, &["index", "-q"]);
    assert_eq!(status(&["diff", "HEAD~1", "HEAD", "--fail-on", "reached=100"]), Some(0));
    let failed = lore(&env, &["diff", "HEAD~1", "HEAD", "--fail-on", "breaking"]);
    assert!(failed.contains("3 breaking changes, more than 0"), "{failed}");
}

#[test]
fn what_is_unknown_is_said_with_what_is_near() {
    let env = clone();
    let told = lore(&env, &["diff", "maim"]);
    assert!(told.contains("no commit `maim`") && told.contains("did you mean main?"), "{told}");
}

#[test]
fn comments_and_tools_of_review_get_their_forms() {
    let env = clone();
    let markdown = lore(&env, &["diff", "HEAD~1", "HEAD", "--markdown"]);
    let line = "- renamed-public-symbol: `discount is now rebate (same text)` `shop/price.py:6`\n";
    let row = "| `signature, body` | `function total` | `shop/price.py:1` |  |\n";
    assert!(markdown.contains(line) && markdown.contains(row), "{markdown}");
    assert!(!markdown.contains("renamed from discount"), "told once: {markdown}");
    let sarif = lore(&env, &["diff", "HEAD~1", "HEAD", "--sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let rules: Vec<&str> = results.filter_map(|result| result["ruleId"].as_str()).collect();
    assert_eq!(rules, ["removed-public-symbol", "changed-parameters", "renamed-public-symbol"]);
}

#[test]
fn tests_are_listed_with_the_reason_they_are_affected() {
    let env = clone();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q", "--at", "HEAD~1"], "").success();
    let told = lore(&env, &["tests", "--base", "HEAD~1", "--head", "HEAD"]);
    assert!(told.contains("tests/test_cart.py  uses sum, 2 steps from the change\n"), "{told}");
    let list = lore(&env, &["tests", "shop/cart.py", "--at", "HEAD~1", "--format", "list"]);
    assert_eq!(list, "tests/test_cart.py\n");
}

/// What breaks is told above the list and not again in it; what the list adds stays.
#[test]
fn symbols_of_a_removed_script_are_told_once() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let script =
        "def fetch(url):\n    return url\n\n\nclass Report:\n    def write(self):\n        pass\n";
    history.commit("main", &ada, "Add", &written(&[("tools/report.py", script)])).unwrap();
    let gone = [FileChange::Delete { path: "tools/report.py".to_owned() }];
    history.commit("main", &ada, "Remove", &gone).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(
        told.contains("removed-public-symbol  function fetch is gone  tools/report.py:1\n"),
        "{told}"
    );
    assert!(told.contains("class Report is gone, with 1 member  tools/report.py:5\n"), "{told}");
    for name in ["fetch", "Report"] {
        assert_eq!(told.matches(name).count(), 1, "{told}");
    }
}

/// Once is enough: of real fixes it finds tests that nothing else does.
#[test]
fn tests_that_changed_together_say_how_often() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let code = |n: u32| format!("def weigh(box):\n    return box * {n}\n");
    let test = |name: &str, n: u32| format!("def test_{name}():\n    assert {n}\n");
    for n in 1..=3 {
        let (code, twice, once) = (code(n), test("first", n), test("second", n.min(2)));
        let files = [
            ("shop/scales.py", code.as_str()),
            ("tests/test_first.py", &twice),
            ("tests/test_second.py", &once),
        ];
        // With the second commit both tests come, with the third only one of them changes.
        let files = if n == 1 { &files[..1] } else { &files[..5 - n as usize] };
        history.commit("main", &ada, "Weigh", &written(files)).unwrap();
    }
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    let told = lore(&env, &["tests", "shop/scales.py", "--reach", "wide"]);
    assert!(told.contains("test_first.py  changed together with it 2 times before\n"), "{told}");
    assert!(told.contains("test_second.py  changed together with it once before\n"), "{told}");
}

#[test]
fn a_copy_is_told_with_what_it_is_a_copy_of() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let function = |name: &str| {
        format!(
            "def {name}(items, rate):\n    amount = sum(item.price * item.count for item in items)\n    rebate = lookup_rebate(amount, rate)\n    return amount - rebate\n\n\n"
        )
    };
    let (one, two) = (function("total"), function("total") + &function("net_total"));
    history.commit("main", &ada, "Add", &written(&[("shop/price.py", one.as_str())])).unwrap();
    history.commit("main", &ada, "Copy", &written(&[("shop/price.py", two.as_str())])).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("+ function net_total  copied from total  shop/price.py:7\n"), "{told}");
}
