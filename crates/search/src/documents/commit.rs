//! The document of a commit of a local repository.

use super::draft::{Draft, Section};
use store::dirty::SourceType;
use store::documents::{CommitSource, Document};

/// Enough of a hash to name a commit of any repository people have.
const SHORT: usize = 12;
/// A commit that touches everything is not about each of these files.
const MOST_NAMED: usize = 50;

pub fn of_commit(id: i64, commit: &CommitSource) -> Document {
    let subject = commit.message.trim().lines().next().unwrap_or_default();
    let short = &commit.sha[..commit.sha.floor_char_boundary(SHORT)];
    let first_line = format!("Commit {short}: {subject}");
    let mut draft = Draft::new(SourceType::Commit, id, commit.authored_at, &first_line);
    draft.repo = Some(commit.repo);
    subject.clone_into(&mut draft.title);
    draft.updated_at = commit.committed_at;
    draft.author = Some(commit.author.clone());
    draft.paths.clone_from(&commit.paths);
    match &commit.project {
        Some(project) => {
            draft.project = Some(project.id);
            draft.reference = format!("@{short}");
            draft.url = project.forge.dialect().commit_url(&project.web_url, &commit.sha);
            draft.line("Project", &project.path);
        }
        None => {
            draft.reference = format!("{}@{short}", commit.repo_name);
            draft.line("Repository", &commit.repo_name);
        }
    }
    draft.line("Author", &commit.author);
    let named: Vec<String> = commit.paths.iter().take(MOST_NAMED).cloned().collect();
    draft.list("Files", &named);
    draft.body(Section::Message, commit.message.trim());
    draft.finish()
}
