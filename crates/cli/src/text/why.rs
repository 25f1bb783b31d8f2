use super::counted;
use super::file_history::missing;
use super::trace::{commit, merge_request, substance, told};
use crate::ui::{Label, Painter, Show};
use insight::people::experts::Expert;
use insight::why::{Dependents, LinkedRecord, Why};
use model::text::one_line;

/// Of the lines of a long symbol, those that fit on one screen with the rest.
const RUNS: usize = 4;

impl Show for Why {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::why(self))
    }

    fn text(&self, out: &mut Painter) {
        if let Some(trace) = &self.trace {
            told(trace, RUNS, out);
        }
        if let Some(origin) = &self.commit {
            commit(&origin.commit, out);
            if let (Some(method), Some(confidence)) = (origin.method, origin.confidence) {
                let words = method.words();
                let known = format!("  brought by the merge request below, known by {words}");
                out.label(Label::Faint, &format!("{known} ({confidence:.2})")).end();
            }
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
        whom_to_ask(&self.experts, out);
        missing(&self.missing, out);
    }
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
        out.label(Label::Warning, &format!("; {calls} of its name not resolved"));
    }
    out.end();
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
