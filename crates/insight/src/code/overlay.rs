//! The work tree over the index: what was edited since the snapshot, in memory.
//!
//! The snapshot is of a commit; an agent stands in a work tree that has moved on. For
//! each file that differs, the lines of the indexed version are followed into the
//! text as it is now. Where somebody hands over what the new text defines (producers
//! can parse, answers cannot), symbols are known exactly, new ones included.

use super::scope::Scope;
use super::view::View;
use git::{ObjectId, Repo, RepoPath, WorkTreeContent};
use model::Result;
use model::code::NodeKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use store::Reader;

/// A work tree that differs in more files is another commit; it should be indexed.
const MOST_FILES: usize = 400;
/// Larger files are no source.
const LARGEST: u64 = 2 << 20;

/// A file of the work tree as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    pub path: String,
    pub bytes: Vec<u8>,
}

/// A definition in a text that is not indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSymbol {
    /// `cart.Cart.total`
    pub symbol: String,
    pub name: String,
    pub kind: NodeKind,
    pub name_line: u32,
    pub start_line: u32,
    pub end_line: u32,
    pub signature: String,
    pub is_test: bool,
}

/// Says what each of some files defines, in their order; none where nobody can say.
pub type Extract<'a> = &'a dyn Fn(&[TextFile]) -> Vec<Option<Vec<TextSymbol>>>;

/// A file that is not as it was indexed.
#[derive(Debug)]
pub struct EditedFile {
    /// None where it is gone.
    pub text: Option<String>,
    /// What it defines now; none where nobody could say.
    pub symbols: Option<Vec<TextSymbol>>,
    /// For each indexed line, from 1, where it stands now; 0 where it does not.
    lines: Vec<u32>,
    /// Lines that were not there, from 1.
    new_lines: Vec<u32>,
}

/// All of them, by path.
#[derive(Default)]
pub struct Overlay {
    files: BTreeMap<String, EditedFile>,
    /// Too much has changed to follow.
    pub is_beyond: bool,
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.files.keys()).finish()
    }
}

impl Scope {
    /// The same snapshot with the edits of the work tree around it; as it is where
    /// there is none, or where the snapshot is of a work tree itself.
    pub fn over_work_tree(mut self, reader: &Reader, extract: Extract<'_>) -> Result<Scope> {
        let Some(dir) = self.dir.clone().filter(|_| self.snapshot.work_tree.is_none()) else {
            return Ok(self);
        };
        let Some(commit) = ObjectId::parse(&self.snapshot.sha) else { return Ok(self) };
        let repo = Repo::known(Path::new(&dir));
        // A clone that git cannot compare with the commit answers from the index.
        let Ok(changes) = repo.work_tree_changes(commit, LARGEST, is_source) else {
            return Ok(self);
        };
        self.is_over_tree = true;
        if changes.is_empty() {
            self.newer_head = None;
            return Ok(self);
        }
        if changes.len() > MOST_FILES {
            self.overlay = Some(Arc::new(Overlay { is_beyond: true, ..Overlay::default() }));
            return Ok(self);
        }
        let (mut edited, mut gone) = (Vec::new(), Vec::new());
        for change in changes {
            let path = change.path.to_string();
            match change.content {
                Some(WorkTreeContent::Bytes(_, bytes)) => edited.push(TextFile { path, bytes }),
                Some(WorkTreeContent::TooLarge(_)) => {}
                None => gone.push(path),
            }
        }
        let overlay = self.overlay_of(reader, &repo, edited, gone, extract)?;
        // The answer is of what lies here, whatever is checked out.
        self.newer_head = None;
        if !overlay.files.is_empty() {
            self.overlay = Some(Arc::new(overlay));
        }
        Ok(self)
    }

    fn overlay_of(
        &self,
        reader: &Reader,
        repo: &Repo,
        edited: Vec<TextFile>,
        gone: Vec<String>,
        extract: Extract<'_>,
    ) -> Result<Overlay> {
        let view = View::alone(reader, self);
        let mut blobs = repo.blobs()?;
        let mut overlay = Overlay::default();
        let mut defined = extract(&edited);
        defined.resize(edited.len(), None);
        let edited = edited.into_iter().zip(defined);
        let now = edited.map(|(file, symbols)| (file.path, Some(file.bytes), symbols));
        for (path, bytes, symbols) in now.chain(gone.into_iter().map(|path| (path, None, None))) {
            let old = match indexed_blob(&view, &path)? {
                Some(id) => blobs.read(id, LARGEST)?.into_content().unwrap_or_default(),
                // Neither indexed nor code: a log, notes, what a build left.
                None if symbols.is_none() => continue,
                None => Vec::new(),
            };
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let old = String::from_utf8_lossy(&old);
            let (lines, new_lines) = follow(&old, text.as_deref().unwrap_or_default());
            overlay.files.insert(path, EditedFile { text, symbols, lines, new_lines });
        }
        Ok(overlay)
    }
}

