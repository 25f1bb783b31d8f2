//! GitLab's dialect.

use super::{ForgeDialect, UrlItem, UrlTarget};
use crate::entity::EntityKind;
use crate::ids::{ForgeId, Iid};

pub(super) struct GitLab;

/// Hosts that surely run something else.
const OTHER_FORGES: [&str; 4] = ["github.com", "bitbucket.org", "codeberg.org", "git.sr.ht"];

/// What stands between project and number: before GitLab 11 without the `/-/`,
/// since 19 with `work_items`. None: a commit.
const MARKS: [(&str, Option<EntityKind>); 6] = [
    ("/-/issues/", Some(EntityKind::Issue)),
    ("/-/work_items/", Some(EntityKind::Issue)),
    ("/-/merge_requests/", Some(EntityKind::MergeRequest)),
    ("/-/commit/", None),
    ("/issues/", Some(EntityKind::Issue)),
    ("/merge_requests/", Some(EntityKind::MergeRequest)),
];

impl ForgeDialect for GitLab {
    fn name(&self) -> &'static str {
        "GitLab"
    }

    fn note_url(&self, entity_url: &str, note: ForgeId) -> String {
        format!("{entity_url}#note_{note}")
    }

    fn split_note<'a>(&self, text: &'a str) -> Option<(&'a str, ForgeId)> {
        let (on, note) = text.rsplit_once("#note_")?;
        Some((on, ForgeId(note.parse().ok()?)))
    }

    fn commit_url(&self, project_url: &str, sha: &str) -> String {
        format!("{project_url}/-/commit/{sha}")
    }

    fn blob_url(&self, project_url: &str, commit: &str, path: &str, line: u32) -> String {
        format!("{project_url}/-/blob/{commit}/{path}#L{line}")
    }

    fn token_url(&self, base_url: &str) -> String {
        format!("{base_url}/-/user_settings/personal_access_tokens")
    }

    fn parse_path<'a>(&self, path: &'a str) -> Option<UrlTarget<'a>> {
        let (mark, kind) = MARKS.into_iter().find(|(mark, _)| path.contains(mark))?;
        let (project, tail) = path.split_once(mark)?;
        let item = match kind {
            None => UrlItem::Commit(tail),
            Some(kind) => {
                let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
                let iid: i64 = tail[..digits].parse().ok()?;
                let is_whole = tail.len() == digits || tail.as_bytes()[digits] == b'/';
                (iid > 0 && is_whole).then_some(UrlItem::Entity(kind, Iid(iid)))?
            }
        };
        Some(UrlTarget { project, item })
    }

    /// GitLab's default pattern.
    fn closing_keywords(&self) -> &'static [&'static str] {
        &[
            "close",
            "closes",
            "closed",
            "closing",
            "fix",
            "fixes",
            "fixed",
            "fixing",
            "resolve",
            "resolves",
            "resolved",
            "resolving",
            "implement",
            "implements",
            "implemented",
            "implementing",
        ]
    }

    fn merge_trailer<'a>(&self, line: &'a str) -> Option<&'a str> {
        line.trim().strip_prefix("See merge request ")
    }

    fn may_run_on(&self, host: &str) -> bool {
        !OTHER_FORGES.contains(&host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_back() {
        let note = GitLab.note_url("https://gl.test/g/p/-/issues/1", ForgeId(77));
        assert_eq!(GitLab.split_note(&note), Some(("https://gl.test/g/p/-/issues/1", ForgeId(77))));
        assert_eq!(GitLab.split_note("!34#note_5"), Some(("!34", ForgeId(5))));
        assert_eq!(GitLab.split_note("#note_"), None);
        let commit = GitLab.commit_url("g/p", "abc1234");
        let target = UrlTarget { project: "g/p", item: UrlItem::Commit("abc1234") };
        assert_eq!(GitLab.parse_path(&commit), Some(target));
    }

    #[test]
    fn paths_of_every_era_lead_to_the_same() {
        let meant = UrlTarget { project: "g/p", item: UrlItem::Entity(EntityKind::Issue, Iid(12)) };
        for path in ["g/p/-/issues/12", "g/p/issues/12", "g/p/-/work_items/12/x"] {
            assert_eq!(GitLab.parse_path(path).as_ref(), Some(&meant), "{path}");
        }
        for path in ["g/p/-/issues/", "g/p/-/issues/12x", "g/p/-/issues/0", "g/p"] {
            assert_eq!(GitLab.parse_path(path), None, "{path}");
        }
    }
}
