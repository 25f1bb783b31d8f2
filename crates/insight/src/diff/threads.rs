//! What was decided in threads on the files that a change touches.

use crate::evidence::{self, EvidenceSubject};
use model::change::SymbolChange;
use model::ids::ProjectId;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Reader, paths};

/// A note that decided something about a touched file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecidingNote {
    /// The merge request it stands on: `group/project!12`.
    pub on: String,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub path: String,
    pub line: Option<i64>,
    /// The sentences that matter.
    pub excerpt: String,
    pub url: String,
    /// It names a symbol that changes.
    pub names_symbol: bool,
}

/// Files that are looked at, merge requests of each, notes in all.
const MOST_FILES: usize = 12;
const MOST_REQUESTS: usize = 12;
const MOST_NOTES: usize = 8;
/// From here on a note sounds like a decision; tenths.
const DECIDES: i32 = 20;

pub fn deciding_notes(
    reader: &Reader,
    project: ProjectId,
    changes: &[&SymbolChange],
) -> Result<Vec<DecidingNote>> {
    let mut files: Vec<&str> = Vec::new();
    for change in changes.iter().filter(|change| !change.is_test) {
        // What is new was never argued about.
        if let Some(old) = &change.old
            && !files.contains(&old.path.as_str())
        {
            files.push(&old.path);
        }
    }
    let mut found: Vec<(i32, DecidingNote)> = Vec::new();
    for path in files.into_iter().take(MOST_FILES) {
        let names = [path.to_owned()];
        let mut touches = paths::touches(reader, project, path, true)?;
        touches.sort_by_key(|touch| (std::cmp::Reverse(touch.at), touch.merge_request));
        let ids: Vec<i64> =
            touches.iter().take(MOST_REQUESTS).map(|touch| touch.merge_request).collect();
        let about = EvidenceSubject { paths: &names, symbol: None, most_notes: 2 };
        for request in evidence::explain_merge_requests(reader, &ids, about)? {
            for note in request.notes {
                let is_deciding = note.is_last_decision || note.points >= DECIDES;
                if !note.is_on_file || note.is_retracted || !is_deciding {
                    continue;
                }
                let names_symbol = changes.iter().any(|change| {
                    let named = change.old.as_ref().map_or("", |old| old.symbol.as_str());
                    let last = named.rsplit('.').next().unwrap_or(named);
                    last.len() > 3 && note.body.contains(last)
                });
                found.push((
                    note.points + if names_symbol { 40 } else { 0 },
                    DecidingNote {
                        on: note.on,
                        author: note.author,
                        created_at: note.created_at,
                        path: note.path.unwrap_or_else(|| path.to_owned()),
                        line: note.line,
                        excerpt: note.excerpt,
                        url: note.url,
                        names_symbol,
                    },
                ));
            }
        }
    }
    found.sort_by(|(a, x), (b, y)| (b, &x.url).cmp(&(a, &y.url)));
    found.dedup_by(|(_, a), (_, b)| a.url == b.url);
    Ok(found.into_iter().map(|(_, note)| note).take(MOST_NOTES).collect())
}
