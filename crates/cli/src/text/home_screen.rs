use super::{counted, grouped};
use crate::home_screen::HomeScreen;
use crate::ui::{Label, Painter, Show};

impl Show for HomeScreen {
    fn text(&self, out: &mut Painter) {
        let Some(repo) = self.repo.as_ref() else {
            out.label(Label::Path, &self.folder).text(" is not read yet.").end().gap();
            step(out, "lore index", "read its code and its history; needs no account");
            step(out, "lore init", "connect a GitLab server as well");
            step(out, "lore help all", "all commands");
            return;
        };
        out.label(Label::Heading, &repo.name).end();
        match &repo.code {
            Some(code) => {
                let short: String = code.commit.chars().take(10).collect();
                let behind = if code.is_stale { "; the commit checked out is newer" } else { "" };
                let symbols = counted(code.symbols, "symbol", "symbols");
                let edges = counted(code.edges, "edge", "edges");
                out.field("code", &format!("{symbols}, {edges} at {short}{behind}"));
            }
            None => {
                out.field("code", "not indexed");
            }
        }
        match repo.newest_commit_at {
            Some(at) => {
                let newest = out.look().date(at);
                out.field("commits", &format!("{}, the newest {newest}", grouped(repo.commits)));
            }
            None => {
                out.field("commits", "not read");
            }
        }
        if let Some(project) = &self.project {
            let issues = counted(self.issues, "issue", "issues");
            let mrs = counted(self.merge_requests, "merge request", "merge requests");
            out.field("forge", &format!("{project}: {issues}, {mrs}"));
        }
        if self.records > 0 {
            out.field("memory", &counted(self.records, "record", "records"));
        }
        out.gap();
        for next in &self.next {
            step(out, &next.command, &next.reason);
        }
        step(out, "lore search WORDS", "find commits, symbols and discussions");
        step(out, "lore why FILE:LINE", "the reasons behind a line");
        step(out, "lore experts FILE", "whom to ask");
        step(out, "lore help all", "all commands");
    }
}

fn step(out: &mut Painter, command: &str, what: &str) {
    out.text("  ").label(Label::Id, &format!("{command:<22}"));
    out.label(Label::Faint, &format!("  {what}")).end();
}
