//! Kubernetes: objects, what a workload is configured by, and which workload
//! a service or an ingress leads to.

use super::outline::{define, relate, relate_here};
use super::yaml::Yaml;
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    let kind = document.text_at(&["kind"]).unwrap_or_default();
    if kind == "List" {
        for item in document.get("items").map(Yaml::items).unwrap_or_default() {
            read(b, item);
        }
        return;
    }
    let Some(name) = document.text_at(&["metadata", "name"]) else { return };
    let of = if kind == "Service" { DefKind::Service } else { DefKind::Resource };
    let def = define(b, DefId::FILE, of, &format!("{kind}/{name}"), document.span.clone());
    match kind {
        "Service" => selects(b, def, document),
        "Ingress" | "HTTPRoute" => routes_to(b, def, document),
        "HorizontalPodAutoscaler" => {
            let target = document.at(&["spec", "scaleTargetRef"]);
            if let Some(target) = target
                && let (Some(kind), Some(name)) =
                    (target.text_at(&["kind"]), target.text_at(&["name"]))
            {
                let (to, at) = (format!("{kind}/{name}"), target.span.start);
                relate(b, EdgeKind::Configures, def, DefKind::Resource, &to, at);
            }
        }
        "ConfigMap" | "Secret" => earlier_workloads(b, def, document),
        _ => workload(b, def, document),
    }
}

/// A service deploys the workloads whose label it selects to those who call it; by
/// custom the label `app` has the workload's name.
fn selects(b: &mut Builder<'_>, def: DefId, document: &Yaml) {
    let Some(selector) = document.at(&["spec", "selector"]) else { return };
    for key in ["app", "app.kubernetes.io/name", "name"] {
        let Some(label) = selector.get(key) else { continue };
        let Some(name) = label.text() else { continue };
        for kind in ["Deployment", "StatefulSet", "DaemonSet"] {
            let to = format!("{kind}/{name}");
            relate(b, EdgeKind::Deploys, def, DefKind::Resource, &to, label.span.start);
        }
        return;
    }
}

fn routes_to(b: &mut Builder<'_>, def: DefId, document: &Yaml) {
    let mut found: Vec<(String, usize)> = Vec::new();
    document.each(&mut |value| {
        let name = value
            .text_at(&["service", "name"])
            .or_else(|| value.text_at(&["serviceName"]))
            .or_else(|| value.get("port").and_then(|_| value.text_at(&["name"])));
        if let Some(name) = name {
            found.push((name.to_owned(), value.span.start));
        }
    });
    for (name, at) in found {
        let to = format!("Service/{name}");
        relate(b, EdgeKind::Exposes, def, DefKind::Service, &to, at);
    }
}

/// The maps, secrets and claims a pod is given.
fn workload(b: &mut Builder<'_>, def: DefId, document: &Yaml) {
    let mut found: Vec<(&str, String, usize)> = Vec::new();
    document.each(&mut |value| {
        for (key, kind, field) in [
            ("configMapRef", "ConfigMap", "name"),
            ("configMapKeyRef", "ConfigMap", "name"),
            ("configMap", "ConfigMap", "name"),
            ("secretRef", "Secret", "name"),
            ("secretKeyRef", "Secret", "name"),
            ("secret", "Secret", "secretName"),
            ("persistentVolumeClaim", "PersistentVolumeClaim", "claimName"),
        ] {
            if let Some(name) = value.text_at(&[key, field]) {
                found.push((kind, name.to_owned(), value.span.start));
            }
        }
        if let Some(name) = value.text_at(&["serviceAccountName"]) {
            found.push(("ServiceAccount", name.to_owned(), value.span.start));
        }
    });
    for (kind, name, at) in found {
        let to = format!("{kind}/{name}");
        relate(b, EdgeKind::DependsOn, def, DefKind::Resource, &to, at);
        if let Some(source) = defined(b, &to) {
            configures(b, source, def, at);
        }
    }
}

/// What a file says of both ends also tells which way the settings go. Where they are
/// in different files, the dependency of the workload stands alone: an edge belongs
/// to the file that states it.
fn configures(b: &mut Builder<'_>, source: DefId, workload: DefId, at: usize) {
    let name = b.facts.text(b.facts.def(workload).name).to_owned();
    relate_here(b, EdgeKind::Configures, source, DefKind::Resource, &name, at);
}

/// A definition of this file by its name.
fn defined(b: &Builder<'_>, name: &str) -> Option<DefId> {
    let at = b.facts.defs.iter().position(|def| b.facts.text(def.name) == name)?;
    Some(DefId(at as u32))
}

/// Workloads of this file that were read before what they are configured by.
fn earlier_workloads(b: &mut Builder<'_>, def: DefId, document: &Yaml) {
    let name = b.facts.def(def).name;
    let waiting: Vec<DefId> = b
        .facts
        .relations
        .iter()
        .filter(|relation| relation.to == name && relation.kind == EdgeKind::DependsOn)
        .map(|relation| relation.from)
        .collect();
    for workload in waiting {
        configures(b, def, workload, document.span.start);
    }
}
