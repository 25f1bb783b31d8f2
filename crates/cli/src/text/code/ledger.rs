use crate::text::{counted, grouped};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::code::ledger::{Freshness, Snapshots, Staleness};
use insight::code::stale_edges::StaleEdges;
use model::{Error, ErrorCode};

fn short(sha: &str) -> String {
    sha.chars().take(10).collect()
}

impl Show for Snapshots {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::right("snapshot"),
            Column::right("counter"),
            Column::new("commit"),
            Column::right("files"),
            Column::right("symbols"),
            Column::right("edges"),
            Column::new("root"),
            Column::new("indexed"),
            Column::flexible("where"),
        ]);
        for row in &self.snapshots {
            let place = match &row.work_tree {
                Some(dir) => format!("work tree {dir}"),
                None => row.branches.join(", "),
            };
            table.row([
                Cell::text(format!("@{}", row.snapshot)).label(Label::Id),
                Cell::text(row.counter.to_string()),
                Cell::text(short(&row.commit)),
                Cell::text(grouped(row.files)),
                Cell::text(grouped(row.symbols)),
                Cell::text(grouped(row.edges)),
                Cell::text(short(&row.root)),
                Cell::date(row.created_at),
                Cell::text(place).label(Label::Path),
            ]);
        }
        out.table(&table);
        let n_shown = self.snapshots.len() as u64;
        if n_shown < self.total {
            out.footer(&format!("{n_shown} of {}; -n shows more", grouped(self.total)));
        }
    }
}

impl Show for Staleness {
    fn text(&self, out: &mut Painter) {
        let mut table = Table::new([
            Column::new("state"),
            Column::new("repo"),
            Column::flexible("place"),
            Column::new("checked out"),
            Column::new("indexed"),
            Column::right("files behind"),
        ]);
        for place in &self.places {
            let (word, label) = match place.state {
                Freshness::Fresh => ("fresh", Label::Good),
                Freshness::Stale => ("stale", Label::Warning),
                Freshness::NotIndexed => ("not indexed", Label::Warning),
                Freshness::Gone => ("gone", Label::Bad),
            };
            table.row([
                Cell::text(word).label(label),
                Cell::text(&place.repo),
                Cell::text(&place.dir).label(Label::Path),
                Cell::text(place.head.as_deref().map(short).unwrap_or_default()),
                Cell::text(place.indexed.as_deref().map(short).unwrap_or_default()),
                Cell::text(grouped(place.files_behind)),
            ]);
        }
        out.table(&table);
        let n_behind = self
            .places
            .iter()
            .filter(|place| matches!(place.state, Freshness::Stale | Freshness::NotIndexed))
            .count() as u64;
        if n_behind > 0 {
            let places = counted(n_behind, "clone is", "clones are");
            out.footer(&format!("{places} ahead of the index; run: lore index PATH"));
        }
        self.edges.text(out);
    }

    fn failure(&self) -> Option<Error> {
        self.places.is_empty().then(|| {
            Error::new(ErrorCode::NotIndexed, "no repository is registered yet")
                .suggest("run: lore index")
        })
    }
}

/// Files shown; JSON has more.
const MOST_FILES: usize = 10;

impl Show for StaleEdges {
    fn text(&self, out: &mut Painter) {
        if !self.files.is_empty() {
            out.gap();
            let mut table = Table::new([
                Column::new("change"),
                Column::flexible("file"),
                Column::right("edges to it"),
                Column::right("edges from it"),
            ]);
            for file in self.files.iter().take(MOST_FILES) {
                table.row([
                    Cell::text(&file.change),
                    Cell::text(&file.path).label(Label::Path),
                    Cell::text(grouped(file.edges_in)),
                    Cell::text(grouped(file.edges_out)),
                ]);
            }
            out.table(&table);
        }
        for change in &self.unseen {
            out.label(Label::Id, &change.repo).text(" was linked against ");
            out.label(Label::Id, &change.uses);
            out.text(&format!(" at {}, which is at {} now", change.saw, change.now)).end();
        }
        for old in &self.old {
            out.label(Label::Id, &old.repo);
            let (days, edges) = (grouped(old.days), grouped(old.edges));
            out.text(&format!(": {edges} edges were last confirmed {days} days ago")).end();
        }
        if self.index_first.len() > 1 {
            out.footer(&format!("index first: {}", self.index_first.join(", ")));
        }
    }
}
