//! A file's name inside a repository: any bytes but NUL, parted by `/`.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

/// The bytes git has. Most are UTF-8; none need be.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Box<[u8]>);

impl RepoPath {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        RepoPath(bytes.into().into_boxed_slice())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text. Bytes that are no UTF-8 become `\xNN`, so that two
    /// files do not share a name as they would with replacement characters.
    pub fn text(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return Cow::Borrowed(text);
        }
        let mut text = String::new();
        for chunk in self.0.utf8_chunks() {
            text.push_str(chunk.valid());
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        Cow::Owned(text)
    }

    /// As a path of this system, relative to the work tree.
    pub fn to_path(&self) -> PathBuf {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            PathBuf::from(std::ffi::OsStr::from_bytes(&self.0))
        }
        #[cfg(not(unix))]
        PathBuf::from(self.text().as_ref())
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        RepoPath::new(text.as_bytes())
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_stay_apart() {
        assert_eq!(RepoPath::from("src/é.rs").text(), "src/é.rs");
        assert_eq!(RepoPath::new(*b"a\xff\nb").text(), "a\\xff\nb");
        assert_ne!(RepoPath::new(*b"a\xff").text(), RepoPath::new(*b"a\xfe").text());
    }
}
