//! How many tokens an answer to an agent has, where nobody says otherwise.
//!
//! A default answer costs less than finding the same facts by searching and reading;
//! the numbers are from `xtask eval tokens`.

/// Commands whose answers are longer or shorter than most.
const OF_COMMANDS: &[(&str, usize)] = &[
    ("callees", 600),
    ("callers", 600),
    ("context", 4_000),
    ("diff", 1_500),
    ("find", 600),
    ("flow", 500),
    ("impact", 800),
    ("map", 1_200),
    ("mrs", 1_200),
    ("issues", 1_200),
    ("outline", 1_200),
    ("overrides", 600),
    ("read", 3_000),
    ("search", 700),
    ("show", 1_200),
    ("subtypes", 600),
    ("symbol", 500),
    ("tests", 500),
    ("timeline", 900),
    ("trace", 700),
    ("why", 700),
];

/// Commands that print a document: what is left out of it would be missed.
const WHOLE: &[&str] = &[
    "completions",
    "config",
    "context",
    "export",
    "generate-docs",
    "help",
    "man",
    "mcp",
    "robot-docs",
    "schema",
];

const MOST: usize = 1_000;

pub fn of(command: &str) -> usize {
    if WHOLE.contains(&command) {
        return usize::MAX;
    }
    OF_COMMANDS.iter().find(|(name, _)| *name == command).map_or(MOST, |(_, most)| *most)
}
