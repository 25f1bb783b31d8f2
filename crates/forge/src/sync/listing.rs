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
use model::record::Listed;
use model::{EntityKind, Timestamp};
use std::collections::BTreeSet;
use store::cursors::{self, Cursor};
use store::entities::{self, Change, EntityHead};
use store::payloads::Payload;

/// Empty pages in a row that still promise more: past this, the server is broken.
const MAX_EMPTY_PAGES: u32 = 100;
/// How often a block of equal stamps is read again while new rows keep showing.
const MAX_BLOCK_PASSES: u32 = 5;

/// What became of one page.
struct Stored {
    ids: Vec<ForgeId>,
    newest: Option<Timestamp>,
    has_more: bool,
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
        let mut page = 1;
        let mut empty_pages = 0;
        let mut block = BTreeSet::new();
        while !self.cancel.is_cancelled() {
            let stored = self.page(target, kind, run, since, page).await?;
            if stored.ids.is_empty() {
                empty_pages += 1;
            } else {
                empty_pages = 0;
                block.extend(stored.ids);
            }
            if empty_pages > MAX_EMPTY_PAGES {
                return Err(endless(kind));
            }
            let moved_on = stored.newest.is_some_and(|newest| since.is_none_or(|s| newest > s));
            if page > 1 && (moved_on || !stored.has_more) {
                self.reread_block(target, kind, run, since, page, &mut block).await?;
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
        target: &Target,
        kind: EntityKind,
        run: SyncRunId,
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
                seen.extend(self.page(target, kind, run, since, page).await?.ids);
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
        target: &Target,
        kind: EntityKind,
        run: SyncRunId,
        since: Option<Timestamp>,
        page: u32,
    ) -> StepResult<Stored> {
        let from = ListFrom { updated_after: since, page };
        let answer = self.ask(self.forge.entities(target.forge_id, kind, from)).await?;
        for problem in &answer.unreadable {
            self.books.unreadable(&target.path, problem);
            self.progress.note(&format!("{}: skipped {problem}", target.path));
        }
        let newest = newest(&answer.items);
        let ids = answer.items.iter().map(|listed| listed.entity.core().forge_id).collect();
        let has_more = answer.has_more;
        let n_items = answer.items.len() as u64;
        self.store_page(target, kind, run, answer).await?;
        self.progress.advance(n_items);
        Ok(Stored { ids, newest: newest.map(|cursor| cursor.updated_at), has_more })
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
        let prepared = page
            .items
            .into_iter()
            .map(|listed| Ok((Payload::of(&listed.raw)?, listed)))
            .collect::<model::Result<Vec<(Payload, Listed)>>>()?;
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
fn newest(items: &[Listed]) -> Option<Cursor> {
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

fn endless(kind: EntityKind) -> StepFailure {
    Failure::new(
        FailureKind::Unreadable,
        format!("the list of {} never ends: empty pages keep promising more", kind.plural()),
    )
    .suggest("run `lore sync` again; if it stays, the server's paging is broken")
    .into()
}
