//! Things with an address: `lore://issue/group/project/12` and the like, for
//! people who attach them and for clients that keep them open. Their content is
//! what the tool of the same thing answers.

use super::place::decoded;
use super::shared::{Asker, Shared};
use insight::entities;
use model::memory::RecordKind;
use model::text::{clean_for_prompt, one_line};
use model::{EntityKind, Error, ErrorCode, Result};
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};
use std::sync::Arc;
use store::Reader;
use store::listing::EntityFilter;
use store::memory::records::{self, RecordFilter};

pub const STATUS: &str = "lore://status";
pub const ISSUE: &str = "lore://issue/{+project}/{iid}";
pub const MERGE_REQUEST: &str = "lore://mr/{+project}/{iid}";
pub const DECISION: &str = "lore://decision/{id}";
pub const SYMBOL: &str = "lore://symbol/{+name}";
/// The newest one, without a name.
const NEWEST_SNAPSHOT: &str = "lore://snapshot";
pub const SNAPSHOT: &str = "lore://snapshot/{+at}";

const JSON: &str = "application/json";
/// Of each kind, in the list; all others are reached by the templates.
const LISTED: usize = 25;
const PAGE: usize = 50;

pub fn templates() -> Vec<ResourceTemplate> {
    [
        (ISSUE, "issue", "An issue with its threads"),
        (MERGE_REQUEST, "mr", "A merge request with its threads, files and relations"),
        (DECISION, "decision", "A remembered decision, pattern or handoff"),
        (SYMBOL, "symbol", "A symbol of the code: where it is, what it is, who uses it"),
        (SNAPSHOT, "snapshot", "The code graph at an indexed commit, branch, tag or @number"),
    ]
    .into_iter()
    .map(|(template, name, about)| {
        ResourceTemplate::new(template, name).with_description(about).with_mime_type(JSON)
    })
    .collect()
}

/// The status, what was remembered last, and what was discussed last.
pub async fn list(
    shared: &Arc<Shared>,
    asker: Asker,
    cursor: Option<&str>,
) -> Result<ListResourcesResult> {
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| Error::usage("this is no cursor of lore").suggest("leave it out"))?,
    };
    let mut all = vec![resource(STATUS, "status", "How far the record reaches")];
    let found = shared.on_a_thread(false, asker, |call| lately(call.reader()?)).await;
    match found {
        Ok(found) => all.extend(found),
        Err(error) if error.code() == ErrorCode::NotIndexed => {}
        Err(error) => return Err(error),
    }
    let total = all.len();
    let resources = all.into_iter().skip(from).take(PAGE).collect();
    let mut listed = ListResourcesResult::with_all_items(resources);
    listed.next_cursor = (from + PAGE < total).then(|| (from + PAGE).to_string());
    Ok(listed)
}

fn lately(reader: &Reader) -> Result<Vec<Resource>> {
    let mut found = Vec::new();
    // Clients put this list before their models unasked: what came with a clone
    // that nobody trusts is found by asking only.
    let records = records::list(reader, &RecordFilter::default(), LISTED)?;
    for record in records.into_iter().filter(|record| !record.is_foreign) {
        let uri = format!("lore://decision/{}", record.id);
        found.push(resource(&uri, record.id.as_str(), &record.title));
    }
    let filter = EntityFilter { limit: LISTED, ..EntityFilter::default() };
    for (kind, word) in [(EntityKind::Issue, "issue"), (EntityKind::MergeRequest, "mr")] {
        let listed = match entities::list(reader, kind, &filter) {
            Ok(listed) => listed.items,
            Err(error) if error.code() == ErrorCode::NotIndexed => Vec::new(),
            Err(error) => return Err(error),
        };
        for entity in listed {
            let uri = format!("lore://{word}/{}/{}", entity.project, entity.iid);
            let name = format!("{}{}", entity.project, entity.reference());
            found.push(resource(&uri, &name, &entity.title));
        }
    }
    Ok(found)
}

fn resource(uri: &str, name: &str, about: &str) -> Resource {
    let about = clean_for_prompt(&one_line(about, 120));
    Resource::new(uri, name).with_description(about).with_mime_type(JSON)
}

pub async fn read(shared: &Arc<Shared>, asker: Asker, uri: &str) -> Result<ReadResourceResult> {
    let (tool, arguments) = meant(uri)?;
    let envelope = match shared.ask_named(tool, arguments, asker).await {
        Err(error) if uri == STATUS && error.code() == ErrorCode::NotIndexed => {
            let known = shared.known(&shared.options.dir);
            let missing: Vec<&String> = known.all_missing().collect();
            json!({ "data": {}, "meta": { "fresh": known.fresh, "missing": missing } })
        }
        answered => answered?.envelope,
    };
    let contents = ResourceContents::text(envelope.to_string(), uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The tool that answers an address, and what to ask it.
fn meant(uri: &str) -> Result<(&'static str, Value)> {
    if uri == STATUS {
        return Ok(("status", json!({})));
    }
    if uri == NEWEST_SNAPSHOT {
        return Ok(("snapshots", json!({ "limit": 1 })));
    }
    let unknown = || {
        Error::not_found(format!("lore has no resource `{}`", one_line(uri, 120))).suggest(
            "lore://status, lore://snapshot, lore://issue/GROUP/PROJECT/12, lore://mr/…, \
             lore://decision/ID, lore://symbol/NAME",
        )
    };
    let rest = uri.strip_prefix("lore://").and_then(decoded).ok_or_else(unknown)?;
    let (kind, name) = rest.split_once('/').ok_or_else(unknown)?;
    let entity = |sigil: char| {
        let (project, iid) = name.rsplit_once('/')?;
        let is_number = !iid.is_empty() && iid.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| ("show", json!({ "reference": format!("{project}{sigil}{iid}") })))
    };
    let is_record = |name: &str| RecordKind::ALL.iter().any(|kind| name.starts_with(kind.prefix()));
    match kind {
        "issue" => entity('#').ok_or_else(unknown),
        "mr" => entity('!').ok_or_else(unknown),
        "decision" if is_record(name) => Ok(("show", json!({ "reference": name }))),
        "snapshot" if !name.is_empty() => Ok(("snapshots", json!({ "at": name }))),
        "symbol" if !name.is_empty() => Ok(("symbol", json!({ "name": name }))),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_what_tools_show() {
        for (uri, reference) in [
            ("lore://issue/group/sub/app/12", "group/sub/app#12"),
            ("lore://mr/group/app/3", "group/app!3"),
            ("lore://mr/group%2Fapp/3", "group/app!3"),
            ("lore://decision/dec-4k2p9xqa", "dec-4k2p9xqa"),
        ] {
            let (tool, arguments) = meant(uri).unwrap();
            assert_eq!((tool, &arguments["reference"]), ("show", &json!(reference)), "{uri}");
        }
        let (tool, arguments) = meant("lore://symbol/Flask.run").unwrap();
        assert_eq!((tool, &arguments["name"]), ("symbol", &json!("Flask.run")));
        let (tool, arguments) = meant("lore://snapshot/@12").unwrap();
        assert_eq!((tool, &arguments["at"]), ("snapshots", &json!("@12")));
        assert_eq!(meant("lore://snapshot").unwrap().0, "snapshots");
        for uri in [
            "lore://issue/12",
            "lore://issue/group/app/x",
            "lore://issue/group/app/",
            "lore://decision/12",
            "lore://nothing/x",
            "file:///etc/passwd",
            "lore://mr/%ff/1",
        ] {
            assert!(meant(uri).is_err(), "{uri}");
        }
    }
}
