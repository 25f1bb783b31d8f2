//! What the work trees of this server's clients looked like when they were last looked
//! through, kept as long as nothing happens in them: a question that is asked again
//! waits for no git.

use files::FolderNews;
use git::{Repo, WorkTreeWatch};
use insight::code::{Scope, TreeState};
use model::Result;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

#[derive(Default)]
pub struct TreeStates {
    /// None where nothing can be listened to.
    of: Mutex<BTreeMap<String, Option<WatchedTree>>>,
}

struct WatchedTree {
    watch: WorkTreeWatch,
    state: TreeState,
}

impl TreeStates {
    /// The scope over its work tree: as it was found before where nothing happened since,
    /// else as `look` finds it now.
    pub fn over(
        &self,
        mut scope: Scope,
        look: impl FnOnce(Scope) -> Result<Scope>,
    ) -> Result<Scope> {
        let Some(dir) = scope.dir.clone().filter(|_| scope.snapshot.work_tree.is_none()) else {
            return look(scope);
        };
        let known = self.of.lock().ok().and_then(|mut all| match all.get(&dir) {
            Some(None) => Some(None),
            _ => all.remove(&dir),
        });
        let mut watch = None;
        if let Some(None) = known {
            return look(scope);
        }
        if let Some(Some(WatchedTree { watch: mut listening, state })) = known {
            match listening.news() {
                FolderNews::Nothing if scope.take_tree_state(&state) => {
                    self.keep(dir, Some(WatchedTree { watch: listening, state }));
                    return Ok(scope);
                }
                FolderNews::Nothing | FolderNews::Files => watch = Some(listening),
                FolderNews::Folders => {}
            }
        }
        // Listening begins before the look: what comes in between is not missed.
        let watch = watch.or_else(|| Repo::known(Path::new(&dir)).watch_work_tree());
        let found = look(scope)?;
        let state = found.tree_state();
        self.keep(dir, watch.map(|watch| WatchedTree { watch, state }));
        Ok(found)
    }

    fn keep(&self, dir: String, tree: Option<WatchedTree>) {
        if let Ok(mut all) = self.of.lock() {
            all.insert(dir, tree);
        }
    }
}
