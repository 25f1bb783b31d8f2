//! A repository of two commits, the first of them `before`.

use crate::BINARY;
use model::Timestamp;
use sim::git::{FileChange, History, Signature, written};
use testkit::TestEnv;

/// Who wrote both.
pub fn ada() -> Signature {
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    Signature::new("Ada", "ada@example.com", at)
}

pub fn history(before: &[(&str, &str)], after: &[(&str, &str)], gone: &[&str]) -> History {
    let mut history = first(before);
    change(&mut history, after, gone);
    history
}

pub fn first(files: &[(&str, &str)]) -> History {
    let mut history = History::new("main");
    history.commit("main", &ada(), "before", &written(files)).unwrap();
    history
}

/// What is not written again stays, `gone` goes.
pub fn change(history: &mut History, after: &[(&str, &str)], gone: &[&str]) {
    let mut changes = written(after);
    changes.extend(gone.iter().map(|path| FileChange::Delete { path: (*path).to_owned() }));
    history.commit("main", &ada(), "after", &changes).unwrap();
}

/// The history as the repository `repo`.
pub fn repository(history: &History) -> TestEnv {
    let env = TestEnv::new(BINARY);
    history.write(&env.dir().join("repo")).unwrap();
    env
}

/// What a command says there.
pub fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("repo"), args, "").success().stdout
}
