//! What a sync costs at the forge.

use crate::harness::Site;
use sim::world::EntityKey;
use std::time::Duration;

const TWO_OF_EACH: &str = r#"
user ada "Ada"
user bo "Bo"
project harbor/tide "Tide"
issue #1 "Login fails" by ada at 2024-01-09T10:00
  | It reloads for ever.
issue #2 "Slow tables" by bo at 2024-01-10T10:00
mr !1 "Keep the session" by bo at 2024-01-11T10:00 from fix
  | Closes #1
mr !2 "Index the tables" by ada at 2024-01-12T10:00 from index
"#;

fn settled_site() -> Site {
    let site = Site::scenario(TWO_OF_EACH);
    site.wait(Duration::from_secs(3600));
    site.sync();
    site.server.clear_requests();
    site
}

fn total(site: &Site) -> usize {
    site.server.requests().entries.len()
}

#[test]
fn a_sync_without_changes_asks_once_per_project_and_resource() {
    let site = settled_site();
    let report = site.sync();
    assert_eq!(total(&site), 3, "{:?}", site.server.requests());
    assert_eq!(report.projects[0].dependents.fetched, 0);
}

#[test]
fn one_comment_costs_at_most_eight_requests() {
    for key in ["issue", "mr"] {
        let site = settled_site();
        site.wait(Duration::from_secs(600));
        site.change(|world| {
            let project = world.project_id("harbor/tide").unwrap();
            let on = if key == "issue" {
                EntityKey::issue(project, 1)
            } else {
                EntityKey::mr(project, 1)
            };
            let now = world.now();
            world.comment(on, "bo", now, "I can reproduce it.").unwrap();
        });
        site.wait(Duration::from_secs(600));
        site.sync();
        assert!(total(&site) <= 8, "{key}: {:?}", site.server.requests());
        assert!(site.dump().iter().any(|line| line.contains("I can reproduce it.")));
        site.server.clear_requests();
        site.sync();
        assert_eq!(total(&site), 3, "{key}: settled after one visit");
    }
}

#[test]
fn a_push_fetches_files_and_commits_again_and_a_comment_does_not() {
    let site = settled_site();
    site.wait(Duration::from_secs(600));
    site.change(|world| {
        let project = world.project_id("harbor/tide").unwrap();
        let now = world.now();
        world.comment(EntityKey::mr(project, 2), "bo", now, "Nice.").unwrap();
    });
    site.wait(Duration::from_secs(600));
    site.sync();
    let asked = format!("{:?}", site.server.requests());
    assert!(!asked.contains("/diffs") && !asked.contains("/commits"), "{asked}");
}
