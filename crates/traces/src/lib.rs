//! What production really calls: traces and access logs, as edges.
//!
//! [`decode`] reads the formats there are into [`Span`]s; [`semantic`] says what a
//! span means in the words of the graph, whichever version of the conventions it
//! was written by; [`window`] joins the two sides of a call, so that it is counted
//! once; [`Ingester`] does all of it and hands the store what one transaction adds.
//!
//! Everything here came from elsewhere and may be anything: values are cut and
//! cleaned when they are read, and each table in memory has a bound.

pub mod attributes;
pub mod compression;
pub mod decode;
pub mod ingest;
pub mod input;
pub mod path;
pub mod semantic;
pub mod span;
mod sql;
pub mod window;

pub use ingest::{Ingester, Limits};
pub use span::{Span, SpanKind};
