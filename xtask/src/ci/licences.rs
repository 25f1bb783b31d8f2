//! Licences, bans and sources of every dependency, by the rules of `deny.toml`.
//!
//! Reads what cargo knows of the locked tree, so the check needs nothing that
//! would have to be compiled first; `cargo deny check` reads the same file and
//! knows advisories as well.

use serde_json::Value;
use std::path::Path;

/// What `deny.toml` asks for, as far as it is checked here.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Policy {
    licences: Vec<String>,
    banned: Vec<Ban>,
    registries: Vec<String>,
}

/// A package that may not be in the tree.
#[derive(Debug, PartialEq, Eq)]
struct Ban {
    name: String,
    /// Those that may depend on it all the same: nobody can do without them.
    wrappers: Vec<String>,
}

impl Policy {
    pub fn read(root: &Path) -> Result<Policy, String> {
        let path = root.join("deny.toml");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("cannot read deny.toml: {error}"))?;
        Policy::parse(&text)
    }

    fn parse(text: &str) -> Result<Policy, String> {
        let list = |section: &str, key: &str| {
            let found = list_of(text, section, key);
            if found.is_empty() {
                return Err(format!("deny.toml has no `{key}` in [{section}]"));
            }
            Ok(found)
        };
        Ok(Policy {
            licences: list("licenses", "allow")?.iter().flat_map(|line| quoted(line)).collect(),
            banned: list("bans", "deny")?.iter().filter_map(|line| Ban::parse(line)).collect(),
            registries: list("sources", "allow-registry")?
                .iter()
                .flat_map(|line| quoted(line))
                .collect(),
        })
    }

    /// What is wrong with the packages of `cargo metadata`, a line each.
    pub fn violations(&self, metadata: &Value) -> Vec<String> {
        let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let mut found: Vec<String> = packages.iter().flat_map(|it| self.package(it)).collect();
        found.extend(self.banned.iter().flat_map(|ban| ban.violations(metadata)));
        if packages.is_empty() {
            found.push("cargo metadata names no package".to_owned());
        }
        found.sort();
        found
    }

    fn package(&self, package: &Value) -> Vec<String> {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        let mut found = Vec::new();
        match package["license"].as_str() {
            Some(licence) if self.accepts(licence) => {}
            Some(licence) => found.push(format!("{name}: licence `{licence}` is not allowed")),
            None => found.push(format!("{name}: names no licence")),
        }
        if let Some(source) = package["source"].as_str() {
            let is_known = source
                .strip_prefix("registry+")
                .is_some_and(|it| self.registries.iter().any(|known| known == it));
            if !is_known {
                found.push(format!("{name}: comes from `{source}`"));
            }
        }
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        if package["source"].is_null() {
            let is_wild = |it: &&Value| it["req"] == "*" && it["path"].is_null();
            for wild in dependencies.iter().filter(is_wild) {
                let dependency = wild["name"].as_str().unwrap_or_default();
                found.push(format!("{name}: any version of `{dependency}` would do"));
            }
        }
        found
    }

    /// Whether one of the choices of an SPDX expression is allowed.
    fn accepts(&self, expression: &str) -> bool {
        // Older manifests separate choices by a slash.
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        self.any(&mut rest) == Some(true) && rest.is_empty()
    }

    fn any(&self, words: &mut &[&str]) -> Option<bool> {
        let mut is_allowed = self.all(words)?;
        while take(words, "OR") {
            is_allowed |= self.all(words)?;
        }
        Some(is_allowed)
    }

    fn all(&self, words: &mut &[&str]) -> Option<bool> {
        let mut is_allowed = self.one(words)?;
        while take(words, "AND") {
            is_allowed &= self.one(words)?;
        }
        Some(is_allowed)
    }

    fn one(&self, words: &mut &[&str]) -> Option<bool> {
        if take(words, "(") {
            let is_allowed = self.any(words)?;
            return take(words, ")").then_some(is_allowed);
        }
        let (licence, rest) = words.split_first()?;
        *words = rest;
        let mut name = (*licence).to_owned();
        if take(words, "WITH") {
            let (exception, rest) = words.split_first()?;
            *words = rest;
            // An exception only permits more than the licence does.
            if !self.licences.contains(&name) {
                name = format!("{name} WITH {exception}");
            }
        }
        Some(self.licences.contains(&name))
    }
}

impl Ban {
    fn parse(line: &str) -> Option<Ban> {
        let (before, wrappers) = line.split_once("wrappers = [").unwrap_or((line, ""));
        let wrappers = wrappers.split(']').next().unwrap_or_default();
        Some(Ban { name: quoted(before).into_iter().next()?, wrappers: quoted(wrappers) })
    }

