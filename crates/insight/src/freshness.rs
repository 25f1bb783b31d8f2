//! How fresh the record is and what is missing from it, in a few cheap reads:
//! what every answer to an agent carries.

use model::text::grouped;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Reader, dirty, documents, embeddings, lock, projects, repos};

/// When what is answered from was last brought up to date.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Freshness {
    /// The oldest last sync of all projects that were read completely once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced_at: Option<Timestamp>,
    /// The oldest last reading of the commits of all registered clones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_read_at: Option<Timestamp>,
    /// Who is writing right now, so that a later answer may know more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
}

/// What is not there, each with what would bring it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gaps {
    pub of_record: Vec<String>,
    /// What only a search of texts is the worse for.
    pub of_search: Vec<String>,
}

/// Freshness, and what is not there.
pub fn freshness(reader: &Reader, now: Timestamp) -> Result<(Freshness, Gaps)> {
    let (mut missing, mut of_search) = (Vec::new(), Vec::new());
    let projects = projects::all(reader)?;
    let living = projects.iter().filter(|project| !project.is_gone);
    let unread: Vec<&str> = living
        .clone()
        .filter(|project| project.synced_at.is_none())
        .map(|project| project.path.as_str())
        .collect();
    if !unread.is_empty() {
        missing.push(format!("not read to the end yet: {}; run `lore sync`", unread.join(", ")));
    }
    let clones = repos::all(reader)?;
    if clones.is_empty() {
        missing.push("no local clone is read; in one, run `lore index`".to_owned());
    }
    let waiting = dirty::count(reader)?;
    if waiting > 0 {
        let waiting = grouped(waiting);
        of_search
            .push(format!("{waiting} changed texts wait to be indexed; run `lore generate-docs`"));
    }
    if let Some(said) = without_vectors(reader)? {
        of_search.push(said);
    }
    let holder = lock::holder(reader)?.filter(|it| now.since(it.heartbeat_at) <= lock::EXPIRY);
    let fresh = Freshness {
        synced_at: living.filter_map(|project| project.synced_at).min(),
        commits_read_at: clones.iter().filter_map(|clone| clone.scanned_at).min(),
        running: holder.map(|holder| holder.owner),
    };
    Ok((fresh, Gaps { of_record: missing, of_search }))
}

fn without_vectors(reader: &Reader) -> Result<Option<String>> {
    if !documents::exist(reader)? {
        return Ok(None);
    }
    let models = embeddings::models(reader)?;
    let Some(best) = models.iter().max_by_key(|model| model.documents) else {
        return Ok(Some(
            "nothing is found by meaning yet, only by words; run `lore embed`".to_owned(),
        ));
    };
    let left = documents::count(reader)?.saturating_sub(best.documents);
    Ok((left > 0).then(|| {
        let left = grouped(left);
        format!("{left} texts are found by words only; run `lore embed`")
    }))
}
