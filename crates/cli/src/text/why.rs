use super::counted;
use super::file_history::missing;
use super::trace::{asked_commit, commit, merge_request, substance, told};
use crate::ui::{Label, Painter, Show};
use insight::people::experts::Expert;
use insight::trace::LineOrigin;
use insight::why::{Dependents, Focus, LinkedRecord, Why};
use model::text::one_line;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Of the lines of a long symbol, those that fit on one screen with the rest.
const RUNS: usize = 4;

impl Show for Why {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::why(self))
    }

    fn text(&self, out: &mut Painter) {
        wording(self, out);
        if let Some(trace) = &self.trace {
            told(trace, &telling(&trace.origins), out);
            if let Some(focus) = self.focus.as_ref() {
                narrowed(focus, out);
            }
        }
        if let Some(origin) = &self.commit {
            asked_commit(origin, None, out);
        }
        let subject = self.entity.as_ref();
        if let Some(entity) = subject {
            out.link(Label::Id, &entity.reference, &entity.url).text("  ");
            out.label(Label::Heading, &one_line(&entity.title, 90)).end();
            let project = entity.reference.split(['!', '#']).next();
            substance(entity, project, out);
        }
        let project = subject.and_then(|entity| entity.reference.split(['!', '#']).next());
        for explained in &self.merge_requests {
            out.gap();
            merge_request(explained, project, out);
        }
        if !self.records.is_empty() {
            out.gap().heading("recorded");
            for record in &self.records {
                recorded(record, out);
            }
        }
        if let Some(dependents) = &self.dependents {
            depending(dependents, out);
        }
        super::runtime::weight(self.runtime.as_ref(), "", out);
        whom_to_ask(&self.experts, out);
        missing(&self.missing, out);
    }
}

/// Where a name stands that no symbol has.
fn wording(why: &Why, out: &mut Painter) {
    if why.text_places.is_empty() {
        return;
    }
    out.label(Label::Warning, &format!("no symbol is called {}; lines that have it:", why.target));
    out.end();
    for place in &why.text_places {
        out.text("  ").label(Label::Path, &format!("{}:{}", place.path, place.line));
        out.text("  ").label(Label::Faint, &place.text).end();
    }
    out.gap();
}

fn narrowed(focus: &Focus, out: &mut Painter) {
    let words = focus.words.join(", ");
    if focus.left_out > 0 {
        let others = counted(focus.left_out as u64, "other commit", "other commits");
        let told = format!("{others} changed these lines and say less of {words}");
        out.gap().label(Label::Faint, &told).end();
    }
    if !focus.of_file.is_empty() {
        out.gap().heading(&format!("the file's commits that say more of {words}"));
        focus.of_file.iter().for_each(|reason| commit(reason, out));
    }
}

/// Of many runs of lines those whose commits tell most, each commit once: with
/// reasons before without, then by how many lines they brought. In the order of
/// the lines.
fn telling(origins: &[LineOrigin]) -> Vec<&LineOrigin> {
    if origins.len() <= RUNS {
        return origins.iter().collect();
    }
    let sha = |origin: &LineOrigin| origin.commit.as_ref().map(|commit| commit.sha.clone());
    let mut n_lines: BTreeMap<Option<String>, u64> = BTreeMap::new();
    for origin in origins {
        *n_lines.entry(sha(origin)).or_default() += 1 + origin.lines.last - origin.lines.first;
    }
    let gives_reasons = |origin: &LineOrigin| {
        let body = origin.commit.as_ref().and_then(|commit| commit.body.as_ref());
        body.is_some_and(|body| body.gives_reasons) || origin.merge_request.is_some()
    };
    let mut seen = BTreeSet::new();
    let mut first: Vec<(usize, &LineOrigin)> =
        origins.iter().enumerate().filter(|(_, it)| seen.insert(sha(it))).collect();
    first.sort_by_key(|(place, it)| {
        Reverse((gives_reasons(it), n_lines[&sha(it)], Reverse(*place)))
    });
    first.truncate(RUNS);
    first.sort_by_key(|(place, _)| *place);
    first.into_iter().map(|(_, it)| it).collect()
}

/// Whether it is run by operators and protocols of its language, which name it
/// nowhere.
fn is_called_by_operators(symbol: &str) -> bool {
    let name = symbol.rsplit('.').next().unwrap_or(symbol);
    let is_dunder = name.len() > 4 && name.starts_with("__") && name.ends_with("__");
    is_dunder || name.starts_with("operator")
}

fn depending(dependents: &Dependents, out: &mut Painter) {
    out.gap().heading("what depends on it");
    let more = if dependents.truncated { "at least " } else { "" };
    out.text(&format!(
        "  {more}{}, {} of them tests",
        counted(dependents.total, "symbol", "symbols"),
        dependents.tests
    ));
    if dependents.unresolved > 0 {
        let calls = counted(dependents.unresolved, "call", "calls");
        // Of a file, calls of everything it defines are counted.
        let whose = if dependents.of.contains('/') { "names it defines" } else { "its name" };
        out.label(Label::Warning, &format!("; {calls} of {whose} not resolved"));
    }
    out.end();
    if is_called_by_operators(&dependents.of) {
        out.label(Label::Faint, "  operators and protocols that run it are not seen").end();
    }
    for symbol in &dependents.nearest {
        out.text("  ").text(&one_line(&symbol.symbol, 90));
        out.label(Label::Faint, &format!("  {}:{}", symbol.path, symbol.line)).end();
    }
}

fn whom_to_ask(experts: &[Expert], out: &mut Painter) {
    if experts.is_empty() {
        return;
    }
    out.gap().heading("whom to ask");
    for expert in experts {
        let name = match &expert.username {
            Some(username) => format!("@{username}"),
            None => one_line(&expert.name, 60),
        };
        out.text("  ").label(Label::Person, &name);
        out.text("  ").text(&expert.reason);
        if let Some(last) = expert.last_at {
            out.label(Label::Faint, "  last ").date(last);
        }
        out.end();
    }
}

fn recorded(linked: &LinkedRecord, out: &mut Painter) {
    let record = &linked.record;
    out.text("  ").label(Label::Id, record.id.as_str()).text("  ");
    out.text(&one_line(&record.title, 90));
    if linked.is_superseded {
        out.label(Label::Warning, "  superseded");
    }
    if record.foreign {
        out.text("  ").label(Label::Warning, "(foreign)");
    }
    out.text("  ").date(record.created_at);
    out.label(Label::Faint, &format!("  about {}", linked.linked_to)).end();
}
