//! Programs of others that tests drive: clients, SDKs, language servers.
//!
//! `cargo xtask ci` installs them, says where they are through variables, and names
//! in its summary those it could not install. A test that has none proves nothing, so
//! it fails wherever that matters: where `CI` is set, or [`REQUIRED`].

use std::ffi::OsString;

/// Set by `cargo xtask ci` when it found everything.
pub const REQUIRED: &str = "LORE_TEST_PROGRAMS_REQUIRED";

/// What `variable` names; none where the test is to be left out.
///
/// # Panics
///
/// Where the program must be there and is not.
pub fn program(variable: &str) -> Option<OsString> {
    let named = std::env::var_os(variable).filter(|value| !value.is_empty());
    if named.is_none() {
        leave_out(&format!("{variable} is not set; `cargo xtask ci` sets it"));
    }
    named
}

/// Leaves a test out, because of `why`.
///
/// # Panics
///
/// Where no test may be left out.
pub fn leave_out(why: &str) {
    let forbidden = ["CI", REQUIRED].into_iter().find(|name| std::env::var_os(name).is_some());
    if let Some(name) = forbidden {
        panic!("a test must not be left out where {name} is set: {why}");
    }
}
