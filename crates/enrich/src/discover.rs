//! What calls alone do not show: which types implement an interface, and who means
//! a function at a call that the server was silent about.

use crate::evidence::{Counts, FileEvidence};
use crate::graph::Claim;
use crate::judge::LSP;
use crate::run::{Sink, StopReason, Work};
use crate::talk::ReadySession;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::code::layers::LayerEdge;

/// A name with more definitions than this is asked about at none of them.
const MOST_NAMESAKES: usize = 4;

type Outcome<T> = std::result::Result<T, StopReason>;

pub(crate) fn run(
    talk: &mut ReadySession<'_, '_>,
    work: &mut Work,
    sink: &mut dyn Sink,
) -> Outcome<()> {
    let capabilities = talk.session.capabilities.clone();
    let mut found: BTreeMap<usize, FileEvidence> = BTreeMap::new();
    if capabilities.implementation {
        implementations(talk, work, &mut found)?;
    }
    if capabilities.references {
        ask_left_open(talk, work)?;
        references(talk, work, &mut found)?;
    }
    for evidence in found.into_values() {
        work.outcome.n_relations +=
            evidence.edges.iter().filter(|edge| edge.kind != EdgeKind::Calls).count() as u64;
        work.hand_in(evidence);
    }
    talk.commit(work, sink, true)
}

fn entry<'e>(
    found: &'e mut BTreeMap<usize, FileEvidence>,
    talk: &ReadySession<'_, '_>,
    at: usize,
) -> &'e mut FileEvidence {
    let file = &talk.run.graph.files[at];
    found.entry(at).or_insert_with(|| FileEvidence {
        file: file.id,
        link: file.link,
        tier: None,
        asked: Vec::new(),
        edges: Vec::new(),
        external: Vec::new(),
        counts: Counts::default(),
    })
}

/// Types that implement an interface, and methods that implement one of it.
fn implementations(
    talk: &mut ReadySession<'_, '_>,
    work: &Work,
    found: &mut BTreeMap<usize, FileEvidence>,
) -> Outcome<()> {
    let graph = talk.run.graph;
    let languages = talk.run.server.kind.languages;
    for (at, file) in graph.files.iter().enumerate() {
        if !languages.contains(&file.language.as_str()) || graph.text(at).is_none() {
            continue;
        }
        let asked: Vec<_> = file
            .definitions
            .iter()
            .filter(|def| matches!(def.kind, NodeKind::Interface | NodeKind::Trait))
            .copied()
            .collect();
        if asked.is_empty() {
            continue;
        }
        let places: Vec<_> = asked.iter().map(|def| (at, def.name_line, def.name_col)).collect();
        talk.open(at);
        let answers = talk.ask_places(work, "textDocument/implementation", &places);
        talk.close(at);
        for (interface, answer) in asked.iter().zip(answers?) {
            for place in &answer {
                let Some((home, place)) = talk.judge.place(place) else { continue };
                let Some(def) = graph.files[home].definition_at(place) else { continue };
                let is_type = matches!(
                    def.kind,
                    NodeKind::Class | NodeKind::Type | NodeKind::Enum | NodeKind::Interface
                );
                if !is_type || def.node == interface.node {
                    continue;
                }
                let edge = LayerEdge {
                    source: def.node,
                    target: interface.node,
                    kind: EdgeKind::Implements,
                    holds: true,
                    confidence: LSP,
                    line: def.name_line,
                    col: def.name_col,
                };
                // An interface that extends another is said so where it is written.
                if def.kind != NodeKind::Interface {
                    entry(found, talk, home).edges.push(edge);
                }
            }
        }
    }
    Ok(())
}

/// Which of the sites that an earlier run left open are silent still: only these are
/// looked for from the other end, as in one run.
fn ask_left_open(talk: &mut ReadySession<'_, '_>, work: &mut Work) -> Outcome<()> {
    let graph = talk.run.graph;
    let left = talk.run.left_open();
    for sites in left.chunk_by(|a, b| a.0 == b.0) {
        let at = sites[0].0;
        let file = &graph.files[at];
        let place = |site: &usize| (at, file.sites[*site].line, file.sites[*site].col);
        let places: Vec<_> = sites.iter().map(|(_, site)| place(site)).collect();
        talk.open(at);
        let answers = talk.ask_places(work, "textDocument/definition", &places);
        talk.close(at);
        let silent = sites.iter().zip(answers?).filter(|(_, answer)| answer.is_empty());
        work.silent.extend(silent.map(|(site, _)| *site));
    }
    Ok(())
}

/// Calls that were silent, found from the definitions that have their name.
fn references(
    talk: &mut ReadySession<'_, '_>,
    work: &mut Work,
    found: &mut BTreeMap<usize, FileEvidence>,
) -> Outcome<()> {
    let graph = talk.run.graph;
    let mut wanted: BTreeMap<String, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for (file, site) in &work.silent {
        let at = &graph.files[*file].sites[*site];
        let Some(text) = graph.text(*file) else { continue };
        let name = text.word_at((at.line, at.col));
        if !name.is_empty() && at.claim == Claim::Open {
            wanted.entry(name.to_owned()).or_default().insert((*file, *site));
        }
    }
    let languages = talk.run.server.kind.languages;
    let mut named: HashMap<&str, Vec<(usize, NodeId)>> = HashMap::new();
    for (at, file) in graph.files.iter().enumerate() {
        if !languages.contains(&file.language.as_str()) {
            continue;
        }
        for def in &file.definitions {
            let is_called = matches!(def.kind, NodeKind::Function | NodeKind::Method);
            let Some(symbol) = graph.symbol(def.node).filter(|_| is_called) else { continue };
            let name = symbol.rsplit('.').next().unwrap_or(symbol);
            if wanted.contains_key(name) {
                named.entry(name).or_default().push((at, def.node));
            }
        }
    }
    for (name, sites) in &wanted {
        let Some(definitions) = named.get(name.as_str()) else { continue };
        if definitions.len() > MOST_NAMESAKES {
            continue;
        }
        for (at, node) in definitions {
            let Some(def) = graph.files[*at].definition_of(*node) else { continue };
            if graph.text(*at).is_none() {
                continue;
            }
            talk.open(*at);
            let answers = talk.ask_places(
                work,
                "textDocument/references",
                &[(*at, def.name_line, def.name_col)],
            );
            talk.close(*at);
            for place in answers?.iter().flatten() {
                let Some((file, place)) = talk.judge.place(place) else { continue };
                let here = &graph.files[file];
                let site = sites.iter().filter(|(home, _)| *home == file).find(|(_, site)| {
                    let site = &here.sites[*site];
                    (site.line, site.col) == place
                });
                let Some((_, site)) = site else { continue };
                let site = &here.sites[*site];
                let Some(source) = here.definitions.get(site.source as usize) else { continue };
                let edge = LayerEdge {
                    source: source.node,
                    target: *node,
                    kind: EdgeKind::Calls,
                    holds: true,
                    confidence: LSP,
                    line: site.line,
                    col: site.col,
                };
                let evidence = entry(found, talk, file);
                evidence.edges.push(edge);
                evidence.counts.new += 1;
                work.outcome.counts.unanswered = work.outcome.counts.unanswered.saturating_sub(1);
            }
        }
    }
    Ok(())
}
