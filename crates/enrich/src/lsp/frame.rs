//! The base protocol: a header with the length of the body, then the body, which is a
//! message.
//!
//! Messages are written, and read from a body, by `lsp-server`. The header is read here:
//! that crate, as `async-lsp`, sets aside what a header says before it reads on (a length
//! of 100 GB ends the process, 2 GB are 2 GB of memory) and takes header lines of any length.

use lsp_server::{ErrorCode, Message, ResponseError};
use serde::Deserialize as _;
use serde_json::{Value, json};
use std::io::{BufRead, Error, Read as _};

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

/// The message of a body; none where it is JSON but no message. What servers get wrong of
/// an answer must cost that answer at most, not the run: a result that is left out is
/// null, an error of null is none, and one that is no error is one without words.
pub fn message_of(body: &[u8]) -> Result<Option<Message>, FrameError> {
    let mut message: Value =
        serde_json::from_slice(body).map_err(|_| FrameError::Malformed("no JSON"))?;
    if let Value::Object(fields) = &mut message
        && !fields.contains_key("method")
    {
        match fields.remove("error").filter(|error| !error.is_null()) {
            Some(error) => {
                fields.remove("result");
                let code = error.get("code").and_then(Value::as_i64);
                let code = code.and_then(|code| i32::try_from(code).ok());
                let is_one = ResponseError::deserialize(&error).is_ok();
                let error = if is_one {
                    error
                } else {
                    let code = code.unwrap_or(ErrorCode::UnknownErrorCode as i32);
                    json!({"code": code, "message": "an error without words"})
                };
                fields.insert("error".to_owned(), error);
            }
            None => {
                fields.entry("result").or_insert(Value::Null);
            }
        }
    }
    Ok(serde_json::from_value(message).ok())
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
        let asked = lsp_server::Request::new(7.into(), "a/b".to_owned(), json!({"c": 1}));
        Message::from(asked).write(&mut bytes).unwrap();
        let body = read(&bytes).unwrap();
        let Some(Message::Request(asked)) = message_of(&body).unwrap() else { panic!() };
        assert_eq!((asked.id, asked.method.as_str()), (7.into(), "a/b"));
        assert_eq!(asked.params, json!({"c": 1}));
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

    #[test]
    fn answers_beside_the_specification_are_answers() {
        let answer = |text: &str| match message_of(text.as_bytes()).unwrap() {
            Some(Message::Response(answer)) => {
                answer.response_result.map_err(|error| (error.code, error.message))
            }
            other => panic!("{text}: {other:?}"),
        };
        for (text, expected) in [
            (r#"{"id":1,"result":[2]}"#, Ok(json!([2]))),
            (r#"{"id":1}"#, Ok(Value::Null)),
            (r#"{"id":1,"result":3,"error":null}"#, Ok(json!(3))),
            (r#"{"id":1,"result":null,"error":{"code":4,"message":"x"}}"#, Err((4, "x"))),
            (r#"{"id":1,"error":{"code":-32801}}"#, Err((-32801, "an error without words"))),
            (r#"{"id":1,"error":"x"}"#, Err((-32001, "an error without words"))),
        ] {
            let expected = expected.map_err(|(code, words)| (code, words.to_owned()));
            assert_eq!(answer(text), expected, "{text}");
        }
        for text in ["[]", "7", "{}", r#"{"id":{},"result":1}"#] {
            assert!(message_of(text.as_bytes()).unwrap().is_none(), "{text}");
        }
        assert!(message_of(b"{").is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes);
            let _ = message_of(&bytes);
            let _ = read(&[b"Content-Length: 9\r\n\r\n", bytes.as_slice()].concat());
        }
    }
}
