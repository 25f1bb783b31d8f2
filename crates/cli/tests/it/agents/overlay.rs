//! Answers for the tree at hand: edits that nobody committed or indexed.

use super::Shop;
use crate::mcp::Client;
use serde_json::json;

fn run(shop: &Shop, args: &[&str]) -> String {
    shop.site.env.lore_in(&shop.dir(), args, "").success().stdout
}

fn edit(shop: &Shop, file: &str, from: &str, to: &str) {
    let path = shop.dir().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no `{from}`");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn lines_definitions_and_calls_are_those_of_the_work_tree() {
    let shop = Shop::new();
    assert!(run(&shop, &["callers", "total_price", "--agent"]).contains("refund_order:5"));
    // Lines move, a call goes away, a function and a call come.
    edit(&shop, "src/shop/refund.py", "from shop", "# one\n# two\nfrom shop");
    edit(&shop, "src/shop/checkout.py", "charge_card(cart.total_price())", "charge_card(None)");
    edit(
        &shop,
        "src/shop/cart.py",
        "    def total_price(self):",
        "    def tax_of(self):\n        return self.total_price()\n\n    def total_price(self):",
    );
    let callers = run(&shop, &["callers", "total_price", "--agent"]);
    assert!(callers.contains("refund_order:7"), "{callers}");
    assert!(!callers.contains("checkout_cart"), "{callers}");
    // Nobody has bound it yet; it is told all the same.
    assert!(callers.contains("not bound: src/shop/cart.py:12"), "{callers}");
    assert!(callers.contains("Cart.total_price src/shop/cart.py:14"), "{callers}");
    let new = run(&shop, &["symbol", "tax_of", "--agent"]);
    assert!(new.starts_with("src/shop/cart.py:11 def Cart.tax_of(self)"), "{new}");
    let callers = shop.site.env.lore_in(&shop.dir(), &["callers", "tax_of"], "");
    assert!(callers.stderr.contains("`tax_of` is new in the work tree"), "{callers}");
    let read = run(&shop, &["read", "Cart.tax_of"]);
    assert!(read.contains("return self.total_price()"), "{read}");
    let outline = run(&shop, &["outline", "src/shop/cart.py", "--agent"]);
    assert!(outline.contains(" 11 def tax_of(self)"), "{outline}");
    // What is gone is gone.
    edit(&shop, "src/shop/refund.py", "def refund_order", "def give_back");
    let gone = shop.site.env.lore_in(&shop.dir(), &["callers", "refund_order"], "");
    assert!(gone.stderr.contains("no symbol `refund_order`"), "{gone}");
    // And comes back with the file.
    let dir = shop.dir().display().to_string();
    let _clean = shop.site.env.git(&["-C", &dir, "checkout", "-q", "--", "."]);
    assert!(run(&shop, &["callers", "total_price", "--agent"]).contains("refund_order:5"));
}

#[test]
fn edits_after_an_index_of_the_work_tree_are_seen_too() {
    let shop = Shop::new();
    let new = "    def tax_of(self):\n        return self.total_price()\n\n";
    let with = |text: &str| format!("{text}    def total_price(self):");
    edit(&shop, "src/shop/cart.py", "    def total_price(self):", &with(new));
    let _indexed = run(&shop, &["index", "--working-tree", "-q"]);
    // What was indexed is bound.
    let callers = run(&shop, &["callers", "total_price", "--agent"]);
    assert!(callers.contains("tax_of"), "{callers}");
    assert!(!callers.contains("not bound"), "{callers}");
    // A log that nobody reads as code changes nothing.
    std::fs::write(shop.dir().join("build.log"), "done\n").unwrap();
    assert_eq!(run(&shop, &["callers", "total_price", "--agent"]), callers);
    let later = "    def later(self):\n        return self.total_price()\n\n";
    edit(
        &shop,
        "src/shop/cart.py",
        "    def tax_of(self):",
        &format!("{later}    def tax_of(self):"),
    );
    let symbol = run(&shop, &["symbol", "later", "--agent"]);
    assert!(symbol.starts_with("src/shop/cart.py:11 def Cart.later(self)"), "{symbol}");
    // Taken back, nothing of it is left.
    let dir = shop.dir().display().to_string();
    let _clean = shop.site.env.git(&["-C", &dir, "checkout", "-q", "--", "."]);
    edit(&shop, "src/shop/refund.py", "from shop", "# one\nfrom shop");
    let gone = shop.site.env.lore_in(&shop.dir(), &["symbol", "tax_of"], "");
    assert!(gone.stdout.contains("nothing matches"), "{gone}");
    let callers = run(&shop, &["callers", "total_price", "--agent"]);
    assert!(callers.contains("refund_order:6"), "{callers}");
}

