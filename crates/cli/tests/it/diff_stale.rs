//! Evidence in the reach of a change that is older than the code it is about.

use crate::BINARY;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const LIB: &str = "def round_up(x):\n    return x\n";
const APP: &str = "from money import round_up\n\n\ndef total(x):\n    return round_up(x)\n";

/// A repository under a name that others can import it by, with one commit a version.
fn repository(env: &TestEnv, name: &str, path: &str, versions: &[&str]) {
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    for text in versions {
        history.commit("main", &ada, "Write", &written(&[(path, text)])).unwrap();
    }
    history.write(&env.dir().join(name)).unwrap();
    let url = format!("https://example.com/acme/{name}.git");
    let _ = env.git(&["-C", name, "remote", "add", "origin", &url]).success();
}

fn lore(env: &TestEnv, name: &str, args: &[&str]) -> String {
    env.lore_in(&env.dir().join(name), args, "").success().stdout
}

#[test]
fn users_that_changed_since_their_repository_was_indexed_are_stale_evidence() {
    let env = TestEnv::new(BINARY);
    let changed = LIB.replace("return x", "return x + 1");
    repository(&env, "lib", "money/__init__.py", &[LIB, &changed]);
    let later = APP.replace("return round_up(x)", "return round_up(x) * 2");
    repository(&env, "app", "shop/cart.py", &[APP, &later]);
    let _ = lore(&env, "lib", &["index", "-q"]);
    let _ = lore(&env, "app", &["index", "-q"]);
    let told = lore(&env, "lib", &["diff", "HEAD~1", "HEAD"]);
    assert!(told.contains("reaches 2 symbols"), "{told}");
    assert!(!told.contains("stale"), "what is indexed is what is there: {told}");

    // The other repository moves on, in a file that the change reaches.
    std::fs::write(env.dir().join("app/shop/cart.py"), APP.replace("total", "sum_up")).unwrap();
    let by = ["-C", "app", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let _ = env.git(&[&by[..], &["commit", "-q", "-a", "-m", "Rename"]].concat()).success();
    let told = lore(&env, "lib", &["diff", "HEAD~1", "HEAD"]);
    let line = "stale  example.com/acme/app: 1 file in reach changed since ";
    assert!(told.contains(line), "{told}");
    let asked = lore(&env, "lib", &["diff", "HEAD~1", "HEAD", "--json"]);
    let asked: serde_json::Value = serde_json::from_str(&asked).unwrap();
    let stale = &asked["data"]["stale_evidence"][0];
    assert_eq!(stale["paths"], serde_json::json!(["shop/cart.py"]));
    assert!(stale["fix"].as_str().is_some_and(|fix| fix.ends_with("app && lore index")), "{stale}");

    // The command it names renews it.
    let _ = lore(&env, "app", &["index", "-q"]);
    let told = lore(&env, "lib", &["diff", "HEAD~1", "HEAD"]);
    assert!(!told.contains("stale"), "{told}");

    // A file out of reach is none of its business.
    std::fs::write(env.dir().join("app/notes.py"), "X = 1\n").unwrap();
    let _ = env.git(&["-C", "app", "add", "notes.py"]).success();
    let _ = env.git(&[&by[..], &["commit", "-q", "-m", "Note"]].concat()).success();
    let told = lore(&env, "lib", &["diff", "HEAD~1", "HEAD"]);
    assert!(!told.contains("stale"), "{told}");
}
