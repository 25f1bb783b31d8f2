//! What production showed, as people read it.

use super::code::{place, short_name};
use super::{counted, grouped};
use crate::run_traces::IngestAnswer;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::SymbolRef;
use insight::runtime::{
    Party, RuntimeCaller, RuntimeStaleness, RuntimeWeight, TraceStats, Traffic,
};
use model::runtime::{EndpointKind, Liveness};
use model::text::one_line;
use model::{Error, ErrorCode};

fn liveness_label(state: Liveness) -> Label {
    match state {
        Liveness::Active => Label::Good,
        Liveness::Recent => Label::Faint,
        Liveness::Stale => Label::Warning,
        Liveness::GcEligible => Label::Bad,
    }
}

/// Under a list on a terminal; in a pipe a line that programs leave out.
fn note(text: &str, out: &mut Painter) {
    if out.look().is_tty {
        out.footer(text);
    } else {
        out.text("# ").text(text).end();
    }
}

/// `shop GET /users/{id}`, `table orders`, `(outside)`.
fn party(one: &Party) -> String {
    let words = match one.kind {
        EndpointKind::Outside => "(outside)".to_owned(),
        EndpointKind::Topic | EndpointKind::Table => format!("{} {}", one.kind, one.name),
        _ => format!("{} {}", one.service, one.name),
    };
    one_line(words.trim(), 100)
}

/// The symbol of a party with its place.
fn symbol_of(one: &Party) -> String {
    match &one.symbol {
        Some(symbol) => {
            let home = one.repo.as_deref().unwrap_or_default();
            format!("{} {}", short_name(symbol, home), place(&symbol.path, symbol.line))
        }
        None => String::new(),
    }
}

pub fn millis(value: Option<f64>) -> String {
    value.map_or_else(
        String::new,
        |ms| if ms < 10.0 { format!("{ms:.1}") } else { format!("{ms:.0}") },
    )
}

impl Show for Traffic {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::right("calls"),
            Column::right("errors"),
            Column::right("p50 ms"),
            Column::right("p95 ms"),
            Column::new("from"),
            Column::flexible("to"),
            Column::new("in code"),
            Column::new("state"),
            Column::new("last seen"),
        ]);
        for edge in &self.edges {
            let found = match (&edge.target.symbol, edge.in_code, &edge.address) {
                (Some(_), Some(false), _) => {
                    format!("{} (no code leads there)", symbol_of(&edge.target))
                }
                (Some(_), _, Some(at)) => {
                    let at = place(&at.path, at.line);
                    format!("{} (address in {at})", symbol_of(&edge.target))
                }
                (Some(_), _, None) => symbol_of(&edge.target),
                (None, _, _) => String::new(),
            };
            table.row([
                Cell::text(grouped(edge.count)),
                Cell::text(grouped(edge.errors)),
                Cell::text(millis(edge.p50_ms)),
                Cell::text(millis(edge.p95_ms)),
                Cell::text(party(&edge.source)),
                Cell::text(party(&edge.target)),
                Cell::text(found).label(Label::Path),
                Cell::text(format!("{} {:.2}", edge.state, edge.confidence))
                    .label(liveness_label(edge.state)),
                Cell::date(edge.last_seen),
            ]);
        }
        out.table(&table);
        if self.total == 0 {
            let how = "lore serve --otlp, or lore ingest-traces FILE";
            note(&format!("no traffic was observed; send some: {how}"), out);
            return;
        }
        let shown = self.edges.len() as u64;
        let more = if shown < self.total { "; -n shows more" } else { "" };
        out.footer(&format!(
            "{} of {}, {} found in code, {}{more}",
            grouped(shown),
            counted(self.total, "edge", "edges"),
            grouped(self.resolved),
            counted(self.observations, "observation", "observations"),
        ));
    }
}

