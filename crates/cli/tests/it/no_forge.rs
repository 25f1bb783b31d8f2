//! A clone and nothing else: one command reads it, and everything answers.

use crate::lore;
use expect_test::expect;
use std::path::PathBuf;
use testkit::TestEnv;

/// A clone with a short history, in `$DIR/pier`.
fn pier() -> (TestEnv, PathBuf) {
    let env = lore()
        .with_var("GIT_AUTHOR_DATE", "2024-05-01T09:00:00Z")
        .with_var("GIT_COMMITTER_DATE", "2024-05-01T09:00:00Z");
    let _made = env.git(&["init", "-q", "-b", "main", "pier"]).success();
    let dir = env.dir().join("pier");
    let commit = |file: &str, text: &str, author: &str, message: &str| {
        env.write_file(dir.join(file), text);
        let at = dir.display().to_string();
        let _added = env.git(&["-C", &at, "add", "."]).success();
        let author = format!("--author={author}");
        let _done = env.git(&["-C", &at, "commit", "-q", &author, "-m", message]).success();
    };
    let (ada, bo) = ("Ada Larsen <ada@example.com>", "bo <bo@old.example>");
    commit("src/tide.py", "def tide():\n    return 1\n", ada, "Count the tide");
    commit(
        "src/tide.py",
        "def tide():\n    return 2\n",
        ada,
        "Count the tide twice\n\nThe gauge sends half of it, because its clock is slow.",
    );
    commit("src/moor.py", "from tide import tide\n\ndef moor():\n    tide()\n", bo, "Moor boats");
    commit(".mailmap", "Bo Winther <bo@example.com> <bo@old.example>\n", bo, "Name people");
    (env, dir)
}

#[test]
fn a_record_that_is_kept_after_an_index_is_there_once() {
    let (env, dir) = pier();
    env.write_file(dir.join(".lore/memory/patterns.md"), "");
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let _kept =
        env.lore_in(&dir, &["remember", "decision", "Boats moor at high tide"], "").success();
    let _read = env.lore_in(&dir.join("src"), &["index", "..", "-q"], "").success();
    let listed = env.lore_in(&dir, &["memory", "list"], "").success().stdout;
    assert_eq!(listed.matches("Boats moor at high tide").count(), 1, "{listed}");
}

#[test]
fn in_a_clone_its_own_commits_and_symbols_are_counted() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let _made = env.git(&["clone", "-q", "pier", "quay"]).success();
    let quay = env.dir().join("quay");
    env.write_file(quay.join("src/crane.py"), "def lift():\n    pass\n");
    let at = quay.display().to_string();
    let _url = env.git(&["-C", &at, "remote", "set-url", "origin", "https://x.example/quay.git"]);
    let _added = env.git(&["-C", &at, "add", "."]).success();
    let _done = env.git(&["-C", &at, "commit", "-q", "-m", "Lift"]).success();
    let _read = env.lore_in(&quay, &["index", "-q"], "").success();
    let count = |dir: &PathBuf, what: &str| {
        env.lore_in(dir, &["count", what], "").success().stdout.trim().to_owned()
    };
    assert_eq!((count(&dir, "commits"), count(&quay, "commits")), ("4".into(), "5".into()));
    assert!(count(&dir, "symbols") < count(&quay, "symbols"));
}

