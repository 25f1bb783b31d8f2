//! The Language Server Protocol, as far as edges need it: framing, a client over
//! standard input and output, positions and addresses of files.
//!
//! Messages, their ids and codes are those of the `lsp-server` crate. What is in them is
//! read from JSON: five kinds are used, and a server whose answers are a little off the
//! specification must cost that answer and not the run.

mod client;
mod frame;
mod location;
mod position;
mod process;
mod session;
mod uri;

pub use client::{Client, ClientError, Refusal, RequestId};
pub use frame::{FrameError, MAX_BODY, message_of, read_frame};
pub use location::{Location, locations};
pub use position::{Encoding, LineIndex};
pub use process::{ProcessOptions, ServerProcess};
pub use session::{Capabilities, Session, words};
pub use uri::{path_of, uri_of};
