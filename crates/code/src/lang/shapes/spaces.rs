//! Namespaces that span files: packages, namespaces, modules.
//!
//! One layout for the languages of `shapes`. A namespace is known by its
//! dotted path; whatever file adds to it, its names are one space. Which of
//! several definitions of one name is meant, the nearest to the asking file
//! decides; where that leaves several, all are given and the caller must
//! choose by other means, or not at all.

use crate::facts::{
    Binding, DefId, DefKind, FileFacts, Flags, Import, ImportedName, Name, Visibility,
};
use crate::link::layout::{FileIx, InSpace, Layout, Target, Tree, TreeFile, folder, join};
use crate::link::questions::{Answers, Question, ask};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, Default)]
pub(crate) struct Options {
    /// An inner namespace sees the names of the outer ones.
    pub nests: bool,
    /// Types hold names for other files too.
    pub types_are_spaces: bool,
    /// Imports name files, with one of these endings or none.
    pub file_endings: &'static [&'static str],
    /// Files others include: what is private in them is seen there.
    pub header_endings: &'static [&'static str],
    /// Wildcards that a file offers to others hold in all of its folder and below.
    pub has_ambient_imports: bool,
    /// First names of the standard library's packages.
    pub standard: &'static [&'static str],
}

struct Entry {
    file: FileIx,
    def: DefId,
    is_declaration: bool,
    /// A function with its body; a variable of a header may be written elsewhere, and a
    /// macro only under a condition.
    is_body: bool,
    /// Known only where the file is included.
    is_private: bool,
    is_macro: bool,
    /// A macro or a mere declaration of a file that is no header: others know it only
    /// where they include the file.
    is_inner: bool,
    /// Written under a condition of the preprocessor.
    is_conditional: bool,
}

pub(crate) struct Spaces {
    options: Options,
    paths: FxHashMap<FileIx, String>,
    ids: FxHashMap<String, u32>,
    names: Vec<String>,
    members: FxHashMap<u32, FxHashMap<String, Vec<Entry>>>,
    of: FxHashMap<(FileIx, DefId), u32>,
    by_file_name: FxHashMap<String, Vec<FileIx>>,
    includes: FxHashMap<FileIx, Vec<FileIx>>,
    /// Headers from elsewhere that files include, by their names alone.
    outside: FxHashSet<(FileIx, String)>,
    ambient: Vec<Ambient>,
    /// What files reach by including; asked for again and again by the same few.
    reached: Mutex<FxHashMap<FileIx, Arc<FxHashSet<FileIx>>>>,
}

/// Files of which it is kept what they reach.
const MOST_REACHES: usize = 64;

/// A file whose wildcards hold elsewhere too.
struct Ambient {
    file: FileIx,
    /// In which they hold.
    folder: String,
    /// What they name, for telling one version of the file from another.
    imports: String,
}

impl Spaces {
    pub fn of(tree: &Tree<'_>, options: Options) -> Self {
        let mut spaces = Spaces {
            options,
            paths: FxHashMap::default(),
            ids: FxHashMap::default(),
            names: Vec::new(),
            members: FxHashMap::default(),
            of: FxHashMap::default(),
            by_file_name: FxHashMap::default(),
            includes: FxHashMap::default(),
            outside: FxHashSet::default(),
            ambient: Vec::new(),
            reached: Mutex::default(),
        };
        spaces.intern("");
        for file in &tree.files {
            spaces.paths.insert(file.ix, file.path.to_owned());
            let name = file.path.rsplit('/').next().unwrap_or(file.path).to_owned();
            spaces.by_file_name.entry(name).or_default().push(file.ix);
            spaces.add_spaces(file.ix, file.facts);
            spaces.add_members(file.ix, file.path, file.facts);
            if options.has_ambient_imports {
                spaces.ambient.extend(ambient(file));
            }
        }
        if !options.file_endings.is_empty() {
            for file in &tree.files {
                let mut found = Vec::new();
                for import in &file.facts.imports {
                    let Some(path) = import.path.first().map(|name| file.facts.text(*name)) else {
                        continue;
                    };
                    match spaces.included(file.ix, path) {
                        Some(included) => found.push(included),
                        None if !path.contains('/') => {
                            spaces.outside.insert((file.ix, path.to_owned()));
                        }
                        None => {}
                    }
                }
                spaces.includes.insert(file.ix, found);
            }
        }
        spaces.forget_hidden();
        spaces
    }

