//! Walking a project's entities in order of change.
//!
//! A keyset walk by hand: after each page the listing is asked for again from
//! the last stamp seen, so rows that move to the end while we read can not
//! push others past us. Only inside a block of equal stamps longer than a page
//! do we count pages, and such a block is read again until nothing new shows.

use super::project::Target;
use super::{Engine, StepFailure, StepResult, plan};
use crate::api::{EntityPage, Failure, FailureKind, Forge, ListFrom};
use model::ids::{ForgeId, SyncRunId};
use model::record::ListedEntity;
use model::{EntityKind, Timestamp};
use std::collections::BTreeSet;
use store::cursors::{self, Cursor};
use store::entities::{self, Change, EntityHead};
use store::payloads::Payload;

/// Pages in a row that bring nothing new and still promise more: past this, the
/// server is broken.
const MAX_STALE_PAGES: u32 = 100;
/// How often a block of equal stamps is read again while new rows keep showing.
const MAX_BLOCK_PASSES: u32 = 5;

/// How much of a list one run reads: a list that never ends must not fill the
/// disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListingLimit {
    pub max_pages: u32,
    pub max_bytes: u64,
}

impl Default for ListingLimit {
    /// Two million entities; the largest projects known have half of that.
    fn default() -> Self {
        ListingLimit { max_pages: 20_000, max_bytes: 16 * 1024 * 1024 * 1024 }
    }
}

/// What became of one page.
struct StoredPage {
    ids: Vec<ForgeId>,
    newest: Option<Timestamp>,
    has_more: bool,
}

/// A walk in progress.
struct Walk<'a> {
    target: &'a Target,
    kind: EntityKind,
    run: SyncRunId,
    n_pages: u32,
    n_bytes: u64,
}

impl<F: Forge> Engine<F> {
    pub(super) async fn list(
        &self,
        target: &Target,
        kind: EntityKind,
        run: SyncRunId,
    ) -> StepResult<()> {
        match self.walk(target, kind, run).await {
            Err(failure) if failure.kind == Some(FailureKind::Forbidden) => {
                // The feature is switched off in that project.
                self.progress.note(&format!(
                    "{}: {} are not available there",
                    target.path,
                    kind.plural()
                ));
                Ok(())
            }
            Err(failure) => Err(failure),
            Ok(()) if self.options.full && !self.options.dry_run && !self.cancel.is_cancelled() => {
                self.sweep(target, kind, run).await
            }
            Ok(()) => Ok(()),
        }
    }

    async fn walk(&self, target: &Target, kind: EntityKind, run: SyncRunId) -> StepResult<()> {
        let project = target.scope.project;
        let cursor = self.db.write(move |tx| cursors::get(tx, project, kind)).await?;
        let start = if self.options.full { None } else { cursor };
        let mut since = start.map(|cursor| cursor.updated_at.minus(self.options.overlap));
        let mut walk = Walk { target, kind, run, n_pages: 0, n_bytes: 0 };
        let mut page = 1;
        let mut stale_pages = 0;
        let mut block = BTreeSet::new();
        while !self.cancel.is_cancelled() {
            let stored = self.page(&mut walk, since, page).await?;
            let n_before = block.len();
            block.extend(stored.ids);
            stale_pages = if block.len() == n_before { stale_pages + 1 } else { 0 };
            if stale_pages > MAX_STALE_PAGES {
                return Err(endless(&walk));
            }
            let moved_on = stored.newest.is_some_and(|newest| since.is_none_or(|s| newest > s));
            if page > 1 && (moved_on || !stored.has_more) {
                self.reread_block(&mut walk, since, page, &mut block).await?;
            }
            if !stored.has_more {
                break;
            }
            if moved_on {
                since = stored.newest;
                page = 1;
                block.clear();
            } else {
                page += 1;
            }
        }
        Ok(())
    }

    /// Pages counted inside a block shift when one of its rows is touched
    /// meanwhile; a pass that shows nothing new proves that none was missed.
    async fn reread_block(
        &self,
        walk: &mut Walk<'_>,
        since: Option<Timestamp>,
        pages: u32,
        seen: &mut BTreeSet<ForgeId>,
    ) -> StepResult<()> {
        for _ in 0..MAX_BLOCK_PASSES {
            let before = seen.len();
            for page in 1..=pages {
                if self.cancel.is_cancelled() {
                    return Ok(());
                }
                seen.extend(self.page(walk, since, page).await?.ids);
            }
            if seen.len() == before {
                break;
            }
        }
        Ok(())
    }

