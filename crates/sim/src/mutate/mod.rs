//! One random change after another, as people make them.
//!
//! A long run of steps walks a world through every rule it has; a test that
//! syncs now and then must end with the same picture as a sync from nothing.

use crate::World;
use crate::corpus::Texts;
use crate::world::{
    DiffLine, DiscussionId, EntityKey, FileChange, LabelChange, Merge, MergeMethod, MoveTo,
    NewCommit, NewDiffNote, NewIssue, NewLabel, NewMergeRequest, NewMilestone, NewProject, NewUser,
    NoteId, ProjectId, Push, State, WorldError,
};
use fastrand::Rng;
use model::{EntityKind, Timestamp};
use std::time::Duration;

type Outcome = Result<Option<String>, WorldError>;

/// Makes one random change and says which. An empty world first gets users,
/// a project, labels and milestones.
pub fn step(world: &mut World, rng: &mut Rng) -> String {
    if let Err(error) = furnish(world) {
        return format!("nothing: {error}");
    }
    // Most choices fit most worlds; what does not fit is drawn again.
    for _ in 0..50 {
        let at = moment(world, rng);
        let mut hand = Hand { world, rng, at };
        if let Ok(Some(what)) = hand.act() {
            return format!("{at}: {what}");
        }
    }
    "nothing".to_owned()
}

/// Now, a moment later, or much later. Often the very same millisecond.
fn moment(world: &World, rng: &mut Rng) -> Timestamp {
    let millis = match rng.u8(..10) {
        0..3 => 0,
        3 => 1,
        4..7 => rng.u64(2..30_000),
        7..9 => rng.u64(30_000..600_000),
        _ => rng.u64(600_000..90_000_000),
    };
    world.now().plus(Duration::from_millis(millis))
}

fn furnish(world: &mut World) -> Result<(), WorldError> {
    if world.users().next().is_none() {
        for name in ["ada", "bo", "cem", "dee"] {
            world.add_user(NewUser::named(name))?;
        }
    }
    if world.projects().next().is_none() {
        let now = world.now();
        for path in ["harbor/tide", "harbor/charts", "tools/crane"] {
            let project = world.add_project(NewProject::at_path(path, now))?;
            for label in ["bug", "auth", "docs"] {
                world.add_label(project, NewLabel::named(label))?;
            }
            for milestone in ["1.0", "2.0"] {
                world.add_milestone(project, NewMilestone::titled(milestone))?;
            }
        }
    }
    Ok(())
}

struct Hand<'a> {
    world: &'a mut World,
    rng: &'a mut Rng,
    at: Timestamp,
}

