//! The demo loads, and agrees with itself and with its repositories.

use super::ast::{Action, FileChange, MergeStyle, Scenario};
use super::{demo, timeline};
use crate::World;
use crate::git::command;
use crate::world::{Entity, Project};
use model::{EntityKind, Reference};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

struct DemoWorld {
    scenario: Scenario,
    world: World,
    dir: tempfile::TempDir,
}

/// Loaded once for all tests of this file.
static DEMO: LazyLock<DemoWorld> = LazyLock::new(|| {
    let scenario = demo::scenario().unwrap_or_else(|error| panic!("{error}"));
    let dir = tempfile::tempdir().unwrap();
    let world = demo::load_with_git(dir.path()).unwrap_or_else(|error| panic!("{error}"));
    DemoWorld { scenario, world, dir }
});

fn git(dir: &Path, args: &[&str]) -> String {
    let output = command(dir).args(args).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn repo(project: &Project) -> PathBuf {
    DEMO.dir.path().join(&project.path)
}

fn name(entity: &Entity) -> String {
    let project = DEMO.world.project(entity.key.project).unwrap();
    format!("{}{}{}", project.path, entity.kind().sigil(), entity.iid())
}

fn entities(kind: EntityKind) -> Vec<&'static Entity> {
    DEMO.world.entities().filter(|entity| entity.kind() == kind).collect()
}

#[test]
fn it_is_large_enough_to_show_things_and_small_enough_to_read() {
    assert_eq!(DEMO.world.projects().count(), 2);
    assert_eq!(DEMO.scenario.users.iter().filter(|user| !user.is_bot).count(), 8);
    assert!((40..=55).contains(&entities(EntityKind::Issue).len()));
    assert!((55..=65).contains(&entities(EntityKind::MergeRequest).len()));
    let n_notes: usize = DEMO.world.entities().map(Entity::user_notes_count).sum();
    assert!(n_notes > 250, "{n_notes}");
    for (name, text) in demo::PARTS {
        assert!(text.lines().count() < 700, "{name} is too long");
    }
    assert!(demo::scenario_text().lines().count() > 3000);
}

#[test]
fn it_spans_two_and_a_half_years() {
    let first = DEMO.world.entities().map(|entity| entity.created_at).min().unwrap();
    let last = DEMO.world.entities().map(|entity| entity.created_at).max().unwrap();
    assert_eq!(first.to_date(), "2022-03-15");
    assert_eq!(last.to_date(), "2024-09-02");
}

#[test]
fn it_has_one_of_everything() {
    let mut words = BTreeSet::new();
    for (_, event) in timeline::events(&DEMO.scenario) {
        words.insert(match &event.action {
            Action::Merge(MergeStyle::Merge) => "merge",
            Action::Merge(MergeStyle::Squash) => "squash",
            Action::Merge(MergeStyle::FastForward) => "ff",
            Action::Merge(MergeStyle::Rebase) => "rebase",
            Action::Close => "close",
            Action::Reopen => "reopen",
            Action::Duplicate(_) => "duplicate",
            Action::Move(_) => "move",
            Action::Relate(_) => "relate",
            Action::Label { .. } => "label",
            Action::Milestone(_) => "milestone",
            Action::Title(_) => "title",
            Action::Ready => "ready",
            Action::Assign(_) => "assign",
            Action::Push(_) => "push",
            Action::Approve => "approve",
            Action::Comment(thread) if thread.anchor.is_some() => "diffnote",
            _ => "other",
        });
    }
    let expected = "approve assign close diffnote duplicate ff label merge milestone move other push \
                    ready rebase relate reopen squash title";
    let found: Vec<&str> = words.into_iter().collect();
    assert_eq!(found.join(" "), expected);
    assert!(DEMO.scenario.issues.iter().any(|issue| issue.is_confidential));
    assert!(DEMO.scenario.issues.iter().any(|issue| issue.issue_type == "incident"));
    assert!(DEMO.scenario.merge_requests.iter().any(|mr| mr.is_draft));
    assert!(DEMO.scenario.commits.len() >= 6);
}

