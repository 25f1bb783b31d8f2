//! `lore search` by meaning, with the model that is built in.

use crate::BINARY;
use expect_test::expect;
use model::EntityKind;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
commit "Send the e-mail only once" by ada at 2024-01-02T09:00
  write src/mail.rs
    | pub fn send() {}
issue #1 "Login fails on Safari" by ada at 2024-01-09T10:15
  | People are thrown out of their session again and again.
  comment bo +2h
    | The cookie is refused by the browser.
issue #2 "Tide tables are slow" by bo at 2024-02-01T09:00
  | Reading the harmonics takes minutes.
issue #3 "Invoice shows the wrong total" by bo at 2024-02-03T09:00
  | The amount to pay does not include tax.
"#;

fn site() -> Site {
    let mut site = Site::with_clones(BINARY, HISTORY);
    site.env.set_var("LORE_EMBEDDING_PROVIDER", "builtin");
    site
}

/// `reference type` of each hit, in order.
fn found(site: &Site, args: &[&str]) -> Vec<String> {
    let args: Vec<&str> = ["search"].iter().chain(args).copied().collect();
    let output = site.env.lore(&args).success();
    let columns = |line: &str| line.split('\t').take(2).collect::<Vec<_>>().join(" ");
    output.rows().map(columns).collect()
}

#[test]
fn a_sync_makes_texts_and_vectors_and_other_words_find_them() {
    let site = site();
    expect![[r#"
        harbor/tide  3 new issues
        search index  4 new texts
        embeddings    4 texts embedded
        done
    "#]]
    .assert_eq(&site.env.lore(&["sync", "-q"]).to_string());
    assert_eq!(found(&site, &["users get signed out"])[0], "harbor/tide#1 issue");
    assert_eq!(
        found(&site, &["bill is incorrect", "--mode", "semantic"])[0],
        "harbor/tide#3 issue"
    );
    assert_eq!(found(&site, &["bill", "--mode", "lexical"]), Vec::<String>::new());
    expect![[r#"
        embeddings    up to date
    "#]]
    .assert_eq(&site.env.lore(&["embed"]).to_string());
    let stats = site.env.lore(&["stats", "--check"]).success().stdout;
    assert!(stats.contains("embedded documents\t4\tby gte-small-int8"), "{stats}");
}

#[test]
fn without_vectors_search_says_what_to_run() {
    let site = site();
    let _ = site.env.lore(&["sync", "-q", "--no-embed"]).success();
    let output = site.env.lore(&["search", "harmonics"]).success();
    assert!(output.stderr.contains("run: lore embed"), "{output}");
    let first = output.rows().next().unwrap_or_default();
    assert!(first.starts_with("harbor/tide#2"), "{output}");
    expect![[r#"
        ------- stderr -------
        error: no document has vectors of gte-small-int8 yet
        hint: run: lore embed
        [exit status: 16]
    "#]]
    .assert_eq(&site.env.lore(&["search", "harmonics", "--mode", "semantic"]).to_string());
    expect![[r#"
        embeddings    4 texts embedded
    "#]]
    .assert_eq(&site.env.lore(&["embed", "-q"]).to_string());
    assert_eq!(site.env.lore(&["search", "harmonics"]).success().stderr, "");
}

#[test]
fn a_comment_is_found_after_one_sync_and_no_more_after_its_deletion() {
    let site = site();
    site.sync();
    let note = {
        let mut world = site.server.world();
        let later = world.advance(std::time::Duration::from_secs(86_400));
        let issue = world.key("harbor/tide", EntityKind::Issue, 2).unwrap();
        world.comment(issue, "bo", later, "A kangaroo jumped over the fence.").unwrap().note
    };
    site.sync();
    for mode in ["hybrid", "lexical", "semantic"] {
        assert_eq!(found(&site, &["kangaroo", "--mode", mode])[0], "harbor/tide#2 issue", "{mode}");
    }
    {
        let mut world = site.server.world();
        world.delete_note(note).unwrap();
    }
    let _ = site.env.lore(&["sync", "-q", "--full"]).success();
    for mode in ["hybrid", "semantic"] {
        let hits = found(&site, &["kangaroo", "--mode", mode]);
        assert!(!hits.contains(&"harbor/tide#2 thread".to_owned()), "{mode}: {hits:?}");
    }
}

#[test]
fn a_hit_is_explained() {
    let mut site = site();
    site.sync();
    site.env.set_var("LORE_FORCE_TTY", "80").set_var("NO_COLOR", "1");
    let output = site.env.lore(&["search", "slow tables", "-n", "1", "--explain"]).success();
    assert!(output.stdout.contains("words 1 ("), "{output}");
    assert!(output.stdout.contains("meaning 1 ("), "{output}");
    assert!(output.stdout.contains("title +0.050"), "{output}");
    let output = site.env.lore(&["search", "x", "--without", "luck"]).failure(2);
    assert!(output.stderr.contains("known: recency, title, same-project"), "{output}");
}

#[test]
fn commits_of_local_clones_are_found() {
    let site = site();
    site.sync();
    let _ = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    site.sync();
    let hits = found(&site, &["duplicate mails", "--type", "commit"]);
    assert!(hits[0].starts_with("harbor/tide@") && hits[0].ends_with(" commit"), "{hits:?}");
    assert_eq!(found(&site, &["mail", "--repo", "tide", "--path", "src/mail.rs"]), hits);
    let _ = site.env.lore(&["repo", "remove", "tide"]).success();
    site.sync();
    assert_eq!(found(&site, &["mail", "--type", "commit"]), Vec::<String>::new());
}

#[test]
fn switched_off_it_is_off_everywhere() {
    let mut site = site();
    site.env.set_var("LORE_EMBEDDING_PROVIDER", "none");
    site.sync();
    expect![[r#"
        ------- stderr -------
        error: searching by meaning is off
        hint: set embedding.provider = "builtin" or "ollama"
        [exit status: 16]
    "#]]
    .assert_eq(&site.env.lore(&["embed"]).to_string());
    let output = site.env.lore(&["search", "harmonics", "--mode", "semantic"]).failure(16);
    assert!(output.stderr.contains("--mode lexical"), "{output}");
    assert_eq!(site.env.lore(&["search", "harmonics"]).success().stderr, "");
}

#[test]
fn a_server_that_is_not_there_leaves_the_words() {
    let mut site = site();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    site.env
        .set_var("LORE_EMBEDDING_PROVIDER", "ollama")
        .set_var("LORE_EMBEDDING_BASE_URL", &format!("http://127.0.0.1:{port}"));
    let output = site.env.lore(&["sync", "-q", "--json"]).success();
    assert!(output.stdout.contains("embedding failed"), "{output}");
    assert!(output.stdout.contains("ollama serve"), "{output}");
    let output = site.env.lore(&["embed"]).failure(14);
    assert!(output.stderr.contains("cannot be reached"), "{output}");
    let output = site.env.lore(&["doctor"]);
    assert!(output.stdout.contains("embedding"), "{output}");
}
