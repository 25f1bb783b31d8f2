//! Records of memory: in lists, recalled, whole, and their graph.

use super::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::memory::RecordLine;
use insight::memory::detail::RecordDetail;
use insight::memory::graph::{GraphEdge, GraphView, Node};
use insight::memory::list::RecordList;
use insight::memory::recall::{Explanation, Recall, RecallHit};
use model::memory::DecisionStatus;
use model::text::{one_line, width};
use search::reinforcement::Factors;

/// Lines of a rationale shown in a list.
const TEXT_LINES: usize = 2;

impl Show for RecordList {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("id"),
            Column::new("kind"),
            Column::flexible("title"),
            Column::new("project"),
            Column::new("created"),
        ]);
        for it in &self.items {
            table.row([
                Cell::text(it.id.as_str()).label(Label::Id),
                Cell::text(kind(it.kind.as_str(), it.foreign)),
                Cell::text(&it.title),
                Cell::text(it.project.as_deref().unwrap_or("")).label(Label::Path),
                Cell::date(it.created_at),
            ]);
        }
        out.table(&table);
        if !out.look().is_tty {
            return;
        }
        let shown = self.items.len() as u64;
        if self.total == 0 {
            out.footer("nothing is kept yet; lore remember --help");
        } else if shown < self.total {
            out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)));
        }
    }
}

impl Show for Recall {
    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            for item in &self.items {
                block(item, out);
            }
            let shown = self.items.len() as u64;
            if shown == 0 {
                out.footer("nothing matches; `lore miss` notes what you were looking for");
            } else if shown < self.total {
                out.footer(&format!("{shown} of {}; -n shows more", grouped(self.total)));
            }
        } else {
            rows(self, out);
        }
    }
}

fn rows(recall: &Recall, out: &mut Painter) {
    let names = ["id", "kind", "title", "project", "created", "score", "status", "text", "file"];
    let is_explained = recall.items.iter().any(|item| item.explain.is_some());
    let has_graph = recall.items.iter().any(|item| !item.graph.is_empty());
    let further = [(is_explained, "ranked by"), (has_graph, "graph")];
    let further = further.iter().filter(|(is_there, _)| *is_there).map(|(_, name)| *name);
    let mut table = Table::new(names.into_iter().chain(further).map(Column::new));
    for item in &recall.items {
        let record = &item.record;
        let mut cells = vec![
            Cell::text(record.id.as_str()),
            Cell::text(kind(record.kind.as_str(), record.foreign)),
            Cell::text(&record.title),
            Cell::text(record.project.as_deref().unwrap_or("")),
            Cell::date(record.created_at),
            Cell::text(format!("{:.3}", item.score)),
            Cell::text(status(item)),
            Cell::text(&item.text),
            Cell::text(format!("{}:{}", record.file, record.line)),
        ];
        if is_explained {
            let line = item.explain.as_ref().map(|it| explanation(item.score, it));
            cells.push(Cell::text(line.unwrap_or_default()));
        }
        if has_graph {
            let edges: Vec<String> = item.graph.iter().map(edge_line).collect();
            cells.push(Cell::text(edges.join("; ")));
        }
        table.row(cells);
    }
    out.table(&table);
}

const fn status(item: &RecallHit) -> &'static str {
    let is_old =
        matches!(item.record.status, DecisionStatus::Superseded) || !item.superseded_by.is_empty();
    match (is_old, item.contradicts.is_empty()) {
        (true, _) => "superseded",
        (false, false) => "contradicted",
        (false, true) => "active",
    }
}

fn block(item: &RecallHit, out: &mut Painter) {
    let record = &item.record;
    out.gap().label(Label::Id, record.id.as_str()).text("  ");
    let room = out.look().width.saturating_sub(width(record.id.as_str()) + 2);
    out.label(Label::Heading, &one_line(&record.title, room)).end();
    out.text("  ");
    about(record, out);
    out.end();
    if status(item) == "superseded" {
        out.text("  ").label(Label::Warning, "superseded");
        for new in &item.superseded_by {
            out.text(" by ").label(Label::Id, new.as_str());
        }
        out.end();
    }
    for other in &item.contradicts {
        out.text("  ").label(Label::Warning, "contradicts ").label(Label::Id, other.id.as_str());
        if let Some(title) = &other.title {
            out.text(": ").text(&one_line(title, 60));
        }
        out.end();
    }
    let room = out.look().width.saturating_sub(2);
    let lines = model::text::wrap(&one_line(&item.text, room * TEXT_LINES), room);
    for line in lines.iter().take(TEXT_LINES).filter(|line| !line.is_empty()) {
        out.text("  ").line(line);
    }
    if let Some(explain) = &item.explain {
        out.text("  ").label(Label::Faint, &explanation(item.score, explain)).end();
    }
    edges(&item.graph, out);
}

/// Where edges lead, the farther the deeper.
pub(super) fn edges(steps: &[GraphEdge], out: &mut Painter) {
    for step in steps {
        out.text(&"  ".repeat(usize::from(step.depth)));
        edge(step, out);
    }
}

/// `decision`, or `decision (foreign)` of what came with a clone that nobody
/// trusts.
pub(super) fn kind(kind: &str, foreign: bool) -> String {
    if foreign { format!("{kind} (foreign)") } else { kind.to_owned() }
}

