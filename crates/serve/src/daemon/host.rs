//! What the daemon must be told by the program around it: settings, the clock, how
//! work is done, and where its log goes.

use super::doors::OtlpPlace;
use super::protocol::{CommandRequest, Frame, JobRequest};
use crate::mcp::McpHost;
use model::{CancelToken, Clock, Result};
use pipeline::schedule::Intervals;
use pipeline::traces::TraceSink;
use secrecy::SecretString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// `[daemon]` of the config, and what follows from the rest of it.
#[derive(Debug, Clone)]
pub struct Settings {
    pub intervals: Intervals,
    /// Whether a forge and projects of it are configured.
    pub has_forge: bool,
    /// Whether embeddings are computed at all.
    pub embeds: bool,
    /// Whether changes of refs are followed through the operating system.
    pub watches: bool,
    pub debounce: Duration,
    pub pause_on_battery: bool,
    /// Load per processor above which background work is put off; zero for none.
    pub max_load: f64,
    pub http: Option<SocketAddr>,
    /// Where traces of production are received.
    pub otlp: Option<OtlpPlace>,
    pub http_token: Option<SecretString>,
    pub webhook_secret: Option<SecretString>,
    /// Projects whose webhooks are listened to.
    pub projects: Vec<String>,
    /// Names of the rules that tell people of something.
    pub has_rules: bool,
    /// What is wrong with the settings, for the log.
    pub warnings: Vec<String>,
}

/// Work for a child process.
#[derive(Debug, Clone)]
pub enum Work {
    Command(CommandRequest),
    Job(JobRequest),
}

/// Work under way: its frames, to the last one.
pub struct Running {
    pub frames: mpsc::Receiver<Frame>,
    /// Asks it to end at a good place.
    pub stop: CancelToken,
}

/// How the machine is doing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Machine {
    pub is_on_battery: bool,
    /// Of the last minute, per processor.
    pub load: f64,
}

/// The program around the daemon.
pub trait DaemonHost: Send + Sync + 'static {
    fn clock(&self) -> Arc<dyn Clock>;

    fn version(&self) -> String;

    fn pid(&self) -> u32;

    /// The database file; it need not exist.
    fn database(&self) -> &Path;

    /// The settings as the files say now.
    fn settings(&self) -> Result<Settings>;

    /// A command of the daemon's own, to be run in `dir`, where none is given in the
    /// folder the daemon was started in.
    fn command(&self, arguments: &[&str], dir: Option<&Path>, niceness: i32) -> CommandRequest;

    /// Does work in a child process, which is stopped when its frames are dropped.
    fn start(&self, work: Work) -> Running;

    fn machine(&self) -> Machine;

    /// For questions over HTTP.
    fn mcp(&self) -> (Arc<dyn McpHost>, crate::mcp::Options);

    /// Where spans go; opens nothing yet.
    fn traces(&self) -> Arc<TraceSink>;

    /// Finds what rules match and tells people of it; how many were told.
    fn notify(&self) -> Result<usize>;

    /// Where it is kept when tasks last ran.
    fn last_runs(&self) -> PathBuf;

    /// Where the socket lies.
    fn socket(&self) -> PathBuf;
}
