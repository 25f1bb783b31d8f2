//! Functions that are written once for each system they run on.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    ("include/loop.h", "int loop_run(int mode);\nint loop_stop(void);\n"),
    (
        "src/unix/core.c",
        "#include \"loop.h\"\n\nint loop_run(int mode) { return mode; }\nint loop_stop(void) { return loop_run(0); }\n",
    ),
    (
        "src/win/core.c",
        "#include \"loop.h\"\n\n#define WAIT 1\n\nint loop_run(int mode) { return mode + WAIT; }\n",
    ),
    (
        "src/common.c",
        "#include \"loop.h\"\n\nint both(void) { return loop_run(1) + loop_stop(); }\n",
    ),
    (
        "test/test-loop.c",
        "#include \"loop.h\"\n\nstatic int helper(void) { return loop_run(2); }\nint main(void) { return helper(); }\n",
    ),
    // Programs of their own, without a declaration in common.
    (
        "tools/a/main.c",
        "int usage(int code) { return code; }\nint main(void) { return usage(1); }\n",
    ),
    ("tools/b/main.c", "int usage(int code) { return code; }\n"),
    ("tools/c.c", "int other(void) { return usage(1); }\n"),
];

fn world(env: &TestEnv) {
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Run loops", &written(FILES)).unwrap();
    history.write(&env.dir().join("loop")).unwrap();
    let _ = env.lore_in(&env.dir().join("loop"), &["index", "-q"], "").success();
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("loop"), args, "").success().stdout
}

#[test]
fn a_function_of_each_system_is_one_with_its_declaration() {
    let env = TestEnv::new(BINARY);
    world(&env);
    let mut all = String::new();
    for args in [
        &["callers", "loop_run"][..],
        &["callers", "loop_run", "--split"],
        &["--agent", "callers", "loop_run"],
        &["callees", "both"],
        &["callers", "usage"],
        &["--agent", "impact", "src/win/core.c:loop_run"],
        &["--agent", "impact", "include/loop.h:loop_run"],
        &["--agent", "tests", "src/win/core.c:loop_run"],
    ] {
        all.push_str(&format!("$ {}\n{}", args.join(" "), lore(&env, args)));
    }
    expect![[r#"
        $ callers loop_run
        # function core.loop_run  src/unix/core.c:3
        # one of 2 definitions: src/win/core.c:5; declared include/loop.h:1
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	core.loop_stop	src/unix/core.c:4	calls	src/unix/core.c:4	0.95
        1	function	common.both	src/common.c:3	calls	src/common.c:3	0.60
        1	function	test-loop.helper	test/test-loop.c:3	calls	test/test-loop.c:3	0.60
        $ callers loop_run --split
        # function core.loop_run  src/unix/core.c:3
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	core.loop_stop	src/unix/core.c:4	calls	src/unix/core.c:4	0.95
        1	function	common.both	src/common.c:3	calls	src/common.c:3	0.60
        1	function	test-loop.helper	test/test-loop.c:3	calls	test/test-loop.c:3	0.60
        # the name also means:
        # function core.loop_run  src/win/core.c:5
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	common.both	src/common.c:3	calls	src/common.c:3	0.60
        1	function	test-loop.helper	test/test-loop.c:3	calls	test/test-loop.c:3	0.60
        # function loop.loop_run  include/loop.h:1
        # no callers; reflection, generated code, configuration and repositories that are not indexed are not seen
        # one alone: lore callers src/unix/core.c:3
        $ --agent callers loop_run
        callers of loop_run src/unix/core.c:3: 3
        also defined src/win/core.c:5
        declared include/loop.h:1
        src/common.c both?:3
        src/unix/core.c loop_stop:4
        in tests:
        test/test-loop.c helper?:3
        $ callees both
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	core.loop_stop	src/unix/core.c:4	calls	src/common.c:3	0.95
        1	function	core.loop_run	src/unix/core.c:3	calls	src/common.c:3	0.60
        1	function	core.loop_run	src/win/core.c:5	calls	src/common.c:3	0.60
        $ callers usage
        # function main.usage  tools/a/main.c:1
        DEPTH	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	function	main.main	tools/a/main.c:2	calls	tools/a/main.c:2	0.95
        # 1 of 2 calls of this name are bound; 1 could not be resolved
        #   tools/c.c:1  usage  in c.other
        # the name also means:
        # function main.usage  tools/b/main.c:1
        # no callers; reflection, generated code, configuration and repositories that are not indexed are not seen
        # one alone: lore callers tools/a/main.c:1
        $ --agent impact src/win/core.c:loop_run
        changing loop_run src/win/core.c:5 reaches 3 symbols, 2 of them tests
        src/common.c both:3
        tests:
        test/test-loop.c helper:3, main:4
        $ --agent impact include/loop.h:loop_run
        changing loop_run include/loop.h:1 reaches 6 symbols, 2 of them tests
        src/unix/core.c loop_run(implements):3
        src/win/core.c loop_run(implements):5
        2 steps away:
        src/common.c both:3
        src/unix/core.c loop_stop:4
        tests:
        test/test-loop.c helper:3, main:4
        $ --agent tests src/win/core.c:loop_run
        test/test-loop.c helper, main
    "#]].assert_eq(&all);
}

#[test]
fn a_way_begins_in_the_program_that_comes_there() {
    let env = TestEnv::new(BINARY);
    world(&env);
    let mut all = String::new();
    for args in [&["flow", "main", "tools/a/main.c:usage"][..], &["flow", "main", "loop_run"]] {
        all.push_str(&format!("$ {}\n{}", args.join(" "), lore(&env, args)));
    }
    expect![[r#"
        $ flow main tools/a/main.c:usage
        PATH	STEP	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	0	function	main.main	tools/a/main.c:2
        1	1	function	main.usage	tools/a/main.c:1	calls	tools/a/main.c:2	0.95
        # `main` is tools/a/main.c:2; 1 more of this name: lore symbol main
        $ flow main loop_run
        PATH	STEP	KIND	SYMBOL	PLACE	EDGE	SITE	CONFIDENCE
        1	0	function	test-loop.main	test/test-loop.c:4
        1	1	function	test-loop.helper	test/test-loop.c:3	calls	test/test-loop.c:4	0.95
        1	2	function	core.loop_run	src/unix/core.c:3	calls	test/test-loop.c:3	0.60
        2	0	function	test-loop.main	test/test-loop.c:4
        2	1	function	test-loop.helper	test/test-loop.c:3	calls	test/test-loop.c:4	0.95
        2	2	function	core.loop_run	src/win/core.c:5	calls	test/test-loop.c:3	0.60
        # `main` is test/test-loop.c:4; 1 more of this name: lore symbol main
    "#]]
    .assert_eq(&all);
}
