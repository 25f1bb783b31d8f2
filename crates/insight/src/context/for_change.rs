//! `lore context --files`, `--mr`, `--base … --head …`: what a change touches and
//! reaches. Nothing is searched by text here: the graph says it.

use super::corpus::{Corpus, Symbol, is_unit};
use super::pack::{self, Candidate, Pack, PackOptions, PackedText, TokenCounter};
use super::strength::Strength;
use super::terms::Query;
use super::texts::{self, Sources};
use crate::cache::{self, CachedAnswer, Question};
use crate::code::impact::KINDS;
use crate::code::walk::{VisitedNode, walk};
use crate::code::{Direction, Scope, TraversalOptions, View, owners_of};
use crate::why::linked_records;
use git::{ObjectId, Repo};
use model::code::{EdgeKind, NodeKind, SymbolKind};
use model::ids::NodeId;
use model::record::ChangeKind;
use model::text::{clean, one_line};
use model::{Error, Result};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::{Component, Path};
use store::Reader;
use store::memory::records;
use store::results::Durability;

/// What is changed.
#[derive(Debug, Clone)]
pub enum ChangeTarget {
    /// Whole files, by their paths from the root of the repository.
    Files(Vec<String>),
    /// Between two commits; the scope is at the later one.
    Between { base: ObjectId, head: ObjectId },
}

/// How far a change is followed, and how many symbols it may reach.
const DEPTH: u32 = 2;
const MOST_REACHED: usize = 400;

pub fn for_change(
    reader: &Reader,
    scope: &Scope,
    changed: &ChangeTarget,
    options: &PackOptions,
    sources: &Sources,
    counter: &dyn TokenCounter,
) -> Result<Pack> {
    let sources = &sources.of_the_day();
    if !pack::is_kept(scope, options) {
        return computed(reader, scope, changed, options, sources, counter);
    }
    let what = match changed {
        ChangeTarget::Files(files) => files.clone(),
        ChangeTarget::Between { base, head } => vec![format!("{base}..{head}")],
    };
    let parameters = (what, options, sources.memory_numbers());
    let inputs = pack::inputs(reader, scope, sources)?;
    let question = Question { name: "context_for_change", parameters, scope, inputs };
    cache::answer(reader, &question, || {
        let value = computed(reader, scope, changed, options, sources, counter)?;
        Ok(CachedAnswer { value, reads: None, durability: Durability::Table })
    })
}

fn computed(
    reader: &Reader,
    scope: &Scope,
    changed: &ChangeTarget,
    options: &PackOptions,
    sources: &Sources,
    counter: &dyn TokenCounter,
) -> Result<Pack> {
    let view = View::new(reader, scope);
    let corpus = Corpus::load(&view, &Query::default(), true)?;
    let (seeds, paths) = match changed {
        ChangeTarget::Files(files) => seeds_of_files(&corpus, files, view.scope.dir.as_deref())?,
        ChangeTarget::Between { base, head } => seeds_between(&view, &corpus, *base, *head)?,
    };
    let mut nodes = Vec::new();
    for seed in &seeds {
        nodes.extend(corpus.node_of(&view, *seed)?);
    }
    let limits = TraversalOptions {
        max_depth: DEPTH,
        max_results: MOST_REACHED,
        min_confidence: 0,
        kinds: KINDS.to_vec(),
        through_bases: true,
    };
    let walked = walk(&view, &nodes, Direction::Incoming, &limits)?;
    let mut candidates = changed_candidates(&view, &corpus, &seeds)?;
    candidates.extend(reached_candidates(&view, &corpus, &walked.reached)?);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.symbol.cmp(&b.symbol)));
    let mut shares: BTreeMap<String, usize> = BTreeMap::new();
    for path in &paths {
        for owner in owners_of(reader, scope, path)? {
            *shares.entry(owner.owner).or_default() += 1;
        }
    }
    let mut owners: Vec<(String, usize)> = shares.into_iter().collect();
    owners.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut about = linked(&view, &nodes, &paths, sources)?;
    for path in paths.iter().take(5) {
        for text in texts::about(reader, scope.repo.project, path, Some(path), sources)? {
            if !about.iter().any(|known| known.reference == text.reference) {
                about.push(text);
            }
        }
    }
    let pack = Pack {
        standing: scope.standing(),
        task: one_line(&format!("change of {}", paths.join(", ")), 160),
        strength: if candidates.is_empty() { Strength::None } else { Strength::Strong },
        notes: if walked.is_truncated || walked.is_deeper {
            vec!["the change reaches further; lore impact follows it".to_owned()]
        } else {
            Vec::new()
        },
        files: paths
            .iter()
            .take(30)
            .map(|path| pack::PackedFile {
                path: path.clone(),
                why: vec!["is changed".to_owned()],
                shares: Vec::new(),
            })
            .collect(),
        symbols: Vec::new(),
        edges: Vec::new(),
        texts: Vec::new(),
        owners: owners.into_iter().map(|(owner, _)| owner).collect(),
        tokens: 0,
        budget: options.budget,
        left_out: 0,
        is_cut_by_limit: false,
        pack_root: String::new(),
    };
    pack::fill(&view, &corpus, pack, candidates, about, options, counter)
}

