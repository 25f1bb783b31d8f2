//! Changing the files: under a lock of the operating system, each file
//! replaced whole by a rename, and read back before it counts.
//!
//! A process that dies leaves the file as it was, or as it should be, and a
//! lock that is free.

use crate::files::graph::Edge;
use crate::files::{ParsedFile, decisions, graph, handoffs, patterns};
use crate::root::{Root, RootKind, is_link, unreadable};
use model::memory::{Decision, Handoff, Pattern, Record, RecordId, RecordKind};
use model::{Error, ErrorCode, Result};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const LOCK: &str = ".lock";
/// One line each side of a merge adds is one line more, not a conflict.
const ATTRIBUTES: &str = "decisions.jsonl merge=union\ngraph.json merge=union\n";
const IGNORED: &str = ".lock\n.*.tmp\n";

/// A root that nobody else is changing.
pub struct Edit<'a> {
    root: &'a Root,
    // Held for its side effect: the lock goes with it.
    _lock: File,
}

impl Root {
    /// Runs `work` while no other process changes this root.
    pub fn edit<T>(&self, work: impl FnOnce(&Edit<'_>) -> Result<T>) -> Result<T> {
        self.prepare()?;
        let (top, relative) = self.below(LOCK);
        let lock = ::files::open_lock_below(top, &relative)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|error| unwritable(&self.dir.join(LOCK), error))?;
        work(&Edit { root: self, _lock: lock })
    }

    fn prepare(&self) -> Result<()> {
        let handoffs = self.dir.join(handoffs::FOLDER);
        let lock = self.dir.join(LOCK);
        let mut places = vec![handoffs.as_path(), lock.as_path()];
        if let Some(top) = self.top() {
            // `.lore` and `.lore/memory` of a clone.
            places.extend(self.dir.ancestors().take_while(|place| *place != top));
        }
        if let Some(link) = places.into_iter().find(|place| is_link(place)) {
            return Err(is_a_link(link));
        }
        let (top, relative) = self.below("");
        let created = match self.top() {
            Some(_) => ::files::create_dirs_below(top, &relative),
            None => ::files::create_dirs(top),
        };
        created.map_err(|error| unwritable(&self.dir, error))?;
        for (name, text) in [(".gitattributes", ATTRIBUTES), (".gitignore", IGNORED)] {
            let (top, relative) = self.below(name);
            let made = match ::files::entry_below(top, &relative) {
                Ok(None) => self.replace(name, text),
                found => found.map(drop),
            };
            made.map_err(|error| unwritable(&self.dir.join(name), error))?;
        }
        Ok(())
    }

    /// A file of the root as a folder and a path below it. In a work tree the
    /// folder is its top: of what is below, all may have come with a clone.
    fn below(&self, name: &str) -> (&Path, PathBuf) {
        let top = self.top().unwrap_or(&self.dir);
        let folder = self.dir.strip_prefix(top).unwrap_or(Path::new(""));
        (top, folder.join(name))
    }

    fn replace(&self, name: &str, text: &str) -> std::io::Result<()> {
        let (top, relative) = self.below(name);
        let mode = if self.kind == RootKind::Personal { 0o600 } else { 0o666 };
        ::files::replace_below(top, &relative, text.as_bytes(), mode)
    }
}

