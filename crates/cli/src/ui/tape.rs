//! A stream that is kept instead of shown.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Clones share what was written.
#[derive(Debug, Clone, Default)]
pub struct CaptureBuffer(Rc<RefCell<Vec<u8>>>);

impl CaptureBuffer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for CaptureBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