    /// Fetches one page and stores it: rows, queue, cursor, in one transaction.
    async fn page(
        &self,
        walk: &mut Walk<'_>,
        since: Option<Timestamp>,
        page: u32,
    ) -> StepResult<StoredPage> {
        let limit = self.options.listing;
        if walk.n_pages >= limit.max_pages || walk.n_bytes >= limit.max_bytes {
            return Err(too_long(walk));
        }
        let (target, kind) = (walk.target, walk.kind);
        let from = ListFrom { updated_after: since, page };
        let answer = self.ask(self.forge.entities(target.forge_id, kind, from)).await?;
        walk.n_pages += 1;
        walk.n_bytes += answer.items.iter().map(|listed| listed.raw.len() as u64).sum::<u64>();
        for problem in &answer.unreadable {
            self.books.unreadable(&target.path, problem);
            self.progress.note(&format!("{}: skipped {problem}", target.path));
        }
        let newest = newest(&answer.items);
        let ids = answer.items.iter().map(|listed| listed.entity.core().forge_id).collect();
        let has_more = answer.has_more;
        let n_items = answer.items.len() as u64;
        self.store_page(target, kind, walk.run, answer).await?;
        self.progress.advance(n_items);
        Ok(StoredPage { ids, newest: newest.map(|cursor| cursor.updated_at), has_more })
    }

    async fn store_page(
        &self,
        target: &Target,
        kind: EntityKind,
        run: SyncRunId,
        page: EntityPage,
    ) -> StepResult<()> {
        let now = self.clock.now();
        let server_now = page.server_time.unwrap_or(now);
        let newest = newest(&page.items);
        // Held until everything is stored.
        let _reservation = page.reservation;
        let prepared = page
            .items
            .into_iter()
            .map(|listed| Ok((Payload::of(&listed.raw)?, listed)))
            .collect::<model::Result<Vec<(Payload, ListedEntity)>>>()?;
        let scope = target.scope.clone();
        let wanted = self.options.wanted.clone();
        let (full, dry_run) = (self.options.full, self.options.dry_run);
        let counted = self
            .db
            .write(move |tx| {
                let mut counted = super::report::EntityCounts::default();
                for (payload, listed) in &prepared {
                    if dry_run {
                        counted.count(entities::compare(tx, &scope, &listed.entity, payload)?);
                        continue;
                    }
                    let (row, change) = entities::upsert(tx, &scope, &listed.entity, payload, now)?;
                    counted.count(change);
                    if full {
                        entities::mark_seen(tx, row, run)?;
                    }
                    let head = EntityHead::of(row, &listed.entity);
                    let change =
                        if full && change != Change::New { Change::Updated } else { change };
                    plan::enqueue(tx, scope.project, &head, change, &wanted, now)?;
                }
                if let Some(newest) = newest.filter(|_| !dry_run) {
                    advance(tx, scope.project, kind, newest, server_now)?;
                }
                Ok(counted)
            })
            .await?;
        self.books.entities(&target.path, kind, counted);
        Ok(())
    }
}

/// The last item in the walk's order.
fn newest(items: &[ListedEntity]) -> Option<Cursor> {
    items
        .iter()
        .map(|listed| listed.entity.core())
        .map(|core| Cursor { updated_at: core.updated_at, forge_id: core.forge_id })
        .max()
}

/// Forward only, and never past the server's own clock: a row stamped in the
/// future must not hide what changes until then.
fn advance(
    tx: &store::Tx<'_>,
    project: model::ids::ProjectId,
    kind: EntityKind,
    newest: Cursor,
    server_now: Timestamp,
) -> model::Result<()> {
    let reached = Cursor { updated_at: newest.updated_at.min(server_now), ..newest };
    let before = cursors::get(tx, project, kind)?;
    if before.is_none_or(|before| reached > before) {
        cursors::set(tx, project, kind, reached)?;
    }
    Ok(())
}

fn endless(walk: &Walk<'_>) -> StepFailure {
    let (kind, path) = (walk.kind.plural(), &walk.target.path);
    Failure::new(
        FailureKind::Unreadable,
        format!("the list of {kind} of {path} has no end: pages with nothing new promise more"),
    )
    .suggest("run `lore sync` again; if it stays, the server's paging is broken")
    .into()
}

fn too_long(walk: &Walk<'_>) -> StepFailure {
    let (kind, path, n_pages) = (walk.kind.plural(), &walk.target.path, walk.n_pages);
    Failure::new(
        FailureKind::Unreadable,
        format!("the list of {kind} of {path} did not end within {n_pages} pages"),
    )
    .suggest("what came is kept; run `lore sync` again to go on from there")
    .into()
}
