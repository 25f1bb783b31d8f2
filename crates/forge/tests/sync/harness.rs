//! A simulated GitLab with a database beside it, in a few words.

use forge::gitlab::{Client, Options};
use forge::sync::{self, Reconcile, SyncOptions, SyncReport};
use model::backoff::Backoff;
use model::progress::NoProgress;
use model::{CancelToken, Clock, Result, Timestamp};
use sim::{FaultPlan, Server, World};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Reader, dump};
use tempfile::TempDir;

pub struct Site {
    pub server: Server,
    dir: TempDir,
}

/// lore and the forge share the world's clock.
struct WorldClock(Arc<Mutex<World>>);

impl Clock for WorldClock {
    fn now(&self) -> Timestamp {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).now()
    }
}

impl Site {
    pub fn of(world: World) -> Site {
        let server = Server::start(world, sim::Options::default()).unwrap();
        Site { server, dir: TempDir::new().unwrap() }
    }

    pub fn scenario(text: &str) -> Site {
        Site::of(sim::scenario::load(text, "test").unwrap_or_else(|error| panic!("{error}")))
    }

    pub fn database(&self) -> PathBuf {
        self.dir.path().join("lore.db")
    }

    pub fn change(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.server.world());
    }

    /// Lets time pass at the forge and here.
    pub fn wait(&self, time: Duration) {
        self.server.world().advance(time);
    }

    pub fn options(&self, database: PathBuf) -> SyncOptions {
        let projects = self.server.world().projects().map(|project| project.path.clone()).collect();
        let mut options = SyncOptions::new(database, "gitlab.test", projects);
        options.reconcile.budget = 0;
        options
    }

    pub fn client(&self) -> Client {
        self.client_with(|_| {})
    }

    pub fn client_with(&self, change: impl FnOnce(&mut Options)) -> Client {
        let mut options = Options::new(self.server.base_url().to_owned(), "sim-token".into());
        options.requests_per_second = None;
        options.max_attempts = 8;
        options.backoff =
            Backoff { base: Duration::from_millis(1), cap: Duration::from_millis(20) };
        change(&mut options);
        Client::new(options, Arc::new(NoProgress)).unwrap()
    }

    pub fn run(&self, options: SyncOptions) -> Result<SyncReport> {
        self.run_until(options, CancelToken::default())
    }

    pub fn run_until(&self, options: SyncOptions, cancel: CancelToken) -> Result<SyncReport> {
        self.run_by(self.client(), options, cancel)
    }

    pub fn run_by(
        &self,
        client: Client,
        options: SyncOptions,
        cancel: CancelToken,
    ) -> Result<SyncReport> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(sync::run(
            Arc::new(client),
            options,
            Arc::new(WorldClock(self.server.world_handle())),
            Arc::new(NoProgress),
            cancel,
        ))
    }

    /// A plain `lore sync`: what changed since last time.
    pub fn sync(&self) -> SyncReport {
        self.run(self.options(self.database())).unwrap()
    }

    pub fn sync_with(&self, change: impl FnOnce(&mut SyncOptions)) -> SyncReport {
        let mut options = self.options(self.database());
        change(&mut options);
        self.run(options).unwrap()
    }

    pub fn reader(&self) -> Reader {
        Reader::open(&self.database()).unwrap()
    }

    pub fn dump(&self) -> Vec<String> {
        dump::logical(&self.reader()).unwrap()
    }

    /// What still exists at the forge, as the database holds it.
    pub fn living(&self) -> Vec<String> {
        dump::living(&self.reader()).unwrap()
    }

    /// What an undisturbed sync from nothing would hold right now.
    pub fn undisturbed(&self) -> Vec<String> {
        self.sync_from_nothing(dump::logical)
    }

    pub fn undisturbed_living(&self) -> Vec<String> {
        self.sync_from_nothing(dump::living)
    }

    fn sync_from_nothing(&self, dump: impl Fn(&Reader) -> Result<Vec<String>>) -> Vec<String> {
        self.server.set_faults(FaultPlan::default());
        let dir = TempDir::new().unwrap();
        let database = dir.path().join("fresh.db");
        self.run(self.options(database.clone())).unwrap();
        dump(&Reader::open(&database).unwrap()).unwrap()
    }
}

/// Looks at everything again in every run.
pub fn tireless() -> Reconcile {
    Reconcile {
        budget: u64::MAX / 4,
        recent: Duration::ZERO,
        active_every: Duration::ZERO,
        idle_every: Duration::ZERO,
    }
}

/// Fails with the first lines that differ.
#[track_caller]
pub fn assert_same(left: &[String], right: &[String], context: &str) {
    let differences = dump::differences(left, right, 8);
    assert!(differences.is_empty(), "{context}\n{}", differences.join("\n"));
}
