//! Real language servers and real indexers on real code, where `cargo xtask ci`
//! installed them.

use crate::lore;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::TestEnv;

/// The folder of npm's packages with servers and indexers; none where it is not
/// installed.
fn packages() -> Option<PathBuf> {
    testkit::outside::program("LORE_TEST_SERVERS").map(PathBuf::from)
}

struct World {
    env: TestEnv,
    dir: PathBuf,
    packages: PathBuf,
}

impl World {
    /// A repository with files of a package, indexed; only the installed servers are
    /// on PATH beside the system's programs.
    fn new(packages: &Path, source: &str, wanted: fn(&str) -> bool) -> World {
        let mut env = lore().with_config("[embedding]\nprovider = \"none\"\n");
        let path = std::env::var("PATH").unwrap_or_default();
        env.set_var("PATH", &format!("{}:{path}", packages.join(".bin").display()));
        let dir = env.dir().join("app");
        copy(&packages.join(source), &dir, wanted);
        let at = dir.display().to_string();
        let _done = env.git(&["-C", &at, "init", "-q", "-b", "main"]);
        let _done = env.git(&["-C", &at, "add", "-A"]);
        let _done = env.git(&["-C", &at, "commit", "-q", "-m", "Take over"]);
        let world = World { env, dir, packages: packages.to_owned() };
        let _indexed = world.json(&["index"]);
        world
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.env.lore_in(&self.dir, &args, "").success();
        serde_json::from_str::<Value>(&output.stdout).unwrap()["data"].take()
    }

    fn run(&self, program: &str, args: &[&str]) {
        let done = Command::new(self.packages.join(".bin").join(program))
            .args(args)
            .current_dir(&self.dir)
            .output()
            .unwrap();
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

fn is_of(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == extension)
}

fn copy(from: &Path, to: &Path, wanted: fn(&str) -> bool) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(&name), wanted);
        } else if wanted(&name) {
            std::fs::copy(entry.path(), to.join(&name)).unwrap();
        }
    }
}

/// Enriches to the end, and anew.
fn enriched(world: &World) {
    let report = world.json(&["enrich", "--full"]);
    let server = &report["servers"][0];
    assert_eq!(server["outcome"], "finished", "{report:#}");
    let of = |name: &str| server[name].as_u64().unwrap();
    // lore's own edges are right nearly always, so a server that denies many is broken.
    assert!(of("confirmed") > 20 && of("corrected") * 10 < of("confirmed"), "{report:#}");
    let _forgotten = world.json(&["enrich", "--forget"]);
    let anew = world.json(&["enrich", "--full"]);
    assert_eq!(anew["root"], report["root"], "the same server gives the same root");
}

#[test]
fn typescript_language_server_and_scip_typescript_on_zod() {
    let Some(packages) = packages() else { return };
    let world =
        World::new(&packages, "zod/src/v3", |name| is_of(name, "ts") && !name.contains(".test."));
    std::fs::write(
        world.dir.join("tsconfig.json"),
        "{\"compilerOptions\": {\"module\": \"nodenext\", \"strict\": true, \"noEmit\": true}}",
    )
    .unwrap();
    enriched(&world);
    world.run("scip-typescript", &["index", "--no-progress-bar"]);
    let read = world.json(&["ingest-scip", "index.scip"]);
    assert!(read["confirmed"].as_u64() > Some(20), "{read:#}");
    assert!(read["external_symbols"].as_u64() > Some(0), "{read:#}");
    let root = read["root"].clone();
    assert_eq!(world.json(&["ingest-scip", "index.scip"])["root"], root);
    let _sound = world.env.lore_in(&world.dir, &["fsck"], "").success();
}

#[test]
fn pyright_on_real_python() {
    let Some(packages) = packages() else { return };
    // Type information in Python that comes with the package of pyright itself.
    let world = World::new(&packages, "../python/itsdangerous", |name| is_of(name, "py"));
    enriched(&world);
}

#[test]
fn what_lore_exports_it_reads_back_whole() {
    let env = lore().with_config("[embedding]\nprovider = \"none\"\n");
    let dir = env.dir().join("app");
    std::fs::create_dir_all(&dir).unwrap();
    let lib = "class Base:\n    def go(self):\n        return helper()\n\n\nclass Sub(Base):\n    def go(self):\n        return 2\n\n\ndef helper():\n    return 1\n";
    std::fs::write(dir.join("lib.py"), lib).unwrap();
    let main =
        "from lib import helper as h, Sub\n\n\ndef run():\n    h(); Sub().go()\n    unknown()\n";
    std::fs::write(dir.join("main.py"), main).unwrap();
    let at = dir.display().to_string();
    for words in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-q", "-m", "x"]] {
        let words: Vec<&str> = ["-C", &at].iter().chain(words).copied().collect();
        let _done = env.git(&words);
    }
    let lore = |args: &[&str]| env.lore_in(&dir, args, "");
    let _indexed = lore(&["index"]).success();
    let exported = env.command(&["export", "--format", "scip"]).current_dir(&dir).output().unwrap();
    assert!(exported.status.success());
    std::fs::write(dir.join("index.scip"), exported.stdout).unwrap();
    let read = lore(&["ingest-scip", "index.scip", "--json"]).success();
    let read: Value = serde_json::from_str::<Value>(&read.stdout).unwrap()["data"].take();
    let of = |name: &str| read[name].as_u64().unwrap();
    assert_eq!((of("confirmed"), of("corrected"), of("unanswered")), (4, 0, 0), "{read:#}");
    assert_eq!(of("documents"), of("matched"), "{read:#}");
    let callers = lore(&["callers", "lib.helper", "--json"]).success();
    let callers: Value = serde_json::from_str(&callers.stdout).unwrap();
    assert_eq!(callers["data"]["found"][0]["provenance"], "scip_resolved", "{callers:#}");
    let _forgotten = lore(&["ingest-scip", "--forget"]).success();

    // An index of another commit is refused, and so is what is none.
    std::fs::write(dir.join("lib.py"), format!("\n\n# Moved.\n{lib}")).unwrap();
    std::fs::write(dir.join("main.py"), format!("\n\n# Moved.\n{main}")).unwrap();
    let _done = env.git(&["-C", &at, "commit", "-q", "-a", "-m", "y"]);
    let _indexed = lore(&["index"]).success();
    let stale = lore(&["ingest-scip", "index.scip"]).failure(2);
    assert!(stale.stderr.contains("not of this commit"), "{stale}");
    std::fs::write(dir.join("bad.scip"), b"\x12\xff\xff\xff\xff\x0fhello").unwrap();
    let bad = lore(&["ingest-scip", "bad.scip"]).failure(2);
    assert!(bad.stderr.contains("no SCIP index"), "{bad}");
    let empty = lore(&["ingest-scip", "/dev/null"]).failure(17);
    assert!(empty.stderr.contains("cannot read"), "{empty}");
}
