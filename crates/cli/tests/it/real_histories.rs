//! What strangers met in long histories without a forge, and in crowded ones with one.

use crate::{BINARY, lore};
use serde_json::Value;
use std::path::PathBuf;
use testkit::{Site, TestEnv};

const ADA: &str = "Ada Larsen <ada@example.com>";

struct Repository {
    env: TestEnv,
    dir: PathBuf,
}

impl Repository {
    fn new() -> Repository {
        let env = lore()
            .with_var("GIT_AUTHOR_DATE", "2024-05-01T09:00:00Z")
            .with_var("GIT_COMMITTER_DATE", "2024-05-01T09:00:00Z");
        let _made = env.git(&["init", "-q", "-b", "main", "tide"]).success();
        let dir = env.dir().join("tide");
        Repository { env, dir }
    }

    /// Commits new contents of files.
    fn commit(&self, author: &str, message: &str, files: &[(&str, &str)]) {
        for (path, text) in files {
            let _path = self.env.write_file(self.dir.join(path), text);
        }
        let at = self.dir.display().to_string();
        let _added = self.env.git(&["-C", &at, "add", "."]).success();
        let author = format!("--author={author}");
        let _done = self.env.git(&["-C", &at, "commit", "-q", &author, "-m", message]).success();
    }

    fn lore(&self, args: &[&str]) -> String {
        self.env.lore_in(&self.dir, args, "").success().stdout
    }

    fn data(&self, args: &[&str]) -> Value {
        let mut answer: Value = serde_json::from_str(&self.lore(args)).unwrap();
        answer["data"].take()
    }
}

