//! Issues and merge requests with what explains them: the reasons their
//! descriptions give, the issues behind them, and the notes in which the choice
//! was argued.

mod notes;

pub use notes::EvidenceNote;

use crate::decisions::DecisionScorer;
use crate::reasons::{self, EXCERPT, Rationale};
use model::relation::{Certainty, EvidenceSource, RelationType};
use model::{EntityKind, EntityState, Result, Timestamp};
use notes::Discussion;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::details::{self, EntityText};
use store::entities::EntityRow;
use store::timeline::{self, EntityHeader, EntityRelation};

/// An issue or merge request and what explains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explained {
    /// `group/project!12`
    pub reference: String,
    #[serde(rename = "type")]
    pub kind: EntityKind,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<String>,
    /// Of what was closed without being merged.
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<String>,
    /// The commit by which it came to the target branch.
    pub merge_commit_sha: Option<String>,
    pub url: String,
    /// What its description gives as reasons.
    pub description: Option<Rationale>,
    /// Comments by people.
    pub comments: u64,
    /// Of these, on lines of the file asked about.
    pub comments_on_file: u64,
    pub issues: Vec<LinkedIssue>,
    /// How it follows other changes, and how others follow it.
    pub changes: Vec<LinkedChange>,
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

/// Another issue or merge request that this one follows, or that follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkedChange {
    pub relation: RelationType,
    /// Whether this one does it to the other: `supersedes`, not `superseded by`.
    pub is_outgoing: bool,
    /// `group/project!12`
    pub reference: String,
    /// None while it is not synced here.
    pub title: Option<String>,
    /// How lore knows.
    pub method: EvidenceSource,
    pub certainty: Certainty,
    #[serde(skip)]
    pub row: Option<EntityRow>,
    #[serde(skip)]
    pub kind: EntityKind,
}

/// What the notes are chosen for.
#[derive(Debug, Clone, Copy, Default)]
pub struct EvidenceSubject<'a> {
    /// The names the file had; empty when no file was asked about.
    pub paths: &'a [String],
    /// The symbol asked about, as people write it in prose.
    pub symbol: Option<&'a str>,
    /// Notes per entity.
    pub most_notes: usize,
}

/// Long discussions are read this far, an entity.
const MOST_READ: usize = 400;

/// Explains entities, in the order given.
pub fn explain(
    reader: &Reader,
    rows: &[EntityRow],
    about: EvidenceSubject<'_>,
) -> Result<Vec<Explained>> {
    let links = timeline::links(reader, rows)?;
    let behind: BTreeMap<EntityRow, Vec<&EntityRelation>> = rows
        .iter()
        .map(|row| (*row, links.iter().filter(|link| is_behind(link, *row)).collect()))
        .collect();
    let mut wanted: BTreeSet<EntityRow> = rows.iter().copied().collect();
    wanted.extend(behind.values().flatten().filter_map(|link| issue_of(link).row));
    let wanted: Vec<EntityRow> = wanted.into_iter().collect();
    let heads: BTreeMap<EntityRow, EntityHeader> =
        timeline::heads(reader, &wanted)?.into_iter().map(|head| (head.row, head)).collect();
    let texts: BTreeMap<EntityRow, EntityText> =
        details::texts(reader, rows, about.paths)?.into_iter().map(|it| (it.row, it)).collect();
    let notes = timeline::notes(reader, &wanted, MOST_READ)?;
    let discussion = Discussion {
        heads: &heads,
        retracted: reasons::retractions(&notes),
        judge: DecisionScorer::new(&heads, &notes),
        notes: &notes,
    };
    let explained = rows.iter().filter_map(|row| {
        let issues = behind.get(row).map_or(&[][..], Vec::as_slice);
        let mut found = explained(heads.get(row)?, texts.get(row), issues, &discussion, about);
        found.changes = changes(&links, *row);
        Some(found)
    });
    Ok(explained.collect())
}

/// The same for merge requests by their rows.
pub fn explain_merge_requests(
    reader: &Reader,
    ids: &[i64],
    about: EvidenceSubject<'_>,
) -> Result<Vec<Explained>> {
    let rows: Vec<EntityRow> =
        ids.iter().map(|id| EntityRow { kind: EntityKind::MergeRequest, id: *id }).collect();
    explain(reader, &rows, about)
}

/// How an entity follows others: what it does first, then what was done to it.
fn changes(links: &[EntityRelation], row: EntityRow) -> Vec<LinkedChange> {
    let mut found: Vec<LinkedChange> = links
        .iter()
        .filter(|link| link.relation.is_between_changes())
        .filter_map(|link| {
            let is_outgoing = link.source.row == Some(row);
            if !is_outgoing && link.target.row != Some(row) {
                return None;
            }
            let other = if is_outgoing { &link.target } else { &link.source };
            let name = &other.name;
            Some(LinkedChange {
                relation: link.relation,
                is_outgoing,
                reference: format!("{}{}{}", name.project, name.kind.sigil(), name.iid),
                title: other.title.clone(),
                method: link.method,
                certainty: link.certainty,
                row: other.row,
                kind: name.kind,
            })
        })
        .collect();
    found.sort_by(|a, b| {
        let key = |it: &LinkedChange| (!it.is_outgoing, it.certainty, it.relation);
        (key(a), &a.reference).cmp(&(key(b), &b.reference))
    });
    found
}

/// The merge request closes the issue, or both are related.
fn is_behind(link: &EntityRelation, mr: EntityRow) -> bool {
    let is_ours = link.source.row == Some(mr) || link.target.row == Some(mr);
    let is_telling = matches!(
        link.relation,
        RelationType::Closes | RelationType::Related | RelationType::Blocks
    );
    mr.kind == EntityKind::MergeRequest
        && is_ours
        && is_telling
        && issue_of(link).name.kind == EntityKind::Issue
}

fn issue_of(link: &EntityRelation) -> &timeline::RelationEnd {
    if link.target.name.kind == EntityKind::Issue { &link.target } else { &link.source }
}

fn explained(
    head: &EntityHeader,
    text: Option<&EntityText>,
    links: &[&EntityRelation],
    discussion: &Discussion<'_>,
    about: EvidenceSubject<'_>,
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
    let description = text.and_then(|text| text.description.as_deref());
    let is_closed = head.state == EntityState::Closed;
    Explained {
        reference: format!("{}{}{}", head.project, head.row.kind.sigil(), head.iid),
        kind: head.row.kind,
        title: head.title.clone(),
        state: head.state,
        author: head.author.clone(),
        created_at: head.created_at,
        merged_at: head.merged_at,
        merged_by: head.merged_by.clone(),
        closed_at: head.closed_at.filter(|_| is_closed),
        closed_by: head.closed_by.clone().filter(|_| is_closed),
        merge_commit_sha: text.and_then(|text| text.merge_commit_sha.clone()),
        url: head.web_url.clone(),
        description: description.and_then(|text| reasons::rationale(text, EXCERPT)),
        comments: text.map_or(0, |text| text.comments),
        comments_on_file: text.map_or(0, |text| text.comments_on_paths),
        issues,
        changes: Vec::new(),
        notes: discussion.best_notes(&owners, about),
        id: head.row.id,
    }
}
