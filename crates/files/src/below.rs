//! Walks from a folder down to a path, one component at a time, over no link.

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// What stands at a path, without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    File {
        len: u64,
        is_executable: bool,
        /// Seconds and nanoseconds of the last change of the content.
        modified: (i64, i64),
    },
    Link,
    Directory,
    /// A device, a pipe, a socket.
    Other,
}

/// Whether missing folders on the way are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFolders {
    Create,
    Fail,
}

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);

/// A folder by its path; links on the way to it are followed.
pub(crate) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    Ok(rustix::fs::open(path, FOLDER, Mode::empty())?)
}

/// The folder that holds `relative` below `top`, and the last name.
pub(crate) fn open_parent_below<'p>(
    top: &Path,
    relative: &'p Path,
    missing: MissingFolders,
) -> io::Result<(OwnedFd, &'p OsStr)> {
    let name = relative.file_name().ok_or_else(|| not_plain(relative))?;
    let parent = relative.parent().unwrap_or(Path::new(""));
    Ok((open_folder_below(top, parent, missing)?, name))
}

fn open_folder_below(top: &Path, relative: &Path, missing: MissingFolders) -> io::Result<OwnedFd> {
    let mut folder = open_folder(top)?;
    for component in relative.components() {
        let name = match component {
            Component::Normal(name) => name,
            Component::CurDir => continue,
            _ => return Err(not_plain(relative)),
        };
        folder = step(&folder, name, relative, missing)?;
    }
    Ok(folder)
}

fn step(
    folder: &OwnedFd,
    name: &OsStr,
    path: &Path,
    missing: MissingFolders,
) -> io::Result<OwnedFd> {
    let open = || rustix::fs::openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    match open() {
        Ok(next) => Ok(next),
        Err(Errno::NOENT) if missing == MissingFolders::Create => {
            match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
                // Another process may have been faster.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            open().map_err(|error| refused(error, folder, name, path))
        }
        Err(error) => Err(refused(error, folder, name, path)),
    }
}

/// Systems answer differently for a link where a folder was asked for.
fn refused(error: Errno, folder: &OwnedFd, name: &OsStr, path: &Path) -> io::Error {
    if matches!(error, Errno::LOOP | Errno::NOTDIR | Errno::MLINK) && is_link(folder, name) {
        return link(path);
    }
    error.into()
}

pub(crate) fn is_link(folder: &OwnedFd, name: &OsStr) -> bool {
    file_type(folder, name).is_ok_and(|found| found == FileType::Symlink)
}

pub(crate) fn file_type(folder: &OwnedFd, name: &OsStr) -> io::Result<FileType> {
    let found = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(found.st_mode))
}

/// The error for a link where none may be; [`is_link_error`] knows it again.
pub(crate) fn link(path: &Path) -> io::Error {
    io::Error::other(LinkRefused(format!("{} leads through a symbolic link", path.display())))
}

/// Whether an operation was refused because a link was in the way.
pub fn is_link_error(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<LinkRefused>()).is_some()
}

#[derive(Debug)]
struct LinkRefused(String);

impl std::fmt::Display for LinkRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LinkRefused {}

fn not_plain(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{} does not stay below its folder", path.display()),
    )
}

/// Creates the folders of `relative` below `top`, over no link.
pub fn create_dirs_below(top: &Path, relative: &Path) -> io::Result<()> {
    open_folder_below(top, relative, MissingFolders::Create).map(drop)
}

/// What stands at `relative` below `top`; `None` when nothing does. A path
/// that leads through a link stands nowhere, as git sees it.
pub fn entry_below(top: &Path, relative: &Path) -> io::Result<Option<Entry>> {
    let is_absent = |error: &io::Error| {
        is_link_error(error)
            || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    let (folder, name) = match open_parent_below(top, relative, MissingFolders::Fail) {
        Ok(parent) => parent,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let found = match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => found,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(Some(match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => Entry::File {
            len: u64::try_from(found.st_size).unwrap_or_default(),
            is_executable: found.st_mode & 0o100 != 0,
            #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
            modified: (found.st_mtime as i64, found.st_mtime_nsec as i64),
        },
        FileType::Symlink => Entry::Link,
        FileType::Directory => Entry::Directory,
        _ => Entry::Other,
    }))
}

/// Where the link at `relative` below `top` points, as it is written.
pub fn read_link_below(top: &Path, relative: &Path) -> io::Result<PathBuf> {
    let (folder, name) = open_parent_below(top, relative, MissingFolders::Fail)?;
    let target = rustix::fs::readlinkat(&folder, name, Vec::new())?;
    Ok(PathBuf::from(OsStr::from_bytes(target.as_bytes())))
}
