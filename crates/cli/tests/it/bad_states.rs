//! Databases and servers that cannot be used: each has its code, one clear
//! line and a way out, and nothing is lost.

use crate::BINARY;
use expect_test::expect;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use testkit::{Site, TestEnv};

const SMALL: &str = r#"
user ada "Ada"
project harbor/tide "Tide"
issue #1 "Login fails" by ada at 2024-01-09T10:15
"#;

#[test]
fn a_database_of_a_newer_lore_is_left_alone() {
    let site = Site::scenario(BINARY, SMALL);
    site.sync();
    // The schema version is a number at byte 60 of a SQLite file.
    let mut bytes = std::fs::read(site.env.db()).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    std::fs::write(site.env.db(), &bytes).unwrap();
    for command in [&["sync", "-q"][..], &["issues"], &["stats"]] {
        let output = site.env.lore(command).failure(12);
        assert!(output.stderr.contains("newer lore (schema 99"), "{output}");
        assert!(output.stderr.contains("hint: upgrade lore"), "{output}");
    }
    assert_eq!(std::fs::read(site.env.db()).unwrap(), bytes);
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let mut site = Site::scenario(BINARY, SMALL);
    let notes = site.env.write_file("notes.txt", &"not a database ".repeat(100));
    site.env.set_var("LORE_DB", &notes.display().to_string());
    expect![[r#"
        ------- stderr -------
        error: $DIR/notes.txt: the file is not a SQLite database
        hint: choose another file with --db; this one was left untouched
        [exit status: 11]
    "#]]
    .assert_eq(&site.env.lore(&["sync", "-q"]).to_string());
    assert!(std::fs::read_to_string(notes).unwrap().starts_with("not a database"));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let mut site = Site::scenario(BINARY, SMALL);
    // A file where a folder should be: even root cannot write below it.
    let file = site.env.write_file("file", "");
    site.env.set_var("LORE_DB", &file.join("sub/lore.db").display().to_string());
    expect![[r#"
        ------- stderr -------
        error: cannot create the folder $DIR/file/sub
          caused by: Not a directory (os error 20)
        hint: check its permissions, or choose another file with --db
        [exit status: 11]
    "#]]
    .assert_eq(&site.env.lore(&["sync", "-q"]).to_string());
}

/// Answers every connection with these bytes.
fn server(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut seen = [0; 4096];
            let _ = stream.read(&mut seen);
            let _ = stream.write_all(answer);
        }
    });
    address.to_string()
}

fn pointed_at(base_url: &str) -> TestEnv {
    TestEnv::new(BINARY)
        .with_config(&format!(
            "[gitlab]\nbase_url = \"{base_url}\"\n[[projects]]\npath = \"harbor/tide\"\n"
        ))
        .with_var("GITLAB_TOKEN", "secret-token")
}

#[test]
fn a_server_that_is_no_gitlab() {
    let page =
        b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n<html>Welcome</html>";
    let output = pointed_at(&format!("http://{}", server(page))).lore(&["sync", "-q"]).failure(13);
    assert!(output.stderr.contains("is this really a GitLab server"), "{output}");
    assert!(!output.to_string().contains("secret-token"), "{output}");
}

#[test]
fn tls_that_cannot_be_agreed_on() {
    let output = pointed_at(&format!("https://{}", server(b"HTTP/1.1 400 Bad Request\r\n\r\n")))
        .lore(&["sync", "-q"])
        .failure(9);
    assert!(output.stderr.contains("TLS"), "{output}");
    assert!(output.stderr.contains("hint:"), "{output}");
}

#[test]
fn a_forge_that_is_down_can_be_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let output =
        pointed_at(&format!("http://{address}")).lore(&["sync", "-q", "--json"]).failure(9);
    assert!(output.stdout.contains(r#""code":"NETWORK_ERROR""#), "{output}");
    assert!(output.stdout.contains(r#""retryable":true"#), "{output}");
}

#[test]
fn the_demo_leaves_nothing_behind_and_keeps_what_it_is_told_to() {
    let env = TestEnv::new(BINARY);
    let temporary = env.dir().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let env = env.with_var("TMPDIR", &temporary.display().to_string());
    let output = env.lore(&["demo"]).success();
    assert!(output.stdout.contains("$ lore issues"), "{output}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(env.home()).unwrap().count(), 0);
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let kept = env.dir().join("playground");
    let output = env.lore_in(&kept, &["count", "mrs"], "").success();
    assert_eq!(output.stdout, "60\n");
    assert!(kept.join("orchard/frostline/.git").exists());
    let output = env.lore(&["demo", "--keep", "playground"]).failure(2);
    assert!(output.stderr.contains("exists and is not empty"), "{output}");
}

/// A commit that was indexed and that git threw away since, or that only another clone has.
#[test]
fn commits_that_are_not_in_this_clone_do_not_stop_an_index() {
    let env = TestEnv::new(BINARY);
    let _made = env.git(&["init", "-q", "-b", "main", "app"]).success();
    let dir = env.dir().join("app");
    let git = |args: &[&str]| {
        let args: Vec<&str> = ["-C", "app"].iter().chain(args).copied().collect();
        let _done = env.git(&args).success();
    };
    let commit = |text: &str| {
        env.write_file("app/a.py", text);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", text.trim()]);
        let _indexed = env.lore_in(&dir, &["index", "-q"], "").success();
    };
    commit("a = 1\n");
    commit("b = 2\n");
    git(&["reset", "-q", "--hard", "HEAD~1"]);
    git(&["reflog", "expire", "--expire=now", "--all"]);
    git(&["gc", "-q", "--prune=now"]);
    commit("c = 3\n");
    let _sound = env.lore_in(&dir, &["fsck"], "").success();
}
