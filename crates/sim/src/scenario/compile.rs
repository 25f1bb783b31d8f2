//! Plays a scenario into a world, in order of time.

use super::ast::{
    Action, Commit, Event, Issue, MergeRequest, MergeStyle, Place, Scenario, Target, Thread,
};
use super::error::{Diagnostic, ScenarioError};
use super::names;
use super::timeline::{Moment, Step, timeline};
use crate::World;
use crate::git::{ProjectGit, Snapshot};
use crate::world::{
    Detail, DiscussionId, EntityKey, LabelChange, Merge, MergeMethod, MoveTo, NewCommit,
    NewDiffNote, NewIssue, NewLabel, NewMergeRequest, NewMilestone, NewProject, NewUser, Push,
    Visibility, WorldError,
};
use model::Timestamp;
use model::ids::Iid;
use std::collections::BTreeMap;
use std::path::Path;

/// Plays the scenario into a new world. Repositories of projects with files
/// are written to `<keep>/<project path>`, where that is given.
pub fn compile(scenario: &Scenario, keep: Option<&Path>) -> Result<World, ScenarioError> {
    play(scenario, keep).map_err(|complaint| complaint.in_files(&scenario.files))
}

fn play(scenario: &Scenario, keep: Option<&Path>) -> Result<World, Diagnostic> {
    let whole = names::complete(scenario)?;
    let mut repos = BTreeMap::new();
    for project in &whole.projects {
        let git = ProjectGit::plan(&whole, &project.path)?;
        if let Some(dir) = keep.filter(|_| git.has_files) {
            git.history.write(&dir.join(&project.path)).map_err(|error| Diagnostic {
                place: project.place,
                message: format!("cannot make the repository of {}: {error}", project.path),
            })?;
        }
        repos.insert(project.path.clone(), git);
    }
    let moments = timeline(&whole);
    let mut player = Player { world: World::new(), repos, threads: BTreeMap::new() };
    player.set_the_stage(&whole, &moments)?;
    for moment in &moments {
        player.step(moment)?;
    }
    Ok(player.world)
}

impl ProjectGit {
    fn new_commit(&self, commit: &Commit) -> NewCommit {
        let id = self.commits.get(&commit.place);
        NewCommit {
            sha: id.map(|id| self.history.sha(*id).to_owned()),
            message: id.map_or_else(String::new, |id| self.history.message(*id).to_owned()),
            author: Some(commit.author.value.clone()),
            authored_at: Some(commit.time),
        }
    }

    fn base_sha(&self, snapshot: Option<&Snapshot>) -> Option<String> {
        snapshot.map(|snapshot| self.history.sha(snapshot.base).to_owned())
    }
}

struct Player {
    world: World,
    repos: BTreeMap<String, ProjectGit>,
    /// By the place of the thread's first note.
    threads: BTreeMap<Place, DiscussionId>,
}

fn at_place<T>(place: Place, result: Result<T, WorldError>) -> Result<T, Diagnostic> {
    result.map_err(|error| Diagnostic { place, message: error.to_string() })
}

