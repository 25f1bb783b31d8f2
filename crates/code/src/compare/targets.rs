//! Files that nobody outside can use: those of a program, not of a library.

use super::File;
use crate::lang;
use git::{Blob, BlobReader, ObjectId, RepoPath};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A manifest is short.
const MOST_BYTES: u64 = 1 << 20;

/// Says of the files of programs that they export nothing.
pub fn mark_programs(files: &mut [File], commit: ObjectId, blobs: &mut BlobReader) {
    // The files of a crate ask for the same manifests.
    let mut known: BTreeMap<String, Option<Rc<str>>> = BTreeMap::new();
    let mut read = |path: &str| {
        if let Some(text) = known.get(path) {
            return text.clone();
        }
        let text = text_of(path, commit, blobs);
        known.insert(path.to_owned(), text.clone());
        text
    };
    for file in files {
        let Some(language) = lang::by_name(&file.facts.language) else { continue };
        if language.is_of_program(&file.path, &file.bytes, &mut read) {
            file.exported = Some(FxHashSet::default());
        }
    }
}

/// None where there is no such file; empty where it is too long for a manifest.
fn text_of(path: &str, commit: ObjectId, blobs: &mut BlobReader) -> Option<Rc<str>> {
    match blobs.read_file(commit, &RepoPath::new(path.as_bytes()), MOST_BYTES) {
        Ok(Blob::Content(bytes)) => Some(String::from_utf8_lossy(&bytes).into()),
        Ok(Blob::TooLarge(_)) => Some("".into()),
        Ok(Blob::Missing) | Err(_) => None,
    }
}
