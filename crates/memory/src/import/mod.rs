//! Reading what somebody kept elsewhere: an older store of flat files, a folder
//! of architecture decision records, or an export of lore's own.
//!
//! Importing the same thing twice changes nothing: ids follow from content.

mod adr;
mod bundle;
mod flat;

pub use bundle::Bundle;

use crate::files::Problem;
use crate::files::graph::Edge;
use crate::root::Root;
use model::memory::Record;
use model::{Error, Result};
use std::path::Path;

/// What was found in a place, and what could not be read.
#[derive(Debug, Default)]
pub struct ImportSource {
    pub records: Vec<Record>,
    pub edges: Vec<Edge>,
    /// File, as it was named, and what is wrong in it.
    pub problems: Vec<(String, Problem)>,
}

/// What a folder or file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `journal/decisions.jsonl`, `patterns/patterns.yaml`, `transfer/sessions/`,
    /// `graph/data/graph.json`.
    Flat,
    /// Markdown files in the style of Nygard or MADR.
    Adr,
    /// A JSON file of `lore memory export`.
    Bundle,
}

/// What a place looks like.
pub fn form_of(path: &Path) -> Option<Form> {
    if path.is_file() {
        return path.extension().is_some_and(|it| it == "json").then_some(Form::Bundle);
    }
    if flat::is_one(path) {
        return Some(Form::Flat);
    }
    (!adr::files(path).is_empty()).then_some(Form::Adr)
}

/// Reads a place.
pub fn read(path: &Path, form: Form) -> Result<ImportSource> {
    let found = match form {
        Form::Flat => flat::read(path),
        Form::Adr => adr::read(path),
        Form::Bundle => Bundle::parse(&text(path)?)?.into_found(),
    };
    if found.records.is_empty() && found.edges.is_empty() && found.problems.is_empty() {
        return Err(Error::not_found(format!("nothing to import in {}", path.display()))
            .suggest("name a folder of decision records, an older store, or an exported file"));
    }
    Ok(found)
}

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    pub new: u64,
    /// There already, and the same.
    pub same: u64,
    /// There already, but different: left as they are.
    pub different: u64,
    pub edges: u64,
}

impl Root {
    /// Writes what is new; what is there already stays as it is.
    pub fn import(&self, found: &ImportSource) -> Result<ImportCounts> {
        self.edit(|edit| {
            let existing = edit.records()?;
            let mut imported = ImportCounts::default();
            let mut new: Vec<Record> = Vec::new();
            for record in &found.records {
                let known = existing.iter().chain(&new).find(|it| it.id() == record.id());
                match known {
                    None => new.push(record.clone()),
                    Some(known) if known == record => imported.same += 1,
                    Some(_) => imported.different += 1,
                }
            }
            edit.put(&new)?;
            imported.new = new.len() as u64;
            imported.edges = edit.connect(&found.edges)? as u64;
            Ok(imported)
        })
    }
}

/// A file that is plain text of a sensible size.
fn text(path: &Path) -> Result<String> {
    const MAX: u64 = 64 * 1024 * 1024;
    let meta = std::fs::metadata(path).map_err(|error| crate::root::unreadable(path, error))?;
    if !meta.is_file() || meta.len() > MAX {
        return Err(Error::usage(format!("{} is no file lore can import", path.display()))
            .suggest("name a regular text file of at most 64 MiB"));
    }
    let bytes = std::fs::read(path).map_err(|error| crate::root::unreadable(path, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
