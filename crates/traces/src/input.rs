//! Files and streams of spans or requests: what they are is seen from how they
//! begin, and they are read piece by piece.

use crate::compression::{Compression, reader};
use crate::decode::{
    DecodedSpans, access_log, jaeger, json_log, otlp, otlp_json, sdk_json, zipkin,
};
use crate::span::{Resource, Span};
use model::hash::Hash32;
use model::runtime::InputKind;
use model::text::one_line;
use model::{Error, ErrorCode, Result};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// A line or a message may be this long …
const MOST_PIECE: usize = 64 << 20;
/// … and a document of JSON that is no lines, which is read whole.
const MOST_DOCUMENT: u64 = 256 << 20;
/// Spans handed on together.
const BATCH: usize = 1000;
/// Broken lines that are shown; all are counted.
const MOST_SHOWN: usize = 3;
/// How much is looked at to see what it is.
const BEGINNING: usize = 64 << 10;

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLine {
    pub line: u64,
    pub text: String,
    pub reason: String,
}

/// What a file was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputReport {
    /// Of most of it; none where it was empty.
    pub format: Option<InputKind>,
    pub n_spans: u64,
    pub n_rejected: u64,
    pub n_broken: u64,
    /// The first of them.
    pub broken: Vec<BrokenLine>,
}

/// Takes what was decoded; an error ends the reading.
pub type Sink<'s> = dyn FnMut(DecodedSpans, InputKind) -> Result<()> + 's;

/// Reads everything there is. `service` is whose requests a log holds that does not say.
pub fn read(
    input: impl Read + Send,
    service: Option<&str>,
    sink: &mut Sink<'_>,
) -> Result<InputReport> {
    let mut packed = BufReader::with_capacity(BEGINNING, input);
    let how = Compression::of(packed.fill_buf().map_err(|error| unreadable(&error))?);
    let mut plain = reader(packed, how)?;
    let mut beginning = Vec::new();
    (&mut plain)
        .take(BEGINNING as u64)
        .read_to_end(&mut beginning)
        .map_err(|error| unreadable(&error))?;
    let shape = Shape::of(&beginning);
    let whole = BufReader::with_capacity(BEGINNING, std::io::Cursor::new(beginning).chain(plain));
    let resource = Arc::new(Resource::of_service(service.unwrap_or_default()));
    let mut reading = InputReader {
        resource,
        sink,
        report: InputReport::default(),
        waiting: DecodedSpans::default(),
        kind: None,
        occurrences: FxHashMap::default(),
    };
    match shape {
        Shape::Empty => {}
        Shape::Messages => reading.messages(whole)?,
        Shape::FramedMessages => reading.framed_messages(whole)?,
        Shape::Documents => reading.documents(whole)?,
        Shape::Lines => reading.lines(whole)?,
    }
    reading.flush()?;
    Ok(reading.report)
}

#[derive(Debug, PartialEq, Eq)]
enum Shape {
    Empty,
    /// Protobuf as it is.
    Messages,
    /// Protobuf, each message after its length in four bytes.
    FramedMessages,
    /// JSON over several lines.
    Documents,
    /// JSON or text, line by line.
    Lines,
}

impl Shape {
    fn of(beginning: &[u8]) -> Shape {
        let text = beginning.trim_ascii_start();
        if let [0, _, _, _, 0x0a, ..] = beginning {
            return Shape::FramedMessages;
        }
        if beginning.first() == Some(&0x0a) && is_message(&beginning[1..]) {
            return Shape::Messages;
        }
        match text.first() {
            None => Shape::Empty,
            Some(b'[') => Shape::Documents,
            Some(b'{') => {
                let end = text.iter().position(|byte| *byte == b'\n');
                let first = &text[..end.unwrap_or(text.len())];
                // One that does not end within sight is a line that goes on, unless it
                // is an opening bracket alone.
                let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
                let is_long = end.is_none() && beginning.len() == BEGINNING;
                if is_whole || is_long { Shape::Lines } else { Shape::Documents }
            }
            Some(_) => Shape::Lines,
        }
    }
}

/// Whether a length and the beginning of a `ResourceSpans` follow.
fn is_message(bytes: &[u8]) -> bool {
    let length = bytes.iter().take(10).position(|byte| byte & 0x80 == 0);
    length.and_then(|at| bytes.get(at + 1)).is_some_and(|tag| matches!(tag, 0x0a | 0x12 | 0x1a))
}

struct InputReader<'s, 'f> {
    resource: Arc<Resource>,
    sink: &'s mut Sink<'f>,
    report: InputReport,
    waiting: DecodedSpans,
    kind: Option<InputKind>,
    /// How often each line of a log was met: two that are equal are two requests.
    occurrences: FxHashMap<u64, u32>,
}

