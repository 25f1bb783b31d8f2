//! Which files are looked at while something is worked out.
//!
//! A conclusion about a file stays true while the files it was drawn from say
//! the same. To know which these are, every look at a file is noted; what is
//! worked out once for many keeps its own notes and hands them to each who
//! uses it.

use super::layout::FileIx;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

thread_local! {
    static NOTES: RefCell<Option<FxHashSet<FileIx>>> = const { RefCell::new(None) };
    /// The file noted last: most looks are at the same one again.
    static LAST: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// Notes that a file was looked at.
pub(super) fn note(file: FileIx) {
    if LAST.get() == file.0 {
        return;
    }
    LAST.set(file.0);
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.insert(file);
        }
    });
}

/// Notes what somebody else looked at for us.
pub(super) fn note_all(files: &[FileIx]) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.extend(files);
        }
    });
}

/// Runs `work` and tells which files it looked at, in order. Notes of work
/// around it go on afterwards, without these.
pub(super) fn following<T>(work: impl FnOnce() -> T) -> (T, Box<[FileIx]>) {
    let around = NOTES.replace(Some(FxHashSet::default()));
    LAST.set(u32::MAX);
    let result = work();
    let notes = NOTES.replace(around).unwrap_or_default();
    LAST.set(u32::MAX);
    let mut files: Box<[FileIx]> = notes.into_iter().collect();
    files.sort_unstable();
    (result, files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_inner_work_are_its_own() {
        let (inner, outer) = following(|| {
            note(FileIx(4));
            let ((), inner) = following(|| {
                note(FileIx(4));
                note(FileIx(1));
            });
            note(FileIx(2));
            note_all(&[FileIx(9)]);
            inner
        });
        assert_eq!(&*inner, [FileIx(1), FileIx(4)]);
        assert_eq!(&*outer, [FileIx(2), FileIx(4), FileIx(9)]);
    }
}
