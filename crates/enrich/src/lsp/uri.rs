//! `file:` addresses and paths.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The address of a file. Everything but letters, digits and a few marks is
/// escaped, which every server undoes.
pub fn uri_of(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

/// The path of a `file:` address; none for any other, and for one with parts that
/// lead upward.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(rest.len());
    let mut at = rest.bytes();
    while let Some(byte) = at.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (high, low) = (digit(at.next()?)?, digit(at.next()?)?);
        bytes.push((high * 16 + low) as u8);
    }
    let path = PathBuf::from(OsStr::from_bytes(&bytes));
    let is_plain = !bytes.contains(&0)
        && path.components().all(|part| part != std::path::Component::ParentDir);
    is_plain.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        for path in ["/a/b c.py", "/ä/[id].ts", "/100%/#x?.go"] {
            assert_eq!(path_of(&uri_of(Path::new(path))).unwrap(), Path::new(path));
        }
        assert_eq!(uri_of(Path::new("/a b")), "file:///a%20b");
    }

    #[test]
    fn other_addresses_are_no_paths() {
        for uri in ["untitled:x", "file://host/a", "file:///a/../b", "file:///a%2", "jdt://x", ""] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
        assert_eq!(path_of("file:///a/%2e%2e/b"), None);
    }
}
