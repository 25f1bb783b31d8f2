//! A child process with bounds: how long it may take, and how much memory.
//!
//! A repository can make git wait forever (a pipe where a settings file is
//! expected) or grow without end. Every child is therefore watched by a thread
//! that kills it when its time is over.

use std::io::{Read, Result};
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a child may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    /// From its start to its end.
    Total(Duration),
    /// Between two pieces of output that somebody waits for. A reader that
    /// takes its time costs the child nothing. May last twice as long.
    Idle(Duration),
}

impl TimeLimit {
    pub fn seconds(self) -> u64 {
        match self {
            TimeLimit::Total(time) | TimeLimit::Idle(time) => time.as_secs(),
        }
    }
}

/// Memory a child may allocate, where the system can say so. Packs that are
/// mapped into memory do not count, so large repositories stay readable.
const MAX_MEMORY: u64 = 2 << 30;

/// A running child. Dropping it ends the child.
pub(crate) struct Process {
    child: Arc<Mutex<Child>>,
    watch: Arc<Watch>,
    watchdog: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_done: bool,
    is_expired: bool,
    /// Somebody waits for output.
    is_waiting: bool,
    /// How often somebody began to wait.
    n_waits: u64,
}

impl Process {
    pub fn spawn(command: &mut Command, limit: TimeLimit) -> Result<Self> {
        let child = command.spawn()?;
        bound_memory(&child);
        let child = Arc::new(Mutex::new(child));
        let watch = Arc::new(Watch::default());
        let watchdog = {
            let (child, watch) = (Arc::clone(&child), Arc::clone(&watch));
            std::thread::spawn(move || {
                if watch.expires(limit) {
                    drop(locked(&child).kill());
                }
            })
        };
        Ok(Process { child, watch, watchdog: Some(watchdog) })
    }

    pub fn child(&self) -> MutexGuard<'_, Child> {
        locked(&self.child)
    }

    /// The child's output, under watch.
    pub fn stdout(&self) -> Option<Output> {
        let stdout = self.child().stdout.take()?;
        Some(Output { stdout, watch: Arc::clone(&self.watch) })
    }

    /// Whether the child was ended because its time was over.
    pub fn is_expired(&self) -> bool {
        locked(&self.watch.state).is_expired
    }

    pub fn kill(&self) {
        drop(self.child().kill());
    }

    /// The end of the child. To be called when its output has ended.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let status = self.child().wait();
        self.end_watch();
        status
    }

    fn end_watch(&mut self) {
        locked(&self.watch.state).is_done = true;
        self.watch.changed.notify_all();
        if let Some(watchdog) = self.watchdog.take() {
            drop(watchdog.join());
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.watchdog.is_some() {
            self.kill();
            drop(self.wait());
        }
    }
}

impl Watch {
    /// Waits until the child is done (false) or its time is over (true).
    fn expires(&self, limit: TimeLimit) -> bool {
        let mut state = locked(&self.state);
        loop {
            let before = (state.is_waiting, state.n_waits);
            let time = match limit {
                TimeLimit::Total(time) | TimeLimit::Idle(time) => time,
            };
            let waited = self.changed.wait_timeout_while(state, time, |state| !state.is_done);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.is_done {
                return false;
            }
            let is_idle = before == (true, state.n_waits) && state.is_waiting;
            if is_idle || matches!(limit, TimeLimit::Total(_)) {
                state.is_expired = true;
                return true;
            }
        }
    }
}

/// What a child writes.
pub(crate) struct Output {
    stdout: ChildStdout,
    watch: Arc<Watch>,
}

impl Read for Output {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        {
            let mut state = locked(&self.watch.state);
            state.is_waiting = true;
            state.n_waits += 1;
        }
        let n_read = self.stdout.read(buffer);
        locked(&self.watch.state).is_waiting = false;
        n_read
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
fn bound_memory(child: &Child) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let limit = Rlimit { current: Some(MAX_MEMORY), maximum: Some(MAX_MEMORY) };
    // Without it git still runs, only less safely.
    let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
}

#[cfg(not(target_os = "linux"))]
fn bound_memory(_: &Child) {
    let _ = MAX_MEMORY;
}
