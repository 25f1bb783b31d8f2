//! The ways people name an issue, a merge request or a commit.
//!
//! `#12`, `!34`, `proj#1`, `group/proj!2`, addresses in the dialect of any
//! forge, and commit hashes, parsed in this one place for the command line,
//! note texts and descriptions alike.

use crate::entity::EntityKind;
use crate::error::{Error, Result};
use crate::forge::UrlItem;
use crate::ids::Iid;
use std::fmt;

/// One thing a text points at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reference {
    Entity(EntityReference),
    /// A commit by full or shortened hash, lower case.
    Commit {
        project: Option<String>,
        sha: String,
    },
}

/// An issue or merge request, with as much of its project as was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityReference {
    pub kind: EntityKind,
    /// Of the address, if it was written as one.
    pub host: Option<String>,
    /// `None`: the project the text stands in. Without a `/`: a project in the
    /// same namespace. Otherwise a full path.
    pub project: Option<String>,
    pub iid: Iid,
}

impl EntityReference {
    /// The full project path, given the project in whose text this stood.
    pub fn project_path(&self, home: &str) -> String {
        match &self.project {
            None => home.to_owned(),
            Some(path) if path.contains('/') => path.clone(),
            Some(name) => match home.rsplit_once('/') {
                Some((namespace, _)) => format!("{namespace}/{name}"),
                None => name.clone(),
            },
        }
    }
}

impl fmt::Display for EntityReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let project = self.project.as_deref().unwrap_or("");
        write!(f, "{project}{}{}", self.kind.sigil(), self.iid)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Entity(entity) => entity.fmt(f),
            Reference::Commit { project: Some(project), sha } => write!(f, "{project}@{sha}"),
            Reference::Commit { project: None, sha } => f.write_str(sha),
        }
    }
}

impl Reference {
    /// Reads one reference that makes up the whole text, as typed on the
    /// command line.
    pub fn parse(text: &str) -> Result<Reference> {
        let text = text.trim();
        let whole = match_at(text, 0).filter(|found| found.end == text.len());
        match whole.map(|found| found.reference).or_else(|| commit(text)) {
            Some(reference) => Ok(reference),
            None => Err(Error::usage(format!(
                "`{}` is not a reference lore knows",
                crate::text::one_line(text, 60)
            ))
            .suggest("use #12, !34, group/project#12, a full URL or a commit hash")),
        }
    }

    /// Every reference in running text, in order, with its byte range. Bare
    /// commit hashes are left out: too many words look like one.
    pub fn find_all(text: &str) -> Vec<FoundReference> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = find_from(text, at) {
            at = next.end;
            found.push(next);
        }
        found
    }
}

/// A reference and where in the text it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundReference {
    pub reference: Reference,
    pub start: usize,
    pub end: usize,
}

fn find_from(text: &str, from: usize) -> Option<FoundReference> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        // A reference starts a word; `abc#1` inside a longer token is read
        // from the token's own start, never from its middle.
        if text.is_char_boundary(at)
            && starts_token(text, at)
            && let Some(found) = match_at(text, at)
        {
            return Some(found);
        }
        at += 1;
    }
    None
}

fn starts_token(text: &str, at: usize) -> bool {
    match text[..at].chars().next_back() {
        None => true,
        Some(before) => {
            !(before.is_alphanumeric()
                || matches!(before, '_' | '/' | '.' | '-' | '&' | '#' | '!' | '@'))
        }
    }
}

fn match_at(text: &str, start: usize) -> Option<FoundReference> {
    let rest = &text[start..];
    if rest.starts_with("http://") || rest.starts_with("https://") {
        return url_at(text, start);
    }
    let path_len = path_length(rest);
    let (path, tail) = rest.split_at(path_len);
    let sigil = tail.chars().next()?;
    let kind = match sigil {
        '#' => EntityKind::Issue,
        '!' => EntityKind::MergeRequest,
        '@' if !path.is_empty() => return commit_at(text, start, path_len),
        _ => return None,
    };
    let (iid, digits) = number(&tail[1..])?;
    let end = start + path_len + 1 + digits;
    ends_token(text, end).then(|| FoundReference {
        reference: Reference::Entity(EntityReference {
            kind,
            host: None,
            project: (!path.is_empty()).then(|| path.to_owned()),
            iid,
        }),
        start,
        end,
    })
}

/// `#12` must not be followed by more word: `#12abc` and `#12-3` are names.
fn ends_token(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    match rest.next() {
        Some(c) if c.is_alphanumeric() || c == '_' => false,
        Some('-') => !rest.next().is_some_and(char::is_alphanumeric),
        None | Some(_) => true,
    }
}

/// Bytes of a leading project path: `proj`, `group/sub/proj`.
fn path_length(text: &str) -> usize {
    let mut length = 0;
    for (index, c) in text.char_indices() {
        let fits = c.is_ascii_alphanumeric()
            || matches!(c, '_' | '.')
            || (index > 0 && matches!(c, '-' | '/'));
        if !fits || index > 512 {
            break;
        }
        length = index + c.len_utf8();
    }
    length
}

