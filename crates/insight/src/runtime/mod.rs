//! What production showed, joined with the code of this moment.
//!
//! The store keeps endpoints by name. Here a service is found in a repository
//! ([`homes`]), an endpoint in its code ([`resolve`]), and the edges between them
//! are told with how sure they are now ([`traffic`]). [`weight`] is what other
//! answers add about the symbols they are about.

mod address;
mod homes;
mod resolve;
mod route_list;
mod stats;
mod topics;
mod traffic;
mod weight;

pub use address::WrittenAddress;
pub use homes::RouteDirectory;
pub use route_list::{RouteTraffic, RouteWindow, TrafficState, add_traffic};
pub use stats::{
    InputStats, LivenessCount, RuntimeStaleness, ServiceStats, StaleEdge, TraceStats, stale_edges,
    trace_stats,
};
pub use traffic::{Party, Traffic, TrafficEdge, TrafficRequest, traffic};
pub use weight::{RuntimeCaller, RuntimeWeight, WeightedPlace, weight};
