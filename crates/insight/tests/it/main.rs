//! Answers over small records made by hand.

mod entities;
mod evidence;
mod forges;
mod fuzz_smoke;
mod timeline;
