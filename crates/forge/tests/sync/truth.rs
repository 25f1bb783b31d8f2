//! What the forge holds, read from the simulator's own state, beside what the
//! database holds, read through the store. Neither passes through the other's
//! code.

use model::{EntityKind, Timestamp};
use sim::World;
use sim::world::{Entity, State};
use store::Reader;
use store::details;
use store::entities::EntityRow;
use store::events::EventSource;
use store::listing::{self, EntityFilter};

/// Every living entity with its threads, events, files and commits, one line each.
pub fn of_world(world: &World) -> Vec<String> {
    let mut lines: Vec<String> =
        world.entities().flat_map(|entity| entity_lines(world, entity)).collect();
    lines.sort();
    lines
}

fn entity_lines(world: &World, entity: &Entity) -> Vec<String> {
    let path = &world.project(entity.key.project).unwrap().path;
    let name = format!("{path}{}{}", entity.kind().sigil(), entity.iid());
    let state = if entity.state == State::Locked { State::Opened } else { entity.state };
    let mut labels = world.label_names(entity);
    labels.sort_unstable();
    let mr = entity.merge_request();
    let mut lines = vec![format!(
        "{name} {} {:?} by {} at {} labels {labels:?} draft {} text {:?}",
        state.as_str(),
        entity.title,
        world.username(entity.author),
        stamp(entity.updated_at),
        mr.is_some_and(|mr| mr.draft),
        entity.description.as_deref().unwrap_or(""),
    )];
    for discussion in &entity.discussions {
        for note in &discussion.notes {
            lines.push(note_line(
                &name,
                note.id.0,
                world.username(note.author),
                note.system,
                &note.body,
            ));
        }
        let is_resolved = discussion.is_resolvable().then(|| discussion.is_resolved());
        lines.push(format!("{name} thread {} resolved {is_resolved:?}", discussion.id));
    }
    for event in &entity.state_events {
        lines.push(format!("{name} {} {}", event.change.as_str(), stamp(event.created_at)));
    }
    for event in &entity.label_events {
        let label = event.label.and_then(|(project, id)| world.label(project, id));
        let label = label.map(|label| label.name.clone());
        lines.push(format!(
            "{name} label {} {label:?} {}",
            event.action.as_str(),
            stamp(event.created_at)
        ));
    }
    for event in &entity.milestone_events {
        let milestone = world.milestone(event.milestone.0, event.milestone.1);
        let title = milestone.map(|milestone| milestone.title.clone());
        lines.push(format!(
            "{name} milestone {} {title:?} {}",
            event.action.as_str(),
            stamp(event.created_at)
        ));
    }
    if let Some(mr) = mr {
        for change in &mr.changes {
            lines.push(format!("{name} file {}", change.new_path));
        }
        for commit in &mr.commits {
            lines.push(format!("{name} commit {}", commit.sha));
        }
    }
    lines
}

/// The same lines from the database.
pub fn of_database(reader: &Reader) -> Vec<String> {
    let mut lines = Vec::new();
    for kind in EntityKind::ALL {
        let filter = EntityFilter { limit: 1_000_000, ..EntityFilter::default() };
        for entity in listing::entities(reader, kind, &filter).unwrap().0 {
            let name = format!("{}{}", entity.project, entity.reference());
            let row = EntityRow { kind, id: entity.id };
            let body = details::body(reader, row).unwrap().unwrap();
            lines.push(format!(
                "{name} {} {:?} by {} at {} labels {:?} draft {} text {:?}",
                entity.state,
                entity.title,
                entity.author.as_deref().unwrap_or(""),
                stamp(entity.updated_at),
                entity.labels,
                entity.is_draft,
                body.description.as_deref().unwrap_or(""),
            ));
            for thread in details::threads(reader, row).unwrap() {
                for note in &thread.notes {
                    let author = note.author.as_deref().unwrap_or("");
                    lines.push(note_line(&name, note.id.0, author, note.is_system, &note.body));
                }
                lines
                    .push(format!("{name} thread {} resolved {:?}", thread.id, thread.is_resolved));
            }
            let resource_events = store::events::entity_events(reader, row).unwrap().into_iter();
            for event in resource_events.filter(|event| event.source == EventSource::Resource) {
                lines.push(match event.action {
                    None => format!("{name} {} {}", event.event, stamp(event.at)),
                    Some(action) => format!(
                        "{name} {} {action} {:?} {}",
                        event.event,
                        event.name,
                        stamp(event.at)
                    ),
                });
            }
            if kind == EntityKind::MergeRequest {
                let files = details::files(reader, row.id).unwrap();
                lines.extend(files.iter().map(|file| format!("{name} file {}", file.path)));
                let commits = details::commits(reader, row.id).unwrap();
                lines.extend(commits.iter().map(|commit| format!("{name} commit {}", commit.sha)));
            }
        }
    }
    lines.sort();
    lines
}

fn note_line(name: &str, id: i64, author: &str, is_system: bool, body: &str) -> String {
    format!("{name} note {id} by {author} system {is_system} {body:?}")
}

fn stamp(at: Timestamp) -> String {
    at.to_rfc3339()
}