#[test]
fn reasons_are_those_of_the_lines_where_a_symbol_stands_now() {
    let shop = Shop::new();
    let before = run(&shop, &["why", "Cart.apply_discount", "--agent"]);
    assert!(before.contains("in Cart.apply_discount src/shop/cart.py:14\n"), "{before}");
    edit(
        &shop,
        "src/shop/cart.py",
        "class Cart:",
        &format!("{}class Cart:", "# more\n".repeat(20)),
    );
    let after = run(&shop, &["why", "Cart.apply_discount", "--agent"]);
    assert!(after.contains("in Cart.apply_discount src/shop/cart.py:34 (edited)"), "{after}");
    // The same commits, by the same lines of the function.
    let shas = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.split_once(": "));
        lines.map(|(_, rest)| rest.chars().take(10).collect()).collect()
    };
    assert_eq!(shas(&before), shas(&after), "{before}{after}");
    let traced = run(&shop, &["trace", "Cart.apply_discount", "--agent"]);
    assert!(traced.contains("in Cart.apply_discount src/shop/cart.py:34"), "{traced}");
    // A line of the text as it is now stands in what is around it now.
    let line = run(&shop, &["why", "src/shop/cart.py:32", "--agent"]);
    assert!(line.contains("in Cart.total_price:31 (edited)"), "{line}");
    edit(
        &shop,
        "src/shop/money.py",
        "class Money:",
        "def mint_coins():\n    pass\n\n\nclass Money:",
    );
    let new = run(&shop, &["why", "mint_coins", "--agent"]);
    assert!(new.contains("in mint_coins src/shop/money.py:1 (edited)"), "{new}");
    assert!(new.contains("not committed yet"), "{new}");
    let asked = run(&shop, &["where is mint_coins", "--agent"]);
    assert!(asked.starts_with("src/shop/money.py:1 def mint_coins()"), "{asked}");
}

#[test]
fn what_the_work_tree_does_not_have_is_near_to_nothing() {
    let shop = Shop::new();
    edit(&shop, "src/shop/cart.py", "def apply_discount", "def take_off");
    let gone = run(&shop, &["symbol", "Cart.apply_discount", "--agent"]);
    assert!(!gone.contains("Cart.apply_discount; near: Cart.apply_discount"), "{gone}");
    let near = run(&shop, &["symbol", "Cart.aply_discount", "--agent"]);
    assert!(!near.contains("near: Cart.apply_discount"), "{near}");
}

#[test]
fn a_linked_work_tree_is_answered_for_without_another_index() {
    let shop = Shop::new();
    let dir = shop.dir().display().to_string();
    let linked = shop.site.env.dir().join("elsewhere");
    let _added =
        shop.site.env.git(&["-C", &dir, "worktree", "add", "-q", linked.to_str().unwrap()]);
    std::fs::write(linked.join("src/shop/new.py"), "def only_here():\n    pass\n").unwrap();
    let answer = |args: &[&str]| shop.site.env.lore_in(&linked, args, "");
    let callers = answer(&["callers", "total_price", "--agent"]).success().stdout;
    assert!(callers.contains("refund_order:5"), "{callers}");
    let here = answer(&["symbol", "only_here", "--agent"]).success().stdout;
    assert!(here.starts_with("src/shop/new.py:1"), "{here}");
    assert!(!run(&shop, &["symbol", "total_price", "--agent"]).contains("new.py"));
    // A folder that only claims to be one is another clone.
    let claims = shop.site.env.dir().join("claims");
    std::fs::create_dir(&claims).unwrap();
    std::fs::write(claims.join(".git"), format!("gitdir: {dir}/.git/worktrees/elsewhere\n"))
        .unwrap();
    let refused = shop.site.env.lore_in(&claims, &["callers", "total_price"], "");
    assert_eq!(refused.status, Some(20), "{refused}");
}

