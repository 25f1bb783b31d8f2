//! The repository of one project of a scenario: its history, and what every
//! merge request showed at each of its moments.

use super::diff::{file_changes, line_in_diff};
use super::error::GitError;
use super::history::{CommitId, History, MergeAs, MergeOutcome, Signature};
use super::lines;
use super::message::{closing_references, merge_message, short_form};
use crate::scenario::ScenarioError;
use crate::scenario::ast::{
    Action, Anchor, Commit, MergeRequest, MergeStyle, Place, Scenario, Spot, Thread, User,
};
use crate::scenario::error::Diagnostic;
use crate::scenario::names;
use crate::scenario::timeline::{Step, timeline};
use crate::world::{DiffLine, FileChange};
use model::{EntityKind, Timestamp};
use std::collections::BTreeMap;
use std::path::Path;

/// The diff of a merge request at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub base: CommitId,
    pub head: CommitId,
    pub changes: Vec<FileChange>,
}

/// Everything git knows about one project.
#[derive(Debug, Clone)]
pub struct ProjectGit {
    pub history: History,
    /// Whether any commit names a file; without one there is nothing to check out.
    pub has_files: bool,
    /// By the place the commit was written at.
    pub commits: BTreeMap<Place, CommitId>,
    /// By the place of the merge request's header or of the push.
    pub snapshots: BTreeMap<Place, Snapshot>,
    /// By the number of the merge request.
    pub merges: BTreeMap<i64, MergeOutcome>,
    /// By the place of the note.
    pub diff_lines: BTreeMap<Place, DiffLine>,
}

/// Writes the repository of one project of a scenario into `dir`, with a
/// checkout; `dir` is made if needed.
pub fn write_repo(scenario: &Scenario, project: &str, dir: &Path) -> Result<(), ScenarioError> {
    let whole = names::complete(scenario).map_err(|error| error.in_files(&scenario.files))?;
    let git = ProjectGit::plan(&whole, project).map_err(|error| error.in_files(&scenario.files))?;
    git.history.write(dir).map_err(|error| ScenarioError::new(project, 0, error.to_string()))
}

impl ProjectGit {
    /// Plays the git side of a completed scenario.
    pub(crate) fn plan(scenario: &Scenario, path: &str) -> Result<ProjectGit, Diagnostic> {
        let Some(project) = scenario.projects.iter().find(|project| project.path == path) else {
            let known = scenario.projects.iter().map(|project| project.path.as_str());
            return Diagnostic::unknown(Place::default(), "project", path, known);
        };
        let mut planner = Planner {
            path,
            people: scenario.users.iter().map(|user| (user.username.as_str(), user)).collect(),
            merge_requests: scenario
                .merge_requests
                .iter()
                .filter(|mr| mr.opening.target.project.as_deref() == Some(path))
                .map(|mr| (mr.opening.target.iid, mr))
                .collect(),
            git: ProjectGit {
                history: History::new(&project.branch),
                has_files: false,
                commits: BTreeMap::new(),
                snapshots: BTreeMap::new(),
                merges: BTreeMap::new(),
                diff_lines: BTreeMap::new(),
            },
        };
        for moment in timeline(scenario) {
            planner.play(moment.place, moment.time, &moment.step)?;
        }
        Ok(planner.git)
    }
}

struct Planner<'a> {
    path: &'a str,
    people: BTreeMap<&'a str, &'a User>,
    merge_requests: BTreeMap<i64, &'a MergeRequest>,
    git: ProjectGit,
}

fn at_place<T>(place: Place, result: Result<T, GitError>) -> Result<T, Diagnostic> {
    result.map_err(|error| Diagnostic { place, message: error.to_string() })
}

