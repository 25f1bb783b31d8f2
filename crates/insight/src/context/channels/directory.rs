//! Files beside those that were found.

use super::graph::seeds;
use crate::context::channel::{Channel, Evidence, Scores, summed};
use model::Result;

pub struct Directory;

impl Channel for Directory {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn reason(&self) -> &'static str {
        "lies beside files that match"
    }

    fn is_second_stage(&self) -> bool {
        true
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let folder_of =
            |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let files = &evidence.corpus.files;
        let mut found = Vec::new();
        for (seed, weight) in seeds(evidence) {
            let folder = folder_of(&files[seed as usize].path);
            let beside =
                files.iter().enumerate().filter(|(_, file)| folder_of(&file.path) == folder);
            found.extend(beside.map(|(at, _)| (at as u32, weight)));
        }
        Ok(Scores { files: summed(found), symbols: Vec::new() })
    }
}
