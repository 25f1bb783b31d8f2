use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::owners::{Owner, Owners};

impl Show for Owners {
    fn agent(&self) -> Option<String> {
        if self.owners.is_empty() {
            return Some(format!("{}\n", nobody(self)));
        }
        let line = |it: &Owner| format!("{} ({}, line {})\n", it.owner, it.pattern, it.line);
        Some(self.owners.iter().map(line).collect())
    }

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
        } else {
            out.label(Label::Faint, nobody(self)).end();
        }
    }
}

/// Why nobody owns it.
fn nobody(owners: &Owners) -> &'static str {
    if owners.has_rules {
        "no rule of CODEOWNERS speaks for it"
    } else {
        "the commit has no CODEOWNERS file"
    }
}
