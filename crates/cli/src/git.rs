//! The little lore's command line asks git itself.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a clone comes from, as far as its URL tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// `https://gitlab.example.com`
    pub base_url: String,
    /// `group/project`
    pub project: String,
}

/// `2.47.1`; none when git cannot be run.
pub fn version() -> Option<String> {
    let text = git(Path::new("."), &["--version"])?;
    Some(text.trim_start_matches("git version ").to_owned())
}

/// The work tree around `dir`.
pub fn toplevel(dir: &Path) -> Option<PathBuf> {
    git(dir, &["rev-parse", "--show-toplevel"]).map(PathBuf::from)
}

/// What `origin` of the repository around `dir` says of its forge.
pub fn origin(dir: &Path) -> Option<Remote> {
    parse_remote(&git(dir, &["remote", "get-url", "origin"])?)
}

fn git(dir: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(dir).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Hosts that are surely not a GitLab.
const OTHER_FORGES: [&str; 4] = ["github.com", "bitbucket.org", "codeberg.org", "git.sr.ht"];

/// Reads `https://host/group/project.git`, `git@host:group/project.git` and
/// `ssh://git@host:22/group/project.git`. User names and passwords in the URL
/// are dropped.
fn parse_remote(url: &str) -> Option<Remote> {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme @ ("https" | "http"), rest)) => (scheme, rest),
        Some(("ssh" | "git+ssh", rest)) => ("ssh", rest),
        Some(_) => return None,
        None => ("scp", url),
    };
    let separator = if scheme == "scp" { ':' } else { '/' };
    let (authority, path) = rest.split_once(separator)?;
    // `./a:b` and `C:\x` are local paths, not hosts.
    if scheme == "scp" && (authority.contains('/') || authority.len() < 2) {
        return None;
    }
    let host = authority.rsplit('@').next()?;
    let host = if scheme == "ssh" { host.split(':').next()? } else { host };
    let project = path.trim_matches('/').trim_end_matches(".git").trim_end_matches('/');
    let is_usable = !host.is_empty()
        && !OTHER_FORGES.contains(&host)
        && project.contains('/')
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
        && project.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/+".contains(&byte));
    let scheme = if scheme == "http" { "http" } else { "https" };
    is_usable
        .then(|| Remote { base_url: format!("{scheme}://{host}"), project: project.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_are_read_in_the_forms_git_knows() {
        for (url, expected) in [
            ("https://gitlab.example.com/a/b.git", Some(("https://gitlab.example.com", "a/b"))),
            ("https://me:secret@gl.example/a/b/c", Some(("https://gl.example", "a/b/c"))),
            ("http://localhost:8080/a/b.git", Some(("http://localhost:8080", "a/b"))),
            ("git@gl.example:group/sub/x.git", Some(("https://gl.example", "group/sub/x"))),
            ("ssh://git@gl.example:2222/a/b.git/", Some(("https://gl.example", "a/b"))),
            ("git@github.com:a/b.git", None),
            ("/srv/git/a/b.git", None),
            ("file:///srv/a/b", None),
            ("../x/y", None),
            ("C:\\a\\b", None),
            ("https://gl.example/alone", None),
            ("https://gl\u{1b}/a/b", None),
            ("", None),
        ] {
            let read = parse_remote(url);
            let read = read.as_ref().map(|r| (r.base_url.as_str(), r.project.as_str()));
            assert_eq!(read, expected, "{url}");
        }
    }
}