fn number(text: &str) -> Option<(Iid, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let iid: i64 = text[..digits].parse().ok()?;
    (iid > 0).then_some((Iid(iid), digits))
}

fn commit_at(text: &str, start: usize, path_len: usize) -> Option<FoundReference> {
    let path = &text[start..start + path_len];
    let sha_start = start + path_len + 1;
    let digits = text[sha_start..].bytes().take_while(u8::is_ascii_hexdigit).count();
    let end = sha_start + digits;
    ((7..=40).contains(&digits) && ends_token(text, end)).then(|| FoundReference {
        reference: Reference::Commit {
            project: Some(path.to_owned()),
            sha: text[sha_start..end].to_ascii_lowercase(),
        },
        start,
        end,
    })
}

fn commit(text: &str) -> Option<Reference> {
    let looks_right = (7..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    looks_right.then(|| Reference::Commit { project: None, sha: text.to_ascii_lowercase() })
}

/// An address in the dialect of any forge, up to the end of its word.
fn url_at(text: &str, start: usize) -> Option<FoundReference> {
    let rest = &text[start..];
    let length = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>' | '"' | '\'' | '`' | ','))
        .unwrap_or(rest.len());
    let url = rest[..length].trim_end_matches(['.', ';', ':', '!']);
    let (host, path) = url.split_once("://")?.1.split_once('/')?;
    let target = crate::forge::parse_path(path.split(['?', '#']).next()?)?;
    let project = target.project;
    if !project.contains('/') || path_length(project) != project.len() {
        return None;
    }
    let project = Some(project.to_owned());
    let reference = match target.item {
        UrlItem::Entity(kind, iid) => {
            let host = Some(host.to_ascii_lowercase());
            Reference::Entity(EntityReference { kind, host, project, iid })
        }
        UrlItem::Commit(sha) => match commit(sha)? {
            Reference::Commit { sha, .. } => Reference::Commit { project, sha },
            Reference::Entity(_) => return None,
        },
    };
    Some(FoundReference { reference, start, end: start + url.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(text: &str) -> Vec<String> {
        Reference::find_all(text).iter().map(|found| found.reference.to_string()).collect()
    }

    #[test]
    fn every_form_people_type() {
        for (typed, meant) in [
            ("#12", "#12"),
            ("!34", "!34"),
            ("proj#1", "proj#1"),
            ("group/sub/proj!2", "group/sub/proj!2"),
            ("https://gl.test/group/proj/-/issues/12", "group/proj#12"),
            ("https://gl.test/group/proj/-/issues/12#note_99", "group/proj#12"),
            ("https://gl.test/group/proj/-/work_items/12", "group/proj#12"),
            ("https://gl.test/group/proj/issues/12", "group/proj#12"),
            ("https://gl.test/g/s/p/-/merge_requests/7/diffs?x=1", "g/s/p!7"),
            ("https://gl.test/group/proj/-/commit/ABCDEF1234", "group/proj@abcdef1234"),
            ("abcdef1", "abcdef1"),
            ("group/proj@abcdef1", "group/proj@abcdef1"),
        ] {
            assert_eq!(Reference::parse(typed).unwrap().to_string(), meant, "{typed}");
        }
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for typed in [
            "",
            "#",
            "#0",
            "12x",
            "#12abc",
            "!-1",
            "#99999999999999999999",
            "hello",
            "&5",
            "https://gl.test/",
            "#12 #13",
        ] {
            assert_eq!(
                Reference::parse(typed).unwrap_err().code(),
                crate::ErrorCode::Usage,
                "{typed:?}"
            );
        }
    }

    #[test]
    fn found_in_running_text() {
        assert_eq!(all("Closes #1, fixes group/x#2 and !3."), ["#1", "group/x#2", "!3"]);
        assert_eq!(all("(see https://h.test/a/b/-/issues/4)."), ["a/b#4"]);
        assert_eq!(all("colour #fff, id#, &#39; C#7sharp a##4"), Vec::<String>::new());
        assert_eq!(all("mentioned in commit g/p@0123456789"), ["g/p@0123456789"]);
        assert_eq!(all("日本#5 「#6」"), ["#6"]);
    }

    #[test]
    fn a_bare_project_name_means_the_same_namespace() {
        let Reference::Entity(found) = Reference::parse("tools#3").unwrap() else { unreachable!() };
        assert_eq!(found.project_path("group/sub/app"), "group/sub/tools");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_ranges_are_right(text in any::<String>()) {
            for found in Reference::find_all(&text) {
                prop_assert!(text.get(found.start..found.end).is_some());
            }
            let _ = Reference::parse(&text);
        }

        #[test]
        fn what_is_written_is_read_back(
            project in proptest::option::of("[a-z][a-z0-9_]{0,5}(/[a-z][a-z0-9-]{0,4}[a-z0-9]){0,2}"),
            is_issue in any::<bool>(),
            iid in 1i64..1_000_000,
        ) {
            let kind = if is_issue { EntityKind::Issue } else { EntityKind::MergeRequest };
            let written = EntityReference { kind, host: None, project, iid: Iid(iid) };
            prop_assert_eq!(Reference::parse(&written.to_string()).unwrap(), Reference::Entity(written));
        }
    }
}