fn values(names: &[super::ast::Name]) -> Vec<String> {
    names.iter().map(|name| name.value.clone()).collect()
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Player {
    fn set_the_stage(&mut self, whole: &Scenario, moments: &[Moment]) -> Result<(), Diagnostic> {
        let first = moments.first().map_or(Timestamp::EPOCH, |moment| moment.time);
        for user in &whole.users {
            let new = NewUser {
                username: user.username.clone(),
                name: user.name.clone(),
                email: user.email.clone().unwrap_or_default(),
                bot: user.is_bot,
            };
            at_place(user.place, self.world.add_user(new))?;
        }
        for project in &whole.projects {
            let new = NewProject {
                path: project.path.clone(),
                name: project.name.clone(),
                description: project.description.clone(),
                default_branch: project.branch.clone(),
                created_at: project.created.unwrap_or(first),
                visibility: Visibility::Private,
            };
            let id = at_place(project.place, self.world.add_project(new))?;
            for label in &project.labels {
                let new = NewLabel {
                    name: label.name.clone(),
                    color: label.color.clone().unwrap_or_default(),
                    description: label.description.clone(),
                };
                at_place(label.place, self.world.add_label(id, new))?;
            }
            for milestone in &project.milestones {
                let new = NewMilestone {
                    title: milestone.title.clone(),
                    description: milestone.description.clone().unwrap_or_default(),
                    due_date: milestone.due.clone(),
                    ..NewMilestone::default()
                };
                at_place(milestone.place, self.world.add_milestone(id, new))?;
            }
        }
        Ok(())
    }

    fn step(&mut self, moment: &Moment) -> Result<(), Diagnostic> {
        let Moment { time, place, .. } = *moment;
        match moment.step {
            Step::OpenIssue(issue) => self.open_issue(issue),
            Step::OpenMergeRequest(mr) => self.open_merge_request(mr),
            // Known to git already, and to GitLab when the branch is shown.
            Step::FirstCommit { .. } => Ok(()),
            Step::Event { target, event } => self.event(target, event),
            Step::FollowUp { thread, follow_up } => {
                let Some(&thread) = self.threads.get(&thread) else {
                    return Diagnostic::new(place, "the note above was never written");
                };
                let by = follow_up.by.value.as_str();
                match &follow_up.reply {
                    Some(body) => {
                        at_place(place, self.world.reply(thread, by, time, body)).map(|_| ())
                    }
                    None => at_place(place, self.world.resolve(thread, by, time)),
                }
            }
            Step::DirectCommit(direct) => {
                let commit = &direct.commit;
                let path = direct.project.as_ref().map_or("", |name| name.value.as_str());
                let Some(repo) = self.repos.get(path) else { return Ok(()) };
                let new = repo.new_commit(commit);
                let project = at_place(place, self.world.project_id(path))?;
                let by = commit.author.value.as_str();
                at_place(place, self.world.commit_to_default(project, by, time, new))
            }
        }
    }

    fn open_issue(&mut self, issue: &Issue) -> Result<(), Diagnostic> {
        let opening = &issue.opening;
        let place = opening.target.place;
        let path = opening.target.project.as_deref().unwrap_or_default();
        let project = at_place(place, self.world.project_id(path))?;
        let new = NewIssue {
            iid: Some(Iid(opening.target.iid)),
            title: opening.title.clone(),
            description: non_empty(&opening.description),
            labels: values(&opening.labels),
            milestone: opening.milestone.as_ref().map(|name| name.value.clone()),
            assignees: values(&opening.assignees),
            confidential: issue.is_confidential,
            issue_type: issue.issue_type.clone(),
        };
        let by = opening.author.value.as_str();
        at_place(place, self.world.create_issue(project, by, opening.time, new)).map(|_| ())
    }

    fn open_merge_request(&mut self, mr: &MergeRequest) -> Result<(), Diagnostic> {
        let opening = &mr.opening;
        let place = opening.target.place;
        let path = opening.target.project.as_deref().unwrap_or_default();
        let project = at_place(place, self.world.project_id(path))?;
        let mut new = NewMergeRequest {
            iid: Some(Iid(opening.target.iid)),
            title: opening.title.clone(),
            description: non_empty(&opening.description),
            source_branch: mr.source_branch.clone(),
            target_branch: mr.target_branch.clone().unwrap_or_default(),
            source_project: None,
            draft: mr.is_draft,
            labels: values(&opening.labels),
            milestone: opening.milestone.as_ref().map(|name| name.value.clone()),
            assignees: values(&opening.assignees),
            reviewers: values(&mr.reviewers),
            commits: Vec::new(),
            changes: Vec::new(),
            base_sha: None,
        };
        if let Some(repo) = self.repos.get(path) {
            let snapshot = repo.snapshots.get(&place);
            new.commits = mr.first_commits.iter().map(|commit| repo.new_commit(commit)).collect();
            new.changes = snapshot.map(|snapshot| snapshot.changes.clone()).unwrap_or_default();
            new.base_sha = repo.base_sha(snapshot);
        }
        let by = opening.author.value.as_str();
        at_place(place, self.world.create_mr(project, by, opening.time, new)).map(|_| ())
    }

    fn key(&self, target: &Target) -> Result<EntityKey, Diagnostic> {
        let path = target.project.as_deref().unwrap_or_default();
        at_place(target.place, self.world.key(path, target.kind, target.iid))
    }

    fn event(&mut self, target: &Target, event: &Event) -> Result<(), Diagnostic> {
        let Event { place, time, .. } = *event;
        let by = event.by.value.as_str();
        let on = self.key(&Target { place, ..target.clone() })?;
        let path = target.project.as_deref().unwrap_or_default();
        let done = match &event.action {
            Action::Comment(thread) => self.comment(path, on, event, thread),
            Action::Label { add, remove } => {
                let change = LabelChange { add: values(add), remove: values(remove) };
                self.world.change_labels(on, by, time, change)
            }
            Action::Milestone(milestone) => {
                let title = milestone.as_ref().map(|name| name.value.as_str());
                self.world.set_milestone(on, by, time, title)
            }
            Action::Assign(people) => self.world.assign(on, by, time, &values(people)),
            Action::Title(title) => self.world.retitle(on, by, time, title),
            Action::Describe(text) => self.world.redescribe(on, by, time, text),
            Action::Close => self.world.close(on, by, time),
            Action::Reopen => self.world.reopen(on, by, time),
            Action::Relate(other) => {
                let other = self.key(other)?;
                self.world.relate(on, by, time, other)
            }
            Action::Duplicate(other) => {
                let other = self.key(other)?;
                self.world.duplicate(on, by, time, other)
            }
            Action::Move(to) => {
                let path = to.project.as_deref().unwrap_or_default();
                let project = at_place(place, self.world.project_id(path))?;
                let to = MoveTo { project, iid: Some(Iid(to.iid)) };
                self.world.move_issue(on, by, time, to).map(|_| ())
            }
            Action::Push(commit) => self.push(path, on, event, commit),
            Action::Draft => self.world.mark_draft(on, by, time),
            Action::Ready => self.world.mark_ready(on, by, time),
            Action::Review(people) => self.world.set_reviewers(on, by, time, &values(people)),
            Action::Approve => self.world.approve(on, by, time),
            Action::Merge(style) => self.merge(path, on, event, *style),
        };
        // The world counts projects; people know them by their path.
        done.map_err(|error| {
            let written = format!("{path}{}{}", target.kind.sigil(), target.iid);
            Diagnostic { place, message: error.to_string().replace(&on.to_string(), &written) }
        })
    }

    fn comment(
        &mut self,
        path: &str,
        on: EntityKey,
        event: &Event,
        thread: &Thread,
    ) -> Result<(), WorldError> {
        let by = event.by.value.as_str();
        let line = self.repos.get(path).and_then(|repo| repo.diff_lines.get(&event.place));
        let posted = match (&thread.anchor, line) {
            (Some(anchor), Some(&line)) => {
                let note =
                    NewDiffNote { path: anchor.path.clone(), line, body: thread.body.clone() };
                self.world.diff_note(on, by, event.time, note)?
            }
            // A thread that gets resolved was started as one; other comments
            // become threads by being replied to.
            _ if thread.follow_ups.iter().any(|one| one.reply.is_none()) => {
                self.world.start_thread(on, by, event.time, &thread.body)?
            }
            _ => self.world.comment(on, by, event.time, &thread.body)?,
        };
        self.threads.insert(event.place, posted.discussion);
        Ok(())
    }

    fn push(
        &mut self,
        path: &str,
        on: EntityKey,
        event: &Event,
        commit: &Commit,
    ) -> Result<(), WorldError> {
        let mut push = Push::default();
        if let Some(repo) = self.repos.get(path) {
            let snapshot = repo.snapshots.get(&event.place);
            push.commits = vec![repo.new_commit(commit)];
            push.changes = snapshot.map(|snapshot| snapshot.changes.clone());
            push.base_sha = repo.base_sha(snapshot);
        }
        self.world.push(on, &event.by.value, event.time, push)
    }

    fn merge(
        &mut self,
        path: &str,
        on: EntityKey,
        event: &Event,
        style: MergeStyle,
    ) -> Result<(), WorldError> {
        let method = match style {
            MergeStyle::Merge => MergeMethod::Commit,
            MergeStyle::Squash => MergeMethod::Squash,
            MergeStyle::FastForward => MergeMethod::FastForward,
            MergeStyle::Rebase => MergeMethod::Rebase,
        };
        let mut merge = Merge { method, ..Merge::default() };
        if let Some(repo) = self.repos.get(path)
            && let Some(merged) = repo.merges.get(&on.iid.0)
        {
            let sha = |id: &crate::git::CommitId| repo.history.sha(*id).to_owned();
            merge.merge_commit_sha = merged.merge_commit.as_ref().map(sha);
            merge.squash_commit_sha = merged.squash_commit.as_ref().map(sha);
            if style == MergeStyle::Rebase {
                merge.rebased_sha = merged.commits.last().map(sha);
                // A rebase writes every commit anew; the merge request shows those.
                let rewritten: Vec<String> = merged.commits.iter().map(sha).collect();
                self.world.edit_raw(on, |entity| {
                    if let Detail::MergeRequest(mr) = &mut entity.detail {
                        for (commit, sha) in mr.commits.iter_mut().zip(rewritten) {
                            commit.sha = sha;
                        }
                    }
                })?;
            }
        }
        self.world.merge(on, &event.by.value, event.time, merge)
    }
}
