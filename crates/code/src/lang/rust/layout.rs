//! Crates and their trees of modules, from `Cargo.toml` and `mod` lines.

use crate::facts::{DefId, DefKind, FileFacts, Flags, Import};
use crate::link::ImportPath;
use crate::link::layout::{FileIx, Layout, Place, Target, Tree, folder, join};
use crate::link::questions::{Answers, Asking, Question, ask};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct RustLayout {
    files: FxHashMap<FileIx, RustFile>,
    /// The library a crate's name means.
    crates: FxHashMap<String, FileIx>,
    /// Modules written in a file of their own, by where they are declared.
    declared: FxHashMap<(FileIx, Vec<String>), FileIx>,
    /// Crates outside the repository by the name they are used under.
    dependencies: FxHashMap<String, String>,
    /// The modules of libraries, as other crates write them.
    public_paths: FxHashMap<FileIx, String>,
}

#[derive(Clone)]
struct RustFile {
    path: String,
    root: FileIx,
    /// Where the module is declared; none for the root of a crate.
    parent: Option<(FileIx, DefId)>,
    package: String,
}

/// The first file of a crate.
struct Root {
    file: FileIx,
    crate_name: String,
}

impl RustLayout {
    pub fn of(tree: &Tree<'_>) -> Self {
        let by_path: FxHashMap<&str, FileIx> =
            tree.files.iter().map(|file| (file.path, file.ix)).collect();
        let facts: FxHashMap<FileIx, (&str, &FileFacts)> =
            tree.files.iter().map(|file| (file.ix, (file.path, file.facts))).collect();
        let mut layout = RustLayout {
            files: FxHashMap::default(),
            crates: FxHashMap::default(),
            declared: FxHashMap::default(),
            dependencies: dependencies(tree),
            public_paths: FxHashMap::default(),
        };
        let roots = layout.roots(tree, &by_path);
        for root in &roots {
            layout.grow(root, &by_path, &facts);
        }
        layout.dependencies.retain(|_, package| !layout.crates.contains_key(package));
        layout.public_paths = layout.public_paths();
        // What no crate reaches stands for itself.
        for file in &tree.files {
            if !layout.files.contains_key(&file.ix) {
                let root = Root { file: file.ix, crate_name: file.path.replace('/', "::") };
                layout.grow(&root, &by_path, &facts);
            }
        }
        layout
    }

    fn roots(&mut self, tree: &Tree<'_>, by_path: &FxHashMap<&str, FileIx>) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut seen = FxHashSet::default();
        let mut aliases = Vec::new();
        for manifest in tree.manifests {
            if manifest.path.rsplit('/').next() != Some("Cargo.toml") {
                continue;
            }
            let at = folder(manifest.path);
            let Ok(table) = manifest.text.parse::<toml::Table>() else { continue };
            aliases.extend(renamed(&table));
            let Some(name) = text(&table, &["package", "name"]) else { continue };
            let lib_name = text(&table, &["lib", "name"]).unwrap_or(name).replace('-', "_");
            let lib_path = text(&table, &["lib", "path"]).unwrap_or("src/lib.rs");
            let mut add = |path: &str, crate_name: &str| {
                let file = join(at, path).and_then(|path| by_path.get(path.as_str()).copied());
                if let Some(file) = file
                    && seen.insert(file)
                {
                    roots.push(Root { file, crate_name: crate_name.to_owned() });
                }
                file
            };
            if let Some(lib) = add(lib_path, &lib_name) {
                self.crates.insert(lib_name.clone(), lib);
            }
            for path in target_paths(&table) {
                add(&path, &lib_name);
            }
            add("src/main.rs", &lib_name);
            add("build.rs", &format!("{lib_name}::build"));
            for file in &tree.files {
                let inside = match at {
                    "" => Some(file.path),
                    at => file.path.strip_prefix(at).and_then(|rest| rest.strip_prefix('/')),
                };
                if let Some(path) = inside.filter(|path| is_target(path)) {
                    add(path, &format!("{lib_name}::{}", path.replace('/', "::")));
                }
            }
        }
        for (alias, package) in aliases {
            if let Some(lib) = self.crates.get(&package).copied() {
                self.crates.entry(alias).or_insert(lib);
            }
        }
        roots
    }

