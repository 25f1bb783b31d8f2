//! One file's settings: every name checked against the table of keys.

use super::keys::{KEYS, Key, LISTS, List, Value, camel_case};
use super::notifications::{self, NotifyRule};
use super::tree::{Content, Node, Syntax};
use super::value;
use model::suggest::nearest;
use model::{Error, ErrorCode, ForgeKind, Result};

/// `[[forges]]`: the general form of the section named after the one forge.
const FORGES: &str = "forges";

/// What a file says, before anything is overridden or refused for trust.
#[derive(Debug, Default)]
pub struct Layer {
    pub values: Vec<(&'static Key, Value)>,
    pub projects: Option<Vec<String>>,
    pub repos: Option<Vec<RepoEntry>>,
    pub notifications: Option<Vec<NotifyRule>>,
    pub servers: Option<Vec<ServerEntry>>,
    pub services: Option<Vec<ServiceEntry>>,
}

/// The repository of a service that traces name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceEntry {
    pub name: String,
    pub repo: String,
}

/// A language server that takes the place of the one found on PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    pub name: String,
    pub command: String,
    /// Separated by spaces.
    pub args: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoEntry {
    pub path: Option<String>,
    pub url: Option<String>,
}

/// Reads a whole file; the first thing that is wrong is the error.
pub fn read(root: &Node, syntax: Syntax) -> Result<Layer> {
    let mut layer = Layer::default();
    let Content::Table(sections) = &root.content else {
        return Err(invalid(root, &format!("expected a table, found {}", root.content.noun())));
    };
    for (name, node) in sections {
        if let Some(list) = LISTS.iter().find(|list| written(list.name, syntax) == *name) {
            read_list(list, node, syntax, &mut layer)?;
        } else if name == FORGES {
            read_forges(node, syntax, &mut layer)?;
        } else if KEYS.iter().any(|key| section(key) == name) {
            read_section(name, node, syntax, &mut layer)?;
        } else {
            return Err(unknown_section(name, node, syntax));
        }
    }
    Ok(layer)
}

fn read_section(name: &str, node: &Node, syntax: Syntax, layer: &mut Layer) -> Result<()> {
    let Content::Table(entries) = &node.content else {
        return Err(invalid(
            node,
            &format!("`{name}` must be a table, not {}", node.content.noun()),
        ));
    };
    for (entry, child) in entries {
        read_entry(name, entry, child, syntax, layer)?;
    }
    Ok(())
}

fn read_entry(
    name: &str,
    entry: &str,
    node: &Node,
    syntax: Syntax,
    layer: &mut Layer,
) -> Result<()> {
    let key = KEYS
        .iter()
        .find(|key| section(key) == name && written(leaf(key), syntax) == entry)
        .ok_or_else(|| unknown_key(name, entry, node, syntax))?;
    if layer.values.iter().any(|(known, _)| known.name == key.name) {
        return Err(invalid(node, &format!("`{}` is set twice", key.name))
            .suggest(format!("keep either `[{name}]` or `[[{FORGES}]]`")));
    }
    let value = value::parse_content(key, &node.content).map_err(|error| at(node, error))?;
    layer.values.push((key, value));
    Ok(())
}

/// One forge, of a kind that has a section of its own name.
fn read_forges(node: &Node, syntax: Syntax, layer: &mut Layer) -> Result<()> {
    let forges: &[Node] = match &node.content {
        Content::List(forges) => forges,
        other => {
            let message = format!(
                "`{FORGES}` must be a list of tables (`[[{FORGES}]]`), not {}",
                other.noun()
            );
            return Err(invalid(node, &message));
        }
    };
    if forges.len() > 1 {
        return Err(invalid(&forges[1], "lore reads one forge with one configuration")
            .suggest("give the second forge a configuration and a database of its own"));
    }
    for forge in forges {
        let Content::Table(entries) = &forge.content else {
            let message =
                format!("each of `{FORGES}` must be a table, not {}", forge.content.noun());
            return Err(invalid(forge, &message));
        };
        let mut kind = ForgeKind::GitLab;
        for (_, child) in entries.iter().filter(|(entry, _)| entry == "kind") {
            let words = ForgeKind::ALL.map(ForgeKind::as_str).join(", ");
            let read = match &child.content {
                Content::Text(text) => ForgeKind::parse(text),
                _ => None,
            };
            kind = read.ok_or_else(|| {
                invalid(child, &format!("`{FORGES}.kind` must be one of: {words}"))
            })?;
        }
        for (entry, child) in entries.iter().filter(|(entry, _)| entry != "kind") {
            read_entry(kind.as_str(), entry, child, syntax, layer)?;
        }
    }
    Ok(())
}

