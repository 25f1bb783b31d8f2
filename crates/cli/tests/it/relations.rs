//! How changes follow each other, and the reasons that are told of them: with a
//! forge, and in a clone alone.

use crate::{BINARY, lore};
use expect_test::expect;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Drop the old codec" by ada at 2024-01-08T09:00
  | The codec is slow. We should drop it because nobody maintains it.
  comment bo +1h
    | We decided to drop it, because the new one is twice as fast.
  comment ada +1h
    | I would rather keep it instead of breaking old files.
  comment ada +1h
    | Never mind, I was wrong about old files.
mr !1 "Drop the codec, first try" by bo at 2024-01-10T09:00 from first
  | The main reasons are that nobody maintains the codec and that it is slow.
  commit "Drop it" +5m
    write src/codec.rs
      | pub fn encode() {}
  close by ada +1d
mr !2 "Drop the codec" by bo at 2024-01-12T09:00 from second
  | This is a rebased version of !1. It does not supersede #1.
  commit "Drop it again" +5m
    write src/codec.rs
      | pub fn encode(level: u8) {}
  diffnote ada src/codec.rs:"encode" +1h
    | We need `encode` here, because the importer calls it.
  merge by ada +1h
"#;

#[test]
fn why_tells_reasons_who_ended_it_and_what_it_follows() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let env = &site.env;
    expect![[r#"
        harbor/tide!2  Drop the codec
          merged 2024-01-12T11:05:00.000Z by @ada, opened 2024-01-12T09:00:00.000Z by @bo; as 4dc8cc65ca, 1 comment
          This is a rebased version of !1. It does not supersede #1.
          continues !1  Drop the codec, first try
          @ada on !2  2024-01-12T10:05:00.000Z
            We need `encode` here, because the importer calls it.

        !1  Drop the codec, first try
          closed 2024-01-11T09:05:00.000Z by @ada, opened 2024-01-10T09:00:00.000Z by @bo
          The main reasons are that nobody maintains the codec and that it is slow.
          continued by !2  Drop the codec

        whom to ask
          @bo  2 issues and MRs of their own  last 2024-01-12T11:05:00.000Z
          @ada  1 note  last 2024-01-12T10:05:00.000Z
        nothing was recorded: memory is empty (lore remember decision)
    "#]].assert_eq(&env.lore(&["why", "!2"]).to_string());
    expect![[r#"
        harbor/tide#1  Drop the old codec
          opened 2024-01-08T09:00:00.000Z by @ada; 3 comments
          We should drop it because nobody maintains it.
          @bo on #1  2024-01-08T10:00:00.000Z  last decision
            We decided to drop it, because the new one is twice as fast.

        whom to ask
          @ada  1 issue or MR of their own, 2 notes  last 2024-01-08T12:00:00.000Z
          @bo  1 note  last 2024-01-08T10:00:00.000Z
        nothing was recorded: memory is empty (lore remember decision)
    "#]]
    .assert_eq(&env.lore(&["why", "#1", "--notes", "3"]).to_string());
    let shown = env.lore(&["mrs", "1"]).success().stdout;
    assert!(shown.contains("continued by !2"), "{shown}");
    let timeline = env.lore(&["timeline", "!2"]).success().stdout;
    assert!(timeline.contains("continues !1"), "{timeline}");
}

/// Two merge requests close one issue: what was said on it explains each of them.
#[test]
fn a_note_is_told_once_and_a_question_decides_nothing() {
    let history = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Drop the old codec" by ada at 2024-01-08T09:00
  | The codec is slow. We should drop it because nobody maintains it.
  comment bo +1h
    | We decided to drop it, because the new one is twice as fast.
  comment ada +1h
    | We won't need the old tables because the importer is gone; should we decide on them now?
mr !1 "Drop the encoder" by bo at 2024-01-10T09:00 from first
  | Closes #1
  commit "Drop it" +5m
    write src/codec.rs
      | pub fn encode() {}
  merge by ada +1d
mr !2 "Drop the decoder" by bo at 2024-01-12T09:00 from second
  | Closes #1
  commit "Drop it again" +5m
    write src/codec.rs
      | pub fn encode(level: u8) {}
  merge by ada +1h
"#;
    let site = Site::with_clones(BINARY, history);
    site.sync();
    let told = site.env.lore(&["why", "#1", "--notes", "5"]).success().stdout;
    assert!(
        told.contains("!1  Drop the encoder") && told.contains("!2  Drop the decoder"),
        "{told}"
    );
    for said in ["We decided to drop it", "We won't need the old tables"] {
        assert_eq!(told.matches(said).count(), 1, "{said}: {told}");
    }
    let (_, last) = told.split_once("last decision\n").unwrap();
    assert!(last.trim_start().starts_with("We decided to drop it"), "{told}");
}

#[test]
fn long_discussions_are_narrowed_to_what_argues_or_matches() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let env = &site.env;
    let rationale = env.lore(&["issues", "1", "--notes", "rationale"]).success().stdout;
    assert!(rationale.contains("We decided to drop it"), "{rationale}");
    assert!(!rationale.contains("Never mind"), "{rationale}");
    assert!(rationale.contains("more: --notes all shows everything"), "{rationale}");
    let found = env.lore(&["issues", "1", "--grep", "OLD FILES"]).success().stdout;
    assert!(found.contains("Never mind") && !found.contains("twice as fast"), "{found}");
    let none = env.lore(&["issues", "1", "--grep", "zebra"]).success().stdout;
    assert!(none.contains("no note contains `zebra`"), "{none}");
    let bare = env.lore(&["issues", "1", "--notes", "none"]).success().stdout;
    assert!(!bare.contains("Never mind"), "{bare}");
}

/// Without any forge: commits say what they revert, and why.
#[test]
fn a_clone_alone_tells_the_reasons_of_its_commits() {
    let env = lore();
    let dir = env.dir().join("tide");
    std::fs::create_dir_all(&dir).unwrap();
    let git = |args: &[&str]| {
        let place = dir.display().to_string();
        let mut all = vec!["-C", place.as_str()];
        all.extend(args);
        env.git(&all).success().stdout
    };
    git(&["init", "-q", "-b", "main"]);
    let commit = |text: &str, message: &str| {
        std::fs::write(dir.join("codec.py"), text).unwrap();
        git(&["add", "."]);
        git(&["commit", "-q", "-m", message]);
        git(&["rev-parse", "HEAD"]).trim().to_owned()
    };
    let first = commit(
        "def encode():\n    pass\n",
        "Fixed #12 -- Added the codec.\n\nOld readers fail because they cannot split frames.",
    );
    let _second = commit("def encode():\n    return 1\n", "Return one");
    let revert = commit(
        "def encode():\n    pass\n",
        &format!("Revert \"Return one\"\n\nThis reverts commit {first}.\n\nIt broke the importer."),
    );
    let _added = env.lore(&["repo", "add", "tide"]).success();
    let why = |target: &str| env.lore_in(&dir, &["why", target], "").success().stdout;
    let line = why("codec.py:1");
    assert!(line.contains("Old readers fail because they cannot split frames."), "{line}");
    assert!(line.contains("names #12"), "{line}");
    assert!(line.contains(&format!("reverted by {}", &revert[..10])), "{line}");
    let commit = why(&revert[..12]);
    assert!(commit.contains(&format!("reverts {}", &first[..10])), "{commit}");
    assert!(commit.contains("It broke the importer."), "{commit}");
    let file = why("codec.py");
    assert!(file.contains("Added the codec."), "{file}");
    let _indexed = env.lore_in(&dir, &["index"], "").success();
    let symbol = env.lore_in(&dir, &["trace", "encode"], "").success().stdout;
    assert!(symbol.contains("Added the codec."), "{symbol}");
}
