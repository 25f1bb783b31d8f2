//! The demo history: two projects, two and a half years. `demo/README.md`
//! beside the texts tells who is who and what was decided where.

use super::{Scenario, ScenarioError, compile, compile_with_git, parse_parts};
use crate::World;
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
/// `<keep_dir>/<group>/<project>`.
pub fn load_with_git(keep_dir: &Path) -> Result<World, ScenarioError> {
    compile_with_git(&scenario()?, keep_dir)
}
