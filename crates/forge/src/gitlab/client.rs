//! The client itself: which endpoint answers which question of the trait.

use super::address::encode;
use super::convert;
use super::headers;
use super::scan;
use super::set::{Items, PAGE_SIZE, Set, Shrinks, following};
use super::transport::{Answer, Call, FailedRequest, Transport};
use crate::api::{
    EntityPage, Failure, FailureKind, Forge, ForgeAnswer, Identity, ListFrom, ProjectLocator,
    Reservation, Result,
};
use crate::options::Options;
use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, DependentSet, FileChangeRecord, ListedEntity, ProjectRecord};
use model::{EntityKind, Error, Progress};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A page of entities that is too large to read is read in this many parts.
const PARTS: u32 = 5;
/// Items of one page that are told of by name when they cannot be read.
const MAX_UNREADABLE: usize = 100;
/// After so many merge requests without `/diffs` the server is taken to be one
/// that does not have it (before 15.7).
const ENOUGH_WITHOUT_DIFFS: u32 = 3;

/// GitLab's REST API v4 with one token. Clones share connections and budget.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    transport: Transport,
    /// Merge requests in a row for which only `/changes` answered.
    n_without_diffs: AtomicU32,
}

impl Client {
    /// Checks the options; nothing is sent yet.
    pub fn new(options: Options, progress: Arc<dyn Progress>) -> model::Result<Client, Error> {
        Ok(Client(Arc::new(Inner {
            transport: Transport::new(options, progress)?,
            n_without_diffs: AtomicU32::new(0),
        })))
    }

    pub(super) fn transport(&self) -> &Transport {
        &self.0.transport
    }

    async fn get(
        &self,
        call: &Call,
        held: &mut Reservation,
    ) -> std::result::Result<Answer, FailedRequest> {
        self.0.transport.get(call, held).await
    }

    async fn entity_page(
        &self,
        project: ForgeId,
        kind: EntityKind,
        from: ListFrom,
        page_size: u32,
        mut reservation: Reservation,
    ) -> std::result::Result<EntityPage, FailedRequest> {
        let after = from.updated_after.map_or_else(String::new, |after| {
            format!("&updated_after={}", encode(&after.to_rfc3339()))
        });
        let query = format!(
            "order_by=updated_at&sort=asc&scope=all&state=all&with_labels_details=true{after}\
             &per_page={page_size}&page={}",
            from.page
        );
        let call = Call::array(entities_path(project, kind), query);
        let answer = self.get(&call, &mut reservation).await?;
        let mut page = EntityPage {
            items: Vec::with_capacity(answer.items.len()),
            unreadable: Vec::new(),
            has_more: following(&answer, &call.query, page_size).is_some(),
            server_time: headers::server_time(&answer.headers),
            reservation,
        };
        let mut n_unnamed = 0;
        for item in answer.items() {
            match convert::listed(item, kind) {
                Ok(listed) => page.items.push(listed),
                Err(why) if page.unreadable.len() < MAX_UNREADABLE => page.unreadable.push(why),
                Err(_) => n_unnamed += 1,
            }
        }
        if n_unnamed > 0 {
            page.unreadable.push(format!("{n_unnamed} more items of the same page"));
        }
        Ok(page)
    }

    /// The same page, put together from smaller ones.
    async fn entity_page_in_parts(
        &self,
        project: ForgeId,
        kind: EntityKind,
        from: ListFrom,
    ) -> std::result::Result<EntityPage, FailedRequest> {
        let limit = 2 * self.0.transport.options().max_set_bytes;
        let mut whole: Option<EntityPage> = None;
        for part in 0..PARTS {
            let page = (from.page - 1).saturating_mul(PARTS).saturating_add(part + 1);
            let from = ListFrom { page, ..from };
            let reservation = whole.as_ref().map(|whole| whole.reservation.clone());
            let next = self
                .entity_page(
                    project,
                    kind,
                    from,
                    PAGE_SIZE / PARTS,
                    reservation.unwrap_or_default(),
                )
                .await?;
            let has_more = next.has_more;
            whole = Some(match whole {
                None => next,
                Some(mut whole) => {
                    whole.items.extend(next.items);
                    whole.unreadable.extend(next.unreadable);
                    whole.has_more = has_more;
                    whole.reservation = next.reservation;
                    whole
                }
            });
            let n_bytes: usize =
                whole.iter().flat_map(|whole| &whole.items).map(|item| item.raw.len()).sum();
            if n_bytes > limit {
                let limit = limit / (1024 * 1024);
                let call = Call::array(entities_path(project, kind), "");
                let message = format!("{} failed: a page has over {limit} MiB", call.words());
                return Err(Failure::new(FailureKind::Unreadable, message).into());
            }
            if !has_more {
                break;
            }
        }
        whole.ok_or_else(|| {
            Failure::new(FailureKind::Unreadable, "a page in no parts at all").into()
        })
    }

