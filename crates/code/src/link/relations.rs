//! Relations that contracts and infrastructure state by name.
//!
//! A name means a definition of the right kind: in the same file if there is
//! one, else the only one of the repository, or the only one nearest to the
//! file that asks. Where several could be meant, none is taken.

use super::confidence::{self, Rule};
use super::layout::{folder, join};
use super::{Edge, Node, Source};
use crate::facts::{DefId, DefKind, FileFacts, Relation};
use crate::lang;
use model::code::Provenance;
use rustc_hash::FxHashMap;

type Names<'a> = FxHashMap<(DefKind, &'a str), Vec<Node>>;

pub(super) fn edges(files: &[Source<'_>]) -> Vec<Edge> {
    if files.iter().all(|file| file.facts.relations.is_empty()) {
        return Vec::new();
    }
    let names = names(files);
    let by_path: FxHashMap<&str, u32> =
        files.iter().enumerate().map(|(ix, file)| (file.path, ix as u32)).collect();
    let mut found = Vec::new();
    for (ix, file) in files.iter().enumerate() {
        for relation in &file.facts.relations {
            let target = match relation.to_kind {
                DefKind::Module => path_target(file, relation, &by_path),
                _ => named_target(files, ix as u32, file.facts, relation, &names),
            };
            let source = Node { file: ix as u32, def: relation.from };
            if let Some(target) = target.filter(|target| *target != source) {
                let (kind, line) = (relation.kind, relation.line);
                let provenance = Provenance::ConfigDeclared;
                let confidence = confidence::of(Rule::Name);
                found.push(Edge { kind, source, target, line, col: 1, confidence, provenance });
            }
        }
    }
    found.sort_by_key(|edge| (files[edge.source.file as usize].path, *edge));
    found.dedup();
    found
}

/// The definitions others may name.
fn names<'a>(files: &[Source<'a>]) -> Names<'a> {
    let mut names: Names<'a> = FxHashMap::default();
    for (ix, file) in files.iter().enumerate() {
        // What code calls so is no table and no message.
        if lang::by_name(&file.facts.language).is_some() {
            continue;
        }
        for (at, def) in file.facts.defs.iter().enumerate().skip(1) {
            let node = Node { file: ix as u32, def: DefId(at as u32) };
            names.entry((group(def.kind), file.facts.text(def.name))).or_default().push(node);
        }
    }
    names
}

/// Kinds that share one space of names.
fn group(kind: DefKind) -> DefKind {
    match kind {
        DefKind::Enum => DefKind::Message,
        other => other,
    }
}

fn path_target(
    file: &Source<'_>,
    relation: &Relation,
    by_path: &FxHashMap<&str, u32>,
) -> Option<Node> {
    let path = file.facts.text(relation.to);
    let beside = join(folder(file.path), path);
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    // A partial of a style sheet is named without its mark and ending.
    let partials = ["scss", "css", "less"].into_iter().flat_map(|end| {
        let plain = join(folder(file.path), &format!("{path}.{end}"));
        let marked = join(folder(file.path), &format!("{parent}/_{name}.{end}"));
        [plain, marked]
    });
    let tries = [beside, Some(path.trim_start_matches("./").to_owned())];
    let mut found = tries.into_iter().chain(partials).flatten();
    let file = found.find_map(|path| by_path.get(path.as_str()).copied())?;
    Some(Node { file, def: DefId::FILE })
}

fn named_target(
    files: &[Source<'_>],
    from: u32,
    facts: &FileFacts,
    relation: &Relation,
    names: &Names<'_>,
) -> Option<Node> {
    let all = names.get(&(group(relation.to_kind), facts.text(relation.to)))?;
    let only = |nodes: &[Node]| match nodes {
        [one] => Some(*one),
        _ => None,
    };
    let here: Vec<Node> = all.iter().copied().filter(|node| node.file == from).collect();
    if !here.is_empty() || relation.is_local {
        // Several steps that change one thing come after the one that makes it.
        return here.first().copied();
    }
    let base = folder(files[from as usize].path);
    let beside: Vec<Node> =
        all.iter().copied().filter(|node| folder(files[node.file as usize].path) == base).collect();
    only(&beside).or_else(|| only(all)).or_else(|| beside.first().copied())
}
