//! What was wrong in the reports of real merge commits, in small: each was said
//! falsely, said twice, or not said.

use crate::two_versions::{history, lore, repository};
use code::compare::Head;
use testkit::TestEnv;

fn merge(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> TestEnv {
    repository(&history(before, after, gone))
}

fn diff(env: &TestEnv) -> String {
    lore(env, &["diff", "HEAD~1", "HEAD"])
}

/// Flask 3a9d54f3: fourteen lines of documentation "reached 40 symbols; 17 test
/// files", and adf36367 listed documentation before signatures.
#[test]
fn documentation_reaches_nothing_and_comes_last() {
    let code = "def used():\n    \"\"\"One.\"\"\"\n    return 1\n\n\ndef other(a):\n    return a\n\n\n\
        def user():\n    return used() + used() + other(1)\n\n\ndef second():\n    return used()\n";
    let tests = "from lib import used\n\n\ndef test_used():\n    assert used() == 1\n";
    let described = code.replace("One.", "One, and some words more.");
    let first = [("lib.py", code), ("tests/test_lib.py", tests)];
    let env = merge(&first, &[("lib.py", &described)], &[]);
    let _ = lore(&env, &["index", "-q"]);
    let told = diff(&env);
    assert!(told.contains("~ function used  doc"), "{told}");
    assert!(told.contains("reaches 0 symbols; 0 test files"), "{told}");
    let told = lore(&env, &["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near"]);
    assert!(!told.contains("uses used"), "{told}");

    let both = described.replace("def other(a):", "def other(a, b=2):");
    let env = merge(&first, &[("lib.py", &both)], &[]);
    let told = lore(&env, &["diff", "HEAD~1", "HEAD"]);
    let place = |what: &str| told.find(what).unwrap_or_else(|| panic!("{what} is not in {told}"));
    assert!(place("function other  signature") < place("function used  doc"), "{told}");
}

/// Gson 1023f0fe3: a class renamed with its file was told as both; a file of
/// package-private classes broke nobody; members were told after their class.
#[test]
fn a_class_renamed_with_its_file_breaks_once() {
    let adapter = |package: &str, class: &str, visible: &str| {
        format!(
            "package {package};\n\n{visible}final class {class} {{\n  \
             public static final int FACTORY = 1;\n\n  \
             public int read(int in) {{\n    int sum = in + FACTORY;\n    \
             return sum * 31 + Integer.bitCount(in);\n  }}\n\n  \
             public void write(int out) {{\n    System.out.println(out);\n  }}\n}}\n"
        )
    };
    let old = adapter("bind", "TimeAdapter", "public ");
    let new = adapter("sql", "SqlTimeAdapter", "public ");
    let hidden_old = adapter("bind", "Inner", "").replace("public ", "");
    let hidden_new = adapter("sql", "Inner", "").replace("public ", "");
    let env = merge(
        &[("bind/TimeAdapter.java", &old), ("bind/Inner.java", &hidden_old)],
        &[("sql/SqlTimeAdapter.java", &new), ("sql/Inner.java", &hidden_new)],
        &["bind/TimeAdapter.java", "bind/Inner.java"],
    );
    let told = diff(&env);
    assert!(told.contains("1 breaking change\n"), "{told}");
    assert!(told.contains("TimeAdapter is now SqlTimeAdapter"), "{told}");

    let shown = adapter("bind", "Adapter", "public ");
    let less = adapter("bind", "Adapter", "");
    let env = merge(&[("bind/Adapter.java", &shown)], &[("bind/Adapter.java", &less)], &[]);
    let told = diff(&env);
    assert!(told.contains("1 breaking change\n"), "{told}");
    assert!(told.contains("reduced-visibility  Adapter is no longer public"), "{told}");
}

/// Hono a10592f3: a function that was never exported was "gone" for its users, and
/// `export` before a constant was a change of its body.
#[test]
fn what_a_module_does_not_export_breaks_nobody() {
    let before = "const LABEL = '[^/]+'\nlet cache = {}\n\nfunction clear() {\n  cache = {}\n}\n\n\
        export function build(path) {\n  clear()\n  return LABEL + path\n}\n\n\
        export function open() {\n  return cache\n}\n";
    let after = "export const LABEL = '[^/]+'\nlet cache = {}\n\n\
        export function build(path) {\n  return LABEL + path\n}\n\n\
        function open() {\n  return cache\n}\n";
    let env = merge(&[("src/router.ts", before)], &[("src/router.ts", after)], &[]);
    let told = diff(&env);
    assert!(told.contains("- function clear  removed"), "{told}");
    assert!(told.contains("~ const LABEL  visibility"), "{told}");
    assert!(told.contains("1 breaking change\n"), "{told}");
    assert!(told.contains("reduced-visibility  open is no longer public"), "{told}");
}

/// Hono 48e360fc: one more test was "69 in tests", because helpers of the same name in
/// other tests were taken for each other.
#[test]
fn helpers_of_the_same_name_in_tests_are_not_taken_for_each_other() {
    let test = |n: usize| {
        format!(
            "  it('case {n}', () => {{\n    const App = () => {{\n      return render({n})\n    }}\n    \
             expect(App()).toBe({n})\n  }})\n"
        )
    };
    let all = |range: std::ops::Range<usize>| {
        let tests: String = range.map(test).collect();
        format!("import {{ render }} from './dom'\n\ndescribe('dom', () => {{\n{tests}}})\n")
    };
    let (before, after) = (all(1..9), all(0..9));
    let env = merge(&[("src/dom.test.ts", &before)], &[("src/dom.test.ts", &after)], &[]);
    let told = diff(&env);
    assert!(!told.contains("8 in tests"), "{told}");
}

/// LevelDB ac69108: a function that a header declares had no users before the change
/// and sixteen after it.
#[test]
fn a_function_that_a_header_declares_keeps_its_users() {
    let header = "#ifndef H\n#define H\nint Hash(int a);\n#endif\n";
    let source = "#include \"hash.h\"\n\nint Hash(int a) {\n  return a * 31;\n}\n";
    let user = "#include \"hash.h\"\n\nint Bloom(int a) {\n  return Hash(a);\n}\n";
    let after = source.replace("a * 31", "a * 33");
    let env = merge(
        &[("hash.h", header), ("hash.cc", source), ("bloom.cc", user)],
        &[("hash.cc", &after)],
        &[],
    );
    let _ = lore(&env, &["index", "-q"]);
    let told = diff(&env);
    assert!(told.contains("function Hash  body; 1 user  hash.cc:3"), "{told}");
    assert!(told.contains("reaches 1 symbol; 0 test files"), "{told}");
}

/// Gson 0189b7277: an annotation that went was a change of the body, and a class was
/// told to have another body beside the fields that it lost.
#[test]
fn annotations_are_told_as_such_and_a_type_by_its_members() {
    let before = "package a;\n\nfinal class Impl implements Type, Serializable {\n  \
        @SuppressWarnings(\"serial\")\n  private final Type owner = null;\n\n  \
        private static final long serialVersionUID = 0;\n}\n";
    let after = "package a;\n\nfinal class Impl implements Type {\n  \
        private final Type owner = null;\n}\n";
    let env = merge(&[("a/Impl.java", before)], &[("a/Impl.java", after)], &[]);
    let told = diff(&env);
    assert!(told.contains("~ class Impl  signature  a/Impl.java"), "{told}");
    assert!(told.contains("~ field Impl.owner  annotations  a/Impl.java"), "{told}");
    assert!(told.contains("- field Impl.serialVersionUID  removed"), "{told}");
}

/// The same two versions are compared once: a rebase that changes nothing is free.
#[test]
fn the_same_versions_are_compared_once() {
    let code = "def total(items):\n    return sum(items)\n";
    let env = merge(
        &[("shop.py", code)],
        &[("shop.py", &code.replace("sum(items)", "sum(items) + 1"))],
        &[],
    );
    let _ = lore(&env, &["index", "-q"]);
    let first = diff(&env);
    let kept = lore(&env, &["cache", "stats"]);
    assert!(kept.lines().any(|line| line.starts_with("diff")), "{kept}");
    // The same trees under other commits, as after a rebase.
    let script = "set -e
        export GIT_AUTHOR_NAME=B GIT_AUTHOR_EMAIL=b@example.com
        export GIT_COMMITTER_NAME=B GIT_COMMITTER_EMAIL=b@example.com
        one=$(git commit-tree -m one HEAD~1^{tree})
        git update-ref refs/heads/again $(git commit-tree -m two -p $one HEAD^{tree})";
    let _ = env.shell(&env.dir().join("repo"), script, "").success();
    let again = lore(&env, &["diff", "again~1", "again"]);
    let rows = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&first), rows(&again));
    assert_eq!(lore(&env, &["cache", "stats"]), kept, "nothing new was worked out");
}

