//! The commits that changed one symbol: `lore history` and `lore when`.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{FileChange, History, MergeAs, MergeStyle, Signature, written};
use testkit::TestEnv;

const WALLET: &str = "shop/Wallet.java";

fn wallet(methods: &str) -> String {
    format!("package shop;\n\npublic class Wallet {{\n  private long cents;\n\n{methods}}}\n")
}

const PAY: &str = "  public void pay(long amount) {
    check(amount);
    cents -= amount;
    ledger.book(amount);
  }
";

const BALANCE: &str = "
  public long balance() {
    return cents;
  }
";

struct Shop {
    history: History,
    day: i64,
}

impl Shop {
    fn signature(&mut self) -> Signature {
        self.day += 1;
        let start = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
        let at = Timestamp::from_millis(start.as_millis() + self.day * 86_400_000);
        Signature::new("Ada", "ada@example.com", at)
    }

    fn commit(&mut self, branch: &str, message: &str, files: &[(&str, &str)], gone: &[&str]) {
        let mut changes = written(files);
        changes.extend(gone.iter().map(|path| FileChange::Delete { path: (*path).to_owned() }));
        let by = self.signature();
        self.history.commit(branch, &by, message, &changes).unwrap();
    }
}

/// A method that is written anew, laid out anew, renamed, moved with its class
/// into another file and changed on a branch.
fn shop() -> TestEnv {
    let mut shop = Shop { history: History::new("main"), day: 0 };
    let first = wallet("  public long balance() {\n    return cents;\n  }\n\n  int n;\n");
    shop.commit("main", "Open the shop", &[(WALLET, &first)], &[]);
    shop.commit("main", "Pay", &[(WALLET, &wallet(&format!("{PAY}{BALANCE}")))], &[]);
    let spread = PAY.replace("(long amount) {", "(\n      long amount\n  ) {");
    shop.commit("main", "Lay out anew", &[(WALLET, &wallet(&format!("{spread}{BALANCE}")))], &[]);
    let logged = spread.replace("cents -= amount;", "cents -= amount;\n    log(amount);");
    let body = wallet(&format!("{logged}{BALANCE}"));
    shop.commit(
        "main",
        "Log payments\n\nWithout this nobody sees what was paid.",
        &[(WALLET, &body)],
        &[],
    );
    let documented = format!("  /** Takes money out. */\n  @Deprecated\n{logged}");
    let body = wallet(&format!("{documented}{BALANCE}"));
    shop.commit("main", "Document pay", &[(WALLET, &body)], &[]);
    let renamed = documented.replace("void pay(", "void settle(");
    let body = wallet(&format!("{renamed}{BALANCE}"));
    shop.commit("main", "Call it settle", &[(WALLET, &body)], &[]);
    let other = BALANCE.replace("return cents", "return cents + 0");
    let body = wallet(&format!("{renamed}{other}"));
    shop.commit("main", "Balance", &[(WALLET, &body)], &[]);
    let purse =
        body.replace("class Wallet", "class Purse").replace("package shop", "package money");
    shop.commit("main", "A purse", &[("money/Purse.java", &purse)], &[WALLET]);
    shop.history.branch("side", "main").unwrap();
    let private = purse.replace("public void settle", "void settle");
    shop.commit("side", "Hide settle", &[("money/Purse.java", &private)], &[]);
    shop.commit("main", "Elsewhere", &[("README.md", "A shop.\n")], &[]);
    let by = shop.signature();
    let how = MergeAs {
        style: MergeStyle::Merge,
        by: &by,
        author: &by,
        message: "Merge branch 'side'",
        squash_message: "",
    };
    shop.history.merge("side", "main", how).unwrap();
    let env = TestEnv::new(BINARY);
    shop.history.write(&env.dir().join("shop")).unwrap();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("shop"), args, "").to_string()
}

