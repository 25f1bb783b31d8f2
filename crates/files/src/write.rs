//! Exclusive creation and atomic replacement.

use crate::below::{MissingFolders, file_type, link, open_folder, open_parent_below};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Links that lead to links; more than this is a circle.
const MAX_LINKS: usize = 16;
/// Random names tried before somebody must be in the way on purpose.
const MAX_NAMES: usize = 32;

const NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

const LOCK: OFlags = OFlags::RDWR
    .union(OFlags::CREATE)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Writes a file of the user's own, whole or not at all.
///
/// Missing folders are created for the user alone. A link in the file's place
/// is followed (people keep their settings in another folder and link to
/// them): its target is replaced. A file that exists keeps its mode; a new one
/// gets `mode`, less what the user's umask takes.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let path = link_target(path)?;
    let name = path.file_name().ok_or_else(|| no_name(&path))?;
    let parent = path.parent().unwrap_or(Path::new(""));
    create_dirs(parent)?;
    replace_in(&open_folder(parent)?, name, &path, bytes, mode)
}

/// Writes a file of a work tree, whole or not at all, over no link below `top`.
pub fn replace_below(top: &Path, relative: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (folder, name) = open_parent_below(top, relative, MissingFolders::Create)?;
    replace_in(&folder, name, &top.join(relative), bytes, mode)
}

/// Removes a file of a work tree, over no link below `top`.
pub fn remove_below(top: &Path, relative: &Path) -> io::Result<()> {
    let (folder, name) = open_parent_below(top, relative, MissingFolders::Fail)?;
    Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?)
}

/// A file that did not exist before.
pub fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    Ok(File::from(rustix::fs::open(path, NEW, Mode::from_raw_mode(mode))?))
}

/// A file of a random name, for the user alone; the caller renames or removes it.
pub fn create_temp(dir: &Path, prefix: &str) -> io::Result<(File, PathBuf)> {
    let folder = open_folder(dir)?;
    let (file, name) = create_random(&folder, OsStr::new(prefix), 0o600)?;
    Ok((File::from(file), dir.join(name)))
}

/// A lock file, created if it is missing; a link or anything but a regular
/// file is refused. Its content is never touched.
pub fn open_lock(path: &Path) -> io::Result<File> {
    regular_lock(rustix::fs::open(path, LOCK, Mode::from_raw_mode(0o600)), path)
}

/// A file of the user's own to append to, created for the user alone; a link or
/// anything but a regular file is refused.
pub fn open_append(path: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::APPEND | LOCK.difference(OFlags::RDWR);
    regular_lock(rustix::fs::open(path, flags, Mode::from_raw_mode(0o600)), path)
}

/// A lock file of a work tree, over no link below `top`.
pub fn open_lock_below(top: &Path, relative: &Path) -> io::Result<File> {
    let (folder, name) = open_parent_below(top, relative, MissingFolders::Create)?;
    let file = rustix::fs::openat(&folder, name, LOCK, Mode::from_raw_mode(0o600));
    regular_lock(file, &top.join(relative))
}

fn regular_lock(opened: Result<OwnedFd, Errno>, path: &Path) -> io::Result<File> {
    let file = match opened {
        Ok(file) => file,
        Err(Errno::LOOP | Errno::MLINK) => return Err(link(path)),
        Err(error) => return Err(error.into()),
    };
    let found = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
    if found == FileType::RegularFile { Ok(File::from(file)) } else { Err(not_regular(path)) }
}

const APPEND: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::APPEND)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Adds bytes to the end of a file of the user's own, in one write; the file is made
/// for the user alone where it is missing. A link is refused.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let opened = rustix::fs::open(path, APPEND, Mode::from_raw_mode(0o600));
    regular_lock(opened, path)?.write_all(bytes)
}

/// Creates folders of the user's own, for the user alone.
pub fn create_dirs(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The path behind links in the last place; the file itself may be missing.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            // Not a link, or nothing there.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::NotFound
                ) =>
            {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(Errno::LOOP.into())
}

fn replace_in(
    folder: &OwnedFd,
    name: &OsStr,
    path: &Path,
    bytes: &[u8],
    mode: u32,
) -> io::Result<()> {
    let kept_mode = match file_type(folder, name) {
        Ok(FileType::RegularFile) => {
            Some(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode & 0o777)
        }
        Ok(FileType::Symlink) => return Err(link(path)),
        Ok(_) => return Err(not_regular(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (file, temp) = create_random(folder, name, mode)?;
    let written = (|| {
        if let Some(kept) = kept_mode {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(kept))?;
        }
        let mut file = File::from(file);
        file.write_all(bytes)?;
        file.sync_all()?;
        rustix::fs::renameat(folder, &temp, folder, name)?;
        Ok(())
    })();
    if written.is_err() {
        let _ = rustix::fs::unlinkat(folder, &temp, AtFlags::empty());
    }
    written
}

fn create_random(folder: &OwnedFd, prefix: &OsStr, mode: u32) -> io::Result<(OwnedFd, OsString)> {
    for _ in 0..MAX_NAMES {
        let mut name = OsString::from(".");
        name.push(prefix);
        name.push(format!(".{:016x}.tmp", fastrand::u64(..)));
        match rustix::fs::openat(folder, &name, NEW, Mode::from_raw_mode(mode)) {
            Ok(file) => return Ok((file, name)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

fn no_name(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display()))
}

fn not_regular(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} is not a regular file", path.display()))
}
