//! Which file a module specifier means: relative paths, `tsconfig` paths, and
//! the packages of a workspace.

use crate::facts::{FileFacts, Import};
use crate::link::ImportPath;
use crate::link::layout::{FileIx, Layout, Target, Tree, folder, join};
use crate::link::questions::{Answers, Question, ask};
use rustc_hash::FxHashMap;
use serde_json::Value;

pub(super) struct TypeScriptLayout {
    paths: FxHashMap<FileIx, String>,
    packages_of: FxHashMap<FileIx, String>,
    by_path: FxHashMap<String, FileIx>,
    packages: Vec<Package>,
    configs: Vec<Config>,
    /// The files a package is entered by, and what others import to do so.
    entries: FxHashMap<FileIx, String>,
}

/// A `package.json`.
struct Package {
    folder: String,
    name: String,
    json: Value,
}

/// The path rules of a `tsconfig.json`.
struct Config {
    folder: String,
    base: String,
    paths: Vec<(String, Vec<String>)>,
}

const EXTENSIONS: [&str; 9] = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Who asks what a path means: where a file declares what another one defines, a compiler of
/// types reads the one, and what runs requires the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    Typed,
    Script,
}

impl Asking {
    fn of(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((_, "js" | "jsx" | "mjs" | "cjs")) => Asking::Script,
            _ => Asking::Typed,
        }
    }

    /// The endings in the order in which they are tried.
    fn endings(self) -> impl Iterator<Item = &'static str> {
        let is_first = move |ending: &&str| self == Asking::Typed || *ending != "d.ts";
        let last = (self == Asking::Script).then_some("d.ts");
        EXTENSIONS.into_iter().filter(is_first).chain(last)
    }

    /// Paths that a manifest names, those that are meant first.
    fn sort(self, paths: &mut [String]) {
        if self == Asking::Script {
            paths.sort_by_key(|path| is_declaration(path));
        }
    }
}

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}

impl TypeScriptLayout {
    pub fn of(tree: &Tree<'_>) -> Self {
        let mut layout = TypeScriptLayout {
            paths: FxHashMap::default(),
            packages_of: FxHashMap::default(),
            by_path: FxHashMap::default(),
            packages: Vec::new(),
            configs: Vec::new(),
            entries: FxHashMap::default(),
        };
        for manifest in tree.manifests {
            let name = manifest.path.rsplit('/').next().unwrap_or(manifest.path);
            let at = folder(manifest.path).to_owned();
            if name == "package.json" {
                let Ok(json) = serde_json::from_str::<Value>(manifest.text) else { continue };
                let name = json["name"].as_str().unwrap_or_default().to_owned();
                layout.packages.push(Package { folder: at, name, json });
            } else if name.starts_with("tsconfig") {
                let Ok(json) = serde_json::from_str::<Value>(&plain_json(manifest.text)) else {
                    continue;
                };
                layout.configs.extend(config(at, &json));
            }
        }
        // The innermost folder decides.
        layout.packages.sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
        layout.configs.sort_by_key(|config| std::cmp::Reverse(config.folder.len()));
        for file in &tree.files {
            layout.by_path.insert(file.path.to_owned(), file.ix);
            layout.paths.insert(file.ix, file.path.to_owned());
            let package = layout.package_around(file.path);
            let name = package.map_or("", |package| &package.name);
            let base = package.map_or("", |package| &package.folder);
            let inside = folder(file.path).strip_prefix(base).unwrap_or("").trim_matches('/');
            let full = [name, inside].iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>();
            let full = full.join("/");
            layout.packages_of.insert(file.ix, full);
        }
        layout.entries = layout.entries();
        layout
    }

    /// The packages by their names, and the parts of them they name.
    fn entries(&self) -> FxHashMap<FileIx, String> {
        let mut entries = FxHashMap::default();
        for package in self.packages.iter().filter(|package| !package.name.is_empty()) {
            let parts = package.json["exports"].as_object();
            let parts = parts.into_iter().flat_map(|map| map.keys()).filter_map(|key| {
                key.strip_prefix("./").filter(|part| !part.contains('*')).map(str::to_owned)
            });
            let names = parts.map(|part| format!("{}/{part}", package.name));
            for name in std::iter::once(package.name.clone()).chain(names) {
                if let Some(file) = self.by_package(&package.folder, &name) {
                    entries.entry(file).or_insert(name);
                }
            }
        }
        entries
    }

    fn package_around(&self, path: &str) -> Option<&Package> {
        self.packages.iter().find(|package| is_inside(path, &package.folder))
    }

