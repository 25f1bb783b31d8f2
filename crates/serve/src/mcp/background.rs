//! First use of a repository that is not indexed: indexed behind the answers,
//! which say so until it is done.

use super::place;
use super::progress::Reporter;
use super::shared::Shared;
use super::surroundings::Job;
use model::{CancelToken, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use store::{Reader, repos};
use tokio::sync::broadcast;

/// Repositories indexed by this server, and how far.
#[derive(Debug)]
pub struct Background {
    of: Mutex<BTreeMap<PathBuf, State>>,
    ended: broadcast::Sender<PathBuf>,
    stop: CancelToken,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// With what it is at.
    Running(String),
    Done,
    Failed(String),
}

impl Default for Background {
    fn default() -> Self {
        Background {
            of: Mutex::default(),
            ended: broadcast::channel(16).0,
            stop: CancelToken::default(),
        }
    }
}

impl Background {
    /// Told the folder whenever indexing ends.
    pub fn ended(&self) -> broadcast::Receiver<PathBuf> {
        self.ended.subscribe()
    }

    /// Ends what is under way, at a good place.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// What an answer must say of a repository that is not ready.
    pub fn said_of(&self, dir: &Path) -> Option<String> {
        let states = self.of.lock().ok()?;
        match states.get(dir)? {
            State::Running(at) => {
                let at = if at.is_empty() { String::new() } else { format!(" ({at})") };
                Some(format!("this repository is being indexed now{at}; ask again for more"))
            }
            State::Failed(why) => Some(format!("this repository could not be indexed: {why}")),
            State::Done => None,
        }
    }

    /// True for whoever is first.
    fn begin(&self, dir: &Path) -> bool {
        let Ok(mut states) = self.of.lock() else { return false };
        if states.contains_key(dir) {
            return false;
        }
        states.insert(dir.to_owned(), State::Running(String::new()));
        true
    }

    fn set(&self, dir: &Path, state: State) {
        if let Ok(mut states) = self.of.lock() {
            states.insert(dir.to_owned(), state);
        }
    }
}

/// Starts indexing the repository around `dir`, if it has one that is new.
pub fn index_if_new(shared: &Arc<Shared>, dir: &Path) {
    if !shared.options.indexes || !place::is_in_repository(dir) || !shared.background.begin(dir) {
        return;
    }
    let (shared, dir) = (Arc::clone(shared), dir.to_owned());
    tokio::spawn(async move {
        let state = match run(&shared, &dir).await {
            Ok(()) => State::Done,
            Err(error) => State::Failed(error.to_string()),
        };
        shared.background.set(&dir, state);
        // Nobody may be listening.
        let _ = shared.background.ended.send(dir);
    });
}

async fn run(shared: &Arc<Shared>, dir: &Path) -> Result<()> {
    let is_known = {
        let (shared, dir) = (Arc::clone(shared), dir.to_owned());
        tokio::task::spawn_blocking(move || is_known(&shared, &dir)).await.unwrap_or(false)
    };
    if is_known {
        return Ok(());
    }
    let _permit = Arc::clone(&shared.jobs).acquire_owned().await;
    let (reporter, mut from) = Reporter::new();
    let (around, stop) = (Arc::clone(&shared.around), shared.background.stop.clone());
    let of = dir.to_owned();
    let work =
        tokio::task::spawn_blocking(move || around.run(Job::Index, &of, reporter, stop).map(drop));
    // Ends with the work, which holds the other end.
    while let Some(told) = from.recv().await {
        shared.background.set(dir, State::Running(told.message));
    }
    work.await
        .unwrap_or_else(|error| Err(model::Error::internal("indexing crashed").caused_by(error)))
}

fn is_known(shared: &Shared, dir: &Path) -> bool {
    let look = || -> Result<bool> {
        let reader = Reader::open(&shared.around.database(dir)?)?;
        let around = repos::places(&reader)?;
        let place = around.iter().find(|place| dir.starts_with(&place.dir));
        let Some(place) = place else { return Ok(false) };
        Ok(repos::get(&reader, place.repo)?.is_some_and(|repo| repo.scanned_at.is_some()))
    };
    look().unwrap_or(false)
}
