//! People for people: what someone did, what waits, whom to ask.

use super::{counted, grouped, state_label};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::people::EntityLine;
use insight::people::experts::{Expert, Experts, TargetKind};
use insight::people::me::{Inbox, InboxNote};
use insight::people::person::{Area, CommitLine, PersonActivity, Tally};
use model::text::one_line;

impl Show for PersonActivity {
    fn text(&self, out: &mut Painter) {
        if let Some(username) = &self.username {
            out.label(Label::Person, &format!("@{username}")).text("  ");
        }
        out.label(Label::Heading, &one_line(&self.name, 80)).end();
        let Some((first, last)) = self.first_at.zip(self.last_at) else {
            out.label(Label::Faint, "nothing yet").end();
            return;
        };
        let (first, last) = (out.look().date(first), out.look().date(last));
        out.field("active", &format!("{first} to {last}"));
        if self.commits.total > 0 {
            let authors: Vec<String> =
                self.git_authors.iter().take(3).map(|it| one_line(it, 60)).collect();
            let mut n = counted(self.commits.total, "commit", "commits");
            if self.commits.recent < self.commits.total {
                n.push_str(&format!(" ({} in 2 years)", grouped(self.commits.recent)));
            }
            out.field("commits", &format!("{n} as {}", authors.join(", ")));
        }
        // Who is known by commits alone has no part in a forge.
        let has_account = self.username.is_some();
        for (name, tally) in
            [("MRs", &self.merge_requests), ("issues", &self.issues), ("reviews", &self.reviews)]
                .into_iter()
                .filter(|_| has_account)
        {
            let words = tally_words(tally, out);
            out.field(name, &words);
        }
        if has_account {
            out.field(
                "notes",
                &format!(
                    "{}, in {}, {} begun",
                    counted(self.notes, "note", "notes"),
                    counted(self.threads, "thread", "threads"),
                    self.threads_begun
                ),
            );
        }
        areas("Paths", &self.paths, out);
        areas("Labels", &self.labels, out);
        entities("Merge requests", &self.recent_merge_requests, usize::MAX, out);
        entities("Reviews", &self.recent_reviews, usize::MAX, out);
        commits("Commits", &self.recent_commits, out);
        if !self.decisions.is_empty() {
            out.gap().heading("Decisions");
            for note in &self.decisions {
                out.link(Label::Id, &note.reference, &note.url).text("  ").date(note.at).end();
                out.paragraph(2, &note.snippet);
            }
        }
    }
}

fn commits(title: &str, lines: &[CommitLine], out: &mut Painter) {
    if lines.is_empty() {
        return;
    }
    out.gap().heading(title);
    let columns = [Column::new("COMMIT"), Column::new("REPOSITORY")];
    let rest = [Column::flexible("SUBJECT"), Column::new("DATE")];
    let mut table = Table::new(columns.into_iter().chain(rest));
    for line in lines {
        let short: String = line.sha.chars().take(10).collect();
        table.row([
            Cell::text(short).label(Label::Id),
            Cell::text(&line.repo).label(Label::Path),
            Cell::text(&line.subject),
            Cell::date(line.at),
        ]);
    }
    out.table(&table);
}

fn tally_words(tally: &Tally, out: &Painter) -> String {
    let mut words = tally.total.to_string();
    for (count, word) in [(tally.merged, "merged"), (tally.opened, "open")] {
        if count > 0 {
            words.push_str(&format!(", {count} {word}"));
        }
    }
    if let Some(last) = tally.last_at {
        words.push_str(&format!(", last {}", out.look().date(last)));
    }
    words
}

fn areas(title: &str, areas: &[Area], out: &mut Painter) {
    if areas.is_empty() {
        return;
    }
    out.gap().heading(title);
    let columns = [Column::right("COUNT"), Column::flexible("AREA"), Column::new("LAST")];
    let mut table = Table::new(columns);
    for area in areas {
        table.row([
            Cell::text(area.count.to_string()),
            Cell::text(&area.area).label(Label::Path),
            Cell::date(area.last_at),
        ]);
    }
    out.table(&table);
}

