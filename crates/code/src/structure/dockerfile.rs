//! Dockerfiles: stages, what they are made from, and which ports they open.

use super::outline::{define, relate_here};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) fn reads(path: &str) -> bool {
    let name = super::file_name(path);
    matches!(name, "Dockerfile" | "Containerfile")
        || name.starts_with("Dockerfile.")
        || super::has_extension(path, &["dockerfile"])
}

pub(super) fn read(b: &mut Builder<'_>, _path: &str) {
    let text = String::from_utf8_lossy(b.source).into_owned();
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        starts.push((at, line.len()));
        at += line.len();
    }
    let is_from = |line: &str| word(line, 0).eq_ignore_ascii_case("from");
    let mut stages: Vec<(usize, &str)> = Vec::new();
    for (start, length) in &starts {
        let line = &text[*start..start + length];
        if is_from(line) {
            stages.push((*start, line));
        }
    }
    for (index, (start, line)) in stages.iter().enumerate() {
        let end = stages.get(index + 1).map_or(text.len(), |(next, _)| *next);
        stage(b, index, *start..end, line, &text);
    }
}

fn word(line: &str, nth: usize) -> &str {
    line.split_whitespace().filter(|word| !word.starts_with("--")).nth(nth).unwrap_or_default()
}

fn stage(b: &mut Builder<'_>, index: usize, span: std::ops::Range<usize>, line: &str, text: &str) {
    let image = word(line, 1);
    let name = if word(line, 2).eq_ignore_ascii_case("as") {
        word(line, 3).to_owned()
    } else {
        format!("stage {index}")
    };
    let def = define(b, DefId::FILE, DefKind::Service, &name, span.clone());
    let depends = EdgeKind::DependsOn;
    relate_here(b, depends, def, DefKind::Service, image, span.start);
    let mut at = span.start;
    for line in text[span].split_inclusive('\n') {
        let command = word(line, 0);
        if command.eq_ignore_ascii_case("copy") || command.eq_ignore_ascii_case("add") {
            let from = line.split_whitespace().find_map(|word| word.strip_prefix("--from="));
            if let Some(from) = from {
                relate_here(b, depends, def, DefKind::Service, from, at);
            }
        } else if command.eq_ignore_ascii_case("expose") {
            for port in line.split_whitespace().skip(1) {
                let name = format!("port {port}");
                define(b, def, DefKind::Resource, &name, at..at + line.trim_end().len());
                relate_here(b, EdgeKind::Exposes, def, DefKind::Resource, &name, at);
            }
        }
        at += line.len();
    }
}
