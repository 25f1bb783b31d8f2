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

/// The service of a route is the repository it is of, by the last part of its name.
const INSERT: &str = "INSERT OR IGNORE INTO route_symbols (node_id, service, method, pattern, mapping)
  SELECT ?1, replace(r.canonical_url, rtrim(r.canonical_url, replace(r.canonical_url, '/', '')), ''),
    substr(n.name, 1, instr(n.name, ' ') - 1), substr(n.name, instr(n.name, ' ') + 1), ?3
  FROM nodes AS n
  JOIN packages AS p ON p.id = n.package_id
  JOIN repos AS r ON r.id = p.repo_id
  WHERE n.id = ?2 AND instr(n.name, ' ') > 1";

/// Enters a route by its node, which is called `METHOD /pattern`.
pub fn enter(tx: &Tx<'_>, route: NodeId) -> Result<()> {
    sql::run(tx, INSERT, (route.0, route.0, Mapping::Route.as_str()))?;
    Ok(())
}

/// Enters what answers a route, by the edge that says so.
pub(super) fn enter_handler(tx: &Tx<'_>, edge: &Edge) -> Result<()> {
    if edge.kind == EdgeKind::HandlesRoute {
        let row = (edge.target.0, edge.source.0, Mapping::Handler.as_str());
        sql::run(tx, INSERT, row)?;
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
            let is_route = row.get::<_, String>(3)? == Mapping::Route.as_str();
            Ok(RouteSymbol {
                method: row.get(0)?,
                pattern: row.get(1)?,
                node: NodeId(row.get(2)?),
                mapping: if is_route { Mapping::Route } else { Mapping::Handler },
            })
        },
    )
}
