//! Connects to the forge the config names: the only place that says of which kind it is.

use crate::config::{Config, Token};
use crate::env::Env;
use forge::Forge as _;
use forge::api::{Identity, ProjectLocator};
use forge::{Client, Options};
use model::record::ProjectRecord;
use model::{Error, ErrorCode, ForgeKind, Progress, Result};
use std::path::Path;
use std::sync::Arc;

/// The settings of a connection are those of one kind, until a second one is known.
const KIND: ForgeKind = ForgeKind::GitLab;

/// Everything a connection needs, gathered before anything is sent.
pub struct Connection {
    pub base_url: String,
    pub token: Token,
    ca_pem: Option<Vec<u8>>,
    requests_per_second: f64,
}

impl Connection {
    pub fn from_config(config: &Config, env: &Env) -> Result<Self> {
        Connection::to(config.base_url()?, config, env)
    }

    /// The same with another address: `lore init` asks before it writes.
    pub fn to(base_url: &str, config: &Config, env: &Env) -> Result<Self> {
        Ok(Connection {
            base_url: base_url.to_owned(),
            token: config.token(env)?,
            ca_pem: config.ca_file().map(read_ca).transpose()?,
            requests_per_second: config.sync().requests_per_second,
        })
    }

    /// The forge's name in the database: its host, and the port where it
    /// tells servers apart. On loopback a port means nothing lasting.
    pub fn host(&self) -> String {
        let rest = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        let is_loopback = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        if is_loopback { host.to_owned() } else { authority.to_lowercase() }
    }

    pub fn client(&self, progress: Arc<dyn Progress>) -> Result<Client> {
        let mut options = Options::new(self.base_url.clone(), self.token.secret.clone());
        options.requests_per_second = Some(self.requests_per_second);
        options.ca_pem.clone_from(&self.ca_pem);
        Client::new(KIND, options, progress)
    }
}

/// For questions a person waits for (`auth`, `doctor`, `init`): fails soon
/// rather than trying for minutes.
pub fn quick_client(connection: &Connection) -> Result<Client> {
    let mut options = Options::new(connection.base_url.clone(), connection.token.secret.clone());
    options.ca_pem.clone_from(&connection.ca_pem);
    options.max_attempts = 2;
    options.connect_timeout = std::time::Duration::from_secs(5);
    options.request_timeout = std::time::Duration::from_secs(20);
    options.max_rate_wait = std::time::Duration::from_secs(10);
    Client::new(KIND, options, Arc::new(model::progress::NoProgress))
}

pub async fn identity(client: &Client) -> Result<Identity> {
    Ok(client.identity().await?)
}

pub async fn project(client: &Client, path: &str) -> Result<ProjectRecord> {
    Ok(client.project(ProjectLocator::Path(path.to_owned())).await?.value)
}

fn read_ca(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        Error::new(
            ErrorCode::ConfigInvalid,
            format!("cannot read `gitlab.ca_file` {}", path.display()),
        )
        .suggest("name a PEM file: lore config set gitlab.ca_file FILE")
        .caused_by(error)
    })
}
