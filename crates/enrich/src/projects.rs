//! Projects inside a repository. Some servers load each one when the first of its files
//! is asked about, which takes most of a minute for a repository of many: what is asked
//! together should be of one, and each has to give known answers of its own.

use crate::graph::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// Which project each file of the snapshot is of.
#[derive(Debug, Default)]
pub(crate) struct Projects {
    /// By the number of a file; all are of one where a server knows no others.
    of_file: Vec<usize>,
}

impl Projects {
    /// By the nearest folder with a file of one of these names.
    pub fn of(graph: &Graph, markers: &[&str]) -> Projects {
        if markers.is_empty() {
            return Projects::default();
        }
        let marked = graph.tracked().filter_map(|path| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            markers.contains(&name).then(|| folder.to_owned())
        });
        let folders: BTreeSet<String> = marked.collect();
        Projects::by_folder(graph.files.iter().map(|file| file.path.as_str()), &folders)
    }

    fn by_folder<'p>(paths: impl Iterator<Item = &'p str>, folders: &BTreeSet<String>) -> Projects {
        // Files without one are of a project all the same.
        let numbers: BTreeMap<&str, usize> =
            folders.iter().enumerate().map(|(at, folder)| (folder.as_str(), at + 1)).collect();
        let of_file = paths
            .map(|path| {
                let mut folder = path;
                while let Some((above, _)) = folder.rsplit_once('/') {
                    if let Some(number) = numbers.get(above) {
                        return *number;
                    }
                    folder = above;
                }
                numbers.get("").copied().unwrap_or(0)
            })
            .collect();
        Projects { of_file }
    }

    pub fn of_file(&self, file: usize) -> usize {
        self.of_file.get(file).copied().unwrap_or(0)
    }

    /// Whether there is more than one.
    pub fn are_many(&self) -> bool {
        self.of_file.windows(2).any(|pair| pair[0] != pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_marked_folder_is_the_project() {
        let folders = ["", "packages/core", "packages/core/test"].map(str::to_owned).into();
        let paths = ["a.ts", "packages/b.ts", "packages/core/c.ts", "packages/core/test/d/e.ts"];
        let projects = Projects::by_folder(paths.into_iter(), &folders);
        let found: Vec<usize> = (0..4).map(|file| projects.of_file(file)).collect();
        assert_eq!(found, [1, 1, 2, 3]);
        assert!(projects.are_many());

        let folders = ["web".to_owned()].into();
        let projects = Projects::by_folder(["a.ts", "webs/b.ts", "web/c.ts"].into_iter(), &folders);
        let found: Vec<usize> = (0..3).map(|file| projects.of_file(file)).collect();
        assert_eq!(found, [0, 0, 1]);
        assert!(!Projects::default().are_many());
    }
}
