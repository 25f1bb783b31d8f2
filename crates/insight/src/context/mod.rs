//! `lore context`: what to read for a piece of work.
//!
//! A task's text is taken apart ([`task`]), each channel says what it thinks of
//! the snapshot's files and symbols ([`channel`], [`channels`]), their scores are
//! added ([`rank`]) and the best is packed into a budget of tokens.

mod channel;
mod channels;
mod corpus;
mod frames;
mod history;
mod localise;
mod noise;
mod rank;
mod task;
mod terms;
mod weights;

pub use localise::{Localised, localise};
pub use rank::Share;

/// The names of all channels, in their order.
pub fn channel_names() -> Vec<&'static str> {
    channels::ALL.iter().map(|channel| channel.name()).collect()
}
