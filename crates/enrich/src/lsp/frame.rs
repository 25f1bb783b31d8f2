//! The base protocol: a header with the length of the body, then the body.

use std::io::{BufRead, Error, Read as _, Write};

/// Longer messages are refused: no answer to a question about one place is.
pub const MAX_BODY: usize = 32 << 20;
const MAX_HEADER_LINE: u64 = 4096;
const MAX_HEADER_LINES: usize = 32;

/// Why no message could be read.
#[derive(Debug)]
pub enum FrameError {
    /// The stream ended between two messages.
    End,
    /// What came is no message.
    Malformed(&'static str),
    Io(Error),
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FrameError::End => f.write_str("its output ended"),
            FrameError::Malformed(why) => write!(f, "it does not speak the protocol: {why}"),
            FrameError::Io(error) => error.fmt(f),
        }
    }
}

/// The body of the next message.
pub fn read_frame(input: &mut impl BufRead) -> Result<Vec<u8>, FrameError> {
    let mut length = None;
    for n_lines in 0.. {
        if n_lines > MAX_HEADER_LINES {
            return Err(FrameError::Malformed("a header without end"));
        }
        let mut line = Vec::new();
        let n_read = input
            .by_ref()
            .take(MAX_HEADER_LINE)
            .read_until(b'\n', &mut line)
            .map_err(FrameError::Io)?;
        if n_read == 0 {
            return Err(if n_lines == 0 {
                FrameError::End
            } else {
                FrameError::Malformed("the output ended within a header")
            });
        }
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(FrameError::Malformed("a header line without end"));
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Err(FrameError::Malformed("a header line without a colon"));
        };
        if line[..colon].eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(&line[colon + 1..]).ok();
            length = value.and_then(|value| value.trim().parse::<usize>().ok());
            if length.is_none() {
                return Err(FrameError::Malformed("a length that is no number"));
            }
        }
    }
    let Some(length) = length else {
        return Err(FrameError::Malformed("a header without a length"));
    };
    if length > MAX_BODY {
        return Err(FrameError::Malformed("a message that is too long"));
    }
    // Grown as bytes arrive: a length alone costs nothing.
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body).map_err(FrameError::Io)?;
    if body.len() < length {
        return Err(FrameError::Malformed("the output ended within a message"));
    }
    Ok(body)
}

pub fn write_frame(output: &mut impl Write, body: &[u8]) -> std::io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", body.len())?;
    output.write_all(body)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        read_frame(&mut std::io::BufReader::new(bytes)).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b"{}").unwrap();
        assert_eq!(bytes, b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(read(&bytes).unwrap(), b"{}");
        assert_eq!(read(b"content-type: x\ncontent-length:2\n\n[]more").unwrap(), b"[]");
    }

    #[test]
    fn what_is_no_message_is_refused_before_it_is_read() {
        for (bytes, why) in [
            (&b""[..], "its output ended"),
            (b"Content-Length: 99999999999\r\n\r\n", "too long"),
            (b"Content-Length: -1\r\n\r\n", "no number"),
            (b"Content-Length: 5\r\n\r\n{}", "within a message"),
            (b"hello\r\n", "without a colon"),
            (b"X: y\r\n\r\n", "without a length"),
            (&[b'a'; 5000], "without end"),
        ] {
            assert!(read(bytes).unwrap_err().contains(why), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
            let _ = read(&[b"Content-Length: 9\r\n\r\n", bytes.as_slice()].concat());
        }
    }
}
