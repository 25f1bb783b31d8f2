//! Command lines of lore's plans, in today's words: who learnt `list issues` or
//! `show issue 12` there can go on typing it.

use std::ffi::OsString;

/// The command line with old names replaced; as it is where there are none.
pub fn translated(arguments: &[OsString]) -> Vec<OsString> {
    let mut all = arguments.to_vec();
    let word = |at: usize| arguments.get(at).and_then(|word| word.to_str()).unwrap_or_default();
    match (word(1), word(2)) {
        ("list", "issues" | "mrs") => {
            all.remove(1);
        }
        ("auth-test", _) => all[1] = OsString::from("auth"),
        ("show", kind @ ("issue" | "mr")) if !word(3).is_empty() => {
            all[2] = OsString::from(format!("{kind} {}", word(3)));
            all.remove(3);
        }
        ("graph", "traverse") => all[2] = OsString::from("show"),
        // Everything that is missing is what embedding does.
        ("embed", "--all") => {
            all.remove(2);
        }
        ("ingest", typed) if typed.starts_with("--type") => {
            let kind = typed.strip_prefix("--type=").map(str::to_owned);
            let n_words = if kind.is_some() { 1 } else { 2 };
            let kind = kind.unwrap_or_else(|| word(3).to_owned());
            let step = if kind == "merge_requests" { "mrs" } else { kind.as_str() };
            if arguments.len() >= 2 + n_words {
                all.splice(2..2 + n_words, [OsString::from(step)]);
            }
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_command_lines_become_todays() {
        for (typed, today) in [
            ("lore list issues --limit=10", "lore issues --limit=10"),
            ("lore auth-test", "lore auth"),
            ("lore show mr 12 --json", "lore show mr 12 --json"),
            ("lore ingest --type=merge_requests", "lore ingest mrs"),
            ("lore ingest --type issues --full", "lore ingest issues --full"),
            ("lore embed --all", "lore embed"),
            ("lore search list issues", "lore search list issues"),
            ("lore list", "lore list"),
            ("lore", "lore"),
        ] {
            let typed: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let words = translated(&typed);
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), today);
        }
    }
}
