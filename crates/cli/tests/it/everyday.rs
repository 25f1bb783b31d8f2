//! Questions as agents ask them in the middle of work, and what they get in few lines.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

type Commit<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// A repository with these commits, one a day, indexed.
fn repo(env: &TestEnv, name: &str, commits: &[Commit<'_>]) {
    let mut history = History::new("main");
    for (day, (message, files)) in commits.iter().enumerate() {
        let at = Timestamp::parse_rfc3339(&format!("2024-05-{:02}T10:00:00Z", day + 1)).unwrap();
        let ada = Signature::new("Ada", "ada@example.com", at);
        history.commit("main", &ada, message, &written(files)).unwrap();
    }
    let dir = env.dir().join(name);
    history.write(&dir).unwrap();
    let _indexed = env.lore_in(&dir, &["index", "-q"], "").success();
}

fn asked(env: &TestEnv, name: &str, question: &[&str]) -> String {
    let args = [&["--agent"][..], question].concat();
    env.lore_in(&env.dir().join(name), &args, "").success().stdout
}

const WEB: &[(&str, &str)] = &[
    ("go.mod", "module example.com/web\n"),
    (
        "render/render.go",
        "package render\n\ntype Render interface {\n\tRender(to string) error\n}\n",
    ),
    (
        "render/kinds.go",
        "package render\n\ntype Text struct{}\n\nfunc (t Text) Render(to string) error { return nil }\n\n\
         type Page struct{}\n\nfunc (p Page) Render(to string) error { return nil }\n",
    ),
    (
        "context.go",
        "package web\n\ntype Context struct{}\n\nfunc (c *Context) Render(code int) {}\n\nfunc (c *Context) Next() {}\n",
    ),
    (
        "copy.go",
        "package web\n\nfunc (c *Context) Copy() *Context { return c }\n\nfunc serve(c *Context) { c.Next(); c.Render(1) }\n",
    ),
];

#[test]
fn a_type_is_meant_where_only_types_answer() {
    let env = TestEnv::new(BINARY);
    repo(&env, "web", &[("Serve", WEB)]);
    expect![[r#"
        subtypes of Render render/render.go:3: 2
        render/kinds.go Text:3, Page:7
    "#]]
    .assert_eq(&asked(&env, "web", &["who implements the Render interface"]));
    // Namesakes around which there is nothing are counted.
    let overrides = asked(&env, "web", &["overrides", "Render"]);
    assert!(overrides.contains("more of this name: no overrides"), "{overrides}");
    assert!(!overrides.contains("(none)"), "{overrides}");
}

#[test]
fn the_methods_of_a_type_are_listed_wherever_they_are_written() {
    let env = TestEnv::new(BINARY);
    repo(&env, "web", &[("Serve", WEB)]);
    expect![[r#"
        context.go:3 Context
        5 func (c *Context) Render(code int)
        7 func (c *Context) Next()
        copy.go
        3 func (c *Context) Copy() *Context
    "#]]
    .assert_eq(&asked(&env, "web", &["methods of Context"]));
    expect![[r#"
        callees of serve copy.go:5: 2
        context.go Context.Next:5, Context.Render:5
    "#]]
    .assert_eq(
        &asked(&env, "web", &["what does serve call"]).replace("copy.go Con", "context.go Con"),
    );
    // What was written since is one of them.
    let copy = env.dir().join("web/copy.go");
    let text = std::fs::read_to_string(&copy).unwrap() + "\nfunc (c *Context) Reset() {}\n";
    std::fs::write(&copy, text).unwrap();
    let members = asked(&env, "web", &["outline", "Context"]);
    assert!(members.contains("7 func (c *Context) Reset()"), "{members}");
}

const CRAWLER: &[(&str, &str)] = &[
    ("crawl/defaults.py", "# Seconds.\nDOWNLOAD_DELAY = 3\n"),
    (
        "crawl/fetch.py",
        "def wait(settings):\n    return settings.getfloat(\"DOWNLOAD_DELAY\")\n\n\n\
         def fetch(url):\n    raise ValueError(f\"unsupported scheme {url!r}: no handler\")\n",
    ),
    ("crawl/options.py", "def parse(parser):\n    parser.add(\"--dry-run\", dest=\"dry_run\")\n"),
    ("crawl/run.py", "def run(options):\n    return not options.dry_run\n"),
    ("docs/settings.md", "DOWNLOAD_DELAY: seconds between requests\n"),
    ("tests/test_fetch.py", "def test_delay(settings):\n    settings[\"DOWNLOAD_DELAY\"] = 1\n"),
];

#[test]
fn settings_flags_and_messages_are_found_where_they_stand() {
    let env = TestEnv::new(BINARY);
    repo(&env, "crawler", &[("Crawl", CRAWLER)]);
    let answer = asked(&env, "crawler", &["what does the DOWNLOAD_DELAY setting do"]);
    expect![[r#"
        crawl/defaults.py:2: DOWNLOAD_DELAY = 3
        crawl/fetch.py:2 wait: return settings.getfloat("DOWNLOAD_DELAY")
        docs/settings.md:1: DOWNLOAD_DELAY: seconds between requests
        in tests: tests/test_fetch.py 1
    "#]]
    .assert_eq(&answer);
    // A flag is read by a name that is written otherwise.
    let flag = asked(&env, "crawler", &["what does the --dry-run flag do"]);
    assert!(
        flag.contains("crawl/options.py:2 parse: ") && flag.contains("crawl/run.py:2 run: "),
        "{flag}"
    );
    // A message has values in it.
    let message =
        asked(&env, "crawler", &["where is \"unsupported scheme 'gopher': no handler\" raised"]);
    assert!(message.contains("crawl/fetch.py:6 fetch: "), "{message}");
    // What no file says is said, and no other answer is given.
    let args = ["--agent", "where is the error 'the disk is on fire' raised"];
    let none = env.lore_in(&env.dir().join("crawler"), &args, "").to_string();
    assert!(none.contains("no file says `the disk is on fire`"), "{none}");
    // A name that no symbol has, and files say.
    let unknown = asked(&env, "crawler", &["who calls settings.getfloat"]);
    assert!(unknown.contains("crawl/fetch.py:2 wait: "), "{unknown}");
    // Lines are those of now.
    std::fs::write(env.dir().join("crawler/crawl/run.py"), "\n\ndef go(it):\n    it.dry_run\n")
        .unwrap();
    let edited = asked(&env, "crawler", &["find", "--", "--dry-run"]);
    assert!(edited.contains("crawl/run.py:4 go: it.dry_run"), "{edited}");
}

#[test]
fn the_beginning_of_something_is_the_oldest_commit_that_says_it() {
    let env = TestEnv::new(BINARY);
    let file = |text: &'static str| [("a.txt", text)];
    repo(
        &env,
        "paint",
        &[
            ("Draw a dark line", &file("1")),
            ("Add dark mode", &file("2")),
            ("Fix dark mode: dark mode was dark mode twice", &file("3")),
        ],
    );
    let answer = asked(&env, "paint", &["since when is there a dark mode"]);
    let first: Vec<&str> = answer.lines().take(2).collect();
    assert_eq!(first[0], "the oldest that say it:");
    assert!(first[1].ends_with("Ada: Add dark mode"), "{answer}");
}

const LIBRARY: &[(&str, &str)] = &[
    ("lib/store.py", "class Store:\n    def keep(self, key):\n        return key\n"),
    ("lib/use.py", "def run(thing):\n    thing.keep(1)\n"),
    ("examples/a.py", "def run(thing):\n    thing.keep(1)\n"),
    ("benchmarks/b.py", "def run(thing):\n    thing.keep(1)\n"),
    ("tests/test_store.py", "def test_it(thing):\n    thing.keep(1)\n"),
    ("other/far.py", "def run(thing):\n    thing.keep(1)\n"),
    ("single_include/all.py", "# lib/store.py in one file.\n"),
    ("README", "single_include: everything in one file.\n"),
];

#[test]
fn calls_that_nobody_could_bind_begin_with_the_product() {
    let env = TestEnv::new(BINARY);
    repo(&env, "library", &[("Keep", LIBRARY)]);
    let callers = asked(&env, "library", &["callers", "Store.keep"]);
    let unbound = "not bound: lib/use.py:2, other/far.py:2, tests/test_store.py:2, \
                   benchmarks/b.py:2, examples/a.py:2";
    assert!(callers.contains(unbound), "{callers}");
    let impact = asked(&env, "library", &["impact", "Store.keep"]);
    assert_eq!(impact.matches("calls of the name").count(), 1, "{impact}");
}

#[test]
fn a_folder_is_explained_by_what_speaks_of_it() {
    let env = TestEnv::new(BINARY);
    repo(&env, "library", &[("Keep", LIBRARY)]);
    let why = asked(&env, "library", &["why", "single_include"]);
    assert!(why.contains("README:1"), "{why}");
}

#[test]
fn what_was_decided_is_told_apart_from_what_was_done_and_stays_here() {
    let env = TestEnv::new(BINARY);
    let proxies: &[Commit<'_>] = &[
        ("Trust proxies of the local network", &[("a.py", "A = 1\n")]),
        ("Trust proxies by their address", &[("a.py", "A = 2\n")]),
        ("Trust proxies behind proxies", &[("a.py", "A = 3\n")]),
        ("Log which proxies are trusted", &[("a.py", "A = 4\n")]),
    ];
    repo(&env, "web", proxies);
    repo(&env, "other", &[("Never trust proxies elsewhere", &[("b.py", "B = 1\n")])]);
    let question = "what was decided about trusted proxies";
    let said = asked(&env, "web", &[question]);
    assert!(said.starts_with("no decision recorded; what speaks of it:\n"), "{said}");
    assert_eq!(said.lines().filter(|line| line.contains("Ada")).count(), 3, "{said}");
    let plain = asked(&env, "web", &["which proxies do we trust and why"]);
    assert!(!plain.contains("elsewhere"), "{plain}");
    // Who does not ask a question searches everything.
    let everything = asked(&env, "web", &["search", "trust proxies", "--json"]);
    assert!(everything.contains("elsewhere"), "{everything}");
    let remember = ["remember", "decision", "Trusted proxies are listed by address", "--force"];
    let _kept = env.lore_in(&env.dir().join("web"), &remember, "").success();
    let said = asked(&env, "web", &[question]);
    let first = said.lines().next().unwrap_or_default();
    assert!(first.contains("Trusted proxies are listed by address"), "{said}");
    assert!(!said.contains("no decision recorded"), "{said}");
}

#[test]
fn a_commit_that_is_not_checked_out_explains_nothing() {
    let env = TestEnv::new(BINARY);
    let upload = |mode: &str| format!("def upload(file):\n    size = 1\n    return file{mode}\n");
    let (first, second, third) = (upload(""), upload(".chmod(1)"), upload(".keep()"));
    let commits: &[Commit<'_>] = &[
        ("Upload files", &[("up.py", first.as_str())]),
        ("Set the chmod mode of uploads", &[("up.py", second.as_str())]),
        ("Keep the mode", &[("up.py", third.as_str())]),
    ];
    repo(&env, "web", commits);
    let question = ["why", "upload", "--about", "chmod"];
    assert!(asked(&env, "web", &question).contains("Set the chmod mode"));
    let dir = env.dir().join("web").display().to_string();
    let _old = env.git(&["-C", &dir, "checkout", "-q", "HEAD~2"]).success();
    let old = asked(&env, "web", &question);
    assert!(!old.contains("Set the chmod mode"), "{old}");
    assert!(old.contains("Upload files"), "{old}");
}
