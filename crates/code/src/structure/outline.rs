//! Definitions and relations, written in one line each.

use crate::facts::{Builder, DefId, DefKind, Relation};
use model::code::EdgeKind;
use std::ops::Range;

/// Names come from files anyone wrote; longer ones are data.
const LONGEST_NAME: usize = 200;

/// Adds a definition named at the start of its span.
pub(super) fn define(
    b: &mut Builder<'_>,
    parent: DefId,
    kind: DefKind,
    name: &str,
    span: Range<usize>,
) -> DefId {
    let end = b.source.len();
    let span = span.start.min(end)..span.end.clamp(span.start, end.max(span.start)).min(end);
    let at = span.start;
    let text = b.name(&name[..name.floor_char_boundary(LONGEST_NAME)]);
    let first_line = b.source[span.clone()].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = span.start..span.start + first_line.len();
    let def = b.def_in(parent, kind, text, span, at);
    let signature = b.signature(line);
    b.def_mut(def).signature = signature;
    def
}

/// Says that a definition relates to something of the repository.
pub(super) fn relate(
    b: &mut Builder<'_>,
    kind: EdgeKind,
    from: DefId,
    to_kind: DefKind,
    to: &str,
    at: usize,
) {
    add(b, kind, from, to_kind, to, at, false);
}

/// The same for something of this file.
pub(super) fn relate_here(
    b: &mut Builder<'_>,
    kind: EdgeKind,
    from: DefId,
    to_kind: DefKind,
    to: &str,
    at: usize,
) {
    add(b, kind, from, to_kind, to, at, true);
}

fn add(
    b: &mut Builder<'_>,
    kind: EdgeKind,
    from: DefId,
    to_kind: DefKind,
    to: &str,
    at: usize,
    is_local: bool,
) {
    if to.is_empty() || to.len() > 400 {
        return;
    }
    let to = b.name(to);
    let (line, _) = b.position(at.min(b.source.len()));
    b.relate(Relation { kind, from, to, to_kind, is_local, line });
}
