//! Shows how long work is getting on, on stderr.
//!
//! On a terminal one line is redrawn in place, and only once the work has
//! taken a quarter of a second: short work leaves no trace. Elsewhere each
//! phase is one line when it ends, and waits and notes are lines of their own.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use model::Progress;
use model::text::{grouped, one_line};
use model::time::human_duration;
use std::fmt;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Nothing is drawn before this much time has passed.
const PATIENCE: Duration = Duration::from_millis(250);
const TICK: Duration = Duration::from_millis(100);

/// Draws one live line.
pub struct LiveProgress {
    bar: ProgressBar,
    phase: Arc<Mutex<Option<Phase>>>,
    /// Explains lines above the bar, unless the user asked for silence.
    notes: bool,
}

/// What the current phase has done so far.
#[derive(Debug, Clone)]
struct Phase {
    name: String,
    done: u64,
    total: Option<u64>,
    began: Instant,
    waiting: Option<(String, Instant)>,
}

impl LiveProgress {
    pub fn new(notes: bool) -> Self {
        LiveProgress::on(ProgressDrawTarget::stderr_with_hz(10), notes)
    }

    fn on(target: ProgressDrawTarget, notes: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, target);
        let phase: Arc<Mutex<Option<Phase>>> = Arc::default();
        let shown = Arc::clone(&phase);
        let line = move |_: &ProgressState, out: &mut dyn fmt::Write| {
            if let Some(phase) = lock(&shown).as_ref() {
                // Failing to draw must not disturb the work.
                let _ = out.write_str(&phase.line(Instant::now()));
            }
        };
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", line));
        }
        LiveProgress { bar, phase, notes }
    }
}

/// The data behind is a plain line of text: a panic elsewhere cannot break it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Phase {
    fn new(name: &str, total: Option<u64>, began: Instant) -> Self {
        Phase { name: one_line(name, 60), done: 0, total, began, waiting: None }
    }

    /// `issues  1,204/3,000  85/s  21.1s left`, or why nothing moves.
    fn line(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.began);
        if elapsed < PATIENCE {
            return String::new();
        }
        let mut parts = vec![self.name.clone()];
        match self.total {
            Some(total) => parts.push(format!("{}/{}", grouped(self.done), grouped(total))),
            None if self.done > 0 => parts.push(grouped(self.done)),
            None => {}
        }
        if let Some((reason, until)) = &self.waiting
            && let left = until.saturating_duration_since(now)
            && !left.is_zero()
        {
            parts.push(format!("waiting {}s: {reason}", left.as_secs_f64().ceil()));
            return parts.join("  ");
        }
        let rate = self.done as f64 / elapsed.as_secs_f64();
        if self.done > 0 {
            parts.push(if rate >= 10.0 { format!("{rate:.0}/s") } else { format!("{rate:.1}/s") });
        }
        if let Some(left) = self.total.map(|total| total.saturating_sub(self.done))
            && left > 0
            && rate > 0.0
        {
            let eta = Duration::from_secs_f64((left as f64 / rate).min(360_000.0).ceil());
            parts.push(format!("{} left", human_duration(eta)));
        }
        parts.join("  ")
    }
}

impl Progress for LiveProgress {
    fn phase(&self, name: &str, total: Option<u64>) {
        *lock(&self.phase) = Some(Phase::new(name, total, Instant::now()));
        // Wakes the bar that the phase before put to rest.
        self.bar.reset();
        self.bar.enable_steady_tick(TICK);
    }

    fn advance(&self, n: u64) {
        if let Some(phase) = lock(&self.phase).as_mut() {
            phase.done += n;
            phase.waiting = None;
        }
    }

    fn grow(&self, n: u64) {
        if let Some(phase) = lock(&self.phase).as_mut() {
            phase.total = Some(phase.total.unwrap_or(phase.done) + n);
        }
    }

    fn waiting(&self, reason: &str, wait: Duration) {
        let mut shown = lock(&self.phase);
        let now = Instant::now();
        let phase = shown.get_or_insert_with(|| Phase::new("working", None, now));
        phase.waiting = Some((one_line(reason, 60), now + wait));
    }

    fn note(&self, message: &str) {
        if self.notes {
            self.bar.suspend(|| plain_line(message));
        }
    }

    fn finish(&self) {
        *lock(&self.phase) = None;
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
    }
}

impl Drop for LiveProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Lines for a log file or a pipe.
#[derive(Default)]
pub struct PlainProgress {
    phase: Mutex<Option<(String, u64)>>,
}

impl Progress for PlainProgress {
    fn phase(&self, name: &str, _total: Option<u64>) {
        *lock(&self.phase) = Some((name.to_owned(), 0));
    }

    fn advance(&self, n: u64) {
        if let Some((_, done)) = lock(&self.phase).as_mut() {
            *done += n;
        }
    }

    fn grow(&self, _n: u64) {}

    fn waiting(&self, reason: &str, wait: Duration) {
        plain_line(&format!("waiting {}s: {reason}", wait.as_secs_f64().ceil()));
    }

    fn note(&self, message: &str) {
        plain_line(message);
    }

    fn finish(&self) {
        if let Some((name, done)) = lock(&self.phase).take()
            && done > 0
        {
            plain_line(&format!("{name}: {}", grouped(done)));
        }
    }
}

fn plain_line(message: &str) {
    // Nobody is left to tell when stderr is gone.
    let _ = writeln!(std::io::stderr().lock(), "{}", one_line(message, 2000));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(millis: u64, change: impl Fn(&mut Phase)) -> String {
        let began = Instant::now();
        let mut phase = Phase::new("issues", None, began);
        change(&mut phase);
        phase.line(began + Duration::from_millis(millis))
    }

    #[test]
    fn short_work_leaves_no_trace() {
        assert_eq!(after(249, |phase| phase.done = 5), "");
        assert_eq!(after(250, |phase| phase.done = 5), "issues  5  20/s");
    }

    #[test]
    fn a_known_total_gives_rate_and_time_left() {
        let line = after(10_000, |phase| {
            phase.done = 1204;
            phase.total = Some(3612);
        });
        assert_eq!(line, "issues  1,204/3,612  120/s  20.0s left");
    }

    #[test]
    fn a_wait_counts_down_and_then_goes_away() {
        let wait = |phase: &mut Phase| {
            phase.done = 3;
            phase.waiting = Some(("rate limit".into(), phase.began + Duration::from_secs(12)));
        };
        assert_eq!(after(1_500, wait), "issues  3  waiting 11s: rate limit");
        assert_eq!(after(12_000, wait), "issues  3  0.2/s");
    }

    #[test]
    fn the_bar_follows_the_work_without_a_terminal() {
        let progress = LiveProgress::on(ProgressDrawTarget::hidden(), false);
        progress.advance(1);
        progress.phase("notes", Some(2));
        progress.advance(2);
        progress.grow(3);
        let total = lock(&progress.phase).as_ref().map(|phase| (phase.done, phase.total));
        assert_eq!(total, Some((2, Some(5))));
        progress.finish();
        assert!(lock(&progress.phase).is_none());
    }
}
