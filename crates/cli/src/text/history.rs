use super::file_history::{missing, short};
use super::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use insight::history::{Dependency, HistoryStep, SymbolHistory};
use model::lineage::{LineageEnd, StepKind};
use model::text::one_line;

impl Show for SymbolHistory {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::history(self))
    }

    fn text(&self, out: &mut Painter) {
        let symbol = &self.symbol;
        out.label(Label::Heading, &symbol.symbol).text("  ");
        out.label(Label::Path, &format!("{}:{}", symbol.path, symbol.line));
        out.label(Label::Faint, &format!("  {}", symbol.kind)).end();
        let changes = counted(self.total, "change", "changes");
        let began = self.steps.last().map(|step| step.authored_at);
        out.label(Label::Faint, &changes);
        if let Some(began) = began {
            out.label(Label::Faint, " since ").date(began);
        }
        if self.names.len() > 1 {
            let former: Vec<String> = self.names[1..]
                .iter()
                .take(4)
                .map(|it| format!("{} in {}", it.symbol, it.path))
                .collect();
            out.end().label(Label::Faint, &format!("was {}", former.join(", ")));
        }
        out.end().gap();
        for step in &self.steps {
            self::step(step, out);
        }
        ending(self.end, out);
        let shown = self.steps.len() as u64;
        if shown < self.total {
            out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)));
        }
        missing(&self.missing, out);
    }
}

impl Show for Dependency {
    fn text(&self, out: &mut Painter) {
        out.label(Label::Heading, &self.user.symbol).text(if self.uses_now {
            " uses "
        } else {
            " does not use "
        });
        out.label(Label::Heading, &self.used.join(", ")).text("  ");
        out.label(Label::Path, &format!("{}:{}", self.user.path, self.user.line)).end();
        if self.changes.is_empty() && !self.is_older_than_history {
            let others = match self.others {
                0 => String::new(),
                1 => "; nor did another symbol of its name".to_owned(),
                n => format!("; nor did {n} others of its name"),
            };
            let never = format!("it never did, under any name known{others}");
            out.label(Label::Faint, &never).end();
        }
        if !self.changes.is_empty() {
            out.gap();
        }
        for change in &self.changes {
            out.label(Label::Faint, if change.begins { "began " } else { "ended " });
            step(&change.step, out);
        }
        if self.is_older_than_history {
            out.label(Label::Faint, "it did so in the oldest version that could be read").end();
        }
        missing(&self.missing, out);
    }
}

/// One commit: when, what, who; then where it came from and why.
fn step(step: &HistoryStep, out: &mut Painter) {
    out.date(step.authored_at).text("  ");
    let label = match step.step.change {
        StepKind::Introduced | StepKind::Copied => Label::Good,
        StepKind::Renamed | StepKind::Moved => Label::Heading,
        StepKind::Changed => Label::Faint,
    };
    out.label(label, step.step.change.as_str());
    let aspects: Vec<&str> = step.step.aspects.iter().map(|aspect| aspect.as_str()).collect();
    if !aspects.is_empty() {
        out.text(" ").label(Label::Faint, &aspects.join(", "));
    }
    out.text("  ").label(Label::Id, &short(&step.step.commit)).text("  ");
    out.text(&one_line(&step.subject, 90)).text("  ");
    out.label(Label::Person, &one_line(&step.author, 40)).end();
    if let Some(old) = &step.step.old
        && step.step.change != StepKind::Changed
    {
        let word = if step.step.change == StepKind::Copied { "of" } else { "from" };
        let is_here = old.path == step.step.new.path;
        let place = if is_here { String::new() } else { format!(" in {}", old.path) };
        out.label(Label::Faint, &format!("    {word} {}{place}", old.symbol)).end();
    }
    if let Some(request) = &step.merge_request {
        out.text("    ").link(Label::Id, &request.reference, &request.url).text("  ");
        out.text(&one_line(&request.title, 90)).end();
        for issue in &request.issues {
            out.label(Label::Faint, &format!("    {} ", issue.relation.as_str()));
            out.label(Label::Id, &issue.reference).text("  ");
            out.text(&one_line(issue.title.as_deref().unwrap_or("not synced"), 90)).end();
        }
    } else if !step.tickets.is_empty() {
        out.label(Label::Faint, &format!("    names {}", step.tickets.join(", "))).end();
    }
    if let Some(reason) = &step.reason {
        out.paragraph(4, reason);
    }
}

fn ending(end: LineageEnd, out: &mut Painter) {
    let why = match end {
        LineageEnd::Introduced | LineageEnd::Shallow => return,
        LineageEnd::Bounded => "too many versions: the oldest were not read",
        LineageEnd::Unexplained => {
            "the history ends here: a merge brought the file in a form that no commit has"
        }
    };
    out.label(Label::Faint, why).end();
}
