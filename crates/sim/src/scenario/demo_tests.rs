//! The demo loads, and is consistent with itself and with its repositories.

use super::demo;

#[test]
fn it_loads() {
    let dir = tempfile::tempdir().unwrap();
    demo::load_with_git(dir.path()).unwrap_or_else(|error| panic!("{error}"));
}
