//! The whole help as one committed file: a change of the surface is a diff.

use crate::lore;
use cli::commands::ENTRIES;
use expect_test::{expect, expect_file};
use std::fmt::Write as _;

#[test]
fn the_surface_is_what_the_snapshot_says() {
    let env = lore();
    let mut all = env.lore(&["--help"]).success().stdout;
    let _ = write!(all, "\n=== lore help all ===\n");
    all.push_str(&env.lore(&["help", "all"]).success().stdout);
    for entry in ENTRIES {
        let help = env.lore(&[entry.name, "--help"]).success().stdout;
        let _ = write!(all, "\n=== lore {} ===\n{help}", entry.name);
    }
    expect_file!["snapshots/help.txt"].assert_eq(&all);
}

#[test]
fn no_arguments_show_the_help() {
    let env = lore();
    assert_eq!(env.lore(&[]).success().stdout, env.lore(&["-h"]).success().stdout);
}

#[test]
fn help_knows_commands_and_topics() {
    let env = lore();
    assert_eq!(
        env.lore(&["help", "doctor"]).success().stdout,
        env.lore(&["doctor", "--help"]).success().stdout
    );
    let nested = env.lore(&["help", "config", "get"]).success().stdout;
    assert!(nested.contains("Usage: lore config get"), "{nested}");
    for topic in cli::help::TOPICS {
        let text = env.lore(&["help", topic.name]).success().stdout;
        assert!(text.starts_with(&topic.name.to_uppercase().replace('-', " ")), "{text}");
    }
    expect![[r"
        ------- stderr -------
        error: no command or topic `exit-code`
        hint: did you mean `lore help exit-codes`?
        [exit status: 2]
    "]]
    .assert_eq(&env.lore(&["help", "exit-code"]).to_string());
}

#[test]
fn mistyped_commands_and_values_get_a_hint() {
    let env = lore();
    expect![[r"
        ------- stderr -------
        error: unrecognized subcommand 'docter'

          tip: a similar subcommand exists: 'doctor'

        Usage: lore [OPTIONS] <COMMAND>

        For more information, try '--help'.
        [exit status: 2]
    "]]
    .assert_eq(&env.lore(&["docter"]).to_string());
    expect![[r#"
        {"ok":false,"error":{"code":"USAGE","message":"invalid value 'alway' for '--color <WHEN>' [possible values: auto, always, never]","suggestion":"a similar value exists: 'always'","retryable":false}}
        [exit status: 2]
    "#]]
    .assert_eq(&env.lore(&["version", "-J", "--color", "alway"]).to_string());
}

#[test]
fn the_exit_codes_are_documented() {
    expect_file!["snapshots/exit-codes.txt"]
        .assert_eq(&lore().lore(&["help", "exit-codes"]).success().stdout);
}

#[test]
fn the_environment_is_documented() {
    expect_file!["snapshots/environment.txt"]
        .assert_eq(&lore().lore(&["help", "environment"]).success().stdout);
}