fn about(record: &RecordLine, out: &mut Painter) {
    out.label(Label::Faint, record.kind.as_str());
    if record.foreign {
        out.text(" ").label(Label::Warning, "(foreign)");
    }
    match record.confidence {
        Some(confidence) => out.label(Label::Faint, &format!(" · confidence {confidence}")),
        None => out.label(Label::Faint, &format!(" · importance {}", record.importance)),
    };
    if let Some(project) = &record.project {
        out.label(Label::Faint, " · ").label(Label::Path, project);
    }
    if let Some(author) = &record.author {
        out.label(Label::Faint, " · ").label(Label::Person, author);
    }
    out.label(Label::Faint, " · ").date(record.created_at);
    if !record.tags.is_empty() {
        out.label(Label::Faint, " · ").label(Label::Tag, &record.tags.join(", "));
    }
}

/// `3.91 = text 5.20 × decay 0.50 × …`; what is 1 is left out.
fn explanation(score: f64, explain: &Explanation) -> String {
    let mut text = format!("{score:.2} = text {:.2}", explain.text_score);
    let factors = &explain.factors;
    for (name, value) in [
        (format!("decay ({:.0} days)", explain.age), factors.decay),
        (format!("frequency ({})", explain.n_accesses), factors.frequency),
        ("importance".to_owned(), factors.importance),
        ("last access".to_owned(), factors.last_access),
        ("project".to_owned(), factors.project),
        ("superseded".to_owned(), factors.superseded),
    ] {
        if (value - 1.0).abs() > 0.0005 {
            text.push_str(&format!(" × {name} {value:.2}"));
        }
    }
    text
}

impl Show for GraphView {
    fn text(&self, out: &mut Painter) {
        if !out.look().is_tty {
            let names = ["depth", "from", "relation", "to", "title"];
            let mut table = Table::new(names.map(Column::new));
            for step in &self.steps {
                let other = if step.from == self.start { &step.to } else { &step.from };
                table.row([
                    Cell::text(step.depth.to_string()),
                    Cell::text(&step.from.end),
                    Cell::text(step.relation.as_str()),
                    Cell::text(&step.to.end),
                    Cell::text(other.title.as_deref().unwrap_or("")),
                ]);
            }
            out.table(&table);
            return;
        }
        node(&self.start, out);
        out.end();
        edges(&self.steps, out);
        if self.steps.is_empty() {
            out.footer("no edges");
        }
    }
}

/// `decay 0.50 × importance 1.12`; what is 1 is left out.
pub(super) fn factors(factors: &Factors) -> String {
    let named = [
        ("decay", factors.decay),
        ("frequency", factors.frequency),
        ("importance", factors.importance),
        ("last access", factors.last_access),
        ("project", factors.project),
        ("superseded", factors.superseded),
    ];
    let told = named.iter().filter(|(_, value)| (value - 1.0).abs() > 0.0005);
    told.map(|(name, value)| format!("{name} {value:.2}")).collect::<Vec<_>>().join(" × ")
}

/// `[pattern] X → contradicts → [decision] Y`.
fn edge(step: &GraphEdge, out: &mut Painter) {
    node(&step.from, out);
    out.text(" → ").label(Label::Warning, step.relation.as_str()).text(" → ");
    node(&step.to, out);
    out.end();
}

/// The same in a cell of a table: `[pattern] X pat-… → contradicts → [decision] Y dec-…`.
pub(super) fn edge_line(step: &GraphEdge) -> String {
    let end = |node: &Node| {
        let kind = kind(&node.kind.replace('_', " "), node.foreign);
        match &node.title {
            Some(title) => format!("[{kind}] {} {}", one_line(title, 48), node.end),
            None => format!("[{kind}] {}", one_line(&node.end, 80)),
        }
    };
    format!("{} → {} → {}", end(&step.from), step.relation.as_str(), end(&step.to))
}

fn node(node: &Node, out: &mut Painter) {
    let kind = kind(&node.kind.replace('_', " "), node.foreign);
    out.label(Label::Faint, &format!("[{kind}] "));
    match &node.title {
        Some(title) => {
            out.text(&one_line(title, 48)).text(" ");
            out.label(Label::Id, &node.end);
        }
        None => {
            out.label(Label::Path, &one_line(&node.end, 80));
        }
    }
}

impl Show for RecordDetail {
    fn text(&self, out: &mut Painter) {
        let record = &self.record;
        out.label(Label::Id, record.id.as_str()).text("  ");
        about(record, out);
        out.end();
        if record.status == DecisionStatus::Superseded || !self.superseded_by.is_empty() {
            out.label(Label::Warning, "superseded");
            for new in &self.superseded_by {
                out.text(" by ").label(Label::Id, new.id.as_str()).text(" ");
                out.text(&one_line(new.title.as_deref().unwrap_or(""), 60));
            }
            out.end();
        }
        out.gap().paragraph(2, &record.title);
        for section in &self.sections {
            out.gap().heading(&section.name);
            for text in &section.texts {
                if section.is_list {
                    out.paragraph(2, &format!("- {text}"));
                } else {
                    out.paragraph(2, text);
                }
            }
        }
        if !self.edges.is_empty() {
            out.gap().heading("edges");
            for step in &self.edges {
                out.text("  ");
                edge(step, out);
            }
        }
        out.gap().field("file", &format!("{}:{}", record.file, record.line));
    }
}
