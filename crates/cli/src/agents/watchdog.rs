//! The hard stop of a hook: an agent waits for it, so it ends in time, with or
//! without something to say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Ends the process silently and well when the time is over, unless the answer is on
/// its way by then.
pub struct Watchdog {
    is_decided: Arc<AtomicBool>,
    _alive: Sender<()>,
}

impl Watchdog {
    pub fn start(rest: Duration) -> Self {
        let is_decided = Arc::new(AtomicBool::new(false));
        let (alive, over) = channel::<()>();
        let decided = Arc::clone(&is_decided);
        std::thread::spawn(move || {
            if over.recv_timeout(rest) == Err(RecvTimeoutError::Timeout)
                && !decided.swap(true, Ordering::SeqCst)
            {
                std::process::exit(0);
            }
        });
        Watchdog { is_decided, _alive: alive }
    }

    /// From here on the process may finish what it says. False when it is too late.
    pub fn hold(&self) -> bool {
        !self.is_decided.swap(true, Ordering::SeqCst)
    }
}
