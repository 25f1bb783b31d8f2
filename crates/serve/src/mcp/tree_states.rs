//! What the work trees of this server's clients looked like when they were last looked
//! through, kept as long as nothing happens in them: a question that is asked again
//! waits for no git.

use files::FolderNews;
use git::{Repo, WorkTreeWatch};
use insight::code::{Scope, TreeState};
use model::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

#[derive(Default)]
pub struct TreeStates {
    /// By folder and database; none where nothing can be listened to.
    of: Mutex<BTreeMap<Key, Option<WatchedTree>>>,
}

type Key = (String, PathBuf);

struct WatchedTree {
    watch: WorkTreeWatch,
    state: TreeState,
}

impl TreeStates {
    /// The scope over its work tree: as it was found before where nothing happened since,
    /// else as `look` finds it now. The scope is one of a database.
    pub fn over(
        &self,
        mut scope: Scope,
        database: PathBuf,
        look: impl FnOnce(Scope) -> Result<Scope>,
    ) -> Result<Scope> {
        let Some(dir) = scope.dir.clone().filter(|_| scope.snapshot.work_tree.is_none()) else {
            return look(scope);
        };
        let key = (dir.clone(), database);
        let known = self.of.lock().ok().and_then(|mut all| match all.get(&key) {
            Some(None) => Some(None),
            _ => all.remove(&key),
        });
        let mut watch = None;
        if let Some(None) = known {
            return look(scope);
        }
        if let Some(Some(WatchedTree { watch: mut listening, state })) = known {
            match listening.news() {
                FolderNews::Nothing if scope.take_tree_state(&state) => {
                    self.keep(key, Some(WatchedTree { watch: listening, state }));
                    return Ok(scope);
                }
                FolderNews::Nothing | FolderNews::Files => watch = Some(listening),
                FolderNews::Folders => {}
            }
        }
        // Listening begins before the look: what comes in between is not missed.
        let watch = watch.or_else(|| Repo::known(Path::new(&dir)).watch_work_tree());
        let found = look(scope)?;
        // What could not be looked through is looked through again.
        match (watch, found.tree_state()) {
            (Some(watch), Some(state)) => self.keep(key, Some(WatchedTree { watch, state })),
            (None, _) => self.keep(key, None),
            (Some(_), None) => {}
        }
        Ok(found)
    }

    fn keep(&self, key: Key, tree: Option<WatchedTree>) {
        if let Ok(mut all) = self.of.lock() {
            all.insert(key, tree);
        }
    }
}
