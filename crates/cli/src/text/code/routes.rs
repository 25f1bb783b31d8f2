use crate::text::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::routes::Routes;

impl Show for Routes {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("method"),
            Column::flexible("pattern"),
            Column::new("handler"),
            Column::new("where"),
        ]);
        for route in &self.routes {
            let handlers: Vec<&str> =
                route.handlers.iter().map(|handler| handler.symbol.as_str()).collect();
            let place = route
                .handlers
                .first()
                .map_or((&route.path, route.line), |handler| (&handler.path, handler.line));
            table.row([
                Cell::text(&route.method),
                Cell::text(&route.pattern),
                Cell::text(handlers.join(", ")),
                Cell::text(format!("{}:{}", place.0, place.1)).label(Label::Path),
            ]);
        }
        if !self.routes.is_empty() || !out.look().is_tty {
            out.table(&table);
        } else {
            out.label(Label::Faint, "no routes were found in the indexed code").end();
        }
        let shown = self.routes.len() as u64;
        if shown < self.total {
            out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)));
        }
    }
}
