//! What answers leave behind: kept results, feedback, earlier tasks, declared edges.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use serde_json::Value;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "\
from shop.price import total


class Cart:
    def checkout(self, gateway):
        \"\"\"Pays for everything in the cart.\"\"\"
        amount = self.sum()
        return gateway.pay(amount)

    def sum(self):
        items = list(self.items)
        return total(items)
",
    ),
    ("shop/__init__.py", ""),
    (
        "shop/price.py",
        "def total(items):\n    \"\"\"The price of all items together.\"\"\"\n    result = sum(items)\n    return rounded(result)\n\n\n\
         def rounded(n):\n    \"\"\"The price rounded to cents.\"\"\"\n    cents = n * 100\n    return int(cents) / 100\n",
    ),
    (
        "shop/plugin.py",
        "class Plugin:\n    def load(self):\n        \"\"\"Loaded by its name only.\"\"\"\n        found = open('x')\n        return found\n",
    ),
];

fn indexed() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FILES)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

fn data(env: &TestEnv, args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    let output = env.lore_in(&env.dir().join("shop"), &args, "").success();
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    answer["data"].clone()
}

#[test]
fn costly_results_are_kept_counted_and_cleared() {
    let env = indexed();
    expect![[r#""#]].assert_eq(&lore(&env, &["cache"]));
    let first = data(&env, &["communities"]);
    let pack = data(&env, &["context", "the price is rounded wrongly"]);
    let stats = data(&env, &["cache", "stats"]);
    let questions: Vec<&str> = stats["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["question"].as_str().unwrap())
        .collect();
    assert_eq!(questions, ["communities", "context_for_task"], "{stats:#}");
    assert_eq!(stats["questions"][0]["computed_by"], serde_json::json!(["cli"]));
    // What is read back is what was computed.
    assert_eq!(data(&env, &["communities"]), first);
    assert_eq!(data(&env, &["context", "the price is rounded wrongly"]), pack);
    assert_eq!(data(&env, &["cache", "stats"])["results"], stats["results"]);
    assert!(lore(&env, &["cache", "warm"]).contains("impact of 0 symbols with more than 50 users"));
    assert_eq!(data(&env, &["cache", "clear"])["cleared"], 2);
    assert_eq!(data(&env, &["cache"])["results"], 0);
    assert_eq!(data(&env, &["communities"]), first);
}

#[test]
fn an_answer_stands_although_nothing_can_be_kept() {
    let env = indexed();
    let lock = held_by_another(&env);
    let pack = data(&env, &["context", "the price is rounded wrongly"]);
    assert!(pack["symbols"].as_array().is_some_and(|it| !it.is_empty()));
    drop(lock);
    assert_eq!(data(&env, &["cache"])["results"], 0);
}

/// Somebody writes for as long as this lives.
fn held_by_another(env: &TestEnv) -> impl Drop {
    struct Held(Option<std::thread::JoinHandle<()>>, std::sync::mpsc::Sender<()>);
    impl Drop for Held {
        fn drop(&mut self) {
            let _ = self.1.send(());
            if let Some(thread) = self.0.take() {
                thread.join().unwrap();
            }
        }
    }
    let (stop, stopped) = std::sync::mpsc::channel();
    let (began, begun) = std::sync::mpsc::channel();
    let db = env.db();
    let thread = std::thread::spawn(move || {
        let mut writer = store::Writer::open(&db).unwrap();
        writer
            .write(|_| {
                began.send(()).unwrap();
                let _ = stopped.recv();
                Ok(())
            })
            .unwrap();
    });
    begun.recv().unwrap();
    Held(Some(thread), stop)
}

#[test]
fn feedback_moves_a_symbol_until_its_package_changes() {
    let env = indexed();
    let task = "the price of all items is wrong";
    let cold = data(&env, &["context", task, "--cold"]);
    let names = |pack: &Value| -> Vec<String> {
        let all = pack["symbols"].as_array().unwrap().iter();
        all.map(|symbol| symbol["symbol"].as_str().unwrap().to_owned()).collect()
    };
    // A cold pack leaves nothing to speak of.
    let refused = lore(&env, &["feedback", "last", "total", "noise"]);
    assert!(refused.contains("no pack `last` was given here"), "{refused}");
    let warm = data(&env, &["context", task]);
    assert_eq!(warm["pack_root"], cold["pack_root"], "nothing was learned yet");
    assert_eq!(names(&warm)[0], "price.total");
    let root = warm["pack_root"].as_str().unwrap();
    let report = data(&env, &["feedback", &root[..8], "price.total", "noise"]);
    assert_eq!(report["verdict"], "noise");
    assert!(report["score"].as_f64().unwrap() < 0.5, "{report:#}");
    let _ = data(&env, &["feedback", "last", "Cart.sum", "useful"]);
    let shares = |pack: &Value, name: &str| -> f64 {
        let all = pack["symbols"].as_array().unwrap();
        let symbol = all.iter().find(|it| it["symbol"] == name);
        let share = symbol.and_then(|it| {
            it["shares"].as_array()?.iter().find(|share| share["channel"] == "feedback")
        });
        share.map_or(0.0, |share| share["score"].as_f64().unwrap())
    };
    let explained = data(&env, &["context", task, "--explain"]);
    assert!(shares(&explained, "price.total") < 0.0, "{explained:#}");
    assert!(shares(&explained, "cart.Cart.sum") > 0.0, "{explained:#}");
    // Cold results do not know of it, byte for byte.
    assert_eq!(data(&env, &["context", task, "--cold"]), cold);
    let unknown = lore(&env, &["feedback", "last", "nothing", "useful"]);
    assert!(unknown.contains("the pack has no symbol `nothing`"), "{unknown}");
    // The package changes, and what was said of it with it.
    let shop = env.dir().join("shop");
    std::fs::write(shop.join("shop/new.py"), "def extra():\n    return 1\n").unwrap();
    for args in [&["add", "-A"][..], &["commit", "-qm", "More"]] {
        let git = std::process::Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b.c"])
            .args(args)
            .current_dir(&shop)
            .status();
        assert!(git.unwrap().success());
    }
    let _ = lore(&env, &["index", "-q"]);
    let later = data(&env, &["context", task, "--explain"]);
    assert!(shares(&later, "price.total").abs() < f64::EPSILON, "{later:#}");
}

#[test]
fn a_task_like_an_earlier_one_finds_where_that_ended() {
    let env = indexed();
    let _ = data(&env, &["context", "round the price of the items to cents"]);
    let like = data(&env, &["context", "the price of the items has too many cents", "--explain"]);
    assert!(like["symbols"].to_string().contains("task-memory"), "{like:#}");
    let cold = ["context", "the price of the items has too many cents", "--explain", "--cold"];
    let cold = data(&env, &cold);
    assert!(!cold["symbols"].to_string().contains("task-memory"), "{cold:#}");
    // Asking the same again changes nothing.
    let twice = data(&env, &["context", "the price of the items has too many cents", "--explain"]);
    assert_eq!(twice["pack_root"], like["pack_root"]);
}

#[test]
fn declared_edges_count_like_any_other_and_outlive_an_index() {
    let env = indexed();
    let none = lore(&env, &["callers", "Plugin.load"]);
    assert!(!none.contains("checkout"), "{none}");
    expect![[r#"
        1 added in $DIR/shop/.lore/edges.jsonl
    "#]]
    .assert_eq(&lore(
        &env,
        &["edge", "add", "Cart.checkout", "Plugin.load", "--reason", "loaded by name"],
    ));
    let callers = data(&env, &["callers", "Plugin.load"]);
    let found = &callers["found"][0];
    assert_eq!(found["symbol"], "cart.Cart.checkout", "{callers:#}");
    assert_eq!((&found["provenance"], &found["confidence"]), (&"manual".into(), &1.0.into()));
    assert!(lore(&env, &["impact", "Plugin.load"]).contains("checkout"));
    let file = std::fs::read_to_string(env.dir().join("shop/.lore/edges.jsonl")).unwrap();
    assert!(file.contains(r#""reason":"loaded by name""#), "{file}");
    // A new snapshot has it too.
    let shop = env.dir().join("shop");
    std::fs::write(shop.join("shop/new.py"), "def extra():\n    return 1\n").unwrap();
    for args in [&["add", "-A"][..], &["commit", "-qm", "More"]] {
        let git = std::process::Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b.c"])
            .args(args)
            .current_dir(&shop)
            .status();
        assert!(git.unwrap().success());
    }
    let _ = lore(&env, &["index", "-q"]);
    assert!(lore(&env, &["callers", "Plugin.load"]).contains("checkout"));
    assert!(!lore(&env, &["fsck"]).contains("wrong"));
    let listed = data(&env, &["edge", "list"]);
    assert_eq!(listed["edges"][0]["type"], "calls");
    assert_eq!(listed["edges"][0]["unbound"], Value::Null);
    // Bad input is told apart.
    for (args, said) in [
        (&["edge", "add", "nothing", "Plugin.load", "--reason", "x"][..], "nothing"),
        (&["edge", "add", "Plugin.load", "Plugin.load", "--reason", "x"], "two different ends"),
        (&["edge", "add", "Cart.sum", "Plugin.load", "--reason", " "], "needs a reason"),
        (&["edge", "add", "Cart.sum", "Plugin.load", "-t", "cals", "--reason", "x"], "calls"),
        (&["edge", "remove", "Cart.sum", "Plugin.load"], "no edge from"),
    ] {
        let output = lore(&env, args);
        assert!(output.contains(said), "{args:?}: {output}");
    }
    let _ = lore(&env, &["edge", "remove", "Cart.checkout", "Plugin.load"]);
    assert!(!lore(&env, &["callers", "Plugin.load"]).contains("checkout"));
    // A broken line is told, and the rest still counts.
    std::fs::write(shop.join(".lore/edges.jsonl"), "nonsense\n").unwrap();
    let listed = lore(&env, &["edge", "list"]);
    assert!(listed.contains("line 1"), "{listed}");
}

#[test]
fn edges_that_came_with_a_clone_count_once_it_is_trusted() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let eve = Signature::new("Eve", "eve@example.com", at);
    let mut files = FILES.to_vec();
    let edge = r#"{"from":"cart.Cart.checkout","type":"calls","to":"plugin.Plugin.load","reason":"trust me"}"#;
    files.push((".lore/edges.jsonl", edge));
    history.commit("main", &eve, "Sell things", &written(&files)).unwrap();
    let shop = env.dir().join("shop");
    history.write(&shop).unwrap();
    let indexed = env.lore_in(&shop, &["index"], "").to_string();
    assert!(indexed.contains("its edges count once you run `lore trust`"), "{indexed}");
    assert!(!lore(&env, &["callers", "Plugin.load"]).contains("checkout"));
    let refused = lore(&env, &["edge", "add", "Cart.sum", "Plugin.load", "--reason", "x"]);
    assert!(refused.contains("not trusted"), "{refused}");
    // Memory that is begun here does not make them the user's.
    let _ = lore(&env, &["remember", "decision", "We sell things"]);
    let _ = lore(&env, &["index", "-q"]);
    assert!(!lore(&env, &["callers", "Plugin.load"]).contains("checkout"));
    let _ = env.lore_in(&shop, &["trust"], "");
    let _ = lore(&env, &["index", "-q"]);
    assert!(lore(&env, &["callers", "Plugin.load"]).contains("checkout"));
}

#[test]
fn the_last_pack_is_that_of_the_repository_one_stands_in() {
    let env = indexed();
    let task = "the price of all items is wrong";
    let own = data(&env, &["context", task]);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let text = "def weigh(parcel):\n    weight = parcel.weight\n    return weight\n";
    history.commit("main", &ada, "Weigh", &written(&[("scale.py", text)])).unwrap();
    let scale = env.dir().join("scale");
    history.write(&scale).unwrap();
    let _indexed = env.lore_in(&scale, &["index", "-q"], "").success();
    let _other = env.lore_in(&scale, &["context", "weigh the parcel in scale.py"], "").success();
    let report = data(&env, &["feedback", "last", "price.total", "useful"]);
    assert_eq!(report["pack"], own["pack_root"], "{report:#}");
}
