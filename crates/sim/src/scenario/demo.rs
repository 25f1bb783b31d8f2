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
    part!("01-first-season.scenario"),
    part!("02-wet-bulb-and-words.scenario"),
    part!("03-queue-and-keys.scenario"),
    part!("04-the-night-of-17-april.scenario"),
    part!("05-keys-off.scenario"),
    part!("06-third-season.scenario"),
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
