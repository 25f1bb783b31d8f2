//! The token that glab, GitLab's own command line, keeps for a host. It is read from
//! glab's file when it is needed, and copied nowhere.

use crate::env::Env;
use std::path::{Path, PathBuf};

/// Nobody's settings are larger.
const MAX_BYTES: u64 = 1 << 20;

/// Where glab keeps its settings, if it does.
pub fn config_file(env: &Env) -> Option<PathBuf> {
    let own = env.var("GLAB_CONFIG_DIR").map(PathBuf::from);
    let configs = env.config_dir().and_then(|dir| dir.parent().map(Path::to_path_buf));
    let dirs = own.into_iter().chain(configs.map(|dir| dir.join("glab-cli")));
    dirs.map(|dir| dir.join("config.yml")).find(|path| path.is_file())
}

/// Whether a file is one of glab's.
pub fn is_config(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "config.yml")
}

pub fn has_token(path: &Path, host: &str) -> bool {
    files::read_text(path, MAX_BYTES).is_ok_and(|text| token(&text, host).is_some())
}

/// The token of a host: `hosts:`, then the host, then `token:` below it. One that glab
/// keeps in a keyring is not here.
pub fn token<'t>(text: &'t str, host: &str) -> Option<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines = || text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut below = lines().skip_while(|line| line.trim_end() != "hosts:").skip(1);
    let head = below.find(|line| {
        let name = line.trim().trim_end_matches(':').trim_matches(['"', '\'']);
        indent(line) > 0 && name.eq_ignore_ascii_case(host)
    })?;
    let mut own = below.take_while(|line| line.trim().is_empty() || indent(line) > indent(head));
    let value = own.find_map(|line| line.trim().strip_prefix("token:"))?;
    let value = value.trim().trim_start_matches("!!null").trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_the_host_is_found_and_no_other() {
        let text = "git_protocol: ssh\n# token: nope\nhosts:\n    gitlab.com:\n        api_host: gitlab.com\n        token: glpat-one\n    git.example.org:\n        token: \"glpat-two\"\n    empty.org:\n        token:\n";
        assert_eq!(token(text, "gitlab.com"), Some("glpat-one"));
        assert_eq!(token(text, "git.example.org"), Some("glpat-two"));
        assert_eq!(token(text, "empty.org"), None);
        assert_eq!(token(text, "other.org"), None);
        assert_eq!(token("", "gitlab.com"), None);
    }
}
