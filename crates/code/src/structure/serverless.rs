//! The Serverless framework: functions with their routes, and resources.

use super::outline::{define, relate, relate_here};
use super::yaml::Yaml;
use crate::facts::{Builder, DefId, DefKind};
use model::code::EdgeKind;

pub(super) fn read(b: &mut Builder<'_>, document: &Yaml) {
    let Some(functions) = document.get("functions") else { return };
    for (key, function) in functions.entries() {
        let def = define(b, DefId::FILE, DefKind::Service, &key.text, function.span_from(key));
        if let Some(handler) = function.get("handler")
            && let Some(path) = handler.text().and_then(|text| text.rsplit_once('.'))
        {
            // The file is named without its ending; any of the usual may be it.
            for ending in ["js", "ts", "py", "mjs", "rb"] {
                let file = format!("./{}.{ending}", path.0);
                let at = handler.span.start;
                relate(b, EdgeKind::Deploys, def, DefKind::Module, &file, at);
            }
        }
        for event in function.get("events").map(Yaml::items).unwrap_or_default() {
            let Some(http) = event.get("httpApi").or(event.get("http")) else { continue };
            let name = match http.text() {
                Some(text) => text.to_owned(),
                None => {
                    let method = http.text_at(&["method"]).unwrap_or("any").to_ascii_uppercase();
                    format!("{method} {}", http.text_at(&["path"]).unwrap_or_default())
                }
            };
            let name = match name.split_once(' ') {
                Some((method, path)) => {
                    let path = path.trim().trim_start_matches('/');
                    format!("{} /{path}", method.to_ascii_uppercase())
                }
                None => continue,
            };
            define(b, def, DefKind::Route, &name, event.span.clone());
            relate_here(b, EdgeKind::Exposes, def, DefKind::Route, &name, event.span.start);
        }
    }
    let resources = document.at(&["resources", "Resources"]);
    for (key, value) in resources.map(Yaml::entries).unwrap_or_default() {
        define(b, DefId::FILE, DefKind::Resource, &key.text, value.span_from(key));
    }
}