    /// What is private in a file that nobody includes is known nowhere else.
    fn forget_hidden(&mut self) {
        let included: FxHashSet<FileIx> = self.includes.values().flatten().copied().collect();
        for names in self.members.values_mut() {
            for entries in names.values_mut() {
                entries.retain(|entry| !entry.is_private || included.contains(&entry.file));
            }
            names.retain(|_, entries| !entries.is_empty());
        }
    }

    fn intern(&mut self, path: &str) -> u32 {
        if let Some(id) = self.ids.get(path) {
            return *id;
        }
        if let Some((outer, _)) = path.rsplit_once('.') {
            self.intern(outer);
        }
        let id = self.names.len() as u32;
        self.names.push(path.to_owned());
        self.ids.insert(path.to_owned(), id);
        id
    }

    fn add_spaces(&mut self, ix: FileIx, facts: &FileFacts) {
        let package = facts.def_name(DefId::FILE);
        for (at, def) in facts.defs.iter().enumerate() {
            let id = DefId(at as u32);
            let is_space = def.kind == DefKind::Module
                || self.options.types_are_spaces && def.kind.is_type() && def.kind.is_symbol();
            if !is_space {
                continue;
            }
            let path = if id == DefId::FILE { String::new() } else { facts.symbol_path(id) };
            let path = match (package.is_empty(), path.is_empty()) {
                (true, _) => path,
                (false, true) => package.to_owned(),
                (false, false) => format!("{package}.{path}"),
            };
            let space = self.intern(&path);
            self.of.insert((ix, id), space);
        }
    }

    fn add_members(&mut self, ix: FileIx, path: &str, facts: &FileFacts) {
        let is_shared = self.is_header(path);
        for bind in &facts.binds {
            let (Some(home), Binding::Def(def)) = (bind.home, &bind.to) else { continue };
            let Some(space) = self.of.get(&(ix, home)).copied() else { continue };
            let definition = facts.def(*def);
            let is_includable = !self.options.file_endings.is_empty();
            let is_define = |text: Name| facts.text(text).starts_with('#');
            let is_macro = is_includable
                && definition.flags.has(Flags::ANY_ARGS)
                && definition.signature.is_some_and(is_define);
            let is_private = definition.visibility == Visibility::Private && !is_shared;
            if is_private && !is_includable || definition.kind == DefKind::Module {
                continue;
            }
            let is_declaration = definition.flags.has(Flags::OVERLOAD);
            let names = self.members.entry(space).or_default();
            let entries = names.entry(facts.text(bind.name).to_owned()).or_default();
            let is_any = definition.flags.has(Flags::ANY_ARGS);
            let is_body = !is_declaration && definition.kind.is_callable() && !is_any;
            let is_conditional = definition.flags.has(Flags::CONDITIONAL);
            entries.push(Entry {
                file: ix,
                def: *def,
                is_declaration,
                is_body,
                is_private,
                is_macro,
                is_inner: is_includable && (is_macro || is_declaration) && !is_shared,
                is_conditional,
            });
        }
    }

    /// Whether others include a file, as far as its name says.
    fn is_header(&self, path: &str) -> bool {
        let ends = self.options.header_endings;
        ends.is_empty() || ends.iter().any(|end| path.strip_suffix(end).is_some())
    }

