//! What `lore timeline` answers: its one wire form.

use crate::decisions::Signal;
use model::ids::Iid;
use model::relation::{Certainty, EntityName, EvidenceSource, RelationType};
use model::{EntityKind, EntityState, Timestamp, vocabulary};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use store::timeline::EntityHeader;

/// What happened, in order of time, with where each part comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Timeline {
    /// As it was typed.
    pub query: String,
    pub event_count: usize,
    /// What was asked for, or found by the query; best first.
    pub seed_entities: Vec<TimelineEntity>,
    /// Commits found by the query that no merge request tells of; best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seed_commits: Vec<TimelineCommit>,
    /// What was reached from there over relations.
    pub expanded_entities: Vec<ExpandedEntity>,
    /// Relations to what is not synced here.
    pub unresolved_references: Vec<UnresolvedReference>,
    pub events: Vec<TimelineEvent>,
    /// How it was found and what was left out; beside the data, in the envelope.
    #[serde(skip)]
    pub meta: TimelineMeta,
    /// What is missing from the answer, and why.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineEntity {
    #[serde(rename = "type")]
    pub kind: EntityKind,
    pub project: String,
    pub iid: Iid,
    /// `group/project#12`.
    pub reference: String,
    pub title: String,
    pub state: EntityState,
    pub url: String,
}

/// A commit of a local clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineCommit {
    pub sha: String,
    /// The repository, as it is called here.
    pub project: String,
    pub title: String,
    pub author: String,
    pub committed_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExpandedEntity {
    #[serde(flatten)]
    pub entity: TimelineEntity,
    /// Steps from the nearest seed.
    pub depth: u8,
    pub via: Via,
}

/// How an entity got into the timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Via {
    /// From where it was reached.
    pub from: EntityRef,
    pub reference_type: RelationType,
    /// Whether the relation points from there to here, not the other way.
    pub is_forward: bool,
    /// How lore knows the relation.
    pub source_method: EvidenceSource,
}

/// The name of an issue or merge request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct EntityRef {
    #[serde(rename = "type")]
    pub kind: EntityKind,
    pub iid: Iid,
    pub project: String,
}

impl EntityRef {
    /// `group/project#12`.
    pub fn reference(&self) -> String {
        format!("{}{}{}", self.project, self.kind.sigil(), self.iid)
    }
}

