//! The forge token: where it comes from, and how it is kept from leaking.

use super::{Config, glab};
use crate::env::Env;
use model::{Error, ErrorCode, Result};
use secrecy::SecretString;
use std::path::Path;

/// A token and a word on where it was found; never the token itself in text.
#[derive(Debug)]
pub struct Token {
    pub secret: SecretString,
    /// `env:GITLAB_TOKEN` or `file:/path`.
    pub source: String,
}

/// The variable wins over the file, as everywhere else.
pub fn find(config: &Config, env: &Env) -> Result<Token> {
    let variable = config.token_env_var();
    if let Some(token) = env.var(variable) {
        let source = format!("env:{variable}");
        return Ok(Token { secret: checked(token, &source)?, source });
    }
    match config.token_file() {
        Some(path) if glab::is_config(path) => of_glab(config, path),
        Some(path) => from_file(path),
        None => Err(Error::new(ErrorCode::TokenNotSet, format!("`{variable}` is not set"))
            .suggest(how_to_create(config, variable))),
    }
}

/// What clients of `lore mcp --http` must show; none when nothing is set.
pub fn of_mcp(config: &Config, env: &Env) -> Result<Option<Token>> {
    const VARIABLE: &str = "LORE_MCP_TOKEN";
    if let Some(token) = env.var(VARIABLE) {
        let source = format!("env:{VARIABLE}");
        return Ok(Some(Token { secret: checked(token, &source)?, source }));
    }
    config.mcp_token_file().map(from_file).transpose()
}

/// What webhooks must show; none when nothing is set.
pub fn of_webhooks(config: &Config, env: &Env) -> Result<Option<Token>> {
    const VARIABLE: &str = "LORE_WEBHOOK_SECRET";
    if let Some(token) = env.var(VARIABLE) {
        let source = format!("env:{VARIABLE}");
        return Ok(Some(Token { secret: checked(token, &source)?, source }));
    }
    config.webhook_secret_file().map(from_file).transpose()
}

fn how_to_create(config: &Config, variable: &str) -> String {
    let page = config.base_url().map_or_else(
        |_| "your GitLab".to_owned(),
        |base| model::ForgeKind::GitLab.dialect().token_url(base),
    );
    format!(
        "create a token with scope `read_api` at {page}, then `export {variable}=…`, \
         or put it in a file and set gitlab.token_file"
    )
}

/// The token that glab keeps for the host of the forge.
fn of_glab(config: &Config, path: &Path) -> Result<Token> {
    let whole = from_file_text(path)?;
    let base = config.base_url()?;
    let host = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or(host);
    let source = format!("file:{}", path.display());
    let token = glab::token(&whole, host).ok_or_else(|| {
        Error::new(ErrorCode::TokenNotSet, format!("glab keeps no token for {host} in {source}"))
            .suggest("run: glab auth login; or set GITLAB_TOKEN")
    })?;
    Ok(Token { secret: checked(token, &source)?, source })
}

fn from_file(path: &Path) -> Result<Token> {
    let text = from_file_text(path)?;
    let source = format!("file:{}", path.display());
    if text.trim().is_empty() {
        let message = format!("the token file {} is empty", path.display());
        return Err(Error::new(ErrorCode::TokenNotSet, message)
            .suggest("write a token with the scope read_api into it"));
    }
    Ok(Token { secret: checked(text.trim(), &source)?, source })
}

/// The text of a file that nobody else may read.
fn from_file_text(path: &Path) -> Result<String> {
    let unusable = |message: String| Error::new(ErrorCode::TokenNotSet, message);
    let cannot_read =
        |error| unusable(format!("cannot read the token file {}", path.display())).caused_by(error);
    let metadata = std::fs::metadata(path).map_err(cannot_read)?;
    if let Some(mode) = wide_mode(&metadata) {
        return Err(unusable(format!(
            "the token file {} may be read by others (mode {mode:04o})",
            path.display()
        ))
        .suggest(format!("chmod 600 {}", path.display())));
    }
    std::fs::read_to_string(path).map_err(cannot_read)
}

/// The mode of a file that group or others may touch.
pub fn wide_mode(metadata: &std::fs::Metadata) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then_some(mode)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// It will stand in a header: one printable word, or something was pasted wrong.
fn checked(token: &str, source: &str) -> Result<SecretString> {
    let token = token.trim();
    if token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(SecretString::from(token));
    }
    Err(Error::new(ErrorCode::TokenNotSet, format!("the token in {source} is not one plain word"))
        .suggest("copy it again, without blanks or line breaks"))
}
