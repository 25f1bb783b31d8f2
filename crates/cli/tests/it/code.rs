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
        shop at 412b7f783d
        4 files, 13 symbols, 27 edges; 1 call not resolved
        4 files read, 27 edges added, 0 removed
        commits  2 new commits
        search index  2 new texts
        done
        ------- stderr -------
        commits: 2
        reading: 4
        documents: 2
    "#]]
    .assert_eq(&lore(&env, &["index"]));
    expect![[r#"
        shop at 412b7f783d
        4 files, 13 symbols, 27 edges; 1 call not resolved
        nothing to do: indexed before
        commits  up to date
        done
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
        [2mclass[0m [1mshop.cart.Cart[0m  [34mshop/cart.py:4[0m
          class Cart
          [2mWhat a customer is about to buy.[0m
          [2m1 caller, 0 callees[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "Cart"]));
    expect![[r#"
        [2mmethod[0m [1mshop.cart.Cart.sum[0m  [34mshop/cart.py:16[0m
          def sum(self)
          [2m2 callers, 1 callee[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "shop/cart.Cart.sum"]));
    expect![[r#"
        [2mno symbol has this name; by its words:[0m

        [2mclass[0m [1mshop.cart.Cart[0m  [34mshop/cart.py:4[0m
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
        [2mfunction[0m [1mshop.price.rounded[0m  [34mshop/price.py:5[0m
        [2m└─ [0mshop.price.total  [34mshop/price.py:2[0m
        [2m   └─ [0mshop.cart.Cart.sum  [34mshop/cart.py:17[0m
        [2m      ├─ [0mshop.cart.Cart.checkout  [34mshop/cart.py:14[0m
        [2m      └─ [0mtests.test_cart.test_sum  [34mtests/test_cart.py:7[0m  [2mtest[0m
    "#]]
    .assert_eq(&lore(&env, &["callers", "rounded", "--depth", "4"]));
    expect![[r#"
        [2mmethod[0m [1mshop.cart.Cart.checkout[0m  [34mshop/cart.py:13[0m
        [2mno callers; reflection, generated code, configuration and repositories that are not indexed are not seen[0m
    "#]]
    .assert_eq(&lore(&env, &["callers", "checkout"]));
    expect![[r#"
        [2mmethod[0m [1mshop.cart.Cart.checkout[0m  [34mshop/cart.py:13[0m
        [2m└─ [0mshop.cart.Cart.sum  [34mshop/cart.py:14[0m
        [33m1 of 2 calls in it are bound; 1 could not be resolved[0m
          [34mshop/cart.py:14[0m  gateway.pay[2m  in cart.Cart.checkout[0m
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
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	shop.price.total	shop/price.py:1	calls	shop/price.py:2	0.95
        2	method	shop.cart.Cart.sum	shop/cart.py:16	calls	shop/cart.py:17	0.95
    "#]]
    .assert_eq(&lore(&env, &["callers", "rounded", "-d", "2"]));
}

#[test]
fn impact_reaches_tests_and_owners() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mfunction[0m [1mshop.price.rounded[0m  [34mshop/price.py:5[0m

        [1mshop[0m[2m  3 symbols[0m
        [2m  1 [0mshop.price.total  [34mshop/price.py:2[0m
        [2m  2 [0mshop.cart.Cart.sum  [34mshop/cart.py:17[0m
        [2m  3 [0mshop.cart.Cart.checkout  [34mshop/cart.py:14[0m

        [1mtests[0m[2m  1 symbol[0m
        [2m  3 [0mtests.test_cart.test_sum  [34mtests/test_cart.py:7[0m  [2mtest[0m

        reaches 4 symbols, 2 packages, 1 test
        owners: [33m@shop-team, @ada[0m
    "#]]
    .assert_eq(&lore(&env, &["impact", "rounded"]));
    let impact = data(&env, &["impact", "shop/price.py", "-J"]);
    assert_eq!(impact["tests"][0]["symbol"], "test_cart.test_sum");
    assert_eq!(impact["owners"].as_array().unwrap().len(), 2);
}

/// Names that are used and not called.
const NAMED: &[(&str, &str)] = &[
    ("shop/__init__.py", ""),
    ("shop/limits.py", "MOST = 10\n\n\nclass Item:\n    pass\n"),
    (
        "shop/cart.py",
        "\
from shop.limits import MOST, Item


def full(items: list[Item]) -> bool:
    return len(items) >= MOST


def add(items, item):
    if not full(items):
        items.append(item)
",
    ),
    (
        "shop/till.py",
        "from shop import cart\n\nSTEPS = [cart.add]\n\n\ndef run():\n    return STEPS\n",
    ),
];

#[test]
fn impact_follows_what_names_a_constant_a_type_or_a_function() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(NAMED)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    let env = env.on_terminal(100);
    expect![[r#"
        [2mconst[0m [1mshop.limits.MOST[0m  [34mshop/limits.py:1[0m

        [1mshop[0m[2m  4 symbols[0m
        [2m  1 [0mshop.cart.full  [34mshop/cart.py:5[0m  [2mreferences[0m
        [2m  2 [0mshop.cart.add  [34mshop/cart.py:9[0m
        [2m  3 [0mshop.till.STEPS  [34mshop/till.py:3[0m  [2mreferences[0m
        [2m  4 [0mshop.till.run  [34mshop/till.py:7[0m  [2mreferences[0m

        reaches 4 symbols, 1 package, 0 tests
        [2m1 module merely imports it:[0m
          shop.cart  [34mshop/cart.py:1[0m
    "#]]
    .assert_eq(&lore(&env, &["impact", "shop/limits.MOST"]));
    expect![[r#"
        [2mclass[0m [1mshop.limits.Item[0m  [34mshop/limits.py:4[0m
          class Item
          [2m0 callers, 0 callees, 1 reference[0m
        [2m  named by [0mcart.full  [34mshop/cart.py:4[0m
    "#]]
    .assert_eq(&lore(&env, &["symbol", "Item"]));
    expect![[r#"
        [2mfunction[0m [1mshop.cart.add[0m  [34mshop/cart.py:8[0m
        [2mno direct callers among resolved calls[0m
        [33mpassed, stored or named by 1 symbol:[0m
          shop.till.STEPS  [34mshop/till.py:3[0m  [2mreferences[0m
    "#]]
    .assert_eq(&lore(&env, &["callers", "cart.add"]));
    expect![[r#"
        ------- stderr -------
        error: no indexed file or symbol `shop/nothing.py` in this snapshot
        hint: write the path from the root of the repository, or name a symbol
        [exit status: 17]
    "#]]
    .assert_eq(&lore(&env, &["impact", "shop/nothing.py"]));
    let graph = lore(&env, &["export", "--format", "json"]);
    assert!(graph.contains("\"references\""), "{graph}");
}

#[test]
fn a_way_from_one_symbol_to_another() {
    let env = indexed().on_terminal(100);
    expect![[r#"
        [2mfunction[0m [1mtests.test_cart.test_sum[0m  [34mtests/test_cart.py:4[0m
        [2m└─ [0mshop.cart.Cart.sum  [34mtests/test_cart.py:7[0m
          [2m└─ [0mshop.price.total  [34mshop/cart.py:17[0m
            [2m└─ [0mshop.price.rounded  [34mshop/price.py:2[0m
    "#]]
    .assert_eq(&lore(&env, &["flow", "test_sum", "rounded"]));
    expect![[r#"
        [2mfunction[0m [1mshop.price.rounded[0m  [34mshop/price.py:5[0m
        no way along resolved calls to tests.test_cart.test_sum
        every call on the way is resolved
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

/// `lore diff` and `--at` index old commits on demand; what is asked without a commit is
/// about the newest one all the same.
#[test]
fn an_old_commit_that_is_indexed_later_is_not_taken_for_the_newest() {
    let env = TestEnv::new(BINARY);
    let dir = env.dir().join("shop");
    let mut history = History::new("main");
    let commits = [("2024-05-01", FIRST), ("2024-05-02", SECOND)];
    for (day, files) in commits {
        let at = Timestamp::parse_rfc3339(&format!("{day}T10:00:00Z")).unwrap();
        let ada = Signature::new("Ada", "ada@example.com", at);
        history.commit("main", &ada, "Sell things", &written(files)).unwrap();
    }
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let newest = data(&env, &["status", "-J"])["repos"][0]["code"]["commit"].clone();
    let _ = env.lore_in(&dir, &["index", "-q", "--at", "HEAD~1"], "").success();
    assert_eq!(data(&env, &["status", "-J"])["repos"][0]["code"]["commit"], newest);

    // The next commit is not indexed yet.
    std::fs::write(dir.join("shop/more.py"), "def more():\n    pass\n").unwrap();
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let _ = env.git(&["-C", "shop", "add", "-A"]);
    let _ = env.git(&[&["-C", "shop"], &identity[..], &["commit", "-q", "-m", "More"]].concat());
    let answer = data(&env, &["symbol", "rounded", "-J"]);
    assert_eq!(answer["standing"]["commit"], newest, "{answer:#}");
}

/// A class of Ruby may be opened in several files. Which of them is shown must not depend on
/// which commit was indexed first.
#[test]
fn a_symbol_of_several_files_is_shown_at_the_same_one_in_whatever_order_commits_were_indexed() {
    let env = TestEnv::new(BINARY);
    let dir = env.dir().join("shop");
    let last = [("lib/z.rb", "class Shop\n  def close; end\nend\n")];
    let first = [("lib/a.rb", "class Shop\n  def open; end\nend\n")];
    let mut history = History::new("main");
    for (day, files) in [("2024-05-01", &last), ("2024-05-02", &first)] {
        let at = Timestamp::parse_rfc3339(&format!("{day}T10:00:00Z")).unwrap();
        let ada = Signature::new("Ada", "ada@example.com", at);
        history.commit("main", &ada, "Open a class", &written(files)).unwrap();
    }
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q", "--at", "HEAD~1"], "").success();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let shown = env.lore_in(&dir, &["symbol", "Shop", "--agent"], "").success().stdout;
    assert!(shown.lines().next().is_some_and(|line| line.contains("lib/a.rb:1")), "{shown}");
}

#[test]
fn owners_come_from_the_commit() {
    let env = indexed();
    expect![[r#"
        OWNER	SECTION	PATTERN	LINE
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
        REFERENCE	TYPE	KIND	SYMBOL	PATH	LINE	SCORE	SNIPPET	URL
        62f2c45706://shop.cart.Cart.checkout	symbol	method	cart.Cart.checkout	shop/cart.py	13	1.000	def checkout(self, gateway)	
    "#]].assert_eq(&lore(&env, &["search", "checkOut", "--type", "symbol"]));
    expect![[r#"
        REFERENCE	TYPE	KIND	SYMBOL	PATH	LINE	SCORE	SNIPPET	URL
        62f2c45706://shop.cart.Cart	symbol	class	cart.Cart	shop/cart.py	4	1.000	class Cart What a customer is about to buy.	
    "#]].assert_eq(&lore(&env, &["search", "customer buy", "--type", "symbol"]));
    let env = env.on_terminal(80);
    expect![[r#"
        [2mmethod[0m [1mcart.Cart.sum[0m  [34mshop/cart.py:16[0m
          [2min [0m[34m62f2c45706[0m
          def [1;33msum[0m(self)

        [2mfunction[0m [1mtest_cart.test_sum[0m  [34mtests/test_cart.py:4[0m
          [2min [0m[34m62f2c45706[0m
          def test_[1;33msum[0m()
    "#]]
    .assert_eq(&lore(&env, &["search", "sum", "--type", "symbol", "-n", "2"]));
}

#[test]
fn a_symbol_without_a_name_is_a_mistake_and_not_a_miss() {
    let env = indexed();
    for command in ["impact", "callers", "callees"] {
        let said = lore(&env, &[command, " "]);
        assert!(said.contains("no symbol was given"), "{said}");
        assert!(said.contains("[exit status: 2]"), "{said}");
    }
}

/// The index keeps no texts, so that FTS5 itself would call all matches equal.
#[test]
fn a_symbol_with_the_word_in_its_name_comes_before_one_in_such_a_file() {
    let env = indexed();
    let found = data(&env, &["search", "add cart", "--type", "symbol", "--json"]);
    let items = found["items"].as_array().unwrap();
    let scores: Vec<f64> = items.iter().map(|item| item["score"].as_f64().unwrap()).collect();
    assert!(scores.iter().all(|score| *score > 0.0), "{scores:?}");
    assert_eq!(items[0]["title"], "cart.Cart.add", "{items:?}");
    let found = data(&env, &["search", "cart", "--type", "symbol", "--json"]);
    let score = |title: &str| {
        let items = found["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["title"] == title).unwrap();
        item["score"].as_f64().unwrap()
    };
    assert!(score("cart.Cart") > score("cart.Cart.checkout"), "{found}");
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
        PATH	STEP	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	0	function	main.main	main.py:5
        1	1	function	main.helper	main.py:1	calls	main.py:6	0.95
    "#]]
    .assert_eq(&lore(&env, &["flow", "main", "helper"]));
    expect![[r#"
        # function main.main  main.py:5
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	main.helper	main.py:1	calls	main.py:6	0.95
        # the name also means:
        # module main  main.py:1
        # one alone: lore callees main.py:5
    "#]]
    .assert_eq(&lore(&env, &["callees", "main"]));
    // Both are listed, and the whole name still says which.
    assert_eq!(data(&env, &["symbol", "main", "--json"])["total"], 2);
    let both = data(&env, &["symbol", "main", "--json"]);
    assert_eq!(both["symbols"][0]["kind"], "function");
    let module = both["symbols"][1]["qualified_name"].clone();
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

/// Writes a repository of one commit under a name, and indexes it.
fn index_as(env: &TestEnv, name: &str, files: &[(&str, &str)]) -> String {
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    history.commit("main", &ada, "Start", &written(files)).unwrap();
    let dir = env.dir().join(name);
    history.write(&dir).unwrap();
    let url = format!("https://example.com/acme/{name}.git");
    let _ = env.git(&["-C", name, "remote", "add", "origin", &url]).success();
    let output = env.lore_in(&dir, &["index", "--json"], "").success();
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    document["data"]["static_root"].as_str().unwrap().to_owned()
}

const MONEY: &[(&str, &str)] = &[
    ("money/__init__.py", "from .rounding import round_up\n"),
    (
        "money/rounding.py",
        "def round_up(x):\n    return helper(x)\n\n\ndef helper(x):\n    return x\n",
    ),
];

const SHOP: &[(&str, &str)] = &[(
    "shop/cart.py",
    "\
import requests
from money import round_up
from money.rounding import helper
from other.rounding import round_up as foreign


def total(x):
    foreign(x)
    requests.get(x)
    return round_up(x)


def checkout(x):
    helper(x)
    return total(x)
",
)];

#[test]
fn callers_and_impact_cross_repositories() {
    let env = TestEnv::new(BINARY);
    let _ = index_as(&env, "app", SHOP);
    let _ = index_as(&env, "lib", MONEY);
    let in_lib = |args: &[&str]| env.lore_in(&env.dir().join("lib"), args, "").to_string();
    let in_app = |args: &[&str]| env.lore_in(&env.dir().join("app"), args, "").to_string();
    expect![[r#"
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	example.com/acme/app://shop.cart.total	shop/cart.py:7	calls	shop/cart.py:10	0.95
        2	function	example.com/acme/app://shop.cart.checkout	shop/cart.py:13	calls	shop/cart.py:15	0.95
    "#]].assert_eq(&in_lib(&["callers", "round_up", "--depth", "3"]));
    expect![[r#"
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	example.com/acme/app://shop.cart.checkout	shop/cart.py:13	calls	shop/cart.py:14	0.95
        2	function	example.com/acme/app://shop.cart.total	shop/cart.py:7	calls	shop/cart.py:10	0.95
        1	function	money.rounding.round_up	money/rounding.py:1	calls	money/rounding.py:2	0.95
        # 1 module merely imports it:
        #   example.com/acme/app://shop.cart  shop/cart.py:3
    "#]].assert_eq(&in_lib(&["impact", "helper"]));
    // What is indexed nowhere stays external, under its own name.
    expect![[r#"
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	external	python://other.rounding.round_up		calls	shop/cart.py:8	0.95
        1	external	python://requests.get		calls	shop/cart.py:9	0.95
        1	function	example.com/acme/lib://money.rounding.round_up	money/rounding.py:1	calls	shop/cart.py:10	0.95
        2	function	example.com/acme/lib://money.rounding.helper	money/rounding.py:5	calls	money/rounding.py:2	0.95
    "#]].assert_eq(&in_app(&["callees", "total", "--depth", "2"]));
    expect![[r#"
        PATH	STEP	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	0	function	shop.cart.checkout	shop/cart.py:13
        1	1	function	shop.cart.total	shop/cart.py:7	calls	shop/cart.py:15	0.95
    "#]]
    .assert_eq(&in_app(&["flow", "checkout", "total"]));
    assert_eq!(env.lore_in(&env.dir().join("app"), &["fsck"], "").status, Some(0));
}

#[test]
fn what_else_is_indexed_does_not_change_what_a_commit_is() {
    let (alone, both) = (TestEnv::new(BINARY), TestEnv::new(BINARY));
    let root = index_as(&alone, "app", SHOP);
    let _ = index_as(&both, "lib", MONEY);
    assert_eq!(index_as(&both, "app", SHOP), root);
}

/// The fields of a message of Protocol Buffers: number, and bytes or a number.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>, u64)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        if key & 7 == 2 {
            let (block, rest) = bytes.split_at(value as usize);
            fields.push((key >> 3, block.to_vec(), 0));
            bytes = rest;
        } else {
            fields.push((key >> 3, Vec::new(), value));
        }
    }
    fields
}

#[test]
fn a_scip_index_has_definitions_and_the_places_they_are_called() {
    let env = TestEnv::new(BINARY);
    let _ = index_as(&env, "app", SHOP);
    let mut command = env.command(&["export", "--format", "scip"]);
    let output = command.current_dir(env.dir().join("app")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut lines = String::new();
    for (_, document, _) in fields(&output.stdout).iter().filter(|it| it.0 == 2) {
        for (field, block, _) in fields(document) {
            let text = || String::from_utf8_lossy(&block).into_owned();
            match field {
                1 | 4 => lines.push_str(&format!("{}\n", text())),
                2 => {
                    let inner = fields(&block);
                    let range = inner.iter().find(|it| it.0 == 1).map(|it| it.1.clone());
                    let symbol = inner.iter().find(|it| it.0 == 2).unwrap().1.clone();
                    let symbol = String::from_utf8(symbol).unwrap();
                    let (_, name) = symbol.rsplit_once(' ').unwrap();
                    let is_definition = inner.iter().any(|it| it.0 == 3 && it.2 & 1 == 1);
                    let word = if is_definition { "defines" } else { "calls" };
                    lines.push_str(&format!("{:?} {word} {name}\n", range.unwrap()));
                }
                _ => {}
            }
        }
    }
    expect![[r#"
        shop/cart.py
        [0, 0, 0] defines shop/cart/
        [6, 4, 9] defines shop/cart/total().
        [7, 4, 11] calls round_up.
        [8, 13, 16] calls get.
        [9, 11, 19] calls round_up.
        [12, 4, 12] defines shop/cart/checkout().
        [13, 4, 10] calls helper.
        [14, 11, 16] calls shop/cart/total().
        python
    "#]]
    .assert_eq(&lines);
    let terminal = TestEnv::new(BINARY).on_terminal(80);
    assert_eq!(terminal.lore(&["export", "--format", "scip"]).status, Some(2));
}

#[test]
fn javascript_without_modules_has_symbols_callers_and_its_own_name() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = [
        (
            "lib/response.js",
            "\
var res = module.exports = {};

/** Sends a body. */
res.send = function send(body) {
  return this.end(body);
};

res.json = function (value) {
  return this.send(JSON.stringify(value));
};
",
        ),
        (
            "lib/view.js",
            "\
module.exports = View;

function View(name) {
  this.name = name;
}

View.prototype.render = function render(res) {
  return res.send(this.name);
};
",
        ),
        (
            "index.js",
            "\
var res = require('./lib/response');
var View = require('./lib/view');

exports.start = function () {
  res.json({});
  new View('home').render(res);
};
",
        ),
    ];
    history.commit("main", &ada, "Answer", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    for (line, expected) in [
        ("outline lib/response.js", "lib/response.js  javascript"),
        ("outline lib/response.js", "res.send = function send(body)"),
        ("outline lib/view.js", "View.prototype.render = function render(res)"),
        ("callers res.send", "response.res.json"),
        ("callers View", "index.js:6"),
        ("callees start", "view.View.render"),
        ("callees start", "response.res.json"),
        ("map", "javascript 3"),
    ] {
        let shown = lore(&env, &line.split(' ').collect::<Vec<_>>());
        assert!(shown.contains(expected), "`lore {line}` without `{expected}`:\n{shown}");
    }
}
