//! Terraform and other HCL: blocks, and which of them speak of which.

use super::outline::{define, relate};
use super::tokens::{Kind, Style, Token, closing, span, tokens};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

const STYLE: Style = Style {
    in_words: "-",
    line_comments: &["#", "//"],
    block_comments: true,
    quotes: "\"",
    heredocs: true,
};

pub(super) fn reads(path: &str) -> bool {
    super::has_extension(path, &["tf", "hcl", "tofu"])
}

pub(super) fn read(b: &mut Builder<'_>, _path: &str) {
    let all = tokens(b.source, STYLE);
    let mut at = 0;
    while at < all.len() {
        let mut open = at;
        while open < all.len() && !all[open].is("{") && !all[open].is("}") && !all[open].is("=") {
            open += 1;
        }
        if !all.get(open).is_some_and(|token| token.is("{")) {
            at = open + 1;
            continue;
        }
        let end = closing(&all, open);
        block(b, &all[at..open], &all[open..end], span(&all[at..end]));
        at = end;
    }
}

fn block(
    b: &mut Builder<'_>,
    head: &[Token<'_>],
    body: &[Token<'_>],
    bytes: std::ops::Range<usize>,
) {
    let Some(kind) = head.first() else { return };
    let labels: Vec<&str> =
        head[1..].iter().filter(|t| t.kind != Kind::Mark).map(|t| t.text).collect();
    let name = match (kind.text, &labels[..]) {
        ("resource", [of, name]) => format!("{of}.{name}"),
        ("data", [of, name]) => format!("data.{of}.{name}"),
        ("module", [name]) => format!("module.{name}"),
        ("variable", [name]) => format!("var.{name}"),
        ("output", [name]) => format!("output.{name}"),
        ("provider", [name]) => format!("provider.{name}"),
        ("locals", []) => return locals(b, body),
        (other, labels) => [&[other], labels].concat().join("."),
    };
    let def = define(b, DefId::FILE, DefKind::Resource, &name, bytes);
    references(b, def, body, &name);
    if kind.is("module") {
        source(b, def, body);
    }
}

fn locals(b: &mut Builder<'_>, body: &[Token<'_>]) {
    let mut at = 1;
    while at + 2 < body.len() {
        if body[at].kind == Kind::Word && body[at + 1].is("=") {
            let mut end = at + 2;
            let line = |token: &Token<'_>| b.position(token.start).0;
            let first = line(&body[at]);
            while end < body.len()
                && !(body[end].kind == Kind::Word
                    && body.get(end + 1).is_some_and(|t| t.is("="))
                    && line(&body[end]) > first)
            {
                end = if body[end].is("{") || body[end].is("[") || body[end].is("(") {
                    closing(body, end)
                } else {
                    end + 1
                };
            }
            let name = format!("local.{}", body[at].text);
            let def = define(b, DefId::FILE, DefKind::Resource, &name, span(&body[at..end]));
            references(b, def, &body[at + 2..end], &name);
            at = end;
        } else {
            at += 1;
        }
    }
}

/// `source = "./path"` of a module: the folder it is made from.
fn source(b: &mut Builder<'_>, def: DefId, body: &[Token<'_>]) {
    for three in body.windows(3) {
        if three[0].is("source") && three[1].is("=") && three[2].text.starts_with('.') {
            let path = format!("{}/main.tf", three[2].text);
            let (kind, of) = (EdgeKind::DependsOn, DefKind::Module);
            relate(b, kind, def, of, &path, three[2].start);
        }
    }
}

/// Everything named as `type.name`, `var.name`, `module.name` and so on.
fn references(b: &mut Builder<'_>, from: DefId, body: &[Token<'_>], own: &str) {
    for (at, token) in body.iter().enumerate() {
        match token.kind {
            Kind::Word => {
                let is_start = at == 0 || !body[at - 1].is(".");
                if is_start && body.get(at + 1).is_some_and(|dot| dot.is(".")) {
                    let words = body[at..].iter().step_by(2).take(3).map(|token| token.text);
                    refer(b, from, &words.collect::<Vec<_>>(), token.start, own);
                }
            }
            // `"${var.name}"`: what is between the braces.
            Kind::Text => {
                for part in token.text.split("${").skip(1) {
                    let inner = part.split('}').next().unwrap_or(part);
                    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
                    for path in inner.split(|c| !is_name(c)).filter(|path| path.contains('.')) {
                        let words: Vec<&str> = path.split('.').take(3).collect();
                        refer(b, from, &words, token.start, own);
                    }
                }
            }
            Kind::Mark => {}
        }
    }
}

fn refer(b: &mut Builder<'_>, from: DefId, words: &[&str], at: usize, own: &str) {
    let name = match words {
        ["data", of, name] => format!("data.{of}.{name}"),
        ["each" | "count" | "self" | "path" | "terraform", ..] => return,
        [of, name, ..] => format!("{of}.{name}"),
        _ => return,
    };
    if name != own {
        relate(b, EdgeKind::DependsOn, from, DefKind::Resource, &name, at);
    }
}
