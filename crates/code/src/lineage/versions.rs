//! Versions of files, parsed when somebody asks what is in them.

use crate::facts::{DefId, FileFacts};
use crate::lang;
use crate::matching::{Entry, SourceFile, entries};
use git::{Blob, BlobReader, ObjectId, Repo, RepoPath};
use model::Result;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// One version of a file.
pub struct Version {
    pub path: String,
    pub blob: ObjectId,
    pub bytes: Rc<[u8]>,
    facts: OnceCell<FileFacts>,
    entries: OnceCell<Vec<Entry>>,
    /// Definitions that were left out when it was parsed, in order; see [`super::partial`].
    left_out: Vec<Range<usize>>,
}

/// A text that is looked for in other versions of its file.
pub struct Needle<'a> {
    text: &'a str,
    /// The text must stand at the beginning of the file, or at its end.
    is_first: bool,
    is_last: bool,
    /// The first line of the text, from 1.
    pub line: u32,
    /// How the types around it begin: they must be there, too.
    around: Vec<&'a str>,
}

impl Version {
    pub fn new(path: String, blob: ObjectId, bytes: Vec<u8>) -> Self {
        Version {
            path,
            blob,
            bytes: bytes.into(),
            facts: OnceCell::new(),
            entries: OnceCell::new(),
            left_out: Vec::new(),
        }
    }

    /// The same version with what was read of it when some definitions were left out.
    pub fn in_part(&self, facts: FileFacts, left_out: Vec<Range<usize>>) -> Self {
        Version {
            path: self.path.clone(),
            blob: self.blob,
            bytes: Rc::clone(&self.bytes),
            facts: facts.into(),
            entries: OnceCell::new(),
            left_out,
        }
    }

    pub fn left_out(&self) -> &[Range<usize>] {
        &self.left_out
    }

    /// Whether all of it, or what is asked for, was parsed already.
    pub fn is_parsed(&self) -> bool {
        self.facts.get().is_some()
    }

    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    pub fn facts(&self) -> &FileFacts {
        self.facts.get_or_init(|| lang::extract(&self.path, &self.bytes))
    }

    /// Takes what is known of it from elsewhere, unless it was parsed.
    pub fn know(&self, facts: impl FnOnce(&str, ObjectId) -> Option<FileFacts>) {
        if !self.is_parsed()
            && let Some(facts) = facts(&self.path, self.blob)
        {
            let _ = self.facts.set(facts);
        }
    }

    pub fn source(&self) -> SourceFile<'_> {
        SourceFile { path: &self.path, bytes: &self.bytes, facts: self.facts() }
    }

    pub fn entries(&self) -> &[Entry] {
        self.entries.get_or_init(|| entries(&self.source()))
    }

    /// The bytes of a symbol, and of the comments above it.
    pub fn extent(&self, entry: &Entry) -> Option<(usize, usize, usize)> {
        let span = self.facts().def(entry.def).span;
        let (start, end) = (span.start_byte as usize, span.end_byte as usize);
        (start <= end && end <= self.bytes.len())
            .then(|| (comment_start(&self.bytes, start), start, end))
    }

    /// The text of a symbol with its comments and the lines around it: whatever
    /// joins or leaves the symbol at its edges changes one of them.
    pub fn needle(&self, entry: &Entry) -> Option<Needle<'_>> {
        let (comments, _, end) = self.extent(entry)?;
        let text = std::str::from_utf8(&self.bytes).ok()?;
        let start = line_before(text, comments);
        let (end, is_last) = line_after(text, end);
        let line = 1 + text[..start].bytes().filter(|byte| *byte == b'\n').count();
        Some(Needle {
            text: text.get(start..end)?,
            is_first: text.get(..comments)?.trim().is_empty(),
            is_last,
            line: u32::try_from(line).ok()?,
            around: self.around(entry, text),
        })
    }

    /// How the declarations around a symbol begin, up to their names.
    fn around<'t>(&self, entry: &Entry, text: &'t str) -> Vec<&'t str> {
        let facts = self.facts();
        let mut heads = Vec::new();
        let mut at = facts.def(entry.def).parent;
        while at != DefId::FILE {
            let def = facts.def(at);
            let name = facts.text(def.name);
            let span = def.span.start_byte as usize..def.span.end_byte as usize;
            if let Some(body) = text.get(span)
                && let Some(found) = body.find(name)
            {
                let start = body[..found].rfind('\n').map_or(0, |at| at + 1);
                heads.push(body[start..found + name.len()].trim_start());
            }
            at = def.parent;
        }
        heads
    }

    /// The line of a needle's text in this version, if it is there exactly once.
    pub fn line_of(&self, needle: &Needle<'_>) -> Option<u32> {
        let text = std::str::from_utf8(&self.bytes).ok()?;
        let at = text.find(needle.text)?;
        let end = at + needle.text.len();
        let is_once = !text[at + 1..].contains(needle.text);
        let is_in_place = (!needle.is_last || text[end..].trim().is_empty())
            && (!needle.is_first || text[..at].trim().is_empty());
        let is_around = needle.around.iter().all(|head| text[..at].contains(head));
        if !is_once || !is_in_place || !is_around {
            return None;
        }
        // The first line of the text must begin a line here, too.
        let is_line = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let line = 1 + text[..at].bytes().filter(|byte| *byte == b'\n').count();
        is_line.then(|| u32::try_from(line).ok()).flatten()
    }
}

