//! What the terminal may be sent: colours, links, a pager. Decisions only;
//! nothing here writes.

use crate::env::Env;

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    Always,
    Never,
}

/// Whether a stream gets colours. The flag wins, then <https://no-color.org>,
/// then <https://bixense.com/clicolors>, then the stream itself.
pub fn wants_color(env: &Env, when: ColorWhen, stream_is_tty: bool) -> bool {
    match when {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto if env.var("NO_COLOR").is_some() => false,
        ColorWhen::Auto if env.flag("CLICOLOR_FORCE") => true,
        ColorWhen::Auto if env.var("CLICOLOR") == Some("0") => false,
        ColorWhen::Auto => stream_is_tty && env.var("TERM") != Some("dumb"),
    }
}

/// Whether text may carry OSC 8 links. There is no way to ask a terminal, so
/// only those known to understand are sent any; the others might show garbage.
pub fn wants_links(env: &Env, when: ColorWhen, stdout_is_tty: bool) -> bool {
    if when == ColorWhen::Never {
        return false;
    }
    if let Some(forced) = env.var("FORCE_HYPERLINK") {
        return forced != "0";
    }
    let term = env.var("TERM").unwrap_or_default();
    if !stdout_is_tty || term == "dumb" {
        return false;
    }
    let program = env.var("TERM_PROGRAM").unwrap_or_default();
    let vte = env.var("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "KITTY_WINDOW_ID"]
        .iter()
        .any(|name| env.var(name).is_some())
        || ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "zed"].contains(&program)
        || ["kitty", "alacritty", "foot", "ghostty", "wezterm", "contour"]
            .iter()
            .any(|name| term.contains(name))
        // 0.50.0, the first version that did not crash on them.
        || vte.is_some_and(|version| version >= 5000)
}

/// The pager for long answers, as a line for the shell; none for no paging.
pub fn pager_command(env: &Env, is_refused: bool) -> Option<String> {
    if is_refused || !env.stdout_is_tty {
        return None;
    }
    let chosen = match env.var("LORE_PAGER") {
        Some(own) => own,
        // A pretended terminal has nobody to press a key.
        None if env.tty_is_forced => return None,
        None => env.var("PAGER").unwrap_or("less"),
    };
    (chosen.trim() != "cat").then(|| chosen.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut env = Env::from_vars(vars, "/".into());
        env.stdout_is_tty = true;
        env
    }

    #[test]
    fn colour_follows_flag_then_environment_then_stream() {
        use ColorWhen::{Always, Auto, Never};
        for (vars, when, tty, expected) in [
            (&[][..], Auto, true, true),
            (&[], Auto, false, false),
            (&[], Always, false, true),
            (&[], Never, true, false),
            (&[("NO_COLOR", "1")], Auto, true, false),
            (&[("NO_COLOR", "")], Auto, true, true),
            (&[("NO_COLOR", "1")], Always, true, true),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], Auto, true, false),
            (&[("CLICOLOR_FORCE", "1")], Auto, false, true),
            (&[("CLICOLOR_FORCE", "0")], Auto, false, false),
            (&[("CLICOLOR", "0")], Auto, true, false),
            (&[("CLICOLOR", "1")], Auto, true, true),
            (&[("TERM", "dumb")], Auto, true, false),
        ] {
            assert_eq!(wants_color(&env(vars), when, tty), expected, "{vars:?} {when:?} {tty}");
        }
    }

    #[test]
    fn links_only_where_they_are_known_to_work() {
        for (vars, tty, expected) in [
            (&[][..], true, false),
            (&[("TERM_PROGRAM", "WezTerm")], true, true),
            (&[("TERM_PROGRAM", "WezTerm")], false, false),
            (&[("TERM", "xterm-kitty")], true, true),
            (&[("TERM", "xterm-256color")], true, false),
            (&[("VTE_VERSION", "4900")], true, false),
            (&[("VTE_VERSION", "7200")], true, true),
            (&[("FORCE_HYPERLINK", "1")], false, true),
            (&[("FORCE_HYPERLINK", "0"), ("TERM_PROGRAM", "WezTerm")], true, false),
        ] {
            assert_eq!(wants_links(&env(vars), ColorWhen::Auto, tty), expected, "{vars:?} {tty}");
        }
        assert!(!wants_links(&env(&[("FORCE_HYPERLINK", "1")]), ColorWhen::Never, true));
    }

    #[test]
    fn own_pager_first_and_cat_means_none() {
        let pager = |vars: &[(&str, &str)]| pager_command(&env(vars), false);
        assert_eq!(pager(&[]).as_deref(), Some("less"));
        assert_eq!(pager(&[("PAGER", "most")]).as_deref(), Some("most"));
        assert_eq!(
            pager(&[("PAGER", "most"), ("LORE_PAGER", "bat -p")]).as_deref(),
            Some("bat -p")
        );
        assert_eq!(pager(&[("PAGER", "cat")]), None);
        assert_eq!(pager_command(&env(&[]), true), None);
    }
}
