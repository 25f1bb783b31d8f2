use super::{grouped, state_label};
use crate::entity_args::Entities;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::entities::EntityList;
use store::listing::EntitySummary;

impl Show for Entities {
    fn text(&self, out: &mut Painter) {
        match self {
            Entities::List(list) => text(list, out),
            Entities::One(answer) => answer.text(out),
        }
    }
}

/// A pipe always gets the same columns; a terminal only those that differ.
fn text(list: &EntityList, out: &mut Painter) {
    let is_tty = out.look().is_tty;
    let has_several = list.items.iter().any(|item| item.project != list.items[0].project);
    let has_labels = list.items.iter().any(|item| !item.labels.is_empty());
    let shows_project = has_several || !is_tty;
    let shows_labels = has_labels || !is_tty;
    let columns = [
        Some(Column::new("id")),
        shows_project.then(|| Column::new("project")),
        Some(Column::new("state")),
        Some(Column::flexible("title")),
        shows_labels.then(|| Column::new("labels")),
        Some(Column::new("author")),
        Some(Column::right("threads")),
        Some(Column::new("updated")),
    ];
    let mut table = Table::new(columns.into_iter().flatten());
    for item in &list.items {
        let cells = [
            Some(Cell::text(item.reference()).label(Label::Id).link(&item.web_url)),
            shows_project.then(|| Cell::text(&item.project)),
            Some(Cell::text(state_words(item)).label(state_label(item.state))),
            Some(Cell::text(&item.title)),
            shows_labels.then(|| Cell::text(labels(item, out)).label(Label::Tag)),
            Some(Cell::text(item.author.as_deref().unwrap_or("")).label(Label::Person)),
            Some(Cell::text(item.discussions.to_string())),
            Some(Cell::date(item.updated_at)),
        ];
        table.row(cells.into_iter().flatten());
    }
    out.table(&table);
    let shown = list.items.len() as u64;
    if list.total == 0 {
        out.footer("nothing matches");
    } else if shown < list.total {
        out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(list.total)));
    }
}

/// On a terminal labels must not push the title aside; a pipe gets them all.
fn labels(item: &EntitySummary, out: &Painter) -> String {
    let all = item.labels.join(", ");
    let look = out.look();
    if look.is_tty { model::text::one_line(&all, (look.width / 5).min(24)) } else { all }
}

fn state_words(item: &EntitySummary) -> String {
    match (item.is_gone, item.is_draft) {
        (true, _) => "gone".to_owned(),
        (false, true) if item.state == model::EntityState::Opened => "draft".to_owned(),
        (false, _) => item.state.to_string(),
    }
}