/// Symbols and paths whose records are asked for.
const MOST_ASKED: usize = 300;
const MOST_LINKED: usize = 8;

/// Records that people linked to the files, to lines of them or to their symbols.
fn linked(
    view: &View<'_>,
    nodes: &[NodeId],
    paths: &[String],
    sources: &Sources,
) -> Result<Vec<PackedText>> {
    if sources.memory.is_empty() {
        return Ok(Vec::new());
    }
    let mut ends: Vec<String> =
        paths.iter().take(MOST_ASKED).map(|path| format!("path:{path}")).collect();
    for node in nodes.iter().take(MOST_ASKED) {
        let Some(symbol) = view.symbol(*node)?.filter(|it| it.kind != NodeKind::Module) else {
            continue;
        };
        let parts: Vec<&str> = symbol.symbol.split('.').collect();
        for from in 0..parts.len() {
            // The plain name of a member may be that of anything, elsewhere.
            let is_member = matches!(symbol.kind, SymbolKind::Method | SymbolKind::Field);
            if from + 1 < parts.len() || !is_member {
                ends.push(format!("symbol:{}", parts[from..].join(".")));
                ends.push(format!("symbol:{}", parts[from..].join("::")));
            }
        }
    }
    ends.dedup();
    let mut found = Vec::new();
    for record in linked_records(view.reader, &ends)? {
        if record.is_superseded || record.record.foreign {
            continue;
        }
        let rows = records::by_id(view.reader, record.record.id.as_str())?;
        let Some(row) = rows.into_iter().find(|row| sources.memory.contains(&row.root)) else {
            continue;
        };
        found.push(PackedText {
            reference: record.record.id.to_string(),
            kind: record.record.kind.as_str().to_owned(),
            title: one_line(&clean(&record.record.title), 160),
            text: one_line(&clean(&row.body), 400),
        });
        if found.len() == MOST_LINKED {
            break;
        }
    }
    Ok(found)
}

type Seeds = (Vec<Symbol>, Vec<String>);

/// Whether a work tree has a file, without following what leads out of it.
fn is_file_of(dir: &str, path: &str) -> bool {
    let is_inside = Path::new(path).components().all(|it| matches!(it, Component::Normal(_)));
    is_inside && Path::new(dir).join(path).symlink_metadata().is_ok_and(|it| it.is_file())
}

