//! Who can use what a file defines: of a program nobody outside, and what is marked for
//! PyO3, Python.

use std::rc::Rc;

/// Whether the crate of a file has no library.
pub fn is_of_program(path: &str, read: &mut dyn FnMut(&str) -> Option<Rc<str>>) -> bool {
    let mut folder = path;
    while let Some((outer, _)) = folder.rsplit_once('/') {
        folder = outer;
        if let Some(is_program) = is_program(folder, read) {
            return is_program && path[folder.len()..].starts_with("/src/");
        }
    }
    is_program("", read).is_some_and(|is_program| is_program && path.starts_with("src/"))
}

/// None where a folder is no crate.
fn is_program(folder: &str, read: &mut dyn FnMut(&str) -> Option<Rc<str>>) -> Option<bool> {
    let within = |name: &str| match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    };
    let manifest = read(&within("Cargo.toml")).filter(|it| it.contains("[package]"))?;
    let names_library = manifest.lines().any(|line| line.trim() == "[lib]");
    Some(!names_library && read(&within("src/lib.rs")).is_none())
}

/// How Python calls a function: from `(` on in `#[pyo3(signature = (a, *, b=None))]`.
pub fn python_signature(function: &str) -> Option<&str> {
    let attributes = function.split("fn ").next()?;
    attributes.contains("#[py").then_some(())?;
    attributes.match_indices("signature").find_map(|(at, word)| {
        let rest = attributes[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
        rest.starts_with('(').then_some(rest)
    })
}