    /// The file a path means to an asking file, with the extensions and index files tried.
    fn file(&self, path: &str, asking: Asking) -> Option<FileIx> {
        ask(Question::about("file").part(stem(path)));
        if let Some(file) = self.by_path.get(path) {
            return Some(*file);
        }
        if let Some((stem, extension)) = path.rsplit_once('.') {
            let swaps: &[&str] = match extension {
                "js" | "jsx" => &["ts", "tsx", "d.ts"],
                "mjs" => &["mts", "d.mts"],
                "cjs" => &["cts", "d.cts"],
                _ => &[],
            };
            let found = swaps.iter().find_map(|e| self.by_path.get(&format!("{stem}.{e}")));
            if found.is_some() {
                return found.copied();
            }
        }
        let any = |stem: &str| {
            let mut endings = asking.endings();
            endings.find_map(|e| self.by_path.get(&format!("{stem}.{e}")))
        };
        let joint = if path.is_empty() { "" } else { "/" };
        any(path).or_else(|| any(&format!("{path}{joint}index"))).copied()
    }

    fn by_config(&self, from: &str, specifier: &str) -> Option<FileIx> {
        ask(rules());
        let asking = Asking::of(from);
        for config in self.configs.iter().filter(|config| is_inside(from, &config.folder)) {
            for (pattern, targets) in &config.paths {
                let Some(rest) = matched(pattern, specifier) else { continue };
                for target in targets {
                    let path = join(&config.base, &target.replace('*', rest));
                    if let Some(file) = path.and_then(|path| self.file(&path, asking)) {
                        return Some(file);
                    }
                }
            }
            if let Some(file) =
                join(&config.base, specifier).and_then(|path| self.file(&path, asking))
            {
                return Some(file);
            }
        }
        None
    }

