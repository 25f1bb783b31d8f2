//! A new record: its id, what stands in its way, and what it replaces.

use crate::conflict::{self, Conflict, ConflictKind};
use crate::draft::Draft;
use crate::files::graph::Edge;
use crate::id;
use crate::root::Root;
use model::memory::{DecisionStatus, Extra, LinkTarget, Record, RecordId, RecordKind, Relation};
use model::text::one_line;
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

/// What to do about records that stand in the way.
#[derive(Debug, Clone, Default)]
pub struct ConflictPolicy {
    /// Keep both.
    pub force: bool,
    /// Take the place of these.
    pub supersede: Vec<RecordId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewRecord {
    pub record: Record,
    pub superseded: Vec<RecordId>,
    /// What was found and overridden.
    pub conflicts: Vec<Conflict>,
}

/// What was kept.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SaveReport {
    pub records: Vec<KeptRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptRecord {
    pub id: RecordId,
    pub kind: RecordKind,
    pub title: String,
    /// The folder it lies in.
    pub root: String,
    pub superseded: Vec<RecordId>,
    /// Records in its way that `--force` passed over.
    pub despite: Vec<RecordId>,
}

impl KeptRecord {
    pub fn of(root: &Root, kept: NewRecord) -> Self {
        KeptRecord {
            id: kept.record.id().clone(),
            kind: kept.record.kind(),
            title: one_line(kept.record.title(), 200),
            root: root.dir.display().to_string(),
            superseded: kept.superseded,
            despite: kept.conflicts.into_iter().map(|it| it.id).collect(),
        }
    }
}

impl Draft {
    /// The record with its own id, or with one that nobody in `taken` has.
    fn into_record(mut self, now: Timestamp, taken: &[Record]) -> Result<Record> {
        let kind = self.kind();
        let (id, timestamp, title) = match &mut self {
            Draft::Decision(it) => (&mut it.id, &mut it.timestamp, it.decision.clone()),
            Draft::Pattern(it) => (&mut it.id, &mut it.timestamp, it.name.clone()),
            Draft::Handoff(it) => (&mut it.id, &mut it.timestamp, it.summary.clone()),
        };
        timestamp.get_or_insert(now);
        if id.is_none() {
            let is_taken = |id: &RecordId| taken.iter().any(|it| it.id() == id);
            *id = Some(id::fresh(kind, &title, *timestamp, is_taken));
        }
        let made = match self {
            Draft::Decision(it) => it.into_record().map(|made| Record::Decision(made.record)),
            Draft::Pattern(it) => it.into_record().map(|made| Record::Pattern(made.record)),
            Draft::Handoff(it) => it.into_record().map(|made| Record::Handoff(made.record)),
        };
        let record = made.map_err(|reason| {
            Error::usage(format!("this is no {kind}: {reason}"))
                .suggest(format!("lore remember {kind} --help"))
        })?;
        for link in record.links() {
            LinkTarget::parse(link)?;
        }
        Ok(record)
    }
}

impl Root {
    /// Writes a new record, unless something stands in its way.
    pub fn remember(
        &self,
        draft: Draft,
        choice: &ConflictPolicy,
        now: Timestamp,
    ) -> Result<NewRecord> {
        self.edit(|edit| {
            let existing = edit.records_of(draft.kind())?;
            let record = draft.into_record(now, &existing)?;
            if existing.iter().any(|it| it.id() == record.id()) {
                return Err(taken(&record));
            }
            for id in &choice.supersede {
                if !existing.iter().any(|it| it.id() == id) {
                    return Err(not_here(id, self));
                }
            }
            let mut conflicts = conflict::conflicts(&record, existing.iter());
            conflicts.retain(|it| !choice.supersede.contains(&it.id));
            if let (Some(worst), false) = (conflicts.first(), choice.force) {
                return Err(stands_in_the_way(worst, conflicts.len() - 1));
            }
            let mut changed = vec![record.clone()];
            changed.extend(outdated(&existing, &choice.supersede));
            edit.put(&changed)?;
            let edges: Vec<Edge> =
                choice.supersede.iter().map(|old| supersedes(record.id(), old, now)).collect();
            edit.connect(&edges)?;
            Ok(NewRecord { record, superseded: choice.supersede.clone(), conflicts })
        })
    }

    /// Says that one record of this root took the place of another.
    pub fn supersede(&self, old: &RecordId, new: &RecordId, now: Timestamp) -> Result<()> {
        if old == new {
            return Err(Error::usage("a record cannot take its own place")
                .suggest("lore supersede <OLD> <NEW>"));
        }
        self.edit(|edit| {
            let existing = edit.records()?;
            for id in [old, new] {
                if !existing.iter().any(|it| it.id() == id) {
                    return Err(not_here(id, self));
                }
            }
            let edges = edit.edges()?;
            let backwards = supersedes(old, new, now).key();
            if edges.iter().any(|edge| edge.key() == backwards) {
                return Err(Error::usage(format!("`{old}` supersedes `{new}` already"))
                    .suggest(format!("lore graph disconnect {old} {new}")));
            }
            edit.put(&outdated(&existing, std::slice::from_ref(old)))?;
            edit.connect(&[supersedes(new, old, now)])?;
            Ok(())
        })
    }
}

fn outdated(existing: &[Record], ids: &[RecordId]) -> Vec<Record> {
    existing
        .iter()
        .filter(|it| ids.contains(it.id()))
        .filter_map(|it| match it {
            Record::Decision(it) => {
                let mut it = it.clone();
                it.status = DecisionStatus::Superseded;
                Some(Record::Decision(it))
            }
            // Patterns and handoffs have no status; the edge says it.
            Record::Pattern(_) | Record::Handoff(_) => None,
        })
        .collect()
}

fn supersedes(new: &RecordId, old: &RecordId, now: Timestamp) -> Edge {
    Edge {
        from: LinkTarget::Record(new.clone()),
        relation: Relation::Supersedes,
        to: LinkTarget::Record(old.clone()),
        timestamp: Some(now),
        extra: Extra::new(),
    }
}

fn stands_in_the_way(conflict: &Conflict, n_more: usize) -> Error {
    let title = one_line(&conflict.title, 60);
    let id = &conflict.id;
    let what = match conflict.kind {
        ConflictKind::Duplicate => "says nearly the same",
        ConflictKind::Contradiction => "seems to say the opposite",
    };
    let more = if n_more > 0 { format!("; {n_more} more") } else { String::new() };
    Error::new(
        ErrorCode::Ambiguous,
        format!("`{id}` {what}: {title} (similarity {:.2}){more}", conflict.similarity),
    )
    .suggest(format!("--supersede {id} takes its place, --force keeps both"))
}

fn taken(record: &Record) -> Error {
    Error::new(ErrorCode::Ambiguous, format!("there is a record `{}` already", record.id()))
        .suggest("leave the id out, and lore makes one")
}

pub(crate) fn not_here(id: &RecordId, root: &Root) -> Error {
    Error::not_found(format!("no record `{id}` in {}", root.dir.display()))
        .suggest(format!("lore memory show {id}"))
}
