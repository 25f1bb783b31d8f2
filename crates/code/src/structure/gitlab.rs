//! GitLab CI: jobs, what they extend, need and include.

use super::outline::{define, relate, relate_here};
use super::yaml::{Value, Yaml};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

/// Keys at the top that are no jobs.
const WORDS: [&str; 13] = [
    "default",
    "include",
    "stages",
    "variables",
    "workflow",
    "image",
    "services",
    "cache",
    "before_script",
    "after_script",
    "pages_domain",
    "spec",
    "types",
];

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    for (key, job) in document.entries() {
        let is_job = matches!(job.value, Value::Map(_)) && !WORDS.contains(&key.text.as_str());
        if !is_job {
            continue;
        }
        let def = define(b, DefId::FILE, DefKind::Job, &key.text, job.span_from(key));
        for (name, at) in job.get("extends").map(Yaml::names).unwrap_or_default() {
            relate(b, EdgeKind::References, def, DefKind::Job, name, at);
        }
        for field in ["needs", "dependencies"] {
            let Some(list) = job.get(field) else { continue };
            for need in list.items() {
                let name = need.text().or_else(|| need.text_at(&["job"]));
                if let Some(name) = name {
                    let at = need.span.start;
                    relate_here(b, EdgeKind::DependsOn, def, DefKind::Job, name, at);
                }
            }
        }
    }
    let Some(includes) = document.get("include") else { return };
    let alone = std::slice::from_ref(includes);
    let all = if includes.items().is_empty() { alone } else { includes.items() };
    for include in all {
        let path = include.text().or_else(|| include.text_at(&["local"]));
        if let Some(path) = path {
            let path = path.trim_start_matches('/');
            let at = include.span.start;
            relate(b, EdgeKind::Imports, DefId::FILE, DefKind::Module, path, at);
        }
    }
}
