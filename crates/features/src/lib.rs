//! No code: its manifest makes every selection of crates use the same features of their
//! dependencies in tests, so that nothing is compiled twice.
