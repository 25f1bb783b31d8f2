//! GitHub Actions: jobs, what they wait for, and what they use.

use super::outline::{define, relate, relate_here};
use super::yaml::Yaml;
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    let Some(jobs) = document.get("jobs") else { return };
    for (key, job) in jobs.entries() {
        let def = define(b, DefId::FILE, DefKind::Job, &key.text, job.span_from(key));
        let depends = EdgeKind::DependsOn;
        for (name, at) in job.get("needs").map(Yaml::names).unwrap_or_default() {
            relate_here(b, depends, def, DefKind::Job, name, at);
        }
        let steps = job.get("steps").map(Yaml::items).unwrap_or_default().iter();
        let used = steps.filter_map(|step| step.get("uses")).chain(job.get("uses"));
        for uses in used.collect::<Vec<_>>() {
            // Only what is in the repository itself can be followed.
            if let Some(path) = uses.text().and_then(|text| text.strip_prefix("./")) {
                let at = uses.span.start;
                let is_file = super::has_extension(path, &["yml", "yaml"]);
                let path = if is_file { path.to_owned() } else { format!("{path}/action.yml") };
                relate(b, depends, def, DefKind::Module, &path, at);
            }
        }
    }
}
