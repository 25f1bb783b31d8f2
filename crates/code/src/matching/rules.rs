//! Every weight and threshold of the matcher.
//!
//! Found on commits of fourteen repositories in four languages whose renames
//! and moves people had validated; `cargo xtask eval diff` measures them.

/// Punctuation says less than names.
pub const PUNCTUATION: f32 = 0.25;
/// A function of at most so many tokens is also compared by parts of its names.
pub const SMALL: usize = 40;
pub const SUB_WORDS: f32 = 0.85;

// Files that have no partner of the same path.
pub const FILE_LINES: f32 = 0.5;
pub const FILE_LINES_SAME_NAME: f32 = 0.2;
pub const FILE_SAME_NAME: f32 = 0.25;
pub const FILE_STEM: f32 = 0.08;
pub const FILE_PATH: f32 = 0.05;

// Overloads: functions of one name in one place.
pub const OVERLOAD: f32 = 0.35;
pub const OVERLOAD_SIGNATURE: f32 = 0.2;
pub const MOST_OVERLOADS: usize = 64;

// Types.
pub const TYPE_TEXT: f32 = 0.6;
pub const TYPE_MEMBERS: f32 = 0.4;
pub const TYPE_SAME_NAME: f32 = 0.25;
pub const TYPE_NAME: f32 = 0.18;
pub const TYPE_HOME: f32 = 0.15;
pub const TYPE_FILE: f32 = 0.10;
pub const TYPE_PATH: f32 = 0.20;
pub const TYPE_USERS: f32 = 0.30;
/// Accepted with the same name.
pub const TYPE_MOVED: f32 = 0.30;
/// Accepted under another name in the same place, less what names and users say.
pub const TYPE_RENAMED: f32 = 0.42;
pub const TYPE_RENAMED_NAME: f32 = 0.15;
pub const TYPE_RENAMED_USERS: f32 = 0.15;
/// Accepted under another name elsewhere.
pub const TYPE_ELSEWHERE: f32 = 0.50;
pub const TYPE_ELSEWHERE_NAME: f32 = 0.12;
pub const TYPE_ELSEWHERE_USERS: f32 = 0.25;
pub const TYPE_MASS: f32 = 20.0;
/// A type of the same name is another one if both have a better partner.
pub const CHAIN_SAME: f32 = 0.60;
pub const CHAIN_PARTNER: f32 = 0.45;
pub const CHAIN_BETTER: f32 = 0.15;

// Functions.
pub const NAME: f32 = 0.12;
pub const SIGNATURE: f32 = 0.10;
pub const USERS: f32 = 0.25;
pub const HOME: f32 = 0.10;
pub const RENAMED: f32 = 0.67;
/// Of a renamed function, unless its users agree.
pub const RENAMED_LEAST: f32 = 0.50;
/// Of a renamed function, where neither name nor users say anything.
pub const RENAMED_BLIND: f32 = 0.60;
/// Of a function that returns another type under a name with nothing in common.
pub const RENAMED_OTHER: f32 = 0.55;
pub const MOVED: f32 = 0.50;
pub const MOVED_KIN: f32 = 0.12;
pub const MOVED_SAME_FILE: f32 = 0.05;
/// Of a name that many functions have.
pub const MOVED_COMMON: f32 = 0.75;
pub const COMMON_NAME: usize = 4;
pub const ELSEWHERE: f32 = 0.75;
pub const ELSEWHERE_NAMED: f32 = 0.20;
pub const ELSEWHERE_MASS: f32 = 25.0;
pub const BODYLESS: f32 = 0.80;
/// What names or users must say of functions without a body …
pub const BODYLESS_NAME: f32 = 0.30;
/// … and names where another type is returned.
pub const BODYLESS_OTHER: f32 = 0.75;

/// Of the same name, but perhaps another function …
pub const EXCHANGED: f32 = 0.55;
/// … if one beside it is as much like it as this.
pub const EXCHANGED_FOR: f32 = 0.85;

// Fields and constants in one place.
pub const VALUE_USERS: f32 = 0.5;
pub const VALUE_DECLARED: f32 = 0.75;

// One to many and many to one.
pub const PUSHED_DOWN: f32 = 0.40;
pub const PUSHED_DOWN_ABSTRACT: f32 = 0.20;
pub const PULLED_UP: f32 = 0.50;

// Guesses.
pub const GUESS: f32 = 0.30;
pub const GUESS_NAME: f32 = 0.5;

/// How deep types may lie in each other before they are left out.
pub const MOST_NESTED: u32 = 8;
/// Candidates one symbol is compared with.
pub const MOST_CANDIDATES: usize = 48;
/// Comparisons in all; beyond them, only candidates with rare tokens in common.
pub const MOST_COMPARISONS: usize = 40_000;
/// A token in more symbols than this leads to none of them.
pub const COMMON_TOKEN: usize = 200;
/// Rare tokens of a symbol that are looked up.
pub const RARE_TOKENS: usize = 16;
