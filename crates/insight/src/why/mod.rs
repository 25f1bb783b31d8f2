//! `lore why`: the join. What a file, a line, a symbol, a merge request or an
//! issue rests on: the merge requests and notes that argue for it, what was recorded
//! about it and still stands, what depends on it, and whom to ask.
//!
//! Each part answers with what is there; a part that is not there is named
//! with what would bring it, and never makes the whole fail.

mod dependents;
mod records;
mod symbol;

pub use dependents::Dependents;
pub use records::LinkedRecord;
pub(crate) use records::linked as linked_records;

use crate::entities;
use crate::evidence::{self, About, Explained};
use crate::file_target::{self, FileTarget, Typed};
use crate::people::experts::{self, Expert};
use crate::trace::{self, Missing, Trace};
use model::reference::EntityReference;
use model::relation::RelationType;
use model::{EntityKind, EntityState, ErrorCode, Reference, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::entities::EntityRow;
use store::timeline;
use symbol::Definition;

/// What was asked for; the target stands in `scope.path`.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub scope: Typed<'a>,
    /// Merge requests shown.
    pub limit: usize,
    /// Notes per merge request.
    pub notes: usize,
    /// People to ask.
    pub experts: usize,
    pub now: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Why {
    pub target: String,
    /// Where a file or its lines come from.
    pub trace: Option<Trace>,
    /// The issue or merge request asked about.
    pub entity: Option<Subject>,
    /// For an issue: the merge requests that closed it or relate to it. For a
    /// merge request: itself.
    pub merge_requests: Vec<Explained>,
    /// What was recorded about the target, or about what it rests on.
    pub records: Vec<LinkedRecord>,
    /// What depends on a file or on the symbol around a line.
    pub dependents: Option<Dependents>,
    /// Whom to ask, best first (`lore experts` weighs more, and tells more).
    pub experts: Vec<Expert>,
    /// Parts of the answer that are not there, and what would bring them.
    pub missing: Vec<Missing>,
}

/// The issue or merge request that was asked about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Subject {
    /// `group/project#12`
    pub reference: String,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub url: String,
}

pub fn why(reader: &Reader, request: &Request<'_>) -> Result<Why> {
    let typed = request.scope.path;
    let mut about = Vec::new();
    let mut why = match Reference::parse(typed) {
        Ok(Reference::Entity(entity)) => of_entity(reader, request, &entity)?,
        _ => match of_file(reader, request) {
            Err(error) if error.code() == ErrorCode::NotFound => {
                let found = symbol::definition(reader, request.scope)?;
                let definition = found.ok_or(error)?;
                about.clone_from(&definition.ends);
                of_symbol(reader, request, definition)?
            }
            found => found?,
        },
    };
    about.extend(ends(&why));
    why.records = records::linked(reader, &about)?;
    if why.records.is_empty() && !records::has_any(reader)? {
        let fix = "lore remember decision";
        why.missing.push(Missing::new("nothing was recorded: memory is empty", fix));
    }
    Ok(why)
}

fn of_file(reader: &Reader, request: &Request<'_>) -> Result<Why> {
    let (path, lines) = trace::parse(request.scope.path)?;
    let file = Typed { path, ..request.scope };
    let target = file_target::locate(reader, file)?;
    let limit = request.limit;
    let asked = trace::Request { file, lines, limit, generations: 0, notes: request.notes };
    let mut trace = trace::of_file(reader, &asked, &target, None)?;
    let mut missing = std::mem::take(&mut trace.missing);
    let dependents = dependents::of(reader, &target, &trace, &mut missing)?;
    Ok(Why {
        target: request.scope.path.to_owned(),
        trace: Some(trace),
        entity: None,
        merge_requests: Vec::new(),
        records: Vec::new(),
        dependents,
        experts: workers_on(reader, request, &target)?,
        missing,
    })
}

