//! The Language Server Protocol, as far as edges need it: framing, a client over
//! standard input and output, positions and addresses of files.
//!
//! The messages are read from JSON by hand: five of them are used, and a server
//! whose answers are a little off the specification must cost that answer and not
//! the run.

mod client;
mod frame;
mod location;
mod position;
mod process;
mod session;
mod uri;

pub use client::{Client, ClientError, Refusal};
pub use frame::{FrameError, MAX_BODY, read_frame, write_frame};
pub use location::{Location, locations};
pub use position::{Encoding, LineIndex};
pub use process::{ProcessOptions, ServerProcess};
pub use session::{Capabilities, Session, words};
pub use uri::{path_of, uri_of};
