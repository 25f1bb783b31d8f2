//! When the daemon does what: intervals, backoff after failures, and what a clock
//! that jumps means.
//!
//! Holds no clock and starts nothing: it is told the time and says what is due, so
//! that a day is simulated in milliseconds.

use model::backoff::Backoff;
use model::{Timestamp, vocabulary};
use std::time::Duration;

vocabulary! {
    /// Work that comes back. To add one, add a word here, its interval to
    /// `Intervals`, and what it runs to `serve::daemon::cycle`.
    pub enum Task {
        /// Fetch from the forge.
        Sync = "sync",
        /// Look at the refs of every clone, whatever was or was not told.
        Poll = "poll",
        /// Search documents of what changed.
        Documents = "documents",
        /// Embeddings, a slice at a time.
        Embed = "embed",
        /// Standing queries that are due by the clock.
        Watches = "watches",
        /// Notifications, digests and what quiet hours held back.
        Notify = "notify",
        /// Language servers, a slice at a time.
        Enrich = "enrich",
        /// Edges of production that were not seen for long.
        Decay = "decay",
        /// Old snapshots.
        SnapshotGc = "snapshot_gc",
        /// Planner statistics, free pages, an integrity sample.
        Maintenance = "maintenance",
    }
}

/// After a failure: half a minute, doubling, an hour at most. Never sooner than
/// the task's own interval would have it.
const AFTER_FAILURE: Backoff =
    Backoff { base: Duration::from_secs(30), cap: Duration::from_hours(1) };

/// Every task's interval; zero switches one off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intervals(Vec<(Task, Duration)>);

impl Intervals {
    pub fn new(every: impl IntoIterator<Item = (Task, Duration)>) -> Self {
        Intervals(every.into_iter().collect())
    }

    fn of(&self, task: Task) -> Duration {
        self.0.iter().find(|(of, _)| *of == task).map_or(Duration::ZERO, |(_, every)| *every)
    }
}

/// How a task went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskOutcome {
    Done,
    /// There is more of the same: go on soon.
    Unfinished,
    /// Somebody more important needed the turn.
    Preempted,
    Failed,
}

/// Tasks that nobody misses for a while. When they last ran is kept over restarts: they
/// would never run on a machine that is switched off every evening otherwise.
pub const SELDOM: [Task; 3] = [Task::Decay, Task::SnapshotGc, Task::Maintenance];
/// What was due while nobody was running waits for what people miss.
const AFTER_START: Duration = Duration::from_secs(60);

/// How soon unfinished work goes on.
const SOON: Duration = Duration::from_secs(2);

#[derive(Debug, Clone)]
struct State {
    task: Task,
    every: Duration,
    due: Timestamp,
    failures: u32,
    is_running: bool,
}

/// When each task is due.
#[derive(Debug, Clone)]
pub struct Schedule {
    tasks: Vec<State>,
}

impl Schedule {
    /// Everything is due at once: what happened while nobody was running is found
    /// first. What nobody misses for a while waits for its interval since it last ran, or
    /// since the first start.
    pub fn new(
        intervals: &Intervals,
        now: Timestamp,
        last_run: impl Fn(Task) -> Option<Timestamp>,
    ) -> Self {
        let state = |task: Task| {
            let every = intervals.of(task);
            let due = match last_run(task).filter(|_| SELDOM.contains(&task)) {
                // A clock that was wrong then must not put it off for longer.
                Some(at) => at.plus(every).max(now.plus(AFTER_START)).min(now.plus(every)),
                None if task == Task::Enrich || SELDOM.contains(&task) => now.plus(every),
                None => now,
            };
            State { task, every, due, failures: 0, is_running: false }
        };
        Schedule { tasks: Task::ALL.iter().copied().map(state).collect() }
    }

    /// New intervals; what runs goes on, what waits waits no longer than they say.
    pub fn reload(&mut self, intervals: &Intervals, now: Timestamp) {
        for state in &mut self.tasks {
            state.every = intervals.of(state.task);
            state.due = state.due.min(now.plus(state.every));
        }
    }

    /// Tasks to start now; they count as running until [`Schedule::finished`].
    pub fn due(&mut self, now: Timestamp) -> Vec<Task> {
        self.follow_clock(now);
        let mut due = Vec::new();
        for state in &mut self.tasks {
            if !state.every.is_zero() && !state.is_running && state.due <= now {
                state.is_running = true;
                due.push(state.task);
            }
        }
        due
    }