    async fn file_changes(&self, entity: &str) -> Result<Set<FileChangeRecord>> {
        let items = Items {
            convert: &convert::file_change,
            key: |change| format!("{}\0{}", change.old_path, change.new_path),
            // lore keeps which files changed, never their text.
            keep: |item| Cow::Owned(scan::without_member(item, "diff")),
            page_sizes: &[PAGE_SIZE, 20, 10],
            shrinks: Shrinks::OnServerErrors,
        };
        let unseen = &self.0.n_without_diffs;
        if unseen.load(Ordering::Relaxed) < ENOUGH_WITHOUT_DIFFS {
            match self.0.transport.whole_set(&format!("{entity}/diffs"), &items).await {
                Ok(set) => {
                    unseen.store(0, Ordering::Relaxed);
                    return Ok(set);
                }
                Err(failed) if failed.is_not_found => {}
                Err(failed) => return Err(failed.into()),
            }
        }
        // Either the merge request is gone, which this answers with 404 too,
        // or the server is older than `/diffs`.
        let call = Call {
            query: "access_raw_diffs=true".to_owned(),
            ..Call::object(format!("{entity}/changes"))
        };
        let mut reservation = Reservation::default();
        let answer = self.get(&call, &mut reservation).await?;
        unseen.fetch_add(1, Ordering::Relaxed);
        let changes = scan::member(answer.object(), "changes")
            .and_then(|list| Some((list, scan::elements(list)?)));
        let Some((list, ranges)) = changes else {
            return Err(Failure::new(
                FailureKind::Unreadable,
                format!("{} names no changes", call.words()),
            ));
        };
        let mut set = Set {
            items: Vec::with_capacity(ranges.len()),
            raw: vec![b'['],
            server_time: headers::server_time(&answer.headers),
            reservation,
        };
        for range in ranges {
            let item = &list[range];
            let change =
                convert::file_change(item).map_err(|why| why.into_failure(&call.words()))?;
            set.items.extend(change);
            if set.raw.len() > 1 {
                set.raw.push(b',');
            }
            set.raw.extend_from_slice(&scan::without_member(item, "diff"));
        }
        set.raw.push(b']');
        Ok(set)
    }

    /// A list whose items are kept as they are.
    pub(super) async fn set<T>(
        &self,
        path: &str,
        convert: &(dyn Fn(&[u8]) -> convert::Converted<Option<T>> + Send + Sync),
        key: fn(&T) -> String,
    ) -> Result<Set<T>> {
        let items = Items {
            convert,
            key,
            keep: |item| Cow::Borrowed(item),
            page_sizes: &[PAGE_SIZE, 20, 5],
            shrinks: Shrinks::WhenTooLarge,
        };
        Ok(self.0.transport.whole_set(path, &items).await?)
    }
}

impl Forge for Client {
    async fn identity(&self) -> Result<Identity> {
        let mut held = Reservation::default();
        let user = self.get(&Call::object("user"), &mut held).await?;
        // Some servers hide their version; that is no reason to stop.
        let version = self.get(&Call::object("version"), &mut held).await.ok();
        convert::identity(user.object(), version.as_ref().map(Answer::object))
            .map_err(|why| why.into_failure("GET user"))
    }

    async fn project(&self, which: ProjectLocator) -> Result<ForgeAnswer<ProjectRecord>> {
        let path = match &which {
            ProjectLocator::Id(id) => format!("projects/{id}"),
            // GitLab would read a bare number as an id, and there is no
            // project outside a group or user.
            ProjectLocator::Path(path) if path.trim_matches('/').contains('/') => {
                format!("projects/{}", encode(path.trim_matches('/')))
            }
            ProjectLocator::Path(path) => {
                return Err(Failure::new(
                    FailureKind::Gone,
                    format!("`{}` is not the path of a project", model::text::one_line(path, 80)),
                )
                .suggest("write it as group/project"));
            }
        };
        let call = Call::object(path);
        let mut held = Reservation::default();
        let answer = self.get(&call, &mut held).await?;
        let value =
            convert::project(answer.object()).map_err(|why| why.into_failure(&call.words()))?;
        Ok(fetched(value, &answer, held))
    }

    async fn entities(
        &self,
        project: ForgeId,
        kind: EntityKind,
        from: ListFrom,
    ) -> Result<EntityPage> {
        let from = ListFrom { page: from.page.max(1), ..from };
        let first = self.entity_page(project, kind, from, PAGE_SIZE, Reservation::default()).await;
        match first {
            Err(failed) if failed.is_too_large => {
                Ok(self.entity_page_in_parts(project, kind, from).await?)
            }
            outcome => Ok(outcome?),
        }
    }

