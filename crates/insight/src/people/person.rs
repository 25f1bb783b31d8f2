//! `lore person`: what someone did, where and when.

use super::identity::{Identities, PersonKey};
use super::ranking::recent_since;
use super::{EntityLine, heads_of, lines_of};
use crate::decisions::judge_all;
use crate::projects;
use crate::timeline::excerpt;
use model::ids::ProjectId;
use model::suggest::nearest;
use model::{EntityKind, EntityState, Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use search::decision;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use store::activity::{self, ActivityKind, Participation, Person};
use store::authors::{self, CommitsBy, GitAuthor};
use store::entities::EntityRow;
use store::{Reader, repos, timeline};

/// Areas and entities of each list.
const LISTED: usize = 8;
/// Decisions shown.
const DECISIONS: usize = 5;
/// Entities whose discussions are read for decisions, newest first.
const DISCUSSIONS: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PersonActivity {
    /// None for somebody known by commits alone.
    pub username: Option<String>,
    pub name: String,
    /// The names and addresses of their commits.
    pub git_authors: Vec<String>,
    /// Their commits in local clones.
    pub commits: CommitTally,
    pub recent_commits: Vec<CommitLine>,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    pub merge_requests: Tally,
    pub issues: Tally,
    /// Merge requests of others that they were asked to review, approved or
    /// wrote on.
    pub reviews: Tally,
    pub notes: u64,
    /// Threads they have a word in, and those they began.
    pub threads: u64,
    pub threads_begun: u64,
    /// Folders they changed, most first.
    pub paths: Vec<Area>,
    /// Labels of what they wrote and reviewed, most first.
    pub labels: Vec<Area>,
    pub recent_merge_requests: Vec<EntityLine>,
    pub recent_reviews: Vec<EntityLine>,
    /// What they wrote that carries decisions, likeliest first.
    pub decisions: Vec<DecisionNote>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct CommitTally {
    pub total: u64,
    /// Those of the last two years.
    pub recent: u64,
    pub first_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitLine {
    pub repo: String,
    pub sha: String,
    pub subject: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Tally {
    pub total: u64,
    pub merged: u64,
    pub opened: u64,
    pub last_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Area {
    pub area: String,
    /// Merge requests or issues; commits where there are no merge requests.
    pub count: u64,
    pub last_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionNote {
    pub reference: String,
    pub title: String,
    pub at: Timestamp,
    pub snippet: String,
    /// Tenths of a point.
    pub decision_points: i32,
    pub url: String,
}

/// Whose work is asked for.
struct KnownPerson {
    /// Their accounts at forges; one is enough to be named by.
    accounts: Vec<Person>,
    name: String,
    authors: Vec<GitAuthor>,
}

/// `cwd` is where the question is asked: the clone around it says who is who.
pub fn person(
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
    since: Option<Timestamp>,
    cwd: &Path,
    now: Timestamp,
) -> Result<PersonActivity> {
    let who = known_person(reader, typed, cwd)?;
    let project = projects::resolve_maybe(reader, project)?.map(|project| project.id);
    let ids = who.accounts.iter().flat_map(|account| account.ids.iter().copied()).collect();
    let username = who.accounts.first().map(|account| account.username.clone());
    let name = who.name;
    let user = Person { ids, username: username.clone().unwrap_or_default(), name: name.clone() };
    let mut parts = activity::person_activity(reader, &user, project)?;
    parts.retain(|part| since.is_none_or(|since| part.at >= since));
    let authored = rows_with(&parts, |part| part.deed == ActivityKind::Authored);
    let own: BTreeSet<EntityRow> = authored.iter().copied().collect();
    let reviewed = rows_with(&parts, |part| {
        part.entity.kind == EntityKind::MergeRequest
            && part.deed != ActivityKind::Authored
            && !own.contains(&part.entity)
    });
    let of_kind = |rows: &[EntityRow], kind| -> Vec<EntityRow> {
        rows.iter().filter(|row| row.kind == kind).copied().collect()
    };
    let (mrs, issues) =
        (of_kind(&authored, EntityKind::MergeRequest), of_kind(&authored, EntityKind::Issue));
    let (threads, threads_begun) = activity::threads_of(reader, &user)?;
    let last = last_times(&parts);
    let touched: Vec<EntityRow> = authored.iter().chain(&reviewed).copied().collect();
    let notes = parts.iter().filter(|part| part.deed == ActivityKind::Wrote).map(|part| part.times);
    let commits = Commits::read(reader, &who.authors, project, since, now)?;
    let mut paths = areas(folders(activity::paths_of(reader, &mrs)?), &last);
    if paths.is_empty() {
        paths = commits.areas;
    }
    let earliest = parts.iter().map(|part| part.first_at).min();
    let first_at = [earliest, commits.tally.first_at].into_iter().flatten().min();
    Ok(PersonActivity {
        first_at,
        last_at: parts.iter().map(|part| part.at).max().max(commits.tally.last_at),
        merge_requests: tally(reader, &mrs, &last)?,
        issues: tally(reader, &issues, &last)?,
        reviews: tally(reader, &reviewed, &last)?,
        notes: notes.sum(),
        threads,
        threads_begun,
        paths,
        labels: areas(activity::labels_of(reader, &touched)?, &last),
        recent_merge_requests: lines_of(reader, mrs.get(..LISTED).unwrap_or(&mrs))?,
        recent_reviews: lines_of(reader, reviewed.get(..LISTED).unwrap_or(&reviewed))?,
        decisions: decisions(reader, &who.accounts, &parts)?,
        git_authors: who.authors.iter().map(|it| format!("{} <{}>", it.name, it.email)).collect(),
        commits: commits.tally,
        recent_commits: commits.recent,
        username,
        name,
    })
}

/// The person people mean by `ada`, `@Ada`, `Ada Larsen` or an address.
fn known_person(reader: &Reader, typed: &str, cwd: &Path) -> Result<KnownPerson> {
    let typed = typed.trim().trim_start_matches('@');
    let lower = typed.to_lowercase();
    let places = repos::places(reader)?;
    let clone = crate::repos::place_around(&places, cwd).or_else(|| places.first().cloned());
    let clone = clone.map(|place| PathBuf::from(&place.dir));
    let mut identities = Identities::load(reader, clone.as_ref())?;
    let all = authors::all(reader)?;
    identities.learn(all.iter().map(|(author, n)| (author, *n)));
    // Everybody by what they can be called.
    let mut names: BTreeMap<PersonKey, BTreeSet<String>> = BTreeMap::new();
    let mut shown: BTreeMap<PersonKey, String> = BTreeMap::new();
    for user in identities.users() {
        let Some(key) = identities.of_user(&user.username, &user.name) else { continue };
        let called = names.entry(key.clone()).or_default();
        called.extend([user.username.to_lowercase(), user.name.to_lowercase()]);
        shown.entry(key).or_insert_with(|| user.username.clone());
    }
    let mut authors_of: BTreeMap<PersonKey, Vec<GitAuthor>> = BTreeMap::new();
    for (author, _) in &all {
        let Some((key, name)) = identities.of_author(author) else { continue };
        let called = names.entry(key.clone()).or_default();
        called.extend([&author.name, &author.email, &name].map(|it| it.to_lowercase()));
        shown.entry(key.clone()).or_insert(name);
        authors_of.entry(key).or_default().push(author.clone());
    }
    if names.is_empty() {
        return Err(
            Error::new(ErrorCode::NotIndexed, "nobody is known yet").suggest("run: lore sync")
        );
    }
    let by_username = PersonKey::User(lower.clone());
    let found: Vec<&PersonKey> = if names.contains_key(&by_username) {
        vec![&by_username]
    } else {
        names.iter().filter(|(_, called)| called.contains(&lower)).map(|(key, _)| key).collect()
    };
    let key = match found.as_slice() {
        [only] => *only,
        [] => return Err(nobody(typed, &shown, &names)),
        several => {
            let called = told_apart(several, &shown, &authors_of);
            let typed = model::text::one_line(typed, 60);
            let message =
                format!("{} people are called `{typed}`: {}", called.len(), called.join(", "));
            return Err(Error::new(ErrorCode::Ambiguous, message)
                .suggest(format!("say which, e.g. '{}'", called[0])));
        }
    };
    let accounts: Vec<Person> = identities.accounts(key).into_iter().cloned().collect();
    let name = match accounts.first() {
        Some(account) => account.name.clone(),
        None => shown.get(key).cloned().unwrap_or_default(),
    };
    Ok(KnownPerson { accounts, name, authors: authors_of.remove(key).unwrap_or_default() })
}

/// What to call each of several people, so that it means them alone.
fn told_apart(
    keys: &[&PersonKey],
    shown: &BTreeMap<PersonKey, String>,
    authors: &BTreeMap<PersonKey, Vec<GitAuthor>>,
) -> Vec<String> {
    let names: Vec<&String> = keys.iter().filter_map(|key| shown.get(key)).collect();
    let call = |key: &&PersonKey| {
        let name = shown.get(*key)?;
        let is_alone = names.iter().filter(|it| it.eq_ignore_ascii_case(name)).count() == 1;
        let address = authors.get(*key).and_then(|of| of.first()).map(|author| &author.email);
        Some(address.filter(|_| !is_alone).unwrap_or(name).clone())
    };
    keys.iter().filter_map(call).collect()
}

fn nobody(
    typed: &str,
    shown: &BTreeMap<PersonKey, String>,
    names: &BTreeMap<PersonKey, BTreeSet<String>>,
) -> Error {
    let error =
        Error::not_found(format!("nobody is called `{}`", model::text::one_line(typed, 60)));
    // Half a name is what people remember, of any name somebody goes by.
    let lower = typed.to_lowercase();
    let is_part =
        |called: &String| called.split(|c: char| !c.is_alphanumeric()).any(|word| word == lower);
    let part =
        shown.iter().filter(|(key, _)| names.get(key).is_some_and(|it| it.iter().any(is_part)));
    let part: Vec<&str> = part.map(|(_, name)| name.as_str()).take(3).collect();
    let near = || nearest(typed, shown.values().map(String::as_str), 3);
    let meant = if part.is_empty() { near() } else { part };
    if meant.is_empty() {
        error.suggest("give the username, the whole name or the address of their commits")
    } else {
        error.suggest(format!("did you mean {}?", meant.join(", ")))
    }
}

/// What somebody committed.
#[derive(Default)]
struct Commits {
    tally: CommitTally,
    recent: Vec<CommitLine>,
    areas: Vec<Area>,
}

impl Commits {
    fn read(
        reader: &Reader,
        authors: &[GitAuthor],
        project: Option<ProjectId>,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Commits> {
        if authors.is_empty() {
            return Ok(Commits::default());
        }
        let by = CommitsBy { authors, project, since };
        let span = by.span(reader, recent_since(now))?;
        let places = repos::places(reader)?;
        let names: BTreeMap<_, String> = repos::all(reader)?
            .into_iter()
            .map(|repo| (repo.id, crate::repos::label(&repo, &places)))
            .collect();
        let recent = by.newest(reader, LISTED)?.into_iter().map(|commit| CommitLine {
            repo: names.get(&commit.repo).cloned().unwrap_or_default(),
            subject: commit.message.lines().next().unwrap_or_default().trim().to_owned(),
            sha: commit.sha,
            at: commit.at,
        });
        let mut areas: BTreeMap<String, Area> = BTreeMap::new();
        for (path, count, last_at) in by.paths(reader)? {
            let area = folder(path);
            let known =
                areas.entry(area.clone()).or_insert_with(|| Area { area, count: 0, last_at });
            known.count += count;
            known.last_at = known.last_at.max(last_at);
        }
        let mut areas: Vec<Area> = areas.into_values().collect();
        areas.sort_by(|a, b| b.count.cmp(&a.count).then(a.area.cmp(&b.area)));
        areas.truncate(LISTED);
        Ok(Commits {
            tally: CommitTally {
                total: span.commits,
                recent: span.recent,
                first_at: span.first_at,
                last_at: span.last_at,
            },
            recent: recent.collect(),
            areas,
        })
    }
}

/// Each entity once, newest first.
fn rows_with(
    parts: &[Participation],
    is_wanted: impl Fn(&Participation) -> bool,
) -> Vec<EntityRow> {
    let mut seen = BTreeSet::new();
    let wanted = parts.iter().filter(|part| is_wanted(part)).map(|part| part.entity);
    wanted.filter(|row| seen.insert(*row)).collect()
}

fn last_times(parts: &[Participation]) -> BTreeMap<EntityRow, Timestamp> {
    let mut last = BTreeMap::new();
    for part in parts {
        let at = last.entry(part.entity).or_insert(part.at);
        *at = part.at.max(*at);
    }
    last
}

fn tally(
    reader: &Reader,
    rows: &[EntityRow],
    last: &BTreeMap<EntityRow, Timestamp>,
) -> Result<Tally> {
    let heads = heads_of(reader, rows)?;
    let in_state =
        |state: EntityState| heads.values().filter(|head| head.state == state).count() as u64;
    Ok(Tally {
        total: rows.len() as u64,
        merged: in_state(EntityState::Merged),
        opened: in_state(EntityState::Opened),
        last_at: rows.iter().filter_map(|row| last.get(row)).max().copied(),
    })
}

/// A file's folder, two levels deep; files at the top stand for themselves.
fn folder(path: String) -> String {
    match path.match_indices('/').nth(1).or(path.match_indices('/').next()) {
        Some((slash, _)) => path[..=slash].to_owned(),
        None => path,
    }
}

fn folders(paths: Vec<(EntityRow, String)>) -> Vec<(EntityRow, String)> {
    paths.into_iter().map(|(row, path)| (row, folder(path))).collect()
}

fn areas(found: Vec<(EntityRow, String)>, last: &BTreeMap<EntityRow, Timestamp>) -> Vec<Area> {
    let mut areas: BTreeMap<String, BTreeSet<EntityRow>> = BTreeMap::new();
    for (row, area) in found {
        areas.entry(area).or_default().insert(row);
    }
    let mut areas: Vec<Area> = areas
        .into_iter()
        .map(|(area, rows)| Area {
            area,
            count: rows.len() as u64,
            last_at: rows
                .iter()
                .filter_map(|row| last.get(row))
                .max()
                .copied()
                .unwrap_or(Timestamp::EPOCH),
        })
        .collect();
    areas.sort_by(|a, b| b.count.cmp(&a.count).then(a.area.cmp(&b.area)));
    areas.truncate(LISTED);
    areas
}

fn decisions(
    reader: &Reader,
    accounts: &[Person],
    parts: &[Participation],
) -> Result<Vec<DecisionNote>> {
    let mut rows = rows_with(parts, |part| part.deed == ActivityKind::Wrote);
    rows.truncate(DISCUSSIONS);
    let heads = heads_of(reader, &rows)?;
    let notes = timeline::notes(reader, &rows, 200)?;
    let judgements = judge_all(&heads, &notes);
    let mut found: Vec<DecisionNote> = notes
        .iter()
        .zip(judgements)
        .filter(|(note, judgement)| {
            let author = note.author.as_deref();
            accounts.iter().any(|it| Some(it.username.as_str()) == author)
                && judgement.is_decision_bearing()
        })
        .filter_map(|(note, judgement)| {
            let head = heads.get(&note.entity)?;
            let cues = decision::cues(&note.body);
            let focus: Vec<&str> =
                cues.iter().filter(|cue| cue.points > 0).map(|cue| cue.phrase).collect();
            Some(DecisionNote {
                reference: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
                title: head.title.clone(),
                at: note.created_at,
                snippet: excerpt(&note.body, &focus),
                decision_points: judgement.points,
                url: head.note_url(note.forge_id),
            })
        })
        .collect();
    found.sort_by(|a, b| b.decision_points.cmp(&a.decision_points).then(b.at.cmp(&a.at)));
    found.truncate(DECISIONS);
    Ok(found)
}