    /// Somebody asks for a task out of turn.
    pub fn hasten(&mut self, task: Task, now: Timestamp) {
        if let Some(state) = self.state(task) {
            state.due = state.due.min(now);
        }
    }

    /// The same where nobody asked: a task that fails keeps its rest.
    pub fn hasten_unless_failing(&mut self, task: Task, now: Timestamp) {
        if self.state(task).is_some_and(|state| state.failures == 0) {
            self.hasten(task, now);
        }
    }

    /// Puts a task off that must not run just now.
    pub fn defer(&mut self, task: Task, now: Timestamp, wait: Duration) {
        if let Some(state) = self.state(task) {
            state.is_running = false;
            state.due = now.plus(wait);
        }
    }

    pub fn finished(&mut self, task: Task, outcome: TaskOutcome, now: Timestamp) {
        let Some(state) = self.state(task) else { return };
        state.is_running = false;
        state.failures = match outcome {
            TaskOutcome::Failed => state.failures.saturating_add(1),
            TaskOutcome::Preempted => state.failures,
            TaskOutcome::Done | TaskOutcome::Unfinished => 0,
        };
        let wait = match outcome {
            TaskOutcome::Done => state.every,
            TaskOutcome::Unfinished | TaskOutcome::Preempted => SOON.min(state.every),
            TaskOutcome::Failed => {
                let seed = state.task as u64;
                state.every.max(AFTER_FAILURE.delay(state.failures, seed))
            }
        };
        state.due = now.plus(wait);
    }

    /// How long until something is due; never less than asked for by nobody.
    pub fn next_wait(&self, now: Timestamp) -> Option<Duration> {
        let waiting = self.tasks.iter().filter(|it| !it.is_running && !it.every.is_zero());
        waiting.map(|state| state.due.since(now)).min()
    }