    /// Follows the `mod` lines from the root of a crate.
    fn grow(
        &mut self,
        root: &Root,
        by_path: &FxHashMap<&str, FileIx>,
        facts: &FxHashMap<FileIx, (&str, &FileFacts)>,
    ) {
        let mut open = vec![(root.file, None, true)];
        while let Some((file, parent, is_root)) = open.pop() {
            if self.files.contains_key(&file) {
                continue;
            }
            let Some((path, file_facts)) = facts.get(&file) else { continue };
            let root_folder = facts.get(&root.file).map_or("", |(path, _)| folder(path));
            let inside = folder(path).strip_prefix(root_folder).unwrap_or("");
            let package = format!("{}{}", root.crate_name, inside.replace('/', "::"));
            self.files.insert(
                file,
                RustFile { path: (*path).to_owned(), root: root.file, parent, package },
            );
            let name = path.rsplit('/').next().unwrap_or(path);
            let owns_folder = is_root || name == "mod.rs";
            let stem = path.strip_suffix(".rs").unwrap_or(path);
            let base = if owns_folder { folder(path) } else { stem }.to_owned();
            for (at, def) in file_facts.defs.iter().enumerate() {
                if def.kind != DefKind::Module || !def.flags.has(Flags::ELSEWHERE) {
                    continue;
                }
                let names = path_of(file_facts, DefId(at as u32));
                let place = names.join("/");
                let stated = def.signature.map(|path| file_facts.text(path));
                let candidates = match stated {
                    Some(stated) => vec![join(folder(path), stated)],
                    None => vec![
                        join(&base, &format!("{place}.rs")),
                        join(&base, &format!("{place}/mod.rs")),
                    ],
                };
                let found = candidates
                    .into_iter()
                    .flatten()
                    .find_map(|path| by_path.get(path.as_str()).copied());
                if let Some(found) = found {
                    self.declared.insert((file, names), found);
                    open.push((found, Some((file, def.parent)), false));
                }
            }
        }
    }

    /// `crate::module::inner` for every file of a library.
    fn public_paths(&self) -> FxHashMap<FileIx, String> {
        let mut paths: FxHashMap<FileIx, String> = FxHashMap::default();
        // By the name it has itself, whatever this repository calls it.
        let own = |file: &FileIx| Some((*file, self.files.get(file)?.package.clone()));
        let mut open: Vec<(FileIx, String)> = self.crates.values().filter_map(own).collect();
        open.sort();
        open.dedup();
        let mut children: FxHashMap<FileIx, Vec<(String, FileIx)>> = FxHashMap::default();
        for ((file, names), found) in &self.declared {
            children.entry(*file).or_default().push((names.join("::"), *found));
        }
        for of_file in children.values_mut() {
            of_file.sort();
        }
        while let Some((file, path)) = open.pop() {
            for (names, child) in children.get(&file).into_iter().flatten() {
                if !paths.contains_key(child) {
                    open.push((*child, format!("{path}::{names}")));
                }
            }
            paths.entry(file).or_insert(path);
        }
        paths
    }

    /// The module around a module.
    fn parent(&self, file: FileIx, facts: &FileFacts, def: DefId) -> Option<(FileIx, DefId)> {
        if def != DefId::FILE {
            let mut at = facts.def(def).parent;
            while at != DefId::FILE && facts.def(at).kind != DefKind::Module {
                at = facts.def(at).parent;
            }
            return Some((file, at));
        }
        self.placed(file)?.parent
    }

    fn placed(&self, file: FileIx) -> Option<&RustFile> {
        let placed = self.files.get(&file)?;
        ask(Question::about("placed").part(&placed.path));
        Some(placed)
    }

    fn path(&self, file: FileIx) -> &str {
        self.files.get(&file).map_or("", |placed| &placed.path)
    }
}

/// Which file holds a module that is declared in another.
fn module_question<'n>(file: &str, path: impl Iterator<Item = &'n str>) -> Question {
    path.fold(Question::about("mod").and(file), Asking::and).part("")
}

impl Layout for RustLayout {
    fn answers(&self, answers: &mut Answers) {
        for placed in self.files.values() {
            let parent = placed.parent.map(|(file, def)| (self.path(file), def.0));
            let (parent, def) = parent.unwrap_or(("", u32::MAX));
            let said = format!("{}:{parent}", self.path(placed.root));
            answers.says(Question::about("placed").part(&placed.path), &said, [def, 0]);
        }
        for (name, file) in &self.crates {
            answers.says(Question::about("crate").part(name), self.path(*file), [0, 0]);
        }
        for (name, package) in &self.dependencies {
            answers.says(Question::about("dependency").part(name), package, [0, 0]);
        }
        for ((file, path), found) in &self.declared {
            let question = module_question(self.path(*file), path.iter().map(String::as_str));
            answers.says(question, self.path(*found), [0, 0]);
        }
    }

    fn package(&self, file: FileIx) -> &str {
        self.files.get(&file).map_or("", |placed| &placed.package)
    }