    fn path(&self, file: FileIx) -> &str {
        self.paths.get(&file).map_or("", String::as_str)
    }

    /// The file an include or a require names: beside the asking file, or the
    /// only nearest one whose path ends so.
    fn included(&self, from: FileIx, path: &str) -> Option<FileIx> {
        let base = folder(self.path(from));
        let endings = self.options.file_endings;
        let mut best: Option<(usize, FileIx)> = None;
        let mut is_tied = false;
        for ending in endings {
            let wanted = format!("{path}{ending}");
            let name = wanted.rsplit('/').next().unwrap_or(&wanted);
            let beside = join(base, &wanted);
            let tail = wanted.trim_start_matches("./").trim_start_matches("../");
            for file in self.by_file_name.get(name).into_iter().flatten() {
                let candidate = self.path(*file);
                if beside.as_deref() == Some(candidate) {
                    return Some(*file);
                }
                let is_end = candidate == tail
                    || candidate.strip_suffix(tail).is_some_and(|before| before.ends_with('/'));
                if !is_end || *file == from {
                    continue;
                }
                let near = shared_folders(base, candidate);
                match best {
                    Some((known, _)) if known > near => {}
                    Some((known, _)) if known == near => is_tied = true,
                    _ => (best, is_tied) = (Some((near, *file)), false),
                }
            }
        }
        best.filter(|_| !is_tied).map(|(_, file)| file)
    }