#[test]
fn another_branch_and_another_work_tree_do_not_leak_in() {
    let shop = Shop::new();
    let dir = shop.dir().display().to_string();
    let git = |args: &[&str]| {
        let mut all = vec!["-C", dir.as_str()];
        all.extend(args);
        shop.site.env.git(&all)
    };
    let _branch = git(&["checkout", "-q", "-b", "side"]);
    std::fs::write(shop.dir().join("src/shop/side.py"), "def only_on_side():\n    pass\n").unwrap();
    let _added = git(&["add", "-A"]);
    let _kept = git(&["commit", "-q", "-m", "side"]);
    // Not indexed, and known: the answer is for what lies here.
    let here = run(&shop, &["symbol", "only_on_side", "--agent"]);
    assert!(here.starts_with("src/shop/side.py:1 def only_on_side()"), "{here}");
    let _indexed = shop.site.env.lore_in(&shop.dir(), &["index", "-q"], "").success();
    let _back = git(&["checkout", "-q", "-"]);
    let there = run(&shop, &["symbol", "only_on_side", "--agent"]);
    assert!(!there.contains("side.py"), "{there}");
}

#[test]
fn a_server_knows_definitions_that_nobody_committed() {
    let shop = Shop::new();
    let mut agent = Client::greeted(&shop.site.env, &shop.dir(), &["--tools", "all", "--no-index"]);
    let mut text = |tool: &str, arguments: serde_json::Value| {
        let answer = agent.call(tool, arguments);
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert!(!text("symbol", json!({ "name": "total_price" })).contains("(edited)"));
    edit(
        &shop,
        "src/shop/cart.py",
        "    def total_price(self):",
        "    def tax_of(self):\n        return self.total_price()\n\n    def total_price(self):",
    );
    let gift = shop.dir().join("src/shop/gift.py");
    std::fs::write(&gift, "def wrap_gift():\n    pass\n").unwrap();
    let new = text("symbol", json!({ "name": "tax_of" }));
    assert!(new.starts_with("src/shop/cart.py:11 def Cart.tax_of(self)"), "{new}");
    assert!(new.contains("(edited)"), "{new}");
    let new = text("symbol", json!({ "name": "wrap_gift" }));
    assert!(new.starts_with("src/shop/gift.py:1 def wrap_gift()"), "{new}");
    let read = text("read", json!({ "target": "Cart.tax_of" }));
    assert!(read.contains("return self.total_price()"), "{read}");
    let outline = text("outline", json!({ "path": "src/shop/gift.py" }));
    assert!(outline.contains("1 def wrap_gift()"), "{outline}");
    // Written once more, it is another file.
    std::fs::write(&gift, "def unwrap_gift():\n    pass\n").unwrap();
    let new = text("symbol", json!({ "name": "unwrap_gift" }));
    assert!(new.starts_with("src/shop/gift.py:1 def unwrap_gift()"), "{new}");
    // What is new in new folders, and then gone, is seen too.
    let deep = shop.dir().join("src/shop/late/later");
    std::fs::create_dir_all(&deep).unwrap();
    let _ = text("symbol", json!({ "name": "unwrap_gift" }));
    std::fs::write(deep.join("ribbon.py"), "def tie_ribbon():\n    pass\n").unwrap();
    let new = text("symbol", json!({ "name": "tie_ribbon" }));
    assert!(new.starts_with("src/shop/late/later/ribbon.py:1 def tie_ribbon()"), "{new}");
    std::fs::remove_dir_all(shop.dir().join("src/shop/late")).unwrap();
    let gone = text("symbol", json!({ "name": "tie_ribbon" }));
    assert!(!gone.contains("ribbon.py"), "{gone}");
}

#[test]
fn a_file_that_a_parser_dies_of_leaves_the_server_and_the_rest_of_the_answer() {
    let mut shop = Shop::new();
    shop.site.env.set_var("LORE_TEST_CRASH", "abort");
    let mut agent = Client::greeted(&shop.site.env, &shop.dir(), &["--tools", "all", "--no-index"]);
    edit(&shop, "src/shop/refund.py", "from shop", "# one\n# two\nfrom shop");
    let answer = agent.call("callers", json!({ "symbol": "total_price" }));
    let text = answer["content"][0]["text"].as_str().unwrap();
    // Lines are followed without knowing what the text defines.
    assert!(text.contains("refund_order:7"), "{text}");
}
