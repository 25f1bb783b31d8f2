//! The codec `gcf`: lines of text for language models, about a quarter of the
//! tokens of JSON. Grammar in `docs/wire.md`.
//!
//! What comes from outside cannot forge a line: [`crate::Text`] has no line
//! break but the line feed, a text with line feeds is written as several lines
//! that each begin with the word of their field, and names are quoted where
//! they could end early.

mod header;
mod rating;
mod read;
mod session;
mod word;
mod write;

pub use session::Session;

use crate::{Codec, Payload, malformed};
use model::{Error, Result};
use std::collections::BTreeSet;

/// The first word of every payload: format and version.
const MAGIC: &str = "gcf/2";
/// What the names of a file may share at most. A bound, so that a short line
/// cannot stand for a long name many times over.
const MAX_PREFIX: usize = 128;

/// Kinds of parts that scores may have.
const MAX_PARTS: usize = 64;

#[derive(Debug, Clone, Copy, Default)]
pub struct Gcf;

impl Codec for Gcf {
    fn name(&self) -> &'static str {
        "gcf"
    }

    fn is_text(&self) -> bool {
        true
    }

    fn encode(&self, payload: &Payload) -> Result<Vec<u8>> {
        encode(payload).map(String::into_bytes)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Payload> {
        decode(bytes)
    }
}

/// A payload that is understood on its own.
pub fn encode(payload: &Payload) -> Result<String> {
    check(payload)?;
    let ids: Vec<write::Id> = (0..payload.symbols.len() as u32).map(write::Id::New).collect();
    Ok(write::payload(payload, &ids, None).text)
}

pub fn decode(bytes: &[u8]) -> Result<Payload> {
    let text = text(bytes)?;
    if header::session_of(text)?.is_some() {
        return Err(malformed("this payload belongs to a session")
            .suggest("decode it with the session it was written in"));
    }
    let fresh = Session::new();
    Ok(read::message(text, &fresh)?.payload(&fresh)?.payload)
}

/// What the reader of this session knows is not written again.
pub fn encode_in(session: &mut Session, payload: &Payload) -> Result<String> {
    check(payload)?;
    session.make_room(payload);
    let ids = session.assign(payload);
    let written = write::payload(payload, &ids, Some(session));
    session.take(payload, &ids, &written.bases, written.parts);
    Ok(written.text)
}

/// Reads what [`encode_in`] wrote; every payload of the session, in order.
/// One that is refused leaves the session as it was.
pub fn decode_in(session: &mut Session, bytes: &[u8]) -> Result<Payload> {
    let text = text(bytes)?;
    let Some(n_payloads) = header::session_of(text)? else {
        return Err(malformed("this payload belongs to no session"));
    };
    session.check(n_payloads)?;
    let fresh = Session::new();
    let known = if n_payloads == 0 { &fresh } else { &*session };
    let read = read::message(text, known)?.payload(known)?;
    if n_payloads == 0 {
        *session = fresh;
    }
    session.take(&read.payload, &read.ids, &read.bases, read.parts);
    Ok(read.payload)
}

fn check(payload: &Payload) -> Result<()> {
    payload.check()?;
    let parts = payload.symbols.iter().flat_map(|symbol| symbol.parts.iter());
    let n_kinds = parts.map(|(name, _)| name).collect::<BTreeSet<_>>().len();
    if n_kinds <= MAX_PARTS {
        return Ok(());
    }
    Err(Error::internal(format!("scores have {n_kinds} kinds of parts, more than {MAX_PARTS}")))
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| malformed("this is no text"))
}

/// `django/db/models/query.py` as `django.db.models.query.`: how the names of
/// a file begin in languages whose modules are files.
fn module_prefix(path: &str) -> String {
    let stem = match path.rsplit_once('.') {
        Some((stem, end)) if !end.contains('/') => stem,
        _ => path,
    };
    format!("{}.", stem.strip_suffix("/__init__").unwrap_or(stem).replace('/', "."))
}

/// `QuerySet.` of `QuerySet.filter`: what the next name of the file may share with
/// it. None where that is long: a short line must not stand for a long name.
fn scope_of(name: &str) -> &str {
    let end = name.rfind('.').map_or(0, |at| at + 1);
    if end > 1 && end <= MAX_PREFIX { &name[..end] } else { "" }
}

/// `filter` of `django.db.models.query.QuerySet.filter`.
fn last_segment(name: &str) -> &str {
    name.rsplit(['.', ':', '/', '#']).next().unwrap_or(name)
}
