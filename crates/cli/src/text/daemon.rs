use crate::commands::daemon::{DaemonReport, DaemonState};
use crate::ui::{Cell, Column, Label, Painter, Show, Table};

impl Show for DaemonReport {
    fn text(&self, out: &mut Painter) {
        if let Some(lines) = &self.lines {
            for line in lines {
                out.line(line);
            }
            return;
        }
        let word = match self.state {
            DaemonState::Running => "running",
            DaemonState::NotRunning => "not running",
            DaemonState::Unresponsive => "runs, but does not answer; see lore daemon stop",
            DaemonState::Started => "started",
            DaemonState::Stopped => "stopped",
            DaemonState::Reloaded => "settings read again",
        };
        let Some(daemon) = &self.daemon else {
            out.text(word).end();
            return;
        };
        let label = if daemon.is_ready { Label::Good } else { Label::Warning };
        out.label(label, word);
        out.text(&format!(", process {}, lore {}, since ", daemon.pid, daemon.version));
        out.date(daemon.started_at).end();
        for problem in &daemon.problems {
            out.label(Label::Warning, "problem: ").line(problem);
        }
        for clone in &daemon.troubled {
            out.label(Label::Warning, "not indexed: ").label(Label::Path, &clone.dir);
            out.text(": ").line(&clone.reason);
            out.text("  ").label(Label::Id, "next: ").line(&clone.suggestion);
        }
        out.text("database  ").label(Label::Path, &daemon.database).end();
        let polled = daemon.clones - daemon.watched.min(daemon.clones);
        out.text(&format!("clones    {}", daemon.clones));
        // One that was just started has not looked yet what the system tells it of.
        let is_known = self.state != DaemonState::Started;
        out.text(if polled > 0 && is_known { " (some polled)" } else { "" }).end();
        if let Some(http) = &daemon.http {
            out.text("http      ").line(http);
        }
        if let (Some(grpc), Some(http)) = (&daemon.otlp, &daemon.otlp_http) {
            out.text("traces    ").line(&format!("gRPC on {grpc}, {http}"));
        }
        out.text("log       ").label(Label::Path, &self.log).end();
        for (what, jobs) in [("now       ", &daemon.running), ("waiting   ", &daemon.waiting)] {
            if !jobs.is_empty() {
                out.text(what).line(&jobs.join(", "));
            }
        }
        if self.state != DaemonState::Running {
            return;
        }
        out.gap();
        let mut table = Table::new([
            Column::new("task"),
            Column::new("last"),
            Column::new("next"),
            Column::flexible("error"),
        ]);
        for task in daemon.tasks.iter().filter(|task| task.next_at.is_some()) {
            table.row([
                Cell::text(&task.task),
                task.last_at.map_or_else(Cell::empty, Cell::date),
                task.next_at.map_or_else(Cell::empty, Cell::date),
                Cell::text(task.last_error.as_deref().unwrap_or_default()).label(Label::Bad),
            ]);
        }
        out.table(&table);
    }
}
