//! Which file a dotted module name means.
//!
//! A package is a folder with `__init__.py`; the folder above the outermost
//! package is where its imports start. Folders without `__init__.py` are
//! modules too, by their path from the top, from `src`, or beside the importer.

use super::standard::is_standard;
use crate::facts::{FileFacts, Import, ImportedName};
use crate::link::ImportPath;
use crate::link::layout::{FileIx, Layout, Target, Tree, folder};
use crate::link::questions::{Answers, Question, ask};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct PythonLayout {
    files: FxHashMap<FileIx, PythonFile>,
    /// By full path without `.py` and `/__init__`.
    by_path: FxHashMap<String, FileIx>,
    /// By dotted name from a root, with that root.
    by_module: FxHashMap<String, Vec<(String, FileIx)>>,
}

struct PythonFile {
    path: String,
    /// The folder the module's name starts in.
    root: String,
    /// The path without extension; a package's is its folder.
    place: String,
    is_package: bool,
    package: String,
}

impl PythonLayout {
    pub fn of(tree: &Tree<'_>) -> Self {
        let packages: FxHashSet<&str> = tree
            .files
            .iter()
            .filter(|file| is_init(file.path))
            .map(|file| folder(file.path))
            .collect();
        let mut layout = PythonLayout {
            files: FxHashMap::default(),
            by_path: FxHashMap::default(),
            by_module: FxHashMap::default(),
        };
        for file in &tree.files {
            let is_package = is_init(file.path);
            let stem = file.path.rsplit_once('.').map_or(file.path, |(stem, _)| stem);
            let place = if is_package { folder(file.path) } else { stem }.to_owned();
            let root = root_of(folder(file.path), &packages).to_owned();
            let module = dotted(&place, &root);
            let package = if is_package { module.clone() } else { dotted(folder(&place), &root) };
            // A stub beside its module gives way to the code.
            let is_stub = file.path.strip_suffix(".pyi").is_some();
            if !is_stub || !layout.by_path.contains_key(&place) {
                layout.by_path.insert(place.clone(), file.ix);
            }
            layout.by_module.entry(module).or_default().push((root.clone(), file.ix));
            let from_top = place.replace('/', ".");
            layout.by_module.entry(from_top).or_default().push((String::new(), file.ix));
            if let Some(inner) = place.strip_prefix("src/") {
                let from_src = inner.replace('/', ".");
                layout.by_module.entry(from_src).or_default().push(("src".to_owned(), file.ix));
            }
            layout.files.insert(
                file.ix,
                PythonFile { path: file.path.to_owned(), root, place, is_package, package },
            );
        }
        layout
    }

    fn at(&self, place: &str) -> Option<FileIx> {
        ask(Question::about("place").part(place));
        self.by_path.get(place).copied()
    }

    fn absolute(&self, from: &PythonFile, module: &str) -> Option<FileIx> {
        // Scripts and tests without packages import what lies beside them.
        let beside = format!("{}/{}", folder(&from.place), module.replace('.', "/"));
        if folder(&from.place) == from.root
            && let Some(file) = self.at(beside.trim_start_matches('/'))
        {
            return Some(file);
        }
        ask(Question::about("module").part(module));
        let candidates = self.by_module.get(module)?;
        // The root the importer shares the longest path with is meant.
        candidates
            .iter()
            .max_by_key(|(root, file)| (shared(root, &from.root), std::cmp::Reverse(*file)))
            .map(|(_, file)| *file)
    }
}

impl PythonLayout {
    /// The module of a path, absolute or from the package of the importer.
    fn named(&self, from: &PythonFile, names: &[&str], level: u8) -> Option<FileIx> {
        if level == 0 {
            return self.absolute(from, &names.join("."));
        }
        let mut at = if from.is_package { &from.place } else { folder(&from.place) };
        for _ in 1..level {
            at = folder(at);
        }
        let mut place = at.to_owned();
        for name in names.iter().filter(|name| !name.is_empty()) {
            if !place.is_empty() {
                place.push('/');
            }
            place.push_str(name);
        }
        self.at(&place)
    }
}

impl Layout for PythonLayout {
    fn answers(&self, answers: &mut Answers) {
        for placed in self.files.values() {
            let PythonFile { path, root, place, .. } = placed;
            answers.says(Question::about("place").part(place), path, [0, 0]);
            answers.says(Question::about("root").part(path), root, [0, 0]);
            let rooted = format!("{root}:{path}");
            answers.says(Question::about("module").part(&dotted(place, root)), &rooted, [0, 0]);
            let from_top = place.replace('/', ".");
            answers.says(Question::about("module").part(&from_top), path, [0, 0]);
            if let Some(inner) = place.strip_prefix("src/") {
                let from_src = inner.replace('/', ".");
                answers.says(Question::about("module").part(&from_src), path, [1, 0]);
            }
        }
    }

    fn package(&self, file: FileIx) -> &str {
        self.files.get(&file).map_or("", |placed| &placed.package)
    }

    fn resolve(&self, from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        let Some(placed) = self.files.get(&from) else { return Target::Outside };
        ask(Question::about("root").part(&placed.path));
        let mut names: Vec<&str> = import.path.iter().map(|name| facts.text(*name)).collect();
        if let Some(found) = self.named(placed, &names, import.level) {
            return Target::Module(found);
        }
        // In a folder without `__init__.py` only the modules are something.
        let ImportedName::Name(name) = import.what else { return Target::Outside };
        names.push(facts.text(name));
        self.named(placed, &names, import.level).map_or(Target::Outside, Target::NamedModule)
    }

    fn outside(&self, path: &[&str]) -> Option<(String, usize)> {
        let first = path.first().filter(|first| !first.is_empty())?;
        (!is_standard(first)).then(|| (path.join("."), path.len()))
    }

    /// By its name from the root, where that is what gets installed: a package,
    /// or a file at the top or in `src`.
    fn import_path(&self, file: FileIx) -> Option<ImportPath> {
        let placed = self.files.get(&file)?;
        let is_in_package = placed.is_package || folder(&placed.place) != placed.root;
        let is_at_top = matches!(placed.root.as_str(), "" | "src");
        let path = dotted(&placed.place, &placed.root);
        (is_at_top && !path.is_empty() && (is_in_package || !path.contains('.')))
            .then_some(ImportPath { path, is_folder: false })
    }

    fn child(&self, module: FileIx, name: &str) -> Option<FileIx> {
        let placed = self.files.get(&module).filter(|placed| placed.is_package)?;
        self.at(&format!("{}/{name}", placed.place))
    }
}

fn is_init(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "__init__.py" || name == "__init__.pyi"
}

/// The folder above the outermost package around a folder.
fn root_of<'a>(mut at: &'a str, packages: &FxHashSet<&str>) -> &'a str {
    while !at.is_empty() && packages.contains(at) {
        at = folder(at);
    }
    at
}

fn dotted(place: &str, root: &str) -> String {
    place.strip_prefix(root).unwrap_or(place).trim_start_matches('/').replace('/', ".")
}

fn shared(a: &str, b: &str) -> usize {
    let (a, b) = (a.split('/'), b.split('/'));
    a.zip(b).take_while(|(a, b)| a == b && !a.is_empty()).count()
}
