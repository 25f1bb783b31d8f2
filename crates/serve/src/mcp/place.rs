//! Which folder a client works in: the first of its roots that is a
//! repository here, else where the server was started.

use std::path::{Path, PathBuf};

/// The folder meant by a client's roots. Roots that are not on this machine,
/// or no folders, do not count.
pub fn chosen(roots: &[String], otherwise: &Path) -> PathBuf {
    let dirs: Vec<PathBuf> = roots
        .iter()
        .filter_map(|root| path_of(root))
        .filter(|dir| dir.is_dir())
        .map(|dir| insight::file_target::real(&dir))
        .collect();
    let is_repository = |dir: &&PathBuf| is_in_repository(dir);
    dirs.iter()
        .find(is_repository)
        .or(dirs.first())
        .cloned()
        .unwrap_or_else(|| insight::file_target::real(otherwise))
}

/// Whether a folder lies in a clone or a work tree; there `.git` is a file.
pub fn is_in_repository(dir: &Path) -> bool {
    dir.ancestors().any(|dir| dir.join(".git").exists())
}

/// `file:///home/me/src%20x` as a path.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = decoded(rest)?;
    let path = PathBuf::from(decoded);
    path.is_absolute().then_some(path)
}

/// Without percent signs; none where they stand for no text.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn uris_become_paths() {
        for (uri, path) in [
            ("file:///home/me/src", Some("/home/me/src")),
            ("file://localhost/srv/a%20b", Some("/srv/a b")),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file://relative", None),
            ("https://example.com/x", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path.map(Path::new), "{uri}");
        }
    }

    #[test]
    fn the_first_root_that_is_a_repository_is_meant() {
        let here = TempDir::new().unwrap();
        let real = |name: &str| insight::file_target::real(&here.path().join(name));
        for name in ["plain", "clone/.git", "tree"] {
            std::fs::create_dir_all(here.path().join(name)).unwrap();
        }
        // A linked work tree has a file instead of the folder.
        std::fs::write(here.path().join("tree/.git"), "gitdir: elsewhere\n").unwrap();
        let uri = |name: &str| format!("file://{}", here.path().join(name).display());
        let started = here.path().join("plain");
        let chosen = |names: &[&str]| {
            let roots: Vec<String> = names.iter().map(|name| uri(name)).collect();
            super::chosen(&roots, &started)
        };
        assert_eq!(chosen(&["plain", "clone"]), real("clone"));
        assert_eq!(chosen(&["tree", "clone"]), real("tree"));
        assert_eq!(chosen(&["nowhere"]), real("plain"));
        assert_eq!(chosen(&[]), real("plain"));
    }
}
