use super::{mark, note, place, short_name};
use crate::text::{grouped, runtime};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::routes::Routes;
use insight::runtime::TrafficState;

impl Show for Routes {
    fn text(&self, out: &mut Painter) {
        if self.routes.iter().any(|route| route.traffic.is_some()) {
            with_traffic(self, out);
            return;
        }
        let mut table = Table::new([
            Column::new("method"),
            Column::new("pattern"),
            Column::flexible("handler"),
            Column::new("handled in"),
            Column::new("routed in"),
        ]);
        for route in &self.routes {
            let handlers: Vec<String> = route
                .handlers
                .iter()
                .map(|handler| short_name(handler, &self.standing.repo))
                .collect();
            let handled = route.handlers.first().map(|it| place(&it.path, it.line));
            table.row([
                Cell::text(&route.method),
                Cell::text(&route.pattern),
                Cell::text(handlers.join(", ")),
                Cell::text(handled.unwrap_or_default()).label(Label::Path),
                Cell::text(place(&route.path, route.line)).label(Label::Path),
            ]);
        }
        out.table(&table);
        if self.routes.is_empty() {
            let mark = mark(out);
            let words = match self.used {
                Some(1) => "the one route was used in that time".to_owned(),
                Some(n @ 2..) => format!("all {} routes were used in that time", grouped(n)),
                _ => "no route matches; only routes that are written out in code are known"
                    .to_owned(),
            };
            out.label(Label::Faint, &format!("{mark}{words}")).end();
        }
        let shown = self.routes.len() as u64;
        if shown < self.total {
            note(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)), out);
        }
    }
}

fn with_traffic(list: &Routes, out: &mut Painter) {
    let mut table = Table::new([
        Column::new("state"),
        Column::right("calls"),
        Column::right("errors"),
        Column::right("p95 ms"),
        Column::new("last seen"),
        Column::new("method"),
        Column::new("pattern"),
        Column::flexible("handler"),
        Column::new("handled in"),
    ]);
    for route in &list.routes {
        let Some(traffic) = &route.traffic else { continue };
        let (word, label) = match traffic.state {
            TrafficState::Used => ("used", Label::Good),
            TrafficState::Dead => ("dead", Label::Bad),
            TrafficState::NotObserved => ("not observed", Label::Faint),
        };
        let handler = route.handlers.first();
        let handlers: Vec<String> =
            route.handlers.iter().map(|it| short_name(it, &list.standing.repo)).collect();
        let at =
            handler.map_or_else(|| place(&route.path, route.line), |it| place(&it.path, it.line));
        table.row([
            Cell::text(word).label(label),
            Cell::text(grouped(traffic.count)),
            Cell::text(grouped(traffic.errors)),
            Cell::text(runtime::millis(traffic.p95_ms)),
            traffic.last_seen.map_or_else(Cell::empty, Cell::date),
            Cell::text(&route.method),
            Cell::text(&route.pattern),
            Cell::text(handlers.join(", ")),
            Cell::text(at).label(Label::Path),
        ]);
    }
    out.table(&table);
    let shown = list.routes.len() as u64;
    let unknown = list.routes.iter().filter(|route| {
        route.traffic.as_ref().is_some_and(|it| it.state == TrafficState::NotObserved)
    });
    let n_unknown = unknown.count();
    if n_unknown > 0 {
        let words = "nothing was observed of the services of routes that are `not observed`";
        note(&format!("{words}; lore trace-stats shows which are"), out);
    }
    if shown < list.total {
        note(&format!("{} of {}; -n shows more", grouped(shown), grouped(list.total)), out);
    }
}
