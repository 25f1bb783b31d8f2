//! One stream of events over the tables: each source turns rows into events of
//! the members of a timeline. A new source is a function more in [`all`].

use super::answer::{
    DecisionDetails, Details, EventType, ReferenceDetails, TimelineEvent, reference_of,
    short_reference,
};
use super::expand::{Expansion, Member};
use model::record::EventAction;
use model::relation::{EntityName, StrongRelations, SystemAction};
use model::text::one_line;
use model::{Result, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::entities::EntityRow;
use store::events::{self, Event};
use store::timeline::{self, EntityHeader, EntityRelation, RelationEnd};

/// System notes that are worth an event of their own.
const TELLING: [SystemAction; 12] = [
    SystemAction::Closed,
    SystemAction::Reopened,
    SystemAction::Merged,
    SystemAction::Label,
    SystemAction::Milestone,
    SystemAction::Assignee,
    SystemAction::Reviewer,
    SystemAction::Title,
    SystemAction::Draft,
    SystemAction::Approved,
    SystemAction::Unapproved,
    SystemAction::ChangesRequested,
];

const SUMMARY: usize = 200;

/// The members with what every event of theirs carries.
pub(super) struct Scope<'a> {
    pub expansion: &'a Expansion,
    members: BTreeMap<EntityRow, &'a Member>,
    strong: StrongRelations<(&'a EntityName, &'a EntityName)>,
}

impl<'a> Scope<'a> {
    pub fn new(expansion: &'a Expansion) -> Self {
        let members = expansion.members.iter().map(|member| (member.row, member)).collect();
        let links = expansion.links.iter();
        let strong = StrongRelations::new(links.map(|link| (link.relation, ends(link))));
        Scope { expansion, members, strong }
    }

    pub fn rows(&self) -> Vec<EntityRow> {
        self.members.keys().copied().collect()
    }

    pub fn event(
        &self,
        row: EntityRow,
        event_type: EventType,
        timestamp: Timestamp,
        summary: String,
    ) -> Option<TimelineEvent> {
        let member = self.members.get(&row)?;
        let head = self.expansion.heads.get(&row)?;
        Some(TimelineEvent {
            timestamp,
            entity_type: row.kind.into(),
            entity_iid: Some(head.iid),
            host: head.host.clone(),
            project: head.project.clone(),
            event_type,
            summary,
            actor: None,
            url: head.web_url.clone(),
            is_seed: member.depth == 0,
            depth: member.depth,
            via: member.via.clone(),
            details: Details::default(),
            id: 0,
        })
    }
}

/// Everything that happened to the members, in no order. With `everything`,
/// also what the forge noted in passing (pushes, edits of descriptions).
pub(super) fn all(
    reader: &Reader,
    scope: &Scope<'_>,
    everything: bool,
) -> Result<Vec<TimelineEvent>> {
    let actions = if everything { &SystemAction::ALL[..] } else { &TELLING };
    let changes = events::of_all(reader, &scope.rows(), actions)?;
    let mut found = beginnings_and_ends(scope, &changes);
    found.extend(changes.iter().filter_map(|(row, change)| of_change(scope, *row, change)));
    found.extend(scope.expansion.links.iter().filter_map(|link| of_link(scope, link)));
    found.extend(recorded(reader, scope)?);
    Ok(found)
}

/// Decisions kept in memory that link to a member. One that links to several is
/// told once, at the one nearest to the question.
fn recorded(reader: &Reader, scope: &Scope<'_>) -> Result<Vec<TimelineEvent>> {
    let heads = scope.expansion.heads.values();
    let rows: BTreeMap<String, EntityRow> =
        heads.map(|head| (reference_of(&head.name()), head.row)).collect();
    let ends: Vec<String> = rows.keys().cloned().collect();
    let mut nearest: BTreeMap<String, TimelineEvent> = BTreeMap::new();
    for it in timeline::recorded_decisions(reader, &ends)? {
        let Some(row) = rows.get(&it.end) else { continue };
        let summary = one_line(&it.decision, SUMMARY);
        let Some(event) = scope.event(*row, EventType::Decision, it.created_at, summary) else {
            continue;
        };
        if nearest.get(&it.record_id).is_some_and(|known| known.depth <= event.depth) {
            continue;
        }
        let decision = DecisionDetails {
            record: it.record_id.clone(),
            rationale: it.rationale,
            is_superseded: it.is_superseded,
        };
        let details = Details { decision: Some(decision), ..Details::default() };
        let event = TimelineEvent { actor: it.author, details, id: it.row, ..event };
        nearest.insert(it.record_id, event);
    }
    Ok(nearest.into_values().collect())
}