    /// When each task is due next, for those who ask how it stands.
    pub fn outlook(&self) -> impl Iterator<Item = (Task, Option<Timestamp>, u32)> + '_ {
        self.tasks.iter().map(|state| {
            let is_on = !state.every.is_zero();
            (state.task, is_on.then_some(state.due), state.failures)
        })
    }

    /// A clock that was set back must not put anything off for longer than the
    /// longest wait there can be; one that ran ahead (a laptop that slept) makes a
    /// task due once, not once for each interval missed.
    fn follow_clock(&mut self, now: Timestamp) {
        for state in &mut self.tasks {
            let longest = state.every.max(if state.failures > 0 {
                AFTER_FAILURE.cap.mul_f64(1.1)
            } else {
                state.every
            });
            state.due = state.due.min(now.plus(longest));
        }
    }

    fn state(&mut self, task: Task) -> Option<&mut State> {
        self.tasks.iter_mut().find(|state| state.task == task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const HOUR: u64 = 3600;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::EPOCH.plus(Duration::from_secs(1_700_000_000 + seconds))
    }

    fn schedule(now: Timestamp) -> Schedule {
        let every = |seconds| Duration::from_secs(seconds);
        let intervals = Intervals::new([
            (Task::Sync, every(600)),
            (Task::Poll, every(60)),
            (Task::Embed, every(60)),
            (Task::Maintenance, every(6 * HOUR)),
        ]);
        Schedule::new(&intervals, now, |_| None)
    }

    /// Lives from second to second and counts what ran.
    fn live(
        schedule: &mut Schedule,
        seconds: impl IntoIterator<Item = u64>,
        outcome: impl Fn(Task, u64) -> TaskOutcome,
    ) -> BTreeMap<&'static str, u32> {
        let mut counts = BTreeMap::new();
        for second in seconds {
            for task in schedule.due(at(second)) {
                *counts.entry(task.as_str()).or_default() += 1;
                schedule.finished(task, outcome(task, second), at(second));
            }
        }
        counts
    }

    #[test]
    fn a_day_runs_everything_as_often_as_its_interval_says() {
        let mut schedule = schedule(at(0));
        let counts = live(&mut schedule, 0..24 * HOUR, |_, _| TaskOutcome::Done);
        let expected = [("embed", 1440), ("maintenance", 3), ("poll", 1440), ("sync", 144)];
        assert_eq!(counts, BTreeMap::from(expected));
    }

    #[test]
    fn a_forge_that_is_down_for_hours_is_asked_less_and_less_and_then_as_before() {
        let mut schedule = schedule(at(0));
        let down = |task, second| match task {
            Task::Sync if second < 8 * HOUR => TaskOutcome::Failed,
            _ => TaskOutcome::Done,
        };
        let counts = live(&mut schedule, 0..8 * HOUR, down);
        assert!((8..=20).contains(&counts["sync"]), "{counts:?}");
        assert_eq!(counts["poll"], 480, "the rest goes on");
        // At most a capped wait later it is asked again, then every ten minutes.
        let after = live(&mut schedule, 8 * HOUR..12 * HOUR, down);
        assert!((17..=25).contains(&after["sync"]), "{after:?}");
    }

    #[test]
    fn a_laptop_that_slept_does_each_thing_once() {
        let mut schedule = schedule(at(0));
        live(&mut schedule, 0..10, |_, _| TaskOutcome::Done);
        let counts = live(&mut schedule, 9 * HOUR..9 * HOUR + 10, |_, _| TaskOutcome::Done);
        let expected = [("embed", 1), ("maintenance", 1), ("poll", 1), ("sync", 1)];
        assert_eq!(counts, BTreeMap::from(expected));
    }

    #[test]
    fn a_clock_that_is_set_back_a_year_stops_nothing() {
        let mut schedule = schedule(at(365 * 24 * HOUR));
        live(&mut schedule, 365 * 24 * HOUR..365 * 24 * HOUR + 10, |_, _| TaskOutcome::Done);
        let counts = live(&mut schedule, 0..HOUR, |_, _| TaskOutcome::Done);
        assert!(counts["sync"] >= 5 && counts["poll"] >= 59, "{counts:?}");
    }

    #[test]
    fn unfinished_work_goes_on_soon_and_running_work_is_not_started_twice() {
        let mut schedule = schedule(at(0));
        assert_eq!(schedule.due(at(0)).len(), 3);
        assert!(schedule.due(at(100)).is_empty(), "all of them run");
        schedule.finished(Task::Embed, TaskOutcome::Unfinished, at(100));
        assert_eq!(schedule.next_wait(at(100)), Some(SOON));
        assert_eq!(schedule.due(at(102)), [Task::Embed]);
        schedule.hasten(Task::Sync, at(103));
        assert!(schedule.due(at(103)).is_empty(), "it runs still");
        schedule.finished(Task::Sync, TaskOutcome::Done, at(104));
        schedule.hasten(Task::Sync, at(105));
        assert_eq!(schedule.due(at(105)), [Task::Sync]);
    }

    #[test]
    fn what_is_done_seldom_goes_on_from_when_it_last_ran() {
        let every = [(Task::Maintenance, Duration::from_secs(6 * HOUR))];
        let due_after = |last_run: Option<u64>| {
            let now = at(100 * HOUR);
            let schedule = Schedule::new(&Intervals::new(every), now, |_| last_run.map(at));
            schedule.next_wait(now).unwrap().as_secs()
        };
        assert_eq!(due_after(None), 6 * HOUR);
        assert_eq!(due_after(Some(98 * HOUR)), 4 * HOUR);
        assert_eq!(due_after(Some(10 * HOUR)), 60, "soon, but not before what people miss");
        assert_eq!(due_after(Some(500 * HOUR)), 6 * HOUR, "of a clock that ran ahead");
    }

    #[test]
    fn events_leave_a_task_that_fails_its_rest() {
        let mut schedule = schedule(at(0));
        schedule.due(at(0));
        schedule.finished(Task::Sync, TaskOutcome::Failed, at(0));
        schedule.finished(Task::Embed, TaskOutcome::Done, at(0));
        for task in [Task::Sync, Task::Embed] {
            schedule.hasten_unless_failing(task, at(1));
        }
        assert_eq!(schedule.due(at(1)), [Task::Embed]);
    }

    #[test]
    fn an_interval_of_zero_switches_a_task_off() {
        let mut schedule = Schedule::new(&Intervals::new([]), at(0), |_| None);
        assert!(schedule.due(at(1_000_000)).is_empty());
        assert_eq!(schedule.next_wait(at(0)), None);
    }
}