fn texts(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| item[field].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn who_goes_by_two_names_is_one_expert_of_a_topic() {
    let tide = Repository::new();
    let file = |n: usize| format!("// {n}\n");
    tide.commit("Bo Winther <bo@new.example>", "Read harmonics", &[("a.rs", &file(0))]);
    tide.commit("Bjarne Winther <bo@old.example>", "Sort harmonics", &[("a.rs", &file(1))]);
    // Which says that both are one, and nothing of the topic.
    tide.commit("Bjarne Winther <bo@new.example>", "Moor boats", &[("b.rs", &file(2))]);
    tide.commit("Bjarne Winther <bo@new.example>", "Paint boats", &[("b.rs", &file(3))]);
    let _read = tide.lore(&["index", "-q"]);
    let found = tide.data(&["experts", "harmonics", "--json"]);
    assert_eq!(texts(&found["experts"], "name"), ["Bjarne Winther"], "{found}");
    assert_eq!(found["experts"][0]["commits"], 2);
}

/// Who has written most of a file may have done so in one commit.
#[test]
fn why_and_experts_rank_people_alike() {
    let tide = Repository::new();
    let lines: String = (0..80).map(|n| format!("pub const H{n}: u32 = {n};\n")).collect();
    tide.commit("Bo Winther <bo@example.com>", "Harmonics", &[("harmonics.rs", &lines)]);
    for n in 0..2 {
        let text = format!("{lines}pub const LAST: u32 = {n};\n");
        tide.commit(ADA, &format!("Last {n}"), &[("harmonics.rs", &text)]);
    }
    let _read = tide.lore(&["index", "-q"]);
    let experts = texts(&tide.data(&["experts", "harmonics.rs", "--json"])["experts"], "name");
    let asked = texts(&tide.data(&["why", "harmonics.rs:3", "--json"])["experts"], "name");
    assert_eq!(asked, experts);
    assert_eq!(experts[0], "Bo Winther");
}

#[test]
fn the_reasons_of_a_file_are_those_of_changes_that_are_about_it() {
    let tide = Repository::new();
    let others: Vec<String> = (0..30).map(|n| format!("src/other{n}.rs")).collect();
    tide.commit(ADA, "Begin", &[("src/gauge.rs", "// 0\n")]);
    tide.commit(
        ADA,
        "Read the gauge twice\n\nWe decided to read it twice because its clock is slow.",
        &[("src/gauge.rs", "// 1\n")],
    );
    for n in 0..4 {
        let text = format!("// all {n}\n");
        let mut files: Vec<(&str, &str)> =
            others.iter().map(|path| (path.as_str(), text.as_str())).collect();
        files.push(("src/gauge.rs", &text));
        let message = format!(
            "Reword all comments {n}\n\nWe decided to reword them because people could not read \
             them. The reason is that the old words came from another project, so that we chose \
             new ones instead of them; the trade-off is a large change."
        );
        tide.commit(ADA, &message, &files);
    }
    let _read = tide.lore(&["index", "-q"]);
    let why = tide.lore(&["why", "src/gauge.rs", "-n", "3"]);
    assert!(why.contains("Read the gauge twice"), "{why}");
}

/// A hash is no word, and what it names was found.
#[test]
fn what_a_query_names_is_no_misspelling() {
    let tide = Repository::new();
    tide.commit(ADA, "Begin", &[("a.rs", "// 0\n")]);
    let _read = tide.lore(&["index", "-q"]);
    let at = tide.dir.display().to_string();
    let head = tide.env.git(&["-C", &at, "rev-parse", "--short=10", "HEAD"]).success().stdout;
    for mode in [&[][..], &["--mode", "lexical"]] {
        let found = tide.lore(&[&["search", head.trim()][..], mode].concat());
        assert!(found.contains("Begin"), "{found}");
        assert!(!found.contains("nothing matches"), "{found}");
    }
}

#[test]
fn an_issue_says_which_merge_request_was_given_up() {
    let site = Site::scenario(
        BINARY,
        r#"
project harbor/tide "Tide"
issue #1 "The gauge is slow" by ada at 2024-01-01T10:00
  | It is.
mr !1 "Read the gauge twice" by bo at 2024-01-02T10:00 from twice
  | Closes #1
  close by bo +1d
mr !2 "Read the gauge once" by bo at 2024-01-05T10:00 from once
  | Closes #1
"#,
    );
    site.sync();
    let told = site.env.lore(&["issues", "1", "-p", "harbor/tide"]).success().stdout;
    let line = |name: &str| told.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(line("Read the gauge twice").starts_with("was to be closed by !1"), "{told}");
    assert!(line("Read the gauge once").starts_with("to be closed by !2"), "{told}");
}

/// Many changes have the words of a topic; what they all speak of is what it is about.
#[test]
fn what_others_speak_of_is_where_a_timeline_starts() {
    let parts: String = (10..40)
        .map(|n| {
            format!(
                "mr !{n} \"Gauge harmonics {n}\" by bo at 2024-02-01T10:{n} from b{n}\n  | Done.\n"
            )
        })
        .collect();
    let speakers: String = (10..59)
        .map(|n| format!("issue #{n} \"Boats {n}\" by bo at 2024-03-01T10:{n}\n  | See !1.\n"))
        .collect();
    let history = format!(
        "project harbor/tide \"Tide\"\nmr !1 \"Gauge harmonics of the north\" by ada at \
         2024-01-01T10:00 from all\n  | For whoever measures.\n{parts}{speakers}"
    );
    let site = Site::scenario(BINARY, &history);
    site.sync();
    let found = site.env.lore(&["timeline", "gauge harmonics", "--json"]).success().stdout;
    let found: Value = serde_json::from_str(&found).unwrap();
    let seeds = texts(&found["data"]["seed_entities"], "reference");
    assert!(seeds.contains(&"harbor/tide!1".to_owned()), "{seeds:?}");
}

/// An issue, what did it, and what was tried before: one account.
#[test]
fn what_failed_before_is_told_with_what_did_it() {
    let site = Site::scenario(
        BINARY,
        r#"
project harbor/tide "Tide"
issue #1 "The gauge is slow" by ada at 2024-01-01T10:00
  | It is.
mr !1 "Faster reading" by bo at 2024-01-02T10:00 from faster
  | A first attempt.
  close by bo +1d
mr !2 "Read once" by cem at 2024-01-05T10:00 from once
  | Supersedes !1.
  close by cem +1d
mr !3 "Read at night" by cem at 2024-01-08T10:00 from night
  | Closes #1. Supersedes !2.
issue #2 "Boats" by ada at 2024-01-09T10:00
  | Like !3.
"#,
    );
    site.sync();
    let expanded = |args: &[&str]| {
        let args = [&["timeline", "#1", "-p", "harbor/tide", "--json"][..], args].concat();
        let answer: Value = serde_json::from_str(&site.env.lore(&args).success().stdout).unwrap();
        texts(&answer["data"]["expanded_entities"], "reference").join(" ")
    };
    assert_eq!(expanded(&[]), "harbor/tide!3 harbor/tide!2 harbor/tide!1");
    assert_eq!(expanded(&["--depth", "0"]), "");
}