impl<'a> Planner<'a> {
    fn play(&mut self, place: Place, time: Timestamp, step: &Step<'a>) -> Result<(), Diagnostic> {
        match step {
            Step::DirectCommit(direct)
                if direct.project.as_ref().is_some_and(|project| project.value == self.path) =>
            {
                let branch = self.git.history.default_branch().to_owned();
                self.commit(&branch, &direct.commit)?;
            }
            Step::FirstCommit { mr, commit } if self.is_ours(mr) => {
                self.commit_on_branch(mr, commit)?;
            }
            Step::OpenMergeRequest(mr) if self.is_ours(mr) => self.snapshot(mr, place),
            Step::Event { target, event }
                if target.kind == EntityKind::MergeRequest
                    && target.project.as_deref() == Some(self.path) =>
            {
                let Some(&mr) = self.merge_requests.get(&target.iid) else { return Ok(()) };
                match &event.action {
                    Action::Push(commit) => {
                        self.commit_on_branch(mr, commit)?;
                        self.snapshot(mr, place);
                    }
                    Action::Merge(style) => self.merge(mr, *style, place, time, &event.by.value)?,
                    Action::Comment(Thread { anchor: Some(anchor), .. }) => {
                        let line = self.locate(mr, anchor, place)?;
                        self.git.diff_lines.insert(place, line);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn is_ours(&self, mr: &MergeRequest) -> bool {
        mr.opening.target.project.as_deref() == Some(self.path)
    }

    fn signature(&self, username: &str, time: Timestamp) -> Signature {
        let (name, email) = match self.people.get(username) {
            Some(user) => (user.name.clone(), user.email.clone()),
            None => (username.to_owned(), None),
        };
        let email = email.unwrap_or_else(|| format!("{username}@example.com"));
        Signature { name, email, time }
    }

    fn target_branch(&self, mr: &MergeRequest) -> String {
        mr.target_branch.clone().unwrap_or_else(|| self.git.history.default_branch().to_owned())
    }

    fn commit(&mut self, branch: &str, commit: &Commit) -> Result<(), Diagnostic> {
        let author = self.signature(&commit.author.value, commit.time);
        // Files are applied one by one, so that an error names its own line.
        let mut tree = match self.git.history.tip(branch) {
            Some(tip) => self.git.history.tree(tip).clone(),
            None => super::tree::Tree::default(),
        };
        for change in &commit.changes {
            at_place(change.place, tree.apply(&change.value))?;
        }
        let changes: Vec<_> = commit.changes.iter().map(|change| change.value.clone()).collect();
        self.git.has_files |= !changes.is_empty();
        let message = commit_message(commit);
        let made = self.git.history.commit(branch, &author, &message, &changes);
        self.git.commits.insert(commit.place, at_place(commit.place, made)?);
        Ok(())
    }

    /// The branch starts where its target stands at its first commit.
    fn commit_on_branch(&mut self, mr: &MergeRequest, commit: &Commit) -> Result<(), Diagnostic> {
        let target = self.target_branch(mr);
        let history = &mut self.git.history;
        if history.tip(&mr.source_branch).is_none() {
            let main = history.default_branch().to_owned();
            if history.tip(&main).is_none() {
                let author = self.signature(&commit.author.value, commit.time);
                let made = self.git.history.commit(&main, &author, "Initial commit\n", &[]);
                at_place(commit.place, made)?;
            }
            let history = &mut self.git.history;
            if history.tip(&target).is_none() {
                at_place(commit.place, history.branch(&target, &main))?;
            }
            at_place(commit.place, history.branch(&mr.source_branch, &target))?;
        }
        self.commit(&mr.source_branch, commit)
    }

    fn current(&self, mr: &MergeRequest) -> Option<(CommitId, CommitId)> {
        let history = &self.git.history;
        let head = history.tip(&mr.source_branch)?;
        let target = history.tip(&self.target_branch(mr))?;
        Some((history.merge_base(head, target)?, head))
    }

    fn snapshot(&mut self, mr: &MergeRequest, place: Place) {
        let Some((base, head)) = self.current(mr) else { return };
        let history = &mut self.git.history;
        let changes = file_changes(history.tree(base), history.tree(head));
        self.git.snapshots.insert(place, Snapshot { base, head, changes });
        let iid = mr.opening.target.iid;
        self.git.history.set_ref(&format!("refs/merge-requests/{iid}/head"), head);
    }

    fn merge(
        &mut self,
        mr: &MergeRequest,
        style: MergeStyle,
        place: Place,
        time: Timestamp,
        by: &str,
    ) -> Result<(), Diagnostic> {
        // A merge request without commits is merged in GitLab's eyes only.
        if self.git.history.tip(&mr.source_branch).is_none() {
            return Ok(());
        }
        let target = self.target_branch(mr);
        let iid = mr.opening.target.iid;
        let (title, description) = latest_words(mr, time);
        let closes: Vec<String> = closing_references(&description, self.path)
            .iter()
            .map(|reference| short_form(reference, self.path))
            .collect();
        let message = merge_message(&mr.source_branch, &target, &title, &closes, self.path, iid);
        let how = MergeAs {
            style,
            by: &self.signature(by, time),
            author: &self.signature(&mr.opening.author.value, time),
            message: &message,
            squash_message: &format!("{title}\n"),
        };
        let merged = at_place(place, self.git.history.merge(&mr.source_branch, &target, how))?;
        if let (MergeStyle::Rebase, Some(head)) = (style, merged.commits.last()) {
            // GitLab keeps what was rewritten under a ref nobody fetches.
            let history = &mut self.git.history;
            if let Some(before) = history.tip(&mr.source_branch) {
                let sha = history.sha(before).to_owned();
                history.set_ref(&format!("refs/keep-around/{sha}"), before);
            }
            history.set_ref(&format!("refs/merge-requests/{iid}/head"), *head);
        }
        self.git.history.delete_branch(&mr.source_branch);
        self.git.merges.insert(iid, merged);
        Ok(())
    }

    fn locate(
        &self,
        mr: &MergeRequest,
        anchor: &Anchor,
        place: Place,
    ) -> Result<DiffLine, Diagnostic> {
        let wrong = |message: String| Diagnostic::new(place, message);
        let path = &anchor.path;
        let Some((base, head)) = self.current(mr) else {
            return match anchor.spot {
                Spot::Line(line) if anchor.is_old_side => Ok(DiffLine::Old(line as u32)),
                Spot::Line(line) => Ok(DiffLine::New(line as u32)),
                Spot::Containing(_) => {
                    wrong("there are no commits to look for this text in".into())
                }
            };
        };
        let (old_tree, new_tree) = (self.git.history.tree(base), self.git.history.tree(head));
        let changes = file_changes(old_tree, new_tree);
        let Some(change) = changes.iter().find(|change| {
            path == if anchor.is_old_side { &change.old_path } else { &change.new_path }
        }) else {
            if !self.git.has_files {
                return wrong("there are no files to comment on".into());
            }
            return Diagnostic::unknown(
                place,
                "file in this diff",
                path,
                changes.iter().map(|change| change.new_path.as_str()),
            );
        };
        let before = old_tree.get(&change.old_path).unwrap_or_default();
        let after = new_tree.get(&change.new_path).unwrap_or_default();
        let side = lines::split(if anchor.is_old_side { before } else { after });
        let index = match &anchor.spot {
            Spot::Line(line) => line - 1,
            Spot::Containing(text) => {
                match side.iter().position(|line| line.contains(text.as_str())) {
                    Some(index) => index,
                    None => return wrong(format!("no line of `{path}` contains `{text}`")),
                }
            }
        };
        if index >= side.len() {
            return wrong(format!("`{path}` has only {} lines", side.len()));
        }
        Ok(line_in_diff(before, after, anchor.is_old_side, index))
    }
}

pub(crate) fn commit_message(commit: &Commit) -> String {
    if commit.body.is_empty() {
        format!("{}\n", commit.subject)
    } else {
        format!("{}\n\n{}\n", commit.subject, commit.body)
    }
}

/// Title and description as they stood at `time`.
fn latest_words(mr: &MergeRequest, time: Timestamp) -> (String, String) {
    let mut title = mr.opening.title.clone();
    let mut description = mr.opening.description.clone();
    for event in mr.events.iter().filter(|event| event.time <= time) {
        match &event.action {
            Action::Title(new) => title.clone_from(new),
            Action::Describe(new) => description.clone_from(new),
            _ => {}
        }
    }
    (title, description)
}