fn of_symbol(reader: &Reader, request: &Request<'_>, found: Definition) -> Result<Why> {
    let scope = Typed { path: &found.lines, ..request.scope };
    let mut why = of_file(reader, &Request { scope, ..request.clone() })?;
    request.scope.path.clone_into(&mut why.target);
    why.missing.extend(found.missing);
    Ok(why)
}

fn of_entity(reader: &Reader, request: &Request<'_>, typed: &EntityReference) -> Result<Why> {
    let found = entities::show(reader, typed.kind, request.scope.path, request.scope.project)?;
    let row = EntityRow { kind: typed.kind, id: found.summary.id };
    let ids = match typed.kind {
        EntityKind::MergeRequest => vec![row.id],
        EntityKind::Issue => resolving(reader, row)?,
    };
    let about = About { paths: &[], most_notes: request.notes };
    let ids: Vec<i64> = ids.into_iter().take(request.limit).collect();
    let merge_request = |id: &i64| EntityRow { kind: EntityKind::MergeRequest, id: *id };
    let mut rows: Vec<EntityRow> = ids.iter().map(merge_request).collect();
    if !rows.contains(&row) {
        rows.push(row);
    }
    let summary = found.summary;
    Ok(Why {
        target: request.scope.path.to_owned(),
        trace: None,
        merge_requests: evidence::explain(reader, &ids, about)?,
        entity: Some(Subject {
            reference: format!("{}{}", summary.project, summary.reference()),
            title: summary.title,
            state: summary.state,
            author: summary.author,
            created_at: summary.created_at,
            url: summary.web_url,
        }),
        records: Vec::new(),
        dependents: None,
        experts: experts::whom_to_ask(reader, &rows, None, request.now, request.experts)?,
        missing: Vec::new(),
    })
}

/// Those who worked on the file; without any, those whose lines it has.
fn workers_on(reader: &Reader, request: &Request<'_>, target: &FileTarget) -> Result<Vec<Expert>> {
    let rows = experts::changing(reader, &target.path, target.project_id())?;
    let file = target.clone.as_ref().map(|clone| (clone.git.dir().to_owned(), &*target.path));
    experts::whom_to_ask(reader, &rows, file, request.now, request.experts)
}

/// Merge requests that close an issue, then those that relate to it.
fn resolving(reader: &Reader, issue: EntityRow) -> Result<Vec<i64>> {
    let mut found: Vec<(bool, i64)> = Vec::new();
    for link in timeline::links(reader, &[issue])? {
        for end in [&link.source, &link.target] {
            if let Some(row) = end.row.filter(|row| row.kind == EntityKind::MergeRequest)
                && matches!(link.relation, RelationType::Closes | RelationType::Related)
            {
                found.push((link.relation != RelationType::Closes, row.id));
            }
        }
    }
    found.sort_unstable();
    let mut ids: Vec<i64> = Vec::new();
    for (_, id) in found {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Everything by which a record may point at the target: paths it went by,
/// merge requests and issues it rests on, commits.
fn ends(why: &Why) -> Vec<String> {
    let mut ends: Vec<String> = Vec::new();
    let mut add = |end: &str| {
        if !ends.iter().any(|known| known == end) {
            ends.push(end.to_owned());
        }
    };
    if let Some(trace) = &why.trace {
        add(&trace.path);
        if let Some(lines) = trace.lines {
            for line in lines.first..=lines.last.min(lines.first + 200) {
                add(&format!("{}:{line}", trace.path));
            }
        }
        for rename in &trace.rename_chain {
            add(&rename.from);
            add(&rename.to);
        }
        for commit in trace.origins.iter().filter_map(|origin| origin.commit.as_ref()) {
            add(&commit.sha);
        }
    }
    if let Some(entity) = &why.entity {
        add(&entity.reference);
    }
    let traced = why.trace.iter().flat_map(|trace| &trace.merge_requests);
    for explained in traced.chain(&why.merge_requests) {
        add(&explained.reference);
        for issue in &explained.issues {
            add(&issue.reference);
        }
    }
    ends
}
