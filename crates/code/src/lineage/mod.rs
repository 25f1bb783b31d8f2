//! Which commits changed one symbol, across renames and moves of the symbol,
//! its containers and its file.
//!
//! Backwards from one commit along the versions of the symbol's file. A version
//! that has the symbol's text, byte for byte, is not even parsed; one that does
//! not is parsed once. Where the symbol is not in an older version, the files of
//! that commit are matched ([`crate::matching`]): it was renamed, came from
//! another file, or began there. A change counts at the commit that made it,
//! never at a merge.

mod aspects;
mod crossing;
mod locate;
mod partial;
mod touches;
mod versions;

pub(crate) use aspects::{SymbolText, differences_of_text};

#[cfg(test)]
mod tests;

use crate::compare::stored_facts;
use crate::facts::Visibility;
use crate::matching::{Entry, match_versions};
use git::{ObjectId, Repo, RepoPath};
use model::change::{Aspect, SymbolVersion};
use model::ids::RepoId;
use model::lineage::{Lineage, LineageEnd, LineageStep, Locator, StepKind, SymbolName};
use model::{Error, Result};
use std::rc::Rc;
use store::Reader;

use touches::{Touch, Touches};
use versions::{Version, Versions};

/// The question.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub repo: &'a Repo,
    /// Where the walk begins.
    pub at: ObjectId,
    pub path: &'a str,
    pub symbol: &'a Locator,
    /// Where the commits of the repository are stored; git is asked otherwise.
    pub index: Option<(&'a Reader, RepoId)>,
    /// Names to look for in the code of each version.
    pub watch: &'a [String],
}

/// Versions read at most.
const MOST_VERSIONS: u64 = 20_000;
/// Files a symbol passes through at most: a guard against going in circles.
const MOST_FILES: usize = 64;

/// The commits that changed a symbol, newest first.
pub fn lineage(request: &Request<'_>) -> Result<Lineage> {
    let mut versions = Versions::of(request.repo)?;
    let path = RepoPath::new(request.path.as_bytes());
    let version = versions.of_commit(request.at, &path)?.ok_or_else(|| {
        Error::not_found(format!(
            "no file `{}` in {}",
            model::text::one_line(request.path, 120),
            request.at.short()
        ))
        .suggest("write the path from the root of the repository, as `git ls-files` does")
    })?;
    if let Some(index) = request.index {
        version.know(|path, blob| stored_facts(index, path, blob));
    }
    let entry = locate::entry(&version, request.symbol)?;
    let mut walk = Walk {
        request,
        versions,
        cursor: Cursor { parsed: Rc::clone(&version), entry, shift: 0, actual: version },
        steps: Vec::new(),
        n_versions: 1,
        names: Vec::new(),
    };
    let symbol = walk.cursor.version();
    walk.note_name();
    let end = walk.run()?;
    Ok(Lineage { symbol, steps: walk.steps, end, n_versions: walk.n_versions, names: walk.names })
}

/// Where the walk stands: a version of a file, and the symbol in it.
struct Cursor {
    /// The newest version that was parsed and has the symbol with this text.
    parsed: Rc<Version>,
    entry: Entry,
    /// Lines from there to the same text in `actual`.
    shift: i64,
    actual: Rc<Version>,
}

impl Cursor {
    fn version(&self) -> SymbolVersion {
        symbol_version(&self.parsed, &self.entry, self.shift, &self.actual.path)
    }

    /// The same where the actual version may say something else of the symbol.
    fn settle_where_unlike(&mut self) {
        let is_settled = Rc::ptr_eq(&self.parsed, &self.actual);
        if !is_settled && !partial::is_alike(&self.parsed, &self.entry, &self.actual) {
            self.settle();
        }
    }

    /// Makes the actual version the parsed one: its own facts are needed.
    fn settle(&mut self) {
        if Rc::ptr_eq(&self.parsed, &self.actual) {
            return;
        }
        let actual = partial::near(&self.parsed, &self.entry, &self.actual);
        let line = i64::from(self.parsed.facts().def(self.entry.def).name_line) + self.shift;
        let same = |it: &&Entry| it.path == self.entry.path && it.sort == self.entry.sort;
        let line_of = |it: &Entry| i64::from(actual.facts().def(it.def).name_line);
        let entries = actual.entries().iter();
        let found = entries.filter(same).min_by_key(|it| (line_of(it) - line).abs()).cloned();
        if let Some(found) = found {
            self.entry = found;
            self.parsed = Rc::clone(&actual);
            self.actual = actual;
            self.shift = 0;
        }
    }
}

