//! The symbol that is meant, in one file.

use super::versions::Version;
use crate::matching::{Entry, Sort};
use model::lineage::Locator;
use model::suggest::nearest;
use model::text::one_line;
use model::{Error, Result};

pub fn entry(version: &Version, locator: &Locator) -> Result<Entry> {
    match locator {
        Locator::Line(line) => at_line(version, *line),
        Locator::Named { name, params, line } => named(version, name, params.as_deref(), *line),
    }
}

fn at_line(version: &Version, line: u32) -> Result<Entry> {
    let facts = version.facts();
    let bytes = &version.bytes;
    let around = |entry: &&Entry| {
        let span = facts.def(entry.def).span;
        let (comments, start, _) = version.extent(entry).unwrap_or((0, 0, 0));
        let above = bytes.get(comments..start).unwrap_or_default();
        let n_above = (above.split(|byte| *byte == b'\n').count() - 1) as u32;
        (span.start_line.saturating_sub(n_above)..=span.end_line).contains(&line)
    };
    let size = |entry: &&Entry| {
        let span = facts.def(entry.def).span;
        (entry.sort == Sort::Value, span.end_byte - span.start_byte)
    };
    version.entries().iter().filter(around).min_by_key(size).cloned().ok_or_else(|| {
        Error::not_found(format!("no symbol at line {line} of {}", version.path))
            .suggest(format!("see its symbols with: lore outline {}", version.path))
    })
}

fn named(
    version: &Version,
    name: &str,
    params: Option<&[String]>,
    line: Option<u32>,
) -> Result<Entry> {
    let wanted: Vec<&str> = segments(name);
    let ends = |entry: &&Entry| segments(&entry.path).ends_with(&wanted);
    let mut found: Vec<&Entry> = version.entries().iter().filter(ends).collect();
    if found.is_empty() {
        // An index puts the module in front: `app.Flask.run` is `Flask.run` here.
        let is_tail = |entry: &&Entry| wanted.ends_with(&segments(&entry.path));
        found = version.entries().iter().filter(is_tail).collect();
        let longest = found.iter().map(|entry| segments(&entry.path).len()).max();
        found.retain(|entry| Some(segments(&entry.path).len()) == longest);
    }
    if wanted.is_empty() || found.is_empty() {
        let all = version.entries().iter();
        let mut near = nearest(name, all.clone().map(|entry| &*entry.path), 3);
        if near.is_empty() {
            near = nearest(wanted.last().unwrap_or(&name), all.map(|entry| &*entry.name), 3);
        }
        let error =
            Error::not_found(format!("no symbol `{}` in {}", one_line(name, 80), version.path));
        return Err(match near.as_slice() {
            [] => error.suggest(format!("see its symbols with: lore outline {}", version.path)),
            near => error.suggest(format!("did you mean {}?", near.join(", "))),
        });
    }
    if let Some(params) = params {
        let fits = |entry: &&Entry| {
            entry.params.len() == params.len()
                && entry.params.iter().zip(params).all(|(has, typed)| {
                    let mut words = typed.split(|c: char| !c.is_alphanumeric() && c != '_');
                    words.any(|word| word == &**has)
                })
        };
        let fitting: Vec<&Entry> = found.iter().copied().filter(fits).collect();
        if !fitting.is_empty() {
            found = fitting;
        }
    }
    let facts = version.facts();
    let line_of = |entry: &Entry| facts.def(entry.def).name_line;
    if let Some(line) = line {
        found.sort_by_key(|entry| line_of(entry).abs_diff(line));
        found.truncate(1);
    }
    // The outermost of one name is meant: a class, not its constructor.
    let shortest = found.iter().map(|entry| segments(&entry.path).len()).min();
    found.retain(|entry| Some(segments(&entry.path).len()) == shortest);
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        all => {
            let lines: Vec<String> = all.iter().map(|entry| line_of(entry).to_string()).collect();
            Err(Error::new(
                model::ErrorCode::Ambiguous,
                format!(
                    "{} symbols of {} are called {}",
                    all.len(),
                    version.path,
                    one_line(name, 80)
                ),
            )
            .suggest(format!(
                "name one by its line, e.g. {}:{} (lines {})",
                version.path,
                lines[0],
                lines.join(", ")
            )))
        }
    }
}

/// The names of a path, whatever joins them.
fn segments(path: &str) -> Vec<&str> {
    path.split(['.', ':', '#', '/', '$']).filter(|part| !part.is_empty()).collect()
}