fn read_list(list: &List, node: &Node, syntax: Syntax, layer: &mut Layer) -> Result<()> {
    let Content::List(items) = &node.content else {
        return Err(invalid(
            node,
            &format!(
                "`{0}` must be a list of tables (`[[{0}]]`), not {1}",
                list.name,
                node.content.noun()
            ),
        ));
    };
    if list.name == "notifications" {
        let rules = items.iter().map(|item| notifications::read(item, syntax));
        layer.notifications = Some(rules.collect::<Result<_>>()?);
        return Ok(());
    }
    let mut rows = Vec::new();
    for item in items {
        rows.push(read_row(list, item, syntax)?);
    }
    match list.name {
        "projects" => layer.projects = Some(projects(rows, node)?),
        "services" => layer.services = Some(services(rows, node)?),
        "servers" => layer.servers = Some(servers(rows, node)?),
        _ => {
            layer.repos = Some(
                rows.into_iter()
                    .map(|mut row| RepoEntry { path: row[0].take(), url: row[1].take() })
                    .collect(),
            );
        }
    }
    Ok(())
}

/// The values of one `[[list]]` table in the order of the list's keys.
fn read_row(list: &List, item: &Node, syntax: Syntax) -> Result<Vec<Option<String>>> {
    let Content::Table(entries) = &item.content else {
        return Err(invalid(
            item,
            &format!("each of `{}` must be a table, not {}", list.name, item.content.noun()),
        ));
    };
    let mut row = vec![None; list.keys.len()];
    for (entry, child) in entries {
        let index = list
            .keys
            .iter()
            .position(|key| written(key, syntax) == *entry)
            .ok_or_else(|| unknown_key(list.name, entry, child, syntax))?;
        match &child.content {
            Content::Text(text) if !text.trim().is_empty() => row[index] = Some(text.clone()),
            Content::Text(_) => {
                return Err(invalid(child, &format!("`{}.{entry}` must not be empty", list.name)));
            }
            other => {
                return Err(invalid(
                    child,
                    &format!("`{}.{entry}` must be text, not {}", list.name, other.noun()),
                ));
            }
        }
    }
    if row.iter().all(Option::is_none) {
        return Err(invalid(item, &format!("one of `{}` has no `{}`", list.name, list.keys[0])));
    }
    Ok(row)
}

fn services(rows: Vec<Vec<Option<String>>>, node: &Node) -> Result<Vec<ServiceEntry>> {
    rows.into_iter()
        .map(|mut row| match (row[0].take(), row[1].take()) {
            (Some(name), Some(repo)) => Ok(ServiceEntry { name, repo }),
            _ => Err(invalid(node, "each of `services` needs a `name` and a `repo`").suggest(
                "the name is that of `lore trace-stats`, the repo that of `lore repo list`",
            )),
        })
        .collect()
}

fn servers(rows: Vec<Vec<Option<String>>>, node: &Node) -> Result<Vec<ServerEntry>> {
    rows.into_iter()
        .map(|mut row| match (row[0].take(), row[1].take()) {
            (Some(name), Some(command)) => Ok(ServerEntry { name, command, args: row[2].take() }),
            _ => Err(invalid(node, "each of `servers` needs a `name` and a `command`")
                .suggest("names are those of `lore doctor`; the command is a program's path")),
        })
        .collect()
}

fn projects(rows: Vec<Vec<Option<String>>>, node: &Node) -> Result<Vec<String>> {
    rows.into_iter()
        .map(|row| {
            let path = row.into_iter().flatten().next().unwrap_or_default();
            check_project(&path).map_err(|error| at(node, error))
        })
        .collect()
}

