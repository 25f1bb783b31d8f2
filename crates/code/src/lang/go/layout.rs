//! Packages are folders; `go.mod` says what their paths begin with.

use crate::facts::{DefId, FileFacts, Flags, Import, ImportedName};
use crate::link::ImportPath;
use crate::link::layout::{FileIx, Layout, Place, Target, Tree, folder};
use crate::link::questions::{Answers, Question, ask};
use rustc_hash::FxHashMap;

/// Files of a package that each may have its own order; a larger one has one for all.
const MAX_OWN_PARTS: usize = 256;

pub(super) struct GoLayout {
    files: FxHashMap<FileIx, GoFile>,
    packages: FxHashMap<(String, String), Vec<FileIx>>,
    /// Import path to the first file of the package and the package's name.
    by_path: FxHashMap<String, (FileIx, String)>,
}

struct GoFile {
    file: String,
    folder: String,
    package: String,
    path: String,
    /// A build without further tags does not take it.
    is_left_out: bool,
}

impl GoLayout {
    pub fn of(tree: &Tree<'_>) -> Self {
        let modules = modules(tree);
        let mut layout = GoLayout {
            files: FxHashMap::default(),
            packages: FxHashMap::default(),
            by_path: FxHashMap::default(),
        };
        // What a build takes counts before what it leaves out.
        let is_left_out = |facts: &FileFacts| facts.def(DefId::FILE).flags.has(Flags::CONDITIONAL);
        let mut files: Vec<_> = tree.files.iter().collect();
        files.sort_by_key(|file| is_left_out(file.facts));
        for file in files {
            let is_left_out = is_left_out(file.facts);
            let folder = folder(file.path).to_owned();
            let package = file.facts.def_name(DefId::FILE).to_owned();
            let path = import_path(&folder, &modules);
            let key = (folder.clone(), package.clone());
            layout.packages.entry(key).or_default().push(file.ix);
            let is_importable = file.path.strip_suffix("_test.go").is_none();
            if is_importable {
                let entry = (file.ix, package.clone());
                layout.by_path.entry(path.clone()).or_insert(entry);
            }
            let placed = GoFile { file: file.path.to_owned(), folder, package, path, is_left_out };
            layout.files.insert(file.ix, placed);
        }
        layout
    }

    fn imported(&self, facts: &FileFacts, import: &Import) -> Option<&(FileIx, String)> {
        let path = import.path.first().map_or("", |path| facts.text(*path));
        ask(Question::about("package").part(path));
        self.by_path.get(path)
    }
}

impl Layout for GoLayout {
    fn answers(&self, answers: &mut Answers) {
        for GoFile { file, folder, package, is_left_out, .. } in self.files.values() {
            let question = Question::about("parts").and(folder).part(package);
            if *is_left_out {
                answers.says(question, &format!("{file}:left out"), [0, 0]);
            } else {
                answers.says(question, file, [0, 0]);
            }
        }
        for (path, (first, name)) in &self.by_path {
            let first = self.files.get(first).map_or("", |placed| &placed.file);
            let said = format!("{first}:{name}");
            answers.says(Question::about("package").part(path), &said, [0, 0]);
        }
    }

    fn package(&self, file: FileIx) -> &str {
        self.files.get(&file).map_or("", |placed| &placed.path)
    }

    fn resolve(&self, _from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        self.imported(facts, import).map_or(Target::Outside, |(file, _)| Target::Module(*file))
    }

    fn outside(&self, path: &[&str]) -> Option<(String, usize)> {
        let path = path.first().filter(|path| has_host(path))?;
        Some(((*path).to_owned(), 1))
    }

    fn import_path(&self, file: FileIx) -> Option<ImportPath> {
        let placed = self.files.get(&file)?;
        let is_importable = placed.package != "main"
            && has_host(&placed.path)
            && self.by_path.get(&placed.path).is_some_and(|(first, _)| *first == file);
        is_importable.then(|| ImportPath { path: placed.path.clone(), is_folder: true })
    }

    fn parts(&self, file: FileIx) -> Vec<FileIx> {
        let Some(placed) = self.files.get(&file) else { return vec![file] };
        ask(Question::about("parts").and(&placed.folder).part(&placed.package));
        let key = (placed.folder.clone(), placed.package.clone());
        let mut parts = self.packages.get(&key).cloned().unwrap_or_else(|| vec![file]);
        // A file that only some builds take is built with what it says itself.
        if placed.is_left_out
            && parts.len() <= MAX_OWN_PARTS
            && let Some(own) = parts.iter().position(|part| *part == file)
        {
            parts[..=own].rotate_right(1);
        }
        parts
    }

    /// A package that is called otherwise than its path says.
    fn root(&self, _from: FileIx, facts: &FileFacts, _home: DefId, name: &str) -> Option<Place> {
        let imports = facts.imports.iter().filter(|import| import.what == ImportedName::Module);
        let mut known = imports.rev().filter_map(|import| self.imported(facts, import));
        let (module, _) = known.find(|(_, package)| package == name)?;
        Some(Place::At(*module, DefId::FILE))
    }
}

/// A path whose first part is no host is the standard library's.
fn has_host(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| first.contains('.'))
}

/// The modules of the repository: folder and path, innermost folder first.
fn modules(tree: &Tree<'_>) -> Vec<(String, String)> {
    let mut modules: Vec<(String, String)> = tree
        .manifests
        .iter()
        .filter(|manifest| manifest.path.rsplit('/').next() == Some("go.mod"))
        .filter_map(|manifest| {
            let line =
                manifest.text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
            let path = line.split("//").next().unwrap_or(line).trim().trim_matches('"');
            Some((folder(manifest.path).to_owned(), path.to_owned()))
        })
        .collect();
    modules.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
    modules
}

fn import_path(folder: &str, modules: &[(String, String)]) -> String {
    for (root, path) in modules {
        let inside = match folder.strip_prefix(root.as_str()) {
            Some("") => "",
            Some(rest) if root.is_empty() => rest,
            Some(rest) => match rest.strip_prefix('/') {
                Some(rest) => rest,
                None => continue,
            },
            None => continue,
        };
        return if inside.is_empty() { path.clone() } else { format!("{path}/{inside}") };
    }
    folder.to_owned()
}