/// Created; and closed or merged where no event tells of it, as with servers
/// that are not asked for events.
fn beginnings_and_ends(scope: &Scope<'_>, changes: &[(EntityRow, Event)]) -> Vec<TimelineEvent> {
    let told: BTreeSet<(EntityRow, EventType)> =
        changes.iter().map(|(row, change)| (*row, type_of(change.event))).collect();
    let mut found = Vec::new();
    for head in scope.expansion.heads.values() {
        let moments = [
            (EventType::Created, Some(head.created_at), &head.author),
            (EventType::Closed, head.closed_at, &head.closed_by),
            (EventType::Merged, head.merged_at, &head.merged_by),
        ];
        for (event_type, at, actor) in moments {
            let is_told = told.contains(&(head.row, event_type));
            let Some(at) = at.filter(|_| !is_told) else { continue };
            let event = scope.event(head.row, event_type, at, title(head));
            found.extend(event.map(|event| TimelineEvent { actor: actor.clone(), ..event }));
        }
    }
    found
}

fn title(head: &EntityHeader) -> String {
    one_line(&head.title, SUMMARY)
}

fn of_change(scope: &Scope<'_>, row: EntityRow, change: &Event) -> Option<TimelineEvent> {
    let text = change.text.as_deref().map(plain);
    let name = change.name.clone().unwrap_or_else(|| "(deleted since)".to_owned());
    let is_added = change.action == Some(EventAction::Add);
    let sign = if is_added { '+' } else { '-' };
    let mut details = Details::default();
    let event_type = type_of(change.event);
    let summary = match change.event {
        SystemAction::Closed | SystemAction::Merged | SystemAction::Reopened => {
            title(scope.expansion.heads.get(&row)?)
        }
        SystemAction::Label => {
            if text.is_none() {
                let list =
                    if is_added { &mut details.labels_added } else { &mut details.labels_removed };
                list.push(name.clone());
            }
            text.unwrap_or_else(|| format!("{sign}{name}"))
        }
        SystemAction::Milestone => {
            details.milestone.clone_from(&change.name);
            text.unwrap_or_else(|| format!("{sign}{name}"))
        }
        // What one entity mentions of another is told by its relations.
        SystemAction::Mentioned
            if !text.as_deref().is_some_and(|text| text.contains(" commit ")) =>
        {
            return None;
        }
        other => text.unwrap_or_else(|| other.as_str().to_owned()),
    };
    let event = scope.event(row, event_type, change.at, one_line(&summary, SUMMARY))?;
    let actor = change.actor.clone();
    Some(TimelineEvent { actor, details, id: change.forge_id, ..event })
}

fn type_of(action: SystemAction) -> EventType {
    match action {
        SystemAction::Closed => EventType::Closed,
        SystemAction::Merged => EventType::Merged,
        SystemAction::Reopened => EventType::Reopened,
        SystemAction::Label => EventType::Labels,
        SystemAction::Milestone => EventType::Milestone,
        SystemAction::Assignee => EventType::Assigned,
        SystemAction::Reviewer => EventType::ReviewRequested,
        SystemAction::Title => EventType::Renamed,
        SystemAction::Draft => EventType::Draft,
        SystemAction::Approved | SystemAction::Unapproved | SystemAction::ChangesRequested => {
            EventType::Review
        }
        _ => EventType::Activity,
    }
}

/// A system note without the tags and marks its HTML era left in it.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut is_tag = false;
    for c in text.chars().take(4 * SUMMARY) {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            c => out.push(c),
        }
    }
    out.replace("**", "").replace("{+", "").replace("+}", "").replace("{-", "").replace("-}", "")
}

/// A relation, told at its source where that is here, else at its target.
fn of_link(scope: &Scope<'_>, link: &EntityRelation) -> Option<TimelineEvent> {
    if scope.strong.is_implied(link.relation, &ends(link)) {
        return None;
    }
    // A text that was edited later names what did not exist when it was written:
    // nothing is related to anything before both are there.
    let born = |end: &RelationEnd| {
        end.row.and_then(|row| scope.expansion.heads.get(&row)).map(|head| head.created_at)
    };
    let at = link.at.max(born(&link.source)).max(born(&link.target))?;
    let is_member = |end: &RelationEnd| end.row.is_some_and(|row| scope.members.contains_key(&row));
    let is_outgoing = is_member(&link.source);
    let (here, there) =
        if is_outgoing { (&link.source, &link.target) } else { (&link.target, &link.source) };
    let other = reference_of(&there.name);
    let short = short_reference(&there.name, &here.name.project);
    let words = link.relation.phrase(is_outgoing, link.certainty, there.name.kind);
    let title = there.title.as_deref().unwrap_or("(not synced)");
    let summary = one_line(&format!("{words} {short} {title}"), SUMMARY);
    let event = scope.event(here.row?, EventType::Reference, at, summary)?;
    let reference = ReferenceDetails {
        reference_type: link.relation,
        other,
        other_short: short,
        title: here.title.clone(),
        other_title: there.title.clone(),
        is_outgoing,
        source_method: link.method,
        certainty: link.certainty,
    };
    let details = Details { reference: Some(reference), ..Details::default() };
    Some(TimelineEvent { details, id: link.id, ..event })
}

fn ends(link: &EntityRelation) -> (&EntityName, &EntityName) {
    (&link.source.name, &link.target.name)
}
