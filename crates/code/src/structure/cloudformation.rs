//! CloudFormation and SAM: resources, parameters, and which speak of which.

use super::outline::{define, relate_here};
use super::yaml::{Key, Yaml};
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

/// Whether the resources are of AWS's types.
pub(super) fn fits(document: &Yaml) -> bool {
    let resources = document.get("Resources").map(Yaml::entries).unwrap_or_default();
    let is_aws =
        |(_, value): &(Key, Yaml)| value.text_at(&["Type"]).is_some_and(|t| t.starts_with("AWS::"));
    resources.iter().any(is_aws)
}

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    for section in ["Parameters", "Resources"] {
        for (key, value) in document.get(section).map(Yaml::entries).unwrap_or_default() {
            let def = define(b, DefId::FILE, DefKind::Resource, &key.text, value.span_from(key));
            if section == "Resources" {
                references(b, def, value, &key.text);
                events(b, def, value);
            }
        }
    }
}

/// `!Ref x`, `!GetAtt x.y`, `${x}` in `!Sub`, `DependsOn`.
fn references(b: &mut Builder<'_>, def: DefId, resource: &Yaml, own: &str) {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut add = |name: &str, at: usize| {
        let name = name.split('.').next().unwrap_or(name);
        if name != own && !name.starts_with("AWS::") {
            found.push((name.to_owned(), at));
        }
    };
    resource.each(&mut |value| {
        let at = value.span.start;
        for (key, inner) in value.entries() {
            match key.text.as_str() {
                "Ref" | "DependsOn" => inner.names().iter().for_each(|(n, at)| add(n, *at)),
                "Fn::GetAtt" => {
                    if let Some((name, at)) = inner.names().first() {
                        add(name, *at);
                    }
                }
                _ => {}
            }
        }
        match (value.tag.as_deref(), value.text()) {
            (Some("Ref" | "GetAtt"), Some(name)) => add(name, at),
            (_, Some(text)) if text.contains("${") => {
                for part in text.split("${").skip(1) {
                    add(part.split('}').next().unwrap_or(part), at);
                }
            }
            _ => {}
        }
    });
    for (name, at) in found {
        relate_here(b, EdgeKind::DependsOn, def, DefKind::Resource, &name, at);
    }
}

/// The routes by which a SAM function is called.
fn events(b: &mut Builder<'_>, def: DefId, resource: &Yaml) {
    let Some(events) = resource.at(&["Properties", "Events"]) else { return };
    for (key, event) in events.entries() {
        let properties = event.get("Properties");
        let path = properties.and_then(|p| p.text_at(&["Path"]));
        let method = properties.and_then(|p| p.text_at(&["Method"])).unwrap_or("any");
        if let Some(path) = path {
            let name = format!("{} {path}", method.to_ascii_uppercase());
            define(b, def, DefKind::Route, &name, event.span_from(key));
            relate_here(b, EdgeKind::Exposes, def, DefKind::Route, &name, key.start);
        }
    }
}
