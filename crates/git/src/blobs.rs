//! The content of many files through one git process.

use crate::object_id::ObjectId;
use crate::repo::Repo;
use model::{Error, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

/// A `git cat-file --batch` that answers one name after the other. Make one
/// per thread; it ends with its reader.
pub struct BlobReader {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Repo {
    pub fn blobs(&self) -> Result<BlobReader> {
        let mut child = self.git("cat-file").arg("--batch").converse()?;
        let missing = || Error::internal("git was started without its pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stdout = BufReader::with_capacity(1 << 16, stdout);
        Ok(BlobReader { child, stdin: Some(stdin), stdout })
    }
}

impl BlobReader {
    /// The bytes of an object; none when this clone does not have it.
    pub fn read(&mut self, id: ObjectId) -> Result<Option<Vec<u8>>> {
        self.ask(&id.to_string())
    }

    /// The file `path` as it was in `commit`; none when it was not there.
    pub fn read_file(&mut self, commit: ObjectId, path: &str) -> Result<Option<Vec<u8>>> {
        // The protocol is one line a question.
        if path.contains(['\n', '\0']) {
            return Ok(None);
        }
        self.ask(&format!("{commit}:{path}"))
    }

    fn ask(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(stdin) = &mut self.stdin else { return Err(died("its input is closed")) };
        stdin.write_all(format!("{name}\n").as_bytes()).map_err(died)?;
        stdin.flush().map_err(died)?;
        let mut header = String::new();
        self.stdout.read_line(&mut header).map_err(died)?;
        // `<id> blob <size>`, or the name followed by ` missing` and the like.
        let Some(size) = header
            .trim_end()
            .rsplit_once(' ')
            .and_then(|(left, size)| {
                let kind = left.rsplit_once(' ')?.1;
                matches!(kind, "blob" | "commit" | "tree" | "tag").then_some(size)
            })
            .and_then(|size| size.parse::<u64>().ok())
        else {
            return if header.is_empty() { Err(died("no answer")) } else { Ok(None) };
        };
        let mut bytes = Vec::with_capacity(size.min(1 << 24) as usize);
        self.stdout.by_ref().take(size).read_to_end(&mut bytes).map_err(died)?;
        let mut end = [0];
        self.stdout.read_exact(&mut end).map_err(died)?;
        if bytes.len() as u64 != size {
            return Err(died("the content was cut short"));
        }
        Ok(Some(bytes))
    }
}

fn died(reason: impl std::fmt::Display) -> Error {
    Error::internal(format!("git cat-file stopped: {reason}"))
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        // The end of its input ends git.
        self.stdin = None;
        drop(self.child.wait());
    }
}