/// A project path as GitLab has them: two or more parts, no odd characters.
pub fn check_project(path: &str) -> Result<String> {
    let path = path.trim().trim_matches('/');
    let is_plain =
        path.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+'));
    if path.contains('/') && is_plain && !path.contains("//") {
        return Ok(path.to_owned());
    }
    Err(Error::new(
        ErrorCode::ConfigInvalid,
        format!("`{}` is not a project path", model::text::one_line(path, 60)),
    )
    .suggest("write it as group/project, as in the project's address"))
}

fn unknown_section(name: &str, node: &Node, syntax: Syntax) -> Error {
    let mut known: Vec<String> = Vec::new();
    for candidate in
        KEYS.iter().map(section).chain(LISTS.iter().map(|list| list.name)).chain([FORGES])
    {
        let candidate = written(candidate, syntax);
        if !known.contains(&candidate) {
            known.push(candidate);
        }
    }
    did_you_mean(invalid(node, &format!("unknown key `{}`", shown(name))), name, "", &known)
}

fn unknown_key(section_name: &str, entry: &str, node: &Node, syntax: Syntax) -> Error {
    let known: Vec<String> = match LISTS.iter().find(|list| list.name == section_name) {
        Some(list) => list.keys.iter().map(|key| written(key, syntax)).collect(),
        None => KEYS
            .iter()
            .filter(|key| section(key) == section_name)
            .map(|key| written(leaf(key), syntax))
            .collect(),
    };
    let error = invalid(node, &format!("unknown key `{section_name}.{}`", shown(entry)));
    did_you_mean(error, entry, &format!("{section_name}."), &known)
}

fn did_you_mean(error: Error, wrong: &str, prefix: &str, known: &[String]) -> Error {
    match nearest(wrong, known.iter().map(String::as_str), 1).first() {
        Some(near) => error.suggest(format!("did you mean `{prefix}{near}`?")),
        None => error.suggest(format!("known here: {}", known.join(", "))),
    }
}

fn at(node: &Node, error: Error) -> Error {
    match node.line {
        Some(line) => error.context(format!("line {line}")),
        None => error,
    }
}

fn invalid(node: &Node, message: &str) -> Error {
    at(node, Error::new(ErrorCode::ConfigInvalid, message))
}

fn shown(name: &str) -> String {
    model::text::one_line(name, 60)
}

fn section(key: &Key) -> &'static str {
    key.name.split_once('.').map_or(key.name, |(section, _)| section)
}

fn leaf(key: &Key) -> &'static str {
    key.name.split_once('.').map_or(key.name, |(_, leaf)| leaf)
}

/// A name as the table of keys has it.
pub fn plain_name(name: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Toml => name.to_owned(),
        Syntax::Json => {
            let lower = |c: char| {
                let mark = if c.is_uppercase() { "_" } else { "" };
                format!("{mark}{}", c.to_lowercase())
            };
            name.chars().map(lower).collect()
        }
    }
}

