//! Tells the binary what it was built for and, in a release, from which commit.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=LORE_BUILD_TARGET={target}");
    // A development build would be rebuilt at every commit only to carry a
    // hash that is stale again after the next edit, so it carries none.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let hash = if is_release { commit_hash() } else { None };
    println!("cargo::rustc-env=LORE_BUILD_COMMIT={}", hash.unwrap_or_default());
}

fn commit_hash() -> Option<String> {
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
