//! `lore ci comment`: one note on a merge request, whatever goes wrong.

use crate::BINARY;
use sim::FaultPlan;
use sim::world::EntityKey;
use testkit::{Output, Site};

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-09T09:00
  write tide/level.py
    | def level(port, at):
    |     return table(port)[at]
    | 
    | def table(port):
    |     return TABLES[port]
mr !1 "Levels by day" by bo at 2024-01-10T09:00 from days
  commit "Ask for a day" +5m
    edit tide/level.py
      - def level(port, at):
      + def level(port, day, at):
"#;

fn site() -> Site {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    site
}

fn comment(site: &Site, more: &[&str]) -> Output {
    let args = [&["ci", "comment", "--mr", "1"], more].concat();
    site.env.lore_in(&site.env.dir().join("harbor/tide"), &args, "")
}

/// The bodies of the notes by people.
fn notes(site: &Site) -> Vec<String> {
    let world = site.server.world();
    let project = world.project_id("harbor/tide").unwrap();
    let entity = world.entity(EntityKey::mr(project, 1)).unwrap();
    entity.notes().filter(|note| !note.system).map(|note| note.body.clone()).collect()
}

#[test]
fn without_being_told_to_nothing_is_sent() {
    let site = site();
    let told = comment(&site, &[]).success().stdout;
    assert!(told.starts_with("<!-- lore:diff -->\n"), "{told}");
    assert!(told.contains("required parameter `day` added".replace('`', "'").as_str()), "{told}");
    assert!(notes(&site).is_empty());
}

#[test]
fn the_note_is_made_once_and_then_updated() {
    let site = site();
    let told = comment(&site, &["--post"]).success().stdout;
    assert!(told.starts_with("harbor/tide!1: comment created"), "{told}");
    assert_eq!(notes(&site).len(), 1);
    let told = comment(&site, &["--post"]).success().stdout;
    assert!(told.starts_with("harbor/tide!1: comment unchanged"), "{told}");
    let told = comment(&site, &["--post", "-n", "0"]).success().stdout;
    assert!(told.starts_with("harbor/tide!1: comment updated"), "{told}");
    let notes = notes(&site);
    assert_eq!(notes.len(), 1);
    assert!(!notes[0].contains("| change |"), "{}", notes[0]);
}

#[test]
fn nothing_needs_to_be_synced_when_the_commits_are_named() {
    let site = Site::with_clones(BINARY, HISTORY);
    let more = ["-p", "harbor/tide", "--base", "main", "--head", "days", "--post"];
    let told = comment(&site, &more).success().stdout;
    assert!(told.starts_with("harbor/tide!1: comment created"), "{told}");
}

#[test]
fn a_note_of_somebody_else_is_left_alone() {
    let site = site();
    {
        let mut world = site.server.world();
        let project = world.project_id("harbor/tide").unwrap();
        let now = world.now();
        let quoted = "> <!-- lore:diff -->\nWhat is this?";
        world.comment(EntityKey::mr(project, 1), "bo", now, quoted).unwrap();
    }
    let _ = comment(&site, &["--post"]).success();
    let notes = notes(&site);
    assert_eq!(notes.len(), 2);
    assert!(notes.iter().any(|note| note.ends_with("What is this?")));
}

/// The answer to a write is lost as often as not; whether it took place must be
/// looked up, not guessed.
#[test]
fn lost_answers_make_no_second_note() {
    for seed in 1..=5 {
        let site = site();
        site.server.set_faults(FaultPlan {
            seed,
            path_contains: Some("/notes".to_owned()),
            p_reset_before: 0.6,
            limit: Some(2),
            ..FaultPlan::default()
        });
        let told = comment(&site, &["--post"]);
        let n_notes = notes(&site).len();
        assert_eq!(n_notes, 1, "seed {seed}: {told}");
    }
}

#[test]
fn a_token_that_only_reads_is_told_what_it_lacks() {
    let site = site();
    let env = site.env.with_var("GITLAB_TOKEN", "sim-token-read-only");
    let args = ["ci", "comment", "--mr", "1", "--post"];
    let told = env.lore_in(&env.dir().join("harbor/tide"), &args, "").to_string();
    assert!(told.contains("the token needs the scope api"), "{told}");
    assert!(!told.contains("sim-token-read-only"), "{told}");
}
