//! How answers of the libraries read for people: one file per answer.

pub mod code;
pub mod context;
mod count;
mod daemon;
pub mod diff;
pub mod diff_markdown;
mod document_report;
mod embed_report;
mod enrich;
mod entity_detail;
mod entity_list;
mod file_history;
mod folding;
mod history;
mod home_screen;
mod index_report;
mod memory;
mod people;
mod repo;
mod runtime;
mod search;
mod show;
mod stats;
mod status;
mod sync_report;
pub mod test_scope;
mod timeline;
mod trace;
mod why;

use crate::ui::Label;
use model::EntityState;
use model::text::grouped;

/// What a state looks like.
fn state_label(state: EntityState) -> Label {
    match state {
        EntityState::Opened => Label::Good,
        EntityState::Closed => Label::Bad,
        EntityState::Merged => Label::Done,
    }
}

/// "1 issue", "3 issues".
fn counted(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {many}", grouped(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_naturally() {
        assert_eq!(counted(1, "issue", "issues"), "1 issue");
        assert_eq!(counted(0, "issue", "issues"), "0 issues");
    }
}
