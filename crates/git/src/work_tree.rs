//! What a work tree has that its commit has not.

use crate::command::Failed;
use crate::path::RepoPath;
use crate::repo::Repo;
use model::Result;

impl Repo {
    /// Files that are changed, deleted or new in the work tree (or staged)
    /// against `HEAD`, ignored ones left out, by path. A file is listed where
    /// only its times differ, too.
    pub fn touched(&self) -> Result<Vec<RepoPath>> {
        let args = ["-z", "--name-only", "--no-renames", "--no-ext-diff", "HEAD"];
        let changed = self.git("diff-index").args(args).run()?;
        let new = self.git("ls-files").args(["-z", "--others", "--exclude-standard"]).run();
        let new: Vec<u8> = new.or_else(|failed: Failed| {
            // A bare repository has no work tree to look at.
            if failed.says("must be run in a work tree") { Ok(Vec::new()) } else { Err(failed) }
        })?;
        let mut paths: Vec<RepoPath> = changed
            .split(|byte| *byte == 0)
            .chain(new.split(|byte| *byte == 0))
            .filter(|path| !path.is_empty())
            .map(RepoPath::new)
            .collect();
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}
