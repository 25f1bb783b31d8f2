//! By which rules versions are compared, as one number.
//!
//! Comparisons are kept for later. What a program with other rules kept must not
//! be taken for what this one would say, so the number follows from the sources of
//! the rules themselves: nobody has to remember to raise it.

use crate::index::INDEXER;
use crate::lang;
use model::hash::Hash32;
use std::sync::OnceLock;

macro_rules! sources {
    ($($path:literal),+ $(,)?) => { &[$(($path, include_bytes!($path))),+] };
}

/// Everything that decides which symbol is which, and what of it changed. What
/// files say is under the number of the indexer.
const SOURCES: &[(&str, &[u8])] = sources![
    "derivation.rs",
    "still_there.rs",
    "generated.rs",
    "mod.rs",
    "module_code.rs",
    "overloads.rs",
    "parameters.rs",
    "primary.rs",
    "report.rs",
    "spaces.rs",
    "targets.rs",
    "version.rs",
    "../lang/go/users.rs",
    "../lang/rust/users.rs",
    "../lang/notation.rs",
    "../lang/typescript/users.rs",
    "../lineage/aspects.rs",
    "../lineage/crossing.rs",
    "../lineage/locate.rs",
    "../lineage/mod.rs",
    "../lineage/partial.rs",
    "../lineage/touches.rs",
    "../lineage/versions.rs",
    "../matching/aliases.rs",
    "../matching/bags.rs",
    "../matching/callables.rs",
    "../matching/candidates.rs",
    "../matching/containers.rs",
    "../matching/declarations.rs",
    "../matching/files.rs",
    "../matching/inherited.rs",
    "../matching/mod.rs",
    "../matching/names.rs",
    "../matching/rules.rs",
    "../matching/records.rs",
    "../matching/symbols.rs",
    "../matching/usage.rs",
    "../matching/values.rs",
    "../structure/contract/mod.rs",
    "../structure/contract/openapi.rs",
    "../structure/contract/openapi_schema.rs",
    "../structure/contract/proto.rs",
    "../structure/contract/sql.rs",
    "../structure/contract/sql_state.rs",
    "../structure/contract/sql_words.rs",
    "../terms/lexer.rs",
    "../terms/logical_lines.rs",
];

/// The rules of this program.
pub fn rules_version() -> Hash32 {
    static VERSION: OnceLock<Hash32> = OnceLock::new();
    *VERSION.get_or_init(|| {
        let mut bytes = INDEXER.to_le_bytes().to_vec();
        for (path, source) in SOURCES {
            for part in [path.as_bytes(), source] {
                bytes.extend((part.len() as u64).to_le_bytes());
                bytes.extend(part);
            }
        }
        for language in lang::ALL {
            bytes.extend(format!("{} {:?}\n", language.name(), language.notation()).into_bytes());
        }
        Hash32::of(&bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::SOURCES;
    use std::path::Path;

    #[test]
    fn every_source_of_the_rules_counts() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compare");
        let names = |folder: &str| -> Vec<String> {
            let entries = std::fs::read_dir(here.join(folder)).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let check = |path: &str| {
            let is_known = SOURCES.iter().any(|(known, _)| *known == path);
            assert!(is_known, "{path} is not part of the version of the rules");
        };
        for folder in ["", "../lineage/", "../matching/", "../structure/contract/"] {
            let is_test = |name: &&String| *name == "tests.rs" || name.ends_with("_tests.rs");
            names(folder).iter().filter(|name| !is_test(name)).for_each(|name| {
                check(&format!("{folder}{name}"));
            });
        }
        for language in names("../lang").iter().filter(|name| !name.contains('.')) {
            let folder = format!("../lang/{language}/");
            if names(&folder).iter().any(|name| name == "users.rs") {
                check(&format!("{folder}users.rs"));
            }
        }
    }
}
