//! What the CODEOWNERS file of a local clone says about a path.

use model::codeowners::{MAX_BYTES, PLACES, RuleSet, parse};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owners {
    /// Where it is written.
    pub file: String,
    /// As they are written: `@user`, `@group/team`, addresses.
    pub owners: Vec<String>,
}

/// The owners of a path by the first clone that names any, as committed: a file
/// of the work tree could be a link to anywhere.
pub fn of_path(clones: &[PathBuf], path: &str) -> Option<Owners> {
    clones.iter().find_map(|clone| {
        let repo = git::Repo::open(clone).ok()?;
        let head = repo.resolve("HEAD").ok()?;
        let mut blobs = repo.blobs().ok()?;
        PLACES.iter().find_map(|place| {
            let limit = MAX_BYTES as u64;
            let file = blobs.read_file(head, &git::RepoPath::from(*place), limit).ok()?;
            let text = String::from_utf8_lossy(&file.into_content()?).into_owned();
            let owners = owners(&text, path);
            (!owners.is_empty()).then(|| Owners { file: (*place).to_owned(), owners })
        })
    })
}

/// Whom the rules name for a path, each once.
fn owners(text: &str, path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for rule in RuleSet::new(parse(text)).matching(path.trim_end_matches('/')) {
        if !found.contains(&rule.owner) {
            found.push(rule.owner.clone());
        }
    }
    found
}
