//! Lists of issues and merge requests, and everything about one of them.

use crate::file_target::{self, FileQuery};
use crate::{projects, threads};
use model::ids::Iid;
use model::reference::EntityReference;
use model::relation::StrongRelations;
use model::{EntityKind, Error, ErrorCode, Reference, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::details::{self, Commit, EntityBody, FileChange, Relation, Thread};
use store::entities::EntityRow;
use store::events::{self, Event};
use store::listing::{self, EntityFilter, EntitySummary};

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityList {
    pub items: Vec<EntitySummary>,
    /// All that match, shown or not.
    pub total: u64,
}

pub fn list(reader: &Reader, kind: EntityKind, filter: &EntityFilter) -> Result<EntityList> {
    let (items, total) = listing::entities(reader, kind, filter)?;
    if total == 0 && store::entities::count(reader, kind, None)? == 0 {
        require_synced(reader, kind)?;
    }
    Ok(EntityList { items, total })
}

/// What brings the items of a forge.
pub const FETCH: &str = "fetch them: lore sync";

/// An empty list of a synced project is an answer; without any sync it is not.
fn require_synced(reader: &Reader, kind: EntityKind) -> Result<()> {
    if store::projects::all(reader)?.is_empty() {
        return Err(
            Error::new(ErrorCode::NotIndexed, format!("no {} yet", kind.plural())).suggest(FETCH)
        );
    }
    Ok(())
}

/// Everything about one issue or merge request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityDetail {
    #[serde(flatten)]
    pub summary: EntitySummary,
    #[serde(flatten)]
    pub body: EntityBody,
    pub relations: Vec<Relation>,
    pub files: Vec<FileChange>,
    pub commits: Vec<Commit>,
    pub events: Vec<Event>,
    pub threads: Vec<Thread>,
    /// Threads with something a person wrote, shown or not.
    pub n_threads: u64,
}

impl EntityDetail {
    /// Relations without mentions that a stronger one implies.
    pub fn relations_to_show(&self) -> impl Iterator<Item = &Relation> {
        let end = |it: &Relation| (it.is_outgoing, it.kind, it.project.clone(), it.iid);
        let strong =
            StrongRelations::new(self.relations.iter().map(|it| (it.reference_type, end(it))));
        self.relations.iter().filter(move |it| !strong.is_implied(it.reference_type, &end(it)))
    }
}

/// The entity people mean by `12`, `#12`, `group/p!12` or a URL.
pub fn show(
    reader: &Reader,
    kind: EntityKind,
    typed: &str,
    project: Option<&str>,
) -> Result<EntityDetail> {
    show_near(reader, kind, typed, project, None)
}

/// The same; the project of the clone at `here` is meant when several have the number.
pub fn show_near(
    reader: &Reader,
    kind: EntityKind,
    typed: &str,
    project: Option<&str>,
    here: Option<FileQuery<'_>>,
) -> Result<EntityDetail> {
    let wanted = parse(kind, typed)?;
    let summary = find_near(reader, &wanted, project, here)?;
    let row = EntityRow { kind, id: summary.id };
    let body = details::body(reader, row)?
        .ok_or_else(|| Error::internal("an entity vanished while it was read"))?;
    let is_mr = kind == EntityKind::MergeRequest;
    let threads = details::threads(reader, row)?;
    Ok(EntityDetail {
        n_threads: threads::count_written(&threads),
        body,
        relations: details::relations(reader, row)?,
        files: if is_mr { details::files(reader, row.id)? } else { Vec::new() },
        commits: if is_mr { details::commits(reader, row.id)? } else { Vec::new() },
        events: events::entity_events(reader, row)?,
        threads,
        summary,
    })
}

fn parse(kind: EntityKind, typed: &str) -> Result<EntityReference> {
    let typed = typed.trim();
    if let Ok(iid) = typed.parse::<i64>()
        && iid > 0
    {
        return Ok(EntityReference { kind, host: None, project: None, iid: Iid(iid) });
    }
    // Seven digits and more would pass for a commit, too.
    if !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Error::usage(format!(
            "there is no {} with the number {}",
            kind.noun(),
            model::text::one_line(typed, 60)
        ))
        .suggest("give its number, e.g. 12"));
    }
    match Reference::parse(typed)? {
        Reference::Entity(found) if found.kind == kind => Ok(found),
        Reference::Entity(found) => {
            let command = match found.kind {
                EntityKind::Issue => "issues",
                EntityKind::MergeRequest => "mrs",
            };
            Err(Error::usage(format!("{found} is not {} {}", article(kind), kind.noun()))
                .suggest(format!("run: lore {command} '{found}'")))
        }
        Reference::Commit { .. } => Err(Error::usage(format!(
            "`{typed}` is a commit, not {} {}",
            article(kind),
            kind.noun()
        ))
        .suggest("give its number, e.g. 12")),
    }
}

const fn article(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Issue => "an",
        EntityKind::MergeRequest => "a",
    }
}

/// The same, where the project of the clone at `here` is meant when several have the
/// number and none was named.
pub(crate) fn find_near(
    reader: &Reader,
    wanted: &EntityReference,
    project: Option<&str>,
    here: Option<FileQuery<'_>>,
) -> Result<EntitySummary> {
    let is_named = project.is_some() || wanted.project.is_some();
    match (find(reader, wanted.kind, wanted, project), here) {
        (Err(error), Some(here)) if !is_named && error.code() == ErrorCode::Ambiguous => {
            match file_target::project_around(reader, here)? {
                Some(project) => {
                    let name = format!("{}/{}", project.host, project.path);
                    find(reader, wanted.kind, wanted, Some(&name)).map_err(|_| error)
                }
                None => Err(error),
            }
        }
        (found, _) => found,
    }
}

/// The entity a reference means; an error that lists the candidates when several
/// projects have its number.
pub(crate) fn find(
    reader: &Reader,
    kind: EntityKind,
    wanted: &EntityReference,
    project: Option<&str>,
) -> Result<EntitySummary> {
    let project = wanted.project.as_deref().or(project);
    let project = projects::resolve_maybe(reader, project)?;
    let filter = EntityFilter {
        project: project.as_ref().map(|project| project.id),
        iid: Some(wanted.iid),
        include_gone: true,
        limit: 100,
        ..EntityFilter::default()
    };
    let (mut found, _) = listing::entities(reader, kind, &filter)?;
    // A living row answers for its number; a gone one only when it is alone.
    if found.iter().any(|entity| !entity.is_gone) {
        found.retain(|entity| !entity.is_gone);
    }
    match found.len() {
        0 => {
            require_synced(reader, kind)?;
            let place = project.map(|project| format!(" in {}", project.path)).unwrap_or_default();
            let name = format!("{}{}", kind.sigil(), wanted.iid);
            Err(Error::not_found(format!("no {} {name}{place}", kind.noun()))
                .suggest("check the number, or run `lore sync` if it is new"))
        }
        1 => Ok(found.swap_remove(0)),
        _ => {
            let names: Vec<String> = found
                .iter()
                .map(|entity| format!("{}{}", entity.project, entity.reference()))
                .collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("several projects have {}: {}", found[0].reference(), names.join(", ")),
            )
            .suggest(format!("say which, e.g. '{}' or -p {}", names[0], found[0].project)))
        }
    }
}
