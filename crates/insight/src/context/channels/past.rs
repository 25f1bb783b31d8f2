//! Files changed by earlier commits whose message is like the task.

use super::text::rarity;
use crate::context::channel::{Channel, Evidence, Scores, best_first, summed};
use crate::context::history::History;
use crate::context::terms::Query;
use model::Result;
use store::commit_terms;

/// So many of the most similar commits are looked at.
const COMMITS: usize = 60;
const SUBJECT: f64 = 2.0;
const BODY: f64 = 1.0;
const SATURATION: f64 = 1.2;
/// The share of a task's terms, by weight, that a commit like it has.
const ALIKE: f64 = 0.25;
/// Days after which a commit counts half.
const HALF_LIFE: f64 = 730.0;

pub struct EarlierChanges;

impl Channel for EarlierChanges {
    fn name(&self) -> &'static str {
        "history"
    }

    fn reason(&self) -> &'static str {
        "earlier commits like the task changed its file"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let history = evidence.history;
        let Some(now) = history.at else { return Ok(Scores::default()) };
        let (ranked, share) = like_task(history, evidence.query);
        let most = ranked.first().map_or(1.0, |(_, score)| *score);
        // The nearest of commits that are all far away says little.
        let likeness = (share / ALIKE).min(1.0);
        let ids: Vec<i64> = ranked.iter().map(|(at, _)| history.commits[*at].id).collect();
        let changed = commit_terms::changed(evidence.view.reader, &ids)?;
        let mut files = Vec::new();
        for ((at, score), paths) in ranked.iter().zip(changed) {
            let age = now.as_millis() - history.commits[*at].committed_at.as_millis();
            let days = age.max(0) as f64 / 86_400_000.0;
            let worth = (score / most).powf(1.5) * 0.5_f64.powf(days / HALF_LIFE)
                / (paths.len().max(1) as f64).powf(0.7);
            for path in &paths {
                let today = history.today(path, |path| evidence.corpus.by_path.contains_key(path));
                files.extend(evidence.corpus.by_path.get(today).map(|file| (*file, worth)));
            }
        }
        let mut files = summed(files);
        let best = files.iter().map(|one| one.1).fold(f64::MIN_POSITIVE, f64::max);
        for one in &mut files {
            one.1 *= likeness / best;
        }
        Ok(Scores { files, symbols: Vec::new() })
    }
}

/// The commits most like a task, best first, and the share of the task's terms, by weight,
/// that the best of them has.
pub fn like_task(history: &History, query: &Query) -> (Vec<(usize, f64)>, f64) {
    let n_commits = history.commits.len();
    let mut n_with = vec![0_usize; query.terms.len()];
    let (mut subjects, mut bodies) = (0.0, 0.0);
    for commit in &history.commits {
        subjects += f64::from(commit.subject_length) / n_commits as f64;
        bodies += f64::from(commit.body_length) / n_commits as f64;
        for hit in &commit.hits {
            if let Some(n_with) = n_with.get_mut(hit.slot as usize) {
                *n_with += 1;
            }
        }
    }
    let mut ranked: Vec<(usize, f64)> = Vec::new();
    for (at, commit) in history.commits.iter().enumerate() {
        let subject = 0.5 + 0.5 * f64::from(commit.subject_length) / f64::max(subjects, 1.0);
        let body = 0.25 + 0.75 * f64::from(commit.body_length) / f64::max(bodies, 1.0);
        let mut score = 0.0;
        for hit in &commit.hits {
            let Some(term) = query.terms.get(hit.slot as usize) else { continue };
            let strength = SUBJECT * f64::from(hit.in_subject) / subject
                + BODY * f64::from(hit.in_body) / body;
            let rare = rarity(n_commits, n_with[hit.slot as usize]);
            score += term.file_weight * rare * strength / (SATURATION + strength);
        }
        if score > 0.0 {
            ranked.push((at, score));
        }
    }
    best_first(&mut ranked);
    ranked.truncate(COMMITS);
    let ideal: f64 = (0..query.terms.len())
        .map(|slot| query.terms[slot].file_weight * rarity(n_commits, n_with[slot]))
        .sum();
    let most = ranked.first().map_or(1.0, |(_, score)| *score);
    (ranked, most / ideal.max(f64::MIN_POSITIVE))
}