fn symbol_version(version: &Version, entry: &Entry, shift: i64, path: &str) -> SymbolVersion {
    let facts = version.facts();
    let def = facts.def(entry.def);
    SymbolVersion {
        symbol: entry.path.to_string(),
        kind: def.kind.word().to_owned(),
        path: path.to_owned(),
        line: u32::try_from(i64::from(def.name_line) + shift).unwrap_or(1).max(1),
        signature: def.signature.map(|name| facts.text(name).to_owned()),
        is_public: def.visibility == Visibility::Public,
    }
}

struct Walk<'a> {
    request: &'a Request<'a>,
    versions: Versions,
    cursor: Cursor,
    steps: Vec<LineageStep>,
    n_versions: u64,
    names: Vec<SymbolName>,
}

/// What a file's versions led to.
enum Outcome {
    /// On with another file, from a commit.
    Elsewhere(ObjectId),
    End(LineageEnd),
}

impl Walk<'_> {
    fn run(&mut self) -> Result<LineageEnd> {
        let mut from = self.request.at;
        for _ in 0..MOST_FILES {
            match self.along_file(from)? {
                Outcome::Elsewhere(commit) => from = commit,
                Outcome::End(end) => return Ok(end),
            }
        }
        Ok(LineageEnd::Bounded)
    }

    /// Follows the file the cursor is in, from a commit backwards.
    fn along_file(&mut self, from: ObjectId) -> Result<Outcome> {
        let path = RepoPath::new(self.cursor.actual.path.as_bytes());
        let blob = self.cursor.actual.blob;
        let request = self.request;
        let mut touches = Touches::of(request.repo, request.index, from, &path, blob)?;
        while let Some(touch) = touches.next()? {
            self.n_versions += 1;
            if self.n_versions > MOST_VERSIONS {
                return Ok(Outcome::End(LineageEnd::Bounded));
            }
            if let Some(outcome) = self.step(touch)? {
                return Ok(outcome);
            }
        }
        let is_shallow = request.repo.is_shallow();
        Ok(Outcome::End(if is_shallow { LineageEnd::Shallow } else { LineageEnd::Unexplained }))
    }

    /// One commit that changed the file; an outcome when the file is left.
    fn step(&mut self, touch: Touch) -> Result<Option<Outcome>> {
        let Some(new) = touch.new else { return Ok(None) };
        if new != self.cursor.actual.blob && !self.jump(new)? {
            return Ok(None);
        }
        let old = match touch.old {
            Some(old) => self.versions.read(old, &self.cursor.actual.path)?,
            None => None,
        };
        let Some(old) = old else { return self.cross(&touch, None).map(Some) };
        if let Some(shift) = self.same_text(&old) {
            self.cursor.shift += shift;
            self.cursor.actual = old;
            return Ok(None);
        }
        self.cursor.settle_where_unlike();
        let old = partial::near(&self.cursor.parsed, &self.cursor.entry, &old);
        let Some(entry) = self.partner(&old)? else {
            let old = self.whole(&old)?;
            return match self.cross(&touch, Some(&old))? {
                // Under another name in the same file.
                Outcome::Elsewhere(_) if self.cursor.actual.path == old.path => Ok(None),
                outcome => Ok(Some(outcome)),
            };
        };
        self.advance(touch.commit, StepKind::Changed, (old, entry), None);
        Ok(None)
    }

    /// To a version on another line of history; whether the symbol is there.
    fn jump(&mut self, blob: ObjectId) -> Result<bool> {
        let Some(version) = self.versions.read(blob, &self.cursor.actual.path)? else {
            return Ok(false);
        };
        if let Some(shift) = self.same_text(&version) {
            self.cursor.shift += shift;
            self.cursor.actual = version;
            return Ok(true);
        }
        self.cursor.settle_where_unlike();
        let version = partial::near(&self.cursor.parsed, &self.cursor.entry, &version);
        let Some(entry) = self.partner(&version)? else { return Ok(false) };
        self.cursor = Cursor { parsed: Rc::clone(&version), entry, shift: 0, actual: version };
        Ok(true)
    }

    /// Lines to the symbol's text in another version, if it is there as it is.
    fn same_text(&self, other: &Version) -> Option<i64> {
        let here = self.cursor.parsed.needle(&self.cursor.entry)?;
        let there = other.line_of(&here)?;
        let now = i64::from(here.line) + self.cursor.shift;
        Some(i64::from(there) - now)
    }

    /// A version with all that is in it.
    fn whole(&mut self, version: &Rc<Version>) -> Result<Rc<Version>> {
        if version.left_out().is_empty() {
            return Ok(Rc::clone(version));
        }
        let read = self.versions.read(version.blob, &version.path)?;
        Ok(read.unwrap_or_else(|| {
            let bytes = version.bytes.to_vec();
            Rc::new(Version::new(version.path.clone(), version.blob, bytes))
        }))
    }

    /// Makes the version at hand a whole one: all its symbols are to be compared.
    fn unfold(&mut self) -> Result<()> {
        let whole = self.whole(&self.cursor.parsed.clone())?;
        if Rc::ptr_eq(&whole, &self.cursor.parsed) {
            return Ok(());
        }
        let cursor = &mut self.cursor;
        let span = cursor.parsed.facts().def(cursor.entry.def).span;
        let same = |it: &&Entry| it.path == cursor.entry.path && it.sort == cursor.entry.sort;
        let start_of = |it: &Entry| whole.facts().def(it.def).span.start_byte;
        let entries = whole.entries().iter().filter(same);
        let found = entries.min_by_key(|it| start_of(it).abs_diff(span.start_byte)).cloned();
        if let Some(found) = found {
            cursor.entry = found;
            if Rc::ptr_eq(&cursor.parsed, &cursor.actual) {
                cursor.actual = Rc::clone(&whole);
            }
            cursor.parsed = whole;
        }
        Ok(())
    }

    /// The symbol in an older version of the same file.
    fn partner(&mut self, old: &Rc<Version>) -> Result<Option<Entry>> {
        let entry = &self.cursor.entry;
        let same = |version: &Version| -> Vec<Entry> {
            let all = version.entries().iter();
            all.filter(|it| it.path == entry.path && it.sort == entry.sort).cloned().collect()
        };
        let (olds, news) = (same(old), same(&self.cursor.parsed));
        if let ([only], [_]) = (olds.as_slice(), news.as_slice()) {
            return Ok(Some(only.clone()));
        }
        if olds.is_empty() {
            return Ok(None);
        }
        let has_params = |it: &&Entry| it.params == entry.params;
        let alike: Vec<&Entry> = olds.iter().filter(has_params).collect();
        if let [only] = alike.as_slice()
            && news.iter().filter(has_params).count() == 1
        {
            return Ok(Some((*only).clone()));
        }
        let whole = self.whole(old)?;
        self.cursor.settle();
        self.unfold()?;
        let entry = &self.cursor.entry;
        let (old_file, new_file) = (whole.source(), self.cursor.parsed.source());
        let matching = match_versions(&[old_file], &[new_file]);
        let is_own = |new: u32| matching.new[new as usize].def == entry.def;
        let Some(pair) = matching.pairs.iter().find(|pair| is_own(pair.new)) else {
            return Ok(None);
        };
        let def = matching.old[pair.old as usize].def;
        let is_found = |it: &&Entry| it.def == def && it.path == entry.path;
        let found = whole.entries().iter().find(is_found).cloned();
        // The same symbol in the version that was asked about.
        let start = |version: &Version, it: &Entry| version.facts().def(it.def).span.start_byte;
        Ok(found.and_then(|found| {
            let at = start(&whole, &found);
            olds.into_iter().find(|it| start(old, it) == at)
        }))
    }

    /// Records what a commit did, if it did anything, and goes on from the
    /// older version.
    fn advance(
        &mut self,
        commit: ObjectId,
        change: StepKind,
        (old, entry): (Rc<Version>, Entry),
        similarity: Option<f32>,
    ) {
        let (now, before) = ((&*self.cursor.parsed, &self.cursor.entry), (&*old, &entry));
        let aspects = aspects::differences(before, now);
        if change != StepKind::Changed || !aspects.is_empty() {
            let watch = self.request.watch;
            let mentions = |(version, entry): (&Version, &Entry)| {
                !watch.is_empty() && aspects::mentions(version, entry, watch)
            };
            let mentions = (mentions(before), mentions(now));
            self.push(LineageStep {
                commit: commit.to_string(),
                change,
                aspects,
                new: self.cursor.version(),
                old: Some(symbol_version(&old, &entry, 0, &old.path)),
                similarity,
                mentions,
            });
        }
        self.cursor = Cursor { parsed: Rc::clone(&old), entry, shift: 0, actual: old };
        self.note_name();
    }

    fn push(&mut self, step: LineageStep) {
        self.steps.push(step);
    }

    fn note_name(&mut self) {
        let name = SymbolName {
            path: self.cursor.actual.path.clone(),
            symbol: self.cursor.entry.path.to_string(),
        };
        if self.names.last() != Some(&name) {
            self.names.push(name);
        }
    }

    /// The beginning of the symbol.
    fn introduce(&mut self, commit: ObjectId, copied: Option<SymbolVersion>) {
        let watch = self.request.watch;
        let has =
            !watch.is_empty() && aspects::mentions(&self.cursor.parsed, &self.cursor.entry, watch);
        let step = LineageStep {
            commit: commit.to_string(),
            change: if copied.is_some() { StepKind::Copied } else { StepKind::Introduced },
            aspects: Vec::<Aspect>::new(),
            new: self.cursor.version(),
            old: copied,
            similarity: None,
            mentions: (false, has),
        };
        self.push(step);
    }
}
