//! A settings file as it was before lore changed it.
//!
//! Taking hooks out of a file leaves traces (a comma, an empty list) that somebody
//! may notice in a diff. So what was there is kept, and comes back byte for byte if
//! nobody has changed the file since.

use super::settings_file::SettingsFile;
use model::Result;
use model::hash::Hash32;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Nobody's settings are larger.
const MAX_BYTES: u64 = 32 << 20;

#[derive(Serialize, Deserialize)]
struct SavedFile {
    /// The file, for people who look.
    path: String,
    /// What it was; none where it was not there.
    before: Option<String>,
    /// The hash of what lore made of it.
    after: String,
}

/// Where originals are kept: a folder of the user's state.
pub struct Originals {
    dir: Option<PathBuf>,
}

impl Originals {
    pub fn new(state_dir: Option<PathBuf>) -> Self {
        Originals { dir: state_dir.map(|dir| dir.join("originals")) }
    }

    fn place(&self, path: &Path) -> Option<PathBuf> {
        let name = Hash32::of(path.to_string_lossy().as_bytes()).to_string();
        Some(self.dir.as_ref()?.join(format!("{}.json", &name[..16])))
    }

    /// Writes a file and keeps what it was. That it could not be kept is no reason to
    /// fail: the hooks can be taken out without.
    pub fn write(&self, file: &SettingsFile, before: &str, text: &str) -> Result<()> {
        let was_there = file.path.symlink_metadata().is_ok();
        // What lore made is not what was there: the first original stays.
        let before = match self.read(&file.path) {
            Some(saved) if saved.after == hash(before) => saved.before,
            _ => was_there.then(|| before.to_owned()),
        };
        file.write(text)?;
        let path = file.path.display().to_string();
        let saved = SavedFile { path, before, after: hash(text) };
        if let (Some(place), Ok(json)) = (self.place(&file.path), serde_json::to_vec(&saved)) {
            let _ = files::replace(&place, &json, 0o600);
        }
        Ok(())
    }

    /// Puts a file back as it was, if it is what lore made of it; otherwise writes
    /// `text`, the file without what is lore's. An empty text removes the file.
    pub fn put_back(&self, file: &SettingsFile, current: &str, text: &str) -> Result<()> {
        let saved = self.read(&file.path).filter(|saved| saved.after == hash(current));
        let outcome = match saved.map(|saved| saved.before) {
            Some(Some(before)) => file.write(&before),
            Some(None) => file.remove(),
            None if text.is_empty() => file.remove(),
            None => file.write(text),
        };
        if let Some(place) = self.place(&file.path) {
            let _ = std::fs::remove_file(place);
        }
        outcome
    }

    fn read(&self, path: &Path) -> Option<SavedFile> {
        let text = files::read(&self.place(path)?, MAX_BYTES).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

fn hash(text: &str) -> String {
    Hash32::of(text.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_back_byte_for_byte_unless_somebody_changed_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = SettingsFile { path: dir.path().join("s.json"), top: None };
        let originals = Originals::new(Some(dir.path().join("state")));
        let odd = "{ \"a\" : [ ] ,\r\n}\n\n";
        std::fs::write(&file.path, odd).unwrap();
        originals.write(&file, odd, "once").unwrap();
        originals.write(&file, "once", "twice").unwrap();
        originals.put_back(&file, "twice", "made without").unwrap();
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), odd);
        originals.write(&file, odd, "once").unwrap();
        std::fs::write(&file.path, "changed").unwrap();
        originals.put_back(&file, "changed", "made without").unwrap();
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), "made without");
        std::fs::remove_file(&file.path).unwrap();
        originals.write(&file, "", "new").unwrap();
        originals.put_back(&file, "new", "x").unwrap();
        assert!(!file.path.exists());
    }
}
