//! Language servers as `lore enrich` uses them: a scripted one that answers, lies,
//! dies and asks for too much; and real ones on real code, where they are installed.

use crate::lore;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use testkit::TestEnv;

/// Two modules: one call that linking is sure of in each file, one call on a value it
/// knows nothing about, one that leads to the standard library through such a value.
const LIB: &str = "\
class Loud:
    def shout(self):
        return 1


def greet(name):
    return name
";
const MAIN: &str = "\
from lib import greet


def run(x):
    greet(\"\u{e4}\"); x.shout()
    x.close()
";
const OTHER: &str = "\
from lib import greet


def other(y):
    greet(y)
    y.shout()
";

fn answers() -> Value {
    json!({
        "main.py:5:5": "lib.py:6:5",
        "main.py:5:20": "lib.py:2:9",
        "main.py:6:7": "outside",
        "other.py:5:5": "lib.py:6:5",
        "other.py:6:7": "lib.py:2:9",
    })
}

struct World {
    env: TestEnv,
    dir: PathBuf,
}

impl World {
    /// A repository that is indexed, and the scripted server in the place of pyright.
    fn new(behaviour: &str) -> World {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fake_server.py");
        let env = lore();
        let wrapper = env.dir().join("fake-langserver");
        std::fs::write(
            &wrapper,
            format!("#!/bin/sh\nexec python3 '{}' \"$@\"\n", script.display()),
        )
        .unwrap();
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
        let config = format!(
            "[embedding]\nprovider = \"none\"\n[[servers]]\nname = \"pyright\"\ncommand = \"{}\"\n",
            wrapper.display()
        );
        let env = env.with_config(&config);
        let world = World { dir: env.dir().join("app"), env };
        for (path, text) in [("lib.py", LIB), ("main.py", MAIN), ("other.py", OTHER)] {
            world.write(path, text);
        }
        world.env.write_file("answers.json", &answers().to_string());
        world.behave(behaviour);
        let at = world.dir.display().to_string();
        let _done = world.env.git(&["-C", &at, "init", "-q", "-b", "main"]);
        world.commit("Greet");
        let _indexed = world.lore(&["index"]);
        world
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.dir.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn behave(&self, behaviour: &str) {
        self.env.write_file("behaviour", behaviour);
    }

    fn commit(&self, message: &str) {
        let at = self.dir.display().to_string();
        let _done = self.env.git(&["-C", &at, "add", "-A"]);
        let _done = self.env.git(&["-C", &at, "commit", "-q", "-m", message]);
    }

    fn lore(&self, args: &[&str]) -> testkit::Output {
        self.env.lore_in(&self.dir, args, "").success()
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.lore(&args);
        serde_json::from_str::<Value>(&output.stdout).unwrap()["data"].take()
    }

    /// Enriches; the report, and of it the one server.
    fn enrich(&self, args: &[&str]) -> (Value, Value) {
        let args: Vec<&str> = ["enrich"].iter().chain(args).copied().collect();
        let report = self.json(&args);
        let server = report["servers"][0].clone();
        (report, server)
    }

    fn asked(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.env.dir().join("asked.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn forget_what_was_asked(&self) {
        let _gone = std::fs::remove_file(self.env.dir().join("asked.log"));
    }
}

#[test]
fn a_server_confirms_binds_and_settles_calls() {
    let world = World::new("nosy");
    let before = world.json(&["callers", "Loud.shout"]);
    assert_eq!((before["bound"].as_u64(), before["unresolved"].as_u64()), (Some(0), Some(2)));
    let (report, server) = world.enrich(&["--full"]);
    let counts = ["confirmed", "corrected", "new", "external", "unanswered"];
    let counts = counts.map(|name| server[name].as_u64().unwrap());
    assert_eq!(counts, [2, 0, 2, 1, 0], "{report:#}");
    assert_eq!(server["outcome"], "finished", "{report:#}");
    assert_eq!(server["version"], "3.14.1");
    assert_ne!(report["root"], report["static_root"]);

    let after = world.json(&["callers", "Loud.shout"]);
    assert_eq!((after["bound"].as_u64(), after["unresolved"].as_u64()), (Some(2), Some(0)));
    assert_eq!(after["found"][0]["provenance"], "lsp_resolved");
    assert_eq!(after["found"][0]["confidence"], 0.9);
    let text = world.lore(&["callers", "Loud.shout"]).stdout;
    assert!(text.contains("lsp_resolved") || text.contains("run"), "{text}");
    let greet = world.json(&["callers", "greet"]);
    assert_eq!(greet["found"][0]["provenance"], "lsp_resolved");
    assert!(greet["found"][0]["confidence"].as_f64().unwrap() >= 0.9, "confirming never lowers");
    let close = world.json(&["callees", "main.run"]);
    assert_eq!(close["unresolved"], 0, "what is outside is no longer open: {close:#}");

    let status = world.json(&["status"]);
    let evidence = &status["repos"][0]["code"]["enrichment"][0];
    assert_eq!(evidence["server"], "pyright 3.14.1");
    assert_eq!((evidence["confirmed"].as_u64(), evidence["new"].as_u64()), (Some(2), Some(2)));
    assert_eq!(evidence["last_outcome"], "finished");
    let _sound = world.lore(&["fsck"]);
    let asked = world.asked();
    assert!(asked.iter().any(|line| line.contains("\"applied\": false")), "{asked:?}");
    assert!(asked.iter().any(|line| line.contains("openFilesOnly")), "configured: {asked:?}");
}

#[test]
fn enriching_twice_gives_the_same_root_and_forgetting_restores_the_graph() {
    let world = World::new("");
    let callers = world.json(&["callers", "Loud.shout"]);
    let (first, _) = world.enrich(&["--full"]);
    world.forget_what_was_asked();
    let (again, server) = world.enrich(&["--full"]);
    assert_eq!(again["root"], first["root"]);
    assert_eq!((server["requests"].as_u64(), server["waiting"].as_u64()), (Some(0), Some(0)));
    assert_eq!(world.asked(), Vec::<String>::new(), "nothing is asked twice");

    let forgotten = world.json(&["enrich", "--forget"]);
    assert_eq!(forgotten["snapshots"], 1);
    assert_eq!(world.json(&["callers", "Loud.shout"]), callers);
    let (dry, server) = world.enrich(&["--dry-run"]);
    assert_eq!(dry["root"], dry["static_root"]);
    assert_eq!(server["waiting"], 5);
    let (once_more, _) = world.enrich(&["--full"]);
    assert_eq!(once_more["root"], first["root"], "the same server, the same root");
}

#[test]
fn with_a_budget_open_calls_are_asked_first_and_the_rest_follows() {
    let world = World::new("");
    let (report, server) = world.enrich(&["--budget", "50s"]);
    assert_eq!(server["outcome"], "finished", "{report:#}");
    // Known answers are asked for again and again. Of the others those come first that may
    // become edges: `shout` is defined here, `close` nowhere.
    let is_probe = |line: &&String| *line == "main.py:5:5" || *line == "other.py:5:5";
    let asked = world.asked();
    let beside_probes: Vec<&String> = asked.iter().filter(|line| !is_probe(line)).collect();
    assert_eq!(beside_probes, ["main.py:5:20", "other.py:6:7", "main.py:6:7"], "{asked:?}");
    let first_open = asked.iter().position(|line| line == "main.py:5:20").unwrap();
    let last_sure = asked.iter().rposition(|line| line == "other.py:5:5").unwrap();
    assert!(first_open < last_sure, "{asked:?}");
    let _forgotten = world.lore(&["enrich", "--forget"]);
    assert_eq!(world.enrich(&["--full"]).0["root"], report["root"], "the way does not matter");
}

/// The scripted server in the place of one that loads every project of a repository when
/// it is first asked about it.
fn two_projects(n_big: usize) -> World {
    let mut world = World::new("");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fake_server.py");
    let modules = world.env.dir().join("node_modules");
    let program = modules.join(".bin/typescript-language-server");
    std::fs::create_dir_all(modules.join("typescript/lib")).unwrap();
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(modules.join("typescript/lib/tsserver.js"), "").unwrap();
    let tells = "[ \"$1\" = --version ] && echo 5.3.0 && exit 0";
    let script = format!("#!/bin/sh\n{tells}\nexec python3 '{}' \"$@\"\n", script.display());
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!(
        "[embedding]\nprovider = \"none\"\n[[servers]]\nname = \"typescript-language-server\"\ncommand = \"{}\"\n",
        program.display()
    );
    world.env = world.env.with_config(&config);
    let lib = "export class Loud {\n  shout(): number { return 1; }\n}\nexport function greet(name: any): any { return name; }\n";
    let main = "import { greet } from './lib';\nexport function run(x: any) {\n  greet(1); x.shout();\n}\n";
    for (folder, n) in [("big", n_big), ("small", 1)] {
        world.write(&format!("{folder}/tsconfig.json"), "{}");
        world.write(&format!("{folder}/lib.ts"), lib);
        for at in 0..n {
            world.write(&format!("{folder}/main{at}.ts"), main);
        }
    }
    let mut answers = serde_json::Map::new();
    for file in ["big/main0.ts", "big/main1.ts", "big/main2.ts", "small/main0.ts"] {
        let lib = format!("{}/lib.ts", file.split('/').next().unwrap());
        answers.insert(format!("{file}:3:3"), json!(format!("{lib}:4:17")));
        answers.insert(format!("{file}:3:15"), json!(format!("{lib}:2:3")));
    }
    world.env.write_file("answers.json", &Value::Object(answers).to_string());
    world.commit("Two projects");
    let _indexed = world.lore(&["index"]);
    world.forget_what_was_asked();
    world
}

#[test]
fn one_project_after_the_other_gives_known_answers_and_is_asked() {
    let world = two_projects(3);
    let (report, server) = world.enrich(&["--lang", "typescript", "--budget", "50s"]);
    assert_eq!(server["outcome"], "finished", "{report:#}");
    assert_eq!((server["new"].as_u64(), server["confirmed"].as_u64()), (Some(4), Some(4)));
    let asked = world.asked();
    let first_of_small = asked.iter().position(|line| line.starts_with("small/")).unwrap();
    let open_of_big = |line: &&String| line.starts_with("big/") && line.ends_with(":3:15");
    let n_before = asked[..first_of_small].iter().filter(open_of_big).count();
    assert_eq!(n_before, 3, "the other project is not loaded before this one is done: {asked:?}");
    assert_eq!(asked[first_of_small], "small/main0.ts:3:3", "its known answer first: {asked:?}");
    let _forgotten = world.lore(&["enrich", "--forget"]);
    let (full, _) = world.enrich(&["--lang", "typescript", "--full"]);
    assert_eq!(full["root"], report["root"], "the way does not matter");
}

#[test]
fn nothing_counts_of_a_project_without_known_answers() {
    let world = two_projects(2);
    let path = world.env.dir().join("answers.json");
    let mut answers: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    // The smaller one was never built: what is known of it is not found, and the rest is a guess.
    answers["small/main0.ts:3:3"] = json!("small/main0.ts:1:10");
    answers["small/main0.ts:3:15"] = json!("small/lib.ts:4:17");
    std::fs::write(&path, answers.to_string()).unwrap();
    let (report, server) = world.enrich(&["--lang", "typescript", "--budget", "50s"]);
    assert_eq!(server["waiting"].as_u64(), Some(2), "{report:#}");
    let reason = server["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("no known answer"), "{report:#}");
    assert!(!world.asked().iter().any(|line| line == "small/main0.ts:3:15"), "{report:#}");
}

#[test]
fn only_what_changed_is_asked_again() {
    let world = World::new("");
    world.enrich(&["--full"]);
    world.write("other.py", &format!("# A comment above.\n{OTHER}"));
    let mut answers = answers();
    for (line, moved) in [("other.py:5:5", "other.py:6:5"), ("other.py:6:7", "other.py:7:7")] {
        answers[moved] = answers[line].take();
    }
    world.env.write_file("answers.json", &answers.to_string());
    world.commit("Comment");
    let _indexed = world.lore(&["index"]);
    let callers = world.json(&["callers", "Loud.shout"]);
    let counts = (callers["bound"].as_u64(), callers["unresolved"].as_u64());
    assert_eq!(counts, (Some(1), Some(1)), "evidence of unchanged files stays: {callers:#}");
    world.forget_what_was_asked();
    let (report, server) = world.enrich(&["--full"]);
    let counts = (server["confirmed"].as_u64(), server["new"].as_u64());
    assert_eq!(counts, (Some(1), Some(1)), "{report:#}");
    let is_probe = |line: &&String| *line == "main.py:5:5" || line.ends_with(".py:6:5");
    let asked = world.asked();
    let beside_probes: Vec<&String> = asked.iter().filter(|line| !is_probe(line)).collect();
    assert_eq!(beside_probes, ["other.py:7:7"], "{asked:?}");
}

#[test]
fn calls_are_asked_again_when_the_symbol_they_lead_to_changed_and_not_its_file() {
    let world = World::new("");
    let greeting = "from lib import greet\n\n\ndef greeting():\n    greet(1)\n    greet(2)\n";
    world.write("greeting.py", greeting);
    let mut meant = answers();
    for site in ["greeting.py:5:5", "greeting.py:6:5"] {
        meant[site] = json!("lib.py:6:5");
    }
    let moved = |n: usize| {
        let text = meant.to_string().replace("lib.py:6:5", &format!("lib.py:{}:5", 6 + n));
        text.replace("lib.py:2:9", &format!("lib.py:{}:9", 2 + n))
    };
    world.env.write_file("answers.json", &moved(0));
    world.commit("Greeting");
    let _indexed = world.lore(&["index"]);
    let (_, first) = world.enrich(&["--full"]);
    assert_eq!(first["confirmed"], 4);

    // Everything in the file is where it was not, and nothing is asked.
    world.write("lib.py", &format!("# Above.\n{LIB}"));
    world.env.write_file("answers.json", &moved(1));
    world.commit("Move");
    let _indexed = world.lore(&["index"]);
    let callers = world.json(&["callers", "Loud.shout"]);
    assert_eq!((callers["bound"].as_u64(), callers["unresolved"].as_u64()), (Some(2), Some(0)));
    world.forget_what_was_asked();
    let (moved_on, _) = world.enrich(&["--full"]);
    assert_eq!(world.asked(), Vec::<String>::new(), "{moved_on:#}");
    let _forgotten = world.lore(&["enrich", "--forget"]);
    let (anew, _) = world.enrich(&["--full"]);
    assert_eq!(anew["root"], moved_on["root"], "as if it had been asked");

    // One function is another one: who calls it is asked about, who calls others is not.
    let shout = LIB.replace("def shout(self)", "def shout(self, times=1)");
    world.write("lib.py", &format!("# Above.\n{shout}"));
    world.commit("Shout");
    let _indexed = world.lore(&["index"]);
    world.forget_what_was_asked();
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["new"], 2, "{report:#}");
    let asked = world.asked();
    assert!(asked.iter().any(|line| line == "main.py:5:20"), "{asked:?}");
    assert!(!asked.iter().any(|line| line == "greeting.py:6:5"), "{asked:?}");

    // A name that is new may be what a call without an answer means.
    let mut silent = serde_json::from_str::<Value>(&moved(1)).unwrap();
    silent["main.py:6:7"] = Value::Null;
    world.env.write_file("answers.json", &silent.to_string());
    let _forgotten = world.lore(&["enrich", "--forget"]);
    let (_, server) = world.enrich(&["--full"]);
    assert_eq!(server["unanswered"], 1);
    world.write("door.py", "def close():\n    return 0\n");
    silent["main.py:6:7"] = json!("door.py:1:5");
    world.env.write_file("answers.json", &silent.to_string());
    world.commit("Door");
    let _indexed = world.lore(&["index"]);
    world.forget_what_was_asked();
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["new"], 2, "{report:#}");
    let asked = world.asked();
    assert!(!asked.iter().any(|line| line == "other.py:6:7"), "{asked:?}");
}

#[test]
fn a_server_that_does_not_know_known_answers_stores_nothing() {
    for (behaviour, told) in [
        ("cold", "known answers were right"),
        ("forgetful", "no longer gave the known answers"),
        ("garbage", "does not speak the protocol"),
        ("huge", "too long"),
        ("mute", "does not answer"),
    ] {
        let world = World::new(behaviour);
        let (report, server) = world.enrich(&["--budget", "4s"]);
        assert_eq!(report["root"], report["static_root"], "{behaviour}: {report:#}");
        let reason = server["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(told), "{behaviour}: {report:#}");
        let text = world.lore(&["enrich", "--budget", "4s"]).stdout;
        assert!(text.contains("nothing was stored"), "{behaviour}: {text}");
        assert_eq!(world.json(&["callers", "Loud.shout"])["unresolved"], 2, "{behaviour}");
    }
}

#[test]
fn a_server_that_takes_too_much_memory_is_stopped_and_told_of() {
    let mut world = World::new("hungry");
    world.env.set_var("LORE_ENRICH_MEMORY_MB", "256");
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["outcome"], "failed", "{report:#}");
    let reason = server["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("MemoryError"), "its last words: {report:#}");
    assert_eq!(report["root"], report["static_root"]);
    assert!(server["peak_memory_mb"].as_u64() <= Some(400), "{report:#}");
}

#[test]
fn agents_see_what_servers_brought() {
    let world = World::new("");
    world.enrich(&["--full"]);
    let mut agent = crate::mcp::Client::greeted(&world.env, &world.dir, &[]);
    let status = agent.ask("status", json!({}));
    let evidence = &status["data"]["repos"][0]["code"]["enrichment"][0];
    assert_eq!(evidence["server"], "pyright 3.14.1", "{status:#}");
    assert_eq!((evidence["confirmed"].as_u64(), evidence["new"].as_u64()), (Some(2), Some(2)));
    let callers = agent.ask("callers", json!({"symbol": "Loud.shout"}));
    let found = &callers["data"]["found"][0];
    assert_eq!((&found["provenance"], &found["confidence"]), (&json!("lsp_resolved"), &json!(0.9)));
}

#[test]
fn a_program_that_is_no_server_is_named_with_how_to_get_one() {
    let world = World::new("");
    let wrapper = world.env.dir().join("fake-langserver");
    std::fs::write(&wrapper, "#!/bin/sh\necho nonsense >&2\nexit 3\n").unwrap();
    let refused = || {
        let args = ["enrich", "--full", "--json"];
        let output = world.env.lore_in(&world.dir, &args, "").failure(17);
        serde_json::from_str::<Value>(&output.stdout).unwrap()
    };
    let answer = refused();
    assert_eq!(answer["error"]["code"], "NOT_FOUND", "{answer:#}");
    let report = &answer["data"];
    assert_eq!(report["servers"], json!([]));
    let gap = &report["not_asked"][0];
    assert_eq!((&gap["language"], &gap["sites"]), (&json!("python"), &json!(5)));
    assert!(gap["reason"].as_str().unwrap().contains("pyright"), "{report:#}");
    assert!(gap["install"].as_str().unwrap().contains("pyright"), "{report:#}");
    assert_eq!(report["root"], report["static_root"]);
    std::fs::write(&wrapper, "#!/bin/sh\necho pyright 0.9.7\n").unwrap();
    let answer = refused();
    let reason = answer["data"]["not_asked"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("version 0.9.7 is too old"), "{answer:#}");
    // In the background, and when nothing is asked, nobody need be there.
    let _quiet = world.lore(&["enrich", "--background"]);
    let _dry = world.lore(&["enrich", "--dry-run"]);
}

#[test]
fn noise_and_floods_are_survived() {
    let world = World::new("loud flood");
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["outcome"], "finished", "{report:#}");
    assert_eq!(server["new"], 2, "{report:#}");
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let world = World::new("busy");
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["outcome"], "finished", "{report:#}");
    assert_eq!((server["new"].as_u64(), server["unanswered"].as_u64()), (Some(2), Some(0)));
}

#[test]
fn places_out_of_the_repository_are_external() {
    let world = World::new("");
    let mut answers = answers();
    answers["main.py:6:7"] = json!("escape");
    world.env.write_file("answers.json", &answers.to_string());
    std::os::unix::fs::symlink("/usr", world.dir.join("linked")).unwrap();
    answers["main.py:5:20"] = json!("linked/lib.py:1:1");
    world.env.write_file("answers.json", &answers.to_string());
    let (report, server) = world.enrich(&["--full"]);
    // Upward steps are no place at all; behind a link is outside.
    assert_eq!((server["external"].as_u64(), server["unanswered"].as_u64()), (Some(1), Some(1)));
    assert_eq!(server["new"], 1, "{report:#}");
}

#[test]
fn a_file_that_kills_the_server_is_left_out() {
    let world = World::new("die_on:deadly.py");
    // Nothing in it is sure, so that it is none of the known answers.
    world.write("deadly.py", "def deadly(z):\n    z.shout()\n");
    world.commit("Deadly");
    let _indexed = world.lore(&["index"]);
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["outcome"], "finished", "{report:#}");
    let counts = ["restarts", "failed_files", "new"].map(|name| server[name].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 2], "{report:#}");
    let _sound = world.lore(&["fsck"]);

    // A server that dies on what it must know is told of with its last words.
    world.behave("die_on:main.py");
    let _forgotten = world.lore(&["enrich", "--forget"]);
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["outcome"], "failed", "{report:#}");
    let reason = server["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("fatal: cannot read main.py"), "{report:#}");
}

#[test]
fn a_server_killed_at_any_moment_leaves_a_sound_graph_and_the_next_run_finishes() {
    let world = World::new("");
    let expected = world.enrich(&["--full"]).0["root"].clone();
    let _forgotten = world.lore(&["enrich", "--forget"]);
    for moment in 0..20 {
        world.behave(&format!("die_after:{moment}"));
        let (report, server) = world.enrich(&["--budget", "30s"]);
        assert!(server["restarts"].as_u64() <= Some(1), "{report:#}");
        if moment % 5 == 0 {
            let _sound = world.lore(&["fsck"]);
        }
        world.behave("");
        let (report, _) = world.enrich(&["--full"]);
        assert_eq!(report["root"], expected, "after {moment} answers: {report:#}");
        let _forgotten = world.lore(&["enrich", "--forget"]);
    }
}

#[test]
fn files_that_differ_from_the_commit_are_left_out() {
    let world = World::new("");
    world.write("other.py", &format!("{OTHER}# Not committed.\n"));
    let (report, server) = world.enrich(&["--full"]);
    assert_eq!(server["changed_files"], 1, "{report:#}");
    assert_eq!(server["new"], 1, "{report:#}");
    let text = world.lore(&["enrich", "--full"]).stdout;
    assert!(text.contains("1 file differs from the commit"), "{text}");
}

#[test]
fn a_clone_cannot_name_a_program() {
    let world = World::new("");
    let evil = world.dir.join("evil.sh");
    std::fs::write(&evil, "#!/bin/sh\ntouch ran\n").unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.write(".lore/lore.toml", "[[servers]]\nname = \"pyright\"\ncommand = \"./evil.sh\"\n");
    let output = world.env.lore_in(&world.dir, &["enrich", "--full"], "").success();
    assert!(output.stderr.contains("`servers`") && output.stderr.contains("ignored"), "{output}");
    assert!(!world.dir.join("ran").exists());
}

#[test]
fn what_cannot_be_asked_is_said_with_what_to_do() {
    let world = World::new("");
    let output = world.env.lore_in(&world.dir, &["enrich", "--lang", "cobol"], "").failure(2);
    assert!(output.stderr.contains("known languages"), "{output}");
    let output = world.env.lore_in(&world.dir, &["enrich", "--budget", "soon"], "").failure(2);
    assert!(output.stderr.contains("30s, 5m or 1h"), "{output}");
    world.write("later.py", "x = 1\n");
    world.commit("Later");
    let output = world.env.lore_in(&world.dir, &["enrich"], "").failure(20);
    assert!(output.stderr.contains("lore index"), "{output}");
}

#[test]
fn a_daemon_asks_servers_while_nobody_waits() {
    let World { env, dir } = World::new("");
    let mut env = crate::daemon::real_time(env);
    env.set_var("LORE_DAEMON_ENRICH_SECONDS", "1").set_var("LORE_DAEMON_MAX_LOAD", "1000");
    let served = crate::daemon::Served::new(env);
    let bound = || {
        let output = served.env.lore_in(&dir, &["callers", "Loud.shout", "--json"], "").success();
        serde_json::from_str::<Value>(&output.stdout).unwrap()["data"]["bound"].as_u64()
    };
    served.until("evidence", || bound() == Some(2));
    // Somebody who asks for it gets it through the daemon, beside its own work.
    let asked = served.env.lore_in(&dir, &["enrich", "--full", "--json"], "").success();
    assert!(asked.stdout.contains("\"servers\""), "{asked}");
}
