//! `lore timeline`: what happened with X, in order, with the evidence.
//!
//! Seeds come from a reference or a search, relations bring in what belongs to
//! them, commits tell what no merge request does, and one virtual stream over the tables tells what happened to all of
//! these. There is no table of events: everything is read when asked, in a
//! number of statements that does not grow with what is found.

mod answer;
mod collect;
mod commits;
mod evidence;
mod excerpt;
mod expand;
mod fold;
mod hubs;
mod seeds;

pub use answer::{
    CommitDetails, DecisionDetails, Details, EntityRef, EventType, ExpandedEntity, FoldedEvents,
    NoteDetails, ReferenceDetails, SubjectKind, Timeline, TimelineCommit, TimelineEntity,
    TimelineEvent, TimelineMeta, UnresolvedReference, Via,
};
pub(crate) use excerpt::excerpt;
pub use seeds::named_entity;
pub(crate) use seeds::seeds_of;

use collect::Scope;
use commits::CommitSeeds;
use expand::Expansion;
use model::record::DependentKind;
use model::reference::EntityReference;
use model::{Result, Timestamp};
use search::Searcher;
use seeds::Seeds;
use std::path::PathBuf;
use store::entities::{self, EntityRow};

/// Where to start.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    Entity {
        wanted: EntityReference,
        project: Option<String>,
        /// Where it is asked: the project of the clone around is meant when several
        /// have the number.
        here: Option<PathBuf>,
    },
    /// A symbol: the merge requests that changed it, by their rows.
    Symbol(Vec<i64>),
    Query(Box<search::Request>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// As it was typed, to be shown again.
    pub typed: String,
    pub start: Start,
    /// Seeds a query may bring.
    pub seeds: usize,
    /// Steps over relations: 0 to 3.
    pub depth: u8,
    pub expand_mentions: bool,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    /// Events to tell; the most telling are kept.
    pub limit: usize,
    /// Notes to show as evidence.
    pub evidence: usize,
    /// Fold nothing and leave nothing out that the forge noted in passing.
    pub everything: bool,
    /// Say of each note why it counts.
    pub explain: bool,
}

impl Request {
    /// With the settings one gets without asking.
    pub fn new(typed: &str, start: Start) -> Self {
        Request {
            typed: typed.to_owned(),
            start,
            seeds: Request::SEEDS,
            depth: 1,
            expand_mentions: false,
            since: None,
            until: None,
            limit: Request::LIMIT,
            evidence: Request::EVIDENCE,
            everything: false,
            explain: false,
        }
    }

    pub const SEEDS: usize = 16;
    pub const LIMIT: usize = 100;
    pub const EVIDENCE: usize = 10;
}

pub fn timeline(searcher: &Searcher<'_>, request: &Request) -> Result<Timeline> {
    let reader = searcher.reader;
    let seeds = match &request.start {
        Start::Entity { wanted, project, here } => {
            seeds::of_entity(reader, wanted, project.as_deref(), here.as_deref())?
        }
        Start::Symbol(rows) => seeds::of_symbol(rows, request.seeds),
        Start::Query(query) => seeds::of_query(searcher, query, request.seeds)?,
    };
    let told = match &request.start {
        Start::Query(query) => commits::of_query(searcher, query, request.seeds)?,
        Start::Entity { .. } | Start::Symbol(_) => CommitSeeds::default(),
    };
    let expansion = expand::expand(reader, &seeds, request.depth, request.expand_mentions)?;
    let mut warnings = seeds.warnings.clone();
    warnings.extend(missing_events(reader, &expansion)?);
    let scope = Scope::new(&expansion);
    let mut events = collect::all(reader, &scope, request.everything)?;
    events.extend(evidence::notes(reader, &scope, &seeds, request.evidence, request.explain)?);
    let is_within = |event: &TimelineEvent| {
        request.since.is_none_or(|since| event.timestamp >= since)
            && request.until.is_none_or(|until| event.timestamp <= until)
    };
    let (seed_commits, mut committed) = commits::events(reader, &told)?;
    events.retain(is_within);
    committed.retain(is_within);
    let total_events = events.len() + committed.len();
    let mut events = ordered(events, request.everything);
    // Nothing of a commit is noise, and none belongs to an entity.
    events.extend(committed);
    events.sort_by(|a, b| a.order().cmp(&b.order()));
    let (events, events_left_out) = cut(events, request.limit);
    let mut answer = answer(request, &seeds, &expansion, events, total_events, events_left_out);
    answer.meta.matches += told.matches;
    answer.meta.seeds_are_cut |= told.is_cut;
    Ok(Timeline { seed_commits, warnings, ..answer })
}