    /// A package of this repository, by its name.
    fn by_package(&self, from: &str, specifier: &str) -> Option<FileIx> {
        let asking = Asking::of(from);
        if specifier.starts_with('#') {
            let package = self.package_around(from)?;
            return self.by_map(package, &package.json["imports"], specifier, asking);
        }
        let package = self
            .packages
            .iter()
            .filter(|package| !package.name.is_empty())
            .filter(|package| {
                let rest = specifier.strip_prefix(package.name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .max_by_key(|package| package.name.len())?;
        let rest = specifier[package.name.len()..].trim_start_matches('/');
        let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let exports = &package.json["exports"];
        if let Some(file) = self.by_map(package, exports, &key, asking) {
            return Some(file);
        }
        if !rest.is_empty() {
            let direct = join(&package.folder, rest).and_then(|path| self.file(&path, asking));
            return direct.or_else(|| self.source_of(package, rest, asking));
        }
        self.main_of(package, asking)
    }

    /// The file a package is entered by.
    fn main_of(&self, package: &Package, asking: Asking) -> Option<FileIx> {
        let mut stated: Vec<String> = Vec::new();
        strings(&package.json["exports"], &mut stated);
        for field in ["source", "types", "typings", "module", "main"] {
            stated.extend(package.json[field].as_str().map(str::to_owned));
        }
        asking.sort(&mut stated);
        let found = stated.iter().find_map(|path| self.source_of(package, path, asking));
        found
            .or_else(|| {
                join(&package.folder, "src/index").and_then(|path| self.file(&path, asking))
            })
            .or_else(|| join(&package.folder, "index").and_then(|path| self.file(&path, asking)))
    }

    /// What requiring a folder that is a package gives.
    fn folder_main(&self, path: &str, asking: Asking) -> Option<FileIx> {
        ask(rules());
        let package = self.packages.iter().find(|package| package.folder == path)?;
        self.main_of(package, asking)
    }

    /// An entry of `exports` or `imports`.
    fn by_map(&self, package: &Package, map: &Value, key: &str, asking: Asking) -> Option<FileIx> {
        let entries = map.as_object()?;
        for (pattern, target) in entries {
            let Some(rest) = matched(pattern, key) else { continue };
            let mut targets = Vec::new();
            strings(target, &mut targets);
            asking.sort(&mut targets);
            let found = targets
                .iter()
                .find_map(|target| self.source_of(package, &target.replace('*', rest), asking));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The source of what a package ships: `dist/x.js` comes from `src/x.ts`.
    fn source_of(&self, package: &Package, path: &str, asking: Asking) -> Option<FileIx> {
        let path = path.trim_start_matches("./");
        let exact = join(&package.folder, path).and_then(|path| self.file(&path, asking));
        if exact.is_some() {
            return exact;
        }
        let stem = EXTENSIONS
            .iter()
            .find_map(|e| path.strip_suffix(e).and_then(|stem| stem.strip_suffix('.')))
            .unwrap_or(path);
        let mut inner = stem;
        while let Some((first, rest)) = inner.split_once('/') {
            if !matches!(
                first,
                "dist" | "lib" | "build" | "out" | "esm" | "cjs" | "types" | "module"
            ) {
                break;
            }
            inner = rest;
        }
        let candidates = [stem.to_owned(), format!("src/{inner}"), inner.to_owned()];
        candidates
            .iter()
            .find_map(|path| join(&package.folder, path).and_then(|path| self.file(&path, asking)))
    }
}

/// What all manifests say about where modules are.
fn rules() -> Question {
    Question::about("rules").part("")
}

/// A path without its endings: what may be meant by it differs in these.
fn stem(path: &str) -> &str {
    let mut stem = path;
    while let Some((before, ending)) = stem.rsplit_once('.')
        && !before.ends_with('/')
        && (ending == "d" || EXTENSIONS.contains(&ending))
    {
        stem = before;
    }
    stem
}

/// What of a `package.json` decides where modules are.
const TELLING: [&str; 8] =
    ["name", "exports", "imports", "source", "types", "typings", "module", "main"];

impl Layout for TypeScriptLayout {
    fn answers(&self, answers: &mut Answers) {
        for path in self.paths.values() {
            let own = stem(path);
            answers.says(Question::about("file").part(own), path, [0, 0]);
            if own.rsplit('/').next() == Some("index") {
                answers.says(Question::about("file").part(stem(folder(path))), path, [1, 0]);
            }
        }
        for Package { folder, json, .. } in &self.packages {
            let told: Vec<&Value> = TELLING.iter().map(|field| &json[*field]).collect();
            let said = serde_json::to_string(&(folder, told)).unwrap_or_default();
            answers.says(rules(), &said, [0, 0]);
        }
        for Config { folder, base, paths } in &self.configs {
            let said = serde_json::to_string(&(folder, base, paths)).unwrap_or_default();
            answers.says(rules(), &said, [1, 0]);
        }
    }

    fn package(&self, file: FileIx) -> &str {
        self.packages_of.get(&file).map_or("", String::as_str)
    }

    fn resolve(&self, from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        let Some(specifier) = import.path.first().map(|path| facts.text(*path)) else {
            return Target::Scope;
        };
        let Some(from) = self.paths.get(&from) else { return Target::Outside };
        let found = if specifier.starts_with('.') {
            let asking = Asking::of(from);
            let path = join(folder(from), specifier);
            path.and_then(|path| {
                self.file(&path, asking).or_else(|| self.folder_main(&path, asking))
            })
        } else {
            self.by_config(from, specifier).or_else(|| self.by_package(from, specifier))
        };
        found.map_or(Target::Outside, Target::Module)
    }

    fn outside(&self, path: &[&str]) -> Option<(String, usize)> {
        let specifier = path.first()?;
        let is_package = specifier.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@');
        let bare = specifier.split('/').next().unwrap_or(specifier);
        (is_package && !specifier.contains(':') && !NODE_MODULES.contains(&bare))
            .then(|| ((*specifier).to_owned(), 1))
    }

    fn import_path(&self, file: FileIx) -> Option<ImportPath> {
        let path = self.entries.get(&file)?.clone();
        Some(ImportPath { path, is_folder: false })
    }
}

/// What Node.js brings along, importable without `node:`.
const NODE_MODULES: [&str; 41] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "worker_threads",
    "zlib",
];

fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// What the star of a pattern stands for; empty where there is none.
fn matched<'s>(pattern: &str, text: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == text).then_some(""),
    }
}

/// Every text in a JSON value, in order.
fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(parts) => parts.iter().for_each(|part| strings(part, found)),
        Value::Object(map) => map.values().for_each(|part| strings(part, found)),
        _ => {}
    }
}

fn config(folder: String, json: &Value) -> Option<Config> {
    let options = &json["compilerOptions"];
    let base_url = options["baseUrl"].as_str();
    let base = join(&folder, base_url.unwrap_or("."))?;
    let mut paths = Vec::new();
    for (pattern, targets) in options["paths"].as_object().into_iter().flatten() {
        let targets = targets.as_array().into_iter().flatten();
        paths.push((
            pattern.clone(),
            targets.filter_map(|t| t.as_str().map(str::to_owned)).collect(),
        ));
    }
    (!paths.is_empty() || base_url.is_some()).then_some(Config { folder, base, paths })
}

/// JSON without comments and without commas before a closing bracket.
fn plain_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                out.push(c);
                out.extend(chars.next());
            }
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                for c in chars.by_ref() {
                    if c == '\n' {
                        out.push(c);
                        break;
                    }
                }
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                chars.next();
                let mut before = ' ';
                for c in chars.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            '}' | ']' if !in_string => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
