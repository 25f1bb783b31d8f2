//! Where a clone comes from: the name by which a repository is known on every
//! machine, and the forge project behind it.

use crate::repo::Repo;
use model::{Error, ErrorCode, Result};

/// A remote's address, without what differs from clone to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// `https://gitlab.example.com`
    pub base_url: String,
    /// `gitlab.example.com`, with the port if it is not the usual one of http(s).
    pub host: String,
    /// `group/project`
    pub project: String,
}

impl Remote {
    /// Reads an address in any form git knows; none for a local path.
    pub fn parse(url: &str) -> Option<Remote> {
        parse(url)
    }

    /// `host/group/name`.
    pub fn canonical_url(&self) -> String {
        format!("{}/{}", self.host, self.project)
    }

    /// False where a forge lives that lore cannot read, or no project can be.
    pub fn may_be_forge(&self) -> bool {
        model::forge::may_be_forge(&self.host) && self.project.contains('/')
    }
}

impl Repo {
    /// `host/group/name`, the same for every clone; `local/<first commit>`
    /// without a remote that has a host.
    pub fn canonical_url(&self) -> Result<String> {
        if let Some(remote) = self.remote()? {
            return Ok(remote.canonical_url());
        }
        let nothing = || {
            Error::new(ErrorCode::NotIndexed, "the repository has neither a remote nor a commit")
                .suggest("make a first commit, then run the command again")
        };
        let head = self.head()?.commit.ok_or_else(nothing)?;
        let root = self.root(head)?.ok_or_else(nothing)?;
        Ok(format!("local/{root}"))
    }

    /// The remote that names this repository: `origin`, else the first by name.
    pub fn remote(&self) -> Result<Option<Remote>> {
        let mut urls = self.remote_urls()?;
        urls.sort_by_key(|(name, _)| (name != "origin", name.clone()));
        let Some((name, url)) = urls.first() else { return Ok(None) };
        if let Some(remote) = parse(url) {
            return Ok(Some(remote));
        }
        // It may be an abbreviation that the user's configuration spells out.
        let full = self.git("remote").args(["get-url", "--end-of-options", name]).line();
        Ok(full.ok().and_then(|url| parse(&url)))
    }

    /// Name and address of each remote, as configured.
    fn remote_urls(&self) -> Result<Vec<(String, String)>> {
        let args = ["-z", "--get-regexp", r"^remote\..*\.url$"];
        let text = match self.git("config").args(args).run() {
            Ok(text) => text,
            Err(failed) if failed.is_no() => return Ok(Vec::new()),
            Err(failed) => return Err(failed.into()),
        };
        let text = String::from_utf8_lossy(&text);
        let mut urls: Vec<(String, String)> = Vec::new();
        for entry in text.split('\0') {
            let Some((key, url)) = entry.split_once('\n') else { continue };
            let Some(name) = key.strip_prefix("remote.").and_then(|k| k.strip_suffix(".url"))
            else {
                continue;
            };
            if urls.iter().all(|(known, _)| known != name) {
                urls.push((name.to_owned(), url.to_owned()));
            }
        }
        Ok(urls)
    }
}

/// Reads `https://host/group/project.git`, `git@host:group/project.git` and
/// `ssh://git@host:22/group/project.git`. User names and passwords are dropped.
///
/// A port of http(s) other than the usual one is part of the host: another
/// server may answer there. A port of ssh is not: the same forge listens for
/// ssh and for https on two ports.
fn parse(url: &str) -> Option<Remote> {
    let (scheme, rest) = match url.trim().split_once("://") {
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            "https" => ("https", rest),
            "http" => ("http", rest),
            "ssh" | "git+ssh" | "ssh+git" | "git" => ("ssh", rest),
            _ => return None,
        },
        None => ("scp", url.trim()),
    };
    let separator = if scheme == "scp" { ':' } else { '/' };
    let (authority, path) = rest.split_once(separator)?;
    // `./a:b` and `C:\x` are local paths, not hosts.
    if scheme == "scp" && (authority.contains('/') || authority.len() < 2) {
        return None;
    }
    let host = authority.rsplit('@').next()?.to_ascii_lowercase();
    let host = match scheme {
        "ssh" => host.split(':').next()?,
        "https" => host.strip_suffix(":443").unwrap_or(&host),
        "http" => host.strip_suffix(":80").unwrap_or(&host),
        _ => &host,
    };
    let project = path.trim_matches('/');
    let project = project.strip_suffix(".git").unwrap_or(project).trim_end_matches('/');
    let is_usable = !host.is_empty()
        && !project.is_empty()
        && !project.split('/').any(|part| matches!(part, "" | "." | ".."))
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
        && project.chars().all(|c| c.is_alphanumeric() || "._-/+~%@".contains(c));
    let scheme = if scheme == "http" { "http" } else { "https" };
    is_usable.then(|| Remote {
        base_url: format!("{scheme}://{host}"),
        host: host.to_owned(),
        project: project.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical_url(url: &str) -> Option<String> {
        Remote::parse(url).map(|remote| remote.canonical_url())
    }

    #[test]
    fn addresses_of_one_repository_have_one_name() {
        for url in [
            "https://gl.example/a/b.git",
            "https://me:secret@GL.example:443/a/b",
            "git@gl.example:a/b.git",
            "gl.example:a/b",
            "ssh://git@gl.example:2222/a/b.git/",
            "git://gl.example/a/b",
            "http://gl.example:80/a/b.git",
        ] {
            assert_eq!(canonical_url(url).as_deref(), Some("gl.example/a/b"), "{url}");
        }
        assert_eq!(
            canonical_url("http://localhost:8080/a/b").as_deref(),
            Some("localhost:8080/a/b")
        );
        assert_eq!(canonical_url("https://h/solo.git").as_deref(), Some("h/solo"));
    }

    #[test]
    fn local_paths_and_nonsense_have_none() {
        for url in [
            "/srv/git/a/b.git",
            "file:///srv/a/b",
            "../x/y",
            "./a:b",
            "C:\\a\\b",
            "https://gl\u{1b}/a/b",
            "https://h/a/../../b",
            "ext::sh -c x",
            "",
        ] {
            assert_eq!(canonical_url(url), None, "{url}");
        }
    }

    #[test]
    fn only_what_may_be_a_gitlab_is_a_forge() {
        for (url, expected) in [
            ("https://gitlab.example.com/a/b.git", Some(("https://gitlab.example.com", "a/b"))),
            ("https://me:secret@gl.example/a/b/c", Some(("https://gl.example", "a/b/c"))),
            ("http://localhost:8080/a/b.git", Some(("http://localhost:8080", "a/b"))),
            ("git@gl.example:group/sub/x.git", Some(("https://gl.example", "group/sub/x"))),
            ("git@github.com:a/b.git", None),
            ("https://gl.example/alone", None),
        ] {
            let read = Remote::parse(url).filter(Remote::may_be_forge);
            let read = read.as_ref().map(|r| (r.base_url.as_str(), r.project.as_str()));
            assert_eq!(read, expected, "{url}");
        }
    }

    proptest! {
        #[test]
        fn no_secret_survives(user in "[a-z]{1,8}", password in "[A-Z0-9]{4,12}") {
            let name = canonical_url(&format!("https://{user}:{password}@h.example/a/b")).unwrap();
            prop_assert_eq!(name, "h.example/a/b");
        }
    }
}
