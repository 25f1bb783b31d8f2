//! A question in plain words is answered by the command it stands for.

use crate::mcp::harbour;
use expect_test::expect;

#[test]
fn a_question_names_the_command_that_answers_it() {
    let (site, clone) = harbour();
    let mut all = String::new();
    for question in [
        "who calls session()?",
        "what breaks if I change `session`",
        "why is src/login.rs:1 so",
        "why was !1 merged?",
        "how does `login` reach `session`",
        "who owns src/login.rs",
        "what happened with Safari",
        "what calls session when a sailor comes",
        "which tests cover session",
        "what breaks if I change login.rs",
        "history of `session`",
        "-x marks the spot",
    ] {
        let asked = site.env.lore_in(&clone, &["ask", "--explain", "--", question], "").success();
        all.push_str(&asked.stdout);
    }
    expect![[r#"
        lore callers -- session
        lore impact -- session
        lore why -- src/login.rs:1
        lore why -- '!1'
        lore flow -- login session
        lore owners -- src/login.rs
        lore timeline -- Safari
        lore callers -- session
        lore tests -- session
        lore impact -- src/login.rs
        lore history -- session
        lore search --here -- '-x marks the spot'
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_question_alone_is_asked_and_answered_in_the_form_of_its_command() {
    let (site, clone) = harbour();
    let asked = site.env.lore_in(&clone, &["who calls session()?"], "").success();
    let typed = site.env.lore_in(&clone, &["callers", "session"], "").success();
    assert_eq!(asked.stdout, typed.stdout);
    let asked = site.env.lore_in(&clone, &["--json", "why was !1 merged?"], "").success();
    let typed = site.env.lore_in(&clone, &["why", "!1", "--json"], "").success();
    let data = |out: &str| serde_json::from_str::<serde_json::Value>(out).unwrap()["data"].clone();
    assert_eq!(data(&asked.stdout), data(&typed.stdout));
    // One word is a command, and is refused as one.
    assert!(site.env.lore_in(&clone, &["sessions"], "").to_string().contains("unrecognized"));
}

#[test]
fn a_question_that_says_nothing_is_refused_as_one() {
    let (site, clone) = harbour();
    for empty in ["", " ", "#"] {
        let refused = site.env.lore_in(&clone, &[empty], "").to_string();
        assert!(refused.contains("the question is empty"), "{empty:?}: {refused}");
    }
}

#[test]
fn a_name_nobody_knows_is_searched_for() {
    let (site, clone) = harbour();
    let asked = site.env.lore_in(&clone, &["ask", "why was !99 about the cookie"], "").success();
    assert!(asked.stdout.contains("cookie"), "{asked}");
    assert!(asked.stderr.contains("!99"), "{asked}");
}

#[test]
fn a_name_written_as_code_that_is_not_there_is_told_with_near_ones() {
    let (site, clone) = harbour();
    let asked = site.env.lore_in(&clone, &["who calls sesion_()"], "").failure(17);
    assert!(asked.stderr.contains("no symbol `sesion_`"), "{asked}");
    assert!(asked.stderr.contains("did you mean session"), "{asked}");
}

/// A type of this repository and a method of that name in another one are not joined.
#[test]
fn a_member_is_of_the_repository_around() {
    let env = crate::lore();
    let repository = |name: &str, files: &[(&str, &str)]| {
        let at = model::Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
        let ada = sim::git::Signature::new("Ada", "ada@example.com", at);
        let mut history = sim::git::History::new("main");
        history.commit("main", &ada, "Write", &sim::git::written(files)).unwrap();
        history.write(&env.dir().join(name)).unwrap();
        let _read = env.lore_in(&env.dir().join(name), &["index", "-q"], "").success();
        env.dir().join(name)
    };
    let theirs = "class Cart:\n    def settle_all(self):\n        return 1\n";
    let _ = repository("theirs", &[("cart.py", theirs)]);
    let own = "class Cart:\n    def add_one(self):\n        return 1\n\n\n\
        def settle_all():\n    return 2\n";
    let dir = repository("own", &[("cart.py", own)]);
    let asked =
        |question: &str| env.lore_in(&dir, &["ask", "--explain", "--", question], "").success();
    let told = asked("who calls `settle_all` of `Cart`?").stdout;
    assert!(!told.contains("Cart.settle_all"), "{told}");
    let told = asked("who calls `add_one` of `Cart`?").stdout;
    assert!(told.contains("Cart.add_one"), "{told}");
}
