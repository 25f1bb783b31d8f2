//! Indexes as compilers write them: of other versions of the package, of other commits.

use crate::lore;
use serde_json::Value;
use std::path::PathBuf;
use testkit::TestEnv;

/// A message of Protocol Buffers.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut left = bytes.len();
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
    out.extend_from_slice(bytes);
    out
}

/// An occurrence: line and column from 0, length, symbol, whether it is the definition.
type Named<'a> = (u8, u8, u8, &'a str, bool);

fn document(path: &str, names: &[Named<'_>]) -> Vec<u8> {
    let mut out = field(1, path.as_bytes());
    for (line, start, length, symbol, is_definition) in names {
        let mut occurrence = field(1, &[*line, *start, start + length]);
        occurrence.extend(field(2, symbol.as_bytes()));
        if *is_definition {
            occurrence.extend([3 << 3, 1]);
        }
        out.extend(field(2, &occurrence));
    }
    field(2, &out)
}

const LIB: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
const MAIN: &str = "from lib import one, two\n\n\ndef run():\n    one()\n    two()\n";

struct World {
    env: TestEnv,
    dir: PathBuf,
}

impl World {
    fn new() -> World {
        let env = lore().with_config("[embedding]\nprovider = \"none\"\n");
        let world = World { dir: env.dir().join("app"), env };
        std::fs::create_dir_all(&world.dir).unwrap();
        let at = world.dir.display().to_string();
        let _done = world.env.git(&["-C", &at, "init", "-q", "-b", "main"]);
        world.commit(&[("lib.py", LIB), ("main.py", MAIN)]);
        world
    }

    fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            std::fs::write(self.dir.join(path), text).unwrap();
        }
        let at = self.dir.display().to_string();
        let _done = self.env.git(&["-C", &at, "add", "-A"]);
        let _done = self.env.git(&["-C", &at, "commit", "-q", "-m", "x"]);
        let _indexed = self.env.lore_in(&self.dir, &["index"], "").success();
    }

    fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.env.lore_in(&self.dir, &args, "").success();
        serde_json::from_str::<Value>(&output.stdout).unwrap()["data"].take()
    }

    fn ingest(&self, documents: &[Vec<u8>]) -> Value {
        let tool = field(2, &[field(1, b"scip-python"), field(2, b"0.6")].concat());
        let index = [field(1, &tool), documents.concat()].concat();
        std::fs::write(self.dir.join("index.scip"), index).unwrap();
        self.json(&["ingest-scip", "index.scip"])
    }

    fn callees(&self) -> Vec<String> {
        let found = self.json(&["callees", "main.run"])["found"].take();
        let text = |it: &Value| format!("{} {}", it["symbol"], it["provenance"]).replace('"', "");
        found.as_array().unwrap().iter().map(text).collect()
    }
}

const ONE: &str = "scip-python python app 2.0 lib/one().";
const TWO: &str = "scip-python python app 2.0 lib/two().";
const RUN: &str = "scip-python python app 2.0 main/run().";

fn lib() -> Vec<u8> {
    document("lib.py", &[(0, 4, 3, ONE, true), (4, 4, 3, TWO, true)])
}

#[test]
fn an_installed_version_of_the_package_is_the_package() {
    let world = World::new();
    let installed = [
        "scip-python python app 1.9 lib/one().",
        // Not defined in the indexed version: nothing is known of it.
        "scip-python python app 1.9 old/two().",
    ];
    let main = document(
        "main.py",
        &[(3, 4, 3, RUN, true), (4, 4, 3, installed[0], false), (5, 4, 3, installed[1], false)],
    );
    let read = world.ingest(&[lib(), main]);
    assert_eq!((&read["confirmed"], &read["external"]), (&1.into(), &0.into()), "{read:#}");
    assert_eq!(read["external_symbols"], 0, "{read:#}");
    assert_eq!(world.callees(), ["lib.one scip_resolved", "lib.two ast_inferred"]);
}

#[test]
fn documents_of_another_commit_are_left_out_and_counted() {
    let world = World::new();
    let main = || {
        document("main.py", &[(3, 4, 3, RUN, true), (4, 4, 3, ONE, false), (5, 4, 3, TWO, false)])
    };
    // The calls changed places; what is defined stands where it did.
    world
        .commit(&[("main.py", "from lib import one, two\n\n\ndef run():\n    two()\n    one()\n")]);
    let others = document("other.py", &[(0, 0, 3, ONE, false)]);
    let read = world.ingest(&[lib(), main(), others.clone()]);
    assert_eq!((&read["changed"], &read["corrected"]), (&1.into(), &0.into()), "{read:#}");
    let callees = world.callees();
    assert!(callees.iter().all(|it| it.ends_with("ast_inferred")), "{callees:?}");
    let text = world.env.lore_in(&world.dir, &["ingest-scip", "index.scip"], "").success();
    assert!(text.stdout.contains("1 document was left out"), "{text}");

    // A definition moved.
    world.commit(&[("main.py", &format!("# Moved.\n{MAIN}"))]);
    let read = world.ingest(&[lib(), main(), others]);
    assert_eq!((&read["changed"], &read["confirmed"]), (&1.into(), &0.into()), "{read:#}");
    // Without definitions each name has to stand in its place.
    world.commit(&[("main.py", MAIN), ("other.py", "from lib import one\n\n# one\none()\n")]);
    let stale = document("other.py", &[(0, 16, 3, ONE, false), (2, 0, 3, ONE, false)]);
    let read = world.ingest(&[lib(), main(), stale]);
    assert_eq!((&read["changed"], &read["confirmed"]), (&1.into(), &2.into()), "{read:#}");
}

#[test]
fn an_edge_that_is_confirmed_is_exported_once() {
    let world = World::new();
    let main =
        document("main.py", &[(3, 4, 3, RUN, true), (4, 4, 3, ONE, false), (5, 4, 3, TWO, false)]);
    let n_before = world.json(&["export", "--format", "json"])["edges"].as_array().unwrap().len();
    let _read = world.ingest(&[lib(), main]);
    let graph = world.json(&["export", "--format", "json"]);
    let edges = graph["edges"].as_array().unwrap();
    assert_eq!(edges.len(), n_before, "{graph:#}");
    let calls: Vec<&Value> = edges.iter().filter(|edge| edge["type"] == "calls").collect();
    assert!(calls.iter().all(|edge| edge["provenance"] == "scip_resolved"), "{graph:#}");
    assert!(calls.iter().all(|edge| edge["sites"] == 1), "{graph:#}");
    let plain = world.env.lore_in(&world.dir, &["callees", "main.run"], "").success();
    assert!(!plain.stdout.contains("scip_resolved"), "{plain}");
    let verbose = world.env.lore_in(&world.dir, &["callees", "main.run", "-v"], "").success();
    assert_eq!(verbose.stdout.matches("scip_resolved").count(), 2, "{verbose}");
}