/// A name as this syntax writes it.
fn written(name: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Toml => name.to_owned(),
        Syntax::Json => camel_case(name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree;
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, syntax: Syntax, expected: Expect) {
        let shown = match tree::parse(text, syntax).and_then(|root| read(&root, syntax)) {
            Ok(layer) => {
                let mut lines: Vec<String> = layer
                    .values
                    .iter()
                    .map(|(key, value)| format!("{} = {value}", key.name))
                    .collect();
                lines.extend(layer.projects.map(|projects| format!("projects: {projects:?}")));
                lines.extend(layer.repos.map(|repos| format!("repos: {repos:?}")));
                lines.join("\n")
            }
            Err(error) => {
                format!("{}\nhint: {}", error.message(), error.suggestion().unwrap_or_default())
            }
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn the_example_of_the_manual_is_read() {
        let text = r#"
            [gitlab]
            base_url = "https://gitlab.example.com/"
            token_env_var = "MY_TOKEN"
            [[projects]]
            path = "group/project"
            [[repos]]
            path = "/home/me/src/project"
            url = "https://x"
            [sync]
            requests_per_second = 2.5
            fetch_resource_events = false
        "#;
        check(
            text,
            Syntax::Toml,
            expect![[r#"
                gitlab.base_url = https://gitlab.example.com
                gitlab.token_env_var = MY_TOKEN
                sync.requests_per_second = 2.5
                sync.fetch_resource_events = false
                projects: ["group/project"]
                repos: [RepoEntry { path: Some("/home/me/src/project"), url: Some("https://x") }]"#]],
        );
    }

    #[test]
    fn json_writes_the_same_keys_in_camel_case() {
        check(
            r#"{"gitlab": {"baseUrl": "https://x.example"}, "projects": [{"path": "a/b"}],
               "storage": {"dbPath": "l.db"}, "sync": {"fetchMrFileChanges": true}}"#,
            Syntax::Json,
            expect![[r#"
                gitlab.base_url = https://x.example
                storage.db_path = l.db
                sync.fetch_mr_file_changes = true
                projects: ["a/b"]"#]],
        );
        check(
            "{\n\"gitlab\": {\n\"base_url\": \"https://x.example\"}}",
            Syntax::Json,
            expect![[r"
                line 3: unknown key `gitlab.base_url`
                hint: did you mean `gitlab.baseUrl`?"]],
        );
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest() {
        check(
            "[gitlab]\n\nbase_ulr = 1",
            Syntax::Toml,
            expect![[r"
                line 3: unknown key `gitlab.base_ulr`
                hint: did you mean `gitlab.base_url`?"]],
        );
        check(
            "[gitlb]\n",
            Syntax::Toml,
            expect![[r"
                line 1: unknown key `gitlb`
                hint: did you mean `gitlab`?"]],
        );
        check(
            "[[repos]]\npaht = \"x\"",
            Syntax::Toml,
            expect![[r"
                line 2: unknown key `repos.paht`
                hint: did you mean `repos.path`?"]],
        );
        check(
            "[sync]\nzzz = 1",
            Syntax::Toml,
            expect![[r#"
                line 2: unknown key `sync.zzz`
                hint: known here: requests_per_second, concurrency, fetch_resource_events, fetch_mr_file_changes, reconcile, full_every_days, overlap_seconds"#]],
        );
    }

    #[test]
    fn wrong_types_name_the_line_and_what_was_found() {
        check(
            "[gitlab]\nbase_url = 7",
            Syntax::Toml,
            expect![[r"
                line 2: `gitlab.base_url` must be text, not a number
                hint: "]],
        );
        check(
            "projects = \"a/b\"",
            Syntax::Toml,
            expect![[r"
                line 1: `projects` must be a list of tables (`[[projects]]`), not text
                hint: "]],
        );
        check(
            "[[projects]]\npath = \"alone\"",
            Syntax::Toml,
            expect![[r"
                line 1: `alone` is not a project path
                hint: write it as group/project, as in the project's address"]],
        );
        check(
            "gitlab = true",
            Syntax::Toml,
            expect![[r"
                line 1: `gitlab` must be a table, not true or false
                hint: "]],
        );
    }

    #[test]
    fn a_forge_is_one_of_a_list() {
        check(
            "[[forges]]\nkind = \"gitlab\"\nbase_url = \"https://x.example\"\n",
            Syntax::Toml,
            expect!["gitlab.base_url = https://x.example"],
        );
        check(
            r#"{"forges": [{"baseUrl": "https://x.example"}]}"#,
            Syntax::Json,
            expect!["gitlab.base_url = https://x.example"],
        );
        check(
            "[[forges]]\nkind = \"cvs\"",
            Syntax::Toml,
            expect![[r#"
                line 2: `forges.kind` must be one of: gitlab
                hint: "#]],
        );
        check(
            "[gitlab]\nbase_url = \"https://x.example\"\n[[forges]]\nbase_url = \"https://y.example\"",
            Syntax::Toml,
            expect![[r#"
                line 4: `gitlab.base_url` is set twice
                hint: keep either `[gitlab]` or `[[forges]]`"#]],
        );
    }
}