/// `change aspects: subject` of each step, newest first.
fn steps(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let answer = env.lore_in(&env.dir().join("shop"), args, "").success();
    let answer: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    let steps = answer["data"]["steps"].as_array().unwrap().iter();
    steps
        .map(|step| {
            let aspects: Vec<&str> =
                step["aspects"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
            let (change, subject) = (&step["change"], &step["subject"]);
            format!(
                "{} {}: {}",
                change.as_str().unwrap(),
                aspects.join(","),
                subject.as_str().unwrap()
            )
        })
        .collect()
}

const SETTLE: &str = "money/Purse.java#Purse.settle";

#[test]
fn a_symbol_is_followed_through_names_files_and_branches() {
    let env = shop();
    let told = steps(&env, &["history", SETTLE, "--json"]);
    assert_eq!(
        told,
        [
            "changed visibility: Hide settle",
            "moved : A purse",
            "renamed : Call it settle",
            "changed annotations,doc: Document pay",
            "changed body: Log payments",
            "introduced : Pay",
        ]
    );
    // What is stored and what git tells are one history.
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    assert_eq!(steps(&env, &["history", SETTLE, "--json"]), told);
    assert_eq!(steps(&env, &["history", "Purse.settle", "--json"]), told);
    let before = steps(&env, &["history", "shop/Wallet.java#pay", "--at", "HEAD~6", "--json"]);
    assert_eq!(before, &told[4..]);
}

#[test]
fn a_history_reads_as_a_list_with_reasons() {
    let env = shop();
    expect![[r#"
        Purse.settle  money/Purse.java:8  method
        6 changes since 2024-05-03T10:00:00.000Z
        was Wallet.settle in shop/Wallet.java, Wallet.pay in shop/Wallet.java

        2024-05-10T10:00:00.000Z  changed visibility  70b5286b0d  Hide settle  Ada
        2024-05-09T10:00:00.000Z  moved  fbaf7564ef  A purse  Ada
            from Wallet.settle in shop/Wallet.java
        2024-05-03T10:00:00.000Z  introduced  4b76af7267  Pay  Ada
        the clone is not indexed: git was asked for every commit, and no merge request is known (lore index)
    "#]].assert_eq(&lore(&env, &["history", SETTLE, "-n", "3"]));
}

#[test]
fn an_agent_reads_the_beginning_and_the_names_first() {
    let env = shop();
    expect![[r#"
        history of Purse.settle money/Purse.java:8: 6 changes
        began 2024-05-03 4b76af7267 Ada: Pay
        moved from Wallet.settle in shop/Wallet.java 2024-05-09 fbaf7564ef Ada: A purse
        renamed from Wallet.pay 2024-05-07 8d71f4fbbf Ada: Call it settle
        2024-05-10 70b5286b0d Ada: Hide settle
        2024-05-06 cf0d7e71e4 Ada: Document pay
        2024-05-05 eaa32c8f92 Ada: Log payments — Without this nobody sees what was paid.
        missing: the clone is not indexed: git was asked for every commit, and no merge request is known; lore index
    "#]].assert_eq(&lore(&env, &["--agent", "history", SETTLE]));
    // What the newest steps do not tell of is said in a line.
    expect![[r#"
        history of Purse.settle money/Purse.java:8: 6 changes
        began 2024-05-03 4b76af7267 Ada: Pay
        was Wallet.settle in shop/Wallet.java, Wallet.pay in shop/Wallet.java
        5 more; --json -n 6 has them
        missing: the clone is not indexed: git was asked for every commit, and no merge request is known; lore index
    "#]].assert_eq(&lore(&env, &["--agent", "history", SETTLE, "-n", "1"]));
}

#[test]
fn a_use_has_a_beginning_and_an_end() {
    let env = shop();
    let told = lore(&env, &["when", SETTLE, "log"]);
    assert!(told.starts_with("Purse.settle uses log  money/Purse.java:8\n"), "{told}");
    assert!(told.contains("began 2024-05-05T10:00:00.000Z  changed body"), "{told}");
    assert!(told.contains("Without this nobody sees what was paid."), "{told}");
    let told = lore(&env, &["when", SETTLE, "printer"]);
    assert!(told.contains("does not use printer") && told.contains("it never did"), "{told}");
}

#[test]
fn what_cannot_be_found_is_said_with_what_to_do() {
    let env = shop();
    let told = lore(&env, &["history", "money/Purse.java#setle"]);
    assert!(told.contains("no symbol `setle`") && told.contains("did you mean"), "{told}");
    let told = lore(&env, &["history", "money/Purse.java:900"]);
    assert!(told.contains("no symbol at line 900"), "{told}");
    let told = lore(&env, &["history", "nobody"]);
    assert!(told.contains("can only be found in indexed code"), "{told}");
    let told = lore(&env, &["history", SETTLE, "--at", "maim"]);
    assert!(told.contains("did you mean main?"), "{told}");
}

const TIDE: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
commit "Initial import" by ada at 2024-01-09T09:00
  write tide/level.py
    | def level(port, at):
    |     return table(port)[at]
    |
    |
    | def table(port):
    |     return {}
issue #1 "Levels are read for the wrong day" by ada at 2024-01-09T10:00
mr !1 "Levels by day" by bo at 2024-01-10T09:00 from days
  | Closes #1
  commit "Ask for a day" +5m
    edit tide/level.py
      - def level(port, at):
      + def level(port, day, at):
  merge by ada +1h
mr !2 "Tables from a file" by bo at 2024-01-20T09:00 from tables
  commit "Read tables" +5m
    edit tide/level.py
      -     return {}
      +     return load(port)
  merge by ada +1h
"#;

/// The merge requests that changed a symbol, and no others, begin its timeline.
#[test]
fn a_timeline_begins_with_the_merge_requests_of_a_symbol() {
    let site = testkit::Site::with_clones(BINARY, TIDE);
    site.sync();
    let dir = site.env.dir().join("harbor/tide");
    let _ = site.env.lore_in(&dir, &["index", "-q"], "").success();
    for (typed, own, other) in [
        ("tide/level.py#level", "Levels by day", "Tables from a file"),
        ("tide/level.py:5", "Tables from a file", "Levels by day"),
    ] {
        let told = site.env.lore_in(&dir, &["timeline", typed, "--json"], "").success().stdout;
        assert!(told.contains(own), "{typed}: {told}");
        assert!(!told.contains(other), "{typed}: {told}");
        let answer: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(answer["meta"]["search_mode"], "symbol", "{typed}: {told}");
    }
}

#[test]
fn of_several_symbols_of_a_name_the_one_that_uses_the_other_is_meant() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = written(&[
        ("win/loop.py", "def run_loop():\n    return 1\n"),
        ("unix/loop.py", "from poll import io_poll\n\n\ndef run_loop():\n    return io_poll()\n"),
        ("poll.py", "def io_poll():\n    return 2\n\n\ndef unused_poll():\n    return 3\n"),
    ]);
    history.commit("main", &ada, "Poll in the loop", &files).unwrap();
    history.write(&env.dir().join("it")).unwrap();
    let lore = |args: &[&str]| env.lore_in(&env.dir().join("it"), args, "").success();
    let _indexed = lore(&["index", "-q"]);
    let told = lore(&["when", "run_loop", "io_poll"]).stdout;
    assert!(told.contains("uses io_poll") && told.contains("unix/loop.py"), "{told}");
    let told = lore(&["when", "run_loop", "unused_poll"]).stdout;
    assert!(told.contains("nor did another symbol of its name"), "{told}");
    let told = lore(&["history", "run_loop"]);
    assert!(told.stderr.contains("of the same name: "), "{told}");
    assert!(told.stderr.contains("loop.py#"), "{told}");
}

/// Of a commit of more files than are matched with each other, the one that had the
/// function under another name is among those that are.
#[test]
fn a_rename_in_a_large_commit_is_followed() {
    let mut shop = Shop { history: History::new("main"), day: 0 };
    let body = "(account, ledger):\n    balance = ledger.outstanding_balance(account)\n    \
        interest = ledger.accrued_interest(account, balance)\n    \
        ledger.transfer_remainder(account, balance + interest)\n    \
        ledger.notify_customer(account, 'closing statement')\n    \
        return account.archive_documents(balance, interest)\n";
    let many = |sign: &str| -> Vec<(String, String)> {
        (0..120)
            .map(|at| {
                (
                    format!("bank/part_{at:03}.py"),
                    format!("def part_{at}(a):\n    return a {sign} {at}\n"),
                )
            })
            .collect()
    };
    let before =
        [many("+"), vec![("shop/zeal.py".to_owned(), format!("def settle{body}"))]].concat();
    let after = [many("-"), vec![("bank/close.py".to_owned(), format!("def close_account{body}"))]]
        .concat();
    fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
    }
    shop.commit("main", "Settle", &borrowed(&before), &[]);
    let rest = [("shop/zeal.py", "def other():\n    return 1\n")];
    shop.commit("main", "Move everything", &[borrowed(&after), rest.to_vec()].concat(), &[]);
    let env = TestEnv::new(BINARY);
    shop.history.write(&env.dir().join("repo")).unwrap();
    let args = ["history", "bank/close.py#close_account"];
    let told = env.lore_in(&env.dir().join("repo"), &args, "").success().stdout;
    assert!(told.contains("settle") && told.contains("shop/zeal.py"), "{told}");
}

/// sqlalchemy 2c1e517d03, junit5 8eaf84e960: the old name stayed for those who use it and only
/// calls the new one, whose history began there.
#[test]
fn a_rename_that_keeps_the_old_name_is_followed() {
    let mut shop = Shop { history: History::new("main"), day: 0 };
    let class = |methods: &str| format!("class Account:\n{methods}");
    let close = "(self, ledger, day):\n        balance = ledger.outstanding(self, day)\n        \
        ledger.transfer(self, balance + ledger.interest(self, day))\n        \
        return ledger.archive(self)\n";
    let first = class(&format!("    def settle{close}"));
    shop.commit("main", "Settle", &[("bank.py", &first)], &[]);
    let kept = "    def settle(self, ledger, day):\n        warn('settle is old, use close')\n        \
        return self.close_account(ledger, day)\n";
    let second = class(&format!("    def close_account{close}\n{kept}"));
    shop.commit("main", "Call it close_account", &[("bank.py", &second)], &[]);
    let env = TestEnv::new(BINARY);
    shop.history.write(&env.dir().join("repo")).unwrap();
    let history = |symbol: &str| {
        let args = ["history", symbol];
        env.lore_in(&env.dir().join("repo"), &args, "").success().stdout
    };
    let told = history("bank.py#Account.close_account");
    assert!(told.contains("renamed") && told.contains("introduced"), "{told}");
    let told = history("bank.py#Account.settle");
    assert!(told.contains("body") && told.contains("introduced"), "{told}");
}
