//! What a prepared folder can and cannot do.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use tempfile::TempDir;

/// A work tree with a link to a folder outside that holds `victim`.
fn prepared() -> (TempDir, std::path::PathBuf, std::path::PathBuf) {
    let dir = TempDir::new().unwrap();
    let top = dir.path().join("clone");
    let outside = dir.path().join("outside");
    std::fs::create_dir_all(&top).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("victim"), "mine").unwrap();
    symlink(&outside, top.join("linked")).unwrap();
    symlink(outside.join("victim"), top.join("file")).unwrap();
    symlink(outside.join("absent"), top.join("dangling")).unwrap();
    (dir, top, outside)
}

#[test]
fn no_link_below_the_top_is_written_through() {
    let (_dir, top, outside) = prepared();
    for path in ["linked/victim", "linked/new", "linked/sub/new", "file", "dangling"] {
        replace_below(&top, Path::new(path), b"theirs", 0o666).unwrap_err();
    }
    create_dirs_below(&top, Path::new("linked/sub")).unwrap_err();
    remove_below(&top, Path::new("linked/victim")).unwrap_err();
    open_lock(&top.join("file")).unwrap_err();
    open_lock(&top.join("dangling")).unwrap_err();
    open_lock_below(&top, Path::new("linked/lock")).unwrap_err();
    open_lock_below(&top, Path::new("file")).unwrap_err();
    create_new(&top.join("dangling"), 0o600).unwrap_err();
    assert_eq!(std::fs::read(outside.join("victim")).unwrap(), b"mine");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn no_link_below_the_top_is_read_through() {
    let (_dir, top, _outside) = prepared();
    for path in ["linked/victim", "file", "dangling"] {
        let read = read_below(&top, Path::new(path), 100);
        assert!(matches!(read, Err(ReadError::Link)), "{path}: {read:?}");
    }
    assert!(matches!(open_regular(&top.join("file")), Err(ReadError::Link)));
    assert_eq!(entry_below(&top, Path::new("linked/victim")).unwrap(), None);
    assert_eq!(entry_below(&top, Path::new("file")).unwrap(), Some(Entry::Link));
    assert!(read_link_below(&top, Path::new("file")).unwrap().ends_with("outside/victim"));
}

#[test]
fn a_path_that_climbs_is_refused() {
    let (_dir, top, _outside) = prepared();
    for path in ["../outside/victim", "a/../../outside/victim", "/etc/passwd", "", "..", "a/.."] {
        assert!(read_below(&top, Path::new(path), 100).is_err(), "{path}");
        assert!(replace_below(&top, Path::new(path), b"x", 0o600).is_err(), "{path}");
    }
}

#[test]
fn pipes_devices_and_folders_are_no_files() {
    let (_dir, top, _outside) = prepared();
    // A pipe without a writer would be waited for without end.
    let status = std::process::Command::new("mkfifo").arg(top.join("pipe")).status().unwrap();
    assert!(status.success());
    std::fs::create_dir(top.join("folder")).unwrap();
    for path in ["pipe", "folder"] {
        assert!(matches!(read(&top.join(path), 100), Err(ReadError::NotRegular)), "{path}");
        assert!(matches!(read_below(&top, Path::new(path), 100), Err(ReadError::NotRegular)));
        replace_below(&top, Path::new(path), b"x", 0o600).unwrap_err();
        replace(&top.join(path), b"x", 0o600).unwrap_err();
    }
    open_lock(&top.join("pipe")).unwrap_err();
    assert!(matches!(open_regular(&top.join("pipe")), Err(ReadError::NotRegular)));
    assert!(matches!(read(Path::new("/dev/zero"), 100), Err(ReadError::NotRegular)));
    assert_eq!(entry_below(&top, Path::new("pipe")).unwrap(), Some(Entry::Other));
}

#[test]
fn a_file_is_read_up_to_its_limit_and_not_beyond() {
    let (_dir, top, _outside) = prepared();
    replace_below(&top, Path::new("a/b/c"), b"12345", 0o644).unwrap();
    assert_eq!(read_below(&top, Path::new("a/b/c"), 5).unwrap(), b"12345");
    assert!(matches!(
        read_below(&top, Path::new("a/b/c"), 4),
        Err(ReadError::TooLarge { limit: 4 })
    ));
    assert!(matches!(read(&top.join("none"), 4), Err(ReadError::NotFound)));
    // Claims to be empty and is not.
    assert!(matches!(read(Path::new("/proc/self/maps"), 10), Err(ReadError::TooLarge { .. })));
}

#[test]
fn the_users_own_link_is_kept_and_its_target_replaced() {
    let (_dir, top, outside) = prepared();
    std::fs::set_permissions(outside.join("victim"), PermissionsExt::from_mode(0o640)).unwrap();
    replace(&top.join("file"), b"new", 0o600).unwrap();
    assert!(top.join("file").is_symlink());
    assert_eq!(std::fs::read(outside.join("victim")).unwrap(), b"new");
    let mode = std::fs::metadata(outside.join("victim")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn nothing_is_left_beside_a_replaced_file() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("new/folder/file");
    replace(&path, b"one", 0o600).unwrap();
    replace(&path, b"two", 0o600).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