impl InputReader<'_, '_> {
    fn put(&mut self, decoded: DecodedSpans, kind: InputKind) -> Result<()> {
        if self.kind != Some(kind) {
            self.flush()?;
            self.kind = Some(kind);
        }
        self.waiting.merge(decoded);
        if self.waiting.spans.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let decoded = std::mem::take(&mut self.waiting);
        let Some(kind) = self.kind else { return Ok(()) };
        if decoded == DecodedSpans::default() {
            return Ok(());
        }
        self.report.n_spans += decoded.spans.len() as u64;
        self.report.n_rejected += decoded.n_rejected;
        if !decoded.spans.is_empty() || self.report.format.is_none() {
            self.report.format = Some(kind);
        }
        (self.sink)(decoded, kind)
    }

    fn break_line(&mut self, line: u64, text: &[u8], reason: &str) {
        self.report.n_broken += 1;
        if self.report.broken.len() < MOST_SHOWN {
            let text = String::from_utf8_lossy(&text[..text.len().min(400)]);
            let text = one_line(&text, 80);
            self.report.broken.push(BrokenLine { line, text, reason: reason.to_owned() });
        }
    }

    fn messages(&mut self, mut input: impl BufRead) -> Result<()> {
        while let Some(tag) = varint(&mut input)? {
            let bytes = match tag & 7 {
                2 => {
                    let length = varint(&mut input)?.ok_or_else(cut_off)?;
                    piece(&mut input, length)?
                }
                _ => return Err(damaged("a field that no OTLP file has")),
            };
            // Others are fields of versions to come.
            if tag == 0x0a {
                self.message(&bytes, otlp::decode_resource_spans)?;
            }
        }
        Ok(())
    }

    fn framed_messages(&mut self, mut input: impl BufRead) -> Result<()> {
        loop {
            if input.fill_buf().map_err(|error| unreadable(&error))?.is_empty() {
                return Ok(());
            }
            let mut length = [0; 4];
            input.read_exact(&mut length).map_err(|error| unreadable(&error))?;
            let bytes = piece(&mut input, u64::from(u32::from_be_bytes(length)))?;
            self.message(&bytes, otlp::decode)?;
        }
    }

    fn message(&mut self, bytes: &[u8], decode: fn(&[u8]) -> Result<DecodedSpans>) -> Result<()> {
        let decoded = decode(bytes).unwrap_or_else(|error| {
            let mut decoded = DecodedSpans::default();
            decoded.reject(error.message());
            decoded
        });
        self.put(decoded, InputKind::OtlpFile)
    }

    /// Documents one after the other, each as long as it likes.
    fn documents(&mut self, input: impl BufRead) -> Result<()> {
        let bounded = input.take(MOST_DOCUMENT + 1);
        let mut values = serde_json::Deserializer::from_reader(bounded).into_iter::<Value>();
        loop {
            let outcome = values.next();
            match outcome {
                None => break,
                Some(Ok(value)) => self.document(value)?,
                Some(Err(error)) if error.is_io() => return Err(damaged(&error.to_string())),
                Some(Err(error)) => {
                    self.break_line(error.line() as u64, b"", &format!("not JSON: {error}"));
                    break;
                }
            }
        }
        if values.byte_offset() as u64 > MOST_DOCUMENT {
            return Err(damaged("the document is larger than 256 MiB")
                .suggest("write one span per line, or split it"));
        }
        Ok(())
    }

    fn document(&mut self, value: Value) -> Result<()> {
        match value {
            Value::Array(values) if zipkin::is_zipkin(&values) => {
                self.put(zipkin::read(&values), InputKind::Zipkin)
            }
            Value::Array(values) => {
                for value in values {
                    let text = value.to_string();
                    let Value::Object(object) = value else {
                        self.put_rejected("an element that is no object")?;
                        continue;
                    };
                    if !self.object(&object, text.as_bytes())? {
                        self.put_rejected("an object that is no span and no request")?;
                    }
                }
                Ok(())
            }
            Value::Object(object) => {
                let text = Value::Object(object.clone()).to_string();
                if !self.object(&object, text.as_bytes())? {
                    self.put_rejected("an object that is no span and no request")?;
                }
                Ok(())
            }
            _ => self.put_rejected("a value that is no object"),
        }
    }

    fn put_rejected(&mut self, reason: &str) -> Result<()> {
        let mut decoded = DecodedSpans::default();
        decoded.reject(reason);
        self.put(decoded, self.kind.unwrap_or(InputKind::SpanLines))
    }

