//! Language servers for the languages that are indexed.

use super::Check;
use crate::config::{Config, repo_trust};
use crate::ctx::Ctx;
use crate::run_enrich;
use enrich::servers::{SERVERS, ServerPresence};
use store::Reader;

/// One check for each server of an indexed language; none before anything is indexed.
/// Of a language with a usable server the missing ones are not mentioned.
pub fn check(ctx: &Ctx, config: &Config) -> Vec<Check> {
    let environment = match run_enrich::environment(ctx, config) {
        Ok(environment) => environment,
        Err(error) => return vec![Check::fail("language servers", &error)],
    };
    let mut checks = Vec::new();
    for language in languages(ctx, config) {
        let mut of_language = Vec::new();
        for kind in SERVERS.iter().filter(|kind| kind.languages.contains(&language.as_str())) {
            let id = format!("server {}", kind.name);
            of_language.push(match environment.find(kind) {
                Ok(server) => Check::ok(id, format!("{language}: version {}", server.version)),
                Err(ServerPresence::Unusable { reason }) => {
                    Check::warn(id, format!("{language}: {reason}")).fix(kind.install)
                }
                Err(_) => Check::warn(
                    id,
                    format!("{language}: not installed; `lore enrich` cannot ask it"),
                )
                .fix(kind.install),
            });
        }
        let has_one = of_language.iter().any(|check| check.fix.is_none());
        checks.extend(of_language.into_iter().filter(|check| !has_one || check.fix.is_none()));
    }
    checks
}

/// Languages of files in the database that a server is known for.
fn languages(ctx: &Ctx, config: &Config) -> Vec<String> {
    let file = repo_trust::database(&ctx.env, config).ok().filter(|file| file.refusal().is_none());
    let Some(reader) = file.and_then(|file| Reader::open(file.path()).ok()) else {
        return Vec::new();
    };
    let mut languages = store::code::files::languages(&reader).unwrap_or_default();
    languages.retain(|name| SERVERS.iter().any(|kind| kind.languages.contains(&name.as_str())));
    languages
}