#[test]
fn one_command_reads_code_commits_and_texts() {
    let (env, dir) = pier();
    let read = env.lore_in(&dir, &["index", "-q"], "").to_string();
    let read = read.replace(&read[8..18], "$COMMIT");
    expect![[r#"
        pier at $COMMIT
        2 files, 4 symbols, 4 edges; 0 calls not resolved
        2 files read, 4 edges added, 0 removed
        commits  4 new commits
        search index  4 new texts
        done
    "#]]
    .assert_eq(&read);
    expect![[r#"
        REPOSITORY	COMMITS	NEWEST	SYMBOLS	EDGES	INDEXED
        pier	4	2024-05-01T09:00:00.000Z	4	4	2024-06-01T12:00:00.000Z

        4 of 4 texts are found by words only; run: lore embed
    "#]]
    .assert_eq(&env.lore_in(&dir, &["status"], "").to_string());
    for (args, expected) in [
        (&["count", "commits"][..], "4\n"),
        (&["count", "documents"], "4\n"),
        (&["count", "symbols"], "4\n"),
    ] {
        assert_eq!(env.lore_in(&dir, args, "").success().stdout, expected, "{args:?}");
    }
    let found = env.lore_in(&dir, &["search", "gauge clock"], "").success().stdout;
    assert!(found.contains("Count the tide twice"), "{found}");
    let history = env.lore_in(&dir, &["file-history", "src/tide.py"], "").success();
    assert!(history.stdout.contains("Count the tide twice"), "{history}");
    assert!(!history.stderr.contains("lore sync"), "{history}");
}

#[test]
fn bare_lore_offers_to_start_and_then_shows_where_it_stands() {
    let (env, dir) = pier();
    expect![[r#"
        pier is not read yet.

          lore index              read its code and its history; needs no account
          lore init               connect a GitLab server as well
          lore help all           all commands
    "#]]
    .assert_eq(&env.lore_in(&dir, &[], "").to_string());
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let screen = env.lore_in(&dir.join("src"), &[], "").to_string();
    let at = screen.find(" at ").map_or(0, |at| at + 4);
    expect![[r#"
        pier
        code:        4 symbols, 4 edges at $COMMIT
        commits:     4, the newest 2024-05-01T09:00:00.000Z

          lore embed              4 of 4 texts are found by words only
          lore search WORDS       find commits, symbols and discussions
          lore why FILE:LINE      the reasons behind a line
          lore experts FILE       whom to ask
          lore help all           all commands
    "#]]
    .assert_eq(&screen.replace(&screen[at..at + 10], "$COMMIT"));
    // Elsewhere it is the help.
    assert!(env.lore(&[]).stdout.contains("Usage:"));
}

#[test]
fn a_range_of_commits_is_indexed_in_one_run() {
    let (env, dir) = pier();
    let all = env.lore_in(&dir, &["index", "-q", "--range", "HEAD~3..HEAD~1"], "").success();
    assert!(all.stdout.starts_with("2 commits indexed, 2 of them new"), "{all}");
    let rest = env.lore_in(&dir, &["index", "-q", "--all"], "").success();
    assert!(rest.stdout.starts_with("4 commits indexed, 2 of them new"), "{rest}");
    let none = env.lore_in(&dir, &["index", "-q", "--range", "HEAD.."], "");
    assert_eq!(none.status, Some(17), "{none}");
}

#[test]
fn a_commit_that_is_not_indexed_is_offered_and_indexed_on_request() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let asked = env.lore_in(&dir, &["symbol", "tide", "--at", "HEAD~2"], "");
    assert_eq!(asked.status, Some(20), "{asked}");
    assert!(asked.stderr.contains("add --index"), "{asked}");
    let found = env.lore_in(&dir, &["-q", "symbol", "tide", "--at", "HEAD~2", "--index"], "");
    assert!(found.success().stdout.contains("tide"));
}

#[test]
fn people_are_joined_by_mailmap_and_ranked_by_commits() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    expect![[r#"
        PERSON	NAME	SCORE	BECAUSE OF	LAST
        	Ada Larsen	11.96	2 commits, 2 lines still stand	2024-05-01T09:00:00.000Z
    "#]]
    .assert_eq(&env.lore_in(&dir, &["experts", "src/tide.py"], "").to_string());
    expect![[r#"
        PERSON	NAME	SCORE	BECAUSE OF	LAST
        	Ada Larsen	1.96	2 commits	2024-05-01T09:00:00.000Z
        	Bo Winther	0.98	1 commit	2024-05-01T09:00:00.000Z
    "#]]
    .assert_eq(&env.lore_in(&dir, &["experts", "src"], "").to_string());
    let person = env.lore_in(&dir, &["person", "bo winther"], "").success().stdout;
    assert!(person.contains("2 commits as bo <bo@old.example>"), "{person}");
}

/// What a hint tells to run.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("lore ") {
        let rest = &text[at + 5..];
        let end = rest.find(['\n', '`', ';', ',', '(']).unwrap_or(rest.len());
        let words: Vec<String> = rest[..end].split_whitespace().map(str::to_owned).collect();
        if words
            .first()
            .is_some_and(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        {
            found.push(words);
        }
    }
    found
}

/// What is typed, and it works: no answer in a clone without a forge sends
/// anybody into a dead end, before it is read or after.
#[test]
fn every_hint_works_where_it_is_printed() {
    let questions: &[&[&str]] = &[
        &["search", "gauge"],
        &["timeline", "tide"],
        &["experts", "src/tide.py"],
        &["experts", "tide"],
        &["person", "Ada Larsen"],
        &["status"],
        &["stats"],
        &["count", "commits"],
        &["repo", "list"],
        &["file-history", "src/tide.py"],
        &["trace", "src/tide.py"],
        &["why", "src/tide.py:2"],
        &["symbol", "tide"],
        &["callers", "tide"],
        &["issues"],
        &["doctor"],
    ];
    for is_read in [false, true] {
        for question in questions {
            let (env, dir) = pier();
            if is_read {
                let _read = env.lore_in(&dir, &["index", "-q"], "").success();
            }
            let asked = env.lore_in(&dir, question, "");
            for command in commands(&asked.stderr) {
                let dir_text = env.dir().display().to_string();
                let words: Vec<String> =
                    command.iter().map(|word| word.replace("$DIR", &dir_text)).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                // Setting up a forge asks for its address; that is no dead end.
                if words[0] == "init" || words[0] == "help" {
                    continue;
                }
                let done = env.lore_in(&dir, &words, "");
                assert!(
                    done.status == Some(0),
                    "{question:?} (read: {is_read}) says {asked}\nbut {words:?} says {done}"
                );
            }
            if !is_read {
                let _read = env.lore_in(&dir, &["index", "-q"], "").success();
            }
            let again = env.lore_in(&dir, question, "");
            assert!(!again.stderr.contains("lore sync"), "{question:?} says {again}");
        }
    }
}

#[test]
fn a_timeline_is_told_from_commits() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let told = env.lore_in(&dir, &["timeline", "count the tide"], "").success();
    let mut rows: Vec<&str> = told.stdout.lines().map(|row| row.get(..34).unwrap_or(row)).collect();
    rows.sort_unstable();
    expect![[r#"
        2024-05-01T09:00:00.000Z	committed
        2024-05-01T09:00:00.000Z	committed
        TIME	EVENT	REFERENCE	SUMMARY	ACTOR"#]]
    .assert_eq(&rows.join("\n"));
    let json = env.lore_in(&dir, &["timeline", "count the tide", "--json"], "").success().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let event = json["data"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["summary"] == "Count the tide twice")
        .unwrap();
    assert_eq!(event["entity_type"], "commit");
    assert_eq!(event["actor"], "Ada Larsen");
    assert_eq!(event["project"], "pier");
    let body = event["details"]["commit"]["body"].as_str().unwrap();
    assert!(body.contains("because its clock is slow"), "{body}");
    let none = env.lore_in(&dir, &["timeline", "flurbo grumblex"], "").success();
    assert_eq!(none.stdout, "# nothing matches\n");
}

#[test]
fn why_of_a_line_shows_what_its_commit_changed() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let why = env.lore_in(&dir, &["why", "src/tide.py:2"], "").success().stdout;
    assert!(why.contains("    -     return 1\n    +     return 2\n"), "{why}");
    assert!(why.contains("  in pier\n"), "{why}");
}

#[test]
fn a_repository_without_a_remote_is_called_by_its_folder() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let questions: &[&[&str]] = &[
        &["search", "gauge clock"],
        &["timeline", "count the tide"],
        &["why", "src/tide.py:2"],
        &["why", "tide"],
        &["trace", "src/tide.py"],
        &["show", "HEAD~1"],
        &["map"],
        &["symbol", "tide"],
        &["callers", "tide"],
        &["impact", "src/tide.py"],
        &["file-history", "src/tide.py"],
        &["experts", "src/tide.py"],
        &["person", "Ada Larsen"],
        &["status"],
        &["ask", "who calls tide"],
    ];
    for question in questions {
        let said = env.lore_in(&dir, question, "");
        assert!(!said.stdout.contains("local/"), "{question:?} says {said}");
    }
    let found = env.lore_in(&dir, &["search", "gauge clock"], "").success().stdout;
    assert!(found.contains("\npier@"), "{found}");
    let commit = env.lore_in(&dir, &["show", "HEAD~2"], "").success().stdout;
    assert!(commit.contains("  modified src/tide.py\n"), "{commit}");
    let why = env.lore_in(&dir, &["why", "HEAD~2"], "").success().stdout;
    assert!(why.contains("its clock is slow"), "{why}");
    let _ = env.lore_in(&dir, &["show", "HEAD~20"], "").failure(17);
    // Words of a symbol's documentation are like the revision, and not what is meant.
    let _ = env.git(&["-C", &dir.display().to_string(), "tag", "count-tide"]).success();
    let tagged = env.lore_in(&dir, &["show", "count-tide"], "").success().stdout;
    assert!(tagged.contains("Name people"), "{tagged}");
}

#[test]
fn symbols_that_only_the_working_tree_has_are_found() {
    let (env, dir) = pier();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    env.write_file(dir.join("src/new.py"), "from tide import tide\n\ndef zzz_new():\n    tide()\n");
    let _read = env.lore_in(&dir, &["index", "-q", "--working-tree"], "").success();
    let found = env.lore_in(&dir, &["symbol", "zzz_new"], "").success().stdout;
    assert!(found.contains("src/new.py:3"), "{found}");
    let callers = env.lore_in(&dir, &["callers", "tide"], "").success().stdout;
    assert!(callers.contains("zzz_new"), "{callers}");
}

#[test]
fn a_clone_is_indexed_while_texts_are_embedded() {
    let (env, dir) = pier();
    let at = dir.display().to_string();
    let long = "The gauge sends its level twice, and nobody knows which of the two is right. ";
    for number in 0..40 {
        let message = format!("Change {number}\n\n{}", long.repeat(10));
        let _done =
            env.git(&["-C", &at, "commit", "-q", "--allow-empty", "-m", &message]).success();
    }
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let mut embedding = env.command(&["embed", "-q"]).current_dir(&dir).spawn().unwrap();
    env.write_file(dir.join("src/late.py"), "def late():\n    pass\n");
    let _added = env.git(&["-C", &at, "add", "."]).success();
    let _done = env.git(&["-C", &at, "commit", "-q", "-m", "Come late"]).success();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    assert!(embedding.wait().unwrap().success());
    let found = env.lore_in(&dir, &["symbol", "late"], "").success().stdout;
    assert!(found.contains("src/late.py:1"), "{found}");
}

/// A clone made with `--filter=blob:none` has the contents of the newest commit only:
/// renames of older ones cannot be told by likeness, and nothing else is lost.
#[test]
fn a_partial_clone_is_read() {
    let (env, dir) = pier();
    let at = dir.display().to_string();
    let _moved = env.git(&["-C", &at, "mv", "src/moor.py", "src/mooring.py"]).success();
    let longer =
        "from tide import tide\n\ndef moor():\n    tide()\n\ndef cast_off():\n    moor()\n";
    env.write_file(dir.join("src/mooring.py"), longer);
    let author = "--author=Ada Larsen <ada@example.com>";
    let _done = env.git(&["-C", &at, "commit", "-q", "-a", author, "-m", "Cast off"]).success();
    env.write_file(dir.join("src/mooring.py"), &longer.replace("moor()", "tide()"));
    let _done = env.git(&["-C", &at, "commit", "-q", "-a", author, "-m", "By tide"]).success();
    let _set = env.git(&["-C", &at, "config", "uploadpack.allowFilter", "true"]).success();
    let url = format!("file://{at}");
    let _cloned = env.git(&["clone", "-q", "--filter=blob:none", &url, "partial"]).success();
    let partial = env.dir().join("partial");
    let _index = env.lore_in(&partial, &["index", "-q"], "").success();
    assert_eq!(env.lore_in(&partial, &["count", "commits"], "").to_string(), "6\n");
    let history = env.lore_in(&partial, &["file-history", "src/mooring.py"], "").success();
    assert!(history.stdout.contains("By tide"), "{}", history.stdout);
    assert!(history.stdout.contains("Cast off"), "{}", history.stdout);
}

#[test]
fn hints_about_people_are_accepted_when_they_are_typed() {
    let (env, dir) = pier();
    let at = dir.display().to_string();
    for (nth, author) in [
        "moor <moor@one.example.org>",
        "moor <moor@two.example.org>",
        "Zoë Kask <zoe@home.example.org>",
        "Zoe Kask-Lind <zoe@home.example.org>",
        "merge-script <moor@one.example.org>",
    ]
    .into_iter()
    .enumerate()
    {
        let author = format!("--author={author}");
        let message = format!("Dredge the harbour basin, part {nth}");
        let message = ["commit", "-q", "--allow-empty", &author, "-m", &message];
        let _done = env.git(&[&["-C", &at][..], &message].concat()).success();
    }
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let half = env.lore_in(&dir, &["person", "larsen"], "");
    assert!(half.stderr.contains("did you mean Ada Larsen?"), "{half}");
    let several = env.lore_in(&dir, &["person", "moor"], "");
    assert_eq!(several.status, Some(18), "{several}");
    let hint = several.stderr.split("e.g. '").nth(1).and_then(|rest| rest.split('\'').next());
    let one = env.lore_in(&dir, &["person", hint.unwrap_or_default()], "").success();
    assert!(one.stdout.contains("1 commit as moor <moor@one.example.org>"), "{one}");
    // Two spellings on one address are one person, and a script is nobody.
    let zoe = env.lore_in(&dir, &["person", "zoë kask"], "").success();
    assert!(zoe.stdout.contains("2 commits as"), "{zoe}");
    let asked = env.lore_in(&dir, &["experts", "dredge the harbour basin"], "").success();
    assert_eq!(asked.rows().count(), 3, "{asked}");
    assert!(!asked.stdout.contains("script"), "{asked}");
    assert_eq!(env.lore_in(&dir, &["person", "merge-script"], "").status, Some(17));
}

/// A clone whose commits were not read had "no commit changed this file".
#[test]
fn a_clone_that_is_not_indexed_is_not_said_to_have_no_changes() {
    let (env, dir) = pier();
    let _other = env.git(&["clone", "-q", &dir.display().to_string(), "other"]).success();
    let _indexed = env.lore_in(&env.dir().join("other"), &["index", "-q"], "").success();
    let at = dir.display().to_string();
    let _remote =
        env.git(&["-C", &at, "remote", "add", "origin", "https://a.example/b/c"]).success();
    for command in ["trace", "file-history"] {
        for form in [&["--agent"][..], &[]] {
            let asked = [form, &[command, "src/tide.py"]].concat();
            let told = env.lore_in(&dir, &asked, "").success();
            assert!(!told.stdout.contains("no commit changed"), "{asked:?} {told}");
            assert!(told.stdout.contains("the clone is not indexed"), "{asked:?} {told}");
        }
    }
}

#[test]
fn a_tag_is_the_commit_it_names_and_no_line_of_a_changelog() {
    let (env, dir) = pier();
    let at = dir.display().to_string();
    env.write_file(dir.join("CHANGELOG.md"), "# Changes\n\n## v1.2.0\n\nThe tide is counted.\n");
    let _added = env.git(&["-C", &at, "add", "."]).success();
    let author = "--author=Ada Larsen <ada@example.com>";
    let _done = env.git(&["-C", &at, "commit", "-q", author, "-m", "Note changes"]).success();
    let _tagged = env.git(&["-C", &at, "tag", "v1.2.0", "HEAD~3"]).success();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let why = env.lore_in(&dir, &["why", "v1.2.0"], "").success();
    assert!(why.stdout.contains("its clock is slow"), "{why}");
    assert!(!why.stdout.contains("CHANGELOG"), "{why}");
    // What is no tag is looked for in texts as before.
    let why = env.lore_in(&dir, &["why", "Changes"], "").success();
    assert!(why.stdout.contains("CHANGELOG"), "{why}");
}

/// flask has a test method `head`.
#[test]
fn head_is_the_commit_checked_out_and_no_symbol_of_the_name() {
    let (env, dir) = pier();
    env.write_file(dir.join("src/head.py"), "class HEAD:\n    def head(self):\n        return 1\n");
    let at = dir.display().to_string();
    let _added = env.git(&["-C", &at, "add", "."]).success();
    let author = "--author=Ada Larsen <ada@example.com>";
    let message = "Add a head\n\nThe pier had none, because nobody asked.";
    let _done = env.git(&["-C", &at, "commit", "-q", author, "-m", message]).success();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    for command in ["show", "why"] {
        let told = env.lore_in(&dir, &[command, "HEAD"], "").success().stdout;
        assert!(told.contains("nobody asked") && !told.contains("head.py:1"), "{told}");
    }
    let told = env.lore_in(&dir, &["show", "head"], "").success().stdout;
    assert!(told.contains("src/head.py:"), "{told}");
}

/// One level for each joint of a name that somebody typed ended the process.
#[test]
fn a_name_of_any_number_of_parts_is_looked_up() {
    let (env, dir) = pier();
    env.write_file(dir.join("src/run.py"), "class Tide:\n    def run(self):\n        return 1\n");
    let at = dir.display().to_string();
    let _added = env.git(&["-C", &at, "add", "."]).success();
    let _done = env
        .git(&[
            "-C",
            &at,
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.example",
            "commit",
            "-q",
            "-m",
            "Run",
        ])
        .success();
    let _read = env.lore_in(&dir, &["index", "-q"], "").success();
    let names =
        ["run.".repeat(3_000) + "run", "run.".repeat(3_000), "src/run.py:".repeat(3_000) + "run"];
    for name in &names {
        for command in ["symbol", "callers", "why"] {
            let told = env.lore_in(&dir, &[command, name], "");
            assert!(told.status.is_some_and(|status| status < 100), "{command} {}", told.stderr);
        }
    }
}

#[test]
fn what_rules_matched_is_read_without_a_forge() {
    let (env, dir) = pier();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let refused = env.lore_in(&dir, &["me"], "").failure(17);
    assert!(refused.stderr.contains("lore me --user"), "{refused}");
    let rule = "[[notifications]]\nname = \"tides\"\nwhen = \"paths\"\npaths = [\"src/*\"]\n";
    let env = env.with_config(rule);
    pipeline_note(&env);
    let inbox = env.lore_in(&dir, &["me"], "").success();
    assert!(inbox.stdout.contains("tides  Moor boats (src/moor.py)"), "{inbox}");
    assert!(inbox.stderr.contains("nobody said yet who you are"), "{inbox}");
    let env = env.with_config(&format!(
        "{rule}to = \"command\"\ncommand = [\"notify\", \"{{title}} by {{author}}\"]\n"
    ));
    let unknown = env.lore_in(&dir, &["notify", "--dry-run"], "").failure(4);
    assert!(unknown.stderr.contains("unknown `{author}`"), "{unknown}");
    assert!(unknown.stderr.contains("{title}, {body}, {rule}"), "{unknown}");
}

/// What a daemon would have kept of a commit.
fn pipeline_note(env: &TestEnv) {
    let at = model::Timestamp::parse_rfc3339("2024-05-30T09:00:00Z").unwrap();
    let mut writer = store::Writer::open(&env.db()).unwrap();
    let new = store::notifications::NewNotification {
        rule: "tides",
        event: "x",
        title: "Moor boats (src/moor.py)",
        reference: None,
        happened_at: at,
    };
    let noted = writer.write(|tx| store::notifications::note(tx, &new, at)).unwrap();
    assert!(noted);
}
