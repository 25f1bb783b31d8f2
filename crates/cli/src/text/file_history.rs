use super::{counted, state_label};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::file_history::{FileChange, FileHistory, Rename};
use insight::trace::MissingPart;
use model::text::{grouped, one_line};
use store::details::Thread;

impl Show for FileHistory {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::file_history(self))
    }

    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            renames(&self.rename_chain, out);
        }
        table(self, out);
        let shown = self.items.len() as u64;
        let has_changes = self.total > 0 || !self.direct_commits.is_empty();
        if !has_changes && self.missing.is_empty() {
            out.footer("no merge request and no commit changed this file");
        } else if shown < self.total {
            out.footer(&format!("{} of {}; -n shows more", grouped(shown), grouped(self.total)));
        }
        for item in self.items.iter().filter(|item| !item.threads.is_empty()) {
            threads(item, out);
        }
        if out.look().is_tty {
            direct(self, out);
        }
        // A pipe gets rows; that there are none needs a reason.
        if out.look().is_tty || !has_changes {
            missing(&self.missing, out);
        }
    }
}

/// `old.rs → new.rs  !12`
pub(super) fn renames(chain: &[Rename], out: &mut Painter) {
    for rename in chain {
        out.label(Label::Faint, "renamed ").label(Label::Path, &rename.from);
        out.label(Label::Faint, " → ").label(Label::Path, &rename.to);
        let by = if rename.by.starts_with('!') { rename.by.clone() } else { short(&rename.by) };
        out.text("  ").label(Label::Id, &by).text("  ").date(rename.at).end();
    }
}

pub(super) fn short(sha: &str) -> String {
    sha.chars().take(10).collect()
}

fn table(history: &FileHistory, out: &mut Painter) {
    let is_tty = out.look().is_tty;
    let columns = [
        Some(Column::new("id")),
        (!is_tty).then(|| Column::new("project")),
        Some(Column::new("state")),
        Some(Column::new("change")),
        Some(Column::flexible("title")),
        Some(Column::new("author")),
        Some(Column::right("threads")),
        Some(Column::right("on file")),
        Some(Column::new("closes")),
        Some(Column::new("date")),
        (!is_tty).then(|| Column::new("path")),
        (!is_tty).then(|| Column::new("merge commit")),
    ];
    let mut table = Table::new(columns.into_iter().flatten());
    for item in &history.items {
        let project = item.reference.split('!').next().unwrap_or_default();
        let closes: Vec<&str> =
            item.closes.iter().map(|full| full.strip_prefix(project).unwrap_or(full)).collect();
        let cells = [
            Some(Cell::text(format!("!{}", item.iid)).label(Label::Id).link(&item.url)),
            (!is_tty).then(|| Cell::text(project)),
            Some(Cell::text(item.state.to_string()).label(state_label(item.state))),
            Some(Cell::text(item.change.as_str())),
            Some(Cell::text(&item.title)),
            Some(Cell::text(item.author.as_deref().unwrap_or("")).label(Label::Person)),
            Some(Cell::text(item.discussions.to_string())),
            Some(Cell::text(item.notes_on_file.to_string())),
            Some(Cell::text(closes.join(", "))),
            Some(Cell::date(item.merged_at.unwrap_or(item.created_at))),
            (!is_tty).then(|| Cell::text(&item.path)),
            (!is_tty).then(|| Cell::text(item.merge_commit_sha.as_deref().unwrap_or(""))),
        ];
        table.row(cells.into_iter().flatten());
    }
    // A pipe gets one kind of row; a commit's has the columns it can fill.
    for commit in history.direct_commits.iter().filter(|_| !is_tty) {
        table.row([
            Cell::text(&commit.sha),
            Cell::text(history.project.as_deref().unwrap_or("")),
            Cell::text("direct"),
            Cell::empty(),
            Cell::text(&commit.subject),
            Cell::text(&commit.author),
            Cell::empty(),
            Cell::empty(),
            Cell::empty(),
            Cell::date(commit.committed_at),
            Cell::text(&history.path),
            Cell::empty(),
        ]);
    }
    out.table(&table);
}

fn threads(item: &FileChange, out: &mut Painter) {
    out.gap().label(Label::Id, &format!("!{}", item.iid)).text("  ");
    out.label(Label::Heading, &one_line(&item.title, 70)).end();
    for thread in &item.threads {
        one_thread(thread, out);
    }
}

fn one_thread(thread: &Thread, out: &mut Painter) {
    for (index, note) in thread.notes.iter().enumerate() {
        out.text(if index == 0 { "  " } else { "    " });
        out.label(Label::Person, &format!("@{}", note.author.as_deref().unwrap_or("ghost")));
        out.text("  ").date(note.created_at);
        if let (0, Some(place)) = (index, &note.location) {
            let line = place.line.or(place.old_line);
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            out.text("  ").label(Label::Path, &format!("{}{line}", place.path));
            if thread.is_resolved == Some(true) {
                out.label(Label::Faint, "  resolved");
            }
        }
        out.end();
        out.paragraph(if index == 0 { 4 } else { 6 }, &note.body);
    }
}

fn direct(history: &FileHistory, out: &mut Painter) {
    if history.direct_commits.is_empty() {
        return;
    }
    let n = history.total_direct_commits;
    out.gap().heading(&counted(
        n,
        "commit without a merge request",
        "commits without a merge request",
    ));
    for commit in &history.direct_commits {
        out.text("  ").label(Label::Id, &short(&commit.sha)).text("  ");
        out.date(commit.committed_at).text("  ");
        out.text(&one_line(&commit.subject, 80)).text("  ");
        out.label(Label::Person, &commit.author).end();
    }
}

/// What the answer lacks, and what would bring it.
pub(super) fn missing(parts: &[MissingPart], out: &mut Painter) {
    for part in parts {
        let fix = if part.fix.is_empty() { String::new() } else { format!(" ({})", part.fix) };
        out.label(Label::Faint, &format!("{}{fix}", part.what)).end();
    }
}