impl Show for TraceStats {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("service"),
            Column::right("spans in 7 days"),
            Column::new("last seen"),
            Column::new("repository"),
            Column::flexible("known"),
        ]);
        for service in &self.services {
            let repo = match (&service.repo_name, &service.folder) {
                (Some(repo), Some(folder)) => format!("{repo} {folder}"),
                (Some(repo), None) => repo.clone(),
                (None, _) => String::new(),
            };
            table.row([
                Cell::text(one_line(&service.service, 60)),
                Cell::text(grouped(service.spans)),
                Cell::date(service.last_seen),
                Cell::text(repo).label(Label::Path),
                Cell::text(&service.found).label(Label::Faint),
            ]);
        }
        out.table(&table);
        let shown = self.services.len() as u64;
        if shown < self.n_services {
            let all = counted(self.n_services, "service", "services");
            note(&format!("{} of {all}, busiest first; -n shows more", grouped(shown)), out);
        }
        let mut inputs = Table::new([
            Column::new("source"),
            Column::right("spans"),
            Column::right("duplicates"),
            Column::right("rejected"),
            Column::right("shed"),
            Column::right("clock skew"),
            Column::new("last"),
        ]);
        for input in &self.inputs {
            inputs.row([
                Cell::text(input.input.as_str()),
                Cell::text(grouped(input.spans)),
                Cell::text(grouped(input.duplicates)),
                Cell::text(grouped(input.rejected)),
                Cell::text(grouped(input.shed)),
                Cell::text(grouped(input.skewed)),
                Cell::date(input.last_at),
            ]);
        }
        if out.look().is_tty {
            out.gap();
        }
        out.table(&inputs);
        let states: Vec<String> = self
            .liveness
            .iter()
            .filter(|it| it.edges > 0)
            .map(|it| format!("{} {}", it.edges, it.state))
            .collect();
        out.footer(&format!(
            "{}, {} of them found in code ({}); {}",
            counted(self.edges, "edge", "edges"),
            grouped(self.resolved),
            if states.is_empty() { "none".to_owned() } else { states.join(", ") },
            counted(self.buckets, "hour stored", "hours stored"),
        ));
    }

    fn failure(&self) -> Option<Error> {
        (self.spans == 0 && self.services.is_empty()).then(|| {
            Error::new(ErrorCode::NotIndexed, "no traces were received yet")
                .suggest("run: lore serve --otlp, or lore ingest-traces FILE")
        })
    }
}

impl Show for RuntimeStaleness {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("state"),
            Column::new("from"),
            Column::flexible("to"),
            Column::new("last seen"),
        ]);
        for edge in &self.edges {
            table.row([
                Cell::text(edge.state.as_str()).label(liveness_label(edge.state)),
                Cell::text(party(&edge.source)),
                Cell::text(party(&edge.target)),
                Cell::date(edge.last_seen),
            ]);
        }
        out.table(&table);
        let mut words = format!(
            "{} not seen for 30 days, {} of them for 90",
            counted(self.total, "edge", "edges"),
            grouped(self.gc_eligible)
        );
        if let Some(removed) = self.removed {
            words = format!("{} removed; {words}", counted(removed, "edge", "edges"));
        } else if self.gc_eligible > 0 {
            words.push_str("; remove those: lore stale --runtime --gc");
        }
        out.footer(&words);
    }
}

impl Show for IngestAnswer {
    fn text(&self, out: &mut Painter) {
        if let Some(assigned) = &self.assigned {
            out.line(&format!("service {} is repository {}", assigned.service, assigned.repo));
        }
        for file in &self.files {
            out.label(Label::Path, &file.file).text("  ");
            if let Some(at) = file.read_before {
                out.text("read before (");
                out.date(at).text("), nothing new; --again reads it once more").end();
                continue;
            }
            let format = file.format.map_or("nothing understood", |format| format.as_str());
            let mut parts = vec![format!("{format}: {} counted", grouped(file.new))];
            for (n, word) in [
                (file.duplicates, "known already"),
                (file.rejected, "rejected"),
                (file.broken, "broken lines"),
            ] {
                if n > 0 {
                    parts.push(format!("{} {word}", grouped(n)));
                }
            }
            out.text(&parts.join(", ")).end();
            for broken in &file.broken_lines {
                let words = format!("  line {}: {}  {}", broken.line, broken.reason, broken.text);
                out.label(Label::Warning, &words).end();
            }
            let more = file.broken.saturating_sub(file.broken_lines.len() as u64);
            if more > 0 {
                out.label(Label::Faint, &format!("  and {} more", grouped(more))).end();
            }
        }
        if self.new > 0 {
            out.footer("see it: lore traffic, lore routes --traffic, lore trace-stats");
        }
    }

