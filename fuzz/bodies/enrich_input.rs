//! Whatever a language server sends or a SCIP index holds is read or refused, in
//! memory proportional to it.

use enrich::lsp::{Encoding, LineIndex, locations, message_of, path_of, read_frame};
use enrich::scip::index::{Index, Part};
use enrich::scip::symbol;

pub fn check(bytes: &[u8]) {
    let mut input = std::io::BufReader::new(bytes);
    while let Ok(body) = read_frame(&mut input) {
        assert!(body.len() <= bytes.len());
        let _ = message_of(&body);
        if let Ok(value) = serde_json::from_slice::<serde_json::Value>(&body) {
            assert!(locations(&value).len() <= 32);
        }
    }
    let mut index = Index::new(bytes);
    while let Ok(Some(part)) = index.next_part() {
        let Part::Document(document) = part else { continue };
        assert!(document.occurrences.len() <= bytes.len());
        for occurrence in &document.occurrences {
            let _ = symbol::parse(&occurrence.symbol);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = symbol::parse(text);
        let _ = path_of(text);
    }
    if let Some(text) = LineIndex::new(bytes.to_vec()) {
        for encoding in Encoding::ALL {
            let (line, col) = text.to_lore((3, 7), encoding);
            let _ = text.to_server((line, col), encoding);
        }
    }
}