    /// An object of any format; false where it is of none.
    fn object(&mut self, object: &Map<String, Value>, text: &[u8]) -> Result<bool> {
        if otlp_json::is_otlp(object) {
            self.put(otlp_json::read(object), InputKind::OtlpFile)?;
        } else if jaeger::is_jaeger(object) {
            self.put(jaeger::read(object), InputKind::Jaeger)?;
        } else if let Some(span) = object.get("localEndpoint").and_then(|_| zipkin::span(object)) {
            self.put(one(span), InputKind::Zipkin)?;
        } else if let Some(span) =
            Some(object).filter(|it| sdk_json::is_span(it)).and_then(sdk_json::read)
        {
            self.put(one(span), InputKind::SpanLines)?;
        } else if let Some(span) = json_log::read(object, &self.resource) {
            let span = self.numbered(span, text);
            self.put(one(span), InputKind::JsonLog)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn lines(&mut self, mut input: impl BufRead) -> Result<()> {
        let mut n_line = 0;
        let mut line = Vec::new();
        loop {
            line.clear();
            let most = MOST_PIECE as u64 + 1;
            let n_read = (&mut input).take(most).read_until(b'\n', &mut line);
            if n_read.map_err(|error| unreadable(&error))? == 0 {
                return Ok(());
            }
            n_line += 1;
            if line.len() > MOST_PIECE {
                self.break_line(n_line, &line, "longer than 64 MiB");
                skip_line(&mut input)?;
                continue;
            }
            let text = line.trim_ascii();
            if !text.is_empty() {
                self.line(n_line, text)?;
            }
        }
    }

    fn line(&mut self, n_line: u64, text: &[u8]) -> Result<()> {
        if matches!(text.first(), Some(b'{' | b'[')) {
            let value: Value = match serde_json::from_str(&String::from_utf8_lossy(text)) {
                Ok(value) => value,
                Err(error) => {
                    self.break_line(n_line, text, &format!("not JSON: {error}"));
                    return Ok(());
                }
            };
            if let Value::Object(object) = &value {
                if !self.object(object, text)? {
                    self.break_line(n_line, text, "neither a span nor a request");
                }
                return Ok(());
            }
            return self.document(value);
        }
        let line = String::from_utf8_lossy(text);
        match access_log::read(&line, &self.resource) {
            Some(span) => {
                let span = self.numbered(span, text);
                self.put(one(span), InputKind::AccessLog)
            }
            None => {
                self.break_line(n_line, text, "not an access log in common or combined format");
                Ok(())
            }
        }
    }

    /// A request of a log, told apart from an equal one by how many came before it:
    /// the same file read again has the same numbers.
    fn numbered(&mut self, mut span: Span, text: &[u8]) -> Span {
        if span.span_id != 0 && span.trace_id != [0; 16] {
            return span;
        }
        let mut key = span.resource.service.as_bytes().to_vec();
        key.push(0);
        key.extend_from_slice(text);
        let bytes = Hash32::of(&key);
        let hash =
            bytes.as_bytes().iter().take(8).fold(0_u64, |hash, byte| hash << 8 | u64::from(*byte));
        if self.occurrences.len() > 200_000 {
            self.occurrences.clear();
        }
        let n = self.occurrences.entry(hash).or_default();
        *n += 1;
        span.trace_id = [0; 16];
        span.span_id = hash.rotate_left(*n % 64).wrapping_add(u64::from(*n)).max(1);
        span
    }
}

fn one(span: Span) -> DecodedSpans {
    DecodedSpans { spans: vec![span], ..DecodedSpans::default() }
}

fn skip_line(input: &mut impl BufRead) -> Result<()> {
    loop {
        let buffer = input.fill_buf().map_err(|error| unreadable(&error))?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let n_used = end.map_or(buffer.len(), |end| end + 1);
        input.consume(n_used);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The next variable-length number; none at the end.
fn varint(input: &mut impl BufRead) -> Result<Option<u64>> {
    let mut value = 0_u64;
    for at in 0..10 {
        let mut byte = [0];
        if input.read(&mut byte).map_err(|error| unreadable(&error))? == 0 {
            return if at == 0 { Ok(None) } else { Err(cut_off()) };
        }
        value |= u64::from(byte[0] & 0x7f).checked_shl(at * 7).unwrap_or(0);
        if byte[0] & 0x80 == 0 {
            return Ok(Some(value));
        }
    }
    Err(damaged("a length that does not end"))
}

fn piece(input: &mut impl BufRead, length: u64) -> Result<Vec<u8>> {
    if length > MOST_PIECE as u64 {
        return Err(damaged("a message longer than 64 MiB"));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if (bytes.len() as u64) < length { Err(cut_off()) } else { Ok(bytes) }
}

fn cut_off() -> Error {
    damaged("it ends in the middle of a message")
}

fn damaged(why: &str) -> Error {
    Error::new(ErrorCode::TransformError, format!("cannot read the traces: {why}"))
}

fn unreadable(error: &std::io::Error) -> Error {
    damaged(&error.to_string())
}

#[cfg(test)]
mod tests;
