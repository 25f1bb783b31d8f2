//! What is looked at while something is worked out: files, and questions
//! about which files there are.
//!
//! A conclusion about a file stays true while the files it was drawn from say
//! the same, and while the questions it asked have the same answers. To know
//! which these are, every look is noted; what is worked out once for many
//! keeps its own notes and hands them to each who uses it.

use super::budget;
use super::layout::FileIx;
use super::questions::Question;
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

#[derive(Default)]
struct Notes {
    files: FxHashSet<FileIx>,
    asked: FxHashSet<Question>,
}

/// Everything that was looked at, in order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct FileLookups {
    pub files: Box<[FileIx]>,
    pub asked: Box<[Question]>,
    /// The work took more steps than it was allowed, and was not finished.
    pub is_cut: bool,
}

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
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
            notes.files.insert(file);
        }
    });
}

/// Notes that a question was asked.
pub(crate) fn ask(question: Question) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.asked.insert(question);
        }
    });
}

/// Notes what somebody else looked at for us.
pub(super) fn note_all(looks: &FileLookups) {
    if looks.is_cut {
        budget::mark_cut();
    }
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.files.extend(&looks.files);
            notes.asked.extend(&looks.asked);
        }
    });
}

/// Runs `work` within a number of steps and tells what it looked at. Notes of
/// work around it go on afterwards, without these.
pub(super) fn following<T>(allowance: u64, work: impl FnOnce() -> T) -> (T, FileLookups) {
    let around = NOTES.replace(Some(Notes::default()));
    LAST.set(u32::MAX);
    let (result, is_cut) = budget::within(allowance, work);
    let notes = NOTES.replace(around).unwrap_or_default();
    LAST.set(u32::MAX);
    let mut files: Box<[FileIx]> = notes.files.into_iter().collect();
    files.sort_unstable();
    let mut asked: Box<[Question]> = notes.asked.into_iter().collect();
    asked.sort_unstable();
    (result, FileLookups { files, asked, is_cut })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_inner_work_are_its_own() {
        let question = |text| Question::about("q").part(text);
        let (inner, outer) = following(100, || {
            note(FileIx(4));
            let ((), inner) = following(100, || {
                note(FileIx(4));
                note(FileIx(1));
                ask(question("inside"));
            });
            note(FileIx(2));
            ask(question("around"));
            let (files, asked) = ([FileIx(9)].into(), [question("given")].into());
            note_all(&FileLookups { files, asked, is_cut: false });
            inner
        });
        assert_eq!(&*inner.files, [FileIx(1), FileIx(4)]);
        assert_eq!(&*inner.asked, [question("inside")]);
        assert_eq!(&*outer.files, [FileIx(2), FileIx(4), FileIx(9)]);
        let mut both = [question("around"), question("given")];
        both.sort_unstable();
        assert_eq!(&*outer.asked, both);
    }
}
