//! What to read for a task, and for a change.

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

    def checkout(self, gateway):
        \"\"\"Pays for everything in the cart.\"\"\"
        if not gateway:
            raise ValueError('no payment gateway is configured')
        return gateway.pay(self.sum())

    def sum(self):
        items = list(self.items)
        return total(items)
",
    ),
    (
        "shop/price.py",
        "def total(items):\n    \"\"\"The price of all items together.\"\"\"\n    result = sum(items)\n    return rounded(result)\n\n\n\
         def rounded(n):\n    cents = n * 100\n    return int(cents) / 100\n",
    ),
    (
        "shop/parcel.py",
        "def weigh(parcel):\n    \"\"\"How heavy a parcel is, in grams.\"\"\"\n    weight = parcel.weight\n    return weight * 1000\n",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_sum():\n    cart = Cart()\n    assert cart.sum() == 3\n",
    ),
];

const SECOND: &[(&str, &str)] = &[(
    "shop/price.py",
    "def total(items):\n    \"\"\"The price of all items together.\"\"\"\n    result = sum(items)\n    return rounded(result)\n\n\n\
     def rounded(n):\n    cents = round(n * 100)\n    return cents / 100\n",
)];

fn indexed() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FIRST)).unwrap();
    history.commit("main", &ada, "Round the price to cents", &written(SECOND)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

fn data(env: &TestEnv, args: &[&str]) -> serde_json::Value {
    let args = [args, &["--json"]].concat();
    let output = env.lore_in(&env.dir().join("shop"), &args, "").success();
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    answer["data"].clone()
}

fn names(pack: &serde_json::Value) -> Vec<String> {
    let all = pack["symbols"].as_array().unwrap().iter();
    all.map(|symbol| symbol["symbol"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_task_in_words_leads_to_its_symbols() {
    let env = indexed();
    let pack = data(&env, &["context", "the price of items is rounded wrongly"]);
    assert_eq!(pack["files"][0]["path"], "shop/price.py", "{pack:#}");
    assert_eq!(names(&pack)[0], "price.rounded", "{pack:#}");
    let reasons = pack["symbols"][0]["why"].to_string();
    assert!(reasons.contains("says rounded"), "{reasons}");
    let tests = names(&pack).iter().any(|name| name.contains("test_sum"));
    assert!(!tests, "tests only when they are asked for");
}

#[test]
fn a_stack_trace_and_its_message_come_first() {
    let env = indexed();
    let task = "it breaks\nTraceback (most recent call last):\n  \
                File \"/usr/lib/python3/site-packages/shop/cart.py\", line 10, in checkout\n    \
                raise ValueError\nValueError: no payment gateway is configured\n";
    let pack = data(&env, &["context", task]);
    assert_eq!(pack["strength"], "strong");
    assert_eq!(pack["files"][0]["path"], "shop/cart.py");
    assert_eq!(names(&pack)[0], "cart.Cart.checkout");
    let reasons = pack["symbols"][0]["why"].to_string();
    assert!(reasons.contains("is in the stack trace"), "{reasons}");
}

/// What `channel` said of a symbol.
fn share(pack: &serde_json::Value, symbol: &str, channel: &str) -> Option<f64> {
    let all = pack["symbols"].as_array()?;
    let one = all.iter().find(|it| it["symbol"].as_str().unwrap().ends_with(symbol))?;
    let shares = one["shares"].as_array()?;
    shares.iter().find(|it| it["channel"] == channel)?["score"].as_f64()
}

#[test]
fn a_frame_of_another_version_is_known_by_its_function() {
    let env = indexed();
    // Line 7 is `checkout` here; in the version of the trace it was `sum`.
    let trace = "Paying fails\nTraceback (most recent call last):\n  \
                 File \"/lib/shop/cart.py\", line 7, in sum\n    return total(items)\n\
                 KeyError: 3\n";
    let pack = data(&env, &["context", trace, "--explain"]);
    assert_eq!(share(&pack, "Cart.sum", "trace"), Some(1.0), "{pack}");
    assert_eq!(share(&pack, "Cart.checkout", "trace"), None, "{pack}");
}

#[test]
fn a_member_of_something_unknown_is_found_by_a_name_nobody_else_has() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files: &[(&str, &str)] = &[(
        "shop/table.py",
        "class Table:\n    def to_rows(self, most):\n        rows = self.rows\n        return rows[:most]\n\n\
         \n    def join(self, other):\n        rows = self.rows + other.rows\n        return rows\n",
    )];
    history.commit("main", &ada, "Tables", &written(files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    let task = "Rows are lost\n\n```\nfound.to_rows(3)\nos.join(a)\n```\n";
    let pack = data(&env, &["context", task, "--explain"]);
    assert_eq!(share(&pack, "Table.to_rows", "member"), Some(0.4), "{pack}");
    // Code blocks name much that is as it should be; in words it is meant.
    let in_code = data(&env, &["context", "Rows are lost\n\n    Table.to_rows(3)", "--explain"]);
    assert_eq!(share(&in_code, "Table.to_rows", "member"), Some(0.5), "{in_code}");
    let in_words = data(&env, &["context", "Table.to_rows loses rows", "--explain"]);
    assert_eq!(share(&in_words, "Table.to_rows", "member"), Some(1.0), "{in_words}");
    // `join` may be anybody's.
    assert_eq!(share(&pack, "Table.join", "member"), None, "{pack}");
}

#[test]
fn a_channel_can_be_switched_off_and_every_share_is_shown() {
    let env = indexed();
    let task = "ValueError: no payment gateway is configured";
    let channels = |pack: &serde_json::Value| pack["symbols"].to_string();
    let with = data(&env, &["context", task, "--explain"]);
    assert!(channels(&with).contains("\"message\""), "{with:#}");
    let without = data(&env, &["context", task, "--explain", "--without", "message"]);
    assert!(!channels(&without).contains("\"message\""), "{without:#}");
    let wrong = lore(&env, &["context", task, "--without", "mesage"]);
    assert!(wrong.contains("no channel is called `mesage`"), "{wrong}");
    assert!(wrong.contains("did you mean message?"), "{wrong}");
}

#[test]
fn a_class_is_there_with_the_members_that_match() {
    let env = indexed();
    let task = "paying at the checkout fails without a gateway";
    let of_class = |args: &[&str]| {
        let pack = data(&env, &[&["context", task, "--explain"], args].concat());
        let at = names(&pack).iter().position(|name| name == "cart.Cart");
        at.map(|at| pack["symbols"][at].to_string())
    };
    let with = of_class(&[]).expect("the class of what matches");
    assert!(with.contains("\"contents\""), "{with}");
    let without = of_class(&["--without", "contents"]).unwrap_or_default();
    assert!(!without.contains("\"contents\""), "{without}");
}

#[test]
fn the_same_question_has_the_same_pack() {
    let (one, other) = (indexed(), indexed());
    let args = ["context", "round the total price", "--bodies"];
    let root = |env: &TestEnv| data(env, &args)["pack_root"].clone();
    assert_eq!(root(&one), root(&one));
    assert_eq!(root(&one), root(&other), "on two machines, too");
    let another = data(&one, &["context", "weigh a parcel"])["pack_root"].clone();
    assert_ne!(root(&one), another);
}

#[test]
fn bodies_are_added_and_formats_differ() {
    let env = indexed();
    let text = lore(&env, &["context", "round the total price", "--bodies"]);
    assert!(text.contains("| "), "{text}");
    assert!(text.contains("cents = round(n * 100)"), "{text}");
    let markdown = lore(&env, &["context", "round the total price", "--format", "markdown"]);
    assert!(markdown.contains("### `price.rounded`"), "{markdown}");
    let xml = lore(&env, &["context", "round the <total> \"price\"", "--format", "xml"]);
    assert!(xml.contains("task=\"round the &lt;total&gt; &quot;price&quot;\""), "{xml}");
}

#[test]
fn files_lead_to_callers_tests_and_owners() {
    let env = indexed();
    let pack = data(&env, &["context", "--files", "shop/price.py"]);
    let names = names(&pack);
    for name in ["price.total", "price.rounded", "cart.Cart.sum", "test_cart.test_sum"] {
        assert!(names.contains(&name.to_owned()), "{name} is not in {names:?}");
    }
    assert_eq!(pack["owners"], serde_json::json!(["@shop-team"]));
    let reasons = pack["symbols"].to_string();
    assert!(reasons.contains("calls price.total"), "{reasons}");
    assert!(!names.contains(&"parcel.weigh".to_owned()), "nothing is searched by text");
}

#[test]
fn a_change_between_commits_starts_from_the_changed_symbols() {
    let env = indexed();
    let pack = data(&env, &["context", "--base", "main~1", "--head", "main"]);
    assert_eq!(names(&pack)[0], "price.rounded");
    let why = |name: &str| {
        let all = pack["symbols"].as_array().unwrap();
        all.iter().find(|it| it["symbol"] == name).map(|it| it["why"].to_string())
    };
    assert_eq!(why("price.rounded").as_deref(), Some("[\"is changed\"]"));
    assert_eq!(why("price.total").as_deref(), Some("[\"calls price.rounded\"]"));
    assert_eq!(why("parcel.weigh"), None);
}

#[test]
fn a_pack_never_exceeds_its_budget() {
    let env = indexed();
    for budget in ["400", "700", "2000"] {
        let pack =
            data(&env, &["context", "cart price parcel total", "--bodies", "--budget", budget]);
        let tokens = pack["tokens"].as_u64().unwrap();
        assert!(tokens <= budget.parse().unwrap(), "{tokens} of {budget}");
    }
}

#[test]
fn no_form_is_larger_than_the_budget_it_was_given() {
    let env = indexed();
    let task = "the price of all items in the cart is not rounded in shop/price.py";
    let forms = [
        &["--agent"][..],
        &["--format", "text"],
        &["--format", "markdown"],
        &["--format", "xml"],
        &["--format", "gcf"],
        &["--json"],
        &["--json", "--bodies"],
        &["--format", "text", "--bodies"],
    ];
    let mut n_answers = 0;
    for form in forms {
        for budget in [0, 10, 25, 40, 60, 80, 120, 160, 200, 260, 300, 1_000] {
            let shown = budget.to_string();
            let args = [&["context", task, "--cold", "--budget", &shown][..], form].concat();
            let output = env.lore_in(&env.dir().join("shop"), &args, "");
            if output.status == Some(0) {
                let n = wire::tokens::count(&output.stdout);
                assert!(n <= budget, "{n} of {budget}, {form:?}:\n{output}");
                n_answers += 1;
            } else {
                let said = output.to_string();
                assert!(said.contains("at least") || said.contains("does not fit"), "{said}");
            }
        }
    }
    assert!(n_answers > 30, "{n_answers}");
}

#[test]
fn overloads_share_a_line_and_modules_are_said_by_their_files() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let java = "package shop;\n\npublic class Scale {\n    /** Weighs a parcel in grams. */\n    \
                public int weighParcel(int grams) {\n        int parcel = grams;\n        return parcel;\n    }\n\n    \
                /** Weighs a parcel in pounds. */\n    public int weighParcel(\n        String pounds,\n        int parcel\n    ) {\n        \
                int weight = parcel;\n        return weight;\n    }\n}\n";
    let ruby = "module Shop\n  module Sales\n    class Ledger\n      def weigh_parcel(parcel)\n        \
                # Rounded up.\n        weight = parcel.weight\n        weight * 2\n      end\n    end\n  end\nend\n";
    let files = [("src/shop/Scale.java", java), ("lib/shop/sales/ledger.rb", ruby)];
    history.commit("main", &ada, "Weigh", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _indexed = lore(&env, &["index", "-q"]);
    let said = lore(&env, &["--agent", "context", "weigh the parcel wrongly", "--cold"]);
    assert_eq!(said.matches("Scale.weighParcel(").count(), 1, "{said}");
    assert!(said.contains(":5,11 ") || said.contains(":11,5 "), "{said}");
    assert!(said.contains(" Ledger.weigh_parcel(parcel)\n"), "a comment is no signature: {said}");
    let pack = data(&env, &["context", "weigh the parcel wrongly", "--cold"]);
    assert!(pack.to_string().contains("\"other_lines\":["), "{pack:#}");
    // Overloads that share a line were not left out.
    assert_eq!(pack["left_out"], 0, "{pack:#}");
    let few = lore(&env, &["--agent", "context", "weigh the parcel wrongly", "--limit", "1"]);
    assert!(few.contains(" more (limit 1); "), "{few}");
}

#[test]
fn a_class_is_found_by_a_member_it_does_not_have_yet() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let class = |name: &str| {
        format!(
            "module Shop\n  class {name}\n    def self.running?\n      true\n    end\n  end\nend\n"
        )
    };
    let (desk, door) = (class("FrontDesk"), class("BackDoor"));
    let files = [("lib/shop/front_desk.rb", desk.as_str()), ("lib/shop/back_door.rb", &door)];
    history.commit("main", &ada, "Open", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _indexed = lore(&env, &["index", "-q"]);
    let task = "Visitors wait for ever\n\nThe choice should be made in Shop::FrontDesk.let_in?.";
    let pack = data(&env, &["context", task, "--cold", "--explain"]);
    assert_eq!(pack["strength"], "strong", "{pack:#}");
    assert_eq!(pack["files"][0]["path"], "lib/shop/front_desk.rb", "{pack:#}");
    let channels = pack["files"][0]["shares"].to_string();
    assert!(channels.contains("\"member\"") && channels.contains("\"module\""), "{channels}");
}

#[test]
fn a_file_without_functions_is_found_by_what_it_says_as_a_whole() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let limits = "# Limits of a parcel that the carrier takes: weight and girth.\n\
                  CARRIER_WEIGHT_LIMIT = 30\nCARRIER_GIRTH_LIMIT = 300\n";
    let other = "def send(parcel):\n    carrier = parcel.carrier\n    return carrier\n";
    let files = [("shop/limits.py", limits), ("shop/sending.py", other)];
    history.commit("main", &ada, "Send", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _indexed = lore(&env, &["index", "-q"]);
    let task = "the carrier takes a girth of more than the limit for the weight of a parcel";
    let pack = data(&env, &["context", task, "--cold", "--explain"]);
    assert_eq!(pack["files"][0]["path"], "shop/limits.py", "{pack:#}");
    assert!(pack["files"][0]["shares"].to_string().contains("\"whole\""), "{pack:#}");
}

#[test]
fn a_clone_that_is_not_indexed_is_not_answered_for_by_another() {
    let env = indexed();
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Weigh", &written(&[("scale.py", "x = 1\n")])).unwrap();
    history.write(&env.dir().join("scale")).unwrap();
    for args in [
        &["context", "weigh a parcel"][..],
        &["callers", "weigh"],
        &["map"],
        &["outline", "shop/cart.py"],
        &["who calls Cart.sum"],
    ] {
        let answer = env.lore_in(&env.dir().join("scale"), args, "");
        assert_eq!(answer.status, Some(20), "{args:?} {answer}");
        assert!(answer.stderr.contains("the clone `scale` is not indexed yet"), "{answer}");
        assert!(answer.stderr.contains("run: lore index"), "{answer}");
    }
}

#[test]
fn an_everyday_word_is_weak_evidence() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let texts: Vec<(String, String)> = (0..30)
        .map(|n| (format!("part{n}.py"), format!("def part_{n}():\n    \"\"\"A known bug.\"\"\"\n    value = {n}\n    return value\n")))
        .collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    history.commit("main", &ada, "Begin", &written(&files)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _indexed = lore(&env, &["index", "-q"]);
    let pack = data(&env, &["context", "bug"]);
    assert_eq!(pack["strength"], "weak", "{pack:#}");
    let gcf = lore(&env, &["context", "bug", "--format", "gcf"]);
    assert!(gcf.contains("warn evidence weak"), "{gcf}");
}

#[test]
fn bad_input_gets_a_clear_answer() {
    let env = indexed();
    let empty = lore(&env, &["context", "  "]);
    assert!(empty.contains("the task is empty"), "{empty}");
    let tiny = lore(&env, &["context", "round prices", "--budget", "10"]);
    assert!(tiny.contains("a pack needs at least"), "{tiny}");
    let outside = lore(&env, &["context", "--files", "../../etc/passwd"]);
    assert!(outside.contains("is outside the repository"), "{outside}");
    let missing = lore(&env, &["context", "--files", "shop/no.py"]);
    assert!(missing.contains("no indexed file `shop/no.py`"), "{missing}");
    let owners = lore(&env, &["context", "--files", "CODEOWNERS"]);
    assert!(owners.contains("`CODEOWNERS` has no symbols"), "{owners}");
    let one = data(&env, &["context", "parcel"]);
    assert_eq!(one["files"][0]["path"], "shop/parcel.py");
    let foreign = data(&env, &["context", "kubernetes ingress certificates expire in the mesh"]);
    assert!(matches!(foreign["strength"].as_str(), Some("none" | "weak")), "{foreign:#}");
    assert!(foreign["symbols"].as_array().unwrap().len() <= 5);
    let noise = data(&env, &["context", "\u{fffd}\u{1}\u{2} 日本語 ```"]);
    assert_eq!(noise["strength"], "none");
    assert!(noise["symbols"].as_array().unwrap().is_empty(), "never padded");
    let log = "2024-05-01 ERROR gateway timed out while weighing parcel\n".repeat(20_000);
    let output = env.lore_in(&env.dir().join("shop"), &["context", "-"], &log).success();
    assert!(output.stdout.contains("shop/parcel.py"), "{}", output.stdout);
}

#[test]
fn nothing_indexed_says_what_to_run() {
    let env = TestEnv::new(BINARY);
    let output = env.lore_in(&env.dir(), &["context", "round prices"], "");
    let text = output.to_string();
    assert!(text.contains("lore index"), "{text}");
    assert_eq!(output.status, Some(20), "{text}");
}

#[test]
fn an_agent_gets_a_line_for_each_symbol_under_its_file() {
    let env = indexed();
    let said = lore(&env, &["--agent", "context", "round the total of the price", "--cold"]);
    expect![[r#"
        shop at 06372bf146; evidence fair: found by its words
        shop/price.py
         :7 rounded(n)
         :1 total(items) — The price of all items together
        also: shop/cart.py, shop/__init__.py, shop/parcel.py
        total calls rounded
        pack 41de3a94073a20a6
    "#]]
    .assert_eq(&said);
    let asked = lore(&env, &["--agent", "how is the price of all items rounded?"]);
    assert!(asked.contains("total(items)"), "{asked}");
}

#[test]
fn tests_of_a_symbol_are_asked_by_its_name() {
    let env = indexed();
    let by_name = lore(&env, &["--agent", "tests", "rounded"]);
    assert!(by_name.contains("test_"), "{by_name}");
    let unknown = env.lore_in(&env.dir().join("shop"), &["tests", "nobody_knows_this"], "");
    assert!(unknown.to_string().contains("no file or symbol `nobody_knows_this`"), "{unknown}");
}

#[test]
fn an_agent_is_told_the_tests_and_the_earlier_change_that_no_search_shows() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let commits: &[(&str, &[(&str, &str)])] = &[
        ("Sell things", FIRST),
        ("Round the price of a parcel", SECOND),
        ("Name the shop", &[("shop/name.py", "SHOP_FRONT_NAME = 'Harbour'\n")]),
    ];
    for (day, (message, files)) in commits.iter().enumerate() {
        let at = Timestamp::parse_rfc3339(&format!("2024-05-0{}T10:00:00Z", day + 1)).unwrap();
        let ada = Signature::new("Ada", "ada@example.com", at);
        history.commit("main", &ada, message, &written(files)).unwrap();
    }
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    let said =
        lore(&env, &["--agent", "context", "round the price of a parcel in Cart.sum", "--cold"]);
    assert!(said.contains("tests: tests/test_cart.py test_sum\n"), "{said}");
    let like = lore(&env, &["--agent", "context", "round the price of a parcel", "--cold"]);
    assert!(like.contains(" 2024-05-02 Round the price of a parcel\n"), "{like}");
    // People have the whole answer, and no more than before.
    let people = lore(&env, &["context", "round the price of a parcel", "--cold"]);
    assert!(!people.contains("2024-05-02"), "{people}");
    // A constant is no unit, unless the task says its name.
    let task = "the shop front name is shown twice";
    let named = names(&data(&env, &["context", task, "--cold"]));
    assert!(named.contains(&"name.SHOP_FRONT_NAME".to_owned()), "{named:?}");
    // Whatever its other words are, what it names is not here.
    let task = "the price total items rounded";
    let strength = |task: &str| data(&env, &["context", task, "--cold"])["strength"].clone();
    assert_eq!(strength(task), "fair");
    assert_eq!(strength(&format!("{task} by rounding_mode")), "weak");
}

#[test]
fn records_that_are_linked_to_files_and_symbols_come_with_them() {
    let env = indexed();
    for (text, link) in [
        ("Whole grams only", "shop/parcel.py"),
        ("Banks decide how to round", "symbol:rounded"),
        ("Nothing of the sort", "symbol:Cart.checkout"),
    ] {
        let args = ["remember", "decision", text, "--link", link, "--force"];
        let _kept = env.lore_in(&env.dir().join("shop"), &args, "").success();
    }
    let texts = |file: &str| data(&env, &["context", "--files", file])["texts"].to_string();
    assert!(texts("shop/parcel.py").contains("Whole grams only"));
    let price = texts("shop/price.py");
    assert!(price.contains("Banks decide how to round"), "{price}");
    assert!(!price.contains("Nothing of the sort"), "{price}");
    // That a test calls what it tests goes without saying.
    let said = lore(&env, &["--agent", "context", "--files", "shop/cart.py"]);
    assert!(said.contains("test_sum tests "), "{said}");
    assert!(!said.contains("test_sum calls "), "{said}");
}