/// A kept comparison is taken only by a program with the rules that made it.
#[test]
fn what_other_rules_found_is_worked_out_again() {
    let source = "def total(items):\n    return sum(items)\n";
    let changed = source.replace("sum(items)", "sum(items) + 1");
    let env = merge(&[("shop.py", source)], &[("shop.py", &changed)], &[]);
    let _ = lore(&env, &["index", "-q"]);
    let _ = diff(&env);
    let dir = env.dir().join("repo");
    let repo = git::Repo::open(&dir).unwrap();
    let commits = ["HEAD~1", "HEAD"].map(|name| repo.resolve(name).unwrap());
    let trees: Vec<String> =
        repo.trees(&commits).unwrap().iter().map(ToString::to_string).collect();
    let reader = store::Reader::open(&env.db()).unwrap();
    let is_compared = |rules: &str| {
        let revision = |commit: git::ObjectId| insight::diff::Revision {
            name: commit.to_string(),
            commit: commit.to_string(),
            is_work_tree: false,
        };
        let request = insight::diff::Request {
            base: revision(commits[0]),
            head: revision(commits[1]),
            trees: Some([trees[0].clone(), trees[1].clone()]),
            rules: rules.to_owned(),
            asked: insight::code::scope::ScopeRequest { repo: None, at: None, here: Some(&dir) },
            repo: &repo,
        };
        let mut is_asked = false;
        let compare = || {
            is_asked = true;
            code::compare::compare(&repo, commits[0], Head::Commit(commits[1]), None)
        };
        insight::diff::semantic_diff(Some(&reader), request, compare).unwrap();
        is_asked
    };
    assert!(!is_compared(&code::compare::rules_version().to_string()), "kept by the command");
    assert!(is_compared("other rules"));
}
