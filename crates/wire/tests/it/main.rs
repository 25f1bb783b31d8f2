//! What the codecs promise: sizes, round trips, bad input, and the vectors of
//! the document.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod fixtures;
mod hostile;
mod round_trip;
mod scorecard;
mod vectors;
