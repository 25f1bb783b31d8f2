//! What a child tells whoever started it: frames, one a line, on its stdout.

use crate::ui;
use model::{Error, Progress};
use serve::daemon::protocol::Frame;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Units of progress between two lines.
const STEP: u64 = 16;

/// Frames as lines; advances are gathered, because there are many.
pub struct FrameWriter {
    state: Mutex<FrameWriterState>,
}

struct FrameWriterState {
    to: Box<dyn Write + Send>,
    n_untold: u64,
}

impl FrameWriterState {
    fn write(&mut self, frame: &Frame) {
        // A parent that left is noticed elsewhere.
        if let Ok(mut line) = serde_json::to_vec(frame) {
            line.push(b'\n');
            let _ = self.to.write_all(&line).and_then(|()| self.to.flush());
        }
    }

    fn write_untold(&mut self) {
        if self.n_untold > 0 {
            let n = std::mem::take(&mut self.n_untold);
            self.write(&Frame::Advance(n));
        }
    }
}

impl FrameWriter {
    pub fn new(to: Box<dyn Write + Send>) -> Self {
        FrameWriter { state: Mutex::new(FrameWriterState { to, n_untold: 0 }) }
    }

    pub fn tell(&self, frame: Frame) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.write_untold();
        state.write(&frame);
    }

    pub fn failed(&self, error: &Error) -> u8 {
        let document = ui::ErrorDocument::from(error);
        self.tell(Frame::Failed {
            code: document.code.to_owned(),
            message: document.message,
            suggestion: document.suggestion,
        });
        error.code().exit_code()
    }
}

impl Progress for FrameWriter {
    fn phase(&self, name: &str, total: Option<u64>) {
        self.tell(Frame::Phase { name: name.to_owned(), total });
    }

    fn advance(&self, n: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.n_untold += n;
        if state.n_untold >= STEP {
            state.write_untold();
        }
    }

    fn grow(&self, n: u64) {
        self.tell(Frame::Grow(n));
    }

    fn waiting(&self, reason: &str, wait: Duration) {
        let millis = wait.as_millis().try_into().unwrap_or(u64::MAX);
        self.tell(Frame::Waiting { reason: reason.to_owned(), millis });
    }

    fn note(&self, message: &str) {
        self.tell(Frame::Note(message.to_owned()));
    }

    fn finish(&self) {
        self.tell(Frame::Finish);
    }
}

/// A stream of a command as frames.
pub struct FrameStream {
    pub teller: Arc<FrameWriter>,
    pub frame: fn(String) -> Frame,
}

impl Write for FrameStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.teller.tell((self.frame)(String::from_utf8_lossy(bytes).into_owned()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