    /// The files a file includes, and those these include.
    fn reach(&self, from: FileIx) -> Arc<FxHashSet<FileIx>> {
        if let Ok(kept) = self.reached.lock()
            && let Some(found) = kept.get(&from)
        {
            return Arc::clone(found);
        }
        let mut reached = FxHashSet::default();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            if reached.len() < 2_000 && reached.insert(file) {
                open.extend(self.includes.get(&file).into_iter().flatten());
            }
        }
        let found = Arc::new(reached);
        if let Ok(mut kept) = self.reached.lock() {
            if kept.len() >= MOST_REACHES {
                kept.clear();
            }
            kept.insert(from, Arc::clone(&found));
        }
        found
    }

    /// The same; what it follows from is noted.
    fn reach_asked(&self, from: FileIx) -> Arc<FxHashSet<FileIx>> {
        ask(Question::about("reach").part(self.path(from)));
        self.reach(from)
    }

    /// What a name has in a namespace; asked for.
    fn entries(&self, space: u32, name: &str) -> &[Entry] {
        ask(named(self.space_name(space).unwrap_or_default(), name));
        let entries = self.members.get(&space).and_then(|names| names.get(name));
        entries.map_or(&[], Vec::as_slice)
    }

    /// How near a definition stands to a file.
    fn nearness(&self, from: FileIx, entry: &Entry) -> usize {
        if entry.file == from {
            return usize::MAX;
        }
        shared_folders(folder(self.path(from)), self.path(entry.file))
    }

    /// Of several definitions of one name those that can be meant.
    fn nearest<'e>(&self, from: FileIx, name: &str, entries: &'e [Entry]) -> Vec<&'e Entry> {
        let entries = within_reason(from, entries);
        let mut chosen: Vec<&Entry> = entries.iter().collect();
        if entries.iter().any(|entry| entry.is_private) {
            let reached = self.reach_asked(from);
            chosen.retain(|entry| !entry.is_private || reached.contains(&entry.file));
        }
        let is_foreign = |entry: &&Entry| entry.is_macro || entry.is_inner;
        if chosen.iter().any(|entry| is_foreign(entry) && entry.file != from) {
            self.keep_expanded(from, name, &mut chosen);
        }
        if chosen.len() < 2 {
            return chosen;
        }
        if entries.iter().any(|entry| !entry.is_declaration) && !self.includes.is_empty() {
            ask(Question::about("reach").part(self.path(from)));
            let reached = self.reach(from);
            let mut seen: Vec<FileIx> =
                entries.iter().map(|e| e.file).filter(|file| reached.contains(file)).collect();
            seen.dedup();
            let is_seen = |entry: &&Entry| {
                ask(Question::about("reach").part(self.path(entry.file)));
                reached.contains(&entry.file)
                    || !seen.is_empty() && {
                        let theirs = self.reach(entry.file);
                        seen.iter().any(|header| theirs.contains(header))
                    }
            };
            let visible: Vec<&Entry> = chosen.iter().copied().filter(|e| is_seen(e)).collect();
            if !visible.is_empty() {
                chosen = visible;
            }
            // What is defined in a file that is included is meant, whoever else declares it.
            let is_included = |e: &&Entry| e.is_body && reached.contains(&e.file);
            if chosen.iter().any(is_included) {
                chosen.retain(is_included);
            }
        }
        if chosen.iter().any(|entry| !entry.is_declaration) {
            chosen.retain(|entry| !entry.is_declaration);
        }
        let best = chosen.iter().map(|entry| self.nearness(from, entry)).max().unwrap_or(0);
        chosen.retain(|entry| self.nearness(from, entry) == best);
        chosen
    }

    /// Where a macro is among those that a file includes, leaves out the macros of other
    /// files; then those that are defined under a condition, if one always is.
    fn keep_expanded(&self, from: FileIx, name: &str, chosen: &mut Vec<&Entry>) {
        let reached = self.reach_asked(from);
        // Parts of a file in files of their own see what the file defines around them.
        let is_part = self.is_header(self.path(from));
        let is_around = |entry: &Entry| {
            is_part && entry.is_macro && self.reach_asked(entry.file).contains(&from)
        };
        let is_known = |entry: &Entry| reached.contains(&entry.file) || is_around(entry);
        chosen.retain(|entry| !entry.is_inner || is_known(entry));
        let is_seen = |entry: &&Entry| entry.is_macro && reached.contains(&entry.file);
        if !chosen.iter().any(is_seen) {
            return;
        }
        chosen.retain(|entry| !entry.is_macro || reached.contains(&entry.file));
        let is_always = |entry: &&Entry| entry.is_macro && !entry.is_conditional;
        // `assert` comes from `<assert.h>` first.
        let is_outside = || {
            let named = [format!("{name}.h"), format!("c{name}")];
            named.into_iter().any(|header| self.outside.contains(&(from, header)))
        };
        if chosen.iter().any(is_always) {
            chosen.retain(|entry| !entry.is_macro || !entry.is_conditional);
        } else if is_outside() {
            chosen.retain(|entry| !entry.is_macro || entry.file == from);
        }
    }
}

/// Definitions of one name in one namespace that are compared.
const MAX_OF_ONE_NAME: usize = 300;

/// The definitions to compare: all of them, or where there are more than any
/// program has, those written nearest. Entries are in the order of paths, so
/// these stand around the asking file.
fn within_reason(from: FileIx, entries: &[Entry]) -> &[Entry] {
    if entries.len() <= MAX_OF_ONE_NAME {
        return entries;
    }
    let here = entries.partition_point(|entry| entry.file < from);
    let first = here.saturating_sub(MAX_OF_ONE_NAME / 2).min(entries.len() - MAX_OF_ONE_NAME);
    &entries[first..first + MAX_OF_ONE_NAME]
}

/// A path up to the endings of its name: `list.h` and `list.c` are one module.
fn without_ending(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |at| at + 1);
    path[name..].find('.').map_or(path, |at| &path[..name + at])
}

