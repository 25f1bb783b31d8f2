//! Someone else's client: python-gitlab must find in the simulator what is
//! there. `cargo xtask ci` installs it and says where.

use sim::{Corpus, Options, Server};
use std::process::Command;

/// Prints one line per thing it finds, in an order that depends on the data alone.
const SCRIPT: &str = r#"
import sys, gitlab
gl = gitlab.Gitlab(sys.argv[1], private_token="sim-token")
gl.auth()
project = gl.projects.get(sys.argv[2])
for kind, manager in (("issue", project.issues), ("mr", project.mergerequests)):
    for entity in manager.list(iterator=True, state="all", scope="all"):
        print(kind, entity.iid, entity.state, entity.author["username"])
        for discussion in entity.discussions.list(iterator=True):
            for note in discussion.attributes["notes"]:
                print(kind, entity.iid, "note", note["id"])
        for event in entity.resourcestateevents.list(iterator=True):
            print(kind, entity.iid, "state", event.state)
        for event in entity.resourcelabelevents.list(iterator=True):
            print(kind, entity.iid, "label", event.action)
        for event in entity.resourcemilestoneevents.list(iterator=True):
            print(kind, entity.iid, "milestone", event.action)
        if kind == "mr":
            for change in entity.changes()["changes"]:
                print(kind, entity.iid, "file", change["new_path"])
            for commit in entity.commits():
                print(kind, entity.iid, "commit", commit.id)
"#;

#[test]
fn python_gitlab_reads_the_whole_history() {
    let Some(python) = testkit::outside::program("LORE_TEST_PYTHON") else { return };
    let world = Corpus::new(21, 25, 25).build().unwrap();
    let path = world.projects().next().unwrap().path.clone();
    let mut expected = Vec::new();
    for entity in world.entities() {
        let kind = if entity.issue().is_some() { "issue" } else { "mr" };
        let name = format!("{kind} {}", entity.iid());
        let author = world.username(entity.author);
        expected.push(format!("{name} {} {author}", entity.state.as_str()));
        expected.extend(entity.notes().map(|note| format!("{name} note {}", note.id.0)));
        let states = entity.state_events.iter();
        expected.extend(states.map(|event| format!("{name} state {}", event.change.as_str())));
        let labels = entity.label_events.iter();
        expected.extend(labels.map(|event| format!("{name} label {}", event.action.as_str())));
        let milestones = entity.milestone_events.iter();
        expected
            .extend(milestones.map(|event| format!("{name} milestone {}", event.action.as_str())));
        if let Some(mr) = entity.merge_request() {
            expected.extend(mr.changes.iter().map(|file| format!("{name} file {}", file.new_path)));
            expected
                .extend(mr.commits.iter().map(|commit| format!("{name} commit {}", commit.sha)));
        }
    }
    let server = Server::start(world, Options::default()).unwrap();
    let output = Command::new(python)
        .args(["-c", SCRIPT, server.base_url(), &path])
        .env("NO_PROXY", "*")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut found: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    found.sort();
    expected.sort();
    assert!(expected.len() > 200, "the history is too small to prove anything");
    assert_eq!(found, expected);
}
