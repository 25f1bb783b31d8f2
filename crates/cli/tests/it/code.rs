//! From a git repository to answers about its code.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FIRST: &[(&str, &str)] = &[
    ("CODEOWNERS", "* @ada\n/shop/ @shop-team\n"),
    ("shop/__init__.py", ""),
    (
        "shop/cart.py",
        "\
from shop.price import total


class Cart:
    \"\"\"What a customer is about to buy.\"\"\"

    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def checkout(self, gateway):
        gateway.pay(self.sum())

    def sum(self):
        return total(self.items)
",
    ),
    (
        "shop/price.py",
        "def total(items):\n    return sum(items)\n\n\ndef unused():\n    return 1\n",
    ),
    (
        "tests/test_cart.py",
        "\
from shop.cart import Cart


def test_sum():
    cart = Cart()
    cart.add(3)
    assert cart.sum() == 3
",
    ),
];

const SECOND: &[(&str, &str)] = &[(
    "shop/price.py",
    "def total(items):\n    return rounded(sum(items))\n\n\ndef rounded(n):\n    return n\n",
)];

/// A machine with a clone of two commits, nothing indexed.
fn clone() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FIRST)).unwrap();
    history.commit("main", &ada, "Round the price", &written(SECOND)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

fn indexed() -> TestEnv {
    let env = clone();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    env
}

fn data(env: &TestEnv, args: &[&str]) -> serde_json::Value {
    let output = env.lore_in(&env.dir().join("shop"), args, "").success();
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    document["data"].clone()
}

#[test]
fn before_the_first_index_every_question_says_what_to_run() {
    let env = clone();
    for args in [
        &["symbol", "Cart"][..],
        &["callers", "Cart"],
        &["impact", "Cart"],
        &["flow", "a", "b"],
        &["owners", "x"],
        &["snapshots"],
        &["fsck"],
    ] {
        let output = env.lore_in(&env.dir().join("shop"), args, "");
        assert_eq!(output.status, Some(20), "{args:?}: {output}");
        assert!(
            output.stderr.contains("lore index") || output.stderr.contains("lore sync"),
            "{output}"
        );
    }
}

#[test]
fn indexing_tells_what_it_found() {
    let env = clone();
    expect![[r#"
        local/62f2c45706d24930e9fb64d35c0ddab26422b5a7 at 412b7f783d
        4 files, 13 symbols, 11 edges; 1 call not resolved
        4 files read, 11 edges added, 0 removed
        ------- stderr -------
        reading: 4
    "#]]
    .assert_eq(&lore(&env, &["index"]));
    expect![[r#"
        local/62f2c45706d24930e9fb64d35c0ddab26422b5a7 at 412b7f783d
        4 files, 13 symbols, 11 edges; 1 call not resolved
        nothing to do: indexed before
    "#]]
    .assert_eq(&lore(&env, &["index"]));
    expect![[r#"
        13
    "#]]
    .assert_eq(&lore(&env, &["count", "symbols"]));
}

#[test]
fn symbols_are_found_by_name_ending_and_words() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mclass[0m [1mcart.Cart[0m  [34mshop/cart.py:4[0m
          class Cart
          [2mWhat a customer is about to buy.[0m
          [2m1 caller, 0 callees[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "Cart"]));
    expect![[r#"
        [2mmethod[0m [1mcart.Cart.sum[0m  [34mshop/cart.py:16[0m
          def sum(self)
          [2m2 callers, 1 callee[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "shop/cart.Cart.sum"]));
    expect![[r#"
        [2mno symbol has this name; by its words:[0m

        [2mclass[0m [1mcart.Cart[0m  [34mshop/cart.py:4[0m
          class Cart
          [2mWhat a customer is about to buy.[0m
          [2m1 caller, 0 callees[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "customer buy"]));
    expect![[r#"
        [2mnothing matches[0m[2m; did you mean: [0m[36mcheckout[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "chekout"]));
}

#[test]
fn callers_tell_apart_nobody_somebody_and_unknown() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mfunction[0m [1mprice.rounded[0m  [34mshop/price.py:5[0m
        [2m└─ [0mprice.total  [34mshop/price.py:2[0m
        [2m   └─ [0mcart.Cart.sum  [34mshop/cart.py:17[0m
        [2m      ├─ [0mcart.Cart.checkout  [34mshop/cart.py:14[0m
        [2m      └─ [0mtest_cart.test_sum  [34mtests/test_cart.py:7[0m  [2mtest[0m
    "#]]
    .assert_eq(&lore(&env, &["callers", "rounded", "--depth", "4"]));
    expect![[r#"
        [2mmethod[0m [1mcart.Cart.checkout[0m  [34mshop/cart.py:13[0m
        [2mno callers[0m
    "#]]
    .assert_eq(&lore(&env, &["callers", "checkout"]));
    expect![[r#"
        [2mmethod[0m [1mcart.Cart.checkout[0m  [34mshop/cart.py:13[0m
        [2m└─ [0mcart.Cart.sum  [34mshop/cart.py:14[0m
        [33m1 call in it could not be resolved[0m
          [34mshop/cart.py:14[0m  gateway.pay
    "#]]
    .assert_eq(&lore(&env, &["callees", "Cart.checkout"]));
    expect![[r#"
        ------- stderr -------
        error: no symbol `totl` in this snapshot
        hint: did you mean total?
        [exit status: 17]
    "#]]
    .assert_eq(&lore(&env, &["callers", "totl"]));
}

#[test]
fn in_a_pipe_callers_are_rows() {
    let env = indexed();
    expect![[r#"
        1	function	local/62f2c45706d24930e9fb64d35c0ddab26422b5a7://shop.price.total	shop/price.py:1	calls	shop/price.py:2	0.95
        2	method	local/62f2c45706d24930e9fb64d35c0ddab26422b5a7://shop.cart.Cart.sum	shop/cart.py:16	calls	shop/cart.py:17	0.95
    "#]].assert_eq(&lore(&env, &["callers", "rounded", "-d", "2"]));
}

#[test]
fn impact_reaches_tests_and_owners() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mfunction[0m [1mprice.rounded[0m  [34mshop/price.py:5[0m

        [1mshop[0m[2m  4 symbols[0m
        [2m  1 [0mprice.total  [34mshop/price.py:2[0m
        [2m  2 [0mcart  [34mshop/cart.py:1[0m  [2mimports[0m
        [2m  2 [0mcart.Cart.sum  [34mshop/cart.py:17[0m
        [2m  3 [0mcart.Cart.checkout  [34mshop/cart.py:14[0m

        [1mtests[0m[2m  1 symbol[0m
        [2m  3 [0mtest_cart.test_sum  [34mtests/test_cart.py:7[0m  [2mtest[0m

        reaches 5 symbols, 2 packages, 1 test
        owners: [33m@shop-team, @ada[0m
    "#]]
    .assert_eq(&lore(&env, &["impact", "rounded"]));
    let impact = data(&env, &["impact", "shop/price.py", "-J"]);
    assert_eq!(impact["tests"][0]["symbol"], "test_cart.test_sum");
    assert_eq!(impact["owners"].as_array().unwrap().len(), 2);
}

#[test]
fn a_way_from_one_symbol_to_another() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mfunction[0m [1mtest_cart.test_sum[0m  [34mtests/test_cart.py:4[0m
        [2m└─ [0mcart.Cart.sum  [34mtests/test_cart.py:7[0m
          [2m└─ [0mprice.total  [34mshop/cart.py:17[0m
            [2m└─ [0mprice.rounded  [34mshop/price.py:2[0m
    "#]]
    .assert_eq(&lore(&env, &["flow", "test_sum", "rounded"]));
    expect![[r#"
        [2mfunction[0m [1mprice.rounded[0m  [34mshop/price.py:5[0m
        [2mno way to test_cart.test_sum[0m
    "#]]
    .assert_eq(&lore(&env, &["flow", "rounded", "test_sum"]));
}

#[test]
fn any_indexed_commit_answers_for_itself() {
    let env = indexed();
    let shop = env.dir().join("shop");
    let missing = env.lore_in(&shop, &["callers", "unused", "--at", "main~1"], "");
    assert_eq!(missing.status, Some(20), "{missing}");
    let _ = env.lore_in(&shop, &["index", "--at", "main~1", "-q"], "").success();
    let names = |args: &[&str]| {
        let answer = data(&env, args);
        let found = answer["symbols"].as_array().unwrap();
        found.iter().map(|symbol| symbol["symbol"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["symbol", "unused", "--at", "main~1", "-J"]), ["price.unused"]);
    assert_eq!(names(&["symbol", "rounded", "-J"]), ["price.rounded"]);
    assert_eq!(names(&["symbol", "rounded", "--at", "main~1", "-J"]), Vec::<String>::new());
    let snapshots = data(&env, &["snapshots", "-J"]);
    assert_eq!(snapshots["total"], 2);
    let fsck = data(&env, &["fsck", "-J"]);
    assert_eq!((&fsck["snapshots"], &fsck["n_damage"]), (&2.into(), &0.into()));
}

#[test]
fn owners_come_from_the_commit() {
    let env = indexed();
    expect![[r#"
        @shop-team		/shop/	2
    "#]]
    .assert_eq(&lore(&env, &["owners", "shop/cart.py"]));
}

#[test]
fn a_traced_line_names_the_symbol_around_it() {
    let env = indexed();
    let symbol = |target: &str| {
        let traced = data(&env, &["trace", target, "--json"]);
        traced["symbol"]["symbol"].as_str().map(str::to_owned)
    };
    let line = FIRST[2].1.lines().position(|line| line.contains("return total")).unwrap() + 1;
    assert_eq!(symbol(&format!("shop/cart.py:{line}")), Some("cart.Cart.sum".to_owned()));
    assert_eq!(symbol("shop/cart.py:1"), None, "an import stands in no symbol");
}

#[test]
fn routes_name_what_answers_them() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = [(
        "shop/views.py",
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get(\"/cart\")\ndef cart():\n    return total()\n\n\ndef total():\n    return 1\n",
    )];
    history.commit("main", &ada, "Answer", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    let found = data(&env, &["routes", "cart", "--json"]);
    assert_eq!(found["routes"][0]["method"], "GET");
    assert_eq!(found["routes"][0]["pattern"], "/cart");
    assert_eq!(found["routes"][0]["handlers"][0]["symbol"], "views.cart");
    let reached = data(&env, &["impact", "views.total", "--json"]);
    assert_eq!(reached["routes"][0]["symbol"], "views.GET /cart");
}

#[test]
fn why_tells_what_depends_on_a_line() {
    let env = indexed();
    let line = FIRST[2].1.lines().position(|line| line.contains("return total")).unwrap() + 1;
    let why = data(&env, &["why", &format!("shop/cart.py:{line}"), "--json"]);
    assert_eq!(why["dependents"]["of"], "cart.Cart.sum");
    let impact = data(&env, &["impact", "cart.Cart.sum", "--json"]);
    assert!(impact["total"].as_u64() > Some(0), "{impact:#}");
    assert_eq!(why["dependents"]["total"], impact["total"]);
    assert!(!why["missing"].to_string().contains("not indexed"), "{why:#}");
}

#[test]
fn symbols_are_a_source_of_search() {
    let env = indexed();
    expect![[r#"
        local/62f2c45706d24930e9fb64d35c0ddab26422b5a7://shop.cart.Cart.checkout	symbol	method	cart.Cart.checkout	shop/cart.py	13	10.000	def checkout(self, gateway)	
    "#]].assert_eq(&lore(&env, &["search", "checkOut", "--type", "symbol"]));
    expect![[r#"
        local/62f2c45706d24930e9fb64d35c0ddab26422b5a7://shop.cart.Cart	symbol	class	cart.Cart	shop/cart.py	4	0.000	class Cart What a customer is about to buy.	
    "#]].assert_eq(&lore(&env, &["search", "customer buy", "--type", "symbol"]));
    let env = env.on_terminal(80);
    expect![[r#"
        [2mmethod[0m [1mcart.Cart.sum[0m  [34mshop/cart.py:16[0m
          [2min [0m[34mlocal/62f2c45706d24930e9fb64d35c0ddab26422b5a7[0m
          def [1;33msum[0m(self)

        [2mfunction[0m [1mtest_cart.test_sum[0m  [34mtests/test_cart.py:4[0m
          [2min [0m[34mlocal/62f2c45706d24930e9fb64d35c0ddab26422b5a7[0m
          def test_[1;33msum[0m()
    "#]]
    .assert_eq(&lore(&env, &["search", "sum", "--type", "symbol", "-n", "2"]));
}

#[test]
fn a_search_for_symbols_is_filtered_and_paged_exactly() {
    let env = indexed();
    let symbols = |more: &[&str]| {
        let args = [&["search", "cart", "--type", "symbol", "--json"][..], more].concat();
        let found = data(&env, &args);
        let names = found["items"].as_array().unwrap().iter();
        let names: Vec<String> =
            names.map(|hit| hit["title"].as_str().unwrap().to_owned()).collect();
        (names, found["total"].as_u64().unwrap())
    };
    let (all, total) = symbols(&[]);
    assert_eq!(all.len() as u64, total);
    for (at, name) in all.iter().enumerate() {
        let page = symbols(&["-n", "1", "--offset", &at.to_string()]);
        assert_eq!(page, (vec![name.clone()], total));
    }
    let (in_tests, _) = symbols(&["--path", "tests/"]);
    let (in_file, _) = symbols(&["--path", "shop/cart.py"]);
    assert!(in_tests.iter().all(|name| name.starts_with("test_cart")), "{in_tests:?}");
    assert_eq!(in_tests.len() + in_file.len(), all.len());
    assert_eq!(symbols(&["--path", "shop/none.py"]).1, 0);
    // What the commit checked out no longer has is not found.
    assert_eq!(data(&env, &["search", "unused", "--type", "symbol", "--json"])["total"], 0);
}

#[test]
fn what_a_symbol_does_not_have_cannot_be_asked_for() {
    let env = indexed();
    for (more, message) in [
        (&["--author", "ada"][..], "a symbol has no author"),
        (&["--label", "x", "--state", "opened"], "a symbol has no labels, no state"),
        (&["--since", "2w"], "a symbol has no time of creation"),
        (&["--mode", "semantic"], "symbols are found by their words only"),
        (&["--fts-mode", "raw"], "symbols cannot be searched in FTS5 syntax"),
        (&["--type", "issue"], "symbols and texts cannot be ranked in one list"),
        (&["--without", "decay"], "the signal `decay` does not rank symbols"),
    ] {
        let args = [&["search", "cart", "--type", "symbol"][..], more].concat();
        let output = env.lore_in(&env.dir().join("shop"), &args, "");
        assert_eq!(output.status, Some(2), "{args:?}: {output}");
        assert!(output.stderr.contains(message), "{output}");
    }
}

#[test]
fn a_bare_name_means_what_can_be_called_before_a_module_of_that_name() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = [("main.py", "def helper():\n    pass\n\n\ndef main():\n    helper()\n")];
    history.commit("main", &ada, "Start", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    expect![[r#"
        1	1	function	local/0d37cc223bda115cee9847c58ee96c387574d52e://main.helper	main.py:1	calls	main.py:6	0.95
    "#]].assert_eq(&lore(&env, &["flow", "main", "helper"]));
    expect![[r#"
        1	function	local/0d37cc223bda115cee9847c58ee96c387574d52e://main.helper	main.py:1	calls	main.py:6	0.95
    "#]].assert_eq(&lore(&env, &["callees", "main"]));
    // Both are listed, and the whole name still says which.
    assert_eq!(data(&env, &["symbol", "main", "--json"])["total"], 2);
    let module = data(&env, &["symbol", "main", "--json"])["symbols"][0]["qualified_name"].clone();
    let asked = data(&env, &["callers", module.as_str().unwrap(), "--json"]);
    assert_eq!(asked["symbol"]["kind"], "module");
}

#[test]
fn a_removed_repository_leaves_no_file_of_edges_behind() {
    let env = indexed();
    let graphs = || {
        let beside = std::fs::read_dir(env.db().parent().unwrap()).unwrap();
        let names = beside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("-graph-")).count()
    };
    assert_eq!(graphs(), 1);
    let _ = env.lore(&["repo", "remove", "shop"]).success();
    assert_eq!(graphs(), 0);
}
