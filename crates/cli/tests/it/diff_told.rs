//! How a comparison is told: the evidence for what is held to be the same, the same in a
//! comment as on the screen, and the tests as `lore tests` chooses them.

use crate::two_versions::{history, lore, repository};
use testkit::TestEnv;

fn changed(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> TestEnv {
    let env = repository(&history(before, after, gone));
    let _ = lore(&env, &["index", "-q"]);
    env
}

const CART: &str = "\
class Cart:
    def total(self, rate):
        amount = sum(item.price * item.count for item in self.items)
        discount = self.lookup_discount(amount)
        return (amount - discount) * (1 + rate)

    def empty(self):
        self.items.clear()
        self.notify('emptied')
";

#[test]
fn why_two_symbols_are_one_is_told() {
    let after = CART
        .replace("def total(", "def grand_total(")
        .replace("def empty(", "def clear_all(")
        .replace(
            "discount = self.lookup_discount(amount)",
            "discount = self.lookup_discount(amount, 2)",
        );
    let env = changed(&[("cart.py", CART)], &[("cart.py", &after)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("Cart.clear_all (same text)"), "{told}");
    assert!(told.contains(" % alike)"), "{told}");
    let json = lore(&env, &["diff", "HEAD~1", "HEAD", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let changes = json["data"]["changes"].as_array().unwrap();
    let evidence: Vec<&str> = changes.iter().filter_map(|it| it["evidence"].as_str()).collect();
    assert!(evidence.contains(&"same_text") && evidence.contains(&"similar"), "{json}");
}

/// The comment left out where files went, which tests and owners a change is for, and what
/// was not compared.
#[test]
fn a_comment_says_what_the_screen_says() {
    let user = "from cart import Cart\n\n\ndef shop():\n    return Cart().total(1)\n";
    let tests = "from cart import Cart\n\n\ndef test_total():\n    assert Cart().total(1) == 2\n";
    let owners = "* @shop\n";
    let moved = "def far(a):\n    return a * 2\n\n\ndef near(a):\n    return a * 3\n";
    let after = CART.replace("(1 + rate)", "(2 + rate)");
    let env = changed(
        &[
            ("cart.py", CART),
            ("shop/user.py", user),
            ("tests/test_cart.py", tests),
            ("CODEOWNERS", owners),
            ("way/distance.py", moved),
        ],
        &[("cart.py", &after), ("path/distance.py", moved), ("broken.py", "def a(:\n  ]]\n")],
        &["way/distance.py"],
    );
    let screen = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    let comment = lore(&env, &["diff", "HEAD~1", "HEAD", "--markdown"]);
    for word in ["path/distance.py", "tests/test_cart.py", "@shop", "broken.py", "2 users"] {
        assert!(screen.contains(word), "{word}: {screen}");
    }
    for word in [
        "path/distance.py",
        "2 public symbols of way/distance.py are now in path/distance.py",
        "Tests: `tests/test_cart.py`",
        "Owners: `@shop`",
        "broken.py",
        "| 2 |",
    ] {
        assert!(comment.contains(word), "{word}: {comment}");
    }
}

/// Starlette e99738b7: `lore diff` told of 2 files of tests and `lore tests` of 10.
#[test]
fn a_comparison_and_the_choice_of_tests_agree() {
    let tests = "from cart import Cart\n\n\ndef test_total():\n    assert Cart().total(1) == 2\n";
    let after = CART.replace("(1 + rate)", "(2 + rate)");
    let many: Vec<(String, String)> = (0..30)
        .map(|at| {
            (
                format!("tests/test_{at}.py"),
                "import cart\n\n\ndef test_one():\n    pass\n".to_owned(),
            )
        })
        .collect();
    let mut before: Vec<(&str, &str)> =
        many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    before.extend([("cart.py", CART), ("tests/test_use.py", tests)]);
    let env = changed(&before, &[("cart.py", &after)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    let count = |reach: &str| {
        let args =
            ["tests", "--base", "HEAD~1", "--head", "HEAD", "--format", "list", "--reach", reach];
        lore(&env, &args).lines().count()
    };
    let (near, usual) = (count("near"), count("usual"));
    assert!(near == 1 && usual > near, "{near} {usual}");
    let wanted = format!("; 1 test file, {} more with weaker ties", usual - near);
    assert!(told.contains(&wanted) && told.contains("tests: tests/test_use.py"), "{told}");
}

/// A word of any text, such as `register`, chose every test that has it although the graph
/// knows who uses the function.
#[test]
fn a_word_is_no_name_of_a_symbol() {
    let code =
        "def register(hook):\n    return hook\n\n\ndef make_response(body):\n    return body\n";
    let after =
        code.replace("return hook", "return hook()").replace("return body", "return body()");
    let uses = "from plug import register\n\n\ndef test_it():\n    assert register(1)\n";
    let says = "def test_it():\n    assert 'please register here'\n";
    let names = "def test_it():\n    assert load('make_response')\n";
    let mut before = vec![
        ("plug.py", code),
        ("tests/test_uses.py", uses),
        ("tests/test_says.py", says),
        ("tests/test_names.py", names),
    ];
    let others: Vec<String> = (0..12).map(|at| format!("tests/test_other{at}.py")).collect();
    before.extend(others.iter().map(|path| (path.as_str(), "def test_it():\n    pass\n")));
    let env = changed(&before, &[("plug.py", &after)], &[]);
    let args =
        ["tests", "--base", "HEAD~1", "--head", "HEAD", "--format", "list", "--reach", "near"];
    assert_eq!(lore(&env, &args), "tests/test_uses.py\ntests/test_names.py\n");
}

/// Nobody runs a test because a comment changed.
#[test]
fn documentation_alone_leads_to_no_test() {
    let code = "def used():\n    \"\"\"One.\"\"\"\n    return 1\n";
    let tests = "from lib import used\n\n\ndef test_used():\n    assert used() == 1\n";
    let env = changed(
        &[("lib.py", code), ("tests/test_lib.py", tests)],
        &[("lib.py", &code.replace("One.", "One and more."))],
        &[],
    );
    let args = ["tests", "--base", "HEAD~1", "--head", "HEAD", "--format", "list"];
    assert_eq!(lore(&env, &args), "");
}

#[test]
fn runners_get_what_they_take() {
    let go = "package cart\n\nfunc Total(a int) int { return a }\n";
    let test = "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) { Total(1) }\n";
    let added = format!("{test}\nfunc TestMore(t *testing.T) {{ Total(2) }}\n");
    let others: Vec<String> = (0..8).map(|at| format!("other{at}/x_test.go")).collect();
    let mut before = vec![("cart/cart.go", go), ("cart/cart_test.go", test)];
    before.extend(others.iter().map(|path| (path.as_str(), "package other\n")));
    let plus = go.replace("return a", "return a + 1");
    let env = changed(&before, &[("cart/cart.go", &plus), ("cart/cart_test.go", &added)], &[]);
    let range = ["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near", "--format"];
    let told = |env: &TestEnv, format: &str| lore(env, &[&range[..], &[format]].concat());
    assert_eq!(told(&env, "go"), "-run\n^(TestMore|TestTotal)$\n./cart\n");

    let manifest = "[package]\nname = \"tide\"\nversion = \"0.1.0\"\n";
    let moon = "pub fn phase(day: u32) -> u32 {\n    day % 28\n}\n";
    let test = "#[test]\nfn phases() {\n    assert_eq!(tide::moon::phase(28), 0);\n}\n";
    let files = [
        ("Cargo.toml", manifest),
        ("src/lib.rs", "pub mod moon;\n"),
        ("src/moon.rs", moon),
        ("tests/sky.rs", test),
    ];
    let env = changed(&files, &[("src/moon.rs", &moon.replace("28", "29"))], &[]);
    assert_eq!(told(&env, "nextest"), "(package(=tide)&binary(=sky))\n");
    let env = changed(&files, &[("Cargo.toml", &manifest.replace("0.1.0", "0.2.0"))], &[]);
    assert_eq!(told(&env, "nextest"), "all()\n");
}

/// A file of the work tree may be a link to anything, such as a device without an end.
#[test]
fn links_of_the_work_tree_are_not_followed() {
    let named = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n");
    let moon = "pub fn phase(day: u32) -> u32 {\n    day % 28\n}\n";
    let test = "#[test]\nfn phases() {\n    assert_eq!(tide::moon::phase(28), 0);\n}\n";
    let (manifest, part) = (named("tide"), named("part"));
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", "pub mod moon;\n"),
        ("src/moon.rs", moon),
        ("tests/sky.rs", test),
        ("tests/part/Cargo.toml", &part),
        ("tests/part/tests/sky.rs", test),
    ];
    let env = changed(&files, &[("src/lib.rs", "pub mod moon;\n\n")], &[]);
    let dir = env.dir().join("repo");
    let told = |path: &str| lore(&env, &["tests", path, "--format", "nextest", "--reach", "wide"]);
    let beside = "(package(=part)&binary(=sky))";
    assert!(told("src/moon.rs").contains(beside), "{}", told("src/moon.rs"));
    env.write_file(env.dir().join("outside.toml"), &named("outside"));
    std::fs::remove_file(dir.join("tests/part/Cargo.toml")).unwrap();
    std::os::unix::fs::symlink(env.dir().join("outside.toml"), dir.join("tests/part/Cargo.toml"))
        .unwrap();
    assert!(!told("src/moon.rs").contains("outside"), "{}", told("src/moon.rs"));
}

/// prometheus 3434d151ea: one file of `testdata` chose the tests of every package that has such a
/// folder, and `manager.go` those of every manager.
#[test]
fn data_and_names_of_other_folders_choose_no_test() {
    let folders = ["rules", "scrape", "notify", "store", "web", "config"];
    let mut files: Vec<(String, String)> = Vec::new();
    for folder in folders {
        let code = format!("package {folder}\n\nfunc Run(a int) int {{ return a }}\n");
        let test = format!(
            "package {folder}\n\nimport \"os\"\n\nfunc TestRead(t *testing.T) {{ os.ReadFile(\"testdata/x\") }}\n"
        );
        files.push((format!("{folder}/manager.go"), code));
        files.push((format!("{folder}/manager_test.go"), test));
    }
    files.push(("rules/testdata/golden.yaml".to_owned(), "a: 1\n".to_owned()));
    let before: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    let near = |path: &str, text: &str| {
        let env = changed(&before, &[(path, text)], &[]);
        let range = ["tests", "--base", "HEAD~1", "--head", "HEAD"];
        lore(&env, &[&range[..], &["--reach", "near", "--format", "list"]].concat())
    };
    assert_eq!(near("rules/testdata/golden.yaml", "a: 2\n"), "rules/manager_test.go\n");
    let code = "package scrape\n\nfunc Run(a int) int { return a + 1 }\n";
    assert_eq!(near("scrape/manager.go", code), "scrape/manager_test.go\n");
}

/// sqlalchemy aa1a557535, helix 205e7ece7: fields that a new base class has, and a type that its
/// module takes from elsewhere now, were told to be gone and to break others.
#[test]
fn what_can_be_used_as_before_breaks_nobody() {
    let class = |name: &str| {
        format!(
            "class {name}:\n    def __init__(self, dialect, tables):\n        \
             self.tables = tables\n        self.dialect = dialect\n\n    \
             def visit_{name}(self):\n        return self.tables\n\n\n"
        )
    };
    let hunk = "class Hunk:\n    def lines(self):\n        return 3\n";
    let before = format!("{}{}{hunk}", class("Maker"), class("Dropper"));
    let derived = |name: &str| {
        format!(
            "class {name}(Reflector):\n    def visit_{name}(self):\n        return self.tables\n\n\n"
        )
    };
    let after = format!(
        "from hunks import Hunk\n\n\n{}{}{}",
        class("Reflector"),
        derived("Maker"),
        derived("Dropper")
    );
    let env = changed(&[("ddl.py", &before)], &[("ddl.py", &after)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(!told.contains("is gone") && !told.contains("breaking"), "{told}");
    assert!(told.contains("inherited from Reflector"), "{told}");
    assert!(told.contains("Hunk  removed, imported there from hunks"), "{told}");
    let gone = format!("{}{}{}", class("Reflector"), derived("Maker"), derived("Dropper"));
    let env = changed(&[("ddl.py", &before)], &[("ddl.py", &gone)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("class Hunk is gone"), "{told}");
}

/// sidekiq 0febaf67: a caller whose call is tied to nothing any more was told as lost.
#[test]
fn a_user_that_still_calls_the_name_is_not_lost() {
    let user = |annotation: &str| {
        format!(
            "from cart import Cart\n\n\ndef shop(cart{annotation}):\n    return cart.total(1)\n"
        )
    };
    let after = CART.replace("(1 + rate)", "(2 + rate)");
    let (typed, untyped) = (user(": Cart"), user(""));
    let env = changed(
        &[("cart.py", CART), ("shop.py", &typed)],
        &[("cart.py", &after), ("shop.py", &untyped)],
        &[],
    );
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("; 1 → 0 users (1 perhaps still)"), "{told}");
    assert!(!told.contains("lost: "), "{told}");
}

/// gin 688a429d: variables without users were removed, though many calls bore their names.
#[test]
fn calls_by_the_name_of_what_is_gone_are_counted() {
    let codec = "import fast\n\nMarshal = fast.choose()\n";
    let user = "def save(it, codec):\n    return codec.Marshal(it)\n";
    let env =
        changed(&[("codec.py", codec), ("save.py", user)], &[("codec.py", "import fast\n")], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("calls by the name Marshal (1) are tied to no symbol"), "{told}");
}

/// fastify 5bcee1d7a: moved files stood among what breaks and again below it, and `-n` showed
/// no more of them.
#[test]
fn moved_files_are_told_once_and_as_many_as_asked_for() {
    let text = |n: u32| {
        let add = format!("export function add{n}(a, b) {{\n  const sum = a + b\n");
        format!("{add}  return round(sum, {n})\n}}\n")
    };
    let texts: Vec<String> = (0..11).map(text).collect();
    let (old, new): (Vec<String>, Vec<String>) =
        (0..11).map(|n| (format!("lib/a{n}.js"), format!("src/a{n}.js"))).unzip();
    let files = |paths: &[String]| -> Vec<(String, String)> {
        paths.iter().cloned().zip(texts.iter().cloned()).collect()
    };
    let (before, after) = (files(&old), files(&new));
    let text_of = |all: &'static [(String, String)]| -> Vec<(&'static str, &'static str)> {
        all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
    };
    let (before, after) = (text_of(before.leak()), text_of(after.leak()));
    let gone: Vec<&str> = old.iter().map(String::as_str).collect();
    let env = changed(&before, &after, &gone);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("and 3 more (-n shows them, --json has all)"), "{told}");
    let told = lore(&env, &["diff", "HEAD~1", "HEAD", "-n", "11"]);
    for path in &new {
        assert_eq!(told.matches(path.as_str()).count(), 2, "its message and its place: {told}");
    }
    assert!(!told.contains("more ("), "{told}");
}

/// helix 20151a559: of a method that got another name and fewer parameters only the parameters
/// were told.
#[test]
fn another_name_is_told_before_other_parameters() {
    let after = CART.replace("def total(self, rate)", "def grand_total(self, rate, country)");
    let env = changed(&[("cart.py", CART)], &[("cart.py", &after)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    let line = "renamed-public-symbol  Cart.total is now Cart.grand_total: required parameter \
        `country` added";
    assert!(told.contains(line), "{told}");
}

/// SARIF wants URIs: a path with a blank was written as it is.
#[test]
fn places_for_tools_of_review_are_uris() {
    let after = CART.replace("(self, rate)", "(self, rate, country)");
    let env = changed(&[("my shop/é:cart.py", CART)], &[("my shop/é:cart.py", &after)], &[]);
    let sarif = lore(&env, &["diff", "HEAD~1", "HEAD", "--sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "my%20shop/%C3%A9%3Acart.py", "{sarif}");
}
