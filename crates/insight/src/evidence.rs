//! Merge requests with what explains them: the issues behind them, and the
//! notes in which the choice was argued.

use crate::decisions::{self, Judge};
use model::ids::ForgeId;
use model::relation::RelationType;
use model::{EntityKind, EntityState, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::entities::EntityRow;
use store::timeline::{self, EntityHeader, EntityRelation, WrittenNote};

/// A merge request and what explains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explained {
    /// `group/project!12`
    pub reference: String,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<String>,
    pub url: String,
    pub issues: Vec<LinkedIssue>,
    /// Best first.
    pub notes: Vec<EvidenceNote>,
    #[serde(skip)]
    pub id: i64,
}

/// An issue that a merge request closed or relates to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkedIssue {
    /// `group/project#12`
    pub reference: String,
    /// None while it is not synced here.
    pub title: Option<String>,
    pub relation: RelationType,
}

/// A note that carries a decision or its reason, or stands on the file itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EvidenceNote {
    pub id: ForgeId,
    /// The merge request or issue it stands on.
    pub on: String,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub body: String,
    pub path: Option<String>,
    pub line: Option<i64>,
    /// It stands on a line of the file that was asked about.
    pub is_on_file: bool,
    /// How much it sounds like a decision or its reason, in tenths.
    pub points: i32,
    pub url: String,
}

/// What the notes are chosen for.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// The names the file had; empty when no file was asked about.
    pub paths: &'a [String],
    /// Notes per merge request.
    pub most_notes: usize,
}

/// Long discussions are read this far, an entity.
const MOST_READ: usize = 400;
const SHOWN_BODY: usize = 2_000;

/// Explains merge requests, in the order given.
pub fn explain(reader: &Reader, ids: &[i64], about: About<'_>) -> Result<Vec<Explained>> {
    let rows: Vec<EntityRow> =
        ids.iter().map(|id| EntityRow { kind: EntityKind::MergeRequest, id: *id }).collect();
    let links = timeline::links(reader, &rows)?;
    let behind: BTreeMap<EntityRow, Vec<&EntityRelation>> = rows
        .iter()
        .map(|row| (*row, links.iter().filter(|link| is_behind(link, *row)).collect()))
        .collect();
    let mut wanted: BTreeSet<EntityRow> = rows.iter().copied().collect();
    wanted.extend(behind.values().flatten().filter_map(|link| issue_of(link).row));
    let wanted: Vec<EntityRow> = wanted.into_iter().collect();
    let heads: BTreeMap<EntityRow, EntityHeader> =
        timeline::heads(reader, &wanted)?.into_iter().map(|head| (head.row, head)).collect();
    let notes = timeline::notes(reader, &wanted, MOST_READ)?;
    let discussed = Discussed { heads: &heads, notes: &notes, judge: Judge::new(&heads, &notes) };
    Ok(rows
        .iter()
        .filter_map(|row| {
            let links = behind.get(row).map_or(&[][..], Vec::as_slice);
            Some(explained(heads.get(row)?, links, &discussed, about))
        })
        .collect())
}

/// The merge request closes the issue, or both are related.
fn is_behind(link: &EntityRelation, mr: EntityRow) -> bool {
    let is_ours = link.source.row == Some(mr) || link.target.row == Some(mr);
    let is_telling = matches!(
        link.relation,
        RelationType::Closes | RelationType::Related | RelationType::Blocks
    );
    is_ours && is_telling && issue_of(link).name.kind == EntityKind::Issue
}

fn issue_of(link: &EntityRelation) -> &timeline::RelationEnd {
    if link.target.name.kind == EntityKind::Issue { &link.target } else { &link.source }
}

fn explained(
    head: &EntityHeader,
    links: &[&EntityRelation],
    discussed: &Discussed<'_>,
    about: About<'_>,
) -> Explained {
    let mut issues: Vec<LinkedIssue> = links
        .iter()
        .map(|link| {
            let issue = issue_of(link);
            LinkedIssue {
                reference: format!("{}#{}", issue.name.project, issue.name.iid),
                title: issue.title.clone(),
                relation: link.relation,
            }
        })
        .collect();
    // What was closed comes before what is merely related.
    issues.sort_by(|a, b| (&a.relation, &a.reference).cmp(&(&b.relation, &b.reference)));
    issues.dedup_by(|a, b| a.reference == b.reference);
    let mut owners: Vec<EntityRow> = links.iter().filter_map(|link| issue_of(link).row).collect();
    owners.push(head.row);
    Explained {
        reference: format!("{}!{}", head.project, head.iid),
        title: head.title.clone(),
        state: head.state,
        author: head.author.clone(),
        created_at: head.created_at,
        merged_at: head.merged_at,
        merged_by: head.merged_by.clone(),
        url: head.web_url.clone(),
        issues,
        notes: discussed.best_notes(&owners, about),
        id: head.row.id,
    }
}

/// What was said on merge requests and the issues behind them.
struct Discussed<'a> {
    heads: &'a BTreeMap<EntityRow, EntityHeader>,
    notes: &'a [WrittenNote],
    judge: Judge<'a>,
}

impl Discussed<'_> {
    /// Those on the file itself come first, so that the others are judged only
    /// where too few of them are left.
    fn best_notes(&self, owners: &[EntityRow], about: About<'_>) -> Vec<EvidenceNote> {
        let is_on_file =
            |note: &WrittenNote| note.path.as_ref().is_some_and(|path| about.paths.contains(path));
        let (on_file, elsewhere): (Vec<usize>, Vec<usize>) = (0..self.notes.len())
            .filter(|index| owners.contains(&self.notes[*index].entity))
            .partition(|index| is_on_file(&self.notes[*index]));
        // On the file itself, anything that is not mere noise counts.
        let mut best = self.weightiest(on_file, 1, about.most_notes);
        let n_missing = about.most_notes - best.len();
        if n_missing > 0 {
            best.extend(self.weightiest(elsewhere, decisions::DECISION_BEARING, n_missing));
        }
        best.into_iter()
            .filter_map(|(note, points)| {
                let head = self.heads.get(&note.entity)?;
                Some(EvidenceNote {
                    id: ForgeId(note.forge_id),
                    on: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
                    author: note.author.clone(),
                    created_at: note.created_at,
                    body: model::text::clean(&note.body).chars().take(SHOWN_BODY).collect(),
                    path: note.path.clone(),
                    line: note.line,
                    is_on_file: is_on_file(note),
                    points,
                    url: head.note_url(note.forge_id),
                })
            })
            .collect()
    }

    /// The first `most` of those that have enough points.
    fn weightiest(&self, of: Vec<usize>, enough: i32, most: usize) -> Vec<(&WrittenNote, i32)> {
        let mut judged: Vec<(&WrittenNote, i32)> = of
            .into_iter()
            .map(|index| (&self.notes[index], self.judge.of(index).points))
            .filter(|(_, points)| *points >= enough)
            .collect();
        judged.sort_by_key(|(note, points)| (-points, note.created_at, note.forge_id));
        judged.truncate(most);
        judged
    }
}
