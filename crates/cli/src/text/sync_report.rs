use super::document_report::changes;
use super::embed_report;
use super::{counted, grouped};
use crate::run_sync::SyncAnswer;
use crate::ui::{Label, Painter, Show};
use code::history::ScanReport;
use forge::sync::{EntityCounts, ProjectReport};
use model::record::DependentKind;
use model::time::human_duration;
use model::{Error, ErrorCode};
use pipeline::commits::CommitsReport;
use std::time::Duration;
use store::runs::RunStatus;

impl Show for SyncAnswer {
    fn text(&self, out: &mut Painter) {
        for project in &self.sync.projects {
            project_line(out, project, self.sync.is_dry_run);
        }
        if let Some(commits) = &self.commits {
            commits_lines(out, commits);
        }
        for report in self.code.iter().filter(|report| report.is_new) {
            let symbols = counted(report.symbols, "symbol", "symbols");
            let edges = counted(report.edges, "edge", "edges");
            out.text(&format!("code  {}  {symbols}, {edges}", report.repo)).end();
        }
        if let Some(documents) = &self.documents
            && let Some(words) = changes(documents)
        {
            out.text(&format!("search index  {words}")).end();
        }
        if let Some(embedding) = &self.embedding
            && let Some(words) = embed_report::made(embedding)
        {
            out.text(&format!("embeddings    {words}")).end();
        }
        let elapsed = human_duration(Duration::from_millis(self.total_ms));
        let end = match self.sync.status {
            _ if self.sync.is_dry_run => "dry run: nothing was stored".to_owned(),
            // A frozen clock, as in the demo, has no time to tell.
            RunStatus::Succeeded if self.total_ms == 0 => "done".to_owned(),
            RunStatus::Interrupted => {
                format!("stopped after {elapsed}; `lore sync` goes on from here")
            }
            _ => format!("done in {elapsed}"),
        };
        out.label(Label::Faint, &end).end();
        if self.sync.queue_waiting > 0 && !self.sync.is_dry_run {
            let waiting = counted(self.sync.queue_waiting, "fetch waits", "fetches wait");
            let failed = match self.sync.queue_failed {
                0 => String::new(),
                n => format!(", {} failed so far (`lore status` says why)", grouped(n)),
            };
            out.label(Label::Warning, &format!("{waiting} for the next sync{failed}")).end();
        }
        if let Some(embedding) = &self.embedding {
            embed_report::remaining(embedding, out);
        }
    }

    fn failure(&self) -> Option<Error> {
        if self.sync.status == RunStatus::Interrupted {
            return Some(
                Error::new(ErrorCode::Interrupted, "interrupted")
                    .suggest("run `lore sync` again; it goes on where this one stopped"),
            );
        }
        let failed: Vec<&ProjectReport> =
            self.sync.projects.iter().filter(|project| project.error.is_some()).collect();
        let n_unreadable: usize = self.sync.projects.iter().map(|p| p.unreadable.len()).sum();
        if failed.is_empty() && n_unreadable == 0 {
            return None;
        }
        let what = if failed.is_empty() {
            format!("{} could not be read", counted(n_unreadable as u64, "item", "items"))
        } else {
            format!("{} of {} projects failed", failed.len(), self.sync.projects.len())
        };
        Some(
            Error::new(ErrorCode::Partial, what)
                .suggest("the rest is stored; mend the cause above and run `lore sync` again"),
        )
    }
}

fn project_line(out: &mut Painter, project: &ProjectReport, is_dry_run: bool) {
    out.label(Label::Path, &project.path).text("  ");
    if let Some(error) = &project.error {
        out.label(Label::Bad, "failed: ").text(&error.message);
        if let Some(suggestion) = &error.suggestion {
            out.label(Label::Faint, &format!(" ({suggestion})"));
        }
        out.end();
        return;
    }
    let mut parts = Vec::new();
    parts.extend(entity_words(project.issues, "issue", "issues"));
    parts.extend(entity_words(project.merge_requests, "merge request", "merge requests"));
    if parts.is_empty() {
        parts.extend(changed_words(project));
    }
    if parts.is_empty() {
        parts.push(if is_dry_run { "nothing would change" } else { "up to date" }.to_owned());
    }
    out.text(&parts.join(" · "));
    if project.dependents.unavailable > 0 {
        let n = counted(project.dependents.unavailable, "list", "lists");
        out.label(Label::Warning, &format!(" · the token may not read {n} of details"));
    }
    if !project.unreadable.is_empty() {
        let n = counted(project.unreadable.len() as u64, "item", "items");
        out.label(Label::Bad, &format!(" · {n} not understood"));
    }
    out.end();
}

/// Clones with news, and those that could not be read.
fn commits_lines(out: &mut Painter, commits: &CommitsReport) {
    for repo in &commits.repos {
        if let Some(words) = commit_words(repo) {
            out.label(Label::Path, &repo.repo).text("  ").text(&words).end();
        }
    }
    for problem in &commits.problems {
        out.label(Label::Path, &problem.dir).text("  ");
        out.label(Label::Warning, "not read: ").text(&problem.message).end();
    }
}

pub(super) fn commit_words(repo: &ScanReport) -> Option<String> {
    let mut parts = Vec::new();
    if repo.new_commits > 0 {
        parts.push(counted(repo.new_commits, "new commit", "new commits"));
    }
    if repo.unreachable > 0 {
        let n = counted(repo.unreachable, "commit", "commits");
        parts.push(format!("{n} left behind by a force push"));
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// "discussions, events updated"; what new and updated entities bring is not listed.
fn changed_words(project: &ProjectReport) -> Option<String> {
    let mut words: Vec<&str> = project.changed.iter().map(|kind| subject(*kind)).collect();
    words.dedup();
    (!words.is_empty()).then(|| format!("{} updated", words.join(", ")))
}

fn subject(kind: DependentKind) -> &'static str {
    match kind {
        DependentKind::Discussions => "discussions",
        DependentKind::StateEvents
        | DependentKind::LabelEvents
        | DependentKind::MilestoneEvents => "events",
        DependentKind::ClosesIssues => "closed issues",
        DependentKind::FileChanges => "file changes",
        DependentKind::Commits => "commits",
    }
}

fn entity_words(counts: EntityCounts, one: &str, many: &str) -> Option<String> {
    let words: Vec<String> =
        [(counts.new, "new"), (counts.updated, "updated"), (counts.gone, "gone")]
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, word)| format!("{} {word}", grouped(n)))
            .collect();
    let total = counts.new + counts.updated + counts.gone;
    (!words.is_empty())
        .then(|| format!("{} {}", words.join(", "), if total == 1 { one } else { many }))
}