    fn resolve(&self, from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        let names: Vec<&str> = import.path.iter().map(|name| facts.text(*name)).collect();
        let Some(first) = names.first() else { return Target::Scope };
        match *first {
            "crate" | "$crate" => match self.placed(from) {
                Some(placed) => Target::Within { file: placed.root, def: DefId::FILE, skip: 1 },
                None => Target::Outside,
            },
            "self" => Target::Within { file: from, def: import.home, skip: 1 },
            "super" => {
                let mut at = (from, import.home);
                let mut skip = 0;
                for _ in names.iter().take_while(|name| **name == "super") {
                    // Above the file, the facts of its parent are not at hand,
                    // but a `mod` line is hardly ever inside another module.
                    let next = if at.0 == from {
                        self.parent(from, facts, at.1)
                    } else {
                        self.placed(at.0).and_then(|placed| placed.parent)
                    };
                    let Some(next) = next else { return Target::Outside };
                    at = next;
                    skip += 1;
                }
                Target::Within { file: at.0, def: at.1, skip }
            }
            "std" | "core" | "alloc" => Target::Prelude,
            _ => Target::Scope,
        }
    }

    fn root(&self, from: FileIx, facts: &FileFacts, home: DefId, name: &str) -> Option<Place> {
        match name {
            "crate" | "$crate" => Some(Place::At(self.placed(from)?.root, DefId::FILE)),
            "self" => Some(Place::At(from, home)),
            "super" => self.parent(from, facts, home).map(|(file, def)| Place::At(file, def)),
            "std" | "core" | "alloc" => Some(Place::Prelude),
            _ => {
                ask(Question::about("crate").part(name));
                self.crates.get(name).map(|file| Place::At(*file, DefId::FILE))
            }
        }
    }

    fn outside(&self, path: &[&str]) -> Option<(String, usize)> {
        let first = path.first()?;
        ask(Question::about("dependency").part(first));
        let package = self.dependencies.get(*first)?;
        Some((package.clone(), 1))
    }

    fn is_outside_root(&self, name: &str) -> bool {
        ask(Question::about("dependency").part(name));
        self.dependencies.contains_key(name)
    }

    fn import_path(&self, file: FileIx) -> Option<ImportPath> {
        let path = self.public_paths.get(&file)?.clone();
        Some(ImportPath { path, is_folder: false })
    }

    fn declared(&self, file: FileIx, path: &[&str]) -> Option<FileIx> {
        ask(module_question(self.path(file), path.iter().copied()));
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        self.declared.get(&(file, path)).copied()
    }
}

/// The names of the modules around and including a definition.
fn path_of(facts: &FileFacts, def: DefId) -> Vec<String> {
    let mut names = vec![facts.def_name(def).to_owned()];
    let mut at = facts.def(def).parent;
    while at != DefId::FILE {
        names.push(facts.def_name(at).to_owned());
        at = facts.def(at).parent;
    }
    names.reverse();
    names
}

/// Binaries, tests, examples and benchmarks Cargo finds by their place.
fn is_target(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["tests" | "examples" | "benches", name] | ["src", "bin", name] => {
            name.strip_suffix(".rs").is_some()
        }
        ["tests" | "examples" | "benches", _, "main.rs"] | ["src", "bin", _, "main.rs"] => true,
        _ => false,
    }
}

fn text<'t>(table: &'t toml::Table, path: &[&str]) -> Option<&'t str> {
    let (last, before) = path.split_last()?;
    let mut at = table;
    for name in before {
        at = at.get(*name)?.as_table()?;
    }
    at.get(*last)?.as_str()
}

/// Paths of `[[bin]]`, `[[test]]`, `[[example]]` and `[[bench]]`.
fn target_paths(table: &toml::Table) -> Vec<String> {
    let kinds = ["bin", "test", "example", "bench"];
    let targets = kinds.iter().filter_map(|kind| table.get(*kind)?.as_array()).flatten();
    targets.filter_map(|target| Some(target.get("path")?.as_str()?.to_owned())).collect()
}

/// What the manifests depend on, by the name code uses.
fn dependencies(tree: &Tree<'_>) -> FxHashMap<String, String> {
    let mut found = FxHashMap::default();
    let is_cargo = |path: &str| path.rsplit('/').next() == Some("Cargo.toml");
    for manifest in tree.manifests.iter().filter(|manifest| is_cargo(manifest.path)) {
        let Ok(table) = manifest.text.parse::<toml::Table>() else { continue };
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(all) = table.get(section).and_then(|table| table.as_table()) else {
                continue;
            };
            for (name, about) in all {
                let package = about.get("package").and_then(|name| name.as_str()).unwrap_or(name);
                found.insert(name.replace('-', "_"), package.replace('-', "_"));
            }
        }
    }
    found
}

/// Dependencies used under another name.
fn renamed(table: &toml::Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(dependencies) = table.get(section).and_then(|table| table.as_table()) else {
            continue;
        };
        for (alias, dependency) in dependencies {
            if let Some(package) = dependency.get("package").and_then(|name| name.as_str()) {
                found.push((alias.replace('-', "_"), package.replace('-', "_")));
            }
        }
    }
    found
}
