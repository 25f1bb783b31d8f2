//! Packages are folders; `go.mod` says what their paths begin with.

use crate::facts::{DefId, FileFacts, Import, Imported};
use crate::link::layout::{FileIx, Layout, Place, Target, Tree, folder};
use rustc_hash::FxHashMap;

pub(super) struct GoLayout {
    files: FxHashMap<FileIx, Placed>,
    packages: FxHashMap<(String, String), Vec<FileIx>>,
    /// Import path to the first file of the package and the package's name.
    by_path: FxHashMap<String, (FileIx, String)>,
    /// Names under which a file knows packages that are called otherwise than
    /// their path says.
    odd_names: FxHashMap<(FileIx, String), FileIx>,
}

struct Placed {
    folder: String,
    package: String,
    path: String,
}

impl GoLayout {
    pub fn of(tree: &Tree<'_>) -> Self {
        let modules = modules(tree);
        let mut layout = GoLayout {
            files: FxHashMap::default(),
            packages: FxHashMap::default(),
            by_path: FxHashMap::default(),
            odd_names: FxHashMap::default(),
        };
        for file in &tree.files {
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
            layout.files.insert(file.ix, Placed { folder, package, path });
        }
        for file in &tree.files {
            for import in file.facts.imports.iter().filter(|i| i.what == Imported::Module) {
                let path = import.path.first().map_or("", |path| file.facts.text(*path));
                if let Some((module, name)) = layout.by_path.get(path) {
                    layout.odd_names.insert((file.ix, name.clone()), *module);
                }
            }
        }
        layout
    }
}

impl Layout for GoLayout {
    fn package(&self, file: FileIx) -> &str {
        self.files.get(&file).map_or("", |placed| &placed.path)
    }

    fn resolve(&self, _from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        let path = import.path.first().map_or("", |path| facts.text(*path));
        self.by_path.get(path).map_or(Target::Outside, |(file, _)| Target::Module(*file))
    }

    fn parts(&self, file: FileIx) -> Vec<FileIx> {
        let Some(placed) = self.files.get(&file) else { return vec![file] };
        let key = (placed.folder.clone(), placed.package.clone());
        self.packages.get(&key).cloned().unwrap_or_else(|| vec![file])
    }

    fn root(&self, from: FileIx, _facts: &FileFacts, _home: DefId, name: &str) -> Option<Place> {
        let module = self.odd_names.get(&(from, name.to_owned())).copied()?;
        Some(Place::At(module, DefId::FILE))
    }
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
