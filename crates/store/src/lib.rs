//! The SQLite file: schema, migrations, typed reads and writes.
//!
//! The only crate with SQL. Callers see functions grouped by subject and plain
//! types; no `rusqlite` type and no SQL text crosses this boundary.
//!
//! Two handles: [`Writer`] for the producers, [`Reader`] (truly read-only) for
//! everyone who only answers. Reads accept either, and a transaction, through
//! the [`Read`] trait.

mod compressed;
mod database_file;
mod error;
mod filter;
mod hamming;
mod handle;
mod memo;
mod migrate;
mod open;
mod reader_pool;
mod sql;
mod write_queue;

pub mod activity;
pub mod alerts;
pub mod answer_costs;
pub mod authors;
pub mod binary_codes;
pub mod change_relations;
pub mod check;
#[cfg(test)]
mod check_tests;
pub mod code;
pub mod commit_terms;
pub mod commits;
pub mod counts;
pub mod cursors;
pub mod dependents;
pub mod details;
pub mod dirty;
pub mod document_set;
pub mod documents;
pub mod dump;
pub mod embeddings;
pub mod entities;
pub mod events;
pub mod feedback;
pub mod fulltext;
pub mod inbox;
pub mod last_seen;
pub mod listing;
pub mod lock;
pub mod maintenance;
pub mod memory;
pub mod named_documents;
pub mod notifications;
pub mod origins;
pub mod paths;
pub mod payloads;
pub mod people;
pub mod projects;
pub mod queue;
pub mod references;
pub mod repos;
pub mod results;
pub mod runs;
pub mod runtime;
pub mod standing;
pub mod timeline;
pub mod vectors;
pub mod webhooks;

pub use database_file::{DatabaseFile, DatabaseLocation, FolderTrust};
pub use handle::{Interrupter, Moment, Read, Reader, RunWriter, Tx, WriteTurns, Writer};
pub use migrate::SCHEMA_VERSION;
pub use open::{DatabaseState, create_database, database_state, upgrade};
pub use reader_pool::{FileStamp, PooledReader, ReaderPool};
pub use results::ResultCache;
pub use write_queue::WriteQueue;