/// Says of how many entities no events were fetched, and how to get them.
fn missing_events(reader: &store::Reader, expansion: &Expansion) -> Result<Option<String>> {
    let rows: Vec<EntityRow> = expansion.members.iter().map(|member| member.row).collect();
    let lacking = entities::n_without(reader, &rows, DependentKind::StateEvents)?;
    let whose = match lacking {
        0 => return Ok(None),
        n if n == rows.len() => "no event data".to_owned(),
        n => format!("no event data of {n} of {} issues and merge requests", rows.len()),
    };
    Ok(Some(format!(
        "{whose}: labels, milestones and reopenings are missing; run: lore sync, with \
         sync.fetch_resource_events = true"
    )))
}

fn ordered(mut events: Vec<TimelineEvent>, everything: bool) -> Vec<TimelineEvent> {
    if everything {
        events.sort_by(|a, b| a.order().cmp(&b.order()));
        return events;
    }
    fold::fold(events)
}

/// The notes that stay however short the answer is: without what was said, a
/// list of dates explains nothing.
fn evidence(events: &[TimelineEvent], limit: usize) -> Vec<usize> {
    let points = |place: &usize| {
        let note = events[*place].details.note.as_ref();
        std::cmp::Reverse(note.map(|note| note.decision_points))
    };
    let mut notes: Vec<usize> =
        (0..events.len()).filter(|place| events[*place].event_type == EventType::Note).collect();
    notes.sort_by_key(|place| (points(place), *place));
    notes.truncate(limit.div_ceil(3).min(Request::EVIDENCE));
    notes
}

/// Keeps the most telling events: by kind, then those of seeds, then the
/// newest. What stays is still in order.
fn cut(events: Vec<TimelineEvent>, limit: usize) -> (Vec<TimelineEvent>, usize) {
    let left_out = events.len().saturating_sub(limit);
    if left_out == 0 {
        return (events, 0);
    }
    let mut is_kept = vec![false; events.len()];
    for place in evidence(&events, limit) {
        is_kept[place] = true;
    }
    let n_notes = is_kept.iter().filter(|is_kept| **is_kept).count();
    let mut places: Vec<usize> = (0..events.len()).filter(|place| !is_kept[*place]).collect();
    places.sort_by_key(|place| {
        let event = &events[*place];
        std::cmp::Reverse((event.event_type.weight(), event.is_seed, *place))
    });
    for place in places.into_iter().take(limit - n_notes) {
        is_kept[place] = true;
    }
    let kept = events.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    (kept.map(|(event, _)| event).collect(), left_out)
}

fn answer(
    request: &Request,
    seeds: &Seeds,
    expansion: &Expansion,
    events: Vec<TimelineEvent>,
    total_events: usize,
    events_left_out: usize,
) -> Timeline {
    let mut seed_entities = Vec::new();
    let mut expanded_entities = Vec::new();
    for member in &expansion.members {
        let Some(head) = expansion.heads.get(&member.row) else { continue };
        let entity = TimelineEntity::from(head);
        match &member.via {
            None => seed_entities.push(entity),
            Some(via) => {
                let via = via.clone();
                expanded_entities.push(ExpandedEntity { entity, depth: member.depth, via });
            }
        }
    }
    let is_note = |event: &&TimelineEvent| event.event_type == EventType::Note;
    Timeline {
        query: request.typed.clone(),
        event_count: events.len(),
        meta: TimelineMeta {
            search_mode: seeds.search_mode.clone(),
            expansion_depth: request.depth,
            expand_mentions: request.expand_mentions,
            total_entities: expansion.members.len(),
            total_events,
            evidence_notes_included: events.iter().filter(is_note).count(),
            unresolved_references: expansion.unresolved.len(),
            matches: seeds.matches,
            seeds_are_cut: seeds.is_cut,
            fan_out_cut: expansion.fan_out_cut.clone(),
            events_left_out,
        },
        seed_entities,
        seed_commits: Vec::new(),
        expanded_entities,
        unresolved_references: expansion.unresolved.clone(),
        warnings: Vec::new(),
        events,
    }
}
