//! The channels, one file each. `ALL` is their order in every output.

mod cochange;
mod concepts;
mod directory;
mod experience;
mod graph;
mod mentions;
mod names;
mod past;
mod text;
mod types;

pub use past::like_task;
pub use text::{file_frequencies, rarity};

use super::channel::Channel;

pub const ALL: &[&dyn Channel] = &[
    &text::Files,
    &text::Functions,
    &names::FileNames,
    &names::Names,
    &names::TypeNames,
    &names::ClassNames,
    &mentions::Paths,
    &mentions::Lines,
    &mentions::Traces,
    &mentions::Messages,
    &mentions::Modules,
    &mentions::Members,
    &past::EarlierChanges,
    &concepts::Concepts,
    &graph::Imports,
    &graph::RareImports,
    &directory::Directory,
    &cochange::CoChange,
    &graph::Callees,
    &types::Contents,
    &types::Constructors,
    &types::TypeUses,
    &types::Bases,
    &types::TypePopularity,
    &experience::Feedback,
    &experience::TaskMemory,
    &experience::Session,
];
