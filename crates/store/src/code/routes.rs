//! Which node a request of a service arrives at, for those who see requests and
//! not code.
//!
//! Entered with files and links and, like edges, never taken back: whether a
//! node is in a snapshot is in the packages of that snapshot.

use super::links::Edge;
use crate::handle::{Read, Tx};
use crate::sql;
use model::code::EdgeKind;
use model::ids::NodeId;
use model::{Result, vocabulary};

vocabulary! {
    /// What a node is to a route.
    pub enum Mapping {
        /// The route itself.
        Route = "route",
        /// What answers it.
        Handler = "handler",
        /// A call of a contract; its pattern is `/package.Service/Method`.
        GrpcMethod = "grpc_method",
        /// A subscription; its pattern is the topic.
        QueueTopic = "queue_topic",
    }
}

/// A pattern of a service and a node it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteSymbol {
    pub method: String,
    pub pattern: String,
    pub node: NodeId,
    pub mapping: Mapping,
}

/// The service is the repository, by the last part of its name; one without a name
/// that others know is called like its folder.
const SERVICE: &str =
    "replace(replace(r.name, rtrim(r.name, replace(r.name, '/', '')), ''), '/', '')";

const REPOS: &str = "(SELECT id, CASE WHEN canonical_url LIKE 'local/%' THEN
    coalesce((SELECT dir FROM repo_places AS place WHERE place.repo_id = repos.id
      ORDER BY place.id LIMIT 1), canonical_url)
    ELSE canonical_url END AS name FROM repos)";

fn insert(pattern: &str, which: &str) -> String {
    format!(
        "INSERT OR IGNORE INTO route_symbols (node_id, service, method, pattern, mapping)
         SELECT ?1, {SERVICE}, {pattern}, ?3
         FROM nodes AS n
         JOIN packages AS p ON p.id = n.package_id
         JOIN {REPOS} AS r ON r.id = p.repo_id
         WHERE n.id = ?2 AND {which}"
    )
}

/// A node that is called `METHOD /pattern`.
fn insert_route() -> String {
    insert(
        "substr(n.name, 1, instr(n.name, ' ') - 1), substr(n.name, instr(n.name, ' ') + 1)",
        "instr(n.name, ' ') > 1 AND n.name NOT LIKE 'MOUNT %'",
    )
}

/// Enters a route by its node, which is called `METHOD /pattern`.
pub fn enter(tx: &Tx<'_>, route: NodeId) -> Result<()> {
    let is_topic = sql::first(
        tx,
        "SELECT 1 FROM nodes WHERE id = ?1 AND name LIKE 'TOPIC %'",
        [route.0],
        |_| Ok(()),
    )?;
    let mapping = if is_topic.is_some() { Mapping::QueueTopic } else { Mapping::Route };
    sql::run(tx, &insert_route(), (route.0, route.0, mapping.as_str()))?;
    Ok(())
}

/// Enters a call of a contract by its node; `package` is what its file declares.
pub fn enter_rpc(tx: &Tx<'_>, rpc: NodeId, package: &str) -> Result<()> {
    let pattern = "'GRPC', '/' || ?4 || n.scope || '/' || n.name";
    let prefix = if package.is_empty() { String::new() } else { format!("{package}.") };
    let row = (rpc.0, rpc.0, Mapping::GrpcMethod.as_str(), prefix);
    sql::run(tx, &insert(pattern, "n.scope <> ''"), row)?;
    Ok(())
}

/// Enters what answers a route, by the edge that says so.
pub(super) fn enter_handler(tx: &Tx<'_>, edge: &Edge) -> Result<()> {
    if edge.kind == EdgeKind::HandlesRoute {
        let row = (edge.target.0, edge.source.0, Mapping::Handler.as_str());
        sql::run(tx, &insert_route(), row)?;
    }
    Ok(())
}

/// Everything that is known of a service's routes, of any time.
pub fn of_service(on: &impl Read, service: &str) -> Result<Vec<RouteSymbol>> {
    sql::all(
        on,
        "SELECT method, pattern, node_id, mapping FROM route_symbols
         WHERE service = ?1 ORDER BY pattern, method, mapping, node_id",
        [service],
        |row| {
            Ok(RouteSymbol {
                method: row.get(0)?,
                pattern: row.get(1)?,
                node: NodeId(row.get(2)?),
                mapping: sql::word(row, "mapping")?,
            })
        },
    )
}

/// The services that have routes, by name.
pub fn services(on: &impl Read) -> Result<Vec<String>> {
    let all = "SELECT DISTINCT service FROM route_symbols ORDER BY service";
    sql::all(on, all, [], |row| row.get(0))
}
