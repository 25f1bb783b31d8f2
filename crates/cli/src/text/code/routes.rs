use super::{mark, note, place, short_name};
use crate::text::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::routes::Routes;

impl Show for Routes {
    fn text(&self, out: &mut Painter) {
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
            let words = "no route matches; only routes that are written out in code are known";
            out.label(Label::Faint, &format!("{mark}{words}")).end();
        }
        let shown = self.routes.len() as u64;
        if shown < self.total {
            note(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)), out);
        }
    }
}
