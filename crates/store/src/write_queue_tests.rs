//! What the write queue promises to those who share it.

use super::*;
use crate::lock::{self, EXPIRY};
use crate::{dirty, references};
use model::time::FixedClock;
use model::{EntityKind, ErrorCode, Timestamp};
use std::sync::atomic::{AtomicBool, AtomicI64};
use tempfile::TempDir;

fn open(dir: &TempDir, clock: Arc<dyn Clock>) -> WriteQueue {
    WriteQueue::open(&dir.path().join("lore.db"), "me", clock, false).unwrap()
}

fn still() -> Arc<dyn Clock> {
    Arc::new(FixedClock(Timestamp::from_millis(1_000)))
}

/// Every look at it takes so long.
struct Ticking {
    now: AtomicI64,
    step: i64,
}

impl Ticking {
    fn of(step: i64) -> Arc<Ticking> {
        Arc::new(Ticking { now: AtomicI64::new(1_000), step })
    }
}

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.fetch_add(self.step, Ordering::SeqCst))
    }
}

fn mark(tx: &Tx<'_>, id: i64) -> Result<()> {
    dirty::mark_references(tx, EntityKind::Issue, id)
}

fn marked(queue: &WriteQueue) -> Vec<i64> {
    let kept = references::next_dirty(&queue.reader().unwrap(), 1_000).unwrap();
    kept.iter().map(|row| row.id).collect()
}

#[test]
fn a_job_that_fails_is_undone_alone() {
    let dir = TempDir::new().unwrap();
    let queue = open(&dir, still());
    let replies = Arc::new(Mutex::new(Vec::new()));
    for id in 1..=3 {
        let replies = Arc::clone(&replies);
        queue.submit(
            move |tx| {
                mark(tx, id)?;
                if id == 2 { Err(Error::internal("on second thought")) } else { Ok(id) }
            },
            move |outcome| replies.lock().unwrap().push(outcome.ok()),
        );
    }
    let seen = queue.write(|tx| references::next_dirty(tx, 10)).unwrap();
    assert_eq!(seen.iter().map(|row| row.id).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(*replies.lock().unwrap(), [Some(1), None, Some(3)]);
    queue.close().unwrap();
}

#[test]
fn a_long_batch_is_divided_and_nothing_of_it_is_lost() {
    let dir = TempDir::new().unwrap();
    // Longer than a batch may be, after each job.
    let queue = open(&dir, Ticking::of(LONG_BATCH.as_millis() as i64 + 1));
    let order = Arc::new(Mutex::new(Vec::new()));
    for id in 1..=20 {
        let order = Arc::clone(&order);
        queue.submit(
            move |tx| mark(tx, id),
            move |outcome| {
                outcome.unwrap();
                order.lock().unwrap().push(id);
            },
        );
    }
    queue.close().unwrap();
    assert_eq!(*order.lock().unwrap(), (1..=20).collect::<Vec<_>>());
    let path = dir.path().join("lore.db");
    assert_eq!(references::next_dirty(&Reader::open(&path).unwrap(), 99).unwrap().len(), 20);
}

#[test]
fn who_answers_somebody_goes_before_what_waits() {
    let dir = TempDir::new().unwrap();
    let queue = open(&dir, still());
    let (entered, is_in) = channel();
    let (go_on, released) = channel::<()>();
    let seen_first = std::thread::scope(|scope| {
        let queue = &queue;
        scope.spawn(move || {
            queue.write(|_| {
                entered.send(()).unwrap();
                released.recv().unwrap();
                Ok(())
            })
        });
        is_in.recv().unwrap();
        for id in 1..=3 {
            queue.request(move |tx| mark(tx, id), |outcome| outcome.unwrap());
        }
        let first = scope.spawn(|| queue.write_first(|tx| references::next_dirty(tx, 10)));
        while !queue.inbox.has_first() {
            std::thread::yield_now();
        }
        go_on.send(()).unwrap();
        first.join().unwrap().unwrap()
    });
    assert_eq!(seen_first.len(), 0, "three jobs waited longer");
    queue.write(|_| Ok(())).unwrap();
    assert_eq!(marked(&queue), [1, 2, 3]);
}

#[test]
fn the_queue_beats_the_heart_of_the_lock_by_itself() {
    let dir = TempDir::new().unwrap();
    let queue = open(&dir, Ticking::of(HEARTBEAT.as_millis() as i64));
    queue.write(|_| Ok(())).unwrap();
    let held = queue.write(|tx| lock::holder(tx)).unwrap().unwrap();
    assert!(held.heartbeat_at > held.acquired_at, "{held:?}");
}

#[test]
fn who_lost_the_lock_stores_nothing_more() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let queue = open(&dir, still());
    let mut other = Writer::open(&path).unwrap();
    let later = FixedClock(Timestamp::from_millis(2_000).plus(EXPIRY));
    let taken = AppLock::acquire(&mut other, &path, "other", &later, true).unwrap();
    let error = queue.write(|tx| mark(tx, 1)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Locked, "{error}");
    let (sender, told) = channel();
    queue.request(|tx| mark(tx, 2), move |outcome| sender.send(outcome).unwrap());
    assert_eq!(told.recv().unwrap().unwrap_err().code(), ErrorCode::Locked);
    assert_eq!(marked(&queue), Vec::<i64>::new());
    queue.close().unwrap();
    taken.release(&mut other).unwrap();
}

#[test]
fn a_panic_in_a_transaction_undoes_it_and_ends_nothing_else() {
    let dir = TempDir::new().unwrap();
    let queue = open(&dir, still());
    let work = || queue.write(|tx| mark(tx, 1).map(|()| panic!("in the middle")));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    assert!(panicked.is_err());
    queue.write(|tx| mark(tx, 2)).unwrap();
    assert_eq!(marked(&queue), [2]);
}

#[test]
fn what_comes_after_the_end_is_refused() {
    let dir = TempDir::new().unwrap();
    let queue = open(&dir, still());
    queue.close().unwrap();
    assert!(queue.write(|_| Ok(())).is_err());
    assert!(queue.write_first(|_| Ok(())).is_err());
    let (sender, told) = channel();
    queue.request(|_| Ok(()), move |outcome| sender.send(outcome).unwrap());
    assert!(told.recv().unwrap().is_err());
}

#[test]
fn another_process_gets_its_turn_between_long_transactions() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("lore.db");
    let queue = open(&dir, Ticking::of(LONG_TRANSACTION.as_millis() as i64));
    let is_over = AtomicBool::new(false);
    let n_turns = std::thread::scope(|scope| {
        // One transaction after the other, as an index makes them, and each long
        // enough that who waits must find the gap behind it.
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                queue.write(|tx| (1..=3_000).try_for_each(|id| mark(tx, id))).unwrap();
            }
        });
        let turn = |id: i64| {
            let mut other = Writer::open_interactive(&path)?;
            other.write(|tx| mark(tx, id))
        };
        let turns: Vec<_> = (100_001..=100_005).map(turn).collect();
        is_over.store(true, Ordering::SeqCst);
        turns.into_iter().flatten().count()
    });
    assert_eq!(n_turns, 5);
}
