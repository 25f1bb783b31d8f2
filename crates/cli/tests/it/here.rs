//! Where several projects have a number, the one of the clone one stands in is meant.

use crate::BINARY;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Logins are lost" by ada at 2024-01-08T09:00
  | Safari drops the cookie.
mr !1 "Keep the session" by ada at 2024-01-10T09:00 from keep
  | Closes #1, because the cookie is dropped.
  commit "Keep it in a cookie" +5m
    write src/login.rs
      | pub fn login() {}
  merge by ada +1h
project harbor/charts "Charts"
issue harbor/charts#1 "Depths are wrong" by ada at 2024-02-08T09:00
  | They are in feet.
mr harbor/charts!1 "Metres" by bo at 2024-02-10T09:00 from metres
  | Closes #1, because charts are metric.
  commit "Count in metres" +5m
    write src/depth.rs
      | pub fn depth() {}
  merge by ada +1h
"#;

#[test]
fn a_number_is_of_the_project_one_stands_in() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let env = &site.env;
    let clone = env.dir().join("harbor/charts");
    let _added = env.lore(&["repo", "add", "harbor/charts"]).success();
    let _read = env.lore_in(&clone, &["index"], "").success();
    let tree = env.dir().join("beside");
    let at = (clone.display().to_string(), tree.display().to_string());
    let _linked = env.git(&["-C", &at.0, "worktree", "add", "-q", &at.1, "-b", "side"]).success();
    for words in [
        &["show", "!1"][..],
        &["show", "issue 1"],
        &["timeline", "!1"],
        &["why", "#1"],
        &["why", "!1"],
        &["experts", "!1"],
        &["mrs", "1"],
    ] {
        let elsewhere = env.lore(words);
        assert_eq!(elsewhere.status, Some(18), "{words:?} {elsewhere}");
        // A linked work tree is the same repository.
        for dir in [&clone, &tree, &tree.join("src")] {
            let here = env.lore_in(dir, words, "").success();
            // Who wrote one of the requests wrote nothing of the other.
            let is_it: &[&str] = match words[0] {
                "experts" => &["Bo Winther"],
                _ => &["charts", "Metres", "Depths"],
            };
            assert!(is_it.iter().any(|it| here.stdout.contains(it)), "{words:?} {here}");
            assert!(!here.stdout.contains("tide"), "{words:?} {here}");
        }
    }
}
