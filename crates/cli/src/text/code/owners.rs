use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::owners::Owners;

impl Show for Owners {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("owner"),
            Column::new("section"),
            Column::flexible("pattern"),
            Column::right("line"),
        ]);
        for owner in &self.owners {
            table.row([
                Cell::text(&owner.owner).label(Label::Person),
                Cell::text(&owner.section),
                Cell::text(&owner.pattern),
                Cell::text(owner.line.to_string()),
            ]);
        }
        if !self.owners.is_empty() || !out.look().is_tty {
            out.table(&table);
        } else if self.has_rules {
            out.label(Label::Faint, "no rule of CODEOWNERS speaks for it").end();
        } else {
            out.label(Label::Faint, "the commit has no CODEOWNERS file").end();
        }
    }
}
