//! Changing one table in a TOML file that belongs to somebody else: everything
//! else stays byte for byte, comments included.

use toml::{Table, Value};

/// The text with the table `[section.name]` holding these values; none when it
/// does already. Other values of the table stay.
pub fn set_table(
    text: &str,
    section: &str,
    name: &str,
    values: &[(&str, Value)],
) -> Result<Option<String>, String> {
    let parsed: Table =
        text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let known = parsed.get(section).and_then(|section| section.get(name));
    let is_set = |known: &Value| values.iter().all(|(key, value)| known.get(key) == Some(value));
    if known.is_some_and(is_set) {
        return Ok(None);
    }
    let header = format!("[{section}.{name}]");
    let at = text.lines().position(|line| line.trim() == header);
    let changed = match (known, at) {
        (None, _) => appended(text, &header, values),
        (Some(_), Some(at)) => replaced(text, at, values),
        (Some(_), None) => return Err(format!("`{name}` is not in a table of its own")),
    };
    // What was made must say what was meant, and the rest must say what it said.
    let made: Table = changed.parse().map_err(|_| "a value spans several lines".to_owned())?;
    let without = |table: &Table| {
        let mut table = table.clone();
        if let Some(Value::Table(section)) = table.get_mut(section) {
            section.remove(name);
        }
        table.retain(|key, value| {
            key != section || value.as_table().is_none_or(|it| !it.is_empty())
        });
        table
    };
    let now = made.get(section).and_then(|section| section.get(name));
    if !now.is_some_and(is_set) || without(&made) != without(&parsed) {
        return Err(format!("`{header}` is not written as lore would write it"));
    }
    Ok(Some(changed))
}

fn line(key: &str, value: &Value) -> String {
    format!("{key} = {value}")
}

fn appended(text: &str, header: &str, values: &[(&str, Value)]) -> String {
    let mut out = text.to_owned();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(header);
    out.push('\n');
    for (key, value) in values {
        out.push_str(&line(key, value));
        out.push('\n');
    }
    out
}

/// The lines of the table that hold these keys anew; missing ones after its head.
fn replaced(text: &str, header_at: usize, values: &[(&str, Value)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_head = |line: &String| line.trim_start().starts_with('[');
    let end = lines[header_at + 1..].iter().position(is_head);
    let end = end.map_or(lines.len(), |offset| header_at + 1 + offset);
    let mut missing = Vec::new();
    for (key, value) in values {
        let holds = |line: &String| {
            line.trim_start()
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        match lines[header_at + 1..end].iter().position(holds) {
            Some(offset) => lines[header_at + 1 + offset] = line(key, value),
            None => missing.push(line(key, value)),
        }
    }
    let after = header_at + 1;
    lines.splice(after..after, missing);
    let mut out = lines.join("\n");
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(command: &str) -> Vec<(&'static str, Value)> {
        vec![("command", command.into()), ("args", Value::Array(vec!["mcp".into()]))]
    }

    fn set(text: &str) -> Result<Option<String>, String> {
        set_table(text, "mcp_servers", "lore", &values("lore"))
    }

    #[test]
    fn a_table_is_added_at_the_end_and_nothing_else_changes() {
        let before = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"o\"\n";
        let after = set(before).unwrap().unwrap();
        assert_eq!(
            after,
            format!("{before}\n[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n")
        );
        assert_eq!(set(&after).unwrap(), None);
        assert_eq!(
            set("").unwrap().unwrap(),
            "[mcp_servers.lore]\ncommand = \"lore\"\nargs = [\"mcp\"]\n"
        );
    }

    #[test]
    fn an_older_entry_is_brought_up_to_date_and_keeps_what_was_added_to_it() {
        let before = "[mcp_servers.lore]\n# slow machine\nstartup_timeout_sec = 30\ncommand = \"/old/lore\"\n\n[z]\na = 1\n";
        assert_eq!(
            set(before).unwrap().unwrap(),
            "[mcp_servers.lore]\nargs = [\"mcp\"]\n# slow machine\nstartup_timeout_sec = 30\ncommand = \"lore\"\n\n[z]\na = 1\n"
        );
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        assert!(set("[mcp_servers]\nlore = { command = \"old\" }\n").is_err());
        assert!(set("nonsense").is_err());
        let own = "[mcp_servers.lore]\nargs = [\n  \"old\",\n]\ncommand = \"lore\"\n";
        assert!(set(own).is_err());
    }
}
