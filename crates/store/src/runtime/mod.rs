//! What production showed: edges between endpoints, counted by the hour.
//!
//! Endpoints are kept by name and not by node: which symbol a route or a function
//! is, follows from the code of the moment somebody asks.

mod read;
mod write;

pub use read::{
    EdgeRow, EndpointRow, InputRow, SeenRows, ServiceRow, Totals, edge_latency, edges,
    endpoint_names, has_any, inputs, is_file_known, seen_since, service_spans, services, totals,
};
pub use write::{
    Batch, BatchEndpoint, CleanupCounts, EdgeDelta, InputCounts, ServiceDelta, apply, assign_repo,
    collect, remember_file,
};

#[cfg(test)]
mod tests;
