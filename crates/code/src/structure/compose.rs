//! Compose files: services, what they wait for, what they are built from and
//! which ports they open.

use super::outline::{define, relate, relate_here};
use super::yaml::Yaml;
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

/// Whether the services say what runs.
pub(super) fn fits(document: &Yaml) -> bool {
    let services = document.get("services").map(Yaml::entries).unwrap_or_default();
    !services.is_empty()
        && services.iter().all(|(_, s)| s.get("image").is_some() || s.get("build").is_some())
}

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    for kind in ["volumes", "networks", "configs", "secrets"] {
        for (key, value) in document.get(kind).map(Yaml::entries).unwrap_or_default() {
            define(b, DefId::FILE, DefKind::Resource, &key.text, value.span_from(key));
        }
    }
    let Some(services) = document.get("services") else { return };
    for (key, service) in services.entries() {
        let def = define(b, DefId::FILE, DefKind::Service, &key.text, service.span_from(key));
        for field in ["depends_on", "links"] {
            for (name, at) in service.get(field).map(Yaml::names).unwrap_or_default() {
                let name = name.split(':').next().unwrap_or(name);
                let depends = EdgeKind::DependsOn;
                relate_here(b, depends, def, DefKind::Service, name, at);
            }
        }
        for field in ["volumes", "networks", "configs", "secrets"] {
            for (name, at) in service.get(field).map(Yaml::names).unwrap_or_default() {
                let name = name.split(':').next().unwrap_or(name);
                relate_here(b, EdgeKind::Configures, def, DefKind::Resource, name, at);
            }
        }
        build(b, def, service);
        for (port, at) in service.get("ports").map(Yaml::names).unwrap_or_default() {
            let name = format!("port {port}");
            define(b, def, DefKind::Resource, &name, at..at + port.len());
            relate_here(b, EdgeKind::Exposes, def, DefKind::Resource, &name, at);
        }
    }
}

/// The Dockerfile a service is built from.
fn build(b: &mut Builder<'_>, def: DefId, service: &Yaml) {
    let Some(build) = service.get("build") else { return };
    let context = build.text().or_else(|| build.text_at(&["context"])).unwrap_or(".");
    let file = build.text_at(&["dockerfile"]).unwrap_or("Dockerfile");
    let path = format!("{}/{file}", context.trim_end_matches('/'));
    let path = if context == "." { format!("./{file}") } else { path };
    relate(b, EdgeKind::Deploys, def, DefKind::Module, &path, build.span.start);
}
