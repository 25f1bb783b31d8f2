//! Producer: from a git repository into a graph of symbols and relations.
//!
//! What a file says follows from its bytes and path alone (extraction); what
//! the files of a commit say together is linked afterwards.

pub mod history;
