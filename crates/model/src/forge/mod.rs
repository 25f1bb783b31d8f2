//! Forges: which kinds there are, and the dialect of each.
//!
//! A dialect is everything a forge says in its own way that reaches the rest
//! of lore: addresses, words that close issues, trailers of merge commits.
//! How its API is spoken is the business of the crate `forge`.
//!
//! References that lore itself writes are the same on every forge: `#12` for
//! an issue, `!34` for a merge request ([`EntityKind::sigil`]).

mod gitlab;

use crate::entity::EntityKind;
use crate::ids::{ForgeId, Iid};
use crate::vocabulary;

vocabulary! {
    /// What software a forge runs.
    pub enum ForgeKind {
        GitLab = "gitlab",
    }
}

impl ForgeKind {
    pub fn dialect(self) -> &'static dyn ForgeDialect {
        match self {
            ForgeKind::GitLab => &gitlab::GitLab,
        }
    }
}

/// What a path of an address below the host leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlTarget<'a> {
    /// `group/project`.
    pub project: &'a str,
    pub item: UrlItem<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlItem<'a> {
    Entity(EntityKind, Iid),
    /// What stands where the hash of a commit does.
    Commit(&'a str),
}

/// How one kind of forge writes things.
pub trait ForgeDialect: Sync {
    /// Its name, for sentences.
    fn name(&self) -> &'static str;

    /// Address of a note on an issue or merge request.
    fn note_url(&self, entity_url: &str, note: ForgeId) -> String;

    /// What a note stands on and the note, from an address or a reference with
    /// a note in it.
    fn split_note<'a>(&self, text: &'a str) -> Option<(&'a str, ForgeId)>;

    /// Address of a commit.
    fn commit_url(&self, project_url: &str, sha: &str) -> String;

    /// Address of a line of a file in a commit.
    fn blob_url(&self, project_url: &str, commit: &str, path: &str, line: u32) -> String;

    /// Where people make an access token.
    fn token_url(&self, base_url: &str) -> String;

    /// Reads the path of an address, without host, query and fragment.
    fn parse_path<'a>(&self, path: &'a str) -> Option<UrlTarget<'a>>;

    /// Words before a reference by which a merge request closes an issue.
    fn closing_keywords(&self) -> &'static [&'static str];

    /// The reference in a line by which a merge commit names its merge request.
    fn merge_trailer<'a>(&self, line: &'a str) -> Option<&'a str>;

    /// Whether a host may run this kind of forge, as far as its name tells.
    fn may_run_on(&self, host: &str) -> bool;
}

/// [`ForgeDialect::parse_path`] of whichever forge knows the form.
pub fn parse_path(path: &str) -> Option<UrlTarget<'_>> {
    ForgeKind::ALL.iter().find_map(|kind| kind.dialect().parse_path(path))
}

/// [`ForgeDialect::split_note`] of whichever forge knows the form.
pub fn split_note(text: &str) -> Option<(&str, ForgeId)> {
    ForgeKind::ALL.iter().find_map(|kind| kind.dialect().split_note(text))
}

/// [`ForgeDialect::merge_trailer`] of whichever forge knows the form.
pub fn merge_trailer(line: &str) -> Option<&str> {
    ForgeKind::ALL.iter().find_map(|kind| kind.dialect().merge_trailer(line))
}

/// Whether a host may be a forge that lore can read.
pub fn may_be_forge(host: &str) -> bool {
    ForgeKind::ALL.iter().any(|kind| kind.dialect().may_run_on(host))
}

/// The host of an address, with its port: `https://gl.test:81/a` → `gl.test:81`.
pub fn host_of(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    (!host.is_empty()).then_some(host)
}
