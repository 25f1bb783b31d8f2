//! The names git gives to objects, computed without git.
//!
//! git names an object by the SHA-1 of its kind, length and bytes. Knowing the
//! names beforehand lets a scenario be played on a machine that has no git; the
//! tests hold the result against the real one.

use sha1::{Digest as _, Sha1};
use std::fmt;

/// The name of a git object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 20]);

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn object(kind: &str, content: &[u8]) -> ObjectId {
    let mut bytes = format!("{kind} {}\0", content.len()).into_bytes();
    bytes.extend_from_slice(content);
    // Only for naming objects as git does; nothing here relies on SHA-1 being
    // hard to forge.
    ObjectId(Sha1::digest(&bytes).into())
}

pub fn blob(content: &str) -> ObjectId {
    object("blob", content.as_bytes())
}

pub fn commit(content: &str) -> ObjectId {
    object("commit", content.as_bytes())
}

/// The tree that holds these files; paths are sorted and relative to it.
pub fn tree(files: &[(&str, ObjectId)]) -> ObjectId {
    // Name as sorted, mode, name as written, object. git sorts a folder as if
    // its name ended in a slash.
    let mut entries: Vec<(String, &str, &str, ObjectId)> = Vec::new();
    let mut rest = files;
    while let Some((path, id)) = rest.first() {
        let Some((folder, _)) = path.split_once('/') else {
            entries.push(((*path).to_owned(), "100644", path, *id));
            rest = &rest[1..];
            continue;
        };
        let inside = |path: &str| path.strip_prefix(folder)?.strip_prefix('/').map(str::len);
        let n_inside = rest.iter().take_while(|(path, _)| inside(path).is_some()).count();
        let (members, others) = rest.split_at(n_inside);
        let members: Vec<(&str, ObjectId)> =
            members.iter().map(|(path, id)| (&path[folder.len() + 1..], *id)).collect();
        entries.push((format!("{folder}/"), "40000", folder, tree(&members)));
        rest = others;
    }
    entries.sort();
    let mut content = Vec::new();
    for (_, mode, name, id) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        content.extend_from_slice(&id.0);
    }
    object("tree", &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_objects() {
        assert_eq!(blob("").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(tree(&[]).to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }
}
