//! What the `.mailmap` of a clone says of names and addresses.

use std::collections::HashMap;
use std::path::Path;
use store::authors::GitAuthor;

/// More than this is no mailmap.
const MAX_BYTES: u64 = 4 << 20;

/// Name and address that replace what a commit says, where given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Entry {
    name: Option<String>,
    email: Option<String>,
}

/// Which name and address stand for others, as git reads it.
#[derive(Debug, Clone, Default)]
pub(super) struct Mailmap {
    /// By address in small letters, and by name with it where the line has one.
    by_email: HashMap<String, Entry>,
    by_both: HashMap<(String, String), Entry>,
}

impl Mailmap {
    /// As committed: a file of the work tree could be a link to anywhere.
    pub(super) fn of_clone(clone: &Path) -> Mailmap {
        let repo = git::Repo::known(clone);
        let text = repo.resolve("HEAD").ok().and_then(|head| {
            let mut blobs = repo.blobs().ok()?;
            let file = blobs.read_file(head, &git::RepoPath::from(".mailmap"), MAX_BYTES).ok()?;
            file.into_content()
        });
        text.map(|text| Mailmap::parse(&String::from_utf8_lossy(&text))).unwrap_or_default()
    }

    fn parse(text: &str) -> Mailmap {
        let mut map = Mailmap::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((first, rest)) = name_and_email(line) else { continue };
            let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            match name_and_email(rest) {
                // `Name <address>`: the name for that address.
                None => {
                    let entry = map.by_email.entry(first.email.to_lowercase()).or_default();
                    entry.name = given(&first.name).or_else(|| entry.name.take());
                }
                // `[Name] <address> [Name] <address>`: the first for the second.
                Some((commit, _)) => {
                    let entry = Entry { name: given(&first.name), email: given(&first.email) };
                    let email = commit.email.to_lowercase();
                    if commit.name.is_empty() {
                        map.by_email.insert(email, entry);
                    } else {
                        map.by_both.insert((commit.name.to_lowercase(), email), entry);
                    }
                }
            }
        }
        map
    }

    /// Who stands for this author.
    pub(super) fn canonical(&self, author: &GitAuthor) -> GitAuthor {
        let email = author.email.to_lowercase();
        let both = self.by_both.get(&(author.name.to_lowercase(), email.clone()));
        let Some(entry) = both.or_else(|| self.by_email.get(&email)) else {
            return author.clone();
        };
        GitAuthor {
            name: entry.name.clone().unwrap_or_else(|| author.name.clone()),
            email: entry.email.clone().unwrap_or_else(|| author.email.clone()),
        }
    }
}

/// The name and address that a `.mailmap` gives somebody. For the fuzzer.
#[doc(hidden)]
pub fn by_mailmap(mailmap: &str, name: &str, email: &str) -> (String, String) {
    let author = GitAuthor { name: name.to_owned(), email: email.to_owned() };
    let author = Mailmap::parse(mailmap).canonical(&author);
    (author.name, author.email)
}

/// `Name <address>` at the beginning of a text, and what follows it.
fn name_and_email(text: &str) -> Option<(GitAuthor, &str)> {
    let (name, rest) = text.split_once('<')?;
    let (email, rest) = rest.split_once('>')?;
    Some((GitAuthor { name: name.trim().to_owned(), email: email.trim().to_owned() }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_of_a_line_are_read_as_git_reads_them() {
        let map = Mailmap::parse(
            "# people\n\
             Ada Larsen <ada@example.com>\n\
             <bo@example.com> <bo@old.example>\n\
             Cem Aydin <cem@example.com> <CEM@laptop>\n\
             Dora Lind <dora@example.com> dl <shared@lab>\n\
             no line at all\n",
        );
        let canonical = |name: &str, email: &str| {
            let author = GitAuthor { name: name.to_owned(), email: email.to_owned() };
            let GitAuthor { name, email } = map.canonical(&author);
            format!("{name} <{email}>")
        };
        assert_eq!(canonical("ada", "Ada@Example.com"), "Ada Larsen <Ada@Example.com>");
        assert_eq!(canonical("Bo", "bo@old.example"), "Bo <bo@example.com>");
        assert_eq!(canonical("x", "cem@laptop"), "Cem Aydin <cem@example.com>");
        assert_eq!(canonical("DL", "shared@lab"), "Dora Lind <dora@example.com>");
        assert_eq!(canonical("Eve", "shared@lab"), "Eve <shared@lab>");
    }
}