#[test]
fn files_were_renamed_and_one_of_them_twice() {
    let commits = DEMO.scenario.merge_requests.iter().flat_map(|mr| &mr.first_commits);
    let renames: Vec<(&str, &str)> = commits
        .flat_map(|commit| &commit.changes)
        .filter_map(|change| match &change.value {
            FileChange::Rename { from, to } => Some((from.as_str(), to.as_str())),
            _ => None,
        })
        .collect();
    assert!(renames.len() >= 5, "{renames:?}");
    assert!(renames.contains(&("src/threshold.rs", "src/frost.rs")));
    assert!(renames.contains(&("src/frost.rs", "src/model/frost.rs")));
}

#[test]
fn the_repositories_are_sound() {
    for project in DEMO.world.projects() {
        let dir = repo(project);
        assert_eq!(git(&dir, &["fsck", "--strict"]), "");
        // Beside the commits lies nothing but what the team wrote down.
        assert_eq!(git(&dir, &["status", "--porcelain", "--", ".", ":!.lore"]), "");
        // Author dates never run backwards along the first parents.
        let times = git(&dir, &["log", "--first-parent", "--reverse", "--format=%ct", "main"]);
        let times: Vec<i64> = times.lines().map(|line| line.parse().unwrap()).collect();
        assert!(times.is_sorted(), "{}", project.path);
    }
}

#[test]
fn every_merge_request_has_its_commits_in_the_repository() {
    for entity in entities(EntityKind::MergeRequest) {
        let mr = entity.merge_request().unwrap();
        let project = DEMO.world.project(entity.key.project).unwrap();
        let dir = repo(project);
        let head = format!("refs/merge-requests/{}/head", entity.iid());
        assert!(!mr.commits.is_empty(), "{}", name(entity));
        assert_eq!(mr.sha.as_deref(), Some(&*git(&dir, &["rev-parse", &head])), "{}", name(entity));
        let listed: Vec<&str> = mr.commits.iter().map(|commit| commit.sha.as_str()).collect();
        let count = listed.len().to_string();
        let walked = git(&dir, &["rev-list", "--reverse", "--first-parent", "-n", &count, &head]);
        assert_eq!(listed.join("\n"), walked, "{}", name(entity));
        let landed = [&mr.merge_commit_sha, &mr.squash_commit_sha];
        for sha in landed.into_iter().flatten() {
            git(&dir, &["merge-base", "--is-ancestor", sha, "main"]);
        }
        if mr.merged_at.is_some() && mr.squash_commit_sha.is_none() {
            git(&dir, &["merge-base", "--is-ancestor", mr.sha.as_deref().unwrap(), "main"]);
        }
        if let Some(sha) = &mr.merge_commit_sha {
            let message = git(&dir, &["log", "-1", "--format=%B", sha]);
            let trailer = format!("See merge request {}!{}", project.path, entity.iid());
            assert!(message.ends_with(&trailer), "{message}");
        }
    }
}

/// GitLab's list of changed files is what git says about the same commits.
#[test]
fn changed_files_agree_with_git() {
    for entity in entities(EntityKind::MergeRequest) {
        let mr = entity.merge_request().unwrap();
        let dir = repo(DEMO.world.project(entity.key.project).unwrap());
        let first = format!("{}^", mr.commits[0].sha);
        let head = mr.sha.as_deref().unwrap();
        let said = git(&dir, &["diff", "--name-status", "-M", &first, head]);
        let mut said: Vec<String> = said
            .lines()
            .map(|line| match line.split('\t').collect::<Vec<_>>()[..] {
                [kind, path] => format!("{kind} {path} {path}"),
                [_, from, to] => format!("R {from} {to}"),
                _ => panic!("{line}"),
            })
            .collect();
        let mut shown: Vec<String> = mr
            .changes
            .iter()
            .map(|change| {
                let kind = match (change.new_file, change.renamed_file, change.deleted_file) {
                    (true, ..) => "A",
                    (_, true, _) => "R",
                    (.., true) => "D",
                    _ => "M",
                };
                format!("{kind} {} {}", change.old_path, change.new_path)
            })
            .collect();
        said.sort();
        shown.sort();
        assert_eq!(shown, said, "{}", name(entity));
    }
}

