//! `cargo xtask eval tokens`: what an answer costs an agent, against searching and
//! reading until the same facts are on the screen.
//!
//! Each question names a repository, what lore is asked, the facts that must be in
//! the answer, and the steps of somebody who has `git grep`, bounded reads and `git
//! blame`, and guesses right every time: it reads only what helps, and stops as soon
//! as it has seen every fact. Facts about calls are from the edge truth.

use super::{Outcome, option};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Question {
    repo: String,
    kind: String,
    /// The command line after `lore`.
    ask: Vec<String>,
    /// Each must stand in the answer.
    facts: Vec<String>,
    /// Commands, in their order.
    baseline: Vec<Vec<String>>,
    /// The answer is in one file: where graphs lose.
    single_file: bool,
}

impl Question {
    fn read(row: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Value| -> Vec<String> {
            value.as_array().map(|items| items.iter().map(text).collect()).unwrap_or_default()
        };
        Question {
            repo: text(&row["repo"]),
            kind: text(&row["kind"]),
            ask: list(&row["ask"]),
            facts: list(&row["facts"]),
            baseline: row["baseline"]
                .as_array()
                .map(|steps| steps.iter().map(list).collect())
                .unwrap_or_default(),
            single_file: row["single_file"].as_bool().unwrap_or_default(),
        }
    }
}

struct Measured<'q> {
    question: &'q Question,
    tokens: usize,
    baseline: usize,
    missing: Vec<&'q str>,
    /// The steps did not lead to every fact either.
    is_baseline_short: bool,
}

impl Measured<'_> {
    fn ratio(&self) -> f64 {
        self.tokens as f64 / self.baseline.max(1) as f64
    }
}

/// What a client shows of one command.
const MOST_SHOWN: usize = 30_000;

pub fn run(options: &[&str]) -> Outcome<()> {
    let text = std::fs::read_to_string(option(options, "--questions")?)?;
    let sources = option(options, "--sources")?;
    let lore = option(options, "--lore")?.canonicalize()?;
    let questions: Vec<Question> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| Ok(Question::read(&serde_json::from_str(line)?)))
        .collect::<Outcome<_>>()?;
    let scratch = tempfile::tempdir()?;
    let mut by_repo: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
    for question in &questions {
        by_repo.entry(&question.repo).or_default().push(question);
    }
    let mut measured = Vec::new();
    for (name, questions) in by_repo {
        let machine =
            Machine { lore: &lore, home: scratch.path().join(name), dir: sources.join(name) };
        std::fs::create_dir_all(&machine.home)?;
        machine.lore(&["index".to_owned(), "-q".to_owned()])?;
        for question in questions {
            measured.push(machine.measure(question)?);
        }
    }
    report(&measured);
    Ok(())
}

/// A user's machine with one repository.
struct Machine<'a> {
    lore: &'a Path,
    home: PathBuf,
    dir: PathBuf,
}

impl Machine<'_> {
    fn lore(&self, words: &[String]) -> Outcome<String> {
        self.output(&self.lore.display().to_string(), words)
    }

    fn output(&self, program: &str, words: &[String]) -> Outcome<String> {
        let output = Command::new(program)
            .args(words)
            .current_dir(&self.dir)
            .env("HOME", &self.home)
            .env("LORE_AGENT", "1")
            .env("GIT_PAGER", "cat")
            .output()?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        let cut = text.floor_char_boundary(MOST_SHOWN);
        text.truncate(cut);
        Ok(text)
    }

    fn measure<'q>(&self, question: &'q Question) -> Outcome<Measured<'q>> {
        let answer = self.lore(&question.ask)?;
        let missing =
            question.facts.iter().map(String::as_str).filter(|fact| !answer.contains(fact));
        let mut seen = String::new();
        let mut baseline = 0;
        let has_all = |seen: &str| question.facts.iter().all(|fact| seen.contains(fact.as_str()));
        for step in &question.baseline {
            if has_all(&seen) {
                break;
            }
            let (program, words) = step.split_first().ok_or("an empty step")?;
            let text = self.output(program, words)?;
            // What is asked is paid for too.
            baseline += wire::tokens::count(&step.join(" ")) + wire::tokens::count(&text);
            // A read shows lines of a file that the agent knows.
            if let Some(path) = words.last() {
                seen.push_str(path);
            }
            seen.push_str(&text);
        }
        let asked = wire::tokens::count(&format!("lore {}", question.ask.join(" ")));
        Ok(Measured {
            question,
            tokens: asked + wire::tokens::count(&answer),
            baseline,
            missing: missing.collect(),
            is_baseline_short: !has_all(&seen),
        })
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn report(all: &[Measured<'_>]) {
    let mut kinds: BTreeMap<&str, Vec<&Measured<'_>>> = BTreeMap::new();
    for one in all {
        kinds.entry(&one.question.kind).or_default().push(one);
    }
    println!(
        "| kind | questions | all facts | lore tokens (median) | baseline (median) | ratio (median) | worst |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let row = |name: &str, of: &[&Measured<'_>]| {
        let right = of.iter().filter(|one| one.missing.is_empty()).count();
        let worst = of.iter().map(|one| one.ratio()).fold(0.0, f64::max);
        println!(
            "| {name} | {} | {right} | {:.0} | {:.0} | {:.2} | {worst:.2} |",
            of.len(),
            median(of.iter().map(|one| one.tokens as f64).collect()),
            median(of.iter().map(|one| one.baseline as f64).collect()),
            median(of.iter().map(|one| one.ratio()).collect()),
        );
    };
    for (name, of) in &kinds {
        row(name, of);
    }
    let every: Vec<&Measured<'_>> = all.iter().collect();
    row("all", &every);
    let single: Vec<&Measured<'_>> = all.iter().filter(|one| one.question.single_file).collect();
    row("single file", &single);
    let facts: usize = all.iter().map(|one| one.question.facts.len()).sum();
    let lost: usize = all.iter().map(|one| one.missing.len()).sum();
    println!("\nfacts: {} of {facts} found", facts - lost);
    println!("\nwhere we lose:");
    for one in all.iter().filter(|one| one.ratio() > 1.0 || !one.missing.is_empty()) {
        println!(
            "  {} `lore {}`: {} against {} tokens{}",
            one.question.repo,
            one.question.ask.join(" "),
            one.tokens,
            one.baseline,
            match one.missing.as_slice() {
                [] => String::new(),
                missing => format!("; not told: {}", missing.join(", ")),
            },
        );
    }
    for one in all.iter().filter(|one| one.is_baseline_short) {
        println!("  (the steps for `{}` do not lead to every fact)", one.question.ask.join(" "));
    }
}