impl From<&EntityName> for EntityRef {
    fn from(name: &EntityName) -> Self {
        EntityRef { kind: name.kind, iid: name.iid, project: name.project.clone() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct UnresolvedReference {
    pub source: EntityRef,
    pub target_project: String,
    pub target_type: EntityKind,
    pub target_iid: Iid,
    pub reference_type: RelationType,
    /// How lore knows the relation.
    pub source_method: EvidenceSource,
}

impl UnresolvedReference {
    pub fn target(&self) -> EntityRef {
        let (kind, iid) = (self.target_type, self.target_iid);
        EntityRef { kind, iid, project: self.target_project.clone() }
    }
}

vocabulary! {
    /// What happened. The order is that in which events of one moment and
    /// entity are told.
    pub enum EventType {
        Created = "created",
        /// A commit of a local clone.
        Committed = "committed",
        Reopened = "reopened",
        Renamed = "renamed",
        /// Became a draft, or ready.
        Draft = "draft",
        Labels = "labels",
        Milestone = "milestone",
        Assigned = "assigned",
        ReviewRequested = "review_requested",
        /// A relation to another issue or merge request.
        Reference = "reference",
        /// Something a person wrote that bears on the question.
        Note = "note_evidence",
        /// Approved, or approval withdrawn.
        Review = "review",
        /// Recorded in memory.
        Decision = "decision",
        /// Anything else the forge noted; only with everything.
        Activity = "activity",
        Closed = "closed",
        Merged = "merged",
    }
}

impl EventType {
    /// What is kept first when not everything is wanted.
    pub(super) const fn weight(self) -> u8 {
        match self {
            EventType::Decision => 6,
            EventType::Created
            | EventType::Committed
            | EventType::Closed
            | EventType::Merged
            | EventType::Reopened => 5,
            EventType::Note => 4,
            EventType::Reference | EventType::Renamed | EventType::Review => 3,
            EventType::Milestone | EventType::Draft => 2,
            EventType::Labels | EventType::Assigned | EventType::ReviewRequested => 1,
            EventType::Activity => 0,
        }
    }
}

vocabulary! {
    /// What an event is of.
    pub enum SubjectKind {
        Issue = "issue",
        MergeRequest = "merge_request",
        Commit = "commit",
    }
}

impl SubjectKind {
    /// None for a commit.
    pub const fn entity(self) -> Option<EntityKind> {
        match self {
            SubjectKind::Issue => Some(EntityKind::Issue),
            SubjectKind::MergeRequest => Some(EntityKind::MergeRequest),
            SubjectKind::Commit => None,
        }
    }
}

impl From<EntityKind> for SubjectKind {
    fn from(kind: EntityKind) -> Self {
        match kind {
            EntityKind::Issue => SubjectKind::Issue,
            EntityKind::MergeRequest => SubjectKind::MergeRequest,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineEvent {
    pub timestamp: Timestamp,
    pub entity_type: SubjectKind,
    /// None for a commit, which `details` name by its hash.
    pub entity_iid: Option<Iid>,
    pub project: String,
    pub event_type: EventType,
    /// One line.
    pub summary: String,
    pub actor: Option<String>,
    pub url: String,
    pub is_seed: bool,
    pub depth: u8,
    /// None for seeds.
    pub via: Option<Via>,
    pub details: Details,
    /// Of the forge.
    #[serde(skip)]
    pub host: String,
    /// Settles the order of what happened in one moment.
    #[serde(skip)]
    pub id: i64,
}

impl TimelineEvent {
    /// `group/project#12`; of a commit the beginning of its hash.
    pub fn reference(&self) -> String {
        if let Some(commit) = &self.details.commit {
            return commit.sha.get(..SHORT_HASH).unwrap_or(&commit.sha).to_owned();
        }
        let sigil = self.entity_type.entity().map(|kind| kind.sigil().to_string());
        let iid = self.entity_iid.map(|iid| iid.to_string());
        format!("{}{}{}", self.project, sigil.unwrap_or_default(), iid.unwrap_or_default())
    }

    /// By time, then entity, then kind, then id: no two runs differ.
    pub(super) fn order(&self) -> impl Ord + use<'_> {
        let entity = (self.project.as_str(), self.entity_type, self.entity_iid);
        (self.timestamp, entity, self.event_type, self.id, self.summary.as_str())
    }
}

/// Digits of a hash that people read.
const SHORT_HASH: usize = 10;

/// What only some events have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Details {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub labels_added: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub labels_removed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<ReferenceDetails>,
    #[serde(flatten)]
    pub note: Option<NoteDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionDetails>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitDetails>,
    /// What was done in the same go, such as the first labels; one line each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub along: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<FoldedEvents>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReferenceDetails {
    pub reference_type: RelationType,
    /// `group/project!34`: the other end.
    pub other: String,
    /// None when it is not synced here.
    pub other_title: Option<String>,
    /// As people of this project write it.
    #[serde(skip)]
    pub other_short: String,
    /// Of the entity of the event.
    #[serde(skip)]
    pub title: Option<String>,
    /// Whether the entity of the event is the source.
    pub is_outgoing: bool,
    /// How lore knows the relation.
    pub source_method: EvidenceSource,
    pub certainty: Certainty,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteDetails {
    /// The forge's id.
    pub note_id: i64,
    /// About 200 characters around what counts.
    pub snippet: String,
    /// Where in the diff it sits.
    pub path: Option<String>,
    pub line: Option<i64>,
    pub is_decision_bearing: bool,
    /// How likely it carries a decision or its reason; tenths of a point.
    pub decision_points: i32,
    /// Why; only with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub signals: Vec<Signal>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecisionDetails {
    /// Its id in memory: `lore recall` finds it.
    pub record: String,
    pub rationale: String,
    pub is_superseded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitDetails {
    pub sha: String,
    /// What the message says below its subject: the sentences that give reasons.
    pub body: Option<String>,
    /// How many files it changed; none where that was not read.
    pub n_files: Option<u64>,
    /// Tickets it names, as written.
    pub tickets: Vec<String>,
    /// The same change on other branches, by hash.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub also: Vec<String>,
}

/// Several events told as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoldedEvents {
    pub count: usize,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// Of a bulk edit: all it touched.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub entities: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimelineMeta {
    /// How seeds were found: `reference`, `symbol`, or the mode of the search.
    pub search_mode: String,
    pub expansion_depth: u8,
    pub expand_mentions: bool,
    pub total_entities: usize,
    /// Before folding and cutting.
    pub total_events: usize,
    pub evidence_notes_included: usize,
    /// Relations to what is not synced here.
    pub unresolved_references: usize,
    /// Documents that matched the query.
    pub matches: u64,
    /// More matched than became seeds.
    pub seeds_are_cut: bool,
    /// Entities with more relations than were followed.
    pub fan_out_cut: Vec<String>,
    /// Events left out by the limit, least telling first.
    pub events_left_out: usize,
}

impl TimelineMeta {
    /// As it stands in the envelope of an answer.
    pub fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // Numbers and texts can always be written.
            _ => Map::new(),
        }
    }
}

/// `group/project#12`.
pub(super) fn reference_of(name: &EntityName) -> String {
    format!("{}{}{}", name.project, name.kind.sigil(), name.iid)
}

/// As people of `home` write it: `#12`, `sibling#12`, `group/project#12`.
pub(super) fn short_reference(name: &EntityName, home: &str) -> String {
    let tail = format!("{}{}", name.kind.sigil(), name.iid);
    let namespace = |path: &str| path.rsplit_once('/').map(|(space, _)| space.to_owned());
    if name.project == home {
        tail
    } else if namespace(&name.project).is_some() && namespace(&name.project) == namespace(home) {
        format!("{}{tail}", name.project.rsplit('/').next().unwrap_or_default())
    } else {
        format!("{}{tail}", name.project)
    }
}

impl From<&EntityHeader> for TimelineEntity {
    fn from(head: &EntityHeader) -> Self {
        TimelineEntity {
            kind: head.row.kind,
            project: head.project.clone(),
            iid: head.iid,
            reference: reference_of(&head.name()),
            title: head.title.clone(),
            state: head.state,
            url: head.web_url.clone(),
        }
    }
}
