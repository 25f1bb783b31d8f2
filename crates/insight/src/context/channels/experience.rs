//! Feedback, earlier tasks and this session: see [`crate::context::Experience`].

use crate::context::channel::{Channel, Evidence, Scores};
use crate::context::corpus::Symbol;
use model::Result;
use std::collections::BTreeMap;
use store::code::nodes;

pub struct Feedback;
pub struct TaskMemory;
pub struct Session;

impl Channel for Feedback {
    fn name(&self) -> &'static str {
        "feedback"
    }

    fn reason(&self) -> &'static str {
        "was found useful before"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        of_symbols(evidence, &evidence.experience.feedback)
    }
}

impl Channel for TaskMemory {
    fn name(&self) -> &'static str {
        "task-memory"
    }

    fn reason(&self) -> &'static str {
        "an earlier task like it ended here"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        of_symbols(evidence, &evidence.experience.tasks)
    }
}

impl Channel for Session {
    fn name(&self) -> &'static str {
        "session"
    }

    fn reason(&self) -> &'static str {
        "was looked at just now"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        of_symbols(evidence, &evidence.experience.session)
    }
}

fn of_symbols(evidence: &Evidence<'_, '_>, known: &BTreeMap<String, f64>) -> Result<Scores> {
    let mut scores = Scores::default();
    for (name, score) in known {
        scores.symbols.extend(symbol_named(evidence, name)?.map(|symbol| (symbol, *score)));
    }
    scores.symbols.sort_by_key(|(symbol, _)| *symbol);
    scores.symbols.dedup_by_key(|(symbol, _)| *symbol);
    Ok(scores)
}

/// The definition of a qualified name, if the snapshot has it.
fn symbol_named(evidence: &Evidence<'_, '_>, name: &str) -> Result<Option<Symbol>> {
    let view = evidence.view;
    let tail = name.rsplit('.').next().unwrap_or(name);
    for node in nodes::named(view.reader, tail)? {
        if view.symbol(node.id)?.is_some_and(|symbol| symbol.qualified_name == name) {
            return evidence.corpus.symbol_of(view, node.id);
        }
    }
    Ok(None)
}