fn entities(title: &str, lines: &[EntityLine], most: usize, out: &mut Painter) {
    if lines.is_empty() {
        return;
    }
    out.gap().heading(&format!("{title} ({})", lines.len()));
    let columns = ["ID", "STATE"].map(Column::new);
    let rest = [Column::flexible("TITLE"), Column::new("AUTHOR"), Column::new("UPDATED")];
    let mut table = Table::new(columns.into_iter().chain(rest));
    for line in lines.iter().take(most) {
        let entity = &line.entity;
        table.row([
            Cell::text(&entity.reference).label(Label::Id).link(&entity.url),
            Cell::text(entity.state.as_str()).label(state_label(entity.state)),
            Cell::text(&entity.title),
            Cell::text(line.author.as_deref().unwrap_or("")).label(Label::Person),
            Cell::date(line.updated_at),
        ]);
    }
    out.table(&table);
    if lines.len() > most {
        out.label(Label::Faint, &format!("… and {} more", lines.len() - most)).end();
    }
}

/// Lines of each list of an inbox.
const LISTED: usize = 10;

impl Show for Inbox {
    fn text(&self, out: &mut Painter) {
        if !self.username.is_empty() {
            out.label(Label::Person, &format!("@{}", self.username));
        }
        match self.last_look {
            Some(last) => out.text("  last looked ").date(last),
            None => out.text("  first look; new means since ").date(self.since),
        };
        out.end();
        entities("Assigned", &self.assigned, LISTED, out);
        entities("Review requested", &self.review_requested, LISTED, out);
        notes("Mentioned", &self.mentioned, out);
        notes("Unresolved threads", &self.unresolved_threads, out);
        entities("Changed since", &self.changed, LISTED, out);
        if !self.notifications.is_empty() {
            out.gap().heading("Notifications");
            for alert in &self.notifications {
                out.text("  ").label(Label::Id, &alert.rule).text("  ").text(&alert.title);
                out.text("  ").date(alert.at).end();
            }
        }
        let is_empty = self.assigned.is_empty()
            && self.review_requested.is_empty()
            && self.mentioned.is_empty()
            && self.unresolved_threads.is_empty()
            && self.changed.is_empty()
            && self.notifications.is_empty();
        if is_empty {
            out.label(Label::Faint, "nothing waits").end();
        }
    }
}

fn notes(title: &str, notes: &[InboxNote], out: &mut Painter) {
    if notes.is_empty() {
        return;
    }
    out.gap().heading(&format!("{title} ({})", notes.len()));
    for note in notes.iter().take(LISTED) {
        out.link(Label::Id, &note.reference, &note.url).text("  ");
        if let Some(author) = &note.author {
            out.label(Label::Person, &format!("@{author}")).text("  ");
        }
        out.date(note.at).end();
        out.paragraph(2, &note.snippet);
    }
    if notes.len() > LISTED {
        out.label(Label::Faint, &format!("… and {} more", notes.len() - LISTED)).end();
    }
}

impl Show for Experts {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::experts(self))
    }

    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            out.label(Label::Heading, &one_line(&self.target, 200));
            let kind = match self.kind {
                TargetKind::Entity => "issue or merge request",
                TargetKind::File => "file",
                TargetKind::Folder => "folder",
                TargetKind::Label => "label",
                TargetKind::Query => "words",
            };
            let n_entities = self.entities as u64;
            let looked = counted(n_entities, "issue or merge request", "issues and merge requests");
            let looked = match (n_entities, self.commits) {
                (0, 0) => String::new(),
                (0, n) => format!(", {}", counted(n, "commit", "commits")),
                (_, 0) => format!(", {looked}"),
                (_, n) => format!(", {}, {looked}", counted(n, "commit", "commits")),
            };
            out.text(&format!("  {kind}{looked}")).end();
            if let Some(owners) = &self.code_owners {
                out.field(&owners.file, &owners.owners.join(" "));
            }
            out.gap();
        }
        if self.experts.is_empty() {
            let mark = if out.look().is_tty { "" } else { "# " };
            out.label(Label::Faint, &format!("{mark}nobody has worked on this")).end();
            return;
        }
        out.table(&table(&self.experts));
    }
}

fn table(experts: &[Expert]) -> Table {
    let mut table = Table::new([
        Column::new("PERSON"),
        Column::new("NAME"),
        Column::right("SCORE"),
        Column::flexible("BECAUSE OF"),
        Column::new("LAST"),
    ]);
    for expert in experts {
        let username = expert.username.as_ref().map(|name| format!("@{name}"));
        table.row([
            Cell::text(username.unwrap_or_default()).label(Label::Person),
            Cell::text(&expert.name),
            Cell::text(format!("{:.2}", expert.score)),
            Cell::text(&expert.reason),
            expert.last_at.map_or_else(Cell::empty, Cell::date),
        ]);
    }
    table
}
