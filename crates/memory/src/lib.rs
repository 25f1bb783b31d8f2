//! Producer: what people and agents decided to keep, from plain files.
//!
//! The files are the truth; the database is an index of them.
