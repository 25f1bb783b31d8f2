//! Neighbours in the code graph: what the found files import and the found
//! functions call.

use crate::context::channel::{Channel, Evidence, Scores, strongest, summed};
use crate::context::corpus::is_unit;
use model::Result;
use model::code::EdgeKind;
use rustc_hash::FxHashMap;

/// So many files and functions of the first stage are looked around.
const FILES: usize = 5;
const FUNCTIONS: usize = 8;

/// The files to start from, with their scores squared: the first counts most.
pub fn seeds(evidence: &Evidence<'_, '_>) -> Vec<(u32, f64)> {
    let first = evidence.ranking.files.iter().take(FILES);
    first.map(|(file, score)| (*file, score * score)).collect()
}

/// The files of the corpus each seed imports.
fn imported(evidence: &Evidence<'_, '_>) -> Result<Vec<(f64, Vec<u32>)>> {
    let (corpus, view) = (evidence.corpus, evidence.view);
    let mut all = Vec::new();
    for (seed, weight) in seeds(evidence) {
        let mut targets = Vec::new();
        let edges = view.edges_of(corpus.files[seed as usize].link)?;
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Imports) {
            targets.extend(corpus.symbol_of(view, edge.target)?.map(|symbol| symbol.file));
        }
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|file| *file != seed);
        all.push((weight, targets));
    }
    Ok(all)
}

pub struct Imports;

impl Channel for Imports {
    fn name(&self) -> &'static str {
        "imports"
    }

    fn reason(&self) -> &'static str {
        "is imported by files that match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let mut files = Vec::new();
        for (weight, targets) in imported(evidence)? {
            let share = weight / (targets.len().max(1) as f64).sqrt();
            files.extend(targets.into_iter().map(|file| (file, share)));
        }
        Ok(Scores { files: summed(files), symbols: Vec::new() })
    }
}

/// The same, where few files import it.
pub struct RareImports;

impl Channel for RareImports {
    fn name(&self) -> &'static str {
        "rare-imports"
    }

    fn reason(&self) -> &'static str {
        "is imported by files that match, and by few others"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let mut files = Vec::new();
        let mut importers: FxHashMap<u32, f64> = FxHashMap::default();
        for (weight, targets) in imported(evidence)? {
            for file in targets {
                let n_importers = match importers.get(&file) {
                    Some(known) => *known,
                    None => {
                        let module =
                            view.nodes_of(corpus.files[file as usize].id)?.first().copied();
                        let n = match module {
                            Some(node) => view
                                .incoming(node)?
                                .iter()
                                .filter(|step| step.kind == EdgeKind::Imports)
                                .count(),
                            None => 0,
                        };
                        importers.insert(file, n.max(1) as f64);
                        n.max(1) as f64
                    }
                };
                files.push((file, weight / n_importers.sqrt()));
            }
        }
        Ok(Scores { files: summed(files), symbols: Vec::new() })
    }
}

/// What the best functions call.
pub struct Callees;

impl Channel for Callees {
    fn name(&self) -> &'static str {
        "callees"
    }

    fn reason(&self) -> &'static str {
        "is called by functions that match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, view) = (evidence.corpus, evidence.view);
        let mut scores = Scores::default();
        for (caller, score) in evidence.ranking.symbols.iter().take(FUNCTIONS) {
            let Some(node) = corpus.node_of(view, *caller)? else { continue };
            let mut called = Vec::new();
            for step in view.outgoing(node)? {
                if step.kind == EdgeKind::Calls
                    && let Some(symbol) = corpus.symbol_of(view, step.node)?
                    && symbol != *caller
                {
                    called.push(symbol);
                }
            }
            called.sort_unstable();
            called.dedup();
            for symbol in called {
                scores.files.push((symbol.file, score * score));
                if is_unit(corpus.def(symbol).kind) {
                    scores.symbols.push((symbol, score * score));
                }
            }
        }
        scores.files = strongest(scores.files);
        scores.symbols = strongest(scores.symbols);
        Ok(scores)
    }
}
