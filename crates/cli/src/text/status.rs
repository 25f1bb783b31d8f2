use super::{counted, grouped};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::status::Status;
use store::runs::RunStatus;

impl Show for Status {
    fn text(&self, out: &mut Painter) {
        if let Some(running) = &self.running {
            let word = if running.is_stale { "seems dead: " } else { "at work: " };
            out.label(Label::Warning, word).text(&running.owner).text(", since ");
            out.date(running.since).end().gap();
        }
        let mut table = Table::new([
            Column::flexible("project"),
            Column::right("issues"),
            Column::right("mrs"),
            Column::new("synced"),
            Column::new("newest change"),
        ]);
        for project in &self.projects {
            let newest = project.issues_cursor.max(project.merge_requests_cursor);
            let synced = match (project.is_gone, project.synced_at) {
                (true, _) => Cell::text("gone").label(Label::Bad),
                (false, Some(at)) => Cell::date(at),
                (false, None) => Cell::text("not yet complete").label(Label::Warning),
            };
            table.row([
                Cell::text(&project.path).label(Label::Path),
                Cell::text(grouped(project.issues)),
                Cell::text(grouped(project.merge_requests)),
                synced,
                newest.map_or_else(Cell::empty, Cell::date),
            ]);
        }
        out.table(&table);
        self.runs(out);
        self.queue(out);
        self.vectors(out);
    }
}

trait Parts {
    fn runs(&self, out: &mut Painter);
    fn queue(&self, out: &mut Painter);
    fn vectors(&self, out: &mut Painter);
}

impl Parts for Status {
    fn runs(&self, out: &mut Painter) {
        if self.runs.is_empty() || !out.look().is_tty {
            return;
        }
        out.gap().heading("Latest runs");
        let mut table = Table::new([
            Column::new("started"),
            Column::new("command"),
            Column::new("result"),
            Column::flexible("error"),
        ]);
        for run in &self.runs {
            let label = match run.status {
                RunStatus::Succeeded => Label::Good,
                RunStatus::Failed => Label::Bad,
                _ => Label::Warning,
            };
            table.row([
                Cell::date(run.started_at),
                Cell::text(&run.command),
                Cell::text(run.status.as_str()).label(label),
                Cell::text(run.error.as_deref().unwrap_or("")),
            ]);
        }
        out.table(&table);
    }

    /// Only what is not as it should be: some have vectors, others not.
    fn vectors(&self, out: &mut Painter) {
        let Some(most) = self.vectors.first() else { return };
        if most.documents < self.documents {
            out.gap().line(&format!(
                "{} of {} documents can be found by meaning; `lore embed` does the rest",
                grouped(most.documents),
                grouped(self.documents)
            ));
        }
    }

    fn queue(&self, out: &mut Painter) {
        if self.queue.waiting > 0 {
            out.gap().line(&format!(
                "{} for the next sync",
                counted(self.queue.waiting, "fetch waits", "fetches wait")
            ));
        }
        for failure in &self.queue.failures {
            out.text("  ").label(Label::Id, &failure.reference).text(&format!(
                " {}: failed {}: {}",
                failure.job,
                counted(u64::from(failure.attempts), "time", "times"),
                failure.error
            ));
            out.text("; next try ").date(failure.next_attempt_at).end();
        }
    }
}
