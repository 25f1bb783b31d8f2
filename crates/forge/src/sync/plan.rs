//! Which dependents to fetch for an entity, and when again.

use model::record::DependentKind;
use model::{EntityKind, EntityState, Result, Timestamp};
use std::time::Duration;
use store::entities::{self, Change, EntityHead};
use store::{Tx, queue};

/// What a run is interested in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchScope {
    pub kinds: Vec<EntityKind>,
    pub dependents: Vec<DependentKind>,
}

impl FetchScope {
    pub fn everything() -> Self {
        FetchScope { kinds: EntityKind::ALL.to_vec(), dependents: DependentKind::ALL.to_vec() }
    }

    pub fn without(mut self, is_unwanted: impl Fn(DependentKind) -> bool) -> Self {
        self.dependents.retain(|dependent| !is_unwanted(*dependent));
        self
    }
}

/// For this long after a touch, further comments leave the entity's stamp
/// alone (GitLab: 60 s), with some room for clocks that disagree.
const UNSETTLED: Duration = Duration::from_secs(65);

/// A forge computes diffs in the background; later than this, empty means empty.
const DIFF_DELAY: Duration = Duration::from_secs(600);

/// The condition of a set that came back empty although something is expected:
/// it never matches, so the set is asked for again.
const NOT_YET: &str = "not yet";

/// Enqueues what the entity needs after it was listed. Part of the
/// transaction that stored it.
pub(super) fn enqueue(
    tx: &Tx<'_>,
    project: model::ids::ProjectId,
    head: &EntityHead,
    change: Change,
    wanted: &FetchScope,
    now: Timestamp,
) -> Result<u64> {
    let mut enqueued = 0;
    for what in DependentKind::ALL.into_iter().filter(|what| what.applies_to(head.row.kind)) {
        if !is_needed(tx, head, change, what)? {
            continue;
        }
        if wanted.dependents.contains(&what) {
            queue::enqueue(tx, project, head.row.kind, head.iid, what, now)?;
            enqueued += 1;
        } else {
            // What is there is out of date now: a run that wants it must fetch it again.
            entities::forget_fetch(tx, head.row, what)?;
        }
    }
    Ok(enqueued)
}

fn is_needed(tx: &Tx<'_>, head: &EntityHead, change: Change, what: DependentKind) -> Result<bool> {
    if what == DependentKind::ClosesIssues && head.state == EntityState::Closed {
        // A merge request closed without merging closes nothing.
        return Ok(false);
    }
    if change == Change::New {
        return Ok(true);
    }
    let Some(last) = entities::last_fetch(tx, head.row, what.as_str())? else { return Ok(true) };
    Ok(match what {
        DependentKind::Discussions
        | DependentKind::StateEvents
        | DependentKind::LabelEvents
        | DependentKind::MilestoneEvents => {
            change != Change::Unchanged || last.fetched_at < head.updated_at.plus(UNSETTLED)
        }
        // Fixed by the head commit.
        DependentKind::FileChanges | DependentKind::Commits => {
            last.condition != condition(head, what)
        }
        // Frozen by the merge.
        DependentKind::ClosesIssues => {
            change != Change::Unchanged && last.condition != EntityState::Merged.as_str()
        }
    })
}

/// Enqueues what earlier runs left out because it was switched off. Only what can be
/// switched off is looked for: everything else was asked for with its entity.
pub(super) fn fill_in(
    tx: &Tx<'_>,
    project: model::ids::ProjectId,
    wanted: &FetchScope,
    now: Timestamp,
) -> Result<u64> {
    let mut enqueued = 0;
    for what in wanted.dependents.iter().filter(|what| can_be_switched_off(**what)) {
        for kind in wanted.kinds.iter().filter(|kind| what.applies_to(**kind)) {
            if entities::all_have(tx, *kind, *what)? {
                continue;
            }
            for (project, iid) in entities::without(tx, Some(project), *kind, *what)? {
                queue::enqueue(tx, project, *kind, iid, *what, now)?;
                enqueued += 1;
            }
        }
    }
    Ok(enqueued)
}

/// By `--no-events` and the settings of a sync.
const fn can_be_switched_off(what: DependentKind) -> bool {
    what.is_event() || matches!(what, DependentKind::FileChanges)
}

/// What a set fetched for this entity depends on.
pub(super) fn condition(head: &EntityHead, what: DependentKind) -> String {
    match what {
        DependentKind::FileChanges | DependentKind::Commits => {
            head.head_sha.clone().unwrap_or_default()
        }
        DependentKind::ClosesIssues => head.state.as_str().to_owned(),
        _ => String::new(),
    }
}

/// As [`condition`], but a diff that is empty right after a push (the forge
/// computes it a little later) is asked for again.
pub(super) fn condition_of_result(
    head: &EntityHead,
    what: DependentKind,
    is_empty: bool,
    fetched_at: Timestamp,
) -> String {
    let is_fresh = fetched_at < head.updated_at.plus(DIFF_DELAY);
    if is_empty && is_fresh && matches!(what, DependentKind::FileChanges | DependentKind::Commits) {
        return NOT_YET.to_owned();
    }
    condition(head, what)
}