/// How many folders two places share from the top.
fn shared_folders(a: &str, b: &str) -> usize {
    let b = folder(b);
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

/// What a name means in a namespace: its definitions there, or a namespace.
fn named(space: &str, name: &str) -> Question {
    Question::about("name").path(space, name)
}

fn ambient_question() -> Question {
    Question::about("ambient").part("")
}

/// Only a file that has nothing else: its own imports are nobody else's.
fn ambient(file: &TreeFile<'_>) -> Option<Ambient> {
    let imports = &file.facts.imports;
    if imports.is_empty() || !imports.iter().all(|import| import.is_reexport) {
        return None;
    }
    let path = |import: &Import| -> String {
        let names: Vec<&str> = import.path.iter().map(|name| file.facts.text(*name)).collect();
        names.join(".")
    };
    let own = folder(file.path);
    // Where the tools put what belongs to the project as a whole.
    let folder = own.strip_suffix("Properties").unwrap_or(own).trim_end_matches('/');
    Some(Ambient {
        file: file.ix,
        folder: folder.to_owned(),
        imports: imports.iter().map(path).collect::<Vec<_>>().join(" "),
    })
}

impl Layout for Spaces {
    fn answers(&self, answers: &mut Answers) {
        for name in &self.names {
            answers.is(named("", name));
        }
        for (space, names) in &self.members {
            for (name, entries) in names {
                let question = named(self.space_name(*space).unwrap_or_default(), name);
                for entry in entries {
                    let marks = u32::from(entry.is_declaration)
                        | u32::from(entry.is_macro) << 1
                        | u32::from(entry.is_conditional) << 2
                        | u32::from(entry.is_body) << 3
                        | u32::from(entry.is_private) << 4;
                    let about = [entry.def.0, marks];
                    answers.says(question, self.path(entry.file), about);
                }
            }
        }
        for ambient in &self.ambient {
            let said = format!("{} {}", self.path(ambient.file), ambient.imports);
            answers.says(ambient_question(), &said, [0, 0]);
        }
        for (file, included) in &self.includes {
            let question = Question::about("includes").part(self.path(*file));
            for (nth, file) in included.iter().enumerate() {
                answers.says(question, self.path(*file), [nth as u32, 0]);
            }
        }
    }

    fn ambient(&self, file: FileIx) -> Vec<FileIx> {
        if !self.options.has_ambient_imports {
            return Vec::new();
        }
        ask(ambient_question());
        let own = folder(self.path(file));
        let holds = |it: &&Ambient| {
            let rest = own.strip_prefix(it.folder.as_str());
            it.file != file
                && rest.is_some_and(|rest| {
                    it.folder.is_empty() || rest.is_empty() || rest.starts_with('/')
                })
        };
        self.ambient.iter().filter(holds).map(|it| it.file).collect()
    }

    /// What a file reaches changes with what any file on the way includes.
    fn spread(&self, different: &mut FxHashSet<Question>) {
        let includes = |file: &FileIx| Question::about("includes").part(self.path(*file));
        let mut open: Vec<FileIx> =
            self.paths.keys().filter(|file| different.contains(&includes(file))).copied().collect();
        if open.is_empty() {
            return;
        }
        let mut included_by: FxHashMap<FileIx, Vec<FileIx>> = FxHashMap::default();
        for (file, included) in &self.includes {
            for other in included {
                included_by.entry(*other).or_default().push(*file);
            }
        }
        let mut reaching: FxHashSet<FileIx> = FxHashSet::default();
        while let Some(file) = open.pop() {
            if reaching.insert(file) {
                different.insert(Question::about("reach").part(self.path(file)));
                open.extend(included_by.get(&file).into_iter().flatten());
            }
        }
    }

    fn space_name(&self, space: u32) -> Option<&str> {
        self.names.get(space as usize).map(String::as_str)
    }

    fn space_named(&self, path: &str) -> Option<u32> {
        self.ids.get(path).copied()
    }

    fn package(&self, file: FileIx) -> &str {
        folder(self.path(file))
    }

    fn resolve(&self, from: FileIx, facts: &FileFacts, import: &Import) -> Target {
        let names: Vec<&str> = import.path.iter().map(|name| facts.text(*name)).collect();
        if import.what == ImportedName::Effects {
            ask(Question::about("includes").part(self.path(from)));
            let found = names.first().and_then(|path| self.included(from, path));
            return found.map_or(Target::Outside, Target::Module);
        }
        for length in (0..=names.len()).rev() {
            let path = names[..length].join(".");
            ask(named("", &path));
            let Some(space) = self.ids.get(&path).copied() else { continue };
            let is_member = match names.get(length) {
                Some(next) => {
                    ask(named(&path, next));
                    self.members.get(&space).is_some_and(|names| names.contains_key(*next))
                }
                None => length > 0,
            };
            if is_member {
                return Target::Space { space, skip: length as u8 };
            }
        }
        match names.first() {
            Some(first) if self.options.standard.contains(first) => Target::Prelude,
            None if !self.options.nests => Target::Space { space: 0, skip: 0 },
            _ => Target::Outside,
        }
    }

    fn space_of(&self, file: FileIx, def: DefId) -> Option<u32> {
        self.of.get(&(file, def)).copied()
    }

    fn outer_space(&self, space: u32) -> Option<u32> {
        let name = self.names.get(space as usize)?;
        if name.is_empty() || !self.options.nests {
            return None;
        }
        let outer = name.rsplit_once('.').map_or("", |(outer, _)| outer);
        self.ids.get(outer).copied()
    }

    fn in_space(&self, from: FileIx, space: u32, name: &str) -> Vec<InSpace> {
        let found = self.nearest(from, name, self.entries(space, name));
        if !found.is_empty() {
            return found.into_iter().map(|entry| InSpace::Def(entry.file, entry.def)).collect();
        }
        let outer = self.names.get(space as usize).map_or("", String::as_str);
        let path = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
        self.ids.get(&path).map(|id| InSpace::Space(*id)).into_iter().collect()
    }

    fn variants(&self, from: FileIx, space: u32, name: &str) -> Vec<(FileIx, DefId)> {
        let entries = within_reason(from, self.entries(space, name));
        let bodies = || entries.iter().filter(|entry| entry.is_body);
        if bodies().count() < 2 {
            return Vec::new();
        }
        let reached = self.reach_asked(from);
        // Several are included, under conditions.
        let mut found: Vec<&Entry> =
            bodies().filter(|entry| entry.file != from && reached.contains(&entry.file)).collect();
        if found.len() == 1 {
            return Vec::new();
        }
        if found.is_empty() {
            let is_seen = |entry: &&Entry| entry.is_declaration && reached.contains(&entry.file);
            let seen: FxHashSet<FileIx> =
                entries.iter().filter(is_seen).map(|entry| entry.file).collect();
            if seen.is_empty() {
                return Vec::new();
            }
            let follows = |entry: &&Entry| {
                !entry.is_private && !self.reach_asked(entry.file).is_disjoint(&seen)
            };
            found = bodies().filter(follows).collect();
        }
        let best = found.iter().map(|entry| self.nearness(from, entry)).max().unwrap_or(0);
        found.retain(|entry| self.nearness(from, entry) == best);
        found.into_iter().map(|entry| (entry.file, entry.def)).collect()
    }

    fn declarations(&self, from: FileIx, space: u32, name: &str) -> Vec<(FileIx, DefId)> {
        let own = without_ending(self.path(from));
        let is_apart =
            |entry: &&Entry| entry.is_declaration && without_ending(self.path(entry.file)) != own;
        let entries = within_reason(from, self.entries(space, name));
        let apart: Vec<&Entry> = entries.iter().filter(is_apart).collect();
        if apart.is_empty() {
            return Vec::new();
        }
        let reached = self.reach_asked(from);
        let is_seen = |entry: &&Entry| !entry.is_private && reached.contains(&entry.file);
        let seen = apart.into_iter().filter(is_seen);
        seen.map(|entry| (entry.file, entry.def)).collect()
    }
}
