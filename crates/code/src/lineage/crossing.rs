//! Where a symbol is not in the older version of its file: it was renamed,
//! came from another file, or began.

use super::versions::Version;
use super::{Outcome, Walk, symbol_version};
use crate::index::choose::unfit;
use crate::lang;
use crate::lineage::touches::Touch;
use crate::matching::{SourceFile, match_versions};
use git::Change;
use model::Result;
use model::lineage::{LineageEnd, StepKind};
use std::rc::Rc;

/// Files of a commit that are matched with each other; of more, those with most of the
/// symbol in them.
const MOST_MATCHED: usize = 80;
/// Changed files that are looked at for the name.
const MOST_SEARCHED: usize = 3_000;

/// Both versions of the files that are matched.
#[derive(Default)]
struct Sides {
    old: Vec<Rc<Version>>,
    new: Vec<Rc<Version>>,
}

impl Walk<'_> {
    pub(super) fn cross(&mut self, touch: &Touch, old: Option<&Rc<Version>>) -> Result<Outcome> {
        let repo = self.request.repo;
        let Some(parent) = repo.parents(touch.commit)?.first().copied() else {
            let is_shallow = repo.is_shallow();
            if !is_shallow {
                self.introduce(touch.commit, None);
            }
            return Ok(Outcome::End(if is_shallow {
                LineageEnd::Shallow
            } else {
                LineageEnd::Introduced
            }));
        };
        self.cursor.settle();
        self.unfold()?;
        // Within its own file first: nearly always that is where it was.
        if let Some(old) = old
            && self.cross_to(touch, Sides { old: vec![Rc::clone(old)], new: Vec::new() }, true)
        {
            return Ok(Outcome::Elsewhere(parent));
        }
        let changes = repo.changes(Some(parent), touch.commit)?;
        if let Some(source) = self.renamed_from(&changes)? {
            if let Some(shift) = self.same_text(&source) {
                self.carry(touch, &source, shift);
                return Ok(Outcome::Elsewhere(parent));
            }
            if self.cross_to(touch, Sides { old: vec![source], new: Vec::new() }, true) {
                return Ok(Outcome::Elsewhere(parent));
            }
        }
        let sides = self.sides(&changes)?;
        if self.cross_to(touch, sides, false) {
            return Ok(Outcome::Elsewhere(parent));
        }
        Ok(Outcome::End(LineageEnd::Introduced))
    }

    /// The file moved as a whole, and the symbol is in it as it was.
    fn carry(&mut self, touch: &Touch, source: &Rc<Version>, shift: i64) {
        let line = i64::from(self.cursor.parsed.facts().def(self.cursor.entry.def).name_line);
        let wanted = line + self.cursor.shift + shift;
        let entry = source
            .entries()
            .iter()
            .filter(|it| it.name == self.cursor.entry.name && it.sort == self.cursor.entry.sort)
            .min_by_key(|it| (i64::from(source.facts().def(it.def).name_line) - wanted).abs())
            .cloned();
        if let Some(entry) = entry {
            self.advance(touch.commit, StepKind::Moved, (Rc::clone(source), entry), Some(1.0));
        }
    }

    /// What git holds to be the file before it was renamed.
    fn renamed_from(&mut self, changes: &[Change]) -> Result<Option<Rc<Version>>> {
        let here = &self.cursor.actual.path;
        let Some(change) =
            changes.iter().find(|it| it.path.text() == here.as_str() && it.old_path != it.path)
        else {
            return Ok(None);
        };
        match change.old_id {
            Some(id) => self.versions.read(id, &change.old_path.text()),
            None => Ok(None),
        }
    }

    /// The changed files of the symbol's language, before and after.
    fn sides(&mut self, changes: &[Change]) -> Result<Sides> {
        let here = self.cursor.actual.path.clone();
        let ending = |path: &str| path.rsplit_once('.').map_or("", |it| it.1).to_owned();
        let own = ending(&here);
        let of_language = |path: &str| ending(path) == own && lang::is_known(path);
        let mut all: Vec<&Change> = changes
            .iter()
            .filter(|it| of_language(&it.path.text()) || of_language(&it.old_path.text()))
            .filter(|it| it.old_id != it.id || it.path != it.old_path)
            .take(MOST_SEARCHED)
            .collect();
        // Files with much of the path in common first.
        let alike = |change: &&Change| {
            let old = change.old_path.text();
            let shared = old.bytes().zip(here.bytes()).take_while(|(a, b)| a == b).count();
            let same_name = old.rsplit('/').next() == here.rsplit('/').next();
            (!same_name, std::cmp::Reverse(shared))
        };
        all.sort_by_key(alike);
        let mut chosen: Vec<usize> = (0..all.len()).collect();
        if all.len() > MOST_MATCHED {
            let likeness = self.likeness();
            let mut scores = Vec::with_capacity(all.len());
            // Scored one by one: the texts of so many files together are too much to hold.
            for change in &all {
                let is_here = change.path.text() == here.as_str();
                let old = match change.old_id {
                    Some(id) => self.versions.read(id, &change.old_path.text())?,
                    None => None,
                };
                scores.push((!is_here, std::cmp::Reverse(old.as_deref().map_or(0, &likeness))));
            }
            chosen.sort_by_key(|at| scores[*at]);
            chosen.truncate(MOST_MATCHED);
            chosen.sort_unstable();
        }
        let mut sides = Sides::default();
        for at in chosen {
            let change = all[at];
            let old = match change.old_id {
                Some(id) => self.versions.read(id, &change.old_path.text())?,
                None => None,
            };
            sides.old.extend(old.filter(|old| unfit(&old.bytes).is_none()));
            if let Some(id) = change.id.filter(|_| change.path.text() != here.as_str()) {
                let new = self.versions.read(id, &change.path.text())?;
                sides.new.extend(new.filter(|new| unfit(&new.bytes).is_none()));
            }
        }
        Ok(sides)
    }

    /// How much of the symbol a file has: its name, which it may have got in this very
    /// commit, and the words of its text, which it had before.
    fn likeness(&self) -> impl Fn(&Version) -> usize + use<> {
        let name = self.cursor.entry.name.to_string();
        let words = self.words();
        move |version| {
            let Ok(text) = std::str::from_utf8(&version.bytes) else { return 0 };
            let n_words = words.iter().filter(|word| text.contains(word.as_str())).count();
            n_words + if text.contains(&name) { words.len() / 2 + 1 } else { 0 }
        }
    }

    /// The longest words of the symbol's text: few other files have them.
    fn words(&self) -> Vec<String> {
        const SHORTEST: usize = 5;
        const MOST: usize = 24;
        let version = &self.cursor.parsed;
        let span = version.facts().def(self.cursor.entry.def).span;
        let bytes = version.bytes.get(span.start_byte as usize..span.end_byte as usize);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let mut words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.len() >= SHORTEST && *word != &*self.cursor.entry.name)
            .collect();
        words.sort_unstable();
        words.dedup();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.into_iter().take(MOST).map(str::to_owned).collect()
    }

    /// Matches some files with the symbol's own; whether the symbol was found in
    /// them. Where it was not and these were all files, it began here.
    fn cross_to(&mut self, touch: &Touch, mut sides: Sides, is_partial: bool) -> bool {
        sides.new.push(Rc::clone(&self.cursor.parsed));
        let (olds, news) = (sources(&sides.old), sources(&sides.new));
        let matching = match_versions(&olds, &news);
        let own_file = (sides.new.len() - 1) as u32;
        let def = self.cursor.entry.def;
        let is_own = |new: u32| {
            let symbol = &matching.new[new as usize];
            symbol.file == own_file && symbol.def == def
        };
        // The old name may have been kept for those who use it.
        let mut all = matching.pairs.iter().chain(&matching.aliases);
        if let Some(pair) = all.find(|pair| is_own(pair.new)) {
            let symbol = &matching.old[pair.old as usize];
            let version = Rc::clone(&sides.old[symbol.file as usize]);
            let Some(entry) = version.entries().iter().find(|it| it.def == symbol.def).cloned()
            else {
                return false;
            };
            let change = if entry.name != self.cursor.entry.name {
                StepKind::Renamed
            } else if version.path != self.cursor.actual.path
                || entry.path != self.cursor.entry.path
            {
                StepKind::Moved
            } else {
                StepKind::Changed
            };
            self.advance(touch.commit, change, (version, entry), Some(pair.similarity));
            return true;
        }
        if !is_partial {
            let copy = matching.copies.iter().find(|copy| is_own(copy.new)).and_then(|copy| {
                let symbol = &matching.old[copy.old as usize];
                let version = &sides.old[symbol.file as usize];
                let entry = version.entries().iter().find(|it| it.def == symbol.def)?;
                Some(symbol_version(version, entry, 0, &version.path))
            });
            self.introduce(touch.commit, copy);
        }
        false
    }
}

fn sources(all: &[Rc<Version>]) -> Vec<SourceFile<'_>> {
    all.iter().map(|version| version.source()).collect()
}
