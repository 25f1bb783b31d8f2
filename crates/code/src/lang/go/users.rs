//! Which packages nobody outside can use.

/// Nobody can import `main`, …
pub fn is_main_package(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let package = lines.find_map(|line| line.trim_ascii().strip_prefix(b"package "));
    package.is_some_and(|name| {
        name.split(|byte| *byte == b'/').next().unwrap_or(name).trim_ascii() == b"main"
    })
}

/// … nor another module what lies in such a folder.
pub fn is_internal(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|it| it == "internal"))
}
