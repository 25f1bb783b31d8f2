//! Sequences of what agents do, played through the hooks: what lore says at each step
//! is written beside it. Every line was judged; `verdicts.tsv` says how.
//!
//! A file of `sequences/` holds steps: `> EVENT JSON`, then what was said, or nothing.
//! `$DIR` is the clone. `! sh COMMAND` changes the work tree in between.

use super::Shop;
use expect_test::expect_file;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/agents")
}

fn sequences() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("sequences")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Plays a sequence in a session of its own; the file as it should be.
fn play(shop: &Shop, path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let dir = shop.dir().display().to_string();
    let mut out = String::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("! ") {
            let _ = writeln!(out, "! {command}");
            let ran = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(shop.dir())
                .status()
                .unwrap();
            assert!(ran.success(), "{command}");
        } else if let Some(step) = line.strip_prefix("> ") {
            let _ = writeln!(out, "> {step}");
            let (event, json) = step.split_once(' ').unwrap_or((step, "{}"));
            let json = json.replace("$DIR", &dir);
            let mut input: serde_json::Value = serde_json::from_str(&json)
                .unwrap_or_else(|error| panic!("{name}: {error}: {json}"));
            input["session_id"] = name.clone().into();
            input["cwd"] = dir.clone().into();
            let said = shop.hook("claude", event, &input);
            out.push_str(&context(&said).replace(&dir, "$DIR"));
        } else if line.starts_with('#') {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// The text that the agent's model reads.
fn context(said: &str) -> String {
    if said.is_empty() {
        return String::new();
    }
    let answer: serde_json::Value = serde_json::from_str(said).unwrap();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

/// Lines that lore said, without heads.
fn said_lines(played: &str) -> impl Iterator<Item = &str> {
    played.lines().filter(|line| {
        !line.is_empty()
            && !line.starts_with(['>', '!', '#'])
            && !line.starts_with("lore (data")
            && !line.starts_with("Project memory (lore)")
    })
}

#[test]
fn sequences_of_agents_get_what_was_judged_useful() {
    let all = sequences();
    assert!(all.len() >= 30, "{} sequences", all.len());
    let shop = Shop::new();
    let mut said: Vec<String> = Vec::new();
    for path in &all {
        let played = play(&shop, path);
        said.extend(said_lines(&played).map(str::to_owned));
        expect_file![path].assert_eq(&played);
        // Edits of one sequence are not those of the next.
        let dir = shop.dir().display().to_string();
        let _clean = shop.site.env.git(&["-C", &dir, "checkout", "-q", "--", "."]).success();
    }
    let verdicts = std::fs::read_to_string(folder().join("verdicts.tsv")).unwrap();
    let verdicts: BTreeMap<&str, &str> =
        verdicts.lines().filter_map(|line| line.split_once('\t').map(|(a, b)| (b, a))).collect();
    let unjudged: Vec<&String> =
        said.iter().filter(|line| !verdicts.contains_key(line.as_str())).collect();
    assert!(unjudged.is_empty(), "judge these in verdicts.tsv: {unjudged:#?}");
    let noisy = said.iter().filter(|line| verdicts[line.as_str()] == "noise").count();
    assert!(noisy * 20 <= said.len(), "{noisy} of {} lines are noise", said.len());
    for (line, verdict) in &verdicts {
        assert!(["useful", "neutral", "noise"].contains(verdict), "{verdict}: {line}");
        assert!(said.iter().any(|it| it == line), "nobody says this any more: {line}");
    }
}

#[test]
fn no_event_costs_more_than_its_budget() {
    let shop = Shop::new();
    for path in sequences() {
        let played = play(&shop, &path);
        let mut answers: Vec<(&str, String)> = Vec::new();
        for line in played.lines() {
            if let Some(step) = line.strip_prefix("> ") {
                let event = step.split(' ').next().unwrap_or_default();
                answers.push((event, String::new()));
            } else if let Some((_, text)) = answers.last_mut() {
                let _ = writeln!(text, "{line}");
            }
        }
        for (event, text) in answers {
            let most = match event {
                "session-start" | "sub-agent" => 60,
                "before-tool" => 120,
                "after-tool" => 80,
                // What people kept for prompts has its own limit of 1,500 characters.
                _ => 500,
            };
            let n_tokens = wire::tokens::count(&text);
            assert!(n_tokens <= most, "{event}: {n_tokens} tokens in {}: {text}", path.display());
        }
    }
}
