//! Kubernetes: objects, what a workload is configured by, and which workload
//! a service or an ingress leads to.

use super::outline::{define, relate};
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
        _ => workload(b, def, document),
    }
}

/// A service exposes the workloads whose label it selects; by custom the
/// label `app` has the workload's name.
fn selects(b: &mut Builder<'_>, def: DefId, document: &Yaml) {
    let Some(selector) = document.at(&["spec", "selector"]) else { return };
    for key in ["app", "app.kubernetes.io/name", "name"] {
        let Some(label) = selector.get(key) else { continue };
        let Some(name) = label.text() else { continue };
        for kind in ["Deployment", "StatefulSet", "DaemonSet"] {
            let to = format!("{kind}/{name}");
            relate(b, EdgeKind::Exposes, def, DefKind::Resource, &to, label.span.start);
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
        relate(b, EdgeKind::Configures, def, DefKind::Resource, &to, at);
    }
}