impl Edit<'_> {
    /// Every record that can be read of the root.
    pub fn records(&self) -> Result<Vec<Record>> {
        let mut all = Vec::new();
        for kind in RecordKind::ALL {
            all.extend(self.records_of(kind)?);
        }
        Ok(all)
    }

    /// Every record of a kind that can be read.
    pub fn records_of(&self, kind: RecordKind) -> Result<Vec<Record>> {
        let wrapped = |parsed: ParsedFile<Handoff>| {
            parsed.records.into_iter().map(|it| Record::Handoff(it.value)).collect::<Vec<_>>()
        };
        Ok(match kind {
            RecordKind::Decision => {
                let (_, parsed) = self.load(decisions::NAME, decisions::parse)?;
                parsed.records.into_iter().map(|it| Record::Decision(it.value)).collect()
            }
            RecordKind::Pattern => {
                let (_, parsed) = self.load(patterns::NAME, patterns::parse)?;
                parsed.records.into_iter().map(|it| Record::Pattern(it.value)).collect()
            }
            RecordKind::Handoff => {
                let mut all = Vec::new();
                for name in self.root.names()? {
                    if name.starts_with(handoffs::FOLDER) {
                        all.extend(wrapped(self.load(&name, handoffs::parse)?.1));
                    }
                }
                all
            }
        })
    }

    pub fn edges(&self) -> Result<Vec<Edge>> {
        let (_, parsed) = self.load(graph::NAME, graph::parse)?;
        Ok(parsed.records.into_iter().map(|it| it.value).collect())
    }

    /// Writes records, each in place of one with the same id.
    pub fn put(&self, records: &[Record]) -> Result<()> {
        let decisions: Vec<Decision> = records
            .iter()
            .filter_map(|it| if let Record::Decision(it) = it { Some(it.clone()) } else { None })
            .collect();
        let patterns: Vec<Pattern> = records
            .iter()
            .filter_map(|it| if let Record::Pattern(it) = it { Some(it.clone()) } else { None })
            .collect();
        if !decisions.is_empty() {
            let text = self.changeable(decisions::NAME, decisions::head)?;
            let text = decisions::with_all(&text, &decisions);
            // Lines stand for themselves: reading the new ones back will do.
            let own: String = decisions.iter().map(|it| decisions::line(it) + "\n").collect();
            check(decisions::NAME, &decisions, decisions::parse(&own), |it| &it.id)?;
            self.write(decisions::NAME, &text)?;
        }
        if !patterns.is_empty() {
            let text = self.changeable(patterns::NAME, patterns::parse)?;
            let text = patterns::with_all(&text, &patterns);
            check(patterns::NAME, &patterns, patterns::parse(&text), |it| &it.id)?;
            self.write(patterns::NAME, &text)?;
        }
        let handoffs = records
            .iter()
            .filter_map(|it| if let Record::Handoff(it) = it { Some(it) } else { None });
        let mut names: Option<Vec<(String, RecordId)>> = None;
        for handoff in handoffs {
            let known = match &mut names {
                Some(names) => names,
                None => names.insert(self.handoff_names()?),
            };
            let name = known
                .iter()
                .find(|(_, id)| *id == handoff.id)
                .map_or_else(|| fresh_name(handoff, known), |(name, _)| name.clone());
            let text = handoffs::file(handoff);
            let given = std::slice::from_ref(handoff);
            check(&name, given, handoffs::parse(&text), |it| &it.id)?;
            self.write(&name, &text)?;
            known.push((name, handoff.id.clone()));
        }
        Ok(())
    }

    fn handoff_names(&self) -> Result<Vec<(String, RecordId)>> {
        let mut found = Vec::new();
        for name in self.root.names()? {
            if name.starts_with(handoffs::FOLDER) {
                let (_, parsed) = self.load(&name, handoffs::parse)?;
                found.extend(parsed.records.into_iter().map(|it| (name.clone(), it.value.id)));
            }
        }
        Ok(found)
    }

    /// Removes a record and the edges that touch it; false when it is not here.
    pub fn remove(&self, id: &RecordId) -> Result<bool> {
        let is_removed = match id.kind() {
            RecordKind::Decision => {
                let text = self.changeable(decisions::NAME, decisions::head)?;
                self.write_maybe(decisions::NAME, decisions::without(&text, id))?
            }
            RecordKind::Pattern => {
                let text = self.changeable(patterns::NAME, patterns::parse)?;
                self.write_maybe(patterns::NAME, patterns::without(&text, id))?
            }
            RecordKind::Handoff => {
                let found = self.handoff_names()?.into_iter().find(|(_, known)| known == id);
                if let Some((name, _)) = &found {
                    let (top, relative) = self.root.below(name);
                    ::files::remove_below(top, &relative)
                        .map_err(|error| unwritable(&self.root.dir.join(name), error))?;
                }
                found.is_some()
            }
        };
        if is_removed {
            let edges = self.edges()?;
            let touches =
                |edge: &Edge| edge.from.record() == Some(id) || edge.to.record() == Some(id);
            if edges.iter().any(touches) {
                let left: Vec<Edge> = edges.into_iter().filter(|edge| !touches(edge)).collect();
                self.put_edges(&left)?;
            }
        }
        Ok(is_removed)
    }

    /// Adds edges; how many were not there.
    pub fn connect(&self, edges: &[Edge]) -> Result<usize> {
        let mut all = self.edges()?;
        let known: BTreeSet<_> = all.iter().map(Edge::key).collect();
        let new: Vec<Edge> =
            edges.iter().filter(|edge| !known.contains(&edge.key())).cloned().collect();
        let n_new = new.len();
        if n_new > 0 {
            all.extend(new);
            self.put_edges(&all)?;
        }
        Ok(n_new)
    }

    /// Takes edges away; which ones there were.
    pub fn disconnect(&self, is_meant: impl Fn(&Edge) -> bool) -> Result<Vec<Edge>> {
        let (gone, left): (Vec<Edge>, Vec<Edge>) =
            self.edges()?.into_iter().partition(|edge| is_meant(edge));
        if !gone.is_empty() {
            self.put_edges(&left)?;
        }
        Ok(gone)
    }

    fn put_edges(&self, edges: &[Edge]) -> Result<()> {
        self.changeable(graph::NAME, graph::parse)?;
        let (_, parsed) = self.load(graph::NAME, graph::parse)?;
        if let Some(problem) = parsed.problems.first() {
            // It would be lost: the file is written anew from what was read.
            return Err(broken(self.root, graph::NAME, problem.line, &problem.message));
        }
        self.write(graph::NAME, &graph::file(edges))
    }

    fn load<T>(
        &self,
        name: &str,
        parse: fn(&str) -> ParsedFile<T>,
    ) -> Result<(String, ParsedFile<T>)> {
        let text = self.root.read(name)?.map(|file| file.text).unwrap_or_default();
        let parsed = parse(&text);
        Ok((text, parsed))
    }

    /// The text of a file that lore may write back.
    fn changeable<T>(&self, name: &str, parse: fn(&str) -> ParsedFile<T>) -> Result<String> {
        let Some(file) = self.root.read(name)? else { return Ok(String::new()) };
        let parsed = parse(&file.text);
        if let Some(reason) = &parsed.is_locked_by {
            let line = parsed.problems.first().map_or(1, |problem| problem.line);
            return Err(broken(self.root, name, line, reason));
        }
        if file.is_damaged {
            return Err(broken(self.root, name, 1, "it holds bytes that are not UTF-8"));
        }
        Ok(file.text)
    }

    fn write_maybe(&self, name: &str, text: Option<String>) -> Result<bool> {
        match text {
            Some(text) => self.write(name, &text).map(|()| true),
            None => Ok(false),
        }
    }

    /// A whole file, or none.
    fn write(&self, name: &str, text: &str) -> Result<()> {
        self.root.replace(name, text).map_err(|error| unwritable(&self.root.dir.join(name), error))
    }
}

