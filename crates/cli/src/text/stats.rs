use super::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::stats::Stats;
use model::{Error, ErrorCode};

impl Show for Stats {
    fn text(&self, out: &mut Painter) {
        let mut table =
            Table::new([Column::new("what"), Column::right("count"), Column::flexible("of which")]);
        for count in &self.counts {
            let parts: Vec<String> =
                count.by.iter().map(|(name, n)| format!("{} {name}", grouped(*n))).collect();
            table.row([
                Cell::text(&count.what),
                Cell::text(grouped(count.total)),
                Cell::text(parts.join(", ")).label(Label::Faint),
            ]);
        }
        table.row([
            Cell::text("references"),
            Cell::text(grouped(self.references)),
            Cell::text(format!("{} to what is not synced", grouped(self.unresolved_references)))
                .label(Label::Faint),
        ]);
        table.row([
            Cell::text("truncated documents"),
            Cell::text(grouped(self.truncated_documents)),
            Cell::text("too long to be searched whole").label(Label::Faint),
        ]);
        table.row([
            Cell::text("stale documents"),
            Cell::text(grouped(self.documents_waiting)),
            Cell::text(format!(
                "made again by the next sync, {} failed",
                grouped(self.documents_failed)
            ))
            .label(Label::Faint),
        ]);
        table.row([
            Cell::text("full-text index"),
            Cell::text(grouped(self.documents_indexed)),
            Cell::text("documents").label(Label::Faint),
        ]);
        for (nth, model) in self.vectors.iter().enumerate() {
            let mut parts = vec![format!("by {}", model.model)];
            if let Some(share) = self.embedding_coverage.filter(|_| nth == 0) {
                parts.push(format!("{:.0} % of all", share * 100.0));
                parts.push(format!("{} pending", grouped(self.embedding_pending)));
            }
            parts.push(format!("{} texts", grouped(model.chunks)));
            parts.push(format!("{} outdated", grouped(model.outdated)));
            parts.push(format!("{} failed", grouped(model.failed)));
            table.row([
                Cell::text("embedded documents"),
                Cell::text(grouped(model.documents)),
                Cell::text(parts.join(", ")).label(Label::Faint),
            ]);
        }
        for (name, n) in &self.memory {
            let note = if name == "edges" { "between them, code and the forge" } else { "" };
            table.row([
                Cell::text(name),
                Cell::text(grouped(*n)),
                Cell::text(note).label(Label::Faint),
            ]);
        }
        table.row([
            Cell::text("misses"),
            Cell::text(grouped(self.misses)),
            Cell::text(insight::stats::miss_rate(self.misses, self.recalls)).label(Label::Faint),
        ]);
        for miss in &self.misses_by_kind {
            if let Some(advice) = &miss.advice {
                table.row([
                    Cell::text(&miss.kind),
                    Cell::text(grouped(miss.count)),
                    Cell::text(advice).label(Label::Warning),
                ]);
            }
        }
        table.row([
            Cell::text("queue"),
            Cell::text(grouped(self.queue_waiting)),
            Cell::text(format!("{} failed", grouped(self.queue_failed))).label(Label::Faint),
        ]);
        table.row([
            Cell::text("unknown notes"),
            Cell::text(grouped(self.unknown_system_notes)),
            Cell::text("system notes whose wording lore does not know").label(Label::Faint),
        ]);
        out.table(&table);
        for repair in &self.repaired {
            out.label(Label::Good, "repaired ").text(&repair.id);
            out.text(&format!(" ({})", grouped(repair.count))).end();
        }
        if self.checks.is_empty() {
            return;
        }
        out.gap();
        for check in &self.checks {
            let (mark, label) =
                if check.is_sound { ("✓", Label::Good) } else { ("✗", Label::Bad) };
            out.label(label, mark).text(&format!(" {:<24}", check.id));
            if check.is_sound {
                out.label(Label::Faint, &format!("no {}", check.what));
            } else {
                out.text(&format!("{} {}", grouped(check.count), check.what));
                match &check.repair {
                    Some(repair) => out.label(Label::Faint, &format!("; --repair: {repair}")),
                    None => out.label(Label::Faint, "; restore a backup or sync into a new file"),
                };
            }
            out.end();
        }
    }

    fn failure(&self) -> Option<Error> {
        let broken: Vec<&str> =
            self.checks.iter().filter(|check| !check.is_sound).map(|c| c.id.as_str()).collect();
        (!broken.is_empty()).then(|| {
            Error::new(
                ErrorCode::Integrity,
                format!("the check found damage: {}", broken.join(", ")),
            )
            .suggest("run: lore stats --check --repair")
        })
    }
}
