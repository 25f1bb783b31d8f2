//! Which files are tests, by the conventions of their languages, and which of them a build of
//! one project of several concerns.

use crate::two_versions::{history, lore, repository};
use testkit::TestEnv;

fn changed(before: &[(&str, &str)], after: &[(&str, &str)]) -> TestEnv {
    let env = repository(&history(before, after, &[]));
    let _ = lore(&env, &["index", "-q", "--at", "HEAD~1"]);
    env
}

fn list(env: &TestEnv) -> Vec<String> {
    let asked = ["tests", "--base", "HEAD~1", "--head", "HEAD", "--format", "list"];
    lore(env, &asked).lines().map(str::to_owned).collect()
}

/// etcd 256b0c4fc: 21 of 95 files that `lore tests` listed were helpers.
#[test]
fn a_helper_leads_to_its_users_and_is_no_test() {
    let helper = |n: u32| {
        format!(
            "package framework\n\nfunc Start() int {{\n\treturn {n}\n}}\n\nfunc initialize() {{}}\n"
        )
    };
    let (before, after) = (helper(1), helper(2));
    let module = "module example.com/etcd\n";
    let uses = "package e2e\n\nimport (\n\t\"testing\"\n\t\"example.com/etcd/tests/framework\"\n)\n\n\
                func TestStart(t *testing.T) {\n\tframework.Start()\n}\n";
    let other = "package other\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {\n\tinitialize()\n}\n";
    let doc = "// Package framework starts things.\npackage framework\n";
    let mut files = vec![
        ("go.mod", module),
        ("tests/framework/cluster.go", before.as_str()),
        ("tests/framework/doc.go", doc),
        ("tests/e2e/start_test.go", uses),
        ("other/other_test.go", other),
    ];
    let more: Vec<String> = (0..20).map(|n| format!("more/a{n}_test.go")).collect();
    files.extend(more.iter().map(|path| (path.as_str(), "package more\n")));
    let env = changed(&files, &[("tests/framework/cluster.go", &after)]);
    let listed = list(&env);
    assert_eq!(listed.first().map(String::as_str), Some("tests/e2e/start_test.go"), "{listed:?}");
    assert!(listed.iter().all(|path| path.ends_with("_test.go")), "{listed:?}");
    let near = ["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near", "--format", "go"];
    assert_eq!(lore(&env, &near), "-run\n^(TestStart)$\n./tests/e2e\n");
}

/// clap 281f8aec7: `main.rs` of an example chose every other `main.rs`.
#[test]
fn files_called_for_their_folder_are_no_namesakes() {
    let example = |n: u32| format!("fn main() {{\n    println!(\"{n}\");\n}}\n");
    let (before, after) = (example(1), example(2));
    let program = "mod cases;\n\nfn main() {}\n";
    let mut files = vec![
        ("Cargo.toml", "[package]\nname = \"clap\"\nversion = \"0.1.0\"\n"),
        ("examples/derive/main.rs", before.as_str()),
        ("tests/derive/main.rs", program),
        ("tests/builder/main.rs", program),
        ("tests/macros/main.rs", program),
    ];
    let more: Vec<String> = (0..20).map(|n| format!("tests/a{n}.rs")).collect();
    files.extend(more.iter().map(|path| (path.as_str(), "#[test]\nfn a() {}\n")));
    let env = changed(&files, &[("examples/derive/main.rs", &after)]);
    let told = lore(&env, &["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near"]);
    assert!(!told.contains("tests/builder/main.rs") && !told.contains("names main"), "{told}");
    assert!(told.contains("tests/derive/main.rs  is called like"), "of one folder: {told}");
}

const MODULES: &[(&str, &str)] = &[
    ("settings.gradle.kts", "include(\"core\", \"addon\", \"other\")\n"),
    ("build.gradle.kts", "// all\n"),
    ("core/build.gradle.kts", "plugins { java }\n"),
    (
        "core/src/main/java/a/Core.java",
        "package a;\npublic class Core { public int n() { return 1; } }\n",
    ),
    (
        "core/src/test/java/a/CoreTest.java",
        "package a;\nclass CoreTest { void n() { new Core().n(); } }\n",
    ),
    ("addon/build.gradle.kts", "plugins { java }\n"),
    (
        "addon/src/main/java/b/Addon.java",
        "package b;\nimport a.Core;\npublic class Addon { int n() { return new Core().n(); } }\n",
    ),
    (
        "addon/src/test/java/b/AddonTest.java",
        "package b;\nclass AddonTest { void n() { new Addon().n(); } }\n",
    ),
    ("other/build.gradle.kts", "plugins { java }\n"),
    ("other/src/main/java/c/Other.java", "package c;\npublic class Other { }\n"),
    ("other/src/test/java/c/OtherTest.java", "package c;\nclass OtherTest { Other it; }\n"),
];

/// mockito 9929fcf0c: the build of one project made all tests of the repository run.
#[test]
fn a_build_concerns_its_project_and_those_that_depend_on_it() {
    let of = |path: &str| {
        let env = changed(MODULES, &[(path, "// changed\n")]);
        let json = lore(
            &env,
            &["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near", "--json"],
        );
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let files = json["data"]["files"].as_array().unwrap().iter();
        // All were made by one commit, which speaks for each of them as well.
        let built = files.filter(|it| it["reason"].as_str().unwrap().starts_with("is built with"));
        let names = built.filter_map(|it| it["path"].as_str()?.rsplit('/').next());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        (names, json["data"]["run_everything"].as_array().unwrap().len())
    };
    let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    assert_eq!(of("addon/build.gradle.kts"), (names(&["AddonTest.java"]), 0));
    assert_eq!(of("core/build.gradle.kts"), (names(&["AddonTest.java", "CoreTest.java"]), 0));
    assert_eq!(of("build.gradle.kts").1, 1);
}
