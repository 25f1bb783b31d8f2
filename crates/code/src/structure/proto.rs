//! Protocol Buffers: messages with their fields, enums, services and calls.

use super::outline::{define, relate};
use super::tokens::{Kind, Style, Token, closing, span, tokens};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) const STYLE: Style = Style {
    in_words: ".",
    line_comments: &["//"],
    block_comments: true,
    quotes: "\"'",
    heredocs: false,
};

/// Types the language itself has.
const SCALARS: [&str; 15] = [
    "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32",
    "fixed64", "sfixed32", "sfixed64", "bool", "string", "bytes",
];

pub(super) fn reads(path: &str) -> bool {
    super::has_extension(path, &["proto"])
}

pub(super) fn read(b: &mut Builder<'_>, _path: &str) {
    let all = tokens(b.source, STYLE);
    if let Some(at) = all.iter().position(|token| token.is("package"))
        && let Some(name) = all.get(at + 1)
    {
        let name = b.name(name.text);
        b.def_mut(DefId::FILE).name = name;
    }
    for pair in all.windows(3) {
        let path = pair.iter().find(|token| token.kind == Kind::Text);
        if pair[0].is("import")
            && let Some(path) = path
        {
            let (kind, file) = (EdgeKind::Imports, DefKind::Module);
            relate(b, kind, DefId::FILE, file, path.text, path.start);
        }
    }
    block(b, DefId::FILE, &all, 0);
}

/// Definitions among the tokens of a body.
fn block(b: &mut Builder<'_>, parent: DefId, all: &[Token<'_>], depth: u32) {
    let mut at = 0;
    while at < all.len() {
        let token = all[at];
        let opens = |from: usize| all[from..].iter().position(|t| t.is("{")).map(|n| from + n);
        let is_block = matches!(token.text, "message" | "service" | "enum" | "oneof" | "extend")
            && token.kind == Kind::Word
            && all.get(at + 2).is_some_and(|open| open.is("{"));
        if is_block && let Some(open) = opens(at) {
            let end = closing(all, open);
            let name = all[at + 1].text;
            let bytes = span(&all[at..end]);
            let inner = &all[(open + 1).min(end)..end.saturating_sub(1).max(open + 1).min(end)];
            let kind = match token.text {
                "message" => DefKind::Message,
                "service" => DefKind::Service,
                "enum" => DefKind::Enum,
                _ => DefKind::Module,
            };
            let def =
                if kind == DefKind::Module { parent } else { define(b, parent, kind, name, bytes) };
            if kind == DefKind::Enum {
                values(b, def, inner);
            } else if depth < 32 {
                block(b, def, inner, depth + 1);
            }
            at = end;
        } else if token.is("rpc") && all.get(at + 1).is_some_and(|t| t.kind == Kind::Word) {
            at = rpc(b, parent, all, at);
        } else {
            at = statement(b, parent, all, at);
        }
    }
}

fn values(b: &mut Builder<'_>, parent: DefId, all: &[Token<'_>]) {
    for (at, pair) in all.windows(2).enumerate() {
        let is_first = at == 0 || all[at - 1].is(";") || all[at - 1].is("}");
        if is_first && pair[0].kind == Kind::Word && pair[1].is("=") {
            define(b, parent, DefKind::Variant, pair[0].text, pair[0].start..pair[1].end);
        }
    }
}

/// `rpc Name (stream Request) returns (Reply)`.
fn rpc(b: &mut Builder<'_>, parent: DefId, all: &[Token<'_>], at: usize) -> usize {
    let mut end = at;
    while end < all.len() && !all[end].is(";") && !all[end].is("{") {
        end += 1;
    }
    let stop = if all.get(end).is_some_and(|t| t.is("{")) { closing(all, end) } else { end + 1 };
    let def = define(b, parent, DefKind::Rpc, all[at + 1].text, span(&all[at..end]));
    for pair in all[at + 2..end.max(at + 2)].windows(2) {
        let is_type = pair[0].is("(") || pair[0].is("stream");
        if is_type && pair[1].kind == Kind::Word && !pair[1].is("stream") {
            refer(b, def, pair[1]);
        }
    }
    stop.min(all.len())
}

/// A field, or something that is skipped up to its end.
fn statement(b: &mut Builder<'_>, parent: DefId, all: &[Token<'_>], at: usize) -> usize {
    let end = end_of_statement(all, at);
    if all.get(end).is_some_and(|it| it.is("}")) {
        return end + 1;
    }
    let words = &all[at..end];
    let is_message = b.facts.def(parent).kind == DefKind::Message;
    let equals = words.iter().position(|token| token.is("="));
    let keyword = words.first().map_or("", |token| token.text);
    if is_message
        && !matches!(
            keyword,
            "option" | "reserved" | "extensions" | "import" | "package" | "syntax"
        )
        && let Some(equals) = equals
        && equals >= 2
    {
        let name = words[equals - 1];
        let def = define(b, parent, DefKind::Field, name.text, span(words));
        for token in &words[..equals - 1] {
            let is_label = matches!(token.text, "repeated" | "optional" | "required" | "map");
            if token.kind == Kind::Word && !is_label {
                refer(b, def, *token);
            }
        }
    }
    end + 1
}

/// Where the statement that begins here ends: at its `;`, at the bracket that closes a block
/// of options, or at a stray one.
pub(super) fn end_of_statement(all: &[Token<'_>], at: usize) -> usize {
    let mut end = at;
    while end < all.len() && !all[end].is(";") {
        // `[(validate.rules).string = {min_len: 1}]` is part of the field.
        if all[end].is("{") || all[end].is("[") {
            let after = closing(all, end);
            if all[end].is("{") {
                return after.saturating_sub(1).max(at);
            }
            end = after;
            continue;
        }
        if all[end].is("}") {
            return end;
        }
        end += 1;
    }
    end
}

fn refer(b: &mut Builder<'_>, from: DefId, name: Token<'_>) {
    let last = name.text.rsplit('.').next().unwrap_or(name.text);
    if !SCALARS.contains(&last) {
        let (kind, of) = (EdgeKind::References, DefKind::Message);
        relate(b, kind, from, of, last, name.start);
    }
}
