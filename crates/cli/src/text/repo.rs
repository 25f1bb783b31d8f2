use super::sync_report::commit_words;
use crate::commands::repo::{Added, Answer};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::repos::RepoList;
use model::text::grouped;

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::List(list) => table(list, out),
            Answer::Added(one) => added(one, out),
            Answer::AllAdded { added: all } => all.iter().for_each(|one| added(one, out)),
            Answer::Removed(removed) => {
                out.text("forgotten: ").label(Label::Path, &removed.removed).end();
            }
        }
    }
}

fn added(added: &Added, out: &mut Painter) {
    out.label(Label::Path, &added.label).text("  ");
    let words = commit_words(&added.scan).unwrap_or_else(|| "up to date".to_owned());
    out.text(&words).end();
    match &added.project {
        Some(project) => out.field("project", project),
        None => out.field("project", "none is synced from this repository's remote"),
    };
}

fn table(list: &RepoList, out: &mut Painter) {
    let columns = [
        Column::flexible("repository"),
        Column::new("project"),
        Column::right("commits"),
        Column::new("read"),
        Column::flexible("place"),
    ];
    let mut table = Table::new(columns);
    for repo in &list.items {
        for place in &repo.places {
            let shallow = if place.is_shallow { " (shallow)" } else { "" };
            table.row([
                Cell::text(&repo.label).label(Label::Path),
                Cell::text(repo.project.as_deref().unwrap_or("")),
                Cell::text(grouped(repo.commits)),
                repo.scanned_at.map_or_else(Cell::empty, Cell::date),
                Cell::text(format!("{}{shallow}", place.dir)),
            ]);
        }
    }
    out.table(&table);
    if list.items.is_empty() {
        out.footer("no local repositories; lore repo add PATH registers one");
    }
}
