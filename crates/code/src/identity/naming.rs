//! From the place of a file to the names of what it defines.
//!
//! The package is the folder. Where the language makes a module of each file,
//! the file's stem is the first part of the symbol path; where the folder is
//! the module, it is not.

use crate::lang::{ModuleNaming, module_naming};

/// The folder of a path; empty at the root.
pub fn package_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What a file adds in front of the symbols it defines; empty when nothing.
pub fn module_of<'a>(path: &'a str, language: &str) -> &'a str {
    let ModuleNaming::File { of_folder } = module_naming(language) else { return "" };
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    // `.eslintrc.js` has no stem; its name will do.
    let stem = if stem.is_empty() { name } else { stem };
    if of_folder.contains(&stem) { "" } else { stem }
}

/// Module and path in the file, joined: `app.Flask.run`. The file itself (an
/// empty path in it) is named by its module.
pub fn symbol_path(module: &str, in_file: &str) -> String {
    match (module.is_empty(), in_file.is_empty()) {
        (true, _) => in_file.to_owned(),
        (false, true) => module.to_owned(),
        (false, false) => format!("{module}.{in_file}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_place() {
        let name = |path: &str, language: &str, in_file: &str| {
            format!("{}|{}", package_of(path), symbol_path(module_of(path, language), in_file))
        };
        assert_eq!(name("src/flask/app.py", "python", "Flask.run"), "src/flask|app.Flask.run");
        assert_eq!(name("src/flask/__init__.py", "python", ""), "src/flask|");
        assert_eq!(name("chi/mux.go", "go", "Mux.Use"), "chi|Mux.Use");
        assert_eq!(name("main.rs", "rust", "main"), "|main.main");
        assert_eq!(name("a/x.test.ts", "typescript", "f"), "a|x.f");
        assert_eq!(name("a/.eslintrc.js", "javascript", ""), "a|.eslintrc.js");
    }
}
