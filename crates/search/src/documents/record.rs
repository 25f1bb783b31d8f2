//! The documents of memory: decisions, patterns and handoffs.

use super::draft::{Draft, Section};
use model::Result;
use model::memory::{LinkTarget, Record, RecordKind};
use store::Read;
use store::dirty::SourceType;
use store::documents::Document;
use store::memory::records;
use store::projects;

/// What the documents of records of a kind are called.
pub const fn source_of(kind: RecordKind) -> SourceType {
    match kind {
        RecordKind::Decision => SourceType::Decision,
        RecordKind::Pattern => SourceType::Pattern,
        RecordKind::Handoff => SourceType::Handoff,
    }
}

/// The document of a record; none when it is gone.
pub fn of_record(on: &impl Read, kind: RecordKind, row: i64) -> Result<Option<Document>> {
    let outline = records::outline_of(on, kind, row)?;
    let record = records::record(on, kind, row)?;
    let Some((outline, record)) = outline.zip(record) else { return Ok(None) };
    let source = source_of(kind);
    let id = record.id();
    let first_line = format!("{} {id}: {}", noun(kind), record.title());
    let mut draft = Draft::new(source, row, record.timestamp(), &first_line);
    draft.reference = id.to_string();
    record.title().lines().next().unwrap_or_default().clone_into(&mut draft.title);
    draft.author.clone_from(&outline.author);
    draft.state = Some(outline.status.as_str().to_owned());
    draft.labels = record.tags().to_vec();
    draft.paths = paths(&record);
    if let Some(project) = &outline.project {
        let known = projects::all(on)?.into_iter().find(|it| it.path == *project);
        draft.project = known.map(|it| it.id);
        draft.line("Project", project);
    }
    draft.list("Tags", record.tags());
    draft.list("Links", record.links());
    draft.body(Section::Description, &body(&record));
    Ok(Some(draft.finish()))
}

const fn noun(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Decision => "Decision",
        RecordKind::Pattern => "Pattern",
        RecordKind::Handoff => "Handoff",
    }
}

/// Files the record is about, by its links.
fn paths(record: &Record) -> Vec<String> {
    let path = |link: &String| match LinkTarget::parse(link) {
        Ok(LinkTarget::Path { path, .. }) => Some(path),
        _ => None,
    };
    record.links().iter().filter_map(path).collect()
}

fn body(record: &Record) -> String {
    let bullets = |items: &[String]| {
        items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
    };
    let parts: Vec<(&str, String)> = match record {
        Record::Decision(it) => {
            vec![("", it.rationale.clone()), ("Alternatives:\n", bullets(&it.alternatives))]
        }
        Record::Pattern(it) => vec![
            ("Context: ", it.context.clone()),
            ("Problem: ", it.problem.clone()),
            ("Solution: ", it.solution.clone()),
        ],
        Record::Handoff(it) => vec![
            ("", it.summary.clone()),
            ("Next steps:\n", bullets(&it.next_steps)),
            ("Open questions:\n", bullets(&it.open_questions)),
        ],
    };
    let filled = parts.into_iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(name, text)| format!("{name}{text}")).collect::<Vec<_>>().join("\n\n")
}
