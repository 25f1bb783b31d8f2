//! Tests that stand in the file they test, as in Rust.

use crate::BINARY;
use crate::two_versions::{history, lore, repository};
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"tide\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "pub mod moon;\npub mod sea;\n"),
    (
        "src/moon.rs",
        "pub fn phase(day: u32) -> u32 {\n    day % 28\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn phases_repeat() {\n        assert_eq!(super::phase(28), 0);\n    }\n}\n",
    ),
    (
        "src/sea.rs",
        "pub fn height(day: u32) -> u32 {\n    crate::moon::phase(day) * 2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn heights() {\n        assert_eq!(super::height(0), 0);\n    }\n}\n",
    ),
];

#[test]
fn tests_inside_a_changed_file_and_inside_its_users_are_affected() {
    let env = TestEnv::new(BINARY);
    let mut all = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    all.commit("main", &ada, "Begin", &written(FILES)).unwrap();
    let dir = env.dir().join("tide");
    all.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let said = env.lore_in(&dir, &["--agent", "tests", "src/moon.rs"], "").success().stdout;
    assert!(said.contains("src/moon.rs"), "{said}");
    assert!(said.contains("src/sea.rs"), "{said}");
    let said = env.lore_in(&dir, &["--agent", "tests", "src/sea.rs"], "").success().stdout;
    assert!(said.contains("src/sea.rs"), "{said}");
    assert!(!said.contains("src/moon.rs"), "{said}");
}

#[test]
fn tests_beside_a_user_are_affected_whatever_way_they_take() {
    let env = TestEnv::new(BINARY);
    let mut all = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    // The test reaches the user by a name at run time only.
    let sea = FILES[3].1.replace("super::height(0)", "crate::by_name(\"height\")");
    let files: Vec<(&str, &str)> =
        FILES[..3].iter().copied().chain([(FILES[3].0, sea.as_str())]).collect();
    all.commit("main", &ada, "Begin", &written(&files)).unwrap();
    let dir = env.dir().join("tide");
    all.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let said = env.lore_in(&dir, &["--agent", "tests", "src/moon.rs"], "").success().stdout;
    assert!(said.contains("tests beside a user of phase: src/sea.rs"), "{said}");
}

/// helix 02750397f: a commit wrote the first tests of a file into it, and they were not chosen.
#[test]
fn first_tests_inside_a_file_are_chosen() {
    let (code, tests) = FILES[2].1.split_once("\n#[cfg(test)]").unwrap();
    let after = format!("{}\n#[cfg(test)]{tests}", code.replace("% 28", "% 29"));
    let before = [FILES[0], FILES[1], (FILES[2].0, code)];
    let env = repository(&history(&before, &[(FILES[2].0, &after)], &[]));
    let _ = lore(&env, &["index", "-q"]);
    let told = lore(&env, &["tests", "--base", "HEAD~1", "--head", "HEAD", "--reach", "near"]);
    assert!(told.contains("src/moon.rs  its own tests"), "{told}");
}