/// Where the comments begin that belong to what starts at a place: block
/// comments right above, and lines of comments without a gap.
fn comment_start(bytes: &[u8], start: usize) -> usize {
    let mut at = line_start(bytes, start);
    loop {
        let before = bytes[..at].trim_ascii_end();
        let n_gaps = bytes[before.len()..at].split(|byte| *byte == b'\n').count() - 1;
        if before.ends_with(b"*/") && n_gaps <= 2 {
            match find_last(before, b"/*") {
                // Code before a comment on its line: it is not about what follows.
                Some(open) if bytes[line_start(bytes, open)..open].trim_ascii().is_empty() => {
                    at = line_start(bytes, open);
                    continue;
                }
                _ => return at,
            }
        }
        let line = line_start(bytes, before.len());
        let text = bytes[line..before.len()].trim_ascii_start();
        let is_comment = text.starts_with(b"//")
            || text.starts_with(b"#") && !text.starts_with(b"#[") && !text.starts_with(b"#include");
        if !is_comment || n_gaps > 1 || before.is_empty() {
            return at;
        }
        at = line;
    }
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

fn find_last(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).rposition(|window| window == what)
}

/// The start of the last line before a place that is not empty.
fn line_before(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the first line after a place that is not empty; whether nothing
/// follows instead.
fn line_after(text: &str, at: usize) -> (usize, bool) {
    let rest = text.get(at..).unwrap_or_default();
    // What stands behind it on its own line belongs to it.
    let own = rest.find('\n').unwrap_or(rest.len());
    let after = &rest[own..];
    let blank = after.len() - after.trim_start().len();
    let next = &after[blank..];
    if next.is_empty() {
        return (at + own, true);
    }
    (at + own + blank + next.find('\n').unwrap_or(next.len()), false)
}

/// Versions kept for later: a version is asked for as the new and as the old one.
const MOST_KEPT: usize = 64;

/// Reads versions of files; the last ones are kept.
pub struct Versions {
    blobs: BlobReader,
    kept: FxHashMap<(ObjectId, String), Rc<Version>>,
    order: std::collections::VecDeque<(ObjectId, String)>,
}

impl Versions {
    pub fn of(repo: &Repo) -> Result<Self> {
        Ok(Versions {
            blobs: repo.blobs()?,
            kept: FxHashMap::default(),
            order: std::collections::VecDeque::new(),
        })
    }

    /// A file as a commit has it; none where it is not there or no text.
    pub fn of_commit(&mut self, commit: ObjectId, path: &RepoPath) -> Result<Option<Rc<Version>>> {
        let found = self.blobs.read_file(commit, path, lang::MAX_BYTES as u64)?;
        let Blob::Content(bytes) = found else { return Ok(None) };
        let blob = commit.of_blob_like(&bytes);
        Ok(Some(self.keep(Version::new(path.text().into_owned(), blob, bytes))))
    }

    /// Content by its name; none where the clone lacks it or it is too large.
    pub fn read(&mut self, blob: ObjectId, path: &str) -> Result<Option<Rc<Version>>> {
        if let Some(known) = self.kept.get(&(blob, path.to_owned())) {
            return Ok(Some(Rc::clone(known)));
        }
        let found = self.blobs.read(blob, lang::MAX_BYTES as u64)?;
        let Blob::Content(bytes) = found else { return Ok(None) };
        Ok(Some(self.keep(Version::new(path.to_owned(), blob, bytes))))
    }

    fn keep(&mut self, version: Version) -> Rc<Version> {
        let key = (version.blob, version.path.clone());
        let version = Rc::new(version);
        self.kept.insert(key.clone(), Rc::clone(&version));
        self.order.push_back(key);
        if self.order.len() > MOST_KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
        }
        version
    }
}
