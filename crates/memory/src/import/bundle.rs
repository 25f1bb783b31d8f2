//! Everything of a memory in one JSON document: what `lore memory export`
//! writes and `lore memory import` reads.

use super::ImportSource;
use crate::files::VERSION;
use crate::files::fields::{DecisionFields, HandoffFields, PatternFields};
use crate::files::graph::{Edge, EdgeFields};
use model::memory::Record;
use model::{Error, Result};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub struct Bundle {
    /// Says what it is.
    lore: String,
    version: u64,
    #[serde(default)]
    decisions: Vec<DecisionFields>,
    #[serde(default)]
    patterns: Vec<PatternFields>,
    #[serde(default)]
    handoffs: Vec<HandoffFields>,
    #[serde(default)]
    edges: Vec<EdgeFields>,
}

const MARK: &str = "memory";

impl Bundle {
    pub fn of(records: &[Record], edges: &[Edge]) -> Bundle {
        let mut edges: Vec<&Edge> = edges.iter().collect();
        edges.sort_by_cached_key(|edge| edge.key());
        let mut bundle = Bundle {
            lore: MARK.to_owned(),
            version: VERSION,
            decisions: Vec::new(),
            patterns: Vec::new(),
            handoffs: Vec::new(),
            edges: edges.into_iter().map(EdgeFields::of).collect(),
        };
        for record in records {
            match record {
                Record::Decision(it) => bundle.decisions.push(DecisionFields::of(it)),
                Record::Pattern(it) => bundle.patterns.push(PatternFields::of(it)),
                Record::Handoff(it) => bundle.handoffs.push(HandoffFields::of(it)),
            }
        }
        bundle
    }

    pub fn parse(text: &str) -> Result<Bundle> {
        let refused = |reason: String| {
            Error::usage(format!("this is no export of memory: {reason}"))
                .suggest("make one with: lore memory export")
        };
        let bundle: Bundle =
            serde_json::from_str(text).map_err(|error| refused(error.to_string()))?;
        if bundle.lore != MARK {
            return Err(refused("it says it is something else".to_owned()));
        }
        if bundle.version > VERSION {
            return Err(refused(format!("it has version {}, not {VERSION}", bundle.version)));
        }
        Ok(bundle)
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    pub fn into_found(self) -> ImportSource {
        let mut found = ImportSource::default();
        let mut problem = |name: &str, message: String| {
            found.problems.push((name.to_owned(), super::Problem { line: 1, message }));
        };
        let mut records = Vec::new();
        for it in self.decisions {
            match it.into_record() {
                Ok(made) => records.push(Record::Decision(made.record)),
                Err(reason) => problem("decisions", reason),
            }
        }
        for it in self.patterns {
            match it.into_record() {
                Ok(made) => records.push(Record::Pattern(made.record)),
                Err(reason) => problem("patterns", reason),
            }
        }
        for it in self.handoffs {
            match it.into_record() {
                Ok(made) => records.push(Record::Handoff(made.record)),
                Err(reason) => problem("handoffs", reason),
            }
        }
        let mut edges = Vec::new();
        for it in self.edges {
            match it.into_edge() {
                Ok(edge) => edges.push(edge),
                Err(reason) => problem("edges", reason),
            }
        }
        found.records = records;
        found.edges = edges;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index;
    use crate::root::{Root, RootKind};
    use crate::testing::{any_decision, any_handoff, any_pattern};
    use model::Timestamp;
    use model::memory::{Extra, LinkTarget, Relation};
    use proptest::prelude::*;
    use store::Writer;
    use store::memory as rows;
    use tempfile::TempDir;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Import, files, index, export: nothing is lost on the way.
        #[test]
        fn the_whole_way_is_lossless(
            decisions in proptest::collection::vec(any_decision(), 0..4),
            patterns in proptest::collection::vec(any_pattern(), 0..3),
            handoffs in proptest::collection::vec(any_handoff(), 0..3),
        ) {
            let mut records: Vec<Record> = decisions.into_iter().map(Record::Decision)
                .chain(patterns.into_iter().map(Record::Pattern))
                .chain(handoffs.into_iter().map(Record::Handoff))
                .collect();
            records.sort_by(|a, b| (a.kind(), a.id()).cmp(&(b.kind(), b.id())));
            records.dedup_by(|a, b| a.id() == b.id());
            let edges: Vec<Edge> = records.windows(2).map(|pair| Edge {
                from: LinkTarget::Record(pair[0].id().clone()),
                relation: Relation::RelatesTo,
                to: LinkTarget::Record(pair[1].id().clone()),
                timestamp: Some(Timestamp::from_millis(5)),
                extra: Extra::new(),
            }).collect();
            let given = Bundle::of(&records, &edges).to_json();

            let dir = TempDir::new().unwrap();
            let root = Root::new(dir.path().join("memory"), RootKind::Other);
            let found = Bundle::parse(&given).unwrap().into_found();
            let imported = root.import(&found).unwrap();
            prop_assert_eq!(imported.new as usize, records.len());
            prop_assert_eq!(root.import(&found).unwrap().same as usize, records.len());

            let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
            index::refresh(&mut writer, &root, Timestamp::EPOCH).unwrap();
            let row = rows::roots(&writer).unwrap().remove(0);
            prop_assert_eq!(&rows::records::all_of_root(&writer, row.id).unwrap(), &records);
            let exported = crate::export(&writer, row.id).unwrap();
            prop_assert_eq!(exported.to_json(), given);
        }
    }
}
