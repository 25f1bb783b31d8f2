//! What each channel counts: the only numbers of the fusion.
//!
//! Scores are added, not ranks: with ranks the first places lose what tells them
//! apart (docs/context.md has the measurement of both).

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Weight {
    pub channel: &'static str,
    pub file: f64,
    pub symbol: f64,
    /// Divided by the channel's best score first.
    pub is_relative: bool,
}

const fn weight(channel: &'static str, file: f64, symbol: f64, is_relative: bool) -> Weight {
    Weight { channel, file, symbol, is_relative }
}

pub const ALL: &[Weight] = &[
    weight("text", 1.0, 0.0, true),
    weight("functions", 0.65, 1.5, true),
    weight("file-name", 0.5, 0.0, false),
    weight("name", 0.0, 0.25, false),
    weight("type-name", 0.0, 0.3, false),
    weight("class-name", 0.0, 0.05, false),
    weight("path", 0.75, 0.0, false),
    weight("line", 0.0, 0.25, false),
    weight("trace", 0.7, 0.5, false),
    weight("message", 0.25, 0.25, false),
    weight("module", 0.15, 0.0, false),
    weight("member", 0.2, 0.45, false),
    weight("history", 0.35, 0.0, false),
    weight("concepts", 0.0, 0.1, true),
    weight("imports", 0.25, 0.0, true),
    weight("rare-imports", 0.2, 0.0, true),
    weight("directory", 0.3, 0.0, true),
    weight("co-change", 0.3, 0.0, true),
    weight("callees", 0.1, 0.35, false),
    weight("contents", 0.0, 0.75, false),
    weight("constructor", 0.0, 0.3, false),
    weight("used-types", 0.0, 0.35, true),
    weight("base-types", 0.0, 0.6, true),
    weight("popular", 0.0, 0.8, false),
    // A symbol of an ordinary answer has about 3 in all; what people said of it is
    // an eighth of that, what they looked at a fifth of their word.
    weight("feedback", 0.0, 0.35, false),
    weight("task-memory", 0.0, 0.3, false),
    weight("session", 0.0, 0.2, false),
];

/// What a symbol gets from its file's place, and from its length.
pub const FILE_OF_SYMBOL: f64 = 1.1;
pub const LENGTH: f64 = 0.3;
/// A type: what speaks for its members speaks for it too, and not each time it is meant.
pub const TYPE: f64 = -0.2;
/// A function inside of another one.
pub const NESTED: f64 = -0.2;
/// Documentation, examples, packaging.
pub const ASIDE: f64 = -0.1;

pub fn of(channel: &str) -> Weight {
    ALL.iter().copied().find(|it| it.channel == channel).unwrap_or(weight("", 0.0, 0.0, true))
}