impl Hand<'_> {
    fn act(&mut self) -> Outcome {
        let by = self.user();
        match self.rng.u8(..100) {
            0..14 => self.create_issue(&by),
            14..24 => self.create_mr(&by),
            24..40 => self.comment(&by),
            40..47 => self.reply(&by),
            47..51 => self.diff_note(&by),
            51..55 => self.edit_note(),
            55..58 => self.delete_note(),
            58..62 => self.resolve(&by),
            62..69 => self.relabel(&by),
            69..72 => self.milestone(&by),
            72..75 => self.people(&by),
            75..79 => self.words(&by),
            79..85 => self.close_or_reopen(&by),
            85..89 => self.merge(&by),
            89..91 => self.push(&by),
            91..93 => self.touch_together(),
            93..95 => self.relate(&by),
            95 => self.move_issue(&by),
            96 => self.delete(),
            97 => self.rename_project(),
            98 => self.labels_themselves(),
            _ => self.approve_or_draft(&by),
        }
    }

    fn user(&mut self) -> String {
        let n = self.world.users().count();
        let place = self.rng.usize(..n.max(1));
        self.world.users().nth(place).map(|user| user.username.clone()).unwrap_or_default()
    }

    fn project(&mut self) -> Option<ProjectId> {
        let n = self.world.projects().count();
        let place = self.rng.usize(..n.max(1));
        self.world.projects().nth(place).map(|project| project.id)
    }

    fn some(&mut self, kind: EntityKind) -> Option<EntityKey> {
        let project = self.project()?;
        let n = self.world.count(project, kind);
        let place = if n == 0 { return None } else { self.rng.usize(..n) };
        self.world.entities_of(project, kind).nth(place).map(|entity| entity.key)
    }

    fn any(&mut self) -> Option<EntityKey> {
        let kind = if self.rng.bool() { EntityKind::Issue } else { EntityKind::MergeRequest };
        self.some(kind)
    }

    fn name(&self, key: EntityKey) -> String {
        let path = self.world.project(key.project).map_or("", |project| &project.path);
        format!("{path}{}{}", key.kind.sigil(), key.iid)
    }

    /// A few words, often naming something else.
    fn text(&mut self) -> String {
        thread_local! {
            static TEXTS: Texts = Texts::new();
        }
        let length = self.rng.usize(10..120);
        let mut text = TEXTS.with(|texts| texts.body(self.rng, length));
        if self.rng.u8(..3) == 0
            && let Some(key) = self.any()
        {
            let verb = if self.rng.bool() { "Closes" } else { "see" };
            text = format!("{text}\n\n{verb} {}", self.name(key));
        }
        if self.rng.u8(..20) == 0 {
            text.push_str("\r\n🦀 שלום \u{200b}");
        }
        text
    }

    fn label(&mut self, project: ProjectId) -> Option<String> {
        let labels = &self.world.project(project).ok()?.labels;
        let place = self.rng.usize(..labels.len().max(1));
        labels.values().nth(place).map(|label| label.name.clone())
    }

    fn create_issue(&mut self, by: &str) -> Outcome {
        let Some(project) = self.project() else { return Ok(None) };
        let mut new = NewIssue::titled(&self.text()).described(&self.text());
        new.labels.extend(self.label(project).filter(|_| self.rng.bool()));
        if self.rng.u8(..4) == 0 {
            new.assignees.push(self.user());
        }
        let key = self.world.create_issue(project, by, self.at, new)?;
        Ok(Some(format!("{by} opens {}", self.name(key))))
    }

    fn create_mr(&mut self, by: &str) -> Outcome {
        let Some(project) = self.project() else { return Ok(None) };
        let branch = format!("branch-{}", self.rng.u32(..10_000));
        let mut new = NewMergeRequest::titled(&self.text(), &branch).described(&self.text());
        new.draft = self.rng.u8(..6) == 0;
        new.commits.push(NewCommit::saying(&self.text()));
        new.changes.push(FileChange {
            old_path: "src/lib.rs".to_owned(),
            new_path: "src/lib.rs".to_owned(),
            diff: "@@ -1 +1 @@\n-a\n+b\n".to_owned(),
            ..FileChange::default()
        });
        let key = self.world.create_mr(project, by, self.at, new)?;
        Ok(Some(format!("{by} opens {}", self.name(key))))
    }

    fn comment(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let text = self.text();
        if self.rng.u8(..4) == 0 {
            self.world.start_thread(key, by, self.at, &text)?;
            return Ok(Some(format!("{by} starts a thread on {}", self.name(key))));
        }
        self.world.comment(key, by, self.at, &text)?;
        Ok(Some(format!("{by} comments on {}", self.name(key))))
    }

    /// A random thread and a random note of it by a person.
    fn note(&mut self) -> Option<(EntityKey, DiscussionId, NoteId)> {
        let key = self.any()?;
        let entity = self.world.entity(key).ok()?;
        let notes: Vec<(DiscussionId, NoteId)> = entity
            .discussions
            .iter()
            .flat_map(|thread| thread.notes.iter().map(move |note| (thread, note)))
            .filter(|(_, note)| !note.system)
            .map(|(thread, note)| (thread.id, note.id))
            .collect();
        let (thread, note) = *notes.get(self.rng.usize(..notes.len().max(1)))?;
        Some((key, thread, note))
    }

    fn reply(&mut self, by: &str) -> Outcome {
        let Some((key, thread, _)) = self.note() else { return Ok(None) };
        let text = self.text();
        self.world.reply(thread, by, self.at, &text)?;
        Ok(Some(format!("{by} replies on {}", self.name(key))))
    }

    fn diff_note(&mut self, by: &str) -> Outcome {
        let Some(key) = self.some(EntityKind::MergeRequest) else { return Ok(None) };
        let line = self.rng.u32(1..100);
        let note = NewDiffNote {
            path: "src/lib.rs".to_owned(),
            line: if self.rng.bool() { DiffLine::New(line) } else { DiffLine::Old(line) },
            body: self.text(),
        };
        self.world.diff_note(key, by, self.at, note)?;
        Ok(Some(format!("{by} comments on a line of {}", self.name(key))))
    }

    fn edit_note(&mut self) -> Outcome {
        let Some((key, _, note)) = self.note() else { return Ok(None) };
        let text = self.text();
        self.world.edit_note(note, self.at, &text)?;
        Ok(Some(format!("note {note} on {} is edited", self.name(key))))
    }

    fn delete_note(&mut self) -> Outcome {
        let Some((key, _, note)) = self.note() else { return Ok(None) };
        self.world.delete_note(note)?;
        Ok(Some(format!("note {note} on {} is deleted", self.name(key))))
    }

    fn resolve(&mut self, by: &str) -> Outcome {
        let Some((key, thread, _)) = self.note() else { return Ok(None) };
        if self.world.discussion(thread)?.is_resolved() {
            self.world.unresolve(thread, by, self.at)?;
            return Ok(Some(format!("{by} reopens a thread of {}", self.name(key))));
        }
        self.world.resolve(thread, by, self.at)?;
        Ok(Some(format!("{by} resolves a thread of {}", self.name(key))))
    }

    fn relabel(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let Some(label) = self.label(key.project) else { return Ok(None) };
        let has = self.world.label_names(self.world.entity(key)?).contains(&label.as_str());
        let change =
            if has { LabelChange::removing(&[&label]) } else { LabelChange::adding(&[&label]) };
        self.world.change_labels(key, by, self.at, change)?;
        let sign = if has { '-' } else { '+' };
        Ok(Some(format!("{by} labels {} {sign}{label}", self.name(key))))
    }

    fn milestone(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let milestones = &self.world.project(key.project)?.milestones;
        let place = self.rng.usize(..=milestones.len());
        let title = milestones.values().nth(place).map(|milestone| milestone.title.clone());
        self.world.set_milestone(key, by, self.at, title.as_deref())?;
        Ok(Some(format!("{by} sets the milestone of {} to {title:?}", self.name(key))))
    }

    fn people(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let who = [self.user()];
        if key.kind == EntityKind::MergeRequest && self.rng.bool() {
            self.world.set_reviewers(key, by, self.at, &who)?;
            return Ok(Some(format!("{by} asks {} to review {}", who[0], self.name(key))));
        }
        self.world.assign(key, by, self.at, &who)?;
        Ok(Some(format!("{by} assigns {} to {}", self.name(key), who[0])))
    }

    fn words(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let text = self.text();
        if self.rng.bool() {
            self.world.retitle(key, by, self.at, &text)?;
            return Ok(Some(format!("{by} retitles {}", self.name(key))));
        }
        self.world.redescribe(key, by, self.at, &text)?;
        Ok(Some(format!("{by} rewrites the description of {}", self.name(key))))
    }

    fn close_or_reopen(&mut self, by: &str) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        if self.world.entity(key)?.state == State::Closed {
            self.world.reopen(key, by, self.at)?;
            return Ok(Some(format!("{by} reopens {}", self.name(key))));
        }
        self.world.close(key, by, self.at)?;
        Ok(Some(format!("{by} closes {}", self.name(key))))
    }

    fn merge(&mut self, by: &str) -> Outcome {
        let Some(key) = self.some(EntityKind::MergeRequest) else { return Ok(None) };
        const METHODS: [MergeMethod; 4] = [
            MergeMethod::Commit,
            MergeMethod::Squash,
            MergeMethod::FastForward,
            MergeMethod::Rebase,
        ];
        let method = METHODS[self.rng.usize(..METHODS.len())];
        self.world.merge(key, by, self.at, Merge { method, ..Merge::default() })?;
        Ok(Some(format!("{by} merges {}", self.name(key))))
    }

    fn push(&mut self, by: &str) -> Outcome {
        let Some(key) = self.some(EntityKind::MergeRequest) else { return Ok(None) };
        if self.world.entity(key)?.state != State::Opened {
            return Ok(None);
        }
        let text = self.text();
        let push = Push { commits: vec![NewCommit::saying(&text)], ..Push::default() };
        self.world.push(key, by, self.at, push)?;
        Ok(Some(format!("{by} pushes to {}", self.name(key))))
    }

    /// Several entities get the very same `updated_at`.
    fn touch_together(&mut self) -> Outcome {
        let mut names = Vec::new();
        for _ in 0..self.rng.usize(2..6) {
            if let Some(key) = self.any() {
                self.world.touch(key, self.at)?;
                names.push(self.name(key));
            }
        }
        Ok((!names.is_empty()).then(|| format!("{} are saved together", names.join(", "))))
    }

    fn relate(&mut self, by: &str) -> Outcome {
        let (Some(one), Some(other)) = (self.some(EntityKind::Issue), self.some(EntityKind::Issue))
        else {
            return Ok(None);
        };
        if one == other {
            return Ok(None);
        }
        if self.rng.bool() {
            self.world.duplicate(one, by, self.at, other)?;
            return Ok(Some(format!(
                "{by} marks {} as a duplicate of {}",
                self.name(one),
                self.name(other)
            )));
        }
        self.world.relate(one, by, self.at, other)?;
        Ok(Some(format!("{by} relates {} to {}", self.name(one), self.name(other))))
    }

    fn move_issue(&mut self, by: &str) -> Outcome {
        let (Some(key), Some(project)) = (self.some(EntityKind::Issue), self.project()) else {
            return Ok(None);
        };
        if key.project == project {
            return Ok(None);
        }
        let from = self.name(key);
        let copy = self.world.move_issue(key, by, self.at, MoveTo { project, iid: None })?;
        Ok(Some(format!("{by} moves {from} to {}", self.name(copy))))
    }

    fn delete(&mut self) -> Outcome {
        let Some(key) = self.any() else { return Ok(None) };
        let name = self.name(key);
        self.world.delete_entity(key)?;
        Ok(Some(format!("{name} is deleted")))
    }

    fn rename_project(&mut self) -> Outcome {
        let Some(project) = self.project() else { return Ok(None) };
        let old = self.world.project(project)?.path.clone();
        let stem = old.split("-v").next().unwrap_or(&old);
        let new = format!("{stem}-v{}", self.rng.u32(..1000));
        self.world.rename_project(project, &new)?;
        Ok(Some(format!("{old} is renamed to {new}")))
    }

    fn labels_themselves(&mut self) -> Outcome {
        let Some(project) = self.project() else { return Ok(None) };
        let fresh = format!("label-{}", self.rng.u32(..100_000));
        let Some(old) = self.label(project) else { return Ok(None) };
        let n = self.world.project(project)?.labels.len();
        if n > 3 && self.rng.bool() {
            self.world.delete_label(project, &old)?;
            return Ok(Some(format!("label {old} is deleted")));
        }
        if n < 6 {
            self.world.add_label(project, NewLabel::named(&fresh))?;
            return Ok(Some(format!("label {fresh} is added")));
        }
        self.world.rename_label(project, &old, &fresh)?;
        Ok(Some(format!("label {old} is renamed to {fresh}")))
    }

    fn approve_or_draft(&mut self, by: &str) -> Outcome {
        let Some(key) = self.some(EntityKind::MergeRequest) else { return Ok(None) };
        if self.rng.bool() {
            self.world.approve(key, by, self.at)?;
            return Ok(Some(format!("{by} approves {}", self.name(key))));
        }
        if self.world.entity(key)?.merge_request().is_some_and(|mr| mr.draft) {
            self.world.mark_ready(key, by, self.at)?;
        } else {
            self.world.mark_draft(key, by, self.at)?;
        }
        Ok(Some(format!("{by} changes whether {} is a draft", self.name(key))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64, steps: usize) -> (World, Vec<String>) {
        let mut world = World::new();
        let mut rng = Rng::with_seed(seed);
        let said = (0..steps).map(|_| step(&mut world, &mut rng)).collect();
        (world, said)
    }

    #[test]
    fn a_seed_always_tells_the_same_story() {
        let (world, said) = run(5, 1500);
        assert_eq!(said, run(5, 1500).1);
        assert!(said.iter().all(|line| !line.starts_with("nothing")));
        assert!(world.entities().count() > 200);
        for verb in ["opens", "comments", "closes", "merges", "moves", "renamed", "resolves"] {
            assert!(said.iter().any(|line| line.contains(verb)), "nobody {verb}");
        }
    }

    #[test]
    fn the_lists_agree_with_the_entities_after_a_long_run() {
        use crate::world::{OrderBy, Walk};
        let (world, _) = run(11, 2000);
        for project in world.projects() {
            for kind in EntityKind::ALL {
                let walk = Walk {
                    order_by: OrderBy::UpdatedAt,
                    descending: false,
                    from: None,
                    to: None,
                    after: None,
                };
                let listed: Vec<_> = world.walk(project.id, kind, walk).collect();
                let mut truth: Vec<_> = world.entities_of(project.id, kind).collect();
                truth.sort_by_key(|entity| (entity.updated_at, -entity.id.0));
                let truth: Vec<_> = truth.iter().map(|entity| entity.key.iid).collect();
                assert_eq!(listed, truth);
            }
        }
    }
}
