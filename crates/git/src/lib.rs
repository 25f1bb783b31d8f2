//! Local git repositories, read by running git itself.
//!
//! Commits, trees, blobs, differences and blame as plain values. Knows
//! neither the store nor what a symbol is; writes nothing, asks no network.
//!
//! Names of files are bytes ([`RepoPath`]), names of objects are
//! [`ObjectId`]s; what people typed goes through [`Repo::resolve`] first.
//! Nothing typed can become an option of git, and nothing a repository says
//! can become a program, see `command.rs`.

mod ancestry;
mod blame;
mod blobs;
mod changes;
mod command;
mod grep;
mod head_file;
mod lines;
mod log;
mod object_id;
mod path;
mod process;
mod refs;
mod remote;
mod repo;
mod tree;
mod work_tree;
mod work_tree_watch;

pub use ancestry::Landings;
pub use blame::{Blame, BlameAt, BlameRequest, BlamedRun};
pub use blobs::{Blob, BlobReader};
pub use changes::{Change, FileChange, Hunk, HunkText};
pub use command::version;
pub use grep::WordLine;
pub use log::{Commit, FileStep, Log, LogOptions, Signature};
pub use object_id::ObjectId;
pub use path::RepoPath;
pub use refs::{Branch, Head, Worktree};
pub use remote::Remote;
pub use repo::Repo;
pub use tree::{FileMode, TreeEntry};
pub use work_tree::{WorkTreeChange, WorkTreeContent};
pub use work_tree_watch::WorkTreeWatch;
