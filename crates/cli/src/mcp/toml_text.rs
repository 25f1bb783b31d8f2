//! Changing one table in a TOML file that belongs to somebody else: everything
//! else stays byte for byte, comments included.

use toml::Value;
use toml_edit::{DocumentMut, Item, Table};

/// The text with the table `[section.name]` holding these values; none when it
/// does already. Other values of the table stay.
pub fn set_table(
    text: &str,
    section: &str,
    name: &str,
    values: &[(&str, Value)],
) -> Result<Option<String>, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.message().trim().to_owned())?;
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let not_a_table = |what: &str| format!("`{what}` is not a table");
    let tables = document.entry(section).or_insert_with(implicit);
    let tables = tables.as_table_mut().ok_or_else(|| not_a_table(section))?;
    let table = tables.entry(name).or_insert_with(|| Item::Table(Table::new()));
    let table = table.as_table_like_mut().ok_or_else(|| not_a_table(name))?;
    let mut is_changed = false;
    for (key, value) in values {
        let old = table.get(key).and_then(Item::as_value);
        if old.is_some_and(|old| plain(old).as_ref() == Some(value)) {
            continue;
        }
        let mut new: toml_edit::Value =
            value.to_string().parse().map_err(|_| format!("`{key}` cannot be written"))?;
        if let Some(old) = old {
            *new.decor_mut() = old.decor().clone();
        }
        table.insert(key, Item::Value(new));
        is_changed = true;
    }
    Ok(is_changed.then(|| document.to_string()))
}

/// The text without the table `[section.name]`; none when it is not there. A section
/// that was only written for it goes too.
pub fn remove_table(text: &str, section: &str, name: &str) -> Result<Option<String>, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.message().trim().to_owned())?;
    let Some(tables) = document.get_mut(section).and_then(Item::as_table_like_mut) else {
        return Ok(None);
    };
    if tables.remove(name).is_none() {
        return Ok(None);
    }
    if tables.is_empty() {
        document.remove(section);
    }
    Ok(Some(document.to_string()))
}

/// A value without how it is written.
fn plain(value: &toml_edit::Value) -> Option<Value> {
    let mut value = value.clone();
    value.decor_mut().clear();
    let mut table: toml::Table = toml::from_str(&format!("value = {value}")).ok()?;
    table.remove("value")
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
            "[mcp_servers.lore]\n# slow machine\nstartup_timeout_sec = 30\ncommand = \"lore\"\nargs = [\"mcp\"]\n\n[z]\na = 1\n"
        );
    }

    #[test]
    fn an_entry_in_any_form_is_changed_in_place() {
        let inline = "[mcp_servers]\nlore = { command = \"old\", env = { A = \"1\" } } # mine\n";
        assert_eq!(
            set(inline).unwrap().unwrap(),
            "[mcp_servers]\nlore = { command = \"lore\", env = { A = \"1\" } , args = [\"mcp\"] } # mine\n"
        );
        let lines = "[mcp_servers.lore]\nargs = [\n  \"old\",\n] # all\ncommand = \"lore\"\n";
        assert_eq!(
            set(lines).unwrap().unwrap(),
            "[mcp_servers.lore]\nargs = [\"mcp\"] # all\ncommand = \"lore\"\n"
        );
    }

    #[test]
    fn what_cannot_be_changed_safely_is_left_alone() {
        assert!(set("mcp_servers = 3\n").is_err());
        assert!(set("[mcp_servers]\nlore = 3\n").is_err());
        assert!(set("nonsense").is_err());
    }
}
