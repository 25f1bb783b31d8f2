//! Notices that something in some folders changed, without looking through them again.
//!
//! The system keeps what happened until it is asked for, so nothing that was done
//! before the question is missed. Where it cannot tell (other systems, folders of
//! other machines, too many of them) there is no watch.

use std::path::Path;

/// What happened since the last question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderNews {
    Nothing,
    /// Files came, went or were written; the folders are the same.
    Files,
    /// Folders came or went, or more happened than could be kept.
    Folders,
}

#[cfg(target_os = "linux")]
pub use linux::FolderWatch;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::FolderWatch;

#[cfg(target_os = "linux")]
mod linux {
    use super::{FolderNews, Path};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    /// Kinds of file systems whose changes all pass through this machine: ext, XFS, Btrfs,
    /// tmpfs, F2FS, ZFS, overlay, bcachefs. What another machine writes is not told.
    const LOCAL: [u64; 8] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0x794C_7630,
        0xCA45_1A4E,
    ];

    #[derive(Debug)]
    pub struct FolderWatch {
        events: OwnedFd,
    }

    impl FolderWatch {
        pub fn new() -> Option<Self> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(FolderWatch { events })
        }

        /// From now on what happens directly in the folder is noticed. False where it
        /// cannot be.
        pub fn add(&self, folder: &Path) -> bool {
            let is_local = rustix::fs::statfs(folder)
                .is_ok_and(|about| LOCAL.contains(&u64::from((about.f_type & 0xFFFF_FFFF) as u32)));
            let wanted = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MODIFY
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            is_local && inotify::add_watch(&self.events, folder, wanted).is_ok()
        }

        /// What happened since the last time. What happened to a file called `as_folder`
        /// counts as if folders came or went.
        pub fn news(&self, as_folder: &str) -> FolderNews {
            let mut buffer = [MaybeUninit::uninit(); 16 << 10];
            let mut events = Reader::new(&self.events, &mut buffer);
            let mut news = FolderNews::Nothing;
            let of_folders = ReadFlags::ISDIR
                | ReadFlags::QUEUE_OVERFLOW
                | ReadFlags::IGNORED
                | ReadFlags::UNMOUNT
                | ReadFlags::DELETE_SELF
                | ReadFlags::MOVE_SELF;
            loop {
                match events.next() {
                    Ok(event)
                        if event.events().intersects(of_folders)
                            || event
                                .file_name()
                                .is_some_and(|it| it.to_bytes() == as_folder.as_bytes()) =>
                    {
                        news = FolderNews::Folders;
                    }
                    Ok(_) => news = news.max(FolderNews::Files),
                    Err(Errno::AGAIN) => return news,
                    Err(Errno::INTR) => {}
                    Err(_) => return FolderNews::Folders,
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::{FolderNews, Path};

    #[derive(Debug)]
    pub struct FolderWatch {}

    impl FolderWatch {
        pub fn new() -> Option<Self> {
            None
        }

        pub fn add(&self, _: &Path) -> bool {
            false
        }

        pub fn news(&self, _: &str) -> FolderNews {
            FolderNews::Folders
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_told_apart_and_told_once() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("a.py");
        crate::replace(&file, b"one", 0o644).unwrap();
        let watch = FolderWatch::new().unwrap();
        if !watch.add(here.path()) {
            // A file system of which nothing is told.
            return;
        }
        assert_eq!(watch.news("rules"), FolderNews::Nothing);
        crate::append(&file, b"two").unwrap();
        assert_eq!(watch.news("rules"), FolderNews::Files);
        assert_eq!(watch.news("rules"), FolderNews::Nothing);
        crate::replace(&here.path().join("rules"), b"one", 0o644).unwrap();
        assert_eq!(watch.news("rules"), FolderNews::Folders);
        crate::create_dirs(&here.path().join("new")).unwrap();
        assert_eq!(watch.news("rules"), FolderNews::Folders);
        assert!(!watch.add(&here.path().join("nowhere")));
    }
}
