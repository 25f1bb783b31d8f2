use crate::text::{counted, grouped};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::communities::Communities;

impl Show for Communities {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::right("symbols"),
            Column::right("ties"),
            Column::new("folders"),
            Column::flexible("centre"),
        ]);
        for community in &self.communities {
            let folders: Vec<String> =
                community.packages.iter().map(|(path, n)| format!("{path} ({n})")).collect();
            table.row([
                Cell::text(grouped(community.size)),
                Cell::text(grouped(community.ties)),
                Cell::text(folders.join(", ")).label(Label::Path),
                Cell::text(community.centre.join(", ")),
            ]);
        }
        out.table(&table);
        let shown = self.communities.len() as u64;
        let alone = counted(self.alone, "symbol is", "symbols are");
        let all = grouped(self.total);
        super::note(&format!("{shown} of {all} groups; {alone} tied to no other"), out);
    }
}