fn seeds_of_files(corpus: &Corpus, files: &[String], dir: Option<&str>) -> Result<Seeds> {
    let mut seeds = Vec::new();
    for path in files {
        let Some(file) = corpus.by_path.get(path.as_str()).copied() else {
            let shown = one_line(path, 120);
            if dir.is_some_and(|dir| is_file_of(dir, path)) {
                let what =
                    format!("`{shown}` has no symbols: lore reads code, contracts and the like");
                return Err(Error::not_found(what).suggest("name files of code"));
            }
            let what = format!("no indexed file `{shown}` in this snapshot");
            return Err(Error::not_found(what)
                .suggest("write the path from the root of the repository; run: lore index"));
        };
        let defs = &corpus.files[file as usize].defs;
        seeds.extend((0..defs.len() as u32).map(|def| Symbol { file, def }));
    }
    Ok((seeds, files.to_vec()))
}

/// The innermost definitions around the lines that differ.
fn seeds_between(
    view: &View<'_>,
    corpus: &Corpus,
    base: ObjectId,
    head: ObjectId,
) -> Result<Seeds> {
    let dir = view.scope.dir.as_deref().ok_or_else(|| {
        Error::not_found("the repository is not on this machine").suggest("run: lore repo add PATH")
    })?;
    let repo = Repo::known(Path::new(dir));
    let (mut seeds, mut paths) = (Vec::new(), Vec::new());
    for change in repo.changes(Some(base), head)? {
        let path = change.path.text().into_owned();
        paths.push(path.clone());
        let Some(file) = corpus.by_path.get(&path).copied() else { continue };
        if change.kind == ChangeKind::Added {
            let n_defs = corpus.files[file as usize].defs.len() as u32;
            seeds.extend((1..n_defs).map(|def| Symbol { file, def }));
            continue;
        }
        for hunk in repo.hunks((base, &change.old_path), (head, &change.path))? {
            let last = hunk.start + hunk.len.max(1);
            let around =
                (hunk.start..last).take(5_000).filter_map(|line| corpus.at_line(file, line as u32));
            seeds.extend(around);
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
    Ok((seeds, paths))
}

/// What is changed itself; first what others use most.
fn changed_candidates(
    view: &View<'_>,
    corpus: &Corpus,
    seeds: &[Symbol],
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for symbol in seeds.iter().filter(|symbol| is_unit(corpus.def(**symbol).kind)) {
        let Some(node) = corpus.node_of(view, *symbol)? else { continue };
        let incoming = view.incoming(node)?;
        let uses = incoming.iter().filter(|step| step.kind != EdgeKind::Contains);
        let users: FxHashSet<NodeId> = uses.map(|step| step.node).collect();
        let used = (users.len() as f64).ln_1p() / 10.0;
        found.push(Candidate {
            symbol: *symbol,
            score: 1.0 + used.min(0.5),
            why: vec!["is changed".to_owned()],
            shares: Vec::new(),
        });
    }
    Ok(found)
}

fn reached_candidates(
    view: &View<'_>,
    corpus: &Corpus,
    reached: &[VisitedNode],
) -> Result<Vec<Candidate>> {
    let mut found = Vec::new();
    for one in reached {
        let Some(symbol) = corpus.symbol_of(view, one.node)? else { continue };
        if !is_unit(corpus.def(symbol).kind) {
            continue;
        }
        let target = view.symbol(one.from)?.map_or_else(String::new, |symbol| symbol.symbol);
        let is_test = corpus.def(symbol).is_test || corpus.files[symbol.file as usize].is_test;
        let why = match (is_test, one.step.kind) {
            (true, _) => format!("tests {target}"),
            (false, EdgeKind::Calls) => format!("calls {target}"),
            (false, kind) => format!("{} {target}", kind.as_str().replace('_', " ")),
        };
        let sure = f64::from(one.confidence) / 100.0;
        // Tests follow the code that calls: they are read when something breaks.
        let base = if is_test { 0.5 } else { 0.8 };
        let score = base * sure / f64::from(one.depth);
        found.push(Candidate { symbol, score, why: vec![why], shares: Vec::new() });
    }
    Ok(found)
}
