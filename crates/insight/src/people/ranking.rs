//! One ranking of people, for `lore experts` and `lore why`.
//!
//! Everybody gets points for what they did, and what was long ago counts less,
//! but never nothing: who wrote a module still knows it years later. Programs,
//! and people who only pressed a button, are left out.

use super::identity::{Identities, PersonKey};
use super::lines;
use model::text::grouped;
use model::{EntityKind, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use store::Reader;
use store::activity::{self, ActivityKind, Contribution};
use store::authors::CommitShare;
use store::entities::EntityRow;

/// Points for a commit, a merge request or issue of their own, a review, and the
/// first note; further notes on the same add less and less.
const COMMITTED: f64 = 1.0;
const AUTHORED: f64 = 2.0;
const REVIEWED: f64 = 1.0;
const WROTE: f64 = 0.5;
/// Points for all lines of a file; a share of them, a share of these.
const LINES: f64 = 10.0;
/// Days after which what fades has faded to a half, and the part that stays.
const HALF_LIFE: f64 = 730.0;
const LASTING: f64 = 0.25;
/// Commits since then are recent.
const RECENT: Duration = Duration::from_secs(730 * 86_400);
/// Who has less than this share of the first one's points is no expert.
const FLOOR: f64 = 0.03;
/// Unless fewer than these are left, and they did this much lately.
const FEW: usize = 6;
const RECENT_LEAST: u64 = 2;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Expert {
    /// None for a git author who could not be matched to a user.
    pub username: Option<String>,
    pub name: String,
    /// Why they are here, in a few words.
    pub reason: String,
    /// Comparable within one answer only.
    pub score: f64,
    /// Commits that changed it; one that was picked to another branch once.
    pub commits: u64,
    /// Those of the last two years.
    pub recent_commits: u64,
    /// Issues and merge requests of their own.
    pub authored: u64,
    /// Merge requests of others that they reviewed in words, before the merge.
    pub reviewed: u64,
    pub notes: u64,
    /// Lines of the file that are theirs, where lines were counted.
    pub lines: u64,
    pub last_at: Option<Timestamp>,
}

/// Points of people, as they are gathered.
pub(super) struct Ranking {
    identities: Identities,
    now: Timestamp,
    people: BTreeMap<PersonKey, Expert>,
}

impl Ranking {
    pub(super) fn new(identities: Identities, now: Timestamp) -> Self {
        Ranking { identities, now, people: BTreeMap::new() }
    }

    /// What everybody did on these issues and merge requests.
    pub(super) fn add_entities(&mut self, reader: &Reader, rows: &[EntityRow]) -> Result<()> {
        self.add_weighed_entities(reader, rows, &HashMap::new())
    }

    /// The same where some of them count in part: a change of many folders says little of
    /// who knows one of them.
    pub(super) fn add_weighed_entities(
        &mut self,
        reader: &Reader,
        rows: &[EntityRow],
        weights: &HashMap<EntityRow, f64>,
    ) -> Result<()> {
        let all = activity::contributions(reader, rows)?;
        // Words make a review; to be asked, or to press a button, does not.
        let spoke: BTreeSet<(EntityRow, &str)> = all
            .iter()
            .filter(|it| it.deed == ActivityKind::Wrote)
            .map(|it| (it.entity, it.username.as_str()))
            .collect();
        let own: BTreeSet<(EntityRow, &str)> = all
            .iter()
            .filter(|it| it.deed == ActivityKind::Authored)
            .map(|it| (it.entity, it.username.as_str()))
            .collect();
        for it in &all {
            let place = (it.entity, it.username.as_str());
            let is_review = it.deed == ActivityKind::Reviewed;
            let is_mr = it.entity.kind == EntityKind::MergeRequest;
            if !is_review || (is_mr && spoke.contains(&place) && !own.contains(&place)) {
                self.add_contribution(it, weights.get(&it.entity).copied().unwrap_or(1.0));
            }
        }
        Ok(())
    }

    fn add_contribution(&mut self, it: &Contribution, weight: f64) {
        let Some(key) = self.identities.of_user(&it.username, &it.name) else { return };
        let fade = fade(it.at, self.now);
        let expert = self.expert(key, &it.name);
        let points = match it.deed {
            ActivityKind::Authored => {
                expert.authored += 1;
                AUTHORED
            }
            ActivityKind::Reviewed => {
                expert.reviewed += 1;
                REVIEWED
            }
            ActivityKind::Wrote => {
                // So many of them are likely to be about it.
                expert.notes += (it.times as f64 * weight).round() as u64;
                WROTE * (1.0 + (it.times as f64).ln())
            }
        };
        expert.score += points * weight * fade;
        expert.last_at = expert.last_at.max(Some(it.at));
    }

    /// Commits, each share with a weight.
    pub(super) fn add_commits(&mut self, shares: &[(CommitShare, f64)]) {
        if !self.identities.has_learned() {
            self.identities.learn(shares.iter().map(|(share, _)| (&share.author, share.commits)));
        }
        for (share, weight) in shares {
            let Some((key, name)) = self.identities.of_author(&share.author) else { continue };
            let points = COMMITTED * weight * share.commits as f64 * fade(share.at, self.now);
            let expert = self.expert(key, &name);
            expert.commits += share.commits;
            expert.recent_commits += share.recent;
            expert.score += points;
            expert.last_at = expert.last_at.max(Some(share.at));
        }
    }

    /// The lines of git authors.
    pub(super) fn add_lines(&mut self, authors: &[lines::LineAuthor]) {
        let total: u64 = authors.iter().map(|author| author.lines).sum();
        for author in authors {
            let Some((key, name)) = self.identities.of_author(&author.author) else { continue };
            let expert = self.expert(key, &name);
            expert.lines += author.lines;
            expert.score += LINES * author.lines as f64 / total.max(1) as f64;
            expert.last_at = expert.last_at.max(Some(author.last_at));
        }
    }

    fn expert(&mut self, key: PersonKey, name: &str) -> &mut Expert {
        let user = self.identities.user(&key);
        let (username, name) = match user {
            Some(user) => (Some(user.username.clone()), user.name.clone()),
            None => (None, name.to_owned()),
        };
        self.people.entry(key).or_insert_with(|| Expert {
            username,
            name,
            reason: String::new(),
            score: 0.0,
            commits: 0,
            recent_commits: 0,
            authored: 0,
            reviewed: 0,
            notes: 0,
            lines: 0,
            last_at: None,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.people.is_empty()
    }

    /// The best, with what speaks for each.
    pub(super) fn best(self, limit: usize) -> Vec<Expert> {
        let mut experts: Vec<Expert> = self.people.into_values().collect();
        for expert in &mut experts {
            expert.score = (expert.score * 100.0).round() / 100.0;
            expert.reason = reason(expert);
        }
        experts.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
        let floor = experts.first().map_or(0.0, |first| first.score * FLOOR);
        // Beside who wrote nearly all of it long ago, who works on it now.
        let mut n_shown = 0;
        experts.retain(|expert| {
            let is_current = n_shown < FEW && expert.recent_commits >= RECENT_LEAST;
            let is_shown = expert.score >= floor || is_current;
            n_shown += usize::from(is_shown);
            is_shown
        });
        experts.truncate(limit);
        experts
    }
}

/// What speaks for somebody: at most two things, the weightiest first.
fn reason(expert: &Expert) -> String {
    let counted = |n: u64, one: &str, many: &str| {
        format!("{} {}", grouped(n), if n == 1 { one } else { many })
    };
    let mut parts: Vec<(f64, String)> = Vec::new();
    let mut add = |n: u64, points: f64, words: String| {
        if n > 0 {
            parts.push((points * n as f64, words));
        }
    };
    let mut commits = counted(expert.commits, "commit", "commits");
    if (1..expert.commits).contains(&expert.recent_commits) {
        commits.push_str(&format!(" ({} in 2 years)", grouped(expert.recent_commits)));
    }
    add(expert.commits, COMMITTED, commits);
    let authored =
        counted(expert.authored, "issue or MR of their own", "issues and MRs of their own");
    add(expert.authored, AUTHORED, authored);
    add(expert.reviewed, REVIEWED, counted(expert.reviewed, "review", "reviews"));
    add(expert.notes, WROTE, counted(expert.notes, "note", "notes"));
    add(expert.lines, 0.05, counted(expert.lines, "line still stands", "lines still stand"));
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let words: Vec<String> = parts.into_iter().take(2).map(|(_, words)| words).collect();
    words.join(", ")
}

/// Where what is called recent begins.
pub(super) fn recent_since(now: Timestamp) -> Timestamp {
    now.minus(RECENT)
}

/// What remains of a deed.
fn fade(at: Timestamp, now: Timestamp) -> f64 {
    let days = now.since(at).as_secs_f64() / 86_400.0;
    LASTING + (1.0 - LASTING) * 0.5_f64.powf(days / HALF_LIFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_long_ago_counts_less_and_never_nothing() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let ago = |days: u64| now.minus(Duration::from_secs(days * 86_400));
        assert!((fade(now, now) - 1.0).abs() < 1e-9);
        assert!((fade(ago(730), now) - 0.625).abs() < 1e-9);
        assert!(fade(ago(7300), now) > 0.25);
        assert!(fade(now.plus(Duration::from_secs(5)), now) <= 1.0);
    }

    #[test]
    fn the_weightiest_two_things_are_the_reason() {
        let mut expert = Expert {
            username: None,
            name: "Ada".to_owned(),
            reason: String::new(),
            score: 0.0,
            commits: 12,
            recent_commits: 0,
            authored: 1,
            reviewed: 0,
            notes: 2,
            lines: 0,
            last_at: None,
        };
        assert_eq!(reason(&expert), "12 commits, 1 issue or MR of their own");
        expert.recent_commits = 3;
        assert_eq!(reason(&expert), "12 commits (3 in 2 years), 1 issue or MR of their own");
        expert.commits = 1;
        expert.authored = 0;
        assert_eq!(reason(&expert), "1 commit, 2 notes");
    }
}
