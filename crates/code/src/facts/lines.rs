//! From a byte of a file to its line and column.

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub fn of(text: &[u8]) -> Self {
        let mut starts = vec![0];
        for (at, byte) in text.iter().enumerate() {
            if *byte == b'\n' {
                starts.push(at as u32 + 1);
            }
        }
        Lines { starts }
    }

    /// Line and column in bytes, both from 1.
    pub fn at(&self, byte: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte);
        (line as u32, byte - self.starts[line - 1] + 1)
    }
}