    fn failure(&self) -> Option<Error> {
        let is_nothing =
            self.files.iter().any(|it| it.format.is_none() && it.broken + it.rejected > 0);
        let first =
            self.files.iter().find(|it| it.format.is_none() && it.broken + it.rejected > 0)?;
        is_nothing.then(|| {
            Error::new(
                ErrorCode::TransformError,
                format!("nothing in `{}` was understood", first.file),
            )
            .suggest(
                "formats: OTLP, Jaeger or Zipkin JSON, spans or logs as JSON lines, access logs",
            )
        })
    }
}

/// `app.create_order`; of another repository `shop: app.create_order`.
fn named(caller: &RuntimeCaller, symbol: &SymbolRef, home: &str) -> String {
    let repo = symbol.qualified_name.split_once("://").map_or("", |(repo, _)| repo);
    match &caller.repo_label {
        Some(label) if repo != home => format!("{label}: {}", short_name(symbol, repo)),
        _ => short_name(symbol, home),
    }
}

/// A few lines under an answer about code.
pub fn weight(weight: Option<&RuntimeWeight>, home: &str, out: &mut Painter) {
    let Some(weight) = weight else { return };
    let mark = if out.look().is_tty { "" } else { "# " };
    if out.look().is_tty {
        out.gap();
    }
    match weight.state {
        Some(state) => {
            let errors = if weight.errors > 0 {
                format!(", {} errors", grouped(weight.errors))
            } else {
                String::new()
            };
            let p95 = weight
                .p95_ms
                .map_or_else(String::new, |_| format!(", p95 {} ms", millis(weight.p95_ms)));
            out.text(mark).label(Label::Heading, "in production").text(&format!(
                " {} in 7 days{errors}{p95}, ",
                counted(weight.observations, "call", "calls")
            ));
            out.label(liveness_label(state), &format!("{state} {:.2}", weight.confidence)).end();
        }
        None => {
            out.text(mark).label(Label::Heading, "in production").text(" never seen").end();
        }
    }
    for caller in &weight.callers {
        let symbol = caller.symbol.as_ref().map(|it| format!("  {}", named(caller, it, home)));
        let line = format!(
            "{mark}  {} by {}{}",
            one_line(&caller.from, 70),
            one_line(&caller.by, 70),
            symbol.unwrap_or_default()
        );
        out.text(&line).label(Label::Faint, &format!("  {}", grouped(caller.observations)));
        if caller.in_code == Some(false) {
            out.label(Label::Warning, "  no code leads there");
        }
        if let Some(at) = &caller.address {
            out.label(Label::Faint, &format!("  address in {}", place(&at.path, at.line)));
        }
        out.end();
    }
    if weight.more_callers > 0 {
        out.label(Label::Faint, &format!("{mark}  and {} more", grouped(weight.more_callers)))
            .end();
    }
    for route in &weight.unseen_routes {
        out.label(
            Label::Warning,
            &format!("{mark}  {} was never seen, though its service was", one_line(route, 100)),
        );
        out.end();
    }
    if !weight.unseen_callers.is_empty() {
        let names = weight.unseen_callers.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        out.label(Label::Faint, &format!("{mark}  callers in code that were never seen: {names}"))
            .end();
    }
}
