//! What `lore map` shows of a repository nobody has seen before.

use crate::BINARY;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

#[test]
fn the_largest_folder_is_taken_apart_and_examples_do_not_come_first() {
    let env = TestEnv::new(BINARY);
    let mut texts: Vec<(String, String)> = Vec::new();
    for part in ["sales", "stock", "parcels"] {
        for n in 0..6 {
            let text = format!(
                "def {part}_{n}(x):\n    return x\n\n\ndef {part}_{n}_all(x):\n    return {part}_{n}(x)\n"
            );
            texts.push((format!("lib/shop/{part}/part_{n}.py"), text));
        }
    }
    for n in 0..9 {
        texts.push((format!("tool_{n}/it.py"), format!("def tool_{n}():\n    pass\n")));
    }
    let main = "def main():\n    pass\n\n\nmain()\n";
    for path in ["examples/demo/run.py", "tests/fixtures/call.py", "lib/shop/serve.py"] {
        texts.push((path.to_owned(), main.to_owned()));
    }
    texts.push(("bin/shop.js".to_owned(), "const run = () => 1\nrun()\n".to_owned()));
    texts.push(("lib/shop/__main__.py".to_owned(), "print('shop')\n".to_owned()));
    let test =
        "from lib.shop.sales.part_0 import sales_0\n\n\ndef test_it():\n    assert sales_0(1)\n";
    texts.push(("tests/test_sales.py".to_owned(), test.to_owned()));
    let files: Vec<(&str, &str)> = texts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Begin", &written(&files)).unwrap();
    let dir = env.dir().join("shop");
    history.write(&dir).unwrap();
    let _indexed = env.lore_in(&dir, &["index", "-q"], "").success();
    let map = env.lore_in(&dir, &["map", "--agent"], "").success().stdout;
    for folder in ["lib/shop/sales/", "lib/shop/stock/", "lib/shop/parcels/"] {
        assert!(map.contains(folder), "{map}");
    }
    for entry in ["lib/shop/serve.py:1", "bin/shop.js:1", "lib/shop/__main__.py:1"] {
        assert!(map.contains(entry), "{map}");
    }
    assert!(!map.contains("examples/demo/run.py:1"), "{map}");
    assert!(!map.contains("tests/fixtures/call.py:1"), "{map}");
    let changed = map.split("most changed").nth(1).unwrap_or_default();
    assert!(!changed.contains("tests/"), "{map}");
    assert!(wire::tokens::count(&map) <= 1_200, "{map}");
}

#[test]
fn a_repository_of_c_is_called_c_and_prototypes_are_not_extended() {
    let env = TestEnv::new(BINARY);
    let header = "int area(int w, int h);\nint edge(int w, int h);\n";
    let source = "#include \"shape.h\"\nint area(int w, int h) { return w * h; }\n\
                  int edge(int w, int h) { return 2 * (w + h); }\n";
    let main = "#include \"shape.h\"\nint main(void) { return area(edge(1, 2), 3); }\n";
    let mut files = vec![
        ("src/shape.h".to_owned(), header.to_owned()),
        ("src/shape.c".to_owned(), source.to_owned()),
        ("src/main.c".to_owned(), main.to_owned()),
        ("fuzz/one.cpp".to_owned(), "int one() { return 1; }\n".to_owned()),
    ];
    // Not C at all: each is read in part.
    files.extend((0..8).map(|n| (format!("src/odd_{n}.c"), "int f( {{{ ] ;\n".to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Begin", &written(&files)).unwrap();
    let dir = env.dir().join("shape");
    history.write(&dir).unwrap();
    let indexed = env.lore_in(&dir, &["index"], "").success();
    let printed = format!("{}{}", indexed.stdout, indexed.stderr);
    assert_eq!(printed.matches("read in part:").count(), 5, "{printed}");
    assert!(printed.contains("3 more files read in part or skipped"), "{printed}");
    let map = env.lore_in(&dir, &["map", "--agent"], "").success().stdout;
    assert!(map.contains("c 11, cpp 1"), "{map}");
    assert!(!map.contains("most extended"), "{map}");
    assert!(map.contains("area src/shape.c"), "{map}");
}