    async fn entity(&self, project: ForgeId, kind: EntityKind, iid: Iid) -> Result<ListedEntity> {
        // Through the list, not the single endpoint: the two differ in shape,
        // and the same entity must read the same however it was asked for.
        let query = format!("iids[]={iid}&scope=all&state=all&with_labels_details=true");
        let call = Call::array(entities_path(project, kind), query);
        let mut held = Reservation::default();
        let answer = self.get(&call, &mut held).await?;
        let Some(item) = answer.items().next() else {
            let name = format!("{} {}{iid}", kind.noun(), kind.sigil());
            return Err(Failure::new(FailureKind::Gone, format!("there is no {name}")));
        };
        convert::listed(item, kind).map_err(|why| {
            Failure::new(FailureKind::Unreadable, format!("{}: {why}", call.words()))
        })
    }

    async fn dependents(
        &self,
        project: ForgeId,
        kind: EntityKind,
        iid: Iid,
        what: DependentKind,
    ) -> Result<ForgeAnswer<DependentSet>> {
        if !what.applies_to(kind) {
            return Ok(ForgeAnswer {
                value: empty(what),
                raw: b"[]".to_vec(),
                server_time: None,
                reservation: Reservation::default(),
            });
        }
        let entity = entity_path(project, kind, iid);
        let at = |name: &str| format!("{entity}/{name}");
        Ok(match what {
            DependentKind::Discussions => {
                let set = self
                    .set(&at("discussions"), &convert::discussion, |thread| thread.forge_id.clone())
                    .await?;
                fetched_set(set, DependentSet::Discussions)
            }
            DependentKind::StateEvents => {
                let set = self
                    .set(&at("resource_state_events"), &convert::state_event, |event| {
                        event.forge_id.to_string()
                    })
                    .await?;
                fetched_set(set, DependentSet::StateEvents)
            }
            DependentKind::LabelEvents => {
                let set = self
                    .set(&at("resource_label_events"), &convert::label_event, |event| {
                        event.forge_id.to_string()
                    })
                    .await?;
                fetched_set(set, DependentSet::LabelEvents)
            }
            DependentKind::MilestoneEvents => {
                let set = self
                    .set(&at("resource_milestone_events"), &convert::milestone_event, |event| {
                        event.forge_id.to_string()
                    })
                    .await?;
                fetched_set(set, DependentSet::MilestoneEvents)
            }
            DependentKind::ClosesIssues => {
                let prefix = self.0.transport.address().prefix();
                let set = self
                    .set(
                        &at("closes_issues"),
                        &|item: &[u8]| convert::closes(item, prefix),
                        |issue| format!("{}#{}", issue.project, issue.iid),
                    )
                    .await?;
                fetched_set(set, DependentSet::ClosesIssues)
            }
            DependentKind::FileChanges => {
                fetched_set(self.file_changes(&entity).await?, DependentSet::FileChanges)
            }
            DependentKind::Commits => {
                let set =
                    self.set(&at("commits"), &convert::commit, |commit| commit.sha.clone()).await?;
                fetched_set(set, DependentSet::Commits)
            }
        })
    }
}

/// Names the server; the token and the rest stay inside.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.0.transport.address().to_string())
            .finish_non_exhaustive()
    }
}

fn entities_path(project: ForgeId, kind: EntityKind) -> String {
    match kind {
        EntityKind::Issue => format!("projects/{project}/issues"),
        EntityKind::MergeRequest => format!("projects/{project}/merge_requests"),
    }
}

pub(super) fn entity_path(project: ForgeId, kind: EntityKind, iid: Iid) -> String {
    format!("{}/{iid}", entities_path(project, kind))
}

fn fetched<T>(value: T, answer: &Answer, reservation: Reservation) -> ForgeAnswer<T> {
    ForgeAnswer {
        value,
        raw: answer.object().to_vec(),
        server_time: headers::server_time(&answer.headers),
        reservation,
    }
}

fn fetched_set<T>(set: Set<T>, wrap: fn(Vec<T>) -> DependentSet) -> ForgeAnswer<DependentSet> {
    ForgeAnswer {
        value: wrap(set.items),
        raw: set.raw,
        server_time: set.server_time,
        reservation: set.reservation,
    }
}

fn empty(what: DependentKind) -> DependentSet {
    match what {
        DependentKind::Discussions => DependentSet::Discussions(Vec::new()),
        DependentKind::StateEvents => DependentSet::StateEvents(Vec::new()),
        DependentKind::LabelEvents => DependentSet::LabelEvents(Vec::new()),
        DependentKind::MilestoneEvents => DependentSet::MilestoneEvents(Vec::new()),
        DependentKind::ClosesIssues => DependentSet::ClosesIssues(Vec::new()),
        DependentKind::FileChanges => DependentSet::FileChanges(Vec::new()),
        DependentKind::Commits => DependentSet::Commits(Vec::new()),
    }
}