/// Everything people wrote, with the project it stands in.
fn texts() -> Vec<(String, &'static str, String)> {
    let mut texts = Vec::new();
    for entity in DEMO.world.entities() {
        let home = DEMO.world.project(entity.key.project).unwrap().path.as_str();
        texts.push((name(entity), home, entity.description.clone().unwrap_or_default()));
        for note in entity.notes().filter(|note| !note.system) {
            texts.push((name(entity), home, note.body.clone()));
        }
        for commit in entity.merge_request().map_or(&[][..], |mr| &mr.commits) {
            texts.push((name(entity), home, commit.message.clone()));
        }
    }
    texts
}

#[test]
fn every_reference_leads_somewhere() {
    let mut n_found = 0;
    let mut n_elsewhere = 0;
    for (place, home, text) in texts() {
        for found in Reference::find_all(&text) {
            let Reference::Entity(entity) = found.reference else { continue };
            let path = entity.project_path(home);
            let key = DEMO.world.key(&path, entity.kind, entity.iid.0);
            let is_there = key.is_ok_and(|key| DEMO.world.entity(key).is_ok());
            assert!(is_there, "{place}: {entity} in {text:?}");
            n_found += 1;
            n_elsewhere += usize::from(path != home);
        }
    }
    assert!(n_found > 100, "{n_found}");
    assert!(n_elsewhere >= 15, "{n_elsewhere}");
}

/// People can only point at what is there already.
#[test]
fn nobody_knows_the_future() {
    let mut early: Vec<String> = Vec::new();
    for entity in DEMO.world.entities() {
        let home = DEMO.world.project(entity.key.project).unwrap();
        let notes = entity.notes().filter(|note| !note.system);
        let said = notes.map(|note| (note.created_at, note.body.as_str()));
        let opened = (entity.created_at, entity.description.as_deref().unwrap_or_default());
        for (time, text) in said.chain([opened]) {
            for key in DEMO.world.mentioned_in(text, home.id) {
                let target = DEMO.world.entity(key).unwrap();
                if target.created_at > time {
                    early.push(format!("{} at {time}: {}", name(entity), name(target)));
                }
            }
        }
    }
    assert_eq!(early, Vec::<String>::new());
}

#[test]
fn people_who_are_called_exist() {
    let known: BTreeSet<&str> =
        DEMO.scenario.users.iter().map(|user| user.username.as_str()).collect();
    for (place, _, text) in texts() {
        for word in text.split_whitespace().filter_map(|word| word.strip_prefix('@')) {
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            assert!(known.contains(word), "{place}: @{word}");
        }
    }
}

#[test]
fn nobody_says_the_same_twice() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (place, _, text) in texts() {
        // The copy of a moved issue repeats it.
        if text.len() < 40 || place == "orchard/fieldkit#5" {
            continue;
        }
        if let Some(before) = seen.insert(text.clone(), place.clone()) {
            panic!("{place} repeats {before}: {text}");
        }
    }
}

#[test]
fn time_runs_forward() {
    for entity in DEMO.world.entities() {
        for discussion in &entity.discussions {
            assert!(discussion.notes.is_sorted_by_key(|note| note.created_at), "{}", name(entity));
        }
        assert!(entity.updated_at >= entity.created_at, "{}", name(entity));
        let events = entity.state_events.iter().map(|event| event.created_at);
        assert!(events.clone().is_sorted(), "{}", name(entity));
        assert!(events.clone().all(|time| time >= entity.created_at), "{}", name(entity));
    }
}

#[test]
fn merged_means_closed() {
    for entity in entities(EntityKind::MergeRequest) {
        let mr = entity.merge_request().unwrap();
        if mr.merged_at.is_none() {
            continue;
        }
        for issue in &mr.closes {
            let issue = DEMO.world.entity(*issue).unwrap();
            assert_eq!(issue.state.as_str(), "closed", "{} by {}", name(issue), name(entity));
        }
    }
}

#[test]
fn the_golden_questions_name_things_that_exist() {
    let readme = include_str!("../../demo/README.md");
    let questions: Vec<&str> =
        readme.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(questions.len(), 25);
    for line in questions {
        let references = Reference::find_all(line);
        assert!(!references.is_empty(), "{line}");
    }
    for found in Reference::find_all(readme) {
        let Reference::Entity(entity) = found.reference else { continue };
        let path = entity.project_path("orchard/frostline");
        let key = DEMO.world.key(&path, entity.kind, entity.iid.0).unwrap();
        assert!(DEMO.world.entity(key).is_ok(), "{entity}");
    }
}
