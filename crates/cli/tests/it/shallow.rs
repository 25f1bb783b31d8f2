//! A clone without its oldest commits, and what comes with them.

use crate::BINARY;
use testkit::TestEnv;

/// `git fetch --unshallow` moves no branch. The commit that was the oldest seemed to bring
/// every file until its parent is there.
#[test]
fn commits_that_a_shallow_clone_gets_later_are_read() {
    let env = TestEnv::new(BINARY);
    let dir = env.dir().join("shallow");
    let script = "set -e
        git init -q -b main full; cd full
        save() { git add -A && git -c user.name=Ada -c user.email=a@example.com commit -q -m \"$1\"; }
        echo 'def bake(): pass' > bread.py; save 'Bake bread because shops close early'
        echo 'def brew(): pass' > tea.py; save 'Brew tea'
        echo 'def pour(): pass' > cup.py; save 'Pour it'
        cd ..; git clone -q --depth 2 \"file://$PWD/full\" shallow";
    let _ = env.shell(&env.dir(), script, "").success();
    let lore = |args: &[&str]| env.lore_in(&dir, args, "").success().stdout;
    let _ = lore(&["index", "-q"]);
    assert_eq!(lore(&["count", "commits"]).trim(), "2");
    assert!(lore(&["file-history", "bread.py"]).contains("Brew tea"));

    let _ = env.shell(&dir, "git fetch -q --unshallow", "").success();
    let _ = lore(&["index", "-q"]);
    assert_eq!(lore(&["count", "commits"]).trim(), "3");
    let history = lore(&["file-history", "bread.py"]);
    assert!(history.contains("Bake bread") && !history.contains("Brew tea"), "{history}");
    assert!(lore(&["search", "shops close early"]).contains("Bake bread"));
    let _without_damage = lore(&["stats", "--check"]);
}