/// What was to be written is what will be read.
fn check<T: PartialEq>(
    name: &str,
    given: &[T],
    parsed: ParsedFile<T>,
    id: impl Fn(&T) -> &RecordId,
) -> Result<()> {
    let read: std::collections::BTreeMap<&RecordId, &T> =
        parsed.records.iter().map(|it| (id(&it.value), &it.value)).collect();
    match given.iter().find(|it| read.get(id(it)) != Some(it)) {
        None => Ok(()),
        Some(lost) => Err(Error::internal(format!(
            "`{}` would not be read back as it is from {name}; nothing was written",
            id(lost)
        ))
        .suggest("please report it; a shorter text may help")),
    }
}

fn fresh_name(handoff: &Handoff, taken: &[(String, RecordId)]) -> String {
    let name = format!("{}/{}", handoffs::FOLDER, handoffs::file_name(handoff));
    if !taken.iter().any(|(known, _)| *known == name) {
        return name;
    }
    let id = handoff.id.as_str();
    format!("{}/{}-{id}.md", handoffs::FOLDER, handoff.timestamp.to_date())
}

fn broken(root: &Root, name: &str, line: u32, reason: &str) -> Error {
    Error::new(
        ErrorCode::TransformError,
        format!(
            "{}:{line}: {reason}; lore will not change this file",
            root.dir.join(name).display()
        ),
    )
    .suggest("mend it by hand; `lore memory check` shows what is wrong")
}

