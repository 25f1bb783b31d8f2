//! Token, server, projects.

use super::Check;
use crate::config::Config;
use crate::ctx::Ctx;
use crate::forge_client::{self, Connection};
use crate::interrupt::block_on;
use model::{Error, Result};

pub fn check(ctx: &Ctx, config: &Config, network: bool) -> Vec<Check> {
    let base_url = match config.base_url() {
        Ok(base_url) => base_url,
        // No file at all is already told by the config check.
        Err(_) if config.file().is_none() || !config.ignored().is_empty() => return Vec::new(),
        Err(error) => return vec![Check::fail("forge", &error)],
    };
    let mut checks = Vec::new();
    let connection = match Connection::from_config(config, &ctx.env) {
        Ok(connection) => connection,
        Err(error) => return vec![Check::fail("token", &error)],
    };
    checks.push(check_token(base_url, &connection));
    if network {
        checks.extend(check_server(config, &connection));
    }
    checks
}

fn check_token(base_url: &str, connection: &Connection) -> Check {
    if base_url.starts_with("http://") && !is_loopback(base_url) {
        return Check::warn("token", format!("{base_url} would get the token unencrypted"))
            .fix("use an https:// address");
    }
    Check::ok("token", format!("from {}", connection.token.source))
}

fn is_loopback(url: &str) -> bool {
    let host = url.trim_start_matches("http://");
    ["localhost", "127.", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn check_server(config: &Config, connection: &Connection) -> Vec<Check> {
    let client = match forge_client::quick_client(connection) {
        Ok(client) => client,
        Err(error) => return vec![Check::fail("forge", &error)],
    };
    let asked = block_on(async {
        let mut checks = Vec::new();
        let identity = forge_client::identity(&client).await;
        let is_reachable = identity.is_ok();
        checks.push(server_line(&connection.base_url, identity));
        // When the server does not answer, every project would say so again.
        for path in config.projects().iter().filter(|_| is_reachable) {
            let id = format!("project {path}");
            checks.push(match forge_client::project(&client, path).await {
                Ok(project) if project.path != *path => {
                    Check::warn(id, format!("now called {}", project.path))
                        .fix(format!("write {} in the config", project.path))
                }
                Ok(project) if project.is_archived => Check::ok(id, "visible (archived)"),
                Ok(_) => Check::ok(id, "visible"),
                Err(error) => Check::fail(id, &error),
            });
        }
        if config.projects().is_empty() {
            checks.push(
                Check::warn("projects", "none configured")
                    .fix("add [[projects]] path = \"group/project\" to the config"),
            );
        }
        Ok::<_, Error>(checks)
    });
    asked.unwrap_or_else(|error| vec![Check::fail("forge", &error)])
}

fn server_line(base_url: &str, identity: Result<forge::api::Identity>) -> Check {
    match identity {
        Ok(identity) => {
            let version =
                identity.server_version.map(|v| format!(", GitLab {v}")).unwrap_or_default();
            Check::ok("forge", format!("{base_url} as @{}{version}", identity.user.username))
        }
        Err(error) => Check::fail("forge", &error),
    }
}
