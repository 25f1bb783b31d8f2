//! Local git repositories, read by running git itself.
//!
//! Commits, trees, blobs, differences and blame as plain values. Knows
//! neither the store nor what a symbol is; writes nothing.
