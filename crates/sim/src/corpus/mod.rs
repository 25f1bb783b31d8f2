//! Large worlds from a seed, for measuring and for endurance tests.
//!
//! Sizes are heavy-tailed as in real trackers: most issues are short and
//! quiet, a few are very long and very loud. A corpus is put together and
//! inserted whole; it does not replay GitLab's rules step by step, but what it
//! makes is what they could have left behind.

mod entity;
mod text;

pub use text::Texts;

use crate::World;
use crate::world::{
    EntityKey, LabelId, MilestoneId, NewLabel, NewMilestone, NewProject, NewUser, ProjectId,
    UserId, WorldError,
};
use entity::Maker;
use fastrand::Rng;
use model::ids::Iid;
use model::{EntityKind, Timestamp};
use std::time::Duration;

/// How large, and with which chances. The same values make the same world.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    pub seed: u64,
    pub projects: usize,
    /// Over all projects.
    pub issues: usize,
    pub merge_requests: usize,
    pub users: usize,
    pub labels_per_project: usize,
    pub milestones_per_project: usize,
    /// When the first entity was created, and over how many days they spread.
    pub start: Timestamp,
    pub days: u32,
    /// Median bytes of a description and of a comment.
    pub description_bytes: f64,
    pub note_bytes: f64,
    /// Median threads of an issue; merge requests have half as many again.
    pub threads: f64,
    /// Rounds of label changes of an entity, fewer than this.
    pub label_batches: usize,
    /// Texts in a hundred with characters that trip programs.
    pub odd_percent: u8,
    /// So many descriptions are one megabyte long.
    pub huge_descriptions: usize,
    /// Every so many entities, a run of them shares one `updated_at`.
    pub tie_every: usize,
    pub tie_length: usize,
}

impl Corpus {
    pub fn new(seed: u64, issues: usize, merge_requests: usize) -> Self {
        Corpus {
            seed,
            projects: 1,
            issues,
            merge_requests,
            users: 60,
            labels_per_project: 40,
            milestones_per_project: 12,
            start: Timestamp::from_millis(1_546_300_800_000),
            days: 5 * 365,
            description_bytes: 350.0,
            note_bytes: 120.0,
            threads: 1.4,
            label_batches: 3,
            odd_percent: 3,
            huge_descriptions: 0,
            tie_every: 5_000,
            tie_length: 250,
        }
    }

    pub fn build(&self) -> Result<World, WorldError> {
        let mut world = World::new();
        world.settings.record_activity = false;
        let mut rng = Rng::with_seed(self.seed);
        let texts = Texts::new();
        let users = self.add_users(&mut world, &mut rng)?;
        let n_projects = self.projects.max(1);
        for index in 0..n_projects {
            let home = self.add_project(&mut world, &mut rng, &texts, index)?;
            let share = |total: usize| total / n_projects + usize::from(index < total % n_projects);
            let mut maker = Maker::new(self, &texts, &users, &home, &mut rng);
            maker.fill(&mut world, share(self.issues), share(self.merge_requests))?;
        }
        world.settings.record_activity = true;
        Ok(world)
    }

    fn add_users(&self, world: &mut World, rng: &mut Rng) -> Result<Vec<UserId>, WorldError> {
        world.set_now(self.start);
        (0..self.users.max(1))
            .map(|index| {
                let name = match rng.u8(..100) {
                    0..5 => format!("Üser Ñ{index} 🦀"),
                    _ => format!("User {index}"),
                };
                let bot = index % 20 == 19;
                let username = if bot { format!("bot{index}") } else { format!("user{index}") };
                world.add_user(NewUser { username, name, bot, ..NewUser::default() })
            })
            .collect()
    }

    fn add_project(
        &self,
        world: &mut World,
        rng: &mut Rng,
        texts: &Texts,
        index: usize,
    ) -> Result<Home, WorldError> {
        let path = format!("corpus/project-{index}");
        let project = world.add_project(NewProject::at_path(&path, self.start))?;
        let labels = (0..self.labels_per_project)
            .map(|label| {
                let color = format!("#{:06x}", rng.u32(..0x00ff_ffff));
                let name = match label % 4 {
                    0 => format!("type::{label}"),
                    1 => format!("area {label}"),
                    _ => format!("label-{label}"),
                };
                let description = rng.bool().then(|| texts.title(rng));
                world.add_label(project, NewLabel { name, color, description })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let milestones = (0..self.milestones_per_project)
            .map(|milestone| {
                world.add_milestone(project, NewMilestone::titled(&format!("{milestone}.0")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Home { project, labels, milestones })
    }

    /// The creation time of entity `index` of `count`: evenly spread with noise.
    fn created_at(&self, rng: &mut Rng, index: usize, count: usize) -> Timestamp {
        let span = i64::from(self.days) * 86_400_000;
        let step = span / count.max(1) as i64;
        let noise = rng.i64(0..step.max(1));
        self.start.plus(Duration::from_millis((index as i64 * step + noise) as u64))
    }
}

/// A project with what its entities may wear.
struct Home {
    project: ProjectId,
    labels: Vec<LabelId>,
    milestones: Vec<MilestoneId>,
}

impl Home {
    fn key(&self, kind: EntityKind, iid: usize) -> EntityKey {
        EntityKey { project: self.project, kind, iid: Iid(iid as i64) }
    }
}
