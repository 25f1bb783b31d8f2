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
        if let Some(daemon) = &self.daemon {
            let label = if daemon.is_ready { Label::Good } else { Label::Warning };
            out.label(label, "daemon: ");
            out.text(&format!("process {}, lore {}", daemon.pid, daemon.version)).end();
            for problem in &daemon.problems {
                out.text("  ").label(Label::Warning, problem).end();
            }
            for clone in &daemon.troubled {
                out.text("  ")
                    .label(Label::Warning, "not indexed: ")
                    .label(Label::Path, &clone.dir);
                out.text(": ").line(&clone.reason);
                out.text("    ").label(Label::Id, "next: ").line(&clone.suggestion);
            }
            out.gap();
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
        if !self.projects.is_empty() {
            out.table(&table);
        }
        self.repos(out);
        self.runs(out);
        self.queue(out);
        self.next(out);
    }
}

trait Parts {
    fn repos(&self, out: &mut Painter);
    fn evidence(&self, out: &mut Painter);
    fn next(&self, out: &mut Painter);
    fn runs(&self, out: &mut Painter);
    fn queue(&self, out: &mut Painter);
}

impl Parts for Status {
    fn repos(&self, out: &mut Painter) {
        if self.repos.is_empty() {
            return;
        }
        if !self.projects.is_empty() {
            out.gap();
        }
        let mut table = Table::new([
            Column::flexible("repository"),
            Column::right("commits"),
            Column::new("newest"),
            Column::right("symbols"),
            Column::right("edges"),
            Column::new("indexed"),
        ]);
        for repo in &self.repos {
            let code = repo.code.as_ref();
            let indexed = match code {
                None => Cell::text("no").label(Label::Warning),
                Some(code) if code.is_stale => Cell::text("behind").label(Label::Warning),
                Some(code) => Cell::date(code.indexed_at),
            };
            table.row([
                Cell::text(&repo.name).label(Label::Path),
                Cell::text(grouped(repo.commits)),
                repo.newest_commit_at.map_or_else(Cell::empty, Cell::date),
                Cell::text(grouped(code.map_or(0, |code| code.symbols))),
                Cell::text(grouped(code.map_or(0, |code| code.edges))),
                indexed,
            ]);
        }
        out.table(&table);
        self.evidence(out);
    }

    fn evidence(&self, out: &mut Painter) {
        for repo in &self.repos {
            for server in repo.code.iter().flat_map(|code| &code.enrichment) {
                out.text("evidence  ").label(Label::Path, &repo.name).text(&format!(
                    "  {}: {} confirmed, {} corrected, {} new, {} external, {} unanswered",
                    server.server,
                    grouped(server.confirmed),
                    grouped(server.corrected),
                    grouped(server.new),
                    grouped(server.external),
                    grouped(server.unanswered),
                ));
                if server.waiting > 0 {
                    let words = format!("; {} not asked yet", grouped(server.waiting));
                    out.label(Label::Faint, &words);
                }
                out.end();
            }
        }
    }

    fn next(&self, out: &mut Painter) {
        for step in &self.next {
            out.gap().text(&step.reason).text("; run: ").label(Label::Id, &step.command).end();
        }
    }

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