fn is_a_link(path: &Path) -> Error {
    Error::new(
        ErrorCode::TransformError,
        format!("{} is a symbolic link; lore does not write through it", path.display()),
    )
    .suggest("replace it by a file or folder of its own")
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    if ::files::is_link_error(&error) {
        return is_a_link(path);
    }
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            Error::new(ErrorCode::TransformError, format!("cannot write {}", path.display()))
                .suggest("check its permissions, or keep the record for yourself with --personal")
                .caused_by(error)
        }
        _ => unreadable(path, error).context("writing memory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{decision, handoff, id, pattern};
    use model::memory::{Extra, LinkTarget, Relation};
    use std::fs;
    use tempfile::TempDir;

    fn root(dir: &TempDir) -> Root {
        Root::new(dir.path().join(".lore/memory"), RootKind::Project)
    }

    fn edge(from: &str, to: &str) -> Edge {
        Edge {
            from: LinkTarget::parse(from).unwrap(),
            relation: Relation::Supersedes,
            to: LinkTarget::parse(to).unwrap(),
            timestamp: None,
            extra: Extra::new(),
        }
    }

    #[test]
    fn records_of_all_kinds_are_put_read_and_removed() {
        let dir = TempDir::new().unwrap();
        let root = root(&dir);
        let records = [
            Record::Decision(decision("dec-a", "A")),
            Record::Pattern(pattern("pat-a", "P")),
            Record::Handoff(handoff("han-a", "H")),
        ];
        root.edit(|edit| {
            edit.put(&records)?;
            assert_eq!(edit.records()?, records);
            assert_eq!(edit.connect(&[edge("dec-a", "pat-a"), edge("dec-a", "src/x.rs")])?, 2);
            assert_eq!(edit.connect(&[edge("dec-a", "pat-a")])?, 0);
            assert!(edit.remove(&id("pat-a"))?);
            assert_eq!(edit.edges()?.len(), 1);
            assert!(edit.remove(&id("han-a"))?);
            assert!(!edit.remove(&id("han-a"))?);
            assert_eq!(edit.records()?.len(), 1);
            Ok(())
        })
        .unwrap();
        assert_eq!(root.names().unwrap(), ["decisions.jsonl", "graph.json", "patterns.yaml"]);
    }

    #[test]
    fn a_newer_or_broken_file_is_left_alone() {
        let dir = TempDir::new().unwrap();
        let root = root(&dir);
        fs::create_dir_all(&root.dir).unwrap();
        let newer = "{\"lore\":\"decisions\",\"version\":9}\n";
        fs::write(root.dir.join("decisions.jsonl"), newer).unwrap();
        fs::write(root.dir.join("graph.json"), "{\"edges\": [").unwrap();
        let new = [Record::Decision(decision("dec-a", "A"))];
        let error = root.edit(|edit| edit.put(&new)).unwrap_err();
        assert!(error.message().contains("decisions.jsonl:1: written by a newer lore"), "{error}");
        let error = root.edit(|edit| edit.connect(&[edge("dec-a", "dec-b")])).unwrap_err();
        assert!(error.message().contains("graph.json:1: not valid JSON"), "{error}");
        assert_eq!(fs::read_to_string(root.dir.join("decisions.jsonl")).unwrap(), newer);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_links_of_a_clone() {
        let dir = TempDir::new().unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        let root = root(&dir);
        fs::create_dir_all(&root.dir).unwrap();
        std::os::unix::fs::symlink(&victim, root.dir.join(".decisions.jsonl.tmp")).unwrap();
        let new = [Record::Decision(decision("dec-a", "A"))];
        root.edit(|edit| edit.put(&new)).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        std::os::unix::fs::symlink(dir.path(), root.dir.join("handoffs")).unwrap();
        let error = root.edit(|edit| edit.put(&new)).unwrap_err();
        assert!(error.message().contains("symbolic link"), "{error}");
    }

    #[test]
    fn no_link_of_a_clone_leads_a_write_out_of_it() {
        for link in [".lore", ".lore/memory", ".lore/memory/.lock", ".lore/memory/decisions.jsonl"]
        {
            let dir = TempDir::new().unwrap();
            let [outside, clone] = ["outside", "clone"].map(|name| dir.path().join(name));
            fs::create_dir(&outside).unwrap();
            let place = clone.join(link);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(&outside, &place).unwrap();
            let root = Root::new(clone.join(".lore/memory"), RootKind::Project);
            let new = [Record::Decision(decision("dec-a", "A"))];
            let error = root.edit(|edit| edit.put(&new)).unwrap_err();
            assert!(error.message().contains("symbolic link"), "{link}: {error}");
            assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{link}");
        }
    }

    #[test]
    fn the_users_own_memory_may_lie_behind_a_link() {
        let dir = TempDir::new().unwrap();
        let [real, linked] = ["real", "linked"].map(|name| dir.path().join(name));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &linked).unwrap();
        let root = Root::new(linked.join("memory"), RootKind::Personal);
        root.edit(|edit| edit.put(&[Record::Decision(decision("dec-a", "A"))])).unwrap();
        assert!(real.join("memory/decisions.jsonl").is_file());
    }

    #[test]
    fn threads_that_write_at_once_lose_nothing() {
        let dir = TempDir::new().unwrap();
        let root = root(&dir);
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let root = &root;
                scope.spawn(move || {
                    for n in 0..10 {
                        let new = decision(&format!("dec-{writer}x{n}"), "A");
                        root.edit(|edit| edit.put(&[Record::Decision(new)])).unwrap();
                    }
                });
            }
        });
        let n_kept = root.edit(|edit| Ok(edit.records()?.len())).unwrap();
        assert_eq!(n_kept, 80);
    }
}
