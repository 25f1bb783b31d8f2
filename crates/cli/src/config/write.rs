//! Writes config files: the commented template, and any file so that a crash
//! leaves the old or the new one, never half.

use super::keys::{KEYS, Kind};
use model::{Error, ErrorCode, Result};
use std::fmt::Write as _;
use std::path::Path;

/// What `lore init` found out.
#[derive(Debug, Default)]
pub struct Template {
    pub base_url: String,
    pub token_env_var: String,
    /// A file that holds it, where the variable is not set.
    pub token_file: Option<String>,
    pub projects: Vec<String>,
    pub repos: Vec<String>,
}

impl Template {
    /// The file: what was chosen in force, everything else as a comment with
    /// its default.
    pub fn render(&self) -> String {
        let mut out = String::from(
            "# Settings of lore. `lore config list` shows what is in force and why;\n\
             # `lore help config` explains this file.\n",
        );
        let mut section = "";
        for key in KEYS {
            let (of, name) = key.name.split_once('.').unwrap_or(("", key.name));
            if of != section {
                if section == "gitlab" {
                    self.render_lists(&mut out);
                }
                section = of;
                let _ = writeln!(out, "\n[{section}]");
            }
            let chosen = match key.name {
                "gitlab.base_url" => Some(&self.base_url),
                "gitlab.token_env_var" => Some(&self.token_env_var),
                "gitlab.token_file" => self.token_file.as_ref(),
                _ => None,
            };
            let _ = writeln!(out, "# {}", key.about);
            let _ = match chosen {
                Some(value) => writeln!(out, "{name} = {}", quoted(value)),
                None => writeln!(out, "# {name} = {}", example(key.kind, key.default)),
            };
        }
        out
    }

    fn render_lists(&self, out: &mut String) {
        out.push_str("\n# Forge projects to keep; one block each.\n");
        for project in &self.projects {
            let _ = writeln!(out, "[[projects]]\npath = {}", quoted(project));
        }
        if self.projects.is_empty() {
            out.push_str("# [[projects]]\n# path = \"group/project\"\n");
        }
        out.push_str("\n# Git repositories on this machine; one block each.\n");
        for repo in &self.repos {
            let _ = writeln!(out, "[[repos]]\npath = {}", quoted(repo));
        }
        if self.repos.is_empty() {
            out.push_str("# [[repos]]\n# path = \"~/src/project\"\n");
        }
    }
}

fn example(kind: Kind, default: Option<&str>) -> String {
    match (kind, default) {
        (Kind::Flag | Kind::Count { .. } | Kind::Rate { .. }, Some(default)) => default.to_owned(),
        (_, Some(default)) => quoted(default),
        (_, None) => quoted("…"),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Writes a file of the user's own, whole or not at all.
pub fn replace_file(path: &Path, text: &str) -> Result<()> {
    files::replace(path, text.as_bytes(), 0o600).map_err(|error| unwritable(path, error))
}

/// The same below the top of a work tree, where any link may have come with the
/// clone: none is written through.
pub fn replace_file_below(top: &Path, relative: &Path, text: &str) -> Result<()> {
    files::replace_below(top, relative, text.as_bytes(), 0o666)
        .map_err(|error| unwritable(&top.join(relative), error))
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    if files::is_link_error(&error) {
        return behind_a_link(path);
    }
    Error::new(ErrorCode::ConfigInvalid, format!("cannot write {}", path.display()))
        .suggest("check that you may write there, or name another file with --config")
        .caused_by(error)
}

/// A path of a work tree that leads through a link.
pub fn behind_a_link(path: &Path) -> Error {
    Error::new(
        ErrorCode::ConfigInvalid,
        format!("{} leads through a symbolic link; lore does not write there", path.display()),
    )
    .suggest("replace the link by a file or folder of its own")
}

#[cfg(test)]
mod tests {
    use super::super::{layer, tree};
    use super::*;

    #[test]
    fn what_is_written_can_be_read_whatever_the_names() {
        let template = Template {
            base_url: "https://gl.example".into(),
            token_env_var: "T".into(),
            token_file: None,
            projects: vec!["a/b".into(), "c/d".into()],
            repos: vec!["/home/a \"quoted\" \\ name".into()],
        };
        let text = template.render();
        let root = tree::parse(&text, tree::Syntax::Toml).unwrap();
        let layer = layer::read(&root, tree::Syntax::Toml).unwrap();
        assert_eq!(layer.projects.unwrap(), template.projects);
        assert_eq!(layer.repos.unwrap()[0].path.as_ref(), Some(&template.repos[0]));
        assert_eq!(layer.values.len(), 2);
    }

    #[test]
    fn every_commented_line_is_valid_when_uncommented() {
        let text = Template { base_url: "https://x.y".into(), ..Template::default() }.render();
        for line in text.lines().filter_map(|line| line.strip_prefix("# ")) {
            let is_setting = line.split_once(" = ").is_some_and(|(name, _)| {
                name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            });
            if is_setting {
                tree::parse(line, tree::Syntax::Toml).unwrap();
            }
        }
        assert!(text.contains("# concurrency = 8\n"), "{text}");
    }
}
