use super::{mark, note, place, short_name};
use crate::ui::{Label, Painter, Show};
use insight::code::read::SourceSlice;
use model::text::one_line;

impl Show for SourceSlice {
    fn text(&self, out: &mut Painter) {
        let mark = mark(out);
        let home = &self.standing.repo;
        out.text(mark).label(Label::Path, &format!("{}:{}", self.path, self.first_line));
        out.label(Label::Path, &format!("-{}", self.last_line));
        if let Some(symbol) = &self.symbol {
            out.label(Label::Faint, &format!("  {} {}", symbol.kind, short_name(symbol, home)));
        }
        out.end();
        if let Some(commit) = &self.last_change {
            let sha: String = commit.sha.chars().take(10).collect();
            let subject = one_line(&commit.subject, 90);
            out.text(mark).label(Label::Faint, "file last changed: ").label(Label::Id, &sha);
            let date = commit.committed_at.to_string();
            let day = date.split('T').next().unwrap_or_default();
            out.label(
                Label::Faint,
                &format!(" {day} {subject} ({})", one_line(&commit.author, 40)),
            );
            out.end();
        }
        if let Some(stale) = &self.stale {
            out.label(Label::Warning, &format!("{mark}{stale}")).end();
        }
        out.verbatim(&self.text).end();
        if self.cut_lines > 0 {
            note(&format!("{} more lines; -n shows them", self.cut_lines), out);
        }
        if !self.candidates.is_empty() {
            let others: Vec<String> = self
                .candidates
                .iter()
                .map(|it| format!("{} {}", short_name(it, home), place(&it.path, it.line)))
                .collect();
            let more = match self.more_candidates {
                0 => String::new(),
                n => format!(", {n} more"),
            };
            note(&format!("the name also means: {}{more}", others.join(", ")), out);
        }
    }
}
