//! The demo history: two projects, two and a half years. `demo/README.md`
//! beside the texts tells who is who and what was decided where.

use super::{Scenario, ScenarioError, compile, compile_with_git, parse_parts};
use crate::World;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

macro_rules! part {
    ($name:literal) => {
        ($name, include_str!(concat!("../../demo/", $name)))
    };
}

/// The texts, in order, with the names errors call them by.
pub const PARTS: &[(&str, &str)] = &[
    part!("01-first-lines.scenario"),
    part!("02-first-season.scenario"),
    part!("03-wet-bulb.scenario"),
    part!("04-words.scenario"),
    part!("05-queue.scenario"),
    part!("06-tokens.scenario"),
    part!("07-the-night-of-17-april.scenario"),
    part!("08-taken-back.scenario"),
    part!("09-keys-off.scenario"),
    part!("10-third-season.scenario"),
];

/// The project whose clone has the memory.
const REMEMBERED_IN: &str = "orchard/frostline";

macro_rules! memory {
    ($name:literal) => {
        ($name, include_str!(concat!("../../demo/memory/", $name)))
    };
}

/// What the team wrote down, by name below `.lore/memory`.
const MEMORY: &[(&str, &str)] = &[
    memory!("decisions.jsonl"),
    memory!("patterns.yaml"),
    memory!("graph.json"),
    memory!("handoffs/2024-08-22-the-draft-that-warns-two-hours-ahead-n896sj8x.md"),
];

/// All texts as one.
pub fn scenario_text() -> String {
    PARTS.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")
}

pub fn scenario() -> Result<Scenario, ScenarioError> {
    parse_parts(PARTS)
}

/// The demo as a world.
pub fn load() -> Result<World, ScenarioError> {
    compile(&scenario()?)
}

/// The demo as a world, with its repositories kept in
/// `<keep_dir>/<group>/<project>`: clones of where the forge says they are, one
/// of them with what the team wrote down.
pub fn load_with_git(keep_dir: &Path) -> Result<World, ScenarioError> {
    let world = compile_with_git(&scenario()?, keep_dir)?;
    for project in world.projects() {
        let clone = keep_dir.join(&project.path);
        add_remote(&clone, &project.path).map_err(|error| unwritten(&clone, &error))?;
    }
    let memory = keep_dir.join(REMEMBERED_IN).join(".lore/memory");
    for (name, text) in MEMORY {
        write(&memory.join(name), text).map_err(|error| unwritten(&memory, &error))?;
    }
    Ok(world)
}

/// As `git remote add` would, without a process for it.
fn add_remote(clone: &Path, project: &str) -> std::io::Result<()> {
    let mut config = OpenOptions::new().append(true).open(clone.join(".git/config"))?;
    write!(
        config,
        "[remote \"origin\"]\n\turl = https://gitlab.example.com/{project}.git\n\
         \tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    )
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, text)
}

fn unwritten(path: &Path, error: &std::io::Error) -> ScenarioError {
    ScenarioError::new(path.display().to_string(), 0, error.to_string())
}
