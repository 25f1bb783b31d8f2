//! The templates of `contrib/`, run as far as they run here: their scripts, with
//! the variables that the forge would set.

use crate::BINARY;
use testkit::{Output, Site};

const HISTORY: &str = r#"
user ada "Ada Larsen"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-09T09:00
  write tide/level.py
    | def level(port, at):
    |     return port[at]
mr !1 "Levels by day" by ada at 2024-01-10T09:00 from days
  commit "Ask for a day" +5m
    edit tide/level.py
      - def level(port, at):
      + def level(port, day, at):
"#;

fn template(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The items of a list in YAML that stand below a key, one line each.
fn items<'y>(yaml: &'y str, key: &str) -> Vec<&'y str> {
    let lines = yaml.lines().skip_while(|line| line.trim() != key).skip(1);
    lines.map_while(|line| line.trim().strip_prefix("- ")).collect()
}

fn run(site: &Site, script: &str, input: &str) -> Output {
    site.env.shell(&site.env.dir().join("harbor/tide"), script, input)
}

#[test]
fn the_template_for_gitlab_compares_comments_and_fails() {
    let site = Site::with_clones(BINARY, HISTORY);
    let yaml = template("gitlab-ci.yml");
    let script = items(&yaml, "script:");
    assert_eq!(script.len(), 3, "{script:?}");
    let variables = "set -e
        CI_MERGE_REQUEST_DIFF_BASE_SHA=main CI_COMMIT_SHA=days CI_MERGE_REQUEST_IID=1
        CI_PROJECT_PATH=harbor/tide LORE_COMMENT=1 LORE_FAIL_ON=breaking\n";
    let told = run(&site, &format!("{variables}{}", script.join("\n")), "");
    assert_eq!(told.status, Some(22), "{told}");
    let report = std::fs::read_to_string(site.env.dir().join("harbor/tide/lore-diff.md")).unwrap();
    assert!(report.contains("changed-parameters"), "{report}");
    assert!(told.stdout.contains("harbor/tide!1: comment created"), "{told}");
}

#[test]
fn the_workflow_for_github_writes_a_summary_and_sarif() {
    let site = Site::with_clones(BINARY, HISTORY);
    let yaml = template("github-action.yml");
    let start = yaml.find("run: |").unwrap();
    let script: String = yaml[start..]
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("          "))
        .map(|line| format!("{}\n", line.trim()))
        .collect();
    let variables = "set -e\nBASE=main HEAD=days GITHUB_STEP_SUMMARY=summary.md\n";
    let _ = run(&site, &format!("{variables}{script}"), "").success();
    let clone = site.env.dir().join("harbor/tide");
    let sarif = std::fs::read_to_string(clone.join("lore.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "changed-parameters");
    assert!(std::fs::read_to_string(clone.join("summary.md")).unwrap().contains("Breaking"));
}

#[test]
fn the_hook_stops_a_push_that_breaks_others() {
    let site = Site::with_clones(BINARY, HISTORY);
    let hook = template("pre-push");
    let push = |base: &str, head: &str| {
        let input = format!("refs/heads/days {head} refs/heads/days {base}\n");
        let script = format!("set -- origin url\n{hook}");
        run(&site, &script, &input).status
    };
    let sha = |rev: &str| {
        run(&site, &format!("git rev-parse {rev}"), "").success().stdout.trim().to_owned()
    };
    let (main, days) = (sha("main"), sha("days"));
    assert_eq!(push(&main, &days), Some(1));
    assert_eq!(push(&days, &days), Some(0));
    assert_eq!(push(&main, &"0".repeat(40)), Some(0));
}
