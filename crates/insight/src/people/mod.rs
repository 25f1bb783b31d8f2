//! People: what someone did, what waits for someone, whom to ask.

pub mod codeowners;
pub mod experts;
mod identity;
mod lines;
mod mailmap;
pub mod me;
pub mod person;
mod ranking;

#[doc(hidden)]
pub use mailmap::by_mailmap;

use crate::timeline::TimelineEntity;
use model::suggest::nearest;
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::activity::{self, Person};
use store::entities::EntityRow;
use store::timeline::{self, EntityHeader};

/// The user of the forge people mean by `ada` or `@Ada`.
pub fn find(reader: &Reader, typed: &str) -> Result<Person> {
    let typed = typed.trim().trim_start_matches('@');
    let mut all = activity::people(reader)?;
    if all.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no users of a forge are known yet")
            .suggest(crate::entities::FETCH));
    }
    if let Some(place) = all.iter().position(|it| it.username.eq_ignore_ascii_case(typed)) {
        return Ok(all.swap_remove(place));
    }
    let by_name: Vec<&Person> =
        all.iter().filter(|it| it.name.to_lowercase() == typed.to_lowercase()).collect();
    match by_name.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let error = Error::not_found(format!(
                "nobody is called `{}`",
                model::text::one_line(typed, 60)
            ));
            let near = nearest(typed, all.iter().map(|it| it.username.as_str()), 3);
            Err(if near.is_empty() {
                error.suggest("give the username, as in @ada")
            } else {
                error.suggest(format!("did you mean {}?", near.join(", ")))
            })
        }
        several => {
            let names: Vec<&str> = several.iter().map(|it| it.username.as_str()).collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("{} people are called `{typed}`: {}", names.len(), names.join(", ")),
            )
            .suggest(format!("say which, e.g. {}", names[0])))
        }
    }
}

/// An issue or merge request in a list about people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntityLine {
    #[serde(flatten)]
    pub entity: TimelineEntity,
    pub author: Option<String>,
    pub updated_at: Timestamp,
}

impl From<&EntityHeader> for EntityLine {
    fn from(head: &EntityHeader) -> Self {
        EntityLine {
            entity: TimelineEntity::from(head),
            author: head.author.clone(),
            updated_at: head.updated_at,
        }
    }
}

/// The entities in the order given.
fn lines_of(reader: &Reader, rows: &[EntityRow]) -> Result<Vec<EntityLine>> {
    let heads = heads_of(reader, rows)?;
    Ok(rows.iter().filter_map(|row| heads.get(row)).map(EntityLine::from).collect())
}

fn heads_of(reader: &Reader, rows: &[EntityRow]) -> Result<BTreeMap<EntityRow, EntityHeader>> {
    Ok(timeline::heads(reader, rows)?.into_iter().map(|head| (head.row, head)).collect())
}