    /// Who depends on it and may not; it alone where nobody says who does.
    fn violations(&self, metadata: &Value) -> Vec<String> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let packages = list(&metadata["packages"]);
        let named = |id: &Value| {
            let package = packages.iter().find(|package| package["id"] == *id);
            package.and_then(|it| it["name"].as_str()).unwrap_or_default().to_owned()
        };
        if !packages.iter().any(|package| package["name"] == self.name.as_str()) {
            return Vec::new();
        }
        let uses = |node: &Value| {
            list(&node["deps"]).iter().any(|dependency| named(&dependency["pkg"]) == self.name)
        };
        let users: Vec<String> = list(&metadata["resolve"]["nodes"])
            .iter()
            .filter(|node| uses(node))
            .map(|node| named(&node["id"]))
            .collect();
        if users.is_empty() {
            return vec![format!("{}: banned by deny.toml", self.name)];
        }
        let is_open = |user: &&String| !self.wrappers.contains(user);
        users
            .iter()
            .filter(is_open)
            .map(|user| format!("{}: banned by deny.toml, used by {user}", self.name))
            .collect()
    }
}

fn quoted(line: &str) -> Vec<String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn take(words: &mut &[&str], word: &str) -> bool {
    let is_next = words.first() == Some(&word);
    if is_next {
        *words = &words[1..];
    }
    is_next
}

/// The lines of a list.
fn list_of(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut found = Vec::new();
    let mut current = "";
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        if let Some(name) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']'))
            && !is_inside
        {
            current = name;
            continue;
        }
        let begins = current == section
            && line.split_once('=').is_some_and(|(name, rest)| {
                name.trim() == key && rest.trim_start().starts_with('[')
            });
        is_inside |= begins;
        if !is_inside || line.starts_with('#') {
            continue;
        }
        let list = if begins { line.split_once('[').map_or("", |it| it.1) } else { line };
        if list.contains('"') {
            found.push(list.to_owned());
        }
        // A table of the list may end with a list of its own.
        is_inside = list.contains('{') || !list.trim_end_matches(',').ends_with(']');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RULES: &str = r#"
[licenses]
allow = [
    "MIT", # why
    "Apache-2.0",
    "Unicode-3.0",
]
[bans]
deny = [
    { name = "openssl-sys", reason = "TLS is rustls" },
    { name = "chrono", wrappers = ["sdk"], reason = "one time library" },
]
[sources]
allow-registry = ["https://registry.example/index"]
"#;

    fn policy() -> Policy {
        Policy::parse(RULES).expect("the rules are complete")
    }

    #[test]
    fn the_rules_are_read_from_deny_toml() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root of the project");
        let own = Policy::read(root).expect("deny.toml is there");
        assert!(own.licences.contains(&"MIT".to_owned()));
        assert!(own.banned.iter().any(|ban| ban.name == "openssl-sys"));
        let names: Vec<String> = policy().banned.into_iter().map(|ban| ban.name).collect();
        assert_eq!(names, ["openssl-sys", "chrono"]);
        assert_eq!(policy().registries, ["https://registry.example/index"]);
        assert!(Policy::parse("[licenses]\nallow = []\n").is_err());
    }

    #[test]
    fn one_allowed_choice_of_an_expression_is_enough_and_all_of_a_conjunction_are_needed() {
        let policy = policy();
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(policy.accepts(good), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "", "MIT OR", "(MIT", "MIT Apache-2.0"] {
            assert!(!policy.accepts(bad), "{bad}");
        }
    }

    #[test]
    fn a_package_is_refused_for_its_licence_its_name_its_source_or_a_wildcard() {
        let registry = "registry+https://registry.example/index";
        let metadata = json!({ "packages": [
            { "name": "good", "version": "1.0.0", "license": "MIT", "source": registry },
            { "name": "ours", "version": "0.1.0", "license": "MIT", "source": null,
              "dependencies": [{ "name": "any", "req": "*" }, { "name": "room", "req": "*", "path": "room" }] },
            { "id": "c", "name": "chrono", "version": "0.4.0", "license": "MIT", "source": registry },
            { "id": "s", "name": "sdk", "version": "1.0.0", "license": "MIT", "source": registry },
            { "id": "o", "name": "other", "version": "1.0.0", "license": "MIT", "source": registry },
            { "name": "viral", "version": "2.0.0", "license": "AGPL-3.0", "source": registry },
            { "name": "silent", "version": "1.0.0", "license": null, "source": registry },
            { "name": "fork", "version": "1.0.0", "license": "MIT", "source": "git+https://example.org/fork" },
        ], "resolve": { "nodes": [
            { "id": "s", "deps": [{ "pkg": "c" }] },
            { "id": "o", "deps": [{ "pkg": "c" }] },
        ]}});
        assert_eq!(
            policy().violations(&metadata),
            [
                "chrono: banned by deny.toml, used by other",
                "fork 1.0.0: comes from `git+https://example.org/fork`",
                "ours 0.1.0: any version of `any` would do",
                "silent 1.0.0: names no licence",
                "viral 2.0.0: licence `AGPL-3.0` is not allowed",
            ]
        );
        assert_eq!(policy().violations(&json!({})), ["cargo metadata names no package"]);
    }
}
