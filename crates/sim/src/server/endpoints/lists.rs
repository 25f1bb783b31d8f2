//! The lists of issues and merge requests, with their filters.

use crate::server::context::Context;
use crate::server::paging::{Page, PageRequest, cut, keyset_reply, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{IssueShape, IssueView, MergeRequestShape, MergeRequestView};
use crate::world::{Entity, EntityId, EntityKey, OrderBy, Project, UserId, Walk};
use model::{EntityKind, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;

const SCOPES: [&str; 6] =
    ["created_by_me", "assigned_to_me", "created-by-me", "assigned-to-me", "reviews_for_me", "all"];

pub fn list(
    context: Context<'_>,
    request: &Request,
    project: &Project,
    kind: EntityKind,
) -> Answer {
    let filter = Filter::parse(context, request, project, kind)?;
    if kind == EntityKind::Issue && !project.issues_enabled {
        let page = cut(&context, request, std::iter::empty::<&Entity>(), |_| 0)?;
        return render(context, request, kind, page);
    }
    let is_keyset = request.params.get("pagination") == Some("keyset")
        && kind == EntityKind::Issue
        && context.options.release.keyset_issues;
    if is_keyset {
        return keyset(context, request, project, &filter);
    }
    let total = |limit| filter.total(context, project, kind, limit);
    let page = if filter.looks_at_rows(context) {
        cut(&context, request, filter.rows(context, project, kind), total)?
    } else {
        // Skipping to a deep page needs the numbers only.
        let iids = context.world.walk(project.id, kind, filter.walk);
        let page = cut(&context, request, iids, total)?;
        let id = project.id;
        page.filter_map(|iid| context.world.entity(EntityKey { project: id, kind, iid }).ok())
    };
    render(context, request, kind, page)
}

fn render(
    context: Context<'_>,
    request: &Request,
    kind: EntityKind,
    page: Page<&Entity>,
) -> Answer {
    let label_details = request.params.flag("with_labels_details")?;
    if kind == EntityKind::Issue {
        let shape = IssueShape { label_details, single: false, basic: false };
        let page = page.map(|entity| IssueView::new(context, entity, shape));
        return Ok(offset_reply(&context, request, &page));
    }
    if request.params.get("view") == Some("simple") {
        let page = page.map(|entity| simple(context, entity));
        return Ok(offset_reply(&context, request, &page));
    }
    let shape = MergeRequestShape { label_details, single: false };
    let page = page.map(|entity| MergeRequestView::new(context, entity, shape));
    Ok(offset_reply(&context, request, &page))
}

fn simple(context: Context<'_>, entity: &Entity) -> serde_json::Value {
    let path = context.project_path(entity.key.project);
    json!({
        "id": entity.id, "iid": entity.key.iid, "project_id": entity.key.project,
        "title": entity.title, "description": entity.description,
        "state": entity.state.as_str(), "created_at": entity.created_at,
        "updated_at": entity.updated_at,
        "web_url": context.web_url(&format!("{path}/-/merge_requests/{}", entity.key.iid)),
    })
}

fn keyset(
    context: Context<'_>,
    request: &Request,
    project: &Project,
    filter: &Filter<'_>,
) -> Answer {
    let per_page = PageRequest::of(request)?.per_page as usize;
    let mut rows = filter.rows(context, project, EntityKind::Issue);
    let items: Vec<&Entity> = rows.by_ref().take(per_page).collect();
    let next_cursor = match (items.last(), rows.next()) {
        (Some(last), Some(_)) => Some(filter.cursor_after(last)),
        _ => None,
    };
    let label_details = request.params.flag("with_labels_details")?;
    let shape = IssueShape { label_details, single: false, basic: false };
    let views: Vec<IssueView<'_>> =
        items.into_iter().map(|entity| IssueView::new(context, entity, shape)).collect();
    Ok(keyset_reply(&context, request, &views, next_cursor))
}

/// The parameters of a list request, understood.
struct Filter<'a> {
    walk: Walk,
    /// Bounds on the other time, which the walk does not cover.
    created: (Option<Timestamp>, Option<Timestamp>),
    updated: (Option<Timestamp>, Option<Timestamp>),
    state: Option<&'a str>,
    iids: BTreeSet<i64>,
    labels: Vec<&'a str>,
    milestone: Option<&'a str>,
    author: Option<UserId>,
    assignee: Option<UserId>,
    search: Option<String>,
    /// A named person who does not exist matches nothing.
    nothing: bool,
}

impl<'a> Filter<'a> {
    fn parse(
        context: Context<'_>,
        request: &'a Request,
        project: &Project,
        kind: EntityKind,
    ) -> Result<Filter<'a>, Reply> {
        let params = &request.params;
        let states: &[&str] = match kind {
            EntityKind::Issue => &["opened", "closed", "all"],
            EntityKind::MergeRequest => &["opened", "closed", "locked", "merged", "all"],
        };
        let state = params.choice("state", states)?.filter(|state| *state != "all");
        let scope = params.choice("scope", &SCOPES)?;
        let order = params.choice("order_by", &["created_at", "updated_at"])?;
        let sort = params.choice("sort", &["asc", "desc"])?;
        let created = (params.time("created_after")?, params.time("created_before")?);
        let updated = (params.time("updated_after")?, params.time("updated_before")?);
        let order_by =
            if order == Some("updated_at") { OrderBy::UpdatedAt } else { OrderBy::CreatedAt };
        let (from, to) = if order_by == OrderBy::UpdatedAt { updated } else { created };
        let after = match params.get("cursor") {
            None => None,
            Some(cursor) => {
                Some(parse_cursor(cursor).ok_or_else(|| Reply::invalid_param("cursor"))?)
            }
        };
        let mut nothing = false;
        let mut person = |name: &str| {
            params.get(name).and_then(|username| {
                let id = context.world.user_id(username).ok();
                nothing |= id.is_none();
                id
            })
        };
        let mut author = person("author_username");
        let mut assignee = person("assignee_username");
        match scope {
            Some("created_by_me" | "created-by-me") => {
                author = Some(context.require_viewer()?.user);
            }
            Some("assigned_to_me" | "assigned-to-me") => {
                assignee = Some(context.require_viewer()?.user);
            }
            _ => {}
        }
        let labels: Vec<&str> = params
            .all("labels")
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .filter(|label| !label.is_empty())
            .collect();
        let is_unknown = |label: &&str| {
            !label.eq_ignore_ascii_case("none")
                && !label.eq_ignore_ascii_case("any")
                && context.world.label_id(project.id, label).is_err()
        };
        nothing |= labels.iter().any(is_unknown);
        let mut iids = BTreeSet::new();
        for iid in params.all("iids") {
            iids.insert(iid.parse().map_err(|_| Reply::invalid_param("iids"))?);
        }
        Ok(Filter {
            walk: Walk { order_by, descending: sort != Some("asc"), from, to, after },
            created,
            updated,
            state,
            iids,
            labels,
            milestone: params.get("milestone"),
            author,
            assignee,
            search: params.get("search").map(str::to_lowercase),
            nothing,
        })
    }

    fn rows<'w>(
        &'w self,
        context: Context<'w>,
        project: &Project,
        kind: EntityKind,
    ) -> impl Iterator<Item = &'w Entity> + 'w {
        let id = project.id;
        context
            .world
            .walk(id, kind, self.walk)
            .filter_map(move |iid| context.world.entity(EntityKey { project: id, kind, iid }).ok())
            .filter(move |entity| context.sees(entity) && self.wants(context, entity))
    }

    /// Not counted beyond `limit`; without filters no row is looked at.
    fn total(
        &self,
        context: Context<'_>,
        project: &Project,
        kind: EntityKind,
        limit: usize,
    ) -> usize {
        if self.looks_at_rows(context) {
            return self.rows(context, project, kind).take(limit).count();
        }
        if self.walk.from.is_none() && self.walk.to.is_none() {
            return context.world.count(project.id, kind);
        }
        context.world.walk(project.id, kind, self.walk).take(limit).count()
    }

    fn looks_at_rows(&self, context: Context<'_>) -> bool {
        let other = match self.walk.order_by {
            OrderBy::UpdatedAt => self.created,
            OrderBy::CreatedAt => self.updated,
        };
        self.nothing
            || other != (None, None)
            || self.state.is_some()
            || !self.iids.is_empty()
            || !self.labels.is_empty()
            || self.milestone.is_some()
            || self.author.is_some()
            || self.assignee.is_some()
            || self.search.is_some()
            || context.viewer.is_none_or(|viewer| !viewer.is_reporter)
    }

    fn wants(&self, context: Context<'_>, entity: &Entity) -> bool {
        let within = |at: Timestamp, (from, to): (Option<Timestamp>, Option<Timestamp>)| {
            from.is_none_or(|from| at >= from) && to.is_none_or(|to| at <= to)
        };
        !self.nothing
            && within(entity.created_at, self.created)
            && within(entity.updated_at, self.updated)
            && self.state.is_none_or(|state| entity.state.as_str() == state)
            && (self.iids.is_empty() || self.iids.contains(&entity.key.iid.0))
            && self.labels.iter().all(|label| has_label(context, entity, label))
            && self.milestone.is_none_or(|title| has_milestone(context, entity, title))
            && self.author.is_none_or(|author| entity.author == author)
            && self.assignee.is_none_or(|assignee| entity.assignees.contains(&assignee))
            && self.search.as_ref().is_none_or(|part| {
                let finds = |text: &str| text.to_lowercase().contains(part.as_str());
                finds(&entity.title) || entity.description.as_deref().is_some_and(finds)
            })
    }

    fn cursor_after(&self, entity: &Entity) -> String {
        let at = match self.walk.order_by {
            OrderBy::UpdatedAt => entity.updated_at,
            OrderBy::CreatedAt => entity.created_at,
        };
        format!("{:x}_{:x}", at.as_millis(), entity.id.0)
    }
}

/// Opaque to clients: time and id of the last row seen.
fn parse_cursor(cursor: &str) -> Option<(Timestamp, EntityId)> {
    let (at, id) = cursor.split_once('_')?;
    let at = i64::from_str_radix(at, 16).ok()?;
    Some((Timestamp::from_millis(at), EntityId(i64::from_str_radix(id, 16).ok()?)))
}

fn has_label(context: Context<'_>, entity: &Entity, wanted: &str) -> bool {
    match wanted.to_ascii_lowercase().as_str() {
        "none" => entity.labels.is_empty(),
        "any" => !entity.labels.is_empty(),
        _ => context
            .world
            .label_id(entity.key.project, wanted)
            .is_ok_and(|id| entity.labels.contains(&id)),
    }
}

fn has_milestone(context: Context<'_>, entity: &Entity, wanted: &str) -> bool {
    match wanted.to_ascii_lowercase().as_str() {
        "none" => entity.milestone.is_none(),
        "any" => entity.milestone.is_some(),
        _ => entity
            .milestone
            .and_then(|id| context.world.milestone(entity.key.project, id))
            .is_some_and(|milestone| milestone.title == wanted),
    }
}
