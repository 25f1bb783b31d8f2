//! Code in languages that lore does not read, beside code that it reads.

use crate::BINARY;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    (
        "src/Quota.java",
        "package a;\n\npublic class Quota {\n    public void raiseQuota(long n) {}\n    public void \
         lowerQuota(long n) {}\n    public void unusedQuota() {}\n}\n",
    ),
    (
        "src/Main.java",
        "package a;\n\npublic class Main {\n    void run(Quota q) {\n        q.lowerQuota(1);\n    }\n}\n",
    ),
    ("src/Server.scala", "object Server {\n  quota.raiseQuota(3)\n  quota.lowerQuota(4)\n}\n"),
    ("src/test/ServerTest.scala", "object ServerTest {\n  quota.raiseQuota(5)\n}\n"),
    ("notes.txt", "raiseQuota and unusedQuota are prose here\n"),
];

#[test]
fn what_only_other_languages_call_is_not_called_unused() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Keep quotas", &written(FILES)).unwrap();
    history.write(&env.dir().join("quota")).unwrap();
    let lore = |args: &[&str]| env.lore_in(&env.dir().join("quota"), args, "").success().stdout;
    let _ = lore(&["index", "-q"]);
    let raised = lore(&["callers", "raiseQuota"]);
    assert!(raised.contains("2 lines in files of languages that are not read"), "{raised}");
    let main = raised.find("src/Server.scala:2  quota.raiseQuota(3)").unwrap();
    let test = raised.find("src/test/ServerTest.scala:2").unwrap();
    assert!(main < test, "{raised}");
    assert!(!raised.contains("no callers;") && !raised.contains("notes.txt"), "{raised}");
    // Beside callers that are known.
    let lowered = lore(&["callers", "lowerQuota"]);
    assert!(lowered.contains("Main.run") && lowered.contains("src/Server.scala:3"), "{lowered}");
    let agent = lore(&["--agent", "callers", "raiseQuota"]);
    assert!(agent.contains("named in languages not read: src/Server.scala:2"), "{agent}");
    let unused = lore(&["callers", "unusedQuota"]);
    assert!(unused.contains("no callers;") && !unused.contains("not read"), "{unused}");
}
