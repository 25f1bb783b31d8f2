//! Bounded reading: regular files only, and never more than was agreed.

use crate::below::{MissingFolders, is_link, is_link_error, open_parent_below};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadError {
    NotFound,
    /// A folder, a device, a pipe or a socket.
    NotRegular,
    TooLarge {
        limit: u64,
    },
    /// A symbolic link where none is followed.
    Link,
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotFound => f.write_str("no such file"),
            ReadError::NotRegular => f.write_str("not a regular file"),
            ReadError::TooLarge { limit } => write!(f, "larger than {limit} bytes"),
            ReadError::Link => f.write_str("a symbolic link, which is not followed here"),
            ReadError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::NotFound,
            _ if is_link_error(&error) => ReadError::Link,
            _ => ReadError::Io(error),
        }
    }
}

// Opening a pipe for reading waits for a writer, unless told not to; opening a
// terminal must not make it ours.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// The content of a regular file of at most `limit` bytes; links are followed.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = rustix::fs::open(path, READ, Mode::empty()).map_err(io::Error::from)?;
    read_regular(file, limit)
}

/// A regular file opened for reading, for those who map it; a link in its place
/// is refused.
pub fn open_regular(path: &Path) -> Result<File, ReadError> {
    match rustix::fs::open(path, READ | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(file) => regular(&file).map(|_| File::from(file)),
        Err(Errno::LOOP | Errno::MLINK) => Err(ReadError::Link),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// [`read`] for text; what is not UTF-8 is an error.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ReadError> {
    text(read(path, limit)?)
}

/// The content of a regular file below `top`, reached over no link.
pub fn read_below(top: &Path, relative: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let (folder, name) = open_parent_below(top, relative, MissingFolders::Fail)?;
    match rustix::fs::openat(&folder, name, READ | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(file) => read_regular(file, limit),
        Err(Errno::LOOP | Errno::MLINK) => Err(ReadError::Link),
        Err(_) if is_link(&folder, name) => Err(ReadError::Link),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// [`read_below`] for text.
pub fn read_text_below(top: &Path, relative: &Path, limit: u64) -> Result<String, ReadError> {
    text(read_below(top, relative, limit)?)
}

/// The length a regular file says it has.
fn regular(file: &OwnedFd) -> Result<u64, ReadError> {
    let found = rustix::fs::fstat(file).map_err(io::Error::from)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(ReadError::NotRegular);
    }
    Ok(u64::try_from(found.st_size).unwrap_or_default())
}

fn read_regular(file: OwnedFd, limit: u64) -> Result<Vec<u8>, ReadError> {
    let len = regular(&file)?;
    if len > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    // The file may grow meanwhile, and some (below /proc) claim to be empty.
    File::from(file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|error| {
        ReadError::Io(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
    })
}