/// Files that may hold code: the rest would only be read.
fn is_source(path: &RepoPath) -> bool {
    let path = path.to_string();
    // lore's own files are no code of the project.
    !path.starts_with(".lore/") && path.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

fn indexed_blob(view: &View<'_>, path: &str) -> Result<Option<ObjectId>> {
    let Some(member) = super::files::exact_file(view, path)? else { return Ok(None) };
    let row = view.file(member.file)?;
    let hex: String = row.blob.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(ObjectId::parse(&hex))
}

impl Overlay {
    pub fn file(&self, path: &str) -> Option<&EditedFile> {
        self.files.get(path)
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &EditedFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// New definitions with a name, or the end of one.
    pub fn defining<'o>(
        &'o self,
        typed: &'o str,
    ) -> impl Iterator<Item = (&'o str, &'o TextSymbol)> {
        let last = typed.rsplit(['.', ':']).next().unwrap_or(typed);
        let whole = typed.replace("::", ".");
        let symbols = self.files().flat_map(|(path, file)| {
            file.symbols.iter().flatten().map(move |symbol| (path, symbol))
        });
        symbols.filter(move |(_, symbol)| {
            symbol.name == last
                && (symbol.symbol == whole || symbol.symbol.ends_with(&format!(".{whole}")))
        })
    }
}

impl EditedFile {
    /// Where an indexed line stands now; none where it was taken out or changed.
    pub fn line(&self, indexed: u32) -> Option<u32> {
        let at = (indexed as usize).checked_sub(1)?;
        self.lines.get(at).copied().filter(|line| *line > 0)
    }

    /// The same, or the place where it would stand.
    pub fn line_or_near(&self, indexed: u32) -> u32 {
        if let Some(line) = self.line(indexed) {
            return line;
        }
        let before = (1..indexed).rev().find_map(|it| self.line(it).map(|line| (it, line)));
        before.map_or(1, |(_, line)| line + 1)
    }

    /// Lines that are new or changed and have a word, with their text.
    pub fn new_lines_with<'f>(&'f self, word: &'f str) -> impl Iterator<Item = (u32, &'f str)> {
        let lines: Vec<&str> = self.text.as_deref().unwrap_or_default().lines().collect();
        self.new_lines.iter().filter_map(move |line| {
            let text = *lines.get(*line as usize - 1)?;
            crate::push::has_word(text, word).then_some((*line, text))
        })
    }

    /// Lines of the text that have something, with their numbers.
    pub fn lines_where<'f>(
        &'f self,
        has: impl Fn(&str) -> bool + 'f,
    ) -> impl Iterator<Item = (u32, &'f str)> {
        let lines = self.text.as_deref().unwrap_or_default().lines().enumerate();
        lines.filter(move |(_, text)| has(text)).map(|(at, text)| (at as u32 + 1, text))
    }

    /// Whether lines of the text have a word.
    pub fn has_word_within(&self, word: &str, first: u32, last: u32) -> Option<u32> {
        let lines = self.text.as_deref()?.lines().enumerate();
        let mut within = lines.skip(first.saturating_sub(1) as usize);
        within
            .by_ref()
            .take((last.saturating_sub(first) + 1) as usize)
            .find(|(_, text)| crate::push::has_word(text, word))
            .map(|(at, _)| at as u32 + 1)
    }

    /// The definition around a line of the text, the innermost.
    pub fn around(&self, line: u32) -> Option<&TextSymbol> {
        self.symbols
            .iter()
            .flatten()
            .filter(|symbol| symbol.kind != NodeKind::Module)
            .filter(|symbol| (symbol.start_line..=symbol.end_line).contains(&line))
            .max_by_key(|symbol| symbol.start_line)
    }
}

/// Where each line of a text stands in another, and which lines of that are new. Equal
/// beginnings and ends, then lines that both have once, in order.
fn follow(old: &str, new: &str) -> (Vec<u32>, Vec<u32>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut lines = vec![0_u32; old.len()];
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    for (at, line) in lines.iter_mut().enumerate().take(head) {
        *line = at as u32 + 1;
    }
    for nth in 1..=tail {
        lines[old.len() - nth] = (new.len() - nth) as u32 + 1;
    }
    let (old_mid, new_mid) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    // How often a line stands there, and where first.
    let mut places: HashMap<&str, (usize, usize)> = HashMap::new();
    for (at, line) in new_mid.iter().enumerate() {
        places.entry(line).or_insert((0, head + at)).0 += 1;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in old_mid {
        *counts.entry(line).or_default() += 1;
    }
    let mut last = head;
    for (line, now) in old_mid.iter().zip(&mut lines[head..]) {
        let is_telling = line.trim().len() > 1 && counts[line] == 1;
        if let Some((1, place)) = places.get(line).copied()
            && is_telling
            && place >= last
        {
            *now = place as u32 + 1;
            last = place + 1;
        }
    }
    let taken: std::collections::HashSet<u32> = lines.iter().copied().collect();
    let new_lines = (1..=new.len() as u32).filter(|line| !taken.contains(line)).collect();
    (lines, new_lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(old: &str, new: &str) -> EditedFile {
        let (lines, new_lines) = follow(old, new);
        EditedFile { text: Some(new.to_owned()), symbols: None, lines, new_lines }
    }

    #[test]
    fn lines_are_followed_through_edits() {
        let file = edited("a\nb\nc\nd\ne\n", "a\nx\nc\ny\nz\nd\ne\n");
        let places: Vec<Option<u32>> = (1..=5).map(|line| file.line(line)).collect();
        assert_eq!(places[0], Some(1));
        assert_eq!(places[1], None);
        assert_eq!(&places[3..], [Some(6), Some(7)]);
        assert_eq!(file.line_or_near(2), 2);
        assert_eq!(file.line(99), None);
    }

    #[test]
    fn new_lines_are_those_that_were_not_there() {
        let file = edited("def a():\n    pass\n", "def a():\n    call_it()\n    pass\n");
        assert_eq!(file.new_lines, [2]);
        assert_eq!(file.new_lines_with("call_it").collect::<Vec<_>>(), [(2, "    call_it()")]);
        assert_eq!(file.new_lines_with("call").count(), 0);
        assert_eq!(file.line(2), Some(3));
    }

    #[test]
    fn a_file_that_is_gone_or_new_has_no_lines_in_common() {
        assert_eq!(edited("a\n", "").line(1), None);
        assert_eq!(edited("", "a\nb\n").new_lines, [1, 2]);
    }
}
